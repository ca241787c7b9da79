//! Every file of the tree -> violations of the house rules that no compiler checks, as `path:line: message`.

use std::str;

use crate::error::{Outcome, TaskError};
use crate::tree::Tree;

/// Checks every file that is tracked or would be, and prints what it finds.
pub(crate) fn run(tree: &Tree) -> Result<Outcome, TaskError> {
    let mut files = Vec::new();
    for path in tree.files()? {
        let bytes = tree.read(&path)?;
        files.push(File { path, bytes });
    }
    let mut findings = check_tree(&files);
    for file in &files {
        findings.extend(file.text().map(|text| check_text(&file.path, text)).unwrap_or_default());
    }
    findings.sort_unstable();
    for (path, line, message) in &findings {
        println!("{path}:{line}: {message}");
    }
    println!("tidy: {} files checked, findings: {}", files.len(), findings.len());
    Ok(Outcome::fine_if(findings.is_empty()))
}

/// Path, line counted from one, message.
type Finding = (String, usize, String);

/// A file of the tree: its path from the root, with `/` between folders, and its content.
#[derive(Debug)]
struct File {
    path: String,
    bytes: Vec<u8>,
}

impl File {
    /// What git would call text; rules for readers do not apply to anything else.
    fn text(&self) -> Option<&str> {
        str::from_utf8(&self.bytes).ok().filter(|text| !text.contains('\0'))
    }
}

fn check_tree(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut add = |path: &str, message: String| findings.push((path.to_owned(), 1, message));
    for path in REQUIRED.iter().filter(|path| find(files, path).is_none()) {
        add(path, "this file must be in the tree".to_owned());
    }
    for file in files {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        if matches!(name, "rust-toolchain" | "rust-toolchain.toml") {
            add(&file.path, "the toolchain is not pinned; `rust-version` says what is needed".to_owned());
        }
        if file.bytes.len() > FILE_BYTES_MAX {
            add(&file.path, format!("{} bytes are too many to review", file.bytes.len()));
        }
    }
    let architecture = text_of(files, ARCHITECTURE);
    for (path, manifest) in crates(files) {
        // A crate that is a root of its own has nobody to inherit from.
        if !has_line(manifest, "[workspace]", "[workspace]") {
            for line in not_inherited(files, path, manifest) {
                add(path, format!("the crate does not inherit `{line}`"));
            }
        }
        let name = manifest.lines().find_map(|line| line.strip_prefix("name = ")).unwrap_or_default().trim_matches('"');
        if !architecture.contains(&format!("`{name}`")) {
            add(ARCHITECTURE, format!("`{name}` is not mentioned here"));
        }
    }
    for (path, command) in COMMANDS {
        if !text_of(files, path).lines().any(|line| line.trim() == *command) {
            add(path, format!("`{command}` is not mentioned here"));
        }
    }
    findings
}

fn not_inherited(files: &[File], path: &str, manifest: &str) -> Vec<&'static str> {
    let mut missing = Vec::new();
    let is_older = OLDER.contains(&path) && has_line(manifest, PACKAGE, OLDER_VERSION);
    if !has_line(manifest, PACKAGE, VERSION) && !is_older {
        missing.push(VERSION);
    }
    if !has_line(manifest, PACKAGE, LICENSE) {
        missing.push(LICENSE);
    }
    let is_denied = path == UNSAFE && has_line(manifest, "[lints.rust]", "unsafe_code = \"deny\"");
    let has_own = is_denied && has_every_other_lint(files, manifest);
    if !has_line(manifest, "[lints]", "workspace = true") && !has_own {
        missing.push("lints.workspace = true");
    }
    missing
}

/// Whether a manifest that denies unsafe code instead of forbidding it has every other lint of the workspace.
fn has_every_other_lint(files: &[File], manifest: &str) -> bool {
    let mut section = String::new();
    text_of(files, "Cargo.toml").lines().map(str::trim).all(|line| {
        if let Some(lints) = line.strip_prefix("[workspace.") {
            section = format!("[{lints}");
        } else if line.starts_with('[') {
            section.clear();
        }
        let is_lint = section.starts_with("[lints.") && !line.is_empty() && !line.starts_with(['[', '#']);
        !is_lint || line.starts_with("unsafe_code") || has_line(manifest, &section, line)
    })
}

/// The manifests of crates, with their paths.
fn crates(files: &[File]) -> impl Iterator<Item = (&str, &str)> {
    let manifests = files.iter().filter(|file| file.path == "Cargo.toml" || file.path.ends_with("/Cargo.toml"));
    let texts = manifests.filter_map(|file| Some((file.path.as_str(), file.text()?)));
    texts.filter(|(_, manifest)| has_line(manifest, PACKAGE, PACKAGE))
}

