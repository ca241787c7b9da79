//! Bytes -> lines, none of them held in full when it is too long.

use exec_record::Digest;
use std::io::{self, BufRead, Read as _};
use std::sync::mpsc as blocking;

use tokio::sync::mpsc;

/// Lines of the standard input. A thread of its own reads them, each when it is asked for: whoever waits for one can wait for
/// something else too, and no more than one is held.
#[derive(Debug)]
pub(crate) struct Lines {
    ask: blocking::Sender<()>,
    read: mpsc::Receiver<io::Result<Next>>,
}

impl Lines {
    pub(crate) fn of_stdin() -> io::Result<Self> {
        let (ask, asked) = blocking::channel();
        let (give, read) = mpsc::channel(1);
        let reader = move || {
            let mut input = io::stdin().lock();
            while asked.recv().is_ok() && give.blocking_send(next(&mut input)).is_ok() {}
        };
        // Nobody waits for it at the end: it may wait for a line that never comes.
        std::thread::Builder::new().name("lines".to_owned()).spawn(reader)?;
        Ok(Self { ask, read })
    }

    /// Reads a line.
    pub(crate) async fn next(&mut self) -> io::Result<Next> {
        match self.ask.send(()) {
            Ok(()) => self.read.recv().await.unwrap_or(Ok(Next::End)),
            Err(_) => Ok(Next::End),
        }
    }
}

/// The next line without its line break; nothing at the end.
#[derive(Debug)]
pub(crate) enum Next {
    Line(Vec<u8>),
    /// A line of more than [`LINE_BYTES_MAX`], which was passed over. This is the digest of all of it.
    TooLong(Digest),
    End,
}

fn next(input: &mut impl BufRead) -> io::Result<Next> {
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
    let mut hasher = blake3::Hasher::new();
    hasher.update(&line);
    drop(line);
    loop {
        let bytes = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let rest = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or(bytes);
        hasher.update(rest);
        let (read, is_over) = (rest.len(), end.is_some() || bytes.is_empty());
        // With its line break, which is no part of it.
        input.consume(read.saturating_add(usize::from(end.is_some())));
        if is_over {
            return Ok(Next::TooLong(hasher.finalize().into()));
        }
    }
}

/// As much as is read as JSON: more would be held only to be refused.
const LINE_BYTES_MAX: u64 = tool_json::TEXT_BYTES_MAX as u64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_more_than_is_read_is_passed_over_and_the_next_is_read() {
        let most = usize::try_from(LINE_BYTES_MAX).unwrap();
        let spaces = |bytes: usize| io::repeat(b' ').take(u64::try_from(bytes).unwrap());
        let mut longest = io::BufReader::new(spaces(most).chain(&b"\nx"[..]));
        let Next::Line(line) = next(&mut longest).unwrap() else { panic!("it is not too long") };
        let mistake = tool_json::Json::new(&line).map_err(|error| error.mistake);
        assert_eq!((line.len(), mistake), (most, Err(tool_json::Mistake::Ends)), "the reader of JSON takes as much");
        for more in [1, 2, 100_000] {
            let mut longer = io::BufReader::new(spaces(most + more).chain(&b"\nx"[..]));
            let Next::TooLong(digest) = next(&mut longer).unwrap() else { panic!("it is too long") };
            assert_eq!(digest, Digest::of(&vec![b' '; most + more]));
            assert!(matches!(next(&mut longer).unwrap(), Next::Line(line) if line == b"x"));
        }
        let mut last = io::BufReader::new(spaces(most + 1));
        assert!(matches!(next(&mut last).unwrap(), Next::TooLong(_)));
        assert!(matches!(next(&mut last).unwrap(), Next::End));
    }

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
