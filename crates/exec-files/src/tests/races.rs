//! Many writers at once: one wins, nothing is lost, nobody sees a half.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, mpsc};
use std::thread;

use super::{REPLACE, TestRoot, allow};
use crate::{Copy, Delete, FileError, Move, Stop, Write, WriteKind};

#[test]
fn ctr_0007_of_many_who_create_exactly_one_wins_and_its_content_is_whole() {
    for _ in 0..20 {
        let place = TestRoot::new();
        let barrier = Barrier::new(WRITERS);
        let winners: Vec<usize> = thread::scope(|scope| {
            let writers: Vec<_> = (0..WRITERS)
                .map(|number| {
                    let (place, barrier) = (&place, &barrier);
                    scope.spawn(move || {
                        barrier.wait();
                        let create = Write { kind: WriteKind::CreateOnly, ..REPLACE };
                        match place.write_as("file", &number.to_string().repeat(1_000), create) {
                            Ok(_) => Some(number),
                            Err(FileError::Exists) => None,
                            Err(error) => panic!("{error:?}"),
                        }
                    })
                })
                .collect();
            writers.into_iter().filter_map(|writer| writer.join().unwrap()).collect()
        });
        assert_eq!(winners.len(), 1);
        assert_eq!(place.text("file"), winners[0].to_string().repeat(1_000));
    }
}

#[test]
fn ctr_0007_of_several_workspaces_on_one_root_exactly_one_creates() {
    // Each has its own locks, as other processes have: the file system itself decides.
    for _ in 0..20 {
        let place = TestRoot::new();
        let barrier = Barrier::new(4);
        let created: usize = thread::scope(|scope| {
            let writers: Vec<_> = (0..4)
                .map(|_| {
                    let (place, barrier) = (&place, &barrier);
                    scope.spawn(move || {
                        let root = place.workspace.path();
                        let own = crate::Workspace::open(root, crate::Links::Refuse).unwrap();
                        let create = Write { kind: WriteKind::CreateOnly, ..REPLACE };
                        barrier.wait();
                        own.write(b"file", b"x", create, &mut allow, &Stop::on_request()).is_ok()
                    })
                })
                .collect();
            writers.into_iter().map(|writer| usize::from(writer.join().unwrap())).sum()
        });
        assert_eq!(created, 1);
    }
}

#[test]
fn sdk_locks_64_editors_of_one_file_lose_nothing() {
    let place = TestRoot::new();
    let lines: Vec<String> = (0..64).map(|number| format!("line-{number:02} 0\n")).collect();
    place.put("file", lines.concat());
    place.link("link", "file");
    thread::scope(|scope| {
        for number in 0..64 {
            let place = &place;
            scope.spawn(move || {
                // Half of them by another name of the same file.
                let path = if number % 2 == 0 { "file" } else { "link" };
                for round in 0..3 {
                    let (old, new) =
                        (format!("line-{number:02} {round}\n"), format!("line-{number:02} {}\n", round + 1));
                    place.edit(path, &old, &new).unwrap();
                }
            });
        }
    });
    assert_eq!(place.text("file"), lines.concat().replace(" 0\n", " 3\n"));
    println!("{} edits by 64 editors are all there", 3 * 64);
}

#[test]
fn sdk_locks_appends_of_many_are_all_there_and_whole() {
    let place = TestRoot::new();
    thread::scope(|scope| {
        for number in 0..16_u32 {
            let place = &place;
            scope.spawn(move || {
                for _ in 0..10 {
                    let line = format!("{}\n", char::from_u32('a' as u32 + number).unwrap().to_string().repeat(100));
                    place.write_as("file", &line, Write { kind: WriteKind::Append, ..REPLACE }).unwrap();
                }
            });
        }
    });
    let text = place.text("file");
    assert_eq!(text.lines().count(), 160);
    assert!(text.lines().all(|line| line.len() == 100 && line.chars().all(|letter| line.starts_with(letter))));
}

#[test]
fn a_reader_sees_one_version_or_the_other_and_never_a_half() {
    let place = TestRoot::new();
    let versions = ["a".repeat(100_000), "b".repeat(50_000)];
    place.put("file", &versions[0]);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for round in 0..100 {
                place.write("file", &versions[round % 2]).unwrap();
            }
            is_over.store(true, Ordering::Relaxed);
        });
        while !is_over.load(Ordering::Relaxed) {
            let read = String::from_utf8(place.read("file").unwrap()).unwrap();
            assert!(versions.contains(&read), "{} bytes", read.len());
        }
    });
}

#[test]
fn sdk_locks_a_folder_is_not_moved_while_something_below_it_is_written() {
    let place = TestRoot::new();
    place.put("one/file", "0");
    let (tell, told) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let place = &place;
        scope.spawn(move || {
            for round in 0..100 {
                let (from, to) = if round % 2 == 0 { ("one", "two") } else { ("two", "one") };
                place
                    .workspace
                    .move_(from.as_bytes(), to.as_bytes(), Move::default(), &mut allow, &Stop::on_request())
                    .unwrap();
            }
            drop(tell);
        });
        // A write goes to the folder that has the name at that moment, or finds none; it never fails half way.
        while told.try_recv() != Err(mpsc::TryRecvError::Disconnected) {
            match place.write("one/file", "x") {
                Ok(_) | Err(FileError::NotFound | FileError::NoFolder { .. }) => {}
                Err(error) => panic!("{error:?}"),
            }
        }
    });
    assert_eq!(std::fs::read_dir(place.at("one")).unwrap().count(), 1, "no temporary file was moved along");
}

#[test]
fn sdk_locks_operations_of_all_kinds_on_the_same_paths_end() {
    let place = TestRoot::new();
    for path in ["a/x", "b/x", "c"] {
        place.put(path, "x");
    }
    let stop = Stop::on_request();
    thread::scope(|scope| {
        for seed in 0..8 {
            let (place, stop) = (&place, &stop);
            scope.spawn(move || {
                let mut random = fastrand::Rng::with_seed(seed);
                let paths: [&[u8]; 6] = [b"a", b"b", b"a/x", b"b/x", b"c", b"a/d"];
                for _ in 0..100 {
                    let (one, other) = (paths[random.usize(0..6)], paths[random.usize(0..6)]);
                    let workspace = &place.workspace;
                    let overwrite = random.bool();
                    // What they find changes all the time; that none waits for ever is the claim.
                    let failed = match random.u32(0..4) {
                        0 => workspace.move_(one, other, Move { overwrite }, &mut allow, stop).err(),
                        1 => {
                            workspace.copy(one, other, Copy { overwrite, preserve_mode: false }, &mut allow, stop).err()
                        }
                        2 => {
                            workspace.delete(one, Delete { recursive: overwrite, force: true }, &mut allow, stop).err()
                        }
                        _ => workspace.write(one, b"y", Write { create_dirs: true, ..REPLACE }, &mut allow, stop).err(),
                    };
                    assert!(failed.is_none_or(|error| error.changed_nothing()));
                }
            });
        }
    });
    let left = place.everything();
    assert!(left.keys().all(|path| !super::is_temporary(path.file_name().unwrap())), "{left:?}");
}

const WRITERS: usize = 16;
