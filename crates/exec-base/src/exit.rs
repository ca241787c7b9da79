//! Wait status -> how a command line ended.

use rustix::io::Errno;

/// The end of a command line. When it was killed, everything that it had started was killed too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Exit {
    /// The exit status of its last command. As in a shell, 126 is also that of a program that could not be executed and
    /// 127 that of one that does not exist.
    #[error("exited with status {0}")]
    Code(i32),
    #[error("terminated by signal {0}")]
    Signal(i32),
    /// A command after the first could not be started, and the others were killed. `command` counts from 1.
    #[error("could not start command {command}: {error}")]
    Broken { command: u32, error: Errno },
    #[error("killed after its timeout")]
    TimedOut,
    #[error("killed because it was cancelled")]
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
        if let Self::Signal(signal) = self { Some(signal) } else { None }
    }
}
