//! Signals: the first ends the program in order, the second at once, and the one that asks nobody is found at the next start.

use std::io::{Read as _, Write as _};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Place, ask};

const RULES: &str = "rule work:\n  allow coder to file.*, fs.*\n\n\
                     rule look:\n  allow coder to shell.exec\n  where command in \"sleep\", \"cat\"\n";

fn send(signal: &str, child: &Child) {
    let line = format!("kill -{signal} {}", child.id());
    assert!(Command::new("sh").args(["-c", &line]).status().unwrap().success());
}

/// Waits until something is so.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What a program said that has ended, and its exit code.
fn rest(mut child: Child) -> (Vec<Value>, String, Option<i32>) {
    let (mut out, mut errors) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    let lines = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (lines, errors, child.wait().unwrap().code())
}

/// Whether this process was started with SIGHUP ignored, and what it starts is too.
fn ignores_hang_ups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(ignored.trim(), 16).unwrap() & 1 != 0
}

/// Whether a process of this machine has a word among its arguments.
fn is_running(word: &str) -> bool {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| line.split(|byte| *byte == 0).any(|argument| argument == word.as_bytes()))
}

#[test]
fn ctr_0022_a_signal_ends_what_runs_answers_it_and_closes_the_ledger() {
    // Each with a time to sleep that no other process has.
    for (signal, code, time) in [("TERM", 143, "61.0173"), ("INT", 130, "61.0194"), ("HUP", 129, "61.0217")] {
        if signal == "HUP" && ignores_hang_ups() {
            eprintln!("NOT TESTED: the end by SIGHUP, because this runs under `nohup`");
            continue;
        }
        let place = Place::new(RULES, &[]);
        let mut child = place.start();
        let mut stdin = child.stdin.take().unwrap();
        let lines = [
            ask("shell_exec", &json!({ "cmd": format!("sleep {time}") })),
            // Read by nobody: the end comes before.
            ask("file_write", &json!({ "path": "a", "content": "x" })),
        ];
        stdin.write_all((lines.join("\n") + "\n").as_bytes()).unwrap();
        until("the command runs", || place.count("intent") == 1 && is_running(time));
        let sent = Instant::now();
        send(signal, &child);
        let (lines, errors, exit) = rest(child);
        assert!(sent.elapsed() < Duration::from_secs(30));
        assert_eq!(exit, Some(code), "{errors}");
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert_eq!((&lines[0]["ok"], &lines[0]["request_id"]), (&json!(false), &json!("r-1")), "{}", lines[0]);
        assert_eq!(lines[0]["errors"][0]["message"], "killed because it was cancelled", "{}", lines[0]);
        // No command starts in less.
        assert!(lines[0]["duration_ms"].as_u64().unwrap() > 0, "{}", lines[0]);
        assert!(lines[0]["errors"][0]["message"].as_str().is_some(), "{}", lines[0]);
        assert!(!is_running(time), "the command has outlived the program");
        assert!(!place.root().join("a").exists());
        let digest = errors.lines().find_map(|line| line.strip_prefix("ledger ")).unwrap_or_else(|| panic!("{errors}"));
        let verified = place.verify();
        assert_eq!((&verified.lines[0]["whole"], verified.code), (&json!(true), Some(0)));
        assert_eq!(verified.lines[0]["checkpoint"], digest, "{}", verified.lines[0]);
        let counts = ["intent", "result", "interrupted", "session-ended"].map(|kind| place.count(kind));
        assert_eq!(counts, [1, 1, 0, 1]);
    }
}

#[test]
fn ctr_0022_a_signal_ends_a_program_that_waits_for_a_line() {
    let place = Place::new(RULES, &[]);
    let mut child = place.start();
    let stdin = child.stdin.take().unwrap();
    until("the session is there", || place.count("session-created") == 1);
    send("TERM", &child);
    let (lines, errors, exit) = rest(child);
    drop(stdin);
    assert_eq!((lines.len(), exit), (0, Some(143)), "{errors}");
    assert!(errors.contains("ledger "), "{errors}");
    assert_eq!(place.count("session-ended"), 1);
}

#[test]
fn a_second_signal_ends_the_program_at_once() {
    let large = "x".repeat(1 << 20);
    let place = Place::new(RULES, &[("large", &large)]);
    let mut child = place.start();
    let mut stdin = child.stdin.take().unwrap();
    // The answer is more than a pipe holds, and nobody reads it.
    stdin.write_all((ask("file_read", &json!({ "path": "large" })) + "\n").as_bytes()).unwrap();
    until("the file was read", || place.count("result") == 1);
    send("TERM", &child);
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "the answer is not written yet");
    send("INT", &child);
    until("it ends", || child.try_wait().unwrap().is_some());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    // What is on record stays.
    assert_eq!(place.verify().lines[0]["whole"], true);
}

#[test]
fn ctr_0022_a_signal_ends_a_program_whose_answer_nobody_reads() {
    let large = "x".repeat(1 << 20);
    let place = Place::new(RULES, &[("large", &large)]);
    let mut child = place.start();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all((ask("file_read", &json!({ "path": "large" })) + "\n").as_bytes()).unwrap();
    until("the file was read", || place.count("result") == 1);
    send("TERM", &child);
    let sent = Instant::now();
    until("it ends", || child.try_wait().unwrap().is_some());
    let took = sent.elapsed();
    assert!(took > Duration::from_secs(4) && took < Duration::from_secs(20), "the reader has a few seconds: {took:?}");
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143), "{errors}");
    assert!(errors.contains("warning: the last reply was not read within 5 s\nledger "), "{errors}");
    assert_eq!(place.count("session-ended"), 1);
    assert_eq!(place.verify().lines[0]["whole"], true);
}

#[test]
fn ctr_0022_a_reader_that_reads_late_has_the_whole_answer() {
    let large = "x".repeat(1 << 20);
    let place = Place::new(RULES, &[("large", &large)]);
    let mut child = place.start();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all((ask("file_read", &json!({ "path": "large" })) + "\n").as_bytes()).unwrap();
    until("the file was read", || place.count("result") == 1);
    send("TERM", &child);
    std::thread::sleep(Duration::from_millis(300));
    let (lines, errors, exit) = rest(child);
    assert_eq!((lines.len(), exit), (1, Some(143)), "{errors}");
    assert_eq!(lines[0]["data"]["content"], large.as_str());
}

#[test]
fn ctr_0022_the_next_start_says_what_a_kill_interrupted() {
    let place = Place::new(RULES, &[("a", "x")]);
    let mut child = place.start();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all((ask("shell_exec", &json!({ "cmd": "sleep 61.0217" })) + "\n").as_bytes()).unwrap();
    until("the command runs", || place.count("intent") == 1);
    child.kill().unwrap();
    child.wait().unwrap();
    // As a writer leaves it that was killed: no process has this number.
    let left = place.root().join(".interdict-7fffffff-1-0123456789abcdef.tmp");
    std::fs::write(&left, "half").unwrap();
    let said = place.run(&[ask("fs_list", &json!({ "glob": "**", "include_hidden": true }))]);
    assert!(said.errors.contains("warning: 1 operations were interrupted"), "{}", said.errors);
    assert!(
        said.errors.contains("warning: removed 1 temporary files of interrupted operations in "),
        "{}",
        said.errors
    );
    assert_eq!(said.lines[0]["data"]["files"], json!(["a"]));
    assert_eq!((place.count("interrupted"), said.code), (1, Some(0)));
    let again = place.run(&[]);
    assert!(!again.errors.contains("interrupted"), "{}", again.errors);
}

const PATIENCE: Duration = Duration::from_secs(30);
