//! A few rules and what a request says -> rows of a table, and what the rules come to by themselves: the same small
//! world twice, once as the core reads it and once in words.

use core::fmt;

use table_format::Table;

use crate::cases::Source;
use crate::sheet::{RULES_MAX, SHEET_BYTES_MAX, open_vouched};

mod rows;

pub(crate) use rows::sheet;

pub use Asked::*;
pub use Bound::*;
pub use Does::*;
pub use Who::*;

/// What a rule does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// Forbids.
    Denies,
    /// Leaves it to a person.
    Asks,
    /// Lets it happen.
    Allows,
}

/// Whom a rule is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Every request.
    Anyone,
    /// Who holds the first role.
    First,
    /// Who holds the second role.
    Second,
    /// Who holds none.
    Nobody,
}

/// When a rule holds. The number and the flag are the only ones of the operation, and so is the string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// In any case.
    Always,
    /// The string is [`B`], and nothing or a slash follows.
    Named,
    /// The flag is set.
    Flag,
    /// The number is 1 at most.
    Small,
    /// The flag is not set.
    NoFlag,
    /// The number is 2 or 3, or open.
    Middle,
    /// The string starts with [`A`].
    StartsWithA,
    /// The string is [`B`] and [`A`].
    IsBa,
    /// Neither of both.
    IsOther,
    /// There is a slash.
    HasSlash,
    /// There is none before which [`A`] stands, and after which no other is.
    NotBehindA,
    /// The last slash is the first byte.
    OnlyFirst,
    /// The flag is set and the number is 1 at most.
    FlagAndSmall,
}

/// What bounds the number of a rule. A rule that denies has none: bounded, it has a code of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Nothing.
    Unbounded,
    /// A limit of 1 that is looked at when the rule holds, after one that is about nothing in the request. There is also
    /// something to check before it permits.
    Limited,
    /// A limit of 1 that is part of the diagram.
    Drawn,
}

/// A rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// What it does.
    pub does: Does,
    /// Whom it is about.
    pub who: Who,
    /// When it holds.
    pub asked: Asked,
    /// What bounds its number.
    pub bound: Bound,
}

/// What a request says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Said<'a> {
    /// Which roles it holds.
    pub roles: &'a [usize],
    /// The string.
    pub string: Option<&'a [u8]>,
    /// The number.
    pub number: Option<u64>,
    /// The flag.
    pub flag: bool,
}

/// What rules come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// What happens.
    pub does: Does,
    /// The rule that has the word.
    pub rule: Option<usize>,
    /// Whether it is denied because its number is over a limit.
    pub is_exceeded: bool,
}

impl Rule {
    /// Draws any.
    pub fn draw<S: Source>(source: &mut S) -> Self {
        let does = source.one_of(&DOES_ALL);
        let bounds = if does == Denies { 2 } else { 3 };
        Self::draw_among(source, does, WHO_ALL.len(), ASKED_ALL.len(), bounds)
    }

    /// Draws one of few: about anyone or the first role, with one of the first `asked` conditions.
    pub fn draw_plain<S: Source>(source: &mut S, does: Does, asked: usize) -> Self {
        Self::draw_among(source, does, 2, asked, 2)
    }

    fn draw_among<S: Source>(source: &mut S, does: Does, who: usize, asked: usize, bounds: usize) -> Self {
        let who = source.one_of(WHO_ALL.get(..who).unwrap_or(WHO_ALL));
        let asked = source.one_of(ASKED_ALL.get(..asked).unwrap_or(ASKED_ALL));
        Self { does, who, asked, bound: source.one_of(BOUNDS_ALL.get(..bounds).unwrap_or_default()) }
    }

    /// Whether its words are true of a request. Limits do not matter for that.
    #[must_use]
    pub fn applies(&self, said: &Said<'_>) -> bool {
        let is_about = match self.who {
            Anyone => true,
            First => said.roles.contains(&0),
            Second => said.roles.contains(&1),
            Nobody => said.roles.is_empty(),
        };
        let string = said.string.unwrap_or_default();
        let is_small = said.number.is_some_and(|number| number <= MOST);
        is_about
            && match self.asked {
                Always => true,
                Named => matches!(string, [B] | [B, SLASH, ..]),
                Flag => said.flag,
                Small => is_small,
                NoFlag => !said.flag,
                Middle => said.number.is_none_or(|number| number == 2 || number == 3),
                StartsWithA => matches!(string, [A, ..]),
                IsBa => matches!(string, [B, A]),
                IsOther => !matches!(string, [A, ..] | [B, A]),
                HasSlash => string.contains(&SLASH),
                NotBehindA => before_last_slash(string) != Some(Some(A)),
                OnlyFirst => before_last_slash(string) == Some(None),
                FlagAndSmall => said.flag && is_small,
            }
    }

    /// Whether the request is over its limit. What is open is not.
    #[must_use]
    pub fn is_exceeded(&self, said: &Said<'_>) -> bool {
        self.is_limited() && said.number.is_some_and(|number| number > MOST)
    }

    /// Whether it has a limit.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.does != Denies && self.bound != Unbounded
    }

    /// Whether it looks at the string.
    #[must_use]
    pub fn sees_string(&self) -> bool {
        matches!(self.asked, Named | StartsWithA | IsBa | IsOther | HasSlash | NotBehindA | OnlyFirst)
    }

    /// Whether it looks at the number.
    #[must_use]
    pub fn sees_number(&self) -> bool {
        self.is_limited() || matches!(self.asked, Small | Middle | FlagAndSmall)
    }

    /// Whether it denies with a code of its own.
    #[must_use]
    pub fn has_code(&self) -> bool {
        self.does == Denies && self.bound != Unbounded
    }
}

