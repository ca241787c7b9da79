//! Every kind of finding is shown by a fixture, and its explanation by its own examples.
//!
//! A fixture is `tests/fixtures/E0201.policy`, or `tests/fixtures/E0301/main.policy` where it takes
//! several files, or `tests/fixtures/E1001.yaml` where another tool's file is imported. What cannot be a text file under review is made by `made`. To accept new or changed
//! output: `INSTA_UPDATE=always cargo test -p policyc codes`, then read the difference.

use std::fs;
use std::panic;
use std::path::{Path, PathBuf};

use policy_syntax::{Code, Severity};

use crate::support::{Run, folder, of_crate, policyc};

#[test]
fn every_code_has_a_fixture_that_shows_it() {
    let mut complaints = Vec::new();
    for code in all() {
        let scratch = folder();
        let Some((place, name)) = fixture(code.id, scratch.path()) else {
            complaints.push(format!("{}: no tests/fixtures/{}.policy", code.id, code.id));
            continue;
        };
        let mut run = policyc(&place, command(code).iter().copied().chain([name.as_str()])).run();
        if is_of_import(code.id) {
            // The policy is what an import prints; its findings stand beside it.
            run = Run { stdout: run.stderr, stderr: String::new(), ..run };
        }
        if let Err(complaint) = shows(code, &run) {
            complaints.push(complaint);
        } else if panic::catch_unwind(|| snapshot(code.id, &run)).is_err() {
            complaints.push(format!("{}: not what tests/snapshots/{}.snap has", code.id, code.id));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn no_fixture_or_snapshot_is_of_an_unknown_code() {
    for place in ["tests/fixtures", "tests/snapshots"] {
        for entry in fs::read_dir(of_crate(place)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "new") {
                continue; // what insta leaves for review
            }
            let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
            assert!(all().iter().any(|code| code.id == stem), "{} belongs to no code", path.display());
        }
    }
}

#[test]
fn every_example_is_what_it_says() {
    let mut complaints = Vec::new();
    for code in all() {
        if is_prose(code.wrong) {
            // Nothing to run here; its fixture shows it.
            assert!(fixture(code.id, folder().path()).is_some(), "{}: an example in words needs a fixture", code.id);
        } else if let Err(complaint) = shows(code, &check_example(code.wrong, &[])) {
            complaints.push(format!("wrong: {complaint}"));
        }
        let right = check_example(code.right, &imports(code.right));
        if right.code != Some(0) {
            complaints.push(format!("right: {} has errors\n{}", code.id, right.stdout));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

fn all() -> Vec<&'static Code> {
    let lists = [policy_syntax::codes::ALL, policy_model::codes::ALL, policy_import::codes::ALL];
    lists.into_iter().flatten().copied().collect()
}

/// The command that shows a code: an import for other tools' files, a check for every other.
fn command(code: &Code) -> &'static [&'static str] {
    match code.id {
        id if is_of_import(id) => &["import"],
        _ => &["check"],
    }
}

/// Whether the code is about files of other tools.
fn is_of_import(id: &str) -> bool {
    policy_import::codes::ALL.iter().any(|code| code.id == id)
}

/// Where the fixture of a code is and what it is called there.
fn fixture(id: &str, scratch: &Path) -> Option<(PathBuf, String)> {
    let name = format!("{id}.policy");
    if let Some(files) = made(id) {
        for (name, bytes) in files {
            fs::write(scratch.join(name), bytes).unwrap();
        }
        return Some((scratch.to_path_buf(), name));
    }
    let fixtures = of_crate("tests/fixtures");
    let others = ["yaml", "toml", "json", "rules"].map(|extension| format!("{id}.{extension}"));
    [name, format!("{id}/main.policy")]
        .into_iter()
        .chain(others)
        .find(|name| fixtures.join(name).is_file())
        .map(|name| (fixtures, name))
}

/// Fixtures that are not committed: too large, too many, not text, invisible, or no file at all.
fn made(id: &str) -> Option<Vec<(String, Vec<u8>)>> {
    let bytes = |bytes: Vec<u8>| Some(vec![(format!("{id}.policy"), bytes)]);
    let policy = |rest: &[u8]| bytes([b"policy made language 1\n", rest].concat());
    match id {
        "E0101" => Some(Vec::new()),
        "E0102" => bytes(vec![b'#'; (1 << 20) + 1]),
        "E0103" => policy(b"# caf\xE9\n"),
        "E0104" => bytes("\u{FEFF}policy made language 1\n".into()),
        "E0105" => policy(b"# a hidden \x07 bell\n"),
        "E0106" => policy("# \u{202E}txet\n".as_bytes()),
        "E0107" => policy(format!("# {}\n", "long ".repeat(4_000)).as_bytes()),
        "E0108" => policy("rule x: alow r to file.read\n".repeat(2_000).as_bytes()),
        "E0306" => Some(chain(id)),
        "E0416" => policy(many_roles().as_bytes()),
        "E0902" => policy(multiplying_regexes().as_bytes()),
        "E0903" => policy(one_rule_about(40).as_bytes()),
        "E0904" => policy(flags(65).as_bytes()),
        "N0702" => policy(numbered(1_001, |n| format!("paths p{n} = \"src/**\"\n")).as_bytes()),
        _ => None,
    }
}

/// Forty policies, each of which imports the next.
fn chain(id: &str) -> Vec<(String, Vec<u8>)> {
    let name = |n: usize| if n == 0 { format!("{id}.policy") } else { format!("{n}.policy") };
    let text = |n: usize| format!("policy p{n} language 1\n\nuse \"./{}\"\n", name(n + 1));
    let last = (name(40), "policy last language 1\n".into());
    (0..40).map(|n| (name(n), text(n).into_bytes())).chain([last]).collect()
}

/// One role more than there may be.
fn many_roles() -> String {
    let used = |n| format!("role r{n}\nrule u{n}: deny r{n} to git.push\ntest t{n}: r{n} git.push => deny by u{n}\n");
    numbered(1_024, used) + "role one-too-many\n"
}

/// Regexes that need an automaton each, one for each letter.
fn multiplying_regexes() -> String {
    let rule = |letter| {
        format!("rule r-{letter}: deny anyone to shell.exec where line matches \"^[a-z0-9]*{letter}[a-z0-9]{{8}}$\"\n")
    };
    ('a'..='z').chain('0'..='9').map(rule).collect()
}

/// A rule that asks about so many strings.
fn one_rule_about(strings: usize) -> String {
    let list =
        |separator: &str, entry: &dyn Fn(usize) -> String| (0..strings).map(entry).collect::<Vec<_>>().join(separator);
    let (parameters, asked) =
        (list(", ", &|n| format!("s{n}: string")), list("\n  and ", &|n| format!("s{n} == \"x\"")));
    format!("tool t {{\n  op a({parameters})\n}}\n\nrule x:\n  deny anyone to t.a\n  where {asked}\n")
}

/// An operation with so many flags.
fn flags(count: usize) -> String {
    let flags: Vec<_> = (0..count).map(|n| format!("f{n}: flag")).collect();
    format!("tool t {{\n  op a({})\n}}\n", flags.join(", "))
}

fn numbered(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

fn shows(code: &Code, run: &Run) -> Result<(), String> {
    let shown = format!("{}[{}]: ", code.severity.as_str(), code.id);
    let expected: &[i32] = match code.severity {
        Severity::Error if code.id == "E0101" => &[2],
        Severity::Error => &[1],
        Severity::Warning | Severity::Note => &[0, 1],
    };
    let has_code = run.code.is_some_and(|code| expected.contains(&code));
    match run.stdout.contains(&shown) && has_code && run.stderr.is_empty() {
        true => Ok(()),
        false => {
            let (code, stdout, stderr) = (run.code, shortened(&run.stdout), &run.stderr);
            Err(format!("expected `{shown}` and exit code {expected:?}, got {code:?}\n{stdout}{stderr}"))
        }
    }
}

fn snapshot(id: &str, run: &Run) {
    let settings = {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(of_crate("tests/snapshots"));
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings
    };
    settings.bind(|| insta::assert_snapshot!(id, shortened(&run.stdout)));
}

/// A thousand findings are reviewed by the first and the last ones.
fn shortened(text: &str) -> String {
    let lines: Vec<_> = text.lines().collect();
    let Some(left_out) = lines.len().checked_sub(SNAPSHOT_LINES_MAX).filter(|count| *count > 0) else {
        return text.to_owned();
    };
    let (head, tail) = (&lines[..SNAPSHOT_LINES_MAX / 2], &lines[lines.len() - SNAPSHOT_LINES_MAX / 2..]);
    format!("{}\n[{left_out} lines]\n{}\n", head.join("\n"), tail.join("\n"))
}

/// Whether an example is told in comments, because no single policy could show it.
fn is_prose(example: &str) -> bool {
    example.lines().all(|line| line.is_empty() || line.starts_with('#'))
}

/// The files a right example imports: it is about itself, so they only have to be there.
fn imports(example: &str) -> Vec<&str> {
    example.lines().filter_map(|line| line.strip_prefix("use \"")?.split('"').next()).collect()
}

fn check_example(example: &str, imports: &[&str]) -> Run {
    let place = folder();
    for (number, import) in imports.iter().enumerate() {
        let path = place.path().join(import);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("policy import-{number} language 1\n")).unwrap();
    }
    fs::write(place.path().join("main.policy"), example).unwrap();
    policyc(place.path(), ["check", "main.policy"]).run()
}

const SNAPSHOT_LINES_MAX: usize = 60;
