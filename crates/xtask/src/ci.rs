//! What CI runs, in order: each step announced with its duration, the first failure ends the run.

use std::fmt::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::error::{Outcome, TaskError};
use crate::figures;
use crate::fuzz;
use crate::layers;
use crate::nostd;
use crate::tidy;
use crate::trace;
use crate::tree::{Tree, shown, status};
use crate::verify;

/// Whether the tests are a step of this run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tests {
    Run,
    Skip,
}

/// Every test of the workspace, with cargo's own output. What tests need beside Rust is installed before; a test that lacks
/// it all the same fails and says so.
pub(crate) fn test(tree: &Tree) -> Result<Outcome, TaskError> {
    if cfg!(target_os = "linux") {
        status(&mut Command::new(tree.root().join(NEEDS)))?;
    }
    Ok(Outcome::of(status(&mut tree.cargo(TEST))?))
}

/// Every step, up to the first that fails.
pub(crate) fn run(tree: &Tree, tests: Tests) -> Result<Outcome, TaskError> {
    let mut report = Report::default();
    let mut steps = steps(tree, tests, &tree.files()?).into_iter();
    for step in steps.by_ref() {
        println!("==> {}: {}", step.name, step.work.shown());
        let start = Instant::now();
        let outcome = step.work.run(tree)?;
        let took = start.elapsed();
        let word = match outcome {
            Outcome::Fine => "ok",
            Outcome::Findings => "FAILED",
        };
        println!("<== {}: {word} after {}", step.name, seconds(took));
        report.ended.push((step.name, outcome, took));
        if outcome == Outcome::Findings {
            break;
        }
    }
    report.not_run = steps.map(|step| step.name).collect();
    print!("\n{}", report.render());
    Ok(report.outcome())
}

struct Step {
    name: &'static str,
    work: Work,
}

enum Work {
    /// A program; it fails when the program does.
    Program(Command),
    /// A task of ours.
    Task(&'static str, fn(&Tree) -> Result<Outcome, TaskError>),
    /// `policyc` with these arguments over these files.
    Policies { arguments: &'static [&'static str], files: Vec<String> },
}

fn steps(tree: &Tree, tests: Tests, files: &[String]) -> Vec<Step> {
    let mut doc = tree.cargo(DOC);
    doc.env("RUSTDOCFLAGS", "-D warnings");
    let mut steps = Vec::new();
    if tests == Tests::Run {
        steps.push(Step { name: "test", work: Work::Task("cargo xtask test", test) });
    }
    steps.extend([
        Step { name: "fuzz", work: Work::Task("cargo xtask fuzz --smoke", fuzz::run_in_ci) },
        Step { name: "fmt", work: Work::Program(tree.cargo(FMT)) },
        Step { name: "clippy", work: Work::Program(tree.cargo(CLIPPY)) },
        Step { name: "doc", work: Work::Program(doc) },
        Step { name: "nostd", work: Work::Task("cargo xtask nostd", nostd::run) },
        Step { name: "layers", work: Work::Task("cargo xtask layers", layers::run) },
        Step { name: "tidy", work: Work::Task("cargo xtask tidy", tidy::run) },
        Step { name: "trace", work: Work::Task("cargo xtask trace", trace::run_in_ci) },
        Step { name: "verify", work: Work::Task("cargo xtask verify --harnesses", verify::run_in_ci) },
        Step { name: "policy-fmt", work: Work::Policies { arguments: &["fmt", "--check"], files: laid_out(files) } },
        Step {
            name: "policy-check",
            work: Work::Policies { arguments: &["check", "--fail-level", "warning"], files: shipped(files) },
        },
        Step {
            name: "figures",
            work: Work::Task("cargo xtask figures --only decide --quick --enforce", figures::run_in_ci),
        },
    ]);
    steps
}

impl Work {
    fn shown(&self) -> String {
        match self {
            Self::Program(command) => shown(command),
            Self::Task(name, _) => (*name).to_owned(),
            Self::Policies { arguments, files } => format!("policyc {} ({} files)", arguments.join(" "), files.len()),
        }
    }

    fn run(self, tree: &Tree) -> Result<Outcome, TaskError> {
        match self {
            Self::Program(mut command) => Ok(Outcome::of(status(&mut command)?)),
            Self::Task(_, task) => task(tree),
            Self::Policies { arguments, files } => match policyc(tree, arguments, &files) {
                Some(mut command) => Ok(Outcome::of(status(&mut command)?)),
                None => {
                    println!("no policy files in the tree");
                    Ok(Outcome::Findings)
                }
            },
        }
    }
}

/// Nothing without files: a step that looks at none would pass for ever.
fn policyc(tree: &Tree, arguments: &[&str], files: &[String]) -> Option<Command> {
    let mut command = tree.cargo(POLICYC);
    command.args(arguments).args(files);
    (!files.is_empty()).then_some(command)
}

/// The policies that must be in canonical layout: all but those that show what goes wrong.
fn laid_out(files: &[String]) -> Vec<String> {
    let is_policy = |path: &&String| path.ends_with(".policy") && !format!("/{path}").contains(FIXTURES);
    files.iter().filter(is_policy).cloned().collect()
}

/// The policies that people copy from, which may not even have a warning.
fn shipped(files: &[String]) -> Vec<String> {
    let is_shipped = |path: &String| SHIPPED.iter().any(|prefix| path.starts_with(prefix));
    laid_out(files).into_iter().filter(is_shipped).collect()
}

