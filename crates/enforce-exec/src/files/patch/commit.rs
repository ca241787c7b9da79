//! Files that are written beside their places -> files in their places. When one cannot be, those before it are put back.

use std::sync::Arc;

use rustix::fd::{AsFd as _, OwnedFd};
use rustix::fs::{AtFlags, Stat, fsync, unlinkat};

use crate::files::beneath;
use crate::files::edit::is_same;
use crate::files::effect::Effect;
use crate::files::error::FileError;
use crate::files::folders::Made;
use crate::files::maker::temporary_name;
use crate::files::staged::{Onto, Staged, rename_new};

/// One change that is ready to be made. Dropped instead, it leaves nothing.
#[derive(Debug)]
pub(super) enum Step {
    Replace { staged: Staged, old: Old, effect: Effect },
    // The file before the folders that were made for it: they are dropped in this order.
    Create { staged: Staged, made: Made, folder: Arc<OwnedFd>, name: Vec<u8>, effect: Effect },
    Remove { old: Old, effect: Effect },
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
enum Done {
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

/// Makes all changes, or none.
pub(super) fn commit(steps: Vec<Step>) -> Result<Vec<Effect>, FileError> {
    let mut effects = Vec::new();
    let mut done = Vec::new();
    for step in steps {
        match make(step) {
            Ok((change, effect)) => {
                done.push(change);
                effects.push(effect);
            }
            Err(error) => {
                done.into_iter().rev().try_for_each(Done::undo)?;
                return Err(error);
            }
        }
    }
    done.into_iter().try_for_each(Done::finish)?;
    Ok(effects)
}

fn make(step: Step) -> Result<(Done, Effect), FileError> {
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
        Step::Remove { old, effect } => {
            old.check()?;
            let aside = temporary_name()?;
            rename_new(&old.folder, &old.name, &old.folder, &aside).map_err(FileError::of("deleting the file"))?;
            Ok((Done::Aside { old, aside }, effect))
        }
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

    /// Removes what was kept to go back, and makes the rest last.
    fn finish(self) -> Result<(), FileError> {
        let securing = || FileError::unfinished("securing the folder");
        match self {
            Self::Exchanged { staged, old } => {
                drop(staged);
                fsync(&old.folder).map_err(securing())
            }
            Self::Created { made, .. } => made.keep(),
            Self::Aside { old, aside } => {
                unlinkat(&old.folder, aside.as_slice(), AtFlags::empty()).map_err(securing())?;
                fsync(&old.folder).map_err(securing())
            }
        }
    }
}
