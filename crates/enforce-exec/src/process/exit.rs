//! How a line has ended.

use std::fmt;

/// How a line has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Its last command has ended with this code. 126 and 127 are, as in a shell, also those of a program that
    /// could not be executed and of one that was not there.
    Code(i32),
    /// Its last command was ended by a signal.
    Signal(i32),
    /// It took too long, and was killed with all that it had started.
    TimedOut,
    /// It was called off, and was killed with all that it had started.
    Cancelled,
}

impl Exit {
    /// From what the system says of a process.
    pub(super) fn of(wait_status: i32) -> Self {
        if libc::WIFSIGNALED(wait_status) {
            Self::Signal(libc::WTERMSIG(wait_status))
        } else {
            Self::Code(libc::WEXITSTATUS(wait_status))
        }
    }

    /// As one number: a signal is 128 and its own, as a shell says it; what was killed here is 124 or 130.
    #[must_use]
    pub fn code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => signal.saturating_add(128),
            Self::TimedOut => 124,
            Self::Cancelled => 130,
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(formatter, "ended with code {code}"),
            Self::Signal(signal) => write!(formatter, "ended by signal {signal}"),
            Self::TimedOut => formatter.write_str("killed after its time was over"),
            Self::Cancelled => formatter.write_str("killed because it was called off"),
        }
    }
}
