//! Evidence that is the same whenever it is asked for (INVOKE-REPORT): a fixed workflow and fixed attacks, with all that the
//! program printed, as a report that is written beside the test's program.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};
use tool_json::{OUTPUT_BYTES_MAX, ToolInvokeResult};

use crate::support::{Place, invoke, sha256_of};

const RULES: &str = "rule work:\n  allow coder to file.*, fs.*, pytest.run\n";
const FLOOD: &str = "def test_flood():\n    print(\"x\" * 200_000)\n    assert False\n";
const HANG: &str = "import time\n\ndef test_hang():\n    time.sleep(600)\n";
const PASS: &str = "def test_sum():\n    assert 1 + 1 == 2\n";

/// Tool, action, arguments, and the expected type of error; empty for success.
fn asks() -> Vec<(&'static str, &'static str, Value, &'static str)> {
    let (file, tests) = ("filesystem", "pytest");
    let write = |path: &str, content: &str| json!({ "path": path, "content": content });
    let path = |path: &str| json!({ "path": path });
    vec![
        (file, "write_file", write("test_sum.py", PASS), ""),
        (file, "read_file", path("test_sum.py"), ""),
        (tests, "run", json!({ "paths": ["test_sum.py"] }), ""),
        (file, "write_file", write("empty", ""), ""),
        (file, "list_dir", path("names"), ""),
        (file, "read_file", path("missing"), "NotFound"),
        (file, "read_file", path("binary.dat"), "EncodingError"),
        ("database", "query", json!({}), "PolicyDenied"),
        (file, "chown", json!({}), "PolicyDenied"),
        (file, "read_file", path("../outside/secret.txt"), "PolicyDenied"),
        (file, "write_file", write("names/../../outside/made", "x"), "PolicyDenied"),
        (file, "read_file", path("/etc/hostname"), "PolicyDenied"),
        (file, "list_dir", path(".."), "PolicyDenied"),
        (file, "read_file", path("file-link"), "PolicyDenied"),
        (file, "write_file", write("file-link", "x"), "PolicyDenied"),
        (file, "read_file", path("folder-link/secret.txt"), "PolicyDenied"),
        (file, "write_file", write("folder-link/made", "x"), "PolicyDenied"),
        (file, "read_file", path("absolute-link/hostname"), "PolicyDenied"),
        (file, "write_file", write("test_flood.py", FLOOD), ""),
        (tests, "run", json!({ "paths": ["test_flood.py"] }), ""),
        (file, "write_file", write("test_hang.py", HANG), ""),
        (tests, "run", json!({ "paths": ["test_hang.py"], "timeout_ms": 2_000 }), "Timeout"),
    ]
}

/// Runs everything in a new directory and checks it. Returns the report, without what differs from run to run.
fn report() -> String {
    let place = Place::new(RULES, &[("names/b", "b"), ("names/a", "a"), ("names/c", "c")]);
    let (root, outside) = (place.root(), place.folder.path().join("outside"));
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret.txt"), "secret\n").unwrap();
    fs::write(root.join("binary.dat"), [0xff, 0xfe, 0x00, 0x41]).unwrap();
    symlink("../outside/secret.txt", root.join("file-link")).unwrap();
    symlink("../outside", root.join("folder-link")).unwrap();
    symlink("/etc", root.join("absolute-link")).unwrap();

    let asks = asks();
    let lines: Vec<String> = asks.iter().map(|(tool, action, args, _)| invoke(tool, action, args)).collect();
    let said = place.run(&lines);
    assert_eq!((said.lines.len(), said.code), (asks.len(), Some(0)), "{}", said.errors);
    let mut report = "# Commands and raw output\n\n".to_owned();
    for ((line, answer), (tool, _, _, expected)) in lines.iter().zip(&said.lines).zip(&asks) {
        writeln!(report, "> {line}\n{}\n", settled(answer.clone(), place.folder.path())).unwrap();
        // The schema: these fields, of these types, and no others.
        let result = ToolInvokeResult::read(answer.to_string().as_bytes());
        assert_eq!(result.unwrap_or_else(|error| panic!("{error}: {answer}")).ok(), expected.is_empty(), "{answer}");
        assert_eq!(answer["error"]["type"].as_str().unwrap_or_default(), *expected, "{answer}");
        let stdout = answer["output"]["stdout"].as_str().unwrap_or_default();
        assert!(*expected != "PolicyDenied" || stdout.is_empty(), "{answer}");
        assert!(*tool != "pytest" || !stdout.is_empty(), "`cargo xtask test` installs pytest where there is none");
    }
    let [pass, list, flood] = [2, 4, 19].map(|place| &said.lines[place]["output"]);
    assert_eq!((&pass["exit_code"], &flood["exit_code"]), (&json!(0), &json!(1)));
    assert_eq!(list["stdout"], "a\nb\nc");

    let kept: Vec<_> = fs::read_dir(&outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(
        (kept, fs::read_to_string(outside.join("secret.txt")).unwrap()),
        (vec!["secret.txt".into()], "secret\n".into())
    );
    writeln!(
        report,
        "# Containment\n\n{} attacks denied, nothing outside changed\n",
        lines_with(&asks, "PolicyDenied")
    )
    .unwrap();

    let bytes = |stream: &str| flood[stream].as_str().unwrap().len();
    let kept = bytes("stdout") + bytes("stderr");
    assert!(kept <= OUTPUT_BYTES_MAX && flood["truncated"] == true && pass["truncated"] == false, "{kept}");
    writeln!(report, "# Output cap\n\n{kept} of at most {OUTPUT_BYTES_MAX} bytes, truncated\n").unwrap();

    report += "# Files\n\n";
    for (place, path) in
        [(0, "test_sum.py"), (1, "test_sum.py"), (3, "empty"), (18, "test_flood.py"), (20, "test_hang.py")]
    {
        let effect = &said.lines[place]["effects"]["files"][0];
        let path = root.join(path);
        assert_eq!(
            (&effect["sha256"], &effect["size_bytes"]),
            (&json!(sha256_of(&path)), &json!(fs::metadata(path).unwrap().len()))
        );
        writeln!(report, "{effect}").unwrap();
    }
    assert_eq!((place.verify().lines[0]["whole"].as_bool(), place.verify().code), (Some(true), Some(0)));
    report
}

fn lines_with(asks: &[(&str, &str, Value, &str)], expected: &str) -> usize {
    asks.iter().filter(|(_, _, _, error)| *error == expected).count()
}

/// The answer without times and the directory's name.
fn settled(mut answer: Value, folder: &Path) -> String {
    answer["timestamp_utc"] = "<time>".into();
    let mut text = answer.to_string().replace(folder.to_str().unwrap(), "<directory>");
    // pytest prints how long its tests took, and a timeout its exact duration.
    for (before, end) in [("\"duration_ms\":", ','), (" killed after ", ' '), ("passed in ", 's'), ("failed in ", 's')]
    {
        if let Some((head, rest)) = text.split_once(before) {
            let (_, tail) = rest.split_once(end).unwrap();
            text = format!("{head}{before}<time>{end}{tail}");
        }
    }
    text
}

#[test]
fn invoke_report_is_the_same_twice() {
    let first = report();
    fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("evidence.md"), &first).unwrap();
    assert_eq!(first, report());
}
