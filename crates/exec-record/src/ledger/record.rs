//! A record: its place in the chains, and what happened.

use std::sync::LazyLock;

use enforce_core::Verdict;
use enforce_core::limits::MAX_REPEATED_ITEMS;
use rustix::io::Errno;
use table_format::Period;

use super::codec::{DecodeError, Field, choices, fields, whole};
use super::digest::Digest;
use crate::text::Text;
use exec_base::Exit;

/// One record of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The session, or [`Record::LEDGER`] for the ledger's own chain.
    pub chain: u64,
    /// Place in the chain, from 1 on.
    pub sequence: u64,
    /// Place in the ledger, from 1 on.
    pub number: u64,
    /// When, by the executor's clock.
    pub at_ms: u64,
    /// The record before it in the chain.
    pub previous: Digest,
    /// What happened.
    pub event: Event,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A session begins, and its chain.
    Created(Created),
    /// A request was refused.
    Refused(Refused),
    /// A request was permitted, and is acted on from here on.
    Intent(Intent),
    /// What the act came to.
    Result(Outcome),
    /// Nobody knows what the act came to.
    Interrupted(Interrupted),
    /// A request came again under its key and got the same answer.
    Repeated(Repeated),
    /// The heads of the chains that grew since the last checkpoint, by chain.
    Checkpoint(Vec<Head>),
    /// A session is over.
    Ended(Ended),
    /// What an act came upon that its request does not name: where links led, the files of a diff or a search.
    Reached(Reached),
    /// Requests that were answered without a record of their own, because too many were under way or the executor was about
    /// to end.
    TurnedAway(TurnedAway),
}

/// What a session may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    /// Names of roles.
    pub roles: Vec<Text>,
    /// Operations of the lease; `*` for all.
    pub scope: Vec<Text>,
    /// Where relative paths start.
    pub working_directory: Text,
    /// The folder that everything has to lie in.
    pub root: Text,
    /// When it is over at the latest.
    pub expires_at_ms: u64,
    /// The policies, all of which have to agree.
    pub tables: Vec<Digest>,
    /// What the lease grants of something.
    pub budgets: Vec<Leased>,
}

/// A budget of a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leased {
    /// Its name.
    pub name: Text,
    /// The operations that are charged.
    pub operation: Text,
    /// What is summed of them; empty when requests are counted.
    pub attribute: Text,
    /// The most of it in the session.
    pub most: u64,
}

/// A request, and what was decided about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// Of the request's bytes.
    pub request: Digest,
    /// `file.read`; empty when the request could not be read so far.
    pub operation: Text,
    /// What was judged, at most [`TARGETS_MAX`].
    pub targets: Vec<Text>,
    /// May it happen?
    pub verdict: Verdict,
    /// The rule that decided, or `default-deny`.
    pub rule: Text,
    /// For programs.
    pub code: Text,
    /// The policies that were asked, at most [`TABLES_MAX`].
    pub tables: Vec<Digest>,
    /// What each was decided by, in the words of a policy's test; as many as there are targets, for each policy once.
    pub facts: Vec<Text>,
}

/// A refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// What was decided.
    pub judged: Judged,
    /// Of the response's bytes.
    pub response: Digest,
}

/// What is going to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// What was decided.
    pub judged: Judged,
    /// What was charged before the act.
    pub charges: Vec<Charged>,
    /// How something is run; nothing for what runs nothing.
    pub setting: Option<Setting>,
}

/// What decides what a command does, beside what rules were asked about. What may be a secret is there by its digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Where it starts, from the root on; empty for the root itself.
    pub working_directory: Text,
    /// All of the line, or of the paths of tests, if something is left out of targets or facts.
    pub line: Option<Text>,
    /// Of the script's bytes.
    pub script: Option<Digest>,
    /// Of what it reads.
    pub stdin: Option<Digest>,
    /// What the request sets of its environment.
    pub environment: Option<Environment>,
}

/// Variables that a request sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// Their names in the order of the request, at most [`VARIABLES_MAX`].
    pub names: Vec<Text>,
    /// Of all of them as `NAME=VALUE`, each with a NUL behind it.
    pub digest: Digest,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Sequence of the intent in this chain.
    pub intent: u64,
    /// Of the response's bytes.
    pub response: Digest,
    /// Whether it worked.
    pub ending: Ending,
    /// For programs.
    pub code: Text,
    /// How long it took.
    pub duration_ms: u64,
    /// Files that were read or changed.
    pub files: u64,
    /// Bytes that were read or written.
    pub bytes: u64,
    /// What the act turned out to cost.
    pub settled: Vec<Charged>,
    /// How what was run has ended; nothing for what ran nothing.
    pub exit: Option<Exit>,
}

