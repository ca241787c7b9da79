//! Somebody swaps a folder for a link that leads out, and back, as fast as the system can, while everything else runs.

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use sha2::{Digest as _, Sha256};

use super::{Place, REPLACE, SECRET, allow};
use crate::files::{Copy, Delete, Digests, Grep, How, Links, List, Move, Scope, Span, Stop, Write};

/// For longer attacks, in seconds.
const DURATION_VARIABLE: &str = "INTERDICT_SWAP_SECONDS";
const DURATION: Duration = Duration::from_secs(2);

#[test]
fn trust_fs_a_link_swapped_in_all_the_time_lets_no_byte_in_or_out() {
    let seconds = std::env::var(DURATION_VARIABLE).ok().and_then(|seconds| seconds.parse().ok());
    let duration = seconds.map_or(DURATION, Duration::from_secs);
    for links in [Links::FollowInside, Links::Refuse] {
        let met = swap_attack(links, duration / 2);
        println!("{links:?}: {met:?}");
        assert!(met.done > 0 && met.refused > 0, "the attack met both sides of the swap: {met:?}");
    }
}

/// How often an operation was done, and how often refused.
#[derive(Debug)]
struct Met {
    done: u64,
    refused: u64,
}

/// `folder` is now a folder, now a link to the outside, and `leaf` now a file, now a link. Everything is tried on paths in it for that long.
fn swap_attack(links: Links, duration: Duration) -> Met {
    let place = Place::with(links);
    place.put("folder/secret", "inside");
    place.put("folder/deep/secret", "inside");
    fs::create_dir(place.outside().join("deep")).unwrap();
    fs::write(place.outside().join("deep/secret"), SECRET).unwrap();
    place.link("link", "../outside");
    place.put("leaf", "inside");
    place.link("leaf-link", "../outside/secret");
    let outside_before = outside(&place);
    let (is_over, done, refused) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
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
                let (place, done, refused) = (&place, &done, &refused);
                scope.spawn(move || {
                    let mut random = fastrand::Rng::with_seed(seed);
                    while Instant::now() < end {
                        let count = if attempt(place, &mut random) { done } else { refused };
                        count.fetch_add(1, Ordering::Relaxed);
                    }
                })
            })
            .collect();
        let results: Vec<_> = attackers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        is_over.store(true, Ordering::Relaxed);
        results.into_iter().for_each(|result| result.unwrap());
    });
    assert_eq!(outside(&place), outside_before, "nothing outside changed");
    let inside = place.at("");
    let leaked: Vec<_> = place
        .everything()
        .into_iter()
        .filter(|(path, what)| path.starts_with(&inside) && what.contains(SECRET))
        .collect();
    assert!(leaked.is_empty(), "nothing of the outside is inside: {leaked:?}");
    Met { done: done.into_inner(), refused: refused.into_inner() }
}

/// One operation; whether it was done. It must not have seen the outside.
fn attempt(place: &Place, random: &mut fastrand::Rng) -> bool {
    let (workspace, stop) = (&place.workspace, &Stop::when_told());
    let paths: [&[u8]; 5] = [b"folder/secret", b"folder/deep/secret", b"link/secret", b"leaf", b"leaf-link"];
    let path = paths[random.usize(0..5)];
    // A file put in the place of the link itself would end the swapping.
    let below = paths[random.usize(0..3)];
    let all = Scope { folder: b"", glob: "**" };
    match random.u32(0..12) {
        0..4 => match workspace.read(path, Span::WHOLE, Digests::Blake3, &mut allow, stop) {
            Ok(content) => {
                assert_ne!(content.bytes, SECRET.as_bytes(), "read from outside");
                true
            }
            Err(_) => false,
        },
        4 => workspace.write(below, b"inside", REPLACE, &mut allow, stop).is_ok(),
        5 => workspace
            .write(b"folder/new/deep/x", b"inside", Write { create_dirs: true, ..REPLACE }, &mut allow, stop)
            .is_ok(),
        6 => workspace.write(path, b"!", Write { how: How::Append, ..REPLACE }, &mut allow, stop).is_ok(),
        7 => workspace.edit(path, b"nobody", b"everybody", &mut allow, stop).is_ok(),
        8 => workspace.delete(b"folder/new", Delete { recursive: true, force: false }, &mut allow, stop).is_ok(),
        9 => {
            let copy = Copy { overwrite: true, preserve_mode: false };
            // By its digest, not by its name: another thread may have moved it by now.
            if let Ok(effects) = workspace.copy(path, b"copied", copy, &mut allow, stop) {
                let secret: [u8; 32] = Sha256::digest(SECRET).into();
                assert!(effects.iter().all(|effect| effect.sha256 != Some(secret)), "copied from outside");
            }
            workspace.move_(b"copied", b"folder/moved", Move { overwrite: true }, &mut allow, stop).is_ok()
        }
        10 => {
            let grep = Grep { pattern: "nobody", scope: all, case_sensitive: true, max_results: 0 };
            let matches = workspace.grep(grep, &|_, _| true, stop);
            matches.is_ok_and(|matches| {
                assert!(matches.matches.is_empty(), "searched outside");
                true
            })
        }
        _ => {
            let list = List { scope: all, max_results: 0, include_hidden: true };
            workspace.list(list, &|_, _| true, stop).is_ok()
        }
    }
}

/// Names and contents outside.
fn outside(place: &Place) -> Vec<(String, String)> {
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
