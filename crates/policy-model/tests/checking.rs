//! What a check finds beyond single statements: bounds, expectations, recovery, suggestions.

mod support;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use support::{checked, codes};

#[test]
fn every_unknown_name_comes_with_a_suggestion() {
    let text = r#"policy p language 1
        use std.secretz
        role reader
        paths sources = "src/**"
        tool jira { op search(project: strin) }
        rule a: allow raeder to file.read
        rule b: allow reader to file.raed
        rule c: allow reader to fyle.read
        rule d: allow reader to file.read where path in source
        rule e: allow reader to file.read where pth in sources
        rule f: allow reader to file.read limit byts <= 1 KiB
        rule g: ask reader to git.push require clean-tre
        rule h: allow reader to file.read limit bytes <= 1 mb
        rule i: allow reader to jira.serch
        budget j: reader inference.call tokens <= 1 per sesion
        test t: reader file.read path "a" => allow by hh
        test u: reader file.read pth "a" => allow"#;
    let checked = checked(text);
    let unknown: Vec<_> = checked
        .diagnostics
        .iter()
        .filter(|finding| finding.code.title.starts_with("unknown"))
        .map(|finding| (finding.code.id, finding.help.clone().unwrap_or_default()))
        .collect();
    let ids: Vec<_> = unknown.iter().map(|(id, _)| *id).collect();
    assert_eq!(
        ids,
        [
            "E0302", "E0414", "E0401", "E0402", "E0403", "E0404", "E0406", "E0406", "E0407", "E0413", "E0402", "E0415",
            "E0405", "E0406"
        ]
    );
    for (id, help) in unknown {
        assert!(help.starts_with("did you mean `"), "{id}: {help}");
    }
}

#[test]
fn a_broken_declaration_is_one_finding_and_not_one_for_each_use() {
    let found = checked(
        r#"policy p language 1
        rol reader
        paths sources "src/**"
        rule x: allow reader to file.read where path in sources
        test t: reader file.read path "src/a" => allow by x"#,
    );
    assert_eq!(codes(&found), ["E0202", "E0201"], "{:?}", found.diagnostics);
}

#[test]
fn an_expected_warning_is_silent_and_an_unmet_one_is_not() {
    let rule = "rule x: allow r to shell.exec where command in \"make\"";
    let test = "test t: r shell.exec command \"make\" => allow by x";
    let with = |before: &str, after: &str| {
        let checked = checked(&format!("policy p language 1\nrole r\n{before}\n{rule} {after}\n{test}\n"));
        codes(&checked)
    };
    assert_eq!(with("", ""), ["W0807"]);
    assert_eq!(with("# expect W0807: the sandbox has no network", ""), Vec::<&str>::new());
    assert_eq!(with("", "# expect W0807: the sandbox has no network"), Vec::<&str>::new());
    assert_eq!(with("# expect W0807", ""), ["W0816", "W0807"], "a reason is needed");
    assert_eq!(with("# expect W0805: no", ""), ["W0816", "W0807"]);
    assert_eq!(with("# expect E0401: no", ""), ["W0816", "W0807"], "errors cannot be expected");
    assert_eq!(with("# expect trouble", ""), ["W0807"], "prose is prose");
}

#[test]
fn a_command_that_runs_others_is_seen_through_sets_lines_and_regexes() {
    let warns = |condition: &str| {
        let text = format!(
            "policy p language 1 role r commands all = \"ls\", inner commands inner = \"xargs\"\n\
             rule x: allow r to shell.exec {condition}\n test t: r shell.exec command \"ls\" => deny"
        );
        codes(&checked(&text)).contains(&"W0807")
    };
    for condition in [
        "",
        "where not network",
        "where command in all",
        "where command in \"e*\"",
        "where not command in \"rm\"",
        "where command == \"npm\" and subcommand == \"test\"",
        "where line in \"git *\"",
        "where line in \"docker compose *\"",
        "where line matches \"^(ls|env)( .*)?$\"",
        "where line matches \"^cargo (build|test)( .*)?$\"",
        "where command == \"ls\" or force-is-not-here == \"x\" or command == \"env\"",
    ] {
        let expected = !condition.contains("force-is-not-here");
        assert_eq!(warns(condition), expected, "{condition}");
    }
    for condition in [
        "where command in \"ls\", \"cat\"",
        "where line == \"make test\"",
        "where line in \"make test\", \"cargo test\"",
        "where command == \"cargo\" and line matches \"^cargo (build|test)$\"",
        "where command in all and not command in inner",
    ] {
        assert!(!warns(condition), "{condition}");
    }
}

