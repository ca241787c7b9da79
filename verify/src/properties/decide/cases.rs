//! Worlds and requests -> decisions: what properties of decisions are asked about.

use enforce_core::{Decision, Facts, Verdict, decide};
use table_format::{OperationId, RoleId, Table};

use crate::cases::{Bytes, Case, Source};
use crate::kept::{Kept, rules};
use crate::world::{A, B, DOES_ALL, Denies, OTHER, ROLE_LISTS, Rule, Rules, SLASH, Said, World};

pub use Of::*;

/// A world, and what a request with a string of up to `N` bytes says.
#[derive(Debug, Clone, Copy)]
pub struct Judged<W, const N: usize> {
    /// The rules.
    pub world: W,
    /// The request.
    pub request: Request<N>,
}

impl<W: World, const N: usize> Case for Judged<W, N> {
    fn draw<S: Source>(source: &mut S) -> Self {
        let world = W::draw(source);
        let request = Request::draw(source, world.rules(), W::ROLE_LISTS);
        Self { world, request }
    }
}

/// What a request says.
#[derive(Debug, Clone, Copy)]
pub struct Request<const N: usize> {
    /// Which of [`ROLE_LISTS`] it holds.
    pub roles: usize,
    /// The string.
    pub string: Option<Bytes<N>>,
    /// The number.
    pub number: Option<u64>,
    /// The flag.
    pub flag: bool,
}

impl<const N: usize> Request<N> {
    /// Draws everything that rules look at. What they do not look at is there or not, which is all they could see.
    fn draw<'r, S: Source>(source: &mut S, rules: impl IntoIterator<Item = &'r Rule>, role_lists: usize) -> Self {
        let (mut sees_string, mut sees_number) = (false, false);
        for rule in rules {
            sees_string |= rule.sees_string();
            sees_number |= rule.sees_number();
        }
        let string =
            source.flag().then(|| if sees_string { Bytes::draw(source, STRING_BYTES) } else { Bytes::of(&[A]) });
        let number = match sees_number {
            // A limit is looked up by the rule that has the word, so a model checker has to know which does.
            true if N == 0 => NUMBERS.get(source.settled(NUMBERS.len().saturating_add(1))).copied(),
            true => source.flag().then(|| source.number(NUMBERS)),
            false => source.flag().then_some(0),
        };
        let roles = if role_lists > 1 { source.below(role_lists) } else { 0 };
        Self { roles, string, number, flag: source.flag() }
    }

    pub(super) fn said(&self) -> Said<'_> {
        Said {
            roles: ROLE_LISTS.get(self.roles).copied().unwrap_or_default(),
            string: self.string.as_ref().map(Bytes::as_slice),
            number: self.number,
            flag: self.flag,
        }
    }

    /// Asks for the operation that the rules are about.
    pub(super) fn ask<R>(&self, table: &Table<'_>, see: impl FnOnce(&Decision<'_, '_>) -> R) -> R {
        self.ask_for(table, own_operation(table), None, see)
    }

    /// Asks for any, with a role more.
    pub(super) fn ask_for<R>(
        &self,
        table: &Table<'_>,
        operation: OperationId,
        foreign: Option<RoleId>,
        see: impl FnOnce(&Decision<'_, '_>) -> R,
    ) -> R {
        let said = self.said();
        let mut roles = [RoleId::NONE; 3];
        let own = said.roles.iter().filter_map(|role| table.roles().nth(*role));
        let held = roles.iter_mut().zip(own.chain(foreign)).map(|(to, from)| *to = from).count();
        let facts = Facts {
            operation,
            roles: roles.get(..held).unwrap_or_default(),
            strings: &[said.string],
            numbers: &[said.number],
            flags: u64::from(said.flag),
        };
        see(&decide(table, &facts))
    }
}

/// A world, a request, and what in it is of another table.
#[derive(Debug, Clone, Copy)]
pub struct Foreign<W, const N: usize> {
    /// The rules.
    pub world: W,
    /// The request.
    pub request: Request<N>,
    /// What is foreign.
    pub of: Of,
}

/// What of a request is of another table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// Nothing is.
    NothingForeign,
    /// What is asked for.
    ForeignOperation,
    /// A role that is held.
    ForeignRole,
}

impl<W: World, const N: usize> Case for Foreign<W, N> {
    fn draw<S: Source>(source: &mut S) -> Self {
        let Judged { world, request } = Judged::draw(source);
        Self { world, request, of: source.one_of(&[NothingForeign, ForeignOperation, ForeignRole]) }
    }
}

/// Rules, and one more.
pub trait Pair: core::fmt::Debug + Sized {
    /// From how many lists of roles requests choose theirs.
    const ROLE_LISTS: usize;

    /// Makes one.
    fn draw<S: Source>(source: &mut S) -> Self;

    /// The rules without it.
    fn before(&self) -> &[Rule];

    /// The rule.
    fn added(&self) -> Rule;

    /// Hands on the tables of the rules without it and with it.
    fn with_tables<R>(&self, ask: impl FnOnce(&Table<'_>, &Table<'_>) -> R) -> R;
}

