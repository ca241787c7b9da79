//! A running sandbox -> its result. Reads output and report, and kills the sandbox on timeout or cancellation.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, pidfd_send_signal};

use super::output::{OutputReader, StreamKind};
use super::run::RunError;
use crate::sandbox::{
    ChildReport, ReportBytes, SandboxMark, SetupStep, end_descendants, end_orphans, reap_options, start_of, system,
};
use exec_base::Exit;

/// Cancels a run. Clones cancel the same run.
#[derive(Debug, Clone)]
pub struct StopEvent(Arc<OwnedFd>);

impl StopEvent {
    /// # Errors
    /// When the system has no descriptor left.
    pub fn new() -> std::io::Result<Self> {
        Ok(Self(Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?)))
    }

    /// Has no effect on a run that has ended.
    pub fn stop(&self) {
        // It fails only after 2^64 calls.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }
}

impl AsFd for StopEvent {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

pub(super) struct Watch {
    pub(super) reader: OutputReader,
    /// None when it has been read.
    pub(super) report: Option<OwnedFd>,
    /// The first process; none when it has been reaped.
    pub(super) process: Option<OwnedFd>,
    pub(super) pid: Pid,
    /// True if everything that it starts ends with its first process.
    pub(super) is_own: bool,
    pub(super) mark: SandboxMark,
    pub(super) deadline: Option<Instant>,
    pub(super) outcome: Option<Result<LineEnd, RunError>>,
    /// When the sandbox was killed or has reported its end.
    pub(super) killed: Option<Instant>,
    /// True if only the first process is left, which is about to end.
    pub(super) is_alone: bool,
}

pub(super) struct LineEnd {
    pub(super) exit: Exit,
    pub(super) cpu_us: u64,
    pub(super) memory_kib: u64,
}

#[derive(Default)]
struct Ready {
    output: bool,
    errors: bool,
    report: bool,
    process: bool,
    stop: bool,
}

impl Watch {
    /// Waits until the processes are gone and the output is closed.
    pub(super) fn until_over(&mut self, stop: &StopEvent) -> Result<(), RunError> {
        while !((self.is_alone || self.process.is_none()) && self.reader.is_over()) {
            let now = Instant::now();
            if self.killed.is_some_and(|killed| now.duration_since(killed) > KILL_DEADLINE) {
                return Err(RunError::NotKilled);
            }
            if self.outcome.is_none() && self.deadline.is_some_and(|deadline| now >= deadline) {
                self.end(Exit::TimedOut);
            }
            let ready = self.wait(stop, now)?;
            self.handle(&ready);
        }
        Ok(())
    }

    fn handle(&mut self, ready: &Ready) {
        if ready.output {
            self.reader.read(StreamKind::Output);
        }
        if ready.errors {
            self.reader.read(StreamKind::Errors);
        }
        if ready.report {
            self.read_report();
        }
        if ready.process {
            // The process can have reported and ended after the report was polled.
            if self.report.as_ref().is_some_and(ChildReport::is_there) {
                self.read_report();
            }
            self.reap();
        }
        if ready.stop && self.outcome.is_none() {
            self.end(Exit::Cancelled);
        }
    }

    fn wait(&self, stop: &StopEvent, now: Instant) -> Result<Ready, RunError> {
        let mut polled = Vec::with_capacity(5);
        let read = |which: fn(&mut Ready) -> &mut bool, end| (which, PollFd::from_borrowed_fd(end, PollFlags::IN));
        polled.extend(self.reader.output.end().map(|end| read(|ready| &mut ready.output, end)));
        polled.extend(self.reader.errors.end().map(|end| read(|ready| &mut ready.errors, end)));
        polled.extend(self.report.as_ref().map(|end| read(|ready| &mut ready.report, end.as_fd())));
        polled.extend(self.process.as_ref().map(|end| read(|ready| &mut ready.process, end.as_fd())));
        if self.outcome.is_none() {
            polled.push(read(|ready| &mut ready.stop, stop.as_fd()));
        }
        let (fields, mut descriptors): (Vec<_>, Vec<_>) = polled.into_iter().unzip();
        let left = match (self.killed, self.deadline) {
            (Some(killed), _) => Some(KILL_DEADLINE.saturating_sub(now.duration_since(killed))),
            (None, Some(deadline)) => Some(deadline.saturating_duration_since(now)),
            (None, None) => None,
        };
        // A little longer, so that the deadline has passed after waking.
        let left = left.map(|left| left.saturating_add(POLL_GRAIN));
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        match rustix::event::poll(&mut descriptors, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(system("wait for the sandbox")(error).into()),
        }
        let mut ready = Ready::default();
        for (field, descriptor) in fields.into_iter().zip(&descriptors) {
            *field(&mut ready) = !descriptor.revents().is_empty();
        }
        Ok(ready)
    }

