//! A file gets its name when its content is on the disk, and then the folder that has the name is put there too.
//!
//! Seen from outside, by the calls that the program makes. A crash of the machine cannot be made here.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::support::{Place, ask};

const RULES: &str = "rule work:\n  allow coder to file.*\n";

#[test]
fn ctr_0009_content_is_on_the_disk_before_its_name_and_its_folder_after_it() {
    let has_strace = Command::new("strace").arg("--version").output().is_ok_and(|ran| ran.status.success());
    assert!(has_strace, "strace is not installed: `apt-get install strace`");
    // Each in a folder of its own, so that none is secured by another's turn.
    let files =
        [("w/written", "old"), ("c/other", ""), ("e/edited", "old"), ("p/patched", "old\n"), ("s/both", "old\n")];
    let place = Place::new(RULES, &files);
    let change = |path: &str| format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-old\n+new\n");
    let create = |path: &str| format!("--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+new\n");
    let several = change("s/both") + &create("s/made");
    let traces = place.folder.path().join("traces");
    fs::create_dir(&traces).unwrap();
    let prefix = traces.join("thread");
    // A file for each thread: the calls of one are in their order.
    let starter = ["strace", "-ff", "-y", "-qq", "-o", prefix.to_str().unwrap(), "-e", CALLS];
    let said = place.run_behind(
        &starter,
        &["--role", "coder"],
        &[
            ask("file_write", &json!({ "path": "w/written", "content": "new" })),
            ask("file_write", &json!({ "path": "c/created", "content": "new", "create_only": true })),
            ask("file_edit", &json!({ "path": "e/edited", "old_content": "old", "new_content": "new" })),
            ask("file_patch", &json!({ "path": "p/patched", "unified_diff": change("p/patched") })),
            ask("file_patch", &json!({ "path": "s/both", "unified_diff": several })),
        ],
    );
    assert_eq!(said.code, Some(0), "{}", said.errors);
    for line in &said.lines {
        assert_eq!(line["ok"], true, "{line}");
    }
    let root = place.root().canonicalize().unwrap();
    for path in ["w/written", "c/created", "e/edited", "p/patched", "s/both", "s/made"] {
        assert_eq!(fs::read_to_string(root.join(path)).unwrap().trim_end(), "new", "{path}");
        is_secured(&traces, &root.join(path));
    }
}

/// That the thread which gave a file its name has secured what it was before, and its folder after.
fn is_secured(traces: &Path, path: &Path) {
    let (folder, name) = (path.parent().unwrap().display(), path.file_name().unwrap().to_str().unwrap());
    let mut named = 0;
    for entry in fs::read_dir(traces).unwrap() {
        let trace = fs::read_to_string(entry.unwrap().path()).unwrap();
        let calls: Vec<&str> = trace.lines().filter(|line| line.ends_with(" = 0")).collect();
        for (place, call) in calls.iter().enumerate() {
            let Some(temporary) = temporary_name(call, name) else { continue };
            let (before, after) = (&calls[..place], &calls[place + 1..]);
            let is_sync = |call: &str, path: &str| call.starts_with("fsync(") && call.contains(&format!("<{path}>)"));
            let content = format!("{folder}/{temporary}");
            assert!(before.iter().any(|call| is_sync(call, &content)), "{name}: not its content first: {trace}");
            assert!(after.iter().any(|call| is_sync(call, &folder.to_string())), "{name}: not its folder: {trace}");
            named += 1;
        }
    }
    assert_eq!(named, 1, "{name} has its name once");
}

/// The name that a file had before a call gave it this one, or let it change places with this one.
fn temporary_name<'c>(call: &'c str, name: &str) -> Option<&'c str> {
    let is_naming = ["rename(", "renameat(", "renameat2(", "linkat("].iter().any(|start| call.starts_with(start));
    let mut quoted = call.split('"').skip(1).step_by(2);
    let (old, new) = (quoted.next()?, quoted.next()?);
    (is_naming && new == name).then_some(old)
}

const CALLS: &str = "trace=fsync,fdatasync,rename,renameat,renameat2,linkat";
