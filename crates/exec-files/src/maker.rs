//! Name of a temporary file <-> the process that made it.
//!
//! ```text
//! .interdict-<process id>-<start time>-<random>.tmp    all hexadecimal
//! ```
//!
//! Process id and start time, in ticks since boot, are unique together. A process of another machine or container that shares
//! the directory looks as if it had ended.

use crate::FileError;
use rustix::io::Errno;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Maker {
    process: u32,
    started: u64,
}

impl Maker {
    /// Parses a name; none if it is not that of a temporary file.
    pub(super) fn of(name: &[u8]) -> Option<Self> {
        let name = std::str::from_utf8(name).ok()?;
        let name = name.strip_prefix(TEMPORARY_PREFIX)?.strip_suffix(TEMPORARY_SUFFIX)?;
        let mut parts = name.split('-');
        let (process, started, random) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() || random.len() != RANDOM_DIGITS || u64::from_str_radix(random, 16).is_err() {
            return None;
        }
        let process = u32::from_str_radix(process, 16).ok()?;
        Some(Self { process, started: u64::from_str_radix(started, 16).ok()? })
    }

    /// True if the process has certainly ended.
    pub(super) fn is_gone(self) -> bool {
        // If `/proc` does not show this process, it may hide others, too.
        started_at("self").is_some() && started_at(&self.process.to_string()) != Some(self.started)
    }

    fn myself() -> Self {
        Self { process: std::process::id(), started: started_at("self").unwrap_or(0) }
    }
}

/// Makes a name that other processes cannot guess.
pub(super) fn temporary_name() -> Result<Vec<u8>, FileError> {
    let random = getrandom::u64().map_err(|_| FileError::of("making a temporary name")(Errno::IO))?;
    let Maker { process, started } = Maker::myself();
    Ok(format!("{TEMPORARY_PREFIX}{process:x}-{started:x}-{random:016x}{TEMPORARY_SUFFIX}").into_bytes())
}

fn started_at(process: &str) -> Option<u64> {
    exec_base::ProcessStat::read(process)?.started()
}

const TEMPORARY_PREFIX: &str = ".interdict-";
const TEMPORARY_SUFFIX: &str = ".tmp";
const RANDOM_DIGITS: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_name_tells_who_made_it_and_whether_that_one_runs() {
        let maker = Maker::of(&temporary_name().unwrap()).unwrap();
        assert_eq!(maker, Maker::myself());
        assert!(!maker.is_gone() && maker.started > 0);
        // The same number, given to another process since.
        assert!(Maker { started: maker.started + 1, ..maker }.is_gone());
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let process = child.id();
        child.wait().unwrap();
        assert!(Maker { process, started: maker.started }.is_gone());
    }

    #[test]
    fn no_other_name_is_taken_for_a_temporary_one() {
        let random = "0123456789abcdef";
        let fine = format!(".interdict-1-2-{random}.tmp");
        assert_eq!(Maker::of(fine.as_bytes()), Some(Maker { process: 1, started: 2 }));
        for name in [
            ".interdict-.tmp",
            ".interdict-1-2-3.tmp",
            ".interdict-1-0123456789abcdef.tmp",
            ".interdict-1-2-0123456789abcdeg.tmp",
            ".interdict-1-2-3-0123456789abcdef.tmp",
            ".interdict-x-2-0123456789abcdef.tmp",
            "interdict-1-2-0123456789abcdef.tmp",
            ".interdict-1-2-0123456789abcdef.tmp~",
        ] {
            assert_eq!(Maker::of(name.as_bytes()), None, "{name}");
        }
    }
}
