//! Reading and laying out policies: what holds for every text.

mod support;

use policy_syntax::{StatementKind, format, parse};
use proptest::prelude::*;
use support::{any_file, policy, shape, shape_of};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn layout_changes_no_word_and_no_comment(text in policy()) {
        let formatted = format(any_file(), &text).unwrap_or_else(|found| panic!("{found:?} in:\n{text}"));
        prop_assert_eq!(comparable(&shape_of(&text)), comparable(&shape_of(&formatted)), "{}", formatted);
    }

    #[test]
    fn layout_of_a_layout_is_itself(text in policy()) {
        let once = format(any_file(), &text).unwrap_or_else(|found| panic!("{found:?} in:\n{text}"));
        let twice = format(any_file(), &once).unwrap_or_else(|found| panic!("{found:?} in:\n{once}"));
        prop_assert_eq!(&once, &twice);
        prop_assert!(!once.lines().any(|line| line.ends_with(' ')), "{}", once);
    }

    #[test]
    fn any_text_has_an_answer(text in "\\PC{0,200}|[a-z\"#(){}:=,.*\n ]{0,200}") {
        understood_or_reported(&text);
    }

    #[test]
    fn a_policy_with_one_character_changed_is_understood_or_reported(
        text in policy(), at in any::<prop::sample::Index>(), replacement in "[a-z:\"#( \n\u{0}]?",
    ) {
        let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
        let place = *at.get(&places);
        let (before, after) = text.split_at(place);
        let mut after = after.chars();
        after.next();
        let changed = format!("{before}{replacement}{}", after.as_str());
        understood_or_reported(&changed);
    }

    #[test]
    fn a_misspelt_word_is_never_skipped(text in policy(), at in any::<prop::sample::Index>()) {
        let letters: Vec<usize> = text
            .char_indices()
            .filter(|(_, c)| c.is_ascii_lowercase())
            .map(|(place, _)| place)
            .collect();
        let place = *at.get(&letters);
        let (before, after) = text.split_at(place);
        let changed = format!("{before}q{after}");
        let parsed = parse(any_file(), &changed);
        prop_assert!(
            !parsed.diagnostics.is_empty() || shape(&parsed.ast) != shape_of(&text),
            "a letter more and nothing noticed:\n{}", changed
        );
    }
}

/// A text without findings has no word outside its statements.
fn understood_or_reported(text: &str) {
    let parsed = parse(any_file(), text);
    for finding in &parsed.diagnostics {
        assert!(finding.primary.at.span.range().end <= text.len(), "{finding:?}");
        assert!(!finding.message.contains('\n'), "{finding:?}");
    }
    if !parsed.diagnostics.is_empty() {
        return;
    }
    let mut outside = text.to_owned();
    let spans = parsed.ast.statements.iter().map(|statement| statement.span);
    for span in spans.chain(parsed.ast.comments.iter().map(|comment| comment.span)) {
        outside.replace_range(span.range(), &" ".repeat(span.range().len()));
    }
    assert_eq!(outside.trim(), "", "in:\n{text}");
}

/// A comment keeps its words; whether it stands on a line of its own may change with the layout.
fn comparable(shape: &str) -> String {
    shape.replace("own_line: true", "").replace("own_line: false", "")
}

#[test]
fn ten_mistakes_give_ten_findings() {
    let text = include_str!("data/ten-mistakes.policy");
    let parsed = parse(any_file(), text);
    let codes: Vec<&str> = parsed.diagnostics.iter().map(|finding| finding.code.id).collect();
    assert_eq!(codes, ["E0210", "E0202", "E0203", "E0201", "E0207", "E0205", "E0202", "E0206", "E0211", "E0201"]);
    let rules = parsed.ast.statements.iter().filter(|s| matches!(s.kind, StatementKind::Rule(_))).count();
    assert_eq!(rules, 5, "what can be read is read");
}
