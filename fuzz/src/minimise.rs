//! An input that fails -> the smallest that dropping and simplifying bytes reaches and that still fails. Whoever made the
//! input, dice or a fuzzer, it is made small in the same way.

use std::time::{Duration, Instant};

/// Makes an input smaller as long as it fails, for no longer than `TIME_MAX`.
#[must_use]
pub fn minimise(input: Vec<u8>, fails: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut search = Search { input, fails, deadline: Instant::now() + TIME_MAX };
    // A simpler byte may make it possible to drop others.
    while search.drop_pieces() | search.simplify() {}
    search.input
}

struct Search<F> {
    input: Vec<u8>,
    fails: F,
    deadline: Instant,
}

impl<F: Fn(&[u8]) -> bool> Search<F> {
    /// Drops pieces of half the length, of a quarter and so on, from the back, where it changes the least.
    fn drop_pieces(&mut self) -> bool {
        let mut is_smaller = false;
        let mut len = self.input.len();
        while len > 0 {
            let mut start = self.input.len();
            while start > 0 {
                start = start.saturating_sub(len);
                let mut without = self.input.clone();
                without.drain(start..(start + len).min(self.input.len()));
                is_smaller |= self.takes(without);
            }
            len /= 2;
        }
        is_smaller
    }

    /// Puts the simplest bytes in place of others.
    fn simplify(&mut self) -> bool {
        let mut is_simpler = false;
        for place in 0..self.input.len() {
            for simple in SIMPLE {
                let mut with = self.input.clone();
                let Some(byte) = with.get_mut(place).filter(|byte| rank(**byte) > rank(*simple)) else {
                    break;
                };
                *byte = *simple;
                if self.takes(with) {
                    is_simpler = true;
                    break;
                }
            }
        }
        is_simpler
    }

    fn takes(&mut self, input: Vec<u8>) -> bool {
        let is_taken = Instant::now() < self.deadline && (self.fails)(&input);
        if is_taken {
            self.input = input;
        }
        is_taken
    }
}

/// How far from simple a byte is.
fn rank(byte: u8) -> usize {
    SIMPLE.iter().position(|simple| *simple == byte).unwrap_or(SIMPLE.len())
}

const TIME_MAX: Duration = Duration::from_secs(10);
/// Bytes that say the least, simplest first.
const SIMPLE: &[u8] = b"\0a ";
