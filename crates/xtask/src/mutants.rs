//! The core, changed in one place at a time -> the changes that no test notices.
//!
//! `cargo mutants` makes the changes, in a copy of the tree, and runs the tests. What survives is compared with the
//! list of changes that change nothing (`mutants.toml`); this knows neither the core nor its tests.

mod equivalent;
mod outcomes;
mod shard;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use crate::error::{Outcome, TaskError};
use crate::tree::{Tree, attempt, output, shown, status, unusable};
use equivalent::Equivalent;
use outcomes::{Fate, Mutant};
pub(crate) use shard::Shard;

/// Which files are changed. Each of them is changed everywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    All,
    /// Those that match one of these.
    Files(Vec<String>),
    Shard(Shard),
}

/// Prints every change that would be tried.
pub(crate) fn list(tree: &Tree, part: &Part) -> Result<Outcome, TaskError> {
    install(tree)?;
    let mut command = mutants(tree, CRATES, &files(tree, part)?);
    print!("{}", output(command.arg("--list"))?);
    Ok(Outcome::Fine)
}

/// Tries every change, round by round, and prints what is wrong.
pub(crate) fn run(tree: &Tree, part: &Part) -> Result<Outcome, TaskError> {
    install(tree)?;
    let folder = tree.root().join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| OsString::from("target")));
    let folder = folder.join("mutants");
    fs::create_dir_all(&folder).map_err(|source| TaskError::Write { path: folder.clone(), source })?;
    let files = files(tree, part)?;
    let mut fates = BTreeMap::new();
    for (number, round) in (1..).zip(ROUNDS) {
        println!("mutants: round {number} of {}: {}", ROUNDS.len(), round.tests);
        // The first round forgets what an earlier run has seen.
        let iterate = (number > 1).then_some("--iterate");
        let mut command = mutants(tree, round.crates, &files);
        command.args(round.without.iter().flat_map(|glob| ["--exclude", glob])).args(iterate);
        command.arg("--output").arg(&folder).args(CHEAP).args(round.arguments);
        add(&mut fates, try_round(&mut command, &folder.join("mutants.out/outcomes.json"))?);
    }
    let survivors = survivors(tree, &fates)?;
    let tried = fates.keys().map(|mutant| mutant.file.as_str()).collect();
    let is_all = *part == Part::All;
    let (listed, errors) = match equivalent::read(&tree.read_text(LIST)?) {
        Ok(entries) => {
            let entries = entries.into_iter().filter(|entry| is_all || is_tried(&tried, entry)).collect();
            compare(survivors, entries)
        }
        Err(error) => (0, vec![error]),
    };
    let errors: Vec<_> = errors.into_iter().chain(fates.is_empty().then_some(MutantsError::NoMutants)).collect();
    for error in &errors {
        println!("mutants: {error}");
    }
    println!("{}", counted(&fates, listed, &errors));
    Ok(if errors.is_empty() { Outcome::Fine } else { Outcome::Findings })
}

/// A run of the tests for each change that survived the rounds before.
struct Round {
    /// Which tests, in words.
    tests: &'static str,
    crates: &'static [&'static str],
    /// Files that the tests of this round do not reach.
    without: &'static [&'static str],
    arguments: &'static [&'static str],
}

/// A change that survived, and what stands behind its place.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Survivor {
    mutant: Mutant,
    /// The rest of the line.
    at: String,
}

/// What is wrong with the tests, or with the list.
#[derive(Debug, Clone, PartialEq, Eq)]
enum MutantsError {
    /// The list is none: bad TOML, an unknown key.
    Unreadable { line: usize, reason: String },
    /// A change that the list does not explain.
    Unexplained { mutation: String },
    /// Nothing was tried, which would pass for ever.
    NoMutants,
    /// A change that no test notices and that is not listed.
    Survives(Survivor),
    /// A listed change that a test notices, or that cannot be made any more.
    Stale(Equivalent),
}

/// Adds a round. What one round has noticed stays noticed, whatever others do not see.
fn add(fates: &mut BTreeMap<Mutant, Fate>, round: BTreeMap<Mutant, Fate>) {
    for (mutant, fate) in round {
        let known = fates.entry(mutant).or_insert(fate);
        if fate != Fate::Missed {
            *known = fate;
        }
    }
}

