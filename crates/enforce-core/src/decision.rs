//! What a request comes to: verdict, rule, code, and what a permitted act is bound to.

use table_format::{Budget, BudgetRoles, Limit, Operation, OperationId, RoleId, RuleId, Span, Table, Terms, TextRef};

use crate::diagram::number_slot;
use crate::facts::Facts;
use crate::rank::{Rank, RuleEffect};

/// What a decision comes to, the strongest first: of several, the least is the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Must not happen.
    Deny,
    /// May happen if a person agrees.
    Ask,
    /// May happen.
    Allow,
}

/// Why: what programs tell denials apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code<'a> {
    /// A rule allows it.
    Allowed,
    /// A rule leaves it to a person.
    ApprovalRequired,
    /// It is more than the rule permits.
    LimitExceeded,
    /// No rule permits a shell line that was not understood in full.
    ShellComplex,
    /// The table does not know the operation.
    OperationNotAllowed,
    /// The rule's own, or the operation's: `SECRET_PATH`, `FILE_READ_DENIED`.
    Named(&'a str),
}

/// A decision, with the table and the facts it was made from.
#[derive(Debug, Clone, Copy)]
pub struct Decision<'t, 'f> {
    table: &'t Table<'t>,
    facts: &'f Facts<'f>,
    rank: Rank,
}

impl<'t, 'f> Decision<'t, 'f> {
    /// May it happen?
    #[inline]
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self.rank.winner() {
            Some((RuleEffect::Allows, _)) => Verdict::Allow,
            Some((RuleEffect::Asks, _)) => Verdict::Ask,
            Some((RuleEffect::Denies | RuleEffect::AsksExceeded | RuleEffect::AllowsExceeded, _)) | None => {
                Verdict::Deny
            }
        }
    }

    /// The rule that decided: the first in source order among those of the strongest effect. `None`
    /// when no rule speaks of the request, which is a denial.
    #[must_use]
    pub fn rule(&self) -> Option<RuleId> {
        self.rank.winner().map(|(_, rule)| rule)
    }

    /// The name of the rule that decided, or [`DEFAULT_DENY`].
    #[must_use]
    pub fn rule_name(&self) -> &'t str {
        self.reason().rule_name()
    }

    /// The rationale code.
    #[must_use]
    pub fn code(&self) -> Code<'t> {
        self.reason().code()
    }

    /// Why, without the facts.
    pub(crate) fn reason(&self) -> Reason<'t> {
        let operation = self.table.operation(self.facts.operation);
        let is_complex = operation.is_some_and(|operation| is_complex(&operation, self.facts));
        Reason { table: self.table, operation: self.facts.operation, rank: self.rank, is_complex }
    }

    /// The rule's reason, for people.
    #[must_use]
    pub fn because(&self) -> Option<&'t str> {
        self.reason().because()
    }

    /// The limit that was exceeded, when the code is [`Code::LimitExceeded`].
    #[must_use]
    pub fn exceeded(&self) -> Option<Limit> {
        let Some((RuleEffect::AsksExceeded | RuleEffect::AllowsExceeded, _)) = self.rank.winner() else {
            return None;
        };
        let (table, operation) = (self.table, self.table.operation(self.facts.operation)?);
        table.limits(self.terms()?.limits).find(|limit| {
            let slot = number_slot(table, &operation, limit.attribute);
            slot.and_then(|slot| self.facts.number(slot)).is_some_and(|number| number > limit.most)
        })
    }

    /// The operation asked for.
    #[must_use]
    pub fn operation(&self) -> OperationId {
        self.facts.operation
    }

    /// The table that was judged from.
    #[must_use]
    pub fn table(&self) -> &'t Table<'t> {
        self.table
    }

    /// What was judged.
    #[must_use]
    pub fn facts(&self) -> &'f Facts<'f> {
        self.facts
    }

    /// Checks to make before the act. A denial binds to nothing.
    pub fn requirements(&self) -> impl Iterator<Item = &'t str> + use<'t, 'f> {
        let table = self.table;
        self.permitting_rule().into_iter().flat_map(move |rule| requirements(table, rule))
    }

    /// Limits that the executor holds, because the request leaves the number open or only the act
    /// shows it.
    pub fn limits(&self) -> impl Iterator<Item = Limit> + use<'t, 'f> {
        let (table, facts) = (self.table, self.facts);
        let is_given = move |slot| facts.number(slot).is_some();
        self.permitting_rule().into_iter().flat_map(move |rule| open_limits(table, facts.operation, rule, is_given))
    }

    /// Budgets the act is charged to.
    pub fn budgets(&self) -> impl Iterator<Item = Budget> + use<'t, 'f> {
        let (table, facts) = (self.table, self.facts);
        self.permitting_rule().into_iter().flat_map(move |_| budgets(table, facts.operation, facts.roles))
    }

    #[inline(always)]
    pub(crate) fn new(table: &'t Table<'t>, facts: &'f Facts<'f>, rank: Rank) -> Self {
        Self { table, facts, rank }
    }

    fn terms(&self) -> Option<Terms> {
        self.table.terms(self.rule()?)
    }

    fn permitting_rule(&self) -> Option<RuleId> {
        match self.verdict() {
            Verdict::Deny => None,
            Verdict::Ask | Verdict::Allow => self.rule(),
        }
    }
}

