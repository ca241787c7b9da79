//! Readable paths in `/etc` -> open handles, cached until a file is replaced.
//!
//! Opening a dozen files for each line takes longer than checking whether one of their directories has changed. Replacing a
//! file, as package managers do, changes the timestamp of its directory, so a replaced file is not served from the cache.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::{DirectoryVersion, ETC, Kind, OpenPath};
use rustix::fs::{AtFlags, CWD, FileType};

#[derive(Debug, Default)]
pub(super) struct SettingsCache {
    last: Mutex<Option<Arc<OpenSettings>>>,
}

/// Open files and directories, with the versions of the directories that they were opened in.
#[derive(Debug)]
pub(super) struct OpenSettings {
    pub(super) held: Vec<(OpenPath, Kind)>,
    folders: Vec<(PathBuf, Option<DirectoryVersion>)>,
}

impl SettingsCache {
    /// Opens the paths that exist. None of them was a link when the sandbox was made; one that has become a link since is
    /// followed, as at the next start.
    pub(super) fn get(&self, paths: &[PathBuf]) -> Arc<OpenSettings> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(settings) = last.as_ref().filter(|settings| settings.are_current()) {
            return Arc::clone(settings);
        }
        let settings = Arc::new(OpenSettings::open(paths));
        *last = settings.are_dated().then(|| Arc::clone(&settings));
        settings
    }
}

impl OpenSettings {
    fn open(paths: &[PathBuf]) -> Self {
        // Before the files, so that a change in between is noticed.
        let folders: BTreeSet<&Path> = paths.iter().flat_map(|path| folders_of(path)).collect();
        let folders = folders.into_iter().map(|folder| (folder.to_owned(), version_of(folder))).collect();
        let held = paths.iter().cloned().filter_map(OpenPath::open);
        let with_kind = |held: OpenPath| {
            let mode = rustix::fs::fstat(&held.handle).ok()?.st_mode;
            let is_folder = FileType::from_raw_mode(mode) == FileType::Directory;
            Some((held, if is_folder { Kind::Folder } else { Kind::File }))
        };
        Self { held: held.filter_map(with_kind).collect(), folders }
    }

    fn are_current(&self) -> bool {
        self.folders.iter().all(|(folder, state)| version_of(folder) == *state)
    }

    /// True if every later replacement changes a timestamp, even on a file system with coarse ones.
    fn are_dated(&self) -> bool {
        self.folders.iter().all(|(_, state)| state.as_ref().is_none_or(DirectoryVersion::is_past))
    }
}

/// None if there is no such directory.
fn version_of(directory: &Path) -> Option<DirectoryVersion> {
    rustix::fs::statat(CWD, directory, AtFlags::empty()).ok().map(|stat| DirectoryVersion::of(&stat))
}

/// The directories above a path, up to `/etc`.
fn folders_of(path: &Path) -> impl Iterator<Item = &Path> {
    path.ancestors().skip(1).take_while(|folder| folder.starts_with(ETC))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_folder_on_the_way_counts() {
        let folders: Vec<&Path> = folders_of(Path::new("/etc/ssl/openssl.cnf")).collect();
        assert_eq!(folders, [Path::new("/etc/ssl"), Path::new("/etc")]);
    }

    #[test]
    fn what_was_replaced_is_not_held_on_to() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("setting");
        std::fs::write(&path, "old").unwrap();
        let mut settings =
            OpenSettings { held: Vec::new(), folders: vec![(place.path().to_owned(), version_of(place.path()))] };
        assert!(settings.are_current());
        assert!(!settings.are_dated(), "a folder of this second can change without another date");
        std::thread::sleep(std::time::Duration::from_millis(20));
        std::fs::write(place.path().join("new"), "new").unwrap();
        std::fs::rename(place.path().join("new"), &path).unwrap();
        assert!(!settings.are_current());
        settings.folders = vec![(place.path().join("gone"), None)];
        assert!(settings.are_current() && settings.are_dated());
        std::fs::create_dir(place.path().join("gone")).unwrap();
        assert!(!settings.are_current());
    }

    #[test]
    fn what_nobody_replaced_is_opened_once() {
        let opened = SettingsCache::default();
        let paths = [PathBuf::from("/etc/passwd"), PathBuf::from("/etc/no-such-setting")];
        let first = opened.get(&paths);
        assert!(matches!(first.held.as_slice(), [(held, Kind::File)] if held.path == paths[0]));
        let second = opened.get(&paths);
        assert_eq!(Arc::ptr_eq(&first, &second), first.are_dated());
    }
}
