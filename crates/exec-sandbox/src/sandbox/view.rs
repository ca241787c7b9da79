//! Granted directories -> the file tree that a command sees: a new root in memory, with these directories and nothing else.
//!
//! ```text
//! /            memory, private to the line
//! ├── usr …    the system's directories, read-only (links where the machine has links)
//! ├── etc      read-only; Landlock grants some files of it
//! ├── dev      null zero full random urandom, and shm: private
//! ├── proc     only the processes of the line, read-only, without the first one and without the kernel's command line; empty
//! │            where the kernel does not allow mounting it
//! ├── tmp      private; tmp/home is the home directory
//! └── …        granted directories, at their own paths
//! ```
//!
//! Landlock alone is not enough: it denies opening files, but not connecting to a socket by its path (before version 9),
//! changing modes and times, or checking whether a file exists.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ffi::{CString, NulError};
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use super::{FileIdentity, Folder, c_path};
use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_bind, mount_change, move_mount,
    open_tree,
};

/// The parts of the machine that every command sees.
#[derive(Debug)]
pub(super) struct SystemPaths {
    pub(super) folders: Vec<OpenPath>,
    links: Vec<(PathBuf, PathBuf)>,
    pub(super) devices: Vec<OpenPath>,
    /// Readable in `/etc`, as enforced by Landlock.
    pub(super) settings: Vec<PathBuf>,
    /// The same, where a link leads elsewhere or only network programs need it.
    pub(super) other_settings: Vec<Setting>,
    /// Targets of links in `/etc` that lie in no other visible directory, for lines with the network.
    linked: Vec<PathBuf>,
}

#[derive(Debug)]
pub(super) struct OpenPath {
    pub(super) handle: OwnedFd,
    pub(super) path: PathBuf,
}

#[derive(Debug)]
pub(super) struct Setting {
    pub(super) path: PathBuf,
    pub(super) is_folder: bool,
    pub(super) is_for_network: bool,
}

/// A file tree that can be mounted without allocating or locking.
pub(super) struct FileTree {
    options: CString,
    folders: Vec<(CString, Mode)>,
    files: Vec<CString>,
    links: Vec<(CString, CString)>,
    binds: Vec<BindMount>,
}

/// A file or directory of the machine, mounted at its own path.
struct BindMount {
    source: CString,
    /// Relative to the new root.
    target: CString,
    attributes: u64,
    /// Checked when it is opened.
    identity: Option<FileIdentity>,
    mount: Cell<Option<OwnedFd>>,
}

impl SystemPaths {
    /// Finds the system directories of this machine.
    pub(super) fn detect() -> Self {
        let (mut folders, mut links) = (Vec::new(), Vec::new());
        for path in FOLDERS.map(PathBuf::from) {
            match std::fs::symlink_metadata(&path).map(|metadata| metadata.file_type()) {
                Ok(kind) if kind.is_dir() => folders.extend(OpenPath::open(path)),
                Ok(kind) if kind.is_symlink() => {
                    links.extend(std::fs::read_link(&path).ok().map(|target| (path, target)));
                }
                Ok(_) | Err(_) => {}
            }
        }
        // Link targets inside these directories are granted with them.
        let is_above = |path: &Path| folders.iter().any(|folder: &OpenPath| path.starts_with(&folder.path));
        let (mut settings, mut other_settings, mut linked) = (Vec::new(), Vec::new(), Vec::new());
        let usual = SETTINGS.iter().map(|name| (name, false));
        for (name, is_for_network) in usual.chain(NETWORK_SETTINGS.iter().map(|name| (name, true))) {
            let path = Path::new(ETC).join(name);
            let Some(target) = path.canonicalize().ok().filter(|target| !is_above(target)) else { continue };
            if is_for_network || path != target {
                other_settings.push(Setting { path, is_folder: target.is_dir(), is_for_network });
            } else {
                settings.push(path);
            }
            if !target.starts_with(ETC) {
                linked.push(target);
            }
        }
        let devices = DEVICES.map(PathBuf::from).into_iter().filter_map(OpenPath::open).collect();
        Self { folders, links, devices, settings, other_settings, linked }
    }

