//! Patching: what a diff says exactly, all of it or nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::{TestRoot, denying};
use crate::{Change, Denial, FileError, Patch, PatchError, PatchOutcome, PatchTarget, Stop, Touch};

impl TestRoot {
    fn patch(&self, diff: &str) -> Result<PatchOutcome, FileError> {
        self.workspace.patch(&Patch::parse(diff.as_bytes())?, &mut any, &mut any, &Stop::on_request())
    }
}

fn any(_: &[u8], _: Touch) -> Result<(), Denial> {
    Ok(())
}

fn targets(diff: &str) -> Vec<(String, Touch)> {
    let name = |target: PatchTarget| (String::from_utf8(target.path).unwrap(), target.touch);
    Patch::parse(diff.as_bytes()).unwrap().targets().into_iter().map(name).collect()
}

fn wrong(diff: &str) -> PatchError {
    Patch::parse(diff.as_bytes()).expect_err(diff)
}

const SEVERAL: &str = "\
diff --git a/changed b/changed
index 1..2 100644
--- a/changed
+++ b/changed
@@ -1,2 +1,2 @@
 one
-two
+2
@@ -5 +5,2 @@ five
 five
+six
diff --git a/new/file b/new/file
new file mode 100755
--- /dev/null
+++ b/new/file
@@ -0,0 +1 @@
+hello
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/old name b/new name
similarity index 90%
rename from old name
rename to new name
--- a/old name
+++ b/new name
@@ -1 +1 @@
-x
+y
";

fn several(place: &TestRoot) {
    place.put("changed", "one\ntwo\nthree\nfour\nfive\n");
    place.put("gone", "bye\n");
    place.put("old name", "x\n");
}

#[test]
fn tool_file_patch_names_every_path_that_it_touches() {
    assert_eq!(
        targets(SEVERAL),
        [
            ("changed".to_owned(), Touch::Modify),
            ("new/file".to_owned(), Touch::Create { bytes: 6 }),
            ("gone".to_owned(), Touch::Delete),
            ("old name".to_owned(), Touch::RenameFrom),
            ("new name".to_owned(), Touch::RenameTo),
        ]
    );
}

