//! What tools give: the JSON of a successful response, each as one type for who writes it and who reads it.
//!
//! Reading a file gives the bytes of the file and no JSON; processes are told by [`crate::sandbox::ProcessList`].

use serde::{Deserialize, Serialize};

use crate::files::FileKind;
use crate::sandbox::{Exit, RunResult};

/// A file was written (`TOOL-file_write`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// It was.
    pub written: bool,
    /// How long the file is now.
    pub bytes: u64,
    /// Of all of it, in hexadecimal digits.
    pub sha256: String,
}

/// A text in a file was replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edited {
    /// It was.
    pub edited: bool,
    /// How long the file is now.
    pub bytes: u64,
    /// Of all of it, in hexadecimal digits.
    pub sha256: String,
}

/// A diff was applied (`TOOL-file_patch`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patched {
    /// It was.
    pub patched: bool,
    /// In all files together.
    pub hunks_applied: u64,
    /// What it changed, from the root on.
    pub files: Vec<String>,
}

/// Files and folders that match a glob (`TOOL-fs_list`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    /// From the root on, sorted.
    pub files: Vec<String>,
    /// The same of folders, where the glob says how deep it goes; left out when there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<String>,
    /// What else is in a folder, where the glob is for what is in one (`INVOKE-LIST`); left out when there is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Other>,
    /// Whether there are more.
    pub truncated: bool,
}

/// Something in a folder that is neither a file nor a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Other {
    /// From the root on.
    pub path: String,
    /// What it is.
    pub kind: FileKind,
}

/// Lines that match (`TOOL-grep`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Sorted by file and line.
    pub matches: Vec<Match>,
    /// Whether there are more.
    pub truncated: bool,
    /// Files and folders that could not be read, and files with a line that is too long; left out when there are none.
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
    /// It was.
    pub moved: bool,
}

/// Something was copied (`TOOL-fs_copy`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copied {
    /// It was.
    pub copied: bool,
}

/// Something was deleted (`TOOL-fs_delete`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deleted {
    /// Whether there was something to delete.
    pub deleted: bool,
}

/// Content was published (`TOOL-artifact_publish`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// It was.
    pub published: bool,
    /// Under this name.
    pub artifact_id: String,
    /// BLAKE3 of the content, in hexadecimal digits.
    pub content_hash: String,
}

/// A command was run (`TOOL-shell_exec`, `INVOKE-PYTEST`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// What it ended with, as a shell says it: 128 and its number for a signal, 124 when its time was over, 126 when a
    /// command could not be started.
    pub code: i32,
    /// The signal that ended it; left out when none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// What it wrote. Bytes that are no UTF-8 are replaced.
    pub stdout: String,
    /// What it wrote beside it, and behind it which command could not be started.
    pub stderr: String,
    /// Whether some of that was left out.
    pub truncated: bool,
    /// Whether it was killed because it took too long.
    pub timed_out: bool,
    /// How long it took.
    pub duration_ms: u64,
    /// What was run, word by word; of a line, its commands with `|`, `&&`, `||` or `;` between them.
    pub cmd: Vec<String>,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

impl Ran {
    /// What a run of these words came to.
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
