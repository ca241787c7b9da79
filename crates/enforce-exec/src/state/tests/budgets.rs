//! Budgets: never more than their most, in any time that they are for.

use std::sync::Arc;

use super::support::{House, charged, finish, fresh, keyless};
use crate::state::{Begin, Begun, Charge, Finish, SessionId, Spent, State as _};
use table_format::Period;

fn calls(period: Period, most: u64) -> Charge {
    Charge { budget: "calls".to_owned(), period, most, amount: 1 }
}

async fn is_granted(house: &House, id: SessionId, charge: Charge) -> bool {
    match house.begin(charged(id, charge)).await {
        Begun::Fresh(act) => {
            act.finish(finish("done")).await.unwrap();
            true
        }
        Begun::OverBudget(_) => false,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_a_hundred_at_once_exactly_as_many_as_the_budget_grants_begin() {
    let house = Arc::new(House::new());
    let id = house.session().await;
    let tasks: Vec<_> = (0..100)
        .map(|_| {
            let house = Arc::clone(&house);
            tokio::spawn(async move { is_granted(&house, id, calls(Period::Session, 10)).await })
        })
        .collect();
    let mut granted = 0;
    for task in tasks {
        granted += usize::from(task.await.unwrap());
    }
    assert_eq!(granted, 10);
}

#[tokio::test]
async fn a_refusal_says_what_is_used_and_charges_nothing() {
    let house = House::new();
    let id = house.session().await;
    let tokens = |amount| Charge { budget: "tokens".to_owned(), period: Period::Session, most: 100, amount };
    assert!(is_granted(&house, id, tokens(60)).await);
    let begin = Begin { charges: vec![calls(Period::Session, 2), tokens(41)], ..keyless(id, "x") };
    let Begun::OverBudget(spent) = house.begin(begin).await else { panic!() };
    let expected = Spent { budget: "tokens".to_owned(), period: Period::Session, most: 100, used: 60, asked: 41 };
    assert_eq!(spent, expected);
    // Neither was charged, and there is no intent of it.
    assert!(is_granted(&house, id, calls(Period::Session, 1)).await);
    assert!(is_granted(&house, id, tokens(40)).await);
    assert!(!is_granted(&house, id, tokens(0)).await);
    assert_eq!(house.kinds(id.get()).iter().filter(|kind| **kind == "intent").count(), 3);
}

#[tokio::test]
async fn one_act_is_charged_twice_by_two_charges_of_one_budget() {
    let house = House::new();
    let id = house.session().await;
    let twice = |most| Begin { charges: vec![calls(Period::Day, most), calls(Period::Day, most)], ..keyless(id, "x") };
    assert!(matches!(house.begin(twice(1)).await, Begun::OverBudget(Spent { used: 1, .. })));
    fresh(house.begin(twice(2)).await).finish(finish("done")).await.unwrap();
    assert!(!is_granted(&house, id, calls(Period::Day, 2)).await);
}

#[tokio::test]
async fn a_budget_for_a_time_grants_again_when_that_time_is_over_and_not_before() {
    for (period, length_ms) in [(Period::Minute, 60_000), (Period::Hour, 3_600_000 - 60_000), (Period::Day, 0)] {
        let house = House::new();
        let id = house.session().await;
        assert!(is_granted(&house, id, calls(period, 1)).await);
        assert!(!is_granted(&house, id, calls(period, 1)).await);
        if period == Period::Minute {
            house.pass_ms(length_ms - 1);
            assert!(!is_granted(&house, id, calls(period, 1)).await, "any 60 seconds");
            // At the latest one slot behind it.
            house.pass_ms(1 + 1_000);
            assert!(is_granted(&house, id, calls(period, 1)).await);
        } else {
            house.pass_ms(length_ms);
            assert!(!is_granted(&house, id, calls(period, 1)).await, "{period:?}");
        }
    }
}

/// Whatever the moments, no minute has more than the most.
#[tokio::test]
async fn no_window_of_a_minute_ever_has_more_than_the_most() {
    let house = House::new();
    let id = house.session().await;
    let mut granted: Vec<u64> = Vec::new();
    for step in 0..200 {
        let now = house.now_ms.load(std::sync::atomic::Ordering::SeqCst);
        if is_granted(&house, id, calls(Period::Minute, 3)).await {
            granted.push(now);
        }
        house.pass_ms([1, 499, 1_000, 7_777, 20_000][step % 5]);
    }
    assert!(granted.len() > 10, "{granted:?}");
    for window in granted.windows(4) {
        assert!(window[3] - window[0] >= 60_000, "{window:?}");
    }
}

#[tokio::test]
async fn what_an_act_used_is_settled_after_it() {
    let house = House::new();
    let id = house.session().await;
    let tokens = |amount| Charge { budget: "tokens".to_owned(), period: Period::Session, most: 100, amount };
    let settled = |amount| Finish { settle: vec![("tokens".to_owned(), amount)], ..finish("done") };
    // Less than charged is given back.
    fresh(house.begin(charged(id, tokens(100))).await).finish(settled(30)).await.unwrap();
    assert!(matches!(house.begin(charged(id, tokens(71))).await, Begun::OverBudget(Spent { used: 30, .. })));
    // More than charged is charged too, even over the most.
    fresh(house.begin(charged(id, tokens(0))).await).finish(settled(500)).await.unwrap();
    assert!(matches!(house.begin(charged(id, tokens(1))).await, Begun::OverBudget(Spent { used: 530, .. })));
    let house = house.again().await;
    assert!(matches!(house.begin(charged(id, tokens(1))).await, Begun::OverBudget(Spent { used: 530, .. })));
}

#[tokio::test]
async fn an_interrupted_act_stays_charged() {
    let house = House::new();
    let id = house.session().await;
    drop(fresh(house.begin(charged(id, calls(Period::Session, 1))).await));
    let house = house.again().await;
    assert!(!is_granted(&house, id, calls(Period::Session, 1)).await);
}

#[tokio::test]
async fn amounts_beyond_all_bounds_are_refused_and_do_not_wrap() {
    let house = House::new();
    let id = house.session().await;
    let huge = |amount, most| Charge { budget: "huge".to_owned(), period: Period::Session, most, amount };
    fresh(house.begin(charged(id, huge(u64::MAX, u64::MAX))).await).finish(finish("done")).await.unwrap();
    assert!(!is_granted(&house, id, huge(u64::MAX, u64::MAX - 1)).await);
    assert!(!is_granted(&house, id, huge(1, 1_000)).await);
}

#[tokio::test]
async fn budgets_per_session_are_the_sessions_own() {
    let house = House::new();
    let (first, second) = (house.session().await, house.session().await);
    assert!(is_granted(&house, first, calls(Period::Session, 1)).await);
    assert!(is_granted(&house, second, calls(Period::Session, 1)).await);
    assert!(!is_granted(&house, second, calls(Period::Session, 1)).await);
    house.state.checkpoint().await.unwrap();
}

#[tokio::test]
async fn budgets_per_time_are_shared_and_a_new_session_has_nothing_anew() {
    for period in [Period::Minute, Period::Hour, Period::Day] {
        let house = House::new();
        let first = house.session().await;
        assert!(is_granted(&house, first, calls(period, 2)).await);
        house.state.end_session(first).await.unwrap();
        let house = house.again().await;
        let second = house.session().await;
        assert!(is_granted(&house, second, calls(period, 2)).await);
        assert!(!is_granted(&house, second, calls(period, 2)).await, "{period:?}");
        let other = Charge { budget: "others".to_owned(), ..calls(period, 1) };
        assert!(is_granted(&house, second, other).await);
    }
}
