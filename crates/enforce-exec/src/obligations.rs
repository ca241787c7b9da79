//! The decisions about a request -> what a permitted act is bound to: limits, checks, budgets, and who permitted it.

use std::fmt::Write as _;

use crate::again::Said;
use crate::listed::is_listed;
use enforce_core::judge::{self, Judged};
use enforce_core::{Decision, Operation};
use exec_record::{Draft, Fixed, Secrets, TARGETS_MAX, Text, Written};
use table_format::{Budget, Limit, Measure, Period, Slot, Table};

/// What an act is bound to, of all decisions together.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Obligations {
    /// The least of each limit that the request leaves open, or that only the act shows.
    limits: Vec<(String, u64)>,
    /// Checks to be made before the act, each once.
    pub(crate) requirements: Vec<String>,
    /// What the act is charged to, each once.
    pub(crate) charges: Vec<Charge>,
    /// The first rule that permitted it.
    pub(crate) rule: Option<String>,
    /// What was judged, as rules saw it: the first of it.
    targets: Vec<Vec<u8>>,
    /// How much more there was.
    further: u64,
    /// The same without the secrets that each shows itself.
    shown: Vec<Draft>,
    /// What each was decided by, without the secrets that it shows itself.
    facts: Vec<Draft>,
    /// What all of them show.
    secrets: Secrets,
    /// Whether what is run is too long to be on the record as a whole, where it has to be.
    is_too_long: bool,
}

/// A budget that an act is charged to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Charge {
    /// Its name. Two policies may have budgets of one name; both count.
    pub(crate) name: String,
    /// Which of the session's policies has it.
    pub(crate) layer: usize,
    /// The name of that policy, which it keeps when it is changed.
    pub(crate) policy: String,
    pub(crate) period: Period,
    pub(crate) most: u64,
    /// What is summed; without it, calls are counted.
    pub(crate) sum: Option<Sum>,
}

/// A number that a budget sums.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) attribute: String,
    /// What the request says of it.
    pub(crate) said: Option<u64>,
}

