//! Granted folders -> the file tree that a command sees: a fresh root in memory, with those folders in it and
//! nothing else.
//!
//! ```text
//! /            memory, private to the line
//! ├── usr …    the system's folders, read-only (links where the machine has links)
//! ├── etc      read-only; Landlock grants some files of it
//! ├── dev      null zero full random urandom, and shm: private
//! ├── proc     the processes of the line alone, read-only, without the first and without the machine's command line; empty
//! │            where the kernel does not let us mount it
//! ├── tmp      private; tmp/home is the home folder
//! └── …        granted folders, at their own paths
//! ```
//!
//! Landlock alone would not do: it denies opening files, but neither connecting to a socket that has a path (before its
//! version 9), nor changing modes and times, nor asking whether a file is there. What does not exist needs no denial.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ffi::CString;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::{Folder, Identity};
use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::{Errno, Result};
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_bind, mount_change, move_mount,
    open_tree,
};

/// What of the machine every command sees; found once.
#[derive(Debug)]
pub(super) struct System {
    /// These and the devices stay where they are as long as the machine runs.
    pub(super) folders: Vec<Held>,
    links: Vec<(PathBuf, PathBuf)>,
    pub(super) devices: Vec<Held>,
    /// What of `/etc` may be read, which is for Landlock to say.
    pub(super) settings: Vec<PathBuf>,
    /// The same where a link leads elsewhere, or only those look who have the network.
    pub(super) other_settings: Vec<Setting>,
    /// Files that links in `/etc` lead to, outside of every other folder, for those who have the network.
    linked: Vec<PathBuf>,
}

/// Something that is held open, and where it is.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) handle: OwnedFd,
    pub(super) path: PathBuf,
}

#[derive(Debug)]
pub(super) struct Setting {
    pub(super) path: PathBuf,
    pub(super) is_folder: bool,
    /// Whether it says something only to those who have the network.
    pub(super) is_for_network: bool,
}

/// A file tree that only has to be put together, which takes no memory and no lock.
pub(super) struct View {
    options: CString,
    folders: Vec<(CString, Mode)>,
    files: Vec<CString>,
    links: Vec<(CString, CString)>,
    binds: Vec<Bind>,
}

/// Something of the machine, at its own path.
struct Bind {
    source: CString,
    /// The same from the new root on.
    target: CString,
    attributes: u64,
    /// What has to be there still.
    identity: Option<Identity>,
    mount: Cell<Option<OwnedFd>>,
}

impl System {
    /// Looks which of the system's folders this machine has.
    pub(super) fn detect() -> Self {
        let (mut folders, mut links) = (Vec::new(), Vec::new());
        for path in FOLDERS.map(PathBuf::from) {
            match std::fs::symlink_metadata(&path).map(|metadata| metadata.file_type()) {
                Ok(kind) if kind.is_dir() => folders.extend(Held::open(path)),
                Ok(kind) if kind.is_symlink() => {
                    links.extend(std::fs::read_link(&path).ok().map(|target| (path, target)));
                }
                Ok(_) | Err(_) => {}
            }
        }
        // What links lead to in the folders above is granted with them.
        let is_above = |path: &Path| folders.iter().any(|folder: &Held| path.starts_with(&folder.path));
        let setting = |name: &&str, is_for_network| {
            let path = Path::new(ETC).join(name);
            let target = path.canonicalize().ok().filter(|target| !is_above(target))?;
            Some((Setting { path, is_folder: target.is_dir(), is_for_network }, target))
        };
        let usual = SETTINGS.iter().filter_map(|name| setting(name, false));
        let network = NETWORK_SETTINGS.iter().filter_map(|name| setting(name, true));
        let (settings, targets): (Vec<Setting>, Vec<PathBuf>) = usual.chain(network).unzip();
        let is_plain = |(setting, target): &(Setting, &PathBuf)| !setting.is_for_network && setting.path == **target;
        let (plain, other): (Vec<_>, Vec<_>) = settings.into_iter().zip(&targets).partition(is_plain);
        let settings = plain.into_iter().map(|(setting, _)| setting.path).collect();
        let other_settings = other.into_iter().map(|(setting, _)| setting).collect();
        let linked = targets.into_iter().filter(|target| !target.starts_with(ETC)).collect();
        let devices = DEVICES.map(PathBuf::from).into_iter().filter_map(Held::open).collect();
        Self { folders, links, devices, settings, other_settings, linked }
    }

