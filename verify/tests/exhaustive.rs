//! Every property, about every case of a domain that can be counted through, and second opinions of some of these cases.
//! `VERIFY_FULL=1` takes the larger domains.

#![cfg(test)]

use verify::cases::{Case, Premise};
use verify::engines::check_all;

macro_rules! counted {
    ($(
        $module:ident::$name:ident $meaning:literal
        { counted: $counted:ty, full: $full:ty, random: $random:ty, proof: $proof:ty, unwind: $unwind:tt }
    )+) => {
        $(#[test]
        fn $name() {
            use verify::properties::$module::*;
            let name = concat!(stringify!($module), "::", stringify!($name));
            if is_full() {
                count_through::<$full>(name, $name);
            } else {
                count_through::<$counted>(name, $name);
            }
        })+
    };
}

verify::for_each_property!(counted);

/// Second opinions.
#[cfg(feature = "messages")]
mod oracles {
    mod messages {
        use verify::oracles::messages::{self, Envelope, Inside, Sent};
        use verify::oracles::{BODIES, ENVELOPES, REQUESTS};

        use crate::{count_through, is_full};

        #[test]
        fn envelopes_are_read_alike() {
            let name = "oracles::messages::envelopes_are_read_alike";
            if is_full() {
                count_through::<Envelope<0, 6, 4>>(name, messages::envelopes_are_read_alike);
            } else {
                let cases = count_through::<Envelope<0, 5, 4>>(name, messages::envelopes_are_read_alike);
                assert_eq!(cases, ENVELOPES as u64);
            }
        }

        #[test]
        fn messages_are_read_alike() {
            let name = "oracles::messages::messages_are_read_alike";
            if is_full() {
                count_through::<Inside<0, 6, 6>>(name, messages::messages_are_read_alike);
            } else {
                let cases = count_through::<Inside<0, 5, 6>>(name, messages::messages_are_read_alike);
                assert_eq!(cases, BODIES as u64);
            }
        }

        #[test]
        fn requests_are_read_alike() {
            let name = "oracles::messages::requests_are_read_alike";
            if is_full() {
                count_through::<Sent<0, 3, 256, 6>>(name, messages::requests_are_read_alike);
            } else {
                let cases = count_through::<Sent<0, 2, 256, 6>>(name, messages::requests_are_read_alike);
                assert_eq!(cases, REQUESTS as u64);
            }
        }
    }
}

/// Returns how many cases there were.
fn count_through<C: Case>(name: &str, property: fn(&C) -> Premise) -> u64 {
    let report = check_all(name, property).unwrap_or_else(|failed| panic!("{failed}"));
    println!("{name}: {} cases, {} met the premise", report.cases, report.met);
    report.cases
}

fn is_full() -> bool {
    std::env::var_os("VERIFY_FULL").is_some()
}
