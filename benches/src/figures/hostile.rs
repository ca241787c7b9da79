//! Patterns made to blow automata up. Each set becomes a table that answers as the reference evaluator
//! does, or is refused with an error that has a name; both in bounded time and memory.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use fastrand::Rng;
use policy_model::{CheckOptions, Memory, Model, check_in, evaluate};
use policy_table::{TableError, freeze};
use serde::{Deserialize, Serialize};

use crate::ask::Ask;
use crate::child::{self, NoAnswer};
use crate::engines::Core;
use crate::verdict::Verdict;

/// A name and what makes the rules.
type Set = (&'static str, fn() -> Vec<Rule>);

/// Every set.
pub(super) const SETS: &[Set] = &[
    ("30 of **/aN/**/bN/**", two_folders),
    ("200 overlapping suffixes", suffixes),
    ("50 names *a*b*c*", starred_names),
    ("regexes with counted repeats", counted_repeats),
];

/// A rule's operation, its condition, and the attribute that it is about.
pub(super) struct Rule {
    operation: &'static str,
    attribute: &'static str,
    condition: String,
    /// What strings for requests are put together from.
    pieces: Vec<String>,
}

/// How a set ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Ended {
    /// The table's bytes, or the name of the error and its words.
    pub(super) outcome: Result<usize, String>,
    /// From model to table or error.
    pub(super) seconds: f64,
    pub(super) peak_bytes: Option<u64>,
    /// Requests on which table and reference were compared; none for an error.
    pub(super) compared: usize,
}

/// Builds a set in a child.
pub(super) fn measure(set: &str) -> Result<Ended, NoAnswer> {
    let mut command = Command::new(child::this_program());
    command.args(["hostile", "--set", set]);
    child::answer(&mut command, TIME_MAX)
}

/// The child.
pub(super) fn build(set: &str) -> String {
    let (_, rules) = SETS.iter().find(|(name, _)| *name == set).expect("one of the sets");
    let rules = rules();
    let text = policy(&rules);
    let memory = Memory::default().with("main.policy", text.as_bytes());
    let checked = check_in(&memory, Path::new("main.policy"), CheckOptions::default());
    let model = checked.model.unwrap_or_else(|| panic!("{set} is no policy: {:?}", checked.diagnostics));
    let start = Instant::now();
    let frozen = freeze(&model, &checked.sources);
    let (seconds, peak_bytes) = (start.elapsed().as_secs_f64(), child::peak_bytes());
    let (outcome, compared) = match frozen {
        Ok(frozen) => (Ok(frozen.bytes.len()), compare(&model, &frozen.bytes, &rules)),
        Err(error) => (Err(format!("{}: {error}", error_name(&error))), 0),
    };
    serde_json::to_string(&Ended { outcome, seconds, peak_bytes, compared }).expect("JSON")
}

fn error_name(error: &TableError) -> &'static str {
    match error {
        TableError::PatternTooLarge { .. } => "PatternTooLarge",
        TableError::TooManyPatterns { .. } => "TooManyPatterns",
        TableError::RulesTooLarge { .. } => "RulesTooLarge",
        TableError::Unwritable(_) => "Unwritable",
    }
}

/// One rule for each pattern, with effects in turns, so that which pattern matched makes a difference.
fn policy(rules: &[Rule]) -> String {
    let mut text = String::from("policy hostile language 1\nrole coder\n");
    for (number, rule) in rules.iter().enumerate() {
        let effect = ["allow", "deny", "ask"][number % 3];
        let Rule { operation, condition, .. } = rule;
        // Writing to a String cannot fail.
        let _ = writeln!(text, "rule r{number}: {effect} coder to {operation} where {condition}");
    }
    text
}

