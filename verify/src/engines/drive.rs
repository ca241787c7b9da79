//! (property, cases) -> how many cases, how many of them met its premise, or the case that failed.

use std::any::Any;
use std::format;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::string::String;

use super::Count;
use crate::cases::{Case, Premise};

/// The cases that a property was asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Report {
    /// All of them.
    pub cases: u64,
    /// Those that met its premise.
    pub met: u64,
}

impl Report {
    /// Counts a case.
    pub fn add(&mut self, premise: Premise) {
        self.cases = self.cases.saturating_add(1);
        self.met = self.met.saturating_add(u64::from(premise == Premise::Met));
    }

    /// The same, unless no case met the premise.
    ///
    /// # Errors
    /// When none did: such a run has shown nothing.
    pub fn not_vacuous(self, name: &str) -> Result<Self, String> {
        match self.met {
            0 => Err(format!("`{name}` says nothing: none of {} cases met its premise", self.cases)),
            _ => Ok(self),
        }
    }
}

/// Asks a property about one case.
///
/// # Errors
/// When it does not hold: with the case, as an expression that makes it.
pub fn check<C: Case>(name: &str, property: fn(&C) -> Premise, case: &C) -> Result<Premise, String> {
    // A property takes a case and keeps nothing, so there is nothing that a panic leaves half done.
    catch_unwind(AssertUnwindSafe(|| property(case))).map_err(|panic| {
        let why = message(&*panic);
        format!("`{name}` does not hold: {why}\nlet case: {} = {case:?};", core::any::type_name::<C>())
    })
}

/// Counts through all cases of a kind.
///
/// # Errors
/// The first case for which the property does not hold, which is also the shortest; or that no case met its premise.
pub fn check_all<C: Case>(name: &str, property: fn(&C) -> Premise) -> Result<Report, String> {
    let mut report = Report::default();
    let mut count = Count::default();
    loop {
        report.add(check(name, property, &C::draw(&mut count))?);
        if !count.advance() {
            return report.not_vacuous(name);
        }
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it panics")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::{Bytes, Source};

    /// Up to two bytes.
    #[derive(Debug)]
    struct Short(Bytes<2>);

    impl Case for Short {
        fn draw<S: Source>(source: &mut S) -> Self {
            Self(Bytes::draw(source, b"ab"))
        }
    }

    fn has_no_b(case: &Short) -> Premise {
        assert!(!case.0.as_slice().contains(&b'b'), "there is no b");
        Premise::of(!case.0.as_slice().is_empty())
    }

    #[test]
    fn the_smallest_case_that_fails_is_printed_as_an_expression() {
        let failed = check_all("short::has_no_b", has_no_b).unwrap_err();
        let (why, case) = failed.split_once('\n').unwrap();
        assert_eq!(why, "`short::has_no_b` does not hold: there is no b");
        assert!(case.ends_with("Short = Short(Bytes::of(b\"b\"));"), "{case}");
    }

    #[test]
    fn cases_are_counted_and_a_property_that_says_nothing_fails() {
        assert_eq!(check("short::has_no_b", has_no_b, &Short(Bytes::of(b"a"))), Ok(Premise::Met));
        assert_eq!(check("short::has_no_b", has_no_b, &Short(Bytes::of(b""))), Ok(Premise::Missed));
        let failed = check_all("short::is_long", |_: &Short| Premise::Missed).unwrap_err();
        assert_eq!(failed, "`short::is_long` says nothing: none of 7 cases met its premise");
    }
}