/// A term of a rule that an act is not held to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Uncovered<'t> {
    Limit { attribute: &'t str, most: u64 },
    Requirement { name: &'t str },
}

/// What the decisions about a request bind an act to, and what they were made by.
#[derive(Debug, Default)]
pub(crate) struct Terms {
    pub(crate) obligations: Obligations,
    pub(crate) said: Said,
    /// Whether a rule lets the last command run that was judged, under other conditions.
    pub(crate) is_listed: bool,
}

impl Terms {
    pub(crate) fn add(&mut self, judged: &Judged<'_, '_>) {
        self.said = Said::of(judged);
        self.is_listed = judged.decision.rule().is_none() && is_listed(&judged.decision);
        self.obligations.add(judged);
    }
}

impl Obligations {
    /// Adds what was judged, for the record.
    pub(crate) fn add(&mut self, judged: &Judged<'_, '_>) {
        match self.targets.len() {
            0..TARGETS_MAX => {
                self.targets.push(judged.target.to_owned());
                // What is a secret in a command is known by the time when its words are written one by one.
                self.shown.push(self.secrets.target(judged.target, written(judged)));
                self.facts.push(facts(judged, &mut self.secrets));
            }
            _ => self.further = self.further.saturating_add(1),
        }
    }

    /// Takes what a permit is bound to.
    pub(crate) fn bind(&mut self, bound: &judge::Obligations<'_, '_>) {
        self.rule = bound.rules().next().and_then(|pair| {
            let table = bound.table(pair.layer)?;
            table.rule(pair.rule).map(|rule| table.text(rule.name).to_owned())
        });
        for (layer, limit) in bound.limits() {
            if let Some(table) = bound.table(layer) {
                self.limit(attribute(table, limit), limit.most);
            }
        }
        for (_, name) in bound.requirements() {
            if !self.requirements.iter().any(|known| known == name) {
                self.requirements.push(name.to_owned());
            }
        }
        for (layer, budget) in bound.budgets() {
            let Some(table) = bound.table(layer) else { continue };
            let said = match budget.measure {
                Measure::Calls => None,
                Measure::Sum(attribute) => bound.number(layer, attribute),
            };
            let charge = Charge::of(layer, table, &budget, said);
            if !self.is_charged(&charge) {
                self.charges.push(charge);
            }
        }
    }

    /// What is charged for another operation that comes with the act. Its calls count beside the act's own; what the act
    /// itself is charged by size has the size of all that comes with it.
    pub(crate) fn further_charges(&self, layer: usize, decision: &Decision<'_, '_>) -> Vec<Charge> {
        let charge = |budget: Budget| {
            let sum = match budget.measure {
                Measure::Calls => None,
                Measure::Sum(number) => said(decision, number),
            };
            let charge = Charge::of(layer, decision.table(), &budget, sum);
            let is_counted = matches!(budget.measure, Measure::Sum(_)) && self.is_charged(&charge);
            (!is_counted).then_some(charge)
        };
        decision.budgets().filter_map(charge).collect()
    }

    fn is_charged(&self, charge: &Charge) -> bool {
        self.charges.iter().any(|known| known.layer == charge.layer && known.name == charge.name)
    }

    /// What was judged, as it is on the record. The last place says how many have none.
    pub(crate) fn targets(&self) -> Vec<Text> {
        let mut targets: Vec<Text> = self.shown.iter().map(|target| self.secrets.stored(target)).collect();
        if self.further > 0 {
            targets.pop();
            targets.push(Text::new(format!("\u{2026} and {} more", self.further.saturating_add(1))));
        }
        targets
    }

    /// What each was decided by, as it is on the record.
    pub(crate) fn facts(&self) -> Vec<Text> {
        self.facts.iter().map(|facts| self.secrets.stored(facts)).collect()
    }

    /// All of what is run, as it is on the record, if something is left out of what was judged: that may be what matters.
    pub(crate) fn whole(&mut self, run: &[u8], written: Written) -> Option<Text> {
        let is_cut = self.further > 0 || self.shown.iter().chain(&self.facts).any(Draft::is_cut);
        if !is_cut {
            return None;
        }
        let whole = self.secrets.whole(run, written);
        self.is_too_long |= whole.is_none();
        whole
    }

    /// Whether the record could not say what the act is about, because too much of the request looks like a secret, or
    /// it is too long.
    pub(crate) fn is_unrecordable(&self) -> bool {
        self.secrets.has_more() || self.is_too_long
    }

    /// Whether the request itself names this.
    pub(crate) fn names(&self, target: &[u8]) -> bool {
        self.targets.iter().any(|known| known == target)
    }

    /// The least limit of an attribute.
    pub(crate) fn most(&self, attribute: &str) -> Option<u64> {
        self.limits.iter().find(|(name, _)| name == attribute).map(|(_, most)| *most)
    }

    /// What another decision binds to that an act is not held to which is held to these: the first of it.
    pub(crate) fn uncovered<'t>(&self, decision: &Decision<'t, '_>) -> Option<Uncovered<'t>> {
        let table = decision.table();
        let is_open = |limit: &Limit| self.most(attribute(table, *limit)).is_none_or(|most| most > limit.most);
        let limit = decision.limits().find(is_open);
        let is_unmet = |name: &&str| !self.requirements.iter().any(|known| known == name);
        match limit {
            Some(limit) => Some(Uncovered::Limit { attribute: attribute(table, limit), most: limit.most }),
            None => decision.requirements().find(is_unmet).map(|name| Uncovered::Requirement { name }),
        }
    }

    /// Lowers the limit of an attribute, if it is not lower already.
    pub(crate) fn limit(&mut self, name: &str, most: u64) {
        match self.limits.iter_mut().find(|(known, _)| known == name) {
            Some((_, least)) => *least = most.min(*least),
            None => self.limits.push((name.to_owned(), most)),
        }
    }
}

impl Charge {
    fn of(layer: usize, table: &Table<'_>, budget: &Budget, said: Option<u64>) -> Self {
        let sum = match budget.measure {
            Measure::Calls => None,
            Measure::Sum(number) => {
                let attribute = table.attribute(number).map_or("", |attribute| table.text(attribute.name));
                Some(Sum { attribute: attribute.to_owned(), said })
            }
        };
        Self {
            name: table.text(budget.name).to_owned(),
            layer,
            policy: table.name().to_owned(),
            period: budget.period,
            most: budget.most,
            sum,
        }
    }
}

fn attribute<'t>(table: &Table<'t>, limit: Limit) -> &'t str {
    table.attribute(limit.attribute).map_or("", |attribute| table.text(attribute.name))
}

