//! What was said -> what it shows, each as what is expected and what was found.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tool_json::{OUTPUT_BYTES_MAX, ToolInvokeResult};

use super::Runs;
use super::scene::{ASKS, Ask, EMPTY, FLOOD, HANG, HANG_MS, KILL_MS, LIST, OK, OUTSIDE, PYTEST, READ, ROOT, WRITE};

/// Something that is shown, or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Check {
    pub(super) name: String,
    pub(super) expected: String,
    pub(super) found: String,
}

/// A field that answers have to have: how many of them, and how many have it.
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
        self.answers > 0 && self.have_it == self.answers
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
    for (name, file) in &runs.files {
        checks.push(Check::new(format!("the file of {name}"), file, told(runs.answer(name))));
    }
    let written = runs.files.iter().find(|(name, _)| *name == WRITE).map_or("nothing", |(_, file)| file);
    checks.push(Check::new("what is read is what was written", written, told(runs.answer(READ))));
    checks.push(Check::new("nothing is 0 bytes", described(b""), told(runs.answer(EMPTY))));
    let listed = text(at(runs.answer(LIST), "/output/stdout")).replace('\n', " ");
    checks.push(Check::new("a folder is listed in order", "a b c", listed));
    let code = |name| text(at(runs.answer(name), "/output/exit_code"));
    checks.push(Check::new("exit code of tests that pass", "0", code(PYTEST)));
    checks.push(Check::new("exit code of tests that fail", "1", code(FLOOD)));
    let took = at(runs.answer(HANG), "/output/duration_ms").as_u64();
    let is_in_time = took.is_some_and(|took| (HANG_MS..HANG_MS.saturating_add(KILL_MS)).contains(&took));
    let within = format!("after {HANG_MS} ms and before {} ms", HANG_MS.saturating_add(KILL_MS));
    // How long it was says another number every time.
    let found = if is_in_time { within.clone() } else { "before or after that".to_owned() };
    checks.push(Check::new("tests that never end are killed", within, found));
    for (name, ran) in [
        ("no root", &runs.no_root),
        ("a root that is missing", &runs.missing_root),
        ("a root that is a file", &runs.file_root),
    ] {
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
    let bytes = |stream| at(runs.answer(FLOOD), stream).as_str().map(str::len);
    let kept = bytes("/output/stdout").zip(bytes("/output/stderr"));
    let is_within = match kept.map(|(stdout, stderr)| stdout.saturating_add(stderr)) {
        Some(..=OUTPUT_BYTES_MAX) => "within the cap".to_owned(),
        Some(kept) => format!("{kept} bytes"),
        None => "no output".to_owned(),
    };
    let cut = |name| text(at(runs.answer(name), "/output/truncated"));
    vec![
        Check::new("both streams together", "within the cap", is_within),
        Check::new("truncated, of output beyond the cap", "true", cut(FLOOD)),
        Check::new("truncated, of output below the cap", "false", cut(PYTEST)),
    ]
}

/// That every answer has every field, by its type, and that nothing else is in it. What is not answered has none.
pub(super) fn schema(asks: &[Ask], answers: &[String]) -> Vec<Field> {
    let values: Vec<Value> = answers.iter().map(|line| serde_json::from_str(line).unwrap_or_default()).collect();
    let fields = FIELDS.iter().map(|(name, kind, of, is_there)| Field {
        name,
        kind,
        answers: asks.iter().filter(|ask| of(ask)).count(),
        have_it: asks.iter().zip(&values).filter(|(ask, value)| of(ask) && is_there(value)).count(),
    });
    let is_result = |line: &&String| ToolInvokeResult::new(line.as_bytes()).is_ok();
    let all = Field {
        name: "(the whole line)",
        kind: "these fields and no others",
        answers: asks.len(),
        have_it: answers.iter().filter(is_result).count(),
    };
    fields.chain([all]).collect()
}

/// Whether the answer to a line has to have a field.
type Of = fn(&Ask) -> bool;
type Has = fn(&Value) -> bool;
const EVERY: Of = |_| true;
/// An answer about a file has to have one, and what is said of it is asked of that one.
const OF_A_FILE: Of = |ask| ask.file().is_some();
const FIELDS: &[(&str, &str, Of, Has)] = &[
    ("timestamp_utc", "ISO 8601, UTC", EVERY, |value| is_time(at(value, "/timestamp_utc"))),
    ("ok", "bool", EVERY, |value| at(value, "/ok").is_boolean()),
    ("tool", "str", EVERY, |value| at(value, "/tool").is_string()),
    ("action", "str", EVERY, |value| at(value, "/action").is_string()),
    ("policy.allowed", "bool", EVERY, |value| at(value, "/policy/allowed").is_boolean()),
    ("output.truncated", "bool", EVERY, |value| at(value, "/output/truncated").is_boolean()),
    ("effects.files[].size_bytes", "int", OF_A_FILE, |value| at(value, "/effects/files/0/size_bytes").is_u64()),
    ("effects.files[].sha256", "str of 64 digits", OF_A_FILE, |value| {
        let hash = text(at(value, "/effects/files/0/sha256"));
        hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
    }),
];

