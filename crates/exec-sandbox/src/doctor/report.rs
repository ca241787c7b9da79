//! What was found, for people and for programs.

use std::fmt;

use rustix::io::Errno;
use serde::Serialize;

use crate::sandbox::{Kernel, Layer};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    pub kernel: Kernel,
    /// Every layer, in their order.
    pub layers: Vec<Finding>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub layer: Layer,
    #[serde(flatten)]
    pub status: Status,
    /// Whether the operator has accepted that it is missing.
    pub is_accepted: bool,
    pub shown: Vec<TrialResult>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Status {
    /// Everything that it must stop was stopped.
    Enforced,
    /// It is not there, or something was not stopped.
    Missing { why: String },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrialResult {
    pub what: String,
    /// What came of it without any layer. Where it is stopped even so, it says little about the layer.
    pub without: Outcome,
    /// What came of it with the layer.
    pub with: Outcome,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    Passed,
    /// It could not be done, in the way in which the layer says so.
    Stopped {
        error: String,
    },
    /// It could not be done, but not because of the layer.
    Failed {
        error: String,
    },
    /// There was no process to try it in.
    NotTried {
        why: String,
    },
}

impl Report {
    /// Whether every layer holds, or is accepted to be missing.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.layers.iter().all(|finding| finding.is_accepted || finding.status == Status::Enforced)
    }
}

impl Outcome {
    pub(super) fn of(error: i32, is_stopped_by: fn(Errno) -> bool) -> Self {
        let known = Errno::from_raw_os_error(error);
        let error = known.to_string();
        if is_stopped_by(known) { Self::Stopped { error } } else { Self::Failed { error } }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => formatter.write_str("passed"),
            Self::Stopped { error } => write!(formatter, "stopped ({error})"),
            Self::Failed { error } => write!(formatter, "failed ({error})"),
            Self::NotTried { why } => write!(formatter, "not tried ({why})"),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Kernel { release, landlock_version, user_namespaces_max, is_root, .. } = &self.kernel;
        let number = |number: Option<u64>| number.map_or_else(|| "none".to_owned(), |number| number.to_string());
        writeln!(formatter, "kernel {release}, Landlock version {}", number(landlock_version.map(u64::from)))?;
        writeln!(formatter, "user namespaces at most: {}", number(*user_namespaces_max))?;
        if *is_root {
            writeln!(formatter, "the executor is root: an ordinary user is safer")?;
        }
        for Finding { layer, status, is_accepted, shown } in &self.layers {
            let word = match (status, is_accepted) {
                (Status::Enforced, _) => "enforced",
                (Status::Missing { .. }, true) => "missing, accepted",
                (Status::Missing { .. }, false) => "MISSING",
            };
            writeln!(formatter, "{layer:<20}{word}")?;
            if let Status::Missing { why } = status {
                writeln!(formatter, "    {why}")?;
            }
            for TrialResult { what, without, with } in shown {
                // As to whom and to what kernel it is refused anyway.
                let note = if matches!(without, Outcome::Stopped { .. }) { " too, which tells nothing" } else { "" };
                writeln!(formatter, "    {what}: {with}; without it {without}{note}")?;
            }
        }
        let is_missing = |finding: &&Finding| finding.status != Status::Enforced;
        match (self.is_complete(), self.layers.iter().filter(is_missing).count()) {
            (true, 0) => writeln!(formatter, "the sandbox is whole"),
            (true, missing) => writeln!(formatter, "the sandbox is whole but for {missing} accepted to be missing"),
            (false, _) => writeln!(formatter, "the sandbox is not whole"),
        }
    }
}
