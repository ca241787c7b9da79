//! Path and span -> bytes. A file that is too long is refused, never truncated.

use enforce_core::limits::MAX_READ_LIMIT;
use rustix::buffer::spare_capacity;
use rustix::fd::OwnedFd;
use rustix::io::{Errno, pread};

use crate::{FileError, Judge, Stop, Workspace, beneath};

/// The part of a file to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// (CTR-0005)
    pub offset: u64,
    /// The number of bytes; 0 means all up to the end (CTR-0004).
    pub limit: u64,
    /// A longer span is refused. At most [`MAX_READ_LIMIT`].
    pub bytes_max: u64,
}

impl Span {
    pub const WHOLE: Self = Self { offset: 0, limit: 0, bytes_max: MAX_READ_LIMIT };
}

impl Workspace {
    /// Reads a span of a file.
    ///
    /// # Errors
    /// When there is no such file, it may not be opened, or the span is too long.
    pub fn read(&self, path: &[u8], span: Span, judge: &mut Judge<'_>, stop: &Stop) -> Result<Vec<u8>, FileError> {
        self.with_links_resolved(path, judge, |path| {
            let (file, stat) = beneath::open_file(self.root(), path, &self.device)?;
            let size_bytes = u64::try_from(stat.st_size).unwrap_or(0);
            read_span(&file, size_bytes, span, stop)
        })
    }
}

pub(super) fn read_whole(file: &OwnedFd, size_bytes: u64, bytes_max: u64, stop: &Stop) -> Result<Vec<u8>, FileError> {
    read_span(file, size_bytes, Span { bytes_max, ..Span::WHOLE }, stop)
}

/// Reads by position, so that the handle has no state.
fn read_span(file: &OwnedFd, size_bytes: u64, span: Span, stop: &Stop) -> Result<Vec<u8>, FileError> {
    let Span { offset, limit, bytes_max } = span;
    let most = bytes_max.min(MAX_READ_LIMIT);
    let rest = size_bytes.saturating_sub(offset);
    let expected = if limit == 0 { rest } else { rest.min(limit) };
    if expected > most {
        return Err(FileError::TooLarge { bytes: expected, most });
    }
    // File offsets are signed, and no file is longer than they can express.
    if i64::try_from(offset.saturating_add(most)).is_err() {
        return Ok(Vec::new());
    }
    let mut bytes = Vec::new();
    // One more byte than expected, to see the end, or that the file grows meanwhile.
    make_room(&mut bytes, expected.saturating_add(1))?;
    loop {
        stop.check()?;
        let place = offset.saturating_add(bytes.len() as u64);
        let is_end = pread(file, spare_capacity(&mut bytes), place).map_err(FileError::of("reading the file"))? == 0;
        if limit != 0 && bytes.len() as u64 >= limit {
            bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            return Ok(bytes);
        }
        if is_end {
            return Ok(bytes);
        }
        if bytes.len() as u64 > most {
            return Err(FileError::TooLarge { bytes: bytes.len() as u64, most });
        }
        if bytes.len() == bytes.capacity() {
            make_room(&mut bytes, CHUNK_BYTES as u64)?;
        }
    }
}

fn make_room(bytes: &mut Vec<u8>, more: u64) -> Result<(), FileError> {
    let more = usize::try_from(more).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(more).map_err(|_| FileError::of("allocating memory for the file")(Errno::NOMEM))
}

const CHUNK_BYTES: usize = 1 << 20;