    /// Plans the tree with the granted directories.
    pub(super) fn view(
        &self,
        read: &[Folder],
        write: &[Folder],
        network: bool,
        temp_bytes: u64,
    ) -> Result<FileTree, NulError> {
        let mut places = TreeBuilder::default();
        for path in self.folders.iter().map(|folder| folder.path.as_path()).chain([Path::new(ETC)]) {
            places.folder(path, READ_ONLY, None)?;
        }
        for OpenPath { path, .. } in &self.devices {
            // A read-only mount allows writing to a device, but not changing its mode and times.
            places.file(path, READ_ONLY | NO_PROGRAMS)?;
        }
        for path in self.linked.iter().filter(|_| network) {
            places.file(path, READ_ONLY)?;
        }
        // Outer directories first; a directory that is granted twice is mounted writable last, on top.
        let read = read.iter().map(|folder| (folder, READ_ONLY | NO_DEVICES));
        let mut granted: Vec<_> = read.chain(write.iter().map(|folder| (folder, NO_SETUID | NO_DEVICES))).collect();
        granted.sort_by_key(|(folder, _)| folder.path().as_os_str().len());
        for (folder, attributes) in granted {
            places.folder(folder.path(), attributes, Some(folder.identity()))?;
        }
        for path in [PRIVATE_TEMP, SHARED_MEMORY, PRIVATE_HOME, PROC] {
            places.path(Path::new(path));
        }
        let private = [PRIVATE_TEMP, SHARED_MEMORY].map(Path::new);
        let folder = |path: PathBuf| {
            let mode = if private.contains(&Path::new("/").join(&path).as_path()) { MODE_TEMP } else { MODE_FOLDER };
            Ok((c_path(&path)?, Mode::from_raw_mode(mode)))
        };
        let link = |(path, target): (&Path, &Path)| Ok((c_path(target)?, c_path(&inside(path))?));
        let own_links = self.links.iter().map(|(path, target)| (path.as_path(), target.as_path()));
        let links = own_links.chain(DEVICE_LINKS.iter().map(|(path, target)| (Path::new(path), Path::new(target))));
        Ok(FileTree {
            options: CString::new(format!("size={temp_bytes},nr_inodes={TEMP_FILES_MAX},mode=755"))?,
            folders: places.folders.into_iter().map(folder).collect::<Result<_, _>>()?,
            files: places.files,
            links: links.map(link).collect::<Result<_, _>>()?,
            binds: places.binds,
        })
    }
}

