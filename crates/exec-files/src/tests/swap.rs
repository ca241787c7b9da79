//! Somebody swaps a folder for a link that leads out, and back, as fast as the system can, while everything else runs.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use sha2::{Digest as _, Sha256};

use super::{REPLACE, SECRET, TestRoot, allow};
use crate::{
    Copy, Delete, Denial, FileError, Grep, Links, List, Move, Patch, Scope, Span, Stop, Touch, Write, WriteKind,
};

#[test]
fn trust_fs_a_link_swapped_in_all_the_time_lets_no_byte_in_or_out() {
    let duration = Duration::from_secs(if std::env::var_os("INTERDICT_FAULTS").is_some() { 30 } else { 2 });
    for links in [Links::FollowInside, Links::Refuse] {
        let met = swap_attack(links, duration);
        println!("{links:?} for {duration:?}: {met:#?}");
        for operation in ["read", "write", "write in new folders", "append", "edit", "patch", "patch in new folders"] {
            let Met { done, refused, .. } = met[operation];
            assert!(done > 0 && refused > 0, "{operation} met both sides of the swap: {links:?} {met:#?}");
        }
        for operation in ["edit outside", "patch outside"] {
            let Met { done, refused, .. } = met[operation];
            assert!(done == 0 && refused > 0, "{operation} met the link: {links:?} {met:#?}");
        }
    }
}

/// What became of one operation, and how often.
#[derive(Debug, Default, Clone, Copy)]
struct Met {
    done: u64,
    /// For the link.
    refused: u64,
    /// For something else, such as a text that is not there.
    failed: u64,
}

type AllMet = BTreeMap<&'static str, Met>;

/// `folder` is now a folder, now a link to the outside, and `leaf` now a file, now a link. Everything is tried on paths in it for that long.
fn swap_attack(links: Links, duration: Duration) -> AllMet {
    let place = TestRoot::with(links);
    place.put("folder/secret", "inside");
    place.put("folder/deep/secret", "inside");
    fs::create_dir(place.outside().join("deep")).unwrap();
    fs::write(place.outside().join("deep/secret"), SECRET).unwrap();
    place.link("link", "../outside");
    place.put("leaf", "inside");
    place.link("leaf-link", "../outside/secret");
    let outside_before = outside(&place);
    let (is_over, mut met) = (AtomicBool::new(false), AllMet::new());
    let end = Instant::now() + duration;
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                // One step, so that there is always one or the other.
                for (one, other) in [("folder", "link"), ("leaf", "leaf-link")] {
                    renameat_with(CWD, place.at(one), CWD, place.at(other), RenameFlags::EXCHANGE).unwrap();
                }
            }
        });
        let attackers: Vec<_> = (0..2)
            .map(|seed| {
                let place = &place;
                scope.spawn(move || {
                    let (mut random, mut met) = (fastrand::Rng::with_seed(seed), AllMet::new());
                    while Instant::now() < end {
                        let (operation, outcome) = attempt(place, &mut random);
                        let met = met.entry(operation).or_default();
                        match outcome {
                            Ok(()) => met.done += 1,
                            Err(error) if is_of_the_link(&error) => met.refused += 1,
                            Err(_) => met.failed += 1,
                        }
                    }
                    met
                })
            })
            .collect();
        let results: Vec<_> = attackers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        is_over.store(true, Ordering::Relaxed);
        for (operation, Met { done, refused, failed }) in results.into_iter().flat_map(|result| result.unwrap()) {
            let all = met.entry(operation).or_default();
            *all = Met { done: all.done + done, refused: all.refused + refused, failed: all.failed + failed };
        }
    });
    assert_eq!(outside(&place), outside_before, "nothing outside changed");
    let inside = place.at("");
    let leaked: Vec<_> = place
        .everything()
        .into_iter()
        .filter(|(path, what)| path.starts_with(&inside) && what.contains(SECRET))
        .collect();
    assert!(leaked.is_empty(), "nothing of the outside is inside: {leaked:?}");
    met
}

fn is_of_the_link(error: &FileError) -> bool {
    match error {
        FileError::Escape | FileError::Link => true,
        FileError::At { error, .. } => is_of_the_link(error),
        _ => false,
    }
}

