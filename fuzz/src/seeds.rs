//! The policies, corpora and generators of this tree -> where each target starts. Whoever changes what bytes mean to a
//! target writes the seeds anew: `cargo run -p fuzz --example seeds`.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "seeds that cannot be made are for whoever makes them to see"
)]

use std::fs;
use std::path::{Path, PathBuf};

use fastrand::Rng;
use policy_model::{CheckOptions, Memory, check_in};
use policy_table::freeze;
use prost::Message as _;
use serde_json::Value;
use tool_json::{Envelope, envelope_of};
use tool_proto::{ToolRequest, testing};

/// Seeds with their names.
pub type Seeds = Vec<(String, Vec<u8>)>;

/// The seeds of every target.
#[must_use]
pub fn all() -> Vec<(&'static str, Seeds)> {
    vec![
        ("agreement", agreement()),
        ("eval", eval()),
        ("import", import()),
        ("json", json()),
        ("path", path()),
        ("policy", policy()),
        ("shell", shell()),
        ("table", table()),
        ("url", url()),
        ("wire", wire()),
    ]
}

/// The table of `OPEN`.
#[must_use]
pub fn open_table() -> Vec<u8> {
    frozen(OPEN)
}

/// A seed, and choices of some kind after it.
fn agreement() -> Seeds {
    let mut dice = Rng::with_seed(SEED);
    let made = |number: usize| {
        let choices = (0..number * 16).map(|_| dice.u8(..));
        let bytes = u64::try_from(number).unwrap_or_default().to_be_bytes().into_iter().chain(choices).collect();
        (format!("choices-{number:02}"), bytes)
    };
    (0..16).map(made).collect()
}

fn eval() -> Seeds {
    let lines = [
        r#"{"id":"1","op":"file.read","path":"src/main.rs","bytes":4096}"#,
        r#"{"id":2,"op":"file.write","path":"./b//c","append":true,"content":"x"}"#,
        r#"{"id":"3","op":"shell.exec","line":"git log --oneline | ta 'x y' && f"}"#,
        r#"{"op":"shell.exec","line":"rm -rf $HOME","timeout":1000}"#,
        r#"{"id":"5","op":"http.request","method":"GET","url":"https://doc.rust-lang.org:443/std/?q"}"#,
        r#"{"id":"6","op":"http.request","method":"GET","url":"http://127.0.0.1:80/","headers":{"A":"b"}}"#,
        r#"{"id":"7","op":"git.push","args":["--force","origin","refs/heads/feature/x"]}"#,
        r#"{"id":"8","op":"jira.search","project":"CORE","max":50}"#,
        r#"{"id":"9","op":"file.read","path":"../etc/passwd"}"#,
        r#"{"id":"10","roles":[],"op":"inference.call","provider":"p","model":"m","tokens":18446744073709551615}"#,
        r#"{"id":"11","op":"no.such"}"#,
        "{\"id\":\"12\",\"op\":\"dice\",\"min\":1,\"min\":2}",
        "[]",
        "",
        "{",
    ];
    let mut seeds: Seeds =
        (1..).zip(lines).map(|(number, line)| (format!("line-{number:02}"), line.as_bytes().to_vec())).collect();
    seeds.push(("lines".to_owned(), lines.join("\n").into_bytes()));
    seeds
}

