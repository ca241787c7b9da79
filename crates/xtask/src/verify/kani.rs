//! What Kani prints -> runs, and runs -> the record.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::error::TaskError;
use crate::tree::{Tree, output, shown, unusable};

/// What came of one harness.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Run {
    pub(super) harness: String,
    is_successful: bool,
    /// How many covers were reached, and of how many.
    covers: (u64, u64),
    is_timeout: bool,
    seconds: u64,
}

impl Run {
    /// One that holds, and not because it says nothing.
    pub(super) fn is_verified(&self) -> bool {
        self.result() == "verified"
    }

    fn result(&self) -> &'static str {
        match (self.is_successful, self.covers) {
            (true, (met, all)) if met == all && all > 0 => "verified",
            (true, _) => "vacuous",
            (false, _) if self.is_timeout => "timed out",
            (false, _) => "failed",
        }
    }

    /// As the record has it.
    pub(super) fn recorded(&self, property: &str, case: &str, date: &str, commit: &str, kani: &str) -> String {
        format!(
            "\n[[run]]\nharness = \"{property}\"\ncase = \"{case}\"\ndate = \"{date}\"\ncommit = \"{commit}\"\n\
             kani = \"{kani}\"\nresult = \"{}\"\nseconds = {}\n",
            self.result(),
            self.seconds
        )
    }
}

/// Runs Kani, and shows what happens.
pub(super) fn watch(command: &mut Command) -> Result<Vec<Run>, TaskError> {
    let spawned = command.stdout(Stdio::piped()).spawn();
    let start = |source| TaskError::Start { program: shown(command), source };
    let mut child = spawned.map_err(start)?;
    let mut runs = Vec::new();
    let mut begun = Instant::now();
    for line in child.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines) {
        let line = line.map_err(|error| unusable(command, error.to_string()))?;
        if SHOWN.iter().any(|start| line.trim_start().starts_with(start)) {
            println!("{line}");
        }
        let before = runs.len();
        read(&line, begun.elapsed(), &mut runs);
        if runs.len() > before {
            begun = Instant::now();
        }
    }
    // Whether all is well is in the runs.
    child.wait().map_err(start)?;
    Ok(runs)
}

/// One line more, so long after its harness was begun.
fn read(line: &str, since: Duration, runs: &mut Vec<Run>) {
    let line = line.trim();
    if let Some(name) = line.strip_prefix("Checking harness ").and_then(|rest| rest.strip_suffix("...")) {
        runs.push(Run { harness: name.to_owned(), ..Run::default() });
    }
    let Some(run) = runs.last_mut() else {
        return;
    };
    if let Some(end) = line.strip_prefix("VERIFICATION:- ") {
        run.is_successful = end == "SUCCESSFUL";
        // Kani says itself how long it took, but not of a harness that it had to stop.
        run.seconds = since.as_secs();
    } else if let Some(time) = line.strip_prefix("Verification Time: ") {
        run.seconds = time.split(['.', 's']).next().and_then(|whole| whole.parse().ok()).unwrap_or_default();
    } else if let Some(covers) =
        line.strip_prefix("** ").and_then(|rest| rest.split_once(" cover properties satisfied"))
    {
        let number = |text: &str| text.parse().unwrap_or_default();
        run.covers = covers.0.split_once(" of ").map(|(met, all)| (number(met), number(all))).unwrap_or_default();
    } else if line.contains("timed out") {
        run.is_timeout = true;
    }
}

/// The number in `cargo-kani 0.67.0`.
pub(super) fn version(printed: &str) -> Option<String> {
    let number = printed.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    Some(number.to_owned())
}

/// What was run: a run is about this and nothing later.
pub(super) fn commit(tree: &Tree) -> Result<String, TaskError> {
    let mut command = Command::new("git");
    command.current_dir(tree.root()).args(["describe", "--always", "--dirty", "--abbrev=12", "--exclude", "*"]);
    Ok(output(&mut command)?.trim().to_owned())
}

