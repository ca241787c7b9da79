//! A prepared sandbox -> its layers applied to this process, then its line run to the end.
//!
//! This code runs in a copy of the executor that has one thread left. Locks of the other threads, the allocator's among
//! them, may be held for ever. So nothing here allocates, locks or panics: everything was prepared before, and what remains
//! is system calls. `tests/child_allocates_nothing.rs` tests that.
//!
//! ```text
//! executor ── clone ──> first process: namespaces, file tree, rights, Landlock, filter
//!                         ├─ each command: its streams, limits, execve
//!                         └─ reports how the line ended, and ends; the kernel ends what is left in its namespace
//! ```

use std::ffi::CStr;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd, RawFd};

use super::{ChildReport, Command, FileIdentity, Job, Landlock, Maps, PathGrant, Prepared, SetupStep, sys};
use enforce_core::shell::Join;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{
    DumpableBehavior, Pid, Resource, Rlimit, Signal, WaitOptions, set_child_subreaper, set_dumpable_behavior,
    set_parent_process_death_signal,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use rustix::thread::{CapabilitiesSecureBits, CapabilitySet, CapabilitySets};

/// The first process from start to end. The report says how it went; the exit status does not matter.
pub(super) fn main(prepared: &Prepared) -> i32 {
    let report = confine(prepared).and_then(|()| match &prepared.job {
        Job::Line(commands) => run_line(prepared, commands),
        Job::Trial(trial) => {
            limit(prepared).map_err(at(SetupStep::ProcessLimit))?;
            Ok(ChildReport::Tried { answer: trial() })
        }
    });
    let report = report.unwrap_or_else(|Broken { step, error, command }| ChildReport::Broken { step, error, command });
    let is_told = rustix::io::write(&prepared.descriptors.streams.report, report.to_bytes().as_flattened()).is_ok();
    if !prepared.has_own_processes && !matches!(report, ChildReport::Ended { is_alone: true, .. }) {
        // Stays, so that the executor finds what is left of the line among its descendants and ends it.
        while rustix::process::wait(WaitOptions::empty()).is_ok() {}
        loop {
            rustix::event::pause();
        }
    }
    i32::from(!is_told)
}

struct Broken {
    step: SetupStep,
    error: Errno,
    /// From 1; 0 before the first.
    command: u32,
}

fn at(step: SetupStep) -> impl Fn(Errno) -> Broken {
    move |error| Broken { step, error, command: 0 }
}

fn confine(prepared: &Prepared) -> Result<(), Broken> {
    close_others(&prepared.descriptors.numbers).map_err(at(SetupStep::Descriptors))?;
    // Takes the numbers of the standard streams, so that no pipe gets one of them. The null device of the new file tree does
    // not exist yet, so another descriptor stands in for it.
    let input = prepared.descriptors.streams.input.as_ref().unwrap_or(&prepared.descriptors.streams.output);
    place_streams(input.as_fd(), prepared.descriptors.streams.output.as_fd(), prepared)
        .map_err(at(SetupStep::Descriptors))?;
    die_with_parent(prepared).map_err(at(SetupStep::ParentDeath))?;
    detach(prepared)?;
    build(prepared)?;
    restrict(prepared)
}

/// Gives the process signals, a session, ids and limits of its own.
fn detach(prepared: &Prepared) -> Result<(), Broken> {
    sys::reset_signals().map_err(at(SetupStep::Signals))?;
    // A session of its own has no terminal.
    rustix::process::setsid().map_err(at(SetupStep::Signals))?;
    if let Some(maps) = &prepared.maps {
        write_maps(maps).map_err(at(SetupStep::UserMap))?;
    }
    if !prepared.limits.is_empty() {
        // When memory runs out, the kernel kills a command before the executor. If this fails, the limits still hold.
        let _ = write_file(c"/proc/self/oom_score_adj", b"1000");
    }
    if let Some(process_limit) = &prepared.process_limit {
        write_file(c"/proc/sys/kernel/pid_max", process_limit).map_err(at(SetupStep::ProcessLimit))?;
    }
    if let Some(shared_limit) = &prepared.shared_limit {
        write_file(c"/proc/sys/kernel/shmall", shared_limit).map_err(at(SetupStep::SharedLimit))?;
    }
    Ok(())
}

/// Maps users and groups in a new user namespace.
pub(super) fn write_maps(maps: &Maps) -> Result<(), Errno> {
    write_file(c"/proc/self/setgroups", b"deny")?;
    write_file(c"/proc/self/uid_map", &maps.users)?;
    write_file(c"/proc/self/gid_map", &maps.groups)
}

/// Sets up files, while the process still has the rights to do so.
fn build(prepared: &Prepared) -> Result<(), Broken> {
    if let Some(view) = &prepared.view {
        view.enter().map_err(at(SetupStep::FileTree))?;
    }
    if prepared.descriptors.streams.input.is_none() {
        read_nothing().map_err(at(SetupStep::Descriptors))?;
    }
    if let Some(landlock) = &prepared.landlock {
        landlock.grants.iter().try_for_each(|grant| allow(landlock, grant)).map_err(at(SetupStep::Landlock))?;
    }
    if let Some(script) = &prepared.script {
        write_script(&script.path, &script.text).map_err(at(SetupStep::Script))?;
    }
    enter_working_directory(prepared).map_err(at(SetupStep::WorkingDirectory))
}

/// Makes the null device of this file tree the standard input. The descriptor then gives no rights beyond those of the path,
/// which is read-only in a private tree.
fn read_nothing() -> Result<(), Errno> {
    let null = rustix::fs::openat(CWD, c"/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    dup2_stdin(null)
}

fn allow(landlock: &Landlock, grant: &PathGrant) -> Result<(), Errno> {
    let place = rustix::fs::openat(CWD, grant.path.as_c_str(), OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
    match place {
        Ok(place) => sys::landlock_allow(landlock.ruleset.as_fd(), place.as_fd(), grant.bits),
        // A missing file needs no grant.
        Err(Errno::NOENT) if !grant.is_needed => Ok(()),
        Err(error) => Err(error),
    }
}

/// Drops rights. Commands inherit each of these restrictions.
fn restrict(prepared: &Prepared) -> Result<(), Broken> {
    if prepared.drops_privileges {
        rustix::thread::set_no_new_privs(true).map_err(at(SetupStep::Privileges))?;
    }
    if let Some(landlock) = prepared.landlock.as_ref().filter(|landlock| !landlock.is_entered_by_each) {
        sys::landlock_restrict(landlock.ruleset.as_fd()).map_err(at(SetupStep::Landlock))?;
    }
    if prepared.drops_privileges {
        drop_capabilities().map_err(at(SetupStep::Privileges))?;
    }
    // A copy of the executor's memory: no command may read it.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(at(SetupStep::Privileges))?;
    if let Some(filter) = &prepared.filter {
        sys::install_filter(filter).map_err(at(SetupStep::Seccomp))?;
    }
    Ok(())
}

fn close_others(kept: &[RawFd]) -> Result<(), Errno> {
    // SAFETY: this process runs nothing but this module, which uses only the descriptors that are kept.
    let close = |first, last| unsafe { sys::close_descriptors(first, last) };
    let mut first: RawFd = 0;
    for kept in kept {
        if first < *kept {
            close(first, kept.saturating_sub(1))?;
        }
        first = kept.saturating_add(1);
    }
    close(first, RawFd::MAX)
}

fn die_with_parent(prepared: &Prepared) -> Result<(), Errno> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // The executor may have died before the signal was set.
    let mut parent = [PollFd::new(&prepared.descriptors.parent, PollFlags::IN)];
    if rustix::event::poll(&mut parent, Some(&Timespec::default()))? > 0 {
        return Err(Errno::SRCH);
    }
    if !prepared.has_own_processes {
        set_child_subreaper(Some(rustix::process::getpid()))?;
    }
    Ok(())
}

fn enter_working_directory(prepared: &Prepared) -> Result<(), Errno> {
    let Some(place) = &prepared.working_directory else {
        return Ok(());
    };
    // Opened by its path: from the handle that was opened outside, `..` would lead out of the new tree.
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(CWD, place.path.as_c_str(), flags, Mode::empty())?;
    let stat = rustix::fs::statat(&folder, c"", AtFlags::EMPTY_PATH)?;
    if FileIdentity::of(&stat) != place.identity {
        return Err(Errno::STALE);
    }
    rustix::process::fchdir(folder)
}

fn drop_capabilities() -> Result<(), Errno> {
    let none = CapabilitySet::empty();
    if rustix::thread::capabilities(None)?.permitted.is_empty() {
        return Ok(());
    }
    // Keeps root from regaining capabilities by executing a program.
    let bits = CapabilitiesSecureBits::NO_ROOT
        | CapabilitiesSecureBits::NO_ROOT_LOCKED
        | CapabilitiesSecureBits::NO_SETUID_FIXUP
        | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED
        | CapabilitiesSecureBits::KEEP_CAPS_LOCKED
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE_LOCKED;
    rustix::thread::set_capabilities_secure_bits(bits)?;
    rustix::thread::clear_ambient_capability_set()?;
    rustix::thread::set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
}

fn write_script(path: &CStr, text: &[u8]) -> Result<(), Errno> {
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
    let file = rustix::fs::openat(CWD, path, flags, Mode::RUSR)?;
    let mut rest = text;
    while !rest.is_empty() {
        let written = rustix::io::write(&file, rest)?;
        rest = rest.get(written..).unwrap_or_default();
    }
    Ok(())
}

fn write_file(path: &CStr, text: &[u8]) -> Result<(), Errno> {
    let file = rustix::fs::openat(CWD, path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
    rustix::io::write(&file, text).map(drop)
}

/// Runs a line like a shell: a pipeline behind `&&` or `||` depends on the status before it, and skipping it keeps that
/// status.
fn run_line(prepared: &Prepared, commands: &[Command]) -> Result<ChildReport, Broken> {
    let mut wait_status = 0;
    let mut passed: usize = 0;
    let mut rest = commands;
    while let Some(first) = rest.first() {
        let is_piped = |command: &&Command| command.joined_by == Some(Join::Pipe);
        let len = rest.iter().skip(1).take_while(is_piped).count().saturating_add(1);
        let (pipeline, next) = rest.split_at_checked(len).unwrap_or((rest, &[]));
        let is_run = match first.joined_by {
            None | Some(Join::Then | Join::Pipe) => true,
            Some(Join::And) => wait_status == 0,
            Some(Join::Or) => wait_status != 0,
        };
        if is_run {
            let broken = |(started, error)| Broken {
                step: SetupStep::Start,
                error,
                command: u32::try_from(passed.saturating_add(started).saturating_add(1)).unwrap_or(u32::MAX),
            };
            start_pipeline(prepared, pipeline).map_err(broken)?;
            if next.is_empty() {
                // Closes this process's copies of the output, so that readers see its end when the commands have ended.
                close_others(&[prepared.descriptors.streams.report.as_raw_fd()]).map_err(at(SetupStep::Descriptors))?;
            }
            wait_status = wait_for(pipeline).map_err(|error| broken((len, error)))?;
        }
        passed = passed.saturating_add(len);
        rest = next;
    }
    Ok(ChildReport::ended(wait_status, sys::usage_of_children(), is_alone()))
}

/// True if no child is left, and so no descendant: orphans become children of this process.
fn is_alone() -> bool {
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => return false,
            Err(error) => return error == Errno::CHILD,
        }
    }
}

/// Starts the commands of a pipeline. An error carries how many were started.
fn start_pipeline(prepared: &Prepared, commands: &[Command]) -> Result<(), (usize, Errno)> {
    let mut input: Option<OwnedFd> = None;
    let mut group = None;
    for (started, command) in commands.iter().enumerate() {
        let broken = |error| (started, error);
        let is_last = started.saturating_add(1) == commands.len();
        let (next_input, output) = if is_last {
            (None, None)
        } else {
            let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).map_err(broken)?;
            (Some(read), Some(write))
        };
        let start = StartedCommand {
            prepared,
            command,
            group,
            input: input.as_ref().map(OwnedFd::as_fd),
            output: output.as_ref().map_or(prepared.descriptors.streams.output.as_fd(), OwnedFd::as_fd),
        };
        // SAFETY: this process has one thread, which starts one command at a time on this stack; `execute` does not panic.
        let pid = unsafe { sys::start_sharing(&prepared.stack, || execute(&start)) }.map_err(broken)?;
        command.pid.set(Some(pid));
        group = group.or(Some(pid));
        input = next_input;
    }
    // Closes this process's copy of the pipe, so that the writer gets an error when its reader has ended.
    drop(input);
    Ok(())
}

