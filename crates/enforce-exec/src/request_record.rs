//! The decisions about a request -> what the ledger says of it: its targets and the facts they were judged by.

use std::fmt::Write as _;

use enforce_core::Operation;
use enforce_core::judge::Judged;
use exec_record::{Fixed, PendingText, Secrets, TARGETS_MAX, Text, Written};
use table_format::Slot;

use crate::policy::is_listed;

/// The judged targets of one request, as far as they are recorded.
#[derive(Debug, Default)]
pub(crate) struct RequestRecord {
    /// The first targets, as the request writes them.
    targets: Vec<Vec<u8>>,
    /// The number of targets beyond those.
    further: u64,
    /// The targets without the secrets that each shows itself.
    shown: Vec<PendingText>,
    /// The facts that each target was judged by, without the secrets that they show themselves.
    facts: Vec<PendingText>,
    /// The secrets that any of them shows.
    secrets: Secrets,
    /// True if the command is too long to be recorded in full where it has to be.
    is_too_long: bool,
    /// True if some rule is about commands of the name of the last command judged.
    pub(crate) is_listed: bool,
}

impl RequestRecord {
    /// Adds a decision.
    pub(crate) fn add(&mut self, judged: &Judged<'_, '_>) {
        self.is_listed = judged.decision.rule().is_none() && is_listed(&judged.decision);
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

    /// True if the request itself names this target.
    pub(crate) fn names(&self, target: &[u8]) -> bool {
        self.targets.iter().any(|known| known == target)
    }

    /// The targets for the record. If there are too many, the last entry says how many are left out.
    pub(crate) fn targets(&self) -> Vec<Text> {
        let mut targets: Vec<Text> = self.shown.iter().map(|target| self.secrets.stored(target)).collect();
        if self.further > 0 {
            targets.pop();
            targets.push(Text::new(format!("\u{2026} and {} more", self.further.saturating_add(1))));
        }
        targets
    }

    /// The facts of each target for the record.
    pub(crate) fn facts(&self) -> Vec<Text> {
        self.facts.iter().map(|facts| self.secrets.stored(facts)).collect()
    }

    /// All of what is run, as it is on the record, if something is left out of what was judged: that may be what matters.
    pub(crate) fn full_command_for_record(&mut self, run: &[u8], written: Written) -> Option<Text> {
        let is_cut = self.further > 0 || self.shown.iter().chain(&self.facts).any(PendingText::is_cut);
        if !is_cut {
            return None;
        }
        let whole = self.secrets.whole(run, written);
        self.is_too_long |= whole.is_none();
        whole
    }

    /// True if the command is too long for the record.
    pub(crate) fn is_unrecordable(&self) -> bool {
        self.is_too_long
    }
}

/// The facts of a decision, in the words of a policy's test: `path "src/a.rs" name "a.rs" bytes 5 append`.
fn facts(judged: &Judged<'_, '_>, secrets: &mut Secrets) -> PendingText {
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
    PendingText::new(words, fixed, of_target)
}

/// The kind of text that a target is.
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

/// The attribute that is all of a command.
const LINE: &str = "line";
const COMMAND: &str = "command";
/// The attributes that say what is acted on, or by.
const NAMES: &[&str] = &["path", "name", "extension", COMMAND];
/// Tools whose targets are paths.
const FILES: &[&str] = &["file.", "fs.", "pytest."];
const FACTS_BYTES_USUAL: usize = 256;
