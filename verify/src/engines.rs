//! Engines that run natively, and what drives a property with them.

mod choices;
mod count;
mod drive;

pub use choices::{Dice, Raw};
pub use count::Count;
pub use drive::{Report, check, check_all};

/// How many cases dice make of each property.
pub const ROLLED: u32 = 50_000;
/// How many when there is time.
pub const ROLLED_FULL: u32 = 5_000_000;
