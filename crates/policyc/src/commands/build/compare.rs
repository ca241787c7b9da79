//! (file, expected bytes) -> the difference. Nothing is written.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use policy_table::{blake3, hex};
use table_format::{Pin, Table};

use crate::exit::RunError;

/// The state of a file of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    Written,
    Same,
    /// With a short description of the difference.
    Differs(String),
    Missing,
}

impl State {
    pub(super) fn is_fine(&self) -> bool {
        matches!(self, Self::Written | Self::Same)
    }

    /// Returns the name used in JSON.
    pub(super) fn as_str(&self) -> &'static str {
        match self {
            Self::Written => "written",
            Self::Same => "same",
            Self::Differs(_) => "differs",
            Self::Missing => "missing",
        }
    }
}

pub(super) fn compare(path: &Path, expected: &[u8]) -> Result<State, RunError> {
    let unreadable = |error: io::Error| RunError::Read(path.to_owned(), error.to_string());
    let kind = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::Missing),
        other => other.map_err(unreadable)?,
    };
    if !kind.is_file() {
        return Err(RunError::Read(path.to_owned(), "it is not a regular file".to_owned()));
    }
    let mut found = Vec::new();
    let enough = u64::try_from(expected.len()).unwrap_or(u64::MAX).saturating_add(1);
    File::open(path).and_then(|file| file.take(enough).read_to_end(&mut found)).map_err(unreadable)?;
    Ok(if found == expected { State::Same } else { State::Differs(difference(&found, expected)) })
}

fn difference(found: &[u8], expected: &[u8]) -> String {
    let digest = |bytes: &[u8]| Table::open(bytes, Pin::Unpinned, blake3).ok().map(|table| hex(&table.digest()));
    match (digest(found), digest(expected)) {
        (Some(found), Some(expected)) => format!("its digest is {found}, the policy's is {expected}"),
        (None, Some(_)) => "it is no whole table".to_owned(),
        (_, None) => format!("first in line {}", first_line(found, expected)),
    }
}

fn first_line(found: &[u8], expected: &[u8]) -> usize {
    let same = found.iter().zip(expected).take_while(|(found, expected)| found == expected);
    same.filter(|(byte, _)| **byte == b'\n').count().saturating_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_named() {
        for (found, line) in [("A\nb\n", 1), ("a\nB\n", 2), ("a\nb", 2), ("a\nb\nc", 3), ("", 1)] {
            assert_eq!(difference(found.as_bytes(), b"a\nb\n"), format!("first in line {line}"), "{found:?}");
        }
    }
}
