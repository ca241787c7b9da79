//! The data of an act: what begins it, and what finishes it.

use std::fmt;

use super::error::StateError;
use super::{Answer, SessionId};
use crate::ledger::{Charged, Digest, Ending, Judged, Reached, RunContext, TABLES_MAX, TARGETS_MAX, VARIABLES_MAX};
use crate::store::Placed;
use crate::text::Text;
use enforce_core::limits::MAX_ID_LEN;
use exec_base::Exit;
use table_format::Period;

/// The key to claim, the charges and the record before an act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begin {
    pub session: SessionId,
    /// Identifies repeats; without it, each request is new.
    pub key: Option<String>,
    pub charges: Vec<Charge>,
    pub judged: Judged,
    /// `None` if nothing is run.
    pub setting: Option<RunContext>,
}

/// A charge of an act to a budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charge {
    /// Unique name of the budget.
    pub budget: String,
    /// Budgets of a session belong to it; those of a minute, an hour or a day are shared by all sessions.
    pub period: Period,
    pub most: u64,
    pub amount: u64,
    pub claim: Claim,
}

/// The way in which an amount is charged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// All of it, permanently: a call, or what a request brings along.
    Spend,
    /// All of it until the act ends, and then what it used.
    Hold,
    /// As much as is left, at least something, which becomes the limit of the act; and then what it used.
    HoldLeft,
}

/// The amount that an act was charged before it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Granted {
    pub amount: u64,
    /// Used by others.
    pub used: u64,
    /// Held by running acts, which may return some of it.
    pub held: u64,
}

/// The outcome of beginning an act.
pub enum Begun {
    /// Recorded, to be done now.
    Fresh(Act),
    /// Done before, with this answer.
    Repeat(Placed),
    /// Running; the answer arrives when it is done.
    Running(Answer<Settled>),
    /// Begun before with an unknown outcome; it is not done again.
    Interrupted,
    /// Another request used the same key.
    KeyReused,
    /// A budget has too little left.
    OverBudget(Spent),
}

/// The outcome of an act that another request waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    Repeat(Placed),
    /// The outcome is unknown.
    Interrupted,
}

/// A budget without enough left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spent {
    pub budget: String,
    /// Budgets of a session belong to it; those of a minute, an hour or a day are shared by all sessions.
    pub period: Period,
    pub most: u64,
    pub used: u64,
    pub asked: u64,
    pub enough: RetryHint,
}

/// When a budget may have enough left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetryHint {
    /// Not in this session, or never: more is asked for than there is.
    Never,
    /// When running acts return what they hold.
    WhenGivenBack,
    /// When usage is old enough to stop counting.
    After { ms: u64 },
}

impl Granted {
    /// Returns the refusal of an act that turned out to need more than granted.
    #[must_use]
    pub fn short_of(&self, charge: &Charge, needed: u64) -> Spent {
        let enough = if self.used.saturating_sub(self.held).saturating_add(needed) <= charge.most {
            RetryHint::WhenGivenBack
        } else {
            match length_ms(charge.period) {
                Some(ms) if needed <= charge.most => RetryHint::After { ms },
                Some(_) | None => RetryHint::Never,
            }
        };
        let Charge { budget, period, most, .. } = charge.clone();
        Spent { budget, period, most, used: self.used, asked: needed, enough }
    }
}

/// Returns the time for which usage counts; `None` if for ever.
pub(super) fn length_ms(period: Period) -> Option<u64> {
    match period {
        Period::Session => None,
        Period::Minute => Some(60_000),
        Period::Hour => Some(3_600_000),
        Period::Day => Some(86_400_000),
    }
}

/// The stored response of an act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredResponse {
    /// Returned to whoever repeats the key.
    Replayable(Placed),
    /// Of an act without a key, which nobody can repeat.
    DigestOnly(Digest),
}

impl StoredResponse {
    #[must_use]
    pub fn hash(&self) -> Digest {
        match self {
            Self::Replayable(placed) => placed.hash(),
            Self::DigestOnly(hash) => *hash,
        }
    }

