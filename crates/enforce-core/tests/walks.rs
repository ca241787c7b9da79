//! Walks over strings against the naive interpreter: each kind of state at its boundaries, in both directions.

#![cfg(test)]

mod support;

use support::automata::StateSketch;
use support::watch::{Automaton, Watch, done};
use support::{frozen, open};
use table_format::{After, Class, Direction, Target};

#[test]
fn a_run_takes_its_bytes_or_misses() {
    for len in [1, 2, 7, 8, 9, 15, 16, 17, 24, 25] {
        let run: Vec<u8> = (0..len).map(|place| b'a' + place % 20).collect();
        let mut strings = vec![run.clone(), run.repeat(2)];
        for beside in [&b"x"[..], b"/", b"/x", b"x/", b"0", b"."] {
            strings.extend([[&run[..], beside].concat(), [beside, &run[..]].concat()]);
        }
        strings.extend((0..run.len()).map(|end| run[..end].to_vec()));
        strings.extend((0..run.len()).map(|start| run[start..].to_vec()));
        for place in 0..run.len() {
            let mut other = run.clone();
            other[place] ^= 1;
            strings.push(other.clone());
            strings.push([b"x", &other[..], b"x"].concat());
        }
        for after in [After::Anything, After::SlashOrNothing, After::Nothing] {
            let states = vec![StateSketch::Run { run: run.clone(), after, next: done(1), miss: Class(2) }];
            agrees(&states, 2, strings.clone());
        }
    }
}

#[test]
fn a_run_leaves_the_rest_to_what_comes_after_it() {
    let states = vec![
        StateSketch::Run { run: b"ab".to_vec(), after: After::Anything, next: Target::State(1), miss: Class(1) },
        StateSketch::Run { run: b"ba".to_vec(), after: After::Anything, next: Target::State(2), miss: Class(2) },
        StateSketch::range(b'a', &[done(3), done(4)], done(5), Class(6)),
    ];
    agrees(&states, 6, words(b"abc", 6));
}

#[test]
fn a_sparse_state_goes_by_the_next_byte() {
    for bytes in [
        &b"a"[..],
        b"ab",
        b"a/b",
        b"\0\xFF",
        b"\x01\0",
        b"\x80\x7F\x81",
        b"abcdefgh",
        b"\xF8\xF9\xFA\xFB\xFC\xFD\xFE\xFF",
    ] {
        let edges: Vec<(u8, Target)> =
            bytes.iter().copied().zip(1..).map(|(byte, class)| (byte, done(class))).collect();
        let state = StateSketch::Choice { edges, otherwise: done(9), end: Class(8) };
        agrees(&[state], 9, every_byte());
    }
}

#[test]
fn a_range_goes_by_the_next_byte_and_ends_at_its_edges() {
    for (low, count) in [(b'a', 1), (0, 1), (255, 1), (0, 8), (248, 8), (127, 2), (0, 256), (1, 255), (0, 255)] {
        let targets: Vec<Target> = (0..count).map(|place| done(1 + place % 7)).collect();
        let state = StateSketch::range(low, &targets, done(9), Class(8));
        agrees(&[state], 9, every_byte());
    }
}

#[test]
fn a_skip_stops_after_the_first_stop_wherever_it_stands() {
    let states = vec![
        StateSketch::Skip { stop: b'/', next: Target::State(1), end: Class(1) },
        StateSketch::range(b'1', &(2..=8).map(done).collect::<Vec<_>>(), done(9), Class(2)),
    ];
    agrees(&states, 9, words(b"/1x", 6));
    agrees(&states, 9, segments(b"1"));
    for stop in [0, 1, 0x7F, 0x80, 0xFE, 0xFF] {
        let states = vec![StateSketch::Skip { stop, next: done(2), end: Class(1) }];
        let around = [stop.wrapping_sub(1), stop.wrapping_add(1), stop ^ 0x80];
        let strings = (0..20).flat_map(|len| around.map(|byte| vec![byte; len]));
        let stopped = strings.clone().map(|mut string| {
            string.push(stop);
            string
        });
        agrees(&states, 2, strings.chain(stopped));
    }
}

#[test]
fn a_hop_goes_by_the_first_byte_of_a_segment() {
    let next = StateSketch::range(b'1', &(1..=7).map(done).collect::<Vec<_>>(), done(8), Class(9));
    let hop = |low: u8, targets: &[Option<Target>]| {
        let edges = (low..=u8::MAX).zip(targets).filter_map(|(byte, target)| Some((byte, (*target)?))).collect();
        StateSketch::Hop { edges, stop: b'/', end: Class(6) }
    };
    let (on, to_next, again) = (None, Some(Target::State(1)), Some(Target::State(0)));
    for state in [
        hop(b'a', &[to_next]),
        hop(b'a', &[on]),
        hop(b'a', &[Some(done(3))]),
        // With the stop in its range: it says nothing, starts here again, or is chosen.
        hop(b'/', &[on, to_next]),
        hop(b'/', &[again, to_next]),
        hop(b'.', &[to_next, to_next]),
        hop(b'/', &[Some(done(5))]),
        hop(b'.', &[on, on, on, to_next, again]),
        hop(0, &[on; 256]),
        hop(0, &[to_next; 256]),
    ] {
        agrees(&[state.clone(), next.clone()], 9, words(b"/a1", 6));
        agrees(&[state.clone(), next.clone()], 9, segments(b"a1"));
        agrees(&[state, next.clone()], 9, segments(b"1"));
    }
}

