//! Requirements and the tests' names -> which requirement has evidence, and whether the document says so.
//! A test is evidence for a requirement when its name carries the id; whether it bites is not known here.

mod carried;
mod document;
mod listed;
mod requirements;

use std::fmt;
use std::fs;

use crate::error::{Outcome, TaskError};
use crate::tree::Tree;
use carried::Ids;
use listed::Test;
pub(crate) use listed::{Binary, LIST, binaries, built, paths};
use requirements::{Row, Status};

/// What becomes of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Document {
    /// It is compared with what it should be.
    Compare,
    /// It is written anew.
    Write,
}

/// Compares, as CI does.
pub(crate) fn run_in_ci(tree: &Tree) -> Result<Outcome, TaskError> {
    run(tree, Document::Compare)
}

/// Traces every requirement to its tests and prints what is wrong.
pub(crate) fn run(tree: &Tree, document: Document) -> Result<Outcome, TaskError> {
    let text = tree.read_text(REQUIREMENTS)?;
    let tests = listed::tests(tree)?;
    let committed = match document {
        Document::Compare => Some(tree.read_text(DOCUMENT).unwrap_or_default()),
        Document::Write => None,
    };
    let traced = trace(&text, &tests, committed.as_deref());
    if let (Document::Write, Some(text)) = (document, &traced.document) {
        let path = tree.root().join(DOCUMENT);
        fs::write(&path, text).map_err(|source| TaskError::Write { path, source })?;
    }
    for error in &traced.errors {
        println!("trace: {error}");
    }
    println!(
        "trace: {} requirements, {} done, {} tests, findings: {}",
        traced.rows,
        traced.done,
        tests.len(),
        traced.errors.len()
    );
    Ok(if traced.errors.is_empty() { Outcome::Fine } else { Outcome::Findings })
}

/// What the requirements and the tests come to.
#[derive(Debug)]
struct Traced {
    rows: usize,
    done: usize,
    /// Nothing when the requirements cannot be read.
    document: Option<String>,
    errors: Vec<TraceError>,
}

/// What is wrong with the requirements, with a test's name or with the document.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TraceError {
    /// The file is no list of requirements: bad TOML, an unknown key, an unknown status.
    Unreadable { line: usize, reason: String },
    /// A file without rows, which would pass for ever.
    NoRows,
    /// An id that two rows have.
    DuplicateId { id: String },
    /// Two ids that are the same in a test's name.
    AlikeIds { id: String, other: String },
    /// An id that belongs to no group of the document.
    UnknownGroup { id: String },
    /// A row that is done, and no test says so.
    NoEvidence { id: String },
    /// A test that speaks of an id that no row has.
    UnknownId { test: String, id: String },
    /// The document is not what the rows and tests make it.
    OutOfDate { line: usize },
}

/// The committed document is compared when it is given.
fn trace(requirements: &str, tests: &[Test], committed: Option<&str>) -> Traced {
    let rows = match requirements::read(requirements) {
        Ok(rows) => rows,
        Err(error) => return Traced { rows: 0, done: 0, document: None, errors: vec![error] },
    };
    let mut errors = wrong_rows(&rows);
    let ids = Ids::new(rows.iter().map(|row| row.id.as_str()));
    let mut evidence: Vec<Vec<String>> = vec![Vec::new(); rows.len()];
    for test in tests {
        let carried = ids.carried(&test.path);
        // An id twice in one name is one test, not two.
        for (_, names) in (0..).zip(&mut evidence).filter(|(row, _)| carried.rows.contains(row)) {
            names.push(test.to_string());
        }
        errors.extend(carried.unknown.into_iter().map(|id| TraceError::UnknownId { test: test.to_string(), id }));
    }
    for (row, tests) in rows.iter().zip(&mut evidence) {
        tests.sort_unstable();
        if row.status == Status::Done && tests.is_empty() {
            errors.push(TraceError::NoEvidence { id: row.id.clone() });
        }
    }
    let document = document::render(&rows, &evidence);
    errors.extend(committed.and_then(|committed| out_of_date(committed, &document)));
    let done = rows.iter().filter(|row| row.status == Status::Done).count();
    Traced { rows: rows.len(), done, document: Some(document), errors }
}

fn wrong_rows(rows: &[Row]) -> Vec<TraceError> {
    let mut errors = Vec::new();
    if rows.is_empty() {
        errors.push(TraceError::NoRows);
    }
    for (place, row) in rows.iter().enumerate() {
        let id = || row.id.clone();
        let earlier = rows.iter().take(place).find(|other| carried::words(&other.id) == carried::words(&row.id));
        match earlier {
            Some(other) if other.id == row.id => errors.push(TraceError::DuplicateId { id: id() }),
            Some(other) => errors.push(TraceError::AlikeIds { id: id(), other: other.id.clone() }),
            None => {}
        }
        if !document::has_group(&row.id) {
            errors.push(TraceError::UnknownGroup { id: id() });
        }
    }
    errors
}

fn out_of_date(committed: &str, document: &str) -> Option<TraceError> {
    if committed == document {
        return None;
    }
    let same = committed.lines().zip(document.lines()).take_while(|(old, new)| old == new).count();
    Some(TraceError::OutOfDate { line: same.saturating_add(1) })
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { line, reason } => write!(f, "{REQUIREMENTS}:{line}: {reason}"),
            Self::NoRows => write!(f, "{REQUIREMENTS}: no requirements in it"),
            Self::DuplicateId { id } => write!(f, "`{id}` is the id of two rows"),
            Self::AlikeIds { id, other } => write!(f, "`{id}` and `{other}` are one id in the name of a test"),
            Self::UnknownGroup { id } => write!(f, "`{id}` belongs to no group of the document"),
            Self::NoEvidence { id } => {
                let name = carried::words(id).join("_");
                write!(f, "`{id}` is done, but no test has `{name}` in its name")
            }
            Self::UnknownId { test, id } => write!(f, "`{test}` carries `{id}`, which is the id of no row"),
            Self::OutOfDate { line } => {
                write!(f, "{DOCUMENT}:{line}: out of date; `cargo xtask trace --write` writes it anew")
            }
        }
    }
}

const REQUIREMENTS: &str = "tests/conformance/requirements.toml";
const DOCUMENT: &str = "docs/conformance.md";

#[cfg(test)]
mod tests;
