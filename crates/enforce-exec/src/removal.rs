//! A folder -> nothing there, whatever is left in it: folders in folders without end, or without rights.
//!
//! The way down is a list and not a stack of calls, and only its first folders stay open: neither the stack of this
//! process nor its descriptors say how deep a tree may be. The way back up is `..`, which is taken only to the folder
//! that it was left for.

use std::ffi::CString;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, SeekFrom};
use rustix::io::{Errno, Result};
use rustix::path::Arg;

/// Removes a folder with everything in it. Links go themselves, and not what they lead to.
pub(crate) fn remove_tree(path: &Path) -> Result<()> {
    remove_tree_at(CWD, path, patience())
}

/// The same by the folder's name in another, for as long as it may take. It does not go on to another file system.
pub(crate) fn remove_tree_at(parent: impl AsFd, name: impl Arg + Copy, goes_on: impl Fn() -> bool) -> Result<()> {
    let mut way: Vec<Above> = Vec::new();
    let top = &parent;
    let mut folder = open(top, name)?;
    while goes_on() {
        if let Some(name) = clear(&folder)? {
            let below = open(&folder, name.as_c_str())?;
            let identity = Identity::of(&folder)?;
            if Identity::of(&below)?.device != identity.device {
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

/// Somebody who cannot be ended may write as fast as this removes: so it does not go on for ever.
pub(crate) fn patience() -> impl Fn() -> bool {
    let started = Instant::now();
    move || started.elapsed() < PATIENCE
}

/// A folder on the way down.
struct Above {
    /// What was entered in it.
    name: CString,
    identity: Identity,
    /// Not of all of them, because there can be more than a process may have open.
    handle: Option<OwnedFd>,
}

impl Above {
    /// The folder again, from what was entered in it.
    fn reach(&mut self, below: &OwnedFd) -> Result<OwnedFd> {
        if let Some(handle) = self.handle.take() {
            return Ok(handle);
        }
        let parent = open(below, c"..")?;
        // Whoever has moved the folder meanwhile would have this go on elsewhere.
        if Identity::of(&parent)? == self.identity { Ok(parent) } else { Err(Errno::STALE) }
    }
}

/// What tells a folder from every other that is there at the same time.
#[derive(PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    fn of(folder: &OwnedFd) -> Result<Self> {
        let stat = rustix::fs::fstat(folder)?;
        Ok(Self { device: stat.st_dev, inode: stat.st_ino })
    }
}

/// Removes what is in a folder, up to the first folder that is not empty, whose name it answers.
fn clear(folder: &OwnedFd) -> Result<Option<CString>> {
    let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
    // From where the last time has ended, and then once more from the start, until nothing is found: a file system may
    // leave names out while others go.
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

/// Opens a folder, never through a link, so that names can be taken out of it.
pub(crate) fn open(parent: impl AsFd, name: impl Arg + Copy) -> Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = match rustix::fs::openat(&parent, name, flags, Mode::empty()) {
        Err(Errno::ACCESS) => {
            allow(&parent, name)?;
            rustix::fs::openat(&parent, name, flags, Mode::empty())?
        }
        answer => answer?,
    };
    let mode = Mode::from_raw_mode(rustix::fs::fstat(&folder)?.st_mode);
    if !mode.contains(Mode::RWXU) {
        // Whose folder it is not may still be let in by its group. If not, the next call says so.
        let _ = rustix::fs::fchmod(&folder, Mode::RWXU);
    }
    Ok(folder)
}

/// Gives the owner every right to a folder that may not be opened as it is.
fn allow(parent: impl AsFd, name: impl Arg) -> Result<()> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(parent, name, flags, Mode::empty())?;
    // By what is held: a name could lead to something else by now.
    rustix::fs::chmod(format!("/proc/self/fd/{}", folder.as_raw_fd()), Mode::RWXU)
}

const BUFFER_BYTES: usize = 8 << 10;
/// Handles that are kept on the way down.
const HELD_MAX: usize = 16;
/// Files go in microseconds, but folders take some disks milliseconds each.
const PATIENCE: Duration = Duration::from_secs(600);

#[cfg(test)]
mod tests {
    use rustix::thread::{CapabilitySet, CapabilitySets};

    use super::*;

    /// Folders in each other, of which no path could name the last.
    fn nest(top: &Path, levels: usize) {
        let mut folder = open(CWD, top).unwrap();
        for _ in 0..levels {
            rustix::fs::mkdirat(&folder, c"d", Mode::RWXU).unwrap();
            folder = open(&folder, c"d").unwrap();
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