#[test]
fn a_hop_ends_segments_with_any_byte() {
    for stop in [0, 1, b'.', 0x7F, 0x80, 0xFE, 0xFF] {
        let chosen = stop ^ 0x81;
        let state = StateSketch::Hop { edges: vec![(chosen, done(1))], stop, end: Class(2) };
        let others = [stop.wrapping_sub(1), stop.wrapping_add(1), stop ^ 0x80, 0, 1];
        let others = others.into_iter().filter(|other| *other != stop && *other != chosen);
        let strings = others.flat_map(|other| {
            (0..20).flat_map(move |len| {
                let filler = vec![other; len];
                [
                    filler.clone(),
                    [&filler[..], &[stop]].concat(),
                    [&filler[..], &[stop, chosen]].concat(),
                    [&filler[..], &[chosen]].concat(),
                ]
            })
        });
        agrees(&[state], 2, strings);
    }
}

#[test]
fn an_emit_says_its_class_and_takes_nothing() {
    let states = vec![
        StateSketch::Emit { class: Class(3), next: Target::State(1) },
        StateSketch::Hop { edges: vec![(b'a', Target::State(2))], stop: b'/', end: Class(0) },
        StateSketch::Emit { class: Class(2), next: Target::State(3) },
        StateSketch::Skip { stop: b'/', next: Target::State(4), end: Class(0) },
        StateSketch::Emit { class: Class(4), next: Target::State(5) },
        StateSketch::Choice {
            edges: vec![(b'a', Target::State(2)), (b'/', Target::State(1))],
            otherwise: done(1),
            end: Class(5),
        },
    ];
    agrees(&states, 5, words(b"/ab", 7));
    let nothing_found = vec![StateSketch::Emit { class: Class(0), next: done(0) }];
    agrees(&nothing_found, 1, words(b"a", 2));
    let last = vec![StateSketch::Emit { class: Class(1), next: done(2) }];
    agrees(&last, 2, words(b"a", 2));
}

#[test]
fn a_walk_that_is_done_at_its_start_looks_at_nothing() {
    for start in [done(0), done(1)] {
        let automaton = Automaton { states: Vec::new(), start, direction: Direction::Forward, classes: 1 };
        let bytes = frozen(&automaton.sketch());
        let table = open(&bytes).unwrap();
        for string in [&b""[..], b"a", b"anything at all"] {
            assert_eq!(Watch::over(&table).seen(string), automaton.expected(string));
        }
    }
}

/// Walks the strings in both directions, from the first state on.
fn agrees(states: &[StateSketch], classes: u32, strings: impl IntoIterator<Item = Vec<u8>>) {
    let strings: Vec<Vec<u8>> = strings.into_iter().collect();
    for direction in [Direction::Forward, Direction::Backward] {
        let automaton = Automaton { states: states.to_vec(), start: Target::State(0), direction, classes };
        let bytes = frozen(&automaton.sketch());
        let table = open(&bytes).unwrap();
        let watch = Watch::over(&table);
        for string in &strings {
            let both = (watch.seen(string), automaton.expected(string));
            assert_eq!(both.0, both.1, "{direction:?}, {:?}, {states:?}", String::from_utf8_lossy(string));
        }
    }
}

/// Every string over these bytes up to that length.
fn words(alphabet: &[u8], len_max: u32) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    let mut longest = all.clone();
    for _ in 0..len_max {
        longest =
            longest.iter().flat_map(|word| alphabet.iter().map(move |byte| [&word[..], &[*byte]].concat())).collect();
        all.extend(longest.clone());
    }
    all
}

/// Nothing, every byte, and every byte with something before and after it.
fn every_byte() -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    all.extend((0..=255).flat_map(|byte| [vec![byte], vec![byte, b'z'], vec![b'z', byte]]));
    all
}

/// Segments of all lengths around eight and its multiples, and after them one that starts with these bytes; read
/// from either end.
fn segments(start: &[u8]) -> Vec<Vec<u8>> {
    let lens = [0, 1, 2, 7, 8, 9, 15, 16, 17];
    let mut all = Vec::new();
    for first in lens {
        for second in lens {
            for tail in [&b""[..], b"5", b"/", b"7/xx", b"xxxxxxxxx"] {
                let (first, second) = (vec![b'x'; first], vec![b'y'; second]);
                let forward = [&first[..], b"/", &second, b"/", start, tail].concat();
                let mut backward = forward.clone();
                backward.reverse();
                all.extend([forward, backward]);
            }
            all.push([&vec![b'x'; first][..], b"/", &vec![b'y'; second]].concat());
            all.push([&vec![b'x'; first][..], b"/", &vec![b'y'; second], b"/"].concat());
        }
    }
    all
}
