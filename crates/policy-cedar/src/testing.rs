//! Policies in memory and requests to them, for unit tests.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use policy_model::{CheckOptions, Memory, Model, Request, check_in, evaluate};

use crate::{CedarAnswer, CedarJudge};

/// Returns the model of a policy with only these statements.
pub(crate) fn model(statements: &str) -> Model {
    let text = format!("policy demo language 1\nwithout std.protected-paths\n{statements}\n");
    let files = Memory::default().with("main.policy", text);
    let checked = check_in(&files, Path::new("main.policy"), CheckOptions::default());
    checked.model.unwrap_or_else(|| panic!("{statements}: {:#?}", checked.diagnostics))
}

/// Makes a request for an operation with facts as `name=text`, `name:number` or a flag by its name.
pub(crate) fn request(model: &Model, roles: &[&str], operation: &str, facts: &[&str]) -> Request {
    let mut request = Request {
        roles: roles.iter().map(|name| model.role(name).unwrap()).collect(),
        operation: model.operation(operation).unwrap(),
        strings: BTreeMap::new(),
        numbers: BTreeMap::new(),
        flags: BTreeSet::new(),
    };
    for fact in facts {
        if let Some((name, value)) = fact.split_once('=') {
            request.strings.insert(name.to_owned(), value.to_owned());
        } else if let Some((name, value)) = fact.split_once(':') {
            request.numbers.insert(name.to_owned(), value.parse().unwrap());
        } else {
            request.flags.insert((*fact).to_owned());
        }
    }
    request
}

/// A model, and Cedar as its judge.
pub(crate) struct World {
    pub(crate) model: Model,
    judge: CedarJudge,
}

impl World {
    pub(crate) fn new(statements: &str) -> Self {
        let model = model(statements);
        let judge = CedarJudge::new(&model).unwrap();
        Self { model, judge }
    }

    /// Returns Cedar's answer, which must be that of the reference evaluator.
    pub(crate) fn answer(&self, roles: &[&str], operation: &str, facts: &[&str]) -> CedarAnswer {
        let request = request(&self.model, roles, operation, facts);
        let decision = evaluate(&self.model, &request);
        let expected = CedarAnswer { verdict: decision.verdict, rule: decision.rule, code: decision.code };
        assert_eq!(self.judge.judge(&request).as_ref(), Ok(&expected), "{request:?}");
        expected
    }
}
