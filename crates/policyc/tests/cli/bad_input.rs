//! Input meant to hurt: each ends with a clear finding and exit code 1 or 2, soon, in little memory,
//! and never with a panic or a signal.

use std::fs;
use std::path::Path;

use crate::support::{Run, folder};

#[test]
fn hostile_bytes_are_findings() {
    let cases: &[(&str, Vec<u8>, &str)] = &[
        ("over 1 MiB", vec![b'#'; MIB + 1], "E0102"),
        ("well over 1 MiB", vec![b'\n'; 64 * MIB], "E0102"),
        ("invalid UTF-8", b"policy p language 1\n# \xFF\xFE\n".to_vec(), "E0103"),
        ("UTF-16", "policy p language 1".encode_utf16().flat_map(u16::to_le_bytes).collect(), "E0105"),
        ("a byte order mark", b"\xEF\xBB\xBFpolicy p language 1\n".to_vec(), "E0104"),
        ("NUL", b"policy p language 1\n# \0\n".to_vec(), "E0105"),
        ("1 MiB of NUL", vec![0; MIB], "E0105"),
        ("bidi controls", policy("# \u{202E} \u{2066}\n"), "E0106"),
        ("1 MiB of bidi and control", filled("\u{202E}\u{7}"), "E0106"),
        ("a line of 1 MiB", filled("x"), "E0107"),
        ("1 MiB of quotes", filled("\""), "E0107"),
        ("1 MiB of (", filled("("), "E0107"),
        ("1 MiB of ,", filled(","), "E0107"),
        ("1 MiB of not", filled("not "), "E0107"),
    ];
    assert_findings(cases);
}

#[test]
fn hostile_words_are_findings() {
    let push = |condition: &str| policy(&format!("rule x:\n  ask r to git.push\n  where {condition}\n"));
    let nested = |depth: usize| push(&format!("{}force{}", "(".repeat(depth), ")".repeat(depth)));
    let cases: &[(&str, Vec<u8>, &str)] = &[
        ("nothing", Vec::new(), "E0208"),
        ("1 MiB of blanks", filled(" \n"), "E0208"),
        ("65 parentheses", nested(65), "E0204"),
        ("8,000 parentheses", nested(8_000), "E0204"),
        ("65 nots", push(&format!("{}force", "not ".repeat(65))), "E0204"),
        ("10,000 errors", policy(&"rule x: alow r to file.read\n".repeat(10_000)), "E0108"),
        ("10,000 different errors", policy(&"rule x: alow r to\npaths p = &&\n\"\n".repeat(10_000)), "E0108"),
        ("1 MiB of ( in lines", filled(&format!("{}\n", "(".repeat(1_023))), "E0204"),
        ("1 MiB of , in lines", filled(",\n"), "E0201"),
        ("1 MiB of not in lines", filled("not\n"), "E0204"),
        ("1 MiB of quotes in lines", filled("\"\n"), "E0203"),
        ("1 MiB of strings", filled("\"\"\n"), "E0201"),
        ("1 MiB of strays", filled("&\n"), "E0205"),
        ("1 MiB of rule", filled("rule\n"), "E0201"),
        ("1 MiB of headers", filled("policy p language 1\n"), "E0209"),
    ];
    assert_findings(cases);
}

#[test]
fn hostile_texts_are_not_formatted() {
    for text in [filled("x"), filled("\u{202E}\u{7}"), policy(&"rule x: alow r to file.read\n".repeat(10_000))] {
        let place = folder();
        fs::write(place.path().join("hostile.policy"), text).unwrap();
        let run = bounded(place.path(), &["fmt", "hostile.policy"]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{}", head(&run.stderr));
        assert!(run.stderr.starts_with("error[E0"), "{}", head(&run.stderr));
    }
}

#[test]
fn sixty_four_parentheses_are_not_too_many() {
    let place = folder();
    let text = format!(
        "policy p language 1\nrole r\nrule x:\n  ask r to git.push\n  where {}force{}\n",
        "(".repeat(64),
        ")".repeat(64)
    );
    fs::write(place.path().join("deep.policy"), text).unwrap();
    let run = bounded(place.path(), &["check", "deep.policy"]);
    assert_eq!(run.code, Some(0), "{}", run.stdout);
}

#[test]
fn what_is_no_readable_file_is_exit_code_2() {
    let place = folder();
    fs::write(place.path().join("file.policy"), "").unwrap();
    fs::create_dir(place.path().join("folder.policy")).unwrap();
    let long = "x".repeat(5_000);
    for path in ["missing.policy", "file.policy/x", "folder.policy", "", &long] {
        for command in ["check", "fmt"] {
            let run = bounded(place.path(), &[command, path]);
            assert_eq!(run.code, Some(2), "{command} {path}: {run:?}");
            assert!(!(run.stdout + &run.stderr).trim().is_empty(), "{command} {path} says nothing");
        }
    }
}

#[cfg(unix)]
#[test]
fn what_never_ends_is_refused_before_it_is_read() {
    use std::os::unix::fs::symlink;

    let place = folder();
    let fifo = std::process::Command::new("mkfifo").arg(place.path().join("fifo.policy")).status().unwrap();
    assert!(fifo.success());
    symlink("loop.policy", place.path().join("loop.policy")).unwrap();
    symlink("/dev/zero", place.path().join("zero.policy")).unwrap();
    for path in ["fifo.policy", "loop.policy", "zero.policy", "/dev/zero", "/dev/stdin"] {
        for command in ["check", "fmt"] {
            let run = bounded(place.path(), &[command, path]);
            assert_eq!(run.code, Some(2), "{command} {path}: {run:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn an_endless_standard_input_is_too_large() {
    // With a bound on memory, lest a mistake takes the machine down with it.
    let script = "ulimit -v 200000; exec \"$0\" fmt </dev/zero";
    let output = std::process::Command::new("sh").args(["-c", script, crate::support::BINARY]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("error[E0102]: "));
}

/// Each text has a finding of its code, and not much more is said.
fn assert_findings(cases: &[(&str, Vec<u8>, &str)]) {
    let mut complaints = Vec::new();
    for (what, bytes, code) in cases {
        let place = folder();
        fs::write(place.path().join("hostile.policy"), bytes).unwrap();
        let run = bounded(place.path(), &["check", "hostile.policy"]);
        let is_clear = run.code == Some(1) && run.stderr.is_empty() && run.stdout.contains(&format!("[{code}]: "));
        if !is_clear || run.stdout.len() > OUTPUT_BYTES_MAX {
            let (head, length) = (head(&run.stdout), run.stdout.len());
            complaints.push(format!("{what}: not {code} but {:?}, {}, {length} bytes: {head}", run.code, run.stderr));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
}

/// With bounds on time everywhere and on memory where they can be set.
fn bounded(place: &Path, arguments: &[&str]) -> Run {
    #[cfg(target_os = "linux")]
    return crate::support::policyc_in_bounds(place, arguments).run();
    #[cfg(not(target_os = "linux"))]
    return crate::support::policyc(place, arguments).run();
}

fn filled(pattern: &str) -> Vec<u8> {
    pattern.repeat(MIB / pattern.len()).into_bytes()
}

fn policy(rest: &str) -> Vec<u8> {
    format!("policy p language 1\nrole r\n{rest}").into_bytes()
}

fn head(text: &str) -> String {
    text.chars().take(600).collect()
}

const MIB: usize = 1 << 20;

/// A thousand findings of a few lines each.
const OUTPUT_BYTES_MAX: usize = 2 << 20;