/// Whether a section of a manifest has the line, its heading included. Manifests here are written alike.
fn has_line(manifest: &str, section: &str, wanted: &str) -> bool {
    let mut current = "";
    manifest.lines().map(str::trim).any(|line| {
        if line.starts_with('[') {
            current = line;
        }
        current == section && line == wanted
    })
}

fn find<'a>(files: &'a [File], path: &str) -> Option<&'a File> {
    files.iter().find(|file| file.path == path)
}

fn text_of<'a>(files: &'a [File], path: &str) -> &'a str {
    find(files, path).and_then(File::text).unwrap_or_default()
}

fn check_text(path: &str, text: &str) -> Vec<Finding> {
    // Test data is there to be wrong, and snapshots repeat it byte for byte.
    let rooted = format!("/{path}");
    if TEST_DATA.iter().any(|folder| rooted.contains(folder)) {
        return Vec::new();
    }
    let (is_rust, is_markdown) = (path.ends_with(".rs"), path.ends_with(".md"));
    let has_no_tabs = is_rust || is_markdown || path.ends_with(".policy");
    let mut findings = Vec::new();
    let mut add = |line: usize, message: String| findings.push((path.to_owned(), line, message));
    if is_rust && !text.starts_with("//!") {
        add(1, "a Rust file starts with `//!` and what comes in and goes out".to_owned());
    }
    let lines = text.lines().count();
    if is_rust && lines > RUST_LINES_MAX {
        add(lines, format!("{lines} lines are more than one story; split the file"));
    }
    if !text.is_empty() && !text.ends_with('\n') {
        add(lines, "the last line does not end with a line break".to_owned());
    }
    let mut is_test = false;
    // Lines as git sees them, so that the carriage return of a foreign line end stays visible.
    for (number, line) in (1..).zip(text.split('\n')) {
        let code = UNFINISHED_CODE.iter().filter(|pattern| is_rust && line.contains(**pattern));
        for pattern in code.chain(UNFINISHED_WORDS.iter().filter(|word| has_mark(line, word))) {
            add(number, format!("`{pattern}` is left over from unfinished work"));
        }
        let lower = if is_rust || is_markdown { line.to_lowercase() } else { String::new() };
        for words in PROMISES.iter().filter(|words| has_words(&lower, words)) {
            add(number, format!("`{words}` promises what is not there; say what is"));
        }
        if line.ends_with(char::is_whitespace) {
            add(number, "white space at the end of the line".to_owned());
        }
        if has_no_tabs && line.contains('\t') {
            add(number, "a tab; use blanks".to_owned());
        }
        for start in MACHINE_FOLDERS.iter().filter(|start| has_absolute(line, start)) {
            add(number, format!("a path below `{start}` exists on one machine only"));
        }
        // Only functions that are tests: a parser may well have a function about `test` statements.
        let line = line.trim_start();
        if is_rust && (line.starts_with("#[test]") || line.starts_with("#[") && line.contains("::test]")) {
            is_test = true;
        } else if let Some((_, name)) = line.split_once("fn ").filter(|_| is_test) {
            if name.starts_with("test_") {
                let name = name.split('(').next().unwrap_or_default();
                add(number, format!("the test `{name}` should be named by its claim"));
            }
            is_test = false;
        }
    }
    findings
}

/// The text before and after each place where the words stand.
fn around<'a>(line: &'a str, words: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    line.match_indices(words).filter_map(|(start, found)| {
        let (before, rest) = line.split_at_checked(start)?;
        Some((before, rest.strip_prefix(found)?))
    })
}

fn has_words(line: &str, words: &str) -> bool {
    around(line, words).any(|(before, after)| !before.ends_with(is_word) && !after.starts_with(is_word))
}

/// Whether the word marks a place, as after a comment sign or before a colon; prose may speak of it.
fn has_mark(line: &str, word: &str) -> bool {
    has_words(line, word)
        && around(line, word).any(|(before, after)| {
            let before = before.trim_end();
            let is_marked = before.is_empty() || before.ends_with("//") || before.ends_with(['#', '!', '*', '-']);
            is_marked || after.starts_with([':', '('])
        })
}

