//! Whatever runtime it is asked on, whoever stops waiting, and however long it takes: one response, one record.

use std::future::Future as _;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use prost::Message as _;
use tokio::runtime::Builder;
use tool_proto::ShellExec;
use tool_proto::tool_request::Tool;

use crate::support::{ALL, Running, append, code, count, read, run, seen};

#[test]
fn ctr_0022_a_runtime_of_one_thread_is_as_good_as_one_of_many() {
    let runtimes = [
        Builder::new_current_thread().build().unwrap(),
        Builder::new_current_thread().enable_all().build().unwrap(),
        Builder::new_multi_thread().worker_threads(1).build().unwrap(),
        Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap(),
    ];
    for runtime in runtimes {
        runtime.block_on(async {
            let running = Running::new(ALL).await;
            let requests = [
                running.request("", append("a", "x")),
                running.request("k", append("b", "x")),
                running.request("k", append("b", "x")),
                running.request("", run("echo said")),
                running.request("", append("c", &"x".repeat(2 << 20))),
            ];
            let answers: Vec<_> = requests
                .iter()
                .map(|request| {
                    let (executor, bytes) = (running.executor.clone(), request.encode_to_vec());
                    tokio::spawn(async move { executor.handle(bytes).await })
                })
                .collect();
            for answer in answers {
                let response = answer.await.unwrap().into_message();
                assert_eq!(code(&response), "DONE", "{response:?}");
            }
            // A result that goes to the store.
            assert_eq!(code(&running.ask(&running.request("", read("c"))).await), "DONE");
            let kinds = running.verify().await;
            assert_eq!(["intent", "result", "repeated"].map(|kind| count(&kinds, kind)), [5, 5, 1], "{kinds:?}");
        });
    }
}

#[test]
fn ctr_0022_outside_of_a_runtime_there_is_a_response_and_no_act() {
    let runtime = Builder::new_multi_thread().build().unwrap();
    let running = runtime.block_on(Running::new(ALL));
    let mut asked = pin!(running.executor.handle(running.request("", append("a", "x")).encode_to_vec()));
    let Poll::Ready(response) = asked.as_mut().poll(&mut Context::from_waker(Waker::noop())) else { panic!() };
    let response = response.into_message();
    assert_eq!((code(&response), response.request_id.as_str()), ("INTERNAL", "r"));
    assert!(!running.root().join("a").exists());
    assert_eq!(count(&runtime.block_on(running.verify()), "intent"), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn ctr_0022_an_act_that_nobody_waits_for_any_more_is_ended_and_on_the_record() {
    let running = Running::new(ALL).await;
    let bytes = running.request("k", run("sleep 1")).encode_to_vec();
    {
        let mut asked = pin!(running.executor.handle(bytes));
        while count(&seen(&running.state()), "intent") == 0 {
            tokio::select! {
                biased;
                _ = &mut asked => panic!("it sleeps"),
                () = tokio::time::sleep(Duration::from_millis(5)) => {}
            }
        }
    }
    // Whoever asks the same gets what it came to.
    assert_eq!(code(&running.ask(&running.request("k", run("sleep 1"))).await), "DONE");
    let kinds = running.verify().await;
    assert_eq!(["intent", "result", "repeated"].map(|kind| count(&kinds, kind)), [1, 1, 1], "{kinds:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ctr_0022_a_request_that_nobody_ever_waited_for_does_nothing() {
    let running = Running::new(ALL).await;
    drop(running.executor.handle(running.request("", append("a", "x")).encode_to_vec()));
    assert_eq!(count(&running.verify().await, "intent"), 0);
    assert!(!running.root().join("a").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn ctr_0022_what_takes_too_long_has_one_response_and_one_record() {
    let running = Running::new(ALL).await;
    let slow = ShellExec { command: "sleep 60".to_owned(), timeout_ms: 200, ..ShellExec::default() };
    let response = running.ask(&running.request("", Tool::ShellExec(slow))).await;
    let kinds = running.verify().await;
    assert_eq!(["intent", "result"].map(|kind| count(&kinds, kind)), [1, 1], "{response:?} {kinds:?}");
}

#[test]
fn ctr_0022_a_runtime_that_ends_under_a_request_leaves_a_response_and_an_end_on_the_record() {
    let outer = Builder::new_multi_thread().enable_all().build().unwrap();
    let inner = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let running = outer.block_on(Running::new(ALL));
    let (executor, bytes) = (running.executor.clone(), running.request("", run("sleep 1")).encode_to_vec());
    let asked = inner.spawn(async move { executor.handle(bytes).await });
    while count(&seen(&running.state()), "intent") == 0 {
        std::thread::yield_now();
    }
    inner.shutdown_background();
    assert!(outer.block_on(asked).is_err(), "who asked has ended with the runtime");
    let kinds = outer.block_on(running.verify());
    assert_eq!(count(&kinds, "result") + count(&kinds, "interrupted"), 1, "{kinds:?}");
}

/// A caller that stops polling after any number of steps: the act has not begun, or it runs to its end; never half of it.
#[tokio::test(flavor = "multi_thread")]
async fn ctr_0022_a_caller_that_drops_the_request_at_any_await_leaves_all_of_it_or_nothing() {
    let running = Running::new(ALL).await;
    let mut requests = 0;
    for polls in 0.. {
        let append = append(&format!("a{polls}"), "x");
        let mut asked = Box::pin(running.executor.handle(running.request("", append).encode_to_vec()));
        requests += 1;
        let mut is_answered = false;
        for _ in 0..polls {
            // Long enough for whatever the last poll is waiting for.
            tokio::time::sleep(Duration::from_millis(20)).await;
            is_answered = asked.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready();
        }
        if is_answered {
            break;
        }
    }
    let kinds = running.verify().await;
    let begun = count(&kinds, "intent");
    assert!(begun > 0 && begun < requests, "{begun} of {requests}");
    assert_eq!(["result", "interrupted"].map(|kind| count(&kinds, kind)), [begun, 0], "{kinds:?}");
    assert_eq!(std::fs::read_dir(running.root()).unwrap().count(), begun);
}
