//! Patterns made to blow automata up: a table says exactly what the reference says, or it is refused with
//! the patterns named, quickly and in little memory.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test that cannot go on should stop")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use policy_model::{Model, Request};
use policy_syntax::Sources;
use policy_table::{TableError, freeze};
use tests::{agree, check_text, reference, table};

/// All of them in one rule, as one set.
fn in_one_rule(operation: &str, attribute: &str, patterns: &[String]) -> String {
    let list: Vec<String> = patterns.iter().map(|pattern| format!("\"{pattern}\"")).collect();
    format!(
        "policy p language 1\nwithout std.protected-paths\nrole r\nrule all: deny r to {operation} where {attribute} in {}\nrule rest: allow r to {operation}\n",
        list.join(",\n  ")
    )
}

/// Each in a rule of its own, so that the table has to say which.
fn in_rules_of_their_own(operation: &str, attribute: &str, patterns: &[String]) -> String {
    let mut text = String::from("policy p language 1\nwithout std.protected-paths\nrole r\n");
    for (number, pattern) in patterns.iter().enumerate() {
        let _ = writeln!(text, "rule n{number}: deny r to {operation} where {attribute} in \"{pattern}\"");
    }
    text + &format!("rule rest: allow r to {operation}\n")
}

fn model_of(text: &str) -> Model {
    let checked = check_text(text);
    checked.model.unwrap_or_else(|| panic!("not a policy: {:?}", checked.diagnostics))
}

fn request(model: &Model, operation: &str, attribute: &str, value: String) -> Request {
    Request {
        roles: BTreeSet::from([model.role("r").unwrap()]),
        operation: model.operation(operation).unwrap(),
        strings: BTreeMap::from([(attribute.to_owned(), value)]),
        numbers: BTreeMap::new(),
        flags: BTreeSet::new(),
    }
}

/// The table is built in time and agrees with the reference on strings made of these parts.
fn is_exact(text: &str, operation: &str, attribute: &str, parts: &[&str], joint: &str) {
    let model = model_of(text);
    let start = Instant::now();
    let prepared = [reference().prepare(&model).unwrap(), table().prepare(&model).unwrap()];
    let mut judges: Vec<_> = prepared.iter().map(|prepared| prepared.judge()).collect();
    assert!(start.elapsed() < TIME_MAX, "{:?}", start.elapsed());
    let mut dice = fastrand::Rng::with_seed(1);
    let mut denied = 0;
    for _ in 0..STRINGS {
        let count = dice.usize(0..12);
        let chosen: Vec<&str> = (0..count).map(|_| parts[dice.usize(..parts.len())]).collect();
        let request = request(&model, operation, attribute, chosen.join(joint));
        match agree(&mut judges, &request) {
            Ok(answer) => denied += usize::from(answer.is_some_and(|answer| answer.rule != "rest")),
            Err(difference) => panic!("{difference}\n{request:?}"),
        }
    }
    assert!(denied * 20 > STRINGS, "too few hits to mean anything: {denied}");
}

#[test]
fn double_stars_inside_are_exact() {
    let patterns: Vec<String> = (0..30).map(|n| format!("**/a{n}/**/b{n}/**")).collect();
    let names: Vec<String> = (0..30).flat_map(|n| [format!("a{n}"), format!("b{n}")]).chain(["x".to_owned()]).collect();
    // Few names, so that pairs are likely.
    let parts: Vec<&str> = names.iter().map(String::as_str).filter(|name| name.len() == 2).take(9).collect();
    for text in [in_one_rule("file.read", "path", &patterns), in_rules_of_their_own("file.read", "path", &patterns)] {
        is_exact(&text, "file.read", "path", &parts, "/");
    }
}

#[test]
fn overlapping_suffixes_are_exact() {
    let patterns: Vec<String> = (1..=200).map(|n| format!("**/*{}", "ab".repeat(n).split_at(n).1)).collect();
    for text in [in_one_rule("file.read", "path", &patterns), in_rules_of_their_own("file.read", "path", &patterns)] {
        is_exact(&text, "file.read", "path", &["a", "b", "ab", "ba", "abababab", "/"], "");
    }
}

#[test]
fn stars_between_letters_are_exact() {
    let letters: Vec<char> = ('a'..='z').collect();
    let patterns: Vec<String> = (0..50)
        .map(|n| format!("*{}*{}*{}*", letters[n % 26], letters[(n * 7 + 3) % 26], letters[(n * 11 + 5) % 26]))
        .collect();
    let parts = ["a", "d", "f", "b", "k", "q", "c", "r", "z", "m"];
    for text in [in_one_rule("proc.list", "filter", &patterns), in_rules_of_their_own("proc.list", "filter", &patterns)]
    {
        is_exact(&text, "proc.list", "filter", &parts, "");
    }
}

#[test]
fn counted_repeats_are_exact_or_refused_by_name() {
    let rule = |regex: &str| {
        format!(
            "policy p language 1\nwithout std.protected-paths\nrole r\nrule all: deny r to proc.list where filter matches \"{regex}\"\nrule rest: allow r to proc.list\n"
        )
    };
    for regex in ["^(ab)*a{1,40}b{1,40}$", "^a*(ab){1,9}$", "(a|b){2}a(a|b){5}$", "^[ab]*a[ab]{8}$"] {
        is_exact(&rule(regex), "proc.list", "filter", &["a", "b", "ab", "aaaa", "abab"], "");
    }
    let regex = "^[ab]*a[ab]{30}$";
    let start = Instant::now();
    let error = freeze(&model_of(&rule(regex)), &Sources::default()).unwrap_err();
    assert!(start.elapsed() < TIME_MAX);
    assert!(matches!(&error, TableError::PatternTooLarge { pattern: (text, _) } if text == regex), "{error:?}");
}

#[test]
fn more_than_can_be_split_is_refused_by_name() {
    let patterns: Vec<String> = (0..1_000).map(|n| format!("**/a{n}/**/b{n}/**")).collect();
    let start = Instant::now();
    let error = freeze(&model_of(&in_one_rule("file.read", "path", &patterns)), &Sources::default()).unwrap_err();
    assert!(start.elapsed() < TIME_MAX, "{:?}", start.elapsed());
    match error {
        TableError::TooManyPatterns { patterns } => assert!(patterns.iter().all(|(text, _)| text.starts_with("**/a"))),
        other => panic!("{other:?}"),
    }
}

/// How long a table may take to be built or refused.
const TIME_MAX: Duration = Duration::from_secs(10);
const STRINGS: usize = 3_000;
