//! Budgets: counted usage and charges.
//!
//! Usage is stored by slots, sixty to a period. A slot counts until all of it is older than the period, so a budget never
//! grants more than its maximum in any such time, and grants again up to one slot late. What an act holds counts while it
//! runs; what it used counts from its end.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::database::Fatal;
use crate::state::act::length_ms;
use crate::state::{Charge, Claim, Granted, RetryHint, Spent};
use table_format::Period;

/// An amount charged before an act.
pub(super) struct HeldAmount {
    owner: u64,
    budget: String,
    period: Period,
    slot: u64,
    amount: u64,
    claim: Claim,
}

/// Charges all of them, or returns the first budget without enough left and charges none. What running acts hold counts
/// as used, however old it is.
pub(super) fn charge(
    connection: &Connection,
    session: u64,
    charges: &[Charge],
    under_way: &[&HeldAmount],
    now_ms: u64,
) -> Result<Result<Vec<(HeldAmount, Granted)>, Spent>, Fatal> {
    let mut taken: Vec<(HeldAmount, Granted)> = Vec::with_capacity(charges.len());
    for charge in charges {
        let owner = owner(session, charge.period);
        let is_same =
            |held: &&HeldAmount| (held.owner, &held.budget, held.period) == (owner, &charge.budget, charge.period);
        let sum = |amounts: &mut dyn Iterator<Item = u64>| amounts.fold(0, u64::saturating_add);
        let own = sum(&mut taken.iter().map(|(held, _)| held).filter(is_same).map(|held| held.amount));
        let counted = Counted::read(connection, owner, charge, now_ms)?;
        let others = || under_way.iter().copied().filter(is_same);
        let lasting = sum(&mut others().filter(|held| held.slot < counted.slots.first).map(|held| held.amount));
        let before = counted.sum().saturating_add(lasting);
        let (used, held) = (before.saturating_add(own), sum(&mut others().map(|held| held.amount)));
        let left = charge.most.saturating_sub(used);
        // Where nothing is left, nothing is begun, even if it needs nothing.
        let needed = match charge.claim {
            Claim::Spend | Claim::Hold => charge.amount.max(1),
            Claim::HoldLeft => 1,
        };
        if needed > left {
            let enough = if needed.saturating_add(own) > charge.most {
                RetryHint::Never
            } else if used.saturating_sub(held).saturating_add(needed) <= charge.most {
                RetryHint::WhenGivenBack
            } else {
                counted.enough(needed - left, now_ms)
            };
            let Charge { budget, period, most, .. } = charge.clone();
            return Ok(Err(Spent { budget, period, most, used, asked: needed, enough }));
        }
        let amount = match charge.claim {
            Claim::Spend | Claim::Hold => charge.amount,
            Claim::HoldLeft => charge.amount.min(left),
        };
        let (budget, period, slot, claim) = (charge.budget.clone(), charge.period, counted.slots.now, charge.claim);
        taken.push((HeldAmount { owner, budget, period, slot, amount, claim }, Granted { amount, used, held }));
    }
    for (held, _) in &taken {
        change(connection, held, held.slot, |amount| amount.saturating_add(held.amount))?;
    }
    Ok(Ok(taken))
}

/// Replaces a held amount by what was used. Usage counts from now on, because it may have happened just now.
pub(super) fn settle(connection: &Connection, held: &HeldAmount, amount: u64, now_ms: u64) -> Result<(), Fatal> {
    let slots = Slots::new(held.period, now_ms);
    if held.slot >= slots.first {
        change(connection, held, held.slot, |used| used.saturating_sub(held.amount))?;
    }
    change(connection, held, slots.now, |used| used.saturating_add(amount))
}

impl HeldAmount {
    pub(super) fn budget(&self) -> &str {
        &self.budget
    }

    pub(super) fn period(&self) -> Period {
        self.period
    }

    /// True if some of it may be returned.
    pub(super) fn is_held(&self) -> bool {
        self.claim != Claim::Spend
    }
}

