//! Listing: which files, in which order, and which are left out.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{FileType, Mode};

use super::{LATE_MAX, TestRoot, allow, denying};
use crate::{Entry, FileError, FileKind, Links, List, Listing, Scope, Stop};

fn list(
    place: &TestRoot,
    folder: &str,
    glob: &str,
    max_results: usize,
    include_hidden: bool,
) -> Result<Listing, FileError> {
    let list = List { scope: Scope { folder: folder.as_bytes(), glob }, max_results, include_hidden };
    place.workspace.list(list, &|_, _| true, &Stop::on_request())
}

fn files(place: &TestRoot, glob: &str) -> Vec<String> {
    texts(&list(place, "", glob, 0, false).unwrap())
}

fn texts(listed: &Listing) -> Vec<String> {
    listed.files.iter().map(|file| String::from_utf8(file.clone()).unwrap()).collect()
}

#[test]
fn tool_fs_list_is_sorted_by_the_bytes_of_the_paths() {
    let place = TestRoot::new();
    for path in ["a/b", "a.b", "a0", "a/a/a", "B", "ä", "b"] {
        place.put(path, "");
    }
    assert_eq!(files(&place, ""), ["B", "a.b", "a/a/a", "a/b", "a0", "b", "ä"]);
    assert_eq!(files(&place, "**"), files(&place, ""));
}

#[test]
fn tool_fs_list_globs_are_by_names() {
    let place = TestRoot::new();
    for path in ["top.rs", "src/a.rs", "src/b.txt", "src/deep/c.rs", "srcs/d.rs", "[x]/e.rs"] {
        place.put(path, "");
    }
    for (glob, expected) in [
        ("*.rs", &["top.rs"][..]),
        ("src/*.rs", &["src/a.rs"]),
        ("src/**/*.rs", &["src/a.rs", "src/deep/c.rs"]),
        ("src/**", &["src/a.rs", "src/b.txt", "src/deep/c.rs"]),
        ("**/c.rs", &["src/deep/c.rs"]),
        ("src/a.rs", &["src/a.rs"]),
        ("./src//./*.txt", &["src/b.txt"]),
        ("src/{a.rs,deep/*}", &["src/a.rs", "src/deep/c.rs"]),
        ("*/*.rs", &["[x]/e.rs", "src/a.rs", "srcs/d.rs"]),
        ("\\[x\\]/*", &["[x]/e.rs"]),
        ("src?/*", &["srcs/d.rs"]),
        ("missing/**", &[]),
        ("top.rs/**", &[]),
    ] {
        assert_eq!(files(&place, glob), expected, "{glob}");
    }
    assert_eq!(texts(&list(&place, "src", "*.rs", 0, false).unwrap()), ["src/a.rs"]);
    assert_eq!(texts(&list(&place, "[x]", "*", 0, false).unwrap()), ["[x]/e.rs"]);
}

#[test]
fn invoke_contain_a_glob_that_leads_out_is_refused() {
    let place = TestRoot::new();
    for glob in ["../outside/*", "a/../../*", "/etc/*", "a\0*", "a[", &"x".repeat(5_000)] {
        assert!(matches!(list(&place, "", glob, 0, false), Err(FileError::Glob(_))), "{glob}");
    }
    assert!(matches!(list(&place, "../outside", "*", 0, false), Err(FileError::Path)));
}

#[test]
fn invoke_contain_links_are_neither_followed_nor_listed() {
    let place = TestRoot::new();
    place.put("real/file", "");
    place.link("out", "../outside");
    place.link("in", "real");
    place.link("real/link", "../../outside/secret");
    assert_eq!(files(&place, ""), ["real/file"]);
    assert!(matches!(list(&place, "", "out/*", 0, true), Err(FileError::Link)));
}

#[test]
fn tool_fs_list_ends_at_its_limit_and_says_when_there_are_more() {
    let place = TestRoot::new();
    for number in 0..10 {
        place.put(&format!("d{}/f{number}", number % 3), "");
    }
    let all = files(&place, "");
    for most in 1..=11 {
        let listed = list(&place, "", "", most, false).unwrap();
        assert_eq!(texts(&listed), all[..most.min(10)]);
        assert_eq!(listed.is_truncated, most < 10, "{most}");
    }
}

