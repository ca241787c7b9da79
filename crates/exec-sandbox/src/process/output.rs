//! Output of commands -> its first bytes, and its length.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::buffer::spare_capacity;
use rustix::io::Errno;

/// The bytes of output to keep. The rest is read and dropped, so that no command blocks or is killed for writing much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputLimits {
    Each(usize),
    /// Of both streams together, in the order of arrival (INVOKE-CAP).
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

pub(super) struct OutputReader {
    limits: OutputLimits,
    pub(super) output: OutputStream,
    pub(super) errors: OutputStream,
    /// Not initialized in advance: most commands write less than it holds.
    buffer: Vec<u8>,
}

pub(super) struct OutputStream {
    /// None when all writers have closed it.
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

    pub(super) fn is_over(&self) -> bool {
        self.output.end.is_none() && self.errors.end.is_none()
    }

    /// Reads from a stream that is ready.
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

/// Bytes of each stream of `shell.exec`.
pub const SHELL_OUTPUT_MAX: usize = 5 << 20;
/// Bytes of both streams of `tool_invoke` together (INVOKE-CAP).
pub const INVOKE_OUTPUT_MAX: usize = 64 << 10;
/// The capacity of a pipe.
const BUFFER_BYTES: usize = 64 << 10;
