//! A permit and a further path -> whether the same act may be done to that path too.
//!
//! A request names a folder, a glob, a link or a diff; what is opened then has names of its own. Each is judged by the
//! same policies, as the same operation, before it is touched.

use std::sync::{Mutex, PoisonError};

use crate::obligations::{Charge, Obligations, Uncovered};
use enforce_core::judge::{Approval, Judged, Permit};
use enforce_core::path::Contained;
use enforce_core::{Asked, Decision, Facts, Known, Operation, Verdict, decide};
use exec_record::Reaches;

/// What a request says of each of its targets beside their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Said {
    strings: Vec<Option<Vec<u8>>>,
    numbers: Vec<Option<u64>>,
    flags: u64,
}

/// Why a further path is refused: as a response tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denied {
    /// The path, from the root on; empty where the request does not name it.
    pub path: Vec<u8>,
    /// The rule that denied, or `default-deny`.
    pub rule: String,
    /// For programs.
    pub code: String,
    /// The rule's own reason.
    pub because: Option<String>,
}

/// Judges further paths of one act.
#[derive(Clone, Copy)]
pub(crate) struct Again<'p, 'a> {
    permit: &'p Permit<'a>,
    operation: Operation,
    said: &'p Said,
    held: &'p Obligations,
    reached: &'p Mutex<Reaches>,
}

impl Said {
    /// What a decision was made by.
    pub(crate) fn of(judged: &Judged<'_, '_>) -> Self {
        let facts = judged.decision.facts();
        let strings = facts.strings.iter().map(|string| string.map(<[u8]>::to_vec)).collect();
        Self { strings, numbers: facts.numbers.to_vec(), flags: facts.flags }
    }

    /// The same with a flag of the operation.
    pub(crate) fn with_flag(&self, operation: Operation, name: &str) -> Self {
        let place = operation.attributes().flags.iter().position(|known| known.name == name);
        let bit = place.and_then(|place| u32::try_from(place).ok()).map_or(0, |place| 1_u64.wrapping_shl(place));
        Self { flags: self.flags | bit, ..self.clone() }
    }

    /// The same with a number of the operation.
    pub(crate) fn with_number(&self, operation: Operation, name: &str, number: u64) -> Self {
        let known = operation.attributes().numbers.iter().enumerate();
        let said = |(place, attribute): (usize, &Known)| match attribute.name == name {
            true => Some(number),
            false => self.numbers.get(place).copied().flatten(),
        };
        Self { numbers: known.map(said).collect(), ..self.clone() }
    }

    /// A number of the operation, by its name.
    pub(crate) fn number(&self, operation: Operation, name: &str) -> Option<u64> {
        let place = operation.attributes().numbers.iter().position(|known| known.name == name)?;
        self.numbers.get(place).copied().flatten()
    }
}

impl<'p, 'a> Again<'p, 'a> {
    /// For an act that is held to these obligations.
    /// What is reached is put down for the record.
    pub(crate) fn new(
        permit: &'p Permit<'a>,
        operation: Operation,
        said: &'p Said,
        held: &'p Obligations,
        reached: &'p Mutex<Reaches>,
    ) -> Self {
        Self { permit, operation, said, held, reached }
    }

