//! The list of properties and the recorded runs -> `docs/proofs.md`, which has to say the same. `VERIFY_WRITE=1` writes
//! it anew, which is what `cargo xtask verify --write` does.

#![cfg(test)]

mod domain;
mod open;
mod runs;
mod text;

use std::collections::BTreeMap;
use std::{env, fs};

use domain::Domain;
use open::Open;
use text::Entry;
use verify::oracles::OPINIONS;
use verify::{PROPERTIES, Property, SPLITS};

#[test]
fn the_document_is_what_the_list_and_the_runs_make_it() {
    let entries = PROPERTIES.iter().zip(counted()).zip(open());
    let opened = split_open();
    let splits = |property: &Property| {
        let all = SPLITS.iter().zip(&opened);
        all.filter(|(split, _)| (split.module, split.name) == (property.module, property.name)).collect()
    };
    let entries: Vec<Entry<'_>> = entries
        .map(|((property, counted), open)| Entry { property, counted, open, splits: splits(property) })
        .collect();
    let shown: usize = entries.iter().map(|entry| entry.splits.len()).sum();
    assert_eq!(shown, SPLITS.len(), "a second harness is one of a property");
    let document = text::render(&entries, &recorded());
    if env::var_os("VERIFY_WRITE").is_some() {
        fs::write(DOCUMENT, document).unwrap();
        return;
    }
    let committed = fs::read_to_string(DOCUMENT).unwrap_or_default();
    let same = committed.lines().zip(document.lines()).take_while(|(old, new)| old == new).count();
    assert!(
        committed == document,
        "docs/proofs.md:{}: out of date; `cargo xtask verify --write` writes it anew",
        same + 1
    );
}

#[test]
fn recorded_runs_are_of_harnesses_that_there_are() {
    for run in recorded() {
        let is_known = PROPERTIES.iter().any(|property| property.path() == run.harness)
            || SPLITS.iter().any(|split| split.path() == run.harness);
        assert!(is_known, "verify/runs.toml: `{}` is no harness", run.harness);
    }
}

#[test]
fn second_opinions_are_asked_for_by_who_is_said_to() {
    let read =
        |file: String| fs::read_to_string(format!("{TREE}/{file}")).unwrap_or_else(|error| panic!("{file}: {error}"));
    for opinion in OPINIONS {
        let source = read(format!("verify/src/oracles/{}.rs", opinion.module));
        assert!(source.contains(&format!("pub fn {}(", opinion.name)), "`{}` is no oracle", opinion.name);
        for asked in opinion.asked {
            let source = read(asked.by.to_owned());
            let path = format!("oracles::{}", opinion.module);
            assert!(source.contains(&path), "{} does not ask for `{}`", asked.by, opinion.name);
        }
    }
}

#[test]
fn properties_have_names_of_their_own() {
    let mut names: Vec<&str> = PROPERTIES.iter().map(|property| property.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), PROPERTIES.len());
}

#[test]
fn the_workflow_runs_every_file_of_harnesses() {
    let workflow = fs::read_to_string(WORKFLOW).unwrap();
    for property in PROPERTIES {
        let line = format!("          - {}\n", property.module);
        assert!(workflow.contains(&line), ".github/workflows/kani.yml does not run `{}`", property.module);
    }
}

fn recorded() -> Vec<runs::Run> {
    runs::read(&fs::read_to_string(RUNS).unwrap()).unwrap()
}

macro_rules! counted {
    ($(
        $module:ident::$name:ident $meaning:literal
        { counted: $counted:ty, full: $full:ty, random: $random:ty, proof: $proof:ty, unwind: $unwind:tt }
    )+) => {
        /// What is counted through in CI, for each property.
        fn counted() -> Vec<Domain> {
            let mut known = BTreeMap::new();
            vec![$({
                use verify::properties::$module::*;
                let kind = std::any::type_name::<$counted>();
                known.entry(kind).or_insert_with(Domain::of::<$counted>).clone()
            }),+]
        }

        /// What is open in the proof of each property.
        fn open() -> Vec<Open> {
            vec![$({
                use verify::properties::$module::*;
                Open::of::<$proof>()
            }),+]
        }
    };
}

verify::for_each_property!(counted);

macro_rules! split {
    ($($module:ident::$name:ident::split { proof: $proof:ty, unwind: $unwind:tt })+) => {
        /// What is open in each second harness.
        fn split_open() -> Vec<Open> {
            vec![$({
                use verify::properties::$module::*;
                Open::of::<$proof>()
            }),+]
        }
    };
}

verify::for_each_split!(split);

const TREE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/proofs.md");
const RUNS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/runs.toml");
const WORKFLOW: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../.github/workflows/kani.yml");
