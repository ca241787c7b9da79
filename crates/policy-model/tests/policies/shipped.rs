//! The policies that ship, read and checked; and requests against them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use policy_model::catalogue::AttributeKind;
use policy_model::{CheckOptions, Checked, Decision, Model, OperationId, Request, check, evaluate};
use policy_syntax::{Effect, Severity};

/// A policy that ships.
pub(crate) struct Shipped {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) checked: Checked,
}

impl Shipped {
    pub(crate) fn model(&self) -> &Model {
        self.checked.model.as_ref().unwrap_or_else(|| panic!("{}: {:#?}", self.name, self.checked.diagnostics))
    }
}

/// Every policy of a folder, by name. An empty folder fails: nothing would be tested.
pub(crate) fn shipped(folder: &str) -> &'static [Shipped] {
    match folder {
        "std" => &STD,
        "examples" => &EXAMPLES,
        other => panic!("no folder {other}"),
    }
}

pub(crate) fn all() -> impl Iterator<Item = &'static Shipped> {
    STD.iter().chain(EXAMPLES.iter())
}

pub(crate) fn one(folder: &str, name: &str) -> &'static Shipped {
    shipped(folder).iter().find(|file| file.name == name).unwrap_or_else(|| panic!("no policy {name}"))
}

// Checked once for all tests.
static STD: LazyLock<Vec<Shipped>> = LazyLock::new(|| read("std"));
static EXAMPLES: LazyLock<Vec<Shipped>> = LazyLock::new(|| read("examples"));

fn read(folder: &str) -> Vec<Shipped> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../policies").join(folder);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths: BTreeSet<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    assert!(!paths.is_empty(), "no policy in {}", folder.display());
    assert!(paths.iter().all(|path| path.extension().is_some_and(|extension| extension == "policy")), "{paths:?}");
    let policy = |path: &PathBuf| Shipped {
        name: path.file_stem().unwrap().to_str().unwrap().to_owned(),
        text: fs::read_to_string(path).unwrap(),
        checked: check(path, CheckOptions::default()),
    };
    paths.iter().map(policy).collect()
}

/// Errors and warnings, as lines.
pub(crate) fn serious(checked: &Checked) -> Vec<String> {
    let found = checked.diagnostics.iter().filter(|finding| finding.code.severity != Severity::Note);
    found.map(|finding| format!("{} {}", finding.code.id, finding.message)).collect()
}

pub(crate) fn operation_of(model: &Model, name: &str) -> OperationId {
    model.operation(name).unwrap_or_else(|| panic!("no operation {name}"))
}

/// Judges a request, written as its operation and its facts: `file.read | path src/a.rs | bytes 10`. A fact
/// that the operation cannot have fails: the request would say less than meant.
pub(crate) fn decide(model: &Model, roles: &[&str], request: &str) -> Decision {
    let role = |name: &&str| model.role(name).unwrap();
    let (operation, facts) = request.split_once(" | ").unwrap_or((request, ""));
    let mut judged = Request {
        roles: roles.iter().map(role).collect(),
        operation: operation_of(model, operation),
        strings: BTreeMap::new(),
        numbers: BTreeMap::new(),
        flags: BTreeSet::new(),
    };
    for fact in facts.split(" | ").filter(|fact| !fact.is_empty()) {
        let (name, value) = fact.split_once(' ').unwrap_or((fact, ""));
        let attribute = model.operations[judged.operation.0].attribute(name);
        let kind = attribute.unwrap_or_else(|| panic!("{operation} has no {name}: {request}")).kind;
        let is_new = if kind.is_number() {
            judged.numbers.insert(name.to_owned(), value.parse().unwrap()).is_none()
        } else if kind == AttributeKind::Flag {
            judged.flags.insert(fact.to_owned())
        } else {
            judged.strings.insert(name.to_owned(), value.to_owned()).is_none()
        };
        assert!(is_new, "{name} is given twice: {request}");
    }
    evaluate(model, &judged)
}

/// Each of the requests is denied, and by that rule.
pub(crate) fn denied(file: &Shipped, role: &str, rule: &str, requests: &[&str]) {
    for request in requests {
        let decision = decide(file.model(), &[role], request);
        assert_eq!((decision.verdict, decision.rule.as_str()), (Effect::Deny, rule), "{request}");
    }
}
