//! Text -> the standard output. A reader that has seen enough (`| head`) is no error.

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;

use crate::cli::Color;
use crate::exit::RunError;

/// Prints bytes for machines, exactly as they are.
pub(crate) fn print(bytes: &[u8]) -> Result<(), RunError> {
    let mut out = io::stdout().lock();
    settle(out.write_all(bytes).and_then(|()| out.flush()))
}

/// Prints one JSON object on a line of its own.
pub(crate) fn print_json(object: &impl Serialize) -> Result<(), RunError> {
    let mut text = serde_json::to_string(object).map_err(|error| RunError::Format(error.to_string()))?;
    text.push('\n');
    print(text.as_bytes())
}

/// Prints styled text for people; the styles are taken out where they are not wanted.
pub(crate) fn print_styled(text: &str, color: Color) -> Result<(), RunError> {
    let mut out = AutoStream::new(io::stdout().lock(), choice(color));
    settle(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// The same on the standard error, which is for what is not the result itself.
pub(crate) fn complain_styled(text: &str, color: Color) {
    let mut out = AutoStream::new(io::stderr().lock(), choice(color));
    drop(out.write_all(text.as_bytes()));
}

fn choice(color: Color) -> ColorChoice {
    match color {
        // Looks at the terminal, NO_COLOR, CLICOLOR and CLICOLOR_FORCE.
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    }
}

fn settle(result: io::Result<()>) -> Result<(), RunError> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(RunError::Output),
    }
}
