//! A report -> a page that people read.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};
use tool_json::OUTPUT_BYTES_MAX;

use super::Report;
use super::checks::Check;

pub(super) fn write(report: &Report) -> String {
    let mut page = Page::default();
    let verdict = if report.holds() {
        "Everything below holds."
    } else {
        "NOT EVERYTHING BELOW HOLDS: see the rows in capitals."
    };
    page.line("# Evidence: tool invocations");
    page.line("");
    page.line(&format!("interdict {}. {verdict}", env!("CARGO_PKG_VERSION")));
    page.line(
        "Two reports of one machine are the same: `<time>`, `<ms>`, `<digest>` and `<folder>` stand for what differs.",
    );
    page.heading("Files written or read");
    page.line("| path | size_bytes | sha256 |\n|---|---|---|");
    for (path, size, hash) in &report.files {
        page.line(&format!("| `{path}` | {size} | {hash} |"));
    }
    page.heading("Schema");
    page.line("| field | type | answers that have it | |\n|---|---|---|---|");
    for field in &report.schema {
        let held = held(field.holds());
        page.line(&format!("| `{}` | {} | {} of {} | {held} |", field.name, field.kind, field.have_it, field.answers));
    }
    page.checks("Containment", &report.containment);
    page.heading("Output cap");
    page.line(&format!("Both streams together have at most {OUTPUT_BYTES_MAX} bytes.\n"));
    page.table(&report.cap);
    page.checks("Behaviour", &report.behaviour);
    page.heading("Commands and what they said");
    for shown in &report.commands {
        let mut block = format!("$ {}\n", shown.command);
        for (place, line) in shown.input.iter().enumerate() {
            block.push_str(&format!("< {}\n", cut(line)));
            if let Some(answer) = shown.output.get(place) {
                block.push_str(&format!("> {}\n", cut(answer)));
            }
        }
        for line in shown.output.iter().skip(shown.input.len()) {
            block.push_str(&format!("> {}\n", cut(line)));
        }
        for line in &shown.errors {
            block.push_str(&format!("! {}\n", cut(line)));
        }
        let code = shown.code.map_or_else(|| "none, killed by a signal".to_owned(), |code| code.to_string());
        page.line(&format!("````text\n{block}exit code {code}\n````\n"));
    }
    page.line("`<` is the standard input, `>` the standard output, `!` the standard error.");
    page.0
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn heading(&mut self, heading: &str) {
        self.line(&format!("\n## {heading}\n"));
    }

    fn checks(&mut self, heading: &str, checks: &[Check]) {
        self.heading(heading);
        self.table(checks);
    }

    fn table(&mut self, checks: &[Check]) {
        self.line("| what | expected | found | |\n|---|---|---|---|");
        for check in checks {
            self.line(&format!("| {} | {} | {} | {} |", check.name, check.expected, check.found, held(check.holds())));
        }
    }
}

fn held(holds: bool) -> &'static str {
    if holds { "holds" } else { "DOES NOT HOLD" }
}

/// A line whose middle nobody reads: its ends, how long it is, and what it hashes to.
fn cut(line: &str) -> String {
    if line.len() <= LINE_BYTES_MAX {
        return line.to_owned();
    }
    let head = line.get(..line.floor_char_boundary(END_BYTES)).unwrap_or_default();
    let tail = line.get(line.ceil_char_boundary(line.len().saturating_sub(END_BYTES))..).unwrap_or_default();
    let mut digest = String::new();
    for byte in Sha256::digest(line.as_bytes()) {
        // A string takes everything.
        let _ = write!(digest, "{byte:02x}");
    }
    format!("{head} […{} bytes, sha256 {digest}…] {tail}", line.len())
}

/// Longer lines are cut.
const LINE_BYTES_MAX: usize = 4_096;
/// How much of each end is kept.
const END_BYTES: usize = 512;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_lines_are_cut_and_by_whole_characters() {
        let short = "x".repeat(LINE_BYTES_MAX);
        assert_eq!(cut(&short), short);
        let long = "é".repeat(LINE_BYTES_MAX);
        let cut = cut(&long);
        assert!(cut.len() < 2 * END_BYTES + 200 && cut.contains(" […8192 bytes, sha256 "), "{cut}");
    }
}
