//! `policyc check`: exit codes, several files, colour, and outputs that do not take what is printed.

use std::fs;
use std::process::Stdio;

use crate::support::{BAD, GOOD, folder, folder_with, policyc, snapshot};

#[test]
fn a_policy_that_has_no_table_is_an_error_of_check_as_of_build() {
    let flags: Vec<String> = (0..65).map(|n| format!("f{n}: flag")).collect();
    let place = folder_with(&[("large.policy", &format!("{GOOD}tool large({})\n", flags.join(", ")))]);
    for command in ["check", "build", "test"] {
        let run = policyc(place.path(), [command, "large.policy"]).run();
        assert_eq!(run.code, Some(1), "{command} {run:?}");
        assert!(run.stdout.contains("error[E0904]: "), "{command} {}", run.stdout);
    }
}

#[test]
fn a_good_policy_is_fine() {
    let place = folder_with(&[("good.policy", GOOD)]);
    let run = policyc(place.path(), ["check", "good.policy"]).run();
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (Some(0), "good.policy: no findings\n", ""));
}

#[test]
fn an_error_is_shown_with_its_line_and_makes_the_exit_code_1() {
    let place = folder_with(&[("bad.policy", BAD)]);
    let run = policyc(place.path(), ["check", "bad.policy"]).run();
    assert_eq!(run.code, Some(1));
    assert_eq!(run.stderr, "");
    assert_eq!(
        run.stdout,
        "error[E0201]: expected `to` or `,`, found `file.read`
 --> bad.policy:4:16
  |
4 |   allow reader file.read
  |                ^^^^^^^^^
  |
  = help: write `to` before the operations: `allow reader to file.read`

for more about a finding: policyc explain-code E0201
1 error in 1 file
"
    );
}

#[test]
fn a_statement_without_its_name_is_shown_how_it_is_written() {
    for (opening, statement) in [
        ("assert", "assert never anyone to file.read"),
        ("assert-roles", "assert coder to file.read"),
        ("budget", "budget coder file.read bytes <= 1 MiB per session"),
        ("budget-anyone", "budget anyone file.read bytes <= 1 MiB per session"),
        ("budget-bound", "budget bytes <= 1 MiB per session"),
        ("header", "policy language 1"),
        ("role", "role includes coder"),
        ("rule", "rule allow coder to file.read"),
        ("rule-roles", "rule coder, reviewer to file.read"),
        ("test", "test coder file.read path \"a\" => allow"),
        ("test-anyone", "test anyone file.read path \"a\" => allow"),
        ("test-roles", "test coder, reviewer file.read path \"a\" => allow"),
    ] {
        let header = if opening == "header" { "" } else { "policy p language 1\n\n" };
        let place = folder_with(&[("nameless.policy", &format!("{header}{statement}\n"))]);
        let run = policyc(place.path(), ["check", "nameless.policy"]).run();
        assert_eq!(run.code, Some(1), "{statement}");
        snapshot(&format!("check-nameless-{opening}"), &run.stdout);
    }
}

#[test]
fn a_statement_that_ends_too_early_is_shown_how_it_reads_itself_and_not_the_next_one() {
    let rule = "rule x: allow anyone to file.read";
    for (first, help) in [
        ("policy demo", "write `policy demo language 1`"),
        ("policy demo 1", "write `policy demo language 1`"),
        ("policy", "write a header as `policy NAME language 1`"),
        (
            "policy p language 1\nrole coder includes",
            "write a role as `role NAME` or `role NAME includes OTHER, OTHER`",
        ),
        ("policy p language 1\npaths sources", "write a set as `paths NAME = \"src/**\", OTHER-SET`"),
    ] {
        for next in ["", rule, "role reader", "test x: anyone file.read path \"a\" => allow"] {
            let place = folder_with(&[("p.policy", format!("{first}\n\n{next}\n").as_str())]);
            let run = policyc(place.path(), ["check", "p.policy"]).run();
            let first_help = run.stdout.lines().find_map(|line| line.trim_start().strip_prefix("= help: "));
            assert_eq!((run.code, first_help), (Some(1), Some(help)), "{first}: {}", run.stdout);
        }
    }
}

#[test]
fn one_equals_sign_is_shown_two() {
    for condition in ["path = \"a\"", "path in \"a\" and name = \"b\"", "bytes = 1 KiB"] {
        let text =
            format!("policy p language 1\nrole coder\nrule x:\n  allow coder to file.read\n  where {condition}\n");
        let place = folder_with(&[("p.policy", text.as_str())]);
        let run = policyc(place.path(), ["check", "p.policy"]).run();
        assert!(run.code == Some(1) && run.stdout.contains("= help: compare with `==`\n"), "{}", run.stdout);
    }
}

