//! Budgets: never more than their most, in any time that they are for.

use std::sync::Arc;

use super::support::{House, charged, finish, fresh, keyless};
use crate::state::{Act, Begin, Begun, Charge, Claim, Finish, Granted, RetryHint, SessionId, Spent, State as _};
use table_format::Period;

fn calls(period: Period, most: u64) -> Charge {
    Charge { budget: "calls".to_owned(), period, most, amount: 1, claim: Claim::Spend }
}

/// Of a budget of a hundred.
fn tokens(amount: u64, claim: Claim) -> Charge {
    Charge { budget: "tokens".to_owned(), period: Period::Session, most: 100, amount, claim }
}

fn using(amount: u64) -> Finish {
    Finish { settle: vec![(0, amount)], ..finish("done") }
}

async fn begun(house: &House, id: SessionId, charge: Charge) -> Act {
    fresh(house.begin(charged(id, charge)).await)
}

async fn spent(house: &House, id: SessionId, charge: Charge) -> Spent {
    match house.begin(charged(id, charge)).await {
        Begun::OverBudget(spent) => spent,
        other => panic!("{other:?}"),
    }
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
    let tokens = |amount| tokens(amount, Claim::Spend);
    assert!(is_granted(&house, id, tokens(60)).await);
    let begin = Begin { charges: vec![calls(Period::Session, 2), tokens(41)], ..keyless(id, "x") };
    let Begun::OverBudget(spent) = house.begin(begin).await else { panic!() };
    let (budget, enough) = ("tokens".to_owned(), RetryHint::Never);
    assert_eq!(spent, Spent { budget, period: Period::Session, most: 100, used: 60, asked: 41, enough });
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
    // Less than charged is given back.
    begun(&house, id, tokens(100, Claim::Hold)).await.finish(using(30)).await.unwrap();
    assert_eq!(spent(&house, id, tokens(71, Claim::Spend)).await.used, 30);
    // More than charged is charged too, even over the most.
    begun(&house, id, tokens(0, Claim::Hold)).await.finish(using(500)).await.unwrap();
    assert_eq!(spent(&house, id, tokens(1, Claim::Spend)).await.used, 530);
    let house = house.again().await;
    assert_eq!(spent(&house, id, tokens(1, Claim::Spend)).await.used, 530);
}

#[tokio::test]
async fn what_is_left_is_held_as_a_whole_and_given_back_but_for_what_was_used() {
    let house = House::new();
    let id = house.session().await;
    let first = begun(&house, id, tokens(60, Claim::HoldLeft)).await;
    assert_eq!(first.granted(), [Granted { amount: 60, used: 0, held: 0 }]);
    let second = begun(&house, id, tokens(60, Claim::HoldLeft)).await;
    assert_eq!(second.granted(), [Granted { amount: 40, used: 60, held: 60 }]);
    // Nothing is left, but may be again.
    let none = spent(&house, id, tokens(60, Claim::HoldLeft)).await;
    assert_eq!((none.used, none.asked, none.enough), (100, 1, RetryHint::WhenGivenBack));
    assert_eq!(spent(&house, id, tokens(101, Claim::Hold)).await.enough, RetryHint::Never);
    first.finish(using(10)).await.unwrap();
    assert_eq!(begun(&house, id, tokens(60, Claim::HoldLeft)).await.granted()[0].amount, 50);
    second.finish(using(40)).await.unwrap();
    // The one above was dropped, and stays charged: nobody knows what it used.
    assert_eq!(spent(&house, id, tokens(1, Claim::HoldLeft)).await.enough, RetryHint::Never);
}

/// Each takes what it can get and uses all of it, in whatever order they end.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn acts_at_once_never_use_more_together_than_the_most() {
    let house = Arc::new(House::new());
    let id = house.session().await;
    let tasks: Vec<_> = (0..64)
        .map(|number| {
            let house = Arc::clone(&house);
            tokio::spawn(async move {
                match house.begin(charged(id, tokens(30, Claim::HoldLeft))).await {
                    Begun::Fresh(act) => {
                        let used = act.granted()[0].amount.saturating_sub(number % 3);
                        act.finish(using(used)).await.unwrap();
                        used
                    }
                    Begun::OverBudget(_) => 0,
                    other => panic!("{other:?}"),
                }
            })
        })
        .collect();
    let mut used = 0;
    for task in tasks {
        used += task.await.unwrap();
    }
    assert!((90..=100).contains(&used), "{used}");
    assert_eq!(spent(&house, id, tokens(101, Claim::Spend)).await.used, used);
}