#[test]
fn tool_fs_list_leaves_out_hidden_files_unless_they_are_asked_for_and_git_always() {
    let place = TestRoot::new();
    for path in ["a", ".hidden", ".dir/b", "c/.d", ".git/config", "c/.git/config"] {
        place.put(path, "");
    }
    assert_eq!(files(&place, ""), ["a"]);
    assert_eq!(texts(&list(&place, "", "", 0, true).unwrap()), [".dir/b", ".hidden", "a", "c/.d"]);
    assert_eq!(files(&place, ".dir/*"), [".dir/b"]);
    assert_eq!(files(&place, "**/.d"), ["c/.d"]);
}

#[test]
fn tool_fs_list_heeds_ignore_files_the_nearest_first() {
    let place = TestRoot::new();
    for path in ["keep", "x.log", "build/out", "sub/x.log", "sub/important.log", "sub/keep", "sub/local", "other/local"]
    {
        place.put(path, "");
    }
    place.put(".gitignore", "*.log\n/build/\r\n# a comment\n");
    place.put("sub/.gitignore", "!important.log\n/local\n");
    assert_eq!(files(&place, ""), ["keep", "other/local", "sub/important.log", "sub/keep"]);
    assert_eq!(files(&place, "sub/*"), ["sub/important.log", "sub/keep"]);
    place.put(".ignore", "!x.log\nkeep\n");
    assert_eq!(files(&place, ""), ["other/local", "sub/important.log", "sub/x.log", "x.log"]);
}

#[test]
fn tool_fs_list_takes_no_rule_from_a_line_that_is_too_long_or_has_too_many_choices() {
    let place = TestRoot::new();
    for path in ["a", "b", "c", "d"] {
        place.put(path, "");
    }
    let nested = |name: &str, deep: usize| format!("{}{name}{}", "{".repeat(deep), "}".repeat(deep));
    let long = |name: &str, bytes: usize| format!("{}{name}{}", "{".repeat(2), ",x}".repeat(2) + &" ".repeat(bytes));
    // A brace in a class closes nothing.
    let hidden = format!("{}a{}", "{[}]".repeat(2_000), "}".repeat(2_000));
    for line in [nested("a", 50_000), nested("a", 2_000), nested("a", 33), hidden, long("a", 4_096)] {
        place.put(".gitignore", format!("b\n{line}\n{}\n{}\n", nested("c", 32), long("d", 4_000)));
        assert_eq!(files(&place, ""), ["a"], "{line:.40}");
    }
}

#[test]
fn tool_fs_list_takes_no_rules_from_an_ignore_file_with_too_many() {
    let place = TestRoot::new();
    for path in ["a", "sub/a", "sub/b", "sub/c", "sub/deep/d", "sub/deep/e"] {
        place.put(path, "");
    }
    // Blank lines and comments are no rules.
    let rules = |last: &str, more: usize| format!("#\n\n{}{last}\n", "x/y\n".repeat(more));
    place.put(".gitignore", rules("a", 9_997));
    assert_eq!(files(&place, ""), ["sub/b", "sub/c", "sub/deep/d", "sub/deep/e"]);
    // What holds above leaves room for two more below, whichever file has them.
    place.put("sub/.gitignore", rules("b", 2));
    assert_eq!(files(&place, ""), ["sub/b", "sub/c", "sub/deep/d", "sub/deep/e"]);
    place.put("sub/.gitignore", "b\n");
    place.put("sub/.ignore", "c\nx\n");
    assert_eq!(files(&place, ""), ["sub/c", "sub/deep/d", "sub/deep/e"]);
    place.put("sub/.ignore", "c\n");
    place.put("sub/deep/.gitignore", "d\n");
    assert_eq!(files(&place, ""), ["sub/deep/d", "sub/deep/e"]);
    place.put(".gitignore", rules("a", 10_000));
    assert_eq!(files(&place, ""), ["a", "sub/a", "sub/deep/e"]);

    let bytes = |most: usize| format!("a\n{}", format!("{}\n", "x".repeat(1_023)).repeat(most));
    for (most, expected) in [(64, vec!["sub/deep/e"]), (65, vec!["a", "sub/a", "sub/deep/e"])] {
        place.put(".gitignore", bytes(most));
        assert_eq!(files(&place, ""), expected, "{most}");
    }
}

