//! Path and content -> the file with that content, complete or unchanged.

use std::fs::File;
use std::io::Write as _;

use enforce_core::limits::{MAX_READ_LIMIT, MAX_WRITE_SIZE};
use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{Access as Permission, AtFlags, Mode, OFlags, Stat, accessat, ftruncate};
use rustix::io::{Errno, pread};
use sha2::{Digest as _, Sha256};

use crate::journal::{FileStamp, PendingEntry, StepRecord};
use crate::{
    Access, FileError, IfMissing, Judge, Overwrite, PERMISSION_BITS, Staged, Stop, Workspace, beneath, of_io, split,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Write {
    pub kind: WriteKind,
    /// Makes missing directories above the file.
    pub create_dirs: bool,
    /// Permission bits. Without them a new file gets what the process umask leaves, and an existing file keeps its own.
    /// Not used for appending.
    pub mode: Option<u32>,
}

/// The treatment of an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteKind {
    Replace,
    /// The write fails (CTR-0007).
    CreateOnly,
    /// The content is added at the end (CTR-0008). A process that is killed meanwhile can leave part of it there, which
    /// the next start removes if there is a journal.
    Append,
}

/// A change that an operation made, for the record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// Relative to the root, without links.
    pub path: Vec<u8>,
    pub change: Change,
    /// The size of the file after the change; 0 for directories, links and what was removed.
    pub size_bytes: u64,
    /// Of the file after the change, where content was written: a move does not read it.
    pub sha256: Option<[u8; 32]>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Created,
    Replaced,
    Appended,
    MovedFrom(Vec<u8>),
    Removed,
}

impl Effect {
    pub(super) fn written(path: &[u8], change: Change, content: &[u8]) -> Self {
        let sha256 = Some(Sha256::digest(content).into());
        Self { path: path.to_vec(), change, size_bytes: content.len() as u64, sha256 }
    }

    /// A change of something that has no content.
    pub(super) fn without_content(path: &[u8], change: Change) -> Self {
        Self { path: path.to_vec(), change, size_bytes: 0, sha256: None }
    }

    pub(super) fn removed(path: &[u8]) -> Self {
        Self::without_content(path, Change::Removed)
    }
}

impl Workspace {
    /// Writes a file. A replaced file is a new one under the old name: other hard links keep the old content.
    ///
    /// # Errors
    /// When the file may not be opened or written. Then nothing has changed.
    pub fn write(
        &self,
        path: &[u8],
        content: &[u8],
        write: Write,
        judge: &mut Judge<'_>,
        stop: &Stop,
    ) -> Result<Effect, FileError> {
        if content.len() > MAX_WRITE_SIZE {
            return Err(FileError::TooLarge { bytes: content.len() as u64, most: MAX_WRITE_SIZE as u64 });
        }
        if let Some(mode) = write.mode.filter(|mode| mode & !PERMISSION_BITS != 0) {
            return Err(FileError::Mode { mode });
        }
        self.with_links_resolved(path, judge, |path| {
            let _turn = self.locks.take(&[path], stop)?;
            match write.kind {
                WriteKind::Replace => self.replace(path, content, write, Overwrite::Yes, stop),
                WriteKind::CreateOnly => self.replace(path, content, write, Overwrite::No, stop),
                WriteKind::Append => self.append(path, content, write, stop),
            }
        })
    }

    fn replace(
        &self,
        path: &[u8],
        content: &[u8],
        write: Write,
        onto: Overwrite,
        stop: &Stop,
    ) -> Result<Effect, FileError> {
        let (above, name) = split(path)?;
        let missing = if write.create_dirs { IfMissing::Make } else { IfMissing::Fail };
        let (folder, made) = self.folder(above, missing)?;
        let old = replaceable(&folder, name)?;
        if old.is_some() && onto == Overwrite::No {
            return Err(FileError::Exists);
        }
        let access = match (write.mode, &old) {
            (Some(mode), _) => Access::Mode(Mode::from_raw_mode(mode)),
            (None, Some(old)) => Access::As(old),
            (None, None) => Access::Default,
        };
        Staged::with(&folder, access, content, stop)?.publish(name, onto)?;
        made.keep()?;
        let change = if old.is_some() { Change::Replaced } else { Change::Created };
        Ok(Effect::written(path, change, content))
    }

