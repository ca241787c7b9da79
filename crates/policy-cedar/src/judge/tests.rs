//! A failure is never taken for an answer.

use super::*;
use crate::testing::{model, request};

fn judge_by(text: &str) -> (CedarJudge, Request) {
    let model = model("rule a: allow anyone to git.push");
    let mut judge = CedarJudge::new(&model).unwrap();
    judge.policies.set = text.parse().unwrap();
    (judge, request(&model, &[], "git.push", &[]))
}

#[test]
fn a_failing_policy_is_an_error() {
    let text = "permit(principal, action, resource); forbid(principal, action, resource) when { context.no.such };";
    let (judge, request) = judge_by(text);
    let Err(JudgeError::Evaluation { reasons }) = judge.judge(&request) else {
        panic!("{:?}", judge.judge(&request));
    };
    assert_eq!(reasons.len(), 1);
    assert!(matches!(judge.permits(&request, Approval::Missing), Err(JudgeError::Evaluation { .. })));
}

#[test]
fn an_unknown_policy_is_an_error() {
    let (judge, request) = judge_by("permit(principal, action, resource);");
    assert_eq!(judge.judge(&request), Err(JudgeError::UnknownPolicy { id: "policy0".to_owned() }));
}

#[test]
fn an_unknown_operation_is_an_error() {
    let model = model("rule a: allow anyone to git.push");
    let judge = CedarJudge::new(&model).unwrap();
    let mut request = request(&model, &[], "git.push", &[]);
    request.operation = OperationId(model.operations.len());
    let unknown = JudgeError::UnknownOperation { operation: model.operations.len() };
    assert_eq!(judge.judge(&request), Err(unknown.clone()));
    assert_eq!(judge.permits(&request, Approval::Given), Err(unknown));
}

#[test]
fn the_strongest_decides_and_then_the_first() {
    let decider =
        |strength, place| Decider { strength, place, rule: String::new(), code: None, operations: BTreeSet::new() };
    let order = [Strength::Denied, Strength::ToBeAsked, Strength::OverLimit, Strength::Permitted];
    for (stronger, weaker) in order.iter().zip(order.iter().skip(1)) {
        assert!(decider(*stronger, 9) < decider(*weaker, 0));
        assert!(decider(*weaker, 0) < decider(*weaker, 1));
    }
}

/// `judge` evaluates the policies about one operation, `permits` all of them: both must decide alike.
#[test]
fn a_slice_has_every_policy_about_its_operation_and_no_other() {
    let model = model(
        "rule a: allow anyone to git.push, git.pull rule q: ask anyone to git.pull rule l: allow anyone to file.read limit bytes <= 1 B",
    );
    let judge = CedarJudge::new(&model).unwrap();
    for (operation, expected) in
        [("git.push", &["a"][..]), ("git.pull", &["a", "q", "q#ask"]), ("file.read", &["l"]), ("git.add", &[])]
    {
        let slice = judge.policies.about(model.operation(operation).unwrap()).unwrap();
        let ids: BTreeSet<String> = slice.policies().map(|policy| policy.id().to_string()).collect();
        assert_eq!(ids.iter().map(String::as_str).collect::<Vec<_>>(), expected, "{operation}");
    }
}

/// A campaign may share one judge among its threads.
#[test]
fn a_judge_can_be_shared() {
    fn shared<T: Send + Sync>() {}
    shared::<CedarJudge>();
}
