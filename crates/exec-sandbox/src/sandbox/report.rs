//! What the first process of a sandbox tells the executor, through a pipe: how the line ended, or where it broke.

use std::fmt;
use std::os::fd::OwnedFd;

use super::Usage;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Report {
    /// The line has ended.
    Ended {
        /// As the system says it of the last command.
        wait_status: i32,
        /// What all commands have used.
        cpu_us: u64,
        /// The largest of them.
        memory_kib: u64,
        /// Whether nothing that the line has started is left.
        is_alone: bool,
    },
    Tried {
        answer: i32,
    },
    /// The sandbox could not be made, or a command could not be started in it.
    Broken {
        step: Step,
        error: Errno,
        /// Which command, from 1; 0 when it did not come to any.
        command: u32,
    },
}

/// The steps from a new process to a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Step {
    /// Closing what the executor has open.
    Descriptors,
    /// Giving signals their usual meaning.
    Signals,
    /// Ending with the executor.
    ParentDeath,
    /// Naming the users of the namespace.
    UserMap,
    /// Bounding the number of processes.
    ProcessLimit,
    /// Bounding shared memory.
    SharedLimit,
    /// Putting the file tree together.
    FileTree,
    /// Writing the script.
    Script,
    /// Going to the working directory.
    WorkingDirectory,
    /// Giving up rights.
    Privileges,
    /// Granting files.
    Landlock,
    /// Filtering system calls.
    Seccomp,
    /// Starting a command.
    Start,
}

impl Report {
    pub(super) fn ended(wait_status: i32, usage: Usage, is_alone: bool) -> Self {
        Self::Ended { wait_status, cpu_us: usage.cpu_us, memory_kib: usage.memory_kib, is_alone }
    }

    /// Whether one, or the end of the pipe, can be read without waiting.
    pub(crate) fn is_there(end: &OwnedFd) -> bool {
        let mut ready = [PollFd::new(end, PollFlags::IN)];
        loop {
            match rustix::event::poll(&mut ready, Some(&Timespec::default())) {
                Err(Errno::INTR) => {}
                answer => return answer.is_ok_and(|ready| ready > 0),
            }
        }
    }

    /// As it goes through the pipe, in one piece.
    pub(crate) fn bytes(self) -> [u8; Self::LEN] {
        let (kind, step, number, first, second) = match self {
            Self::Ended { wait_status, cpu_us, memory_kib, is_alone } => {
                (KIND_ENDED, u8::from(is_alone), wait_status, cpu_us, memory_kib)
            }
            Self::Tried { answer } => (KIND_TRIED, 0, answer, 0, 0),
            Self::Broken { step, error, command } => {
                (KIND_BROKEN, step as u8, error.raw_os_error(), u64::from(command), 0)
            }
        };
        let [n0, n1, n2, n3] = number.to_le_bytes();
        let [a0, a1, a2, a3, a4, a5, a6, a7] = first.to_le_bytes();
        let [b0, b1, b2, b3, b4, b5, b6, b7] = second.to_le_bytes();
        [kind, step, n0, n1, n2, n3, a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7]
    }

    /// Reads what came through the pipe; `None` is no report at all.
    pub(crate) fn read(bytes: [u8; Self::LEN]) -> Option<Self> {
        let [kind, step, n0, n1, n2, n3, a0, a1, a2, a3, a4, a5, a6, a7, b0, b1, b2, b3, b4, b5, b6, b7] = bytes;
        let number = i32::from_le_bytes([n0, n1, n2, n3]);
        let first = u64::from_le_bytes([a0, a1, a2, a3, a4, a5, a6, a7]);
        let memory_kib = u64::from_le_bytes([b0, b1, b2, b3, b4, b5, b6, b7]);
        match kind {
            KIND_ENDED => Some(Self::Ended { wait_status: number, cpu_us: first, memory_kib, is_alone: step == 1 }),
            KIND_TRIED => Some(Self::Tried { answer: number }),
            KIND_BROKEN => {
                let step = Step::ALL.into_iter().find(|known| *known as u8 == step)?;
                let (error, command) = (Errno::from_raw_os_error(number), u32::try_from(first).ok()?);
                Some(Self::Broken { step, error, command })
            }
            _ => None,
        }
    }

    pub(crate) const LEN: usize = 22;
}

impl Step {
    const ALL: [Self; 13] = [
        Self::Descriptors,
        Self::Signals,
        Self::ParentDeath,
        Self::UserMap,
        Self::ProcessLimit,
        Self::SharedLimit,
        Self::FileTree,
        Self::Script,
        Self::WorkingDirectory,
        Self::Privileges,
        Self::Landlock,
        Self::Seccomp,
        Self::Start,
    ];
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Descriptors => "closing descriptors",
            Self::Signals => "resetting signals",
            Self::ParentDeath => "binding to the executor",
            Self::UserMap => "mapping users",
            Self::ProcessLimit => "bounding processes",
            Self::SharedLimit => "bounding shared memory",
            Self::FileTree => "putting the file tree together",
            Self::Script => "writing the script",
            Self::WorkingDirectory => "entering the working directory",
            Self::Privileges => "dropping privileges",
            Self::Landlock => "applying Landlock",
            Self::Seccomp => "filtering system calls",
            Self::Start => "starting a command",
        })
    }
}

const KIND_ENDED: u8 = 1;
const KIND_TRIED: u8 = 2;
const KIND_BROKEN: u8 = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read_as_it_was_written() {
        let steps = Step::ALL.into_iter().map(|step| Report::Broken { step, error: Errno::PERM, command: 0 });
        let others = [
            Report::Ended { wait_status: -1, cpu_us: u64::MAX, memory_kib: 7, is_alone: true },
            Report::Ended { wait_status: 0x7f00, cpu_us: 0, memory_kib: u64::MAX, is_alone: false },
            Report::Tried { answer: i32::MIN },
            Report::Broken { step: Step::Start, error: Errno::AGAIN, command: u32::MAX },
        ];
        for report in steps.chain(others) {
            assert_eq!(Report::read(report.bytes()), Some(report));
        }
        assert_eq!(Report::read([0; Report::LEN]), None);
        assert_eq!(Report::read([9; Report::LEN]), None);
        let mut unknown_step = Report::Broken { step: Step::Start, error: Errno::PERM, command: 0 }.bytes();
        unknown_step[1] = 99;
        assert_eq!(Report::read(unknown_step), None);
    }
}
