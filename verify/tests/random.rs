//! Every property, about cases that dice make: half from the few values that matter, half from the whole range.

#![cfg(test)]

use proptest::prelude::{ProptestConfig, any};
use proptest::test_runner::{TestCaseError, TestError, TestRunner};
use verify::cases::{Case, Premise};
use verify::engines::{Dice, ROLLED, ROLLED_FULL, Report, check};

macro_rules! random {
    ($($module:ident { $(
        $name:ident { $counted:ty, $full:ty, $random:ty; $($proof:tt)+ }
    )+ })+) => {
        $($(#[test]
        fn $name() {
            use verify::properties::$module::*;
            roll::<$random>(concat!(stringify!($module), "::", stringify!($name)), $name);
        })+)+
    };
}

verify::for_each_property!(random);

fn roll<C: Case>(name: &str, property: fn(&C) -> Premise) {
    let report = std::cell::Cell::new(Report::default());
    // Found cases become tests with a name, so nothing is kept beside the source.
    let config = ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() };
    let dice = proptest::collection::vec(any::<u32>(), 0..DICE_MAX);
    let result = TestRunner::new(config).run(&dice, |rolled| {
        let premise = check(name, property, &C::draw(&mut Dice::new(&rolled))).map_err(TestCaseError::fail)?;
        let mut counted = report.get();
        counted.add(premise);
        report.set(counted);
        Ok(())
    });
    match result {
        Ok(()) => {}
        Err(TestError::Fail(failed, _)) => panic!("{failed}"),
        Err(TestError::Abort(reason)) => panic!("{name}: {reason}"),
    }
    let Report { cases, met } = report.get().not_vacuous(name).unwrap_or_else(|failed| panic!("{failed}"));
    println!("{name}: {cases} cases, {met} met the premise");
}

/// More when there is time.
fn cases() -> u32 {
    if std::env::var_os("VERIFY_FULL").is_some() { ROLLED_FULL } else { ROLLED }
}

/// As many dice as the largest case takes.
const DICE_MAX: usize = 120;
