//! Requirements and the names of the tests -> which requirement has evidence, and whether the document is up to date.
//! A test is evidence for a requirement when its name carries the id; that it bites is shown by mutants.

mod document;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::ci;
use crate::error::{Outcome, TaskError};
use crate::tree::{Tree, output};

/// What becomes of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Document {
    /// It is compared with what it should be.
    Compare,
    /// It is written anew.
    Write,
}

/// Traces every requirement to its tests and prints what is wrong.
pub(crate) fn run(tree: &Tree, document: Document) -> Result<Outcome, TaskError> {
    let text = tree.read_text(REQUIREMENTS)?;
    let tests = list_tests(tree)?;
    let mut traced = trace(&text, &tests);
    match document {
        Document::Compare => {
            let committed = tree.read_text(DOCUMENT).unwrap_or_default();
            traced.findings.extend(out_of_date(&committed, &traced.document));
        }
        Document::Write if !traced.document.is_empty() => {
            let path = tree.root().join(DOCUMENT);
            fs::write(&path, &traced.document).map_err(|source| TaskError::Write { path, source })?;
        }
        Document::Write => {}
    }
    for finding in &traced.findings {
        println!("trace: {finding}");
    }
    let done = traced.rows.iter().filter(|row| row.status == Status::Done).count();
    println!(
        "trace: {} requirements, {done} done, {} tests, findings: {}",
        traced.rows.len(),
        tests.len(),
        traced.findings.len()
    );
    Ok(Outcome::fine_if(traced.findings.is_empty()))
}

/// One requirement. A key or status that is not known is refused.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    id: String,
    text: String,
    /// Which reading stands, where there are two.
    note: Option<String>,
    status: Status,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Open,
    Done,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Requirements {
    req: Vec<Row>,
}

#[derive(Debug, Default)]
struct Traced {
    rows: Vec<Row>,
    /// Empty when the requirements cannot be read.
    document: String,
    findings: Vec<String>,
}

fn trace(requirements: &str, tests: &[String]) -> Traced {
    let rows = match toml::from_str::<Requirements>(requirements) {
        Ok(file) => file.req,
        Err(error) => return Traced { findings: vec![format!("{REQUIREMENTS}: {error}")], ..Traced::default() },
    };
    let mut findings = wrong_rows(&rows);
    let ids: Vec<Vec<String>> = rows.iter().map(|row| words(&row.id)).collect();
    let mut evidence: Vec<Vec<String>> = vec![Vec::new(); rows.len()];
    for test in tests {
        let (carried, unknown) = carried(&ids, test);
        for (_, names) in (0..).zip(&mut evidence).filter(|(row, _)| carried.contains(row)) {
            names.push(test.clone());
        }
        findings.extend(unknown.into_iter().map(|id| format!("`{test}` carries `{id}`, which is the id of no row")));
    }
    for (row, tests) in rows.iter().zip(&evidence) {
        if row.status == Status::Done && tests.is_empty() {
            let name = words(&row.id).join("_");
            findings.push(format!("`{}` is done, but no test has `{name}` in its name", row.id));
        }
    }
    let document = document::render(&rows, &evidence);
    Traced { rows, document, findings }
}

fn wrong_rows(rows: &[Row]) -> Vec<String> {
    let mut findings = Vec::new();
    if rows.is_empty() {
        findings.push(format!("{REQUIREMENTS}: no requirements in it"));
    }
    for (place, Row { id, .. }) in rows.iter().enumerate() {
        match rows.iter().take(place).find(|other| words(&other.id) == words(id)) {
            Some(other) if other.id == *id => findings.push(format!("`{id}` is the id of two rows")),
            Some(other) => findings.push(format!("`{id}` and `{}` are one id in the name of a test", other.id)),
            None => {}
        }
        if !document::has_group(id) {
            findings.push(format!("`{id}` belongs to no group of the document"));
        }
    }
    findings
}

fn out_of_date(committed: &str, document: &str) -> Option<String> {
    let same = committed.lines().zip(document.lines()).take_while(|(old, new)| old == new).count();
    let line = same.saturating_add(1);
    let is_other = committed != document && !document.is_empty();
    is_other.then(|| format!("{DOCUMENT}:{line}: out of date; `cargo xtask trace --write` writes it anew"))
}