/// The rules of their kind that take longest, for names that almost match them.
#[test]
fn tool_fs_list_ends_in_time_whatever_the_rules_and_the_names() {
    let place = TestRoot::new();
    let folder = vec!["a".repeat(250); 15].join("/");
    for number in 0..20 {
        place.put(&format!("{folder}/{}{number}", "ab".repeat(120)), "");
    }
    let rule = |end: &str| format!("{}{end}\n", "*[ab]".repeat(400));
    let rules = ["[!ab]", "[!a]", "[!b]", "?[!a]"].map(rule).concat();
    // The first is more than there is room for, the second all of it.
    place.put(".gitignore", rules.repeat(32));
    place.put(&format!("{}/.gitignore", "a".repeat(250)), rules.repeat(8));
    for time in [Duration::from_millis(500), Duration::from_millis(1_000)] {
        let list = List { scope: Scope { folder: b"", glob: "" }, max_results: 0, include_hidden: false };
        let started = Instant::now();
        let listed = place.workspace.list(list, &|_, _| true, &Stop::at(started + time));
        let took = started.elapsed();
        assert!(matches!(listed, Ok(_) | Err(FileError::TimedOut)), "{listed:?}");
        assert!(took < time + LATE_MAX, "it took {took:?}");
    }
}

#[test]
fn tool_fs_list_does_not_read_an_ignore_file_that_may_not_be_seen_or_is_a_link() {
    let place = TestRoot::new();
    place.put("a", "");
    place.put("b", "");
    place.put(".gitignore", "a\n");
    let all = List { scope: Scope { folder: b"", glob: "" }, max_results: 0, include_hidden: false };
    let listed = place.workspace.list(all, &|path, _| path != b".gitignore", &Stop::on_request()).unwrap();
    assert_eq!(texts(&listed), ["a", "b"]);
    fs::remove_file(place.at(".gitignore")).unwrap();
    fs::write(place.outside().join("rules"), "a\n").unwrap();
    place.link(".gitignore", "../outside/rules");
    assert_eq!(files(&place, ""), ["a", "b"]);
}

#[test]
fn tool_fs_list_shows_each_file_to_the_policy_and_lists_what_it_allows() {
    let place = TestRoot::new();
    for path in ["src/a.rs", "src/.env", "src/b.rs"] {
        place.put(path, "");
    }
    let all = List { scope: Scope { folder: b"", glob: "" }, max_results: 0, include_hidden: true };
    let listed = place.workspace.list(all, &|path, _| path.ends_with(b".rs"), &Stop::on_request()).unwrap();
    assert_eq!(texts(&listed), ["src/a.rs", "src/b.rs"]);
}

#[test]
fn tool_fs_list_tool_grep_see_as_deep_as_a_path_can_say() {
    let place = TestRoot::new();
    place.put("a", "needle");
    let path = "d/".repeat(500);
    place.put(&format!("{path}file"), "needle");
    place.make_deeper_than_a_path();
    let listed = list(&place, "", "", 0, false).unwrap();
    assert_eq!((texts(&listed).len(), listed.unread), (2, 0));
    assert_eq!(texts(&listed)[1], format!("{path}file"));
    let scope = Scope { folder: b"", glob: "" };
    let grep = crate::Grep { pattern: "needle", scope, case_sensitive: true, max_results: 0 };
    let found = place.workspace.grep(grep, &|_, _| true, &Stop::on_request()).unwrap();
    assert_eq!((found.matches.len(), found.unread), (2, 0));
    place.remove_deep();
}

#[test]
fn tool_fs_list_that_is_stopped_is_cancelled() {
    let place = TestRoot::new();
    let stop = Stop::on_request();
    stop.stop();
    let all = List { scope: Scope { folder: b"", glob: "" }, max_results: 0, include_hidden: true };
    assert!(matches!(place.workspace.list(all, &|_, _| true, &stop), Err(FileError::Cancelled)));
}

#[test]
fn tool_fs_list_that_is_stopped_looks_at_no_further_name() {
    let place = TestRoot::new();
    for name in 0..9 {
        place.put(&name.to_string(), "");
    }
    let (stop, asked) = (Stop::on_request(), AtomicUsize::new(0));
    let visible = |_: &[u8], _| {
        asked.fetch_add(1, Ordering::Relaxed);
        stop.stop();
        true
    };
    let all = List { scope: Scope { folder: b"", glob: "" }, max_results: 0, include_hidden: true };
    assert!(matches!(place.workspace.list(all, &visible, &stop), Err(FileError::Cancelled)));
    assert_eq!(asked.into_inner(), 1);
}

