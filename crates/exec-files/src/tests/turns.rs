//! Turns: who waits for whom.

use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::locks::Locks;
use crate::{FileError, LOCKS_MAX, Stop};

fn soon() -> Stop {
    Stop::at(Instant::now() + Duration::from_millis(20))
}

/// Whether somebody can have these while somebody else has those.
fn is_free(taken: &[&[u8]], wanted: &[&[u8]]) -> bool {
    let locks = Locks::default();
    let _turn = locks.take(taken, &Stop::on_request()).unwrap();
    match locks.take(wanted, &soon()) {
        Ok(_) => true,
        Err(FileError::TimedOut) => false,
        Err(error) => panic!("{error:?}"),
    }
}

#[test]
fn sdk_locks_a_path_conflicts_with_itself_and_with_what_is_above_and_below() {
    for (taken, wanted, expected) in [
        ("a", "a", false),
        ("a", "a/b", false),
        ("a/b", "a", false),
        ("", "a", false),
        ("a/b/c", "", false),
        ("a", "b", true),
        ("a", "ab", true),
        ("a/b", "a/bc", true),
        ("a/b", "a/c", true),
    ] {
        assert_eq!(is_free(&[taken.as_bytes()], &[wanted.as_bytes()]), expected, "{taken} {wanted}");
    }
    assert!(!is_free(&[b"a", b"b"], &[b"c", b"b/d"]));
    assert!(is_free(&[b"a", b"b"], &[b"c", b"d"]));
}

#[test]
fn sdk_locks_who_asks_first_goes_first_so_that_nobody_starves() {
    let locks = Arc::new(Locks::default());
    let first = locks.take(&[b"a/x"], &Stop::on_request()).unwrap();
    let (tell, told) = mpsc::channel();
    let wait = |path: &'static [u8], name: &'static str| {
        let (waiting, tell) = (Arc::clone(&locks), tell.clone());
        let before = locks.asked();
        let thread = thread::spawn(move || {
            let _turn = waiting.take(&[path], &Stop::on_request()).unwrap();
            tell.send(name).unwrap();
        });
        while locks.asked() == before {
            thread::yield_now();
        }
        thread
    };
    let folder = wait(b"a", "folder");
    let file = wait(b"a/y", "file");
    assert!(told.try_recv().is_err(), "the file waits for the folder, which waits for its turn");
    drop(first);
    assert_eq!(told.recv().unwrap(), "folder");
    assert_eq!(told.recv().unwrap(), "file");
    folder.join().unwrap();
    file.join().unwrap();
    assert_eq!(locks.asked(), 0);
}

#[test]
fn sdk_locks_crossed_pairs_do_not_wait_for_each_other() {
    let locks = Arc::new(Locks::default());
    let threads: Vec<_> = (0..8)
        .map(|number| {
            let locks = Arc::clone(&locks);
            thread::spawn(move || {
                let pair: [&[u8]; 2] = if number % 2 == 0 { [b"a", b"b"] } else { [b"b", b"a"] };
                for _ in 0..200 {
                    drop(locks.take(&pair, &Stop::on_request()).unwrap());
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn sdk_locks_there_is_a_limit_and_a_waiter_can_be_stopped() {
    let locks = Locks::default();
    let stop = Stop::on_request();
    let turns: Vec<_> =
        (0..LOCKS_MAX).map(|number| locks.take(&[number.to_string().as_bytes()], &stop).unwrap()).collect();
    assert!(matches!(locks.take(&[b"more"], &stop), Err(FileError::Busy)));
    drop(turns);
    let _turn = locks.take(&[b"a"], &stop).unwrap();
    stop.stop();
    assert!(matches!(locks.take(&[b"a"], &stop), Err(FileError::Cancelled)));
    assert_eq!(locks.asked(), 1);
}
