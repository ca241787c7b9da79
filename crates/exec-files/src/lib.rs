//! path -> file beneath one root
//!
//! The caller passes judged paths: relative to the root, normalized, as bytes. It gets contents, lists and descriptions of
//! changes. The crate knows no policy, no sandbox and no ledger; it passes every path that comes up while acting to the
//! caller, who judges it.
//!
//! ```text
//! path -> open it literally, no link followed (openat2) -------------> handle -> check -> act
//!              | a link is in the way                                    ^
//!              v                                                         |
//!         resolve the links inside the root -> judge the canonical path -+
//! ```
//!
//! Guarantees:
//! - The kernel resolves every name beneath the root's handle and follows no link, so what is opened is what was judged.
//! - A name is opened once; kind, size and file system are read from the handle.
//! - A failed operation has changed nothing, except where it says so: [`FileError::Unfinished`] and
//!   [`FileError::PartlyDeleted`].
//! - After a crash an operation was done or not. Most are one atomic step; those of several steps are in the [`Journal`]
//!   until they are complete, and the next start undoes them ([`recover()`]).
//! - Writers of one path wait for each other, and for operations on a directory above it. Readers never wait: a file is
//!   replaced as a whole, so a reader sees one version or the other.
//!
//! Limits:
//! - The kernel does not tell which of a file's hard links is outside the root, so a hard link is read like any file.
//!   Replacing it leaves the other link as it was; appending would change both and is refused.
//! - Nothing can name what lies deeper than [`PATH_BYTES_MAX`]: a search skips it, and a directory that contains it is not
//!   moved, copied or deleted.
//! - Another process may add a file to a directory after its paths were judged and before it is moved.
//! - Replacing a file keeps its permission bits, owner and group, and loses extended attributes.
#![cfg(target_os = "linux")]

mod beneath;
mod copy;
mod delete;
mod edit;
mod entries;
mod error;
mod folders;
mod grep;
mod ignored;
mod journal;
mod judge;
mod list;
mod locks;
mod maker;
mod moving;
mod patch;
mod read;
mod recover;
mod resolve;
mod root;
mod search;
mod selection;
mod staged;
mod survey;
mod write;

pub use copy::{COPY_BYTES_MAX, Copy};
pub use delete::Delete;
pub use edit::{EDIT_FILE_BYTES_MAX, MATCHES_COUNTED_MAX};
pub use entries::{Entry, FOLDER_ENTRIES_MAX, FileKind};
pub use error::FileError;
pub use exec_base::Stop;
pub use grep::{GREP_MATCHES_MAX, Grep, Match, Matches, SNIPPET_BYTES_MAX};
pub use journal::Journal;
pub use judge::{Denial, FileRole, Judge, Visible};
pub use list::{LIST_FILES_MAX, List, Listing};
pub use locks::LOCKS_MAX;
pub use moving::Move;
pub use patch::{JudgeTouch, Patch, PatchError, PatchOutcome, PatchTarget, Touch};
pub use read::Span;
pub use recover::{Recovery, SkipReason, recover};
pub use resolve::PATH_BYTES_MAX;
pub use root::{Links, RootError, Workspace};
pub use selection::Scope;
pub use survey::TREE_ENTRIES_MAX;
pub use write::{Change, Effect, Write, WriteKind};

use beneath::Device;
use edit::is_same;
use entries::names;
use error::Escaped;
use folders::{IfMissing, NewDirectories, PATH_ONLY};
use ignored::{GITIGNORE, IGNORE, IgnoreRules};
use judge::{all_allowed, allowed};
use locks::Locks;
use maker::{Maker, temporary_name};
use moving::{check_apart, destination, judge_both};
use read::read_whole;
use resolve::{Leaf, check, components, is_at_or_below, is_held, join, split};
use search::{Contents, Folder, Search};
use selection::{Selection, Vendored, below, depth, folders_to, is_shallow};
use staged::{Access, Overwrite, PERMISSION_BITS, Staged, of_io, rename_new};
use survey::{Parents, TreeEntry, remove, survey};
use write::replaceable;

#[cfg(test)]
mod tests;
