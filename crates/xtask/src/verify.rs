//! Properties -> a table of who asked each about how many cases, and what came of it.
//!
//! The engines are programs of their own: the counted and the random run of `verify`, its harnesses with the stand-in
//! for Kani in Kani's place, and Kani itself where it is installed. What they print is read here.

mod instrument;
mod kani;
mod rows;

use std::fs;
use std::process::Command;

use crate::error::{Outcome, TaskError};
use crate::tree::{Tree, attempt, output, printed, status, unusable};
use rows::{Row, names, rows};

pub(crate) use instrument::rustc;

/// Which engines are asked, about what, and how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) engines: Engines,
    pub(crate) effort: Effort,
    /// What the names of the properties have in them: everything has the empty text.
    pub(crate) property: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engines {
    /// Counting, dice, and the stand-in.
    Native,
    /// What the test run of the workspace leaves out.
    StandIn,
    /// The model checker itself.
    Kani(Record),
}

/// What becomes of what Kani says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Record {
    /// It is shown in the form of the record.
    Show,
    /// It is added to the record.
    Add,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Domains for every change: minutes.
    Short,
    /// The larger domains, and more dice: up to two hours.
    Full,
}

/// The harnesses with the stand-in, as CI does: the other engines are tests of the workspace.
pub(crate) fn run_in_ci(tree: &Tree) -> Result<Outcome, TaskError> {
    run(tree, &Wanted { engines: Engines::StandIn, effort: Effort::Short, property: String::new() })
}

/// Asks, prints what each property is said to be, and says what was not asked.
pub(crate) fn run(tree: &Tree, wanted: &Wanted) -> Result<Outcome, TaskError> {
    let Some(properties) = properties(tree, &wanted.property)? else {
        println!("verify: the harnesses do not build");
        return Ok(Outcome::Findings);
    };
    let opinions = if wanted.engines == Engines::Native { opinions(tree, &wanted.property)? } else { Vec::new() };
    if properties.is_empty() && opinions.is_empty() {
        println!("verify: no property has `{}` in its name", wanted.property);
        return Ok(Outcome::Findings);
    }
    match wanted.engines {
        Engines::Native => {
            let engines = [Engine::Counted, Engine::Random, Engine::StandIn];
            ask(tree, &engines, &properties, &opinions, wanted.effort)
        }
        Engines::StandIn => ask(tree, &[Engine::StandIn], &properties, &[], wanted.effort),
        Engines::Kani(record) => prove(tree, record, &wanted.property, &properties),
    }
}

/// Writes `docs/proofs.md` anew.
pub(crate) fn write(tree: &Tree) -> Result<Outcome, TaskError> {
    Ok(Outcome::of(status(tree.cargo(DOCUMENT).env("VERIFY_WRITE", "1"))?))
}

/// An engine that runs natively.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Engine {
    Counted,
    Random,
    StandIn,
}

impl Engine {
    fn name(self) -> &'static str {
        match self {
            Self::Counted => "counted",
            Self::Random => "random",
            Self::StandIn => "stand-in",
        }
    }

    /// The program, told to ask about these alone.
    fn command(self, tree: &Tree, asked: &[String], effort: Effort) -> Command {
        let mut command = match self {
            Self::Counted => tree.cargo(COUNTED),
            Self::Random => tree.cargo(RANDOM),
            Self::StandIn => harnesses(tree),
        };
        if effort == Effort::Full {
            command.env("VERIFY_FULL", "1");
            command.env("KANI_STAND_IN_RUNS", FULL_RUNS).env("KANI_STAND_IN_SECONDS", FULL_SECONDS);
        }
        // A case that fails is printed as a test; how the program came there is of no interest.
        command.env("RUST_BACKTRACE", "0").args(["--", "--nocapture", "--exact"]);
        command.args(asked.iter().map(|name| match self {
            Self::Counted if name.starts_with(ORACLES) => name.clone(),
            Self::Counted | Self::Random => function(name).to_owned(),
            Self::StandIn => format!("{HARNESSES}{name}"),
        }));
        command
    }
}

