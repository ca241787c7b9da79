//! Encoded requests: read as prost reads them, checked, and judged.

#![cfg(test)]

use std::time::Duration;

use fuzz::{BYTES_MAX, Target};

#[test]
fn wire() {
    let mut target = Target::new("wire");
    // The target itself makes small what fails.
    let check = bolero::check!().with_max_len(BYTES_MAX).with_shrink_time(Duration::ZERO);
    check.with_iterations(5_000).for_each(|bytes: &[u8]| target.ask(bytes));
    target.finish();
}
