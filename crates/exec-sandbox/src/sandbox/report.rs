//! The message of a sandbox's first process to the executor, through a pipe: how the line ended, or which step failed.

use std::fmt;
use std::os::fd::OwnedFd;

use super::Usage;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChildReport {
    Ended {
        /// Of the last command.
        wait_status: i32,
        /// Of all commands.
        cpu_us: u64,
        /// Of the largest command.
        memory_kib: u64,
        /// True if nothing that the line has started is left.
        is_alone: bool,
    },
    Tried {
        answer: i32,
    },
    /// The sandbox could not be made, or a command could not be started in it.
    Broken {
        step: SetupStep,
        error: Errno,
        /// From 1; 0 before the first command.
        command: u32,
    },
}

/// Kind, status or error, and two more numbers.
pub(crate) type ReportBytes = [[u8; 8]; 4];

/// The steps from a new process to a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetupStep {
    Descriptors,
    Signals,
    ParentDeath,
    UserMap,
    ProcessLimit,
    SharedLimit,
    FileTree,
    Script,
    WorkingDirectory,
    Privileges,
    Landlock,
    Seccomp,
    Start,
}

impl ChildReport {
    pub(super) fn ended(wait_status: i32, usage: Usage, is_alone: bool) -> Self {
        Self::Ended { wait_status, cpu_us: usage.cpu_us, memory_kib: usage.memory_kib, is_alone }
    }

    /// True if a report, or the end of the pipe, can be read without waiting.
    pub(crate) fn is_there(end: &OwnedFd) -> bool {
        let mut ready = [PollFd::new(end, PollFlags::IN)];
        loop {
            match rustix::event::poll(&mut ready, Some(&Timespec::default())) {
                Err(Errno::INTR) => {}
                answer => return answer.is_ok_and(|ready| ready > 0),
            }
        }
    }

    /// Encodes the report; a pipe passes it on in one piece.
    pub(crate) fn to_bytes(self) -> ReportBytes {
        let words = match self {
            Self::Ended { wait_status, cpu_us, memory_kib, is_alone } => {
                let kind = if is_alone { KIND_ENDED_ALONE } else { KIND_ENDED };
                [kind, u64::from(wait_status.cast_unsigned()), cpu_us, memory_kib]
            }
            Self::Tried { answer } => [KIND_TRIED, u64::from(answer.cast_unsigned()), 0, 0],
            Self::Broken { step, error, command } => {
                [KIND_BROKEN, u64::from(error.raw_os_error().cast_unsigned()), u64::from(command), step as u64]
            }
        };
        words.map(u64::to_le_bytes)
    }

    /// Decodes a report; none if the bytes are not one.
    pub(crate) fn from_bytes(bytes: ReportBytes) -> Option<Self> {
        let [kind, number, second, third] = bytes.map(u64::from_le_bytes);
        let number = u32::try_from(number).ok()?.cast_signed();
        match kind {
            KIND_ENDED | KIND_ENDED_ALONE => Some(Self::Ended {
                wait_status: number,
                cpu_us: second,
                memory_kib: third,
                is_alone: kind == KIND_ENDED_ALONE,
            }),
            KIND_TRIED => Some(Self::Tried { answer: number }),
            KIND_BROKEN => {
                let (step, _) = SetupStep::ALL.into_iter().find(|(step, _)| *step as u64 == third)?;
                let (error, command) = (Errno::from_raw_os_error(number), u32::try_from(second).ok()?);
                Some(Self::Broken { step, error, command })
            }
            _ => None,
        }
    }
}

impl SetupStep {
    const ALL: [(Self, &str); 13] = [
        (Self::Descriptors, "closing descriptors"),
        (Self::Signals, "resetting signals"),
        (Self::ParentDeath, "binding to the executor"),
        (Self::UserMap, "mapping users"),
        (Self::ProcessLimit, "bounding processes"),
        (Self::SharedLimit, "bounding shared memory"),
        (Self::FileTree, "putting the file tree together"),
        (Self::Script, "writing the script"),
        (Self::WorkingDirectory, "entering the working directory"),
        (Self::Privileges, "dropping privileges"),
        (Self::Landlock, "applying Landlock"),
        (Self::Seccomp, "filtering system calls"),
        (Self::Start, "starting a command"),
    ];
}

impl fmt::Display for SetupStep {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(Self::ALL.into_iter().find(|(step, _)| step == self).map_or("", |(_, text)| text))
    }
}

const KIND_ENDED: u64 = 1;
const KIND_ENDED_ALONE: u64 = 2;
const KIND_TRIED: u64 = 3;
const KIND_BROKEN: u64 = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read_as_it_was_written() {
        let steps =
            SetupStep::ALL.into_iter().map(|(step, _)| ChildReport::Broken { step, error: Errno::PERM, command: 0 });
        let others = [
            ChildReport::Ended { wait_status: -1, cpu_us: u64::MAX, memory_kib: 7, is_alone: true },
            ChildReport::Ended { wait_status: 0x7f00, cpu_us: 0, memory_kib: u64::MAX, is_alone: false },
            ChildReport::Tried { answer: i32::MIN },
            ChildReport::Broken { step: SetupStep::Start, error: Errno::AGAIN, command: u32::MAX },
        ];
        for report in steps.chain(others) {
            assert_eq!(ChildReport::from_bytes(report.to_bytes()), Some(report));
        }
        assert_eq!(ChildReport::from_bytes([[0; 8]; 4]), None);
        assert_eq!(ChildReport::from_bytes([[9; 8]; 4]), None);
        let mut unknown_step =
            ChildReport::Broken { step: SetupStep::Start, error: Errno::PERM, command: 0 }.to_bytes();
        unknown_step[3][0] = 99;
        assert_eq!(ChildReport::from_bytes(unknown_step), None);
    }
}
