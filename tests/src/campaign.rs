//! Choices of proptest -> policies x requests -> that every judge gave the same answers, or a case on which two did not,
//! shrunk by proptest.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use policy_model::{CheckOptions, Checked, Memory, Model, check_in};
use policy_syntax::Severity;
use proptest::collection::{SizeRange, vec};
use proptest::prelude::{ProptestConfig, Strategy, any, prop_oneof};
use proptest::test_runner::{RngAlgorithm, TestCaseError, TestRng, TestRunner};

use crate::dice::Dice;
use crate::facts::Facts;
use crate::generate;
use crate::judge::{Difference, Seat, agree};
use crate::requests::Requests;
use crate::tally::Tally;

/// How much is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Campaign {
    /// Where all choices come from.
    pub seed: u64,
    /// How many policies.
    pub policies: u32,
    /// How many requests to each.
    pub requests_each: usize,
}

/// The counts of a run.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The answers all judges agreed on.
    pub tally: Tally,
    /// Policies that were judged.
    pub accepted: usize,
    /// Policies the checker refused.
    pub rejected: usize,
    /// The first error of the first few of them.
    pub errors: Vec<String>,
    /// Policies for which a judge could not be made, by its name, and why the first time.
    pub refused: BTreeMap<&'static str, (usize, String)>,
    /// Requests a judge had no answer to, by its name.
    pub abstained: BTreeMap<&'static str, usize>,
}

/// Two judges that differ, and on which policy and request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// How they differ on the case.
    pub difference: Difference,
    /// The policy's text.
    pub policy: String,
    /// The request.
    pub facts: Facts,
}

/// As a test for `tests/found.rs`.
impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { difference, policy, facts } = self;
        write!(f, "{difference}\n\n    let policy = r##\"{policy}\"##;\n    assert_agreement(policy, &{facts});\n")
    }
}

impl Campaign {
    /// Judges everything.
    ///
    /// # Errors
    /// A difference, shrunk.
    pub fn run(&self, seats: &[Seat]) -> Result<Report, Box<Found>> {
        let config = ProptestConfig {
            cases: self.policies,
            failure_persistence: None,
            max_shrink_iters: SHRINKS_MAX,
            ..ProptestConfig::default()
        };
        let mut seed = [0; 32];
        seed.iter_mut().zip(self.seed.to_le_bytes()).for_each(|(to, from)| *to = from);
        let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
        let (report, found) = (RefCell::new(Report::default()), RefCell::new(None));
        let ran = runner.run(&strategy(), |(rules, declared, requests)| {
            let mut rules: Vec<Dice> = rules.iter().map(|rule| Dice::new(rule)).collect();
            let text = generate::policy(&mut Dice::new(&declared), &mut rules);
            let checked = check_text(&text);
            let mut report = report.borrow_mut();
            let Some(model) = &checked.model else {
                report.reject(&text, &checked);
                return Ok(());
            };
            self.judge(&text, model, seats, &mut Dice::seeded(requests), &mut report).map_err(|difference| {
                // The last that fails is the smallest.
                let shown = difference.to_string();
                found.replace(Some(difference));
                TestCaseError::fail(shown)
            })
        });
        match (ran, found.take()) {
            (Err(_), Some(found)) => Err(found),
            _ => Ok(report.take()),
        }
    }

    /// Judges one policy that is there already.
    ///
    /// # Errors
    /// The first difference.
    pub fn judge(
        &self,
        text: &str,
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
                    return Err(Box::new(Found { difference: *difference, policy: text.to_owned(), facts }));
                }
            }
        }
        Ok(())
    }
}

/// Choices for each rule and for what a policy declares, and a seed for its requests: shrinking drops rules, and simplifies
/// what is left.
fn strategy() -> impl Strategy<Value = (Vec<Vec<u32>>, Vec<u32>, u64)> {
    let rules = |count: SizeRange| vec(vec(any::<u32>(), 20..100), count);
    let rules = prop_oneof![72 => rules((1..=4).into()), 20 => rules((5..=10).into()), 8 => rules((11..=40).into())];
    (rules, vec(any::<u32>(), 300), any::<u64>().no_shrink())
}

/// Checks a policy given as text.
#[must_use]
pub fn check_text(text: &str) -> Checked {
    let file = "agreement.policy";
    check_in(&Memory::default().with(file, text), Path::new(file), CheckOptions::default())
}

impl Report {
    fn reject(&mut self, text: &str, checked: &Checked) {
        self.rejected += 1;
        let mut errors = checked.diagnostics.iter().filter(|one| one.code.severity == Severity::Error);
        if let Some(error) = errors.next().filter(|_| self.errors.len() < ERRORS_SHOWN) {
            self.errors.push(format!("{} {}\n{text}", error.code.id, error.message));
        }
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
/// A step of shrinking judges all requests again.
const SHRINKS_MAX: u32 = 1_000;
