//! Acts: done once, answered to everyone, and on the record from before to after.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::support::{House, finish, fresh, keyed, keyless, placed, refused};
use crate::ledger::{Digest, Ending, Event, metrics, timeline};
use crate::state::Ledger;
use crate::state::{
    ACTS_RUNNING_MAX, Begun, Finish, Settings, Settled, SqliteState, State as _, StateError, StoredResponse,
    TouchedPaths,
};
use crate::store::Placed;

#[tokio::test]
async fn trust_audit_intent_is_recorded_before_the_act_and_result_after_it() {
    let house = House::new();
    let id = house.session().await;
    let act = fresh(house.begin(keyless(id, "write")).await);
    assert_eq!(house.kinds(id.get()), ["session-created", "intent"]);
    let number = act.number();
    act.finish(finish("done")).await.unwrap();
    assert_eq!(house.kinds(id.get()), ["session-created", "intent", "result"]);
    assert_eq!(super::support::finished(&house.records()), [number]);
}

#[tokio::test]
async fn ctr_0003_a_repeat_gets_the_answer_and_runs_nothing() {
    let house = House::new();
    let id = house.session().await;
    fresh(house.begin(keyed(id, "k", "write")).await).finish(finish("done")).await.unwrap();
    let house = house.again().await;
    for _ in 0..2 {
        assert!(
            matches!(house.begin(keyed(id, "k", "write")).await, Begun::Repeat(answer) if answer == placed("done"))
        );
    }
    // In the record too, with the same answer.
    let records = house.records();
    let repeated: Vec<_> = records.iter().filter(|record| record.event.kind() == "repeated").collect();
    assert_eq!(repeated.len(), 2);
    assert!(
        matches!(&repeated[0].event, Event::Repeated(again) if again.response == Digest::of(b"done") && again.intent == 2)
    );
}

#[tokio::test]
async fn ctr_0003_an_answer_in_the_content_store_is_named_by_its_hash() {
    let house = House::new();
    let id = house.session().await;
    let stored = Placed::Stored(Digest::of(b"large"));
    let act = fresh(house.begin(keyed(id, "k", "write")).await);
    act.finish(Finish { response: StoredResponse::Replayable(stored.clone()), ..finish("") }).await.unwrap();
    assert!(matches!(house.begin(keyed(id, "k", "write")).await, Begun::Repeat(answer) if answer == stored));
}

/// Whoever says of an answer with a key that nobody needs it does not get the act done twice.
#[tokio::test]
async fn ctr_0003_an_answer_that_was_not_kept_is_not_there_for_repetitions_and_on_record_all_the_same() {
    let house = House::new();
    let id = house.session().await;
    let hash = Digest::of(b"answer");
    for begin in [keyless(id, "read"), keyed(id, "k", "read")] {
        fresh(house.begin(begin).await)
            .finish(Finish { response: StoredResponse::DigestOnly(hash), ..finish("") })
            .await
            .unwrap();
    }
    let again = house.begin(keyed(id, "k", "read")).await;
    assert!(matches!(again, Begun::Repeat(Placed::Stored(named)) if named == hash));
    let records = house.records();
    let results = records.iter().filter(|record| matches!(&record.event, Event::Result(it) if it.response == hash));
    assert_eq!(results.count(), 2);
}

#[tokio::test]
async fn ctr_0003_another_request_under_the_same_key_is_an_error() {
    let house = House::new();
    let id = house.session().await;
    let act = fresh(house.begin(keyed(id, "k", "write")).await);
    assert!(matches!(house.begin(keyed(id, "k", "other")).await, Begun::KeyReused));
    act.finish(finish("done")).await.unwrap();
    assert!(matches!(house.begin(keyed(id, "k", "other")).await, Begun::KeyReused));
    // A key is the session's own.
    let other = house.session().await;
    fresh(house.begin(keyed(other, "k", "other")).await).finish(finish("other")).await.unwrap();
    assert_eq!(house.kinds(id.get()), ["session-created", "intent", "result"]);
}

