//! Arguments -> one task -> exit code.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::{Outcome, TaskError, exit_code};
use crate::figures::Figures;
use crate::generate::{self, Mix};
use crate::trace::{self, Document};
use crate::tree::Tree;
use crate::{ci, layers, nostd, tidy};

/// Runs the task that the arguments name.
#[must_use]
pub fn run() -> ExitCode {
    let result = dispatch(Cli::parse().task);
    if let Err(error) = &result {
        eprintln!("xtask: {error}");
    }
    exit_code(&result)
}

/// Everything CI runs, each part also on its own.
///
/// Exit codes: 0 fine, 1 findings, 2 could not run.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Run every test of the workspace: `cargo test --workspace --locked`
    Test,
    /// Run what CI runs, step by step, up to the first that fails
    ///
    /// Tests, layout, lints, docs, layers, tidy, requirements, and the policies of this tree through policyc.
    Ci {
        /// Leave the tests out, for a caller that has just run them
        #[arg(long)]
        skip_test: bool,
    },
    /// Compare the crates' dependencies with the edges they may have
    Layers,
    /// Check the crates for embedders: no std, no alloc, no panic, and less code than promised
    Nostd,
    /// Check the rules of the house that no compiler knows
    Tidy,
    /// Trace each requirement to the tests that carry its id
    ///
    /// Lists the tests as the test run would and compares with docs/conformance.md.
    Trace {
        /// Write the document anew
        #[arg(long)]
        write: bool,
    },
    /// Write a synthetic policy of many rules into a folder
    ///
    /// The same number of rules and the same seed give the same bytes. Files already in the folder stay,
    /// unless they have the name of a file that is written.
    Generate {
        /// How many rules
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        rules: u32,
        /// The seed that names and choices are drawn from
        #[arg(long, value_name = "S", default_value_t = 0)]
        seed: u64,
        /// Which rules come how often
        #[arg(long, value_enum, default_value_t = Mix::Default)]
        mix: Mix,
        /// The folder, made if it is not there
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Measure how fast and how small checking, deciding and acting are
    Figures(Figures),
}

fn dispatch(task: Task) -> Result<Outcome, TaskError> {
    let tree = Tree::locate()?;
    match task {
        Task::Test => ci::test(&tree),
        Task::Ci { skip_test } => ci::run(&tree, skip_test),
        Task::Layers => layers::run(&tree),
        Task::Nostd => nostd::run(&tree),
        Task::Tidy => tidy::run(&tree),
        Task::Trace { write } => trace::run(&tree, if write { Document::Write } else { Document::Compare }),
        Task::Generate { rules, seed, mix, out } => {
            // On a machine where this does not fit, the policy would not either.
            let rules = usize::try_from(rules).unwrap_or(usize::MAX);
            generate::write(&out, mix, rules, seed).map_err(|source| TaskError::Write { path: out, source })?;
            Ok(Outcome::Fine)
        }
        Task::Figures(figures) => figures.run(&tree),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_task_has_its_line_of_help_and_a_policy_has_a_rule() {
        Cli::command().debug_assert();
        for task in Cli::command().get_subcommands() {
            assert!(task.get_about().is_some(), "{}", task.get_name());
        }
        let parsed = Cli::try_parse_from(["cargo xtask", "generate", "--rules", "0", "--out", "x"]);
        assert_eq!(parsed.unwrap_err().kind(), clap::error::ErrorKind::ValueValidation);
    }

    #[test]
    fn exit_codes_are_those_published() {
        let source = std::io::ErrorKind::NotFound.into();
        let failed = Err(TaskError::Start { program: "git".into(), source });
        let results = [Ok(Outcome::Fine), Ok(Outcome::Findings), failed];
        assert_eq!(results.map(|result| exit_code(&result)), [0, 1, 2].map(ExitCode::from));
    }
}