/// A number for the format and the file: those that are tested, and some that say little or too much; and choices.
fn import() -> Seeds {
    let files: [(u8, &str, &str); 4] = [
        (0, "yaml", "crates/policy-import/tests/data/registry.yaml"),
        (1, "toml", "crates/policy-import/tests/data/tools.toml"),
        (2, "json", "crates/policy-import/tests/data/settings.json"),
        (3, "rules", "crates/policy-import/tests/data/default.rules"),
    ];
    let texts: [(u8, &str, &str); 12] = [
        (0, "yaml-flow", "{version: 1, network: {allowed_domains: [docs.rs, '*.docs.rs']}, git: {allow_push: false}}"),
        (0, "yaml-anchor", "version: 1\nnetwork: &a {allowed_domains: []}\nast: *a\n"),
        (0, "yaml-escapes", "version: 1\nshell_allow:\n  - \"\\s\\d\\u00e9\\.\"\n  - |\n    ^ls$\n"),
        (0, "yaml-deep", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"),
        (
            1,
            "toml-inline",
            "tool_rules = [{ tool_name = \"x\", rule_type = { AllowedOperations = [\"a\"] }, priority = -1 }]",
        ),
        (
            1,
            "toml-wildcard",
            "[[tool_rules]]\ntool_name = \"*\"\nrule_type = \"ExitLoop\"\nconditions = [1.5, 1979-05-27]\n",
        ),
        (2, "json-empty", "{}"),
        (
            2,
            "json-entries",
            "{\"permissions\":{\"allow\":[\"Bash(a 'b c' *)\",\"Edit(src/*.{ts,js})\",\"mcp__a__b\",\"Read(/x/)\"],\"deny\":[\"mcp__a\",\"WebFetch(domain:x.y)\"]}}",
        ),
        (2, "json-escapes", "{\"\\u0070ermissions\":{\"ask\":[\"Bash(\\ud83d\\ude00)\"]}}"),
        (3, "rules-texts", "prefix_rule(pattern=['a', r'\\n', \"\"\"b\n\"\"\"], match=['a \\\\n b'])"),
        (3, "rules-ways", "prefix_rule(pattern=[['a','b'],['c','d'],['e','f'],['g','h']], justification='x')"),
        (3, "rules-more", "x = [c for c in 'ab']"),
    ];
    let of_file = |(number, kind, path): (u8, &str, &str)| {
        let file = fs::read(root().join(path)).expect("is a file");
        (kind.to_owned(), [vec![number], file].concat())
    };
    let of_text = |(number, name, text): (u8, &str, &str)| (name.to_owned(), [&[number], text.as_bytes()].concat());
    let mut dice = Rng::with_seed(SEED);
    let mut chosen = |number: u8| {
        let choices: Vec<u8> = (0..32).map(|_| dice.u8(..)).collect();
        (format!("choices-{number:02}"), [vec![128 + number], choices].concat())
    };
    let chosen: Seeds = (0..16).map(&mut chosen).collect();
    files.map(of_file).into_iter().chain(texts.map(of_text)).chain(chosen).collect()
}

fn json() -> Seeds {
    let mut seeds = Seeds::new();
    for (name, message) in requests() {
        if let Ok(request) = envelope_of(ToolRequest { dedupe_key: String::new(), ..message }, 1_730_822_400) {
            seeds.push((format!("request-{name}"), Envelope::ToolRequest(request).to_string().into_bytes()));
        }
    }
    let hash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    let texts = [
        ("response", r#"{"type":"ToolResponse","ok":false,"tool":"curl","request_id":"r","duration_ms":7,"data":{"a":[1.5,-2,null]},"errors":[{"code":"E_HTTP","message":"m"}]}"#.to_owned()),
        ("event", r#"{"type":"EventMessage","event":"TaskProgress","request_id":"r","progress":{"pct":100,"message":"\u00e9\n"}}"#.to_owned()),
        ("error", r#"{"type":"ErrorMessage","code":"E_TIMEOUT","message":"m","request_id":"r"}"#.to_owned()),
        ("heartbeat", r#"{"type":"Heartbeat","session_id":"s","timestamp":1}"#.to_owned()),
        ("invoke-read", r#"{"tool":"filesystem","action":"read_file","args":{"path":"a"}}"#.to_owned()),
        ("invoke-list", r#"{"tool":"filesystem","action":"list_dir","args":{"path":"src"}}"#.to_owned()),
        ("invoke-unknown", r#"{"tool":"nobody","action":"knows","args":{}}"#.to_owned()),
        ("result", format!(r#"{{"timestamp_utc":"2024-11-05T16:00:00.005Z","ok":true,"tool":"filesystem","action":"write_file","policy":{{"allowed":true}},"output":{{"stdout":"","truncated":false}},"effects":{{"files":[{{"path":"a.txt","size_bytes":0,"sha256":"{hash}"}}]}}}}"#)),
        ("result-denied", r#"{"timestamp_utc":"2024-11-05T16:00:00.000Z","ok":false,"tool":"t","action":"a","policy":{"allowed":false,"rule":"r","code":"C"},"output":{"stdout":"","truncated":false},"error":{"type":"PolicyDenied","message":"m"}}"#.to_owned()),
        ("numbers", "[0,-0,1e2,1.5e-7,18446744073709551615,-9223372036854775808,0.1]".to_owned()),
    ];
    seeds.extend(texts.into_iter().map(|(name, text)| (name.to_owned(), text.into_bytes())));
    seeds
}

/// A number for where it starts, its length, and the path, as a case reads them.
fn path() -> Seeds {
    let encoded = |(place, (name, path)): (usize, (String, Vec<u8>))| {
        let start = u8::try_from(place % 12).unwrap_or_default();
        let bytes = [start, u8::try_from(path.len()).unwrap_or_default()].into_iter().chain(path).collect();
        (name, bytes)
    };
    let short = attacks("path").into_iter().filter(|(_, path)| path.len() <= 48);
    short.step_by(3).enumerate().map(encoded).collect()
}

fn policy() -> Seeds {
    let mut files = Vec::new();
    for folder in ["policies", "policies/examples", "policies/std", "crates/policyc/tests/fixtures"] {
        let read = fs::read_dir(root().join(folder)).expect("the folder is there");
        files.extend(read.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_file()));
    }
    files.retain(|path| path.extension().is_some_and(|extension| extension == "policy"));
    let mut seeds: Seeds = files.iter().map(|path| (stem(path), fs::read(path).expect("is a file"))).collect();
    seeds.retain(|(_, bytes)| bytes.len() <= 4_096);
    seeds.sort();
    seeds
}

/// Lines of our own commands, so that a real shell can run them too; and attacks after one.
fn shell() -> Seeds {
    let own = [
        "ta",
        "ta 'a b' \"c d\" e\\ f",
        "ta && tb-1 || f ; ta",
        "f || ta x | tb-1 y\nta z",
        "ta '' \"\" \"\\$\\`\\\"\\\\\" \\a \"\\a\"",
        "ta a\\\nb \"c\\\nd\" 'e\\\nf'",
        "ta HEAD~1 --long=1 @{0} {} {'a,b'} ! = : % ^ + ]",
        "ta a#b '#' \\# \\*",
        "ta ||\n tb-1",
        "ta\t\u{e9}\u{1f980}",
    ];
    let mut seeds: Seeds =
        (1..).zip(own).map(|(number, line)| (format!("own-{number:02}"), line.as_bytes().to_vec())).collect();
    let after = |(name, line): (String, Vec<u8>)| (name, [b"ta ".as_slice(), &line].concat());
    let short = attacks("shell").into_iter().filter(|(_, line)| line.len() <= 100);
    seeds.extend(short.step_by(8).map(after));
    seeds
}

/// No choices or some, and the file.
fn table() -> Seeds {
    let golden = |name: &str| {
        fs::read(root().join("crates/table-format/tests/golden/v1").join(name)).expect("the golden table is there")
    };
    let files = [
        ("empty", golden("empty.table")),
        ("every-row", golden("every-row.table")),
        ("strings", frozen("rule r: allow anyone to file.read where path in \"src/**\", \"*.rs\" and bytes < 9 B")),
        ("regex", frozen("role r\nrule r: ask r to git.push where ref matches \"^a(b|c)*$\" and not force")),
        ("limits", frozen("rule r: allow anyone to file.write limit bytes <= 1 MiB require clean-tree")),
        ("tool", frozen("tool t(a: string, n: int, f: flag)\nrule r: deny anyone to t where f or n > 3 or a == \"x\"")),
    ];
    let mut seeds = Seeds::new();
    for (name, file) in files {
        seeds.push((name.to_owned(), [&[0], file.as_slice()].concat()));
        let choices = b"\x03\x08src/a.rs\x01x\x00\x00\x01\x01\x01\x01\x01\x02\x00\x01";
        let count = u8::try_from(choices.len()).unwrap_or_default();
        seeds.push((format!("{name}-asked"), [&[count], choices.as_slice(), &file].concat()));
    }
    seeds
}

fn url() -> Seeds {
    let attacks = attacks("url").into_iter().filter(|(_, url)| url.len() <= 120).step_by(5);
    // As the choices of a case: the first start of a host, which is most of an address, and one more digit.
    attacks.chain([("host-of-numbers".to_owned(), b"\x00\x017".to_vec())]).collect()
}

fn wire() -> Seeds {
    requests().into_iter().map(|(name, message)| (name, message.encode_to_vec())).collect()
}

/// A short valid request of every variant.
fn requests() -> Vec<(String, ToolRequest)> {
    let made = |variant: usize| {
        let mut dice = Rng::with_seed(SEED);
        let tries = (0..400).map(|_| testing::request_of(&mut dice, variant));
        let valid = tries.filter(|message| tool_proto::Validator::validate(message).is_ok());
        let message = valid.min_by_key(prost::Message::encoded_len)?;
        Some((format!("variant-{variant:02}"), message))
    };
    (0..testing::VARIANTS).filter_map(made).collect()
}

/// The inputs of a kind in the corpora of attacks, by their ids.
fn attacks(kind: &str) -> Seeds {
    let mut seeds = Seeds::new();
    for file in ["attacks.jsonl", "additions.jsonl"] {
        let text = fs::read_to_string(root().join("tests/corpus").join(file)).expect("the corpus is there");
        for line in text.lines() {
            let case: Value = serde_json::from_str(line).expect("a case is JSON");
            if case["kind"] == kind
                && let (Some(id), Some(input)) = (case["id"].as_str(), case["input"].as_str())
            {
                seeds.push((id.to_owned(), input.as_bytes().to_vec()));
            }
        }
    }
    seeds
}

fn frozen(statements: &str) -> Vec<u8> {
    let text = format!("policy seed language 1\nwithout std.protected-paths\n{statements}\n");
    let files = Memory::default().with("seed.policy", text.as_str());
    let checked = check_in(&files, Path::new("seed.policy"), CheckOptions::default());
    let model = checked.model.unwrap_or_else(|| panic!("{text}{:#?}", checked.diagnostics));
    freeze(&model, &policy_syntax::Sources::default()).unwrap_or_else(|error| panic!("{text}{error}")).bytes
}

fn stem(path: &Path) -> String {
    path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Everything is allowed, so that only the core itself stands in the way.
const OPEN: &str = "tool jira { op search(project: string, max: int) op attach(file: path) }
tool dice(min: int)
rule all: allow anyone to file.*, fs.*, shell.inline, pytest.*, proc.*, http.*, git.*, ast.*, inference.*, \
artifact.*, validate.*, metrics.*, jira.*, dice
rule complex: allow anyone to shell.exec where complex
rule plain: allow anyone to shell.exec where not complex";

const SEED: u64 = 1;
