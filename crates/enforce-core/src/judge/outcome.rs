//! What a request comes to: a permit, or why not, with who erred in the name.

use table_format::{Limit, RuleId, Table};

use crate::decision::{Code, DEFAULT_DENY, Decision, Reason};
use crate::git::GitError;
use crate::net::UrlError;
use crate::operation::Asked;
use crate::path::PathError;
use crate::shell::Invalid;
use crate::validate::Violation;
use crate::wire::{Text, WireError};

use super::permit::Offer;

/// What a request comes to.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is no heap to put a permit on")]
pub enum Outcome<'a, 'b> {
    /// It may happen.
    Permit(Offer<'a, 'b>),
    /// It must not happen.
    Refuse(Refused<'a>),
}

/// A request that was refused.
#[derive(Debug, Clone, Copy)]
pub struct Refused<'a> {
    /// Names the request; empty when it could not be read.
    pub request_id: Text<'a>,
    /// Why.
    pub refusal: Refusal<'a>,
}

/// Why a request is refused, in the order of the checks. The first word says who erred: the sender of the request, the
/// policy that forbids it, or the host that embeds this core.
#[derive(Debug, Clone, Copy)]
pub enum Refusal<'a> {
    /// The bytes are no request.
    SenderMalformed(WireError),
    /// The request breaks rules of the protocol.
    SenderInvalid {
        /// The first.
        first: Violation,
        /// How many in all.
        count: usize,
    },
    /// The session is not known, or it is over.
    SenderUnknownSession,
    /// The lease does not cover what is asked for.
    SenderOutsideLease(Asked<'a>),
    /// A path that is not inside the root.
    SenderPath {
        /// The path.
        path: &'a [u8],
        /// Why.
        error: PathError,
    },
    /// A URL or a host that does not have one reading.
    SenderUrl {
        /// As it is written.
        url: &'a [u8],
        /// Why.
        error: UrlError,
    },
    /// A command line that no shell would run.
    SenderLine {
        /// Why.
        reason: Invalid,
        /// The place of the byte at which that shows.
        at: usize,
    },
    /// A variable that would change which program is run.
    SenderEnvironment {
        /// As it is written.
        entry: &'a [u8],
    },
    /// Arguments of git that are not understood in full.
    SenderGit(GitError),
    /// Arguments of a declared tool that are not what the policy declares.
    SenderArgument {
        /// Which.
        name: &'a str,
        /// Why.
        error: ArgumentError,
    },
    /// No policy knows the operation.
    PolicyUnknownOperation(Asked<'a>),
    /// A policy denies it, or none allows it.
    PolicyDenies(Denial<'a>),
    /// A policy leaves it to a person, and none has agreed.
    PolicyAsks(Denial<'a>),
    /// The session has no policy.
    HostWithoutPolicy,
    /// The buffer was too small to write what is judged.
    HostBufferTooSmall {
        /// How many bytes it takes at least; what comes after could take more.
        needed: usize,
    },
    /// The places for obligations were too few for the rules that permit the act.
    HostObligationsTooSmall {
        /// How many it takes at least; what comes after could take more.
        needed: usize,
    },
}

/// The kind of a refusal, for callers that answer in a protocol of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalClass {
    /// The request is not one that anybody could permit.
    Invalid,
    /// The policy, the lease or the session does not permit it.
    Denied,
    /// The host cannot judge.
    Unable,
}

/// What is wrong with an argument of a declared tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentError {
    /// The operation has none of that name.
    Unknown,
    /// It is there twice.
    Repeated,
    /// It is text where a number is declared, or the like.
    Type,
    /// It is no reference that git could have.
    Reference,
    /// It is known only after the act.
    KnownLater,
}

/// A policy's answer that is no permission.
#[derive(Debug, Clone, Copy)]
pub struct Denial<'a> {
    /// What was judged, as the request writes it.
    pub target: &'a [u8],
    /// The limit that was exceeded.
    pub exceeded: Option<Limit>,
    reason: Reason<'a>,
}

