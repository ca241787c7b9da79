//! Which Cedar policies a rule becomes, and whom and what each is about.

use policy_syntax::Effect as Verdict;

use super::*;
use crate::testing::{World, model};

fn printed(parts: &[Part]) -> Vec<String> {
    parts.iter().map(|part| part.template.to_string()).collect()
}

fn ids(parts: &[Part]) -> Vec<&str> {
    parts.iter().map(|part| part.template.id.0.as_str()).collect()
}

#[test]
fn each_effect_has_its_policies() {
    let model = model(
        r#"
        rule d: deny anyone to git.push code NO because "No \"push\" here."
        rule a: allow anyone to git.push
        rule al: allow anyone to file.read limit bytes <= 1 B
        rule q: ask anyone to git.push
        rule ql: ask anyone to file.read limit bytes <= 1 B
        "#,
    );
    let parts = deciding(&model).unwrap();
    assert_eq!(ids(&parts), ["d", "a", "al", "q", "q#ask", "ql", "ql#ask", "ql#limit"]);
    let over = "(context.numbers has bytes) && (context.numbers.bytes > 1)";
    let (push, read) = (
        r#"principal, action == Action::"git.push", resource"#,
        r#"principal, action == Action::"file.read", resource"#,
    );
    assert_eq!(
        printed(&parts),
        [
            format!("@because(\"No \\\"push\\\" here.\")\n@code(\"NO\")\n@id(\"d\")\n@rule(\"d\")\nforbid({push});"),
            format!("@code(\"ALLOWED\")\n@id(\"a\")\n@rule(\"a\")\npermit({push});"),
            format!("@code(\"ALLOWED\")\n@id(\"al\")\n@rule(\"al\")\npermit({read}) unless {{ {over} }};"),
            format!("@code(\"ALLOWED\")\n@id(\"q\")\n@rule(\"q\")\npermit({push}) when {{ context.approved }};"),
            format!(
                "@code(\"APPROVAL_REQUIRED\")\n@id(\"q#ask\")\n@rule(\"q\")\nforbid({push}) unless {{ context.approved }};"
            ),
            format!(
                "@code(\"ALLOWED\")\n@id(\"ql\")\n@rule(\"ql\")\npermit({read}) when {{ context.approved }} unless {{ {over} }};"
            ),
            format!(
                "@code(\"APPROVAL_REQUIRED\")\n@id(\"ql#ask\")\n@rule(\"ql\")\nforbid({read}) unless {{ context.approved }} unless {{ {over} }};"
            ),
            format!("@code(\"LIMIT_EXCEEDED\")\n@id(\"ql#limit\")\n@rule(\"ql\")\nforbid({read}) when {{ {over} }};"),
        ]
    );
    let explaining = explaining(&model).unwrap();
    assert_eq!(
        printed(&explaining),
        [format!("@code(\"LIMIT_EXCEEDED\")\n@id(\"al#limit\")\n@rule(\"al\")\nforbid({read}) when {{ {over} }};")]
    );
}

#[test]
fn another_ask_within_its_limits_lifts_a_limit_only_where_both_apply() {
    let world = World::new(
        r#"
        role boss
        rule q: ask anyone to file.read, file.write limit bytes <= 1 B
        rule other: ask boss to file.read, fs.list where path == "a" limit bytes <= 2 B
        rule elsewhere: ask anyone to git.push
        "#,
    );
    let parts = deciding(&world.model).unwrap();
    let limit = parts.iter().find(|part| part.template.id.0 == "q#limit").unwrap();
    let [.., Clause::Unless(others)] = limit.template.clauses().as_slice() else {
        panic!("{limit:?}");
    };
    assert_eq!(
        others.to_string(),
        "(action in Action::\"file.read\") && (principal in Role::\"boss\") \
         && ((context.strings has path) && (context.strings.path.text == \"a\")) \
         && (!((context.numbers has bytes) && (context.numbers.bytes > 2)))"
    );
    for (roles, operation, facts, verdict, rule) in [
        (&["boss"][..], "file.read", &["path=a", "bytes:1"][..], Verdict::Ask, "q"),
        (&["boss"], "file.read", &["path=a", "bytes:2"], Verdict::Ask, "other"),
        (&["boss"], "file.read", &["path=a", "bytes:3"], Verdict::Deny, "q"),
        (&["boss"], "file.read", &["path=b", "bytes:2"], Verdict::Deny, "q"),
        (&[], "file.read", &["path=a", "bytes:2"], Verdict::Deny, "q"),
        (&["boss"], "file.write", &["path=a", "bytes:2"], Verdict::Deny, "q"),
    ] {
        let answer = world.answer(roles, operation, facts);
        assert_eq!((answer.verdict, answer.rule.as_str()), (verdict, rule), "{roles:?} {operation} {facts:?}");
    }
}

#[test]
fn another_ask_lifts_no_limit_of_a_line_that_is_too_complex_for_it() {
    let world = World::new(
        "rule complex-lines: ask anyone to shell.exec where complex limit timeout <= 1 s
         rule lines: ask anyone to shell.exec, shell.inline",
    );
    for (facts, verdict, rule) in [
        (&["complex", "timeout:1000"][..], Verdict::Ask, "complex-lines"),
        (&["complex", "timeout:1001"], Verdict::Deny, "complex-lines"),
        (&["timeout:1001"], Verdict::Ask, "lines"),
    ] {
        let answer = world.answer(&[], "shell.exec", facts);
        assert_eq!((answer.verdict, answer.rule.as_str()), (verdict, rule), "{facts:?}");
    }
}