/// What an act came upon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    /// Sequence of the intent in this chain.
    pub intent: u64,
    /// From the root on, at most [`TARGETS_MAX`]; each was judged and permitted.
    pub paths: Vec<Text>,
    /// How many more there were.
    pub more: u64,
}

/// Requests of which nothing was judged and nothing done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnedAway {
    /// How many, since the last record of this kind.
    pub requests: u64,
}

/// Whether an act worked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It did.
    Done,
    /// It did not.
    Failed,
}

/// An act without a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interrupted {
    /// Sequence of the intent in this chain.
    pub intent: u64,
}

/// An answer that was given again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeated {
    /// Of the request's bytes.
    pub request: Digest,
    /// Sequence of the intent that the answer is from.
    pub intent: u64,
    /// Of the response's bytes.
    pub response: Digest,
}

/// An amount of a budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charged {
    /// The budget.
    pub budget: Text,
    /// What it is for.
    pub period: Period,
    /// How much of it.
    pub amount: u64,
}

/// Where a chain ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The chain.
    pub chain: u64,
    /// Its last record.
    pub sequence: u64,
    /// That record's hash.
    pub hash: Digest,
}

/// A session is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Why.
    pub why: Why,
}

/// Why a session is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// Somebody ended it.
    Asked,
    /// Its time was up.
    Expired,
}

impl Record {
    /// The chain of requests without a session, and of checkpoints.
    pub const LEDGER: u64 = 0;

    /// Its canonical bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(RECORD_BYTES_USUAL);
        self.write(&mut bytes);
        bytes
    }

    /// Reads canonical bytes.
    ///
    /// # Errors
    /// When the bytes are anything but one record of a version that is known.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        whole(bytes)
    }

    /// What the next record of the chain, and a checkpoint, name a record by.
    #[must_use]
    pub fn hash(bytes: &[u8]) -> Digest {
        KEYED.clone().update(bytes).finalize().into()
    }
}

impl Judged {
    /// `deny`, `ask` or `allow`.
    #[must_use]
    pub fn verdict_name(&self) -> &'static str {
        match self.verdict {
            Verdict::Deny => "deny",
            Verdict::Ask => "ask",
            Verdict::Allow => "allow",
        }
    }
}

impl Event {
    /// What kind of record it is, in a word.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Created(_) => "session-created",
            Self::Refused(_) => "refused",
            Self::Intent(_) => "intent",
            Self::Result(_) => "result",
            Self::Interrupted(_) => "interrupted",
            Self::Repeated(_) => "repeated",
            Self::Checkpoint(_) => "checkpoint",
            Self::Ended(_) => "session-ended",
            Self::Reached(_) => "reached",
            Self::TurnedAway(_) => "turned-away",
        }
    }

    fn byte(&self) -> u8 {
        match self {
            Self::Created(_) => 1,
            Self::Refused(_) => 2,
            Self::Intent(_) => 3,
            Self::Result(_) => 4,
            Self::Interrupted(_) => 5,
            Self::Repeated(_) => 6,
            Self::Checkpoint(_) => 7,
            Self::Ended(_) => 8,
            Self::Reached(_) => 9,
            Self::TurnedAway(_) => 10,
        }
    }
}

impl Field for Record {
    fn write(&self, bytes: &mut Vec<u8>) {
        VERSION.write(bytes);
        self.event.byte().write(bytes);
        [self.chain, self.sequence, self.number, self.at_ms].iter().for_each(|number| number.write(bytes));
        self.previous.write(bytes);
        match &self.event {
            Event::Created(created) => created.write(bytes),
            Event::Refused(refused) => refused.write(bytes),
            Event::Intent(intent) => intent.write(bytes),
            Event::Result(outcome) => outcome.write(bytes),
            Event::Interrupted(interrupted) => interrupted.write(bytes),
            Event::Repeated(repeated) => repeated.write(bytes),
            Event::Checkpoint(heads) => heads.write(bytes),
            Event::Ended(ended) => ended.write(bytes),
            Event::Reached(reached) => reached.write(bytes),
            Event::TurnedAway(turned_away) => turned_away.write(bytes),
        }
    }

