//! Two paths -> a copy of the first at the second, made under a temporary name and renamed when it is complete.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::sync::Arc;

use enforce_core::limits::MAX_READ_LIMIT;
use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{Mode, OFlags, Stat, fchmod, fsync, mkdirat, openat, readlinkat, symlinkat};
use sha2::{Digest as _, Sha256};

use crate::{
    Access, Change, Effect, FileError, FileKind, IfMissing, Judge, Leaf, Overwrite, PERMISSION_BITS, Parents, Staged,
    Stop, TreeEntry, Workspace, beneath, check_apart, destination, join, judge_both, of_io, replaceable, split, survey,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Copy {
    /// Replaces a file at the destination, but never a directory.
    pub overwrite: bool,
    /// Copies the permission bits, too.
    pub preserve_mode: bool,
}

impl Workspace {
    /// Copies a file, or a directory with its content. A link at the source is followed; links below it are copied as links.
    ///
    /// # Errors
    /// When the destination exists, a path below either side is not allowed, the source contains anything but files,
    /// directories and links, or it is larger than [`COPY_BYTES_MAX`]. Then nothing has changed.
    pub fn copy(
        &self,
        src: &[u8],
        dst: &[u8],
        how: Copy,
        judge: &mut Judge<'_>,
        stop: &Stop,
    ) -> Result<Vec<Effect>, FileError> {
        self.retry_on_link_race(|| {
            let (src, dst) =
                (self.resolve_links(src, Leaf::Follow, judge)?, self.resolve_links(dst, Leaf::Keep, judge)?);
            check_apart(&src, &dst)?;
            let _turn = self.locks.take(&[&src, &dst], stop)?;
            let (above, name) = split(&dst)?;
            let (folder, _) = self.folder(above, IfMissing::Fail)?;
            match beneath::open_file(self.root(), &src, &self.device) {
                Ok((file, stat)) => {
                    let onto = destination(&folder, name, FileKind::File, how.overwrite, None)?;
                    copy_file(file, &stat, &folder, &dst, how, onto, stop).map(|effect| vec![effect])
                }
                Err(FileError::NotAFile { kind: FileKind::Folder }) => {
                    destination(&folder, name, FileKind::Folder, how.overwrite, None)?;
                    let top = beneath::open_folder(self.root(), &src, &self.device)?;
                    let found = survey(&top, stop)?;
                    check_copyable(&found)?;
                    judge_both(&found, &src, &dst, judge)?;
                    let tree = Tree { top: &top, found: &found, how, stop, device: &self.device };
                    tree.copy(&folder, &dst)
                }
                Err(error) => Err(error),
            }
        })
    }
}

fn copy_file(
    file: OwnedFd,
    stat: &Stat,
    folder: &Arc<OwnedFd>,
    dst: &[u8],
    how: Copy,
    onto: Overwrite,
    stop: &Stop,
) -> Result<Effect, FileError> {
    let (_, name) = split(dst)?;
    let old = match onto {
        Overwrite::No => None,
        // A link at the destination is replaced itself; its permission bits mean nothing.
        Overwrite::Yes => replaceable(folder, name).unwrap_or_default(),
    };
    let access = match &old {
        _ if how.preserve_mode => Access::Mode(Mode::from_raw_mode(stat.st_mode & PERMISSION_BITS)),
        Some(old) => Access::As(old),
        None => Access::Default,
    };
    let (staged, mut copy) = Staged::file(folder, access)?;
    let (size_bytes, sha256) = pour(file.into(), &mut copy, COPY_BYTES_MAX, stop)?;
    stop.check()?;
    staged.publish(name, onto)?;
    let change = if onto == Overwrite::Yes { Change::Replaced } else { Change::Created };
    Ok(Effect { path: dst.to_vec(), change, size_bytes, sha256: Some(sha256) })
}

fn check_copyable(found: &[TreeEntry]) -> Result<(), FileError> {
    let mut bytes: u64 = 0;
    for entry in found {
        match entry.kind() {
            FileKind::File => bytes = bytes.saturating_add(entry.size_bytes),
            FileKind::Folder | FileKind::Link => {}
            kind => return Err(FileError::NotAFile { kind }),
        }
    }
    if bytes > COPY_BYTES_MAX { Err(FileError::TooLarge { bytes, most: COPY_BYTES_MAX }) } else { Ok(()) }
}

/// A directory to copy, with its content.
struct Tree<'t> {
    top: &'t OwnedFd,
    found: &'t [TreeEntry],
    how: Copy,
    stop: &'t Stop,
    device: &'t beneath::Device,
}

