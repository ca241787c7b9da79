//! A small world: every policy of some form x every request of some form.
//!
//! Judges that take their time judge a part of a large world, spread over all of it; with
//! `AGREEMENT_WHOLE` in the environment they judge all, which takes as long as it takes.

use std::collections::BTreeMap;
use std::fmt;

use policy_model::{Model, Request};

use crate::campaign::Found;
use crate::facts::Facts;
use crate::judge::{Answer, Seat, agree};

/// All requests of a world, and what was judged of it so far.
#[derive(Debug)]
pub struct World<'w> {
    /// Each seat, and of how many policies it judges one.
    seats: Vec<(&'w Seat, usize)>,
    requests: &'w [Request],
    /// Policies judged.
    pub policies: usize,
    /// Answers by judge.
    pub answers: BTreeMap<&'static str, u64>,
    /// Policies for which a judge could not be made, by its name, and why the first time.
    pub refused: BTreeMap<&'static str, (usize, String)>,
}

impl<'w> World<'w> {
    /// A world of so many policies and these requests.
    #[must_use]
    pub fn new(seats: &'w [Seat], policies: usize, requests: &'w [Request]) -> Self {
        let is_whole = std::env::var_os("AGREEMENT_WHOLE").is_some();
        let step = |seat: &Seat| if is_whole { 1 } else { step(policies, seat.policies_most) };
        let seats = seats.iter().map(|seat| (seat, step(seat))).collect();
        Self { seats, requests, policies: 0, answers: BTreeMap::new(), refused: BTreeMap::new() }
    }

    /// Judges all requests by one more policy, and shows each answer with the place of its request.
    /// The policy's text is asked for when judges differ.
    ///
    /// # Errors
    /// The first difference: worlds are small, and counted from their smallest policies on.
    pub fn judge(
        &mut self,
        model: &Model,
        text: impl Fn() -> String,
        mut see: impl FnMut(usize, &Answer),
    ) -> Result<(), Box<Found>> {
        let number = self.policies;
        self.policies += 1;
        let mut prepared = Vec::new();
        for (seat, _) in self.seats.iter().filter(|(_, step)| number.is_multiple_of(*step)) {
            match seat.prepare(model) {
                Ok(policy) => prepared.push(policy),
                Err(refusal) => self.refused.entry(seat.name).or_insert((0, refusal.0)).0 += 1,
            }
        }
        let mut judges: Vec<_> = prepared.iter().map(|prepared| prepared.judge()).collect();
        for (place, request) in self.requests.iter().enumerate() {
            match agree(&mut judges, request) {
                Ok(Some(answer)) => see(place, &answer),
                Ok(None) => {}
                Err(difference) => {
                    let facts = Facts::in_words(model, request).unwrap_or_else(|| Facts::of(""));
                    return Err(Box::new(Found { difference: *difference, policy: text(), facts }));
                }
            }
        }
        for judge in &judges {
            let answered = self.requests.iter().filter(|request| !judge.abstains(request)).count();
            *self.answers.entry(judge.name()).or_default() += u64::try_from(answered).unwrap_or(0);
        }
        Ok(())
    }
}

/// Of how many policies to judge one. A prime above one keeps step with no part that policies are counted by.
fn step(policies: usize, most: usize) -> usize {
    let least = policies.div_ceil(most.max(1));
    let is_prime = |number: &usize| (2..*number).all(|divisor| !number.is_multiple_of(divisor));
    if least <= 1 { 1 } else { (least..).find(is_prime).unwrap_or(least) }
}

impl fmt::Display for World<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} policies x {} requests", self.policies, self.requests.len())?;
        self.answers.iter().try_for_each(|(name, count)| write!(f, ", {count} answers by {name}"))
    }
}
