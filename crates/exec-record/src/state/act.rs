//! An act: what is asked for before it, and what is said after it.

use std::fmt;

use super::error::StateError;
use super::{Answer, SessionId};
use crate::ledger::{Charged, Digest, Ending, Judged, Reached, Setting, TABLES_MAX, TARGETS_MAX, VARIABLES_MAX};
use crate::store::Placed;
use crate::text::Text;
use enforce_core::limits::MAX_ID_LEN;
use exec_base::Exit;
use table_format::Period;

/// What has to be claimed, charged and recorded before an act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Begin {
    /// Whose act.
    pub session: SessionId,
    /// What makes a repetition known as one; without it, each request is a new one.
    pub key: Option<String>,
    /// What is charged to which budgets.
    pub charges: Vec<Charge>,
    /// What was asked, and that it is permitted.
    pub judged: Judged,
    /// How something is run, if it is.
    pub setting: Option<Setting>,
}

/// What an act is charged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charge {
    /// The budget, by a name that no other has.
    pub budget: String,
    /// The time that it is for. What is used in a session is the session's own; what is used in a minute, an hour or a day
    /// is used by all sessions together.
    pub period: Period,
    /// The most of it in that time.
    pub most: u64,
    /// How much of it.
    pub amount: u64,
    /// Whether all of it is needed, and for how long.
    pub claim: Claim,
}

/// How an amount of a budget is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// All of it, for good: a call, or what a request brings along.
    Spend,
    /// All of it until the act is over, and then what was used of it.
    Hold,
    /// As much of it as is left, which has to be something. The act is held to that, and then what was used of it is taken.
    HoldLeft,
}

/// What an act was charged before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Granted {
    /// How much.
    pub amount: u64,
    /// How much was used without it.
    pub used: u64,
    /// How much of that is held by acts that are under way, and may be given back.
    pub held: u64,
}

/// What the attempt to begin an act came to.
pub enum Begun {
    /// It is on the record, and to be done now.
    Fresh(Act),
    /// It was done before, and this was the answer.
    Repeat(Placed),
    /// It is being done: the answer comes when it is done.
    Running(Answer<Settled>),
    /// It was begun before, and it is not known whether it happened. It is not done again.
    Interrupted,
    /// Another request had the same key.
    KeyReused,
    /// A budget does not have so much left.
    OverBudget(Spent),
}

/// What an act that another was waiting for came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// It was done, and this was the answer.
    Repeat(Placed),
    /// It is not known whether it happened.
    Interrupted,
}

/// A budget that does not have enough left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spent {
    /// Which.
    pub budget: String,
    /// The time that it is for.
    pub period: Period,
    /// The most of it in that time.
    pub most: u64,
    /// How much of it is used.
    pub used: u64,
    /// How much was asked for.
    pub asked: u64,
    /// When there may be enough.
    pub enough: Enough,
}

/// When a budget may have enough left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enough {
    /// Not as long as the session lasts, or never: more is asked for than there is.
    Never,
    /// When acts that are under way give back what they hold.
    WhenGivenBack,
    /// When what was used lies long enough behind.
    After {
        /// From now on.
        ms: u64,
    },
}

impl Granted {
    /// An act that turned out to need more than it was granted.
    #[must_use]
    pub fn short_of(&self, charge: &Charge, needed: u64) -> Spent {
        let enough = if self.used.saturating_sub(self.held).saturating_add(needed) <= charge.most {
            Enough::WhenGivenBack
        } else {
            match length_ms(charge.period) {
                Some(ms) if needed <= charge.most => Enough::After { ms },
                Some(_) | None => Enough::Never,
            }
        };
        let Charge { budget, period, most, .. } = charge.clone();
        Spent { budget, period, most, used: self.used, asked: needed, enough }
    }
}

/// How long what is used counts; nothing where it always does.
pub(super) fn length_ms(period: Period) -> Option<u64> {
    match period {
        Period::Session => None,
        Period::Minute => Some(60_000),
        Period::Hour => Some(3_600_000),
        Period::Day => Some(86_400_000),
    }
}

/// The answer of an act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answered {
    /// Of one with a key: whoever repeats it gets the same.
    Kept(Placed),
    /// Of one that nobody can ask for again: only its name is on the record.
    Named(Digest),
}

impl Answered {
    /// What names it.
    #[must_use]
    pub fn hash(&self) -> Digest {
        match self {
            Self::Kept(placed) => placed.hash(),
            Self::Named(hash) => *hash,
        }
    }

    /// For those who ask again. What was only named is looked for in the content store, and not found.
    pub(super) fn into_placed(self) -> Placed {
        match self {
            Self::Kept(placed) => placed,
            Self::Named(hash) => Placed::Stored(hash),
        }
    }
}

/// What an act came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finish {
    /// Whether it worked.
    pub ending: Ending,
    /// For programs.
    pub code: Text,
    /// The answer.
    pub response: Answered,
    /// Whether repetitions get it for good. An answer that asks to come back later is given to those who wait for it, and then
    /// forgotten with its key: nothing was done, and who comes back is to find it undone.
    pub is_final: bool,
    /// How long it took.
    pub duration_ms: u64,
    /// Files that were read or changed.
    pub files: u64,
    /// Bytes that were read or written.
    pub bytes: u64,
    /// What it came upon that its request does not name.
    pub reached: Reaches,
    /// The places of charges of which more or less was used than was charged, and how much.
    pub settle: Vec<(usize, u64)>,
    /// How what was run has ended, if something was.
    pub exit: Option<Exit>,
}

/// Paths that an act came upon, the first [`TARGETS_MAX`] of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reaches {
    paths: Vec<Text>,
    more: u64,
}

impl Reaches {
    /// Adds a path, if it is a new one as far as is known.
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

    /// What is on the record of them; nothing when there are none.
    pub(super) fn record(self, intent: u64) -> Option<Reached> {
        let Self { paths, more } = self;
        (!paths.is_empty()).then_some(Reached { intent, paths, more })
    }
}

/// An act that was begun, and has to be finished.
///
/// One that is dropped instead is on the record as interrupted: nobody knows what became of it.
#[must_use = "an act that is not finished is on the record as interrupted"]
pub struct Act {
    number: u64,
    granted: Vec<Granted>,
    end: Option<EndAct>,
}

/// Called once: with what the act came to, or with nothing.
pub(super) type EndAct = Box<dyn FnOnce(Option<Finish>) -> Answer<()> + Send + Sync>;

impl Act {
    pub(super) fn new(number: u64, granted: Vec<Granted>, end: EndAct) -> Self {
        Self { number, granted, end: Some(end) }
    }

    /// The number of its intent in the ledger.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// What it was charged, in the order of what it asked for.
    #[must_use]
    pub fn granted(&self) -> &[Granted] {
        &self.granted
    }

    /// Settles the budgets, keeps the answer for repetitions and records the result.
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
    /// Whether it may be stored.
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

    /// What names its key: keys may be secrets, so they are not stored.
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

/// Whether it may be on the record.
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

/// An identifier is at most so many characters, of up to four bytes.
const KEY_BYTES_MAX: usize = 4 * MAX_ID_LEN;
const BUDGET_BYTES_MAX: usize = 2 * MAX_ID_LEN;
const CHARGES_MAX: usize = 64;
const KEY_CONTEXT: &str = "interdict 2025 dedupe key version 1";
