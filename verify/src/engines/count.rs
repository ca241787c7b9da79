//! Counting: every choice that can be made, each once, the first ones first.

use std::vec::Vec;

use crate::cases::Source;

/// A source that goes through all choices like an odometer: the last one turns fastest.
#[derive(Debug, Default)]
pub struct Count {
    /// What is chosen, and out of how many.
    choices: Vec<(usize, usize)>,
    /// How many of them the case at hand has asked for.
    asked: usize,
}

impl Count {
    /// Goes on to the next case. Whether there is one.
    pub fn advance(&mut self) -> bool {
        self.choices.truncate(self.asked);
        self.asked = 0;
        while let Some((chosen, count)) = self.choices.pop() {
            if chosen.saturating_add(1) < count {
                self.choices.push((chosen.saturating_add(1), count));
                return true;
            }
        }
        false
    }
}

impl Source for Count {
    fn below(&mut self, count: usize) -> usize {
        let chosen = match self.choices.get(self.asked) {
            Some((chosen, _)) => *chosen,
            None => {
                self.choices.push((0, count));
                0
            }
        };
        self.asked = self.asked.saturating_add(1);
        chosen
    }

    fn byte(&mut self, alphabet: &'static [u8]) -> u8 {
        self.one_of(alphabet)
    }

    fn number(&mut self, boundaries: &'static [u64]) -> u64 {
        self.one_of(boundaries)
    }
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::*;

    #[test]
    fn every_sequence_of_choices_comes_once_and_the_last_turns_fastest() {
        let mut count = Count::default();
        let mut seen = Vec::new();
        loop {
            let len = count.below(3);
            seen.push((0..len).map(|_| count.byte(b"ab")).collect::<Vec<_>>());
            if !count.advance() {
                break;
            }
        }
        let text = |text: &str| text.as_bytes().to_vec();
        assert_eq!(seen, vec![text(""), text("a"), text("b"), text("aa"), text("ab"), text("ba"), text("bb")]);
    }
}
