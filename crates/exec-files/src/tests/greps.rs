//! Searching: the same as a search that looks at everything, whatever the order of the threads.

use std::fs;
use std::time::{Duration, Instant};

use super::{LATE_MAX, TestRoot};
use crate::{FileError, GREP_MATCHES_MAX, Grep, List, Match, Matches, SNIPPET_BYTES_MAX, Scope, Stop};

const ALL: Scope<'static> = Scope { folder: b"", glob: "" };
const TIME: Duration = Duration::from_millis(500);

fn grep(place: &TestRoot, pattern: &str, glob: &str) -> Matches {
    let grep = Grep { pattern, scope: Scope { folder: b"", glob }, case_sensitive: true, max_results: 0 };
    place.workspace.grep(grep, &|_, _| true, &Stop::on_request()).unwrap()
}

fn places(matches: &Matches) -> Vec<(String, u64, u64)> {
    matches
        .matches
        .iter()
        .map(|found| (String::from_utf8(found.file.clone()).unwrap(), found.line, found.col))
        .collect()
}

#[test]
fn tool_grep_says_file_line_column_and_text_sorted() {
    let place = TestRoot::new();
    place.put("b.txt", "nothing\nsome panic! here\n");
    place.put("a/c.txt", "panic!\r\n\n  panic! panic!");
    let matches = grep(&place, "panic!", "");
    let found = |file: &str, line, col, snippet: &str| Match { file: file.into(), line, col, snippet: snippet.into() };
    assert_eq!(
        matches.matches,
        [
            found("a/c.txt", 1, 1, "panic!"),
            found("a/c.txt", 3, 3, "  panic! panic!"),
            found("b.txt", 2, 6, "some panic! here")
        ]
    );
    assert_eq!((matches.is_truncated, matches.unread), (false, 0));
}

#[test]
fn tool_grep_tells_case_apart_when_it_is_told_to() {
    let place = TestRoot::new();
    place.put("a", "Word\nword\nWORD\n");
    let lines = |case_sensitive| {
        let grep = Grep { pattern: "word", scope: ALL, case_sensitive, max_results: 0 };
        place.workspace.grep(grep, &|_, _| true, &Stop::on_request()).unwrap().matches.len()
    };
    assert_eq!((lines(true), lines(false)), (1, 3));
}

#[test]
fn tool_grep_skips_binary_hidden_ignored_and_vendored_files() {
    let place = TestRoot::new();
    place.put("text", "needle\n");
    place.put("binary", b"needle\n\0");
    place.put("late-binary", [b"needle\n", &b"hay\n".repeat(300_000)[..], b"\0"].concat());
    for path in [".hidden", "node_modules/a", "x/vendor/b", "third_party/c", "target/d", "ignored/e", ".git/f"] {
        place.put(path, "needle\n");
    }
    place.put(".gitignore", "ignored/\n");
    place.put("vendor", "needle, a file of that name\n");
    let files = |glob| places(&grep(&place, "needle", glob)).into_iter().map(|(file, ..)| file).collect::<Vec<_>>();
    assert_eq!(files(""), ["text", "vendor"]);
    assert_eq!(files("node_modules/**"), ["node_modules/a"]);
    assert_eq!(files("**/vendor/*"), ["x/vendor/b"]);
    assert_eq!(files("t*"), ["text"]);
}

#[test]
fn tool_grep_keeps_the_first_matches_whatever_is_found_first() {
    let place = TestRoot::new();
    for number in 0..200 {
        place.put(&format!("d{}/f{number:03}", number % 7), "needle\nneedle\nneedle\n");
    }
    let all = grep(&place, "needle", "").matches;
    assert_eq!(all.len(), 600);
    for most in [1, 2, 3, 4, 100, 599, 600, 601] {
        let grep = Grep { pattern: "needle", scope: ALL, case_sensitive: true, max_results: most };
        let matches = place.workspace.grep(grep, &|_, _| true, &Stop::on_request()).unwrap();
        assert_eq!(matches.matches, all[..most.min(600)], "{most}");
        assert_eq!(matches.is_truncated, most < 600, "{most}");
    }
}

#[test]
fn tool_grep_never_answers_more_than_its_limit() {
    let place = TestRoot::new();
    place.put("a", "x\n".repeat(GREP_MATCHES_MAX + 5));
    let matches = grep(&place, "x", "");
    assert_eq!((matches.matches.len(), matches.is_truncated), (GREP_MATCHES_MAX, true));
}

#[test]
fn tool_grep_opens_no_file_that_may_not_be_seen() {
    let place = TestRoot::new();
    place.put("src/a", "needle\n");
    place.put("secrets/b", "needle\n");
    let grep = Grep { pattern: "needle", scope: ALL, case_sensitive: true, max_results: 0 };
    let matches = place.workspace.grep(grep, &|path, _| !path.starts_with(b"secrets"), &Stop::on_request()).unwrap();
    assert_eq!(places(&matches), [("src/a".to_owned(), 1, 1)]);
}

