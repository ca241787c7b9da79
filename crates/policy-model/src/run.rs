//! The tests of a policy, run by the reference evaluator; and what is said of one that fails, whoever judged it.

use policy_syntax::{Diagnostic, Effect, quote};

use crate::codes;
use crate::evaluate::{applies, evaluate, exceeded};
use crate::findings::Findings;
use crate::model::{Condition, Model, Rule, Test};
use crate::nearest::{Failure, Miss, miss, nearest_miss};

/// Reports every test whose expectation the policy does not meet.
pub(crate) fn run_tests(model: &Model, found: &mut Findings<'_>) {
    let steps_each: usize = model.rules.iter().map(steps).fold(0, usize::saturating_add);
    if let Some(first) = model.tests.first()
        && model.tests.len().saturating_mul(steps_each) > STEPS_MAX
    {
        let message = format!("{} tests against {} rules are not run by a check", model.tests.len(), model.rules.len());
        found.warn(|| {
            Diagnostic::new(codes::TESTS_NOT_RUN, first.at, message)
                .help("their names and types are right; `policyc test` runs them")
        });
        return;
    }
    for test in &model.tests {
        run(model, test, found);
    }
}

fn run(model: &Model, test: &Test, found: &mut Findings<'_>) {
    let decision = evaluate(model, &test.request);
    let answer = Answer { verdict: decision.verdict, rule: &decision.rule, code: &decision.code };
    if !answer.meets(test) {
        found.push(|| test_failure(model, test, answer));
    }
}

/// What a judge said of a test's request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer<'a> {
    /// The verdict.
    pub verdict: Effect,
    /// The rule that decided, or `default-deny`.
    pub rule: &'a str,
    /// The rationale code.
    pub code: &'a str,
}

impl Answer<'_> {
    /// Whether it is what the test expects.
    #[must_use]
    pub fn meets(&self, test: &Test) -> bool {
        self.verdict == test.expected && test.by.as_ref().is_none_or(|rule| rule == self.rule)
    }
}

/// The finding about a test whose expectation the answer does not meet: what was said and why, and why not what was
/// expected.
#[must_use]
pub fn test_failure(model: &Model, test: &Test, answer: Answer<'_>) -> Diagnostic {
    let Answer { verdict, rule, code } = answer;
    let expected = match &test.by {
        Some(by) => format!("{} by {}", test.expected.as_str(), quote(by)),
        None => test.expected.as_str().to_owned(),
    };
    let message = format!("expected {expected}, the policy says {} by {} ({code})", verdict.as_str(), quote(rule));
    let finding = Diagnostic::new(codes::TEST_FAILS, test.expected_at, message).label("this was expected");
    let decided = model.rule(rule);
    let finding = match decided {
        Some(rule) => because_of(finding, model, rule, test).help("correct the rule or the expectation"),
        None => finding.help("no rule allows this request"),
    };
    match (test.by.as_ref().and_then(|name| model.rule(name)), decided) {
        (Some(named), _) if !applies(model, named, &test.request) => {
            let miss = miss(model, named, &test.request);
            with_failures(finding, model, &miss, test, "this rule does not match the request")
        }
        (None, None) => match nearest_miss(model, &test.request) {
            Some(miss) => with_failures(finding, model, &miss, test, "this rule comes closest"),
            None => finding,
        },
        (Some(_), _) | (None, Some(_)) => finding,
    }
}

/// With the rule that decided and, when it is one of its limits that did, what was over it.
fn because_of(finding: Diagnostic, model: &Model, rule: &Rule, test: &Test) -> Diagnostic {
    match exceeded(rule, &test.request) {
        Some(limit) => finding
            .also(rule.name_at, "a limit of this rule is exceeded")
            .also(limit.at, Failure::Exceeded(limit).sentence(model, &test.request)),
        None => finding.also(rule.name_at, "this rule decides"),
    }
}

/// With a rule that did not match and what kept it from matching.
fn with_failures(finding: Diagnostic, model: &Model, miss: &Miss<'_>, test: &Test, what: &str) -> Diagnostic {
    let of_rule = |failure: &&Failure<'_>| matches!(failure, Failure::Roles(_) | Failure::Unasked(_));
    let sentence = |failure: &Failure<'_>| failure.sentence(model, &test.request);
    let name = match miss.failures.first().filter(of_rule) {
        Some(failure) => format!("{what}: {}", sentence(failure)),
        None => what.to_owned(),
    };
    let parts = miss.failures.iter().filter(|failure| !of_rule(failure)).take(FAILURES_MAX);
    parts.fold(finding.also(miss.rule.name_at, name), |finding, failure| {
        finding.also(failure.at(miss.rule), sentence(failure))
    })
}

/// What judging a request by the rule costs at most, in comparisons.
#[must_use]
pub fn steps(rule: &Rule) -> usize {
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

/// What else kept a rule from matching helps nobody who has not seen to these.
const FAILURES_MAX: usize = 3;

/// Comparisons of all tests with all rules; more would keep an author waiting.
const STEPS_MAX: usize = 4_000_000;

/// So much of an automaton costs about as much as comparing with one pattern.
const REGEX_BYTES_PER_STEP: usize = 64;
