//! Choices -> a policy and requests: every judge gives the same answers.

#![cfg(test)]

use std::time::Duration;

use fuzz::{BYTES_MAX, Target};

#[test]
fn agreement() {
    let mut target = Target::new("agreement");
    // The target itself makes small what fails.
    let check = bolero::check!().with_max_len(BYTES_MAX).with_shrink_time(Duration::ZERO);
    check.with_iterations(20).for_each(|bytes: &[u8]| target.ask(bytes));
    target.finish();
}
