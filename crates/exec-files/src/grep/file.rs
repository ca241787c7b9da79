//! One open file -> its matching lines. Binary files have none.

use std::fs::File;
use std::io::{self, Read};

use grep_matcher::Matcher as _;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkFinish, SinkMatch};
use rustix::buffer::spare_capacity;
use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{Mode, OFlags, fstat, openat};
use rustix::io::{Errno, read};

use super::pattern::{Pattern, StoppableMatcher};
use super::{Match, SNIPPET_BYTES_MAX};
use crate::{Device, beneath};
use exec_base::{Stop, Stopped};

pub(super) struct FileSearch<'s> {
    searcher: Searcher,
    matcher: StoppableMatcher<'s>,
    buffer: Vec<u8>,
    matches_max: usize,
    device: &'s Device,
    stop: &'s Stop,
}

/// Why a file has no matches to show.
#[derive(Debug)]
pub(super) enum Skipped {
    /// It is gone, or something else than a file by now.
    Gone,
    /// It could not be read, or has a line that is too long.
    Unread,
    /// The search is over.
    Stopped(Stopped),
}

impl<'s> FileSearch<'s> {
    pub(super) fn new(pattern: &'s Pattern, matches_max: usize, device: &'s Device, stop: &'s Stop) -> Self {
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .bom_sniffing(false)
            .heap_limit(Some(LINE_BYTES_MAX))
            .build();
        let buffer = Vec::with_capacity(SMALL_BYTES_MAX + 1);
        Self { searcher, matcher: pattern.matcher(stop), buffer, matches_max, device, stop }
    }

    /// Searches a file by its name in an open folder.
    pub(super) fn search(&mut self, folder: &OwnedFd, name: &[u8], path: &[u8]) -> Result<Vec<Match>, Skipped> {
        self.stop.check().map_err(Skipped::Stopped)?;
        // One name without a slash, and not through a link: the kernel has nothing else to resolve.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = openat(folder, name, flags, Mode::empty()).map_err(|errno| match errno {
            Errno::NOENT | Errno::LOOP | Errno::NXIO | Errno::NOTDIR => Skipped::Gone,
            _ => Skipped::Unread,
        })?;
        let stat = fstat(&file).map_err(|_| Skipped::Unread)?;
        beneath::check_file(&stat).map_err(|_| Skipped::Gone)?;
        self.device.check(&file, &stat).map_err(|_| Skipped::Unread)?;
        self.buffer.clear();
        let whole = self.fill(&file)?;
        let mut lines =
            Lines { matcher: &self.matcher, path, most: self.matches_max, found: Vec::new(), is_binary: false };
        let searched = if whole {
            if memchr::memchr(0, &self.buffer).is_some() {
                return Ok(Vec::new());
            }
            self.searcher.search_slice(&self.matcher, &self.buffer, &mut lines)
        } else {
            let rest = StoppableRead { file: file.into(), stop: self.stop };
            self.searcher.search_reader(&self.matcher, self.buffer.as_slice().chain(rest), &mut lines)
        };
        if searched.is_err() {
            self.stop.check().map_err(Skipped::Stopped)?;
            return Err(Skipped::Unread);
        }
        Ok(if lines.is_binary { Vec::new() } else { lines.found })
    }

    /// Reads the beginning of a file; whether that is all of it.
    fn fill(&mut self, file: &OwnedFd) -> Result<bool, Skipped> {
        while self.buffer.len() < self.buffer.capacity() {
            let room = self.buffer.capacity() - self.buffer.len();
            let count = read(file.as_fd(), spare_capacity(&mut self.buffer)).map_err(|_| Skipped::Unread)?;
            // Less than there was room for is the end of a file.
            if count < room {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The matching lines of one file.
struct Lines<'s> {
    matcher: &'s StoppableMatcher<'s>,
    path: &'s [u8],
    most: usize,
    found: Vec<Match>,
    is_binary: bool,
}

impl Sink for Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, line: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let text = line.bytes();
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let first = self.matcher.find(text).map_err(io::Error::other)?;
        let (start, end) = first.map_or((0, 0), |found| (found.start(), found.end()));
        self.found.push(Match {
            file: self.path.to_vec(),
            line: line.line_number().unwrap_or(0),
            col: start as u64 + 1,
            snippet: snippet(text, start, end),
        });
        Ok(self.found.len() < self.most)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> Result<(), io::Error> {
        self.is_binary = finish.binary_byte_offset().is_some();
        Ok(())
    }
}

/// The line, or a part of it of at most [`SNIPPET_BYTES_MAX`] bytes, from its beginning if the match is there.
fn snippet(line: &[u8], start: usize, end: usize) -> String {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let from = if end <= SNIPPET_BYTES_MAX { 0 } else { start };
    let part = line.get(from..).unwrap_or_default();
    let mut text = String::new();
    for chunk in part.get(..SNIPPET_BYTES_MAX + UTF8_BYTES_MAX).unwrap_or(part).utf8_chunks() {
        let replacement = if chunk.invalid().is_empty() { None } else { Some(char::REPLACEMENT_CHARACTER) };
        for character in chunk.valid().chars().chain(replacement) {
            if text.len() + character.len_utf8() > SNIPPET_BYTES_MAX {
                return text;
            }
            text.push(character);
        }
    }
    text
}

/// Reads on as long as nobody stops it.
struct StoppableRead<'s> {
    file: File,
    stop: &'s Stop,
}

impl Read for StoppableRead<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stop.check().map_err(io::Error::other)?;
        self.file.read(buffer)
    }
}

/// Bytes of a file that is searched as a whole; a longer one goes through a window.
const SMALL_BYTES_MAX: usize = 256 << 10;
/// Bytes of a line that can be searched in a longer file.
const LINE_BYTES_MAX: usize = 16 << 20;
const UTF8_BYTES_MAX: usize = 4;
