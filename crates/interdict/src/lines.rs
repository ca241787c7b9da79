//! Bytes -> lines, none of them held in full when it is too long.

use std::io::{self, BufRead, Read as _};

/// The next line without its line break; nothing at the end.
pub(crate) enum Next {
    Line(Vec<u8>),
    /// A line of more than [`LINE_BYTES_MAX`], which was passed over.
    TooLong,
    End,
}

/// Reads a line.
pub(crate) fn next(input: &mut impl BufRead) -> io::Result<Next> {
    let mut line = Vec::new();
    // One more than a line may have, for its line break.
    let most = LINE_BYTES_MAX.saturating_add(1);
    let read = input.by_ref().take(most).read_until(b'\n', &mut line)?;
    if read == 0 {
        return Ok(Next::End);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
        return Ok(Next::Line(line));
    }
    if u64::try_from(read).is_ok_and(|read| read < most) {
        return Ok(Next::Line(line));
    }
    input.skip_until(b'\n')?;
    Ok(Next::TooLong)
}

/// A file of 100 MiB, each of its bytes escaped.
pub(crate) const LINE_BYTES_MAX: u64 = 640 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_need_no_break_at_the_end() {
        let mut input = b"a\n\nbc".as_slice();
        let mut seen = Vec::new();
        while let Next::Line(line) = next(&mut input).unwrap() {
            seen.push(line);
        }
        assert_eq!(seen, [b"a".to_vec(), Vec::new(), b"bc".to_vec()]);
    }
}