#[test]
fn invoke_contain_grep_follows_no_link() {
    let place = TestRoot::new();
    place.link("out", "../outside");
    place.link("leaf", "../outside/secret");
    place.put("a/inside", "nobody\n");
    place.link("a/up", "..");
    assert_eq!(places(&grep(&place, "nobody", "")), [("a/inside".to_owned(), 1, 1)]);
}

#[test]
fn trust_fs_grep_opens_no_link_that_takes_the_place_of_a_file_or_folder_it_has_seen() {
    let place = TestRoot::new();
    place.put("file", "inside\n");
    place.put("folder/secret", "inside\n");
    // The policy is asked after the names are read and before anything is opened: the best moment for a swap.
    let swap = |path: &[u8], _| {
        if path == b"file" {
            fs::remove_file(place.at("file")).unwrap();
            place.link("file", "../outside/secret");
            fs::rename(place.at("folder"), place.at("elsewhere")).unwrap();
            place.link("folder", "../outside");
        }
        true
    };
    let grep = Grep { pattern: "nobody|inside", scope: ALL, case_sensitive: true, max_results: 0 };
    let matches = place.workspace.grep(grep, &swap, &Stop::on_request()).unwrap();
    assert_eq!((places(&matches), matches.unread), (vec![], 0));
}

#[test]
fn tool_grep_of_a_bad_or_huge_pattern_is_refused() {
    let place = TestRoot::new();
    let long = "x".repeat(40_000);
    for pattern in ["(", "a{1000}{1000}{1000}", "\\w{100000}", "a\\nb", &"(".repeat(500), &long] {
        let grep = Grep { pattern, scope: ALL, case_sensitive: true, max_results: 0 };
        let result = place.workspace.grep(grep, &|_, _| true, &Stop::on_request());
        assert!(matches!(result, Err(FileError::Pattern(_))), "{pattern:.20}");
        let message = result.unwrap_err().to_string();
        // In one line, and of what was written.
        assert!(!message.contains(['\\', '\n']) && !message.contains("(?:"), "{message}");
    }
}

/// On a stack as small as that of any thread of the executor.
#[test]
fn tool_grep_tool_fs_list_read_no_pattern_or_glob_deeper_than_the_stack() {
    let place = TestRoot::new();
    place.put("a", "a\n");
    for (open, close) in
        [("(", ")"), ("(?:", ")"), ("(?i:a|", ")"), ("[", "]"), ("[^a&&[", "]]"), ("", "*"), ("", "{2}")]
    {
        let deep = 32_000 / (open.len() + close.len());
        let pattern = format!("{}a{}", open.repeat(deep), close.repeat(deep));
        let grep = Grep { pattern: &pattern, scope: ALL, case_sensitive: true, max_results: 0 };
        let result = place.workspace.grep(grep, &|_, _| true, &Stop::on_request());
        assert!(matches!(result, Err(FileError::Pattern(_))), "{pattern:.20}: {result:?}");
    }
    let nested = |deep: usize| format!("{}a{}", "{".repeat(deep), "}".repeat(deep));
    let hidden = format!("{}a{}", "{[}]".repeat(800), "}".repeat(800));
    for glob in [nested(2_047), nested(33), hidden, "{a,b}".repeat(33)] {
        let scope = Scope { folder: b"", glob: &glob };
        let grep = Grep { pattern: "a", scope, case_sensitive: true, max_results: 0 };
        let found = place.workspace.grep(grep, &|_, _| true, &Stop::on_request());
        assert!(matches!(found, Err(FileError::Glob(_))), "{glob:.20}: {found:?}");
        let list = List { scope, max_results: 0, include_hidden: false };
        let listed = place.workspace.list(list, &|_, _| true, &Stop::on_request());
        assert!(matches!(listed, Err(FileError::Glob(_))), "{glob:.20}: {listed:?}");
    }
    assert_eq!(places(&grep(&place, "a", &nested(32))), [("a".to_owned(), 1, 1)]);
}

#[test]
fn tool_grep_cuts_long_lines_at_a_character_and_shows_the_match() {
    let place = TestRoot::new();
    place.put("early", format!("needle{}\n", "ü".repeat(1_000)));
    place.put("late", format!("{}needle{}\n", "ü".repeat(1_000), "x".repeat(1_000)));
    place.put("raw", b"\xff\xfeneedle\xff\n");
    let matches = grep(&place, "needle", "").matches;
    assert!(matches.iter().all(|found| found.snippet.len() <= SNIPPET_BYTES_MAX && found.snippet.contains("needle")));
    assert_eq!((matches[0].col, matches[0].snippet.len()), (1, SNIPPET_BYTES_MAX));
    assert_eq!((matches[1].col, matches[1].snippet.starts_with("needlex")), (2_001, true));
    assert_eq!((matches[2].col, matches[2].snippet.as_str()), (3, "\u{fffd}\u{fffd}needle\u{fffd}"));
}

