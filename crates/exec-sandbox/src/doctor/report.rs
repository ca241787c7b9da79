//! The findings of the doctor, as text and JSON.

use std::fmt;

use rustix::io::Errno;
use serde::Serialize;

use crate::sandbox::{Kernel, Layer};

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    pub kernel: Kernel,
    pub layers: Vec<Finding>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub layer: Layer,
    #[serde(flatten)]
    pub status: Status,
    /// True if the operator has accepted the layer as missing.
    pub is_accepted: bool,
    pub shown: Vec<TrialResult>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Status {
    /// Every trial was stopped.
    Enforced,
    /// The layer does not exist, or a trial was not stopped.
    Missing { why: String },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrialResult {
    pub what: String,
    /// Without any layer. If it is stopped even so, the trial tells nothing about the layer.
    pub without: Outcome,
    pub with: Outcome,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    Passed,
    /// With the error that the layer gives.
    Stopped {
        error: String,
    },
    /// With another error.
    Failed {
        error: String,
    },
    /// The sandbox for the trial could not be made.
    NotTried {
        why: String,
    },
}

impl Report {
    /// True if every layer works or is accepted as missing.
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
        writeln!(formatter, "user namespaces: at most {}", number(*user_namespaces_max))?;
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
                // Such as a system call that this kernel does not have.
                let note =
                    if matches!(without, Outcome::Stopped { .. }) { ", too, so this trial tells nothing" } else { "" };
                writeln!(formatter, "    {what}: {with}; without it {without}{note}")?;
            }
        }
        let missing = self.layers.iter().filter(|finding| finding.status != Status::Enforced);
        let missing: Vec<&str> = missing.map(|finding| finding.layer.name()).collect();
        match missing.as_slice() {
            [] => writeln!(formatter, "sandbox works"),
            [layer] if self.is_complete() => {
                writeln!(
                    formatter,
                    "sandbox works except `{layer}`, which was accepted with `--accept-missing {layer}`"
                )
            }
            layers if self.is_complete() => {
                writeln!(formatter, "sandbox works except {}, which were accepted as missing", layers.join(", "))
            }
            _ => writeln!(formatter, "sandbox does not work on this machine"),
        }
    }
}
