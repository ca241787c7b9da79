//! Model -> table in a process of its own: how long it takes, how much memory, how large the table is,
//! and how long it takes to open.

use std::process::Command;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use policy_table::{blake3, freeze};
use serde::{Deserialize, Serialize};
use table_format::{Pin, Table};
use xtask::generate::Mix;

use crate::child::{self, NoAnswer};
use crate::workload::checked;

/// What a child has measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Built {
    pub(super) rules: usize,
    /// In a process that has frozen nothing before, as `policyc` does it.
    pub(super) freeze_ms: f64,
    /// Checks every row and the BLAKE3; the median of many.
    pub(super) open_ms: f64,
    pub(super) table_bytes: usize,
    /// Of the whole child: text, model and table.
    pub(super) peak_bytes: Option<u64>,
}

/// Builds a table in so many children, one after another, and answers with the median. A second table in
/// the same process would find its memory ready, the more of it the smaller the table; and the fastest of
/// several would favour short runs, which find a quiet moment more often.
pub(super) fn measure(mix: Mix, rules: usize, runs: usize) -> Result<Built, NoAnswer> {
    let run = || {
        let mut command = Command::new(child::this_program());
        command.args(["build", "--mix", name(mix), "--rules", &rules.to_string()]);
        child::answer::<Built>(&mut command, TIME_MAX)
    };
    let mut built = (0..runs).map(|_| run()).collect::<Result<Vec<Built>, NoAnswer>>()?;
    built.sort_by(|one, other| one.freeze_ms.total_cmp(&other.freeze_ms));
    Ok(built.swap_remove(runs / 2))
}

/// The child.
pub(super) fn build(mix: Mix, rules: usize) -> String {
    let checked = checked(mix, rules);
    let model = checked.model.expect("generated policies have no error");
    let start = Instant::now();
    let frozen = freeze(&model, &checked.sources).expect("generated policies have a table");
    let taken = start.elapsed();
    let peak_bytes = child::peak_bytes();
    let mut opened: Vec<Duration> = (0..OPENED)
        .map(|_| {
            let start = Instant::now();
            let table = Table::open(&frozen.bytes, Pin::Exactly(frozen.digest), blake3);
            std::hint::black_box(table.expect("a frozen table opens").digest());
            start.elapsed()
        })
        .collect();
    opened.sort_unstable();
    let built = Built {
        rules,
        freeze_ms: taken.as_secs_f64() * 1e3,
        open_ms: opened[OPENED / 2].as_secs_f64() * 1e3,
        table_bytes: frozen.bytes.len(),
        peak_bytes,
    };
    serde_json::to_string(&built).expect("JSON")
}

impl Built {
    /// Time for a rule at this size, relative to another.
    pub(super) fn growth_from(&self, other: &Self) -> f64 {
        (self.freeze_ms / self.rules as f64) / (other.freeze_ms / other.rules as f64)
    }
}

/// As the command line spells it.
pub(super) fn name(mix: Mix) -> &'static str {
    match mix {
        Mix::Default => "default",
        Mix::Harder => "harder",
    }
}

/// Read from the command line.
pub(super) fn mix(name: &str) -> Mix {
    Mix::from_str(name, false).expect("one of the mixes")
}

const OPENED: usize = 101;
const TIME_MAX: Duration = Duration::from_secs(120);
