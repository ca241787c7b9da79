//! A parsed diff -> changed files, all or none.
//!
//! ```text
//! resolve links, judge -> compute each file, write it beside its place -> journal -> put each in its place
//!                                                                                     | one fails
//!                                                                                     v
//!                                                                         put those before it back
//! ```

use std::sync::Arc;

use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{AtFlags, Mode, Stat, fsync, unlinkat};

use super::section::{Section, SectionChange};
use super::{JudgeTouch, Patch, Touch};
use crate::journal::{FileStamp, PendingEntry, StepRecord};
use crate::{
    Access, Change, EDIT_FILE_BYTES_MAX, Effect, FileError, IfMissing, Judge, Leaf, NewDirectories, Overwrite, Staged,
    Stop, Workspace, allowed, beneath, is_same, read_whole, rename_new, replaceable, split, temporary_name,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchOutcome {
    /// Hunks of all files together.
    pub hunks_applied: usize,
    /// In the order of the diff.
    pub effects: Vec<Effect>,
}

impl Workspace {
    /// Applies a diff completely or not at all (TOOL-file_patch).
    ///
    /// After a crash each file is whole, the old or the new one. With a journal, the next start makes all of them old;
    /// without one, some may be old and some new.
    ///
    /// # Errors
    /// When a hunk does not match exactly, a file may not be opened or written, or `judge_directories` denies a file for
    /// which directories would have to be made. Then nothing has changed.
    pub fn patch(
        &self,
        patch: &Patch<'_>,
        judge: &mut JudgeTouch<'_>,
        judge_directories: &mut JudgeTouch<'_>,
        stop: &Stop,
    ) -> Result<PatchOutcome, FileError> {
        self.retry_on_link_race(|| {
            let resolved = self.resolve_sections(patch, judge)?;
            let paths: Vec<&[u8]> = resolved.iter().flat_map(ResolvedSection::paths).collect();
            let _turn = self.locks.take(&paths, stop)?;
            let steps = self.stage_all(patch, &resolved, judge_directories, stop)?;
            stop.check()?;
            // A single step is atomic by itself.
            let entry = match steps.as_slice() {
                [_] => None,
                steps => self.record(|| steps.iter().map(PatchStep::record).collect())?,
            };
            let effects = commit(steps, entry)?;
            let hunks_applied = patch.sections.iter().map(|section| section.hunks.len()).sum();
            Ok(PatchOutcome { hunks_applied, effects })
        })
    }

    fn resolve_sections(
        &self,
        patch: &Patch<'_>,
        judge: &mut JudgeTouch<'_>,
    ) -> Result<Vec<ResolvedSection>, FileError> {
        let mut resolved = Vec::new();
        for section in &patch.sections {
            let mut resolve =
                |path: &[u8], leaf, touch| self.resolve_links(path, leaf, &mut |path: &[u8]| judge(path, touch));
            let (old, new) = match &section.change {
                SectionChange::Modify { path } => (resolve(path, Leaf::Follow, Touch::Modify)?, None),
                // A file that is made or deleted is a name; a link at that name is not what the diff is about.
                SectionChange::Create { path, .. } => (resolve(path, Leaf::Keep, section.create())?, None),
                SectionChange::Delete { path } => (resolve(path, Leaf::Keep, Touch::Delete)?, None),
                SectionChange::Rename { from, to } => {
                    let from = resolve(from, Leaf::Keep, Touch::RenameFrom)?;
                    (from, Some(resolve(to, Leaf::Keep, Touch::RenameTo)?))
                }
            };
            resolved.push(ResolvedSection { old, new });
        }
        // Links can lead different paths to the same file.
        let mut paths: Vec<_> = resolved.iter().flat_map(ResolvedSection::paths).collect();
        paths.sort_unstable();
        if paths.windows(2).any(|pair| matches!(pair, [one, other] if one == other)) {
            return Err(FileError::Overlap);
        }
        Ok(resolved)
    }

    fn stage_all(
        &self,
        patch: &Patch<'_>,
        resolved: &[ResolvedSection],
        judge_directories: &mut JudgeTouch<'_>,
        stop: &Stop,
    ) -> Result<Vec<PatchStep>, FileError> {
        let mut bytes_left = EDIT_FILE_BYTES_MAX;
        let mut steps = Vec::new();
        for (section, paths) in patch.sections.iter().zip(resolved) {
            let staged = self.stage(section, paths, &mut bytes_left, judge_directories, stop);
            steps.extend(staged.map_err(|error| match error {
                // A link has appeared since the paths were resolved: the caller tries again.
                FileError::Link => error,
                error => error.at(&paths.old),
            })?);
        }
        Ok(steps)
    }

    /// Computes the new content of one file and writes it beside its place.
    fn stage(
        &self,
        section: &Section<'_>,
        paths: &ResolvedSection,
        bytes_left: &mut u64,
        judge_directories: &mut JudgeTouch<'_>,
        stop: &Stop,
    ) -> Result<Vec<PatchStep>, FileError> {
        if let SectionChange::Create { is_executable, .. } = &section.change {
            let content = section.apply(&paths.old, b"")?;
            let access = if *is_executable { Access::Mode(Mode::from_raw_mode(0o755)) } else { Access::Default };
            let mut judge = |path: &[u8]| judge_directories(path, section.create());
            return Ok(vec![self.stage_new(&paths.old, Change::Created, &content, access, &mut judge, stop)?]);
        }
        let (parent, name) = split(&paths.old)?;
        let (directory, _) = self.folder(parent, IfMissing::Fail)?;
        let (file, stat) = beneath::open_file(directory.as_fd(), name, &self.device)?;
        replaceable(&directory, name)?;
        let before = read_whole(&file, u64::try_from(stat.st_size).unwrap_or(0), *bytes_left, stop)?;
        let content = section.apply(&paths.old, &before)?;
        *bytes_left = bytes_left.saturating_sub(before.len() as u64);
        let old = OriginalFile { directory, name: name.to_vec(), stat };
        if let SectionChange::Modify { .. } = &section.change {
            let staged = Staged::with(&old.directory, Access::As(&old.stat), &content, stop)?;
            return Ok(vec![PatchStep::Replace {
                staged,
                old,
                effect: Effect::written(&paths.old, Change::Replaced, &content),
            }]);
        }
        let mut steps = Vec::new();
        if let Some(to) = &paths.new {
            let mut judge = |path: &[u8]| judge_directories(path, Touch::RenameTo);
            let change = Change::MovedFrom(paths.old.clone());
            steps.push(self.stage_new(to, change, &content, Access::As(&old.stat), &mut judge, stop)?);
        }
        steps.push(PatchStep::Remove { old, aside: temporary_name()?, effect: Effect::removed(&paths.old) });
        Ok(steps)
    }

    fn stage_new(
        &self,
        path: &[u8],
        change: Change,
        content: &[u8],
        access: Access<'_>,
        judge_directories: &mut Judge<'_>,
        stop: &Stop,
    ) -> Result<PatchStep, FileError> {
        let (parent, name) = split(path)?;
        let (directory, made) = match self.folder(parent, IfMissing::Fail) {
            Err(FileError::NoFolder { .. }) => {
                allowed(judge_directories, path)?;
                self.folder(parent, IfMissing::Make)?
            }
            opened => opened?,
        };
        if beneath::look(directory.as_fd(), name).is_ok() {
            return Err(FileError::Exists.at(path));
        }
        let staged = Staged::with(&directory, access, content, stop)?;
        Ok(PatchStep::Create {
            staged,
            made,
            directory,
            name: name.to_vec(),
            effect: Effect::written(path, change, content),
        })
    }
}

/// The paths of a section, without links.
struct ResolvedSection {
    old: Vec<u8>,
    new: Option<Vec<u8>>,
}

impl ResolvedSection {
    fn paths(&self) -> impl Iterator<Item = &[u8]> {
        [Some(self.old.as_slice()), self.new.as_deref()].into_iter().flatten()
    }
}

/// One change that is ready to be made. Dropping it removes what was staged.
#[derive(Debug)]
enum PatchStep {
    Replace {
        staged: Staged,
        old: OriginalFile,
        effect: Effect,
    },
    // The file stands before the directories that were made for it: they are dropped in this order.
    Create {
        staged: Staged,
        made: NewDirectories,
        directory: Arc<OwnedFd>,
        name: Vec<u8>,
        effect: Effect,
    },
    /// The file keeps the temporary name `aside` until all steps are done.
    Remove {
        old: OriginalFile,
        aside: Vec<u8>,
        effect: Effect,
    },
}

/// A file as it was when its content was read.
#[derive(Debug)]
struct OriginalFile {
    directory: Arc<OwnedFd>,
    name: Vec<u8>,
    stat: Stat,
}

/// A change that has been made and can still be undone.
#[derive(Debug)]
enum AppliedStep {
    /// The old file has the temporary name.
    Exchanged {
        staged: Staged,
        old: OriginalFile,
    },
    Created {
        made: NewDirectories,
        directory: Arc<OwnedFd>,
        name: Vec<u8>,
    },
    SetAside {
        old: OriginalFile,
        aside: Vec<u8>,
    },
}

/// Makes all changes or none. Until the journal entry is removed, a failure undoes them, here or at the next start.
fn commit(steps: Vec<PatchStep>, entry: Option<PendingEntry>) -> Result<Vec<Effect>, FileError> {
    let mut effects = Vec::new();
    let mut applied = Vec::new();
    for step in steps {
        match step.apply() {
            Ok((step, effect)) => {
                applied.push(step);
                effects.push(effect);
            }
            Err(error) => return Err(undo_all(applied, entry, error)),
        }
    }
    let synced = applied.iter().try_for_each(AppliedStep::sync);
    if let Err(error) = synced.and_then(|()| entry.map_or(Ok(()), PendingEntry::remove)) {
        return Err(undo_all(applied, None, error));
    }
    applied.into_iter().try_for_each(AppliedStep::finish)?;
    Ok(effects)
}

/// Undoes what was done and returns the error to report. The journal entry stays if something cannot be undone.
fn undo_all(applied: Vec<AppliedStep>, entry: Option<PendingEntry>, cause: FileError) -> FileError {
    match applied.into_iter().rev().try_for_each(AppliedStep::undo) {
        Err(error) => error,
        Ok(()) => entry.map_or(Ok(()), PendingEntry::remove).err().unwrap_or(cause),
    }
}

impl PatchStep {
    fn apply(self) -> Result<(AppliedStep, Effect), FileError> {
        match self {
            Self::Replace { staged, old, effect } => {
                old.check()?;
                staged.exchange(&old.name)?;
                Ok((AppliedStep::Exchanged { staged, old }, effect))
            }
            Self::Create { staged, made, directory, name, effect } => {
                staged.publish(&name, Overwrite::No)?;
                Ok((AppliedStep::Created { made, directory, name }, effect))
            }
            Self::Remove { old, aside, effect } => {
                old.check()?;
                rename_new(&old.directory, &old.name, &old.directory, &aside)
                    .map_err(FileError::of("deleting the file"))?;
                Ok((AppliedStep::SetAside { old, aside }, effect))
            }
        }
    }

    fn record(&self) -> Result<StepRecord, FileError> {
        let record = match self {
            Self::Replace { staged, old, .. } => StepRecord {
                old: Some(FileStamp::of(&old.stat)),
                new: Some(FileStamp::of(&staged.look()?)),
                temporary: staged.name().to_vec(),
                ..StepRecord::default()
            },
            Self::Create { staged, made, .. } => StepRecord {
                new: Some(FileStamp::of(&staged.look()?)),
                temporary: staged.name().to_vec(),
                directories: made.paths().to_vec(),
                ..StepRecord::default()
            },
            Self::Remove { old, aside, .. } => {
                StepRecord { old: Some(FileStamp::of(&old.stat)), temporary: aside.clone(), ..StepRecord::default() }
            }
        };
        let (Self::Replace { effect, .. } | Self::Create { effect, .. } | Self::Remove { effect, .. }) = self;
        Ok(StepRecord { path: effect.path.clone(), ..record })
    }
}

impl OriginalFile {
    /// Fails when another process has changed the file since: the locks are for this process alone.
    fn check(&self) -> Result<(), FileError> {
        let now = beneath::look(self.directory.as_fd(), &self.name).map_err(FileError::of("reading the metadata"))?;
        if is_same(&self.stat, &now) { Ok(()) } else { Err(FileError::Changed) }
    }
}

impl AppliedStep {
    fn undo(self) -> Result<(), FileError> {
        let failed = FileError::unfinished("undoing the patch");
        match self {
            Self::Exchanged { staged, old } => staged.exchange(&old.name).map_err(|error| match error {
                FileError::Io { errno, .. } => failed(rustix::io::Errno::from_raw_os_error(errno)),
                _ => failed(rustix::io::Errno::IO),
            }),
            Self::Created { made, directory, name } => {
                unlinkat(&directory, name.as_slice(), AtFlags::empty()).map_err(failed)?;
                drop(made);
                Ok(())
            }
            Self::SetAside { old, aside } => {
                rename_new(&old.directory, &aside, &old.directory, &old.name).map_err(failed)
            }
        }
    }

    fn sync(&self) -> Result<(), FileError> {
        match self {
            Self::Exchanged { old, .. } | Self::SetAside { old, .. } => fsync(&old.directory),
            // Publishing the file has synced its own name.
            Self::Created { made, .. } => made.sync(),
        }
        .map_err(FileError::of("syncing the directory"))
    }

    /// Removes what was kept for undoing. After a crash a sweep does that.
    fn finish(self) -> Result<(), FileError> {
        match self {
            Self::Exchanged { staged, .. } => drop(staged),
            Self::Created { made, .. } => made.disarm(),
            Self::SetAside { old, aside } => unlinkat(&old.directory, aside.as_slice(), AtFlags::empty())
                .map_err(FileError::unfinished("removing the file"))?,
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
