//! A prepared sandbox -> the same around this process, and then its line, to the end.
//!
//! What is here runs in a copy of the executor that has one thread left. Locks of the others, the allocator's among
//! them, may be held for ever; so nothing here allocates, locks or panics: everything was made before, and what is
//! done is system calls. `tests/child_allocates_nothing.rs` holds it to that.
//!
//! ```text
//! executor ── clone ──> first process: namespaces, file tree, rights, Landlock, filter
//!                         ├─ each command: its streams, limits, execve
//!                         └─ reports how the line ended, and ends; the kernel ends what is left in its namespace
//! ```

use std::ffi::CStr;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd, RawFd};

use super::{Command, Grant, Job, Landlock, Maps, Prepared, Report, Step, sys};
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

/// Everything that the first process does. Its answer is its own status, which says nothing: the report does.
pub(super) fn main(prepared: &Prepared) -> i32 {
    let report = confine(prepared).and_then(|()| match &prepared.job {
        Job::Line(commands) => run_line(prepared, commands),
        Job::Trial(trial) => {
            limit(prepared).map_err(at(Step::ProcessLimit))?;
            Ok(Report::Tried { answer: trial() })
        }
    });
    let report = report.unwrap_or_else(|Broken { step, error, command }| Report::Broken { step, error, command });
    let is_told = rustix::io::write(&prepared.report, &report.bytes()).is_ok();
    if !prepared.has_own_processes && !matches!(report, Report::Ended { is_alone: true, .. }) {
        // What is left of the line hangs on this process. It stays, so that the executor finds and ends all of it.
        while rustix::process::wait(WaitOptions::empty()).is_ok() {}
        loop {
            rustix::event::pause();
        }
    }
    i32::from(!is_told)
}

struct Broken {
    step: Step,
    error: Errno,
    /// From 1; 0 before the first.
    command: u32,
}

fn at(step: Step) -> impl Fn(Errno) -> Broken {
    move |error| Broken { step, error, command: 0 }
}

fn confine(prepared: &Prepared) -> Result<(), Broken> {
    close_others(&prepared.kept_descriptors).map_err(at(Step::Descriptors))?;
    // Their numbers are taken from here on, so that no pipe gets one of them. Where the device is to be read that is not
    // there yet, something else has to stand in for it.
    let input = prepared.input.as_ref().unwrap_or(&prepared.output);
    place_streams(input.as_fd(), prepared.output.as_fd(), prepared).map_err(at(Step::Descriptors))?;
    die_with_parent(prepared).map_err(at(Step::ParentDeath))?;
    detach(prepared)?;
    build(prepared)?;
    restrict(prepared)
}

/// What is this process's alone.
fn detach(prepared: &Prepared) -> Result<(), Broken> {
    sys::reset_signals().map_err(at(Step::Signals))?;
    // A session of its own has no terminal.
    rustix::process::setsid().map_err(at(Step::Signals))?;
    if let Some(maps) = &prepared.maps {
        write_maps(maps).map_err(at(Step::UserMap))?;
    }
    if !prepared.limits.is_empty() {
        // When memory runs out, a command goes before the executor does. Where that cannot be said, the limits stand alone.
        let _ = write_file(c"/proc/self/oom_score_adj", b"1000");
    }
    if let Some(process_limit) = &prepared.process_limit {
        write_file(c"/proc/sys/kernel/pid_max", process_limit).map_err(at(Step::ProcessLimit))?;
    }
    if let Some(shared_limit) = &prepared.shared_limit {
        write_file(c"/proc/sys/kernel/shmall", shared_limit).map_err(at(Step::SharedLimit))?;
    }
    Ok(())
}

/// In a new user namespace: who its users are.
pub(super) fn write_maps(maps: &Maps) -> Result<(), Errno> {
    write_file(c"/proc/self/setgroups", b"deny")?;
    write_file(c"/proc/self/uid_map", &maps.users)?;
    write_file(c"/proc/self/gid_map", &maps.groups)
}

/// Everything around the process, before rights are given up.
fn build(prepared: &Prepared) -> Result<(), Broken> {
    if let Some(view) = &prepared.view {
        view.enter().map_err(at(Step::FileTree))?;
    }
    if prepared.input.is_none() {
        read_nothing().map_err(at(Step::Descriptors))?;
    }
    if let Some(landlock) = &prepared.landlock {
        landlock.grants.iter().try_for_each(|grant| allow(landlock, grant)).map_err(at(Step::Landlock))?;
    }
    if let Some(script) = &prepared.script {
        write_script(&script.path, &script.text).map_err(at(Step::Script))?;
    }
    enter_working_directory(prepared).map_err(at(Step::WorkingDirectory))
}

