//! Budgets: nothing takes more of them than they have, whatever a request leaves open and however many acts there are at
//! once, and what it was charged is what it took.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use enforce_exec::Executor;
use exec_record::{Charged, ContentStore, Event, LeaseBudget, Ledger, NewSession, Settings, Text};
use serde_json::{Value, json};
use tool_proto::tool_request::Tool;
use tool_proto::tool_response::Result as Answer;
use tool_proto::{ArtifactPublish, FileRead, FsGrep, FsList, ProcList, ShellExec};
use tool_proto::{ToolResponse, ToolSuccess};

use crate::support::{Running, append, ask, code, granted, loaded, message, now_ms, open_with, read, request, run};

#[tokio::test(flavor = "multi_thread")]
async fn budgets_of_the_policy_and_of_the_lease_are_charged_before_the_act() {
    let rules = "rule all: allow anyone to file.*\nbudget writes: coder file.write calls <= 2 per session";
    let lease = LeaseBudget { name: "reads".to_owned(), operation: "file.read".to_owned(), attribute: None, most: 1 };
    let running = Running::with(rules, |session| NewSession { budgets: vec![lease], ..session }).await;
    let mut codes = Vec::new();
    for tool in [append("a", "1"), append("a", "2"), append("a", "3"), read("a"), read("a")] {
        codes.push(code(&running.ask(&running.request("", tool)).await).to_owned());
    }
    assert_eq!(codes, ["DONE", "DONE", "BUDGET_EXCEEDED", "DONE", "BUDGET_EXCEEDED"]);
    assert_eq!(fs::read_to_string(running.root().join("a")).unwrap(), "12");
}

fn run_for(command: &str, timeout_ms: u64) -> Tool {
    Tool::ShellExec(ShellExec { command: command.to_owned(), timeout_ms, ..ShellExec::default() })
}

fn list(max_results: u64) -> Tool {
    Tool::FsList(FsList { glob: "*".to_owned(), max_results, include_hidden: false })
}

fn grep(max_results: u64) -> Tool {
    let (pattern, glob) = ("x".to_owned(), "**".to_owned());
    Tool::FsGrep(FsGrep { pattern, glob, case_sensitive: true, max_results })
}

fn processes(limit: u64) -> Tool {
    Tool::ProcList(ProcList { filter: String::new(), limit })
}

fn success(response: &ToolResponse) -> &ToolSuccess {
    match &response.result {
        Some(Answer::Success(success)) => success,
        other => panic!("{other:?}"),
    }
}

fn given(response: &ToolResponse) -> Value {
    serde_json::from_slice(&success(response).inline_result).unwrap()
}

async fn asked(running: &Running, tool: Tool) -> ToolResponse {
    running.ask(&running.request("", tool)).await
}

/// What each act was charged before it, and what it was settled to.
fn charged(running: &Running) -> (Vec<Charged>, Vec<Charged>) {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    let mut add = |event| match event {
        Event::Intent(intent) => before.extend(intent.charges),
        Event::Result(outcome) => after.extend(outcome.settled),
        _ => {}
    };
    Ledger::open(&running.state()).unwrap().each(|record, _| add(record.event)).unwrap();
    (before, after)
}

fn amounts(charges: &[Charged]) -> Vec<u64> {
    charges.iter().map(|charge| charge.amount).collect()
}

/// A budget of the lease that sums a number.
fn lease(operation: &str, attribute: &str, most: u64) -> LeaseBudget {
    let (name, attribute) = ("leased".to_owned(), Some(attribute.to_owned()));
    LeaseBudget { name, operation: operation.to_owned(), attribute, most }
}