/// Whether a path starts there, rather than going on: `a/b` has no folder of the root in it.
fn has_absolute(line: &str, start: &str) -> bool {
    let goes_on = |c: char| is_word(c) || matches!(c, '.' | '*' | '~' | '-' | '}' | ')' | ']' | '>');
    around(line, start).any(|(before, _)| !before.ends_with(goes_on))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

const ARCHITECTURE: &str = "docs/ARCHITECTURE.md";
const REQUIRED: &[&str] = &[
    ".ci/run",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    ARCHITECTURE,
    "grammar/policy.pest",
];
const FILE_BYTES_MAX: usize = 512 << 10;
const PACKAGE: &str = "[package]";
const VERSION: &str = "rust-version.workspace = true";
const LICENSE: &str = "license.workspace = true";
/// Crates that a model checker builds too, which brings along an older compiler, and what they say instead.
const OLDER: &[&str] = &["crates/table-format/Cargo.toml", "crates/enforce-core/Cargo.toml", "verify/Cargo.toml"];
/// The one crate that calls the system by itself, in files that say why.
const UNSAFE: &str = "crates/exec-sandbox/Cargo.toml";
const OLDER_VERSION: &str = "rust-version = \"1.91\"";
/// Lines that stand on their own in a file: what a newcomer types, and what CI runs, is the same.
const COMMANDS: &[(&str, &str)] = &[
    ("README.md", "cargo policyc check policies/examples/coding-agent.policy"),
    ("README.md", "cargo xtask test"),
    (".ci/run", "cargo xtask test"),
];
const RUST_LINES_MAX: usize = 700;
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
mod tests {
    use super::*;

    const MANIFEST: &str = "[package]\nname = \"text\"\nrust-version.workspace = true\nlicense.workspace = true\n\n\
                            [lints]\nworkspace = true\n";
    const ROOT: &str = "[workspace.lints.rust]\nunsafe_code = \"forbid\"\nmissing_docs = \"warn\"\n";

    fn file(path: &str, text: &str) -> File {
        File { path: path.to_owned(), bytes: text.as_bytes().to_owned() }
    }

    /// The smallest tree without findings, with these files in place of its own.
    fn tree(changed: &[(&str, &str)]) -> Vec<File> {
        let mut files: Vec<File> = REQUIRED.iter().map(|path| file(path, "")).collect();
        files.extend([file("Cargo.toml", ROOT), file("crates/text/Cargo.toml", MANIFEST)]);
        for file in &mut files {
            for (_, command) in COMMANDS.iter().filter(|(path, _)| *path == file.path) {
                file.bytes.extend(format!("{command}\n").bytes());
            }
        }
        for (path, text) in [(ARCHITECTURE, "The crate `text` knows no model.\n")].iter().chain(changed) {
            files.retain(|file| file.path != *path);
            files.push(file(path, text));
        }
        files
    }

    fn in_tree(changed: &[(&str, &str)]) -> Vec<(String, String)> {
        check_tree(&tree(changed)).into_iter().map(|(path, _, message)| (path, message)).collect()
    }

    fn has(found: &[(String, String)], path: &str, part: &str) -> bool {
        matches!(found, [(at, message)] if at == path && message.contains(part))
    }

    #[test]
    fn a_tree_in_order_has_no_findings_and_misses_each_file_and_command() {
        assert_eq!(in_tree(&[]), []);
        for path in REQUIRED {
            let mut files = tree(&[]);
            files.retain(|file| file.path != *path);
            assert!(check_tree(&files).iter().any(|(at, _, text)| at == path && text.contains("must be")), "{path}");
        }
        for (path, command) in COMMANDS {
            let text = text_of(&tree(&[]), path).replace(command, &format!("{command} --more"));
            assert!(has(&in_tree(&[(path, &text)]), path, command), "{command}");
        }
    }

    #[test]
    fn pinned_toolchains_and_large_files_are_found_anywhere() {
        for path in ["rust-toolchain", "crates/text/rust-toolchain.toml"] {
            assert!(has(&in_tree(&[(path, "")]), path, "not pinned"));
        }
        assert_eq!(in_tree(&[("docs/about-rust-toolchain", "")]), []);
        assert_eq!(in_tree(&[("a.txt", &"x".repeat(FILE_BYTES_MAX))]), []);
        assert!(has(&in_tree(&[("a.txt", &"x".repeat(FILE_BYTES_MAX + 1))]), "a.txt", "too many"));
    }

    #[test]
    fn a_crate_inherits_its_version_its_license_and_its_lints_and_is_in_the_architecture() {
        let path = "crates/text/Cargo.toml";
        for line in [VERSION, LICENSE] {
            assert!(has(&in_tree(&[(path, &MANIFEST.replace(line, ""))]), path, line));
        }
        assert!(has(&in_tree(&[(path, &MANIFEST.replace("[lints]", "[badges]"))]), path, "lints"));
        assert!(has(&in_tree(&[(ARCHITECTURE, "`context` and `texts`")]), ARCHITECTURE, "`text`"));
        let alone = "[package]\nname = \"text\"\n\n[workspace]\n";
        assert_eq!(in_tree(&[("crates/text/alone/Cargo.toml", alone)]), []);
        let older = MANIFEST.replace(VERSION, OLDER_VERSION);
        assert_eq!(in_tree(&[(OLDER[0], &older)]), []);
        assert!(has(&in_tree(&[(path, &older)]), path, VERSION));
        let own = |lints: &str| MANIFEST.replace("[lints]\nworkspace = true", &format!("[lints.rust]\n{lints}"));
        let denied = own("unsafe_code = \"deny\"\nmissing_docs = \"warn\"");
        assert_eq!(in_tree(&[(UNSAFE, &denied)]), []);
        assert!(has(&in_tree(&[(path, &denied)]), path, "lints"));
        for lints in ["unsafe_code = \"deny\"", "unsafe_code = \"allow\"\nmissing_docs = \"warn\""] {
            assert!(has(&in_tree(&[(UNSAFE, &own(lints))]), UNSAFE, "lints"), "{lints}");
        }
    }

    /// Compares the lines with findings, each with a part of its message.
    fn found(path: &str, text: &str, expected: &[(usize, &str)]) {
        let mut findings = check_text(path, text);
        findings.sort_unstable();
        let is_expected = findings.len() == expected.len()
            && findings.iter().zip(expected).all(|(found, (line, part))| found.1 == *line && found.2.contains(part));
        assert!(is_expected, "{path}: {text:?}: {findings:?}, and not {expected:?}");
    }

    #[test]
    fn files_begin_end_and_are_as_long_as_they_should() {
        found("src/lib.rs", "//! Bytes -> text.\n\nfn main() {}\n", &[]);
        found("empty", "", &[]);
        found("a.rs", "// Not it.\n", &[(1, "starts with")]);
        found("a.toml", "a\nb", &[(2, "line break")]);
        let longest = "//! Long.\n".repeat(RUST_LINES_MAX);
        found("a.rs", &longest, &[]);
        found("a.rs", &format!("{longest}\n"), &[(701, "701 lines")]);
        found("a.md", &format!("{longest}\n"), &[]);
        found("tests/fixtures/b.rs", "\ta ", &[]);
        assert!(file("a.md", "\0 ").text().is_none());
    }

    #[test]
    fn unfinished_work_and_promises_are_found_where_they_are_meant() {
        for pattern in UNFINISHED_CODE {
            found("a.rs", &format!("//! Rust.\n    {pattern}\n"), &[(2, pattern)]);
            found("a.md", &format!("{pattern}\n"), &[]);
        }
        for word in UNFINISHED_WORDS {
            for text in [format!("# {word} later\n"), format!("a // {word}\n"), format!("a {word}(me)\n")] {
                found("a.toml", &text, &[(1, word)]);
            }
            for text in [format!("no {word} on this branch\n"), format!("# {word}{word}\n"), format!("\"a{word}:\"\n")]
            {
                found("a.md", &text, &[]);
            }
        }
        for words in PROMISES {
            let text = format!("//! A {words}.\n");
            found("a.rs", &text, &[(1, words)]);
            found("a.md", &text.to_uppercase(), &[(1, words)]);
            found("a.toml", &text, &[]);
            found("a.md", &format!("{words}here\n"), &[]);
        }
    }

    #[test]
    fn a_test_named_after_being_a_test_is_found() {
        let text = |attribute: &str, function: &str| format!("//! Tests.\n{attribute}\n// Why.\n{function}() {{}}\n");
        found("a.rs", &text("#[test]", "fn test_it_works"), &[(4, "`test_it_works`")]);
        found("a.rs", &text("  #[tokio::test]", "  async fn test_b"), &[(4, "`test_b`")]);
        found("a.rs", &text("#[test]", "fn a_tested_claim"), &[]);
        found("a.rs", &text("#[must_use]", "fn test_statement"), &[]);
        found("a.rs", "//! T.\n#[test]\nfn claim() {}\nfn test_statement() {}\n", &[]);
    }

    #[test]
    fn white_space_and_paths_of_one_machine_are_found() {
        let trails = "white space";
        found("a.toml", "a \nb\t\nc\r\nd\n", &[(1, trails), (2, trails), (3, trails)]);
        found("a.policy", "a\n\tb\n", &[(2, "a tab")]);
        found("Makefile", "a\n\tb\n", &[]);
        for start in MACHINE_FOLDERS {
            for text in [format!("{start}me\n"), format!("cd \"{start}me\"\n"), format!("file://{start}me\n")] {
                found("a.md", &text, &[(1, start)]);
            }
            for text in [format!("src{start}me\n"), format!("**{start}me\n"), format!("~{start}me\n")] {
                found("a.md", &text, &[]);
            }
        }
    }
}