/// What each answer about a file has to say of it: of one that is written what the line says, of one that is read what is
/// on the disk. Neither is taken from an answer.
pub(super) fn expected_files(folder: &Path) -> Vec<(&'static str, String)> {
    let expected = |ask: &Ask| {
        let file = ask.file()?;
        let on_disk = || match fs::read(folder.join(ROOT).join(&file.path)) {
            Ok(bytes) => described(&bytes),
            Err(error) => format!("cannot be read: {error}"),
        };
        Some((ask.name, file.content.as_ref().map_or_else(on_disk, |content| described(content.as_bytes()))))
    };
    ASKS.iter().filter_map(expected).collect()
}

/// What an answer says of its file, in the words of [`described`].
fn told(answer: &Value) -> String {
    let mut files = files(answer);
    match (files.next(), files.next()) {
        (Some(file), None) => format!("{} bytes, sha256 {}", at(file, "/size_bytes"), text(at(file, "/sha256"))),
        _ => "not one file".to_owned(),
    }
}

/// Bytes, by how many they are and what they hash to.
fn described(bytes: &[u8]) -> String {
    let digest: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{} bytes, sha256 {digest}", bytes.len())
}

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
        files.push(format!("{}: {}", entry.file_name().to_string_lossy(), described(&bytes)));
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
            missing_root: ran(Vec::new()),
            file_root: ran(vec!["{}".to_owned()]),
            ledger: ran(Vec::new()),
            doctor: ran(Vec::new()),
            answers: Vec::new(),
            files: expected_files(Path::new("nowhere")),
            outside_before: "secret.txt".to_owned(),
            outside_after: "secret.txt, made".to_owned(),
        };
        let all = [containment(&runs), behaviour(&runs), cap(&runs)].concat();
        let holding: Vec<&str> = all.iter().filter(|check| check.holds()).map(|check| check.name.as_str()).collect();
        assert_eq!(holding, Vec::<&str>::new());
        assert!(schema(ASKS, &[]).iter().all(|field| !field.holds() && field.answers > 0));
    }

    #[test]
    fn what_an_answer_says_of_a_file_is_held_to_the_line_and_to_the_disk() {
        let hash = "c09c5e7c8c20b263b59e6a8bd98345874aa1546b003a5c56a467ca2bdad98419";
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(ROOT)).unwrap();
        fs::write(folder.path().join(ROOT).join("test_sum.py"), "abc").unwrap();
        let files = expected_files(folder.path());
        let of = |name| files.iter().find(|(ask, _)| *ask == name).map(|(_, file)| file.as_str()).unwrap();
        assert_eq!(files.len(), 5);
        assert_eq!(of(WRITE), format!("38 bytes, sha256 {hash}"));
        let abc = "3 bytes, sha256 ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(of(READ), abc);
        let answer = |files: Value| told(&json!({ "effects": { "files": files } }));
        assert_eq!(answer(json!([{ "size_bytes": 38, "sha256": hash }])), of(WRITE));
        for wrong in [
            json!([]),
            json!([{ "size_bytes": 38 }]),
            json!([{ "size_bytes": "38", "sha256": hash }]),
            json!([{ "size_bytes": 38, "sha256": hash }, { "size_bytes": 38, "sha256": hash }]),
        ] {
            assert_ne!(answer(wrong), of(WRITE));
        }
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
        let ask = |action: &str| {
            let line = format!(r#"{{"tool":"filesystem","action":"{action}","args":{{"path":"a"}}}}"#);
            Ask { name: "", line: line.leak(), expected: OK }
        };
        let wrong = |asks: &[Ask], answers: &[String]| -> Vec<&str> {
            schema(asks, answers).iter().filter(|field| !field.holds()).map(|field| field.name).collect()
        };
        let (list, read) = (|| ask("list_dir"), || ask("read_file"));
        let effects = ["effects.files[].size_bytes", "effects.files[].sha256"];
        // Where no answer has to have a file, nothing shows that one would have it.
        assert_eq!(wrong(&[list()], &[good.to_owned()]), effects);
        let file = format!(r#","effects":{{"files":[{{"path":"a","size_bytes":1,"sha256":"{}"}}]}}}}"#, "0".repeat(64));
        let with_file = good.strip_suffix('}').unwrap().to_owned() + &file;
        assert_eq!(wrong(&[list(), read()], &[good.to_owned(), with_file.clone()]), Vec::<&str>::new());
        assert_eq!(wrong(&[read(), read()], &[good.to_owned(), with_file.clone()]), effects);
        let short = with_file.replace(&"0".repeat(64), "00");
        assert_eq!(wrong(&[read()], &[short]), ["effects.files[].sha256", "(the whole line)"]);
        assert_eq!(wrong(&[list(), read()], &[bad, with_file]), ["ok", "output.truncated", "(the whole line)"]);
    }
}