impl OpenPath {
    /// None if it does not exist.
    pub(super) fn open(path: PathBuf) -> Option<Self> {
        let handle = rustix::fs::openat(CWD, &path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()?;
        Some(Self { handle, path })
    }
}

impl FileTree {
    /// Mounts the tree and enters it, in a process with its own mount and user namespaces that must not allocate or lock.
    pub(super) fn enter(&self) -> Result<(), Errno> {
        mount_change(c"/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
        for bind in &self.binds {
            bind.mount.set(Some(bind.open()?));
        }
        mount(c"tmpfs", STAGE, c"tmpfs", MountFlags::NOSUID | MountFlags::NODEV, self.options.as_c_str())?;
        rustix::process::chdir(STAGE)?;
        // The executor's umask applies only to files that commands create.
        let mask = rustix::process::umask(Mode::empty());
        for (folder, mode) in &self.folders {
            rustix::fs::mkdirat(CWD, folder.as_c_str(), *mode)?;
        }
        rustix::process::umask(mask);
        for file in &self.files {
            rustix::fs::openat(CWD, file.as_c_str(), OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC, Mode::RUSR)?;
        }
        for (target, link) in &self.links {
            rustix::fs::symlinkat(target.as_c_str(), CWD, link.as_c_str())?;
        }
        for bind in &self.binds {
            let mount = bind.mount.take().ok_or(Errno::BADF)?;
            move_mount(&mount, c"", CWD, bind.target.as_c_str(), MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
        }
        mount_processes()?;
        // Moved on top of the old tree, which stays mounted out of reach: unmounting it would take as long as everything above,
        // because the kernel synchronizes all processors. `chroot` alone is not enough: it stops `..` for processes of this
        // sandbox, but not for those of another sandbox that got a directory handle from here.
        move_mount(CWD, c".", CWD, c"/", MoveMountFlags::empty())?;
        rustix::process::chroot(c".")?;
        rustix::process::chdir(c"/")
    }
}

impl BindMount {
    fn open(&self) -> Result<OwnedFd, Errno> {
        let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
        let mount = open_tree(CWD, self.source.as_c_str(), flags)?;
        if let Some(identity) = self.identity
            && FileIdentity::of(&rustix::fs::statat(&mount, c"", AtFlags::EMPTY_PATH)?) != identity
        {
            return Err(Errno::STALE);
        }
        if self.attributes != 0 {
            super::sys::restrict_mount(mount.as_fd(), self.attributes)?;
        }
        Ok(mount)
    }
}

/// Mounts `/proc` with the processes of the line, because programs look themselves up there. Where parts of the machine's `/proc`
/// are covered, as in many containers, the kernel refuses to mount a new one. Then the directory stays empty, because the
/// machine's own would show other processes.
fn mount_processes() -> Result<(), Errno> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC | MountFlags::RDONLY;
    match mount(c"proc", c"proc", c"proc", flags, PROC_OPTIONS) {
        Ok(()) => {}
        Err(Errno::PERM) => return Ok(()),
        Err(error) => return Err(error),
    }
    // The kernel's command line may contain secrets.
    match mount_bind(c"dev/null", c"proc/cmdline") {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Collects the mounts of a tree, with the files and directories that they are mounted on.
#[derive(Default)]
struct TreeBuilder {
    folders: BTreeSet<PathBuf>,
    files: Vec<CString>,
    binds: Vec<BindMount>,
}

impl TreeBuilder {
    fn folder(&mut self, path: &Path, attributes: u64, identity: Option<FileIdentity>) -> Result<(), NulError> {
        self.path(path);
        self.bind(path, attributes, identity)
    }

    fn file(&mut self, path: &Path, attributes: u64) -> Result<(), NulError> {
        self.path(path.parent().unwrap_or(path));
        self.files.push(c_path(&inside(path))?);
        self.bind(path, attributes, None)
    }

    /// Adds a directory and those above it.
    fn path(&mut self, path: &Path) {
        let path = inside(path);
        let ancestors = path.ancestors().filter(|ancestor| !ancestor.as_os_str().is_empty());
        self.folders.extend(ancestors.map(Path::to_owned));
    }

    fn bind(&mut self, path: &Path, attributes: u64, identity: Option<FileIdentity>) -> Result<(), NulError> {
        let (source, target) = (c_path(path)?, c_path(&inside(path))?);
        self.binds.push(BindMount { source, target, attributes, identity, mount: Cell::new(None) });
        Ok(())
    }
}

/// Returns whether every command can read a canonical path.
#[must_use]
pub fn is_visible_to_commands(path: &Path) -> bool {
    let is_in = |folder: &str| Path::new(folder).canonicalize().is_ok_and(|folder| path.starts_with(folder));
    FOLDERS.iter().copied().chain([ETC]).any(is_in)
}

fn inside(path: &Path) -> PathBuf {
    path.strip_prefix("/").unwrap_or(path).to_owned()
}

pub const PRIVATE_TEMP: &str = "/tmp";
/// The home directory of a command, initially empty.
pub const PRIVATE_HOME: &str = "/tmp/home";
pub(super) const SHARED_MEMORY: &str = "/dev/shm";
pub(super) const PROC: &str = "/proc";
/// Shows only processes that may be traced. This hides the first one, whose command line is the executor's.
const PROC_OPTIONS: &std::ffi::CStr = c"hidepid=ptraceable";
pub(super) const ETC: &str = "/etc";
/// Any existing directory will do; what the mount hides has been opened before.
const STAGE: &std::ffi::CStr = c"/tmp";

/// Programs and libraries.
const FOLDERS: [&str; 8] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];

/// Devices that are only data. The other usual names are links.
const DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/urandom"];
const DEVICE_LINKS: [(&str, &str); 5] = [
    ("/dev/random", "urandom"),
    ("/dev/fd", "/proc/self/fd"),
    ("/dev/stdin", "/proc/self/fd/0"),
    ("/dev/stdout", "/proc/self/fd/1"),
    ("/dev/stderr", "/proc/self/fd/2"),
];

/// Files in `/etc` that programs need: users, languages, libraries to load. Not included: `shadow`, `sudoers`, server keys and
/// other files of an administrator.
const SETTINGS: &[&str] = &[
    "alternatives",
    "gitconfig",
    "group",
    "ld.so.cache",
    "ld.so.preload",
    "localtime",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "perl",
    "ssl/openssl.cnf",
    "timezone",
];
/// Files that network programs need: names of hosts and services, certificates.
const NETWORK_SETTINGS: &[&str] =
    &["gai.conf", "host.conf", "hosts", "pki/tls/certs", "protocols", "resolv.conf", "services", "ssl/certs"];

/// `MOUNT_ATTR_RDONLY`
const NO_WRITING: u64 = 1;
/// `MOUNT_ATTR_NOSUID`
const NO_SETUID: u64 = 2;
/// `MOUNT_ATTR_NODEV`
const NO_DEVICES: u64 = 4;
/// `MOUNT_ATTR_NOEXEC`
const NO_PROGRAMS: u64 = 8;
const READ_ONLY: u64 = NO_WRITING | NO_SETUID;

const MODE_FOLDER: u32 = 0o755;
const MODE_TEMP: u32 = 0o1777;
/// Files in the private memory at a time.
const TEMP_FILES_MAX: u32 = 262_144;
