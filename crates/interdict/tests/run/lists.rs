//! What is in a folder: all of it, by name, as far as the policy lets it be seen.

use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{Place, ask, invoke};

const RULES: &str = "rule look:\n  allow coder to fs.list\n";

fn list(path: &str) -> String {
    invoke("filesystem", "list_dir", &json!({ "path": path }))
}

fn names(answer: &Value) -> Vec<&str> {
    assert_eq!(answer["ok"], true, "{answer}");
    answer["output"]["stdout"].as_str().unwrap().lines().collect()
}

#[test]
fn invoke_list_shows_whatever_is_there_sorted_and_marked() {
    let place = Place::new(
        RULES,
        &[("d/b", ""), ("d/c/x", ""), ("d/.hidden", ""), ("d/ignored", ""), ("d/.gitignore", "ignored\n"), ("e", "")],
    );
    symlink("b", place.root().join("d/link")).unwrap();
    symlink("../../outside", place.root().join("d/out")).unwrap();
    assert!(Command::new("mkfifo").arg(place.root().join("d/pipe")).status().unwrap().success());
    let said = place.run(&[list("d"), list("d/"), list("."), list(""), list("d/c")]);
    let all = [".gitignore", ".hidden", "b", "c/", "ignored", "link@", "out@", "pipe|"];
    assert_eq!([names(&said.lines[0]), names(&said.lines[1])], [all, all]);
    assert_eq!([names(&said.lines[2]), names(&said.lines[3])], [["d/", "e"], ["d/", "e"]]);
    assert_eq!(names(&said.lines[4]), ["x"]);
}

