//! What `docs/testing.md` shows is what policyc prints. To write it anew: `UPDATE_DOCS=1 cargo test -p policyc docs`.

use std::fs;
use std::path::Path;

use crate::support::{folder, of_crate, policyc};

#[test]
fn every_command_in_the_document_prints_what_is_shown() {
    let place = folder();
    assert_eq!(policyc(place.path(), ["init"]).run().code, Some(0));
    let starter = fs::read_to_string(place.path().join("interdict.policy")).unwrap();
    fs::write(place.path().join("failing.policy"), format!("{starter}{FAILING}")).unwrap();
    let path = of_crate("../../docs/testing.md");
    let document = fs::read_to_string(&path).unwrap();
    let (fresh, count) = rewritten(&document, place.path());
    assert!(count >= 6, "{count} commands");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &fresh).unwrap();
    }
    assert_eq!(document, fresh);
}

/// The document with each command's output as it is, and how many there are.
fn rewritten(document: &str, folder: &Path) -> (String, usize) {
    let mut fresh = String::new();
    let mut count = 0;
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        fresh.push_str(line);
        fresh.push('\n');
        if line != "```console" {
            continue;
        }
        let command = lines.next().unwrap();
        let run = policyc(folder, words(command.strip_prefix("$ policyc ").unwrap())).run();
        fresh.push_str(&format!("{command}\n{}{}```\n", run.stdout, run.stderr));
        count += 1;
        lines.by_ref().find(|line| *line == "```").unwrap();
    }
    (fresh, count)
}

/// As a shell splits them; single quotes are all that is needed here.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}

const FAILING: &str = "test too-much: coder file.edit path \"src/main.rs\" bytes 2 MiB => allow by edit-sources\n";