/// The rows whose ids the path of a test carries, such as `module::inv_0007_dotdot_is_refused`, and what has the form
/// of an id and is none. Whole words are compared, so that no id is found inside another.
fn carried(ids: &[Vec<String>], path: &str) -> (BTreeSet<usize>, Vec<String>) {
    let (mut rows, mut unknown) = (BTreeSet::new(), Vec::new());
    for segment in path.split("::") {
        let words: Vec<&str> = segment.split('_').collect();
        let mut rest = words.as_slice();
        while let Some((first, after)) = rest.split_first() {
            let starts = |id: &Vec<String>| id.len() <= rest.len() && id.iter().zip(rest).all(|(a, b)| a == b);
            let found = ids.iter().enumerate().filter(|(_, id)| starts(id));
            // The words of one id can start another.
            if let Some((row, id)) = found.max_by_key(|(_, id)| id.len()) {
                rows.insert(row);
                rest = rest.get(id.len()..).unwrap_or_default();
                continue;
            }
            let is_number = |word: &&&str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
            // The ids that are numbers, so that a slip can be told from ordinary words.
            if let Some(number) = after.first().filter(|word| matches!(*first, "inv" | "ctr") && is_number(word)) {
                unknown.push(format!("{first}_{number}"));
            }
            rest = after;
        }
    }
    (rows, unknown)
}

/// An id as the words of a name: `RULE-sec.git.clean_tree` is `rule sec git clean tree`.
fn words(id: &str) -> Vec<String> {
    id.to_lowercase().split(['-', '.', '_']).map(String::from).collect()
}

/// Every test of the workspace with its crate and target, sorted. The programs list their tests themselves, so no source
/// is read and no test that is compiled out counts; one that is ignored proves nothing.
fn list_tests(tree: &Tree) -> Result<Vec<String>, TaskError> {
    // The arguments are those of the test run, so that nothing is built twice.
    let mut command = tree.cargo(ci::TEST);
    command.args(["--no-run", "--message-format=json-render-diagnostics"]);
    let mut tests = Vec::new();
    for (prefix, executable) in programs(&output(&mut command)?) {
        let list = |argument: Option<&str>| {
            output(Command::new(&executable).args(["--list", "--format", "terse"]).args(argument))
        };
        let (all, ignored) = (list(None)?, list(Some("--ignored"))?);
        let run = all.lines().filter(|line| !ignored.lines().any(|ignored| ignored == *line));
        tests.extend(run.filter_map(|line| Some(format!("{prefix}::{}", line.strip_suffix(": test")?))));
    }
    tests.sort_unstable();
    Ok(tests)
}

/// The programs with tests among what cargo says it has built, each with the crate and, unless it is the library, the
/// target.
fn programs(printed: &str) -> Vec<(String, String)> {
    let artifacts = printed.lines().filter_map(|line| serde_json::from_str::<Artifact>(line).ok());
    artifacts
        .filter(|artifact| artifact.profile.test)
        .filter_map(|Artifact { manifest_path, target, executable, .. }| {
            // Folder = crate, which `layers` holds.
            let folder = Path::new(&manifest_path).parent()?.file_name()?.to_str()?;
            let is_library = target.kind.iter().any(|kind| kind == "lib");
            Some((if is_library { folder.to_owned() } else { format!("{folder}::{}", target.name) }, executable?))
        })
        .collect()
}

/// One of cargo's messages, of which only those about executables are of interest.
#[derive(Debug, Deserialize)]
struct Artifact {
    manifest_path: String,
    target: Target,
    profile: Profile,
    executable: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Profile {
    test: bool,
}

const REQUIREMENTS: &str = "tests/conformance/requirements.toml";
const DOCUMENT: &str = "docs/conformance.md";

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = r#"
[[req]]
id = "INV-0001"
text = "Short."
note = "Very."
status = "done"
[[req]]
id = "SEC-ALLOW"
text = "Listed."
status = "open"
"#;

    fn found(requirements: &str, tests: &[&str], expected: &[&str]) {
        let tests: Vec<String> = tests.iter().map(|test| (*test).to_owned()).collect();
        let findings = trace(requirements, &tests).findings;
        let is_expected = findings.len() == expected.len() && findings.iter().zip(expected).all(|(a, b)| a.contains(b));
        assert!(is_expected, "{findings:?}, and not {expected:?}");
    }

    #[test]
    fn the_requirements_of_this_house_are_in_order() {
        let text = Tree::locate().unwrap().read_text(REQUIREMENTS).unwrap();
        let rows = toml::from_str::<Requirements>(&text).unwrap().req;
        assert_eq!(wrong_rows(&rows), [""; 0]);
        // A row that goes away takes its promise with it, so that is seen here too.
        assert_eq!(rows.len(), 171);
    }

    #[test]
    fn done_rows_have_tests_and_tests_carry_ids_of_rows() {
        found(SMALL, &["model::inv_0001_holds", "model::other"], &[]);
        found(SMALL, &["model::sec_allow_lists"], &["no test has `inv_0001`"]);
        found(SMALL, &["inv_0001", "a::inv_0002_holds"], &["`a::inv_0002_holds` carries `inv_0002`"]);
    }

