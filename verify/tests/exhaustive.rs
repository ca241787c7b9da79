//! Every property, about every case of a domain that can be counted through. `VERIFY_FULL=1` takes the larger domains.

#![cfg(test)]

use std::time::{Duration, Instant};

use verify::cases::{Case, Premise};
use verify::engines::{Report, check_all};

macro_rules! counted {
    ($(
        $module:ident::$name:ident $meaning:literal
        { counted: $counted:ty, full: $full:ty, random: $random:ty, proof: $proof:ty, unwind: $unwind:tt }
    )+) => {
        $(#[test]
        fn $name() {
            use verify::properties::$module::*;
            let name = concat!(stringify!($module), "::", stringify!($name));
            if std::env::var_os("VERIFY_FULL").is_some() {
                count_through::<$full>(name, $name);
            } else {
                count_through::<$counted>(name, $name);
            }
        })+
    };
}

verify::for_each_property!(counted);

fn count_through<C: Case>(name: &str, property: fn(&C) -> Premise) {
    let start = Instant::now();
    let mut told = start;
    let tell = |report: &Report| {
        if told.elapsed() > TOLD_EVERY {
            told = Instant::now();
            eprintln!("{name}: {} cases so far, {:.0} s", report.cases, start.elapsed().as_secs_f64());
        }
    };
    let report = check_all(name, property, tell).unwrap_or_else(|failed| panic!("{failed}"));
    println!("{name}: {} cases, {} met the premise, {:.1} s", report.cases, report.met, start.elapsed().as_secs_f64());
}

const TOLD_EVERY: Duration = Duration::from_secs(20);
