//! Path, old text, new text -> the file with the old text replaced, if it occurs exactly once.

use memchr::memmem;
use rustix::fd::AsFd as _;
use rustix::fs::Stat;

use crate::{
    Access, Change, Effect, FileError, IfMissing, Judge, Overwrite, Staged, Stop, Workspace, beneath, read_whole,
    replaceable, split,
};

impl Workspace {
    /// Replaces the only occurrence of `old` in a file by `new` (CTR-0009, CTR-0010).
    ///
    /// # Errors
    /// When `old` does not occur exactly once, overlaps included, the file is larger than [`EDIT_FILE_BYTES_MAX`] before or
    /// after, or it may not be opened or written. Then nothing has changed.
    pub fn edit(
        &self,
        path: &[u8],
        old: &[u8],
        new: &[u8],
        judge: &mut Judge<'_>,
        stop: &Stop,
    ) -> Result<Effect, FileError> {
        self.rewrite(path, |text| replaced(text, old, new, stop), judge, stop)
    }

    /// Rewrites a file under one lock: no other operation writes it between the reading and the writing (SDK-LOCKS). `make` must
    /// not change files itself, and can be called again when links change meanwhile.
    pub(super) fn rewrite(
        &self,
        path: &[u8],
        mut make: impl FnMut(&[u8]) -> Result<Vec<u8>, FileError>,
        judge: &mut Judge<'_>,
        stop: &Stop,
    ) -> Result<Effect, FileError> {
        self.with_links_resolved(path, judge, |path| {
            let _turn = self.locks.take(&[path], stop)?;
            let (above, name) = split(path)?;
            let (folder, _) = self.folder(above, IfMissing::Fail)?;
            let (file, stat) = beneath::open_file(folder.as_fd(), name, &self.device)?;
            replaceable(&folder, name)?;
            let size_bytes = u64::try_from(stat.st_size).unwrap_or(0);
            let before = read_whole(&file, size_bytes, EDIT_FILE_BYTES_MAX, stop)?;
            let after = make(&before)?;
            if after.len() as u64 > EDIT_FILE_BYTES_MAX {
                return Err(FileError::TooLarge { bytes: after.len() as u64, most: EDIT_FILE_BYTES_MAX });
            }
            let staged = Staged::with(&folder, Access::As(&stat), &after, stop)?;
            // Other processes do not take the lock.
            if !is_same(&stat, &beneath::look(folder.as_fd(), name).map_err(FileError::of("reading the metadata"))?) {
                return Err(FileError::Changed);
            }
            staged.publish(name, Overwrite::Yes)?;
            Ok(Effect::written(path, Change::Replaced, &after))
        })
    }
}

/// True if a file and its content have not changed.
pub(super) fn is_same(before: &Stat, now: &Stat) -> bool {
    let facts = |stat: &Stat| {
        (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime, stat.st_mtime_nsec, stat.st_ctime, stat.st_ctime_nsec)
    };
    facts(before) == facts(now)
}

fn replaced(text: &[u8], old: &[u8], new: &[u8], stop: &Stop) -> Result<Vec<u8>, FileError> {
    let finder = memmem::Finder::new(old);
    let (mut count, mut first, mut from) = (0, 0, 0);
    while let Some(found) = text.get(from..).and_then(|rest| finder.find(rest)) {
        stop.check()?;
        if count == 0 {
            first = from + found;
        }
        count += 1;
        if count >= MATCHES_COUNTED_MAX {
            break;
        }
        from += found + 1;
    }
    match count {
        0 => return Err(FileError::NoMatch),
        1 => {}
        count => return Err(FileError::ManyMatches { count }),
    }
    let (head, tail) = (text.get(..first).unwrap_or_default(), text.get(first + old.len()..).unwrap_or_default());
    Ok([head, new, tail].concat())
}

/// Bytes of a file that is edited or patched, before and after: 100 MB, like one write.
pub const EDIT_FILE_BYTES_MAX: u64 = enforce_core::limits::MAX_WRITE_SIZE as u64;
/// Counting stops here, because finding each occurrence can take the length of the old text.
pub const MATCHES_COUNTED_MAX: usize = 100;
