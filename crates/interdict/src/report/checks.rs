//! What was said -> what it shows, each as what is expected and what was found.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tool_wire::invoke::{OUTPUT_BYTES_MAX, ToolInvokeResult};

use super::Runs;
use super::scene::{ASKS, Ask, EMPTY, FLOOD, HANG, HANG_MS, KILL_MS, LIST, OK, OUTSIDE, PYTEST, READ, WRITE};

/// Something that is shown, or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Check {
    pub(super) name: String,
    pub(super) expected: String,
    pub(super) found: String,
}

/// A field that every answer has to have, and how many have it.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    pub(super) answers: usize,
    pub(super) have_it: usize,
}

impl Check {
    fn new(name: impl Into<String>, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self { name: name.into(), expected: expected.into(), found: found.into() }
    }

    pub(super) fn holds(&self) -> bool {
        self.expected == self.found
    }
}

impl Field {
    pub(super) fn holds(&self) -> bool {
        self.have_it == self.answers
    }
}

/// Each answer, and what lies outside before and after.
pub(super) fn containment(runs: &Runs) -> Vec<Check> {
    let is_denial = |ask: &&Ask| ask.expected == "PolicyDenied";
    let mut checks: Vec<Check> = ASKS.iter().filter(is_denial).map(|ask| answered(ask, runs)).collect();
    checks.push(Check::new("what lies outside is as it was", &runs.outside_before, &runs.outside_after));
    checks
}

/// What the workflow and its failures have to look like.
pub(super) fn behaviour(runs: &Runs) -> Vec<Check> {
    let is_other = |ask: &&Ask| ask.expected != "PolicyDenied";
    let mut checks: Vec<Check> = ASKS.iter().filter(is_other).map(|ask| answered(ask, runs)).collect();
    let file = |name, field| text(at(runs.answer(name), &format!("/effects/files/0/{field}")));
    checks.push(Check::new("what is read is what was written", file(WRITE, "sha256"), file(READ, "sha256")));
    checks.push(Check::new("nothing is 0 bytes", "0", file(EMPTY, "size_bytes")));
    let listed = text(at(runs.answer(LIST), "/output/stdout")).replace('\n', " ");
    checks.push(Check::new("a folder is listed in order", "names/a names/b names/c", listed));
    let code = |name| text(at(runs.answer(name), "/output/exit_code"));
    checks.push(Check::new("exit code of tests that pass", "0", code(PYTEST)));
    checks.push(Check::new("exit code of tests that fail", "1", code(FLOOD)));
    let took = at(runs.answer(HANG), "/output/duration_ms").as_u64();
    let is_in_time = took.is_some_and(|took| (HANG_MS..HANG_MS.saturating_add(KILL_MS)).contains(&took));
    let within = format!("after {HANG_MS} ms and before {} ms", HANG_MS.saturating_add(KILL_MS));
    let found = if is_in_time { within.clone() } else { format!("after {took:?} ms") };
    checks.push(Check::new("tests that never end are killed", within, found));
    for (name, ran) in [("a root that is missing", &runs.no_root), ("a root that is a file", &runs.file_root)] {
        let named =
            if ran.errors.contains("GovernanceUnavailable") { "GovernanceUnavailable" } else { "another error" };
        let found = format!("{named}, {}, {} answers", ended(ran.code), ran.raw.len());
        checks.push(Check::new(name, "GovernanceUnavailable, exit code 2, 0 answers", found));
    }
    checks.push(Check::new("the ledger is whole", "exit code 0", ended(runs.ledger.code)));
    checks.push(Check::new("every layer of the sandbox holds", "exit code 0", ended(runs.doctor.code)));
    checks
}

/// What is cut, and where.
pub(super) fn cap(runs: &Runs) -> Vec<Check> {
    let bytes = |stream| at(runs.answer(FLOOD), stream).as_str().map_or(0, str::len);
    let kept = bytes("/output/stdout").saturating_add(bytes("/output/stderr"));
    let is_within = if kept <= OUTPUT_BYTES_MAX { "within the cap".to_owned() } else { format!("{kept} bytes") };
    let cut = |name| text(at(runs.answer(name), "/output/truncated"));
    vec![
        Check::new("both streams together", "within the cap", is_within),
        Check::new("truncated, of output beyond the cap", "true", cut(FLOOD)),
        Check::new("truncated, of output below the cap", "false", cut(PYTEST)),
    ]
}

/// That every answer has every field, by its type, and that nothing else is in it.
pub(super) fn schema(answers: &[String]) -> Vec<Field> {
    let values: Vec<Value> = answers.iter().map(|line| serde_json::from_str(line).unwrap_or_default()).collect();
    let fields = FIELDS.iter().map(|(name, kind, is_there)| Field {
        name,
        kind,
        answers: answers.len(),
        have_it: values.iter().filter(|value| is_there(value)).count(),
    });
    let is_result = |line: &&String| ToolInvokeResult::new(line.as_bytes()).is_ok();
    let all = Field {
        name: "(the whole line)",
        kind: "these fields and no others",
        answers: answers.len(),
        have_it: answers.iter().filter(is_result).count(),
    };
    fields.chain([all]).collect()
}