#[test]
fn tool_grep_finds_what_is_far_inside_a_large_file() {
    let place = TestRoot::new();
    let mut content = "nothing in this line\n".repeat(50_000);
    content.push_str("the needle\n");
    place.put("large", &content);
    assert_eq!(places(&grep(&place, "needle", "")), [("large".to_owned(), 50_001, 5)]);
}

#[test]
fn tool_grep_counts_what_it_cannot_search() {
    let place = TestRoot::new();
    place.put("one-line", "x".repeat(20 << 20));
    place.put("fine", "needle\n");
    let matches = grep(&place, "needle", "");
    assert_eq!((matches.matches.len(), matches.unread), (1, 1));
}

#[test]
fn tool_grep_can_be_stopped() {
    let place = TestRoot::new();
    place.put("a/b", "needle\n");
    let stop = Stop::on_request();
    stop.stop();
    let grep = Grep { pattern: "needle", scope: ALL, case_sensitive: true, max_results: 0 };
    assert!(matches!(place.workspace.grep(grep, &|_, _| true, &stop), Err(FileError::Cancelled)));
}

/// Each pattern is the largest of its kind that is read, with a text that it is slow on: as one line of the most bytes, as
/// a small file of one line, and as lines.
#[test]
fn tool_grep_ends_in_time_whatever_the_pattern_and_the_line() {
    type OfSize = fn(usize) -> String;
    let kinds: [(OfSize, &str); 5] = [
        (|size| format!("[ab]*a[ab]{{{size}}}[^ab]"), "aab"),
        (|size| format!("(?:a?){{{size}}}[^a]"), "a"),
        (|size| format!("^.*a.{{{size}}}\\x00"), "aab"),
        (|size| format!("a\\w{{{size}}}[^ab]"), "ab"),
        (|size| format!("[ab]*a[ab]{{{}}}[^ab]", size.min(300)), "aab"),
    ];
    for (kind, text) in kinds {
        let place = TestRoot::new();
        let line = |bytes: usize| format!("{}\n", text.repeat(bytes / text.len()));
        place.put("long", line(15 << 20));
        place.put("small", line(250_000));
        place.put("lines", line(100).repeat(2_000));
        let search = |pattern: &str, glob, stop: &Stop| {
            let grep = Grep { pattern, scope: Scope { folder: b"", glob }, case_sensitive: true, max_results: 0 };
            place.workspace.grep(grep, &|_, _| true, stop)
        };
        let (mut fits, mut fails) = (1, 200_000);
        while fits + 1 < fails {
            let size = usize::midpoint(fits, fails);
            let is_read = search(&kind(size), "nothing", &Stop::on_request()).is_ok();
            *(if is_read { &mut fits } else { &mut fails }) = size;
        }
        for glob in ["long", "small", "lines"] {
            let started = Instant::now();
            let found = search(&kind(fits), glob, &Stop::at(started + TIME));
            let took = started.elapsed();
            assert!(matches!(found, Ok(_) | Err(FileError::TimedOut)), "{found:?}");
            assert!(took < TIME + LATE_MAX, "{:.20} in {glob} took {took:?}", kind(fits));
        }
    }
}

/// Small trees of few names and few letters, so that everything happens often.
#[test]
fn tool_grep_finds_what_a_naive_search_finds() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut found_some = 0;
    for _ in 0..40 {
        let place = TestRoot::new();
        let mut files = std::collections::BTreeMap::new();
        for _ in 0..random.usize(1..30) {
            let depth = random.usize(0..3);
            let mut path: String = (0..depth).map(|_| ["d/", "e/", "d.d/"][random.usize(0..3)]).collect();
            path.push_str(["a", "b", "c.x", "a.x"][random.usize(0..4)]);
            let length = random.usize(0..60);
            let content: String = (0..length).map(|_| ['a', 'b', 'c', '\n', '\0'][biased(&mut random)]).collect();
            if !place.at(&path).is_dir() && fs::create_dir_all(place.at(&path).parent().unwrap()).is_ok() {
                fs::write(place.at(&path), &content).unwrap();
                files.insert(path, content);
            }
        }
        for (pattern, first) in [("ab", naive as fn(&str, &str) -> Option<usize>), ("a", naive), ("cab", naive)] {
            let mut expected = Vec::new();
            for (path, content) in files.iter().filter(|(_, content)| !content.contains('\0')) {
                for (number, line) in content.split('\n').enumerate() {
                    if let Some(at) = first(line, pattern) {
                        expected.push((path.clone(), number as u64 + 1, at as u64 + 1));
                    }
                }
            }
            found_some += expected.len();
            assert_eq!(places(&grep(&place, pattern, "")), expected);
        }
    }
    assert!(found_some > 1_000, "the trees hold something to find: {found_some}");
}

fn naive(line: &str, pattern: &str) -> Option<usize> {
    (0..=line.len().checked_sub(pattern.len())?).find(|at| line.as_bytes()[*at..].starts_with(pattern.as_bytes()))
}

/// Mostly letters, seldom a NUL.
fn biased(random: &mut fastrand::Rng) -> usize {
    if random.u32(0..200) == 0 { 4 } else { random.usize(0..4) }
}
