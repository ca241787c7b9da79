//! A scope -> the files and folders in it, sorted. Stops as soon as it has as many as it may have.

use std::sync::Arc;

use rustix::fd::OwnedFd;

use crate::{
    Contents, FileError, Folder, IgnoreRules, Scope, Search, Selection, Stop, Vendored, Visible, Workspace, is_held,
    join,
};

#[derive(Debug, Clone, Copy)]
pub struct List<'s> {
    pub scope: Scope<'s>,
    /// How many files and folders; 0, and more than [`LIST_FILES_MAX`], is that many.
    pub max_results: usize,
    /// Whether names with a dot in front are listed too.
    pub include_hidden: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// Paths of files, relative to the root, sorted by their bytes. Links are neither followed nor listed.
    pub files: Vec<Vec<u8>>,
    /// The same of folders, where the glob says how deep it goes: `src/*` is for what is in `src`, and `src/**` for files
    /// wherever they are.
    pub folders: Vec<Vec<u8>>,
    pub is_truncated: bool,
    /// Folders that could not be looked into.
    pub unread: usize,
}

impl Workspace {
    /// Lists the files and folders that match and may be seen (TOOL-fs_list): not `.git`, not what ignore files leave out.
    ///
    /// # Errors
    /// When the glob cannot be read, it starts behind a link, or it is stopped.
    pub fn list(&self, list: List<'_>, visible: &Visible<'_>, stop: &Stop) -> Result<Listing, FileError> {
        let selection = Selection::new(list.scope, list.include_hidden, Vendored::Show)?;
        let finds_folders = selection.is_bounded();
        let search = Search { workspace: self, selection, visible, stop, finds_folders };
        let most = match list.max_results {
            0 => LIST_FILES_MAX,
            most => most.min(LIST_FILES_MAX),
        };
        let mut listed = Listing::default();
        let mut open: Vec<Level> = Vec::new();
        if let Some(folder) = search.start()? {
            open.extend(Level::of(&search, folder, &mut listed)?);
        }
        while let Some(level) = open.last_mut() {
            stop.check()?;
            let Some((mut name, kind)) = level.names.next() else {
                open.pop();
                continue;
            };
            match kind {
                Listable::File | Listable::Found if listed.files.len() + listed.folders.len() == most => {
                    listed.is_truncated = true;
                    break;
                }
                Listable::File => listed.files.push(join(&level.path, &name)),
                Listable::Found => {
                    name.pop();
                    listed.folders.push(join(&level.path, &name));
                }
                Listable::Folder => {
                    name.pop();
                    let path = join(&level.path, &name);
                    let entered = search.enter(level.handle.as_ref(), path, &level.ignored);
                    let entered = entered.or_else(|error| listed.pass_over(error))?;
                    if let Some(folder) = entered {
                        open.extend(Level::of(&search, folder, &mut listed)?);
                    }
                }
            }
        }
        Ok(listed)
    }
}

/// A folder with what of it is to be listed still.
struct Level {
    /// Where it is open still.
    handle: Option<OwnedFd>,
    path: Vec<u8>,
    ignored: Arc<IgnoreRules>,
    names: std::vec::IntoIter<(Vec<u8>, Listable)>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Listable {
    File,
    /// A folder that is looked for.
    Found,
    /// A folder to look into.
    Folder,
}

impl Level {
    fn of(search: &Search<'_>, folder: Folder, listed: &mut Listing) -> Result<Option<Self>, FileError> {
        let Contents { folders, found_folders, files, ignored } = match search.contents(&folder) {
            Ok(contents) => contents,
            Err(error) => return listed.pass_over(error),
        };
        let files = files.into_iter().map(|name| (name, Listable::File));
        // With its slash a folder stands where the paths in it do.
        let slashed = |mut name: Vec<u8>, kind| {
            name.push(b'/');
            (name, kind)
        };
        let folders = folders.into_iter().map(|name| slashed(name, Listable::Folder));
        let found = found_folders.into_iter().map(|name| slashed(name, Listable::Found));
        let mut names: Vec<_> = files.chain(found).chain(folders).collect();
        names.sort_unstable();
        let Folder { handle, path, .. } = folder;
        let handle = is_held(&path).then_some(handle);
        Ok(Some(Self { handle, path, ignored, names: names.into_iter() }))
    }
}

impl Listing {
    /// A folder that the system does not let us into is counted; anything else ends the search.
    fn pass_over<T>(&mut self, error: FileError) -> Result<Option<T>, FileError> {
        match error {
            FileError::Io { .. } | FileError::FileSystem { .. } => {
                self.unread += 1;
                Ok(None)
            }
            error => Err(error),
        }
    }
}

/// Files and folders of one list.
pub const LIST_FILES_MAX: usize = 100_000;
