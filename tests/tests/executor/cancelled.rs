//! One request is called off: it has its one response, and what else runs does not notice.

use std::fs;
use std::sync::Arc;

use exec_record::{Event, Ledger};
use tool_proto::ShellExec;
use tool_proto::ToolRequest;
use tool_proto::tool_request::Tool;

use crate::support::{ALL, Running, code, count, granted, loaded, message};

#[tokio::test(flavor = "multi_thread")]
async fn ctr_0022_one_of_two_that_run_is_cancelled_and_both_are_answered_once() {
    let running = Arc::new(Running::new(ALL).await);
    let ask = |request_id: &str, command: &str| {
        // Time enough, and an end for a test that fails.
        let exec = ShellExec { command: command.to_owned(), timeout_ms: 60_000, ..ShellExec::default() };
        let request = running.request("", Tool::ShellExec(exec));
        let request = ToolRequest { request_id: request_id.to_owned(), ..request };
        let running = Arc::clone(&running);
        tokio::spawn(async move { running.ask(&request).await })
    };
    let stranger = running.executor.create_session(granted(&running.root(), &loaded(ALL)));
    let stranger = stranger.await.unwrap().1.reveal();
    let cancel = async |token: &str, request_id: &str| running.executor.cancel(token, request_id).await.unwrap();
    assert!(!cancel(&running.token, "one").await, "nothing was begun");
    let sleeping = ask("one", "touch one; sleep 600");
    let waiting = ask("other", "touch other; sh -c 'until test -e go; do sleep 0.01; done'; touch went-on");
    let is_there = |name: &str| running.root().join(name).exists();
    while !is_there("one") || !is_there("other") {
        tokio::task::yield_now().await;
    }
    // Not of another session, not by another name.
    assert!(!cancel(&stranger, "one").await && !cancel("unknown", "one").await && !cancel(&running.token, "on").await);
    assert!(!sleeping.is_finished());
    assert!(cancel(&running.token, "one").await);
    let response = sleeping.await.unwrap();
    assert_eq!((response.request_id.as_str(), code(&response)), ("one", "CANCELLED"));
    assert_eq!(message(&response), "killed because it was cancelled");
    assert!(!waiting.is_finished() && !is_there("went-on"));
    fs::write(running.root().join("go"), "").unwrap();
    let response = waiting.await.unwrap();
    assert_eq!((response.request_id.as_str(), code(&response)), ("other", "DONE"));
    assert!(is_there("went-on"));
    assert!(!cancel(&running.token, "one").await && !cancel(&running.token, "other").await, "both are over");
    let kinds = running.verify().await;
    assert_eq!((count(&kinds, "intent"), count(&kinds, "result")), (2, 2), "{kinds:?}");
    let mut codes = Vec::new();
    let mut note = |event| {
        if let Event::Result(outcome) = event {
            codes.push(outcome.code.as_str().to_owned());
        }
    };
    Ledger::open(&running.state()).unwrap().each(|record, _| note(record.event)).unwrap();
    assert_eq!(codes, ["CANCELLED", "DONE"]);
}