#[tokio::test]
async fn ctr_0029_an_answer_that_asks_to_come_back_is_not_the_answer_for_good() {
    let house = House::new();
    let id = house.session().await;
    let act = fresh(house.begin(keyed(id, "k", "x")).await);
    let Begun::Running(waiting) = house.begin(keyed(id, "k", "x")).await else { panic!() };
    act.finish(Finish { is_final: false, ..finish("later") }).await.unwrap();
    // Who waited for it is answered alike, and who comes back finds it undone, even as another request.
    assert_eq!(waiting.await.unwrap(), Settled::Repeat(placed("later")));
    let house = house.again().await;
    fresh(house.begin(keyed(id, "k", "y")).await).finish(finish("done")).await.unwrap();
    assert!(matches!(house.begin(keyed(id, "k", "y")).await, Begun::Repeat(answer) if answer == placed("done")));
    assert!(matches!(house.begin(keyed(id, "k", "x")).await, Begun::KeyReused));
    assert_eq!(house.kinds(id.get())[1..5], ["intent", "result", "repeated", "intent"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn ctr_0003_concurrent_duplicates_run_once_and_all_get_the_answer() {
    let house = Arc::new(House::new());
    let id = house.session().await;
    let ran = Arc::new(AtomicUsize::new(0));
    let tasks: Vec<_> = (0..64)
        .map(|_| {
            let (house, ran) = (Arc::clone(&house), Arc::clone(&ran));
            tokio::spawn(async move {
                match house.begin(keyed(id, "k", "write")).await {
                    Begun::Fresh(act) => {
                        ran.fetch_add(1, Ordering::SeqCst);
                        tokio::task::yield_now().await;
                        act.finish(finish("done")).await.unwrap();
                        placed("done")
                    }
                    Begun::Running(answer) => match answer.await.unwrap() {
                        Settled::Repeat(placed) => placed,
                        Settled::Interrupted => panic!("interrupted"),
                    },
                    Begun::Repeat(placed) => placed,
                    other => panic!("{other:?}"),
                }
            })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap(), placed("done"));
    }
    assert_eq!(ran.load(Ordering::SeqCst), 1);
    let kinds = house.kinds(id.get());
    let count = |wanted: &str| kinds.iter().filter(|kind| **kind == wanted).count();
    assert_eq!((count("intent"), count("result"), count("repeated")), (1, 1, 63));
}

#[tokio::test]
async fn ctr_0003_an_act_that_is_given_up_is_never_done_again() {
    let house = House::new();
    let id = house.session().await;
    let act = fresh(house.begin(keyed(id, "k", "write")).await);
    let Begun::Running(waiting) = house.begin(keyed(id, "k", "write")).await else { panic!() };
    drop(act);
    assert_eq!(waiting.await.unwrap(), Settled::Interrupted);
    assert!(matches!(house.begin(keyed(id, "k", "write")).await, Begun::Interrupted));
    assert_eq!(house.kinds(id.get()), ["session-created", "intent", "interrupted"]);
}

/// Where acts were interrupted is told until somebody has dealt with it.
#[tokio::test]
async fn ctr_0022_the_roots_of_interrupted_acts_are_told_before_that_is_on_record() {
    let house = House::new();
    let id = house.session().await;
    let act = fresh(house.begin(keyless(id, "write")).await);
    house.state.close().await.unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let open = |fails: bool| {
        let told = Arc::clone(&told);
        let tidy = move |roots: &BTreeSet<String>| {
            told.lock().unwrap().extend(roots.iter().cloned());
            assert!(!fails, "as if it were killed");
        };
        let settings = Settings { clock: Arc::new(|| 0), tidy: Arc::new(tidy), ..Settings::default() };
        SqliteState::open_with(&house.path(), settings).unwrap()
    };
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(open(true)))).is_err());
    for (interrupted, times) in [(1, 2), (0, 2)] {
        let (state, recovered) = open(false);
        assert_eq!(recovered.interrupted, interrupted);
        assert_eq!(*told.lock().unwrap(), vec!["/srv/project"; times]);
        state.close().await.unwrap();
    }
    drop(act);
}

#[tokio::test]
async fn ctr_0003_an_act_without_a_result_is_interrupted_at_the_next_start() {
    let house = House::new();
    let id = house.session().await;
    let act = fresh(house.begin(keyed(id, "k", "write")).await);
    let house = house.again().await;
    assert_eq!(act.finish(finish("late")).await, Err(StateError::Closed));
    assert!(matches!(house.begin(keyed(id, "k", "write")).await, Begun::Interrupted));
    assert!(matches!(house.begin(keyed(id, "k", "other")).await, Begun::KeyReused));
    assert_eq!(house.kinds(id.get()), ["session-created", "intent", "interrupted"]);
    let house = house.again().await;
    assert_eq!(house.kinds(id.get()), ["session-created", "intent", "interrupted"]);
}

#[tokio::test]
async fn a_call_is_made_whether_its_answer_is_waited_for_or_not() {
    let house = House::new();
    let id = house.session().await;
    drop(house.state.refuse(Some(id), refused("x")));
    let act = fresh(house.begin(keyless(id, "write")).await);
    drop(act.finish(finish("done")));
    // What nobody waits to be given was begun, and is interrupted.
    drop(house.state.begin(keyless(id, "write")));
    house.state.checkpoint().await.unwrap();
    house.state.checkpoint().await.unwrap();
    assert_eq!(house.kinds(id.get()), ["session-created", "refused", "intent", "result", "intent", "interrupted"]);
}

