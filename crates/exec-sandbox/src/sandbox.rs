//! Access rights of a command -> a process that can touch nothing else.
//!
//! Each layer is enforced by the kernel. A layer that the kernel lacks is an error, unless the operator has accepted that it
//! is missing; no layer is dropped silently. This module knows no policy, no request and no tool.
//!
//! Everything is prepared before the process exists. One `clone3` makes the first process of the sandbox, which applies the
//! layers to itself, starts the commands and waits for them. When it ends or is killed, or the executor dies, the kernel
//! ends everything that was started in it.
//!
//! Without a process namespace, which an operator can accept, this is weaker: the executor searches for the descendants of
//! the first process and kills them, and a process that keeps forking can outrun it for a while. Descendants are found even
//! if a command has killed the first process, because the executor adopts orphans. A command that can kill the executor,
//! where Landlock does not scope signals, outlives it.

#[expect(unsafe_code, reason = "calls of `sys` with preconditions")]
mod child;
mod folder;
mod landlock;
mod layer;
mod limits;
#[expect(unsafe_code, reason = "calls of `sys` with preconditions")]
mod netns;
#[expect(unsafe_code, reason = "calls of `sys` with preconditions")]
mod prepared;
#[expect(unsafe_code, reason = "calls of `sys` with preconditions")]
mod probe;
mod report;
mod seccomp;
mod settings;
#[expect(unsafe_code, reason = "system calls that no crate has a safe wrapper for")]
mod sys;
mod temp;
mod tree;
mod view;

use std::ffi::{CString, NulError};
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
pub(crate) use probe::{TrialAnswer, compute, errno, reap_options, start_processes};
pub use report::SetupStep;
pub(crate) use report::{ChildReport, ReportBytes};
pub use sys::ignore_file_size_signal;
pub(crate) use temp::PrivateTemp;
pub use temp::TempError;
pub(crate) use tree::{SandboxMark, adopt, end_descendants, end_orphans, start_of};
pub use view::{PRIVATE_HOME, PRIVATE_TEMP, is_visible_to_commands};

use child::write_maps;
use exec_base::FileIdentity;
use folder::{DirectoryVersion, UniqueIdentity, shown};
use landlock::{Access, Granted, Kind, LastRuleset, Rules, Version};
use netns::{EndingSandbox, NetNamespace, NetNamespacePool, Reaper};
use prepared::{Descriptors, Landlock, Maps, PathGrant, WorkingDirectory, aside};
use probe::reap;
use seccomp::Grants;
use settings::OpenSettings;
use sys::{SIBLING, Stack, Usage, Words, clone_process};
use view::{ETC, FileTree, OpenPath, Setting, SystemPaths};

/// The sandbox that this machine can provide: its layers, and the parts of the machine that commands see. It keeps namespaces
/// and directories for the next line, so that a program that forks needs a new one in the new process.
#[derive(Debug)]
pub struct Sandbox {
    layers: Layers,
    missing: Vec<MissingLayer>,
    version: Option<Version>,
    system: SystemPaths,
    settings: settings::SettingsCache,
    with_network: Arc<[libc::sock_filter]>,
    without_network: Arc<[libc::sock_filter]>,
    /// True if the number of processes in a process namespace can be limited.
    bounds_process_numbers: bool,
    /// True if the System V shared memory of an IPC namespace can be limited.
    pub(crate) bounds_shared_memory: bool,
    reaper: Arc<Reaper>,
    namespaces: Arc<NetNamespacePool>,
    temps: Arc<temp::TempPool>,
}

/// A layer that this machine cannot provide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingLayer {
    pub layer: Layer,
    pub why: String,
}

/// The layers that are missing and not accepted as missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the sandbox is incomplete on this machine{}; `--accept-missing` runs without a layer",
    missing.iter().map(|MissingLayer { layer, why }| format!("; {layer}: {why}")).collect::<String>()
)]
pub struct SandboxError {
    pub missing: Vec<MissingLayer>,
}

