//! Dice -> values. Half of them are small or one of the characters that texts are taken apart at, because values from
//! the whole range alone hardly ever meet a premise.

use std::cell::Cell;
use std::panic::resume_unwind;

use crate::loops;

/// What can be any value of its type.
pub trait Arbitrary: Sized {
    /// One of them.
    fn any() -> Self;
}

/// Any value.
pub fn any<T: Arbitrary>() -> T {
    loops::pause(T::any)
}

/// Any value of which this holds. Kani asks once and drops the values of which it does not; here it is asked until one
/// is found, so that few runs are for nothing.
pub fn any_where<T: Arbitrary>(holds: impl Fn(&T) -> bool) -> T {
    let found = loops::pause(|| (0..TRIES).map(|_| T::any()).find(holds));
    found.unwrap_or_else(|| resume_unwind(Box::new(Abandoned)))
}

/// Goes on only with what this holds of.
pub fn assume(holds: bool) {
    if !holds {
        // Not a panic, which would be shown.
        resume_unwind(Box::new(Abandoned));
    }
}

/// What ends a run that is about nothing.
#[derive(Debug)]
pub(crate) struct Abandoned;

/// Starts the dice of a run: the same number, the same values.
pub(crate) fn seed(number: u64) {
    DICE.set(number);
    BEFORE.set(0);
    // Neighbours would have the same values, one after the other.
    DICE.set(roll());
}

thread_local! {
    static DICE: Cell<u64> = const { Cell::new(0) };
    /// The bytes that came last.
    static BEFORE: Cell<u32> = const { Cell::new(0) };
}

/// SplitMix64.
fn roll() -> u64 {
    let state = DICE.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
    DICE.set(state);
    let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

impl Arbitrary for bool {
    fn any() -> Self {
        roll() & 1 == 1
    }
}

impl Arbitrary for u8 {
    fn any() -> Self {
        let [kind, value, ..] = roll().to_le_bytes();
        let before = BEFORE.get().to_le_bytes();
        let byte = match kind % 8 {
            0 | 1 => value % 8,
            2 | 3 => MARKS[usize::from(value) % MARKS.len()],
            // What is compared is hardly ever equal by chance.
            4 => before[usize::from(value) % before.len()],
            _ => value,
        };
        BEFORE.set(BEFORE.get() << 8 | u32::from(byte));
        byte
    }
}

macro_rules! numbers {
    ($($number:ty)+) => {
        $(impl Arbitrary for $number {
            fn any() -> Self {
                let (kind, value) = (roll(), roll());
                match kind % 4 {
                    0 => (value % 8) as Self,
                    // At a power of two, and on either side of it.
                    1 => (1 as Self).rotate_left(value as u32).wrapping_add((kind >> 8) as Self % 3).wrapping_sub(1),
                    _ => value as Self,
                }
            }
        })+
    };
}

numbers! { u16 u32 u64 u128 usize }

impl<T: Arbitrary, const N: usize> Arbitrary for [T; N] {
    fn any() -> Self {
        std::array::from_fn(|_| T::any())
    }
}

const TRIES: u32 = 1_000;
const MARKS: &[u8] = b"/.ac\0\xff '\"\\|&;:-=$*@0";
