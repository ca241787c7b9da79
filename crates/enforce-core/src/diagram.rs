//! A way through the decision diagram: each node leads to nodes before it, so every way ends.

use table_format::{Child, Class, Edge, Effect, LANES_PER_OPERATION_MAX, Node, Operation, RuleId, Table};

use crate::facts::Facts;
use crate::rank::{Rank, Voice};

/// What nodes ask about: the request, and what the lanes found in its strings.
pub(crate) struct Request<'a> {
    pub(crate) table: &'a Table<'a>,
    pub(crate) facts: &'a Facts<'a>,
    pub(crate) operation: &'a Operation,
    /// For each lane of the operation its class, or the bits it collected.
    pub(crate) values: [u64; LANES_PER_OPERATION_MAX],
}

impl Request<'_> {
    /// The better one of `best` and of the rule that has the word from here on.
    #[inline(always)]
    pub(crate) fn follow(&self, root: Edge, driver: Class, best: Rank) -> Option<Rank> {
        let mut edge = root;
        while let Some(node) = edge.node() {
            edge = self.step(self.table.node(node)?, driver)?;
        }
        if edge == Edge::NOTHING { Some(best) } else { self.ends(edge, best) }
    }

    /// The better one of `best` and of the rule at the end of a way.
    #[inline(never)]
    fn ends(&self, edge: Edge, best: Rank) -> Option<Rank> {
        let rank = match edge.child()? {
            Child::Nothing => return Some(best),
            Child::Rule(rule) => self.rank(rule, best)?,
            Child::Within(rule) => Rank::new(self.voice(rule)?, rule),
            Child::Exceeded(rule) => Rank::new(exceeded(self.voice(rule)?), rule),
            Child::Node(_) => return None,
        };
        Some(best.min(rank))
    }

    #[inline(always)]
    fn step(&self, node: Node, driver: Class) -> Option<Edge> {
        match node {
            Node::Range { lane, low, children, otherwise } => {
                let place = self.class(lane, driver)?.wrapping_sub(low);
                if place < children.count {
                    self.table.edge(children.first.wrapping_add(place))
                } else {
                    Some(otherwise)
                }
            }
            Node::Bit { lane, bit, unset, set } => {
                let bits = self.values.get(usize::from(lane))?;
                Some(if bits.checked_shr(u32::from(bit))? & 1 == 1 { set } else { unset })
            }
            Node::Flag { slot, unset, set } => Some(if self.facts.flag(u32::from(slot)) { set } else { unset }),
            Node::Sorted { lane, pairs, otherwise } => {
                let class = self.class(lane, driver)?;
                let place = |pair: u32| pairs.first.wrapping_add(pair.wrapping_mul(2));
                let count = pairs.count >> 1;
                let pair = partition(count, |pair| Some(self.table.word(place(pair))? < class))?;
                if pair < count && self.table.word(place(pair))? == class {
                    self.table.edge(place(pair).wrapping_add(1))
                } else {
                    Some(otherwise)
                }
            }
            Node::Number { slot, first, bounds, open } => {
                let Some(number) = self.facts.number(usize::from(slot)) else {
                    return Some(open);
                };
                let bounds = u32::from(bounds);
                let place = |bound: u32| first.wrapping_add(bound.wrapping_mul(2));
                let interval = partition(bounds, |bound| Some(self.table.long(place(bound))? < number))?;
                self.table.edge(place(bounds).wrapping_add(interval))
            }
        }
    }

    #[inline(always)]
    fn class(&self, lane: u8, driver: Class) -> Option<u32> {
        if lane == Node::DRIVER {
            return Some(driver.0);
        }
        u32::try_from(*self.values.get(usize::from(lane))?).ok()
    }

    /// A rule whose conditions hold: its limits decide how it speaks. They are not looked at when it
    /// cannot do better anyway.
    #[inline]
    fn rank(&self, rule: u32, best: Rank) -> Option<Rank> {
        let terms = self.table.terms(RuleId(rule))?;
        let voice = voice_of(terms.effect);
        let rank = Rank::new(voice, rule);
        if rank >= best || terms.limits.count == 0 {
            return Some(rank);
        }
        let is_exceeded = self.table.limits(terms.limits).any(|limit| {
            number_slot(self.table, self.operation, limit.attribute)
                .and_then(|slot| self.facts.number(slot))
                .is_some_and(|number| number > limit.most)
        });
        Some(if is_exceeded { Rank::new(exceeded(voice), rule) } else { rank })
    }

    fn voice(&self, rule: u32) -> Option<Voice> {
        Some(voice_of(self.table.terms(RuleId(rule))?.effect))
    }
}

/// Which of the operation's numbers an attribute is, if it has it.
pub(crate) fn number_slot(table: &Table<'_>, operation: &Operation, attribute: u32) -> Option<usize> {
    let first = operation.first.checked_add(u32::from(operation.strings))?;
    let numbers = table_format::Span { first, count: u32::from(operation.numbers) };
    table.list(numbers).position(|number| number == attribute)
}

fn voice_of(effect: Effect) -> Voice {
    match effect {
        Effect::Deny => Voice::Denies,
        Effect::Ask => Voice::Asks,
        Effect::Allow => Voice::Allows,
    }
}

/// A denial has no limits, so it stays what it is.
fn exceeded(voice: Voice) -> Voice {
    match voice {
        Voice::Denies => Voice::Denies,
        Voice::Asks | Voice::AsksExceeded => Voice::AsksExceeded,
        Voice::Allows | Voice::AllowsExceeded => Voice::AllowsExceeded,
    }
}

/// How many of the first `count` things are `below`, when those that are come first.
fn partition(count: u32, below: impl Fn(u32) -> Option<bool>) -> Option<u32> {
    let (mut low, mut high) = (0_u32, count);
    while low < high {
        let middle = low.midpoint(high);
        if below(middle)? {
            low = middle.wrapping_add(1);
        } else {
            high = middle;
        }
    }
    Some(low)
}
