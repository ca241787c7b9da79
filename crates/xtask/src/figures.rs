//! Starts the programs of `benches` that measure, and one of `benches/peers`, which has a lock file of its own.

use clap::{Args, ValueEnum};

use crate::error::{Outcome, TaskError};
use crate::tree::{Tree, status};

#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct Figures {
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
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Time and memory of `policyc check`
    Check,
    /// Time of a decision, and the table it is made from
    Decide,
    /// Time to act on what was permitted, and to keep a record of all that was asked
    Act,
}

impl Figures {
    /// The figures that CI enforces.
    pub(crate) const CI: Self = Self { enforce: true, only: Some(Part::Decide), quick: true, peers: false };

    pub(crate) fn run(self, tree: &Tree) -> Result<Outcome, TaskError> {
        let mut is_fine = true;
        for part in [Part::Check, Part::Decide, Part::Act] {
            if self.only.is_none_or(|only| only == part) {
                is_fine &= self.measure(tree, part)? == Outcome::Fine;
            }
        }
        Ok(Outcome::fine_if(is_fine))
    }

    fn measure(self, tree: &Tree, part: Part) -> Result<Outcome, TaskError> {
        let mut command = tree.cargo(&["run", "--release", "--locked"]);
        command.args(match part {
            Part::Check => {
                if !status(&mut tree.cargo(&["build", "--release", "--locked", "-p", "policyc"]))?.success() {
                    return Ok(Outcome::Findings);
                }
                ["-p", "benches", "--no-default-features", "--bin=checking", "--"].as_slice()
            }
            Part::Decide if self.peers => &["--manifest-path", "benches/peers/Cargo.toml", "--"],
            Part::Decide => &["-p", "benches", "--no-default-features", "--bin=figures", "--"],
            Part::Act => &["-p", "benches", "--bin=acting", "--"],
        });
        command.args(self.enforce.then_some("--enforce"));
        command.args((self.quick && part != Part::Check).then_some("--quick"));
        Ok(Outcome::of(status(&mut command)?))
    }
}
