//! What a command may touch -> a process that can touch nothing else.
//!
//! Each layer is the kernel's. A layer that the kernel cannot give is an error, unless the operator has accepted that
//! it is missing; nothing is switched off in silence. It knows no policy, no request and no tool.
//!
//! Everything is prepared before there is a process; one `clone3` makes the first process of the sandbox, which puts the
//! layers around itself, starts the commands and waits for them. When it ends, or is killed, or the executor dies, the
//! kernel ends everything that was started in it.
//!
//! Without a namespace of processes, which an operator can accept, this is weaker: the executor then looks for what the
//! commands have started and kills that, and a process that keeps starting others can outrun it for a while. A command
//! that kills the first process is found as well, because what loses its parents becomes the executor's; one that can kill
//! the executor itself, where Landlock does not scope signals, outlives it.

#[expect(unsafe_code, reason = "calls of `sys` with preconditions")]
mod child;
mod folder;
mod landlock;
mod layer;
mod leaving;
mod limits;
#[expect(unsafe_code, reason = "calls of `sys` with preconditions")]
mod prepared;
#[expect(unsafe_code, reason = "calls of `sys` with preconditions")]
mod probe;
mod report;
mod rulesets;
mod seccomp;
mod settings;
#[expect(unsafe_code, reason = "calls of `sys` with preconditions")]
mod space;
#[expect(unsafe_code, reason = "system calls that no crate has a safe wrapper for")]
mod sys;
mod temp;
mod tree;
mod view;

use std::ffi::CString;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;

pub use folder::{Folder, FolderError};
pub use landlock::RulesetError;
pub use layer::{Layer, Layers, UnknownLayer};
pub use limits::Limits;
pub use prepared::PrepareError;
pub(crate) use prepared::{Command, Job, Prepared, Script, Streams, system};
pub use probe::Kernel;
pub(crate) use probe::{Trial, compute, errno, reap_options, start_processes};
pub(crate) use report::Report;
pub use report::Step;
pub use sys::ignore_file_size_signal;
pub(crate) use temp::PrivateTemp;
pub use temp::TempError;
pub(crate) use tree::{Mark, adopt, end_descendants, end_orphans, start_of};
pub use view::{PRIVATE_HOME, PRIVATE_TEMP, is_seen_by_commands};

use child::write_maps;
use folder::{Identity, Spot, shown};
use landlock::{Access, Kind, Rules, Version};
use leaving::{Leaving, Left};
use prepared::{Descriptors, Grant, Landlock, Maps, Place, aside};
use probe::reap;
use rulesets::{Granted, LastRuleset};
use seccomp::Grants;
use settings::Settings;
use space::Space;
use sys::{Instruction, SIBLING, Stack, Usage, Words, clone_process};
use view::{ETC, Held, Setting, System, View};

/// A sandbox that this machine can make: which layers it has, and what of the machine commands see. What waits in it for the
/// next line is its process's: a program that forks needs another one in the new process.
#[derive(Debug)]
pub struct Sandbox {
    layers: Layers,
    missing: Vec<Missing>,
    version: Option<Version>,
    system: System,
    settings: settings::Opened,
    with_network: Arc<[Instruction]>,
    without_network: Arc<[Instruction]>,
    /// Whether a namespace of processes can be told how many it may have.
    bounds_process_numbers: bool,
    /// Whether a namespace of shared memory can be told how much it may have.
    bounds_shared_memory: bool,
    leaving: Arc<Leaving>,
    spaces: Arc<space::Idle>,
    temps: Arc<temp::Idle>,
}

/// A layer that this machine cannot provide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    pub layer: Layer,
    pub why: String,
}

/// The layers that are missing and were not accepted to be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the sandbox is incomplete on this machine{}; `--accept-missing` runs without a layer",
    missing.iter().map(|Missing { layer, why }| format!("; {layer}: {why}")).collect::<String>()
)]
pub struct SandboxError {
    pub missing: Vec<Missing>,
}

/// What one process is to be held to.
pub(crate) struct Order<'a> {
    pub(crate) network: bool,
    pub(crate) working_directory: Option<&'a Folder>,
    pub(crate) read: &'a [Folder],
    pub(crate) write: &'a [Folder],
    /// The folder for short-lived files, where it is not a new one in memory.
    pub(crate) temp: Option<&'a PrivateTemp>,
    pub(crate) limits: &'a Limits,
    pub(crate) script: Option<Script>,
    pub(crate) environment: Vec<CString>,
    pub(crate) job: Job,
    pub(crate) streams: Streams,
}

impl Sandbox {
    /// Asks the kernel for every layer.
    ///
    /// # Errors
    /// When a layer is missing that is not in `accept_missing`. One that is there is used, accepted or not.
    pub fn new(accept_missing: &[Layer]) -> Result<Self, SandboxError> {
        let sandbox = Self::examined();
        let is_refused = |missing: &&Missing| !accept_missing.contains(&missing.layer);
        let missing: Vec<Missing> = sandbox.missing.iter().filter(is_refused).cloned().collect();
        if !missing.is_empty() {
            return Err(SandboxError { missing });
        }
        if !sandbox.layers.has(Layer::MountNamespace)
            && let Ok(place) = temp::place()
        {
            temp::sweep(&place);
        }
        Ok(sandbox)
    }

