//! Two paths -> a file or directory moved from one to the other, in one step.

use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{FileType, Stat, fsync, renameat};
use rustix::io::Errno;

use crate::{
    Change, Effect, FileError, FileKind, IfMissing, Judge, Leaf, Overwrite, PATH_ONLY, Stop, TreeEntry, Workspace,
    all_allowed, beneath, is_at_or_below, join, rename_new, replaceable, split, survey,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Move {
    /// Replaces a file at the destination, but never a directory.
    pub overwrite: bool,
}

impl Workspace {
    /// Moves a file, a link (not its target), or a directory with its content.
    ///
    /// # Errors
    /// When the destination exists, a path below either side is not allowed, or the two are on different file systems. Then
    /// nothing has changed.
    pub fn move_(
        &self,
        src: &[u8],
        dst: &[u8],
        how: Move,
        judge: &mut Judge<'_>,
        stop: &Stop,
    ) -> Result<Vec<Effect>, FileError> {
        self.retry_on_link_race(|| {
            let (src, dst) = (self.resolve_links(src, Leaf::Keep, judge)?, self.resolve_links(dst, Leaf::Keep, judge)?);
            check_apart(&src, &dst)?;
            let _turn = self.locks.take(&[&src, &dst], stop)?;
            let ((src_above, src_name), (dst_above, dst_name)) = (split(&src)?, split(&dst)?);
            let (from, _) = self.folder(src_above, IfMissing::Fail)?;
            let (to, _) = self.folder(dst_above, IfMissing::Fail)?;
            let stat = beneath::look(from.as_fd(), src_name).map_err(FileError::of("reading the metadata"))?;
            let kind = FileKind::of(FileType::from_raw_mode(stat.st_mode));
            let onto = destination(&to, dst_name, kind, how.overwrite, Some(&stat))?;
            if kind == FileKind::Folder {
                let top =
                    beneath::open(from.as_fd(), src_name, PATH_ONLY).map_err(FileError::of("opening the directory"))?;
                judge_both(&survey(&top, stop)?, &src, &dst, judge)?;
            }
            stop.check()?;
            let renamed = match onto {
                Overwrite::No => rename_new(&from, src_name, &to, dst_name),
                Overwrite::Yes => renameat(&from, src_name, &to, dst_name),
            };
            renamed.map_err(|errno| match errno {
                Errno::XDEV => FileError::OtherFileSystem,
                Errno::ISDIR | Errno::NOTEMPTY => FileError::Exists,
                errno => FileError::of("moving the file")(errno),
            })?;
            for folder in [&to, &from] {
                fsync(folder).map_err(FileError::unfinished("syncing the directory"))?;
            }
            let size_bytes = if kind == FileKind::File { u64::try_from(stat.st_size).unwrap_or(0) } else { 0 };
            let change = Change::MovedFrom(src.clone());
            Ok(vec![Effect { path: dst, change, size_bytes, sha256: None }, Effect::removed(&src)])
        })
    }
}

/// Fails when one path is the other or contains it.
pub(super) fn check_apart(src: &[u8], dst: &[u8]) -> Result<(), FileError> {
    if src.is_empty() || dst.is_empty() {
        return Err(FileError::Root);
    }
    if is_at_or_below(src, dst) || is_at_or_below(dst, src) { Err(FileError::Overlap) } else { Ok(()) }
}

/// Checks whether the destination is free, or may be replaced.
pub(super) fn destination(
    folder: &OwnedFd,
    name: &[u8],
    source: FileKind,
    overwrite: bool,
    moved: Option<&Stat>,
) -> Result<Overwrite, FileError> {
    let stat = match beneath::look(folder.as_fd(), name) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return Ok(Overwrite::No),
        Err(errno) => return Err(FileError::of("reading the metadata")(errno)),
    };
    let kind = FileKind::of(FileType::from_raw_mode(stat.st_mode));
    if !overwrite || source == FileKind::Folder || kind == FileKind::Folder {
        return Err(FileError::Exists);
    }
    // Renaming one hard link of a file onto another does nothing and reports success.
    if moved.is_some_and(|moved| (moved.st_dev, moved.st_ino) == (stat.st_dev, stat.st_ino)) {
        return Err(FileError::Overlap);
    }
    match kind {
        FileKind::Link => Ok(Overwrite::Yes),
        _ => replaceable(folder, name).map(|_| Overwrite::Yes),
    }
}

/// Judges every path below both sides.
pub(super) fn judge_both(found: &[TreeEntry], src: &[u8], dst: &[u8], judge: &mut Judge<'_>) -> Result<(), FileError> {
    all_allowed(found.iter().map(|entry| {
        judge(&join(src, &entry.path))?;
        judge(&join(dst, &entry.path))
    }))
}
