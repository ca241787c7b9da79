//! The JSON of successful responses, one type for each tool, for writers and readers alike.
//!
//! Reading a file returns its bytes and no JSON; processes are listed as [`crate::sandbox::ProcessList`].

use serde::{Deserialize, Serialize};

use crate::files::FileKind;
use crate::sandbox::{Exit, RunResult};

/// A file was written (`TOOL-file_write`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Always true.
    pub written: bool,
    /// The file's new length.
    pub bytes: u64,
    /// SHA-256 of the whole file, in hexadecimal digits.
    pub sha256: String,
}

/// A text in a file was replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edited {
    /// Always true.
    pub edited: bool,
    /// The file's new length.
    pub bytes: u64,
    /// SHA-256 of the whole file, in hexadecimal digits.
    pub sha256: String,
}

/// A diff was applied (`TOOL-file_patch`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patched {
    /// Always true.
    pub patched: bool,
    /// The number of hunks, in all files together.
    pub hunks_applied: u64,
    /// The changed files, from the root on.
    pub files: Vec<String>,
}

/// Files and directories that match a glob (`TOOL-fs_list`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// From the root on, sorted.
    pub files: Vec<String>,
    /// Matching directories, where the glob says how deep it goes; left out when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<String>,
    /// Other entries of a directory, where the glob lists one (`INVOKE-LIST`); left out when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Other>,
    /// True if there are more.
    pub truncated: bool,
}

/// A directory entry that is neither a file nor a directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Other {
    /// From the root on.
    pub path: String,
    /// The kind of entry.
    pub kind: FileKind,
}

/// Lines that match (`TOOL-grep`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Sorted by file and line.
    pub matches: Vec<Match>,
    /// True if there are more.
    pub truncated: bool,
    /// Files and directories that could not be read, and files with a line that is too long; left out when there are none.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unread: u64,
}

/// A line that matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Match {
    /// From the root on.
    pub file: String,
    /// From one on.
    pub line: u64,
    /// The byte at which the match starts, from one on.
    pub col: u64,
    /// The line, or its beginning.
    pub snippet: String,
}

/// Something was moved (`TOOL-fs_move`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    /// Always true.
    pub moved: bool,
}

/// Something was copied (`TOOL-fs_copy`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copied {
    /// Always true.
    pub copied: bool,
}

/// Something was deleted (`TOOL-fs_delete`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deleted {
    /// False if there was nothing to delete.
    pub deleted: bool,
}

/// Content was published (`TOOL-artifact_publish`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// Always true.
    pub published: bool,
    /// The artifact's name.
    pub artifact_id: String,
    /// BLAKE3 of the content, in hexadecimal digits.
    pub content_hash: String,
}

/// A command was run (`TOOL-shell_exec`, `INVOKE-PYTEST`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// The exit code as a shell reports it: 128 and the number of a signal, 124 after the timeout, 126 when a command could
    /// not be started.
    pub code: i32,
    /// The signal that ended it; left out when none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// The standard output. Bytes that are not UTF-8 are replaced.
    pub stdout: String,
    /// The standard error, and after it the command that could not be started.
    pub stderr: String,
    /// True if some of the output was left out.
    pub truncated: bool,
    /// True if it was killed at the timeout.
    pub timed_out: bool,
    /// The duration.
    pub duration_ms: u64,
    /// The words that ran; of a line, its commands with `|`, `&&`, `||` or `;` between them.
    pub cmd: Vec<String>,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

impl Ran {
    pub(crate) fn new(cmd: Vec<String>, ran: &RunResult) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut stderr = text(&ran.stderr.bytes);
        if matches!(ran.exit, Exit::Broken { .. }) {
            let between = if stderr.is_empty() || stderr.ends_with('\n') { "" } else { "\n" };
            stderr = format!("{stderr}{between}{}\n", ran.exit);
        }
        Self {
            code: ran.exit.code(),
            signal: ran.exit.signal(),
            stdout: text(&ran.stdout.bytes),
            stderr,
            truncated: ran.is_truncated(),
            timed_out: ran.exit == Exit::TimedOut,
            duration_ms: u64::try_from(ran.duration.as_millis()).unwrap_or(u64::MAX),
            cmd,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rustix::io::Errno;

    use super::*;
    use crate::sandbox::Output;

    #[test]
    fn a_broken_line_is_told_behind_its_output() {
        let stderr = Output { bytes: b"first".to_vec(), total_bytes: 5 };
        let exit = Exit::Broken { command: 6, error: Errno::AGAIN };
        let (stdout, cpu) = (Output::default(), Duration::ZERO);
        let result = RunResult { exit, stdout, stderr, duration: Duration::from_millis(7), cpu, memory_kib: 0 };
        let ran = Ran::new(vec!["ls".to_owned()], &result);
        assert!(ran.stderr.starts_with("first\ncould not start command 6: "), "{}", ran.stderr);
        assert_eq!((ran.code, ran.signal, ran.truncated, ran.timed_out, ran.duration_ms), (126, None, false, false, 7));
        let ran = Ran::new(Vec::new(), &RunResult { exit: Exit::TimedOut, ..result });
        assert_eq!((ran.code, ran.timed_out, ran.stderr.as_str()), (124, true, "first"));
    }
}
