//! A request in words, from which each engine makes its own form before anything is timed.

use std::collections::{BTreeMap, BTreeSet};

use policy_model::{Model, Request};
use serde::{Deserialize, Serialize};

/// One operation on one target by a session that holds one role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// The operation's name.
    pub operation: String,
    /// The role's name.
    pub role: String,
    /// Attribute and value.
    pub strings: Vec<(String, String)>,
    /// Attribute and value.
    pub numbers: Vec<(String, u64)>,
    /// The flags that are said.
    pub flags: Vec<String>,
}

impl Ask {
    /// The request as the reference evaluator takes it.
    #[must_use]
    pub fn in_model(&self, model: &Model) -> Request {
        Request {
            roles: BTreeSet::from([model.role(&self.role).expect("a role of the policy")]),
            operation: model.operation(&self.operation).expect("an operation of the policy"),
            strings: self.strings.iter().cloned().collect::<BTreeMap<_, _>>(),
            numbers: self.numbers.iter().cloned().collect(),
            flags: self.flags.iter().cloned().collect(),
        }
    }

    /// The string of that name.
    #[must_use]
    pub fn string(&self, name: &str) -> Option<&str> {
        self.strings.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The number of that name.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u64> {
        self.numbers.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }
}
