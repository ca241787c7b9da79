//! A request by names instead of numbers: it outlives changes of the policy, and can be printed and
//! pasted into a test.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use policy_model::{Model, OperationId, Request, RoleId};

/// A request in the words of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The roles held.
    pub roles: BTreeSet<String>,
    /// What is asked for.
    pub operation: String,
    /// The strings that are there.
    pub strings: BTreeMap<String, String>,
    /// The numbers that are not left open.
    pub numbers: BTreeMap<String, u64>,
    /// The flags that are said.
    pub flags: BTreeSet<String>,
}

impl Facts {
    /// A request without roles of which only the operation is known.
    #[must_use]
    pub fn of(operation: &str) -> Self {
        Self {
            roles: BTreeSet::new(),
            operation: operation.to_owned(),
            strings: BTreeMap::new(),
            numbers: BTreeMap::new(),
            flags: BTreeSet::new(),
        }
    }

    /// Holding one more role.
    #[must_use]
    pub fn role(mut self, name: &str) -> Self {
        self.roles.insert(name.to_owned());
        self
    }

    /// With a string.
    #[must_use]
    pub fn string(mut self, attribute: &str, value: &str) -> Self {
        self.strings.insert(attribute.to_owned(), value.to_owned());
        self
    }

    /// With a number.
    #[must_use]
    pub fn number(mut self, attribute: &str, value: u64) -> Self {
        self.numbers.insert(attribute.to_owned(), value);
        self
    }

    /// With a flag.
    #[must_use]
    pub fn flag(mut self, attribute: &str) -> Self {
        self.flags.insert(attribute.to_owned());
        self
    }

    /// A request in words; none when it is not one of this policy.
    #[must_use]
    pub fn in_words(model: &Model, request: &Request) -> Option<Self> {
        let role = |id: &RoleId| model.roles.get(id.0).map(|role| role.name.clone());
        Some(Self {
            roles: request.roles.iter().map(role).collect::<Option<_>>()?,
            operation: model.operations.get(request.operation.0)?.name.clone(),
            strings: request.strings.clone(),
            numbers: request.numbers.clone(),
            flags: request.flags.clone(),
        })
    }

    /// The request to judge; none when the policy lacks a role, the operation or an attribute.
    #[must_use]
    pub fn request(&self, model: &Model) -> Option<Request> {
        let role = |name: &String| model.roles.iter().position(|role| role.name == *name).map(RoleId);
        let place = model.operations.iter().position(|operation| operation.name == self.operation)?;
        let operation = model.operations.get(place)?;
        let mut attributes = self.strings.keys().chain(self.numbers.keys()).chain(&self.flags);
        attributes.all(|name| operation.attribute(name).is_some()).then_some(())?;
        Some(Request {
            roles: self.roles.iter().map(role).collect::<Option<_>>()?,
            operation: OperationId(place),
            strings: self.strings.clone(),
            numbers: self.numbers.clone(),
            flags: self.flags.clone(),
        })
    }
}

/// As the Rust expression that makes it.
impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Facts::of({:?})", self.operation)?;
        for role in &self.roles {
            write!(f, ".role({role:?})")?;
        }
        for (attribute, value) in &self.strings {
            write!(f, ".string({attribute:?}, {value:?})")?;
        }
        for (attribute, value) in &self.numbers {
            write!(f, ".number({attribute:?}, {value})")?;
        }
        for attribute in &self.flags {
            write!(f, ".flag({attribute:?})")?;
        }
        Ok(())
    }
}
