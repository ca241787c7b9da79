//! The rules over one text file: (path, text) -> findings. They know no other file.

use super::finding::{Fault, Finding};

/// Everything wrong with one text file.
pub(super) fn check(path: &str, text: &str) -> Vec<Finding> {
    // Test data is there to be wrong, snapshots repeat it byte for byte, and data of others is not ours to change.
    if is_test_data(path) {
        return Vec::new();
    }
    RULES.iter().flat_map(|rule| rule(path, text)).collect()
}

fn header(path: &str, text: &str) -> Vec<Finding> {
    let has_none = is_rust(path) && !text.starts_with("//!");
    has_none.then(|| Finding::new(path, 1, Fault::NoHeader)).into_iter().collect()
}

fn length(path: &str, text: &str) -> Vec<Finding> {
    let lines = text.lines().count();
    let is_long = is_rust(path) && lines > RUST_LINES_MAX;
    is_long.then(|| Finding::new(path, lines, Fault::TooManyLines { lines })).into_iter().collect()
}

fn unfinished(path: &str, text: &str) -> Vec<Finding> {
    let in_code = if is_rust(path) { UNFINISHED_CODE } else { &[] };
    let mut findings = Vec::new();
    for (number, line) in numbered(text) {
        let code = in_code.iter().filter(|pattern| line.contains(**pattern));
        let words = UNFINISHED_WORDS.iter().filter(|word| has_mark(line, word));
        findings.extend(code.chain(words).map(|pattern| Finding::new(path, number, Fault::Unfinished(pattern))));
    }
    findings
}

/// Only functions that are tests: a parser may well have a function about `test` statements.
fn test_prefix(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !is_rust(path) {
        return findings;
    }
    let mut is_test = false;
    for (number, line) in numbered(text) {
        let line = line.trim_start();
        if line.starts_with("#[test]") || line.starts_with("#[") && line.contains("::test]") {
            is_test = true;
        } else if let Some((_, name)) = line.split_once("fn ").filter(|_| is_test) {
            let name: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            if name.starts_with("test_") {
                findings.push(Finding::new(path, number, Fault::TestPrefix { name }));
            }
            is_test = false;
        }
    }
    findings
}

fn promises(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !is_rust(path) && !path.ends_with(".md") {
        return findings;
    }
    for (number, line) in numbered(text) {
        let line = line.to_lowercase();
        let promised = PROMISES.iter().filter(|words| has_words(&line, words));
        findings.extend(promised.map(|words| Finding::new(path, number, Fault::Promise(words))));
    }
    findings
}

fn trailing_blanks(path: &str, text: &str) -> Vec<Finding> {
    let trails = |line: &str| line.ends_with(char::is_whitespace);
    numbered(text)
        .filter(|(_, line)| trails(line))
        .map(|(number, _)| Finding::new(path, number, Fault::TrailingBlank))
        .collect()
}

fn tabs(path: &str, text: &str) -> Vec<Finding> {
    if !TABLESS.iter().any(|extension| path.ends_with(extension)) {
        return Vec::new();
    }
    numbered(text)
        .filter(|(_, line)| line.contains('\t'))
        .map(|(number, _)| Finding::new(path, number, Fault::Tab))
        .collect()
}

fn final_newline(path: &str, text: &str) -> Vec<Finding> {
    let has_none = !text.is_empty() && !text.ends_with('\n');
    has_none.then(|| Finding::new(path, text.lines().count(), Fault::NoFinalNewline)).into_iter().collect()
}

fn absolute_paths(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in numbered(text) {
        for start in MACHINE_FOLDERS.iter().filter(|start| has_absolute(line, start)) {
            findings.push(Finding::new(path, number, Fault::AbsolutePath(start)));
        }
    }
    findings
}

/// Lines as git sees them, so that the carriage return of a foreign line end stays visible.
fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.split('\n'))
}

/// Whether the words stand there as whole words.
fn has_words(line: &str, words: &str) -> bool {
    line.match_indices(words).any(|(start, _)| {
        let (before, rest) = line.split_at_checked(start).unwrap_or_default();
        let after = rest.strip_prefix(words).unwrap_or_default();
        !before.ends_with(is_word) && !after.starts_with(is_word)
    })
}

/// Whether the word marks a place, as after a comment sign or before a colon; prose may speak of it.
fn has_mark(line: &str, word: &str) -> bool {
    has_words(line, word)
        && line.match_indices(word).any(|(start, _)| {
            let (before, rest) = line.split_at_checked(start).unwrap_or_default();
            let after = rest.strip_prefix(word).unwrap_or_default();
            let before = before.trim_end();
            before.is_empty()
                || before.ends_with("//")
                || before.ends_with(['#', '!', '*', '-'])
                || after.starts_with([':', '('])
        })
}

/// Whether a path starts there, rather than going on: `a/b` has no folder of the root in it.
fn has_absolute(line: &str, start: &str) -> bool {
    let goes_on = |c: char| is_word(c) || matches!(c, '.' | '*' | '~' | '-' | '}' | ')' | ']' | '>');
    line.match_indices(start).any(|(place, _)| !line.split_at_checked(place).unwrap_or_default().0.ends_with(goes_on))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_rust(path: &str) -> bool {
    path.ends_with(".rs")
}

fn is_test_data(path: &str) -> bool {
    let rooted = format!("/{path}");
    TEST_DATA.iter().any(|folder| rooted.contains(folder))
}

/// A rule over one text file.
type Rule = fn(&str, &str) -> Vec<Finding>;

const RULES: &[Rule] =
    &[header, length, unfinished, test_prefix, promises, trailing_blanks, tabs, final_newline, absolute_paths];

const RUST_LINES_MAX: usize = 700;
const TABLESS: &[&str] = &[".rs", ".md", ".policy"];
const TEST_DATA: &[&str] = &["/tests/fixtures/", "/tests/data/", "/snapshots/", "/__fuzz__/"];

// The patterns are put together from parts, so that they do not find themselves here.
const UNFINISHED_CODE: &[&str] = &[
    concat!("to", "do!("),
    concat!("un", "implemented!("),
    concat!("#[", "ignore"),
    concat!("assert!(", "true)"),
    concat!("d", "bg!("),
];
const UNFINISHED_WORDS: &[&str] = &[concat!("FIX", "ME"), concat!("X", "XX")];
const PROMISES: &[&str] = &[
    concat!("phase", " 1"),
    concat!("phase", " 2"),
    concat!("phase", " 3"),
    concat!("phase", " one"),
    concat!("phase", " two"),
    concat!("for", " now"),
    concat!("coming", " soon"),
    concat!("not yet", " implemented"),
    concat!("to be", " implemented"),
    concat!("will be", " added"),
    concat!("will be", " implemented"),
    concat!("in a future", " version"),
    concat!("in a later", " version"),
    concat!("in the", " future"),
    concat!("work in", " progress"),
];
const MACHINE_FOLDERS: &[&str] =
    &[concat!("/", "home/"), concat!("/", "root/"), concat!("/", "work/"), concat!("/", "Users/")];

#[cfg(test)]
mod tests;
