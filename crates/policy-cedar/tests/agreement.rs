//! Cedar and the reference evaluator answer alike, for every policy in the tree.

#![cfg(test)]

mod support;

use std::collections::BTreeMap;

use policy_cedar::CedarJudge;
use policy_model::catalogue::DEFAULT_DENY;
use policy_syntax::Effect;
use support::dice::Dice;
use support::{assert_agreement, assert_approval, shipped};

#[test]
fn the_facts_of_every_test_statement_are_answered_alike() {
    let mut asked = 0;
    for (_, model) in shipped() {
        let judge = CedarJudge::new(&model).unwrap();
        for test in &model.tests {
            let answer = assert_agreement(&model, &judge, &test.request);
            assert_approval(&judge, &test.request, answer.verdict);
            asked += 1;
        }
    }
    assert!(asked > 300, "{asked}");
}

#[test]
fn random_requests_are_answered_alike_and_most_rules_decide_one() {
    let (mut rules, mut deciding) = (0, 0);
    for (seed, (name, model)) in (1..).zip(shipped()) {
        let judge = CedarJudge::new(&model).unwrap();
        let mut dice = Dice::new(&model, seed);
        let mut by_rule: BTreeMap<String, usize> = BTreeMap::new();
        for number in 0..REQUESTS {
            let request = dice.request(&model);
            let answer = assert_agreement(&model, &judge, &request);
            // Every policy is tried for this, so not every request is.
            if answer.verdict == Effect::Ask || number % 16 == 0 {
                assert_approval(&judge, &request, answer.verdict);
            }
            *by_rule.entry(answer.rule).or_default() += 1;
        }
        let default = by_rule.get(DEFAULT_DENY).copied().unwrap_or_default();
        assert!(default < REQUESTS * 2 / 3, "{name}: {default} requests of {REQUESTS} met no rule");
        rules += model.rules.len();
        deciding += by_rule.len() - usize::from(default > 0);
    }
    assert!(deciding * 10 > rules * 9, "{deciding} of {rules} rules decided a request");
}

/// Of each policy.
const REQUESTS: usize = 3_000;
