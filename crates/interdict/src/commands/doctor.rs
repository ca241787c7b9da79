//! `interdict doctor`: tests each layer of the sandbox.

use std::io::{self, Write as _};

use enforce_exec::sandbox::{Options, examine};

use super::layers;
use crate::cli::{DoctorArgs, Format};
use crate::exit::{Outcome, RunError};

pub(crate) fn run(args: &DoctorArgs) -> Result<Outcome, RunError> {
    let report = examine(&Options { accept_missing: layers(&args.accept_missing)? });
    let text = match args.format {
        Format::Human => report.to_string(),
        Format::Json => serde_json::to_string(&report).map_err(RunError::new)?,
    };
    writeln!(io::stdout(), "{}", text.trim_end()).map_err(RunError::new)?;
    Ok(if report.is_complete() { Outcome::Fine } else { Outcome::Findings })
}