fn ask(
    tree: &Tree,
    engines: &[Engine],
    harnesses: &[String],
    opinions: &[String],
    effort: Effort,
) -> Result<Outcome, TaskError> {
    // A second harness is one of a property that has a first.
    let properties: Vec<String> = harnesses.iter().filter(|name| !name.ends_with(SPLIT)).cloned().collect();
    let mut outcome = Outcome::Fine;
    if engines.contains(&Engine::StandIn) {
        let (ended, text) = printed(&mut standing_in(tree))?;
        if !ended.success() {
            println!("{text}\nverify: the stand-in for Kani does not do what it should");
            outcome = Outcome::Findings;
        }
    }
    let mut table = Vec::new();
    for engine in engines {
        let asked: Vec<String> = match engine {
            Engine::StandIn => harnesses.to_vec(),
            Engine::Random => properties.clone(),
            // A second opinion needs a heap and is counted alone.
            Engine::Counted => [&properties, opinions].concat(),
        };
        // Told to ask about nothing, a program would ask about everything.
        if asked.is_empty() {
            continue;
        }
        let (ended, text) = printed(&mut engine.command(tree, &asked, effort))?;
        outcome = outcome.and(Outcome::of(ended));
        let rows = rows(&text);
        table.extend(asked.iter().map(|name| Row::of(name, engine.name(), &rows)));
    }
    print!("{}", rows::render(&table));
    let silent = table.iter().filter(|row| row.is_silent()).count();
    let (properties, opinions) = (properties.len(), opinions.len());
    println!("verify: {properties} properties, {opinions} second opinions, {silent} answers missing or about nothing");
    println!("{NOT_RUN}");
    Ok(if silent == 0 { outcome } else { Outcome::Findings })
}

fn prove(tree: &Tree, record: Record, filter: &str, properties: &[String]) -> Result<Outcome, TaskError> {
    let mut version = tree.cargo(&["kani", "--version"]);
    let Some(kani) = kani::version(&attempt(&mut version)?.unwrap_or_default()) else {
        println!("verify: `cargo kani` is not installed; `cargo install --locked kani-verifier`, `cargo kani setup`");
        return Ok(Outcome::Findings);
    };
    let (commit, date) = (kani::commit(tree)?, kani::date()?);
    let mut command = tree.cargo(KANI);
    // Kani has a toolchain of its own, and what this program was started with is none of its business.
    command.env_remove("RUSTUP_TOOLCHAIN").env_remove("LD_LIBRARY_PATH");
    command.arg("--harness").arg(format!("{HARNESSES}{filter}"));
    let runs = kani::watch(&mut command)?;
    let cases = kani::cases(&tree.read_text(LIST)?);
    let mut text = String::new();
    for run in &runs {
        let property = run.harness.split_once(HARNESSES).map_or(run.harness.as_str(), |(_, property)| property);
        let (_, function) = property.split_once("::").unwrap_or_default();
        let case = cases.get(function).map(String::as_str).unwrap_or_default();
        text.push_str(&run.recorded(property, case, &date, &commit, &kani));
    }
    match record {
        Record::Show => print!("\nTo record this, `--record`, or add to {RUNS}:\n{text}"),
        Record::Add => {
            let path = tree.root().join(RUNS);
            let all = tree.read_text(RUNS)? + &text;
            fs::write(&path, all).map_err(|source| TaskError::Write { path, source })?;
            println!("{} runs recorded in {RUNS}; `cargo xtask verify --write` writes docs/proofs.md anew", runs.len());
        }
    }
    let verified = runs.iter().filter(|run| run.is_verified()).count();
    println!("verify: Kani {kani} verified {verified} of {} harnesses", properties.len());
    Ok(if verified == properties.len() { Outcome::Fine } else { Outcome::Findings })
}

