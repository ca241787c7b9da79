//! What CI runs, in order: each step announced with its duration, the first failure ends the run.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::error::{Outcome, TaskError};
use crate::figures::Figures;
use crate::trace::{self, Document};
use crate::tree::{Tree, shown, status};
use crate::{layers, nostd, tidy};

/// Runs every test of the workspace, with cargo's own output, after installing what tests need beside Rust.
pub(crate) fn test(tree: &Tree) -> Result<Outcome, TaskError> {
    if cfg!(target_os = "linux") {
        status(&mut Command::new(tree.root().join(NEEDS)))?;
    }
    Ok(Outcome::of(status(&mut tree.cargo(TEST))?))
}

/// Runs every step, up to the first that fails.
pub(crate) fn run(tree: &Tree, skip_test: bool) -> Result<Outcome, TaskError> {
    let mut ended = Vec::new();
    let mut steps = steps(tree, &tree.files()?).into_iter().skip(usize::from(skip_test));
    let mut outcome = Outcome::Fine;
    for (name, work) in steps.by_ref() {
        println!("==> {name}: {}", work.shown());
        let start = Instant::now();
        outcome = work.run(tree)?;
        ended.push((name, outcome, start.elapsed()));
        println!("<== {}", row(name, outcome, start.elapsed()));
        if outcome == Outcome::Findings {
            break;
        }
    }
    println!();
    for (name, outcome, took) in &ended {
        println!("{}", row(name, *outcome, *took));
    }
    for (name, _) in steps {
        println!("{name:<12}  not run");
    }
    let total: Duration = ended.iter().map(|(_, _, took)| *took).sum();
    println!("ci: {} in {:.1} s", if outcome == Outcome::Fine { "ok" } else { "FAILED" }, total.as_secs_f64());
    Ok(outcome)
}

fn row(name: &str, outcome: Outcome, took: Duration) -> String {
    let word = if outcome == Outcome::Fine { "ok" } else { "FAILED" };
    format!("{name:<12}  {word:<7}  {:>7.1} s", took.as_secs_f64())
}

enum Work {
    Program(Command),
    /// One of our own tasks, after the command line that runs it.
    Task(&'static str, fn(&Tree) -> Result<Outcome, TaskError>),
}

impl Work {
    fn shown(&self) -> String {
        match self {
            Self::Program(command) => shown(command),
            Self::Task(typed, _) => (*typed).to_owned(),
        }
    }

    fn run(self, tree: &Tree) -> Result<Outcome, TaskError> {
        match self {
            Self::Program(mut command) => Ok(Outcome::of(status(&mut command)?)),
            Self::Task(_, task) => task(tree),
        }
    }
}

fn steps(tree: &Tree, files: &[String]) -> Vec<(&'static str, Work)> {
    let cargo = |arguments| Work::Program(tree.cargo(arguments));
    let mut doc = tree.cargo(DOC);
    doc.env("RUSTDOCFLAGS", "-D warnings");
    let policyc = |arguments: &[&str], files: Vec<&String>| {
        let mut command = tree.cargo(POLICYC);
        command.args(arguments).args(files);
        Work::Program(command)
    };
    vec![
        ("test", Work::Task("cargo xtask test", test)),
        ("fmt", cargo(&["fmt", "--all", "--check"])),
        ("clippy", cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])),
        ("doc", Work::Program(doc)),
        ("nostd", Work::Task("cargo xtask nostd", nostd::run)),
        ("layers", Work::Task("cargo xtask layers", layers::run)),
        ("tidy", Work::Task("cargo xtask tidy", tidy::run)),
        ("trace", Work::Task("cargo xtask trace", |tree| trace::run(tree, Document::Compare))),
        ("policy-fmt", policyc(&["fmt", "--check"], laid_out(files))),
        ("policy-check", policyc(&["check", "--fail-level", "warning"], shipped(files))),
        ("figures", Work::Task("cargo xtask figures --only decide --quick --enforce", |tree| Figures::CI.run(tree))),
    ]
}

/// Returns the policies that must be in canonical layout: all but those that show a mistake.
fn laid_out(files: &[String]) -> Vec<&String> {
    let is_policy = |path: &&String| path.ends_with(".policy") && !format!("/{path}").contains(FIXTURES);
    files.iter().filter(is_policy).collect()
}

/// Returns the policies that people copy from, which must not have a warning.
fn shipped(files: &[String]) -> Vec<&String> {
    laid_out(files).into_iter().filter(|path| SHIPPED.iter().any(|prefix| path.starts_with(prefix))).collect()
}

const NEEDS: &str = "scripts/install-needs";
/// Also lists the tests for `trace`, so that nothing is built twice.
pub(crate) const TEST: &[&str] = &["test", "--workspace", "--locked"];
/// Private items too, so that their links hold as well.
const DOC: &[&str] = &["doc", "--workspace", "--no-deps", "--document-private-items", "--locked"];
/// The alias of the README's first command, so that every run proves that it builds.
const POLICYC: &[&str] = &["policyc"];

const FIXTURES: &str = "/tests/fixtures/";
const SHIPPED: &[&str] = &["policies/examples/", "policies/std/", "policies/starter.policy"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_are_all_but_fixtures_and_shipped_ones_are_fewer() {
        let files = [
            "crates/policyc/tests/fixtures/e0201.policy",
            "policies/examples/coding-agent.policy",
            "policies/examples/README.md",
            "policies/other/team.policy",
            "policies/starter.policy",
            "tests/fixtures/broken.policy",
        ]
        .map(String::from);
        assert_eq!(laid_out(&files), [&files[1], &files[3], &files[4]]);
        assert_eq!(shipped(&files), [&files[1], &files[4]]);
        // A step that looks at none would pass for ever.
        let tree = Tree::locate().unwrap();
        assert!(!shipped(&tree.files().unwrap()).is_empty());
    }
}
