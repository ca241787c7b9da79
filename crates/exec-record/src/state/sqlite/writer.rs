//! Calls -> transactions: all that wait are written together, and answered once they are on the disk.

use std::sync::Arc;

use exec_base::LockedDirectory;
use tokio::sync::{mpsc, oneshot};

use super::Shared;
use super::database::{Database, Done, Fatal};
use crate::ledger::{Digest, Refused};
use crate::state::error::StateError;
use crate::state::session::TokenHash;
use crate::state::{Act, Begin, Begun, Finish, Granted, NewSession, SessionId};
use crate::store::Artifact;

pub(super) type Reply<T> = oneshot::Sender<Result<T, StateError>>;

/// Makes an act from the number of its intent and its charges.
pub(super) type MakeAct = Box<dyn FnOnce(u64, Vec<Granted>) -> Act + Send>;

/// A call on its way to the writer.
pub(super) enum Command {
    Create(Box<NewSession>, TokenHash, Reply<SessionId>),
    EndSession(SessionId, Reply<()>),
    EndExpired,
    Begin(Box<Begin>, MakeAct, Reply<Begun>),
    /// `None` if the act was given up.
    End(u64, Option<Box<Finish>>, Reply<()>),
    Refuse(Option<SessionId>, Box<Refused>, Reply<()>),
    TurnedAway(u64, Reply<()>),
    Publish(Box<Artifact>, Reply<()>),
    Artifact(String, Reply<Option<Artifact>>),
    Checkpoint(Reply<Digest>),
    Close(Reply<Digest>),
}

/// Writes until it is told to close, all senders are gone, or a write fails.
pub(super) fn run(mut database: Database, mut commands: mpsc::Receiver<Command>, folder: LockedDirectory) {
    let end = FailOnExit(database.shared());
    let written = write_all(&mut database, &mut commands);
    // Gone before anyone learns of it, so that whoever does can open the state again.
    drop(database);
    drop(folder);
    let closing = match written {
        Ok(closing) => closing,
        Err(Fatal(why)) => {
            end.0.fail(StateError::Broken { why: why.into() });
            None
        }
    };
    drop(end);
    if let Some((reply, digest)) = closing {
        let _ = reply.send(Ok(digest));
    }
    // What is dropped here is answered with the failure. An act may still be sent by whoever holds one.
    while let Some(command) = commands.blocking_recv() {
        drop(command);
    }
}

/// Tells waiting callers that the writer ended, however it did.
struct FailOnExit(Arc<Shared>);

impl Drop for FailOnExit {
    fn drop(&mut self) {
        self.0.fail(StateError::Closed);
    }
}

type Closing = Option<(Reply<Digest>, Digest)>;

fn write_all(database: &mut Database, commands: &mut mpsc::Receiver<Command>) -> Result<Closing, Fatal> {
    while let Some(first) = commands.blocking_recv() {
        if let Some(reply) = write_batch(database, commands, first)? {
            let digest = last_checkpoint(database)?;
            return Ok(Some((reply, digest)));
        }
    }
    last_checkpoint(database)?;
    Ok(None)
}

/// Writes everything that waits in one transaction. The caller answers a call to close.
fn write_batch(
    database: &mut Database,
    commands: &mut mpsc::Receiver<Command>,
    first: Command,
) -> Result<Option<Reply<Digest>>, Fatal> {
    let mut done: Vec<Done> = Vec::new();
    let mut closing = None;
    database.begin_transaction()?;
    let mut next = Some(first);
    while let Some(command) = next {
        if let Command::Close(reply) = command {
            closing = Some(reply);
            break;
        }
        done.push(database.apply(command)?);
        next = if done.len() < BATCH_MAX { commands.try_recv().ok() } else { None };
    }
    database.checkpoint_if_due()?;
    database.commit()?;
    for answer in done {
        answer();
    }
    Ok(closing)
}

fn last_checkpoint(database: &mut Database) -> Result<Digest, Fatal> {
    database.begin_transaction()?;
    let digest = database.checkpoint()?;
    database.commit()?;
    Ok(digest)
}

/// Calls of one transaction.
const BATCH_MAX: usize = 1_024;
