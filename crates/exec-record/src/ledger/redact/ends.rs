//! A text that is too long -> its beginning and its end, and how much is left out between them.
//!
//! Whoever pads a command has no end of it alone: what the beginning is padded for stands at the end, and the other way
//! round. What is left out is said.

use super::ELLIPSIS;

/// A text, or both ends of one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Ends {
    pub(super) head: String,
    /// Empty while nothing is left out.
    pub(super) tail: String,
    /// Bytes between them.
    left_out: usize,
}

impl Ends {
    /// All of a text.
    pub(super) fn of(text: String) -> Self {
        Self { head: text, tail: String::new(), left_out: 0 }
    }

    /// The same in at most so many bytes.
    pub(super) fn within(mut self, most: usize) -> Self {
        let size = self.size();
        if !self.is_longer_than(most) {
            return self;
        }
        let half = most.saturating_sub(LEFT_OUT_BYTES_MAX) / 2;
        let end = if self.left_out == 0 { &self.head } else { &self.tail };
        let from = end.ceil_char_boundary(end.len().saturating_sub(half));
        self.tail = end.get(from..).unwrap_or_default().to_owned();
        self.head.truncate(self.head.floor_char_boundary(half));
        self.left_out = self.left_out.saturating_add(size.saturating_sub(self.size()));
        self
    }

    /// Other texts in the place of both ends, of which the same is left out.
    pub(super) fn with(&self, head: String, tail: String) -> Self {
        Self { head, tail, left_out: self.left_out }
    }

    /// Without what stands right where it was cut, as far as it can be a part of something that is looked for.
    pub(super) fn without_parts(mut self, is_part: impl Fn(char) -> bool) -> Self {
        if self.left_out > 0 {
            let size = self.size();
            self.head.truncate(self.head.trim_end_matches(&is_part).len());
            self.tail = self.tail.trim_start_matches(&is_part).to_owned();
            self.left_out = self.left_out.saturating_add(size.saturating_sub(self.size()));
        }
        self
    }

    /// Whether something is left out of it, or would have to be to make it as short.
    pub(super) fn is_longer_than(&self, most: usize) -> bool {
        let said = if self.left_out == 0 { 0 } else { LEFT_OUT_BYTES_MAX };
        self.size().saturating_add(said) > most
    }

    pub(super) fn is_cut(&self) -> bool {
        self.left_out > 0
    }

    /// As one text.
    pub(super) fn joined(self) -> String {
        let Self { head, tail, left_out } = self;
        if left_out == 0 { head } else { head + &said(left_out) + ELLIPSIS + &tail }
    }

    fn size(&self) -> usize {
        self.head.len().saturating_add(self.tail.len())
    }
}

/// How much is left out from here on.
pub(super) fn said(left_out: usize) -> String {
    format!("{ELLIPSIS}({left_out} bytes left out)")
}

/// More than is ever said between both ends.
const LEFT_OUT_BYTES_MAX: usize = 48;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_a_long_text_are_kept_and_the_rest_is_counted() {
        for (text, most) in [("ab".repeat(1_000), 100), ("\u{e9}".repeat(999), 101), ("\u{1f600}".repeat(64), 200)] {
            let whole = Ends::of(text.clone());
            assert_eq!(whole.clone().within(text.len()), whole);
            assert!(!whole.is_longer_than(text.len()) && whole.is_longer_than(text.len() - 1));
            let ends = whole.within(most);
            let left_out = text.len() - ends.head.len() - ends.tail.len();
            assert!(text.starts_with(&ends.head) && text.ends_with(&ends.tail), "{ends:?}");
            assert!(ends.head.len().min(ends.tail.len()) + 4 > (most - LEFT_OUT_BYTES_MAX) / 2, "{ends:?}");
            let joined = ends.clone().joined();
            assert_eq!(joined, format!("{}\u{2026}({left_out} bytes left out)\u{2026}{}", ends.head, ends.tail));
            assert!(joined.len() <= most, "{joined}");
            // Cut twice is cut once.
            let wide = Ends::of(text.clone()).within(most + 20).within(most);
            assert_eq!(wide, ends);
        }
    }

    #[test]
    fn what_can_be_a_part_of_something_is_left_out_where_a_text_was_cut() {
        let ends = Ends::of(format!("a {} b", "x".repeat(200))).within(100).without_parts(|part| part == 'x');
        assert_eq!(ends.joined(), "a \u{2026}(200 bytes left out)\u{2026} b");
        let whole = Ends::of("x".repeat(100)).within(100).without_parts(|part| part == 'x');
        assert_eq!(whole.joined(), "x".repeat(100));
    }
}
