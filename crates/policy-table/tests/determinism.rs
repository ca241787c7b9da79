//! The same sources give the same bytes, however they lie in memory and whatever they are called.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on should stop")]

use std::path::Path;

use policy_model::{CheckOptions, Checked, Memory, check, check_in};
use policy_table::freeze;
use proptest::prelude::*;

fn generated(rules: usize, seed: u64) -> Checked {
    let files = xtask::generate::policy(rules, seed);
    let memory = files.iter().fold(Memory::default(), |memory, (name, text)| memory.with(name, text.as_str()));
    check_in(&memory, Path::new("main.policy"), CheckOptions::default())
}

fn examples() -> Vec<Checked> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../policies/examples");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| check(path, CheckOptions::default())).collect()
}

#[test]
fn freezing_twice_gives_the_same_bytes() {
    let mut policies = examples();
    assert!(policies.len() >= 5);
    policies.push(generated(300, 7));
    for checked in policies {
        let model = checked.model.expect("the policy is right");
        let frozen = freeze(&model, &checked.sources).unwrap();
        assert_eq!(freeze(&model, &checked.sources).unwrap(), frozen);
    }
}

#[test]
fn checking_again_gives_the_same_bytes() {
    for seed in 0..4 {
        let (one, other) = (generated(120, seed), generated(120, seed));
        let one = freeze(&one.model.unwrap(), &one.sources).unwrap();
        assert_eq!(freeze(&other.model.unwrap(), &other.sources).unwrap(), one);
    }
}

#[test]
fn another_policy_gives_other_bytes() {
    let (one, other) = (generated(120, 1), generated(120, 2));
    let one = freeze(&one.model.unwrap(), &one.sources).unwrap();
    assert_ne!(freeze(&other.model.unwrap(), &other.sources).unwrap().digest, one.digest);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn rules_may_lie_in_memory_in_any_order(seed in 0_u64..1_000, rules in 1_usize..60, turns in 1_usize..200) {
        let checked = generated(rules, seed);
        let mut model = checked.model.expect("the policy is right");
        let frozen = freeze(&model, &checked.sources).unwrap();
        let mut dice = fastrand::Rng::with_seed(seed);
        for _ in 0..turns {
            let (one, other) = (dice.usize(..model.rules.len()), dice.usize(..model.rules.len()));
            model.rules.swap(one, other);
        }
        prop_assert_eq!(freeze(&model, &checked.sources).unwrap(), frozen);
    }
}