/// What a decision was made by, in the words of a policy's test: `path "src/a.rs" name "a.rs" bytes 5 append`.
fn facts(judged: &Judged<'_, '_>, secrets: &mut Secrets) -> Draft {
    let (table, facts) = (judged.decision.table(), judged.decision.facts());
    let of_target = written(judged);
    let mut words = String::with_capacity(FACTS_BYTES_USUAL);
    // Of a command its name stays as it is, of all else everything.
    let mut fixed = if of_target == Written::Command { Fixed::First(0) } else { Fixed::All };
    for (slot, attribute) in table.slots(facts.operation) {
        let name = table.text(attribute.name);
        let between = if words.is_empty() { "" } else { " " };
        // A string takes everything.
        let _ = match slot {
            Slot::String(place) => match facts.strings.get(place).copied().flatten() {
                Some(value) => {
                    let written = match name {
                        LINE => of_target,
                        _ if NAMES.contains(&name) => Written::Name,
                        _ => Written::Word,
                    };
                    write!(words, "{between}{name} {:?}", secrets.fact(value, written))
                }
                None => Ok(()),
            },
            Slot::Number(place) => match facts.numbers.get(place).copied().flatten() {
                Some(value) => write!(words, "{between}{name} {value}"),
                None => Ok(()),
            },
            Slot::Flag(place) => {
                let bit = u32::try_from(place).ok().and_then(|place| 1_u64.checked_shl(place));
                match bit.is_some_and(|bit| facts.flags & bit != 0) {
                    true => write!(words, "{between}{name}"),
                    false => Ok(()),
                }
            }
        };
        if name == COMMAND && fixed == Fixed::First(0) {
            fixed = Fixed::First(words.len());
        }
    }
    Draft::new(words, fixed, of_target)
}

/// How a request writes what it is about.
fn written(judged: &Judged<'_, '_>) -> Written {
    let (table, facts) = (judged.decision.table(), judged.decision.facts());
    let operation = table.operation(facts.operation).map_or("", |operation| table.text(operation.name));
    if operation == Operation::ShellExec.name() {
        Written::Command
    } else if FILES.iter().any(|tool| operation.starts_with(tool)) {
        Written::Name
    } else {
        Written::Text
    }
}

/// What the request says of an attribute that a budget sums.
fn said(decision: &Decision<'_, '_>, number: u32) -> Option<u64> {
    let (table, facts) = (decision.table(), decision.facts());
    let name = table.text(table.attribute(number)?.name);
    table.slots(facts.operation).find_map(|(slot, attribute)| match slot {
        Slot::Number(place) if table.text(attribute.name) == name => facts.numbers.get(place).copied().flatten(),
        _ => None,
    })
}

/// The attribute that is all of a command.
const LINE: &str = "line";
const COMMAND: &str = "command";
/// The attributes that say what is acted on, or by.
const NAMES: &[&str] = &["path", "name", "extension", COMMAND];
/// Tools whose targets are paths.
const FILES: &[&str] = &["file.", "fs.", "pytest."];
const FACTS_BYTES_USUAL: usize = 256;
