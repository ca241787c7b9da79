//! The tests of a policy, run by the reference evaluator.

use policy_syntax::{Diagnostic, quote};

use crate::codes;
use crate::evaluate::{applies, evaluate, exceeded};
use crate::findings::Findings;
use crate::model::{Model, Test};

/// Reports every test whose expectation the policy does not meet.
pub(crate) fn run_tests(model: &Model, found: &mut Findings) {
    if let Some(first) = model.tests.first()
        && model.tests.len().saturating_mul(model.rules.len()) > STEPS_MAX
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

fn run(model: &Model, test: &Test, found: &mut Findings) {
    let decision = evaluate(model, &test.request);
    let as_expected = decision.verdict == test.expected && test.by.as_ref().is_none_or(|rule| *rule == decision.rule);
    if as_expected {
        return;
    }
    found.push(|| {
        let message = format!("the policy says {} by {}", decision.verdict.as_str(), quote(&decision.rule));
        let finding = Diagnostic::new(codes::TEST_FAILS, test.expected_at, message).label("this was expected");
        match model.rules.iter().find(|rule| rule.name == decision.rule) {
            Some(rule) => {
                let why = if exceeded(rule, &test.request).is_some() {
                    "a limit of this rule is exceeded"
                } else {
                    "this rule decides"
                };
                finding.also(rule.name_at, why).help("correct the rule or the expectation")
            }
            None => {
                let named = test.by.as_ref().and_then(|name| model.rules.iter().find(|rule| rule.name == *name));
                let finding = finding.help("no rule allows this request");
                match named.filter(|rule| !applies(model, rule, &test.request)) {
                    Some(rule) => finding.also(rule.name_at, "this rule does not match the request"),
                    None => finding,
                }
            }
        }
    });
}

/// Tests times rules; more would keep an author waiting.
const STEPS_MAX: usize = 4_000_000;