/// Counted usage of a budget by slot, oldest first.
struct Counted {
    period: Period,
    slots: Slots,
    used: Vec<(u64, u64)>,
}

impl Counted {
    fn read(connection: &Connection, owner: u64, charge: &Charge, now_ms: u64) -> Result<Self, Fatal> {
        let slots = Slots::new(charge.period, now_ms);
        let key = params![owner, charge.budget, period_byte(charge.period), slots.first];
        connection.prepare_cached(PRUNE)?.execute(key)?;
        let mut statement = connection.prepare_cached(USED)?;
        let rows = statement.query_map(params![owner, charge.budget, period_byte(charge.period)], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        Ok(Self { period: charge.period, slots, used: rows.collect::<Result<_, _>>()? })
    }

    fn sum(&self) -> u64 {
        self.used.iter().map(|(_, amount)| *amount).fold(0, u64::saturating_add)
    }

    /// Returns when this amount stops counting.
    fn enough(&self, over: u64, now_ms: u64) -> RetryHint {
        let Some(length_ms) = length_ms(self.period) else { return RetryHint::Never };
        let mut freed: u64 = 0;
        for (slot, amount) in &self.used {
            freed = freed.saturating_add(*amount);
            if freed >= over {
                let end_ms = slot.saturating_add(1).saturating_mul(slot_ms(self.period)).saturating_add(length_ms);
                return RetryHint::After { ms: end_ms.saturating_sub(now_ms).max(1) };
            }
        }
        // The rest is held by acts that have been under way for longer than that.
        RetryHint::WhenGivenBack
    }
}

/// The counted slots of a period.
struct Slots {
    first: u64,
    now: u64,
}

impl Slots {
    fn new(period: Period, now_ms: u64) -> Self {
        let begin_ms = length_ms(period).map_or(0, |length_ms| now_ms.saturating_sub(length_ms));
        Self { first: begin_ms / slot_ms(period), now: now_ms / slot_ms(period) }
    }
}

fn change(connection: &Connection, held: &HeldAmount, slot: u64, change: impl FnOnce(u64) -> u64) -> Result<(), Fatal> {
    let key = params![held.owner, held.budget, period_byte(held.period), slot];
    let amount = connection.prepare_cached(AMOUNT)?.query_row(key, |row| row.get::<_, u64>(0)).optional()?;
    let amount = change(amount.unwrap_or_default()).min(i64::MAX.unsigned_abs());
    let values = params![held.owner, held.budget, period_byte(held.period), slot, amount];
    connection.prepare_cached(SET)?.execute(values)?;
    Ok(())
}

/// Returns the session, or [`EVERYONE`] for shared budgets.
fn owner(session: u64, period: Period) -> u64 {
    match period {
        Period::Session => session,
        Period::Minute | Period::Hour | Period::Day => EVERYONE,
    }
}

/// A session is one endless slot.
fn slot_ms(period: Period) -> u64 {
    length_ms(period).map_or(u64::MAX, |length_ms| length_ms / SLOTS)
}

fn period_byte(period: Period) -> u8 {
    match period {
        Period::Session => 0,
        Period::Minute => 1,
        Period::Hour => 2,
        Period::Day => 3,
    }
}

const SLOTS: u64 = 60;
/// Sessions are numbered from one.
const EVERYONE: u64 = 0;
const PRUNE: &str = "DELETE FROM used WHERE owner = ?1 AND budget = ?2 AND period = ?3 AND slot < ?4";
const USED: &str = "SELECT slot, amount FROM used WHERE owner = ?1 AND budget = ?2 AND period = ?3 ORDER BY slot";
const AMOUNT: &str = "SELECT amount FROM used WHERE owner = ?1 AND budget = ?2 AND period = ?3 AND slot = ?4";
const SET: &str = "INSERT INTO used (owner, budget, period, slot, amount) VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT DO UPDATE SET amount = excluded.amount";
