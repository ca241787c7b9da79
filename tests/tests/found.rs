//! Cases by hand, each a place where a judge is easily wrong, with the answer that the language
//! reference gives. A difference that a run finds is added here in its smallest form.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what goes wrong in a test has to end it")]

use tests::{Facts, agreement, check_text, reference, seats};

/// All judges give this answer.
fn assert_answer(policy: &str, facts: &Facts, expected: &str) {
    assert_agreement(policy, facts);
    let model = check_text(policy).model.unwrap();
    let prepared = reference().prepare(&model).unwrap();
    assert_eq!(prepared.judge().judge(&facts.request(&model).unwrap()).to_string(), expected, "{facts}");
}

/// All judges give the same answer.
fn assert_agreement(policy: &str, facts: &Facts) {
    if let Err(difference) = agreement(policy, facts, &seats()) {
        panic!("{difference}\n{policy}{facts}");
    }
}

#[test]
fn the_largest_number_is_stated_and_so_over_a_limit() {
    let policy = "policy p language 1\nrule r: allow anyone to file.read where bytes > 1 B limit bytes <= 2 B\n";
    let facts = Facts::of("file.read");
    assert_answer(policy, &facts, "allow by r (ALLOWED), holds bytes <= 2");
    assert_answer(policy, &facts.number("bytes", u64::MAX), "deny by r (LIMIT_EXCEEDED), over bytes <= 2");
}

#[test]
fn too_much_to_be_asked_for_is_not_allowed_by_a_weaker_rule() {
    let policy = "policy p language 1
rule wide: allow anyone to file.write
rule first: ask anyone to file.write where path == \"a\" limit bytes <= 1 B, offset <= 1 B
rule second: ask anyone to file.write where path == \"a\" limit bytes <= 2 B
";
    let facts = Facts::of("file.write").string("path", "a");
    assert_answer(policy, &facts.clone().number("bytes", 2), "ask by second (APPROVAL_REQUIRED)");
    assert_answer(policy, &facts.clone().number("bytes", 3), "deny by first (LIMIT_EXCEEDED), over bytes <= 1");
    let both = facts.number("bytes", 3).number("offset", 2);
    assert_answer(policy, &both, "deny by first (LIMIT_EXCEEDED), over bytes <= 1");
    assert_answer(policy, &Facts::of("file.write").string("path", "b").number("bytes", 3), "allow by wide (ALLOWED)");
}

#[test]
fn a_limit_binds_the_operations_that_have_the_number() {
    let policy = "policy p language 1
rule r: allow anyone to file.read, fs.list limit bytes <= 1 B, max-results <= 2
";
    assert_answer(policy, &Facts::of("file.read"), "allow by r (ALLOWED), holds bytes <= 1");
    assert_answer(policy, &Facts::of("fs.list"), "allow by r (ALLOWED), holds max-results <= 2");
    let many = Facts::of("fs.list").number("max-results", 3);
    assert_answer(policy, &many, "deny by r (LIMIT_EXCEEDED), over max-results <= 2");
}

#[test]
fn complex_is_special_in_a_shell_line_alone() {
    let policy = "policy p language 1
tool mine(complex: flag)
rule plain: allow anyone to shell.exec, mine
rule said: ask anyone to shell.exec where complex or network
rule not-said: deny anyone to shell.exec where command == \"a\" and not complex
";
    assert_answer(policy, &Facts::of("mine").flag("complex"), "allow by plain (ALLOWED)");
    assert_answer(policy, &Facts::of("shell.exec"), "allow by plain (ALLOWED)");
    assert_answer(policy, &Facts::of("shell.exec").flag("complex"), "ask by said (APPROVAL_REQUIRED)");
    let policy = "policy p language 1\nrule r: allow anyone to shell.exec where not complex or network\n";
    let complex = Facts::of("shell.exec").flag("complex").flag("network");
    assert_answer(policy, &complex, "deny by default-deny (SHELL_COMPLEX)");
}

#[test]
fn an_absent_string_is_not_an_empty_one() {
    let policy = "policy p language 1
rule there: ask anyone to file.read where path in \"**\"
rule empty: allow anyone to fs.list where path == \"\" or path matches \"^$\"
rule other: allow anyone to file.write where path != \"a\"
";
    assert_answer(policy, &Facts::of("file.read"), "deny by default-deny (FILE_READ_DENIED)");
    assert_answer(policy, &Facts::of("file.read").string("path", ""), "ask by there (APPROVAL_REQUIRED)");
    assert_answer(policy, &Facts::of("fs.list"), "deny by default-deny (FS_LIST_DENIED)");
    assert_answer(policy, &Facts::of("fs.list").string("path", ""), "allow by empty (ALLOWED)");
    assert_answer(policy, &Facts::of("file.write"), "allow by other (ALLOWED)");
}

#[test]
fn a_value_that_no_path_has_is_matched_byte_by_byte() {
    let policy = "policy p language 1\nrule r: allow anyone to file.read where path in \"a/*/b\", \"*/\", \"é*\"\n";
    for (path, verdict) in [("a//b", true), ("a/", true), ("/", true), ("é", true), ("e\u{301}", false), ("a/b", false)]
    {
        let expected = if verdict { "allow by r (ALLOWED)" } else { "deny by default-deny (FILE_READ_DENIED)" };
        assert_answer(policy, &Facts::of("file.read").string("path", path), expected);
    }
}

#[test]
fn budgets_are_charged_to_every_role_held_and_to_no_denial() {
    let policy = "policy p language 1
role reader
role coder includes reader
budget calls-of-all: anyone inference.call calls <= 1 per minute
budget tokens-of-readers: reader inference.call tokens <= 1 per session
budget of-others: reader file.read calls <= 1 per day
rule r: allow anyone to inference.call where tokens != 0
";
    let facts = Facts::of("inference.call");
    assert_answer(policy, &facts, "allow by r (ALLOWED), charges calls-of-all");
    let charged = "allow by r (ALLOWED), charges calls-of-all, tokens-of-readers";
    assert_answer(policy, &facts.clone().role("coder"), charged);
    assert_answer(policy, &facts.role("coder").number("tokens", 0), "deny by default-deny (INFERENCE_CALL_DENIED)");
}

#[test]
fn a_very_long_value_is_judged_to_its_end() {
    let policy = "policy p language 1
rule end: allow anyone to file.read where path in \"**/z\"
rule middle: deny anyone to file.read where path in \"**/y/**\"
";
    let long = "a/".repeat(2_000);
    assert_answer(policy, &Facts::of("file.read").string("path", &format!("{long}z")), "allow by end (ALLOWED)");
    let inside = format!("{long}y/{long}z");
    assert_answer(policy, &Facts::of("file.read").string("path", &inside), "deny by middle (FILE_READ_DENIED)");
}