#[test]
fn invoke_list_has_one_line_for_each_name_and_no_two_names_alike() {
    let files = ["a\nb", "\"q\"", "\u{1b}[2J/y", "l@", "l"].map(|name| (format!("d/{name}"), ""));
    let place = Place::new(RULES, &files.each_ref().map(|(path, content)| (path.as_str(), *content)));
    std::fs::remove_file(place.root().join("d/l")).unwrap();
    symlink("a", place.root().join("d/l")).unwrap();
    let said = place.run(&[list("d")]);
    let expected = [r#""\u001b[2J"/"#, r#""\"q\"""#, r#""a\nb""#, "l@", r#""l@""#];
    assert_eq!(names(&said.lines[0]), expected);
}

#[test]
fn invoke_notfound_is_said_of_a_missing_folder_and_a_file_is_none() {
    let place = Place::new(RULES, &[("a", "")]);
    let said = place.run(&[list("missing"), list("a"), list("missing/deep")]);
    let kinds: Vec<_> = said.lines.iter().map(|line| line["error"]["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["NotFound", "IoError", "NotFound"], "{:?}", said.lines);
    assert!(said.lines[1]["error"]["message"].as_str().unwrap().contains("not a directory"), "{}", said.lines[1]);
    assert!(said.lines.iter().all(|line| line["output"].get("stdout").is_none()), "{:?}", said.lines);
}

#[test]
fn invoke_list_takes_a_folder_by_its_name_whatever_a_pattern_would_read() {
    let folders = ["br[1]", "a*", "{x}", "back\\slash", "q?", "!n"];
    let files = folders.map(|folder| (format!("src/{folder}/in {folder}"), ""));
    let place = Place::new(RULES, &files.each_ref().map(|(path, content)| (path.as_str(), *content)));
    let said = place.run(&folders.map(|folder| list(&format!("src/{folder}"))));
    for (line, folder) in said.lines.iter().zip(folders) {
        // One that ends like a mark is in quotes.
        assert_eq!(names(line)[0].trim_matches('"'), format!("in {folder}"), "{line}");
    }
}

#[test]
fn invoke_list_of_a_folder_that_reads_like_a_pattern_is_judged_as_that_folder() {
    let rules = "rule look:\n  allow coder to fs.list\n\n\
                 rule vault:\n  deny anyone to fs.list\n  where path in \"src/br[1]/**\"\n";
    let place = Place::new(rules, &[("src/br[1]/a", ""), ("src/br[2]/b", "")]);
    let said = place.run(&[list("src/br[1]"), list("src/br[2]"), list("src")]);
    assert_eq!(said.lines[0]["error"]["type"], "PolicyDenied", "{}", said.lines[0]);
    assert_eq!(said.lines[0]["policy"]["rule"], "vault", "{}", said.lines[0]);
    assert_eq!((names(&said.lines[1]), names(&said.lines[2])), (vec!["b"], vec!["br[2]/"]));
    // What is denied is not begun.
    assert_eq!((place.count("refused"), place.count("intent")), (1, 2));
}

#[test]
fn invoke_list_follows_a_link_inside_the_root_and_judges_where_it_leads() {
    let rules = "rule look:\n  allow coder to fs.list\n\n\
                 rule vault:\n  deny anyone to fs.list\n  where path in \"vault/**\", \"src/secret\", \"link/own\"\n";
    let place = Place::new(rules, &[("src/a", ""), ("src/secret", ""), ("src/own", ""), ("vault/key", "")]);
    symlink("src", place.root().join("link")).unwrap();
    symlink("vault", place.root().join("way")).unwrap();
    symlink("/etc", place.root().join("out")).unwrap();
    let said = place.run(&[list("link"), list("way"), list("out"), list("src"), list(".")]);
    assert_eq!((names(&said.lines[0]), names(&said.lines[3])), (vec!["a"], vec!["a", "own"]));
    for (line, code) in said.lines[1..3].iter().zip(["FS_LIST_DENIED", "PATH_ESCAPE"]) {
        assert_eq!((&line["error"]["type"], &line["policy"]["code"]), (&json!("PolicyDenied"), &json!(code)), "{line}");
    }
    assert_eq!(names(&said.lines[4]), ["link@", "out@", "src/", "way@"]);
    let strict = place.run_with(&["--role", "coder", "--links", "refuse"], &list("link"));
    assert_eq!(strict.lines[0]["error"]["type"], "PolicyDenied", "{}", strict.lines[0]);
}

#[test]
fn invoke_list_judges_what_is_hidden_as_hidden() {
    let place = Place::new(
        "rule look:\n  allow coder to fs.list\n  where not hidden\n",
        &[(".env", ""), (".cfg/x", ""), ("a", "")],
    );
    let said = place.run(&[list("."), list(".cfg")]);
    assert_eq!(names(&said.lines[0]), ["a"]);
    assert_eq!(said.lines[1]["error"]["type"], "PolicyDenied", "{}", said.lines[1]);
}

#[test]
fn invoke_list_has_as_many_names_as_the_policy_and_the_caller_let_it_have() {
    let place = Place::new(
        "rule look:\n  allow coder to fs.list\n  limit max-results <= 3\n",
        &[("a", ""), ("b", ""), ("c", ""), ("d", "")],
    );
    let two = invoke("filesystem", "list_dir", &json!({ "path": ".", "max_results": 2 }));
    let said = place.run(&[list("."), two]);
    assert_eq!((names(&said.lines[0]), names(&said.lines[1])), (vec!["a", "b", "c"], vec!["a", "b"]));
    assert!(said.lines.iter().all(|line| line["output"]["truncated"] == true), "{:?}", said.lines);
}

#[test]
fn a_glob_that_ends_with_a_slash_is_for_what_is_in_a_folder() {
    let place = Place::new(RULES, &[("d/a", ""), ("d/c/x", ""), ("d/.h", "")]);
    symlink("a", place.root().join("d/l")).unwrap();
    let glob = |glob: &str| ask("fs_list", &json!({ "glob": glob }));
    let lines = [glob("d/"), glob("d/missing/"), glob(&format!("{}/d/", place.root().display()))];
    let said = place.run(&lines);
    let all = json!({
        "files": ["d/.h", "d/a"], "folders": ["d/c"], "others": [{ "path": "d/l", "kind": "link" }], "truncated": false,
    });
    assert_eq!((&said.lines[0]["data"], &said.lines[2]["data"]), (&all, &all));
    assert_eq!(said.lines[1]["errors"][0]["code"], "E_FILE_IO", "{}", said.lines[1]);
    let below = place.run_with(&["--role", "coder", "--cwd", "d"], &[glob("c/"), list("c")].join("\n"));
    assert_eq!(below.lines[0]["data"]["files"], json!(["d/c/x"]));
    assert_eq!(names(&below.lines[1]), ["x"]);
}

#[test]
fn tool_grep_tool_fs_list_leave_out_what_ignore_files_say_also_where_nothing_hidden_is_searched() {
    let rules = "rule look:\n  allow coder to fs.grep, fs.list\n  where path in \"src/**\"\n\
                 rule hidden:\n  deny anyone to fs.grep, fs.list\n  where hidden\n\
                 rule unread:\n  deny anyone to fs.grep, fs.list\n  where path == \"src/b/.ignore\"\n";
    let files = ["src/a/left-out", "src/a/seen", "src/b/left-out", "src/.hidden/seen"].map(|path| (path, "needle\n"));
    let ignored = [("src/a/.gitignore", "left-out\nneedle\n"), ("src/b/.ignore", "left-out\nneedle\n")];
    let place = Place::new(rules, &[files.as_slice(), &ignored].concat());
    let said = place.run(&[
        ask("grep", &json!({ "pattern": "needle", "glob": "src/**", "case_sensitive": true})),
        ask("fs_list", &json!({ "glob": "src/**", "include_hidden": false })),
    ]);
    let expected = json!(["src/a/seen", "src/b/left-out"]);
    let answers = said.lines.iter().map(|line| line["data"].clone());
    let [found, listed] = answers.collect::<Vec<_>>().try_into().unwrap();
    let matched: Vec<Value> = found["matches"].as_array().unwrap().iter().map(|one| one["file"].clone()).collect();
    assert_eq!(Value::from(matched), expected, "{found}");
    assert_eq!(listed["files"], expected, "{listed}");
}
