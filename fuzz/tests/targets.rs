//! The targets: bytes come from the committed corpus and then from dice, or from libFuzzer under `cargo bolero test`, and
//! go to every property of the target.

#![cfg(test)]

use fuzz::{BYTES_MAX, Target};

/// A target with its feature, and how many inputs dice make of it in a test run.
macro_rules! target {
    ($feature:literal $name:ident $iterations:literal) => {
        #[cfg(feature = $feature)]
        #[test]
        fn $name() {
            let mut target = Target::new($feature);
            let check = bolero::check!().with_max_len(BYTES_MAX).with_iterations($iterations);
            check.for_each(|bytes: &[u8]| target.ask(bytes));
            target.finish();
        }
    };
}

target! { "agreement" agreement 20 }
target! { "eval" eval 3_000 }
target! { "import" import 1_000 }
target! { "json" json 5_000 }
target! { "path" path 20_000 }
target! { "policy" policy 200 }
target! { "shell" shell 500 }
target! { "table" table 5_000 }
target! { "url" url 20_000 }
target! { "wire" wire 5_000 }
