//! `policyc explain-code`: a code -> what it means, with a wrong and a right example.

use policy_syntax::codes::find;
use policy_syntax::{Code, closest};

use crate::cli::ExplainCodeArgs;
use crate::exit::{Outcome, RunError};
use crate::output;

pub(crate) fn run(args: &ExplainCodeArgs) -> Result<Outcome, RunError> {
    let text = match &args.code {
        None => list(),
        Some(written) => explanation(code_of(written)?),
    };
    output::print(text.as_bytes())?;
    Ok(Outcome::Fine)
}

fn code_of(written: &str) -> Result<&'static Code, RunError> {
    find(LISTS, written).ok_or_else(|| RunError::UnknownCode {
        written: written.to_owned(),
        meant: closest(written, all().map(|code| code.id)),
    })
}

fn list() -> String {
    let mut codes: Vec<_> = all().collect();
    codes.sort_by_key(|code| number_of(code.id));
    codes.iter().map(|code| format!("{}  {:7}  {}\n", code.id, code.severity.as_str(), code.title)).collect()
}

fn explanation(code: &Code) -> String {
    let id = code.id;
    let severity = code.severity.as_str();
    let (title, explanation) = (code.title, wrapped(code.explanation));
    let (wrong, right) = (indented(code.wrong), indented(code.right));
    format!("{severity}[{id}]: {title}\n\n{explanation}\nWrong:\n\n{wrong}\nRight:\n\n{right}")
}

fn all() -> impl Iterator<Item = &'static Code> {
    LISTS.iter().flat_map(|list| list.iter()).copied()
}

/// Codes are listed by number: what belongs together stands together, errors or not.
fn number_of(id: &str) -> (&str, &str) {
    let digits = id.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    (digits, id)
}

fn indented(example: &str) -> String {
    example.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") }).collect()
}

fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    let mut width = 0_usize;
    for word in text.split_whitespace() {
        let chars = word.chars().count();
        if width > 0 && width.saturating_add(chars) >= LINE_CHARS_MAX {
            lines.push('\n');
            width = 0;
        } else if width > 0 {
            lines.push(' ');
        }
        lines.push_str(word);
        width = width.saturating_add(chars).saturating_add(1);
    }
    lines.push('\n');
    lines
}

const LISTS: &[&[&Code]] = &[policy_syntax::codes::ALL, policy_model::codes::ALL, policy_import::codes::ALL];

const LINE_CHARS_MAX: usize = 90;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_code_is_listed_twice() {
        let mut ids: Vec<_> = all().map(|code| code.id).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }

    #[test]
    fn words_are_kept_and_lines_are_short() {
        let text = "word ".repeat(100);
        let lines = wrapped(&text);
        assert!(lines.lines().all(|line| line.chars().count() <= LINE_CHARS_MAX));
        assert_eq!(lines.split_whitespace().count(), 100);
    }
}
