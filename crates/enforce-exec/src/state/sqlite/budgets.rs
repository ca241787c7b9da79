//! Budgets: what is used of them in the time that counts, and what is charged.
//!
//! Amounts are kept by slots, of which a period has sixty. One counts until all of it lies outside of the period, so that a
//! budget never grants more than its most in any such time, and grants again up to one slot late.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::books::Fatal;
use crate::state::{Charge, Spent};
use table_format::Period;

/// An amount that was charged before an act.
pub(super) struct Held {
    budget: String,
    period: Period,
    slot: u64,
    amount: u64,
}

/// Charges all of them, or says which one does not have enough left and charges none.
pub(super) fn charge(
    connection: &Connection,
    session: u64,
    charges: &[Charge],
    now_ms: u64,
) -> Result<Result<Vec<Held>, Spent>, Fatal> {
    for (place, charge) in charges.iter().enumerate() {
        let is_same = |other: &&Charge| other.budget == charge.budget && other.period == charge.period;
        let before =
            charges.iter().take(place).filter(is_same).fold(0, |sum: u64, other| sum.saturating_add(other.amount));
        let used = used(connection, session, charge, now_ms)?.saturating_add(before);
        // What an act uses may only be known behind it; where nothing is left, it is not begun.
        if used.saturating_add(charge.amount.max(1)) > charge.most {
            return Ok(Err(Spent {
                budget: charge.budget.clone(),
                period: charge.period,
                most: charge.most,
                used,
                asked: charge.amount,
            }));
        }
    }
    let mut held = Vec::with_capacity(charges.len());
    for charge in charges {
        let slot = now_ms / slot_ms(charge.period);
        change(connection, session, &charge.budget, charge.period, slot, |amount| {
            amount.saturating_add(charge.amount)
        })?;
        held.push(Held { budget: charge.budget.clone(), period: charge.period, slot, amount: charge.amount });
    }
    Ok(Ok(held))
}

/// What an act turned out to use. Less is given back where it was charged; more is charged now, when it is known.
pub(super) fn settle(
    connection: &Connection,
    session: u64,
    held: &Held,
    amount: u64,
    now_ms: u64,
) -> Result<(), Fatal> {
    let (budget, period) = (&held.budget, held.period);
    match amount.checked_sub(held.amount) {
        Some(0) => Ok(()),
        Some(more) => {
            let slot = now_ms / slot_ms(period);
            change(connection, session, budget, period, slot, |amount| amount.saturating_add(more))
        }
        None => {
            let less = held.amount - amount;
            change(connection, session, budget, period, held.slot, |amount| amount.saturating_sub(less))
        }
    }
}

impl Held {
    pub(super) fn is(&self, budget: &str) -> bool {
        self.budget == budget
    }

    pub(super) fn period(&self) -> Period {
        self.period
    }
}

fn used(connection: &Connection, session: u64, charge: &Charge, now_ms: u64) -> Result<u64, Fatal> {
    let first = now_ms.saturating_sub(period_ms(charge.period)) / slot_ms(charge.period);
    let key = params![owner(session, charge.period), charge.budget, period_byte(charge.period), first];
    connection.prepare_cached(PRUNE)?.execute(key)?;
    let mut statement = connection.prepare_cached(USED)?;
    let mut slots =
        statement.query(params![owner(session, charge.period), charge.budget, period_byte(charge.period)])?;
    let mut used: u64 = 0;
    while let Some(slot) = slots.next()? {
        used = used.saturating_add(slot.get(0)?);
    }
    Ok(used)
}

fn change(
    connection: &Connection,
    session: u64,
    budget: &str,
    period: Period,
    slot: u64,
    change: impl FnOnce(u64) -> u64,
) -> Result<(), Fatal> {
    let key = params![owner(session, period), budget, period_byte(period), slot];
    let amount = connection.prepare_cached(AMOUNT)?.query_row(key, |row| row.get::<_, u64>(0)).optional()?;
    let amount = change(amount.unwrap_or_default()).min(i64::MAX.unsigned_abs());
    connection.prepare_cached(SET)?.execute(params![
        owner(session, period),
        budget,
        period_byte(period),
        slot,
        amount
    ])?;
    Ok(())
}

/// Who uses it up: the session, or everyone.
fn owner(session: u64, period: Period) -> u64 {
    match period {
        Period::Session => session,
        Period::Minute | Period::Hour | Period::Day => EVERYONE,
    }
}

/// A session is one slot without an end.
fn slot_ms(period: Period) -> u64 {
    match period {
        Period::Session => u64::MAX,
        Period::Minute | Period::Hour | Period::Day => period_ms(period) / SLOTS,
    }
}

fn period_ms(period: Period) -> u64 {
    match period {
        Period::Session => u64::MAX,
        Period::Minute => 60_000,
        Period::Hour => 3_600_000,
        Period::Day => 86_400_000,
    }
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
/// Sessions are numbered from one on.
const EVERYONE: u64 = 0;
const PRUNE: &str = "DELETE FROM used WHERE owner = ?1 AND budget = ?2 AND period = ?3 AND slot < ?4";
const USED: &str = "SELECT amount FROM used WHERE owner = ?1 AND budget = ?2 AND period = ?3";
const AMOUNT: &str = "SELECT amount FROM used WHERE owner = ?1 AND budget = ?2 AND period = ?3 AND slot = ?4";
const SET: &str = "INSERT INTO used (owner, budget, period, slot, amount) VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT DO UPDATE SET amount = excluded.amount";
