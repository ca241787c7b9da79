//! What a request asks for, and what comes with it -> what its act is charged to: the budgets of every policy and of the
//! lease, each under a name of its own. And what the act came to -> what it was charged in the end.

use std::borrow::Cow;
use std::time::Duration;

use enforce_core::{Asked, Operation};
use exec_record::{Charge, Claim, Granted, LeaseBudget, Spent};
use table_format::Period;

use crate::again::Said;
use crate::measures::{BYTES, Measured, Shown, measured};
use crate::obligations::{self, Obligations, Sum, Terms};
use crate::session::Held;

/// Another operation that comes with an act: a file that a diff removes, renames or makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Further {
    pub(crate) operation: Operation,
    pub(crate) said: Said,
    /// Of the policies.
    pub(crate) charges: Vec<obligations::Charge>,
}

/// What an act is charged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Charges(Vec<Charged>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Charged {
    charge: Charge,
    /// The number that is settled after the act, and by what.
    settled: Option<(String, Shown)>,
}

/// A budget of a number that nobody knows of the act: what cannot be counted is not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unmeasured {
    pub(crate) budget: String,
    pub(crate) attribute: String,
    pub(crate) operation: Operation,
}

/// What an act took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Took {
    /// How long it lasted.
    pub(crate) time: Duration,
    /// Bytes, output or results that it gave.
    pub(crate) given: u64,
}

/// What an act was charged in the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bill {
    /// The places of what was held, and what was used of it.
    pub(crate) settle: Vec<(usize, u64)>,
    /// All of it together.
    pub(crate) sum: u64,
}

impl Charges {
    /// For its own operation, and once for each that comes with it.
    pub(crate) fn new(
        held: &Held,
        operation: Operation,
        terms: &Terms,
        further: &[Further],
    ) -> Result<Self, Unmeasured> {
        let (lease, bound) = (&held.session.granted.budgets, &terms.obligations);
        let mut charges = Self(Vec::new());
        for charge in &bound.charges {
            charges.add(of_policy(charge, operation, bound)?);
        }
        for budget in lease.iter().filter(|budget| is_of(budget, operation)) {
            charges.add(of_lease(budget, operation, &terms.said, bound)?);
        }
        for also in further {
            for charge in &also.charges {
                charges.add(of_policy(charge, also.operation, bound)?);
            }
            // What the act itself is charged by size has the size of all that comes with it.
            let is_counted = |budget: &&LeaseBudget| budget.attribute.is_some() && is_of(budget, operation);
            for budget in lease.iter().filter(|budget| is_of(budget, also.operation) && !is_counted(budget)) {
                charges.add(of_lease(budget, also.operation, &also.said, bound)?);
            }
        }
        Ok(charges)
    }

    /// What is asked of the state.
    pub(crate) fn asked(&self) -> Vec<Charge> {
        self.0.iter().map(|charged| charged.charge.clone()).collect()
    }

    /// What the act is held to: no more of anything than was granted.
    pub(crate) fn bind<'o>(&self, granted: &[Granted], obligations: &'o Obligations) -> Cow<'o, Obligations> {
        let mut bound = Cow::Borrowed(obligations);
        for (charged, granted) in self.0.iter().zip(granted) {
            if let Some((attribute, _)) = &charged.settled {
                bound.to_mut().limit(attribute, granted.amount);
            }
        }
        bound
    }

    /// The budget for want of which the act could not give so many bytes; nothing when it could not have anyway.
    pub(crate) fn too_few_bytes(&self, granted: &[Granted], needed: u64) -> Option<Spent> {
        let is_short = |(charged, granted): &(&Charged, &Granted)| {
            let is_bytes = charged.settled.as_ref().is_some_and(|(attribute, _)| attribute == BYTES);
            is_bytes && granted.amount < needed && needed <= charged.charge.amount
        };
        let (charged, granted) = self.0.iter().zip(granted).find(is_short)?;
        Some(granted.short_of(&charged.charge, needed))
    }

    /// What the act was charged in the end: never more than it was granted, which it was held to.
    pub(crate) fn bill(&self, granted: &[Granted], took: Took) -> Bill {
        let mut bill = Bill { settle: Vec::new(), sum: 0 };
        for (place, (charged, granted)) in self.0.iter().zip(granted).enumerate() {
            let amount = match charged.settled {
                Some((_, shown)) => {
                    let used = match shown {
                        Shown::Time => millis_up(took.time),
                        Shown::Given => took.given,
                    };
                    let used = used.min(granted.amount);
                    bill.settle.push((place, used));
                    used
                }
                None => granted.amount,
            };
            bill.sum = bill.sum.saturating_add(amount);
        }
        bill
    }

    /// However much comes with an act, a budget is charged in one sum, but for what is settled.
    fn add(&mut self, charged: Charged) {
        let is_same = |known: &&mut Charged| {
            let (one, other) = (&known.charge, &charged.charge);
            let are_final = known.settled.is_none() && charged.settled.is_none();
            are_final && (&one.budget, one.period, one.most) == (&other.budget, other.period, other.most)
        };
        match self.0.iter_mut().find(is_same) {
            Some(known) => known.charge.amount = known.charge.amount.saturating_add(charged.charge.amount),
            None => self.0.push(charged),
        }
    }
}

fn of_policy(charge: &obligations::Charge, operation: Operation, bound: &Obligations) -> Result<Charged, Unmeasured> {
    let budget = format!("{}/{}", charge.policy, charge.name);
    charged(budget, charge.period, charge.most, charge.sum.as_ref(), operation, bound)
}

fn of_lease(
    budget: &LeaseBudget,
    operation: Operation,
    said: &Said,
    bound: &Obligations,
) -> Result<Charged, Unmeasured> {
    let summed = |attribute: &String| Sum { attribute: attribute.clone(), said: said.number(operation, attribute) };
    let sum = budget.attribute.as_ref().map(summed);
    // No policy has such a name.
    let name = format!("lease:{}", budget.name);
    charged(name, Period::Session, budget.most, sum.as_ref(), operation, bound)
}

fn charged(
    budget: String,
    period: Period,
    most: u64,
    sum: Option<&Sum>,
    operation: Operation,
    bound: &Obligations,
) -> Result<Charged, Unmeasured> {
    let Some(Sum { attribute, said }) = sum else {
        let charge = Charge { budget, period, most, amount: 1, claim: Claim::Spend };
        return Ok(Charged { charge, settled: None });
    };
    match measured(operation, attribute, *said, bound) {
        Some(Measured { amount, claim, shown }) => Ok(Charged {
            charge: Charge { budget, period, most, amount, claim },
            settled: shown.map(|shown| (attribute.clone(), shown)),
        }),
        None => Err(Unmeasured { budget, attribute: attribute.clone(), operation }),
    }
}

fn is_of(budget: &LeaseBudget, operation: Operation) -> bool {
    Asked::BuiltIn(operation).is_named(&budget.operation)
}

/// A part of a millisecond is one.
fn millis_up(time: Duration) -> u64 {
    u64::try_from(time.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX)
}
