//! docs/usage.md and docs/import.md: what they say the commands print is what they print.
//!
//! In a `console` block a line after `$ ` is a command for a shell, and the lines after it are its output,
//! of which `…` leaves out the rest. Digests and numbers are not compared, so that a better table is no finding.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{BINARY, folder, of_crate, without_digests};

#[test]
fn commands_print_what_the_page_says() {
    let ran = compare("docs/usage.md", &[("policy", "agent.policy"), ("json", "requests.jsonl")]);
    assert!(ran >= 7, "only {ran} commands");
}

#[test]
fn imports_print_what_their_page_says() {
    let ran = compare("docs/import.md", &[("yaml", "registry.yaml")]);
    assert!(ran >= 3, "only {ran} commands");
}

/// Runs the commands of a page beside files made of its first blocks of these kinds; how many there were.
fn compare(path: &str, files: &[(&str, &str)]) -> usize {
    let page = fs::read_to_string(of_crate("../..").join(path)).unwrap();
    let place = folder();
    for (kind, name) in files {
        fs::write(place.path().join(name), blocks(&page, kind)[0]).unwrap();
    }
    let mut complaints = Vec::new();
    let mut ran = 0;
    for session in blocks(&page, "console") {
        for entry in session.split("$ ").skip(1) {
            let (command, said) = entry.split_once('\n').unwrap();
            let printed = shell(place.path(), command);
            ran += 1;
            let is_same = match said.strip_suffix("…\n") {
                Some(start) => loosely(&printed).starts_with(&loosely(start)),
                None => loosely(&printed) == loosely(said),
            };
            if !is_same {
                complaints.push(format!("$ {command}\n{printed}"));
            }
        }
    }
    assert!(complaints.is_empty(), "{path} should say:\n{}", complaints.join("\n"));
    ran
}

/// The blocks of that kind.
fn blocks<'a>(page: &'a str, kind: &str) -> Vec<&'a str> {
    let start = format!("```{kind}\n");
    page.split(start.as_str()).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

fn shell(folder: &Path, command: &str) -> String {
    let bin = Path::new(BINARY).parent().unwrap().display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder).env("PATH", format!("{bin}:{path}")).env_remove("CLICOLOR_FORCE");
    let output = shell.output().unwrap();
    String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
}

/// Without digests, without numbers, and with single blanks: columns are as wide as their numbers.
fn loosely(text: &str) -> String {
    let word = |word: &str| {
        if word.trim_matches([',', ':']).parse::<u64>().is_ok() { "N".to_owned() } else { word.to_owned() }
    };
    let line = |line: &str| line.split_whitespace().map(word).collect::<Vec<_>>().join(" ") + "\n";
    without_digests(text).lines().map(line).collect()
}
