//! Reading and laying out policies: what holds for every text.

mod support;

use policy_syntax::limits::LINE_BYTES_MAX;
use policy_syntax::testing::{self, any_file, is_understood_or_reported, layout_changes_no_word, shape, shape_of};
use policy_syntax::{Source, StatementKind, format, parse};
use proptest::prelude::*;
use support::policy;

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn layout_changes_no_word_and_no_comment(text in policy()) {
        prop_assert_eq!(layout_changes_no_word(&text), Ok(()), "in:\n{}", text);
    }

    #[test]
    fn layout_of_a_layout_is_itself(text in policy()) {
        prop_assert_eq!(testing::layout_of_a_layout_is_itself(&text), Ok(()), "in:\n{}", text);
    }

    #[test]
    fn any_text_has_an_answer(text in "\\PC{0,200}|[a-z\"#(){}:=,.*\n ]{0,200}") {
        is_understood_or_reported(&text);
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
        is_understood_or_reported(&changed);
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

#[test]
fn ten_mistakes_give_ten_findings() {
    let text = include_str!("fixtures/ten-mistakes.policy");
    let parsed = parse(any_file(), text);
    let codes: Vec<&str> = parsed.diagnostics.iter().map(|finding| finding.code.id).collect();
    assert_eq!(codes, ["E0210", "E0202", "E0203", "E0201", "E0207", "E0205", "E0202", "E0206", "E0211", "E0201"]);
    let rules = parsed.ast.statements.iter().filter(|s| matches!(s.kind, StatementKind::Rule(_))).count();
    assert_eq!(rules, 5, "what can be read is read");
}

#[test]
fn a_line_at_its_bound_is_read_and_one_byte_more_is_reported() {
    for (bytes, end, is_read) in [
        (LINE_BYTES_MAX, "", true),
        (LINE_BYTES_MAX - 1, "\n", true),
        (LINE_BYTES_MAX + 1, "", false),
        (LINE_BYTES_MAX, "\n", false),
    ] {
        let comment = format!("# {}", "x".repeat(bytes - 2));
        let parsed = parse(any_file(), &format!("policy p language 1\nrole r\n{comment}{end}"));
        let codes: Vec<&str> = parsed.diagnostics.iter().map(|finding| finding.code.id).collect();
        let expected: &[&str] = if is_read { &[] } else { &["E0107"] };
        assert_eq!((codes.as_slice(), parsed.ast.statements.len()), (expected, if is_read { 2 } else { 0 }), "{bytes}");
    }
}

#[test]
fn a_comment_above_a_statement_does_not_break_it() {
    let text = "policy p language 1\n\n# about t\ntest t: r file.read path \"a\" => allow by x\n";
    assert_eq!(format(any_file(), text).as_deref(), Ok(text));
}

#[test]
fn attributes_may_be_called_like_keywords_and_units() {
    let text = "policy p language 1\ntool mail {\n  op send(to: string, code: string, min: int)\n}\nrule x: allow r to mail.send\n\
                where to == \"a\" and language in \"b\" and code matches \"c\" limit min <= 3\n\
                test t: r mail.send min 20 to \"a\" s 3 code \"c\" => allow by x\n";
    shape_of(text);
}

#[test]
fn a_keyword_for_the_name_of_a_set_is_what_is_reported() {
    for (keyword, following) in [
        ("code", ""),
        ("code", "\n  limit bytes <= 1 MiB"),
        ("code", " limit bytes <= 1 MiB"),
        ("code", ", \"b\""),
        ("code", " and path in \"b\""),
        ("limit", ""),
        ("limit", " or path in \"b\""),
        ("because", "\n  where path in \"a\""),
        ("require", " and path in \"b\""),
        ("require", "\n  limit bytes <= 1 MiB"),
        ("never", ", \"b\""),
        ("role", ", \"b\""),
    ] {
        let text = format!(
            "policy p language 1\nrole r\nrule x:\n  allow r to file.read\n  where path in {keyword}{following}\n"
        );
        let parsed = parse(any_file(), &text);
        let [finding] = &parsed.diagnostics[..] else { panic!("{text}{:?}", parsed.diagnostics) };
        assert_eq!(finding.code.id, "E0207", "{text}");
        assert_eq!(text.get(finding.primary.at.span.range()), Some(keyword));
        let help = format!("name a set, or write a string in double quotes: `\"{keyword}\"`");
        assert_eq!(finding.help, Some(help), "{text}");
    }
}

#[test]
fn a_bare_word_where_a_value_belongs_is_said_to_need_quotes() {
    for comparison in ["branch == main", "branch != main", "path matches main"] {
        let text = format!("policy p language 1\nrole r\nrule x:\n  deny r to git.push\n  where {comparison}\n");
        let parsed = parse(any_file(), &text);
        let [finding] = &parsed.diagnostics[..] else { panic!("{text}{:?}", parsed.diagnostics) };
        assert_eq!(finding.help.as_deref(), Some("values are numbers, or strings in double quotes"), "{text}");
    }
}

#[test]
fn strings_that_look_like_others_are_refused() {
    for c in ['\u{200D}', '\u{A0}', '\u{FE0F}', '\u{3164}', '\t', '\u{202E}', '\u{0}'] {
        let parsed = parse(any_file(), &format!("policy p language 1\npaths a = \"sec{c}ret/**\"\n"));
        let codes: Vec<&str> = parsed.diagnostics.iter().map(|finding| finding.code.id).collect();
        assert!(matches!(codes.as_slice(), ["E0106" | "E0105"]), "{c:?}: {codes:?}");
    }
    assert_eq!(
        parse(any_file(), "policy p language 1  # caf\u{e9} \u{2764}\u{fe0f}\npaths a = \"\u{fc}/**\"\n").diagnostics,
        []
    );
}

#[test]
fn each_line_with_a_mistake_has_a_finding_with_a_way_out() {
    let text = include_str!("fixtures/many-mistakes.policy");
    let source = Source::new("many-mistakes.policy", text);
    let parsed = parse(any_file(), text);
    let lines: Vec<usize> = parsed.diagnostics.iter().map(|d| source.line_of(d.primary.at.span.start)).collect();
    let right = [1, 7, 16, 18, 19, 22, 27, 30, 32];
    let wrong: Vec<usize> = (1..=text.lines().count()).filter(|line| !right.contains(line)).collect();
    assert_eq!(lines, wrong);
    for finding in &parsed.diagnostics {
        assert!(finding.help.is_some(), "{finding:?}");
    }
}

#[test]
fn a_test_before_a_broken_statement_is_read() {
    let text =
        "policy p language 1\ntest t: r validate.run\n  rule \"x\" => allow by a\nrule \"n\": allow r to file.read\n";
    let parsed = parse(any_file(), text);
    let is_test = |statement: &&policy_syntax::Statement| matches!(statement.kind, StatementKind::Test(_));
    assert_eq!(parsed.ast.statements.iter().filter(is_test).count(), 1);
    assert_eq!(parsed.diagnostics.len(), 1);
}