#[test]
fn one_role_is_in_the_head_and_several_are_in_the_body() {
    let world = World::new(
        "role a role b includes a role c
         rule one: allow a to git.push
         rule two: allow b, c to git.pull, git.fetch",
    );
    let parts = printed(&deciding(&world.model).unwrap());
    assert!(
        parts[0].ends_with(r#"permit(principal in Role::"a", action == Action::"git.push", resource);"#),
        "{}",
        parts[0]
    );
    assert!(
        parts[1].ends_with(
            "permit(principal, action in [Action::\"git.fetch\", Action::\"git.pull\"], resource) \
             when { principal in [Role::\"b\", Role::\"c\"] };"
        ),
        "{}",
        parts[1]
    );
    for (roles, operation, verdict) in [
        (&["a"][..], "git.push", Verdict::Allow),
        (&["b"], "git.push", Verdict::Allow),
        (&["c"], "git.push", Verdict::Deny),
        (&[], "git.push", Verdict::Deny),
        (&["a"], "git.pull", Verdict::Deny),
        (&["b"], "git.pull", Verdict::Allow),
        (&["a", "c"], "git.fetch", Verdict::Allow),
        (&["b", "c"], "git.diff", Verdict::Deny),
    ] {
        assert_eq!(world.answer(roles, operation, &[]).verdict, verdict, "{roles:?} {operation}");
    }
}

#[test]
fn anyone_is_also_who_holds_no_role() {
    let world = World::new("role a rule all: allow anyone to git.push rule no: deny anyone to git.pull");
    for roles in [&[][..], &["a"]] {
        assert_eq!(world.answer(roles, "git.push", &[]).verdict, Verdict::Allow);
        assert_eq!(world.answer(roles, "git.pull", &[]).rule, "no");
    }
}

#[test]
fn a_complex_line_needs_a_rule_that_asks_for_it() {
    let cases = [
        ("rule r: allow anyone to shell.exec", Verdict::Allow, Verdict::Deny, "SHELL_COMPLEX"),
        ("rule r: ask anyone to shell.exec", Verdict::Ask, Verdict::Deny, "SHELL_COMPLEX"),
        ("rule r: allow anyone to shell.exec where complex or network", Verdict::Deny, Verdict::Allow, "ALLOWED"),
        ("rule r: allow anyone to shell.exec where not complex", Verdict::Allow, Verdict::Deny, "SHELL_COMPLEX"),
        ("rule r: deny anyone to shell.exec", Verdict::Deny, Verdict::Deny, "SHELL_EXEC_DENIED"),
        ("rule r: allow anyone to shell.exec, shell.inline", Verdict::Allow, Verdict::Deny, "SHELL_COMPLEX"),
        ("rule r: deny anyone to shell.exec, shell.inline", Verdict::Deny, Verdict::Deny, "SHELL_EXEC_DENIED"),
    ];
    for (rule, simple, complex, code) in cases {
        let world = World::new(rule);
        assert_eq!(world.answer(&[], "shell.exec", &[]).verdict, simple, "{rule}");
        let answered = world.answer(&[], "shell.exec", &["complex"]);
        assert_eq!((answered.verdict, answered.code.as_str()), (complex, code), "{rule}");
        // The flag means nothing to other operations, of which only some have it.
        world.answer(&[], "shell.inline", &["complex"]);
    }
    let world = World::new(cases[5].0);
    let inline = world.answer(&[], "shell.inline", &["complex"]);
    assert_eq!(inline.verdict, Verdict::Allow);
    let printed = printed(&deciding(&world.model).unwrap());
    assert!(
        printed[0].ends_with(
            r#"unless { ((action in Action::"shell.exec") && context.flags.complex) || context.flags.network };"#
        ),
        "{printed:?}"
    );
}

#[test]
fn a_limit_binds_whichever_operation_states_the_number() {
    let world = World::new("rule r: allow anyone to file.read, fs.list limit bytes <= 1 B, max-results <= 5");
    for (operation, facts, code) in [
        ("file.read", &["bytes:1"][..], "ALLOWED"),
        ("file.read", &["bytes:2"], "LIMIT_EXCEEDED"),
        ("file.read", &[], "ALLOWED"),
        ("fs.list", &["max-results:6"], "LIMIT_EXCEEDED"),
        ("fs.list", &["max-results:5"], "ALLOWED"),
        ("fs.list", &["bytes:2"], "LIMIT_EXCEEDED"),
    ] {
        assert_eq!(world.answer(&[], operation, facts).code, code, "{operation} {facts:?}");
    }
}

#[test]
fn two_rules_of_one_name_are_refused() {
    let mut model = model("rule a: allow anyone to git.push rule b: allow anyone to git.pull");
    model.rules[1].name = "a".to_owned();
    let refused = crate::compile(&model).unwrap_err();
    assert_eq!(refused.to_string(), "Cedar rejects the policy `a`: duplicate name");
}
