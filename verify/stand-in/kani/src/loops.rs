//! Blocks of code as they are entered -> how often the longest loop goes round.
//!
//! A model checker unwinds each loop as often as the harness says, and fails when that is not enough. So that this is
//! seen without it, `stand-in/count-loops` builds the harnesses and the core with the compiler's instrumentation for
//! coverage (`sancov-module`, on Linux), which calls the functions below. Without it they are never called, and nothing
//! is known of loops.
//!
//! A block that is entered again in the same call of its function is in a loop. The blocks of a function are numbered in
//! the order of its code, so that the first block of a loop comes before the others: entering a block starts anew what
//! was counted of those behind it, and what is left is how often each loop came by its first block since it was
//! reached. The functions of the standard library that are compiled already are not seen.

#![allow(unsafe_code)]

use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ptr;
use std::slice;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Starts to count, in this thread: what goes round more often than this is too much.
pub(crate) fn start(most: u32) {
    SEEN.with_borrow_mut(|seen| *seen = Some(Seen { most, ..Seen::default() }));
}

/// How often the longest loop came by its first block since then, and where that was if it was too much.
pub(crate) fn longest() -> Option<(u32, String)> {
    let seen = SEEN.with_borrow_mut(Option::take)?;
    (seen.longest > 0).then_some((seen.longest, seen.place))
}

/// Counts nothing while dice are rolled: that code is the stand-in's own, wherever it was compiled.
pub(crate) fn pause<T>(rolling: impl FnOnce() -> T) -> T {
    let counting = SEEN.with_borrow_mut(Option::take);
    let rolled = rolling();
    SEEN.with_borrow_mut(|seen| *seen = counting);
    rolled
}

/// A block of a function, as the compiler lists it.
struct Block {
    /// The first of its function.
    first: usize,
    /// How many its function has.
    count: usize,
}

/// The number of no block.
const COMPARED: usize = 0;

static BLOCKS: OnceLock<Vec<Block>> = OnceLock::new();

thread_local! {
    static SEEN: RefCell<Option<Seen>> = const { RefCell::new(None) };
}

#[derive(Default)]
struct Seen {
    /// The calls under way, of which so many are; the others are kept for their memory.
    calls: Vec<Call>,
    depth: usize,
    most: u32,
    longest: u32,
    /// Of the longest, if it is too long.
    place: String,
    /// Loops that nobody wrote: values that are repeated in an array. A model checker has none for them.
    not_written: BTreeSet<usize>,
}

/// A call of a function.
#[derive(Default)]
struct Call {
    /// Where its frame is: the stack grows down.
    frame: usize,
    first: usize,
    /// How often each block was entered since one before it was.
    entered: Vec<u32>,
}

impl Seen {
    fn enter(&mut self, block: usize, frame: usize) {
        let Some(Block { first, count, .. }) = BLOCKS.get().and_then(|blocks| blocks.get(block)) else {
            return;
        };
        while self.depth > 0 && self.calls[self.depth - 1].frame < frame {
            self.depth -= 1;
        }
        let is_same = self.depth > 0 && self.calls[self.depth - 1].frame == frame;
        if !is_same || block == *first || self.calls[self.depth - 1].first != *first {
            self.depth += usize::from(!is_same);
            if self.calls.len() < self.depth {
                self.calls.push(Call::default());
            }
            let call = &mut self.calls[self.depth - 1];
            (call.frame, call.first) = (frame, *first);
            call.entered.clear();
            call.entered.resize(*count, 0);
        }
        let (before, behind) = self.calls[self.depth - 1].entered.split_at_mut(block - first + 1);
        behind.fill(0);
        let times = &mut before[block - first];
        *times += 1;
        let times = *times;
        self.note(times, block);
    }

    fn note(&mut self, times: u32, block: usize) {
        if times <= self.longest || self.not_written.contains(&block) {
            return;
        }
        if times > self.most && block != COMPARED {
            match place() {
                Some(place) => self.place = place,
                None => {
                    self.not_written.insert(block);
                    return;
                }
            }
        } else if times > self.most {
            self.place = String::from("comparing memory");
        }
        self.longest = times;
    }
}

