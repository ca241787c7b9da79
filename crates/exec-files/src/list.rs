//! A scope -> its files and directories, sorted. Stops at the maximum number of results.

use std::sync::Arc;

use rustix::fd::OwnedFd;

use crate::{
    Contents, FileError, Folder, IgnoreRules, Scope, Search, Selection, Stop, Vendored, Visible, Workspace, is_held,
    join,
};

#[derive(Debug, Clone, Copy)]
pub struct List<'s> {
    pub scope: Scope<'s>,
    /// Files and directories; 0 means [`LIST_FILES_MAX`], which is also the maximum.
    pub max_results: usize,
    pub include_hidden: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// Paths relative to the root, sorted by their bytes. Links are neither followed nor listed.
    pub files: Vec<Vec<u8>>,
    /// The same for directories, if the glob has a fixed depth: `src/*` lists both, `src/**` only files.
    pub folders: Vec<Vec<u8>>,
    pub is_truncated: bool,
    /// Directories that could not be read.
    pub unread: usize,
}

impl Workspace {
    /// Lists the visible files and directories that match (TOOL-fs_list). Skips `.git` and ignored files.
    ///
    /// # Errors
    /// When the glob is invalid, the start directory is behind a link, or the operation is stopped.
    pub fn list(&self, list: List<'_>, visible: &Visible<'_>, stop: &Stop) -> Result<Listing, FileError> {
        let selection = Selection::new(list.scope, list.include_hidden, Vendored::Show)?;
        let finds_folders = selection.is_bounded();
        let search = Search { workspace: self, selection, visible, stop, finds_folders };
        let most = match list.max_results {
            0 => LIST_FILES_MAX,
            most => most.min(LIST_FILES_MAX),
        };
        let mut listed = Listing::default();
        let mut open: Vec<OpenDirectory> = Vec::new();
        if let Some(folder) = search.start()? {
            open.extend(OpenDirectory::read(&search, folder, &mut listed)?);
        }
        while let Some(level) = open.last_mut() {
            stop.check()?;
            let Some((mut name, kind)) = level.names.next() else {
                open.pop();
                continue;
            };
            match kind {
                Pending::File | Pending::FoundFolder if listed.files.len() + listed.folders.len() == most => {
                    listed.is_truncated = true;
                    break;
                }
                Pending::File => listed.files.push(join(&level.path, &name)),
                Pending::FoundFolder => {
                    name.pop();
                    listed.folders.push(join(&level.path, &name));
                }
                Pending::Folder => {
                    name.pop();
                    let path = join(&level.path, &name);
                    let entered = search.enter(level.handle.as_ref(), path, &level.ignored);
                    let entered = entered.or_else(|error| listed.skip_unreadable(error))?;
                    if let Some(folder) = entered {
                        open.extend(OpenDirectory::read(&search, folder, &mut listed)?);
                    }
                }
            }
        }
        Ok(listed)
    }
}

/// A directory with the names that remain to be listed.
struct OpenDirectory {
    /// None if it was closed to save descriptors.
    handle: Option<OwnedFd>,
    path: Vec<u8>,
    ignored: Arc<IgnoreRules>,
    names: std::vec::IntoIter<(Vec<u8>, Pending)>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Pending {
    File,
    /// A directory that is a result.
    FoundFolder,
    /// A directory to search.
    Folder,
}

impl OpenDirectory {
    fn read(search: &Search<'_>, folder: Folder, listed: &mut Listing) -> Result<Option<Self>, FileError> {
        let Contents { folders, found_folders, files, ignored } = match search.contents(&folder) {
            Ok(contents) => contents,
            Err(error) => return listed.skip_unreadable(error),
        };
        let files = files.into_iter().map(|name| (name, Pending::File));
        // With a slash, a directory sorts where the paths in it do.
        let slashed = |mut name: Vec<u8>, kind| {
            name.push(b'/');
            (name, kind)
        };
        let folders = folders.into_iter().map(|name| slashed(name, Pending::Folder));
        let found = found_folders.into_iter().map(|name| slashed(name, Pending::FoundFolder));
        let mut names: Vec<_> = files.chain(found).chain(folders).collect();
        names.sort_unstable();
        let Folder { handle, path, .. } = folder;
        let handle = is_held(&path).then_some(handle);
        Ok(Some(Self { handle, path, ignored, names: names.into_iter() }))
    }
}

impl Listing {
    /// Counts a directory that cannot be opened; any other error ends the search.
    fn skip_unreadable<T>(&mut self, error: FileError) -> Result<Option<T>, FileError> {
        match error {
            FileError::Io { .. } | FileError::FileSystem { .. } => {
                self.unread += 1;
                Ok(None)
            }
            error => Err(error),
        }
    }
}

pub const LIST_FILES_MAX: usize = 100_000;
