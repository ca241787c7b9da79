//! Files of other tools: a policy that answers as they say, or findings.

#![cfg(test)]

use std::time::Duration;

use fuzz::{BYTES_MAX, Target};

#[test]
fn import() {
    let mut target = Target::new("import");
    // The target itself makes small what fails.
    let check = bolero::check!().with_max_len(BYTES_MAX).with_shrink_time(Duration::ZERO);
    check.with_iterations(1_000).for_each(|bytes: &[u8]| target.ask(bytes));
    target.finish();
}
