//! Every property, about every case of a domain that can be counted through, and second opinions of some of these cases.
//! `VERIFY_FULL=1` takes the larger domains.

#![cfg(test)]

use verify::cases::{Case, Premise};
use verify::engines::check_all;

macro_rules! counted {
    ($($module:ident { $(
        $name:ident { $counted:ty, $full:ty, $random:ty; $($proof:tt)+ }
    )+ })+) => {
        $($(#[test]
        fn $name() {
            use verify::properties::$module::*;
            let name = concat!(stringify!($module), "::", stringify!($name));
            if is_full() {
                count_through::<$full>(name, $name);
            } else {
                count_through::<$counted>(name, $name);
            }
        })+)+
    };
}

verify::for_each_property!(counted);

#[cfg(feature = "messages")]
mod second_opinions {
    use verify::oracles::messages::{self, Envelope, Inside, Sent};

    use crate::{count_through, is_full};

    #[test]
    fn envelopes_are_read_alike() {
        count_through::<Envelope<0, 5, 4>>("messages::envelopes", messages::envelopes_are_read_alike);
    }

    #[test]
    fn messages_are_read_alike() {
        count_through::<Inside<0, 5, 6>>("messages::messages", messages::messages_are_read_alike);
    }

    #[test]
    fn requests_are_read_alike() {
        let name = "messages::requests";
        if is_full() {
            count_through::<Sent<0, 3, 256, 6>>(name, messages::requests_are_read_alike);
        } else {
            count_through::<Sent<0, 2, 256, 6>>(name, messages::requests_are_read_alike);
        }
    }
}

fn count_through<C: Case>(name: &str, property: fn(&C) -> Premise) {
    let report = check_all(name, property).unwrap_or_else(|failed| panic!("{failed}"));
    println!("{name}: {} cases, {} met the premise", report.cases, report.met);
}

fn is_full() -> bool {
    std::env::var_os("VERIFY_FULL").is_some()
}
