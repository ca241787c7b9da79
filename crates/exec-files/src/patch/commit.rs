//! Files that are written beside their places -> files in their places. When one cannot be, those before it are put back.

use std::sync::Arc;

use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{AtFlags, Stat, fsync, unlinkat};

use crate::notes::{Create, Kept, Kind, Mark, Remove, Replace, Step as Noted};
use crate::{Effect, FileError, Made, Onto, Staged, beneath, is_same, rename_new};

/// One change that is ready to be made. Dropped instead, it leaves nothing.
#[derive(Debug)]
pub(super) enum Step {
    Replace {
        staged: Staged,
        old: Old,
        effect: Effect,
    },
    // The file before the folders that were made for it: they are dropped in this order.
    Create {
        staged: Staged,
        made: Made,
        folder: Arc<OwnedFd>,
        name: Vec<u8>,
        effect: Effect,
    },
    /// Under the other name until all is done.
    Remove {
        old: Old,
        aside: Vec<u8>,
        effect: Effect,
    },
}

/// A file as it was when it was read.
#[derive(Debug)]
pub(super) struct Old {
    pub(super) folder: Arc<OwnedFd>,
    pub(super) name: Vec<u8>,
    pub(super) stat: Stat,
}

/// A change that has been made, and how to take it back.
#[derive(Debug)]
pub(super) enum Done {
    /// The old file has the temporary name.
    Exchanged {
        staged: Staged,
        old: Old,
    },
    Created {
        made: Made,
        folder: Arc<OwnedFd>,
        name: Vec<u8>,
    },
    /// The old file has another name.
    Aside {
        old: Old,
        aside: Vec<u8>,
    },
}

/// Makes all changes, or none. What goes wrong until the note is gone is taken back, here or at the next start.
pub(super) fn commit(steps: Vec<Step>, note: Option<Kept>) -> Result<Vec<Effect>, FileError> {
    let mut effects = Vec::new();
    let mut done = Vec::new();
    for step in steps {
        match make(step) {
            Ok((change, effect)) => {
                done.push(change);
                effects.push(effect);
            }
            Err(error) => return Err(undone(done, note, error)),
        }
    }
    let secured = done.iter().try_for_each(Done::secure);
    match secured.and_then(|()| note.map_or(Ok(()), Kept::forget)) {
        Ok(()) => {}
        Err(error) => return Err(undone(done, None, error)),
    }
    done.into_iter().try_for_each(Done::finish)?;
    Ok(effects)
}

/// Takes back what was done, and says why. A note of what cannot be taken back stays.
fn undone(done: Vec<Done>, note: Option<Kept>, why: FileError) -> FileError {
    match done.into_iter().rev().try_for_each(Done::undo) {
        Err(error) => error,
        Ok(()) => note.map_or(Ok(()), Kept::forget).err().unwrap_or(why),
    }
}

/// Makes one change.
pub(super) fn make(step: Step) -> Result<(Done, Effect), FileError> {
    match step {
        Step::Replace { staged, old, effect } => {
            old.check()?;
            staged.exchange(&old.name)?;
            Ok((Done::Exchanged { staged, old }, effect))
        }
        Step::Create { staged, made, folder, name, effect } => {
            staged.publish(&name, Onto::Nothing)?;
            Ok((Done::Created { made, folder, name }, effect))
        }
        Step::Remove { old, aside, effect } => {
            old.check()?;
            rename_new(&old.folder, &old.name, &old.folder, &aside).map_err(FileError::of("deleting the file"))?;
            Ok((Done::Aside { old, aside }, effect))
        }
    }
}

impl Step {
    /// What a note says of it.
    pub(super) fn noted(&self) -> Result<Noted, FileError> {
        let (effect, kind) = match self {
            Self::Replace { staged, old, effect } => {
                let (old, new) = (Mark::of(&old.stat), Mark::of(&staged.look()?));
                (effect, Kind::Replace(Replace { beside: staged.name().to_vec(), old, new }))
            }
            Self::Create { staged, made, effect, .. } => {
                let (new, folders) = (Mark::of(&staged.look()?), made.paths().to_vec());
                (effect, Kind::Create(Create { beside: staged.name().to_vec(), new, folders }))
            }
            Self::Remove { old, aside, effect } => {
                (effect, Kind::Remove(Remove { beside: aside.clone(), old: Mark::of(&old.stat) }))
            }
        };
        Ok(Noted { path: effect.path.clone(), kind: Some(kind) })
    }
}

impl Old {
    /// Others than this process take no turns.
    fn check(&self) -> Result<(), FileError> {
        let now = beneath::look(self.folder.as_fd(), &self.name).map_err(FileError::of("looking at the file"))?;
        if is_same(&self.stat, &now) { Ok(()) } else { Err(FileError::Changed) }
    }
}

impl Done {
    fn undo(self) -> Result<(), FileError> {
        let undoing = || FileError::unfinished("undoing the patch");
        match self {
            Self::Exchanged { staged, old } => staged.exchange(&old.name).map_err(|error| match error {
                FileError::Io { errno, .. } => FileError::Unfinished { act: "undoing the patch", errno },
                _ => undoing()(rustix::io::Errno::IO),
            }),
            Self::Created { made, folder, name } => {
                unlinkat(&folder, name.as_slice(), AtFlags::empty()).map_err(undoing())?;
                drop(made);
                Ok(())
            }
            Self::Aside { old, aside } => rename_new(&old.folder, &aside, &old.folder, &old.name).map_err(undoing()),
        }
    }

    /// Makes it last.
    fn secure(&self) -> Result<(), FileError> {
        match self {
            Self::Exchanged { old, .. } | Self::Aside { old, .. } => fsync(&old.folder),
            // Its own name lasts already.
            Self::Created { made, .. } => made.secure(),
        }
        .map_err(FileError::of("securing the folder"))
    }

    /// Removes what was kept to go back. After a crash a sweep does that.
    fn finish(self) -> Result<(), FileError> {
        match self {
            Self::Exchanged { staged, .. } => {
                drop(staged);
                Ok(())
            }
            Self::Created { made, .. } => {
                made.leave();
                Ok(())
            }
            Self::Aside { old, aside } => unlinkat(&old.folder, aside.as_slice(), AtFlags::empty())
                .map_err(FileError::unfinished("removing the file")),
        }
    }
}
