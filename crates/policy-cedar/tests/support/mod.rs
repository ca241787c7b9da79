//! Policies of the tree and in memory, requests against them, and what both judges say.
#![allow(
    dead_code,
    clippy::allow_attributes,
    clippy::expect_used,
    clippy::panic,
    reason = "each test binary uses its own part of this module, and a test that cannot start must stop"
)]

pub(crate) mod dice;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use policy_cedar::{Approval, CedarAnswer, CedarJudge};
use policy_model::{CheckOptions, Memory, Model, Request, check, check_in, evaluate};
use policy_syntax::Effect;

/// The model of a policy that must have no error.
pub(crate) fn model(text: &str) -> Model {
    let files = Memory::default().with("main.policy", text);
    let checked = check_in(&files, Path::new("main.policy"), CheckOptions::default());
    checked.model.unwrap_or_else(|| panic!("{:#?}", checked.diagnostics))
}

/// Every policy people copy from, by its name: the starter, the examples, the packs.
pub(crate) fn shipped() -> Vec<(String, Model)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../policies");
    let mut paths: Vec<PathBuf> = ["", "examples", "std"]
        .iter()
        .flat_map(|folder| fs::read_dir(root.join(folder)).expect("a folder of policies"))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "policy"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 13, "{paths:?}");
    let read = |path: &PathBuf| {
        let checked = check(path, CheckOptions::default());
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        (name, checked.model.unwrap_or_else(|| panic!("{}: {:#?}", path.display(), checked.diagnostics)))
    };
    paths.iter().map(read).collect()
}

/// A request: roles, an operation, and facts as `name=text`, `name=number` or a flag by its name.
pub(crate) fn request(model: &Model, roles: &[&str], operation: &str, facts: &[&str]) -> Request {
    let mut request = Request {
        roles: roles.iter().map(|name| model.role(name).expect("a role")).collect(),
        operation: model.operation(operation).expect("an operation"),
        strings: BTreeMap::new(),
        numbers: BTreeMap::new(),
        flags: BTreeSet::new(),
    };
    for fact in facts {
        match fact.split_once('=') {
            None => {
                request.flags.insert((*fact).to_owned());
            }
            Some((name, value)) => match value.parse() {
                Ok(number) => {
                    request.numbers.insert(name.to_owned(), number);
                }
                Err(_) => {
                    request.strings.insert(name.to_owned(), value.to_owned());
                }
            },
        }
    }
    request
}

/// What the reference says, in Cedar's type.
pub(crate) fn reference(model: &Model, request: &Request) -> CedarAnswer {
    let decision = evaluate(model, request);
    CedarAnswer { verdict: decision.verdict, rule: decision.rule, code: decision.code }
}

/// Both judges must say the same.
pub(crate) fn assert_agreement(model: &Model, judge: &CedarJudge, request: &Request) -> CedarAnswer {
    let expected = reference(model, request);
    assert_eq!(judge.judge(request).as_ref(), Ok(&expected), "{request:?}");
    expected
}

/// And an approval must turn ask into a permission and nothing else.
pub(crate) fn assert_approval(judge: &CedarJudge, request: &Request, verdict: Effect) {
    let permitted = |approval| judge.permits(request, approval);
    assert_eq!(permitted(Approval::Missing), Ok(verdict == Effect::Allow), "{request:?}");
    assert_eq!(permitted(Approval::Given), Ok(verdict != Effect::Deny), "{request:?}");
}