    /// With whatever layers there are.
    pub(crate) fn examined() -> Self {
        let mut sandbox = Self::unprobed();
        sandbox.probe();
        sandbox
    }

    pub(crate) fn landlock_version(&self) -> Option<u32> {
        self.version.map(Version::number)
    }

    /// Whether System V shared memory is bounded by a run's limits, and not by the filter alone.
    pub(crate) fn bounds_shared_memory(&self) -> bool {
        self.bounds_shared_memory
    }

    /// The layers that commands are held by.
    #[must_use]
    pub fn layers(&self) -> Layers {
        self.layers
    }

    /// The layers that are missing, and accepted to be.
    #[must_use]
    pub fn missing(&self) -> &[Missing] {
        &self.missing
    }

    /// The same with only some of its layers, to see what each of them does and costs alone. Commands belong in the whole
    /// one.
    #[must_use]
    pub fn only(&self, layers: Layers) -> Self {
        Self {
            layers: self.layers.iter().filter(|layer| layers.has(*layer)).collect(),
            missing: self.missing.clone(),
            version: self.version,
            system: System::detect(),
            settings: settings::Opened::default(),
            with_network: Arc::clone(&self.with_network),
            without_network: Arc::clone(&self.without_network),
            bounds_process_numbers: self.bounds_process_numbers,
            bounds_shared_memory: self.bounds_shared_memory,
            leaving: Arc::clone(&self.leaving),
            spaces: Arc::clone(&self.spaces),
            temps: Arc::clone(&self.temps),
        }
    }

    /// A folder for short-lived files, where the sandbox does not make one in memory.
    pub(crate) fn private_temp(&self) -> Result<Option<PrivateTemp>, TempError> {
        match self.layers.has(Layer::MountNamespace) {
            true => Ok(None),
            false => self.temps.take().map(Some),
        }
    }

    /// Takes such a folder back when no process is left that could write to it.
    pub(crate) fn give_back(&self, temp: PrivateTemp) {
        self.temps.give_back(temp);
    }

    /// Takes over the first process of a sandbox that is over, if it is still there: nothing else of it is left. When that is
    /// gone too, its namespaces are for others.
    pub(crate) fn leave(&self, process: Option<OwnedFd>, space: Option<Space>) {
        // Without these, a line can change more of a namespace than who is in it: it has rights there, or a keyring.
        let is_untouched = self.layers.has(Layer::NoNewPrivileges) && self.layers.has(Layer::Seccomp);
        let space = space.filter(|_| is_untouched);
        match process {
            Some(process) => self.leaving.take(Left { process, space }),
            None => space.into_iter().for_each(|space| self.spaces.give_back(space)),
        }
    }

    /// Takes over the first process of a sandbox that was killed and is still there.
    pub(crate) fn leave_stuck(&self, process: OwnedFd) {
        leaving::take_stuck(process);
    }

    pub(crate) fn prepare(&self, order: Order<'_>) -> Result<Prepared, PrepareError> {
        let has = |layer| self.layers.has(layer);
        let landlock = match self.version.filter(|_| has(Layer::Landlock)) {
            Some(version) => {
                let grants = self.grants(version, order.network)?;
                let ruleset = self.ruleset(version, &order, &grants)?;
                // In a namespace of its own, nobody inside can signal the first process.
                let is_entered_by_each = !has(Layer::PidNamespace) && matches!(order.job, Job::Line(_));
                Some(Landlock { ruleset, grants, is_entered_by_each })
            }
            None => None,
        };
        let ruleset = landlock.as_ref().map(|landlock| landlock.ruleset.as_ref());
        let Descriptors { streams, parent, numbers } = Descriptors::new(order.streams, ruleset)?;
        let view = match has(Layer::MountNamespace) {
            true => Some(self.system.view(order.read, order.write, order.network, order.limits.temp_bytes)?),
            false => None,
        };
        let filter = if order.network { &self.with_network } else { &self.without_network };
        let limits = if has(Layer::ResourceLimits) { order.limits.resources() } else { Vec::new() };
        let bounds_numbers = has(Layer::ResourceLimits) && has(Layer::PidNamespace) && self.bounds_process_numbers;
        let bounds_shared = has(Layer::ResourceLimits) && has(Layer::IpcNamespace) && self.bounds_shared_memory;
        let space = match has(Layer::UserNamespace) && has(Layer::NetworkNamespace) && !order.network {
            true => Some(self.spaces.take()?),
            false => None,
        };
        Ok(Prepared {
            clone_flags: self.clone_flags(space.is_some(), order.network),
            maps: (has(Layer::UserNamespace) && space.is_none()).then(Maps::own),
            space,
            process_limit: bounds_numbers.then(|| order.limits.process_numbers()),
            shared_limit: bounds_shared.then(|| order.limits.shared_pages()),
            view,
            script: order.script,
            working_directory: order.working_directory.map(Place::of).transpose()?,
            drops_privileges: has(Layer::NoNewPrivileges),
            landlock,
            filter: has(Layer::Seccomp).then(|| Arc::clone(filter)),
            limits,
            has_own_processes: has(Layer::PidNamespace),
            job: order.job,
            environment: Words::new(order.environment),
            input: streams.input,
            output: streams.output,
            errors: streams.errors,
            report: streams.report,
            parent,
            kept_descriptors: numbers,
            stack: Stack::default(),
        })
    }

