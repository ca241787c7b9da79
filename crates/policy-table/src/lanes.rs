//! Atoms -> lanes: for each attribute an automaton over the starts of strings, one over their ends, and
//! as many over whole strings as it takes to keep each of them small.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use table_format::{Direction, LANES_PER_OPERATION_MAX, LaneMode};

use crate::automaton::{Next, States, number};
use crate::collections::Lists;
use crate::collections::Sets;
use crate::error::TableError;
use crate::formula::{Formula, Question};
use crate::lower::{Atom, Atoms};
use crate::needle::{Literal, Needle, ScanPattern, SegmentForm};
use crate::scan::Dfa;
use crate::trie;

#[derive(Debug)]
pub(crate) struct LaneDraft {
    pub(crate) attribute: u32,
    pub(crate) mode: LaneMode,
    pub(crate) direction: Direction,
    pub(crate) start: Next,
    /// The needles that each class has found.
    pub(crate) classes: Sets,
    /// The classes that have found each needle.
    pub(crate) found_by: Lists<u32>,
}

/// All lanes, and for each atom the formula over their finds.
#[derive(Debug, Default)]
pub(crate) struct Lanes {
    pub(crate) list: Vec<LaneDraft>,
    pub(crate) formulas: Vec<Formula>,
}

impl Lanes {
    pub(crate) fn build(atoms: &Atoms, states: &mut States) -> Result<Self, TableError> {
        let mut by_attribute: BTreeMap<u32, Vec<(u32, &Atom)>> = BTreeMap::new();
        for (atom, value) in (0..).zip(&atoms.list) {
            by_attribute.entry(value.attribute).or_default().push((atom, value));
        }
        let mut lanes = Self { list: Vec::new(), formulas: vec![Formula::False; atoms.list.len()] };
        for (attribute, of_attribute) in by_attribute {
            let mut drawn = Drawn::default();
            for (atom, value) in &of_attribute {
                drawn.atom(*atom, value);
            }
            let starts = lanes.literals(attribute, &drawn.starts, drawn.needles, Direction::Forward, states);
            let ends = lanes.literals(attribute, &drawn.ends, drawn.needles, Direction::Backward, states);
            let scans = lanes.scans(attribute, &drawn.scans, atoms, states)?;
            for (atom, parts) in drawn.parts {
                let formula = Formula::any(parts.into_iter().flat_map(|part| match part {
                    Part::Start(needle) => vec![found(starts, needle)],
                    Part::End(needle) => vec![found(ends, needle)],
                    Part::Both(start, end) => vec![Formula::all([found(starts, start), found(ends, end)])],
                    Part::Scan => {
                        let lanes = scans.iter().filter_map(|(lane, needles)| Some((*lane, *needles.get(&atom)?)));
                        lanes.map(|(lane, needle)| found(lane, needle)).collect()
                    }
                }));
                if let Some(place) = lanes.formulas.get_mut(atom as usize) {
                    *place = formula;
                }
            }
        }
        Ok(lanes)
    }

    fn literals(
        &mut self,
        attribute: u32,
        literals: &[(&Literal, u32)],
        needles: usize,
        direction: Direction,
        states: &mut States,
    ) -> u32 {
        if literals.is_empty() {
            return u32::MAX;
        }
        let mut classes = Sets::new();
        let start = trie::build(literals, direction, states, &mut classes);
        self.add(attribute, LaneMode::Classify, direction, start, classes, needles)
    }

