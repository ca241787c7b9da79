//! What commands write -> the first bytes of it, and how many there were.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::buffer::spare_capacity;
use rustix::io::Errno;

/// How much of the output is kept. The rest is read and dropped, so that no command ever waits for us or is
/// killed because it talks much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputLimits {
    /// So many bytes of each stream.
    Each(usize),
    /// So many bytes of both streams together, whichever comes first (INVOKE-CAP).
    Together(usize),
    Both {
        each: usize,
        together: usize,
    },
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    pub bytes: Vec<u8>,
    pub total_bytes: u64,
}

impl Output {
    /// Whether there was more than what is kept.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.total_bytes > self.bytes.len() as u64
    }

    fn take(&mut self, read: &[u8], room: usize) {
        let kept = read.get(..room).unwrap_or(read);
        self.bytes.extend_from_slice(kept);
        self.total_bytes = self.total_bytes.saturating_add(read.len() as u64);
    }
}

/// The two streams of a line, as they are read.
pub(super) struct OutputReader {
    limits: OutputLimits,
    pub(super) output: OutputStream,
    pub(super) errors: OutputStream,
    /// Empty between two reads, and nowhere filled before one: most commands write less than it holds.
    buffer: Vec<u8>,
}

pub(super) struct OutputStream {
    /// None when everybody has closed it.
    end: Option<OwnedFd>,
    pub(super) kept: Output,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum StreamKind {
    Output,
    Errors,
}

impl OutputReader {
    pub(super) fn new(limits: OutputLimits, output: OwnedFd, errors: OwnedFd) -> Self {
        let stream = |end| OutputStream { end: Some(end), kept: Output::default() };
        Self { limits, output: stream(output), errors: stream(errors), buffer: Vec::with_capacity(BUFFER_BYTES) }
    }

    /// Whether nobody can write any more.
    pub(super) fn is_over(&self) -> bool {
        self.output.end.is_none() && self.errors.end.is_none()
    }

    /// Reads what there is of a stream that is ready.
    pub(super) fn read(&mut self, which: StreamKind) {
        let both = self.output.kept.bytes.len().saturating_add(self.errors.kept.bytes.len());
        let stream = match which {
            StreamKind::Output => &mut self.output,
            StreamKind::Errors => &mut self.errors,
        };
        let one = stream.kept.bytes.len();
        let room = match self.limits {
            OutputLimits::Each(each) => each.saturating_sub(one),
            OutputLimits::Together(together) => together.saturating_sub(both),
            OutputLimits::Both { each, together } => each.saturating_sub(one).min(together.saturating_sub(both)),
        };
        let Some(end) = &stream.end else { return };
        self.buffer.clear();
        match rustix::io::read(end, spare_capacity(&mut self.buffer)) {
            Ok(0) => stream.end = None,
            Ok(_) => stream.kept.take(&self.buffer, room),
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(_) => stream.end = None,
        }
    }
}

impl OutputStream {
    pub(super) fn end(&self) -> Option<BorrowedFd<'_>> {
        self.end.as_ref().map(OwnedFd::as_fd)
    }
}

/// Bytes of a stream of `shell.exec` that are kept: 5 MiB.
pub const SHELL_OUTPUT_MAX: usize = 5 << 20;
/// Bytes of both streams of `tool_invoke` that are kept: 64 KB (INVOKE-CAP).
pub const INVOKE_OUTPUT_MAX: usize = 64 << 10;
/// As much as a pipe holds.
const BUFFER_BYTES: usize = 64 << 10;
