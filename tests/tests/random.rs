//! Random policies and requests: all judges give the same answers, and the run reaches everything.
//!
//! `AGREEMENT_SEED` and `AGREEMENT_PAIRS` choose another run; a failure prints its seed.

#![expect(clippy::panic, reason = "what goes wrong in a test has to end it")]

use policy_syntax::Effect;
use tests::{Campaign, seats};

#[test]
fn all_judges_agree_on_random_policies_and_requests() {
    let seed = setting("AGREEMENT_SEED", SEED);
    let pairs = setting("AGREEMENT_PAIRS", PAIRS);
    let policies = u32::try_from(pairs / REQUESTS_EACH).unwrap().max(1);
    let campaign = Campaign { seed, policies, requests_each: usize::try_from(REQUESTS_EACH).unwrap() };
    println!("AGREEMENT_SEED={seed} AGREEMENT_PAIRS={pairs}");

    let report = match campaign.run(&seats()) {
        Ok(report) => report,
        Err(found) => panic!("{found}"),
    };
    println!("{report}");

    let rejected_percent = report.rejected as f64 * 100.0 / f64::from(policies);
    assert!(rejected_percent < 2.0, "{rejected_percent:.1} % of the policies are none: {:#?}", report.errors);
    for (judge, (count, reason)) in &report.refused {
        assert!(count * 1_000 <= report.accepted, "{judge} cannot be made for {count} policies: {reason}");
    }
    for effect in [Effect::Allow, Effect::Ask, Effect::Deny] {
        assert!(report.tally.percent(effect) > 15.0, "too few to {}: {}", effect.as_str(), report.tally);
    }
    if pairs >= PAIRS {
        assert_eq!(report.tally.missing(), Vec::<String>::new());
    }
}

fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is not a number: {text}")),
        Err(_) => default,
    }
}

const SEED: u64 = 1;
const PAIRS: u64 = 1_000_000;
const REQUESTS_EACH: u64 = 250;