    fn read_report(&mut self) {
        let Some(end) = self.report.take() else { return };
        let mut bytes = ReportBytes::default();
        let report = match rustix::io::read(&end, bytes.as_flattened_mut()) {
            Ok(len) if len == bytes.as_flattened().len() => ChildReport::from_bytes(bytes),
            Ok(_) | Err(_) => None,
        };
        self.is_alone = matches!(report, Some(ChildReport::Ended { is_alone: true, .. }));
        let outcome = match report {
            // The process is about to end without a report.
            None => return,
            Some(ChildReport::Ended { wait_status, cpu_us, memory_kib, .. }) => {
                Ok(LineEnd { exit: Exit::from_wait_status(wait_status), cpu_us, memory_kib })
            }
            Some(ChildReport::Broken { step: SetupStep::Start, error, command: command @ 2.. }) => {
                Ok(LineEnd { exit: Exit::Broken { command, error }, cpu_us: 0, memory_kib: 0 })
            }
            Some(ChildReport::Broken { step, error, .. }) => Err(RunError::Sandbox { step, error }),
            Some(ChildReport::Tried { .. }) => Err(RunError::Lost),
        };
        if self.outcome.is_none() {
            self.outcome = Some(outcome);
        }
        // With a process namespace, the first process ends by itself, and everything in it. Without, it waits to be killed.
        if self.is_own || self.is_alone {
            self.killed = self.killed.or_else(|| Some(Instant::now()));
        } else {
            self.kill();
        }
    }

    fn reap(&mut self) {
        let options = reap_options() | WaitIdOptions::NOHANG;
        let Some(process) = &self.process else { return };
        // Readable until the process is reaped.
        let since = if self.is_own || self.is_alone { None } else { start_of(self.pid) };
        match rustix::process::waitid(WaitId::PidFd(process.as_fd()), options) {
            Ok(None) | Err(Errno::INTR) => {}
            Ok(Some(_)) | Err(_) => {
                self.process = None;
                self.killed = self.killed.or_else(|| Some(Instant::now()));
                // A command may have killed the first process to escape.
                if since.is_some_and(|since| !end_orphans(since, self.mark)) {
                    self.outcome = Some(Err(RunError::NotKilled));
                }
            }
        }
    }

    fn end(&mut self, exit: Exit) {
        self.outcome = Some(Ok(LineEnd { exit, cpu_us: 0, memory_kib: 0 }));
        self.kill();
    }

    pub(super) fn kill(&mut self) {
        if !self.is_own && !end_descendants(self.pid) {
            self.outcome = Some(Err(RunError::NotKilled));
        }
        // Fails only when it has ended.
        if let Some(process) = &self.process {
            let _ = pidfd_send_signal(process, Signal::KILL);
        }
        self.killed = self.killed.or_else(|| Some(Instant::now()));
    }
}

/// A killed process is gone in milliseconds, unless the kernel waits for a disk.
const KILL_DEADLINE: Duration = Duration::from_secs(10);
const POLL_GRAIN: Duration = Duration::from_micros(100);

#[cfg(test)]
mod tests {
    use std::process::Command;

    use rustix::pipe::pipe;
    use rustix::process::{PidfdFlags, pidfd_open};

    use super::*;
    use crate::process::output::OutputLimits;

    /// CTR-0022: the report counts although it was not there yet when it was looked for, and its process has ended since.
    #[test]
    fn a_report_that_comes_between_two_looks_is_read() {
        for told in [true, false] {
            let mut ended = Command::new("true").spawn().unwrap();
            let pid = Pid::from_child(&ended);
            let [(output, _), (errors, _), (report, report_end)] = [(); 3].map(|()| pipe().unwrap());
            let mut watch = Watch {
                reader: OutputReader::new(OutputLimits::Each(1), output, errors),
                report: Some(report),
                process: Some(pidfd_open(pid, PidfdFlags::empty()).unwrap()),
                pid,
                is_own: true,
                mark: SandboxMark { has_filter: true, drops_privileges: true },
                deadline: None,
                outcome: None,
                killed: None,
                is_alone: false,
            };
            if told {
                let report = ChildReport::Ended { wait_status: 0, cpu_us: 1, memory_kib: 2, is_alone: true };
                rustix::io::write(&report_end, report.to_bytes().as_flattened()).unwrap();
            }
            while watch.process.is_some() {
                // With somebody else who could write the report, so that nothing but waiting would tell there is none.
                watch.handle(&Ready { process: true, ..Ready::default() });
            }
            assert!(ended.wait().is_err(), "nobody else finds it any more");
            let exit = watch.outcome.map(|outcome| outcome.unwrap().exit);
            assert_eq!(exit, told.then_some(Exit::Code(0)));
        }
    }
}