/// Today.
pub(super) fn date() -> Result<String, TaskError> {
    Ok(output(Command::new("date").args(["-u", "+%Y-%m-%d"]))?.trim().to_owned())
}

/// The kind of cases that each proof is about, by the name of the harness in its file, as the list has them.
pub(super) fn cases(list: &str) -> BTreeMap<String, String> {
    let mut cases = BTreeMap::new();
    let mut name = "";
    for line in list.lines().map(str::trim) {
        if let Some((module, function)) = line.split_once("::").filter(|_| !line.contains([' ', ';', '('])) {
            name = if module.is_empty() { name } else { function };
        } else if let Some((_, rest)) = line.split_once("proof: ") {
            let case = rest.split_once(", unwind:").map_or(rest, |(case, _)| case);
            cases.entry(name.to_owned()).or_insert_with(|| case.to_owned());
        }
    }
    cases
}

/// What is shown while it runs; the rest is a line for every check of every harness.
const SHOWN: &[&str] = &["Checking harness", "Failed Checks:", "VERIFICATION:-", "Verification Time:", "** ", "error"];

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(printed: &str) -> Vec<Run> {
        let mut runs = Vec::new();
        printed.lines().for_each(|line| read(line, Duration::from_millis(600_200), &mut runs));
        runs
    }

    #[test]
    fn each_end_of_a_harness_is_told_from_the_others() {
        let printed = "Compiling\nChecking harness proofs::path::a...\n\nSUMMARY:\n ** 0 of 90 failed\n\n \
                       ** 1 of 1 cover properties satisfied\n\nVERIFICATION:- SUCCESSFUL\nVerification Time: 12.75s\n\n\
                       Checking harness proofs::path::b...\n ** 0 of 1 cover properties satisfied (1 unreachable)\n\
                       VERIFICATION:- SUCCESSFUL\nVerification Time: 0.5s\n\
                       Checking harness proofs::path::c...\nCBMC failed\nVERIFICATION:- FAILED\n\
                       CBMC timed out. You may want to rerun your proof with a larger timeout\n\
                       Checking harness proofs::path::d...\n ** 1 of 90 failed\nVERIFICATION:- FAILED\nVerification Time: 3.0s\n";
        let ends = runs(printed).iter().map(|run| (run.result(), run.seconds)).collect::<Vec<_>>();
        assert_eq!(ends, [("verified", 12), ("vacuous", 0), ("timed out", 600), ("failed", 3)]);
        assert_eq!(runs(printed).iter().filter(|run| run.is_verified()).count(), 1);
    }

    #[test]
    fn a_run_is_recorded_with_what_it_was_about() {
        let run = runs("Checking harness proofs::path::a...").remove(0);
        let expected = "\n[[run]]\nharness = \"path::a\"\ncase = \"Two<3>\"\ndate = \"2026-01-02\"\ncommit = \"0123\"\n\
                        kani = \"0.67.0\"\nresult = \"failed\"\nseconds = 0\n";
        assert_eq!(run.recorded("path::a", "Two<3>", "2026-01-02", "0123", "0.67.0"), expected);
    }

    #[test]
    fn versions_and_cases_are_found() {
        assert_eq!(version("cargo-kani 0.67.0\n"), Some("0.67.0".to_owned()));
        assert_eq!(version(""), None);
        let list = "    use crate::cases::Case;\n  path::a\n  \"it is a\"\n  { counted: Two<4>, proof: Two<3>, unwind: 5 }\n\
                    path::b\n \"it :: b\"\n { counted: In<7, 12>,\n   proof: In<4, 1>, unwind: 6 }\n\
                    path::b::split\n { proof: In<8, 1>, unwind: 9 }\n\
                    { counted: $counted:ty, proof: $proof:ty, unwind: $unwind:tt }\n";
        let cases = cases(list);
        assert_eq!(cases.get("a").map(String::as_str), Some("Two<3>"));
        assert_eq!(cases.get("b").map(String::as_str), Some("In<4, 1>"));
        assert_eq!(cases.get("b::split").map(String::as_str), Some("In<8, 1>"));
    }
}