#[test]
fn invoke_list_names_folders_where_the_glob_says_how_deep_it_goes() {
    let place = TestRoot::new();
    for path in ["b/x", "a/y", "a.txt", "c", ".hidden/z", "denied/w", "ignored/v", "deep/in/side"] {
        place.put(path, "");
    }
    place.put(".gitignore", "ignored/\n");
    let listed = |glob, max_results| {
        let all = List { scope: Scope { folder: b"", glob }, max_results, include_hidden: false };
        let visible = |path: &[u8], _| !path.starts_with(b"denied");
        place.workspace.list(all, &visible, &Stop::on_request()).unwrap()
    };
    let folders = |listed: &Listing| -> Vec<String> {
        listed.folders.iter().map(|path| String::from_utf8(path.clone()).unwrap()).collect()
    };
    let here = listed("*", 0);
    assert_eq!((texts(&here).join(" "), folders(&here).join(" ")), ("a.txt c".to_owned(), "a b deep".to_owned()));
    assert_eq!(folders(&listed("*/*", 0)), ["deep/in"]);
    assert_eq!(folders(&listed("**", 0)), Vec::<String>::new());
    // Both count, in one order: `a.txt`, `a/`, `b/`.
    let cut = listed("*", 3);
    assert_eq!(
        (texts(&cut).join(" "), folders(&cut).join(" "), cut.is_truncated),
        ("a.txt".to_owned(), "a b".to_owned(), true)
    );
}

fn list_dir(place: &TestRoot, path: &str) -> Result<Vec<Entry>, FileError> {
    place.workspace.list_dir(path.as_bytes(), &|_, _| true, &mut allow, &Stop::on_request())
}

#[test]
fn invoke_list_of_a_folder_is_sorted_and_leaves_out_nothing_but_what_may_not_be_seen() {
    let place = TestRoot::new();
    for path in ["b", "a/x", ".hidden", "denied", "ignored", ".git/config"] {
        place.put(path, "");
    }
    place.put(".gitignore", "ignored\n");
    place.link("c", "b");
    place.link("out", "../outside");
    rustix::fs::mknodat(rustix::fs::CWD, place.at("pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(place.at("socket")).unwrap();
    let visible = |path: &[u8], _| path != b"denied";
    let entries = place.workspace.list_dir(b"", &visible, &mut allow, &Stop::on_request()).unwrap();
    let expected = [
        (".git", FileKind::Folder),
        (".gitignore", FileKind::File),
        (".hidden", FileKind::File),
        ("a", FileKind::Folder),
        ("b", FileKind::File),
        ("c", FileKind::Link),
        ("ignored", FileKind::File),
        ("out", FileKind::Link),
        ("pipe", FileKind::Pipe),
        ("socket", FileKind::Socket),
    ];
    assert_eq!(entries, expected.map(|(name, kind)| Entry { name: name.into(), kind }));
    assert!(matches!(list_dir(&place, "b"), Err(FileError::NotAFolder)));
    assert!(matches!(list_dir(&place, "pipe"), Err(FileError::NotAFolder)));
    assert!(matches!(list_dir(&place, "missing"), Err(FileError::NotFound)));
    assert!(matches!(list_dir(&place, "out"), Err(FileError::Escape)));
}

#[test]
fn invoke_list_of_a_link_is_of_the_folder_that_it_leads_to_and_both_names_have_to_be_visible() {
    let place = TestRoot::new();
    for name in ["a", "b", "c"] {
        place.put(&format!("real/{name}"), "");
    }
    place.link("link", "real");
    let mut asked = Vec::new();
    let visible = |path: &[u8], _| !matches!(path, b"real/b" | b"link/c");
    let entries = place.workspace.list_dir(b"link", &visible, &mut denying(&[], &mut asked), &Stop::on_request());
    assert_eq!(entries.unwrap(), [Entry { name: b"a".to_vec(), kind: FileKind::File }]);
    assert_eq!(asked, ["real"]);
    let mut asked = Vec::new();
    let denied = place.workspace.list_dir(b"link", &visible, &mut denying(&["real"], &mut asked), &Stop::on_request());
    assert!(matches!(denied, Err(FileError::Denied { .. })));
    let strict = TestRoot::with(Links::Refuse);
    strict.put("real/a", "");
    strict.link("link", "real");
    assert!(matches!(list_dir(&strict, "link"), Err(FileError::Link)));
}

#[test]
fn invoke_list_of_a_folder_that_is_stopped_looks_at_no_further_name() {
    let place = TestRoot::new();
    for name in 0..9 {
        place.put(&name.to_string(), "");
    }
    let (stop, asked) = (Stop::on_request(), AtomicUsize::new(0));
    let visible = |_: &[u8], _| {
        asked.fetch_add(1, Ordering::Relaxed);
        stop.stop();
        true
    };
    assert!(matches!(place.workspace.list_dir(b"", &visible, &mut allow, &stop), Err(FileError::Cancelled)));
    assert_eq!(asked.into_inner(), 1);
}
