//! A record: its position in the chains, and its event.

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
    /// The session, or [`Record::LEDGER`] for the chain of the ledger itself.
    pub chain: u64,
    /// Position in the chain, from 1.
    pub sequence: u64,
    /// Position in the ledger, from 1.
    pub number: u64,
    /// By the executor's clock.
    pub at_ms: u64,
    /// Hash of the record before it in the chain.
    pub previous: Digest,
    pub event: Event,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    Created(Created),
    Refused(Refused),
    /// A permitted request, before it is acted on.
    Intent(Intent),
    Result(Outcome),
    /// The outcome of an act is unknown.
    Interrupted(Interrupted),
    /// A request was repeated under its key and got the same answer.
    Repeated(Repeated),
    /// Heads of the chains that grew since the last checkpoint, by chain.
    Checkpoint(Vec<Head>),
    Ended(Ended),
    /// Paths that an act touched and its request does not name: link targets, files of a diff or a search.
    Reached(Reached),
    /// Requests rejected because of overload or shutdown; they are not recorded individually.
    TurnedAway(TurnedAway),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created {
    pub roles: Vec<Text>,
    /// Operations of the lease; `*` for all.
    pub scope: Vec<Text>,
    /// Start of relative paths.
    pub working_directory: Text,
    /// Directory that contains everything the session may touch.
    pub root: Text,
    pub expires_at_ms: u64,
    /// Policies, all of which must permit a request.
    pub tables: Vec<Digest>,
    pub budgets: Vec<Leased>,
}

/// A budget of a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leased {
    pub name: Text,
    pub operation: Text,
    /// Attribute to sum; empty if requests are counted.
    pub attribute: Text,
    pub most: u64,
}

/// A request and the decision about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// Digest of the request's bytes.
    pub request: Digest,
    /// `file.read`; empty if the request is unreadable.
    pub operation: Text,
    /// At most [`TARGETS_MAX`].
    pub targets: Vec<Text>,
    pub verdict: Verdict,
    /// The deciding rule, or `default-deny`.
    pub rule: Text,
    pub code: Text,
    /// At most [`TABLES_MAX`].
    pub tables: Vec<Digest>,
    /// Facts behind each decision, in the words of a policy's test: one text for each target and policy.
    pub facts: Vec<Text>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub judged: Judged,
    /// Digest of the response's bytes.
    pub response: Digest,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    pub judged: Judged,
    pub charges: Vec<Charged>,
    /// `None` if nothing is run.
    pub setting: Option<RunContext>,
}

/// The context that decides a command's effect beside the facts. Possible secrets are recorded by digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunContext {
    /// Working directory below the root; empty for the root itself.
    pub working_directory: Text,
    /// The full line, or all paths of tests, if targets or facts are shortened.
    pub line: Option<Text>,
    pub script: Option<Digest>,
    pub stdin: Option<Digest>,
    pub environment: Option<Environment>,
}

/// Variables that a request sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// At most [`VARIABLES_MAX`], in the order of the request.
    pub names: Vec<Text>,
    /// Digest of all of them as `NAME=VALUE`, each followed by a NUL.
    pub digest: Digest,
}

/// The result of an act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Sequence of the intent in this chain.
    pub intent: u64,
    /// Digest of the response's bytes.
    pub response: Digest,
    pub ending: Ending,
    pub code: Text,
    pub duration_ms: u64,
    /// Files read or changed.
    pub files: u64,
    /// Bytes read or written.
    pub bytes: u64,
    /// Charges corrected by what was used.
    pub settled: Vec<Charged>,
    /// `None` if nothing was run.
    pub exit: Option<Exit>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    /// Sequence of the intent in this chain.
    pub intent: u64,
    /// Relative to the root, at most [`TARGETS_MAX`]; each was judged and permitted.
    pub paths: Vec<Text>,
    /// Number of further paths.
    pub more: u64,
}

/// Requests that were neither judged nor acted on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnedAway {
    /// Since the last record of this kind.
    pub requests: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Done,
    Failed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interrupted {
    /// Sequence of the intent in this chain.
    pub intent: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeated {
    /// Digest of the request's bytes.
    pub request: Digest,
    /// Sequence of the intent that the answer is from.
    pub intent: u64,
    /// Digest of the response's bytes.
    pub response: Digest,
}

/// An amount of a budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Charged {
    pub budget: Text,
    pub period: Period,
    pub amount: u64,
}

/// The last record of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub chain: u64,
    pub sequence: u64,
    pub hash: Digest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    pub why: EndReason,
}

/// Why a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndReason {
    Asked,
    Expired,
}

impl Record {
    /// The chain of checkpoints and of requests without a session.
    pub const LEDGER: u64 = 0;

    /// Returns the canonical bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(RECORD_BYTES_USUAL);
        self.write(&mut bytes);
        bytes
    }

    /// Reads the canonical bytes of one record of this version.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        whole(bytes)
    }

    /// Returns the digest by which the next record and a checkpoint name a record.
    #[must_use]
    pub fn hash(bytes: &[u8]) -> Digest {
        KEYED.clone().update(bytes).finalize().into()
    }
}

impl Judged {
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
fields!(RunContext { working_directory, line, script, stdin, environment });
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
choices!(EndReason { EndReason::Asked = 0, EndReason::Expired = 1 });
choices!(Period { Period::Session = 0, Period::Minute = 1, Period::Hour = 2, Period::Day = 3 });

/// A choice, followed by the number from the system, if any.
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

/// Keeps hashes of records apart from all others.
pub const RECORD_CONTEXT: &str = "interdict 2025 ledger record version 1";
/// Recorded targets of a request, or paths of an act.
pub const TARGETS_MAX: usize = 1_024;
pub const TABLES_MAX: usize = 16;
/// Recorded variables of a command: as many as a request can have.
pub const VARIABLES_MAX: usize = MAX_REPEATED_ITEMS;
/// The greatest error number of the kernel.
const ERROR_MAX: i32 = 4_095;
const VERSION: u8 = 1;
const RECORD_BYTES_USUAL: usize = 512;
/// RunContext up the context costs as much as hashing a record.
static KEYED: LazyLock<blake3::Hasher> = LazyLock::new(|| blake3::Hasher::new_derive_key(RECORD_CONTEXT));

#[cfg(test)]
mod tests;
