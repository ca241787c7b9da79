//! Tables made by hand, as `table-format`'s own tests make them, and ways to look into a decision.
#![allow(dead_code, clippy::allow_attributes, reason = "each test binary uses its own part of this module")]

#[path = "../../../table-format/tests/support/automata.rs"]
pub(crate) mod automata;
#[path = "../../../table-format/tests/support/draft.rs"]
pub(crate) mod draft;
#[path = "../../../table-format/tests/support/golden.rs"]
pub(crate) mod golden;
#[path = "../../../table-format/tests/support/sketch.rs"]
pub(crate) mod sketch;

pub(crate) mod naive;
pub(crate) mod random;
pub(crate) mod watch;

use sketch::Sketch;
use table_format::{Digest, OpenError, Pin, Table};

/// The bytes of a table that has to be one. What they are named by does not matter to a decision.
pub(crate) fn frozen(sketch: &Sketch) -> Vec<u8> {
    let written = sketch.draft().write(|_| VOUCHED);
    assert_eq!(written.outcome, Ok(VOUCHED));
    written.bytes
}

/// Opens what [`frozen`] has made, and what became of it: every check but that of the digest is made.
pub(crate) fn open(bytes: &[u8]) -> Result<Table<'_>, OpenError> {
    Table::open(bytes, Pin::Exactly(VOUCHED), |_| VOUCHED)
}

const VOUCHED: Digest = Digest([7; 32]);
