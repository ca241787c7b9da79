//! A path and content -> the file with that content, whole or not at all.

use std::fs::File;
use std::io::Write as _;

use enforce_core::limits::{MAX_READ_LIMIT, MAX_WRITE_SIZE};
use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{Access as Permission, AtFlags, Mode, OFlags, Stat, accessat, ftruncate};
use rustix::io::{Errno, pread};
use sha2::{Digest as _, Sha256};

use super::notes::{Append, Kept, Kind, Mark, Step};
use crate::{
    Access, Change, Effect, FileError, Judge, Missing, Onto, PERMISSION_BITS, Staged, Stop, Workspace, beneath, of_io,
    split,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Write {
    /// What happens to a file that is there.
    pub how: How,
    /// Whether missing folders above it are made.
    pub create_dirs: bool,
    /// Permission bits of the file. Without them a new file gets what the process' mask leaves, and a file that is
    /// there keeps its own. Not for a file that is appended to.
    pub mode: Option<u32>,
}

/// What happens to a file that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// It is replaced as a whole.
    Replace,
    /// It stays, and the write fails (CTR-0007).
    CreateOnly,
    /// It gets the content at its end (CTR-0008). A process that is killed meanwhile can leave a part of it there, which
    /// the next start takes back where notes are kept.
    Append,
}

impl Workspace {
    /// Writes a file.
    ///
    /// A file that is replaced is a new one with the name of the old: other hard links of the old keep its content.
    ///
    /// # Errors
    /// When it may not be reached or written. Then everything is as it was.
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
        self.reach(path, judge, |path| {
            let _turn = self.locks.take(&[path], stop)?;
            match write.how {
                How::Replace => self.replace(path, content, write, Onto::Anything, stop),
                How::CreateOnly => self.replace(path, content, write, Onto::Nothing, stop),
                How::Append => self.append(path, content, write, stop),
            }
        })
    }

    fn replace(&self, path: &[u8], content: &[u8], write: Write, onto: Onto, stop: &Stop) -> Result<Effect, FileError> {
        let (above, name) = split(path)?;
        let missing = if write.create_dirs { Missing::Make } else { Missing::Refuse };
        let (folder, made) = self.folder(above, missing)?;
        let old = replaceable(&folder, name)?;
        if old.is_some() && onto == Onto::Nothing {
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
        Ok(written(path, change, content))
    }

    fn append(&self, path: &[u8], content: &[u8], write: Write, stop: &Stop) -> Result<Effect, FileError> {
        split(path)?;
        let flags = OFlags::RDWR | OFlags::APPEND;
        match beneath::open_as_file(self.root(), path, flags, &self.device) {
            Ok((file, stat)) => self.append_to(path, file, &stat, content, stop),
            // Nothing there to append to. If somebody makes it at this moment, that one is not overwritten.
            Err(FileError::NotFound) => self.replace(path, content, write, Onto::Nothing, stop),
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
        let note = self.note(|| {
            let append = Append { old: Mark::of(stat), content: content.to_vec() };
            Ok(vec![Step { path: path.to_vec(), kind: Some(Kind::Append(append)) }])
        })?;
        let mut file = File::from(file);
        let appended = file.write_all(content).and_then(|()| file.sync_all());
        let appended = appended.map_err(|error| of_io("appending to the file", &error));
        let (appended, note) = match appended {
            Ok(()) => (note.map_or(Ok(()), Kept::forget), None),
            Err(error) => (Err(error), note),
        };
        if let Err(error) = appended {
            // A part of it is worse than nothing.
            ftruncate(&file, before).map_err(FileError::unfinished("undoing the append"))?;
            return Err(note.map_or(Ok(()), Kept::forget).err().unwrap_or(error));
        }
        let sha256 = Some(sha256.finalize().into());
        Ok(Effect { path: path.to_vec(), change: Change::Appended, size_bytes, sha256 })
    }
}

/// What a new file at a name would replace: nothing, or a file that may be written.
pub(super) fn replaceable(folder: &OwnedFd, name: &[u8]) -> Result<Option<Stat>, FileError> {
    let stat = match beneath::look(folder.as_fd(), name) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return Ok(None),
        Err(errno) => return Err(FileError::of("looking at the file")(errno)),
    };
    beneath::check_file(&stat)?;
    // A new name needs only the folder's permission; a file that is protected itself stays.
    let flags = AtFlags::EACCESS | AtFlags::SYMLINK_NOFOLLOW;
    accessat(folder, name, Permission::WRITE_OK, flags).map_err(FileError::of("writing the file"))?;
    Ok(Some(stat))
}

/// The effect of a file with this content.
pub(super) fn written(path: &[u8], change: Change, content: &[u8]) -> Effect {
    let sha256 = Some(Sha256::digest(content).into());
    Effect { path: path.to_vec(), change, size_bytes: content.len() as u64, sha256 }
}

fn digest_to(file: &OwnedFd, end: u64, sha256: &mut Sha256, stop: &Stop) -> Result<(), FileError> {
    let mut buffer = vec![0; CHUNK_BYTES];
    let mut place: u64 = 0;
    while place < end {
        stop.check()?;
        let read = pread(file, buffer.as_mut_slice(), place).map_err(FileError::of("reading the file"))?;
        let left = usize::try_from(end - place).unwrap_or(usize::MAX);
        let bytes = buffer.get(..read.min(left)).unwrap_or_default();
        if bytes.is_empty() {
            return Err(FileError::Changed);
        }
        sha256.update(bytes);
        place += bytes.len() as u64;
    }
    Ok(())
}

const CHUNK_BYTES: usize = 256 << 10;
