//! JSON of the tool runtime: what is read is written and read again.

#![cfg(test)]

use std::time::Duration;

use fuzz::{BYTES_MAX, Target};

#[test]
fn json() {
    let mut target = Target::new("json");
    // The target itself makes small what fails.
    let check = bolero::check!().with_max_len(BYTES_MAX).with_shrink_time(Duration::ZERO);
    check.with_iterations(5_000).for_each(|bytes: &[u8]| target.ask(bytes));
    target.finish();
}
