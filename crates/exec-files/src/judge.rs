//! The caller's decisions: which further paths an operation may touch, and which files a search may see.

use crate::FileError;
use std::any::Any;
use std::fmt;

/// Judges a further path, relative to the root and normalized: the target of a link, or a path below a directory.
pub type Judge<'j> = dyn FnMut(&[u8]) -> Result<(), Denial> + 'j;

/// Returns whether a search may list or open a file. Called from several threads.
pub type Visible<'v> = dyn Fn(&[u8], FileRole) -> bool + Sync + 'v;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileRole {
    /// Its name and content are shown.
    Entry,
    /// Its rules leave out other files; nothing of it is shown.
    IgnoreFile,
}

/// The caller's denial of a path, which is returned to it unchanged.
pub struct Denial {
    reason: Box<dyn Any + Send + Sync>,
}

impl Denial {
    pub fn new<R: Any + Send + Sync>(reason: R) -> Self {
        Self { reason: Box::new(reason) }
    }

    /// Borrows the reason, if it is of this type.
    #[must_use]
    pub fn reason<R: Any>(&self) -> Option<&R> {
        self.reason.downcast_ref()
    }

    /// Returns the reason.
    ///
    /// # Errors
    /// Returns the denial itself when its reason is of another type.
    pub fn into_reason<R: Any>(self) -> Result<R, Self> {
        self.reason.downcast().map(|reason| *reason).map_err(|reason| Self { reason })
    }
}

impl fmt::Debug for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Denial")
    }
}

/// Fails with the number of denied paths below a directory, unless all are allowed.
pub(super) fn all_allowed(judged: impl Iterator<Item = Result<(), Denial>>) -> Result<(), FileError> {
    let (mut first, mut count) = (None, 0_usize);
    for denied in judged.filter_map(Result::err) {
        first.get_or_insert(denied);
        count = count.saturating_add(1);
    }
    first.map_or(Ok(()), |denied| Err(FileError::DeniedBelow { count, denied }))
}

pub(super) fn allowed(judge: &mut Judge<'_>, path: &[u8]) -> Result<(), FileError> {
    judge(path).map_err(|denied| FileError::Denied { path: path.into(), denied })
}
