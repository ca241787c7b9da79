//! Futures that block, panic or move to a task of their own -> the same without harm to others.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::JoinError;

/// Runs blocking work on this thread. On a runtime of several threads, another thread takes over this one's tasks.
pub(super) fn run_blocking<T>(act: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(act),
        _ => act(),
    }
}

/// Returns the future's output, or `None` if it panics. Everything it holds is dropped by then.
pub(super) async fn catch_panic<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let poll = |context: &mut Context<'_>| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(Poll::Ready(output)) => Poll::Ready(Some(output)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(_) => Poll::Ready(None),
    };
    poll_fn(poll).await
}

/// The point at which a future is handed from its caller to a task of its own.
#[derive(Debug, Clone, Default)]
pub(super) struct Handover(Arc<AtomicBool>);

impl Handover {
    /// Waits, once, until another task polls the future.
    pub(super) async fn wait(&self) {
        poll_fn(|_| match self.0.swap(true, Ordering::Relaxed) {
            true => Poll::Ready(()),
            // Whoever polled sees it and spawns the future, which polls it again.
            false => Poll::Pending,
        })
        .await;
    }

    /// Polls a future here to its end or up to its handover, and from there in a task of its own. An act is not stopped half-way
    /// if nobody waits for it any more; a request that is not permitted yet is.
    pub(super) async fn drive<T: Send + 'static>(
        self,
        mut future: Pin<Box<dyn Future<Output = T> + Send>>,
    ) -> Result<T, JoinError> {
        let answered = poll_fn(|context| match future.as_mut().poll(context) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending if self.0.load(Ordering::Relaxed) => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        });
        match answered.await {
            Some(output) => Ok(output),
            None => tokio::spawn(future).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::Semaphore;

    use super::*;

    #[test]
    fn ctr_0022_a_panic_of_an_act_is_seen_on_every_runtime_and_ends_nothing_else() {
        let one = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let many = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
        for runtime in [one, many] {
            let acts = Arc::new(Semaphore::new(1));
            let act = |fails: bool| {
                let acts = Arc::clone(&acts);
                runtime.block_on(runtime.spawn(catch_panic(async move {
                    let _turn = acts.try_acquire().unwrap();
                    tokio::task::yield_now().await;
                    run_blocking(|| assert!(!fails, "made to fail"));
                })))
            };
            assert_eq!([act(true).unwrap(), act(false).unwrap()], [None, Some(())]);
        }
    }
}
