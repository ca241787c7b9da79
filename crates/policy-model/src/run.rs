//! The tests of a policy, run by the reference evaluator.

use policy_syntax::{Diagnostic, quote};

use crate::codes;
use crate::evaluate::{applies, evaluate, exceeded};
use crate::findings::Findings;
use crate::model::{Condition, Model, Rule, Test};

/// Reports every test whose expectation the policy does not meet.
pub(crate) fn run_tests(model: &Model, found: &mut Findings<'_>) {
    let steps_each: usize = model.rules.iter().map(steps).fold(0, usize::saturating_add);
    if let Some(first) = model.tests.first()
        && model.tests.len().saturating_mul(steps_each) > STEPS_MAX
    {
        let message = format!("{} tests against {} rules are not run by a check", model.tests.len(), model.rules.len());
        found.warn(|| {
            Diagnostic::new(codes::TESTS_NOT_RUN, first.at, message)
                .help("their names and types are right; whether they hold is not known")
        });
        return;
    }
    for test in &model.tests {
        run(model, test, found);
    }
}

fn run(model: &Model, test: &Test, found: &mut Findings<'_>) {
    let decision = evaluate(model, &test.request);
    let as_expected = decision.verdict == test.expected && test.by.as_ref().is_none_or(|rule| *rule == decision.rule);
    if as_expected {
        return;
    }
    found.push(|| {
        let message = format!("the policy says {} by {}", decision.verdict.as_str(), quote(&decision.rule));
        let finding = Diagnostic::new(codes::TEST_FAILS, test.expected_at, message).label("this was expected");
        match model.rule(&decision.rule) {
            Some(rule) => {
                let why = if exceeded(rule, &test.request).is_some() {
                    "a limit of this rule is exceeded"
                } else {
                    "this rule decides"
                };
                finding.also(rule.name_at, why).help("correct the rule or the expectation")
            }
            None => {
                let named = test.by.as_ref().and_then(|name| model.rule(name));
                let finding = finding.help("no rule allows this request");
                match named.filter(|rule| !applies(model, rule, &test.request)) {
                    Some(rule) => finding.also(rule.name_at, "this rule does not match the request"),
                    None => finding,
                }
            }
        }
    });
}

/// What judging a request by the rule costs at most, in comparisons.
fn steps(rule: &Rule) -> usize {
    rule.condition.as_ref().map_or(0, comparisons).saturating_add(1)
}

/// How many patterns a condition compares a value with; a regex counts by its size.
pub(crate) fn comparisons(condition: &Condition) -> usize {
    match condition {
        Condition::All(parts) | Condition::Any(parts) => parts.iter().map(comparisons).fold(0, usize::saturating_add),
        Condition::Not(part) => comparisons(part),
        Condition::In { sets, .. } => {
            sets.iter().flat_map(|set| &set.lists).map(|list| list.len()).fold(0, usize::saturating_add)
        }
        Condition::Matches { regex, .. } => regex.compiled_bytes() / REGEX_BYTES_PER_STEP,
        Condition::Equals { .. } | Condition::Flag { .. } | Condition::Number { .. } => 1,
    }
}

/// Comparisons of all tests with all rules; more would keep an author waiting.
const STEPS_MAX: usize = 4_000_000;

/// So much of an automaton costs about as much as comparing with one pattern.
const REGEX_BYTES_PER_STEP: usize = 64;
