//! Files of any bytes: checked to a model or findings, laid out without a change of words.

#![cfg(test)]

use std::time::Duration;

use fuzz::{BYTES_MAX, Target};

#[test]
fn policy() {
    let mut target = Target::new("policy");
    // The target itself makes small what fails.
    let check = bolero::check!().with_max_len(BYTES_MAX).with_shrink_time(Duration::ZERO);
    check.with_iterations(200).for_each(|bytes: &[u8]| target.ask(bytes));
    target.finish();
}