/// Puts the null device of this tree where commands read: what the descriptor lets them do, they can do by its path, and
/// no more. In a tree of its own it is read-only.
fn read_nothing() -> Result<(), Errno> {
    let null = rustix::fs::openat(CWD, c"/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    dup2_stdin(null)
}

fn allow(landlock: &Landlock, grant: &Grant) -> Result<(), Errno> {
    let place = rustix::fs::openat(CWD, grant.path.as_c_str(), OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
    match place {
        Ok(place) => sys::landlock_allow(landlock.ruleset.as_fd(), place.as_fd(), grant.bits),
        // What is not there needs no grant.
        Err(Errno::NOENT) if !grant.is_needed => Ok(()),
        Err(error) => Err(error),
    }
}

/// What this process may not do, its commands may not do either: each of these passes on.
fn restrict(prepared: &Prepared) -> Result<(), Broken> {
    if prepared.drops_privileges {
        rustix::thread::set_no_new_privs(true).map_err(at(Step::Privileges))?;
    }
    if let Some(landlock) = prepared.landlock.as_ref().filter(|landlock| !landlock.is_entered_by_each) {
        sys::landlock_restrict(landlock.ruleset.as_fd()).map_err(at(Step::Landlock))?;
    }
    if prepared.drops_privileges {
        drop_capabilities().map_err(at(Step::Privileges))?;
    }
    // This process is a copy of the executor: nobody looks into it.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(at(Step::Privileges))?;
    if let Some(filter) = &prepared.filter {
        sys::install_filter(filter).map_err(at(Step::Seccomp))?;
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
    // It may have died before it could be bound to.
    let mut parent = [PollFd::new(&prepared.parent, PollFlags::IN)];
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
    // By its path, and not by the handle that was opened outside: from that one, `..` leads out of the new tree.
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(CWD, place.path.as_c_str(), flags, Mode::empty())?;
    let stat = rustix::fs::statat(&folder, c"", AtFlags::EMPTY_PATH)?;
    if super::folder::Identity::of(&stat) != place.identity {
        return Err(Errno::STALE);
    }
    rustix::process::fchdir(folder)
}

fn drop_capabilities() -> Result<(), Errno> {
    let none = CapabilitySet::empty();
    if rustix::thread::capabilities(None)?.permitted.is_empty() {
        return Ok(());
    }
    // User 0 gets nothing back by executing a program.
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

/// Runs a line as a shell would: what follows `&&` or `||` depends on the status before it, and what is skipped
/// changes no status.
fn run_line(prepared: &Prepared, commands: &[Command]) -> Result<Report, Broken> {
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
                step: Step::Start,
                error,
                command: u32::try_from(passed.saturating_add(started).saturating_add(1)).unwrap_or(u32::MAX),
            };
            start_pipeline(prepared, pipeline).map_err(broken)?;
            if next.is_empty() {
                // This process writes nothing there itself, so that whoever reads is told of the end by the commands' own.
                close_others(&[prepared.report.as_raw_fd()]).map_err(at(Step::Descriptors))?;
            }
            wait_status = wait_for(pipeline).map_err(|error| broken((len, error)))?;
        }
        passed = passed.saturating_add(len);
        rest = next;
    }
    Ok(Report::ended(wait_status, sys::usage_of_children(), is_alone()))
}

/// Whether there is no child left, and so no descendant: those that lose their parent become this process's.
fn is_alone() -> bool {
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => return false,
            Err(error) => return error == Errno::CHILD,
        }
    }
}

/// Starts commands side by side, each reading what the one before it writes. Where one cannot be started, it tells how many
/// were, with the error.
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
        let start = Start {
            prepared,
            command,
            group,
            input: input.as_ref().map(OwnedFd::as_fd),
            output: output.as_ref().map_or(prepared.output.as_fd(), OwnedFd::as_fd),
        };
        // SAFETY: this process has one thread, which starts one command at a time on this stack; `execute` does not panic.
        let pid = unsafe { sys::start_sharing(&prepared.stack, || execute(&start)) }.map_err(broken)?;
        command.pid.set(Some(pid));
        group = group.or(Some(pid));
        input = next_input;
    }
    // Nobody else reads what a command writes, so that it learns when its reader is gone.
    drop(input);
    Ok(())
}

/// Until all commands of a pipeline have ended. The status is the last one's.
fn wait_for(commands: &[Command]) -> Result<i32, Errno> {
    let mut last = 0;
    while commands.iter().any(|command| command.pid.get().is_some()) {
        // Whoever has lost its parent is this process's child as well.
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

/// What a command needs in its own process.
struct Start<'a> {
    prepared: &'a Prepared,
    command: &'a Command,
    /// The process group of its pipeline, unless it is the first.
    group: Option<Pid>,
    /// None is what the first process has.
    input: Option<BorrowedFd<'a>>,
    output: BorrowedFd<'a>,
}

/// In the new process: puts everything in its place, and becomes the command.
fn execute(start: &Start<'_>) -> i32 {
    let Start { prepared, command, .. } = start;
    let error = match settle(start) {
        Ok(()) => sys::execute(&command.program, &command.words, &prepared.environment),
        Err(error) => error,
    };
    // As a shell says it: not there, or not to be executed.
    let name = command.words.first().unwrap_or(&command.program);
    let message = [b"cannot execute `".as_slice(), name.to_bytes(), b"`\n"].map(std::io::IoSlice::new);
    let _ = rustix::io::writev(prepared.errors.as_fd(), &message);
    if error == Errno::NOENT { STATUS_NOT_FOUND } else { STATUS_NOT_EXECUTED }
}

fn settle(start: &Start<'_>) -> Result<(), Errno> {
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
    dup2_stderr(&prepared.errors)
}

fn limit(prepared: &Prepared) -> Result<(), Errno> {
    let set = |(resource, limit): &(Resource, Rlimit)| rustix::process::setrlimit(*resource, *limit);
    prepared.limits.iter().try_for_each(set)
}

const FIRST_OTHER: RawFd = 3;
const STATUS_NOT_EXECUTED: i32 = 126;
const STATUS_NOT_FOUND: i32 = 127;
