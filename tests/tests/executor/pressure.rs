//! Too much at once: who comes then is told when to come back, others go on, and nothing is counted wrong afterwards.

use std::sync::Arc;

use enforce_exec::{ACTS_PER_SESSION_MAX, ConcurrencyLimits};
use exec_record::{Event, Ledger, Record};
use tokio::task::JoinHandle;
use tool_proto::ToolResponse;
use tool_proto::tool_request::Tool;
use tool_proto::tool_response::Result as Answer;

use crate::support::{ALL, Running, append, ask, code, count, granted, loaded, message, read, request, run, seen};

/// A request of a session that is under way until somebody ends it.
fn sleeping(running: &Arc<Running>, token: &str) -> JoinHandle<ToolResponse> {
    let (running, request) = (Arc::clone(running), request(token, "", run("sleep 60")));
    tokio::spawn(async move { running.ask(&request).await })
}

async fn begun(running: &Running, acts: usize) {
    while count(&seen(&running.state()), "intent") < acts {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

/// A further session under the same policy.
async fn another(running: &Running) -> String {
    let session = granted(&running.root(), &loaded(ALL));
    running.executor.create_session(session).await.unwrap().1.reveal()
}

async fn asked(running: &Running, token: &str, tool: Tool) -> ToolResponse {
    ask(&running.executor, &request(token, "", tool)).await
}

/// What passes by itself, and says when.
fn busy(response: &ToolResponse) -> String {
    let Some(Answer::Error(error)) = &response.result else { panic!("{response:?}") };
    assert_eq!((error.error_code.as_str(), error.retryable), ("BUSY", true), "{error:?}");
    assert!(error.retry_after_ms > 0, "{error:?}");
    error.message.clone()
}

/// Ends what sleeps, each of which is answered once.
async fn ended(running: &Running, sleeping: Vec<JoinHandle<ToolResponse>>) -> Vec<&'static str> {
    running.executor.stop();
    for act in sleeping {
        assert_eq!(code(&act.await.unwrap()), "CANCELLED");
    }
    running.verify().await
}

#[tokio::test(flavor = "multi_thread")]
async fn ctr_0029_ctr_0030_a_session_with_all_its_acts_under_way_has_to_wait_and_others_do_not() {
    let running = Arc::new(Running::new(ALL).await);
    let acts: Vec<_> = (0..ACTS_PER_SESSION_MAX).map(|_| sleeping(&running, &running.token)).collect();
    begun(&running, ACTS_PER_SESSION_MAX).await;
    for _ in 0..3 {
        let response = asked(&running, &running.token, append("a", "x")).await;
        assert_eq!(busy(&response), "too many acts are running");
    }
    // What is denied needs no turn.
    let denied = asked(&running, &running.token, append("../a", "x")).await;
    assert_eq!(code(&denied), "VALIDATION_FAILED");
    let other = another(&running).await;
    assert_eq!(code(&asked(&running, &other, append("b", "x")).await), "DONE");
    assert!(!running.root().join("a").exists());
    let kinds = ended(&running, acts).await;
    let counts = ["intent", "result", "refused"].map(|kind| count(&kinds, kind));
    assert_eq!(counts, [ACTS_PER_SESSION_MAX + 1, ACTS_PER_SESSION_MAX + 1, 4]);
}

#[tokio::test(flavor = "multi_thread")]
async fn ctr_0029_a_turn_is_given_back_when_its_act_is_over() {
    let running =
        Running::with_limits(ALL, ConcurrencyLimits { acts: 1, acts_per_session: 1, ..ConcurrencyLimits::default() })
            .await;
    for tool in [append("a", "x"), read("missing"), run("false"), run("nothing-of-this-name"), append("a", "x")] {
        let response = asked(&running, &running.token, tool).await;
        assert_ne!(code(&response), "BUSY", "{response:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ctr_0029_ctr_0030_where_all_acts_are_under_way_every_session_has_to_wait() {
    let running = Arc::new(
        Running::with_limits(ALL, ConcurrencyLimits { acts: 3, acts_per_session: 2, ..ConcurrencyLimits::default() })
            .await,
    );
    let other = another(&running).await;
    let mut acts = vec![sleeping(&running, &running.token), sleeping(&running, &running.token)];
    begun(&running, 2).await;
    busy(&asked(&running, &running.token, read("a")).await);
    acts.push(sleeping(&running, &other));
    begun(&running, 3).await;
    // The other session has a turn of its own left, but nobody else has.
    assert_eq!(busy(&asked(&running, &other, read("a")).await), "too many acts are running");
    assert_eq!(count(&ended(&running, acts).await, "refused"), 2);
}

/// What comes then is not even judged, and nothing is on record of it but how many those were.
#[tokio::test(flavor = "multi_thread")]
async fn ctr_0029_ctr_0030_where_all_requests_are_under_way_every_further_one_has_to_wait() {
    let running =
        Arc::new(Running::with_limits(ALL, ConcurrencyLimits { requests: 2, ..ConcurrencyLimits::default() }).await);
    let acts = vec![sleeping(&running, &running.token), sleeping(&running, &running.token)];
    begun(&running, 2).await;
    let other = another(&running).await;
    for (token, tool) in [(&running.token, read("a")), (&other, append("a", "x")), (&other, append("../a", "x"))] {
        assert_eq!(busy(&asked(&running, token, tool).await), "too many requests are running");
    }
    let kinds = ended(&running, acts).await;
    assert_eq!(["intent", "result", "refused", "turned-away"].map(|kind| count(&kinds, kind)), [2, 2, 0, 1]);
    let mut turned_away = Vec::new();
    let note = |record: Record, _| {
        if let Event::TurnedAway(away) = record.event {
            turned_away.push(away.requests);
        }
    };
    Ledger::open(&running.state()).unwrap().each(note).unwrap();
    assert_eq!(turned_away, [3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn ctr_0029_ctr_0030_where_all_sessions_act_a_further_one_has_to_wait() {
    let running =
        Arc::new(Running::with_limits(ALL, ConcurrencyLimits { sessions: 1, ..ConcurrencyLimits::default() }).await);
    let acts = vec![sleeping(&running, &running.token)];
    begun(&running, 1).await;
    let other = another(&running).await;
    assert_eq!(busy(&asked(&running, &other, read("a")).await), "too many sessions are running");
    let kinds = ended(&running, acts).await;
    assert_eq!(count(&kinds, "refused"), 1);
}

/// However many sessions come meanwhile, one does not get more turns than it has.
#[tokio::test(flavor = "multi_thread")]
async fn sessions_that_come_and_go_change_nothing_about_the_acts_of_another() {
    let room = ConcurrencyLimits { sessions: 2, acts_per_session: 1, ..ConcurrencyLimits::default() };
    let running = Arc::new(Running::with_limits(ALL, room).await);
    let acts = vec![sleeping(&running, &running.token)];
    begun(&running, 1).await;
    for _ in 0..4 {
        let other = another(&running).await;
        assert_eq!(code(&asked(&running, &other, append("a", "x")).await), "DONE");
        let response = asked(&running, &running.token, append("b", "x")).await;
        assert_eq!(busy(&response), "too many acts are running", "{}", message(&response));
    }
    ended(&running, acts).await;
}