    fn read(bytes: &mut &[u8]) -> Result<Self, DecodeError> {
        let version = u8::read(bytes)?;
        if version != VERSION {
            return Err(DecodeError::Version { found: version, known: VERSION });
        }
        let kind = u8::read(bytes)?;
        let (chain, sequence) = (u64::read(bytes)?, u64::read(bytes)?);
        let (number, at_ms) = (u64::read(bytes)?, u64::read(bytes)?);
        let previous = Digest::read(bytes)?;
        let event = match kind {
            1 => Event::Created(Field::read(bytes)?),
            2 => Event::Refused(Field::read(bytes)?),
            3 => Event::Intent(Field::read(bytes)?),
            4 => Event::Result(Field::read(bytes)?),
            5 => Event::Interrupted(Field::read(bytes)?),
            6 => Event::Repeated(Field::read(bytes)?),
            7 => Event::Checkpoint(Field::read(bytes)?),
            8 => Event::Ended(Field::read(bytes)?),
            9 => Event::Reached(Field::read(bytes)?),
            10 => Event::TurnedAway(Field::read(bytes)?),
            other => return Err(DecodeError::Choice(other)),
        };
        Ok(Self { chain, sequence, number, at_ms, previous, event })
    }
}

fields!(Created { roles, scope, working_directory, root, expires_at_ms, tables, budgets });
fields!(Leased { name, operation, attribute, most });
fields!(Judged { request, operation, targets, verdict, rule, code, tables, facts });
fields!(Refused { judged, response });
fields!(Intent { judged, charges, setting });
fields!(Setting { working_directory, line, script, stdin, environment });
fields!(Environment { names, digest });
fields!(Outcome { intent, response, ending, code, duration_ms, files, bytes, settled, exit });
fields!(Interrupted { intent });
fields!(Repeated { request, intent, response });
fields!(Charged { budget, period, amount });
fields!(Head { chain, sequence, hash });
fields!(Ended { why });
fields!(Reached { intent, paths, more });
fields!(TurnedAway { requests });
choices!(Verdict { Verdict::Deny = 0, Verdict::Ask = 1, Verdict::Allow = 2 });
choices!(Ending { Ending::Done = 0, Ending::Failed = 1 });
choices!(Why { Why::Asked = 0, Why::Expired = 1 });
choices!(Period { Period::Session = 0, Period::Minute = 1, Period::Hour = 2, Period::Day = 3 });

/// A choice, and behind it the number that the system gave, where it gave one.
impl Field for Exit {
    fn write(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Code(code) => {
                bytes.push(0);
                code.write(bytes);
            }
            Self::Signal(signal) => {
                bytes.push(1);
                signal.write(bytes);
            }
            Self::TimedOut => bytes.push(2),
            Self::Cancelled => bytes.push(3),
            Self::Broken { command, error } => {
                bytes.push(4);
                command.write(bytes);
                error.raw_os_error().write(bytes);
            }
        }
    }

    fn read(bytes: &mut &[u8]) -> Result<Self, DecodeError> {
        match u8::read(bytes)? {
            0 => i32::read(bytes).map(Self::Code),
            1 => i32::read(bytes).map(Self::Signal),
            2 => Ok(Self::TimedOut),
            3 => Ok(Self::Cancelled),
            4 => {
                let (command, error) = (u32::read(bytes)?, i32::read(bytes)?);
                // No other number is an error, and none can be made of it.
                let is_error = (1..=ERROR_MAX).contains(&error);
                let error = is_error.then(|| Errno::from_raw_os_error(error)).ok_or(DecodeError::Error(error))?;
                Ok(Self::Broken { command, error })
            }
            other => Err(DecodeError::Choice(other)),
        }
    }
}

/// What keeps hashes of records apart from all others.
pub const RECORD_CONTEXT: &str = "interdict 2025 ledger record version 1";
/// Targets of a request, or paths of an act, that are on the record.
pub const TARGETS_MAX: usize = 1_024;
/// Policies of a session.
pub const TABLES_MAX: usize = 16;
/// Variables of a command that are on the record: all that a request can have.
pub const VARIABLES_MAX: usize = MAX_REPEATED_ITEMS;
/// The greatest number of an error that the kernel answers with.
const ERROR_MAX: i32 = 4_095;
const VERSION: u8 = 1;
const RECORD_BYTES_USUAL: usize = 512;
/// Setting up the context costs as much as hashing a record, so it is done once.
static KEYED: LazyLock<blake3::Hasher> = LazyLock::new(|| blake3::Hasher::new_derive_key(RECORD_CONTEXT));

#[cfg(test)]
mod tests;
