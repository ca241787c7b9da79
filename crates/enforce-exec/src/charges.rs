//! A permitted request and the operations that it implies -> the charges to the budgets of every policy and of the lease;
//! and the usage of its act -> the final bill.

use std::borrow::Cow;
use std::time::Duration;

use enforce_core::judge::RequestAttributes;
use enforce_core::{Asked, Operation};
use exec_record::{Charge, Claim, Granted, LeaseBudget, Spent};
use table_format::Period;

use crate::measures::{BYTES, Measured, UsageSource, measured};
use crate::obligations::{self, Obligations, Sum};
use crate::session::LoadedSession;

/// Another operation that an act implies: a file that a diff removes, renames or creates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ImpliedOperation {
    pub(crate) attributes: RequestAttributes<'static>,
    /// The charges of the policies; those of the lease are added later.
    pub(crate) charges: Vec<obligations::Charge>,
}

/// The charges of one act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Charges(Vec<Charged>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Charged {
    charge: Charge,
    /// The number that is settled after the act, and the source of its usage.
    settled: Option<(String, UsageSource)>,
}

/// A budget of a number that the act cannot report. An act that cannot be counted is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unmeasurable {
    pub(crate) budget: String,
    pub(crate) attribute: String,
    pub(crate) operation: Operation,
}

/// The resources that an act used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Usage {
    pub(crate) time: Duration,
    /// Bytes, output or results that were returned.
    pub(crate) returned: u64,
}

/// The final charges of an act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bill {
    /// Indexes of held charges, and how much of each was used.
    pub(crate) settle: Vec<(usize, u64)>,
    /// The sum over all budgets.
    pub(crate) sum: u64,
}

impl Charges {
    /// The charges for an operation, and once for each that it implies.
    pub(crate) fn new(
        session: &LoadedSession,
        attributes: &RequestAttributes<'_>,
        bound: &Obligations,
        implied: &[ImpliedOperation],
    ) -> Result<Self, Unmeasurable> {
        let (lease, operation) = (&session.session.granted.budgets, attributes.operation());
        let mut charges = Self(Vec::new());
        for charge in &bound.charges {
            charges.add(of_policy(charge, operation, bound)?);
        }
        for budget in lease.iter().filter(|budget| is_of(budget, operation)) {
            charges.add(of_lease(budget, attributes, bound)?);
        }
        for ImpliedOperation { attributes, charges: policies } in implied {
            for charge in policies {
                charges.add(of_policy(charge, attributes.operation(), bound)?);
            }
            // A sum that the act itself is charged to counts everything that the act implies already.
            let is_counted = |budget: &&LeaseBudget| budget.attribute.is_some() && is_of(budget, operation);
            for budget in lease.iter().filter(|budget| is_of(budget, attributes.operation()) && !is_counted(budget)) {
                charges.add(of_lease(budget, attributes, bound)?);
            }
        }
        Ok(charges)
    }

    /// The charges to ask the state for.
    pub(crate) fn requested(&self) -> Vec<Charge> {
        self.0.iter().map(|charged| charged.charge.clone()).collect()
    }

    /// The obligations, with limits no higher than what was granted.
    pub(crate) fn bind<'o>(&self, granted: &[Granted], obligations: &'o Obligations) -> Cow<'o, Obligations> {
        let mut bound = Cow::Borrowed(obligations);
        for (charged, granted) in self.0.iter().zip(granted) {
            if let Some((attribute, _)) = &charged.settled {
                bound.to_mut().limit(attribute, granted.amount);
            }
        }
        bound
    }

    /// The budget that kept the act from returning so many bytes; `None` if it was not a budget.
    pub(crate) fn too_few_bytes(&self, granted: &[Granted], needed: u64) -> Option<Spent> {
        let is_short = |(charged, granted): &(&Charged, &Granted)| {
            let is_bytes = charged.settled.as_ref().is_some_and(|(attribute, _)| attribute == BYTES);
            is_bytes && granted.amount < needed && needed <= charged.charge.amount
        };
        let (charged, granted) = self.0.iter().zip(granted).find(is_short)?;
        Some(granted.short_of(&charged.charge, needed))
    }

    /// The final charges: never more than was granted, which the act was held to.
    pub(crate) fn bill(&self, granted: &[Granted], usage: Usage) -> Bill {
        let mut bill = Bill { settle: Vec::new(), sum: 0 };
        for (place, (charged, granted)) in self.0.iter().zip(granted).enumerate() {
            let amount = match charged.settled {
                Some((_, source)) => {
                    let used = match source {
                        UsageSource::Time => millis_up(usage.time),
                        UsageSource::Returned => usage.returned,
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

fn of_policy(charge: &obligations::Charge, operation: Operation, bound: &Obligations) -> Result<Charged, Unmeasurable> {
    let budget = format!("{}/{}", charge.policy, charge.name);
    charged(budget, charge.period, charge.most, charge.sum.as_ref(), operation, bound)
}

fn of_lease(
    budget: &LeaseBudget,
    attributes: &RequestAttributes<'_>,
    bound: &Obligations,
) -> Result<Charged, Unmeasurable> {
    let summed = |attribute: &String| Sum { attribute: attribute.clone(), given: attributes.number(attribute) };
    let sum = budget.attribute.as_ref().map(summed);
    // No policy has such a name.
    let name = format!("lease:{}", budget.name);
    charged(name, Period::Session, budget.most, sum.as_ref(), attributes.operation(), bound)
}

fn charged(
    budget: String,
    period: Period,
    most: u64,
    sum: Option<&Sum>,
    operation: Operation,
    bound: &Obligations,
) -> Result<Charged, Unmeasurable> {
    let Some(Sum { attribute, given }) = sum else {
        let charge = Charge { budget, period, most, amount: 1, claim: Claim::Spend };
        return Ok(Charged { charge, settled: None });
    };
    match measured(operation, attribute, *given, bound) {
        Some(Measured { amount, claim, source }) => Ok(Charged {
            charge: Charge { budget, period, most, amount, claim },
            settled: source.map(|source| (attribute.clone(), source)),
        }),
        None => Err(Unmeasurable { budget, attribute: attribute.clone(), operation }),
    }
}

fn is_of(budget: &LeaseBudget, operation: Operation) -> bool {
    Asked::BuiltIn(operation).is_named(&budget.operation)
}

/// A part of a millisecond is one.
fn millis_up(time: Duration) -> u64 {
    u64::try_from(time.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX)
}
