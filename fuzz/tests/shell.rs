//! Command lines: the properties of the reader, and what dash makes of them.

#![cfg(test)]

use std::time::Duration;

use fuzz::{BYTES_MAX, Target};

#[test]
fn shell() {
    let mut target = Target::new("shell");
    // The target itself makes small what fails.
    let check = bolero::check!().with_max_len(BYTES_MAX).with_shrink_time(Duration::ZERO);
    check.with_iterations(500).for_each(|bytes: &[u8]| target.ask(bytes));
    target.finish();
}
