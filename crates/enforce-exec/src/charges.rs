//! What a request asks for, and what comes with it -> what its act is charged to: the budgets of every policy and of the
//! lease, each under a name of its own.

use enforce_core::{Asked, Operation};
use table_format::Period;

use crate::again::Said;
use crate::obligations::{self, Terms};
use crate::session::Held;
use crate::state::{Charge, LeaseBudget};

/// Another operation that comes with an act: a file that a diff removes, renames or makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Further {
    pub(crate) operation: Operation,
    pub(crate) said: Said,
    /// Of the policies.
    pub(crate) charges: Vec<obligations::Charge>,
}

/// What an act is charged: for its own operation, in the order of its obligations, and once for each that comes with it.
pub(crate) fn charges(held: &Held, operation: Operation, terms: &Terms, further: &[Further]) -> Vec<Charge> {
    let lease = &held.session.granted.budgets;
    let own =
        lease.iter().filter(|budget| is_of(budget, operation)).map(|budget| of_lease(budget, operation, &terms.said));
    let mut charges: Vec<Charge> = terms.obligations.charges.iter().map(of_policy).chain(own).collect();
    for also in further {
        also.charges.iter().map(of_policy).for_each(|charge| add(&mut charges, charge));
        // What the act itself is charged by size has the size of all that comes with it.
        let is_counted = |budget: &&LeaseBudget| budget.attribute.is_some() && is_of(budget, operation);
        let lease = lease.iter().filter(|budget| is_of(budget, also.operation) && !is_counted(budget));
        lease.for_each(|budget| add(&mut charges, of_lease(budget, also.operation, &also.said)));
    }
    charges
}

/// However much comes with an act, a budget is charged in one sum.
fn add(charges: &mut Vec<Charge>, charge: Charge) {
    let is_same =
        |known: &&mut Charge| (&known.budget, known.period, known.most) == (&charge.budget, charge.period, charge.most);
    match charges.iter_mut().find(is_same) {
        Some(known) => known.amount = known.amount.saturating_add(charge.amount),
        None => charges.push(charge),
    }
}

fn of_policy(charge: &obligations::Charge) -> Charge {
    Charge {
        budget: format!("{}/{}", charge.policy, charge.name),
        period: charge.period,
        most: charge.most,
        amount: charge.amount,
    }
}

fn of_lease(budget: &LeaseBudget, operation: Operation, said: &Said) -> Charge {
    Charge {
        // No policy has such a name.
        budget: format!("lease:{}", budget.name),
        period: Period::Session,
        most: budget.most,
        amount: budget.attribute.as_ref().map_or(1, |name| said.number(operation, name).unwrap_or(0)),
    }
}

fn is_of(budget: &LeaseBudget, operation: Operation) -> bool {
    Asked::BuiltIn(operation).is_named(&budget.operation)
}