    /// For the same act, of which this is said.
    pub(crate) fn saying<'s>(&'s self, said: &'s Said) -> Again<'s, 'a> {
        Again { said, ..*self }
    }

    /// For another operation that comes with the act.
    pub(crate) fn of<'s>(&'s self, operation: Operation, said: &'s Said) -> Again<'s, 'a> {
        Again { operation, said, ..*self }
    }

    /// What is said of each target.
    pub(crate) fn said(&self) -> &Said {
        self.said
    }

    /// Whether the act may be done to this path, from the root on. If so, it is about to be.
    pub(crate) fn path(&self, path: &[u8]) -> Result<(), Denied> {
        self.allows(path)?;
        if !self.held.names(path) {
            self.reached.lock().unwrap_or_else(PoisonError::into_inner).add(path);
        }
        Ok(())
    }

    /// Whether it may be done to this path of many, which are not put down one by one.
    pub(crate) fn allows(&self, path: &[u8]) -> Result<(), Denied> {
        self.decide(path, &mut |_, _| {})
    }

    /// The same, and what it is charged if it may.
    pub(crate) fn charges(&self, path: &[u8]) -> Result<Vec<Charge>, Denied> {
        let mut charges = Vec::new();
        self.decide(path, &mut |layer, decision| charges.extend(self.held.further_charges(layer, decision)))?;
        Ok(charges)
    }

    /// Shows the decision of each policy, up to the first that refuses.
    fn decide(&self, path: &[u8], each: &mut dyn FnMut(usize, &Decision<'_, '_>)) -> Result<(), Denied> {
        let session = self.permit.session();
        // What comes with an act is no way around the lease (TRUST-LEASE).
        if !session.scope.covers(&Asked::BuiltIn(self.operation)) {
            return Err(Denied::outside_lease(path, self.operation));
        }
        let from_root = if path.is_empty() { b"." } else { path };
        let contained = Contained::new(session.root, b"", from_root).map_err(|_| Denied::escape(path))?;
        let mut strings = [None; STRINGS_MAX];
        let mut said = self.said.strings.iter().map(Option::as_deref);
        for (place, known) in strings.iter_mut().zip(self.operation.attributes().strings) {
            let said = said.next().flatten();
            *place = match known.name {
                "path" => Some(path),
                "name" => Some(contained.name().unwrap_or_default()),
                "extension" => contained.extension(),
                // What is no part of the path is as the request says it.
                _ => said,
            };
        }
        for (place, layer) in session.layers.iter().enumerate() {
            let Some(operation) = layer.policy.operation(self.operation) else {
                return Err(Denied::unknown(path));
            };
            let facts = Facts {
                operation,
                roles: layer.roles,
                strings: &strings,
                numbers: &self.said.numbers,
                flags: self.said.flags,
            };
            let decision = decide(layer.policy.table(), &facts);
            each(place, &decision);
            match (decision.verdict(), session.approval) {
                // Another rule may permit it than permitted the act, under terms that the act is not held to.
                (Verdict::Allow, _) | (Verdict::Ask, Approval::Given) => {
                    if let Some(term) = self.held.uncovered(&decision) {
                        return Err(Denied::under(&decision, path, &term));
                    }
                }
                (Verdict::Ask, Approval::Missing) | (Verdict::Deny, _) => {
                    return Err(Denied::by(&decision, path, decision.code().as_str()));
                }
            }
        }
        Ok(())
    }
}

impl Denied {
    fn by(decision: &Decision<'_, '_>, path: &[u8], code: &str) -> Self {
        Self {
            path: path.to_owned(),
            rule: decision.rule_name().to_owned(),
            code: code.to_owned(),
            because: decision.because().map(str::to_owned),
        }
    }

    /// A path that a rule permits under a term that the act is not held to.
    fn under(decision: &Decision<'_, '_>, path: &[u8], term: &Uncovered<'_>) -> Self {
        let (code, because) = match term {
            Uncovered::Limit { attribute, most } => {
                let because = format!("it is allowed with {attribute} up to {most}, which the act is not held to");
                (enforce_core::Code::LimitExceeded.as_str(), because)
            }
            Uncovered::Requirement { name } => {
                (REQUIREMENT_UNMET, format!("the rule there requires `{name}`, which the act is not held to"))
            }
        };
        Self { because: Some(because), ..Self::by(decision, path, code) }
    }

    /// What comes with an act as an operation that the lease does not have.
    fn outside_lease(path: &[u8], operation: Operation) -> Self {
        let because = format!("the lease does not cover {}", operation.name());
        Self { code: LEASE_SCOPE.to_owned(), because: Some(because), ..Self::escape(path) }
    }

    /// A path that is not inside the root.
    pub(crate) fn escape(path: &[u8]) -> Self {
        Self {
            path: path.to_owned(),
            rule: enforce_core::DEFAULT_DENY.to_owned(),
            code: PATH_ESCAPE.to_owned(),
            because: None,
        }
    }

    /// A path with a link that leads where nothing may be reached (INVOKE-CONTAIN).
    pub(crate) fn link(path: &[u8], why: &str) -> Self {
        Self { because: Some(why.to_owned()), ..Self::escape(path) }
    }

    /// A variable that could change what is run.
    pub(crate) fn variable(why: &str) -> Self {
        Self { code: "VALIDATION_FAILED".to_owned(), ..Self::link(b"", why) }
    }

    /// The same of what the request does not name, and so is not told by name: a search would not show it either.
    pub(crate) fn unnamed(self, what: &str) -> Self {
        let because = match self.because {
            Some(because) => format!("{what}: {because}"),
            None => what.to_owned(),
        };
        Self { path: Vec::new(), because: Some(because), ..self }
    }

    fn unknown(path: &[u8]) -> Self {
        Self {
            path: path.to_owned(),
            rule: enforce_core::DEFAULT_DENY.to_owned(),
            code: enforce_core::Code::OperationNotAllowed.as_str().to_owned(),
            because: None,
        }
    }
}

/// As the judge calls it.
const PATH_ESCAPE: &str = "PATH_ESCAPE";
const LEASE_SCOPE: &str = "LEASE_SCOPE";
/// Of a rule that asks for a check which nobody here makes.
pub(crate) const REQUIREMENT_UNMET: &str = "REQUIREMENT_UNMET";
/// No operation has more.
const STRINGS_MAX: usize = 4;
