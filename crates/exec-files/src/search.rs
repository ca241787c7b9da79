//! A selection -> the folders and files of it, folder by folder, by handles. It reads names and ignore files only.

use std::sync::Arc;

use rustix::fd::{AsFd as _, OwnedFd};

use crate::{
    FileError, GITIGNORE, IGNORE, IgnoreFiles, Ignored, Kind, PATH_BYTES_MAX, Seen, Selection, Stop, Visible,
    Workspace, below, beneath, depth, folders_to, join, names,
};

pub(super) struct Search<'s> {
    pub(super) workspace: &'s Workspace,
    pub(super) selection: Selection,
    pub(super) visible: &'s Visible<'s>,
    pub(super) stop: &'s Stop,
    /// Whether folders are looked for too, and not only into.
    pub(super) finds_folders: bool,
}

/// A folder that is open, and not yet looked into.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) handle: OwnedFd,
    pub(super) path: Vec<u8>,
    ignored: Arc<Ignored>,
}

/// What of a folder is selected: names, in no order.
#[derive(Debug)]
pub(super) struct Contents {
    /// Those to look into.
    pub(super) folders: Vec<Vec<u8>>,
    /// Those that are looked for.
    pub(super) found_folders: Vec<Vec<u8>>,
    pub(super) files: Vec<Vec<u8>>,
    pub(super) ignored: Arc<Ignored>,
}

impl Search<'_> {
    /// The folder to start in; nothing, if there is none.
    pub(super) fn start(&self) -> Result<Option<Folder>, FileError> {
        let mut start: Option<Folder> = None;
        for path in folders_to(&self.selection.start) {
            let ignored = match &start {
                // The rules of the folders above hold here too.
                Some(above) => self.rules(above, &[GITIGNORE, IGNORE]),
                None => Arc::new(Ignored::default()),
            };
            match beneath::open_folder(self.workspace.root(), path, &self.workspace.device) {
                Ok(handle) => start = Some(Folder { handle, path: path.to_vec(), ignored }),
                Err(FileError::NotFound | FileError::NotAFolder) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(start)
    }

    /// Opens a folder in a folder that is open still, or by its path. Nothing, if it is gone or something else by now.
    pub(super) fn enter(
        &self,
        above: Option<&OwnedFd>,
        path: Vec<u8>,
        ignored: &Arc<Ignored>,
    ) -> Result<Option<Folder>, FileError> {
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let (from, way) = above.map_or((self.workspace.root(), path.as_slice()), |above| (above.as_fd(), name));
        match beneath::open_folder(from, way, &self.workspace.device) {
            Ok(handle) => Ok(Some(Folder { handle, path, ignored: Arc::clone(ignored) })),
            Err(FileError::NotFound | FileError::NotAFolder | FileError::Link) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Looks into a folder.
    pub(super) fn contents(&self, folder: &Folder) -> Result<Contents, FileError> {
        let all = names(folder.handle.as_fd(), self.stop)?;
        let rules: Vec<&[u8]> =
            all.iter().map(|(name, _)| name.as_slice()).filter(|name| matches!(*name, GITIGNORE | IGNORE)).collect();
        let ignored = self.rules(folder, &rules);
        let goes_deeper = self.selection.goes_below(depth(&folder.path));
        let (mut folders, mut found_folders, mut files) = (Vec::new(), Vec::new(), Vec::new());
        for (name, kind) in all {
            // Rules can take long to ask.
            self.stop.check()?;
            let is_folder = kind == Kind::Folder;
            if !is_folder && kind != Kind::File || self.selection.skips(&name, is_folder) {
                continue;
            }
            let path = join(&folder.path, &name);
            // What no path can say is not there for anybody.
            if path.len() > PATH_BYTES_MAX {
                continue;
            }
            let is_asked_for = || self.selection.takes(below(&path, &self.selection.start));
            if is_folder {
                if !goes_deeper && !self.finds_folders || ignored.skips(&path, true) {
                    continue;
                }
                if self.finds_folders && is_asked_for() && (self.visible)(&path, Seen::ByName) {
                    found_folders.push(name.clone());
                }
                if goes_deeper {
                    folders.push(name);
                }
            } else if is_asked_for() && !ignored.skips(&path, false) && (self.visible)(&path, Seen::ByName) {
                files.push(name);
            }
        }
        Ok(Contents { folders, found_folders, files, ignored })
    }

    /// The rules for what is in a folder: those above it, and those of its own ignore files that may be seen.
    fn rules(&self, folder: &Folder, files: &[&[u8]]) -> Arc<Ignored> {
        let mut found = IgnoreFiles::default();
        for name in files {
            found.note(name, || (self.visible)(&join(&folder.path, name), Seen::AsRules));
        }
        folder.ignored.enter(folder.handle.as_fd(), &folder.path, found, &self.workspace.device, self.stop)
    }
}
