//! Commands -> transactions: whatever waits is written together, and answered when it is on the disk.

use std::sync::Arc;

use exec_base::LockedDirectory;
use tokio::sync::{mpsc, oneshot};

use super::Shared;
use super::books::{Books, Done, Fatal};
use crate::ledger::{Digest, Refused};
use crate::state::error::StateError;
use crate::state::token::TokenHash;
use crate::state::{Act, Begin, Begun, Finish, Granted, NewSession, SessionId};
use crate::store::Artifact;

/// Where an answer goes.
pub(super) type Reply<T> = oneshot::Sender<Result<T, StateError>>;

/// Makes an act of the number of its intent, and of what it was charged.
pub(super) type MakeAct = Box<dyn FnOnce(u64, Vec<Granted>) -> Act + Send>;

/// What is asked of the writer.
pub(super) enum Command {
    Create(Box<NewSession>, TokenHash, Reply<SessionId>),
    EndSession(SessionId, Reply<()>),
    /// Ends every session whose time is over.
    EndExpired,
    Begin(Box<Begin>, MakeAct, Reply<Begun>),
    /// With nothing, when the act was given up.
    End(u64, Option<Box<Finish>>, Reply<()>),
    Refuse(Option<SessionId>, Box<Refused>, Reply<()>),
    TurnedAway(u64, Reply<()>),
    Publish(Box<Artifact>, Reply<()>),
    Artifact(String, Reply<Option<Artifact>>),
    Checkpoint(Reply<Digest>),
    Close(Reply<Digest>),
}

/// Writes until it is told to close, or until nobody is left, or until it cannot.
pub(super) fn run(mut books: Books, mut commands: mpsc::Receiver<Command>, folder: LockedDirectory) {
    let end = End(books.shared());
    let written = write_all(&mut books, &mut commands);
    // Gone before anyone learns of it, so that whoever does can open the state again.
    drop(books);
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

/// However the writer ends, whoever waits for it learns that it did.
struct End(Arc<Shared>);

impl Drop for End {
    fn drop(&mut self) {
        self.0.fail(StateError::Closed);
    }
}

type Closing = Option<(Reply<Digest>, Digest)>;

fn write_all(books: &mut Books, commands: &mut mpsc::Receiver<Command>) -> Result<Closing, Fatal> {
    while let Some(first) = commands.blocking_recv() {
        if let Some(reply) = write_batch(books, commands, first)? {
            let digest = last_checkpoint(books)?;
            return Ok(Some((reply, digest)));
        }
    }
    last_checkpoint(books)?;
    Ok(None)
}

/// One transaction for whatever waits. Whoever asks to close is answered by the caller.
fn write_batch(
    books: &mut Books,
    commands: &mut mpsc::Receiver<Command>,
    first: Command,
) -> Result<Option<Reply<Digest>>, Fatal> {
    let mut done: Vec<Done> = Vec::new();
    let mut closing = None;
    books.begin_transaction()?;
    let mut next = Some(first);
    while let Some(command) = next {
        if let Command::Close(reply) = command {
            closing = Some(reply);
            break;
        }
        done.push(books.apply(command)?);
        next = if done.len() < BATCH_MAX { commands.try_recv().ok() } else { None };
    }
    books.checkpoint_if_due()?;
    books.commit()?;
    for answer in done {
        answer();
    }
    Ok(closing)
}

fn last_checkpoint(books: &mut Books) -> Result<Digest, Fatal> {
    books.begin_transaction()?;
    let digest = books.checkpoint()?;
    books.commit()?;
    Ok(digest)
}

/// Calls that are written together.
const BATCH_MAX: usize = 1_024;