/// The access rights of one line, and the line itself.
pub(crate) struct SandboxOrder<'a> {
    pub(crate) network: bool,
    pub(crate) working_directory: Option<&'a Folder>,
    pub(crate) read: &'a [Folder],
    pub(crate) write: &'a [Folder],
    /// The temporary directory, unless the sandbox makes one in memory.
    pub(crate) temp: Option<&'a PrivateTemp>,
    pub(crate) limits: &'a Limits,
    pub(crate) script: Option<Script>,
    pub(crate) environment: Vec<CString>,
    pub(crate) job: Job,
    pub(crate) streams: Streams,
}

impl Sandbox {
    /// Probes every layer. Layers that work are used, whether their absence is accepted or not.
    ///
    /// # Errors
    /// When a layer is missing that is not in `accept_missing`.
    pub fn new(accept_missing: &[Layer]) -> Result<Self, SandboxError> {
        let sandbox = Self::examined();
        let is_refused = |missing: &&MissingLayer| !accept_missing.contains(&missing.layer);
        let missing: Vec<MissingLayer> = sandbox.missing.iter().filter(is_refused).cloned().collect();
        if !missing.is_empty() {
            return Err(SandboxError { missing });
        }
        if !sandbox.layers.has(Layer::MountNamespace)
            && let Ok(parent) = temp::parent()
        {
            temp::sweep(&parent);
        }
        Ok(sandbox)
    }

    /// Probes every layer and uses those that work.
    pub(crate) fn examined() -> Self {
        let mut sandbox = Self::unprobed();
        sandbox.probe();
        sandbox
    }

    /// Returns the missing layers, all of them accepted as missing.
    #[must_use]
    pub fn missing(&self) -> &[MissingLayer] {
        &self.missing
    }

    /// Returns the sandbox with only some of its layers, to test and measure each of them. Not for running commands.
    #[must_use]
    pub fn only(&self, layers: Layers) -> Self {
        Self {
            layers: self.layers.iter().filter(|layer| layers.has(*layer)).collect(),
            missing: self.missing.clone(),
            version: self.version,
            system: SystemPaths::detect(),
            settings: settings::SettingsCache::default(),
            with_network: Arc::clone(&self.with_network),
            without_network: Arc::clone(&self.without_network),
            bounds_process_numbers: self.bounds_process_numbers,
            bounds_shared_memory: self.bounds_shared_memory,
            reaper: Arc::clone(&self.reaper),
            namespaces: Arc::clone(&self.namespaces),
            temps: Arc::clone(&self.temps),
        }
    }

    /// Returns a temporary directory, unless the sandbox makes one in memory.
    pub(crate) fn private_temp(&self) -> Result<Option<PrivateTemp>, TempError> {
        match self.layers.has(Layer::MountNamespace) {
            true => Ok(None),
            false => self.temps.take().map(Some),
        }
    }

    /// Takes a temporary directory back that no process can write to any more.
    pub(crate) fn give_back(&self, temp: PrivateTemp) {
        self.temps.give_back(temp);
    }

    /// Takes over the first process of a finished sandbox, if it still exists: nothing else of the sandbox does. When it has
    /// ended, the namespaces can be used again.
    pub(crate) fn leave(&self, process: Option<OwnedFd>, namespace: Option<NetNamespace>) {
        // Without these layers, a line has rights in the namespaces, or a keyring, and can leave changes behind.
        let is_untouched = self.layers.has(Layer::NoNewPrivileges) && self.layers.has(Layer::Seccomp);
        let namespace = namespace.filter(|_| is_untouched);
        match process {
            Some(process) => self.reaper.take(EndingSandbox { process, namespace }),
            None => namespace.into_iter().for_each(|namespace| self.namespaces.give_back(namespace)),
        }
    }

    /// Takes over the first process of a killed sandbox that has not ended yet.
    pub(crate) fn leave_stuck(&self, process: OwnedFd) {
        netns::reap_apart(process);
    }

