//! Whatever is wrong with a policy is a denial: it is not loaded, or nothing is allowed by it.

use std::fs;

use enforce_exec::{CreateError, Executor, LoadError, LoadedPolicy, SessionError};
use exec_record::{Event, LeaseBudget, Ledger, NewSession};
use table_format::{Digest, OpenError, Pin};
use tool_proto::tool_response::Result as Answer;

use crate::support::{
    ALL, Running, append, ask, code, count, granted, kinds, loaded, message, open, read, request, run, table,
};

#[test]
fn trust_fail_closed_a_table_that_is_damaged_anywhere_is_not_loaded() {
    let whole = table(ALL);
    assert!(LoadedPolicy::new(whole.clone(), Pin::Unpinned).is_ok());
    for place in 0..whole.len() {
        for flip in [0x01, 0x80] {
            let mut bytes = whole.clone();
            bytes[place] ^= flip;
            assert!(LoadedPolicy::new(bytes, Pin::Unpinned).is_err(), "byte {place}");
        }
    }
    for length in 0..whole.len() {
        assert!(LoadedPolicy::new(whole[..length].to_vec(), Pin::Unpinned).is_err(), "{length} bytes");
    }
    assert!(LoadedPolicy::new([whole, vec![0]].concat(), Pin::Unpinned).is_err(), "a byte too many");
}

#[test]
fn trust_fail_closed_another_table_than_the_pinned_one_is_not_loaded() {
    let (one, other) = (table(ALL), table("rule read: allow coder to file.read"));
    let digest = loaded(ALL).digest();
    assert!(LoadedPolicy::new(one.clone(), Pin::Exactly(digest)).is_ok());
    let refused = LoadedPolicy::new(other, Pin::Exactly(digest)).unwrap_err();
    assert_eq!(refused, LoadError::Table(OpenError::NotThePinned));
    assert!(LoadedPolicy::new(one, Pin::Exactly(Digest([7; 32]))).is_err());
}

#[test]
fn trust_fail_closed_a_table_of_another_version_is_not_loaded() {
    let whole = table(ALL);
    let mut versions = 0;
    // Wherever the version stands: a table that says another one is refused as such, not as a damaged one.
    for place in 0..64 {
        let mut bytes = whole.clone();
        bytes[place] = bytes[place].wrapping_add(1);
        match LoadedPolicy::new(bytes, Pin::Unpinned) {
            Err(LoadError::Table(OpenError::FormatVersion { .. } | OpenError::LanguageVersion { .. })) => versions += 1,
            other => assert!(other.is_err(), "byte {place}"),
        }
    }
    assert!(versions >= 2, "{versions}");
}

