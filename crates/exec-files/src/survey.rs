//! Handle of a directory -> everything below it, sorted, for operations on whole trees. No link is followed, and no other
//! file system is entered.

use std::sync::Arc;

use rustix::fd::{AsFd as _, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, FileType, OFlags, fstat, unlinkat};
use rustix::io::Errno;

use crate::{FileError, FileKind, PATH_BYTES_MAX, Stop, beneath, is_held, join, names, split};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TreeEntry {
    /// Relative to the top of the tree.
    pub(super) path: Vec<u8>,
    pub(super) inode: u64,
    pub(super) mode: u32,
    pub(super) owner: u32,
    pub(super) size_bytes: u64,
}

impl TreeEntry {
    pub(super) fn kind(&self) -> FileKind {
        FileKind::of(FileType::from_raw_mode(self.mode))
    }
}

/// Lists everything below a directory, each directory before its content.
pub(super) fn survey(top: &OwnedFd, stop: &Stop) -> Result<Vec<TreeEntry>, FileError> {
    let device = fstat(top).map_err(FileError::of("reading the metadata"))?.st_dev;
    let mut found = Vec::new();
    let mut folders: Vec<(Option<Arc<OwnedFd>>, Vec<u8>)> = vec![(None, Vec::new())];
    while let Some((above, path)) = folders.pop() {
        stop.check()?;
        // Opened only now, so that no more directories are open than are nested in each other.
        let opened = match (above, split(&path)) {
            (Some(above), Ok((_, name))) => beneath::open(above.as_fd(), name, READ),
            (None, _) | (Some(_), Err(_)) => beneath::open(top.as_fd(), &path, READ),
        };
        let folder = Arc::new(opened.map_err(FileError::of("opening the directory"))?);
        let above = is_held(&path).then_some(&folder);
        for (name, _) in names(folder.as_fd(), stop)? {
            let stat = beneath::look(folder.as_fd(), &name).map_err(FileError::of("reading the metadata"))?;
            if stat.st_dev != device {
                return Err(FileError::OtherFileSystem);
            }
            if found.len() >= TREE_ENTRIES_MAX {
                return Err(FileError::TooMany { most: TREE_ENTRIES_MAX });
            }
            let size_bytes = u64::try_from(stat.st_size).unwrap_or(0);
            let path = join(&path, &name);
            let entry = TreeEntry { path, inode: stat.st_ino, mode: stat.st_mode, owner: stat.st_uid, size_bytes };
            if entry.path.len() > PATH_BYTES_MAX {
                return Err(FileError::LongPath { most: PATH_BYTES_MAX });
            }
            if entry.kind() == FileKind::Folder {
                folders.push((above.cloned(), entry.path.clone()));
            }
            found.push(entry);
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Removes the entries of a survey, and the directory itself; nothing else. An error carries how many were removed.
pub(super) fn remove(folder: &OwnedFd, name: &[u8], top: &OwnedFd, found: &[TreeEntry]) -> Result<(), (usize, Errno)> {
    let mut parents = Parents::of(top);
    for (removed, entry) in found.iter().rev().enumerate() {
        let flags = if entry.kind() == FileKind::Folder { AtFlags::REMOVEDIR } else { AtFlags::empty() };
        let unlinked = parents.find(&entry.path).and_then(|(parent, name)| unlinkat(parent, name, flags));
        unlinked.map_err(|errno| (removed, errno))?;
    }
    unlinkat(folder, name, AtFlags::REMOVEDIR).map_err(|errno| (found.len(), errno))
}

/// Opens the parent directories of paths. It keeps the last one open, which sorted paths mostly share.
pub(super) struct Parents<'t> {
    top: &'t OwnedFd,
    last: Option<(Vec<u8>, OwnedFd)>,
}

impl<'t> Parents<'t> {
    pub(super) fn of(top: &'t OwnedFd) -> Self {
        Self { top, last: None }
    }

    /// Returns the parent of a path below the top, and the name in it.
    pub(super) fn find<'s, 'p>(&'s mut self, path: &'p [u8]) -> Result<(BorrowedFd<'s>, &'p [u8]), Errno> {
        let (above, name) = split(path).map_err(|_| Errno::INVAL)?;
        if self.last.as_ref().is_none_or(|(last, _)| last != above) {
            let handle = beneath::open(self.top.as_fd(), above, OFlags::PATH | OFlags::DIRECTORY)?;
            self.last = Some((above.to_vec(), handle));
        }
        Ok((self.last.as_ref().map_or(self.top.as_fd(), |(_, handle)| handle.as_fd()), name))
    }
}

/// Entries of a directory that is moved, copied or deleted as a whole.
pub const TREE_ENTRIES_MAX: usize = 100_000;
const READ: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY);