#[test]
fn ten_thousand_mistakes_of_meaning_are_bounded_in_number_and_time() {
    let mut text = String::from("policy p language 1\n");
    for n in 0..6_000 {
        let _ = writeln!(text, "role role-{n} includes missing-{n}");
        let _ = writeln!(text, "rule rule-{n}: allow nobody-{n} to fil.read where path in none-{n}");
    }
    let start = Instant::now();
    let found = codes(&checked(&text));
    assert!(found.len() <= 2_002, "{}", found.len());
    assert!(found.contains(&"E0108"));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn sets_inside_sets_cost_no_more_than_their_bound() {
    let mut chain = String::from("policy p language 1\nrole r\npaths s0 = \"a\"\n");
    for n in 1..20_000 {
        let _ = writeln!(chain, "paths s{n} = s{}", n - 1);
    }
    let start = Instant::now();
    assert!(codes(&checked(&chain)).contains(&"E0416"));
    let mut diamonds = String::from("policy p language 1\nrole r\npaths a0 = \"a\"\npaths b0 = \"b\"\n");
    for n in 1..60 {
        let _ = writeln!(diamonds, "paths a{n} = a{0}, b{0}\npaths b{n} = a{0}, b{0}", n - 1);
    }
    diamonds.push_str(
        "rule x: allow r to file.read where path in a59, b59\ntest t: r file.read path \"b\" => allow by x\n",
    );
    let found = checked(&diamonds);
    assert!(found.model.is_some(), "{:?}", found.diagnostics.first());
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn more_roles_than_a_policy_may_have_are_refused() {
    let roles =
        |count: usize| (0..count).fold(String::from("policy p language 1\n"), |t, n| t + &format!("role r{n}\n"));
    assert!(!codes(&checked(&roles(1_024))).contains(&"E0416"));
    assert!(codes(&checked(&roles(1_025))).contains(&"E0416"));
}

#[test]
fn a_failing_test_says_what_the_policy_says_and_why() {
    let found = checked(
        r#"policy p language 1
        role r
        rule small: allow r to file.read where path in "src/**" limit bytes <= 1 KiB
        test fits: r file.read path "src/a" => allow by small
        test too-large: r file.read path "src/a" bytes 2 KiB => allow by small
        test elsewhere: r file.read path "docs/a" => allow by small
        test wrong-verdict: r file.read path "src/a" => deny"#,
    );
    let shown: Vec<_> = found
        .diagnostics
        .iter()
        .map(|d| (d.code.id, d.message.as_str(), d.secondary.first().map_or("", |label| label.text.as_str())))
        .collect();
    assert_eq!(
        shown,
        [
            ("E0701", "the policy says deny by `small`", "a limit of this rule is exceeded"),
            ("E0701", "the policy says deny by `default-deny`", "this rule does not match the request"),
            ("E0701", "the policy says allow by `small`", "this rule decides"),
        ]
    );
    assert!(found.model.is_none());
}

#[test]
fn a_mistake_hides_no_other_and_makes_none() {
    let text = r#"policy p language 1
        role r
        rule a: allow r to file.read
        rul b:
          allow r to http.request
          where host == "x"
        rule c: allow r to fyle.read, file.read
          wher path in "x"
          limit bytes <= 10 MB
        rule d: allow nobody to file.read where pth in "x" limit byts <= 1 KiB
        rule e: allow r to file.read where path not in "x" limit timeout <= 1 s
        test t: r file.read path "a" => allow by b"#;
    let checked = checked(text);
    let found: Vec<_> = checked
        .diagnostics
        .iter()
        .map(|finding| (finding.code.id, checked.sources.slice(finding.primary.at)))
        .collect();
    assert_eq!(
        found,
        [
            ("E0202", "rul"),
            ("E0403", "fyle.read"),
            ("E0202", "wher"),
            ("E0413", "10 MB"),
            ("E0401", "nobody"),
            ("E0406", "pth"),
            ("E0406", "byts"),
            ("E0201", "not"),
            ("E0406", "timeout"),
        ]
    );
}
