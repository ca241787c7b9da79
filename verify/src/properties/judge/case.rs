//! A call in a session, and what becomes of it.

use enforce_core::judge::{Approval, Layer, Outcome, Scope, Session, judge};
use enforce_core::path::Root;
use enforce_core::wire::Request;
use enforce_core::{Policy, Verdict};
use table_format::{RoleId, RuleId};

use super::tables::{LETTERS, TINY, with_policies};
use crate::cases::{Bytes, Case, Source, is_same};
use crate::properties::wire::Encoder;

/// A call with texts of up to `N` bytes, in a session; of any tool when `TOOL` is [`ANY`].
///
/// The others are for a model checker, which has to know what a request asks for, in which session, and how each of
/// both is written: it goes through that one by one. The only policy is the one of letters, and the lease covers the call.
/// All that can be open is what is written to a file, in `N` bytes: of text that it does not know, a model checker follows
/// the standard library's search for what is no UTF-8, which goes on as long as the longest loop.
#[derive(Debug, Clone, Copy)]
pub struct Judges<const N: usize, const TOOL: usize> {
    /// What is asked for.
    pub called: Called,
    /// A path, a command, or whatever the tool is given.
    pub one: Bytes<N>,
    /// The path that something is moved to.
    pub other: Bytes<N>,
    /// A number.
    pub number: u64,
    /// Whether the request has a name.
    pub is_named: bool,
    /// Whether there is a byte too much.
    pub is_longer: bool,
    /// Whether the session is known.
    pub is_known: bool,
    /// Which lease it has.
    pub lease: usize,
    /// Which policies it has.
    pub policies: usize,
    /// Which role it has; none from the number of roles on.
    pub role: usize,
    /// Whether a person has agreed.
    pub is_approved: bool,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are named after the messages")]
pub enum Called {
    FsList,
    ProcList,
    FileRead,
    FileWrite,
    FsMove,
    ShellExec,
    MetricsEmit,
    ToolCall,
    Letter,
}

impl<const N: usize, const TOOL: usize> Case for Judges<N, TOOL> {
    fn draw<S: Source>(source: &mut S) -> Self {
        if TOOL != ANY {
            return Self::draw_one_by_one(source);
        }
        let called = source.one_of(CALLS);
        let has_text = !matches!(called, Called::ProcList | Called::MetricsEmit | Called::ToolCall | Called::Letter);
        let is_moved = called == Called::FsMove;
        let is_named = source.flag();
        Self {
            called,
            one: if has_text { Bytes::draw(source, TEXT) } else { Bytes::of(b"") },
            other: if is_moved { Bytes::draw(source, TEXT) } else { Bytes::of(b"") },
            number: if is_moved || called == Called::Letter { 1 } else { source.number(NUMBERS) },
            is_named,
            is_longer: is_named && source.flag(),
            is_known: source.flag(),
            lease: source.below(LEASES.len()),
            policies: source.below(SETS.len()),
            role: source.below(ROLES.len().saturating_add(1)),
            is_approved: source.flag(),
        }
    }
}

impl<const N: usize, const TOOL: usize> Judges<N, TOOL> {
    /// Everything but what is written is settled, and only what makes a difference is chosen.
    fn draw_one_by_one<S: Source>(source: &mut S) -> Self {
        let has_flaw = TOOL == FLAWED;
        let mut flag = || source.settled(2) == 1;
        let is_named = !has_flaw || flag();
        let is_longer = has_flaw && is_named && flag();
        let is_known = has_flaw || TOOL == KNOWN_ALONE || flag();
        let is_chosen = is_known && !has_flaw && TOOL != KNOWN_ALONE;
        // Nobody has a role, unless roles are told apart.
        let role = if is_chosen && TOOL == KNOWN {
            ROLES.len().saturating_sub(source.settled(ROLES.len().saturating_add(1)))
        } else {
            ROLES.len()
        };
        let is_approved = is_chosen && role == ROLES.len() && source.settled(2) == 1;
        Self {
            called: if TOOL == UNKNOWN || has_flaw && N > 0 { Called::FileWrite } else { Called::Letter },
            one: Bytes::draw_at_least(source, N, TEXT),
            other: Bytes::of(b""),
            number: 1,
            is_named,
            is_longer,
            is_known,
            lease: if TOOL == UNKNOWN { FILES_LEASED } else { LETTERS_LEASED },
            policies: LETTERS_ALONE,
            role,
            is_approved,
        }
    }
}

/// What came of a call.
pub(super) struct Seen<'a> {
    pub(super) outcome: Outcome<'a, 'a>,
    /// The rules that permit, by their layers: the first of them.
    pub(super) permitting: [Option<(usize, RuleId)>; OBLIGATIONS_MAX],
    pub(super) is_looked_for: bool,
    pub(super) decisions: usize,
    pub(super) denials: usize,
    pub(super) questions: usize,
    /// The strictest decision, and the first of them.
    pub(super) strictest: Option<(Verdict, Option<RuleId>)>,
}

