//! Arguments -> one task -> exit code. Which tasks there are, and nothing of what they do.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};

use crate::ci::{self, Tests};
use crate::error::{Outcome, TaskError, exit_code};
use crate::faults::{self, Effort as Numbers};
use crate::figures::{self, Effort, Misses, Part, Peers};
use crate::fuzz::{self, Plan};
use crate::generate::{self, Mix};
use crate::layers;
use crate::mutants::{self, Part as Changed, Shard};
use crate::nostd;
use crate::sanitize;
use crate::tidy;
use crate::trace::{self, Document};
use crate::tree::Tree;
use crate::verify::{self, Effort as Extent, Engines, Record, Wanted};

/// Runs the task that the arguments name.
#[must_use]
pub fn run() -> ExitCode {
    // Cargo starts us in the compiler's place when we told it to.
    if let Some(ended) = verify::rustc() {
        return ended;
    }
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
    /// Change the core in one place at a time, and look whether a test notices
    ///
    /// Takes more than an hour. Exits with 1 when none does and crates/xtask/mutants.toml does not say why.
    Mutants {
        /// Change the files that match this alone
        #[arg(long, value_name = "GLOB", conflicts_with = "shard")]
        file: Vec<String>,
        /// Change every n-th file alone, from the k-th on
        #[arg(long, value_name = "K/N")]
        shard: Option<Shard>,
        /// Print the changes and try none
        #[arg(long)]
        list: bool,
    },
    /// Look for inputs that break a property
    ///
    /// Runs libFuzzer through cargo-bolero, which is installed when it is missing. What is found is made small, put into
    /// the committed corpus, and printed as a test.
    Fuzz {
        /// This target alone, or several, in the order they are given
        #[arg(long, value_name = "T")]
        target: Vec<String>,
        /// How long each target runs
        #[arg(long, value_name = "N", conflicts_with = "seconds")]
        minutes: Option<u32>,
        /// How long each target runs; a minute unless said
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        seconds: Option<u32>,
        /// How many targets run at a time
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=16))]
        jobs: u8,
        /// Print the targets and do nothing
        #[arg(long, conflicts_with_all = ["target", "minutes", "seconds", "smoke"])]
        list: bool,
        /// Run all targets for a minute in all, as ordinary tests with dice, as CI does
        #[arg(long, conflicts_with_all = ["target", "minutes", "seconds", "jobs"])]
        smoke: bool,
    },
    /// Run the executor's fault tests at full numbers, and print what each has counted
    ///
    /// Kills at 200 moments, links swapped for 30 seconds, 10 GB of output, and whatever else it has to survive: ten
    /// minutes or so. Exits with 1 when a test fails.
    Faults {
        /// The numbers of the test run, which take a minute
        #[arg(long)]
        quick: bool,
    },
    /// Check the crates for embedders: no std, no alloc, no panic, and less code than promised
    Nostd,
    /// Run the executor's tests with AddressSanitizer, leaks included
    Sanitize,
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
    /// Ask every property of the core by every engine, and print who asked about how many cases
    ///
    /// Counting, dice, and the harnesses for Kani with dice in Kani's place. Kani itself is another matter: `--kani`.
    Verify {
        /// Count through the larger domains, and roll more dice: up to two hours
        #[arg(long, conflicts_with_all = ["kani", "write"])]
        full: bool,
        /// Ask the properties alone that have this in their names, such as `path::`
        #[arg(long, value_name = "NAME", default_value = "", conflicts_with = "write")]
        property: String,
        /// Run the harnesses alone, with the stand-in, as CI does: the rest are tests of the workspace
        #[arg(long, conflicts_with_all = ["kani", "write"])]
        harnesses: bool,
        /// Run Kani itself, where it is installed
        #[arg(long, conflicts_with = "write")]
        kani: bool,
        /// Add what Kani says to verify/runs.toml
        #[arg(long, requires = "kani")]
        record: bool,
        /// Write docs/proofs.md anew, and ask nothing
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
        /// What the names and choices are drawn from
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
    Figures {
        /// Exit with 1 when a figure is missed; one of decisions and acts by more than its margin
        #[arg(long)]
        enforce: bool,
        /// Measure this alone
        #[arg(long, value_enum)]
        only: Option<Part>,
        /// Take the figures of decisions that a change is likely to move, on fewer requests, as CI does, and those of acts in
        /// fewer rounds
        #[arg(long)]
        quick: bool,
        /// Time the engines that take long to compile too: Cedar, regorus, Casbin
        #[arg(long)]
        peers: bool,
    },
}

