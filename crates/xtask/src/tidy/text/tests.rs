//! One broken example for each rule, and what each rule must leave alone.

use super::*;

/// The findings of a text, as (line, fault).
fn found(path: &str, text: &str) -> Vec<(usize, Fault)> {
    check(path, text).into_iter().map(|finding| (finding.line, finding.fault)).collect()
}

#[test]
fn a_tidy_file_has_no_findings() {
    assert_eq!(found("src/lib.rs", "//! Bytes -> text.\n\nfn main() {}\n"), []);
    assert_eq!(found("README.md", "# Name\n\nText.\n"), []);
    assert_eq!(found("empty", ""), []);
}

#[test]
fn a_rust_file_without_header_is_found() {
    assert_eq!(found("a.rs", "// Not it.\n"), [(1, Fault::NoHeader)]);
    assert_eq!(found("a.rs", ""), [(1, Fault::NoHeader)]);
}

#[test]
fn a_rust_file_may_have_the_most_lines_and_no_more() {
    let longest = "//! Long.\n".repeat(RUST_LINES_MAX);
    assert_eq!(found("a.rs", &longest), []);
    assert_eq!(found("a.md", &format!("{longest}\n")), []);
    assert_eq!(found("a.rs", &format!("{longest}\n")), [(701, Fault::TooManyLines { lines: 701 })]);
}

#[test]
fn unfinished_code_is_found_in_rust_only() {
    for pattern in UNFINISHED_CODE {
        let text = format!("//! Rust.\n    {pattern}\n");
        assert_eq!(found("a.rs", &text), [(2, Fault::Unfinished(pattern))], "{pattern}");
        assert_eq!(found("a.md", &text), [], "{pattern}");
    }
}

#[test]
fn marks_of_unfinished_work_are_found_everywhere() {
    for word in UNFINISHED_WORDS {
        for text in
            [format!("# {word} later\n"), format!("a // {word}\n"), format!("{word}\n"), format!("a {word}(me)\n")]
        {
            for path in ["a.md", "a.toml", "a.policy"] {
                assert_eq!(found(path, &text), [(1, Fault::Unfinished(word))], "{text} in {path}");
            }
        }
        for text in [
            format!("no {word} on this branch\n"),
            format!("no HACK/{word} here\n"),
            format!("# {word}{word}\n"),
            format!("\"a{word}:\"\n"),
        ] {
            assert_eq!(found("a.md", &text), [], "{text}");
        }
    }
}

#[test]
fn a_test_named_after_being_a_test_is_found() {
    let text = |attribute: &str, function: &str| format!("//! Tests.\n{attribute}\n// Why.\n{function}() {{}}\n");
    let expected = |name: &str| [(4, Fault::TestPrefix { name: name.to_owned() })];
    assert_eq!(found("a.rs", &text("#[test]", "fn test_it_works")), expected("test_it_works"));
    assert_eq!(found("a.rs", &text("  #[tokio::test]", "  async fn test_b")), expected("test_b"));
    assert_eq!(found("a.rs", &text("#[test]", "fn a_tested_claim")), []);
    assert_eq!(found("a.rs", &text("#[must_use]", "fn test_statement")), []);
    assert_eq!(found("a.md", &text("#[test]", "fn test_it_works")), []);
}

#[test]
fn a_function_after_a_test_is_no_test() {
    assert_eq!(found("a.rs", "//! T.\n#[test]\nfn claim() {}\nfn test_statement() {}\n"), []);
}

#[test]
fn promises_are_found_in_code_and_prose_in_either_case() {
    for words in PROMISES {
        let text = format!("//! A {words}.\n");
        assert_eq!(found("a.rs", &text), [(1, Fault::Promise(words))], "{words}");
        assert_eq!(found("a.md", &text.to_uppercase()), [(1, Fault::Promise(words))], "{words}");
        assert_eq!(found("a.toml", &text), [], "{words}");
        assert_eq!(found("a.md", &format!("{words}here\n")), [], "{words}");
    }
}

#[test]
fn white_space_at_the_end_of_a_line_is_found() {
    assert_eq!(found("a.toml", "a \nb\t\nc\r\nd\n"), [1, 2, 3].map(|line| (line, Fault::TrailingBlank)));
}

#[test]
fn tabs_are_found_where_people_read() {
    for path in ["a.md", "a.policy"] {
        assert_eq!(found(path, "a\n\tb\n"), [(2, Fault::Tab)], "{path}");
    }
    assert_eq!(found("Makefile", "a\n\tb\n"), []);
}

#[test]
fn a_last_line_without_end_is_found() {
    assert_eq!(found("a.toml", "a\nb"), [(2, Fault::NoFinalNewline)]);
}

#[test]
fn paths_of_one_machine_are_found() {
    for start in MACHINE_FOLDERS {
        for text in [format!("{start}me\n"), format!("cd \"{start}me\"\n"), format!("file://{start}me\n")] {
            assert_eq!(found("a.md", &text), [(1, Fault::AbsolutePath(start))], "{text}");
        }
        for text in [format!("src{start}me\n"), format!("**{start}me\n"), format!("~{start}me\n")] {
            assert_eq!(found("a.md", &text), [], "{text}");
        }
    }
}

#[test]
fn data_of_tests_may_be_wrong() {
    for path in ["tests/fixtures/a.policy", "crates/a/tests/fixtures/b.rs", "crates/a/src/snapshots/c.snap"] {
        assert_eq!(found(path, "\ta "), [], "{path}");
    }
    assert_ne!(found("crates/a/fixtures.policy", "\ta "), []);
}