impl<const N: usize, const TOOL: usize> Judges<N, TOOL> {
    /// Judges the call.
    pub(super) fn judged<R>(&self, then: impl FnOnce(&[u8], Seen<'_>) -> R) -> R {
        let bytes = self.encoded();
        with_policies(|policies| {
            let set = self.set();
            let policies = [0, 1].map(|place| policy(policies, set.get(place).copied().unwrap_or(TINY)));
            let roles = policies.map(|policy| [policy.table().find_role(self.role_name()).unwrap_or(RoleId::NONE)]);
            let [first, second] = roles.each_ref().map(|roles| if self.has_role() { &roles[..] } else { &[] });
            let [one, other] = policies;
            let layers = [Layer { policy: one, roles: first }, Layer { policy: other, roles: second }];
            let session = Root::new(ROOT).ok().map(|root| Session {
                root,
                working_directory: b"",
                scope: LEASES.get(self.lease).copied().flatten().map_or(Scope::Everything, Scope::Only),
                layers: layers.get(..set.len()).unwrap_or_default(),
                approval: if self.is_approved { Approval::Given } else { Approval::Missing },
            });
            let mut is_looked_for = false;
            let (mut decisions, mut denials, mut questions) = (0_usize, 0_usize, 0_usize);
            let mut permitting = [None; OBLIGATIONS_MAX];
            let mut strictest: Option<(Verdict, Option<RuleId>)> = None;
            let find = |_: &Request<'_>| {
                is_looked_for = true;
                session.filter(|_| self.is_known)
            };
            let (mut buffer, mut obligations) = ([0; BUFFER_BYTES], [None; OBLIGATIONS_MAX]);
            let outcome = judge(bytes.as_slice(), find, &mut buffer, &mut obligations, &mut |judged| {
                let (verdict, rule) = (judged.decision.verdict(), judged.decision.rule());
                if let (Verdict::Ask | Verdict::Allow, Some(rule), Some(place)) =
                    (verdict, rule, permitting.get_mut(decisions))
                {
                    *place = Some((judged.layer, rule));
                }
                decisions = decisions.saturating_add(1);
                denials = denials.saturating_add(usize::from(verdict == Verdict::Deny));
                questions = questions.saturating_add(usize::from(verdict == Verdict::Ask));
                if strictest.is_none_or(|(strictest, _)| verdict < strictest) {
                    strictest = Some((verdict, rule));
                }
            });
            then(
                bytes.as_slice(),
                Seen { outcome, permitting, is_looked_for, decisions, denials, questions, strictest },
            )
        })
    }

    fn has_role(&self) -> bool {
        self.role < ROLES.len()
    }