#[test]
fn a_keyword_that_was_meant_as_a_name_is_shown_another() {
    for (statement, help) in [
        ("assert never: never anyone to file.read", "choose another name, for example `my-never`"),
        ("policy language language 1", "choose another name, for example `my-language`"),
        ("role includes", "choose another name, for example `my-includes`"),
        ("role includes includes coder", "choose another name, for example `my-includes`"),
        ("rule allow: allow coder to file.read", "choose another name, for example `my-allow`"),
        ("rule test allow coder to file.read", "choose another name, for example `my-test`"),
        ("test anyone: coder file.read path \"a\" => allow", "choose another name, for example `my-anyone`"),
        ("rule x allow coder to file.read", "write `:` after the name"),
        ("assert a never anyone to file.read", "write `:` after the name"),
        ("test t coder file.read path \"a\" => allow", "write `:` after the name"),
        ("budget b coder file.read bytes <= 1 MiB per session", "write `:` after the name"),
    ] {
        let header = if statement.starts_with("policy") { "" } else { "policy p language 1\n" };
        let place = folder_with(&[("named.policy", &format!("{header}{statement}\nrole coder\n"))]);
        let run = policyc(place.path(), ["check", "named.policy"]).run();
        assert!(run.stdout.contains(&format!("= help: {help}\n")), "{statement}\n{}", run.stdout);
    }
}

#[test]
fn what_cannot_run_is_exit_code_2() {
    let place = folder_with(&[("bad.policy", BAD)]);
    for arguments in [
        &["check"][..],
        &["check", "--format", "yaml", "bad.policy"],
        &["check", "--fail-level", "note", "bad.policy"],
        &["check", "-"],
        &["check", "missing.policy"],
        &["check", "bad.policy", "missing.policy"],
        &["chekc", "bad.policy"],
        &[],
    ] {
        let run = policyc(place.path(), arguments).run();
        assert_eq!(run.code, Some(2), "{arguments:?} {run:?}");
    }
}

#[test]
fn an_unreadable_policy_is_named_and_the_others_are_checked() {
    let place = folder_with(&[("bad.policy", BAD)]);
    let run = policyc(place.path(), ["check", "missing.policy", "bad.policy"]).run();
    assert_eq!(run.code, Some(2));
    assert!(run.stdout.contains("error[E0101]: "), "{}", run.stdout);
    assert!(run.stdout.contains("--> missing.policy\n"), "{}", run.stdout);
    assert!(run.stdout.ends_with("2 errors in 2 files\n"), "{}", run.stdout);
}

#[test]
fn several_files_are_reported_in_their_order_and_each_finding_once() {
    let place = folder_with(&[("a.policy", BAD), ("b.policy", BAD), ("good.policy", GOOD)]);
    let files = ["b.policy", "good.policy", "a.policy", "b.policy", "./a.policy"];
    let run = policyc(place.path(), ["check"].into_iter().chain(files)).run();
    let places: Vec<_> = run.stdout.lines().filter(|line| line.contains("--> ")).collect();
    assert_eq!(places, [" --> b.policy:4:16", " --> a.policy:4:16"]);
    assert!(run.stdout.ends_with("\n2 errors in 2 files\n"), "{}", run.stdout);
}

#[test]
fn several_good_files_are_counted() {
    let place = folder_with(&[("a.policy", GOOD), ("b.policy", GOOD)]);
    let run = policyc(place.path(), ["check", "a.policy", "b.policy"]).run();
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "2 files: no findings\n"));
}

#[test]
fn a_warning_fails_only_when_asked_to() {
    let place = folder_with(&[("unused.policy", "policy p language 1\n\nrole reader\n")]);
    let run = policyc(place.path(), ["check", "unused.policy"]).run();
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.starts_with("warning[W0802]: "), "{}", run.stdout);
    assert!(run.stdout.ends_with("\n1 warning in 1 file\n"), "{}", run.stdout);
    let code = |level| policyc(place.path(), ["check", "--fail-level", level, "unused.policy"]).run().code;
    assert_eq!((code("error"), code("warning")), (Some(0), Some(1)));
}

#[test]
fn a_note_never_fails() {
    let text = "policy p language 1\n\nassert no-force: never anyone to git.push where force\n";
    let place = folder_with(&[("noted.policy", text)]);
    let run = policyc(place.path(), ["check", "--fail-level", "warning", "noted.policy"]).run();
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.ends_with("\n1 note in 1 file\n"), "{}", run.stdout);
}

