//! `policyc inspect`: a table, or a policy frozen in memory -> what is in it.

mod automata;
mod contents;
mod sections;
mod text;

use policy_model::CheckOptions;

use self::contents::Contents;
use crate::cli::{Color, InspectArgs};
use crate::exit::{Outcome, RunError};
use crate::{opening, output};

pub(crate) fn run(args: &InspectArgs, color: Color) -> Result<Outcome, RunError> {
    let options = CheckOptions { allow_outside: args.allow_outside };
    let bytes = opening::table_bytes(&args.file, options, color)?;
    let contents = Contents::of(&opening::open(&args.file, &bytes)?);
    match args.json {
        true => {
            let mut text = serde_json::to_string(&contents).map_err(|error| RunError::Format(error.to_string()))?;
            text.push('\n');
            output::print(text.as_bytes())?;
        }
        false => output::print(text::render(&contents).as_bytes())?,
    }
    Ok(Outcome::Fine)
}
