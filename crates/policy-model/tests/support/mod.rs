//! Policies in memory, and requests against them.
#![allow(
    dead_code,
    clippy::allow_attributes,
    clippy::expect_used,
    clippy::panic,
    reason = "each test binary uses its own part of this module, and a test that cannot start must stop"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use policy_model::{CheckOptions, Checked, Memory, Model, Request, check_in};

/// Checks a policy that has no imports of its own.
pub(crate) fn checked(text: &str) -> Checked {
    check_in(&Memory::default().with("main.policy", text), Path::new("main.policy"), CheckOptions::default())
}

/// The codes found, in order.
pub(crate) fn codes(checked: &Checked) -> Vec<&'static str> {
    checked.diagnostics.iter().map(|finding| finding.code.id).collect()
}

/// The model of a policy that must have no error.
pub(crate) fn model(text: &str) -> Model {
    let checked = checked(text);
    checked.model.unwrap_or_else(|| panic!("{:#?}", checked.diagnostics))
}

/// A request: roles, an operation, and facts as `name=text`, `name=number` or a flag by its name.
pub(crate) fn request(model: &Model, roles: &[&str], operation: &str, facts: &[&str]) -> Request {
    let role = |name: &&str| model.role(name).expect("a role");
    let mut request = Request {
        roles: roles.iter().map(role).collect::<BTreeSet<_>>(),
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
