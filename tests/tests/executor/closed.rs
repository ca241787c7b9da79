//! Whatever is wrong with a policy is a denial: it is not loaded, or nothing is allowed by it.

use std::fs;

use enforce_exec::ledger::{Event, Ledger};
use enforce_exec::state::NewSession;
use enforce_exec::{CreateError, Executor, LoadError, Loaded, SessionError};
use table_format::{Digest, OpenError, Pin};
use tool_wire::proto::tool_response::Result as Answer;

use crate::support::{ALL, Running, append, ask, code, count, granted, kinds, loaded, message, open, read, run, table};

#[test]
fn trust_fail_closed_a_table_that_is_damaged_anywhere_is_not_loaded() {
    let whole = table(ALL);
    assert!(Loaded::new(whole.clone(), Pin::Unpinned).is_ok());
    for place in 0..whole.len() {
        for flip in [0x01, 0x80] {
            let mut bytes = whole.clone();
            bytes[place] ^= flip;
            assert!(Loaded::new(bytes, Pin::Unpinned).is_err(), "byte {place}");
        }
    }
    for length in 0..whole.len() {
        assert!(Loaded::new(whole[..length].to_vec(), Pin::Unpinned).is_err(), "{length} bytes");
    }
    assert!(Loaded::new([whole, vec![0]].concat(), Pin::Unpinned).is_err(), "a byte too many");
}

#[test]
fn trust_fail_closed_another_table_than_the_pinned_one_is_not_loaded() {
    let (one, other) = (table(ALL), table("rule read: allow coder to file.read"));
    let digest = loaded(ALL).digest();
    assert!(Loaded::new(one.clone(), Pin::Exactly(digest)).is_ok());
    let refused = Loaded::new(other, Pin::Exactly(digest)).unwrap_err();
    assert_eq!(refused, LoadError::Table(OpenError::NotThePinned));
    assert!(Loaded::new(one, Pin::Exactly(Digest([7; 32]))).is_err());
}

#[test]
fn trust_fail_closed_a_table_of_another_version_is_not_loaded() {
    let whole = table(ALL);
    let mut versions = 0;
    // Wherever the version stands: a table that says another one is refused as such, not as a damaged one.
    for place in 0..64 {
        let mut bytes = whole.clone();
        bytes[place] = bytes[place].wrapping_add(1);
        match Loaded::new(bytes, Pin::Unpinned) {
            Err(LoadError::Table(OpenError::FormatVersion { .. } | OpenError::LanguageVersion { .. })) => versions += 1,
            other => assert!(other.is_err(), "byte {place}"),
        }
    }
    assert!(versions >= 2, "{versions}");
}

#[tokio::test(flavor = "multi_thread")]
async fn trust_fail_closed_no_session_is_begun_with_a_policy_or_a_role_that_is_not_there() {
    let running = Running::new(ALL).await;
    let fine = granted(&running.root(), loaded(ALL));
    let table = NewSession { tables: vec![enforce_exec::ledger::Digest::from([7; 32])], ..fine.clone() };
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
async fn trust_fail_closed_a_session_whose_table_is_gone_is_denied_everything_on_the_record() {
    let running = Running::new(ALL).await;
    assert_eq!(code(&running.ask(&running.request("", append("a", "x"))).await), "DONE");
    running.executor.close().await.unwrap();
    // The next start has another policy, which would allow as much.
    let other = loaded(&format!("{ALL}\nrule more: allow anyone to proc.list"));
    let executor = Executor::new(open(&running.root(), &running.state(), other).0);
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
    let note = |record: enforce_exec::ledger::Record, _| {
        if matches!(record.event, Event::Refused(_)) {
            chains.push(record.chain);
        }
    };
    Ledger::open(&running.state()).unwrap().each(note).unwrap();
    assert_eq!(chains, [1; 4], "each is on record in its session");
    // With its table it goes on.
    let executor = Executor::new(open(&running.root(), &running.state(), loaded(ALL)).0);
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