    pub(crate) fn prepare(&self, order: SandboxOrder<'_>) -> Result<Prepared, PrepareError> {
        let has = |layer| self.layers.has(layer);
        let landlock = match self.version.filter(|_| has(Layer::Landlock)) {
            Some(version) => {
                let grants = self.grants(version, order.network)?;
                let ruleset = self.ruleset(version, &order, &grants)?;
                // In a process namespace, the kernel keeps its processes from signalling the first one.
                let is_entered_by_each = !has(Layer::PidNamespace) && matches!(order.job, Job::Line(_));
                Some(Landlock { ruleset, grants, is_entered_by_each })
            }
            None => None,
        };
        let ruleset = landlock.as_ref().map(|landlock| landlock.ruleset.as_ref());
        let descriptors = Descriptors::new(order.streams, ruleset)?;
        let view = match has(Layer::MountNamespace) {
            true => Some(self.system.view(order.read, order.write, order.network, order.limits.temp_bytes)?),
            false => None,
        };
        let filter = if order.network { &self.with_network } else { &self.without_network };
        let limits = if has(Layer::ResourceLimits) { order.limits.resources() } else { Vec::new() };
        let bounds_numbers = has(Layer::ResourceLimits) && has(Layer::PidNamespace) && self.bounds_process_numbers;
        let bounds_shared = has(Layer::ResourceLimits) && has(Layer::IpcNamespace) && self.bounds_shared_memory;
        let namespace = match has(Layer::UserNamespace) && has(Layer::NetworkNamespace) && !order.network {
            true => Some(self.namespaces.take()?),
            false => None,
        };
        Ok(Prepared {
            clone_flags: self.clone_flags(namespace.is_some(), order.network),
            maps: (has(Layer::UserNamespace) && namespace.is_none()).then(Maps::own),
            namespace,
            process_limit: bounds_numbers.then(|| order.limits.process_numbers()),
            shared_limit: bounds_shared.then(|| order.limits.shared_pages()),
            view,
            script: order.script,
            working_directory: match order.working_directory {
                Some(folder) => Some(WorkingDirectory { path: c_path(folder.path())?, identity: folder.identity() }),
                None => None,
            },
            drops_privileges: has(Layer::NoNewPrivileges),
            landlock,
            filter: has(Layer::Seccomp).then(|| Arc::clone(filter)),
            limits,
            has_own_processes: has(Layer::PidNamespace),
            job: order.job,
            environment: Words::new(order.environment),
            descriptors,
            stack: Stack::default(),
        })
    }

    /// The namespaces to make for a line, in addition to existing ones that it enters.
    fn clone_flags(&self, has_namespace: bool, network: bool) -> u64 {
        let flag = |layer| match layer {
            Layer::UserNamespace if !has_namespace => libc::CLONE_NEWUSER,
            Layer::NetworkNamespace if !has_namespace && !network => libc::CLONE_NEWNET,
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

    /// Grants the directories that the executor has open. Without further grants, the next line can use the same ruleset.
    fn ruleset(
        &self,
        version: Version,
        order: &SandboxOrder<'_>,
        added: &[PathGrant],
    ) -> Result<Arc<OwnedFd>, PrepareError> {
        let read = order.read.iter().map(|folder| (Access::Run, folder));
        let write = order.write.iter().map(|folder| (Access::Write, folder));
        let folders = read.chain(write);
        let settings = self.settings.get(&self.system.settings);
        let make = || -> Result<Arc<OwnedFd>, PrepareError> {
            let rules = Rules::new(version, order.network)?;
            for OpenPath { handle, path } in &self.system.folders {
                rules.grant(handle, path, (Access::Run, Kind::Folder))?;
            }
            for OpenPath { handle, path } in &self.system.devices {
                rules.grant(handle, path, (Access::Device, Kind::File))?;
            }
            for (OpenPath { handle, path }, kind) in &settings.held {
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

    /// The grants by path, in the file tree that the command sees.
    fn grants(&self, version: Version, network: bool) -> Result<Vec<PathGrant>, NulError> {
        let grant = |path: &Path, access, kind, is_needed| {
            Ok(PathGrant { path: c_path(path)?, bits: version.bits(access, kind), is_needed })
        };
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
        let namespaces = Arc::<NetNamespacePool>::default();
        Self {
            layers: Layers::all(),
            missing: Vec::new(),
            version: None,
            system: SystemPaths::detect(),
            settings: settings::SettingsCache::default(),
            with_network: filter(true),
            without_network: filter(false),
            bounds_process_numbers: false,
            bounds_shared_memory: false,
            reaper: Arc::new(Reaper::new(Arc::clone(&namespaces))),
            namespaces,
            temps: Arc::default(),
        }
    }
}

pub(crate) fn c_path(path: &Path) -> Result<CString, NulError> {
    CString::new(path.as_os_str().as_encoded_bytes())
}

#[cfg(test)]
mod tests;