/// Waits for all commands of a pipeline, and returns the status of the last one.
fn wait_for(commands: &[Command]) -> Result<i32, Errno> {
    let mut last = 0;
    while commands.iter().any(|command| command.pid.get().is_some()) {
        // Orphans are children of this process, too.
        let waited = rustix::process::wait(WaitOptions::empty())?;
        let Some((pid, status)) = waited else { continue };
        let Some(command) = commands.iter().find(|command| command.pid.get() == Some(pid)) else { continue };
        command.pid.set(None);
        if commands.last().is_some_and(|it| std::ptr::eq(it, command)) {
            last = status.as_raw();
        }
    }
    Ok(last)
}

struct StartedCommand<'a> {
    prepared: &'a Prepared,
    command: &'a Command,
    /// The process group of the pipeline; none for its first command.
    group: Option<Pid>,
    /// None for the standard input of the first process.
    input: Option<BorrowedFd<'a>>,
    output: BorrowedFd<'a>,
}

/// Sets up the new process and replaces it by the command.
fn execute(start: &StartedCommand<'_>) -> i32 {
    let StartedCommand { prepared, command, .. } = start;
    let error = match set_up(start) {
        Ok(()) => sys::execute(&command.program, &command.words, &prepared.environment),
        Err(error) => error,
    };
    let name = command.words.first().unwrap_or(&command.program);
    let message = [b"cannot execute `".as_slice(), name.to_bytes(), b"`\n"].map(std::io::IoSlice::new);
    let _ = rustix::io::writev(prepared.descriptors.streams.errors.as_fd(), &message);
    if error == Errno::NOENT { STATUS_NOT_FOUND } else { STATUS_NOT_EXECUTED }
}

fn set_up(start: &StartedCommand<'_>) -> Result<(), Errno> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    rustix::process::setpgid(None, start.group)?;
    place_streams(start.input.unwrap_or(rustix::stdio::stdin()), start.output, start.prepared)?;
    limit(start.prepared)?;
    if let Some(landlock) = start.prepared.landlock.as_ref().filter(|landlock| landlock.is_entered_by_each) {
        sys::landlock_restrict(landlock.ruleset.as_fd())?;
    }
    sys::mark_descriptors_from(FIRST_OTHER)
}

fn place_streams(input: BorrowedFd<'_>, output: BorrowedFd<'_>, prepared: &Prepared) -> Result<(), Errno> {
    dup2_stdin(input)?;
    dup2_stdout(output)?;
    dup2_stderr(&prepared.descriptors.streams.errors)
}

fn limit(prepared: &Prepared) -> Result<(), Errno> {
    let set = |(resource, limit): &(Resource, Rlimit)| rustix::process::setrlimit(*resource, *limit);
    prepared.limits.iter().try_for_each(set)
}

const FIRST_OTHER: RawFd = 3;
/// As in a shell.
const STATUS_NOT_EXECUTED: i32 = 126;
const STATUS_NOT_FOUND: i32 = 127;
