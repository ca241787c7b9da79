//! A number of an operation -> the most that an act uses of it, and the source of its actual usage.
//!
//! Acting and charging both ask here, so that an act is charged what takes effect: a request that leaves a number open is
//! charged its default.

use std::num::NonZeroUsize;
use std::time::Duration;

use enforce_core::Operation;
use enforce_core::limits::MAX_READ_LIMIT;
use exec_record::{Claim, OBJECT_BYTES_MAX};

use crate::files::{GREP_MATCHES_MAX, LIST_FILES_MAX};
use crate::obligations::Obligations;
use crate::sandbox::{INVOKE_OUTPUT_MAX, LIST_DEFAULT, LIST_MAX, SHELL_OUTPUT_MAX, effective_timeout};

/// The amount of a number that an act uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Measured {
    /// The maximum.
    pub(crate) amount: u64,
    pub(crate) claim: Claim,
    /// The source of the actual usage; `None` when all of it is used.
    pub(crate) source: Option<UsageSource>,
}

/// The source of an act's actual usage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UsageSource {
    /// Milliseconds that it lasted.
    Time,
    /// Bytes, output or results that it returned.
    Returned,
}

/// The amount of a number that an act uses, given the request's own number. `None` when it cannot be known.
pub(crate) fn measured(
    operation: Operation,
    attribute: &str,
    given: Option<u64>,
    obligations: &Obligations,
) -> Option<Measured> {
    let spent = given.map(|amount| Measured { amount, claim: Claim::Spend, source: None });
    let held = |amount, claim, source| Some(Measured { amount, claim, source: Some(source) });
    let results = |results: Results| {
        let most = results.most(given.unwrap_or(0), obligations).map_or(0, NonZeroUsize::get);
        held(wide(most), Claim::Hold, UsageSource::Returned)
    };
    let output = |usual| held(wide(output_max(usual, obligations)), Claim::HoldLeft, UsageSource::Returned);
    match (operation, attribute) {
        (Operation::FileRead, BYTES) => match given {
            Some(given) => held(given.min(bytes_max(obligations)), Claim::Hold, UsageSource::Returned),
            None => held(bytes_max(obligations), Claim::HoldLeft, UsageSource::Returned),
        },
        // The request names content by its hash, and says nothing of its size.
        (Operation::ArtifactPublish, BYTES) => held(bytes_max(obligations), Claim::HoldLeft, UsageSource::Returned),
        (Operation::FsList, MAX_RESULTS) => results(LISTED),
        (Operation::FsGrep, MAX_RESULTS) => results(FOUND),
        (Operation::ProcList, MAX_RESULTS) => results(PROCESSES),
        (Operation::ShellExec | Operation::ShellInline | Operation::PytestRun, TIMEOUT) => {
            let time = timeout(given.unwrap_or(0), obligations);
            held(u64::try_from(time.as_millis()).unwrap_or(u64::MAX), Claim::Hold, UsageSource::Time)
        }
        (Operation::ShellExec | Operation::ShellInline, OUTPUT) => output(SHELL_OUTPUT_MAX),
        (Operation::PytestRun, OUTPUT) => output(INVOKE_OUTPUT_MAX),
        // Content that a request carries has the size it gives; an absent number has no known amount.
        _ => spent,
    }
}

/// Bytes of a file, or of other content, that an act may take: what the policy has, and what can be answered.
pub(crate) fn bytes_max(obligations: &Obligations) -> u64 {
    obligations.most(BYTES).unwrap_or(MAX_READ_LIMIT).min(OBJECT_BYTES_MAX)
}

/// The numbers of results of a search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Results {
    /// If the request gives no number.
    usual: usize,
    /// Whatever the request gives.
    most: usize,
}

impl Results {
    /// As many as are asked for, or usual, and no more than the policy has. None is not the same as no bound.
    pub(crate) fn most(self, asked: u64, obligations: &Obligations) -> Option<NonZeroUsize> {
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let asked = if asked == 0 { self.usual } else { number(asked) };
        let allowed = obligations.most(MAX_RESULTS).map_or(self.most, |most| self.most.min(number(most)));
        NonZeroUsize::new(asked.min(allowed))
    }
}