/// Rules, one more that does the same as the `DOES`th of all effects, and before which of them it stands.
#[derive(Debug, Clone, Copy)]
pub struct Inserted<const DOES: usize, const N: usize, const ASKED: usize, const HELD: usize> {
    /// The rules.
    pub rules: Rules<N, ASKED, HELD>,
    /// One more.
    pub rule: Rule,
    /// Before which it stands.
    pub place: usize,
}

impl<const DOES: usize, const N: usize, const ASKED: usize, const HELD: usize> Pair for Inserted<DOES, N, ASKED, HELD> {
    const ROLE_LISTS: usize = <Rules<N, ASKED, HELD> as World>::ROLE_LISTS;

    fn draw<S: Source>(source: &mut S) -> Self {
        let rules = Rules::draw(source);
        let rule = Rule::draw_plain(source, DOES_ALL.get(DOES).copied().unwrap_or(Denies), ASKED);
        Self { rules, rule, place: source.below(rules.as_slice().len().saturating_add(1)) }
    }

    fn before(&self) -> &[Rule] {
        self.rules.as_slice()
    }

    fn added(&self) -> Rule {
        self.rule
    }

    fn with_tables<R>(&self, ask: impl FnOnce(&Table<'_>, &Table<'_>) -> R) -> R {
        let after = self.rules.with::<4>(self.rule, self.place);
        self.rules.with_table(|one| after.with_table(|other| ask(one, other)))
    }
}

/// Two kept tables, of which the second has one rule more at its end.
#[derive(Debug, Clone, Copy)]
pub struct Grown<const BEFORE: usize, const AFTER: usize>;

impl<const BEFORE: usize, const AFTER: usize> Pair for Grown<BEFORE, AFTER> {
    const ROLE_LISTS: usize = Kept::<BEFORE>::ROLE_LISTS;

    fn draw<S: Source>(_: &mut S) -> Self {
        Self
    }

    fn before(&self) -> &[Rule] {
        rules(BEFORE)
    }

    fn added(&self) -> Rule {
        match rules(AFTER).last() {
            Some(rule) => *rule,
            None => unreachable!("there is one more"),
        }
    }

    fn with_tables<R>(&self, ask: impl FnOnce(&Table<'_>, &Table<'_>) -> R) -> R {
        Kept::<BEFORE>.with_table(|one| Kept::<AFTER>.with_table(|other| ask(one, other)))
    }
}

/// Rules, one more, and a request.
#[derive(Debug, Clone, Copy)]
pub struct Added<P, const N: usize> {
    /// The rules and one more.
    pub pair: P,
    /// The request.
    pub request: Request<N>,
}

impl<P: Pair, const N: usize> Case for Added<P, N> {
    fn draw<S: Source>(source: &mut S) -> Self {
        let pair = P::draw(source);
        let request = Request::draw(source, pair.before().iter().chain([&pair.added()]), P::ROLE_LISTS);
        Self { pair, request }
    }
}

impl<P: Pair, const N: usize> Added<P, N> {
    pub(super) fn verdicts(&self) -> (Verdict, Verdict) {
        let verdict = |table: &Table<'_>| self.request.ask(table, |decision| decision.verdict());
        self.pair.with_tables(|before, after| (verdict(before), verdict(after)))
    }
}

/// Three tables, and a request that each of them judges.
#[derive(Debug, Clone, Copy)]
pub struct Layers<A, B, C, const N: usize> {
    /// One of them.
    pub one: A,
    /// Another.
    pub other: B,
    /// And the last.
    pub third: C,
    /// The request.
    pub request: Request<N>,
}

impl<A: World, B: World, C: World, const N: usize> Case for Layers<A, B, C, N> {
    fn draw<S: Source>(source: &mut S) -> Self {
        let (one, other, third) = (A::draw(source), B::draw(source), C::draw(source));
        let rules = one.rules().iter().chain(other.rules()).chain(third.rules());
        let request = Request::draw(source, rules, A::ROLE_LISTS);
        Self { one, other, third, request }
    }
}

impl<A: World, B: World, C: World, const N: usize> Layers<A, B, C, N> {
    pub(super) fn with_decisions<R>(&self, see: impl FnOnce([&Decision<'_, '_>; 3]) -> R) -> R {
        let request = &self.request;
        self.one.with_table(|one| {
            self.other.with_table(|other| {
                self.third.with_table(|third| {
                    request.ask(one, |one| {
                        request.ask(other, |other| request.ask(third, |third| see([one, other, third])))
                    })
                })
            })
        })
    }
}

/// The operation that the rules are about is the only one.
pub(super) fn own_operation(table: &Table<'_>) -> OperationId {
    match table.operations().next() {
        Some(operation) => operation,
        None => unreachable!("a world has an operation"),
    }
}

/// What the strings of requests are made of: what rules tell apart, and a letter that none names.
pub(crate) const STRING_BYTES: &[u8] = &[A, B, SLASH, OTHER];
/// On both sides of what rules ask for.
const NUMBERS: &[u64] = &[1, 2, 3, 4];
