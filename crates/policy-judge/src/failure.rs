//! A failing test -> the finding about it: the answer, the reason, and why it is not the expected one.

use policy_model::{Failure, Miss, Model, Request, Rule, Test, applies, codes, exceeded, miss, nearest_miss};
use policy_syntax::{Diagnostic, quote};

use crate::answer::Answer;
use crate::judged_facts::Reading;
use crate::policy::TestRun;

/// The finding about a test whose expectation the answer does not meet: what was said and why, and why not what was
/// expected.
pub(crate) fn test_failure(model: &Model, test: &Test, run: &TestRun) -> Diagnostic {
    if let Reading::Contradiction(found) = &run.reading {
        return Diagnostic::new(codes::FACTS_CONTRADICT, test.at, found.to_string())
            .help("leave one of them out; what it says is read from the other");
    }
    let Answer { verdict, rule, code, because, .. } = &run.answer;
    let expected = match &test.by {
        Some(by) => format!("{} by {}", test.expected.as_str(), quote(by)),
        None => test.expected.as_str().to_owned(),
    };
    let message = format!("expected {expected}, the policy says {} by {} ({code})", verdict.as_str(), quote(rule));
    let finding = Diagnostic::new(codes::TEST_FAILS, test.expected_at, message).label("this was expected");
    let decided = model.rule(rule);
    let finding = match decided.zip(run.facts.as_ref()) {
        Some((rule, facts)) => because_of(finding, model, rule, facts).help("correct the rule or the expectation"),
        None => finding.help(because.as_deref().unwrap_or("no rule allows this request")),
    };
    // A request that is refused before a policy is asked has no facts, and no rule came close to it.
    let Some(facts) = &run.facts else {
        return finding;
    };
    match (test.by.as_ref().and_then(|name| model.rule(name)), decided) {
        (Some(named), _) if !applies(model, named, facts) => {
            let miss = miss(model, named, facts);
            with_failures(finding, model, &miss, facts, "this rule does not match the request")
        }
        (None, None) => match nearest_miss(model, facts) {
            Some(miss) => with_failures(finding, model, &miss, facts, "this rule comes closest"),
            None => finding,
        },
        (Some(_), _) | (None, Some(_)) => finding,
    }
}

/// With the rule that decided and, when it is one of its limits that did, what was over it.
fn because_of(finding: Diagnostic, model: &Model, rule: &Rule, facts: &Request) -> Diagnostic {
    match exceeded(rule, facts) {
        Some(limit) => finding
            .also(rule.name_at, "a limit of this rule is exceeded")
            .also(limit.at, Failure::Exceeded(limit).sentence(model, facts)),
        None => finding.also(rule.name_at, "this rule decides"),
    }
}

/// With a rule that did not match and what kept it from matching.
fn with_failures(finding: Diagnostic, model: &Model, miss: &Miss<'_>, facts: &Request, what: &str) -> Diagnostic {
    let of_rule = |failure: &&Failure<'_>| matches!(failure, Failure::Roles(_) | Failure::Unasked(_));
    let sentence = |failure: &Failure<'_>| failure.sentence(model, facts);
    let name = match miss.failures.first().filter(of_rule) {
        Some(failure) => format!("{what}: {}", sentence(failure)),
        None => what.to_owned(),
    };
    let parts = miss.failures.iter().filter(|failure| !of_rule(failure)).take(FAILURES_MAX);
    parts.fold(finding.also(miss.rule.name_at, name), |finding, failure| {
        finding.also(failure.at(miss.rule), sentence(failure))
    })
}

/// Further reasons help nobody who has not dealt with these.
const FAILURES_MAX: usize = 3;
