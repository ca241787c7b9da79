//! Directory -> deleted, however deep its tree is and whatever its permissions are.
//!
//! The path down is a list, not recursion, and only its first directories stay open: a deep tree exhausts neither the
//! stack nor the descriptors of this process. The way back up is `..`, followed only if it is the directory that was left.

use std::ffi::CString;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, SeekFrom, Stat, fstat};
use rustix::io::{Errno, Result};
use rustix::path::Arg;

/// Removes a directory with everything in it. Links are removed, not followed.
///
/// # Errors
/// When something in it cannot be removed, is on another file system, or keeps growing.
pub fn remove_tree(path: &Path) -> Result<()> {
    remove_tree_at(CWD, path, deadline())
}

/// The same for `name` in `parent`, while `goes_on` returns true.
///
/// # Errors
/// As [`remove_tree`].
pub fn remove_tree_at(parent: impl AsFd, name: impl Arg + Copy, goes_on: impl Fn() -> bool) -> Result<()> {
    let mut way: Vec<Above> = Vec::new();
    let top = &parent;
    let mut folder = open_directory(top, name)?;
    while goes_on() {
        if let Some(name) = clear(&folder)? {
            let below = open_directory(&folder, name.as_c_str())?;
            let identity = FileIdentity::of(&fstat(&folder)?);
            if FileIdentity::of(&fstat(&below)?).device != identity.device {
                return Err(Errno::XDEV);
            }
            let handle = (way.len() < HELD_MAX).then_some(folder);
            way.push(Above { name, identity, handle });
            folder = below;
        } else {
            let Some(mut above) = way.pop() else {
                return rustix::fs::unlinkat(top, name, AtFlags::REMOVEDIR);
            };
            let parent = above.reach(&folder)?;
            match rustix::fs::unlinkat(&parent, above.name.as_c_str(), AtFlags::REMOVEDIR) {
                // What was put there meanwhile is found again.
                Ok(()) | Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST) => folder = parent,
                Err(error) => return Err(error),
            }
        }
    }
    Err(Errno::TIMEDOUT)
}

/// True until ten minutes have passed. A process that cannot be killed may write as fast as this removes, so removal has
/// to end some time.
pub fn deadline() -> impl Fn() -> bool {
    let started = Instant::now();
    move || started.elapsed() < REMOVAL_TIME_MAX
}

struct Above {
    name: CString,
    identity: FileIdentity,
    /// Only for the first [`HELD_MAX`]: a tree can be deeper than a process may have descriptors.
    handle: Option<OwnedFd>,
}

impl Above {
    /// Opens the directory again from the one below it.
    fn reach(&mut self, below: &OwnedFd) -> Result<OwnedFd> {
        if let Some(handle) = self.handle.take() {
            return Ok(handle);
        }
        let parent = open_directory(below, c"..")?;
        // If `below` was moved meanwhile, `..` is another directory.
        if FileIdentity::of(&fstat(&parent)?) == self.identity { Ok(parent) } else { Err(Errno::STALE) }
    }
}

/// An identity that no other existing file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileIdentity {
    pub device: u64,
    pub inode: u64,
}

impl FileIdentity {
    #[must_use]
    pub fn of(stat: &Stat) -> Self {
        Self { device: stat.st_dev, inode: stat.st_ino }
    }
}

/// Removes the entries of a directory, and returns the first that is a directory with something in it.
fn clear(folder: &OwnedFd) -> Result<Option<CString>> {
    let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
    // Reads once more from the start until nothing is found: a file system may skip names while others are removed.
    let mut is_whole = false;
    loop {
        let mut found = false;
        let mut entries = RawDir::new(folder, &mut buffer);
        while let Some(entry) = entries.next() {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            found = true;
            let unlinked = match entry.file_type() {
                FileType::Directory => Err(Errno::ISDIR),
                _ => rustix::fs::unlinkat(folder, name, AtFlags::empty()),
            };
            let removed = match unlinked {
                Err(Errno::ISDIR) => rustix::fs::unlinkat(folder, name, AtFlags::REMOVEDIR),
                unlinked => unlinked,
            };
            match removed {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(Errno::NOTEMPTY | Errno::EXIST) => return Ok(Some(name.to_owned())),
                Err(error) => return Err(error),
            }
        }
        if is_whole && !found {
            return Ok(None);
        }
        rustix::fs::seek(folder, SeekFrom::Start(0))?;
        is_whole = true;
    }
}