fn compare(model: &Model, table: &[u8], rules: &[Rule]) -> usize {
    let mut rng = Rng::with_seed(0);
    let asks: Vec<Ask> = (0..COMPARED).map(|_| ask(&mut rng, rules)).collect();
    let core = Core::new(table, &asks);
    for (place, ask) in asks.iter().enumerate() {
        let expected: Verdict = evaluate(model, &ask.in_model(model)).verdict.into();
        assert_eq!(Verdict::from(core.verdict(place)), expected, "{ask:?}");
    }
    asks.len()
}

/// A string of pieces of a few rules, so that some match several and most match none.
fn ask(rng: &mut Rng, rules: &[Rule]) -> Ask {
    let rule = &rules[rng.usize(..rules.len())];
    let other = &rules[rng.usize(..rules.len())];
    let mut value = String::new();
    for _ in 0..rng.usize(1..8) {
        let pieces = if rng.bool() { &rule.pieces } else { &other.pieces };
        value.push_str(&pieces[rng.usize(..pieces.len())]);
    }
    let value = if rule.attribute == "path" { value.trim_matches('/').replace("//", "/") } else { value };
    Ask {
        operation: rule.operation.to_owned(),
        role: "coder".to_owned(),
        strings: vec![(rule.attribute.to_owned(), value)],
        numbers: Vec::new(),
        flags: Vec::new(),
    }
}

fn two_folders() -> Vec<Rule> {
    let rule = |number: usize| Rule {
        operation: "file.read",
        attribute: "path",
        condition: format!("path in \"**/a{number}/**/b{number}/**\""),
        pieces: vec![format!("a{number}/"), format!("b{number}/"), "x/".to_owned()],
    };
    (0..30).map(rule).collect()
}

/// Every suffix of a string of two letters in which few places look alike.
fn suffixes() -> Vec<Rule> {
    let mut rng = Rng::with_seed(1);
    let long: String = (0..200).map(|_| if rng.bool() { 'a' } else { 'b' }).collect();
    let rule = |start: usize| {
        let suffix = long.split_at(start).1;
        Rule {
            operation: "file.read",
            attribute: "path",
            condition: format!("path in \"**/*{suffix}\""),
            pieces: vec![suffix.to_owned(), "a".to_owned(), "b".to_owned(), "x/".to_owned()],
        }
    };
    (0..200).map(rule).collect()
}

fn starred_names() -> Vec<Rule> {
    let letters: Vec<char> = ('a'..='z').collect();
    let rule = |number: usize| {
        let drawn = [number, number * 7 + 3, number * 11 + 5].map(|place| letters[place % letters.len()]);
        let [a, b, c] = drawn;
        Rule {
            operation: "shell.exec",
            attribute: "command",
            condition: format!("command in \"*{a}*{b}*{c}*\""),
            pieces: drawn.iter().map(char::to_string).chain(["-".to_owned()]).collect(),
        }
    };
    (0..50).map(rule).collect()
}

fn counted_repeats() -> Vec<Rule> {
    let regexes = [
        ("^(a|b){10,40}c{3,9}$", vec!["a", "b", "c", "ababababab", "ccc"]),
        ("^[a-z]{1,30}-[0-9]{2,20}( --[a-z]{3,12}){0,6}$", vec!["abc", "-", "12", " --all", " --x"]),
        ("a[ab]{12}$", vec!["a", "b", "abababababab"]),
        ("(x+y{2,5}){3,8}z", vec!["x", "yy", "xyyxyyxyy", "z"]),
        ("^(ab{1,6}|ba{1,6}){4,12}$", vec!["a", "b", "ab", "ba", "abba"]),
        (".*a.{16}$", vec!["a", "b", "0123456789abcdef"]),
    ];
    let rule = |(regex, pieces): (&str, Vec<&str>)| Rule {
        operation: "shell.exec",
        attribute: "line",
        condition: format!("line matches \"{regex}\""),
        pieces: pieces.into_iter().map(str::to_owned).collect(),
    };
    regexes.into_iter().map(rule).collect()
}

const COMPARED: usize = 2_000;
/// The limit, and what comparing takes.
const TIME_MAX: Duration = Duration::from_secs(60);
