//! The standard streams: bytes -> lines, none of them held in full when it is too long, and replies -> lines.
//!
//! Each stream has a thread of its own, so that whoever waits for it can wait for a signal too. Nobody joins these threads at the
//! end: a line may never come, and a reply may never be read.

use std::io::{self, BufRead, Read as _, Write as _};
use std::sync::mpsc as blocking;
use std::thread;

use exec_record::Digest;
use tokio::sync::mpsc;

use crate::line::Reply;

/// The lines of the standard input. One is read when it is asked for, so that no more than one is held.
#[derive(Debug)]
pub(crate) struct Lines {
    ask: blocking::Sender<()>,
    read: mpsc::Receiver<io::Result<Input>>,
}

/// A line without its line break, or the end.
#[derive(Debug)]
pub(crate) enum Input {
    Line(Vec<u8>),
    /// The digest of a line of more than [`LINE_BYTES_MAX`], which was skipped.
    TooLong(Digest),
    End,
}

impl Lines {
    pub(crate) fn of_stdin() -> io::Result<Self> {
        let (ask, asked) = blocking::channel();
        let (give, read) = mpsc::channel(1);
        let reader = move || {
            let mut input = io::stdin().lock();
            while asked.recv().is_ok() && give.blocking_send(next_line(&mut input)).is_ok() {}
        };
        thread::Builder::new().name("lines".to_owned()).spawn(reader)?;
        Ok(Self { ask, read })
    }

    pub(crate) async fn next(&mut self) -> io::Result<Input> {
        match self.ask.send(()) {
            Ok(()) => self.read.recv().await.unwrap_or(Ok(Input::End)),
            Err(_) => Ok(Input::End),
        }
    }
}

/// The standard output.
#[derive(Debug)]
pub(crate) struct Replies {
    give: blocking::Sender<Reply>,
    written: mpsc::Receiver<io::Result<()>>,
}

impl Replies {
    pub(crate) fn to_stdout() -> io::Result<Self> {
        let (give, given) = blocking::channel::<Reply>();
        let (report, written) = mpsc::channel(1);
        let writer = move || {
            let mut out = io::stdout().lock();
            while let Ok(reply) = given.recv() {
                let done = reply.write(&mut out).and_then(|()| out.flush());
                // It may be large, and the next one is made as soon as this one is written.
                drop(reply);
                if report.blocking_send(done).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("replies".to_owned()).spawn(writer)?;
        Ok(Self { give, written })
    }

    /// Returns when the reply is written.
    pub(crate) async fn write(&mut self, reply: Reply) -> io::Result<()> {
        match self.give.send(reply) {
            Ok(()) => self.written.recv().await.unwrap_or_else(|| Err(io::ErrorKind::BrokenPipe.into())),
            Err(_) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

fn next_line(input: &mut impl BufRead) -> io::Result<Input> {
    let mut line = Vec::new();
    // One more than a line may have, for its line break.
    let most = LINE_BYTES_MAX.saturating_add(1);
    let read = input.by_ref().take(most).read_until(b'\n', &mut line)?;
    if read == 0 {
        return Ok(Input::End);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
        return Ok(Input::Line(line));
    }
    if u64::try_from(read).is_ok_and(|read| read < most) {
        return Ok(Input::Line(line));
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
            return Ok(Input::TooLong(hasher.finalize().into()));
        }
    }
}

/// The size limit of a JSON text: more would be held only to be refused.
const LINE_BYTES_MAX: u64 = tool_json::TEXT_BYTES_MAX as u64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_skipped_and_the_next_is_read() {
        let most = usize::try_from(LINE_BYTES_MAX).unwrap();
        let spaces = |bytes: usize| io::repeat(b' ').take(u64::try_from(bytes).unwrap());
        let mut longest = io::BufReader::new(spaces(most).chain(&b"\nx"[..]));
        let Input::Line(line) = next_line(&mut longest).unwrap() else { panic!("it is not too long") };
        let error = tool_json::parse(&line).unwrap_err().to_string();
        assert!(line.len() == most && error.starts_with("EOF "), "JSON may have as many bytes: {error}");
        for more in [1, 2, 100_000] {
            let mut longer = io::BufReader::new(spaces(most + more).chain(&b"\nx"[..]));
            let Input::TooLong(digest) = next_line(&mut longer).unwrap() else { panic!("it is too long") };
            assert_eq!(digest, Digest::of(&vec![b' '; most + more]));
            assert!(matches!(next_line(&mut longer).unwrap(), Input::Line(line) if line == b"x"));
        }
        let mut last = io::BufReader::new(spaces(most + 1));
        assert!(matches!(next_line(&mut last).unwrap(), Input::TooLong(_)));
        assert!(matches!(next_line(&mut last).unwrap(), Input::End));
    }

    #[test]
    fn the_last_line_needs_no_line_break() {
        let mut input = b"a\n\nbc".as_slice();
        let mut seen = Vec::new();
        while let Input::Line(line) = next_line(&mut input).unwrap() {
            seen.push(line);
        }
        assert_eq!(seen, [b"a".to_vec(), Vec::new(), b"bc".to_vec()]);
    }
}