#[tokio::test]
async fn what_an_interrupted_act_held_stays_charged() {
    let house = House::new();
    let id = house.session().await;
    drop(begun(&house, id, tokens(30, Claim::HoldLeft)).await);
    let act = begun(&house, id, tokens(30, Claim::Hold)).await;
    // As a program that ends under it.
    house.state.close().await.unwrap();
    drop(act);
    let house = house.again_closed();
    let none = spent(&house, id, tokens(41, Claim::Spend)).await;
    assert_eq!((none.used, none.enough), (60, RetryHint::Never));
}

#[tokio::test]
async fn ctr_0030_a_budget_for_a_time_says_when_it_has_enough_again_and_has_it_then_and_not_before() {
    for (period, length_ms) in [(Period::Minute, 60_000), (Period::Hour, 3_600_000), (Period::Day, 86_400_000)] {
        let house = House::new();
        let id = house.lasting_session().await;
        let of = |amount| Charge { period, ..tokens(amount, Claim::Spend) };
        house.pass_ms(17);
        assert!(is_granted(&house, id, of(40)).await);
        house.pass_ms(length_ms / 2);
        assert!(is_granted(&house, id, of(60)).await);
        house.pass_ms(5);
        // The first has to lie behind for the one, both for the other.
        for (asked, has_both) in [(40, false), (41, true)] {
            let RetryHint::After { ms } = spent(&house, id, of(asked)).await.enough else { panic!() };
            let (least, slot) = (if has_both { length_ms - 5 } else { length_ms / 2 - 5 }, length_ms / 60);
            assert!((least..=least + slot).contains(&ms), "{period:?} {asked}: {ms}");
            let house = house.copy().await;
            house.pass_ms(ms - 1);
            assert_eq!(spent(&house, id, of(asked)).await.enough, RetryHint::After { ms: 1 });
            house.pass_ms(1);
            assert!(is_granted(&house, id, of(asked)).await, "{period:?} {asked}");
        }
        assert_eq!(spent(&house, id, of(101)).await.enough, RetryHint::Never);
    }
}

#[tokio::test]
async fn what_an_act_holds_counts_as_long_as_it_lasts_and_what_it_used_from_its_end_on() {
    let house = House::new();
    let id = house.session().await;
    let of = |amount, claim| Charge { period: Period::Minute, ..tokens(amount, claim) };
    let long = begun(&house, id, of(80, Claim::Hold)).await;
    house.pass_ms(300_000);
    let none = spent(&house, id, of(21, Claim::Hold)).await;
    assert_eq!((none.used, none.enough), (80, RetryHint::WhenGivenBack));
    long.finish(using(70)).await.unwrap();
    house.pass_ms(59_000);
    let RetryHint::After { ms } = spent(&house, id, of(31, Claim::Hold)).await.enough else { panic!() };
    house.pass_ms(ms);
    assert!(is_granted(&house, id, of(100, Claim::Spend)).await);
}

#[tokio::test]
async fn two_charges_of_one_name_are_settled_each_by_itself() {
    let house = House::new();
    let id = house.session().await;
    let charges =
        vec![calls(Period::Session, 100), Charge { budget: "calls".to_owned(), ..tokens(50, Claim::HoldLeft) }];
    let act = fresh(house.begin(Begin { charges, ..keyless(id, "x") }).await);
    assert_eq!(act.granted()[1], Granted { amount: 50, used: 1, held: 0 });
    act.finish(Finish { settle: vec![(1, 20)], ..finish("done") }).await.unwrap();
    assert_eq!(spent(&house, id, Charge { amount: 80, ..calls(Period::Session, 100) }).await.used, 21);
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
    let huge = |amount, most| Charge { most, ..tokens(amount, Claim::Spend) };
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
