//! (mix, rules) -> a policy, its table, requests for it and what the reference evaluator answers.

use std::path::Path;
use std::thread;

use policy_model::{CheckOptions, Checked, Decision, Memory, Model, check_in, evaluate};
use policy_table::freeze;
use xtask::generate::{Mix, policy_of};

use crate::ask::Ask;
use crate::plain::{PlainRule, plain_rules};
use crate::requests::{mixed, paths_of};
use crate::verdict::Verdict;

/// A policy and what it is asked.
pub struct Workload {
    /// Which rules come how often.
    pub mix: Mix,
    /// How many rules the policy has of its own; rules that every policy has come on top.
    pub rules: usize,
    /// The checked policy.
    pub model: Model,
    /// The frozen policy.
    pub table: Vec<u8>,
    /// Its rules for the other engines.
    pub plain: Vec<PlainRule>,
    /// Requests of all kinds.
    pub mixed: Asked,
    /// Requests for paths of exactly [`SIXTY`] bytes.
    pub sixty: Asked,
}

/// Requests and the right answers.
pub struct Asked {
    /// The requests.
    pub asks: Vec<Ask>,
    /// What the reference evaluator answers.
    pub expected: Vec<Verdict>,
    /// For how many of them a rule decided.
    pub hits: usize,
}

impl Workload {
    /// The same arguments give the same workload on every machine.
    #[must_use]
    pub fn new(mix: Mix, rules: usize, requests: usize) -> Self {
        let checked = checked(mix, rules);
        let model = checked.model.expect("generated policies have no error");
        let table = freeze(&model, &checked.sources).expect("generated policies have a table").bytes;
        let plain = plain_rules(&model);
        let mixed = Asked::new(&model, mixed(&plain, requests, SEED));
        let sixty = Asked::new(&model, paths_of(SIXTY, &plain, requests.min(SIXTY_REQUESTS), SEED));
        Self { mix, rules, model, table, plain, mixed, sixty }
    }
}

impl Asked {
    fn new(model: &Model, asks: Vec<Ask>) -> Self {
        let decisions = evaluated(model, &asks);
        let hits = decisions.iter().filter(|decision| decision.rule != "default-deny").count();
        let expected = decisions.iter().map(|decision| decision.verdict.into()).collect();
        Self { asks, expected, hits }
    }
}

/// By the reference evaluator, which tries rule after rule: half of them in another thread.
fn evaluated(model: &Model, asks: &[Ask]) -> Vec<Decision> {
    let all = |asks: &[Ask]| asks.iter().map(|ask| evaluate(model, &ask.in_model(model))).collect::<Vec<_>>();
    let (front, back) = asks.split_at(asks.len() / 2);
    thread::scope(|scope| {
        let back = scope.spawn(|| all(back));
        let mut decisions = all(front);
        decisions.extend(back.join().expect("no thread panics"));
        decisions
    })
}

/// A generated policy through the checker.
#[must_use]
pub fn checked(mix: Mix, rules: usize) -> Checked {
    let files = policy_of(mix, rules, SEED);
    let memory = files.iter().fold(Memory::default(), |all, (name, text)| all.with(name, text.as_bytes()));
    check_in(&memory, Path::new("main.policy"), CheckOptions::default())
}

/// The length of paths that instructions are counted for by the byte.
pub const SIXTY: usize = 60;
/// Requests for each policy, in a run that nobody waits for.
pub const REQUESTS: usize = 10_000;
/// The sizes that engines are compared at.
pub const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];

/// Requests for paths of [`SIXTY`] bytes, at most.
const SIXTY_REQUESTS: usize = 2_000;
const SEED: u64 = 0;
