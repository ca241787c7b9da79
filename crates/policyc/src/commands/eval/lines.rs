//! Bytes -> lines with their numbers, none of them held in full when it is too long.

use std::io::{self, BufRead, BufReader, Read};

/// The lines of an input.
pub(super) struct Lines {
    input: BufReader<Box<dyn Read>>,
    buffer: Vec<u8>,
    number: u64,
}

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Counted from one.
    pub(super) number: u64,
    /// Without its line break; none when there were more than [`LINE_BYTES_MAX`].
    pub(super) bytes: Option<&'a [u8]>,
}

impl Lines {
    pub(super) fn of(input: Box<dyn Read>) -> Self {
        Self { input: BufReader::with_capacity(INPUT_BYTES, input), buffer: Vec::new(), number: 0 }
    }

    /// True when the next line has to be waited for.
    pub(super) fn is_drained(&self) -> bool {
        self.input.buffer().is_empty()
    }

    /// The next line; none at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        // One more than a line may have, for its line break.
        let most = LINE_BYTES_MAX.saturating_add(1);
        let read = self.input.by_ref().take(most).read_until(b'\n', &mut self.buffer)?;
        if read == 0 {
            return Ok(None);
        }
        self.number = self.number.saturating_add(1);
        let bytes = match self.buffer.strip_suffix(b"\n") {
            Some(line) => Some(line),
            None if u64::try_from(read).is_ok_and(|read| read < most) => Some(self.buffer.as_slice()),
            None => {
                self.input.skip_until(b'\n')?;
                None
            }
        };
        Ok(Some(Line { number: self.number, bytes }))
    }
}

/// The most bytes of a line.
pub(super) const LINE_BYTES_MAX: u64 = 1 << 20;

/// Bytes that are read at once.
const INPUT_BYTES: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_and_need_no_break_at_the_end() {
        assert_eq!(read(b"a\n\nb"), [(1, Some(1)), (2, Some(0)), (3, Some(1))]);
        assert_eq!(read(b"a\n"), [(1, Some(1))]);
        assert_eq!(read(b""), []);
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let max = usize::try_from(LINE_BYTES_MAX).unwrap();
        let just = [vec![b'x'; max], b"\ny".to_vec()].concat();
        assert_eq!(read(&just), [(1, Some(max)), (2, Some(1))]);
        let over = [vec![b'x'; max + 1], b"\ny".to_vec()].concat();
        assert_eq!(read(&over), [(1, None), (2, Some(1))]);
        assert_eq!(read(&vec![b'x'; 5 * max]), [(1, None)]);
        assert_eq!(read(&vec![b'x'; max]), [(1, Some(max))]);
    }

    fn read(bytes: &[u8]) -> Vec<(u64, Option<usize>)> {
        let mut lines = Lines::of(Box::new(io::Cursor::new(bytes.to_vec())));
        let mut seen = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            seen.push((line.number, line.bytes.map(<[u8]>::len)));
        }
        seen
    }
}