    /// The tree with some granted folders in it.
    pub(super) fn view(
        &self,
        read: &[Folder],
        write: &[Folder],
        network: bool,
        temp_bytes: u64,
    ) -> std::result::Result<View, std::ffi::NulError> {
        let mut places = Places::default();
        for path in self.folders.iter().map(|folder| folder.path.as_path()).chain([Path::new(ETC)]) {
            places.folder(path, READ_ONLY, None)?;
        }
        for Held { path, .. } in &self.devices {
            // Writing to a device is no change of the tree that it lies in; its mode and its times are.
            places.file(path, READ_ONLY | NO_PROGRAMS)?;
        }
        for path in self.linked.iter().filter(|_| network) {
            places.file(path, READ_ONLY)?;
        }
        // Outer folders first, and of the same folder what may be written last, so that it lies on top.
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
            Ok((c_string(&path)?, Mode::from_raw_mode(mode)))
        };
        let link = |(path, target): (&Path, &Path)| Ok((c_string(target)?, c_string(&inside(path))?));
        let own_links = self.links.iter().map(|(path, target)| (path.as_path(), target.as_path()));
        let links = own_links.chain(DEVICE_LINKS.iter().map(|(path, target)| (Path::new(path), Path::new(target))));
        Ok(View {
            options: CString::new(format!("size={temp_bytes},nr_inodes={TEMP_FILES_MAX},mode=755"))?,
            folders: places.folders.into_iter().map(folder).collect::<std::result::Result<_, _>>()?,
            files: places.files,
            links: links.map(link).collect::<std::result::Result<_, _>>()?,
            binds: places.binds,
        })
    }
}

impl Held {
    /// None if it is not there.
    pub(super) fn open(path: PathBuf) -> Option<Self> {
        let handle = rustix::fs::openat(CWD, &path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()?;
        Some(Self { handle, path })
    }
}

impl View {
    /// Puts the tree together and makes it this process's own. It runs in a process that may neither allocate nor
    /// lock, in mount and user namespaces of its own.
    pub(super) fn enter(&self) -> Result<()> {
        mount_change(c"/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
        for bind in &self.binds {
            bind.mount.set(Some(bind.open()?));
        }
        mount(c"tmpfs", STAGE, c"tmpfs", MountFlags::NOSUID | MountFlags::NODEV, self.options.as_c_str())?;
        rustix::process::chdir(STAGE)?;
        // The executor's mask is for what commands create.
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
        // On top of the old tree, which stays mounted where no path leads: taking it down would cost as much as everything
        // above, because the kernel waits for all its processors. A root alone would not do: it holds up its own processes
        // on their way up, and not those of another sandbox that were handed a folder of this one.
        move_mount(CWD, c".", CWD, c"/", MoveMountFlags::empty())?;
        rustix::process::chroot(c".")?;
        rustix::process::chdir(c"/")
    }
}

impl Bind {
    fn open(&self) -> Result<OwnedFd> {
        let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
        let mount = open_tree(CWD, self.source.as_c_str(), flags)?;
        if let Some(identity) = self.identity
            && Identity::of(&rustix::fs::statat(&mount, c"", AtFlags::EMPTY_PATH)?) != identity
        {
            return Err(Errno::STALE);
        }
        if self.attributes != 0 {
            super::sys::restrict_mount(mount.as_fd(), self.attributes)?;
        }
        Ok(mount)
    }
}

/// The processes of the line, for programs that look for themselves there. Where parts of `/proc` are covered, as in
/// many containers, the kernel refuses a fresh one, and the folder stays empty: the machine's own would show other
/// processes.
fn mount_processes() -> Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC | MountFlags::RDONLY;
    match mount(c"proc", c"proc", c"proc", flags, LOOKED_INTO) {
        Ok(()) => {}
        Err(Errno::PERM) => return Ok(()),
        Err(error) => return Err(error),
    }
    // What the machine was started with may have secrets in it, and says nothing to a command.
    match mount_bind(c"dev/null", c"proc/cmdline") {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error),
    }
}

