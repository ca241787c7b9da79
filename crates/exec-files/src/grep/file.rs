//! One file -> its matching lines. Binary files have none.

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

#[derive(Debug)]
pub(super) enum FileSkipped {
    /// It no longer exists as a regular file.
    Gone,
    /// It cannot be read, or a line is too long.
    Unread,
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
    pub(super) fn search(&mut self, folder: &OwnedFd, name: &[u8], path: &[u8]) -> Result<Vec<Match>, FileSkipped> {
        self.stop.check().map_err(FileSkipped::Stopped)?;
        // `openat` is safe here: the name has no slash, and links are refused.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = openat(folder, name, flags, Mode::empty()).map_err(|errno| match errno {
            Errno::NOENT | Errno::LOOP | Errno::NXIO | Errno::NOTDIR => FileSkipped::Gone,
            _ => FileSkipped::Unread,
        })?;
        let stat = fstat(&file).map_err(|_| FileSkipped::Unread)?;
        beneath::check_file(&stat).map_err(|_| FileSkipped::Gone)?;
        self.device.check(&file, &stat).map_err(|_| FileSkipped::Unread)?;
        self.buffer.clear();
        let whole = self.fill(&file)?;
        let mut lines =
            LineSink { matcher: &self.matcher, path, most: self.matches_max, found: Vec::new(), is_binary: false };
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
            self.stop.check().map_err(FileSkipped::Stopped)?;
            return Err(FileSkipped::Unread);
        }
        Ok(if lines.is_binary { Vec::new() } else { lines.found })
    }

    /// Reads the beginning of a file; returns whether that is the whole file.
    fn fill(&mut self, file: &OwnedFd) -> Result<bool, FileSkipped> {
        while self.buffer.len() < self.buffer.capacity() {
            let room = self.buffer.capacity() - self.buffer.len();
            let count = read(file.as_fd(), spare_capacity(&mut self.buffer)).map_err(|_| FileSkipped::Unread)?;
            // A short read is the end of the file.
            if count < room {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

struct LineSink<'s> {
    matcher: &'s StoppableMatcher<'s>,
    path: &'s [u8],
    most: usize,
    found: Vec<Match>,
    is_binary: bool,
}

impl Sink for LineSink<'_> {
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

/// Cuts a line to [`SNIPPET_BYTES_MAX`] bytes, from its beginning if the match is in them, or else from the match.
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

/// Files up to this size are searched in memory, longer ones through a window.
const SMALL_BYTES_MAX: usize = 256 << 10;
const LINE_BYTES_MAX: usize = 16 << 20;
const UTF8_BYTES_MAX: usize = 4;