/// One operation, and what became of it. It must not have seen the outside.
fn attempt(place: &TestRoot, random: &mut fastrand::Rng) -> (&'static str, Result<(), FileError>) {
    let (workspace, stop) = (&place.workspace, &Stop::on_request());
    let paths: [&str; 5] = ["folder/secret", "folder/deep/secret", "link/secret", "leaf", "leaf-link"];
    let path = paths[random.usize(0..5)].as_bytes();
    // A file put in the place of the link itself would end the swapping.
    let below = paths[random.usize(0..3)];
    let all = Scope { folder: b"", glob: "**" };
    let patch = |diff: &str| {
        let patch = Patch::parse(diff.as_bytes()).unwrap();
        workspace.patch(&patch, &mut any, &mut any, stop).map(drop)
    };
    match random.u32(0..16) {
        0..4 => {
            let read = workspace.read(path, Span::WHOLE, &mut allow, stop);
            ("read", read.map(|content| assert_ne!(content, SECRET.as_bytes(), "read from outside")))
        }
        4 => ("write", workspace.write(below.as_bytes(), b"inside", REPLACE, &mut allow, stop).map(drop)),
        5 => {
            let write = Write { create_dirs: true, ..REPLACE };
            let written = workspace.write(b"folder/new/deep/x", b"inside", write, &mut allow, stop);
            ("write in new folders", written.map(drop))
        }
        6 => {
            let write = Write { kind: WriteKind::Append, ..REPLACE };
            ("append", workspace.write(path, b"!", write, &mut allow, stop).map(drop))
        }
        7 => ("edit outside", workspace.edit(path, b"nobody", b"everybody", &mut allow, stop).map(drop)),
        8 => ("edit", workspace.edit(below.as_bytes(), b"inside", b"inside", &mut allow, stop).map(drop)),
        9 => {
            let delete = Delete { recursive: true, force: false };
            ("delete", workspace.delete(b"folder/new", delete, &mut allow, stop).map(drop))
        }
        10 => {
            let copy = Copy { overwrite: true, preserve_mode: false };
            // By its digest, not by its name: another thread may have moved it by now.
            if let Ok(effects) = workspace.copy(path, b"copied", copy, &mut allow, stop) {
                let secret: [u8; 32] = Sha256::digest(SECRET).into();
                assert!(effects.iter().all(|effect| effect.sha256 != Some(secret)), "copied from outside");
            }
            let moved = workspace.move_(b"copied", b"folder/moved", Move { overwrite: true }, &mut allow, stop);
            ("move", moved.map(drop))
        }
        11 => {
            let grep = Grep { pattern: "nobody", scope: all, case_sensitive: true, max_results: 0 };
            let matches = workspace.grep(grep, &|_, _| true, stop);
            ("grep", matches.map(|matches| assert!(matches.matches.is_empty(), "searched outside")))
        }
        12 => {
            let list = List { scope: all, max_results: 0, include_hidden: true };
            ("list", workspace.list(list, &|_, _| true, stop).map(drop))
        }
        // Each of these fits what is inside, what is outside, or neither, whichever it meets.
        13 => ("patch", patch(&changed(below, "inside", "inside"))),
        14 => ("patch outside", patch(&changed(below, SECRET, "changed"))),
        _ => ("patch in new folders", patch("--- /dev/null\n+++ b/folder/new/patched\n@@ -0,0 +1 @@\n+inside\n")),
    }
}

/// A diff of the only line of a file, which has no end of line.
fn changed(path: &str, from: &str, to: &str) -> String {
    const NO_END: &str = "\n\\ No newline at end of file\n";
    format!("--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{from}{NO_END}+{to}{NO_END}")
}

fn any(_: &[u8], _: Touch) -> Result<(), Denial> {
    Ok(())
}

/// Names and contents outside.
fn outside(place: &TestRoot) -> Vec<(String, String)> {
    let outside = place.outside();
    let mut all: Vec<_> = place
        .everything()
        .into_iter()
        .filter(|(path, _)| path.starts_with(&outside))
        .map(|(path, what)| (path.display().to_string(), what))
        .collect();
    all.sort();
    all
}