/// The time that is asked for, or usual, and no more than the policy has.
pub(crate) fn timeout(asked_ms: u64, obligations: &Obligations) -> Duration {
    let asked = effective_timeout(asked_ms);
    obligations.most(TIMEOUT).map_or(asked, |most| asked.min(Duration::from_millis(most)))
}

/// Bytes of output that are kept: the usual number, or what the policy has.
pub(crate) fn output_max(usual: usize, obligations: &Obligations) -> usize {
    obligations.most(OUTPUT).map_or(usual, |most| usual.min(usize::try_from(most).unwrap_or(usual)))
}

fn wide(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

pub(crate) const LISTED: Results = Results { usual: 5_000, most: LIST_FILES_MAX };
pub(crate) const FOUND: Results = Results { usual: 1_000, most: GREP_MATCHES_MAX };
pub(crate) const PROCESSES: Results = Results { usual: LIST_DEFAULT, most: LIST_MAX };
/// Numbers of operations, as policies name them.
pub(crate) const BYTES: &str = "bytes";
pub(crate) const OUTPUT: &str = "output";
const MAX_RESULTS: &str = "max-results";
const TIMEOUT: &str = "timeout";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::Tools;

    /// Every number of every operation that is done here: what is left open is charged as what it means.
    #[test]
    fn what_a_request_leaves_open_is_charged_as_what_takes_effect() {
        let open = Obligations::default();
        let mut seen = Vec::new();
        for operation in Operation::ALL.iter().filter(|operation| Tools::supports(**operation)) {
            for number in operation.attributes().numbers {
                let amount = measured(*operation, number.name, None, &open).map(|measured| measured.amount);
                seen.push((operation.name(), number.name, amount));
            }
        }
        let (object, shell, invoke) = (128 << 20, 5 << 20, 64 << 10);
        assert_eq!(
            seen,
            [
                ("file.read", "bytes", Some(object)),
                // Every request to read says where to start.
                ("file.read", "offset", None),
                // The size of these is that of what the request brings along.
                ("file.write", "bytes", None),
                ("file.write", "offset", None),
                ("file.edit", "bytes", None),
                ("file.edit", "offset", None),
                ("file.patch", "bytes", None),
                ("file.patch", "offset", None),
                ("fs.list", "max-results", Some(5_000)),
                ("fs.grep", "max-results", Some(1_000)),
                ("shell.exec", "timeout", Some(600_000)),
                ("shell.exec", "output", Some(shell)),
                ("shell.inline", "timeout", Some(600_000)),
                ("shell.inline", "output", Some(shell)),
                ("pytest.run", "timeout", Some(600_000)),
                ("pytest.run", "output", Some(invoke)),
                ("proc.list", "max-results", Some(wide(LIST_DEFAULT))),
                ("artifact.publish", "bytes", Some(object)),
            ]
        );
    }

    #[test]
    fn what_a_request_says_is_charged_as_it_takes_effect() {
        let open = Obligations::default();
        let amount = |operation, attribute, said| {
            let measured = measured(operation, attribute, Some(said), &open).unwrap();
            (measured.amount, measured.claim)
        };
        assert_eq!(amount(Operation::FileRead, "bytes", 7), (7, Claim::Hold));
        assert_eq!(amount(Operation::FileRead, "bytes", 1 << 30), (128 << 20, Claim::Hold));
        assert_eq!(amount(Operation::FileRead, "offset", 7), (7, Claim::Spend));
        assert_eq!(amount(Operation::FileWrite, "bytes", 7), (7, Claim::Spend));
        assert_eq!(amount(Operation::FsList, "max-results", 7), (7, Claim::Hold));
        assert_eq!(amount(Operation::FsGrep, "max-results", u64::MAX), (10_000, Claim::Hold));
        assert_eq!(amount(Operation::ShellExec, "timeout", 7), (7, Claim::Hold));
    }
}
