//! path -> file beneath one root
//!
//! In come judged paths: relative to the root, normalised, as bytes. Out come contents, lists and what was changed. It
//! knows no policy, no sandbox and no ledger; paths that come up while acting are shown to the caller, who judges them.
//!
//! ```text
//! path -> literal open, no link followed (openat2) ---------------------> handle -> check -> act
//!              | a link is in the way                                        ^
//!              v                                                             |
//!         walk the links by handles, inside the root -> judge the canonical path
//! ```
//!
//! What holds for every operation:
//! - The kernel resolves every name beneath the root's handle and follows no link, so what is opened is what was judged.
//! - A name is opened once; kind, size and file system are asked of the handle.
//! - An operation that fails has changed nothing, but for [`FileError::Unfinished`] and [`FileError::PartlyDeleted`], which
//!   say so.
//! - After a crash an operation was done or not: most are one step, and of several steps a note is kept ([`Notes`]) by
//!   which the next start takes them back ([`tidy()`]).
//! - Writers of one path wait for each other, and for whoever moves or deletes a folder above it. Readers wait for
//!   nobody: a file is replaced as a whole, so a reader sees one version or the other.
//!
//! What cannot hold: the kernel does not tell which of a file's hard links is the one outside the root, so a hard link
//! is read like any file. Replacing one leaves the other name as it was; appending would change both and is refused.
//! What lies deeper than a path can say ([`PATH_BYTES_MAX`]) can be asked for by nobody: a search does not see it, and a
//! folder that holds it is not moved, copied or deleted.
//! A process that is not this one may add a file to a folder after its paths were judged and before it is moved.
//! Replacing a file keeps its permission bits, owner and group, and loses extended attributes.
#![cfg(target_os = "linux")]

mod beneath;
mod copy;
mod delete;
mod edit;
mod effect;
mod entries;
mod error;
mod folders;
mod grep;
mod ignored;
mod judge;
mod list;
mod locks;
mod maker;
mod moving;
mod notes;
mod patch;
mod read;
mod resolve;
mod root;
mod search;
mod selection;
mod staged;
mod survey;
mod sweep;
mod tidy;
mod write;

pub use copy::{COPY_BYTES_MAX, Copy};
pub use delete::Delete;
pub use edit::{EDIT_FILE_BYTES_MAX, MATCHES_COUNTED_MAX, Rewrite};
pub use effect::{Change, Effect};
pub use entries::{Entry, FOLDER_ENTRIES_MAX, Kind};
pub use error::FileError;
pub use exec_base::Stop;
pub use grep::{GREP_MATCHES_MAX, Grep, Match, Matches, SNIPPET_BYTES_MAX};
pub use judge::{Denied, Judge, Seen, Visible};
pub use list::{LIST_FILES_MAX, List, Listed};
pub use locks::LOCKS_MAX;
pub use moving::Move;
pub use notes::Notes;
pub use patch::{JudgeTouch, Patch, PatchError, PatchTarget, Patched, Touch};
pub use read::{Content, Digests, Span};
pub use resolve::PATH_BYTES_MAX;
pub use root::{Links, RootError, Workspace};
pub use selection::Scope;
pub use survey::TREE_ENTRIES_MAX;
pub use tidy::{Tidied, Why, tidy};
pub use write::{How, Write};

use beneath::Device;
use delete::removed;
use edit::is_same;
use entries::names;
use error::Shown;
use folders::{ITSELF, Made, Missing};
use ignored::{GITIGNORE, IGNORE, IgnoreFiles, Ignored};
use judge::{all_allowed, allowed};
use locks::Locks;
use maker::{Maker, temporary_name};
use moving::{check_apart, destination, judge_both};
use read::read_whole;
use resolve::{Leaf, check, components, is_at_or_below, is_held, join, split};
use search::{Contents, Folder, Search};
use selection::{Selection, Vendored, below, depth, folders_to, is_shallow};
use staged::{Access, Onto, PERMISSION_BITS, Staged, of_io, rename_new};
use survey::{Found, Parents, remove, survey};
use write::{replaceable, written};

#[cfg(test)]
mod tests;