/// How many survivors are listed, and what is wrong. Each entry stands for one survivor.
fn compare(survivors: Vec<Survivor>, mut entries: Vec<Equivalent>) -> (usize, Vec<MutantsError>) {
    let unexplained = entries.iter().filter(|entry| entry.reason.trim().is_empty());
    let mut errors: Vec<_> =
        unexplained.map(|entry| MutantsError::Unexplained { mutation: entry.mutation.clone() }).collect();
    let mut listed = 0_usize;
    for survivor in survivors {
        match entries.iter().position(|entry| entry.is(&survivor)) {
            Some(place) => {
                entries.remove(place);
                listed = listed.saturating_add(1);
            }
            None => errors.push(MutantsError::Survives(survivor)),
        }
    }
    errors.extend(entries.into_iter().map(MutantsError::Stale));
    (listed, errors)
}

fn is_tried(files: &BTreeSet<&str>, entry: &Equivalent) -> bool {
    files.contains(entry.file.as_str())
}

fn survivors(tree: &Tree, fates: &BTreeMap<Mutant, Fate>) -> Result<Vec<Survivor>, TaskError> {
    let mut survivors = Vec::new();
    for (mutant, _) in fates.iter().filter(|(_, fate)| **fate == Fate::Missed) {
        let at = rest_of_line(&tree.read_text(&mutant.file)?, mutant.line, mutant.column);
        survivors.push(Survivor { mutant: mutant.clone(), at });
    }
    Ok(survivors)
}

/// Lines and columns are counted from one.
fn rest_of_line(text: &str, line: usize, column: usize) -> String {
    let line = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    line.chars().skip(column.saturating_sub(1)).collect()
}

fn counted(fates: &BTreeMap<Mutant, Fate>, listed: usize, errors: &[MutantsError]) -> String {
    let count = |wanted: Fate| fates.values().filter(|fate| **fate == wanted).count();
    let unlisted = errors.iter().filter(|error| matches!(error, MutantsError::Survives(_))).count();
    let stale = errors.iter().filter(|error| matches!(error, MutantsError::Stale(_))).count();
    format!(
        "mutants: {} changes tried: {} noticed, {} ran out of time, {} do not build, {listed} survive and are listed, \
         {unlisted} survive and are not; {stale} are listed and do not survive; findings: {}",
        fates.len(),
        count(Fate::Caught),
        count(Fate::Timeout),
        count(Fate::Unviable),
        errors.len()
    )
}

/// What became of each change, for as many as there were.
fn try_round(command: &mut Command, outcomes: &Path) -> Result<BTreeMap<Mutant, Fate>, TaskError> {
    // What is read has to be of this round.
    if let Err(source) = fs::remove_file(outcomes)
        && source.kind() != io::ErrorKind::NotFound
    {
        return Err(TaskError::Write { path: outcomes.to_owned(), source });
    }
    let ended = status(command)?;
    if !ended.code().is_some_and(|code| ENDED.contains(&code)) {
        return Err(TaskError::Failed { program: shown(command), status: ended });
    }
    match fs::read_to_string(outcomes) {
        Ok(text) => outcomes::read(&text).map_err(|error| unusable(command, error.to_string())),
        // There was nothing to try.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(source) => Err(TaskError::Read { path: outcomes.to_owned(), source }),
    }
}

/// The globs of the files that are changed; none for all.
fn files(tree: &Tree, part: &Part) -> Result<Vec<String>, TaskError> {
    match part {
        Part::All => Ok(Vec::new()),
        Part::Files(globs) => Ok(globs.clone()),
        Part::Shard(shard) => {
            let mut command = mutants(tree, CRATES, &[]);
            let listed = output(command.arg("--list-files"))?;
            let files: Vec<String> = shard.of(listed.lines()).map(String::from).collect();
            // No glob at all would be every file.
            if files.is_empty() { Err(unusable(&command, "fewer files than parts")) } else { Ok(files) }
        }
    }
}

/// A copy of the tree has its own builds, so that a change costs what it changes and nobody waits for the other.
fn mutants(tree: &Tree, crates: &[&str], files: &[String]) -> Command {
    let mut command = tree.cargo(&["mutants", "--no-config"]);
    command.env_remove("CARGO_TARGET_DIR");
    command.args(crates.iter().flat_map(|name| ["--package", name]));
    command.args(files.iter().flat_map(|glob| ["--file", glob]));
    command
}