#[derive(Debug, Default)]
struct Report {
    ended: Vec<(&'static str, Outcome, Duration)>,
    not_run: Vec<&'static str>,
}

impl Report {
    fn failed(&self) -> Option<&'static str> {
        self.ended.iter().find(|(_, outcome, _)| *outcome == Outcome::Findings).map(|(name, _, _)| *name)
    }

    fn outcome(&self) -> Outcome {
        if self.failed().is_some() { Outcome::Findings } else { Outcome::Fine }
    }

    fn render(&self) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        for (name, outcome, took) in &self.ended {
            let word = if *outcome == Outcome::Fine { "ok" } else { "FAILED" };
            let _ = writeln!(text, "{name:<12}  {word:<7}  {:>9}", seconds(*took));
        }
        for name in &self.not_run {
            let _ = writeln!(text, "{name:<12}  not run");
        }
        let total = seconds(self.ended.iter().map(|(_, _, took)| *took).sum());
        let _ = match self.failed() {
            Some(name) => writeln!(text, "ci: step `{name}` failed after {total}"),
            None => writeln!(text, "ci: {} steps ok in {total}", self.ended.len()),
        };
        text
    }
}

fn seconds(took: Duration) -> String {
    format!("{:.1} s", took.as_secs_f64())
}

/// From the root of the workspace on.
const NEEDS: &str = "scripts/install-needs";
/// What the test run is started with, and what lists its tests.
pub(crate) const TEST: &[&str] = &["test", "--workspace", "--locked"];
const FMT: &[&str] = &["fmt", "--all", "--check"];
const CLIPPY: &[&str] = &["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
/// Private items too: most of this house is private, and its links should hold as well.
const DOC: &[&str] = &["doc", "--workspace", "--no-deps", "--document-private-items", "--locked"];
/// As the tests have built it.
const POLICYC: &[&str] = &["run", "-q", "--locked", "--profile", "test", "-p", "policyc", "--"];

const FIXTURES: &str = "/tests/fixtures/";
const SHIPPED: &[&str] = &["policies/examples/", "policies/std/", "policies/starter.policy"];

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Duration = Duration::from_millis(1_000);

    #[test]
    fn policies_are_all_but_fixtures_and_shipped_ones_are_fewer() {
        let files: Vec<String> = [
            "crates/policyc/tests/fixtures/e0201.policy",
            "policies/examples/coding-agent.policy",
            "policies/examples/README.md",
            "policies/other/team.policy",
            "policies/starter.policy",
            "tests/fixtures/broken.policy",
        ]
        .map(String::from)
        .to_vec();
        let shipped_ones = ["policies/examples/coding-agent.policy", "policies/starter.policy"];
        assert_eq!(laid_out(&files), [shipped_ones[0], "policies/other/team.policy", shipped_ones[1]]);
        assert_eq!(shipped(&files), shipped_ones);
    }

    #[test]
    fn ci_runs_these_steps_in_this_order() {
        let tree = Tree::locate().unwrap();
        let run = |tests| {
            let steps = steps(&tree, tests, &["policies/starter.policy".to_owned()]);
            steps.iter().map(|step| format!("{}: {}", step.name, step.work.shown())).collect::<Vec<_>>()
        };
        let expected = [
            "test: cargo xtask test",
            "fuzz: cargo xtask fuzz --smoke",
            "fmt: cargo fmt --all --check",
            "clippy: cargo clippy --workspace --all-targets --locked -- -D warnings",
            "doc: cargo doc --workspace --no-deps --document-private-items --locked",
            "nostd: cargo xtask nostd",
            "layers: cargo xtask layers",
            "tidy: cargo xtask tidy",
            "trace: cargo xtask trace",
            "verify: cargo xtask verify --harnesses",
            "policy-fmt: policyc fmt --check (1 files)",
            "policy-check: policyc check --fail-level warning (1 files)",
            "figures: cargo xtask figures --only decide --quick --enforce",
        ];
        assert_eq!(run(Tests::Run), expected);
        assert_eq!(run(Tests::Skip), expected[1..]);
    }

    #[test]
    fn a_step_over_no_policies_does_not_run() {
        let tree = Tree::locate().unwrap();
        assert!(policyc(&tree, &["check"], &[]).is_none());
        let command = policyc(&tree, &["check"], &["a.policy".to_owned()]).unwrap();
        assert_eq!(shown(&command), "cargo run -q --locked --profile test -p policyc -- check a.policy");
    }

    #[test]
    fn a_report_names_the_step_that_failed_and_those_not_run() {
        let report = Report {
            ended: vec![("test", Outcome::Fine, ONE), ("fmt", Outcome::Findings, ONE)],
            not_run: vec!["clippy"],
        };
        assert_eq!(report.outcome(), Outcome::Findings);
        let expected = "test          ok           1.0 s\n\
                        fmt           FAILED       1.0 s\n\
                        clippy        not run\n\
                        ci: step `fmt` failed after 2.0 s\n";
        assert_eq!(report.render(), expected);
    }

    #[test]
    fn a_report_without_failures_is_fine() {
        let report = Report { ended: vec![("test", Outcome::Fine, ONE)], not_run: vec![] };
        assert_eq!(report.outcome(), Outcome::Fine);
        assert_eq!(report.render(), "test          ok           1.0 s\nci: 1 steps ok in 1.0 s\n");
    }
}