#[tokio::test(flavor = "multi_thread")]
async fn trust_fail_closed_no_session_is_begun_with_a_policy_or_a_role_that_is_not_there() {
    let running = Running::new(ALL).await;
    let fine = granted(&running.root(), &loaded(ALL));
    let table = NewSession { tables: vec![exec_record::Digest::from([7; 32])], ..fine.clone() };
    let role = NewSession { roles: vec!["stranger".to_owned()], ..fine };
    assert!(matches!(
        running.executor.create_session(table).await.unwrap_err(),
        CreateError::Session(SessionError::UnknownTable { .. })
    ));
    assert!(matches!(
        running.executor.create_session(role).await.unwrap_err(),
        CreateError::Session(SessionError::UnknownRole { .. })
    ));
    assert_eq!(count(&running.verify().await, "session-created"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn trust_lease_no_session_is_begun_with_a_budget_that_bounds_nothing() {
    let running = Running::new(&format!("{ALL}\ntool jira {{ op search(project: string, max: int) }}")).await;
    let fine = granted(&running.root(), &loaded(ALL));
    let budget = |operation: &str, attribute: Option<&str>| LeaseBudget {
        name: "mine".to_owned(),
        operation: operation.to_owned(),
        attribute: attribute.map(str::to_owned),
        most: 1,
    };
    let refused = async |budgets: Vec<LeaseBudget>| {
        let session = NewSession { budgets, tables: declared(&running), ..fine.clone() };
        match running.executor.create_session(session).await {
            Ok(_) => "begun".to_owned(),
            Err(CreateError::Session(error)) => error.to_string(),
            Err(CreateError::State(error)) => panic!("{error}"),
        }
    };
    let operation = refused(vec![budget("file.raed", None)]).await;
    let known = "file.edit, file.patch, file.read, file.write";
    assert_eq!(operation, format!("unknown operation `file.raed` in the lease's budget `mine`; known are {known}"));
    for (operation, attribute, one, known) in [
        ("file.read", "byte", "file.read", "bytes, offset"),
        ("file.read", "timeout", "file.read", "bytes, offset"),
        ("fs.*", "max-results", "fs.copy", "nothing, only count calls"),
        ("jira.search", "project", "jira.search", "max"),
    ] {
        assert_eq!(
            refused(vec![budget(operation, Some(attribute))]).await,
            format!("the lease's budget `mine` sums `{attribute}`, which `{one}` does not have; it can sum {known}")
        );
    }
    let twice = refused(vec![budget("file.read", None), budget("file.write", None)]).await;
    assert_eq!(twice, "the lease has two budgets named `mine`");
    for (operation, attribute) in
        [("file.*", Some("bytes")), ("file.*", None), ("shell.exec", Some("output")), ("jira.*", Some("max"))]
    {
        assert_eq!(refused(vec![budget(operation, attribute)]).await, "begun", "{operation}");
    }
    running.executor.close().await.unwrap();
    let mut leased = Vec::new();
    let note = |record: exec_record::Record, _| {
        if let Event::Created(created) = record.event {
            leased.extend(created.budgets.into_iter().map(|budget| (budget.operation, budget.attribute, budget.most)));
        }
    };
    Ledger::open(&running.state()).unwrap().each(note).unwrap();
    let text = |word: &str| exec_record::Text::new(word);
    let expected = [("file.*", "bytes"), ("file.*", ""), ("shell.exec", "output"), ("jira.*", "max")];
    assert_eq!(leased, expected.map(|(operation, attribute)| (text(operation), text(attribute), 1)));
}

/// The policy of a session.
fn declared(running: &Running) -> Vec<exec_record::Digest> {
    let mut tables = Vec::new();
    let note = |record: exec_record::Record, _| {
        if let Event::Created(created) = record.event {
            tables = created.tables;
        }
    };
    Ledger::open(&running.state()).unwrap().each(note).unwrap();
    tables
}

/// Sessions that were begun before their budgets were looked at.
#[tokio::test(flavor = "multi_thread")]
async fn trust_lease_a_session_that_is_stored_with_a_budget_that_bounds_nothing_is_denied_everything() {
    let running = Running::new(ALL).await;
    let folder = tempfile::tempdir().unwrap();
    let (parts, _) = open(&running.root(), &folder.path().join("state"), &loaded(ALL));
    let (name, operation) = ("mine".to_owned(), "file.raed".to_owned());
    let budgets = vec![LeaseBudget { name, operation, attribute: None, most: 1 }];
    let session = NewSession { budgets, ..granted(&running.root(), &loaded(ALL)) };
    let token = parts.state.create_session(session).await.unwrap().1.reveal();
    let executor = Executor::new(parts);
    let response = ask(&executor, &request(&token, "", append("a", "x"))).await;
    assert_eq!(code(&response), "JUDGE_UNABLE");
    assert!(message(&response).contains("unknown operation `file.raed`"), "{response:?}");
    assert!(!running.root().join("a").exists());
    executor.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn trust_fail_closed_a_session_whose_table_is_gone_is_denied_everything_on_the_record() {
    let running = Running::new(ALL).await;
    assert_eq!(code(&running.ask(&running.request("", append("a", "x"))).await), "DONE");
    running.executor.close().await.unwrap();
    // The next start has another policy, which would allow as much.
    let other = loaded(&format!("{ALL}\nrule more: allow anyone to proc.list"));
    let executor = Executor::new(open(&running.root(), &running.state(), &other).0);
    let tools = [append("a", "y"), append("b", "y"), read("a"), run("echo x")];
    for tool in &tools {
        let response = ask(&executor, &running.request("", tool.clone())).await;
        assert!(matches!(response.result, Some(Answer::Denied(_))), "{response:?}");
        assert_eq!(code(&response), "JUDGE_UNABLE");
        assert!(message(&response).starts_with("nothing is allowed, because "), "{response:?}");
    }
    executor.close().await.unwrap();
    assert_eq!(fs::read_to_string(running.root().join("a")).unwrap(), "x");
    assert!(!running.root().join("b").exists());
    let kinds = kinds(&running.state());
    assert_eq!(["intent", "refused"].map(|kind| count(&kinds, kind)), [1, tools.len()]);
    let mut chains = Vec::new();
    let note = |record: exec_record::Record, _| {
        if matches!(record.event, Event::Refused(_)) {
            chains.push(record.chain);
        }
    };
    Ledger::open(&running.state()).unwrap().each(note).unwrap();
    assert_eq!(chains, [1; 4], "each is on record in its session");
    // With its table it goes on.
    let executor = Executor::new(open(&running.root(), &running.state(), &loaded(ALL)).0);
    assert_eq!(code(&ask(&executor, &running.request("", append("a", "y"))).await), "DONE");
    executor.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn trust_fail_closed_a_session_that_cannot_be_judged_in_is_denied_everything() {
    let none = Running::with(ALL, |session| NewSession { tables: Vec::new(), roles: Vec::new(), ..session }).await;
    let relative = Running::with(ALL, |session| NewSession { root: "root".to_owned(), ..session }).await;
    let coders = "rule all: allow coder to file.*";
    let roleless = Running::with(coders, |session| NewSession { roles: Vec::new(), ..session }).await;
    for (running, expected) in [(none, "JUDGE_UNABLE"), (relative, "SESSION_UNKNOWN"), (roleless, "FILE_WRITE_DENIED")]
    {
        let response = running.ask(&running.request("", append("a", "x"))).await;
        assert!(matches!(response.result, Some(Answer::Denied(_))), "{response:?}");
        assert_eq!(code(&response), expected);
        assert!(!running.root().join("a").exists());
        let kinds = running.verify().await;
        assert_eq!(["intent", "refused"].map(|kind| count(&kinds, kind)), [0, 1]);
    }
}

/// A table that is loaded again and again is freed when nothing uses it any more.
#[test]
fn trust_policy_a_table_that_is_reloaded_any_number_of_times_is_loaded() {
    let bytes = table(ALL);
    let resident_kib = || {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim_end_matches("kB").trim().parse::<usize>().unwrap()
    };
    let before = resident_kib();
    let padded = {
        let names = (0..2_000).map(|number| format!("\"long-name-{number}/**\"")).collect::<Vec<_>>().join(",\n");
        table(&format!("paths many = {names}\nrule many: allow coder to file.read where path in many"))
    };
    for _ in 0..2_000 {
        drop(LoadedPolicy::new(padded.clone(), Pin::Unpinned).unwrap());
        drop(LoadedPolicy::new(bytes.clone(), Pin::Unpinned).unwrap());
    }
    let grown = resident_kib().saturating_sub(before);
    assert!(grown < padded.len() / 1024 * 500, "{grown} KiB more, and a table has {} bytes", padded.len());
}
