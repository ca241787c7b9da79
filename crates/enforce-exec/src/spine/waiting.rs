//! Work that blocks, or panics -> the same where it keeps no thread from others, and where its panic is seen.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context, Poll};

use tokio::runtime::{Handle, RuntimeFlavor};

/// Files and processes are waited for where the permit is. Others take over the thread's tasks, where there are others.
pub(super) fn in_place<T>(act: impl FnOnce() -> T) -> T {
    match Handle::try_current().map(|runtime| runtime.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(act),
        _ => act(),
    }
}

/// What a future gives; nothing when it panics. Whatever it holds is dropped by then.
pub(super) async fn unless_panicked<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let poll = |context: &mut Context<'_>| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(Poll::Ready(given)) => Poll::Ready(Some(given)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(_) => Poll::Ready(None),
    };
    poll_fn(poll).await
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

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
                runtime.block_on(runtime.spawn(unless_panicked(async move {
                    let _turn = acts.try_acquire().unwrap();
                    tokio::task::yield_now().await;
                    in_place(|| assert!(!fails, "made to fail"));
                })))
            };
            assert_eq!([act(true).unwrap(), act(false).unwrap()], [None, Some(())]);
        }
    }
}