#[tokio::test]
async fn sdk_lifecycle_the_timeline_has_tool_arguments_start_and_end() {
    let house = House::new();
    let id = house.session().await;
    let act = fresh(house.begin(keyless(id, "one")).await);
    house.pass_ms(40);
    let running = fresh(house.begin(keyless(id, "two")).await);
    act.finish(Finish { ending: Ending::Failed, ..finish("no") }).await.unwrap();
    let chain = Ledger::open(&house.path()).unwrap().chain(id.get()).unwrap();
    let steps = timeline(&chain);
    assert_eq!(steps.len(), 2);
    assert_eq!((steps[0].tool.as_str(), steps[0].args_hash), ("file.write", Digest::of(b"one")));
    assert_eq!(steps[0].end_ms, Some(steps[0].start_ms + 40));
    assert_eq!((steps[0].ending, steps[1].ending, steps[1].end_ms), (Some(Ending::Failed), None, None));
    drop(running);
}

#[tokio::test]
async fn sdk_metrics_count_requests_errors_files_bytes_and_time_by_tool() {
    let house = House::new();
    let id = house.session().await;
    fresh(house.begin(keyed(id, "k", "one")).await).finish(finish("done")).await.unwrap();
    house.begin(keyed(id, "k", "one")).await;
    fresh(house.begin(keyless(id, "two")).await)
        .finish(Finish { ending: Ending::Failed, ..finish("no") })
        .await
        .unwrap();
    drop(fresh(house.begin(keyless(id, "three")).await));
    house.state.refuse(Some(id), refused("four")).await.unwrap();
    let tools = metrics(&Ledger::open(&house.path()).unwrap().chain(id.get()).unwrap());
    let write = tools.iter().next().unwrap();
    assert_eq!((tools.len(), write.0.as_str()), (1, "file.write"));
    let expected =
        crate::ledger::Metrics { requests: 5, refused: 1, errors: 2, duration_ms: 14, files: 2, bytes: 8_192 };
    assert_eq!(*write.1, expected);
}

#[tokio::test]
async fn an_act_may_be_finished_after_its_session_and_another_is_not_begun() {
    let house = House::new();
    let id = house.session().await;
    let act = fresh(house.begin(keyless(id, "write")).await);
    house.state.end_session(id).await.unwrap();
    act.finish(finish("done")).await.unwrap();
    assert_eq!(house.state.begin(keyless(id, "write")).await.unwrap_err(), StateError::UnknownSession);
    assert_eq!(house.kinds(id.get()), ["session-created", "intent", "session-ended", "result"]);
}

#[tokio::test]
async fn only_so_many_acts_run_at_once() {
    let house = House::new();
    let id = house.session().await;
    let answers: Vec<_> = (0..ACTS_RUNNING_MAX).map(|_| house.state.begin(keyless(id, "write"))).collect();
    let mut acts = Vec::new();
    for answer in answers {
        acts.push(fresh(answer.await.unwrap()));
    }
    assert!(house.state.begin(keyless(id, "write")).await.unwrap_err().retry_after_ms().is_some());
    acts.pop().unwrap().finish(finish("done")).await.unwrap();
    acts.push(fresh(house.begin(keyless(id, "write")).await));
}

#[tokio::test]
async fn trust_audit_what_an_act_came_upon_is_on_the_record_before_its_result() {
    let house = House::new();
    let id = house.session().await;
    let mut reached = TouchedPaths::default();
    let paths = crate::ledger::TARGETS_MAX + 3;
    for number in 0..paths {
        reached.add(format!("f{number}").as_bytes());
        reached.add(b"f0");
    }
    fresh(house.begin(keyless(id, "patch")).await).finish(Finish { reached, ..finish("done") }).await.unwrap();
    let records = house.records();
    let acts = records.iter().filter_map(|record| match &record.event {
        Event::Reached(act) => Some(act),
        _ => None,
    });
    let [act] = acts.collect::<Vec<_>>()[..] else { panic!() };
    assert_eq!((act.intent, act.paths.len(), act.paths[1].as_str()), (2, crate::ledger::TARGETS_MAX, "f1"));
    // What has no place is counted, and nobody knows any more whether it was there before.
    assert_eq!(act.more, 7);
    assert_eq!(house.kinds(id.get()), ["session-created", "intent", "reached", "result"]);
}
