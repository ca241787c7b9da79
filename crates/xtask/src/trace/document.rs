//! Rows and their tests -> the document that people read. The same rows and tests give the same bytes.

use std::fmt::Write as _;

use super::{Row, Status};

/// The document; `evidence` has the tests of each row, sorted.
pub(super) fn render(rows: &[Row], evidence: &[Vec<String>]) -> String {
    let lines: Vec<Line<'_>> = rows.iter().zip(evidence).map(|(row, tests)| Line { row, tests }).collect();
    let groups: Vec<(&str, Vec<&Line<'_>>)> = GROUPS
        .iter()
        .map(|(prefix, title)| (*title, lines.iter().filter(|line| prefix_of(&line.row.id) == Some(*prefix)).collect()))
        .filter(|(_, lines): &(&str, Vec<&Line<'_>>)| !lines.is_empty())
        .collect();
    let mut text = HEADER.to_owned();
    // Writing to a String cannot fail.
    for (title, lines) in &groups {
        let _ = writeln!(text, "{}", summary(title, lines.iter().copied()));
    }
    let _ = writeln!(text, "{}", summary("all", lines.iter()));
    for (title, lines) in &groups {
        let _ = write!(text, "\n## {title}\n\n| id | requirement | status | tests |\n|---|---|---|---|\n");
        for line in lines {
            let _ = writeln!(text, "{}", line.render());
        }
    }
    text
}

/// Whether the document has a place for this id.
pub(super) fn has_group(id: &str) -> bool {
    GROUPS.iter().any(|(prefix, _)| prefix_of(id) == Some(*prefix))
}

/// A row and the tests that carry its id.
#[derive(Debug)]
struct Line<'a> {
    row: &'a Row,
    tests: &'a [String],
}

impl Line<'_> {
    fn status(&self) -> &'static str {
        match (self.row.status, self.tests) {
            (Status::Done, _) => DONE,
            (Status::Open, []) => OPEN,
            (Status::Open, [..]) => IN_PART,
        }
    }

    fn render(&self) -> String {
        let note = self.row.note.as_ref().map(|note| format!("<br>Note: {note}")).unwrap_or_default();
        let mut tests: Vec<String> = self.tests.iter().take(SHOWN).map(|test| format!("`{test}`")).collect();
        let more = self.tests.len().saturating_sub(SHOWN);
        if more > 0 {
            tests.push(format!("and {more} more"));
        }
        let requirement = in_cell(&format!("{}{note}", self.row.text));
        format!("| {} | {requirement} | {} | {} |", self.row.id, self.status(), tests.join("<br>"))
    }
}

fn summary<'a>(title: &str, lines: impl Iterator<Item = &'a Line<'a>>) -> String {
    let statuses: Vec<&str> = lines.map(Line::status).collect();
    let count = |wanted: &str| statuses.iter().filter(|status| **status == wanted).count();
    format!("| {title} | {} | {} | {} | {} |", count(DONE), count(IN_PART), count(OPEN), statuses.len())
}

fn prefix_of(id: &str) -> Option<&str> {
    id.split_once('-').map(|(prefix, _)| prefix)
}

/// Text that ends neither its cell nor its line.
fn in_cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

const DONE: &str = "done";
const OPEN: &str = "open";
const IN_PART: &str = "open, in part";

/// How many tests of a row are named.
const SHOWN: usize = 3;

const HEADER: &str = "\
# Conformance

Generated from `tests/conformance/requirements.toml` and from the names of the tests by `cargo xtask trace --write`; do
not edit it. A test is evidence for a requirement when its name carries the id in snake form: `inv_0007` for INV-0007.
`cargo xtask trace` fails while a requirement that is done has no test, and while this document is out of date.

- done: met, and the tests named show it.
- open, in part: not met as a whole; the tests named show a part of it.
- open: nothing shows it.

| group | done | open, in part | open | all |
|---|---|---|---|---|
";

/// The groups in the order of the document: what their ids start with, and what they are about.
const GROUPS: &[(&str, &str)] = &[
    ("INV", "Wire protocol: invariants"),
    ("CTR", "Wire protocol: contracts"),
    ("TRUST", "Trust boundaries"),
    ("SEC", "Tool execution security"),
    ("SDK", "Tool runtime SDK"),
    ("TOOL", "Tools"),
    ("RULE", "Rules of validation"),
    ("GATE", "Operation gating"),
    ("INVOKE", "The tool_invoke substrate"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, status: Status) -> Row {
        Row { id: id.to_owned(), text: format!("a|b of {id}."), note: None, status }
    }

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("model::t{number}")).collect()
    }

    #[test]
    fn a_line_has_the_id_the_text_the_status_and_at_most_three_tests() {
        let done = row("INV-0001", Status::Done);
        let shown = |row: &Row, count: usize| Line { row, tests: &names(count) }.render();
        assert_eq!(shown(&done, 1), r"| INV-0001 | a\|b of INV-0001. | done | `model::t0` |");
        let three = r"| INV-0001 | a\|b of INV-0001. | done | `model::t0`<br>`model::t1`<br>`model::t2` |";
        assert_eq!(shown(&done, 3), three);
        assert_eq!(shown(&done, 5), three.replace("t2`", "t2`<br>and 2 more"));
        let noted = Row { note: Some("this".into()), ..row("INV-0001", Status::Open) };
        assert_eq!(shown(&noted, 0), r"| INV-0001 | a\|b of INV-0001.<br>Note: this | open |  |");
        assert!(shown(&noted, 1).contains("| open, in part | `model::t0` |"));
    }

    #[test]
    fn groups_are_counted_and_come_in_the_order_of_the_table() {
        let rows = [row("CTR-0001", Status::Open), row("INV-0001", Status::Done), row("CTR-0002", Status::Open)];
        let text = render(&rows, &[names(0), names(1), names(1)]);
        let counts = "| Wire protocol: invariants | 1 | 0 | 0 | 1 |\n| Wire protocol: contracts | 0 | 1 | 1 | 2 |\n\
                      | all | 1 | 1 | 1 | 3 |\n\n## Wire protocol: invariants\n";
        assert!(text.contains(counts), "{text}");
        assert!(text.ends_with("| CTR-0002 | a\\|b of CTR-0002. | open, in part | `model::t0` |\n"), "{text}");
    }

    #[test]
    fn a_prefix_of_a_group_is_another_group() {
        assert!(has_group("INV-0001") && has_group("INVOKE-CAP"));
        assert!(!has_group("INVO-1") && !has_group("INV") && !has_group("X-1"));
    }
}
