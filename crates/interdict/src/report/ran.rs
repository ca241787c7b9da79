//! A command of this program -> what it was given and what it said, without what no two runs have in common.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

/// A command that ran.
pub(super) struct Ran {
    /// As one would type it.
    pub(super) command: String,
    pub(super) input: Vec<&'static str>,
    /// As it was said.
    pub(super) raw: Vec<String>,
    pub(super) errors: String,
    pub(super) code: Option<i32>,
}

impl Ran {
    /// Runs this program in a folder, and gives it these lines.
    pub(super) fn new(folder: &Path, arguments: &[&str], input: Vec<&'static str>) -> io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(arguments).current_dir(folder);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let stdin = child.stdin.take();
        let lines: String = input.iter().flat_map(|line| [*line, "\n"]).collect();
        // Who does not read does not have to: what it says is looked at below.
        let writer = thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(lines.as_bytes())));
        let output = child.wait_with_output()?;
        drop(writer.join());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ok(Self {
            command: format!("interdict {}", arguments.join(" ")),
            input,
            raw: text(&output.stdout).lines().map(str::to_owned).collect(),
            errors: text(&output.stderr),
            code: output.status.code(),
        })
    }
}

/// The text, with a mark for what differs from run to run: the folder's name, times, and the ledger's digests, which cover
/// times.
pub(super) fn settled(text: &str, folder: &Path) -> String {
    let mut text = text.replace(&*folder.to_string_lossy(), "<folder>");
    for Varying { before, is_part, least, mark } in VARYING {
        text = marked(&text, before, *is_part, *least, mark);
    }
    text
}

/// Something that differs from run to run.
struct Varying {
    /// What stands before it.
    before: &'static str,
    is_part: fn(char) -> bool,
    /// Shorter ones are something else.
    least: usize,
    mark: &'static str,
}

const VARYING: &[Varying] = &[
    Varying { before: "\"timestamp_utc\":\"", is_part: |c| c != '"', least: 1, mark: "<time>" },
    Varying { before: "\"duration_ms\":", is_part: |c| c.is_ascii_digit(), least: 1, mark: "<ms>" },
    Varying { before: " killed after ", is_part: |c| c.is_ascii_digit(), least: 1, mark: "<ms>" },
    // pytest says how long its tests took.
    Varying { before: " in ", is_part: |c| c.is_ascii_digit() || c == '.', least: 4, mark: "<time>" },
    Varying { before: "ledger ", is_part: |c| c.is_ascii_hexdigit(), least: DIGEST_DIGITS, mark: "<digest>" },
    Varying { before: "last checkpoint ", is_part: |c| c.is_ascii_hexdigit(), least: DIGEST_DIGITS, mark: "<digest>" },
];
const DIGEST_DIGITS: usize = 64;

fn marked(text: &str, before: &str, is_part: fn(char) -> bool, least: usize, mark: &str) -> String {
    let mut parts = text.split(before);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(is_part);
        out.push_str(before);
        if part.len().saturating_sub(rest.len()) >= least {
            out.push_str(mark);
            out.push_str(rest);
        } else {
            out.push_str(part);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_from_run_to_run_is_marked_and_nothing_else() {
        let digest = "0123456789abcdef".repeat(4);
        let said = format!(
            "{{\"timestamp_utc\":\"2026-01-02T03:04:05Z\",\"cmd\":[\"/x/root\"],\"duration_ms\":17}}\n\
             = 1 passed in 0.01s =====\nledger {digest}\npolicy {digest}\nwritten in 3 files; a ledger of bees"
        );
        assert_eq!(
            settled(&said, Path::new("/x")),
            format!(
                "{{\"timestamp_utc\":\"<time>\",\"cmd\":[\"<folder>/root\"],\"duration_ms\":<ms>}}\n\
                 = 1 passed in <time>s =====\nledger <digest>\npolicy {digest}\nwritten in 3 files; a ledger of bees"
            )
        );
    }
}
