//! Content -> a temporary file beside its destination, complete and on disk, that takes its name in one step.
//!
//! Dropped before that, it removes itself. After a crash its name tells what it is, and the next start removes it.

use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;

use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, RenameFlags, Stat, Uid, fchmod, fchown, fsync, linkat, openat, renameat, renameat_with,
    unlinkat,
};
use rustix::io::Errno;

use crate::{FileError, Stop, beneath, temporary_name};

/// A file under a temporary name, until it is published or dropped.
#[derive(Debug)]
pub(super) struct Staged {
    folder: Arc<OwnedFd>,
    name: Vec<u8>,
    is_published: bool,
}

/// Who may do what with the file.
#[derive(Debug, Clone, Copy)]
pub(super) enum Access<'s> {
    /// What the process' mask leaves.
    Default,
    /// Exactly these.
    Mode(Mode),
    /// As with the file that it replaces.
    As(&'s Stat),
}

/// What may be at the name already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Onto {
    Nothing,
    Anything,
}

impl Staged {
    /// A new empty file in a folder.
    pub(super) fn file(folder: &Arc<OwnedFd>, access: Access<'_>) -> Result<(Self, File), FileError> {
        let mode = match access {
            Access::Default => Mode::from_raw_mode(0o666),
            // Nobody else looks into it before it is what it is to be.
            Access::Mode(_) | Access::As(_) => Mode::from_raw_mode(0o600),
        };
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let name = temporary_name()?;
        let file = openat(folder, name.as_slice(), flags, mode).map_err(FileError::of("making a temporary file"))?;
        let staged = Self { folder: Arc::clone(folder), name, is_published: false };
        match access {
            Access::Default => {}
            Access::Mode(mode) => fchmod(&file, mode).map_err(FileError::of("setting the mode"))?,
            Access::As(stat) => take_over(&file, stat)?,
        }
        Ok((staged, file.into()))
    }

    /// A new file in a folder with this content, on disk.
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
        file.sync_all().map_err(|error| of_io("securing the file", &error))?;
        stop.check()?;
        Ok(staged)
    }

    /// What it is, under the temporary name.
    pub(super) fn look(&self) -> Result<Stat, FileError> {
        beneath::look(self.folder.as_fd(), &self.name).map_err(FileError::of("looking at the file"))
    }

    pub(super) fn name(&self) -> &[u8] {
        &self.name
    }

    /// Gives it its name in its folder. From then on it is there, whole; before, it is not there at all.
    pub(super) fn publish(mut self, name: &[u8], onto: Onto) -> Result<(), FileError> {
        let renamed = match onto {
            Onto::Anything => renameat(&self.folder, self.name.as_slice(), &self.folder, name),
            Onto::Nothing => rename_new(&self.folder, &self.name, &self.folder, name),
        };
        renamed.map_err(FileError::of("naming the file"))?;
        self.is_published = true;
        fsync(&self.folder).map_err(FileError::unfinished("securing the folder"))
    }

    /// Changes places with what has the name, which is then what is removed when this is dropped.
    pub(super) fn exchange(&self, name: &[u8]) -> Result<(), FileError> {
        renameat_with(&self.folder, self.name.as_slice(), &self.folder, name, RenameFlags::EXCHANGE)
            .map_err(FileError::of("naming the file"))
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.is_published {
            let _ = unlinkat(&self.folder, self.name.as_slice(), AtFlags::empty());
        }
    }
}

/// Renames to a name that nothing has, in one step.
pub(super) fn rename_new(from: &OwnedFd, old: &[u8], to: &OwnedFd, new: &[u8]) -> Result<(), Errno> {
    match renameat_with(from, old, to, new, RenameFlags::NOREPLACE) {
        // A file system without it can still refuse a second link of a name. Folders have none.
        Err(Errno::INVAL) => {
            linkat(from, old, to, new, AtFlags::empty())?;
            unlinkat(from, old, AtFlags::empty())
        }
        result => result,
    }
}

/// Owner, group and permission bits of the file that is replaced; no bits that change who runs it.
fn take_over(file: &OwnedFd, stat: &Stat) -> Result<(), FileError> {
    let (owner, group) = (Uid::from_raw(stat.st_uid), Gid::from_raw(stat.st_gid));
    let mut bits = stat.st_mode & PERMISSION_BITS;
    let has_group = fchown(file, Some(owner), Some(group)).or_else(|_| fchown(file, None, Some(group))).is_ok();
    if !has_group {
        // What the old group was allowed is not for another one.
        bits &= !GROUP_BITS;
    }
    fchmod(file, Mode::from_raw_mode(bits)).map_err(FileError::of("setting the mode"))
}

/// What a failed write means.
pub(super) fn of_io(act: &'static str, error: &std::io::Error) -> FileError {
    FileError::of(act)(Errno::from_io_error(error).unwrap_or(Errno::IO))
}

/// Reading, writing, executing, for owner, group and others.
pub(super) const PERMISSION_BITS: u32 = 0o777;
const GROUP_BITS: u32 = 0o070;
const CHUNK_BYTES: usize = 1 << 20;
