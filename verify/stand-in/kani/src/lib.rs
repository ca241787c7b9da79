//! harnesses -> tests with dice
//!
//! A stand-in for the crate `kani`, as far as the harnesses of this house use it. The real one comes with the model
//! checker Kani, which reasons about all values at once; this one compiles the same harnesses and asks each about
//! values that dice make. That is no proof. It shows that a harness compiles, that its property holds where it was
//! asked, and that its premise can be met.
//!
//! ```
//! #[kani::proof]
//! #[kani::unwind(2)]
//! #[kani::solver(cadical)]
//! fn harness() {
//!     kani::cover!(kani::any::<u8>() == 0, "a byte can be zero");
//! }
//! ```
//!
//! A harness that Kani would refuse is refused: a type that is another one, a bound that is no number, a solver that
//! Kani does not have, a parameter.
//!
//! ```compile_fail,E0308
//! #[kani::proof]
//! fn harness() {
//!     kani::cover!(kani::any::<u8>(), "a byte is no answer");
//! }
//! ```
//!
//! ```compile_fail
//! const BOUND: u32 = 2;
//! #[kani::proof]
//! #[kani::unwind(BOUND)]
//! fn harness() {}
//! ```
//!
//! ```compile_fail
//! #[kani::proof]
//! #[kani::solver(abacus)]
//! fn harness() {}
//! ```
//!
//! ```compile_fail
//! #[kani::proof]
//! fn harness(byte: u8) {}
//! ```

mod any;
mod loops;
mod run;

pub use any::{Arbitrary, any, any_where, assume};
pub use kani_macros::{proof, solver, unwind};
pub use run::{cover, stand_in};

/// Says that this can happen. A run in which it never did fails.
#[macro_export]
macro_rules! cover {
    ($condition:expr, $message:literal $(,)?) => {
        $crate::cover($condition, $message)
    };
}
