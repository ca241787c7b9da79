//! A way through the decision diagram: each node leads to nodes before it, so every way ends.

use table_format::{Child, Class, Edge, Effect, LANES_PER_OPERATION_MAX, Node, Operation, RuleId, Table};

use crate::facts::Facts;
use crate::rank::{Rank, RuleEffect};

/// What nodes ask about: the request, and what the lanes found in its strings.
pub(crate) struct Request<'a> {
    pub(crate) table: &'a Table<'a>,
    pub(crate) facts: &'a Facts<'a>,
    /// For each lane of the operation its class, or the bits it collected.
    pub(crate) values: [u32; LANES_PER_OPERATION_MAX],
}

impl Request<'_> {
    /// The better one of `best` and of the rule that has the word from here on.
    #[inline(always)]
    pub(crate) fn follow(&self, root: Edge, driver: Class, best: Rank) -> Option<Rank> {
        let mut edge = root;
        while let Some(node) = edge.node() {
            edge = self.step(self.table.node(node)?, driver)?;
        }
        let rank = match Rank::of(edge) {
            Some(rank) => rank,
            None => self.limited(edge)?,
        };
        Some(best.min(rank))
    }

    /// The rank of a rule whose conditions hold: its limits decide how it speaks.
    #[inline(never)]
    fn limited(&self, edge: Edge) -> Option<Rank> {
        let (Child::Rule(rule), Some(effect)) = edge.child() else {
            return None;
        };
        let (terms, operation) = (self.table.terms(RuleId(rule))?, self.table.operation(self.facts.operation)?);
        let is_exceeded = self.table.limits(terms.limits).any(|limit| {
            number_slot(self.table, &operation, limit.attribute)
                .and_then(|slot| self.facts.number(slot))
                .is_some_and(|number| number > limit.most)
        });
        let voice = match (effect, is_exceeded) {
            (Effect::Deny, _) => RuleEffect::Denies,
            (Effect::Ask, false) => RuleEffect::Asks,
            (Effect::Ask, true) => RuleEffect::AsksExceeded,
            (Effect::Allow, false) => RuleEffect::Allows,
            (Effect::Allow, true) => RuleEffect::AllowsExceeded,
        };
        Some(Rank::new(voice, rule))
    }

    #[inline(always)]
    fn step(&self, node: Node, driver: Class) -> Option<Edge> {
        match node {
            Node::Range { lane, low, children, otherwise } => {
                let place = self.class(lane, driver).wrapping_sub(low);
                if place < children.count {
                    self.table.edge(children.first.wrapping_add(place))
                } else {
                    Some(otherwise)
                }
            }
            Node::Bit { lane, bit, unset, set } => {
                let bits = self.values.get(usize::from(lane))?;
                Some(if bits.wrapping_shr(u32::from(bit)) & 1 == 1 { set } else { unset })
            }
            Node::Flag { slot, unset, set } => Some(if self.facts.flag(u32::from(slot)) { set } else { unset }),
            Node::Sorted { lane, pairs, otherwise } => {
                let class = self.class(lane, driver);
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

    /// What a lane has found; the class that the group is asked for when it is [`Node::DRIVER`].
    #[inline(always)]
    fn class(&self, lane: u8, driver: Class) -> u32 {
        self.values.get(usize::from(lane)).copied().unwrap_or(driver.0)
    }
}

/// Which of the operation's numbers an attribute is, if it has it.
pub(crate) fn number_slot(table: &Table<'_>, operation: &Operation, attribute: u32) -> Option<usize> {
    table.numbers(operation).position(|number| number == attribute)
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