#[test]
fn what_two_policies_import_is_reported_once() {
    let importer = "policy importer language 1\n\nuse \"./team.policy\"\n";
    let place = folder_with(&[("p/a.policy", importer), ("p/b.policy", importer), ("p/team.policy", BAD)]);
    let run = policyc(place.path(), ["check", "p/a.policy", "./p/b.policy", "p/team.policy"]).run();
    assert_eq!(run.code, Some(1));
    let places: Vec<_> = run.stdout.lines().filter(|line| line.contains("--> ")).collect();
    assert_eq!(places, [" --> p/team.policy:4:16"]);
}

#[test]
fn an_import_that_cannot_be_read_is_a_finding_not_a_failure_to_run() {
    let place = folder_with(&[("a.policy", "policy p language 1\n\nuse \"./missing.policy\"\n")]);
    let run = policyc(place.path(), ["check", "a.policy"]).run();
    assert_eq!(run.code, Some(1), "{}", run.stdout);
    assert!(run.stdout.contains(" --> a.policy:3:5\n"), "{}", run.stdout);
}

#[test]
fn imports_from_outside_need_a_word() {
    let importer = "policy importer language 1\n\nuse \"../team.policy\"\n";
    let place = folder_with(&[("p/a.policy", importer), ("team.policy", GOOD)]);
    assert_eq!(policyc(place.path(), ["check", "p/a.policy"]).run().code, Some(1));
    assert_eq!(policyc(place.path(), ["check", "--allow-outside", "p/a.policy"]).run().code, Some(0));
}

#[test]
fn colour_is_for_terminals_and_for_those_who_ask() {
    let place = folder_with(&[("bad.policy", BAD)]);
    let is_coloured = |arguments: &[&str], environment: &[(&str, &str)]| {
        let run = policyc(place.path(), ["check", "bad.policy"].iter().chain(arguments));
        let run = environment.iter().fold(run, |run, (name, value)| run.env(name, value)).run();
        assert_eq!(run.code, Some(1), "{run:?}");
        run.stdout.contains('\u{1b}')
    };
    assert!(!is_coloured(&[], &[]), "a pipe is no terminal");
    assert!(is_coloured(&["--color", "always"], &[]));
    assert!(is_coloured(&["--color", "always"], &[("NO_COLOR", "1")]), "what is asked for beats the environment");
    assert!(is_coloured(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!is_coloured(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(is_coloured(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "")]), "an empty NO_COLOR is none");
    assert!(!is_coloured(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    for format in ["json", "sarif", "github", "junit"] {
        assert!(!is_coloured(&["--color", "always", "--format", format], &[]), "{format}");
    }
}

#[test]
fn names_and_texts_of_others_cannot_drive_the_terminal() {
    let name = "a\u{1b}[2J\u{202E}.policy";
    let place = folder_with(&[(name, "policy p language 1\nrole \u{1b}[31m\u{85}\u{200F}\n")]);
    for color in ["always", "never"] {
        let run = policyc(place.path(), ["check", "--color", color, name]).run();
        assert!(run.stdout.contains("a\\u{1b}[2J\\u{202e}.policy"), "{}", run.stdout);
        for hidden in ["\u{1b}[2J", "\u{1b}[31m", "\u{202E}", "\u{85}", "\u{200F}"] {
            assert!(!run.stdout.contains(hidden), "{hidden:?} in {:?}", run.stdout);
        }
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let place = folder();
    fs::write(place.path().join("bad.policy"), "rule x: alow r to file.read\n".repeat(2_000)).unwrap();
    fs::write(place.path().join("good.policy"), GOOD).unwrap();
    for (arguments, code) in [
        (&["check", "bad.policy"][..], 1),
        (&["check", "--format", "sarif", "bad.policy"], 1),
        (&["fmt", "good.policy"], 0),
        (&["explain-code"], 0),
        (&["completions", "bash"], 0),
        (&["--help"], 0),
    ] {
        let run = policyc(place.path(), arguments).run_into_closed_pipe();
        assert_eq!((run.code, run.stderr.as_str()), (Some(code), ""), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_and_is_exit_code_2() {
    let place = folder_with(&[("good.policy", GOOD)]);
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let run = policyc(place.path(), ["check", "good.policy"]).run_into(Stdio::from(full));
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.starts_with("error: cannot write to the standard output: "), "{}", run.stderr);
}