    fn append(&self, path: &[u8], content: &[u8], write: Write, stop: &Stop) -> Result<Effect, FileError> {
        split(path)?;
        let flags = OFlags::RDWR | OFlags::APPEND;
        match beneath::open_as_file(self.root(), path, flags, &self.device) {
            Ok((file, stat)) => self.append_to(path, file, &stat, content, stop),
            // If another process creates the file at this moment, it is not overwritten.
            Err(FileError::NotFound) => self.replace(path, content, write, Overwrite::No, stop),
            Err(error) => Err(error),
        }
    }

    fn append_to(
        &self,
        path: &[u8],
        file: OwnedFd,
        stat: &Stat,
        content: &[u8],
        stop: &Stop,
    ) -> Result<Effect, FileError> {
        if stat.st_nlink > 1 {
            return Err(FileError::HardLinked { links: stat.st_nlink });
        }
        let before = u64::try_from(stat.st_size).unwrap_or(0);
        let size_bytes = before.saturating_add(content.len() as u64);
        if size_bytes > MAX_READ_LIMIT {
            return Err(FileError::TooLarge { bytes: size_bytes, most: MAX_READ_LIMIT });
        }
        let mut sha256 = Sha256::new();
        digest_to(&file, before, &mut sha256, stop)?;
        sha256.update(content);
        let entry = self.record(|| {
            let (old, appended) = (Some(FileStamp::of(stat)), Some(content.to_vec()));
            Ok(vec![StepRecord { path: path.to_vec(), old, appended, ..StepRecord::default() }])
        })?;
        let mut file = File::from(file);
        let appended = file.write_all(content).and_then(|()| file.sync_all());
        let appended = appended.map_err(|error| of_io("appending to the file", &error));
        let (appended, entry) = match appended {
            Ok(()) => (entry.map_or(Ok(()), PendingEntry::remove), None),
            Err(error) => (Err(error), entry),
        };
        if let Err(error) = appended {
            // Part of the content would be worse than none.
            ftruncate(&file, before).map_err(FileError::unfinished("undoing the append"))?;
            return Err(entry.map_or(Ok(()), PendingEntry::remove).err().unwrap_or(error));
        }
        let sha256 = Some(sha256.finalize().into());
        Ok(Effect { path: path.to_vec(), change: Change::Appended, size_bytes, sha256 })
    }
}

/// Looks at the file that a new one would replace, if there is one; fails when it may not be written.
pub(super) fn replaceable(folder: &OwnedFd, name: &[u8]) -> Result<Option<Stat>, FileError> {
    let stat = match beneath::look(folder.as_fd(), name) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return Ok(None),
        Err(errno) => return Err(FileError::of("reading the metadata")(errno)),
    };
    beneath::check_file(&stat)?;
    // Renaming over a file needs only permission for the directory; a read-only file is respected all the same.
    let flags = AtFlags::EACCESS | AtFlags::SYMLINK_NOFOLLOW;
    accessat(folder, name, Permission::WRITE_OK, flags).map_err(FileError::of("writing the file"))?;
    Ok(Some(stat))
}

fn digest_to(file: &OwnedFd, end: u64, sha256: &mut Sha256, stop: &Stop) -> Result<(), FileError> {
    let mut buffer = vec![0; CHUNK_BYTES];
    let mut offset: u64 = 0;
    while offset < end {
        stop.check()?;
        let read = pread(file, buffer.as_mut_slice(), offset).map_err(FileError::of("reading the file"))?;
        let left = usize::try_from(end - offset).unwrap_or(usize::MAX);
        let bytes = buffer.get(..read.min(left)).unwrap_or_default();
        if bytes.is_empty() {
            return Err(FileError::Changed);
        }
        sha256.update(bytes);
        offset += bytes.len() as u64;
    }
    Ok(())
}

const CHUNK_BYTES: usize = 256 << 10;
