//! A running sandbox -> what became of it: its output read, its report heard, killed when it has to be.

use std::os::fd::{AsFd as _, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, pidfd_send_signal};

use super::output::{OutputReader, StreamKind};
use super::run::RunError;
use super::stop::StopEvent;
use crate::sandbox::{
    ChildReport, ReportBytes, SandboxMark, SetupStep, end_descendants, end_orphans, reap_options, start_of, system,
};
use exec_base::Exit;

/// A running sandbox, and what is known of it.
pub(super) struct Watch {
    pub(super) drain: OutputReader,
    /// None once it has come, or can come no more.
    report: Option<OwnedFd>,
    /// Its first process, until it is gone or left to others.
    pub(super) process: Option<OwnedFd>,
    pid: Pid,
    /// Whether everything that it starts ends with its first process.
    is_own: bool,
    /// What tells its processes from others.
    mark: SandboxMark,
    deadline: Option<Instant>,
    pub(super) outcome: Option<Result<LineEnd, RunError>>,
    /// Since when it is waited for the end of what was killed.
    killed: Option<Instant>,
    /// Whether nothing is left but its first process, which is about to end.
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
    pub(super) fn new(
        drain: OutputReader,
        report: OwnedFd,
        (pid, process): (Pid, OwnedFd),
        (is_own, mark): (bool, SandboxMark),
        deadline: Option<Instant>,
    ) -> Self {
        Self {
            drain,
            report: Some(report),
            process: Some(process),
            pid,
            is_own,
            mark,
            deadline,
            outcome: None,
            killed: None,
            is_alone: false,
        }
    }

    /// Until the processes are gone and nobody can write any more.
    pub(super) fn until_over(&mut self, stop: &StopEvent) -> Result<(), RunError> {
        while !((self.is_alone || self.process.is_none()) && self.drain.is_over()) {
            let now = Instant::now();
            if self.killed.is_some_and(|killed| now.duration_since(killed) > KILL_PATIENCE) {
                return Err(RunError::NotKilled);
            }
            if self.outcome.is_none() && self.deadline.is_some_and(|deadline| now >= deadline) {
                self.end(Exit::TimedOut);
            }
            let ready = self.wait(stop, now)?;
            self.take_in(&ready);
        }
        Ok(())
    }

    fn take_in(&mut self, ready: &Ready) {
        if ready.output {
            self.drain.read(StreamKind::Output);
        }
        if ready.errors {
            self.drain.read(StreamKind::Errors);
        }
        if ready.report {
            self.read_report();
        }
        if ready.process {
            // They are looked at one after the other: between the two, a process can have reported and ended.
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
        polled.extend(self.drain.output.end().map(|end| read(|ready| &mut ready.output, end)));
        polled.extend(self.drain.errors.end().map(|end| read(|ready| &mut ready.errors, end)));
        polled.extend(self.report.as_ref().map(|end| read(|ready| &mut ready.report, end.as_fd())));
        polled.extend(self.process.as_ref().map(|end| read(|ready| &mut ready.process, end.as_fd())));
        if self.outcome.is_none() {
            polled.push(read(|ready| &mut ready.stop, stop.as_fd()));
        }
        let (fields, mut descriptors): (Vec<_>, Vec<_>) = polled.into_iter().unzip();
        let left = match (self.killed, self.deadline) {
            (Some(killed), _) => Some(KILL_PATIENCE.saturating_sub(now.duration_since(killed))),
            (None, Some(deadline)) => Some(deadline.saturating_duration_since(now)),
            (None, None) => None,
        };
        // A little more, so that the time is over when it is looked at again.
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
        // It is written in one piece.
        let report = match rustix::io::read(&end, bytes.as_flattened_mut()) {
            Ok(len) if len == bytes.as_flattened().len() => ChildReport::from_bytes(bytes),
            Ok(_) | Err(_) => None,
        };
        self.is_alone = matches!(report, Some(ChildReport::Ended { is_alone: true, .. }));
        let outcome = match report {
            // Its process is about to end, and tells why.
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
        // It goes by itself, with all that is left, where it can; elsewhere it waits for this.
        if self.is_own || self.is_alone {
            self.killed = self.killed.or_else(|| Some(Instant::now()));
        } else {
            self.kill();
        }
    }

    fn reap(&mut self) {
        let options = reap_options() | WaitIdOptions::NOHANG;
        let Some(process) = &self.process else { return };
        // Known as long as nobody has waited for it.
        let since = if self.is_own || self.is_alone { None } else { start_of(self.pid) };
        match rustix::process::waitid(WaitId::PidFd(process.as_fd()), options) {
            Ok(None) | Err(Errno::INTR) => {}
            Ok(Some(_)) | Err(_) => {
                self.process = None;
                self.killed = self.killed.or_else(|| Some(Instant::now()));
                // A command may have killed it, to be found by nobody.
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
        // It fails only when it has ended.
        if let Some(process) = &self.process {
            let _ = pidfd_send_signal(process, Signal::KILL);
        }
        self.killed = self.killed.or_else(|| Some(Instant::now()));
    }
}

/// What is killed is gone in milliseconds, unless the kernel is waiting for a disk.
const KILL_PATIENCE: Duration = Duration::from_secs(10);
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
                drain: OutputReader::new(OutputLimits::Each(1), output, errors),
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
                watch.take_in(&Ready { process: true, ..Ready::default() });
            }
            assert!(ended.wait().is_err(), "nobody else finds it any more");
            let exit = watch.outcome.map(|outcome| outcome.unwrap().exit);
            assert_eq!(exit, told.then_some(Exit::Code(0)));
        }
    }
}
