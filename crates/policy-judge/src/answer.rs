//! (Table, bytes of a request) -> the core's answer, in words.

use std::collections::{BTreeMap, BTreeSet};

use enforce_core::judge::{Approval, Judged, Layer, Outcome, Piece, Refusal, Scope, Session, judge};
use enforce_core::path::Root;
use enforce_core::{DEFAULT_DENY, Decision, Facts, Policy, Verdict, decide};
use policy_model::{OperationId, Request, RoleId as ModelRole, Test};
use policy_syntax::{Effect, quote};
use prost::Message;
use serde::Serialize;
use table_format::{Limit, RoleId, Slot, Table};
use tool_proto::ToolRequest;

/// A judge's answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub verdict: Effect,
    /// The rule that decided, or `default-deny`.
    pub rule: String,
    pub code: String,
    /// The target that decided, as the request writes it; empty for the request as a whole.
    pub target: String,
    /// The rule's reason, or the core's for a request that no rule is asked about.
    pub because: Option<String>,
    /// The limit that was exceeded.
    pub exceeded: Option<Bound>,
    pub obligations: Obligations,
    /// True when a rule, or the silence of all of them, decided.
    pub is_by_policy: bool,
}

/// The obligations of a permitted act, for all its targets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Obligations {
    /// Checks before the act.
    pub requirements: Vec<String>,
    /// Limits that the executor holds.
    pub limits: Vec<Bound>,
    /// Budgets that the act is charged to.
    pub budgets: Vec<String>,
}

/// The most a number may be, in the attribute's own unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bound {
    pub attribute: String,
    pub most: u64,
}

/// The facts of one target, by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NamedFacts {
    pub strings: BTreeMap<String, String>,
    pub numbers: BTreeMap<String, u64>,
    pub flags: BTreeSet<String>,
}

/// Judges requests by one policy, as the executor does.
#[derive(Debug)]
pub struct Judge<'t> {
    policy: &'t Policy<'t>,
    root: String,
    buffer: Vec<u8>,
    places: usize,
}

/// A root that is no absolute path, or has a `..` or a NUL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a root is an absolute path without `..`")]
pub struct RootError;

impl<'t> Judge<'t> {
    /// # Errors
    /// When the root is none.
    pub fn new(policy: &'t Policy<'t>, root: &str) -> Result<Self, RootError> {
        Root::new(root.as_bytes()).map_err(|_| RootError)?;
        Ok(Self { policy, root: root.to_owned(), buffer: vec![0; BUFFER_BYTES], places: PLACES })
    }

    #[must_use]
    pub fn table(&self) -> &'t Table<'t> {
        self.policy.table()
    }

    /// Judges a request. `watch` sees the decision on each target, up to the first denial.
    pub fn answer(
        &mut self,
        roles: &[RoleId],
        request: &ToolRequest,
        watch: &mut dyn FnMut(&Decision<'_, '_>),
    ) -> Answer {
        let bytes = request.encode_to_vec();
        loop {
            match self.tried(roles, &bytes, watch) {
                Ok(answer) => return answer,
                // Most requests need little of either.
                Err(Needed::Buffer(needed)) => self.buffer.resize(needed.max(self.buffer.len().saturating_mul(2)), 0),
                Err(Needed::Places(needed)) => self.places = needed.max(self.places.saturating_mul(2)),
            }
        }
    }

    fn tried(
        &mut self,
        roles: &[RoleId],
        bytes: &[u8],
        watch: &mut dyn FnMut(&Decision<'_, '_>),
    ) -> Result<Answer, Needed> {
        let (policy, mut places) = (self.policy, vec![None; self.places]);
        let layers = [Layer { policy, roles }];
        let root = Root::new(self.root.as_bytes());
        let session = |_: &_| {
            let (root, scope, approval) = (root.ok()?, Scope::Everything, Approval::Missing);
            Some(Session { root, working_directory: &[], scope, layers: &layers, approval })
        };
        let mut strictest: Option<(Verdict, Answer)> = None;
        let mut obligations = Obligations::default();
        let mut see = |judged: &Judged<'_, '_>| {
            let decision = &judged.decision;
            watch(decision);
            obligations.add(decision);
            if strictest.as_ref().is_none_or(|(verdict, _)| decision.verdict() < *verdict) {
                strictest = Some((decision.verdict(), Answer::of(decision, judged.target)));
            }
        };
        let outcome = judge(bytes, session, &mut self.buffer, &mut places, &mut see);
        let refusal = match outcome {
            Outcome::Permit(_) => None,
            Outcome::Refuse(refused) => Some(refused.refusal),
        };
        Ok(match (refusal, strictest) {
            (Some(Refusal::HostBufferTooSmall { needed }), _) => return Err(Needed::Buffer(needed)),
            (Some(Refusal::HostObligationsTooSmall { needed }), _) => return Err(Needed::Places(needed)),
            (None | Some(Refusal::PolicyDenies(_) | Refusal::PolicyAsks(_)), Some((verdict, answer))) => {
                // A denial binds to nothing.
                let obligations = if verdict == Verdict::Deny { Obligations::default() } else { obligations };
                Answer { obligations, ..answer }
            }
            (Some(refusal), _) => Answer::refused(&refusal),
            (None, None) => Answer::refused(&Refusal::HostWithoutPolicy),
        })
    }
}