    /// The namespaces that are made for a line: those that it is not put into.
    fn clone_flags(&self, has_space: bool, network: bool) -> u64 {
        let flag = |layer| match layer {
            Layer::UserNamespace if !has_space => libc::CLONE_NEWUSER,
            Layer::NetworkNamespace if !has_space && !network => libc::CLONE_NEWNET,
            Layer::PidNamespace => libc::CLONE_NEWPID,
            Layer::MountNamespace => libc::CLONE_NEWNS,
            Layer::IpcNamespace => libc::CLONE_NEWIPC,
            Layer::UserNamespace
            | Layer::NetworkNamespace
            | Layer::NoNewPrivileges
            | Layer::Landlock
            | Layer::Seccomp
            | Layer::ResourceLimits => 0,
        };
        self.layers.iter().fold(0, |flags, layer| flags | u64::from(flag(layer).unsigned_abs()))
    }

    /// What is granted of folders that the executor has open. If nothing is added to it, the next line may have it too.
    fn ruleset(&self, version: Version, order: &Order<'_>, added: &[Grant]) -> Result<Arc<OwnedFd>, PrepareError> {
        let read = order.read.iter().map(|folder| (Access::Run, folder));
        let write = order.write.iter().map(|folder| (Access::Write, folder));
        let folders = read.chain(write);
        let settings = self.settings.get(&self.system.settings);
        let make = || -> Result<Arc<OwnedFd>, PrepareError> {
            let rules = Rules::new(version, order.network)?;
            for Held { handle, path } in &self.system.folders {
                rules.grant(handle, path, (Access::Run, Kind::Folder))?;
            }
            for Held { handle, path } in &self.system.devices {
                rules.grant(handle, path, (Access::Device, Kind::File))?;
            }
            for (Held { handle, path }, kind) in &settings.held {
                rules.grant(handle, path, (Access::Read, *kind))?;
            }
            let temp = order.temp.map(|temp| (Access::Write, temp.folder()));
            for (access, folder) in folders.clone().chain(temp) {
                rules.grant(folder, folder.path(), (access, Kind::Folder))?;
            }
            Ok(Arc::new(aside(rules.finish())?))
        };
        let granted = || Granted::new(order.network, &settings, folders.clone());
        match order.temp.filter(|_| added.is_empty()).and_then(|temp| Some((temp, granted()?))) {
            Some((temp, granted)) => temp.ruleset().get(granted, make),
            None => make(),
        }
    }

    /// What is granted by its path, in the file tree that the command sees.
    fn grants(&self, version: Version, network: bool) -> Result<Vec<Grant>, std::ffi::NulError> {
        let grant = |path: &Path, access, kind, is_needed| Grant::new(path, version.bits(access, kind), is_needed);
        let settings = self.system.other_settings.iter().filter(|setting| network || !setting.is_for_network);
        let settings = settings.map(|Setting { path, is_folder, .. }| {
            let kind = if *is_folder { Kind::Folder } else { Kind::File };
            grant(path, Access::Read, kind, false)
        });
        let own = [(PRIVATE_TEMP, Access::Write), (view::SHARED_MEMORY, Access::Write), (view::PROC, Access::Read)];
        let own = own.into_iter().filter(|_| self.layers.has(Layer::MountNamespace));
        let own = own.map(|(path, access)| grant(Path::new(path), access, Kind::Folder, true));
        settings.chain(own).collect()
    }

    fn unprobed() -> Self {
        let filter = |network| Arc::from(seccomp::filter(Grants { network, ipc: true, segments_are_bounded: true }));
        let spaces = Arc::<space::Idle>::default();
        Self {
            layers: Layers::all(),
            missing: Vec::new(),
            version: None,
            system: System::detect(),
            settings: settings::Opened::default(),
            with_network: filter(true),
            without_network: filter(false),
            bounds_process_numbers: false,
            bounds_shared_memory: false,
            leaving: Arc::new(Leaving::new(Arc::clone(&spaces))),
            spaces,
            temps: Arc::default(),
        }
    }
}

/// A change after this many seconds has another date on every file system that is in use.
const DATE_GRAIN_SECONDS: i64 = 2;

/// A program that is to be found again inside: the same path, in a folder that is there.
pub(crate) fn c_path(path: &Path) -> Result<CString, PrepareError> {
    use std::os::unix::ffi::OsStrExt as _;
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

#[cfg(test)]
mod tests;