/// The properties whose names have this in them, as the harnesses are named; nothing when they do not build.
fn properties(tree: &Tree, filter: &str) -> Result<Option<Vec<String>>, TaskError> {
    let mut command = harnesses(tree);
    command.args(["--", "--list"]);
    let Some(listed) = attempt(&mut command)? else {
        return Ok(None);
    };
    let all = names(&listed, HARNESSES);
    if all.is_empty() {
        return Err(unusable(&command, "no harness in it"));
    }
    Ok(Some(all.into_iter().filter(|name| name.contains(filter)).collect()))
}

/// The second opinions that are counted and whose names have this in them.
fn opinions(tree: &Tree, filter: &str) -> Result<Vec<String>, TaskError> {
    let mut command = tree.cargo(COUNTED);
    command.args(["--", "--list"]);
    let all = names(&output(&mut command)?, ORACLES);
    if all.is_empty() {
        return Err(unusable(&command, "no second opinion in it"));
    }
    Ok(all.into_iter().map(|name| format!("{ORACLES}{name}")).filter(|name| name.contains(filter)).collect())
}

/// The harnesses, compiled as Kani compiles them, and with their loops counted.
fn harnesses(tree: &Tree) -> Command {
    let mut command = outside(tree, "verify/stand-in/harnesses/Cargo.toml");
    instrument::by_way_of_us(&mut command);
    command
}

/// The stand-in's own tests: that it refuses what Kani would, and sees what goes wrong.
fn standing_in(tree: &Tree) -> Command {
    outside(tree, "verify/stand-in/kani/Cargo.toml")
}

fn outside(tree: &Tree, manifest: &str) -> Command {
    let mut command = tree.cargo(&["test", "-q", "--locked", "--manifest-path", manifest]);
    command.arg("--target-dir").arg(tree.target("stand-in"));
    command
}

/// The name of a property without that of its file.
fn function(property: &str) -> &str {
    property.rsplit("::").next().unwrap_or(property)
}

const HARNESSES: &str = "proofs::";
const ORACLES: &str = "oracles::";
const SPLIT: &str = "::split";
const LIST: &str = "verify/src/list.rs";
const RUNS: &str = "verify/runs.toml";
/// With the second opinions that can be counted.
const COUNTED: &[&str] = &["test", "-q", "--locked", "-p", "verify", "--features", "messages", "--test", "exhaustive"];
/// Built as what counts is, which saves a build.
const RANDOM: &[&str] = &["test", "-q", "--locked", "-p", "verify", "--features", "messages", "--test", "random"];
const DOCUMENT: &[&str] = &["test", "-q", "--locked", "-p", "verify", "--test", "document"];
/// A harness that takes longer than a few minutes is to be made smaller, and one that takes ten is stopped.
const KANI: &[&str] = &["kani", "-p", "verify", "-Z", "unstable-options", "--harness-timeout", "10m"];
/// What the stand-in is given for each harness: so many runs, or so much time.
const FULL_RUNS: &str = "200000";
const FULL_SECONDS: &str = "60";
const NOT_RUN: &str = "verify: Kani was not run: its harnesses were asked with dice in its place, which proves nothing; \
                       `cargo xtask verify --kani` runs it where it is installed";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_told_which_properties_to_ask() {
        let tree = Tree::locate().unwrap();
        let properties = ["path::a".to_owned(), "net::b".to_owned()];
        let shown = |engine: Engine| crate::tree::shown(&engine.command(&tree, &properties, Effort::Short));
        let counted =
            "cargo test -q --locked -p verify --features messages --test exhaustive -- --nocapture --exact a b";
        assert_eq!(shown(Engine::Counted), counted);
        assert_eq!(shown(Engine::Random), counted.replace("exhaustive", "random"));
        let opinions = ["oracles::messages::c".to_owned()];
        let command = Engine::Counted.command(&tree, &opinions, Effort::Short);
        assert!(crate::tree::shown(&command).ends_with(" --exact oracles::messages::c"));
        assert!(shown(Engine::StandIn).ends_with(" -- --nocapture --exact proofs::path::a proofs::net::b"));
    }
}
