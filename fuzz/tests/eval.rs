//! Request lines of `policyc eval`: one answer each.

#![cfg(test)]

use std::time::Duration;

use fuzz::{BYTES_MAX, Target};

#[test]
fn eval() {
    let mut target = Target::new("eval");
    // The target itself makes small what fails.
    let check = bolero::check!().with_max_len(BYTES_MAX).with_shrink_time(Duration::ZERO);
    check.with_iterations(3_000).for_each(|bytes: &[u8]| target.ask(bytes));
    target.finish();
}
