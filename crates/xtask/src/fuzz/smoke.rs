//! The targets as ordinary tests, with dice for longer: a minute in all, in programs that the test run has built.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::targets;
use crate::error::{Outcome, TaskError};
use crate::trace::built;
use crate::tree::{Tree, shown};

/// Runs all targets for a minute in all.
pub(crate) fn run_in_ci(tree: &Tree) -> Result<Outcome, TaskError> {
    let binaries = built(tree)?;
    let targets = targets(tree)?;
    let each = TIME.checked_div(u32::try_from(targets.len()).unwrap_or(u32::MAX)).unwrap_or(TIME);
    let mut is_fine = !targets.is_empty();
    for target in &targets {
        let mut programs = binaries.iter().filter(|binary| binary.crate_name == "fuzz");
        let program = programs.find(|binary| binary.target.as_ref() == Some(target));
        is_fine &= match program {
            Some(program) => smoke(tree, target, &program.executable, each)?,
            None => {
                println!("{target}: is not built");
                false
            }
        };
    }
    Ok(if is_fine { Outcome::Fine } else { Outcome::Findings })
}

fn smoke(tree: &Tree, target: &str, program: &str, time: Duration) -> Result<bool, TaskError> {
    let mut command = Command::new(program);
    // Quietly, or the name of the test would stand before what it says.
    command.current_dir(tree.root()).args([target, "--exact", "--nocapture", "--quiet", "--test-threads", "1"]);
    command.env("BOLERO_RANDOM_TEST_TIME_MS", time.as_millis().to_string());
    command.env("BOLERO_RANDOM_ITERATIONS", u32::MAX.to_string()).stdin(Stdio::null());
    let start = Instant::now();
    let ended = command.output().map_err(|source| TaskError::Start { program: shown(&command), source })?;
    let printed = String::from_utf8_lossy(&ended.stdout);
    let took = start.elapsed().as_secs_f64();
    match made(target, &printed).filter(|(_, made)| *made > 0 && ended.status.success()) {
        Some((seeds, made)) => {
            println!("{target:<10} {seeds:>4} seeds replayed, {made:>9} inputs made in {took:.1} s");
            Ok(true)
        }
        None => {
            print!("{printed}{}", String::from_utf8_lossy(&ended.stderr));
            println!("{target:<10} FAILED, or ran nothing, after {took:.1} s");
            Ok(false)
        }
    }
}

/// What a target says at its end: `path: 46 seeds replayed, 20000 inputs made`.
pub(super) fn made(target: &str, printed: &str) -> Option<(u64, u64)> {
    let said = printed.lines().find_map(|line| line.strip_prefix(target)?.strip_prefix(": "))?;
    let (seeds, rest) = said.split_once(" seeds replayed, ")?;
    Some((seeds.parse().ok()?, rest.strip_suffix(" inputs made")?.parse().ok()?))
}

const TIME: Duration = Duration::from_secs(60);
