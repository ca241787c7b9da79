//! What policyc says about itself: help, version, codes, completions.

use crate::support::{Run, folder, policyc};

#[test]
fn every_command_has_long_help_with_examples_and_exit_codes() {
    for command in COMMANDS {
        let long = run(&[command, "--help"]);
        let short = run(&[command, "-h"]);
        assert_eq!((long.code, short.code), (Some(0), Some(0)));
        for part in ["Usage: ", "\nEXAMPLES\n", "\nEXIT CODES\n"] {
            assert!(long.stdout.contains(part), "{command} has no {part:?}\n{}", long.stdout);
        }
        assert!(short.stdout.lines().count() < long.stdout.lines().count(), "{command}");
        let widest = long.stdout.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(100), "{command} is {widest:?} wide");
    }
    let long = run(&["--help"]);
    for part in ["\nEXAMPLES\n", "\nEXIT CODES\n", "\nENVIRONMENT\n", "NO_COLOR"] {
        assert!(long.stdout.contains(part), "{}", long.stdout);
    }
    for command in COMMANDS {
        assert!(long.stdout.contains(&format!("\n  {command} ")), "{command}\n{}", long.stdout);
    }
}

#[test]
fn version_is_the_crates() {
    let run = run(&["--version"]);
    assert_eq!((run.code, run.stdout), (Some(0), format!("policyc {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn a_code_is_explained_in_either_case() {
    let upper = run(&["explain-code", "E0210"]);
    assert_eq!(upper.code, Some(0));
    assert_eq!(
        upper.stdout,
        "error[E0210]: unknown language version

This compiler reads language version 1. The same words may have another meaning in
another version, so such a policy is not read at all.

Wrong:

    policy mine language 7

Right:

    policy mine language 1
"
    );
    assert_eq!(run(&["explain-code", "e0210"]), upper);
}

#[test]
fn all_codes_can_be_listed_and_explained() {
    let list = run(&["explain-code"]);
    let ids: Vec<_> = list.stdout.lines().map(|line| line.split(' ').next().unwrap()).collect();
    let known = policy_syntax::codes::ALL.len() + policy_model::codes::ALL.len() + policy_import::codes::ALL.len();
    assert_eq!((list.code, ids.len()), (Some(0), known));
    assert!(ids.is_sorted_by_key(|id| id.trim_start_matches(char::is_alphabetic)));
    for id in ids {
        let run = run(&["explain-code", id]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{id}");
        assert!(run.stdout.contains("\nWrong:\n") && run.stdout.contains("\nRight:\n"), "{}", run.stdout);
    }
}

#[test]
fn an_unknown_code_is_exit_code_2_with_what_was_probably_meant() {
    let close = run(&["explain-code", "E201"]);
    assert_eq!((close.code, close.stdout.as_str()), (Some(2), ""));
    assert_eq!(close.stderr, "error: there is no code `E201`\nhelp: did you mean `E0201`?\n");
    let far = run(&["explain-code", "\u{1b}[31mred"]);
    assert_eq!(far.code, Some(2));
    assert_eq!(
        far.stderr,
        "error: there is no code `\\u{1b}[31mred`\nhelp: `policyc explain-code` without a code lists all of them\n"
    );
}

#[test]
fn completions_exist_for_each_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = run(&["completions", shell]);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{shell}");
        assert!(run.stdout.contains("policyc") && run.stdout.contains("explain-code"), "{shell}");
    }
    assert_eq!(run(&["completions", "tcsh"]).code, Some(2));
}

fn run(arguments: &[&str]) -> Run {
    policyc(folder().path(), arguments).run()
}

const COMMANDS: &[&str] =
    &["check", "fmt", "build", "eval", "inspect", "test", "explain", "init", "explain-code", "completions"];
