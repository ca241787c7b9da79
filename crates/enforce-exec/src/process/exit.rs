//! How a line has ended.

use std::fmt;

use rustix::io::Errno;

/// How a line has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Its last command has ended with this code. 126 and 127 are, as in a shell, also those of a program that
    /// could not be executed and of one that was not there.
    Code(i32),
    /// Its last command was ended by a signal.
    Signal(i32),
    /// A command behind the first could not be started. What ran was killed, with all that it had started.
    Broken {
        /// Which, from 1.
        command: u32,
        /// What the system says.
        error: Errno,
    },
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

    /// As one number: a signal is 128 and its own, as a shell says it; what was killed here is 124, 126 or 130.
    #[must_use]
    pub fn code(self) -> i32 {
        match self {
            Self::Code(code) => code,
            Self::Signal(signal) => signal.saturating_add(128),
            Self::TimedOut => 124,
            Self::Broken { .. } => 126,
            Self::Cancelled => 130,
        }
    }

    /// The signal that ended it, if one did that nobody here sent: its number alone could be a code as well.
    #[must_use]
    pub fn signal(self) -> Option<i32> {
        match self {
            Self::Signal(signal) => Some(signal),
            Self::Code(_) | Self::Broken { .. } | Self::TimedOut | Self::Cancelled => None,
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(formatter, "ended with code {code}"),
            Self::Signal(signal) => write!(formatter, "ended by signal {signal}"),
            Self::Broken { command, error } => write!(formatter, "broke at command {command}: {error}"),
            Self::TimedOut => formatter.write_str("killed after its time was over"),
            Self::Cancelled => formatter.write_str("killed because it was called off"),
        }
    }
}
