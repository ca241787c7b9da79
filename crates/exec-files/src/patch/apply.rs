//! A diff that has been read -> changed files. All is computed first, then written beside, then named; what fails in
//! between is taken back.

use rustix::fd::AsFd as _;
use rustix::fs::Mode;

use super::commit::{Old, Step, commit};
use super::section::{NewMode, Section, SectionChange};
use super::{JudgeTouch, Patch, Touch};
use crate::{
    Access, Change, EDIT_FILE_BYTES_MAX, Effect, FileError, Judge, Leaf, Missing, Staged, Stop, Workspace, allowed,
    beneath, read_whole, removed, replaceable, split, temporary_name, written,
};

/// What applying a diff did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patched {
    /// Hunks, of all files together.
    pub hunks_applied: usize,
    /// What changed, in the order of the diff.
    pub effects: Vec<Effect>,
}

impl Workspace {
    /// Applies a diff, all of it or nothing (TOOL-file_patch).
    ///
    /// After a crash each file is whole, the old or the new one. Where notes are kept, the next start makes all of them
    /// old; without, some may be old and some new.
    ///
    /// # Errors
    /// When a hunk does not fit exactly, a file may not be reached or written, or `folders` does not allow one for which
    /// folders would have to be made. Then everything is as it was.
    pub fn patch(
        &self,
        patch: &Patch<'_>,
        judge: &mut JudgeTouch<'_>,
        folders: &mut JudgeTouch<'_>,
        stop: &Stop,
    ) -> Result<Patched, FileError> {
        self.patiently(|| {
            let places = self.places(patch, judge)?;
            let paths: Vec<&[u8]> = places.iter().flat_map(Place::paths).collect();
            let _turn = self.locks.take(&paths, stop)?;
            let steps = self.stage_all(patch, &places, folders, stop)?;
            stop.check()?;
            // One step is made or not.
            let note = match steps.as_slice() {
                [_] => None,
                steps => self.note(|| steps.iter().map(Step::noted).collect())?,
            };
            let effects = commit(steps, note)?;
            let hunks_applied = patch.sections.iter().map(|section| section.hunks.len()).sum();
            Ok(Patched { hunks_applied, effects })
        })
    }

    /// Where the paths of a diff lead.
    fn places(&self, patch: &Patch<'_>, judge: &mut JudgeTouch<'_>) -> Result<Vec<Place>, FileError> {
        let mut places = Vec::new();
        for section in &patch.sections {
            let mut settle = |path: &[u8], leaf, touch| self.settle(path, leaf, &mut |path: &[u8]| judge(path, touch));
            let (old, new) = match &section.change {
                SectionChange::Modify { path } => (settle(path, Leaf::Follow, Touch::Modify)?, None),
                // What goes or comes is a name, and a link in its place is not what the diff is about.
                SectionChange::Create { path, .. } => (settle(path, Leaf::Keep, section.create())?, None),
                SectionChange::Delete { path } => (settle(path, Leaf::Keep, Touch::Delete)?, None),
                SectionChange::Rename { from, to } => {
                    let from = settle(from, Leaf::Keep, Touch::RenameFrom)?;
                    (from, Some(settle(to, Leaf::Keep, Touch::RenameTo)?))
                }
            };
            places.push(Place { old, new });
        }
        // Different paths may lead to one place.
        let mut paths: Vec<_> = places.iter().flat_map(Place::paths).collect();
        paths.sort_unstable();
        if paths.windows(2).any(|pair| matches!(pair, [one, other] if one == other)) {
            return Err(FileError::Overlap);
        }
        Ok(places)
    }

    fn stage_all(
        &self,
        patch: &Patch<'_>,
        places: &[Place],
        folders: &mut JudgeTouch<'_>,
        stop: &Stop,
    ) -> Result<Vec<Step>, FileError> {
        let mut left = EDIT_FILE_BYTES_MAX;
        let mut steps = Vec::new();
        for (section, place) in patch.sections.iter().zip(places) {
            let staged = self.stage(section, place, &mut left, folders, stop);
            steps.extend(staged.map_err(|error| match error {
                // Where there was none, the paths lead elsewhere by now.
                FileError::Link => error,
                error => error.at(&place.old),
            })?);
        }
        Ok(steps)
    }

    /// Computes what becomes of one file and writes it beside its place.
    fn stage(
        &self,
        section: &Section<'_>,
        place: &Place,
        left: &mut u64,
        folders: &mut JudgeTouch<'_>,
        stop: &Stop,
    ) -> Result<Vec<Step>, FileError> {
        if let SectionChange::Create { mode, .. } = &section.change {
            let content = section.apply(&place.old, b"")?;
            let access = match mode {
                NewMode::Plain => Access::Default,
                NewMode::Executable => Access::Mode(Mode::from_raw_mode(0o755)),
            };
            let mut folders = |path: &[u8]| folders(path, section.create());
            return Ok(vec![self.stage_new(&place.old, &content, access, &mut folders, stop)?]);
        }
        let (above, name) = split(&place.old)?;
        let (folder, _) = self.folder(above, Missing::Refuse)?;
        let (file, stat) = beneath::open_file(folder.as_fd(), name, &self.device)?;
        replaceable(&folder, name)?;
        let before = read_whole(&file, u64::try_from(stat.st_size).unwrap_or(0), *left, stop)?;
        let content = section.apply(&place.old, &before)?;
        *left = left.saturating_sub(before.len() as u64);
        let old = Old { folder, name: name.to_vec(), stat };
        match &section.change {
            SectionChange::Delete { .. } => {
                Ok(vec![Step::Remove { old, aside: temporary_name()?, effect: removed(&place.old) }])
            }
            SectionChange::Rename { .. } => {
                let to = place.new.as_deref().unwrap_or(&place.old);
                let mut folders = |path: &[u8]| folders(path, Touch::RenameTo);
                let mut created = self.stage_new(to, &content, Access::As(&old.stat), &mut folders, stop)?;
                if let Step::Create { effect, .. } = &mut created {
                    effect.change = Change::MovedFrom(place.old.clone());
                }
                let aside = temporary_name()?;
                Ok(vec![created, Step::Remove { old, aside, effect: removed(&place.old) }])
            }
            SectionChange::Modify { .. } | SectionChange::Create { .. } => {
                let staged = Staged::with(&old.folder, Access::As(&old.stat), &content, stop)?;
                let effect = written(&place.old, Change::Replaced, &content);
                Ok(vec![Step::Replace { staged, old, effect }])
            }
        }
    }

    fn stage_new(
        &self,
        path: &[u8],
        content: &[u8],
        access: Access<'_>,
        folders: &mut Judge<'_>,
        stop: &Stop,
    ) -> Result<Step, FileError> {
        let (above, name) = split(path)?;
        let (folder, made) = match self.folder(above, Missing::Refuse) {
            Err(FileError::NoFolder { .. }) => {
                allowed(folders, path)?;
                self.folder(above, Missing::Make)?
            }
            there => there?,
        };
        if beneath::look(folder.as_fd(), name).is_ok() {
            return Err(FileError::Exists.at(path));
        }
        let staged = Staged::with(&folder, access, content, stop)?;
        let effect = written(path, Change::Created, content);
        Ok(Step::Create { staged, made, folder, name: name.to_vec(), effect })
    }
}

/// Where the paths of a section lead.
struct Place {
    old: Vec<u8>,
    new: Option<Vec<u8>>,
}

impl Place {
    fn paths(&self) -> impl Iterator<Item = &[u8]> {
        [Some(self.old.as_slice()), self.new.as_deref()].into_iter().flatten()
    }
}

#[cfg(test)]
mod tests;