type Has = fn(&Value) -> bool;
const FIELDS: &[(&str, &str, Has)] = &[
    ("timestamp_utc", "ISO 8601, UTC", |value| is_time(at(value, "/timestamp_utc"))),
    ("ok", "bool", |value| at(value, "/ok").is_boolean()),
    ("tool", "str", |value| at(value, "/tool").is_string()),
    ("action", "str", |value| at(value, "/action").is_string()),
    ("policy.allowed", "bool", |value| at(value, "/policy/allowed").is_boolean()),
    ("output.truncated", "bool", |value| at(value, "/output/truncated").is_boolean()),
    ("effects.files[].size_bytes", "int", |value| files(value).all(|file| at(file, "/size_bytes").is_u64())),
    ("effects.files[].sha256", "str of 64 digits", |value| {
        files(value).all(|file| text(at(file, "/sha256")).len() == 64)
    }),
];

/// What stands there; nothing where nothing does.
pub(super) fn at<'v>(value: &'v Value, pointer: &str) -> &'v Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

/// Of an answer.
pub(super) fn files(value: &Value) -> impl Iterator<Item = &Value> {
    at(value, "/effects/files").as_array().into_iter().flatten()
}

/// `2026-01-02T03:04:05`, with or without a fraction, and `Z`.
fn is_time(value: &Value) -> bool {
    let Some((date, time)) = value.as_str().and_then(|text| text.strip_suffix('Z')?.split_once('T')) else {
        return false;
    };
    let digits = |text: &str, lengths: &[usize], between| {
        let parts: Vec<&str> = text.split(between).collect();
        parts.iter().map(|part| part.len()).eq(lengths.iter().copied())
            && parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    digits(date, &[4, 2, 2], '-')
        && digits(time, &[2, 2, 2], ':')
        && !fraction.is_empty()
        && fraction.bytes().all(|byte| byte.is_ascii_digit())
}

fn answered(ask: &Ask, runs: &Runs) -> Check {
    let answer = runs.answer(ask.name);
    let found = match (at(answer, "/ok").as_bool(), at(answer, "/error/type").as_str()) {
        (Some(true), None) => OK.to_owned(),
        (Some(false), Some(kind)) => kind.to_owned(),
        _ => "no answer".to_owned(),
    };
    Check::new(ask.name, ask.expected, found)
}

/// Every file outside by name, length and content, in order.
pub(super) fn outside(folder: &Path) -> io::Result<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder.join(OUTSIDE))? {
        let entry = entry?;
        let bytes = fs::read(entry.path())?;
        let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        files.push(format!("{} {} bytes {digest}", entry.file_name().to_string_lossy(), bytes.len()));
    }
    files.sort();
    Ok(files.join(", "))
}

fn ended(code: Option<i32>) -> String {
    code.map_or_else(|| "killed by a signal".to_owned(), |code| format!("exit code {code}"))
}

/// A text as it is, anything else as JSON.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::ran::Ran;
    use super::*;
    use serde_json::json;

    /// A command that said this.
    fn ran(raw: Vec<String>) -> Ran {
        Ran { command: String::new(), input: Vec::new(), raw, errors: String::new(), code: None }
    }

    #[test]
    fn what_was_not_answered_does_not_hold() {
        let runs = Runs {
            main: ran(Vec::new()),
            no_root: ran(Vec::new()),
            file_root: ran(vec!["{}".to_owned()]),
            ledger: ran(Vec::new()),
            doctor: ran(Vec::new()),
            answers: Vec::new(),
            outside_before: "secret.txt".to_owned(),
            outside_after: "secret.txt, made".to_owned(),
        };
        let all = [containment(&runs), behaviour(&runs), cap(&runs)].concat();
        let holding: Vec<&str> = all.iter().filter(|check| check.holds()).map(|check| check.name.as_str()).collect();
        // Of no answer the two hashes are the same nothing, and no output is not too long.
        assert_eq!(holding, ["what is read is what was written", "both streams together"]);
    }

    #[test]
    fn times_are_told_from_what_only_looks_alike() {
        for time in ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.678Z"] {
            assert!(is_time(&json!(time)), "{time}");
        }
        for none in ["2026-01-02 03:04:05Z", "2026-01-02T03:04:05", "26-01-02T03:04:05Z", "2026-01-02T03:04:05.Z", ""] {
            assert!(!is_time(&json!(none)), "{none}");
        }
        assert!(!is_time(&json!(17)));
    }

    #[test]
    fn a_field_that_is_missing_or_of_another_type_is_counted() {
        let good = r#"{"timestamp_utc":"2026-01-02T03:04:05Z","ok":true,"tool":"t","action":"a","policy":{"allowed":true},"output":{"stdout":"","stderr":"","truncated":false}}"#;
        let bad = good.replace("\"truncated\":false", "\"truncated\":0").replace("\"ok\":true", "\"ok\":1");
        let fields = schema(&[good.to_owned(), bad]);
        let wrong: Vec<&str> = fields.iter().filter(|field| !field.holds()).map(|field| field.name).collect();
        assert_eq!(wrong, ["ok", "output.truncated", "(the whole line)"]);
    }
}