/// A piece of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Words of the core or of the policy.
    Words(&'a str),
    /// What the sender wrote. Whoever shows it escapes what is not to be shown.
    Quoted(&'a [u8]),
    /// A number.
    Number(u64),
}

impl<'a> Denial<'a> {
    pub(super) fn new(decision: &Decision<'a, '_>, target: &'a [u8]) -> Self {
        Self { target, exceeded: decision.exceeded(), reason: decision.reason() }
    }

    /// The table that answered.
    #[must_use]
    pub fn table(&self) -> &'a Table<'a> {
        self.reason.table()
    }

    /// What was asked for.
    #[must_use]
    pub fn operation_name(&self) -> &'a str {
        self.reason.operation_name()
    }

    /// The rule that decided; nothing when no rule speaks of it.
    #[must_use]
    pub fn rule(&self) -> Option<RuleId> {
        self.reason.rule()
    }

    /// The rule's name, or `default-deny`.
    #[must_use]
    pub fn rule_name(&self) -> &'a str {
        self.reason.rule_name()
    }

    /// For programs.
    #[must_use]
    pub fn code(&self) -> Code<'a> {
        self.reason.code()
    }

    /// The rule's own reason.
    #[must_use]
    pub fn because(&self) -> Option<&'a str> {
        self.reason.because()
    }
}

impl<'a> Refusal<'a> {
    /// The rule that refused: the policy's, or `default-deny` (CTR-0026).
    #[must_use]
    pub fn rule_id(&self) -> &'a str {
        match self {
            Self::PolicyDenies(denial) | Self::PolicyAsks(denial) => denial.rule_name(),
            Self::SenderMalformed(_)
            | Self::SenderInvalid { .. }
            | Self::SenderUnknownSession
            | Self::SenderOutsideLease(_)
            | Self::SenderPath { .. }
            | Self::SenderUrl { .. }
            | Self::SenderLine { .. }
            | Self::SenderEnvironment { .. }
            | Self::SenderGit(_)
            | Self::SenderArgument { .. }
            | Self::PolicyUnknownOperation(_)
            | Self::HostWithoutPolicy
            | Self::HostBufferTooSmall { .. }
            | Self::HostObligationsTooSmall { .. } => DEFAULT_DENY,
        }
    }

    /// For programs (CTR-0027).
    #[must_use]
    pub fn code(&self) -> &'a str {
        match self {
            Self::SenderMalformed(_)
            | Self::SenderInvalid { .. }
            | Self::SenderUrl { .. }
            | Self::SenderEnvironment { .. }
            | Self::SenderGit(_)
            | Self::SenderArgument { .. } => "VALIDATION_FAILED",
            Self::SenderLine { .. } => Code::ShellComplex.as_str(),
            Self::SenderUnknownSession => "SESSION_UNKNOWN",
            Self::SenderOutsideLease(_) => "LEASE_SCOPE",
            Self::SenderPath { .. } => "PATH_ESCAPE",
            Self::PolicyUnknownOperation(_) => Code::OperationNotAllowed.as_str(),
            Self::PolicyDenies(denial) | Self::PolicyAsks(denial) => denial.code().as_str(),
            Self::HostWithoutPolicy | Self::HostBufferTooSmall { .. } | Self::HostObligationsTooSmall { .. } => {
                "JUDGE_UNABLE"
            }
        }
    }

    /// The kind of the refusal.
    #[must_use]
    pub fn class(&self) -> RefusalClass {
        match self {
            Self::SenderMalformed(_)
            | Self::SenderInvalid { .. }
            | Self::SenderUrl { .. }
            | Self::SenderLine { .. }
            | Self::SenderEnvironment { .. }
            | Self::SenderGit(_)
            | Self::SenderArgument { .. } => RefusalClass::Invalid,
            Self::SenderUnknownSession
            | Self::SenderOutsideLease(_)
            | Self::SenderPath { .. }
            | Self::PolicyUnknownOperation(_)
            | Self::PolicyDenies(_)
            | Self::PolicyAsks(_) => RefusalClass::Denied,
            Self::HostWithoutPolicy | Self::HostBufferTooSmall { .. } | Self::HostObligationsTooSmall { .. } => {
                RefusalClass::Unable
            }
        }
    }

    /// Says it for people, piece by piece (CTR-0028).
    #[inline(never)]
    pub fn say(&self, put: &mut dyn FnMut(Piece<'a>)) {
        use Piece::{Number, Quoted, Words};
        match self {
            Self::SenderMalformed(error) => {
                put(Words("the request "));
                put(Words(error.reason.sentence()));
                put(Words(", at byte "));
                put(Number(u64::try_from(error.at).unwrap_or(u64::MAX)));
            }
            Self::SenderInvalid { first, count } => {
                put(Words(first.field));
                put(Words(" "));
                put(Words(first.rule.sentence()));
                if *count > 1 {
                    put(Words(", the first of "));
                    put(Number(u64::try_from(*count).unwrap_or(u64::MAX)));
                    put(Words(" violations"));
                }
            }
            Self::SenderUnknownSession => put(Words("the session is not known, or it is over")),
            Self::SenderOutsideLease(asked) => {
                put(Words("the lease does not cover "));
                asked.say(put);
            }
            Self::SenderPath { path, error } => {
                put(Words("the path "));
                put(Quoted(path));
                put(Words(match error {
                    PathError::Empty => " is empty",
                    PathError::TooLong { .. } => " is too long",
                    PathError::Nul { .. } => " has a NUL",
                    PathError::Parent { .. } => " has a component `..`",
                    PathError::Outside => " is not inside the root",
                }));
            }
            Self::SenderUrl { url, .. } => {
                put(Words("the URL "));
                put(Quoted(url));
                put(Words(" does not have one reading"));
            }
            Self::SenderLine { at, .. } => {
                put(Words("no shell would run the line, as byte "));
                put(Number(u64::try_from(*at).unwrap_or(u64::MAX)));
                put(Words(" shows"));
            }
            Self::SenderEnvironment { entry } => {
                put(Words("the variable "));
                put(Quoted(entry));
                put(Words(" would change which program is run"));
            }
            Self::SenderGit(error) => put(Words(error.sentence())),
            Self::SenderArgument { name, error } => {
                put(Words("the argument "));
                put(Quoted(name.as_bytes()));
                put(Words(match error {
                    ArgumentError::Unknown => " is not declared",
                    ArgumentError::Repeated => " is there twice",
                    ArgumentError::Type => " is not of the declared type",
                    ArgumentError::Reference => " is no git reference",
                    ArgumentError::KnownLater => " is known only after the act",
                }));
            }
            Self::PolicyUnknownOperation(asked) => {
                put(Words("no policy knows "));
                asked.say(put);
            }
            Self::PolicyDenies(denial) => denial.say(put),
            Self::PolicyAsks(denial) => {
                put(Words("rule "));
                put(Words(denial.rule_name()));
                put(Words(" leaves "));
                denial.say_target(put);
                put(Words(" to a person, and nobody has agreed"));
            }
            Self::HostWithoutPolicy => put(Words("the session has no policy")),
            Self::HostBufferTooSmall { needed } => {
                put(Words("the judge needs a buffer of "));
                put(Number(u64::try_from(*needed).unwrap_or(u64::MAX)));
                put(Words(" bytes"));
            }
            Self::HostObligationsTooSmall { needed } => {
                put(Words("the judge needs room for "));
                put(Number(u64::try_from(*needed).unwrap_or(u64::MAX)));
                put(Words(" obligations"));
            }
        }
    }
}