    /// Returns what repeats get. A response known by digest only is missing from the content store.
    pub(super) fn into_placed(self) -> Placed {
        match self {
            Self::Replayable(placed) => placed,
            Self::DigestOnly(hash) => Placed::Stored(hash),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finish {
    pub ending: Ending,
    pub code: Text,
    pub response: StoredResponse,
    /// True if repeats get the response permanently. A response that asks to come back later is given to those who
    /// wait, and then forgotten with its key: nothing was done.
    pub is_final: bool,
    pub duration_ms: u64,
    /// Files read or changed.
    pub files: u64,
    /// Bytes read or written.
    pub bytes: u64,
    pub reached: TouchedPaths,
    /// Indices of charges, and the amounts that were used instead.
    pub settle: Vec<(usize, u64)>,
    /// `None` if nothing was run.
    pub exit: Option<Exit>,
}

/// Paths that an act touched, the first [`TARGETS_MAX`] of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TouchedPaths {
    paths: Vec<Text>,
    more: u64,
}

impl TouchedPaths {
    /// Adds a path unless it is known.
    pub fn add(&mut self, path: &[u8]) {
        if self.paths.len() >= TARGETS_MAX {
            self.more = self.more.saturating_add(1);
            return;
        }
        let path = Text::of_name(path);
        if !self.paths.contains(&path) {
            self.paths.push(path);
        }
    }

    pub(super) fn record(self, intent: u64) -> Option<Reached> {
        let Self { paths, more } = self;
        (!paths.is_empty()).then_some(Reached { intent, paths, more })
    }
}

/// A begun act, which must be finished. If it is dropped instead, it is recorded as interrupted.
#[must_use = "an act that is not finished is on the record as interrupted"]
pub struct Act {
    number: u64,
    granted: Vec<Granted>,
    end: Option<EndAct>,
}

/// Called once: with the outcome, or with nothing.
pub(super) type EndAct = Box<dyn FnOnce(Option<Finish>) -> Answer<()> + Send + Sync>;

impl Act {
    pub(super) fn new(number: u64, granted: Vec<Granted>, end: EndAct) -> Self {
        Self { number, granted, end: Some(end) }
    }

    /// Number of its intent in the ledger.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Charged amounts, in the order of the request.
    #[must_use]
    pub fn granted(&self) -> &[Granted] {
        &self.granted
    }

    /// Corrects the budgets, stores the response for repeats and records the result.
    pub fn finish(mut self, finish: Finish) -> Answer<()> {
        match self.end.take() {
            Some(end) => end(Some(finish)),
            None => Box::pin(std::future::ready(Err(StateError::Closed))),
        }
    }
}

impl Drop for Act {
    fn drop(&mut self) {
        if let Some(end) = self.end.take() {
            // Nobody is left to wait for the answer; the state reports itself broken to the next who asks.
            drop(end(None));
        }
    }
}

impl fmt::Debug for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Act({})", self.number)
    }
}

impl fmt::Debug for Begun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fresh(act) => act.fmt(f),
            Self::Repeat(placed) => write!(f, "Repeat({placed:?})"),
            Self::Running(_) => f.write_str("Running"),
            Self::Interrupted => f.write_str("Interrupted"),
            Self::KeyReused => f.write_str("KeyReused"),
            Self::OverBudget(spent) => spent.fmt(f),
        }
    }
}

impl Begin {
    /// Fails when a field exceeds its limit.
    pub(super) fn check(&self) -> Result<(), StateError> {
        check_judged(&self.judged)?;
        let longest = self.charges.iter().map(|charge| charge.budget.len()).max().unwrap_or_default();
        let key = self.key.as_ref().map_or(0, String::len);
        let environment = self.setting.as_ref().and_then(|setting| setting.environment.as_ref());
        let variables = environment.map_or(0, |environment| environment.names.len());
        for (what, size, most) in [
            ("bytes of a key", key, KEY_BYTES_MAX),
            ("bytes of a budget's name", longest, BUDGET_BYTES_MAX),
            ("charges of an act", self.charges.len(), CHARGES_MAX),
            ("variables of a command", variables, VARIABLES_MAX),
        ] {
            if size > most {
                return Err(StateError::TooLarge { what, most });
            }
        }
        Ok(())
    }

    /// Keys may be secrets, so only their hashes are stored.
    pub(super) fn key_hash(&self) -> Option<Digest> {
        self.key.as_ref().map(|key| blake3::derive_key(KEY_CONTEXT, key.as_bytes()).into())
    }

    pub(super) fn charged(&self, granted: &[Granted]) -> Vec<Charged> {
        let charged = |(charge, granted): (&Charge, &Granted)| Charged {
            budget: Text::new(&charge.budget),
            period: charge.period,
            amount: granted.amount,
        };
        self.charges.iter().zip(granted).map(charged).collect()
    }
}

/// Fails when a list exceeds its limit.
pub(super) fn check_judged(judged: &Judged) -> Result<(), StateError> {
    for (what, size, most) in [
        ("targets of a request", judged.targets.len(), TARGETS_MAX),
        ("facts of a request", judged.facts.len(), TARGETS_MAX),
        ("tables of a session", judged.tables.len(), TABLES_MAX),
    ] {
        if size > most {
            return Err(StateError::TooLarge { what, most });
        }
    }
    Ok(())
}

/// An identifier has at most so many characters, of up to four bytes.
const KEY_BYTES_MAX: usize = 4 * MAX_ID_LEN;
const BUDGET_BYTES_MAX: usize = 2 * MAX_ID_LEN;
const CHARGES_MAX: usize = 64;
const KEY_CONTEXT: &str = "interdict 2025 dedupe key version 1";
