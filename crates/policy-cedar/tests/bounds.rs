//! The deepest and the widest that the language has. Cedar walks trees by recursion and refuses to go on when
//! the stack ends, so these must fit into a thread as tests have it.

#![cfg(test)]

mod support;

use std::fmt::Write as _;

use policy_cedar::{CedarJudge, compile};
use policy_syntax::limits::NESTING_MAX;
use support::{assert_agreement, model, request};

#[test]
fn the_deepest_condition_is_compiled_and_walked_to_its_end() {
    let mut condition = "append".to_owned();
    // `not` counts as one level and so do parentheses.
    for _ in 0..NESTING_MAX / 4 - 1 {
        condition = format!("path in \"a*\", \"b\" and create-only and ({condition})");
        condition = format!("path in \"x*/**\" or not create-only or ({condition})");
        condition = format!("path == \"b\" and not ({condition})");
    }
    let text = format!("policy deep language 1\nrule r: allow anyone to file.read where {condition}\n");
    let model = model(&text);
    let judge = CedarJudge::new(&model).unwrap();
    let mut rules = Vec::new();
    for facts in [&["path=b", "create-only"][..], &["path=b", "create-only", "append"], &["path=c"]] {
        rules.push(assert_agreement(&model, &judge, &request(&model, &[], "file.read", facts)).rule);
    }
    assert!(rules[0] != rules[1], "the innermost flag decides: {rules:?}");
}

#[test]
fn a_set_of_thousands_is_looked_through() {
    let mut text = "policy wide language 1\npaths wide = \"first\"".to_owned();
    for number in 0..2_000 {
        write!(text, ",\n  \"a{number}/*/x*\", \"**/b{number}/**\", \"c{number}\"").unwrap();
    }
    text.push_str("\nrule r: allow anyone to file.read where path in wide\n");
    let model = model(&text);
    let judge = CedarJudge::new(&model).unwrap();
    assert!(compile(&model).unwrap().policies_text.lines().any(|line| line.len() > 100_000));
    for (path, rule) in [
        ("first", "r"),
        ("a0/y/x", "r"),
        ("a1999/y/xy", "r"),
        ("z/b1999/y", "r"),
        ("c1999", "r"),
        ("c2000", "default-deny"),
        ("a1999/x", "default-deny"),
    ] {
        let request = request(&model, &[], "file.read", &[&format!("path={path}")]);
        assert_eq!(assert_agreement(&model, &judge, &request).rule, rule, "{path}");
    }
}