impl<'a> Denial<'a> {
    #[inline(never)]
    fn say(&self, put: &mut dyn FnMut(Piece<'a>)) {
        use Piece::{Number, Words};
        match (self.rule(), self.exceeded) {
            (None, _) => {
                put(Words("no rule allows "));
                self.say_target(put);
            }
            (Some(_), Some(limit)) => {
                put(Words("rule "));
                put(Words(self.rule_name()));
                put(Words(" allows "));
                self.say_target(put);
                put(Words(" with "));
                put(Words(self.table().attribute(limit.attribute).map_or("", |number| self.table().text(number.name))));
                put(Words(" up to "));
                put(Number(limit.most));
                put(Words(" only"));
            }
            (Some(_), None) => {
                put(Words("rule "));
                put(Words(self.rule_name()));
                put(Words(" denies "));
                self.say_target(put);
            }
        }
        if let Some(because) = self.because() {
            put(Words(": "));
            put(Words(because));
        }
    }

    fn say_target(&self, put: &mut dyn FnMut(Piece<'a>)) {
        put(Piece::Words(self.operation_name()));
        if !self.target.is_empty() {
            put(Piece::Words(" of "));
            put(Piece::Quoted(self.target));
        }
    }
}

impl<'a> Asked<'a> {
    #[inline(never)]
    fn say(&self, put: &mut dyn FnMut(Piece<'a>)) {
        match self {
            Self::BuiltIn(operation) => put(Piece::Words(operation.name())),
            Self::Declared { tool, operation } => {
                put(Piece::Quoted(tool.as_bytes()));
                if !operation.is_empty() {
                    put(Piece::Words("."));
                    put(Piece::Quoted(operation.as_bytes()));
                }
            }
        }
    }
}
