//! Seeds -> policies x requests -> that every judge gave the same answers, or the smallest case on which
//! two did not.

use std::collections::BTreeMap;
use std::fmt;

use policy_model::Model;
use policy_syntax::Severity;

use crate::dice::Dice;
use crate::facts::Facts;
use crate::generate;
use crate::judge::{Difference, Seat, agree};
use crate::minimise::Case;
use crate::policy::Policy;
use crate::requests::Requests;
use crate::tally::Tally;

/// How much is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Campaign {
    /// Where all choices come from.
    pub seed: u64,
    /// How many policies.
    pub policies: usize,
    /// How many requests to each.
    pub requests_each: usize,
}

/// What a run has seen.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The answers all judges agreed on.
    pub tally: Tally,
    /// Policies that were judged.
    pub accepted: usize,
    /// Policies the checker refused, with the first error of the first few.
    pub rejected: usize,
    /// The first error of the first few of them.
    pub errors: Vec<String>,
    /// Policies for which a judge could not be made, by its name, and why the first time.
    pub refused: BTreeMap<&'static str, (usize, String)>,
    /// Requests a judge had no answer to, by its name.
    pub abstained: BTreeMap<&'static str, usize>,
}

/// Two judges that differ, and on what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The seed of the run and the number of the policy in it.
    pub part: (u64, usize),
    /// How they differ on the case.
    pub difference: Difference,
    /// The case, as small as it gets.
    pub case: Case,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seed, part) = self.part;
        writeln!(f, "policy {part} of seed {seed}: {}\n\n{}", self.difference, self.case)
    }
}

impl Campaign {
    /// Judges everything.
    ///
    /// # Errors
    /// The first difference, minimised.
    pub fn run(&self, seats: &[Seat]) -> Result<Report, Box<Found>> {
        let mut report = Report::default();
        for part in 0..self.policies {
            let mut dice = Dice::of_part(self.seed, part);
            let policy = generate::policy(&mut dice);
            let checked = policy.check();
            match &checked.model {
                Some(model) => self.judge(part, &policy, model, seats, &mut dice, &mut report)?,
                None => {
                    report.rejected += 1;
                    if report.errors.len() < ERRORS_SHOWN {
                        let errors = checked.diagnostics.iter().filter(|one| one.code.severity == Severity::Error);
                        let error = errors.map(|one| format!("{} {}", one.code.id, one.message)).next();
                        report.errors.push(format!("{}\n{policy}", error.unwrap_or_default()));
                    }
                }
            }
        }
        Ok(report)
    }

    /// Judges one policy that is there already.
    ///
    /// # Errors
    /// The first difference, minimised.
    pub fn judge(
        &self,
        part: usize,
        policy: &Policy,
        model: &Model,
        seats: &[Seat],
        dice: &mut Dice,
        report: &mut Report,
    ) -> Result<(), Box<Found>> {
        report.accepted += 1;
        let mut prepared = Vec::new();
        for seat in seats {
            match seat.prepare(model) {
                Ok(policy) => prepared.push(policy),
                Err(refusal) => report.refused.entry(seat.name).or_insert((0, refusal.0)).0 += 1,
            }
        }
        let mut judges: Vec<_> = prepared.iter().map(|prepared| prepared.judge()).collect();
        let requests = Requests::new(model);
        for _ in 0..self.requests_each {
            let request = requests.next(dice);
            for judge in judges.iter().filter(|judge| judge.abstains(&request)) {
                *report.abstained.entry(judge.name()).or_default() += 1;
            }
            match agree(&mut judges, &request) {
                Ok(Some(answer)) => report.tally.count(model, &request, &answer),
                Ok(None) => {}
                Err(difference) => {
                    let facts = Facts::in_words(model, &request).unwrap_or_else(|| Facts::of(""));
                    let case = Case { policy: policy.clone(), facts };
                    let seats: Vec<&Seat> = seats.iter().collect();
                    return Err(Box::new(found((self.seed, part), *difference, case, &seats)));
                }
            }
        }
        Ok(())
    }
}

impl Report {
    /// Adds what another run has seen.
    pub fn merge(&mut self, other: &Self) {
        self.tally.merge(&other.tally);
        self.accepted += other.accepted;
        self.rejected += other.rejected;
        self.errors.extend(other.errors.iter().cloned());
        for (name, (count, reason)) in &other.refused {
            self.refused.entry(name).or_insert_with(|| (0, reason.clone())).0 += count;
        }
        other.abstained.iter().for_each(|(name, count)| *self.abstained.entry(name).or_default() += count);
    }
}

/// The difference on the smallest case there is, as long as the same two judges differ.
pub(crate) fn found(part: (u64, usize), difference: Difference, case: Case, seats: &[&Seat]) -> Found {
    let seat = |name: &str| seats.iter().copied().find(|seat| seat.name == name);
    match (seat(difference.first.0), seat(difference.second.0)) {
        (Some(first), Some(second)) => {
            let case = case.minimise([first, second]);
            let difference = case.difference([first, second]).unwrap_or(difference);
            Found { part, difference, case }
        }
        _ => Found { part, difference, case },
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} policies judged, {} refused by the checker", self.accepted, self.rejected)?;
        for (name, (count, reason)) in &self.refused {
            writeln!(f, "{name} could not be made for {count} policies: {reason}")?;
        }
        for (name, count) in &self.abstained {
            writeln!(f, "{name} had no answer to {count} requests")?;
        }
        write!(f, "{}", self.tally)
    }
}

const ERRORS_SHOWN: usize = 5;
