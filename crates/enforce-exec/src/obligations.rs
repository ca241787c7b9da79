//! A permit -> the obligations that its act is held to: limits, checks and budgets of all policies together.

use enforce_core::judge;
use table_format::{Budget, Limit, Measure, Period, Table};

/// The obligations of an act.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Obligations {
    /// The least of each limit that the request leaves open, or that only the act shows.
    limits: Vec<(String, u64)>,
    /// Checks to make before the act, each once.
    pub(crate) requirements: Vec<String>,
    /// Budgets that the act is charged to, each once.
    pub(crate) charges: Vec<Charge>,
    /// The first rule that permits the act.
    pub(crate) rule: Option<String>,
}

/// A budget that an act is charged to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Charge {
    /// Two policies may have budgets of one name; both count.
    pub(crate) name: String,
    /// The policy among those of the session.
    pub(crate) layer: usize,
    /// The policy's name, which it keeps when it is changed.
    pub(crate) policy: String,
    pub(crate) period: Period,
    pub(crate) most: u64,
    /// The number that is summed; without it, calls are counted.
    pub(crate) sum: Option<Sum>,
}

/// A number that a budget sums.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) attribute: String,
    /// The number that the request gives.
    pub(crate) given: Option<u64>,
}

/// A term of a rule that an act is not held to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnmetTerm<'t> {
    Limit { rule: &'t str, attribute: &'t str, most: u64 },
    Requirement { rule: &'t str, name: &'t str },
}

impl Obligations {
    /// The obligations of a permit.
    pub(crate) fn new(bound: &judge::Obligations<'_, '_>) -> Self {
        let first = bound.rules().next();
        let mut all = Self { rule: first.map(|pair| rule_name(bound, pair.layer).to_owned()), ..Self::default() };
        for (layer, limit) in bound.limits() {
            if let Some(table) = bound.table(layer) {
                all.limit(attribute(table, limit), limit.most);
            }
        }
        for (_, name) in bound.requirements() {
            if !all.requirements.iter().any(|known| known == name) {
                all.requirements.push(name.to_owned());
            }
        }
        for charge in charges(bound) {
            if !all.is_charged(&charge) {
                all.charges.push(charge);
            }
        }
        all
    }

    /// The charges for another operation that the act implies. Its calls count beside the act's own; a sum that the act itself
    /// is charged to counts everything that the act implies already.
    pub(crate) fn implied_charges(&self, bound: &judge::Obligations<'_, '_>) -> Vec<Charge> {
        charges(bound).filter(|charge| charge.sum.is_none() || !self.is_charged(charge)).collect()
    }

    fn is_charged(&self, charge: &Charge) -> bool {
        self.charges.iter().any(|known| known.layer == charge.layer && known.name == charge.name)
    }

    /// The least limit of an attribute.
    pub(crate) fn most(&self, attribute: &str) -> Option<u64> {
        self.limits.iter().find(|(name, _)| name == attribute).map(|(_, most)| *most)
    }

    /// The first term of another permission that an act held to these obligations does not meet.
    pub(crate) fn unmet_term<'t>(&self, bound: &judge::Obligations<'t, '_>) -> Option<UnmetTerm<'t>> {
        let limit = bound.limits().find_map(|(layer, limit)| {
            let attribute = attribute(bound.table(layer)?, limit);
            let is_open = self.most(attribute).is_none_or(|most| most > limit.most);
            is_open.then_some(UnmetTerm::Limit { rule: rule_name(bound, layer), attribute, most: limit.most })
        });
        limit.or_else(|| {
            let mut requirements = bound.requirements();
            let (layer, name) = requirements.find(|(_, name)| !self.requirements.iter().any(|known| known == name))?;
            Some(UnmetTerm::Requirement { rule: rule_name(bound, layer), name })
        })
    }

    /// Lowers the limit of an attribute, if it is not lower already.
    pub(crate) fn limit(&mut self, name: &str, most: u64) {
        match self.limits.iter_mut().find(|(known, _)| known == name) {
            Some((_, least)) => *least = most.min(*least),
            None => self.limits.push((name.to_owned(), most)),
        }
    }
}

fn charges(bound: &judge::Obligations<'_, '_>) -> impl Iterator<Item = Charge> {
    bound.budgets().filter_map(|(layer, budget)| Some(charge(bound, layer, bound.table(layer)?, &budget)))
}

fn charge(bound: &judge::Obligations<'_, '_>, layer: usize, table: &Table<'_>, budget: &Budget) -> Charge {
    let sum = match budget.measure {
        Measure::Calls => None,
        Measure::Sum(number) => {
            let attribute = table.attribute(number).map_or("", |attribute| table.text(attribute.name));
            Some(Sum { attribute: attribute.to_owned(), given: bound.number(layer, number) })
        }
    };
    Charge {
        name: table.text(budget.name).to_owned(),
        layer,
        policy: table.name().to_owned(),
        period: budget.period,
        most: budget.most,
        sum,
    }
}

/// The first rule of a policy that permits the act.
fn rule_name<'t>(bound: &judge::Obligations<'t, '_>, layer: usize) -> &'t str {
    let pair = bound.rules().find(|pair| pair.layer == layer);
    let named = pair.and_then(|pair| Some((bound.table(layer)?, bound.table(layer)?.rule(pair.rule)?)));
    named.map_or("", |(table, rule)| table.text(rule.name))
}

fn attribute<'t>(table: &Table<'t>, limit: Limit) -> &'t str {
    table.attribute(limit.attribute).map_or("", |attribute| table.text(attribute.name))
}
