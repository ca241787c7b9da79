//! URLs: the properties of the reader, and a second reader.

#![cfg(test)]

use std::time::Duration;

use fuzz::{BYTES_MAX, Target};

#[test]
fn url() {
    let mut target = Target::new("url");
    // The target itself makes small what fails.
    let check = bolero::check!().with_max_len(BYTES_MAX).with_shrink_time(Duration::ZERO);
    check.with_iterations(20_000).for_each(|bytes: &[u8]| target.ask(bytes));
    target.finish();
}
