//! A small house in order, then broken in each way there is, each with its named error.

use super::*;

const SMALL: &str = r#"
[[req]]
id = "INV-0001"
text = "Short."
note = "Very."
status = "done"
[[req]]
id = "SEC-ALLOW"
text = "Listed."
status = "open"
"#;

fn test(path: &str) -> Test {
    Test { crate_name: "model".into(), target: None, path: path.into() }
}

/// The errors of a house with these requirements and tests, whose document is up to date.
fn errors(requirements: &str, tests: &[Test]) -> Vec<TraceError> {
    trace(requirements, tests, None).errors
}

/// The one error that makes the small house unreadable when it is changed like this.
fn unreadable(from: &str, to: &str) -> (usize, String) {
    let errors = errors(&SMALL.replacen(from, to, 1), &[test("inv_0001_holds")]);
    match errors.as_slice() {
        [TraceError::Unreadable { line, reason }] => (*line, reason.clone()),
        others => panic!("{others:?}"),
    }
}

#[test]
fn a_house_in_order_has_no_errors() {
    let tests = [test("inv_0001_holds"), test("other")];
    let traced = trace(SMALL, &tests, None);
    assert_eq!((traced.rows, traced.done, traced.errors), (2, 1, vec![]));
    let document = traced.document.unwrap();
    assert_eq!(trace(SMALL, &tests, Some(&document)).errors, []);
}

#[test]
fn the_requirements_of_this_house_are_in_order() {
    let text = Tree::locate().unwrap().read_text(REQUIREMENTS).unwrap();
    let rows = requirements::read(&text).unwrap();
    assert_eq!(wrong_rows(&rows), []);
    // A row that goes away takes its promise with it, so that is seen here too.
    assert_eq!(rows.len(), 171);
}

#[test]
fn a_row_that_is_done_needs_a_test() {
    let expected = [TraceError::NoEvidence { id: "INV-0001".into() }];
    assert_eq!(errors(SMALL, &[]), expected);
    assert_eq!(errors(SMALL, &[test("sec_allow_lists")]), expected);
    assert!(expected[0].to_string().contains("`inv_0001`"), "{}", expected[0]);
}

#[test]
fn a_test_may_not_carry_an_id_that_is_no_row() {
    let expected = TraceError::UnknownId { test: "model::a::inv_0002_holds".into(), id: "inv_0002".into() };
    assert_eq!(errors(SMALL, &[test("inv_0001"), test("a::inv_0002_holds")]), [expected]);
}

#[test]
fn an_id_is_the_id_of_one_row() {
    let twice = SMALL.replace("SEC-ALLOW", "INV-0001");
    assert_eq!(errors(&twice, &[test("inv_0001")])[0], TraceError::DuplicateId { id: "INV-0001".into() });
}

#[test]
fn ids_that_are_alike_in_names_are_refused() {
    let alike = SMALL.replace("SEC-ALLOW", "INV-.0001").replace("INV-0001", "INV--0001");
    let expected = TraceError::AlikeIds { id: "INV-.0001".into(), other: "INV--0001".into() };
    assert_eq!(errors(&alike, &[test("inv__0001")])[0], expected);
}

#[test]
fn an_id_has_a_group() {
    let other = SMALL.replace("SEC-ALLOW", "ELSE-1");
    assert_eq!(errors(&other, &[test("inv_0001")]), [TraceError::UnknownGroup { id: "ELSE-1".into() }]);
}

#[test]
fn a_status_is_open_or_done() {
    let (line, reason) = unreadable("\"open\"", "\"partly\"");
    assert_eq!(line, 10);
    assert!(reason.contains("`partly`"), "{reason}");
    assert!(unreadable("status = \"open\"\n", "").1.contains("`status`"));
}

#[test]
fn a_key_that_is_not_known_is_refused() {
    let (line, reason) = unreadable("note", "notes");
    assert_eq!(line, 5);
    assert!(reason.contains("`notes`"), "{reason}");
    assert!(unreadable("\n[[req]]", "\nother = 1\n[[req]]").1.contains("`other`"));
}

#[test]
fn what_is_no_toml_is_refused_and_makes_no_document() {
    assert_eq!(unreadable("\"Listed.\"", "Listed.").0, 9);
    assert_eq!(trace("[[req]", &[], None).document, None);
}

#[test]
fn a_file_without_rows_is_refused() {
    assert_eq!(errors("req = []\n", &[]), [TraceError::NoRows]);
}

#[test]
fn a_document_that_differs_is_out_of_date_and_says_what_to_do() {
    let tests = [test("inv_0001_holds")];
    let document = trace(SMALL, &tests, None).document.unwrap();
    let last = document.lines().count();
    for (committed, line) in [
        (String::new(), 1),
        (document.replace("Listed", "Listened"), last),
        (format!("{document}more\n"), last + 1),
        (document.trim_end().to_owned(), last + 1),
    ] {
        let errors = trace(SMALL, &tests, Some(&committed)).errors;
        assert_eq!(errors, [TraceError::OutOfDate { line }]);
        assert!(errors[0].to_string().contains("cargo xtask trace --write"));
    }
}

#[test]
fn a_new_test_that_carries_an_id_makes_the_document_out_of_date() {
    let document = trace(SMALL, &[test("inv_0001")], None).document.unwrap();
    let more = [test("inv_0001"), test("sec_allow_sec_allow")];
    assert!(matches!(trace(SMALL, &more, Some(&document)).errors[..], [TraceError::OutOfDate { .. }]));
    assert!(trace(SMALL, &more, None).document.unwrap().contains("| open, in part | `model::sec_allow_sec_allow` |"));
}