    /// Builds as few automata as possible over all patterns, and returns the needles of their atoms.
    fn scans(
        &mut self,
        attribute: u32,
        patterns: &BTreeMap<&ScanPattern, Vec<u32>>,
        atoms: &Atoms,
        states: &mut States,
    ) -> Result<Vec<ScanLane>, TableError> {
        if patterns.is_empty() {
            return Ok(Vec::new());
        }
        let mut all: Vec<Wanted<'_>> = patterns.iter().map(|(pattern, atoms)| (*pattern, atoms.as_slice())).collect();
        let mut automata = Vec::new();
        match try_together(&all, atoms, TOGETHER_STATES_MAX) {
            Some(dfa) => automata.push((all, dfa)),
            None => {
                all.sort_by_key(|(pattern, _)| family(pattern));
                for family in all.chunk_by(|(one, _), (other, _)| family(one) == family(other)) {
                    split(family, attribute, atoms, &mut automata)?;
                }
            }
        }
        let mut lanes = Vec::new();
        for (patterns, dfa) in automata {
            let mut needles: BTreeMap<u32, u32> = BTreeMap::new();
            for atom in patterns.iter().flat_map(|(_, atoms)| *atoms) {
                let next = number(needles.len());
                needles.entry(*atom).or_insert(next);
            }
            let finds = |atoms: &[u32]| atoms.iter().filter_map(|atom| needles.get(atom)).copied().collect();
            let finds: Vec<Vec<u32>> = patterns.iter().map(|(_, atoms)| finds(atoms)).collect();
            let mut classes = Sets::new();
            let start = dfa.emit(&finds, states, &mut classes);
            let lane = self.add(attribute, LaneMode::Scan, Direction::Forward, start, classes, needles.len());
            lanes.push((lane, needles));
        }
        Ok(lanes)
    }

    fn add(
        &mut self,
        attribute: u32,
        mode: LaneMode,
        direction: Direction,
        start: Next,
        classes: Sets,
        needles: usize,
    ) -> u32 {
        let mut pairs: Vec<(u32, u32)> = (0..)
            .zip(classes.iter())
            .flat_map(|(class, members)| members.iter().map(move |needle| (*needle, class)))
            .collect();
        pairs.sort_unstable();
        let mut pairs = pairs.into_iter().peekable();
        let mut found_by = Lists::default();
        for needle in 0..number(needles) {
            found_by.push(std::iter::from_fn(|| pairs.next_if(|(other, _)| *other == needle)).map(|(_, class)| class));
        }
        self.list.push(LaneDraft { attribute, mode, direction, start, classes, found_by });
        number(self.list.len() - 1)
    }
}

fn found(lane: u32, needle: u32) -> Formula {
    Formula::Is(Question::Found { lane, needle }, true)
}

/// A scanning lane, and the needle of each of its atoms.
type ScanLane = (u32, BTreeMap<u32, u32>);

/// A pattern and the atoms it belongs to.
type Wanted<'a> = (&'a ScanPattern, &'a [u32]);