impl Tree<'_> {
    fn copy(&self, folder: &Arc<OwnedFd>, dst: &[u8]) -> Result<Vec<Effect>, FileError> {
        let (staged, copy) = Staged::directory(folder)?;
        let mut effects = vec![Effect::without_content(dst, Change::Created)];
        {
            let (mut from, mut to) = (Parents::of(self.top), Parents::of(&copy));
            let mut left = COPY_BYTES_MAX;
            for entry in self.found {
                self.stop.check()?;
                let path = join(dst, &entry.path);
                effects.push(self.entry(entry, path, &mut from, &mut to, &mut left)?);
            }
        }
        self.finish_folders(&copy)?;
        self.stop.check()?;
        let (_, name) = split(dst)?;
        staged.publish(name, Overwrite::No)?;
        Ok(effects)
    }

    fn entry(
        &self,
        entry: &TreeEntry,
        path: Vec<u8>,
        from: &mut Parents<'_>,
        to: &mut Parents<'_>,
        left: &mut u64,
    ) -> Result<Effect, FileError> {
        let ((source, name), (target, _)) = (
            from.find(&entry.path).map_err(FileError::of("opening the directory"))?,
            to.find(&entry.path).map_err(FileError::of("opening the directory"))?,
        );
        match entry.kind() {
            FileKind::Folder => {
                mkdirat(target, name, Mode::from_raw_mode(0o777)).map_err(FileError::of("making the directory"))?;
                Ok(Effect::without_content(&path, Change::Created))
            }
            FileKind::Link => {
                let goal = readlinkat(source, name, Vec::new()).map_err(FileError::of("reading the link"))?;
                symlinkat(&goal, target, name).map_err(FileError::of("making the link"))?;
                Ok(Effect::without_content(&path, Change::Created))
            }
            _ => {
                let (file, stat) = beneath::open_file(source, name, self.device)?;
                let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let copy = openat(target, name, flags, Mode::from_raw_mode(0o666));
                let mut copy = File::from(copy.map_err(FileError::of("making the file"))?);
                if self.how.preserve_mode {
                    fchmod(&copy, Mode::from_raw_mode(stat.st_mode & PERMISSION_BITS))
                        .map_err(FileError::of("setting the mode"))?;
                }
                let (size_bytes, sha256) = pour(file.into(), &mut copy, *left, self.stop)?;
                *left -= size_bytes;
                Ok(Effect { path, change: Change::Created, size_bytes, sha256: Some(sha256) })
            }
        }
    }

    /// Sets modes and syncs, inner directories first: by then, read-only ones are filled.
    fn finish_folders(&self, copy: &OwnedFd) -> Result<(), FileError> {
        for entry in self.found.iter().rev().filter(|entry| entry.kind() == FileKind::Folder) {
            self.stop.check()?;
            let folder = beneath::open(copy.as_fd(), &entry.path, OFlags::RDONLY | OFlags::DIRECTORY)
                .map_err(FileError::of("opening the directory"))?;
            self.finish(&folder, entry.mode)?;
        }
        let stat = rustix::fs::fstat(self.top).map_err(FileError::of("reading the metadata"))?;
        self.finish(copy, stat.st_mode)
    }

    fn finish(&self, folder: &OwnedFd, mode: u32) -> Result<(), FileError> {
        if self.how.preserve_mode {
            fchmod(folder, Mode::from_raw_mode(mode & PERMISSION_BITS)).map_err(FileError::of("setting the mode"))?;
        }
        fsync(folder).map_err(FileError::of("syncing the directory"))
    }
}

/// Copies the content of a file and syncs it; returns the number of bytes and their SHA-256.
fn pour(mut from: File, to: &mut File, most: u64, stop: &Stop) -> Result<(u64, [u8; 32]), FileError> {
    let mut buffer = vec![0; CHUNK_BYTES];
    let (mut size_bytes, mut sha256) = (0_u64, Sha256::new());
    loop {
        stop.check()?;
        let read = from.read(&mut buffer).map_err(|error| of_io("reading the file", &error))?;
        let bytes = buffer.get(..read).unwrap_or_default();
        if bytes.is_empty() {
            break;
        }
        size_bytes = size_bytes.saturating_add(read as u64);
        if size_bytes > most {
            return Err(FileError::TooLarge { bytes: size_bytes, most });
        }
        sha256.update(bytes);
        to.write_all(bytes).map_err(|error| of_io("writing the file", &error))?;
    }
    to.sync_all().map_err(|error| of_io("syncing the file", &error))?;
    Ok((size_bytes, sha256.finalize().into()))
}

pub const COPY_BYTES_MAX: u64 = 4 * MAX_READ_LIMIT;
const CHUNK_BYTES: usize = 256 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    /// Each directory is synced by itself, which takes most of the time for some trees.
    #[test]
    fn tool_fs_copy_is_stopped_between_the_folders_that_it_finishes() {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join("below")).unwrap();
        let top = OwnedFd::from(File::open(place.path()).unwrap());
        let stop = Stop::on_request();
        let found = survey(&top, &stop).unwrap();
        let device = beneath::Device { number: 0 };
        let tree = Tree { top: &top, found: &found, how: Copy::default(), stop: &stop, device: &device };
        tree.finish_folders(&top).unwrap();
        stop.stop();
        assert!(matches!(tree.finish_folders(&top), Err(FileError::Cancelled)));
    }
}