/// The same budget, once of the policy and once of the lease.
async fn both(rules: &str, operation: &str, attribute: &str, most: u64) -> [Running; 2] {
    let unit = match attribute {
        "bytes" | "output" | "offset" => " B",
        "timeout" => " ms",
        _ => "",
    };
    let budget = format!("{rules}\nbudget own: coder {operation} {attribute} <= {most}{unit} per session");
    let leased = lease(operation, attribute, most);
    let leased = |session| NewSession { budgets: vec![leased], ..session };
    [Running::new(&budget).await, Running::with(rules, leased).await]
}

const COMMANDS: &str = "rule all: allow anyone to shell.exec";
const FILES: &str = "rule all: allow anyone to file.*, fs.*, proc.list";

#[tokio::test(flavor = "multi_thread")]
async fn a_time_that_a_request_leaves_open_is_charged_as_the_time_that_it_gets() {
    for running in both(COMMANDS, "shell.exec", "timeout", 1_000).await {
        let open = asked(&running, run("sleep 1")).await;
        assert_eq!(code(&open), "BUDGET_EXCEEDED");
        assert!(message(&open).ends_with("0 of 1000 are used, and 600000 more are needed"), "{open:?}");
        // What was not needed of it is given back.
        let mut times = 0;
        while times < 20 && code(&asked(&running, run_for("sleep 0.2", 500)).await) == "DONE" {
            times += 1;
        }
        assert!((1..=3).contains(&times), "{times}");
        let (before, after) = charged(&running);
        assert_eq!(amounts(&before), vec![500; times]);
        assert!(amounts(&after).iter().all(|amount| (200..=500).contains(amount)), "{after:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_time_that_a_rule_limits_is_charged_as_the_limit() {
    let rules = "rule all: allow anyone to shell.exec limit timeout <= 700 ms
        budget time: coder shell.exec timeout <= 1 s per session";
    let running = Running::new(rules).await;
    assert_eq!(given(&asked(&running, run("sleep 60")).await)["timed_out"], true);
    let denied = asked(&running, run("true")).await;
    assert_eq!(code(&denied), "BUDGET_EXCEEDED");
    assert!(message(&denied).ends_with("700 of 1000 are used, and 700 more are needed"), "{denied:?}");
    assert_eq!(code(&asked(&running, run_for("true", 300)).await), "DONE");
}

#[tokio::test(flavor = "multi_thread")]
async fn results_that_a_request_leaves_open_are_charged_as_usual_and_settled_to_what_was_given() {
    for (operation, usual, tool) in
        [("fs.list", 5_000, list as fn(u64) -> Tool), ("fs.grep", 1_000, grep), ("proc.list", 50, processes)]
    {
        for running in both(FILES, operation, "max-results", 3).await {
            for name in ["a", "b"] {
                fs::write(running.root().join(name), "x\n").unwrap();
            }
            let open = asked(&running, tool(0)).await;
            assert_eq!(code(&open), "BUDGET_EXCEEDED", "{operation}");
            assert!(message(&open).ends_with(&format!("0 of 3 are used, and {usual} more are needed")), "{open:?}");
            assert_eq!(code(&asked(&running, tool(1)).await), "DONE", "{operation}");
            assert_eq!(code(&asked(&running, tool(3)).await), "BUDGET_EXCEEDED", "{operation}");
            assert_eq!(code(&asked(&running, tool(2)).await), "DONE", "{operation}");
            assert_eq!(code(&asked(&running, tool(1)).await), "BUDGET_EXCEEDED", "{operation}");
            let (before, after) = charged(&running);
            assert_eq!((amounts(&before), amounts(&after)), (vec![1, 2], vec![1, 2]), "{operation}");
        }
    }
    // Of an answer with less in it than was asked for, the rest is given back.
    let running = Running::new(&format!("{FILES}\nbudget own: coder fs.list max-results <= 100 per session")).await;
    fs::write(running.root().join("a"), "x\n").unwrap();
    for _ in 0..3 {
        assert_eq!(given(&asked(&running, list(90)).await), json!({ "files": ["a"], "truncated": false }));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_results_are_none_and_not_all_of_them() {
    let running = Running::new("rule all: allow anyone to fs.*, proc.list limit max-results <= 0").await;
    fs::write(running.root().join("a"), "x\n").unwrap();
    assert_eq!(given(&asked(&running, list(0)).await), json!({ "files": [], "truncated": true }));
    assert_eq!(given(&asked(&running, grep(0)).await), json!({ "matches": [], "truncated": true }));
    assert_eq!(given(&asked(&running, processes(0)).await), json!({ "processes": [], "truncated": true }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_more_bytes_than_are_left_is_not_read() {
    for running in both(FILES, "file.read", "bytes", 10).await {
        for (name, content) in [("eight", "12345678"), ("two", "12"), ("eleven", "12345678901")] {
            fs::write(running.root().join(name), content).unwrap();
        }
        let mut codes = Vec::new();
        for name in ["eleven", "eight", "eight", "two", "two"] {
            codes.push(code(&asked(&running, read(name)).await).to_owned());
        }
        assert_eq!(codes, ["BUDGET_EXCEEDED", "DONE", "BUDGET_EXCEEDED", "DONE", "BUDGET_EXCEEDED"]);
        let (before, after) = charged(&running);
        // What failed has given nothing, and costs nothing; the last was not even begun.
        assert_eq!((amounts(&before), amounts(&after)), (vec![10, 10, 2, 2], vec![0, 8, 0, 2]));
    }
    let running = Running::new(&format!("{FILES}\nbudget own: coder file.read bytes <= 10 B per session")).await;
    fs::write(running.root().join("eight"), "12345678").unwrap();
    asked(&running, read("eight")).await;
    let denied = asked(&running, read("eight")).await;
    assert_eq!(message(&denied), "of the budget `executed/own` 8 of 10 are used, and 8 more are needed");
    // Who asks for as much as there is gets it.
    let part = Tool::FileRead(FileRead { path: "eight".to_owned(), offset: 6, limit: 2 });
    assert_eq!(success(&asked(&running, part.clone()).await).inline_result, b"78");
    assert_eq!(code(&asked(&running, part).await), "BUDGET_EXCEEDED");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_more_bytes_than_its_rule_allows_is_too_large_whatever_the_budget() {
    let rules = "rule all: allow anyone to file.* limit bytes <= 5 B
        budget own: coder file.read bytes <= 10 B per session";
    let running = Running::new(rules).await;
    fs::write(running.root().join("four"), "1234").unwrap();
    fs::write(running.root().join("six"), "123456").unwrap();
    let mut codes = Vec::new();
    for name in ["six", "four", "four", "six", "four"] {
        codes.push(code(&asked(&running, read(name)).await).to_owned());
    }
    assert_eq!(codes, ["TOO_LARGE", "DONE", "DONE", "TOO_LARGE", "BUDGET_EXCEEDED"]);
}

/// Sixty-four at once, each of which would fit alone.
#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn reads_at_once_never_give_more_together_than_the_budget_has() {
    for running in both(FILES, "file.read", "bytes", 100).await {
        fs::write(running.root().join("a"), "1234567").unwrap();
        let running = Arc::new(running);
        let tasks: Vec<_> = (0..64)
            .map(|_| {
                let running = Arc::clone(&running);
                tokio::spawn(async move { asked(&running, read("a")).await })
            })
            .collect();
        let mut bytes = 0;
        for task in tasks {
            let response = task.await.unwrap();
            match code(&response) {
                "DONE" => bytes += success(&response).inline_result.len(),
                // Others hold what is left, or nothing is.
                "BUSY" | "BUDGET_EXCEEDED" => {}
                other => panic!("{other}"),
            }
        }
        assert!((7..=100).contains(&bytes), "{bytes}");
        // One after the other they get the rest of it.
        while code(&asked(&running, read("a")).await) == "DONE" {
            bytes += 7;
        }
        assert_eq!(bytes, 98);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn output_is_cut_to_what_is_left_and_nothing_is_run_where_nothing_is() {
    for running in both(COMMANDS, "shell.exec", "output", 10).await {
        let small = given(&asked(&running, run("echo 123")).await);
        assert_eq!((&small["stdout"], &small["truncated"]), (&json!("123\n"), &json!(false)));
        let large = given(&asked(&running, run("echo 1234567890")).await);
        assert_eq!((&large["stdout"], &large["truncated"]), (&json!("123456"), &json!(true)));
        let none = asked(&running, run("touch made")).await;
        assert_eq!(code(&none), "BUDGET_EXCEEDED");
        assert!(message(&none).ends_with("10 of 10 are used, and 1 more are needed"), "{none:?}");
        assert!(!running.root().join("made").exists());
        let (before, after) = charged(&running);
        assert_eq!((amounts(&before), amounts(&after)), (vec![10, 6], vec![4, 6]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ctr_0029_what_acts_under_way_hold_may_be_asked_for_again_soon() {
    let rules = format!("{COMMANDS}\nbudget own: coder shell.exec output <= 10 B per session");
    let running = Arc::new(Running::new(&rules).await);
    let sleeping = {
        let running = Arc::clone(&running);
        tokio::spawn(async move { asked(&running, run("sleep 1")).await })
    };
    while charged(&running).0.is_empty() {
        tokio::task::yield_now().await;
    }
    let busy = asked(&running, run("echo 1")).await;
    let Some(Answer::Error(error)) = &busy.result else { panic!("{busy:?}") };
    assert_eq!((error.error_code.as_str(), error.retryable, error.retry_after_ms > 0), ("BUSY", true, true));
    assert!(error.message.ends_with("some of it is held by acts that are running"), "{error:?}");
    assert_eq!(code(&sleeping.await.unwrap()), "DONE");
    assert_eq!(code(&asked(&running, run("echo 1")).await), "DONE");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_published_is_charged_by_its_size() {
    for running in both("rule all: allow anyone to artifact.publish", "artifact.publish", "bytes", 10).await {
        let store = ContentStore::local(&running.state()).unwrap();
        let mut codes = Vec::new();
        for (id, content) in [("one", "12345678"), ("two", "12345678"), ("three", "12"), ("four", "")] {
            let content_hash = store.put(content.into()).await.unwrap().as_bytes().to_vec();
            let (artifact_id, category) = (id.to_owned(), "report".to_owned());
            let publish = ArtifactPublish { artifact_id, content_hash, category, metadata: Vec::new() };
            codes.push(code(&asked(&running, Tool::ArtifactPublish(publish)).await).to_owned());
        }
        assert_eq!(codes, ["DONE", "BUDGET_EXCEEDED", "DONE", "BUDGET_EXCEEDED"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trust_fail_closed_what_a_budget_cannot_count_is_not_done() {
    for running in both(FILES, "file.write", "offset", 10).await {
        let denied = asked(&running, append("a", "x")).await;
        assert_eq!(code(&denied), "BUDGET_UNMEASURED");
        assert!(message(&denied).ends_with("counts `offset`, which is not known of file.write"), "{denied:?}");
        assert!(!running.root().join("a").exists());
    }
    // Where a request says it, it is counted.
    let [policy, _] = both(FILES, "file.read", "offset", 3).await;
    fs::write(policy.root().join("a"), "123").unwrap();
    let part = |offset| Tool::FileRead(FileRead { path: "a".to_owned(), offset, limit: 0 });
    assert_eq!(code(&asked(&policy, part(2)).await), "DONE");
    assert_eq!(code(&asked(&policy, part(2)).await), "BUDGET_EXCEEDED");
}

#[tokio::test(flavor = "multi_thread")]
async fn ctr_0029_ctr_0030_a_budget_for_a_time_is_an_error_that_says_when_it_has_enough_again() {
    let rules = "rule all: allow anyone to file.*
        budget writes: coder file.write calls <= 2 per minute
        budget reading: coder file.read bytes <= 10 B per hour";
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("eight"), "12345678").unwrap();
    fs::write(root.join("eleven"), "12345678901").unwrap();
    let now = Arc::new(AtomicU64::new(now_ms()));
    let clock = Arc::clone(&now);
    let settings = Settings { clock: Arc::new(move || clock.load(Ordering::SeqCst)), ..Settings::default() };
    let loaded = loaded(rules);
    let executor = Executor::new(open_with(&root, &folder.path().join("state"), &loaded, settings).0);
    let lasting = NewSession { expires_at_ms: u64::MAX, ..granted(&root, &loaded) };
    let token = executor.create_session(lasting).await.unwrap().1.reveal();
    let asked = async |tool: Tool| ask(&executor, &request(&token, "", tool)).await;
    let limited = |response: &ToolResponse| {
        let Some(Answer::Error(error)) = &response.result else { panic!("{response:?}") };
        assert_eq!((error.error_code.as_str(), error.retryable), ("RATE_LIMITED", true));
        error.retry_after_ms
    };
    for _ in 0..2 {
        assert_eq!(code(&asked(append("a", "x")).await), "DONE");
    }
    let wait_ms = limited(&asked(append("a", "x")).await);
    assert!((59_000..=61_000).contains(&wait_ms), "{wait_ms}");
    now.fetch_add(wait_ms - 1, Ordering::SeqCst);
    assert_eq!(limited(&asked(append("a", "x")).await), 1);
    now.fetch_add(1, Ordering::SeqCst);
    assert_eq!(code(&asked(append("a", "x")).await), "DONE");
    // What shows only when the file is open waits for all of the time.
    assert_eq!(code(&asked(read("eight")).await), "DONE");
    assert_eq!(limited(&asked(read("eight")).await), 3_600_000);
    // Under a key as well, which is free to be asked again.
    let keyed = request(&token, "k", read("eight"));
    assert_eq!(limited(&ask(&executor, &keyed).await), 3_600_000);
    // However long somebody waits, there is not more of it.
    assert_eq!(code(&asked(read("eleven")).await), "BUDGET_EXCEEDED");
    now.fetch_add(3_660_000, Ordering::SeqCst);
    assert_eq!(code(&ask(&executor, &keyed).await), "DONE");
    executor.close().await.unwrap();
    let mut refused = Vec::new();
    let mut add = |event| {
        if let Event::Refused(refusal) = event {
            refused.push((refusal.judged.rule, refusal.judged.code));
        }
    };
    Ledger::open(&folder.path().join("state")).unwrap().each(|record, _| add(record.event)).unwrap();
    let record = (Text::new("executed/writes"), Text::new("RATE_LIMITED"));
    assert_eq!(refused, [record.clone(), record]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_success_says_what_it_was_charged_after_it_was_settled() {
    let rules = "rule all: allow anyone to file.*, shell.exec
        budget calls: coder file.read calls <= 100 per day
        budget reading: coder file.read bytes <= 1 KiB per session
        budget output: coder shell.exec output <= 1 KiB per session";
    let running = Running::new(rules).await;
    fs::write(running.root().join("a"), "12345678").unwrap();
    let consumed = |response: &ToolResponse| success(response).budget_consumed;
    assert_eq!(consumed(&asked(&running, read("a")).await), 1 + 8);
    assert_eq!(consumed(&asked(&running, run("echo 12")).await), 3);
    assert_eq!(consumed(&asked(&running, append("b", "x")).await), 0, "no budget speaks of it");
    // A repetition is answered alike, and is charged nothing.
    let first = running.ask(&running.request("k", read("a"))).await;
    let second = running.ask(&running.request("k", read("a"))).await;
    assert_eq!((consumed(&first), consumed(&second)), (9, 9));
    let (_, after) = charged(&running);
    assert_eq!(amounts(&after), [8, 3, 8]);
}
