//! What the caller decides: which further paths an operation may touch, and which files a search may see.

use crate::FileError;
use std::any::Any;
use std::fmt;

/// Judges one further path, relative to the root and normalised: one that a link leads to, or one below a folder.
pub type Judge<'j> = dyn FnMut(&[u8]) -> Result<(), Denied> + 'j;

/// Whether a search may list or open a file. Searches ask from several threads.
pub type Visible<'v> = dyn Fn(&[u8], Seen) -> bool + Sync + 'v;

/// What is seen of a file in a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// That it is there, and what is in it.
    ByName,
    /// What its rules leave out, and nothing else: it is an ignore file.
    AsRules,
}

/// The caller's refusal of a path, carried back to it as it was given.
pub struct Denied {
    reason: Box<dyn Any + Send + Sync>,
}

impl Denied {
    /// A refusal for the caller's own reason.
    pub fn new<R: Any + Send + Sync>(reason: R) -> Self {
        Self { reason: Box::new(reason) }
    }

    /// The reason, if it is of this type.
    #[must_use]
    pub fn reason<R: Any>(&self) -> Option<&R> {
        self.reason.downcast_ref()
    }

    /// The reason, if it is of this type, to keep.
    ///
    /// # Errors
    /// The refusal itself, when its reason is of another type.
    pub fn into_reason<R: Any>(self) -> Result<R, Self> {
        self.reason.downcast().map(|reason| *reason).map_err(|reason| Self { reason })
    }
}

impl fmt::Debug for Denied {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Denied")
    }
}

/// Takes what the judge said of each path below a folder: all of them are allowed, or so many are not.
pub(super) fn all_allowed(judged: impl Iterator<Item = Result<(), Denied>>) -> Result<(), FileError> {
    let (mut first, mut count) = (None, 0_usize);
    for denied in judged.filter_map(Result::err) {
        first.get_or_insert(denied);
        count = count.saturating_add(1);
    }
    first.map_or(Ok(()), |denied| Err(FileError::DeniedBelow { count, denied }))
}

/// Shows a path to the judge.
pub(super) fn allowed(judge: &mut Judge<'_>, path: &[u8]) -> Result<(), FileError> {
    judge(path).map_err(|denied| FileError::Denied { path: path.into(), denied })
}