fn dispatch(task: Task) -> Result<Outcome, TaskError> {
    match task {
        Task::Test => ci::test(&Tree::locate()?),
        Task::Ci { skip_test } => ci::run(&Tree::locate()?, if skip_test { Tests::Skip } else { Tests::Run }),
        Task::Layers => layers::run(&Tree::locate()?),
        Task::Mutants { file, shard, list } => {
            let part = match shard {
                Some(shard) => Changed::Shard(shard),
                None if file.is_empty() => Changed::All,
                None => Changed::Files(file),
            };
            let tree = Tree::locate()?;
            if list { mutants::list(&tree, &part) } else { mutants::run(&tree, &part) }
        }
        Task::Fuzz { list: true, .. } => fuzz::list(&Tree::locate()?),
        Task::Fuzz { smoke: true, .. } => fuzz::run_in_ci(&Tree::locate()?),
        Task::Fuzz { target, minutes, seconds, jobs, .. } => {
            let seconds = minutes.map_or(seconds.unwrap_or(60), |minutes| minutes.saturating_mul(60));
            let time = Duration::from_secs(seconds.into());
            fuzz::run(&Tree::locate()?, &Plan { targets: target, time, jobs: jobs.into() })
        }
        Task::Faults { quick } => faults::run(&Tree::locate()?, if quick { Numbers::Quick } else { Numbers::Full }),
        Task::Nostd => nostd::run(&Tree::locate()?),
        Task::Sanitize => sanitize::run(&Tree::locate()?),
        Task::Tidy => tidy::run(&Tree::locate()?),
        Task::Trace { write } => trace::run(&Tree::locate()?, if write { Document::Write } else { Document::Compare }),
        Task::Verify { write: true, .. } => verify::write(&Tree::locate()?),
        Task::Verify { full, property, harnesses, kani, record, write: false } => {
            let record = if record { Record::Add } else { Record::Show };
            let engines = match (kani, harnesses) {
                (true, _) => Engines::Kani(record),
                (false, true) => Engines::StandIn,
                (false, false) => Engines::Native,
            };
            let effort = if full { Extent::Full } else { Extent::Short };
            verify::run(&Tree::locate()?, &Wanted { engines, effort, property })
        }
        Task::Generate { rules, seed, mix, out } => {
            // On a machine where this does not fit, the policy would not either.
            let rules = usize::try_from(rules).unwrap_or(usize::MAX);
            generate::write(&out, mix, rules, seed).map_err(|source| TaskError::Write { path: out, source })?;
            Ok(Outcome::Fine)
        }
        Task::Figures { enforce, only, quick, peers } => {
            let tree = Tree::locate()?;
            let misses = if enforce { Misses::Fail } else { Misses::Report };
            let effort = if quick { Effort::Quick } else { Effort::Full };
            let peers = if peers { Peers::All } else { Peers::Light };
            let wants = |part| only.is_none_or(|only| only == part);
            let checked = if wants(Part::Check) { figures::check(&tree, misses)? } else { Outcome::Fine };
            let decided =
                if wants(Part::Decide) { figures::decide(&tree, misses, effort, peers)? } else { Outcome::Fine };
            let acted = if wants(Part::Act) { figures::act(&tree, misses, effort)? } else { Outcome::Fine };
            Ok(checked.and(decided).and(acted))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_task_has_its_line_of_help() {
        Cli::command().debug_assert();
        for task in Cli::command().get_subcommands() {
            assert!(task.get_about().is_some(), "{}", task.get_name());
        }
    }

    #[test]
    fn a_policy_without_rules_is_not_generated() {
        let parsed = Cli::try_parse_from(["cargo xtask", "generate", "--rules", "0", "--out", "x"]);
        assert_eq!(parsed.unwrap_err().kind(), clap::error::ErrorKind::ValueValidation);
    }
}