/// Opens a directory, never through a link, with the rights to remove entries.
///
/// # Errors
/// When it is no directory, or cannot be opened.
pub fn open_directory(parent: impl AsFd, name: impl Arg + Copy) -> Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = match rustix::fs::openat(&parent, name, flags, Mode::empty()) {
        Err(Errno::ACCESS) => {
            allow(&parent, name)?;
            rustix::fs::openat(&parent, name, flags, Mode::empty())?
        }
        answer => answer?,
    };
    let mode = Mode::from_raw_mode(fstat(&folder)?.st_mode);
    if !mode.contains(Mode::RWXU) {
        // Fails for another user's directory, which our group may still have access to. If not, the next call fails.
        let _ = rustix::fs::fchmod(&folder, Mode::RWXU);
    }
    Ok(folder)
}

/// Gives the owner all rights to a directory that cannot be opened.
fn allow(parent: impl AsFd, name: impl Arg) -> Result<()> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(parent, name, flags, Mode::empty())?;
    // Through the handle: the name may be another file by now.
    rustix::fs::chmod(format!("/proc/self/fd/{}", folder.as_raw_fd()), Mode::RWXU)
}

const BUFFER_BYTES: usize = 8 << 10;
/// Directories that stay open on the path down.
const HELD_MAX: usize = 16;
/// Removing a file takes microseconds, but a directory can take milliseconds on some disks.
const REMOVAL_TIME_MAX: Duration = Duration::from_secs(600);

#[cfg(test)]
mod tests {
    use rustix::thread::{CapabilitySet, CapabilitySets};

    use super::*;

    /// Folders in each other, of which no path could name the last.
    fn nest(top: &Path, levels: usize) {
        let mut folder = open_directory(CWD, top).unwrap();
        for _ in 0..levels {
            rustix::fs::mkdirat(&folder, c"d", Mode::RWXU).unwrap();
            folder = open_directory(&folder, c"d").unwrap();
        }
    }

    #[test]
    fn a_tree_of_any_depth_goes_with_a_small_stack() {
        // In memory: the depth is what counts, and a disk would take minutes.
        let place = tempfile::tempdir_in("/dev/shm").unwrap();
        let top = place.path().join("top");
        std::fs::create_dir(&top).unwrap();
        nest(&top, LEVELS);
        let path = top.clone();
        let removed = std::thread::Builder::new().stack_size(SMALL_STACK).spawn(move || remove_tree(&path));
        removed.unwrap().join().unwrap().unwrap();
        assert!(!top.exists());
    }

    #[test]
    fn everything_goes_but_what_links_lead_to() {
        let place = tempfile::tempdir().unwrap();
        let (top, kept) = (place.path().join("top"), place.path().join("kept"));
        std::fs::create_dir_all(top.join("a/b/c")).unwrap();
        std::fs::create_dir(&kept).unwrap();
        std::fs::write(kept.join("file"), "kept").unwrap();
        std::os::unix::fs::symlink(&kept, top.join("a/link")).unwrap();
        std::os::unix::fs::symlink(&kept, top.join("link")).unwrap();
        for folder in [&top, &top.join("a"), &top.join("a/b/c")] {
            for number in 0..2_000 {
                std::fs::write(folder.join(format!("file-{number}")), "").unwrap();
            }
            std::fs::create_dir(folder.join("empty")).unwrap();
        }
        remove_tree(&top).unwrap();
        assert!(!top.exists());
        assert_eq!(std::fs::read_to_string(kept.join("file")).unwrap(), "kept");
        // Nor is the top one followed.
        std::os::unix::fs::symlink(&kept, &top).unwrap();
        assert!(remove_tree(&top).is_err() && kept.join("file").exists());
    }

    #[test]
    fn folders_without_rights_go_too() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().join("top");
        let set = |folder: &str, mode| rustix::fs::chmod(top.join(folder), Mode::from_raw_mode(mode)).unwrap();
        std::fs::create_dir_all(top.join("closed/inner/innermost")).unwrap();
        std::fs::create_dir_all(top.join("read-only/inner")).unwrap();
        std::fs::write(top.join("read-only/inner/file"), "").unwrap();
        for (folder, mode) in [("closed/inner", 0o400), ("closed", 0), ("read-only/inner", 0o500), ("read-only", 0o500)]
        {
            set(folder, mode);
        }
        set("", 0o500);
        let path = top.clone();
        // Root may do all of it anyway, unless it is a root without its capabilities.
        let removed = std::thread::spawn(move || {
            let none = CapabilitySet::empty();
            rustix::thread::set_capabilities(
                None,
                CapabilitySets { effective: none, permitted: none, inheritable: none },
            )
            .unwrap();
            remove_tree(&path)
        });
        removed.join().unwrap().unwrap();
        assert!(!top.exists());
    }

    const LEVELS: usize = 40_000;
    const SMALL_STACK: usize = 64 << 10;
}