#[test]
fn tool_file_patch_modifies_creates_deletes_and_renames() {
    let place = TestRoot::new();
    several(&place);
    let patched = place.patch(SEVERAL).unwrap();
    assert_eq!(patched.hunks_applied, 5);
    let changes: Vec<_> = patched.effects.iter().map(|effect| (effect.path.as_slice(), &effect.change)).collect();
    assert_eq!(
        changes,
        [
            (&b"changed"[..], &Change::Replaced),
            (b"new/file", &Change::Created),
            (b"gone", &Change::Removed),
            (b"new name", &Change::MovedFrom(b"old name".to_vec())),
            (b"old name", &Change::Removed),
        ]
    );
    assert_eq!(place.text("changed"), "one\n2\nthree\nfour\nfive\nsix\n");
    assert_eq!((place.text("new/file").as_str(), place.text("new name").as_str()), ("hello\n", "y\n"));
    assert_eq!(fs::metadata(place.at("new/file")).unwrap().permissions().mode() & 0o777, 0o755);
    let mut names: Vec<_> = fs::read_dir(place.at("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["changed", "new", "new name"]);
}

#[test]
fn tool_file_patch_that_does_not_fit_somewhere_changes_nothing_anywhere() {
    for spoil in ["changed", "gone", "old name", "new name", "new/file"] {
        let place = TestRoot::new();
        several(&place);
        place.put(spoil, "something else\n");
        let error = place.unchanged(|| place.patch(SEVERAL));
        match spoil {
            "new name" | "new/file" => assert_eq!(error.to_string(), format!("`{spoil}`: it already exists")),
            _ => assert!(matches!(error, FileError::Patch(PatchError::Mismatch { .. })), "{error:?}"),
        }
    }
    for missing in ["changed", "gone", "old name"] {
        let place = TestRoot::new();
        several(&place);
        fs::remove_file(place.at(missing)).unwrap();
        assert_eq!(place.unchanged(|| place.patch(SEVERAL)).to_string(), format!("file not found: `{missing}`"));
    }
}

#[test]
fn tool_file_patch_says_which_hunk_does_not_fit_and_where() {
    let place = TestRoot::new();
    several(&place);
    place.put("changed", "one\ntwo\nthree\nfour\n5\n");
    let FileError::Patch(error) = place.unchanged(|| place.patch(SEVERAL)) else { panic!() };
    assert_eq!(error, PatchError::Mismatch { path: b"changed".into(), hunk: 2, line: 5 });
}

#[test]
fn tool_file_patch_has_no_fuzz_and_no_offset() {
    let place = TestRoot::new();
    place.put("file", "zero\none\ntwo\n");
    let at = |line: u32| format!("--- a/file\n+++ b/file\n@@ -{line},2 +{line},2 @@\n one\n-two\n+2\n");
    for line in [1, 3, 4, 9] {
        let error = place.unchanged(|| place.patch(&at(line)));
        assert!(matches!(error, FileError::Patch(PatchError::Mismatch { .. })), "{line}");
    }
    place.patch(&at(2)).unwrap();
    assert_eq!(place.text("file"), "zero\none\n2\n");
}

#[test]
fn tool_file_patch_with_numbers_at_their_end_is_refused() {
    let place = TestRoot::new();
    place.put("file", "one\n");
    let most = usize::MAX;
    for (head, line) in [
        (format!("-{most},0 +1"), most),
        (format!("-{},0 +1", most - 1), most),
        (format!("-{most},0 +{most},1"), most),
        ("-2,0 +1".to_owned(), 3),
    ] {
        let hunk = format!("@@ {head} @@\n+x\n");
        let patch = Patch::parse_for(b"file", hunk.as_bytes()).unwrap();
        let error = place.unchanged(|| place.workspace.patch(&patch, &mut any, &mut any, &Stop::on_request()));
        let FileError::Patch(error) = error else { panic!("{error:?}") };
        assert_eq!(error, PatchError::Mismatch { path: b"file".into(), hunk: 1, line }, "{head}");
    }
    let replacing = |start: usize| format!("--- a/file\n+++ b/file\n@@ -{start} +{start} @@\n-one\n+1\n");
    for start in [most, most - 1] {
        let error = place.unchanged(|| place.patch(&replacing(start)));
        assert!(matches!(error, FileError::Patch(PatchError::Mismatch { line, .. }) if line == start), "{error:?}");
    }
    // A head that counts more lines than there are is wrong where they end, and the place after the last number is none.
    for head in [
        format!("-1,{most} +1"),
        format!("-1 +1,{most}"),
        format!("-{most},{most} +{most},{most}"),
        format!("-{most}0 +1"),
        format!("-1,{most}0 +1"),
        format!("-1 +{most}0"),
    ] {
        let diff = format!("--- a/file\n+++ b/file\n@@ {head} @@\n-one\n+1\n");
        assert!(matches!(wrong(&diff), PatchError::Line { .. }), "{head}");
    }
    let hunk = |start: usize| format!("@@ -{start} +{start} @@\n-one\n+1\n");
    let after = format!("--- a/file\n+++ b/file\n{}{}", hunk(most), hunk(most - 1));
    assert!(matches!(wrong(&after), PatchError::Line { .. }));
}

#[test]
fn tool_file_patch_keeps_carriage_returns_and_missing_line_ends() {
    let place = TestRoot::new();
    place.put("crlf", "one\r\ntwo\r\n");
    place.patch("--- a/crlf\r\n+++ b/crlf\r\n@@ -1,2 +1,2 @@\r\n one\r\n-two\r\n+2\r\n").unwrap();
    assert_eq!(place.text("crlf"), "one\r\n2\r\n");
    assert!(place.patch("--- a/crlf\n+++ b/crlf\n@@ -1 +1 @@\n-one\n+1\n").is_err(), "a line end is part of a line");

    place.put("open", "one\ntwo");
    let diff = "--- a/open\n+++ b/open\n@@ -1,2 +1,2 @@\n one\n-two\n\\ No newline at end of file\n+2\n";
    place.patch(diff).unwrap();
    assert_eq!(place.text("open"), "one\n2\n");
    let diff = "--- a/open\n+++ b/open\n@@ -1,2 +1,2 @@\n one\n-2\n+two\n\\ No newline at end of file\n";
    place.patch(diff).unwrap();
    assert_eq!(place.text("open"), "one\ntwo");
    let diff = "--- a/open\n+++ b/open\n@@ -2 +2 @@\n-two\n+2\n";
    assert!(place.patch(diff).is_err(), "the line has no end");
    let diff = "--- a/open\n+++ b/open\n@@ -1 +1 @@\n-one\n+1\n\\ No newline at end of file\n";
    assert!(place.patch(diff).is_err(), "only the last line may have no end");
    place.put("long", "one\ntwo\nthree");
    let diff = "--- a/long\n+++ b/long\n@@ -1 +1 @@\n-one\n+1\n\\ No newline at end of file\n@@ -3 +3 @@\n-three\n\\ No newline at end of file\n+3\n";
    assert!(place.patch(diff).is_err(), "nor does a line that is kept go on with it");
    let diff = "--- a/long\n+++ b/long\n@@ -3,0 +4 @@\n+four\n";
    assert!(place.patch(diff).is_err(), "a line behind the last one needs its end");
    assert_eq!(place.text("long"), "one\ntwo\nthree");
}

#[test]
fn tool_file_patch_takes_a_diff_whose_last_line_end_is_lost_and_blank_context() {
    let place = TestRoot::new();
    place.put("file", "one\n\nthree\n");
    place.patch("--- a/file\n+++ b/file\n@@ -1,3 +1,3 @@\n one\n\n-three\n+3").unwrap();
    assert_eq!(place.text("file"), "one\n\n3\n");
}

#[test]
fn tool_file_patch_reads_names_as_git_and_diff_write_them() {
    let modify = |old: &str, new: &str| format!("--- {old}\n+++ {new}\n@@ -1 +1 @@\n-a\n+b\n");
    for (old, new, path) in [
        ("a/src/x", "b/src/x", "src/x"),
        ("src/x", "src/x", "src/x"),
        ("a/x", "a/x", "a/x"),
        ("a/x\t2024-01-01 00:00:00", "b/x\t2024-01-01 00:00:01", "x"),
        ("\"a/\\303\\274 \\\"q\\\"\"", "\"b/\\303\\274 \\\"q\\\"\"", "ü \"q\""),
    ] {
        assert_eq!(targets(&modify(old, new)), [(path.to_owned(), Touch::Modify)]);
    }
    let empty = "diff --git a/with space b/with space\nnew file mode 100644\nindex 000..e69\n";
    assert_eq!(targets(empty), [("with space".to_owned(), Touch::Create { bytes: 0 })]);
    let empty = "diff --git \"a/\\t\" \"b/\\t\"\ndeleted file mode 100644\n";
    assert_eq!(targets(empty), [("\t".to_owned(), Touch::Delete)]);
    let pure = "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n";
    assert_eq!(targets(pure), [("x".to_owned(), Touch::RenameFrom), ("y".to_owned(), Touch::RenameTo)]);
}

#[test]
fn invoke_contain_a_diff_with_a_path_outside_is_refused() {
    for name in
        ["../outside/secret", "a/../../x", "/etc/passwd", "b//x", "./x", "\"b/\\000\"", "\"b/\\056\\056/x\"", "b/"]
    {
        let diff = format!("--- /dev/null\n+++ {name}\n@@ -0,0 +1 @@\n+x\n");
        assert!(matches!(wrong(&diff), PatchError::Path { .. }), "{name}");
    }
    let rename = "diff --git a/x b/y\nrename from x\nrename to ../y\n";
    assert!(matches!(wrong(rename), PatchError::Path { .. }));
}

#[test]
fn tool_file_patch_refuses_what_is_not_content_of_plain_files() {
    for head in [
        "old mode 100644\nnew mode 100755\n",
        "new file mode 120000\n",
        "new file mode 160000\n",
        "new file mode 100600\n",
        "deleted file mode 120000\n",
        "index 1..2 120000\n",
        "copy from x\ncopy to y\n",
        "index 1..2\nGIT binary patch\nliteral 3\n",
        "index 1..2\nBinary files a/x and b/x differ\n",
    ] {
        let diff = format!("diff --git a/x b/x\n{head}");
        assert!(matches!(wrong(&diff), PatchError::Unsupported { .. }), "{head}");
    }
}

#[test]
fn tool_file_patch_refuses_what_it_does_not_understand() {
    let hunk = |text: &str| format!("--- a/x\n+++ b/x\n{text}");
    for diff in [
        "some words\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n".to_owned(),
        "--- a/x\n@@ -1 +1 @@\n-a\n+b\n".to_owned(),
        hunk(""),
        hunk("@@ -1 +1 @@\n-a\n"),
        hunk("@@ -1 +1 @@\n-a\n+b\n+c\n"),
        hunk("@@ -1,2 +1 @@\n-a\n+b\n"),
        hunk("@@ -0,1 +1 @@\n-a\n+b\n"),
        hunk("@@ -+1 +1 @@\n-a\n+b\n"),
        hunk("@@ -1 +1\n-a\n+b\n"),
        hunk("@@ -0,0 +0,0 @@\n"),
        hunk("@@ -1 +1 @@\n*a\n+b\n"),
        hunk("@@ -5 +5 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n"),
        hunk("@@ -99999999999999999999 +1 @@\n-a\n+b\n"),
        "diff --git a/x b/x\nindex 1..2\n".to_owned(),
        "diff --git a/x b/x\nrename from x\n".to_owned(),
    ] {
        assert!(matches!(wrong(&diff), PatchError::Line { .. }), "{diff}: {:?}", wrong(&diff));
    }
    assert_eq!(wrong(""), PatchError::Empty);
    assert_eq!(wrong("\n\n"), PatchError::Empty);
    assert!(matches!(wrong("--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n"), PatchError::Names { .. }));
    assert!(matches!(wrong("--- a/x\n+++ a/y\n@@ -1 +1 @@\n-a\n+b\n"), PatchError::Names { .. }));
    let rename = |old: &str, new: &str| {
        format!("diff --git a/x b/y\nrename from x\nrename to y\n--- {old}\n+++ {new}\n@@ -1 +1 @@\n-a\n+b\n")
    };
    for (old, new) in [("a/z", "b/y"), ("a/x", "b/z"), ("/dev/null", "b/y"), ("a/x", "/dev/null")] {
        assert!(matches!(wrong(&rename(old, new)), PatchError::Names { .. }), "{old} {new}");
    }
    for (old, new) in [("a/x", "b/y"), ("x", "y")] {
        assert_eq!(targets(&rename(old, new)).len(), 2, "{old} {new}");
    }
    let long = "x".repeat((10 << 20) + 1);
    assert!(matches!(wrong(&long), PatchError::TooLong { .. }));
}

#[test]
fn tool_file_patch_refuses_to_touch_a_path_twice_or_a_path_below_another() {
    let one = |path: &str| format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n");
    assert!(matches!(wrong(&(one("x") + &one("x"))), PatchError::Twice { .. }));
    assert!(matches!(wrong(&(one("x/y") + &one("x.z") + &one("x"))), PatchError::Twice { .. }));
    assert_eq!(targets(&(one("x/y") + &one("x.z"))).len(), 2);
}

#[test]
fn tool_file_patch_for_one_file_touches_no_other() {
    let hunk = "@@ -1 +1 @@\n-a\n+b\n";
    let diff = format!("--- a/x\n+++ b/x\n{hunk}");
    for text in [hunk, &diff] {
        let patch = Patch::parse_for(b"x", text.as_bytes()).unwrap();
        assert_eq!(patch.targets(), [PatchTarget { path: b"x".into(), touch: Touch::Modify }]);
    }
    assert_eq!(Patch::parse_for(b"y", diff.as_bytes()), Err(PatchError::OtherPath { path: b"x".into() }));
    let two = format!("{diff}--- a/y\n+++ b/y\n{hunk}");
    assert!(Patch::parse_for(b"x", two.as_bytes()).is_err());
    assert!(Patch::parse_for(b"x", format!("{hunk}--- a/y\n+++ b/y\n{hunk}").as_bytes()).is_err());
}

#[test]
fn tool_file_patch_deletes_a_file_only_when_it_knows_all_of_it() {
    let place = TestRoot::new();
    place.put("gone", "bye\nand more\n");
    let error = place.unchanged(|| place.patch("--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n"));
    assert!(matches!(error, FileError::Patch(PatchError::NotAll { .. })), "{error:?}");
}

#[test]
fn trust_fs_a_patch_through_a_link_is_judged_where_it_leads() {
    let place = TestRoot::new();
    place.put("real", "a\n");
    place.link("link", "real");
    place.link("out", "../outside/secret");
    let diff = |path: &str| format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n");
    assert!(matches!(place.unchanged(|| place.patch(&diff("out"))), FileError::Escape));
    let link = diff("link");
    let patch = Patch::parse(link.as_bytes()).unwrap();
    let error = place.unchanged(|| {
        let mut asked = Vec::new();
        let mut judge = denying(&["real"], &mut asked);
        place.workspace.patch(&patch, &mut |path, _| judge(path), &mut any, &Stop::on_request())
    });
    assert!(matches!(error, FileError::Denied { .. }));
    let both = diff("link") + &diff("real");
    assert!(matches!(place.unchanged(|| place.patch(&both)), FileError::Overlap));
    assert_eq!(place.patch(&link).unwrap().effects[0].path, b"real");
    assert_eq!(place.text("real"), "b\n");
    let gone = "--- a/link\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n";
    assert!(matches!(place.unchanged(|| place.patch(gone)), FileError::Link));
}

#[test]
fn trust_fs_where_the_links_of_a_diff_lead_is_judged_as_what_it_does_there() {
    let place = TestRoot::new();
    for path in ["real/gone", "real/from"] {
        place.put(path, "a\n");
    }
    place.link("link", "real");
    let diff = "--- a/link/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n\
                --- /dev/null\n+++ b/link/new/file\n@@ -0,0 +1,2 @@\n+abc\n+d\n\\ No newline at end of file\n\
                diff --git a/link/from b/link/to\nsimilarity index 100%\nrename from link/from\nrename to link/to\n";
    let patch = Patch::parse(diff.as_bytes()).unwrap();
    let (mut judged, mut folders) = (Vec::new(), Vec::new());
    let mut judge = |path: &[u8], touch| {
        judged.push((String::from_utf8(path.to_vec()).unwrap(), touch));
        Ok(())
    };
    let mut make = |path: &[u8], touch| {
        folders.push((String::from_utf8(path.to_vec()).unwrap(), touch));
        Ok(())
    };
    place.workspace.patch(&patch, &mut judge, &mut make, &Stop::on_request()).unwrap();
    let at = |path: &str, touch| (path.to_owned(), touch);
    let new = at("real/new/file", Touch::Create { bytes: 5 });
    let from = at("real/from", Touch::RenameFrom);
    assert_eq!(judged, [at("real/gone", Touch::Delete), new.clone(), from, at("real/to", Touch::RenameTo)]);
    assert_eq!(folders, [new]);
    assert_eq!(place.text("real/new/file"), "abc\nd");
}

#[test]
fn tool_file_patch_makes_no_folder_that_is_not_allowed() {
    let place = TestRoot::new();
    place.put("old", "1\n");
    let new = "--- /dev/null\n+++ b/a/b/new\n@@ -0,0 +1 @@\n+x\n";
    let renamed = "diff --git a/old b/c/old\nsimilarity index 100%\nrename from old\nrename to c/old\n";
    for (diff, asked_for) in [(new, "a/b/new"), (renamed, "c/old")] {
        let patch = Patch::parse(diff.as_bytes()).unwrap();
        let mut asked = Vec::new();
        let error = place.unchanged(|| {
            let mut judge = denying(&[""], &mut asked);
            place.workspace.patch(&patch, &mut any, &mut |path, _| judge(path), &Stop::on_request())
        });
        assert!(matches!(error, FileError::Denied { .. }), "{error:?}");
        assert_eq!(asked, [asked_for]);
    }
    // Where the folder is there, nobody is asked.
    fs::create_dir_all(place.at("a/b")).unwrap();
    let patch = Patch::parse(new.as_bytes()).unwrap();
    let mut folders = |_: &[u8], _| -> Result<(), Denial> { panic!("nobody is asked") };
    place.workspace.patch(&patch, &mut any, &mut folders, &Stop::on_request()).unwrap();
    assert_eq!(place.text("a/b/new"), "x\n");
}