/// A buffer of the caller that was too small.
enum Needed {
    Buffer(usize),
    Places(usize),
}

impl Answer {
    /// The table's answer to facts that no request was read for.
    pub(crate) fn to_facts(table: &Table<'_>, facts: &Facts<'_>) -> Self {
        let decision = decide(table, facts);
        let mut obligations = Obligations::default();
        obligations.add(&decision);
        Self { obligations, ..Self::of(&decision, &[]) }
    }

    fn of(decision: &Decision<'_, '_>, target: &[u8]) -> Self {
        let table = decision.table();
        Self {
            verdict: match decision.verdict() {
                Verdict::Deny => Effect::Deny,
                Verdict::Ask => Effect::Ask,
                Verdict::Allow => Effect::Allow,
            },
            rule: decision.rule_name().to_owned(),
            code: decision.code().as_str().to_owned(),
            target: String::from_utf8_lossy(target).into_owned(),
            because: decision.because().map(str::to_owned),
            exceeded: decision.exceeded().map(|limit| bound(table, limit)),
            obligations: Obligations::default(),
            is_by_policy: true,
        }
    }

    fn refused(refusal: &Refusal<'_>) -> Self {
        let (mut sentence, mut quoted) = (String::new(), None);
        refusal.say(&mut |piece| match piece {
            Piece::Words(words) => sentence.push_str(words),
            Piece::Number(number) => sentence.push_str(&number.to_string()),
            Piece::Quoted(bytes) => {
                let text = String::from_utf8_lossy(bytes).into_owned();
                sentence.push_str(&quote(&text));
                quoted.get_or_insert(text);
            }
        });
        Self {
            verdict: Effect::Deny,
            rule: DEFAULT_DENY.to_owned(),
            code: refusal.code().to_owned(),
            target: quoted.unwrap_or_default(),
            because: Some(sentence),
            exceeded: None,
            obligations: Obligations::default(),
            is_by_policy: false,
        }
    }

    /// True when it is what the test expects.
    #[must_use]
    pub fn meets(&self, test: &Test) -> bool {
        self.verdict == test.expected && test.by.as_ref().is_none_or(|rule| *rule == self.rule)
    }

    /// Writes it on one line.
    #[must_use]
    pub fn in_words(&self) -> String {
        format!("{} by {} ({})", self.verdict.as_str(), quote(&self.rule), self.code)
    }
}

impl Obligations {
    fn add(&mut self, decision: &Decision<'_, '_>) {
        let table = decision.table();
        add_new(&mut self.requirements, decision.requirements().map(str::to_owned));
        add_new(&mut self.limits, decision.limits().map(|limit| bound(table, limit)));
        add_new(&mut self.budgets, decision.budgets().map(|budget| table.text(budget.name).to_owned()));
    }
}

fn add_new<T: PartialEq>(list: &mut Vec<T>, more: impl Iterator<Item = T>) {
    for one in more {
        if !list.contains(&one) {
            list.push(one);
        }
    }
}

fn bound(table: &Table<'_>, limit: Limit) -> Bound {
    let attribute = table.attribute(limit.attribute).map_or("", |attribute| table.text(attribute.name));
    Bound { attribute: attribute.to_owned(), most: limit.most }
}

impl NamedFacts {
    /// The facts that a decision was made by.
    #[must_use]
    pub fn of(decision: &Decision<'_, '_>) -> Self {
        let (table, facts) = (decision.table(), decision.facts());
        let mut named = Self::default();
        for (slot, attribute) in table.slots(facts.operation) {
            let name = || table.text(attribute.name).to_owned();
            match slot {
                Slot::String(place) => {
                    let text = facts.strings.get(place).copied().flatten();
                    named.strings.extend(text.map(|text| (name(), String::from_utf8_lossy(text).into_owned())));
                }
                Slot::Number(place) => {
                    named.numbers.extend(facts.numbers.get(place).copied().flatten().map(|number| (name(), number)));
                }
                Slot::Flag(place) => {
                    let is_set = facts.flags.checked_shr(u32::try_from(place).unwrap_or(u32::MAX)).unwrap_or(0) & 1;
                    named.flags.extend((is_set == 1).then(name));
                }
            }
        }
        named
    }

    /// The same facts in the names of a model.
    #[must_use]
    pub fn into_request(self, roles: BTreeSet<ModelRole>, operation: OperationId) -> Request {
        let Self { strings, numbers, flags } = self;
        Request { roles, operation, strings, numbers, flags }
    }
}

/// Enough for all but very long lines.
const BUFFER_BYTES: usize = 64 << 10;
/// Rules that permit the targets of most requests.
const PLACES: usize = 64;