    fn role_name(&self) -> &'static str {
        ROLES.get(self.role).copied().unwrap_or_default()
    }

    /// The request.
    fn encoded(&self) -> Encoder<ROOM> {
        let (one, other) = (self.one.as_slice(), self.other.as_slice());
        let mut message = Encoder::<ROOM>::new();
        let number = match self.called {
            Called::FsList => {
                message.run(1, one);
                18
            }
            Called::ProcList => {
                message.number(2, self.number);
                25
            }
            Called::FileRead => {
                message.run(1, one);
                message.number(3, self.number);
                10
            }
            Called::FileWrite if TOOL == ANY => {
                message.run(1, one);
                message.number(4, self.number & 1);
                11
            }
            Called::FileWrite => {
                message.run(1, b"a");
                message.run(2, one);
                11
            }
            Called::FsMove => {
                message.run(1, one);
                message.run(2, other);
                20
            }
            Called::ShellExec => {
                message.run(1, one);
                message.number(3, self.number);
                13
            }
            Called::MetricsEmit => {
                message.number(1, self.number);
                33
            }
            Called::ToolCall => {
                let mut argument = Encoder::<ROOM>::new();
                argument.run(1, b"n");
                argument.number(3, self.number);
                message.run(1, b"t");
                message.run(2, b"o");
                message.run(3, argument.as_slice());
                34
            }
            Called::Letter => {
                message.run(1, b"t");
                34
            }
        };
        let mut bytes = Encoder::<ROOM>::new();
        if self.is_named {
            bytes.run(1, b"r");
        }
        bytes.run(2, b"t");
        bytes.run(number, message.as_slice());
        if self.is_longer {
            bytes.byte(0);
        }
        bytes
    }

    fn set(&self) -> &'static [usize] {
        SETS.get(self.policies).copied().unwrap_or_default()
    }

    /// Whether every policy knows the operation, and there is one.
    pub(super) fn is_known_to_all(&self) -> bool {
        let mut is_known = !self.set().is_empty();
        for policy in self.set() {
            // The tiny ones know one operation. The others know all that are built in, and the first a tool of its own.
            is_known &= match self.called {
                Called::FsList => *policy != LETTERS,
                Called::ToolCall => *policy == 0,
                Called::Letter => *policy == LETTERS,
                _ => *policy != TINY && *policy != LETTERS,
            };
        }
        is_known
    }

    /// Whether the lease names the operation, or its tool with a star.
    pub(super) fn is_covered(&self) -> bool {
        let name = self.called.name();
        // A tool that has no operations is its name.
        let tool = name.iter().position(|byte| *byte == b'.').and_then(|dot| name.get(..dot)).unwrap_or(name);
        let Some(Some(lease)) = LEASES.get(self.lease) else {
            return true;
        };
        let mut is_covered = false;
        for entry in *lease {
            let starred = entry.strip_suffix(".*").map(str::as_bytes);
            is_covered |= is_same(entry.as_bytes(), name) || starred.is_some_and(|starred| is_same(starred, tool));
        }
        is_covered
    }
}

impl Called {
    /// As policies name it.
    fn name(self) -> &'static [u8] {
        match self {
            Self::FsList => b"fs.list",
            Self::ProcList => b"proc.list",
            Self::FileRead => b"file.read",
            Self::FileWrite => b"file.write",
            Self::FsMove => b"fs.move",
            Self::ShellExec => b"shell.exec",
            Self::MetricsEmit => b"metrics.emit",
            Self::ToolCall => b"t.o",
            Self::Letter => b"t",
        }
    }
}

fn policy<'p>([narrow, wide, tiny, letters]: [&'p Policy<'p>; 4], which: usize) -> &'p Policy<'p> {
    match which {
        0 => narrow,
        1 => wide,
        LETTERS => letters,
        _ => tiny,
    }
}

/// Any tool.
pub const ANY: usize = 0;
/// The tool that the policy of letters knows.
pub const KNOWN: usize = 1;
/// The same in one session that is known, without a role and without anybody's approval: for who judges twice.
pub const KNOWN_ALONE: usize = 4;
/// One that it does not know.
pub const UNKNOWN: usize = 2;
/// The one that it knows, in a request that may be none, or have no name; with bytes to write, the one that it does not
/// know.
pub const FLAWED: usize = 3;

const CALLS: &[Called] = &[
    Called::FsList,
    Called::ProcList,
    Called::FileRead,
    Called::FileWrite,
    Called::FsMove,
    Called::ShellExec,
    Called::MetricsEmit,
    Called::ToolCall,
    Called::Letter,
];
const ROOT: &[u8] = b"/a";
/// Names of the policies, a slash, a dot, what is no path, and what a shell would compute.
const TEXT: &[u8] = b"ab/.\0$";
/// Within the limits of the rules, beyond them, and beyond those of the protocol.
const NUMBERS: &[u64] = &[0, 5, 6, 3_600_001];
const ROLES: [&str; 2] = ["a", "d"];
/// Everything, and lists of operations.
const LEASES: [Option<&[&str]>; 4] =
    [None, Some(&["t", "fs.list", "shell.exec", "t.o", "proc.list"]), Some(&["file.*", "fs.move", "t.*"]), Some(&[])];
/// Policies by their numbers, in their order.
const SETS: [&[usize]; 10] =
    [&[LETTERS], &[TINY], &[], &[0], &[1], &[0, 1], &[1, 0], &[0, TINY], &[TINY, 1], &[LETTERS, 0]];
const LETTERS_ALONE: usize = 0;
/// The leases that name what small cases call.
const LETTERS_LEASED: usize = 1;
const FILES_LEASED: usize = 2;
const ROOM: usize = 48;
const BUFFER_BYTES: usize = 64;
/// Two policies with at most three simple commands or paths.
const OBLIGATIONS_MAX: usize = 6;