    #[test]
    fn an_id_is_that_of_one_row_and_has_a_group() {
        let twice = ["`INV-0001` is the id of two rows", "`INV-0001` is done, but no test"];
        found(&SMALL.replace("SEC-ALLOW", "INV-0001"), &["inv_0001"], &twice);
        let alike = SMALL.replace("SEC-ALLOW", "INV-.0001").replace("INV-0001", "INV--0001");
        let expected = ["`INV-.0001` and `INV--0001` are one id", "`INV--0001` is done, but no test"];
        found(&alike, &["inv__0001"], &expected);
        found(&SMALL.replace("SEC-ALLOW", "ELSE-1"), &["inv_0001"], &["`ELSE-1` belongs to no group"]);
        found("req = []\n", &[], &["no requirements in it"]);
    }

    #[test]
    fn what_is_no_list_of_requirements_is_refused_and_makes_no_document() {
        for (from, to, named) in [
            ("\"open\"", "\"partly\"", "`partly`"),
            ("status = \"open\"\n", "", "`status`"),
            ("note", "notes", "`notes`"),
            ("\n[[req]]", "\nother = 1\n[[req]]", "`other`"),
            ("\"Listed.\"", "Listed.", "line 9"),
        ] {
            let changed = SMALL.replacen(from, to, 1);
            found(&changed, &["inv_0001"], &[named]);
            assert_eq!(trace(&changed, &[]).document, "");
        }
    }

    #[test]
    fn a_document_that_differs_is_out_of_date_at_its_first_other_line() {
        let document = trace(SMALL, &["inv_0001_holds".to_owned()]).document;
        assert_eq!(out_of_date(&document, &document), None);
        let last = document.lines().count();
        for (committed, line) in [
            (String::new(), 1),
            (document.replace("Listed", "Listened"), last),
            (format!("{document}more\n"), last + 1),
            (document.trim_end().to_owned(), last + 1),
        ] {
            let finding = out_of_date(&committed, &document).unwrap();
            assert!(finding.starts_with(&format!("{DOCUMENT}:{line}: ")), "{finding}");
        }
        let more = ["inv_0001", "sec_allow_sec_allow"].map(String::from);
        assert!(trace(SMALL, &more).document.contains("| open, in part | `sec_allow_sec_allow` |"));
    }

    #[test]
    fn ids_are_whole_words_of_one_segment_and_the_longest_wins() {
        let ids = ["INV-0007", "SEC-ALLOW", "SEC-ALLOW-EMPTY", "RULE-sec.git.clean_tree", "TOOL-git-18", "TOOL-git"];
        let all: Vec<Vec<String>> = ids.iter().map(|id| words(id)).collect();
        for (path, expected) in [
            ("inv_0007", [0].as_slice()),
            ("a::b::x_inv_0007_y", &[0]),
            ("inv_0007::holds", &[0]),
            ("rule_sec_git_clean_tree_is_kept", &[3]),
            ("sec_allow_empty_blocks_all", &[2]),
            ("sec_allow_emptiness", &[1]),
            ("tool_git_18", &[4]),
            ("tool_git_180", &[5]),
            ("inv_0007_sec_allow_and_tool_git", &[0, 1, 5]),
            ("inv_0007::sec_allow", &[0, 1]),
            ("sinv_0007", &[]),
            ("sec::allow", &[]),
            ("sec_allowed", &[]),
            ("inv_of_0008_ctr_a0001_inv__0007", &[]),
        ] {
            let (rows, unknown) = carried(&all, path);
            assert_eq!(rows.into_iter().collect::<Vec<_>>(), expected, "{path}");
            assert_eq!(unknown, [""; 0], "{path}");
        }
        for (path, unknown) in [("inv_0008_x", "inv_0008"), ("a::ctr_0001", "ctr_0001"), ("inv_7", "inv_7")] {
            assert_eq!(carried(&all, path), (BTreeSet::new(), vec![unknown.to_owned()]), "{path}");
        }
    }

    #[test]
    fn programs_with_tests_are_read_as_cargo_writes_them() {
        let line = |kind: &str, name: &str, test: bool, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"x/crates/model/Cargo.toml","target":{{"kind":["{kind}"],"name":"{name}"}},"profile":{{"test":{test}}},"executable":{executable}}}"#
            )
        };
        let printed = [
            line("lib", "model", true, "\"x/model-1\""),
            line("test", "rows", true, "\"x/rows-2\""),
            line("lib", "model", false, "null"),
            line("example", "show", false, "\"x/show\""),
            r#"{"reason":"build-finished","success":true}"#.to_owned(),
        ];
        let expected = [("model", "x/model-1"), ("model::rows", "x/rows-2")];
        assert_eq!(programs(&printed.join("\n")), expected.map(|(name, path)| (name.to_owned(), path.to_owned())));
    }
}
