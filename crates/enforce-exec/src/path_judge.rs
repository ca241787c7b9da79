//! A permit and a path that comes up while acting -> whether the same act may reach that path too.
//!
//! A request names a directory, a glob, a link or a diff; what is opened then has names of its own. The core judges each
//! of them by the same policies. Here it is checked that the act is held to what the rule there asks for.

use std::sync::{Mutex, PoisonError};

use enforce_core::Operation;
use enforce_core::judge::{self, Permit, Refusal, RequestAttributes};
use exec_record::{TABLES_MAX, TouchedPaths};

use crate::obligations::{Charge, Obligations, UnmetTerm};
use crate::request_record::RequestRecord;

/// A path that an act must not reach, as a response says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathDenied {
    /// The path from the root on; empty where the request does not name it.
    pub path: Vec<u8>,
    /// The rule that denied, or `default-deny`.
    pub rule: String,
    /// The rationale code.
    pub code: String,
    /// The reason, if there is more to say.
    pub because: Option<String>,
}

/// Judges the paths of one act.
#[derive(Clone, Copy)]
pub(crate) struct PathJudge<'p, 'a> {
    permit: &'p Permit<'a>,
    attributes: RequestAttributes<'p>,
    obligations: &'p Obligations,
    record: &'p RequestRecord,
    reached: &'p Mutex<TouchedPaths>,
}

impl<'p, 'a> PathJudge<'p, 'a> {
    /// A judge for an act that is held to these obligations. Paths that it reaches are noted for the record.
    pub(crate) fn new(
        permit: &'p Permit<'a>,
        attributes: RequestAttributes<'p>,
        obligations: &'p Obligations,
        record: &'p RequestRecord,
        reached: &'p Mutex<TouchedPaths>,
    ) -> Self {
        Self { permit, attributes, obligations, record, reached }
    }

    /// The same act with other attributes, or another operation that it implies.
    pub(crate) fn with(&self, attributes: RequestAttributes<'p>) -> Self {
        Self { attributes, ..*self }
    }

    pub(crate) fn attributes(&self) -> RequestAttributes<'p> {
        self.attributes
    }

    /// Judges a path from the root on that is about to be reached, and notes it for the record.
    pub(crate) fn reach(&self, path: &[u8]) -> Result<(), PathDenied> {
        self.check(path)?;
        if !self.record.names(path) {
            self.reached.lock().unwrap_or_else(PoisonError::into_inner).add(path);
        }
        Ok(())
    }

    /// Judges one path of many, which are not recorded one by one.
    pub(crate) fn check(&self, path: &[u8]) -> Result<(), PathDenied> {
        self.judge(path, |_| ())
    }

    /// Judges a path, and returns what it is charged to.
    pub(crate) fn charges(&self, path: &[u8]) -> Result<Vec<Charge>, PathDenied> {
        self.judge(path, |bound| self.obligations.implied_charges(bound))
    }

    fn judge<T>(&self, path: &[u8], use_bound: impl FnOnce(&judge::Obligations<'_, '_>) -> T) -> Result<T, PathDenied> {
        // One rule of each policy permits a path.
        let mut pairs = [None; TABLES_MAX];
        let bound = match self.permit.judge_path(&self.attributes, path, &mut pairs) {
            Ok(bound) => bound,
            Err(refusal) => return Err(PathDenied::refused(path, &refusal, self.attributes.operation())),
        };
        // Another rule may permit the path than permitted the act, under terms that the act is not held to.
        match self.obligations.unmet_term(&bound) {
            Some(term) => Err(PathDenied::under(path, &term)),
            None => Ok(use_bound(&bound)),
        }
    }
}

impl PathDenied {
    /// A path that is not inside the root.
    pub(crate) fn escape(path: &[u8]) -> Self {
        Self::new(path, enforce_core::DEFAULT_DENY, PATH_ESCAPE, None)
    }

    /// A path with a link that leads where nothing may be reached (INVOKE-CONTAIN).
    pub(crate) fn link(path: &[u8], because: &str) -> Self {
        Self { because: Some(because.to_owned()), ..Self::escape(path) }
    }

    /// The denial of a path that the request does not name, without that path: a search would not show it either.
    pub(crate) fn without_path(self, what: &str) -> Self {
        let because = match self.because {
            Some(because) => format!("{what}: {because}"),
            None => what.to_owned(),
        };
        Self { path: Vec::new(), because: Some(because), ..self }
    }

    fn refused(path: &[u8], refusal: &Refusal<'_>, operation: Operation) -> Self {
        let because = match refusal {
            Refusal::PolicyDenies(denial) | Refusal::PolicyAsks(denial) => denial.because().map(str::to_owned),
            Refusal::SenderOutsideLease(_) => Some(format!("the lease does not cover {}", operation.name())),
            _ => None,
        };
        Self::new(path, refusal.rule_id(), refusal.code(), because)
    }

    fn under(path: &[u8], term: &UnmetTerm<'_>) -> Self {
        let (rule, code, because) = match term {
            UnmetTerm::Limit { rule, attribute, most } => {
                let because = format!("it is allowed with {attribute} up to {most}, which the act is not held to");
                (rule, enforce_core::Code::LimitExceeded.as_str(), because)
            }
            UnmetTerm::Requirement { rule, name } => {
                (rule, REQUIREMENT_UNMET, format!("the rule there requires `{name}`, which the act is not held to"))
            }
        };
        Self::new(path, rule, code, Some(because))
    }

    fn new(path: &[u8], rule: &str, code: &str, because: Option<String>) -> Self {
        Self { path: path.to_owned(), rule: rule.to_owned(), code: code.to_owned(), because }
    }
}

/// The core's code for paths outside the root.
const PATH_ESCAPE: &str = "PATH_ESCAPE";
/// The code of a rule that requires a check which this executor cannot make.
pub(crate) const REQUIREMENT_UNMET: &str = "REQUIREMENT_UNMET";
