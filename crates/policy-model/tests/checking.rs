//! What a check finds beyond single statements: bounds, expectations, recovery, suggestions.

mod support;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use support::{checked, codes};

#[test]
fn gate_typed_every_unknown_name_comes_with_a_suggestion() {
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
fn a_keyword_for_the_name_of_a_set_is_one_finding_and_no_empty_list() {
    for following in ["", ", \"b\"", " and path in \"b\"", " or path in \"b\"", "\n limit bytes <= 1 KiB", ")"] {
        for keyword in ["code", "limit", "require", "never", "role"] {
            let wrong = format!("path in {keyword}{following}");
            let rule = format!("rule x: allow r to file.read where {wrong}");
            let found = codes(&checked(&format!(
                "policy p language 1\nrole r\n{rule}\ntest t: r file.read path \"a\" => allow by x\n"
            )));
            assert_eq!(found, ["E0207"], "{rule}");
            let assertion = format!("assert a: never anyone to file.read where {wrong}");
            let found = codes(&checked(&format!("policy p language 1\n{assertion}\n")));
            let errors: Vec<_> = found.into_iter().filter(|id| id.starts_with('E')).collect();
            assert_eq!(errors.first(), Some(&"E0207"), "{assertion}");
            assert!(!errors.contains(&"E0511"), "{assertion}");
        }
    }
    let next_line = "rule x: deny anyone to file.read where path in\n code NO_PATHS";
    assert_eq!(codes(&checked(&format!("policy p language 1\n{next_line}\n"))), ["E0511"]);
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
    let note = "# expect N0701: known\nassert a: never anyone to git.push";
    let found = codes(&checked(&format!("policy p language 1\n{note}\n")));
    assert_eq!(found, ["W0816", "N0701"], "a note fails nothing and cannot be expected");
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
        "where line matches \"^find [.] .*$\"",
        "where line matches \"^bash -lc .*$\"",
        "where line matches \"^git (push|fetch|clone) .*$\"",
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

/// Other words for `anyone` lead to it, unless a role has the name.
#[test]
fn who_means_anyone_is_told_the_word() {
    let helps = |text: &str| -> Vec<String> {
        let checked = checked(&format!("policy p language 1\n{text}"));
        let unknown = checked.diagnostics.into_iter().filter(|finding| finding.code.id == "E0401");
        unknown.flat_map(|finding| finding.help).collect()
    };
    let anyone = "did you mean `anyone`, which matches every request?";
    assert_eq!(helps("role r\nrule a: deny anybody to file.read"), [anyone]);
    assert_eq!(helps("test t: everyone file.read path \"a\" => deny"), [anyone]);
    assert_eq!(helps("role all\nrule a: deny all to file.read"), [""; 0]);
    // A role cannot include everyone.
    assert_eq!(helps("role reader includes everybody"), ["known roles: `reader`"]);
}

#[test]
fn expected_warnings_hide_no_others() {
    let mut text = String::from("policy p language 1\n");
    for n in 0..1_000 {
        let _ = writeln!(text, "# expect W0802: one of many\nrole r{n}");
    }
    text.push_str("rule all: allow anyone to shell.exec\n");
    let found = checked(&text);
    assert_eq!(codes(&found), ["W0806", "W0807", "W0810"]);
}

#[test]
fn a_test_holds_roles_that_sessions_can_hold() {
    let test = "test t: rust-developer proc.list => deny by default-deny";
    let found = checked(&format!("policy p language 1\nuse std.rust-dev\nrole coder includes rust-developer\n{test}"));
    assert_eq!(codes(&found), ["E0512"]);
    let found = checked(&format!(
        "policy p language 1\nuse std.rust-dev\nrole coder includes rust-developer\n{}",
        test.replace(": rust-developer", ": coder")
    ));
    assert_eq!(codes(&found), Vec::<&str>::new());
}

#[test]
fn values_of_a_declared_tool_have_no_form_of_ours() {
    let rule = "rule x: allow r to t where method in \"get\" and extension == \".rs\"";
    let text = format!(
        "policy p language 1\nrole r\ntool t(method: string, extension: string)\n{rule}\n\
                        test a: r t method \"get\" extension \".rs\" => allow by x"
    );
    assert_eq!(codes(&checked(&text)), Vec::<&str>::new());
}

#[test]
fn a_deep_condition_needs_no_deep_stack() {
    let deep = format!("{}force{}", "not (".repeat(32), ")".repeat(32));
    let deeper = format!("{}force{}", "not (".repeat(33), ")".repeat(33));
    let text = |condition: &str| format!("policy p language 1\nrole r\nrule x: deny r to git.push where {condition}");
    let codes_of = |text: String| {
        let small = std::thread::Builder::new().stack_size(1 << 20);
        small.spawn(move || codes(&checked(&text))).map(std::thread::JoinHandle::join)
    };
    assert!(matches!(codes_of(text(&deep)), Ok(Ok(found)) if found == ["W0810"]));
    assert!(matches!(codes_of(text(&deeper)), Ok(Ok(found)) if found == ["E0204"]));
}

#[test]
fn work_of_hostile_size_is_refused_or_bounded() {
    let start = Instant::now();
    let names: Vec<String> = (0..17_000).map(|n| format!("\"n{n}\"")).collect();
    let listed = names.chunks(500).map(|chunk| chunk.join(",")).collect::<Vec<_>>().join(",\n");
    let head = format!("policy p language 1\nrole r\nnames many = {listed}\n");
    let rules = |count: usize, condition: &str| {
        (0..count)
            .fold(String::new(), |text, n| text + &format!("rule r{n}: allow r to shell.exec where {condition}\n"))
    };
    let found = codes(&checked(&format!("{head}{}", rules(200, "line in many"))));
    assert!(found.contains(&"W0807"), "{:?}", found.first());
    let regexes = checked(&format!("policy p language 1\nrole r\n{}", rules(400, "line matches \"^(?u:\\w{30})$\"")));
    assert!(codes(&regexes).contains(&"E0602"));
    let tools =
        (0..20_000).fold(String::from("policy p language 1\nrole r\n"), |text, n| text + &format!("tool tool-{n}\n"));
    let unknown = (0..500).fold(tools, |text, n| text + &format!("rule r{n}: allow r to toll-{n}.x\n"));
    assert!(codes(&checked(&unknown)).contains(&"E0416"));
    let sets = (0..20_000)
        .fold(String::from("policy p language 1\nrole r\n"), |text, n| text + &format!("paths s{n} = \"a\"\n"));
    let all: Vec<String> = (0..20_000).map(|n| format!("s{n}")).collect();
    let all = all.chunks(500).map(|chunk| chunk.join(",")).collect::<Vec<_>>().join(",\n");
    let uses =
        (0..4_000).fold(String::new(), |text, n| text + &format!("rule r{n}: deny r to fs.list where path in all\n"));
    assert!(checked(&format!("{sets}paths all = {all}\n{uses}")).model.is_some());
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}