/// Builds one automaton for all patterns, if it stays small and has enough bits for its atoms.
fn try_together(patterns: &[Wanted<'_>], atoms: &Atoms, states_max: usize) -> Option<Dfa> {
    let mut with_bits: Vec<u32> = patterns.iter().flat_map(|(_, atoms)| *atoms).copied().collect();
    with_bits.retain(|atom| atoms.needs_bit.get(*atom as usize) == Some(&true));
    with_bits.sort_unstable();
    with_bits.dedup();
    if with_bits.len() > BITS_MAX {
        return None;
    }
    let patterns: Vec<&ScanPattern> = patterns.iter().map(|(pattern, _)| *pattern).collect();
    Dfa::new(&patterns, states_max)
}

/// Halves the patterns until each half has a small enough automaton.
fn split<'a>(
    patterns: &[Wanted<'a>],
    attribute: u32,
    atoms: &Atoms,
    automata: &mut Vec<(Vec<Wanted<'a>>, Dfa)>,
) -> Result<(), TableError> {
    let place = |(pattern, _): &Wanted<'_>| atoms.places.get(&(attribute, (*pattern).clone())).cloned();
    let too_many = || TableError::TooManyPatterns { patterns: patterns.iter().filter_map(place).collect() };
    if automata.len() >= LANES_PER_OPERATION_MAX {
        return Err(too_many());
    }
    let states_max = if patterns.len() == 1 { ALONE_STATES_MAX } else { FAMILY_STATES_MAX };
    if let Some(dfa) = try_together(patterns, atoms, states_max) {
        automata.push((patterns.to_vec(), dfa));
        return Ok(());
    }
    if let [only] = patterns {
        return Err(place(only).map_or_else(too_many, |pattern| TableError::PatternTooLarge { pattern }));
    }
    let (first, second) = patterns.split_at(patterns.len() / 2);
    split(first, attribute, atoms, automata)?;
    split(second, attribute, atoms, automata)
}

/// Groups patterns that do not multiply each other's states.
fn family(pattern: &ScanPattern) -> u8 {
    match pattern {
        ScanPattern::Segments(forms) => {
            let inner = forms.get(1..forms.len().saturating_sub(1)).unwrap_or_default();
            match (forms.first(), inner.contains(&SegmentForm::Any)) {
                (_, true) => 2,
                (Some(SegmentForm::Any), false) => 0,
                (_, false) => 1,
            }
        }
        ScanPattern::Word(_) => 3,
        ScanPattern::Regex(_) => 4,
    }
}

/// One of the alternatives of an atom.
enum Part {
    Start(u32),
    End(u32),
    Both(u32, u32),
    Scan,
}

/// The key of a needle that several atoms share, each of which asks about both ends of a string.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Shared<'a> {
    Start(&'a Literal),
    /// Literals that go with the same start.
    Ends(Vec<&'a Literal>),
}

/// The needles of one attribute's atoms, sorted by the lane that finds them.
#[derive(Default)]
struct Drawn<'a> {
    needles: usize,
    shared: FxHashMap<Shared<'a>, u32>,
    /// Literals and the needle each belongs to; unsorted, with repeats.
    starts: Vec<(&'a Literal, u32)>,
    ends: Vec<(&'a Literal, u32)>,
    scans: BTreeMap<&'a ScanPattern, Vec<u32>>,
    parts: Vec<(u32, Vec<Part>)>,
}

impl<'a> Drawn<'a> {
    fn atom(&mut self, atom: u32, value: &'a Atom) {
        let mut parts = Vec::new();
        // The needle of all literals that are looked for at one end alone.
        let mut own: Option<u32> = None;
        let (mut has_start, mut has_end, mut has_scan) = (false, false, false);
        let mut both: BTreeMap<&Literal, Vec<&Literal>> = BTreeMap::new();
        for needle in value.needles.iter() {
            match needle {
                Needle::Start(literal) => {
                    let number = *own.get_or_insert_with(|| self.next());
                    self.starts.push((literal, number));
                    has_start = true;
                }
                Needle::End(literal) => {
                    let number = *own.get_or_insert_with(|| self.next());
                    self.ends.push((literal, number));
                    has_end = true;
                }
                Needle::Both(start, end) => both.entry(start).or_default().push(end),
                Needle::Scan(pattern) => {
                    self.scans.entry(pattern).or_default().push(atom);
                    has_scan = true;
                }
            }
        }
        if let Some(own) = own {
            parts.extend(has_start.then_some(Part::Start(own)));
            parts.extend(has_end.then_some(Part::End(own)));
        }
        if has_scan {
            parts.push(Part::Scan);
        }
        for (start, ends) in both {
            let start_number = self.shared(Shared::Start(start));
            self.starts.push((start, start_number));
            let end_number = self.shared(Shared::Ends(ends.clone()));
            self.ends.extend(ends.into_iter().map(|end| (end, end_number)));
            parts.push(Part::Both(start_number, end_number));
        }
        self.parts.push((atom, parts));
    }

    fn shared(&mut self, key: Shared<'a>) -> u32 {
        if let Some(known) = self.shared.get(&key) {
            return *known;
        }
        let next = self.next();
        self.shared.insert(key, next);
        next
    }

    fn next(&mut self) -> u32 {
        self.needles += 1;
        number(self.needles - 1)
    }
}

/// Needles of a lane that can be remembered as bits.
pub(crate) const BITS_MAX: usize = 32;
/// States of one automaton for all patterns.
const TOGETHER_STATES_MAX: usize = 512;
/// States of an automaton for patterns of one family.
const FAMILY_STATES_MAX: usize = 4_096;
/// States of an automaton for one pattern.
const ALONE_STATES_MAX: usize = 32_768;
