//! Every file of the tree -> what breaks the rules of the house that no compiler knows.
//! Rules over one file are in `text`, rules over the whole tree in `house`.

mod finding;
mod house;
mod text;

use std::str;

use crate::error::{Outcome, TaskError};
use crate::tree::Tree;
use finding::Finding;

/// Checks every file that is tracked or would be, and prints what it finds.
pub(crate) fn run(tree: &Tree) -> Result<Outcome, TaskError> {
    let mut files = Vec::new();
    for path in tree.files()? {
        let bytes = tree.read(&path)?;
        files.push(File { path, bytes });
    }
    let findings = check(&files);
    for finding in &findings {
        println!("{finding}");
    }
    println!("tidy: {} files checked, findings: {}", files.len(), findings.len());
    Ok(if findings.is_empty() { Outcome::Fine } else { Outcome::Findings })
}

/// A file of the tree: its path from the root, with `/` between folders, and what is in it.
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

fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = house::check(files);
    for file in files {
        findings.extend(file.text().map(|text| text::check(&file.path, text)).unwrap_or_default());
    }
    findings.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use finding::Fault;

    fn file(path: &str, bytes: &[u8]) -> File {
        File { path: path.to_owned(), bytes: bytes.to_owned() }
    }

    fn faults_at<'a>(findings: &'a [Finding], path: &str) -> Vec<&'a Fault> {
        findings.iter().filter(|finding| finding.path == path).map(|finding| &finding.fault).collect()
    }

    #[test]
    fn findings_of_both_kinds_come_in_the_order_of_paths_and_lines() {
        let findings = check(&[file("b.md", b"a \nb"), file("a.md", b"c")]);
        let places: Vec<(&str, usize)> = findings.iter().map(|f| (f.path.as_str(), f.line)).collect();
        assert!(places.is_sorted(), "{places:?}");
        assert_eq!(faults_at(&findings, "b.md"), [&Fault::TrailingBlank, &Fault::NoFinalNewline]);
        assert_eq!(faults_at(&findings, "LICENSE-MIT"), [&Fault::Missing]);
    }

    #[test]
    fn bytes_that_are_no_text_are_left_alone() {
        let findings = check(&[file("a.md", b"\xFF \n"), file("b.md", b"\0 \n")]);
        assert_eq!(faults_at(&findings, "a.md"), [] as [&Fault; 0]);
        assert_eq!(faults_at(&findings, "b.md"), [] as [&Fault; 0]);
    }
}
