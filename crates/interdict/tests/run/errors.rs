//! A standard error that cannot be written: the program goes on, and ends as it says.

use std::fs::{self, File};
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::support::{Place, ask};

/// Everything that is written there fails: no room is left.
fn full() -> File {
    fs::OpenOptions::new().write(true).open("/dev/full").unwrap()
}

#[test]
fn a_full_standard_error_ends_no_run() {
    let place = Place::new("rule work:\n  allow coder to file.*\n", &[("a", "x")]);
    // A policy in the root is warned of.
    let inside = place.root().join("mine.policy");
    fs::copy(place.policy(), &inside).unwrap();
    for policy in [place.policy(), inside] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_interdict"));
        command.args(["run", "--role", "coder", "--policy"]).arg(policy);
        command.arg("--root").arg(place.root()).arg("--state").arg(place.state());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(full()).spawn().unwrap();
        let line = ask("file_read", &json!({ "path": "a" })) + "\n";
        child.stdin.take().unwrap().write_all(line.as_bytes()).unwrap();
        let Output { status, stdout, .. } = child.wait_with_output().unwrap();
        assert_eq!(status.code(), Some(0));
        let answer: Value = serde_json::from_slice(&stdout).unwrap();
        assert_eq!(answer["data"]["content"], "x", "{answer}");
    }
    assert_eq!(place.count("session-ended"), 2);
    assert_eq!(place.verify().lines[0]["whole"], true);
}

#[test]
fn a_full_standard_error_or_output_has_the_exit_code_of_the_command() {
    let place = Place::new("rule work:\n  allow coder to file.*\n", &[]);
    let exit = |arguments: &[&str], is_full_output: bool| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_interdict"));
        command.args(arguments).stdin(Stdio::null()).stderr(full());
        command.stdout(if is_full_output { full().into() } else { Stdio::null() });
        command.status().unwrap().code()
    };
    let state = place.state();
    let state = state.to_str().unwrap();
    assert_eq!(exit(&["ledger", "show", "--state", state], false), Some(2), "there is no ledger");
    assert_eq!(exit(&["run", "--policy", "/nowhere", "--root", "/nowhere", "--role", "coder"], false), Some(2));
    assert_eq!(exit(&["fly"], false), Some(2));
    place.run(&[]);
    for command in ["verify", "show"] {
        assert_eq!(exit(&["ledger", command, "--state", state], false), Some(0));
        assert_eq!(exit(&["ledger", command, "--state", state], true), Some(2), "nothing was shown");
    }
}