/// The checks that a rule requires.
pub(crate) fn requirements<'t>(table: &'t Table<'t>, rule: RuleId) -> impl Iterator<Item = &'t str> + use<'t> {
    let words = table.terms(rule).map_or(Span::default(), |terms| terms.requirements);
    table.list(words).map(|text| table.text(TextRef(text)))
}

/// The limits of a rule on numbers of an operation that are not given.
pub(crate) fn open_limits<'t, G: Fn(usize) -> bool>(
    table: &'t Table<'t>,
    operation: OperationId,
    rule: RuleId,
    is_given: G,
) -> impl Iterator<Item = Limit> + use<'t, G> {
    let operation = table.operation(operation);
    let limits = table.terms(rule).map_or(Span::default(), |terms| terms.limits);
    table.limits(limits).filter(move |limit| {
        let slot = operation.and_then(|operation| number_slot(table, &operation, limit.attribute));
        slot.is_some_and(|slot| !is_given(slot))
    })
}

/// The budgets that these roles are charged to for an operation.
pub(crate) fn budgets<'t, 'f>(
    table: &'t Table<'t>,
    operation: OperationId,
    held: &'f [RoleId],
) -> impl Iterator<Item = Budget> + use<'t, 'f> {
    let charged = table.operation(operation).map(|operation| table.budgets(&operation)).into_iter().flatten();
    charged.filter_map(|budget| table.budget(budget)).filter(move |budget| match budget.roles {
        BudgetRoles::Anyone => true,
        BudgetRoles::Roles(roles) => held.iter().any(|held| table.list(roles).any(|role| table.is_role(*held, role))),
    })
}

/// What a decision was made by. It outlives the facts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reason<'t> {
    table: &'t Table<'t>,
    operation: OperationId,
    rank: Rank,
    is_complex: bool,
}

impl<'t> Reason<'t> {
    pub(crate) fn table(&self) -> &'t Table<'t> {
        self.table
    }

    pub(crate) fn operation_name(&self) -> &'t str {
        self.table.operation(self.operation).map_or("", |operation| self.table.text(operation.name))
    }

    pub(crate) fn rule(&self) -> Option<RuleId> {
        self.rank.winner().map(|(_, rule)| rule)
    }

    pub(crate) fn rule_name(&self) -> &'t str {
        let rule = self.rule().and_then(|rule| self.table.rule(rule));
        rule.map_or(DEFAULT_DENY, |rule| self.table.text(rule.name))
    }

    pub(crate) fn because(&self) -> Option<&'t str> {
        let terms = self.table.terms(self.rule()?)?;
        terms.because.map(|text| self.table.text(text))
    }

    pub(crate) fn code(&self) -> Code<'t> {
        let Some(operation) = self.table.operation(self.operation) else {
            return Code::OperationNotAllowed;
        };
        match self.rank.winner() {
            Some((RuleEffect::Allows, _)) => Code::Allowed,
            Some((RuleEffect::Asks, _)) => Code::ApprovalRequired,
            Some((RuleEffect::AsksExceeded | RuleEffect::AllowsExceeded, _)) => Code::LimitExceeded,
            Some((RuleEffect::Denies, rule)) => {
                let own = self.table.terms(rule).and_then(|terms| terms.code);
                Code::Named(self.table.text(own.unwrap_or(operation.denial_code)))
            }
            None if self.is_complex => Code::ShellComplex,
            None => Code::Named(self.table.text(operation.denial_code)),
        }
    }
}

impl<'a> Code<'a> {
    /// As programs read it.
    #[must_use]
    pub fn as_str(self) -> &'a str {
        match self {
            Self::Allowed => "ALLOWED",
            Self::ApprovalRequired => "APPROVAL_REQUIRED",
            Self::LimitExceeded => "LIMIT_EXCEEDED",
            Self::ShellComplex => "SHELL_COMPLEX",
            Self::OperationNotAllowed => "OPERATION_NOT_ALLOWED",
            Self::Named(name) => name,
        }
    }
}

/// The rule that decides when no other does.
pub const DEFAULT_DENY: &str = "default-deny";

fn is_complex(operation: &Operation, facts: &Facts<'_>) -> bool {
    operation.complex.checked_sub(1).is_some_and(|slot| facts.flag(u32::from(slot)))
}
