//! Wait status -> how a command line ended.

use std::fmt;

use rustix::io::Errno;

/// How a command line ended. Whatever was killed was killed with everything that it had started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The exit status of its last command. As in a shell, 126 is also that of a program that could not be executed and
    /// 127 that of one that does not exist.
    Code(i32),
    /// A signal ended its last command.
    Signal(i32),
    /// A command behind the first could not be started; the rest was killed.
    Broken {
        /// Counted from 1.
        command: u32,
        error: Errno,
    },
    /// Killed after the timeout.
    TimedOut,
    /// Killed because the caller cancelled it.
    Cancelled,
}

impl Exit {
    #[must_use]
    pub fn from_wait_status(wait_status: i32) -> Self {
        if libc::WIFSIGNALED(wait_status) {
            Self::Signal(libc::WTERMSIG(wait_status))
        } else {
            Self::Code(libc::WEXITSTATUS(wait_status))
        }
    }

    /// The shell's exit status: 128 plus the number of a signal; 124, 126 and 130 for what the executor killed.
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

    /// The signal that ended it, unless the executor sent it: a code of 137 alone could also be an exit status.
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
            Self::Broken { command, error } => write!(formatter, "could not start command {command}: {error}"),
            Self::TimedOut => formatter.write_str("killed after its timeout"),
            Self::Cancelled => formatter.write_str("killed because it was cancelled"),
        }
    }
}