/// What has to be made in the new root before anything is put there.
#[derive(Default)]
struct Places {
    folders: BTreeSet<PathBuf>,
    files: Vec<CString>,
    binds: Vec<Bind>,
}

impl Places {
    fn folder(
        &mut self,
        path: &Path,
        attributes: u64,
        identity: Option<Identity>,
    ) -> std::result::Result<(), std::ffi::NulError> {
        self.path(path);
        self.bind(path, attributes, identity)
    }

    fn file(&mut self, path: &Path, attributes: u64) -> std::result::Result<(), std::ffi::NulError> {
        self.path(path.parent().unwrap_or(path));
        self.files.push(c_string(&inside(path))?);
        self.bind(path, attributes, None)
    }

    /// A folder, and those that it lies in.
    fn path(&mut self, path: &Path) {
        let path = inside(path);
        let ancestors = path.ancestors().filter(|ancestor| !ancestor.as_os_str().is_empty());
        self.folders.extend(ancestors.map(Path::to_owned));
    }

    fn bind(
        &mut self,
        path: &Path,
        attributes: u64,
        identity: Option<Identity>,
    ) -> std::result::Result<(), std::ffi::NulError> {
        let (source, target) = (c_string(path)?, c_string(&inside(path))?);
        self.binds.push(Bind { source, target, attributes, identity, mount: Cell::new(None) });
        Ok(())
    }
}

/// Whether a path, which is canonical, lies where every command reads.
#[must_use]
pub fn is_seen_by_commands(path: &Path) -> bool {
    let is_in = |folder: &str| Path::new(folder).canonicalize().is_ok_and(|folder| path.starts_with(folder));
    FOLDERS.iter().copied().chain([ETC]).any(is_in)
}

/// An absolute path, from the root on.
fn inside(path: &Path) -> PathBuf {
    path.strip_prefix("/").unwrap_or(path).to_owned()
}

fn c_string(path: &Path) -> std::result::Result<CString, std::ffi::NulError> {
    CString::new(path.as_os_str().as_bytes())
}

/// The folder for short-lived files.
pub const PRIVATE_TEMP: &str = "/tmp";
/// The home folder of a command, which is empty.
pub const PRIVATE_HOME: &str = "/tmp/home";
pub(super) const SHARED_MEMORY: &str = "/dev/shm";
pub(super) const PROC: &str = "/proc";
/// Only processes that may be looked into are there. The first one is a copy of the executor, and may not: its command line
/// is the executor's.
const LOOKED_INTO: &std::ffi::CStr = c"hidepid=ptraceable";
pub(super) const ETC: &str = "/etc";
/// Any folder that is there will do; what it hides has been opened before.
const STAGE: &std::ffi::CStr = c"/tmp";

/// Where machines keep their programs and libraries.
const FOLDERS: [&str; 8] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];

/// Devices that are data alone. What else programs look for there are links.
const DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/urandom"];
const DEVICE_LINKS: [(&str, &str); 5] = [
    ("/dev/random", "urandom"),
    ("/dev/fd", "/proc/self/fd"),
    ("/dev/stdin", "/proc/self/fd/0"),
    ("/dev/stdout", "/proc/self/fd/1"),
    ("/dev/stderr", "/proc/self/fd/2"),
];

/// What programs look up in `/etc`: names of users, languages, what to load. Not there: `shadow`, `sudoers`, keys of
/// servers, and whatever else an administrator keeps beside them.
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
/// And what they look up for the network: names of machines and services, certificates.
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
/// Files that the private memory may hold at once.
const TEMP_FILES_MAX: u32 = 262_144;
