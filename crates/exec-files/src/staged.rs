//! Content -> a temporary file beside its destination, complete and on disk, which is renamed in one step.
//!
//! Dropping it before that removes it. After a crash its name identifies it, and the next start removes it.

use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;

use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, RenameFlags, Stat, Uid, fchmod, fchown, fsync, linkat, mkdirat, openat, renameat,
    renameat_with, unlinkat,
};
use rustix::io::Errno;

use crate::{FileError, Stop, beneath, temporary_name};
use exec_base::{deadline, remove_tree_at};

/// A file or directory under a temporary name, until it is published or dropped.
#[derive(Debug)]
pub(super) struct Staged {
    folder: Arc<OwnedFd>,
    name: Vec<u8>,
    is_directory: bool,
    is_published: bool,
}

/// The permissions of a new file.
#[derive(Debug, Clone, Copy)]
pub(super) enum Access<'s> {
    /// All permissions that the umask leaves.
    Default,
    Mode(Mode),
    /// Those of the file that it replaces.
    As(&'s Stat),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overwrite {
    No,
    Yes,
}

impl Staged {
    /// Makes an empty file.
    pub(super) fn file(folder: &Arc<OwnedFd>, access: Access<'_>) -> Result<(Self, File), FileError> {
        let mode = match access {
            Access::Default => Mode::from_raw_mode(0o666),
            // Closed to others until it has its final permissions.
            Access::Mode(_) | Access::As(_) => Mode::from_raw_mode(0o600),
        };
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let name = temporary_name()?;
        let file = openat(folder, name.as_slice(), flags, mode).map_err(FileError::of("making a temporary file"))?;
        let staged = Self { folder: Arc::clone(folder), name, is_directory: false, is_published: false };
        match access {
            Access::Default => {}
            Access::Mode(mode) => fchmod(&file, mode).map_err(FileError::of("setting the mode"))?,
            Access::As(stat) => take_over(&file, stat)?,
        }
        Ok((staged, file.into()))
    }

    pub(super) fn with(
        folder: &Arc<OwnedFd>,
        access: Access<'_>,
        content: &[u8],
        stop: &Stop,
    ) -> Result<Self, FileError> {
        let (staged, mut file) = Self::file(folder, access)?;
        for chunk in content.chunks(CHUNK_BYTES) {
            stop.check()?;
            file.write_all(chunk).map_err(|error| of_io("writing the file", &error))?;
        }
        file.sync_all().map_err(|error| of_io("syncing the file", &error))?;
        stop.check()?;
        Ok(staged)
    }

    /// Makes an empty directory, and opens it.
    pub(super) fn directory(folder: &Arc<OwnedFd>) -> Result<(Self, OwnedFd), FileError> {
        let name = temporary_name()?;
        mkdirat(folder, name.as_slice(), Mode::from_raw_mode(0o777)).map_err(FileError::of("making a directory"))?;
        let staged = Self { folder: Arc::clone(folder), name, is_directory: true, is_published: false };
        let opened = beneath::open(folder.as_fd(), &staged.name, OFlags::RDONLY | OFlags::DIRECTORY)
            .map_err(FileError::of("opening the directory"))?;
        Ok((staged, opened))
    }

    pub(super) fn look(&self) -> Result<Stat, FileError> {
        beneath::look(self.folder.as_fd(), &self.name).map_err(FileError::of("reading the metadata"))
    }

    pub(super) fn name(&self) -> &[u8] {
        &self.name
    }

    /// Renames it to its final name, in one step.
    pub(super) fn publish(mut self, name: &[u8], onto: Overwrite) -> Result<(), FileError> {
        let renamed = match onto {
            Overwrite::Yes => renameat(&self.folder, self.name.as_slice(), &self.folder, name),
            Overwrite::No => rename_new(&self.folder, &self.name, &self.folder, name),
        };
        renamed.map_err(FileError::of("renaming the temporary file"))?;
        self.is_published = true;
        fsync(&self.folder).map_err(FileError::unfinished("syncing the directory"))
    }

    /// Exchanges names with an existing file, which dropping this removes from then on.
    pub(super) fn exchange(&self, name: &[u8]) -> Result<(), FileError> {
        renameat_with(&self.folder, self.name.as_slice(), &self.folder, name, RenameFlags::EXCHANGE)
            .map_err(FileError::of("renaming the temporary file"))
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if self.is_published {
            return;
        }
        let _ = match self.is_directory {
            // Directories in it may already have modes that do not allow removing their content.
            true => remove_tree_at(&self.folder, self.name.as_slice(), deadline()),
            false => unlinkat(&self.folder, self.name.as_slice(), AtFlags::empty()),
        };
    }
}

/// Renames to a name that must be free, in one step.
pub(super) fn rename_new(from: &OwnedFd, old: &[u8], to: &OwnedFd, new: &[u8]) -> Result<(), Errno> {
    match renameat_with(from, old, to, new, RenameFlags::NOREPLACE) {
        // Not every file system supports the flag, but each refuses a link to an existing name. Directories cannot be linked.
        Err(Errno::INVAL) => {
            linkat(from, old, to, new, AtFlags::empty())?;
            unlinkat(from, old, AtFlags::empty())
        }
        result => result,
    }
}

/// Copies owner, group and permission bits of the file that is replaced, without set-user-ID and set-group-ID.
fn take_over(file: &OwnedFd, stat: &Stat) -> Result<(), FileError> {
    let (owner, group) = (Uid::from_raw(stat.st_uid), Gid::from_raw(stat.st_gid));
    let mut bits = stat.st_mode & PERMISSION_BITS;
    let has_group = fchown(file, Some(owner), Some(group)).or_else(|_| fchown(file, None, Some(group))).is_ok();
    if !has_group {
        // The rights of the old group are not for another one.
        bits &= !GROUP_BITS;
    }
    fchmod(file, Mode::from_raw_mode(bits)).map_err(FileError::of("setting the mode"))
}

pub(super) fn of_io(act: &'static str, error: &std::io::Error) -> FileError {
    FileError::of(act)(Errno::from_io_error(error).unwrap_or(Errno::IO))
}

pub(super) const PERMISSION_BITS: u32 = 0o777;
const GROUP_BITS: u32 = 0o070;
const CHUNK_BYTES: usize = 1 << 20;
