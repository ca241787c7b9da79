//! Two paths -> the content of the one at the other too. Made under a temporary name, and named when it is complete.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::sync::Arc;

use enforce_core::limits::MAX_READ_LIMIT;
use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{Mode, OFlags, Stat, fchmod, fsync, mkdirat, openat, readlinkat, symlinkat};
use sha2::{Digest as _, Sha256};

use crate::{
    Access, Change, Effect, FileError, FileKind, IfMissing, Judge, Leaf, Overwrite, PERMISSION_BITS, Parents, Staged,
    Stop, TreeEntry, Workspace, beneath, check_apart, destination, join, judge_both, of_io, rename_new, replaceable,
    split, survey, temporary_name,
};
use exec_base::{deadline, remove_tree_at};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Copy {
    /// Whether a file at the destination is replaced. A folder there never is.
    pub overwrite: bool,
    /// Whether the copy has the permission bits of the original, instead of those a new file gets.
    pub preserve_mode: bool,
}

impl Workspace {
    /// Copies a file, or a folder with what is in it. A link is followed at the source; below it, it stays a link.
    ///
    /// # Errors
    /// When something is at the destination, a path below either side is not allowed, there is something in it that
    /// is neither file nor folder nor link, it is more than [`COPY_BYTES_MAX`], or the system refuses. Then everything
    /// is as it was.
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
        // A link at the destination is replaced itself, and has no bits worth keeping.
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

/// A folder to copy, and all that is in it.
struct Tree<'t> {
    top: &'t OwnedFd,
    found: &'t [TreeEntry],
    how: Copy,
    stop: &'t Stop,
    device: &'t beneath::Device,
}

impl Tree<'_> {
    fn copy(&self, folder: &Arc<OwnedFd>, dst: &[u8]) -> Result<Vec<Effect>, FileError> {
        let copy = TemporaryFolder::new(folder)?;
        let mut effects = vec![Effect::without_content(dst, Change::Created)];
        {
            let (mut from, mut to) = (Parents::of(self.top), Parents::of(&copy.top));
            let mut left = COPY_BYTES_MAX;
            for entry in self.found {
                self.stop.check()?;
                let path = join(dst, &entry.path);
                effects.push(self.entry(entry, path, &mut from, &mut to, &mut left)?);
            }
        }
        self.finish_folders(&copy.top)?;
        self.stop.check()?;
        let (_, name) = split(dst)?;
        copy.publish(name)?;
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
            from.find(&entry.path).map_err(FileError::of("opening the folder"))?,
            to.find(&entry.path).map_err(FileError::of("opening the folder"))?,
        );
        match entry.kind() {
            FileKind::Folder => {
                mkdirat(target, name, Mode::from_raw_mode(0o777)).map_err(FileError::of("making the folder"))?;
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

    /// Modes and durability of the folders, the innermost first: one that may not be written is filled by then.
    fn finish_folders(&self, copy: &OwnedFd) -> Result<(), FileError> {
        for entry in self.found.iter().rev().filter(|entry| entry.kind() == FileKind::Folder) {
            self.stop.check()?;
            let folder = beneath::open(copy.as_fd(), &entry.path, OFlags::RDONLY | OFlags::DIRECTORY)
                .map_err(FileError::of("opening the folder"))?;
            self.finish(&folder, entry.mode)?;
        }
        let stat = rustix::fs::fstat(self.top).map_err(FileError::of("looking at the folder"))?;
        self.finish(copy, stat.st_mode)
    }

    fn finish(&self, folder: &OwnedFd, mode: u32) -> Result<(), FileError> {
        if self.how.preserve_mode {
            fchmod(folder, Mode::from_raw_mode(mode & PERMISSION_BITS)).map_err(FileError::of("setting the mode"))?;
        }
        fsync(folder).map_err(FileError::of("securing the folder"))
    }
}

/// A folder under a temporary name, until it is published or dropped.
struct TemporaryFolder {
    folder: Arc<OwnedFd>,
    name: Vec<u8>,
    top: OwnedFd,
    is_published: bool,
}

impl TemporaryFolder {
    fn new(folder: &Arc<OwnedFd>) -> Result<Self, FileError> {
        let name = temporary_name()?;
        mkdirat(folder, name.as_slice(), Mode::from_raw_mode(0o777)).map_err(FileError::of("making a folder"))?;
        let top = beneath::open(folder.as_fd(), &name, OFlags::RDONLY | OFlags::DIRECTORY)
            .map_err(FileError::of("opening the folder"))?;
        Ok(Self { folder: Arc::clone(folder), name, top, is_published: false })
    }

    fn publish(mut self, name: &[u8]) -> Result<(), FileError> {
        rename_new(&self.folder, &self.name, &self.folder, name).map_err(FileError::of("naming the folder"))?;
        self.is_published = true;
        fsync(&self.folder).map_err(FileError::unfinished("securing the folder"))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if !self.is_published {
            // Some of its folders may have modes by now that let nobody remove what is in them.
            let _ = remove_tree_at(&self.folder, self.name.as_slice(), deadline());
        }
    }
}

/// Copies the content of one file to another and onto the disk: how many bytes, and their SHA-256.
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
    to.sync_all().map_err(|error| of_io("securing the file", &error))?;
    Ok((size_bytes, sha256.finalize().into()))
}

/// Bytes that are copied at once.
pub const COPY_BYTES_MAX: u64 = 4 * MAX_READ_LIMIT;
const CHUNK_BYTES: usize = 256 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    /// Each folder is secured on the disk by itself, which takes most of the time of some trees.
    #[test]
    fn tool_fs_copy_is_stopped_between_the_folders_that_it_finishes() {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir(place.path().join("below")).unwrap();
        let top = OwnedFd::from(File::open(place.path()).unwrap());
        let stop = Stop::when_told();
        let found = survey(&top, &stop).unwrap();
        let device = beneath::Device { number: 0 };
        let tree = Tree { top: &top, found: &found, how: Copy::default(), stop: &stop, device: &device };
        tree.finish_folders(&top).unwrap();
        stop.stop();
        assert!(matches!(tree.finish_folders(&top), Err(FileError::Cancelled)));
    }
}
