//! (property, cases) -> what came of it: how many cases, how many of them meant something, or the case that failed.

use core::any::type_name;
use std::any::Any;
use std::collections::BTreeSet;
use std::format;
use std::string::String;
use std::vec::Vec;

use super::Count;
use super::quiet::caught;
use crate::cases::{Case, Premise};

/// What came of asking a property about many cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Report {
    /// Cases.
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
}

/// Asks a property about one case.
///
/// # Errors
/// When it does not hold: with the case, as a test.
pub fn check<C: Case>(name: &str, property: fn(&C) -> Premise, case: &C) -> Result<Premise, String> {
    caught(|| property(case)).map_err(|(panic, place)| shown(name, case, &format!("{} ({place})", message(&*panic))))
}

/// Counts through all cases of a kind, and tells from time to time how far it is.
///
/// # Errors
/// The first case for which the property does not hold, which is also the shortest; or that no case met its premise.
pub fn check_all<C: Case>(
    name: &str,
    property: fn(&C) -> Premise,
    mut tell: impl FnMut(&Report),
) -> Result<Report, String> {
    let mut report = Report::default();
    let mut count = Count::default();
    loop {
        let case = C::draw(&mut count);
        report.add(check(name, property, &case)?);
        if report.cases.is_multiple_of(TOLD_EVERY) {
            tell(&report);
        }
        if !count.advance() {
            break;
        }
    }
    if report.met == 0 {
        return Err(format!("`{name}` says nothing: none of {} cases met its premise", report.cases));
    }
    Ok(report)
}

/// A case that fails, in a form that can be put into a test. The test fails as long as the property panics, and asks for no
/// more: where the remedy is to refuse what was found, the property has nothing to say of it any more.
#[must_use]
pub fn shown<C: Case>(name: &str, case: &C, why: &str) -> String {
    let (module, function) = name.rsplit_once("::").unwrap_or(("", name));
    // A second opinion is asked for by its path; all else is a property.
    let place = if module.starts_with("oracles::") { "" } else { "properties::" };
    // The bounds of a case do not follow from what is in it.
    let kind = without_modules(type_name::<C>());
    let made = format!("let case: {kind} = {case:?};");
    let (parts, mut kinds): (Vec<String>, Vec<String>) = named(&made).into_iter().partition(|name| name == "Bytes");
    kinds.push(String::from(function));
    let parts = if parts.is_empty() { "" } else { "        use verify::cases::Bytes;\n" };
    format!(
        "`{name}` does not hold: {why}\n\n    #[test]\n    fn {function}_of_what_was_found() {{\n\
         {parts}        use verify::{place}{module}::{{{}}};\n\n        \
         {made}\n        // It panics while it does not hold; that it says nothing of the case is as good.\n        \
         let _ = {function}(&case);\n    }}\n",
        kinds.join(", ")
    )
}

/// What code names that has to be at hand: types, and variants without their type. What is in texts is no name.
fn named(code: &str) -> BTreeSet<String> {
    let plain = code.replace("\\\\", "").replace("\\\"", "");
    let words = plain.split('"').step_by(2).flat_map(|code| code.split(|c: char| !c.is_alphanumeric() && c != ':'));
    let firsts = words.filter_map(|word| word.split("::").next()).filter(|word| word.starts_with(char::is_uppercase));
    firsts.filter(|word| !["Some", "None"].contains(word)).map(String::from).collect()
}

/// A type as it is written where everything that it names is at hand.
fn without_modules(kind: &str) -> String {
    kind.split_inclusive(['<', ',', ' ']).map(|part| part.rsplit("::").next().unwrap_or(part)).collect()
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    String::from(text.unwrap_or("it panics"))
}

const TOLD_EVERY: u64 = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::{Bytes, Source};

    /// Up to two bytes.
    #[derive(Debug)]
    struct Short(Bytes<2>);

    impl Case for Short {
        const ABOUT: &'static str = "up to two bytes";
        const LOOPS: usize = 2;

        fn draw<S: Source>(source: &mut S) -> Self {
            Self(Bytes::draw(source, b"ab"))
        }
    }

    fn has_no_b(case: &Short) -> Premise {
        assert!(!case.0.as_slice().contains(&b'b'), "there is no b");
        Premise::of(!case.0.as_slice().is_empty())
    }

    fn is_long(_: &Short) -> Premise {
        Premise::Missed
    }

    #[test]
    fn what_fails_is_the_smallest_case_and_prints_as_a_test() {
        let failed = check_all("short::has_no_b", has_no_b, |_| {}).unwrap_err();
        let (why, test) = failed.split_once("\n\n").unwrap();
        let place = why.strip_prefix("`short::has_no_b` does not hold: there is no b (").unwrap();
        assert!(place.ends_with(')') && place.contains("drive.rs:"), "{place}");
        let expected = "    #[test]
    fn has_no_b_of_what_was_found() {
        use verify::cases::Bytes;
        use verify::properties::short::{Short, has_no_b};

        let case: Short = Short(Bytes::of(b\"b\"));
        // It panics while it does not hold; that it says nothing of the case is as good.
        let _ = has_no_b(&case);
    }
";
        assert_eq!(test, expected);
    }

    #[test]
    fn a_case_that_holds_is_counted() {
        assert_eq!(check("short::has_no_b", has_no_b, &Short(Bytes::of(b"a"))), Ok(Premise::Met));
        assert_eq!(check("short::has_no_b", has_no_b, &Short(Bytes::of(b""))), Ok(Premise::Missed));
    }

    #[test]
    fn a_property_that_says_nothing_fails() {
        let failed = check_all("short::is_long", is_long, |_| {}).unwrap_err();
        assert_eq!(failed, "`short::is_long` says nothing: none of 7 cases met its premise");
    }

    #[test]
    fn the_bounds_of_a_case_are_printed_and_its_modules_are_not() {
        use crate::properties::path::Two;
        let case = Two { one: Bytes::of(b"a"), other: Bytes::<3>::of(b"\0") };
        let shown = shown("path::equal", &case, "it is not");
        let expected = "let case: Two<3> = Two { one: Bytes::of(b\"a\"), other: Bytes::of(b\"\\x00\") };";
        assert!(shown.contains(expected), "{shown}");
    }

    #[test]
    fn a_second_opinion_is_asked_for_where_it_stands() {
        let shown = shown("oracles::short::has_no_b", &Short(Bytes::of(b"b")), "it has");
        assert!(shown.contains("        use verify::oracles::short::{Short, has_no_b};\n"), "{shown}");
        assert!(shown.contains("        let _ = has_no_b(&case);\n"), "{shown}");
    }

    #[test]
    fn a_case_of_a_case_is_printed_without_modules_too() {
        use crate::properties::decide::{Added, Inserted};
        use crate::properties::table::{File, Questioned, WIDE};
        for (kind, expected) in [
            (type_name::<Questioned<File<WIDE, 15, 144, 0, 1>, 0>>(), "Questioned<File<5, 15, 144, 0, 1>, 0>"),
            (type_name::<Added<Inserted<0, 1, 4, 5>, 3>>(), "Added<Inserted<0, 1, 4, 5>, 3>"),
            (type_name::<Short>(), "Short"),
        ] {
            assert_eq!(without_modules(kind), expected);
        }
    }

    #[test]
    fn what_a_case_names_is_at_hand_and_what_its_texts_say_is_not() {
        let code = r#"let case: A<B<3>, 4> = A { b: C::D, e: "F \" G", h: Some(I(b"\\")), j: [K, None] };"#;
        assert_eq!(named(code).into_iter().collect::<Vec<_>>(), ["A", "B", "C", "I", "K"]);
    }
}
