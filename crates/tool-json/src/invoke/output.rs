//! What a tool wrote, cut to what a result may carry (INVOKE-CAP).

use serde::{Deserialize, Serialize};

use super::given;

/// Bytes of both streams together: 64 KB.
pub const OUTPUT_BYTES_MAX: usize = 65_536;

/// What a tool wrote. Both streams together are never longer than [`OUTPUT_BYTES_MAX`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Output {
    stdout: Option<String>,
    stderr: Option<String>,
    truncated: bool,
    run: Option<Run>,
}

/// How a command ended that was run to its end (INVOKE-PYTEST).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// What it ended with; a signal that ended it is below zero.
    pub exit_code: i64,
    /// How long it took.
    pub duration_ms: u64,
    /// The command, word by word.
    pub cmd: Vec<String>,
}

/// Two streams that fit together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capped<'a> {
    /// The beginning of the one.
    pub stdout: &'a str,
    /// The beginning of the other.
    pub stderr: &'a str,
    /// Whether something was left out.
    pub truncated: bool,
}

/// Keeps the beginning of both streams. A stream that is shorter than half leaves the rest to the other; neither can
/// push the other out.
#[must_use]
pub fn cap_output<'a>(stdout: &'a str, stderr: &'a str) -> Capped<'a> {
    const HALF: usize = OUTPUT_BYTES_MAX / 2;
    let stdout_most = OUTPUT_BYTES_MAX - stderr.len().min(HALF);
    let (kept_stdout, _) = stdout.split_at(stdout.floor_char_boundary(stdout_most));
    let stderr_most = OUTPUT_BYTES_MAX - kept_stdout.len();
    let (kept_stderr, _) = stderr.split_at(stderr.floor_char_boundary(stderr_most));
    let truncated = kept_stdout.len() < stdout.len() || kept_stderr.len() < stderr.len();
    Capped { stdout: kept_stdout, stderr: kept_stderr, truncated }
}

impl Output {
    /// Both streams of a command that was run, cut to the cap.
    #[must_use]
    pub fn of_run(stdout: &str, stderr: &str, run: Run) -> Self {
        let Capped { stdout, stderr, truncated } = cap_output(stdout, stderr);
        Self { stdout: Some(stdout.to_owned()), stderr: Some(stderr.to_owned()), truncated, run: Some(run) }
    }

    /// What a tool gave, cut to the cap.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let Capped { stdout, truncated, .. } = cap_output(text, "");
        Self { stdout: Some(stdout.to_owned()), stderr: None, truncated, run: None }
    }

    /// The same, of which something was left out before.
    #[must_use]
    pub fn cut(self) -> Self {
        Self { truncated: true, ..self }
    }

    /// The output that the tool gave.
    #[must_use]
    pub fn stdout(&self) -> Option<&str> {
        self.stdout.as_deref()
    }

    /// What it said beside it.
    #[must_use]
    pub fn stderr(&self) -> Option<&str> {
        self.stderr.as_deref()
    }

    /// Whether something was left out.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    /// How the command ended.
    #[must_use]
    pub fn run(&self) -> Option<&Run> {
        self.run.as_ref()
    }
}

/// Output as it is written, before it is known to fit.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    exit_code: Option<i64>,
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    stdout: Option<String>,
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    stderr: Option<String>,
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    #[serde(default, deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    cmd: Option<Vec<String>>,
    truncated: bool,
}

impl TryFrom<Written> for Output {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let Written { exit_code, stdout, stderr, duration_ms, cmd, truncated } = written;
        let bytes = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        if bytes(&stdout).saturating_add(bytes(&stderr)) > OUTPUT_BYTES_MAX {
            return Err("longer than 64 KB");
        }
        let run = match (exit_code, duration_ms, cmd) {
            (Some(exit_code), Some(duration_ms), Some(cmd)) => Some(Run { exit_code, duration_ms, cmd }),
            (None, None, None) => None,
            _ => return Err("of a command without its exit code, its duration or its words"),
        };
        Ok(Self { stdout, stderr, truncated, run })
    }
}

impl From<Output> for Written {
    fn from(output: Output) -> Self {
        let Output { stdout, stderr, truncated, run } = output;
        let (exit_code, duration_ms, cmd) = match run {
            Some(Run { exit_code, duration_ms, cmd }) => (Some(exit_code), Some(duration_ms), Some(cmd)),
            None => (None, None, None),
        };
        Self { exit_code, stdout, stderr, duration_ms, cmd, truncated }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invoke_cap_holds_for_both_streams_together() {
        const MOST: usize = OUTPUT_BYTES_MAX;
        const HALF: usize = MOST / 2;
        for (stdout, stderr, kept) in [
            (0, 0, (0, 0, false)),
            (MOST, 0, (MOST, 0, false)),
            (0, MOST, (0, MOST, false)),
            (MOST - 1, 1, (MOST - 1, 1, false)),
            (1, MOST - 1, (1, MOST - 1, false)),
            (MOST + 1, 0, (MOST, 0, true)),
            (0, MOST + 1, (0, MOST, true)),
            (MOST, 1, (MOST - 1, 1, true)),
            (1, MOST, (1, MOST - 1, true)),
            (HALF, HALF, (HALF, HALF, false)),
            (HALF + 1, HALF, (HALF, HALF, true)),
            (HALF, HALF + 1, (HALF, HALF, true)),
            (MOST * 2, MOST * 2, (HALF, HALF, true)),
        ] {
            let (stdout, stderr) = ("o".repeat(stdout), "e".repeat(stderr));
            let capped = cap_output(&stdout, &stderr);
            assert_eq!((capped.stdout.len(), capped.stderr.len(), capped.truncated), kept);
        }
    }

    #[test]
    fn invoke_cap_is_told_when_it_was_met_before() {
        let run = || Run { exit_code: 0, duration_ms: 1, cmd: vec!["x".to_owned()] };
        assert!(!Output::of_run("a", "b", run()).truncated());
        assert!(Output::of_run("a", "b", run()).cut().truncated());
    }

    #[test]
    fn invoke_cap_cuts_between_characters() {
        let mut rng = fastrand::Rng::with_seed(41);
        for _ in 0..300 {
            let mut stream = || {
                let character = *rng.choice(&["a", "\u{e9}", "\u{20ac}", "\u{1f980}"]).unwrap();
                "x".repeat(rng.usize(..4)) + &character.repeat(rng.usize(..OUTPUT_BYTES_MAX) / character.len())
            };
            let (stdout, stderr) = (stream(), stream());
            let capped = cap_output(&stdout, &stderr);
            assert!(stdout.starts_with(capped.stdout) && stderr.starts_with(capped.stderr));
            let kept = capped.stdout.len() + capped.stderr.len();
            assert!(kept <= OUTPUT_BYTES_MAX);
            assert_eq!(capped.truncated, kept < stdout.len() + stderr.len());
            // No more is lost than the rest of one character of each.
            assert!(!capped.truncated || kept > OUTPUT_BYTES_MAX - 8, "{kept}");
        }
    }
}
