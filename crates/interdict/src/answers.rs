//! Replies -> lines of the standard output, each by a thread of its own: whoever waits for a reader that does not read can wait
//! for something else too.

use std::io::{self, Write as _};
use std::sync::mpsc as blocking;

use tokio::sync::mpsc;

use crate::line::Reply;

/// The standard output.
#[derive(Debug)]
pub(crate) struct Answers {
    give: blocking::Sender<Reply>,
    written: mpsc::Receiver<io::Result<()>>,
}

impl Answers {
    pub(crate) fn to_stdout() -> io::Result<Self> {
        let (give, given) = blocking::channel::<Reply>();
        let (tell, written) = mpsc::channel(1);
        let writer = move || {
            let mut out = io::stdout().lock();
            while let Ok(reply) = given.recv() {
                let done = reply.write(&mut out).and_then(|()| out.flush());
                // It may be large, and the next one is made as soon as this one is written.
                drop(reply);
                if tell.blocking_send(done).is_err() {
                    return;
                }
            }
        };
        // Nobody waits for it at the end: it may wait for a reader that never reads.
        std::thread::Builder::new().name("answers".to_owned()).spawn(writer)?;
        Ok(Self { give, written })
    }

    /// Writes a reply, and waits until it is written.
    pub(crate) async fn write(&mut self, reply: Reply) -> io::Result<()> {
        match self.give.send(reply) {
            Ok(()) => self.written.recv().await.unwrap_or_else(|| Err(io::ErrorKind::BrokenPipe.into())),
            Err(_) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}
