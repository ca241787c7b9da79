//! What comes with a diff is charged as what it is.

use std::fs;

use exec_record::{Event, LeaseBudget, Ledger, NewSession, Text};
use tool_proto::FilePatch;
use tool_proto::tool_request::Tool;

use crate::support::{Running, code, message};

fn patch(diff: String) -> Tool {
    Tool::FilePatch(FilePatch { path: "a".to_owned(), unified_diff: diff })
}

fn change(path: &str) -> String {
    format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-x\n+y\n")
}

fn remove(path: &str) -> String {
    format!("--- a/{path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n")
}

fn rename(from: &str, to: &str) -> String {
    format!("diff --git a/{from} b/{to}\nsimilarity index 100%\nrename from {from}\nrename to {to}\n")
}

fn make(path: &str) -> String {
    format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+1234567\n")
}

async fn asked(running: &Running, diff: String) -> String {
    code(&running.ask(&running.request("", patch(diff))).await).to_owned()
}

fn put(running: &Running, names: &[&str]) {
    names.iter().for_each(|name| fs::write(running.root().join(name), "x\n").unwrap());
}

/// What each act was charged, by the names of the budgets.
fn charged(running: &Running) -> Vec<Vec<(Text, u64)>> {
    let mut charged = Vec::new();
    let mut add = |event| {
        if let Event::Intent(intent) = event {
            charged.push(intent.charges.into_iter().map(|charge| (charge.budget, charge.amount)).collect());
        }
    };
    Ledger::open(&running.state()).unwrap().each(|record, _| add(record.event)).unwrap();
    charged
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_is_charged_for_each_file_that_a_diff_removes_renames_or_makes() {
    let rules = "rule all: allow anyone to file.*, fs.*
        budget deletes: coder fs.delete calls <= 2 per day
        budget moves: coder fs.move calls <= 1 per day
        budget writes: coder file.write calls <= 2 per day";
    let running = Running::new(rules).await;
    put(&running, &["a", "b", "c", "d"]);
    // More than there is of one budget: nothing is charged, and nothing is done.
    assert_eq!(asked(&running, remove("a") + &remove("b") + &remove("c")).await, "BUDGET_EXCEEDED");
    assert_eq!(asked(&running, rename("a", "e") + &rename("b", "f")).await, "BUDGET_EXCEEDED");
    assert_eq!(asked(&running, make("e") + &make("f") + &make("g")).await, "BUDGET_EXCEEDED");
    assert_eq!(asked(&running, remove("a") + &make("f") + &rename("b", "e")).await, "DONE");
    // Less than that, for which there is enough again on another day.
    assert_eq!(asked(&running, rename("e", "b")).await, "RATE_LIMITED");
    assert_eq!(asked(&running, remove("c") + &remove("d")).await, "RATE_LIMITED");
    assert_eq!(asked(&running, remove("c")).await, "DONE");
    assert_eq!(asked(&running, remove("d") + &change("e")).await, "RATE_LIMITED");
    assert_eq!(asked(&running, change("d")).await, "DONE");
    let there: Vec<bool> =
        ["a", "b", "c", "d", "e", "f"].map(|name| running.root().join(name).exists()).into_iter().collect();
    assert_eq!(there, [false, false, false, true, true, true]);
    running.executor.close().await.unwrap();
    let one = |name: &str| (Text::new(format!("executed/{name}")), 1);
    assert_eq!(charged(&running), [vec![one("deletes"), one("writes"), one("moves")], vec![one("deletes")], vec![]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_of_calls_counts_what_comes_with_a_diff_and_one_of_sizes_counts_it_once() {
    let rules = "rule all: allow anyone to file.*, fs.*
        budget changes: coder file.*, fs.delete calls <= 9 per session
        budget written: coder file.write, file.patch bytes <= 1 KiB per session
        budget made: coder file.write bytes <= 16 B per session";
    let running = Running::new(rules).await;
    put(&running, &["a", "b"]);
    let diff = remove("a") + &make("c") + &make("d");
    let length = u64::try_from(diff.len()).unwrap();
    assert_eq!(asked(&running, diff).await, "DONE");
    assert_eq!(asked(&running, make("e")).await, "BUDGET_EXCEEDED");
    running.executor.close().await.unwrap();
    let budget = |name: &str, amount| (Text::new(format!("executed/{name}")), amount);
    assert_eq!(charged(&running), [vec![budget("changes", 4), budget("written", length), budget("made", 16)]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_of_the_lease_is_charged_for_what_comes_with_a_diff() {
    let lease = |operation: &str, attribute: Option<&str>, most| LeaseBudget {
        name: operation.to_owned(),
        operation: operation.to_owned(),
        attribute: attribute.map(str::to_owned),
        most,
    };
    let budgets = vec![
        lease("fs.delete", None, 2),
        lease("file.write", Some("bytes"), 8),
        lease("file.*", Some("bytes"), 1 << 10),
    ];
    let running = Running::with("rule all: allow anyone to file.*, fs.*", |session| NewSession { budgets, ..session });
    let running = running.await;
    put(&running, &["a", "b", "c"]);
    assert_eq!(asked(&running, remove("a") + &remove("b") + &remove("c")).await, "BUDGET_EXCEEDED");
    assert_eq!(asked(&running, make("d") + &make("e")).await, "BUDGET_EXCEEDED");
    let diff = remove("a") + &remove("b") + &make("d");
    let length = u64::try_from(diff.len()).unwrap();
    assert_eq!(asked(&running, diff).await, "DONE");
    assert_eq!(asked(&running, remove("c")).await, "BUDGET_EXCEEDED");
    running.executor.close().await.unwrap();
    let budget = |name: &str, amount| (Text::new(format!("lease:{name}")), amount);
    assert_eq!(charged(&running), [vec![budget("file.*", length), budget("fs.delete", 2), budget("file.write", 8)]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn trust_fail_closed_a_diff_that_is_denied_in_part_is_neither_charged_nor_begun() {
    let rules = "rule all: allow anyone to file.*, fs.*
        rule kept: deny anyone to fs.delete where path in \"kept/**\"
        rule mine: deny anyone to file.write where path in \"made\" or bytes > 7 B and path in \"small\"
        budget deletes: coder fs.delete calls <= 1 per day";
    let running = Running::new(rules).await;
    fs::create_dir(running.root().join("kept")).unwrap();
    put(&running, &["a", "kept/b"]);
    assert_eq!(asked(&running, remove("a") + &remove("kept/b")).await, "FS_DELETE_DENIED");
    assert_eq!(asked(&running, remove("a") + &make("made")).await, "FILE_WRITE_DENIED");
    assert_eq!(asked(&running, remove("a") + &make("small")).await, "FILE_WRITE_DENIED");
    let unread = running.ask(&running.request("", patch(remove("a") + "what?\n"))).await;
    assert_eq!(code(&unread), "PATCH_REJECTED", "{}", message(&unread));
    assert_eq!(asked(&running, remove("a")).await, "DONE");
    running.executor.close().await.unwrap();
    let deletes = (Text::new("executed/deletes"), 1);
    assert_eq!(charged(&running), [vec![], vec![deletes]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn trust_fs_what_a_diff_removes_behind_a_link_is_judged_as_removed_there() {
    let rules = "rule all: allow anyone to file.*, fs.*
        rule kept: deny anyone to fs.delete, fs.move, file.write where path in \"kept/**\"";
    let running = Running::new(rules).await;
    fs::create_dir(running.root().join("kept")).unwrap();
    put(&running, &["a", "kept/b"]);
    std::os::unix::fs::symlink("kept", running.root().join("link")).unwrap();
    assert_eq!(asked(&running, remove("link/b")).await, "FS_DELETE_DENIED");
    assert_eq!(asked(&running, rename("link/b", "c")).await, "FS_MOVE_DENIED");
    assert_eq!(asked(&running, rename("a", "link/c")).await, "FS_MOVE_DENIED");
    assert_eq!(asked(&running, make("link/c")).await, "FILE_WRITE_DENIED");
    assert_eq!(asked(&running, change("link/b")).await, "DONE");
    assert_eq!(fs::read_to_string(running.root().join("kept/b")).unwrap(), "y\n");
}
