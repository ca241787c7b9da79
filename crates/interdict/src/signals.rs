//! SIGTERM, SIGINT and SIGHUP -> the word to end in order. The second of them ends the program at once.

use std::io;

use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// A signal that asks a program to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    Interrupt,
    Terminate,
    /// The terminal is gone.
    HangUp,
}

/// The signals that came.
#[derive(Debug, Clone)]
pub(crate) struct Signals {
    first: watch::Receiver<Option<Signal>>,
}

impl Signal {
    /// What shells say of a program that a signal ended.
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
    /// Takes the signals from here on.
    pub(crate) fn listen(runtime: &Runtime) -> io::Result<Self> {
        let _inside = runtime.enter();
        let mut interrupts = signal(SignalKind::interrupt())?;
        let mut terminations = signal(SignalKind::terminate())?;
        // Who starts it under `nohup` means it to stay.
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

    /// Waits for the first.
    pub(crate) async fn came(&self) -> Signal {
        match self.first.clone().wait_for(Option::is_some).await.map(|signal| *signal) {
            Ok(Some(signal)) => signal,
            // Nobody listens any more, so none comes.
            Ok(None) | Err(_) => std::future::pending().await,
        }
    }
}

/// Whether the program was started with this signal ignored, as the system shows it: bits in hexadecimal, from the first
/// signal on, which is this one.
fn ignores_hang_ups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).is_some_and(|bits| bits & 1 != 0)
}

/// Exit codes of signals start here.
const SIGNALLED: u8 = 128;
