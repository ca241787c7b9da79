//! Command lines, against a real shell.

use std::cell::OnceCell;

use verify::cases::Premise;
use verify::oracles::shells::{Shell, words_are_run_as_they_were_read};

/// dash runs the words that the core reads.
///
/// # Panics
/// When it does not, and when there is no dash: what was not compared has not been found alike.
pub fn dash_runs_what_was_read(bytes: &[u8]) -> Premise {
    thread_local! {
        static DASH: OnceCell<Shell> = const { OnceCell::new() };
    }
    DASH.with(|dash| words_are_run_as_they_were_read(dash.get_or_init(found), bytes))
}

#[expect(clippy::panic, reason = "a comparison that cannot be made has to end the test")]
fn found() -> Shell {
    Shell::find("dash").unwrap_or_else(|error| panic!("the target `shell` needs dash: {error}"))
}