fn install(tree: &Tree) -> Result<(), TaskError> {
    if attempt(&mut tree.cargo(&["mutants", "--version"]))?.is_some() {
        return Ok(());
    }
    let mut command = tree.cargo(INSTALL);
    println!("mutants: cargo-mutants is missing: {}", shown(&command));
    let ended = status(&mut command)?;
    if ended.success() { Ok(()) } else { Err(TaskError::Failed { program: shown(&command), status: ended }) }
}

impl fmt::Display for MutantsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { line, reason } => write!(f, "{LIST}:{line}: {reason}"),
            Self::Unexplained { mutation } => write!(f, "{LIST}: `{mutation}` has no reason"),
            Self::NoMutants => write!(f, "no change was tried"),
            Self::Survives(Survivor { mutant, at }) => write!(f, "no test notices {}, at `{at}`", mutant.name),
            Self::Stale(entry) => {
                let Equivalent { file, function, mutation, at, .. } = entry;
                write!(f, "{LIST}: `{mutation}` in `{function}` of {file}, at `{at}`, does not survive")
            }
        }
    }
}

const LIST: &str = "crates/xtask/mutants.toml";
const CRATES: &[&str] = &["table-format", "enforce-core"];
const INSTALL: &[&str] = &["install", "--locked", "cargo-mutants"];

/// How `cargo mutants` ends when it did what it should: all were noticed, some were not, some ran out of time.
const ENDED: &[i32] = &[0, 2, 3];

/// What makes a change cheap to build, and its tests quick enough.
const CHEAP: &[&str] = &[
    "--jobs=1",
    "--minimum-test-timeout=15",
    "--cargo-arg=--config=profile.dev.debug=false",
    "--cargo-arg=--config=profile.test.package.table-format.opt-level=1",
    "--cargo-arg=--config=profile.test.package.enforce-core.opt-level=1",
    "--cargo-arg=--config=profile.dev.package.tool-proto.opt-level=0",
    "--cargo-arg=--config=profile.dev.package.tests.opt-level=0",
];

/// The cheapest first: most changes are noticed by it.
const ROUNDS: &[Round] = &[
    Round {
        tests: "the tests beside the code",
        crates: &["enforce-core"],
        without: &[
            "crates/enforce-core/src/decide.rs",
            "crates/enforce-core/src/decision.rs",
            "crates/enforce-core/src/diagram.rs",
            "crates/enforce-core/src/facts.rs",
            "crates/enforce-core/src/judge.rs",
            "crates/enforce-core/src/judge/**",
            "crates/enforce-core/src/operation.rs",
            "crates/enforce-core/src/policy.rs",
            "crates/enforce-core/src/rank.rs",
            "crates/enforce-core/src/walk.rs",
        ],
        arguments: &["--cargo-arg=--lib"],
    },
    Round {
        tests: "what tables are written, read and refused",
        crates: &["table-format"],
        without: &[],
        arguments: &[
            "--cargo-arg=--test=document",
            "--cargo-arg=--test=golden_files",
            "--cargo-arg=--test=opening",
            "--cargo-arg=--test=reading",
            "--cargo-arg=--test=refusals",
            "--cargo-arg=--test=refused_automata",
            "--cargo-arg=--test=refused_words",
            "--cargo-arg=--test=writing",
        ],
    },
    Round {
        tests: "all tests of the changed crate",
        crates: CRATES,
        without: &["crates/enforce-core/src/judge.rs", "crates/enforce-core/src/judge/**"],
        arguments: &["--cargo-arg=--lib", "--cargo-arg=--tests"],
    },
    Round {
        tests: "encoded requests through the whole core",
        crates: CRATES,
        without: &[],
        arguments: &[
            "--test-package=tests",
            // The build without a change is otherwise one of the changed crates alone.
            "--cargo-arg=--package=tests",
            "--cargo-arg=--test=judge",
            "--cargo-arg=--test=attacks",
            "--cargo-arg=--test=threat_model",
            "--cargo-arg=--test=addresses",
            "--",
            "--",
            "--skip=a_million_mutated_messages",
        ],
    },
];

#[cfg(test)]
mod tests;