/// The function and the line that is being counted; nothing where the compiler has no line for it.
fn place() -> Option<String> {
    let trace = Backtrace::force_capture().to_string();
    let mut lines = trace.lines().map(str::trim).skip_while(|line| !line.contains("__sanitizer_cov_trace_pc_guard"));
    let mut frames = lines.by_ref().skip_while(|line| !line.contains("at ") || !line.contains("loops.rs"));
    let function = frames.by_ref().find(|line| !line.starts_with("at "))?;
    let line = frames.next().filter(|line| line.starts_with("at "))?;
    Some(format!("{} {line}", function.split_once(": ").map_or(function, |(_, name)| name)))
}

/// Numbers the blocks, from one on.
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_trace_pc_guard_init(start: *mut u32, stop: *mut u32) {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    // SAFETY: the compiler passes the start and the end of a list of its own, before anything else runs.
    let guards = unsafe { slice::from_raw_parts_mut(start, stop.offset_from_unsigned(start)) };
    // Each object asks for the whole list.
    for guard in guards.iter_mut().filter(|guard| **guard == 0) {
        *guard = NEXT.fetch_add(1, Ordering::Relaxed);
    }
}

/// Lists the blocks in the same order: the address of each, and whether it is the first of its function.
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_pcs_init(start: *const [usize; 2], stop: *const [usize; 2]) {
    // SAFETY: as above.
    let listed = unsafe { slice::from_raw_parts(start, stop.offset_from_unsigned(start)) };
    BLOCKS.get_or_init(|| {
        // None has the number zero.
        let mut blocks = vec![Block { first: 0, count: 0 }];
        for [_, flags] in listed {
            let first = if flags & 1 == 1 { blocks.len() } else { blocks.last().map_or(0, |block| block.first) };
            blocks.push(Block { first, count: 0 });
        }
        for place in 0..blocks.len() {
            let first = blocks[place].first;
            blocks[place].count = blocks[first..].iter().take_while(|block| block.first == first).count();
        }
        blocks
    });
}

/// Compares memory in the place of the platform's, because Kani compares slices and arrays byte by byte, in a loop that
/// is unwound like others. What is counted is how far it gets.
#[unsafe(no_mangle)]
extern "C" fn memcmp(one: *const u8, other: *const u8, len: usize) -> i32 {
    let mut order = 0;
    let mut at = 0;
    while order == 0 && at < len {
        // SAFETY: whoever compares memory has as much of it.
        order = unsafe { i32::from(*one.add(at)) - i32::from(*other.add(at)) };
        at += 1;
    }
    let rounds = u32::try_from(at).unwrap_or(u32::MAX).saturating_add(u32::from(order == 0));
    let _ = SEEN.try_with(|seen| {
        if let Ok(mut seen) = seen.try_borrow_mut()
            && let Some(seen) = seen.as_mut()
        {
            seen.note(rounds, COMPARED);
        }
    });
    order
}

/// The same where only being equal matters.
#[unsafe(no_mangle)]
extern "C" fn bcmp(one: *const u8, other: *const u8, len: usize) -> i32 {
    memcmp(one, other, len)
}

/// A block is entered.
#[unsafe(no_mangle)]
extern "C" fn __sanitizer_cov_trace_pc_guard(guard: *const u32) {
    let here = 0_u8;
    // SAFETY: the compiler passes an entry of the list that it passed before.
    let block = unsafe { *guard };
    // A thread that ends has nothing to count.
    let _ = SEEN.try_with(|seen| {
        if let Ok(mut seen) = seen.try_borrow_mut()
            && let Some(seen) = seen.as_mut()
        {
            seen.enter(block as usize, ptr::from_ref(&here).addr());
        }
    });
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[test]
    fn what_is_compared_is_counted_up_to_where_it_differs() {
        let mut other = [7_u8; 40];
        start(40);
        assert!(black_box([7_u8; 40]) == black_box(other));
        assert_eq!(longest(), Some((41, "comparing memory".to_owned())));
        other[19] = 0;
        start(40);
        assert!(black_box([7_u8; 40]) != black_box(other));
        assert_eq!(longest(), Some((20, String::new())));
    }

    #[test]
    fn nothing_is_counted_while_dice_are_rolled() {
        start(40);
        assert!(pause(|| black_box([7_u8; 40]) == black_box([7_u8; 40])));
        assert_eq!(longest(), None);
    }
}
