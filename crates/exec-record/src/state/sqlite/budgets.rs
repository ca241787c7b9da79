//! Budgets: what is used of them in the time that counts, and what is charged.
//!
//! Amounts are kept by slots, of which a period has sixty. One counts until all of it lies outside of the period, so that a
//! budget never grants more than its most in any such time, and grants again up to one slot late. What an act holds counts
//! as long as it is under way, and what it used of it from its end on.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::books::Fatal;
use crate::state::act::length_ms;
use crate::state::{Charge, Claim, Enough, Granted, Spent};
use table_format::Period;

/// An amount that was charged before an act.
pub(super) struct Held {
    owner: u64,
    budget: String,
    period: Period,
    slot: u64,
    amount: u64,
    claim: Claim,
}

/// Charges all of them, or says which one does not have enough left and charges none. What acts hold that are under way
/// is used, however long ago they took it.
pub(super) fn charge(
    connection: &Connection,
    session: u64,
    charges: &[Charge],
    under_way: &[&Held],
    now_ms: u64,
) -> Result<Result<Vec<(Held, Granted)>, Spent>, Fatal> {
    let mut taken: Vec<(Held, Granted)> = Vec::with_capacity(charges.len());
    for charge in charges {
        let owner = owner(session, charge.period);
        let is_same = |held: &&Held| (held.owner, &held.budget, held.period) == (owner, &charge.budget, charge.period);
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
                Enough::Never
            } else if used.saturating_sub(held).saturating_add(needed) <= charge.most {
                Enough::WhenGivenBack
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
        taken.push((Held { owner, budget, period, slot, amount, claim }, Granted { amount, used, held }));
    }
    for (held, _) in &taken {
        change(connection, held, held.slot, |amount| amount.saturating_add(held.amount))?;
    }
    Ok(Ok(taken))
}

/// What an act turned out to use. It counts from now on, for it may have been used just now; what was held is given back.
pub(super) fn settle(connection: &Connection, held: &Held, amount: u64, now_ms: u64) -> Result<(), Fatal> {
    let slots = Slots::new(held.period, now_ms);
    if held.slot >= slots.first {
        change(connection, held, held.slot, |used| used.saturating_sub(held.amount))?;
    }
    change(connection, held, slots.now, |used| used.saturating_add(amount))
}

impl Held {
    pub(super) fn budget(&self) -> &str {
        &self.budget
    }

    pub(super) fn period(&self) -> Period {
        self.period
    }

    /// Whether some of it may be given back.
    pub(super) fn is_held(&self) -> bool {
        self.claim != Claim::Spend
    }
}

/// What counts of a budget, by slots, the oldest first.
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

    /// When so much of it does not count any more.
    fn enough(&self, over: u64, now_ms: u64) -> Enough {
        let Some(length_ms) = length_ms(self.period) else { return Enough::Never };
        let mut freed: u64 = 0;
        for (slot, amount) in &self.used {
            freed = freed.saturating_add(*amount);
            if freed >= over {
                let end_ms = slot.saturating_add(1).saturating_mul(slot_ms(self.period)).saturating_add(length_ms);
                return Enough::After { ms: end_ms.saturating_sub(now_ms).max(1) };
            }
        }
        // The rest is held by acts that have been under way for longer than that.
        Enough::WhenGivenBack
    }
}

/// The slots of a period that count.
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

fn change(connection: &Connection, held: &Held, slot: u64, change: impl FnOnce(u64) -> u64) -> Result<(), Fatal> {
    let key = params![held.owner, held.budget, period_byte(held.period), slot];
    let amount = connection.prepare_cached(AMOUNT)?.query_row(key, |row| row.get::<_, u64>(0)).optional()?;
    let amount = change(amount.unwrap_or_default()).min(i64::MAX.unsigned_abs());
    let values = params![held.owner, held.budget, period_byte(held.period), slot, amount];
    connection.prepare_cached(SET)?.execute(values)?;
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
/// Sessions are numbered from one on.
const EVERYONE: u64 = 0;
const PRUNE: &str = "DELETE FROM used WHERE owner = ?1 AND budget = ?2 AND period = ?3 AND slot < ?4";
const USED: &str = "SELECT slot, amount FROM used WHERE owner = ?1 AND budget = ?2 AND period = ?3 ORDER BY slot";
const AMOUNT: &str = "SELECT amount FROM used WHERE owner = ?1 AND budget = ?2 AND period = ?3 AND slot = ?4";
const SET: &str = "INSERT INTO used (owner, budget, period, slot, amount) VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT DO UPDATE SET amount = excluded.amount";
