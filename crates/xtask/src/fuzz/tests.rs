//! What is read from libFuzzer, cargo and the targets, and what is made of it.

use super::engine::{executable, has_nightly};
use super::smoke::made;
use super::*;

const LINE: &str = "#65536\tpulse  cov: 812 ft: 2301 corp: 120/3112b lim: 652 exec/s: 32768 rss: 60Mb";
const STATUS: Status = Status { executions: 65_536, per_second: 32_768, edges: 812, inputs: 120 };

fn ran(executions: u64, finds: Vec<Find>) -> Ran {
    let last = Status { executions, ..STATUS };
    let first = Status { edges: 700, inputs: 46, ..STATUS };
    Ran { target: "path".to_owned(), first, last, time: Duration::from_secs(2), finds }
}

fn find() -> Find {
    Find::of_crash("path", std::path::Path::new("crashes/timeout-0f"), b"a\0".to_vec())
}

#[test]
fn a_line_of_libfuzzer_says_how_far_it_is() {
    assert_eq!(Status::read(LINE), Some(STATUS));
    assert_eq!(Status::read("#2\tINITED exec/s: 0 rss: 37Mb"), Some(Status { executions: 2, ..Status::default() }));
    for line in ["", "#", "#x NEW cov: 1 exec/s: 1", "INFO: seed corpus: files: 46", "#12\tGENERATE valid: 3"] {
        assert_eq!(Status::read(line), None, "{line}");
    }
}

#[test]
fn progress_says_what_is_left() {
    let mut live = Live { target: "path".to_owned(), running: None, crashes: 0, shown: Instant::now() };
    assert_eq!(progress(&live, Duration::from_secs(60)), "path       is being built");
    live.running = Some((Instant::now(), STATUS));
    let line = progress(&live, Duration::from_millis(300_999));
    let expected = "path            65536 execs    32768/s     812 edges    120 inputs  0 crashes  5:00 left";
    assert_eq!(line, expected);
    live.crashes = 1;
    assert!(progress(&live, Duration::from_secs(60)).contains("  1 crashes  "));
}

#[test]
fn a_crash_is_counted_when_libfuzzer_keeps_it_and_a_slow_input_is_none() {
    let kept =
        |file: &str| format!("artifact_prefix='crashes/'; Test unit written to target/fuzz/crashes/path/{file}\n");
    assert!(["crash-0f", "timeout-0f", "oom-0f"].iter().all(|file| finds::is_crash_kept(&kept(file))));
    assert!(!finds::is_crash_kept(&kept("slow-unit-0f")));
    assert!(!finds::is_crash_kept("MS: 2 InsertByte-; crash-0f"));
}

#[test]
fn a_table_has_a_row_for_each_target() {
    let expected = "target       executions   execs/s            edges           corpus  finds\n\
                    path              65536     32768       700 -> 812        46 -> 120      0\n";
    assert_eq!(render(&[ran(65_536, vec![])]), expected);
    assert!(render(&[ran(0, vec![])]).ends_with("`path` ran nothing\n"));
}

#[test]
fn a_find_fails_and_so_does_nothing() {
    assert_eq!(outcome(&[ran(1, vec![])]), Outcome::Fine);
    assert_eq!(outcome(&[ran(1, vec![]), ran(1, vec![find()])]), Outcome::Findings);
    assert_eq!(outcome(&[ran(1, vec![]), ran(0, vec![])]), Outcome::Findings);
    assert_eq!(outcome(&[]), Outcome::Findings);
}

#[test]
fn targets_are_found_and_others_are_refused_with_a_list() {
    let known = targets(&Tree::locate().unwrap()).unwrap();
    assert!(known.contains(&"path".to_owned()) && !known.contains(&"checks".to_owned()), "{known:?}");
    let [path, url] = ["path", "url"].map(String::from);
    assert_eq!(chosen(known.clone(), &[url.clone(), path.clone()]).unwrap(), [url.clone(), path.clone()]);
    assert_eq!(chosen(known.clone(), &[]).unwrap(), known);
    let error = chosen(vec![path.clone(), url], &[path, "paths".to_owned()]).unwrap_err();
    assert_eq!(error.to_string(), "there is no target `paths`, only `path`, `url`");
}

#[test]
fn the_compiler_and_the_program_are_read_as_they_are_written() {
    assert!(has_nightly("stable-x86_64 (active)\nnightly-x86_64\n"));
    assert!(!has_nightly("stable-x86_64 (active)\n1.95.0\n"));
    let line = "  Executable tests/path.rs (target/fuzz/build/deps/path-0f)";
    assert_eq!(executable(line).as_deref(), Some("target/fuzz/build/deps/path-0f"));
    assert_eq!(executable("   Compiling path v0.1.0 (path)"), None);
}

#[test]
fn a_smoke_counts_what_a_target_made() {
    assert_eq!(made("path", "running 1 test\npath: 46 seeds replayed, 123 inputs made\n"), Some((46, 123)));
    assert_eq!(made("path", "test path ... ok\n"), None);
    assert_eq!(made("url", "path: 46 seeds replayed, 123 inputs made\n"), None);
}