/// What stands before the last slash, if there is one.
fn before_last_slash(string: &[u8]) -> Option<Option<u8>> {
    let place = string.iter().rposition(|byte| *byte == SLASH)?;
    Some(string.get(..place).and_then(<[u8]>::last).copied())
}

/// The six steps of the language reference, over what applies.
#[must_use]
pub fn expected(rules: &[Rule], said: &Said<'_>) -> Answer {
    let first = |does: Does, is_exceeded: bool| {
        rules.iter().position(|rule| rule.does == does && rule.applies(said) && rule.is_exceeded(said) == is_exceeded)
    };
    let denied = |rule: Option<usize>, is_exceeded: bool| Answer { does: Denies, rule, is_exceeded };
    if let Some(rule) = first(Denies, false) {
        return denied(Some(rule), false);
    }
    for does in [Asks, Allows] {
        if let Some(rule) = first(does, false) {
            return Answer { does, rule: Some(rule), is_exceeded: false };
        }
        if let Some(rule) = first(does, true) {
            return denied(Some(rule), true);
        }
    }
    denied(None, false)
}

/// Up to `N` rules: the first of them about any role and with any condition; the others with one of the first `ASKED`
/// conditions, about anyone or the first role. Requests hold one of the first `HELD` of [`ROLE_LISTS`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Rules<const N: usize, const ASKED: usize, const HELD: usize> {
    rules: [Rule; N],
    len: usize,
}

impl<const N: usize, const ASKED: usize, const HELD: usize> Rules<N, ASKED, HELD> {
    /// These rules, and no more than there is room for.
    #[must_use]
    pub fn of(rules: &[Rule]) -> Self {
        let mut list = [SILENCE; N];
        let len = list.iter_mut().zip(rules).map(|(to, from)| *to = *from).count();
        Self { rules: list, len }
    }

    /// Another rule before the one of that place.
    #[must_use]
    pub fn with<const M: usize>(&self, rule: Rule, place: usize) -> Rules<M, ASKED, HELD> {
        let (before, after) = self.as_slice().split_at_checked(place).unwrap_or_default();
        let mut all = [SILENCE; RULES_MAX];
        let rules = before.iter().chain([&rule]).chain(after);
        let len = all.iter_mut().zip(rules).map(|(to, from)| *to = *from).count();
        Rules::of(all.get(..len).unwrap_or_default())
    }

    /// The rules.
    #[must_use]
    pub fn as_slice(&self) -> &[Rule] {
        self.rules.get(..self.len).unwrap_or_default()
    }
}

impl<const N: usize, const ASKED: usize, const HELD: usize> fmt::Debug for Rules<N, ASKED, HELD> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rules::of(&{:?})", self.as_slice())
    }
}

/// Rules and a table of them. Engines that count or roll dice choose the rules ([`Rules`]); a model checker gets bytes
/// that were written before ([`crate::kept::Kept`]), because a table in which it could choose anything is one in which
/// it has to look everywhere.
pub trait World: fmt::Debug + Sized {
    /// From how many lists of roles requests choose theirs.
    const ROLE_LISTS: usize;

    /// Makes one.
    fn draw<S: Source>(source: &mut S) -> Self;

    /// The rules in source order.
    fn rules(&self) -> &[Rule];

    /// Hands on the table of the rules.
    fn with_table<R>(&self, ask: impl FnOnce(&Table<'_>) -> R) -> R;
}

impl<const N: usize, const ASKED: usize, const HELD: usize> World for Rules<N, ASKED, HELD> {
    const ROLE_LISTS: usize = HELD;

    fn draw<S: Source>(source: &mut S) -> Self {
        let mut drawn = Self { rules: [SILENCE; N], len: source.below(N.saturating_add(1)) };
        let len = drawn.len;
        for (place, rule) in drawn.rules.iter_mut().take(len).enumerate() {
            *rule = if place == 0 {
                Rule::draw(source)
            } else {
                let does = source.one_of(&DOES_ALL);
                Rule::draw_plain(source, does, ASKED)
            };
        }
        drawn
    }

    fn rules(&self) -> &[Rule] {
        self.as_slice()
    }

    fn with_table<R>(&self, ask: impl FnOnce(&Table<'_>) -> R) -> R {
        let mut buffer = [0; SHEET_BYTES_MAX];
        let written = sheet(self.as_slice(), true).write(&mut buffer);
        match written.ok().and_then(|bytes| open_vouched(bytes).ok()) {
            Some(table) => ask(&table),
            None => unreachable!("rows of rules are a table"),
        }
    }
}

/// What roles requests hold.
pub const ROLE_LISTS: &[&[usize]] = &[&[], &[0], &[1, 0], &[1], &[0, 1]];
/// Letters, so small that the cells of a choice are few.
pub const A: u8 = 0;
/// The other one.
pub const B: u8 = 1;
pub(crate) const SLASH: u8 = b'/';
/// A letter that no rule names.
pub(crate) const OTHER: u8 = 2;
/// What limits of rules say.
pub(crate) const MOST: u64 = 1;
pub(crate) const DOES_ALL: [Does; 3] = [Denies, Asks, Allows];
const BOUNDS_ALL: [Bound; 3] = [Unbounded, Limited, Drawn];
const WHO_ALL: &[Who] = &[Anyone, First, Second, Nobody];
const ASKED_ALL: &[Asked] = &[
    Always,
    Named,
    Flag,
    Small,
    NoFlag,
    Middle,
    StartsWithA,
    IsBa,
    IsOther,
    HasSlash,
    NotBehindA,
    OnlyFirst,
    FlagAndSmall,
];
/// Stands where no rule is.
const SILENCE: Rule = Rule { does: Denies, who: Nobody, asked: Always, bound: Unbounded };
