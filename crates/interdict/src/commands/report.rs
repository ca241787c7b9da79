//! `interdict report`: evidence of what this program does on this machine.

use std::io::{self, IsTerminal as _, Write as _};

use enforce_exec::sandbox::Layer;

use super::layers;
use crate::cli::{Format, ReportArgs};
use crate::exit::{Outcome, RunError, say};
use crate::report::Report;

pub(crate) fn run(args: &ReportArgs) -> Result<Outcome, RunError> {
    let is_watched = io::stderr().is_terminal();
    let accepted: Vec<&str> = layers(&args.accept_missing)?.into_iter().map(Layer::name).collect();
    let report = Report::new(&accepted, |command| {
        if is_watched {
            say(format_args!("interdict {command}"));
        }
    });
    let report = report.map_err(|error| RunError::new(format!("cannot make the report: {error}")))?;
    let text = match args.format {
        Format::Human => report.markdown(),
        Format::Json => report.json().to_string(),
    };
    writeln!(io::stdout(), "{}", text.trim_end()).map_err(RunError::new)?;
    Ok(if report.holds() { Outcome::Fine } else { Outcome::Findings })
}
