//! Bytes as bolero has them -> every property of a target, and how often its premise was met.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use verify::cases::Premise;

use crate::ask::Ask;
use crate::mutate::mutated;
use crate::targets::asks;

/// One target: what is asked of each input, and what came of it.
#[derive(Debug)]
pub struct Target {
    name: &'static str,
    asks: Vec<Ask>,
    seeds: Vec<Vec<u8>>,
    /// By the property's name: how many inputs met its premise.
    met: BTreeMap<&'static str, u64>,
    /// How many of them are seeds.
    met_by_seeds: BTreeMap<&'static str, u64>,
    replayed: BTreeSet<Vec<u8>>,
    made: u64,
}

impl Target {
    /// A target with its committed seeds.
    ///
    /// # Panics
    /// When there is nothing to ask, or nothing to start from.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        let asks = asks(name);
        let seeds: Vec<Vec<u8>> = corpus(name).into_iter().map(|(_, bytes)| bytes).collect();
        assert!(!asks.is_empty(), "`{name}` has no property to ask");
        assert!(!seeds.is_empty(), "`{name}` has no seeds; `cargo run -p fuzz --example seeds` writes them");
        Self {
            name,
            asks,
            seeds,
            met: BTreeMap::new(),
            met_by_seeds: BTreeMap::new(),
            replayed: BTreeSet::new(),
            made: 0,
        }
    }

    /// Asks every property about an input.
    ///
    /// # Panics
    /// When one does not hold: with the input, which bolero then makes smaller.
    #[expect(clippy::panic, reason = "this is how a test fails")]
    pub fn ask(&mut self, bytes: &[u8]) {
        // Under `cargo test` the committed files come first, and then dice, which know nothing of them.
        let is_replay = !cfg!(fuzzing) && self.seeds.iter().any(|seed| seed == bytes);
        let is_dice = !cfg!(fuzzing) && !is_replay;
        let input = if is_dice { mutated(bytes, &self.seeds) } else { bytes.to_vec() };
        for ask in &self.asks {
            let premise = ask.holds(&input).unwrap_or_else(|why| panic!("{why}\ninput: b\"{}\"", input.escape_ascii()));
            let met = u64::from(premise == Premise::Met);
            *self.met.entry(ask.name).or_default() += met;
            *self.met_by_seeds.entry(ask.name).or_default() += if is_replay { met } else { 0 };
        }
        if is_replay {
            self.replayed.insert(input);
        } else {
            self.made += 1;
        }
    }

    /// Says what was done, when bolero returns.
    ///
    /// # Panics
    /// When a seed was not replayed, or a property was asked about nothing that it speaks of. Under `cargo test` a seed has
    /// to be about it: dice may never be.
    pub fn finish(&self) {
        // Asked for its location only, a target is not run.
        if std::env::var_os("CARGO_BOLERO_SELECT").is_some() {
            return;
        }
        println!("{}: {} seeds replayed, {} inputs made", self.name, self.replayed.len(), self.made);
        let all: BTreeSet<_> = self.seeds.iter().collect();
        assert!(
            cfg!(fuzzing) || self.replayed.len() == all.len(),
            "only {} of {} seeds",
            self.replayed.len(),
            all.len()
        );
        assert!(self.made > 0, "no input was made");
        for ask in &self.asks {
            let of = |met: &BTreeMap<&str, u64>| met.get(ask.name).copied().unwrap_or_default();
            let (met, by_seeds) = (of(&self.met), of(&self.met_by_seeds));
            println!("    {}: {met} met the premise, {by_seeds} of them seeds", ask.name);
            let is_said = if cfg!(fuzzing) { met > 0 } else { by_seeds > 0 };
            assert!(is_said, "`{}` says nothing: no input of `{}` met its premise", ask.name, self.name);
        }
    }
}

/// The committed inputs of a target with their names, sorted.
#[must_use]
pub fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/__fuzz__").join(target).join("corpus");
    let files = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let named = |path: PathBuf| Some((path.file_name()?.to_str()?.to_owned(), fs::read(&path).ok()?));
    let mut files: Vec<_> = files.filter(|path| path.is_file()).filter_map(named).collect();
    files.sort_unstable();
    files
}

/// The longest input of any target. Without it, bolero gives a fuzzer's target the first 4 KiB.
pub const BYTES_MAX: usize = 1 << 16;
