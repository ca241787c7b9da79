//! A selection -> its files and directories, one directory at a time. Reads names and ignore files only.

use std::sync::Arc;

use rustix::fd::{AsFd as _, OwnedFd};

use crate::{
    FileError, FileKind, FileRole, GITIGNORE, IGNORE, IgnoreRules, PATH_BYTES_MAX, Selection, Stop, Visible, Workspace,
    below, beneath, depth, folders_to, join, names,
};

pub(super) struct Search<'s> {
    pub(super) workspace: &'s Workspace,
    pub(super) selection: Selection,
    pub(super) visible: &'s Visible<'s>,
    pub(super) stop: &'s Stop,
    /// True if directories are results, too.
    pub(super) finds_folders: bool,
}

/// An open directory whose content is not read yet.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) handle: OwnedFd,
    pub(super) path: Vec<u8>,
    ignored: Arc<IgnoreRules>,
}

/// The selected names of a directory, unsorted.
#[derive(Debug)]
pub(super) struct Contents {
    /// To be searched.
    pub(super) folders: Vec<Vec<u8>>,
    /// To be listed.
    pub(super) found_folders: Vec<Vec<u8>>,
    pub(super) files: Vec<Vec<u8>>,
    pub(super) ignored: Arc<IgnoreRules>,
}

impl Search<'_> {
    /// Opens the directory to start in; none if it does not exist.
    pub(super) fn start(&self) -> Result<Option<Folder>, FileError> {
        let mut start: Option<Folder> = None;
        for path in folders_to(&self.selection.start) {
            let ignored = match &start {
                // The rules of the directories above apply here, too.
                Some(above) => self.rules(above, &[GITIGNORE, IGNORE]),
                None => Arc::new(IgnoreRules::default()),
            };
            match beneath::open_folder(self.workspace.root(), path, &self.workspace.device) {
                Ok(handle) => start = Some(Folder { handle, path: path.to_vec(), ignored }),
                Err(FileError::NotFound | FileError::NotAFolder) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(start)
    }

    /// Opens a directory in its parent, or by its path. None if it is no longer a directory.
    pub(super) fn enter(
        &self,
        above: Option<&OwnedFd>,
        path: Vec<u8>,
        ignored: &Arc<IgnoreRules>,
    ) -> Result<Option<Folder>, FileError> {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let (from, way) = above.map_or((self.workspace.root(), path.as_slice()), |above| (above.as_fd(), name));
        match beneath::open_folder(from, way, &self.workspace.device) {
            Ok(handle) => Ok(Some(Folder { handle, path, ignored: Arc::clone(ignored) })),
            Err(FileError::NotFound | FileError::NotAFolder | FileError::Link) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn contents(&self, folder: &Folder) -> Result<Contents, FileError> {
        let all = names(folder.handle.as_fd(), self.stop)?;
        let rules: Vec<&[u8]> =
            all.iter().map(|(name, _)| name.as_slice()).filter(|name| matches!(*name, GITIGNORE | IGNORE)).collect();
        let ignored = self.rules(folder, &rules);
        let goes_deeper = self.selection.goes_below(depth(&folder.path));
        let (mut folders, mut found_folders, mut files) = (Vec::new(), Vec::new(), Vec::new());
        for (name, kind) in all {
            // Matching rules can take long.
            self.stop.check()?;
            let is_folder = kind == FileKind::Folder;
            if !is_folder && kind != FileKind::File || self.selection.skips(&name, is_folder) {
                continue;
            }
            let path = join(&folder.path, &name);
            // A path as long as this cannot be asked for.
            if path.len() > PATH_BYTES_MAX {
                continue;
            }
            let is_asked_for = || self.selection.takes(below(&path, &self.selection.start));
            if is_folder {
                if !goes_deeper && !self.finds_folders || ignored.skips(&path, true) {
                    continue;
                }
                if self.finds_folders && is_asked_for() && (self.visible)(&path, FileRole::Entry) {
                    found_folders.push(name.clone());
                }
                if goes_deeper {
                    folders.push(name);
                }
            } else if is_asked_for() && !ignored.skips(&path, false) && (self.visible)(&path, FileRole::Entry) {
                files.push(name);
            }
        }
        Ok(Contents { folders, found_folders, files, ignored })
    }

    /// Adds a directory's ignore files, as far as the caller may see them, to the rules from above.
    fn rules(&self, folder: &Folder, files: &[&[u8]]) -> Arc<IgnoreRules> {
        let is_visible = |name: &&&[u8]| (self.visible)(&join(&folder.path, name), FileRole::IgnoreFile);
        let files: Vec<&[u8]> = files.iter().filter(is_visible).copied().collect();
        folder.ignored.enter(folder.handle.as_fd(), &folder.path, &files, &self.workspace.device, self.stop)
    }
}
