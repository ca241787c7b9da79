//! The output of a tool, cut to the size that a result may carry (INVOKE-CAP).

use serde::{Deserialize, Serialize};

use crate::fields::{FieldError, Problem};

/// The size limit of both streams together: 64 KB.
pub const OUTPUT_BYTES_MAX: usize = 65_536;

/// The output of a tool, and of a command also how it ended (INVOKE-PYTEST).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// A signal that ended the command is a negative number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exit_code: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stdout: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stderr: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    duration_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cmd: Option<Vec<String>>,
    truncated: bool,
}

/// Cuts both streams. A stream that is shorter than half leaves the rest to the other; neither can push the other out.
fn cap<'a>(stdout: &'a str, stderr: &'a str) -> (&'a str, &'a str) {
    const HALF: usize = OUTPUT_BYTES_MAX / 2;
    let stdout_most = OUTPUT_BYTES_MAX - stderr.len().min(HALF);
    let (stdout, _) = stdout.split_at(stdout.floor_char_boundary(stdout_most));
    let stderr_most = OUTPUT_BYTES_MAX - stdout.len();
    let (stderr, _) = stderr.split_at(stderr.floor_char_boundary(stderr_most));
    (stdout, stderr)
}

impl Output {
    /// The output of a command that ended.
    #[must_use]
    pub fn of_run(stdout: &str, stderr: &str, exit_code: i64, duration_ms: u64, cmd: Vec<String>) -> Self {
        let (kept_stdout, kept_stderr) = cap(stdout, stderr);
        Self {
            exit_code: Some(exit_code),
            stdout: Some(kept_stdout.to_owned()),
            stderr: Some(kept_stderr.to_owned()),
            duration_ms: Some(duration_ms),
            cmd: Some(cmd),
            truncated: kept_stdout.len() < stdout.len() || kept_stderr.len() < stderr.len(),
        }
    }

    /// The text that a tool returned.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let (kept, _) = cap(text, "");
        Self { stdout: Some(kept.to_owned()), truncated: kept.len() < text.len(), ..Self::default() }
    }

    /// Marks the output as truncated when it was cut before.
    #[must_use]
    pub fn truncated_if(self, was_cut: bool) -> Self {
        Self { truncated: self.truncated || was_cut, ..self }
    }

    /// Fails for output that is too long, and for a command of which something is missing.
    pub(super) fn check(&self) -> Result<(), FieldError> {
        let bytes = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let is_run = [self.exit_code.is_some(), self.duration_ms.is_some(), self.cmd.is_some()];
        let rule = if bytes(&self.stdout).saturating_add(bytes(&self.stderr)) > OUTPUT_BYTES_MAX {
            "must not be longer than 64 KB"
        } else if is_run.contains(&true) && is_run.contains(&false) {
            "must have `exit_code`, `duration_ms` and `cmd`, or none of them"
        } else {
            return Ok(());
        };
        Err(FieldError::new("output", Problem::Value(rule.to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(stdout: &str, stderr: &str) -> Output {
        Output::of_run(stdout, stderr, 0, 1, vec!["x".to_owned()])
    }

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
            let output = run(&stdout, &stderr);
            let length = |stream: &Option<String>| stream.as_ref().unwrap().len();
            assert_eq!((length(&output.stdout), length(&output.stderr), output.truncated), kept);
        }
    }

    #[test]
    fn invoke_cap_shows_output_that_was_cut_before_as_truncated() {
        assert!(!run("a", "b").truncated_if(false).truncated);
        assert!(run("a", "b").truncated_if(true).truncated);
        assert!(run(&"a".repeat(OUTPUT_BYTES_MAX), "b").truncated_if(false).truncated);
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
            let (kept_stdout, kept_stderr) = cap(&stdout, &stderr);
            assert!(stdout.starts_with(kept_stdout) && stderr.starts_with(kept_stderr));
            let kept = kept_stdout.len() + kept_stderr.len();
            assert!(kept <= OUTPUT_BYTES_MAX);
            // No more is lost than the rest of one character of each.
            assert!(kept == stdout.len() + stderr.len() || kept > OUTPUT_BYTES_MAX - 8, "{kept}");
        }
    }
}
