//! SIGTERM, SIGINT and SIGHUP -> an orderly end. The second signal ends the program at once.

use std::io;

use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// A signal that asks a program to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    Interrupt,
    Terminate,
    /// The terminal was closed.
    HangUp,
}

/// The first signal that arrived.
#[derive(Debug, Clone)]
pub(crate) struct Signals {
    first: watch::Receiver<Option<Signal>>,
}

impl Signal {
    /// The exit status that shells use for a program ended by this signal.
    pub(crate) fn exit_code(self) -> u8 {
        let number = match self {
            Self::Interrupt => SignalKind::interrupt(),
            Self::Terminate => SignalKind::terminate(),
            Self::HangUp => SignalKind::hangup(),
        };
        u8::try_from(number.as_raw_value()).map_or(u8::MAX, |number| number.saturating_add(SIGNALLED))
    }
}

impl Signals {
    /// Starts to handle signals.
    pub(crate) fn listen(runtime: &Runtime) -> io::Result<Self> {
        let _inside = runtime.enter();
        let mut interrupts = signal(SignalKind::interrupt())?;
        let mut terminations = signal(SignalKind::terminate())?;
        // Under `nohup` the program has to stay.
        let mut hang_ups = if ignores_hang_ups() { None } else { Some(signal(SignalKind::hangup())?) };
        let mut next = async move || {
            tokio::select! {
                _ = interrupts.recv() => Signal::Interrupt,
                _ = terminations.recv() => Signal::Terminate,
                Some(Some(())) = async { Some(hang_ups.as_mut()?.recv().await) } => Signal::HangUp,
            }
        };
        let (tell, first) = watch::channel(None);
        runtime.spawn(async move {
            tell.send_replace(Some(next().await));
            let again = next().await;
            std::process::exit(again.exit_code().into());
        });
        Ok(Self { first })
    }

    /// Waits for the first signal.
    pub(crate) async fn received(&self) -> Signal {
        match self.first.clone().wait_for(Option::is_some).await.map(|signal| *signal) {
            Ok(Some(signal)) => signal,
            // Signals are no longer handled, so none arrives.
            Ok(None) | Err(_) => std::future::pending().await,
        }
    }
}

/// True when the program was started with SIGHUP ignored. The system shows ignored signals as hexadecimal bits, with SIGHUP as
/// the lowest.
fn ignores_hang_ups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).is_some_and(|bits| bits & 1 != 0)
}

const SIGNALLED: u8 = 128;
