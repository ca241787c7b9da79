//! `policyc inspect`: a table, or a policy frozen in memory -> what is in it.

mod contents;
mod sections;
mod text;

use policy_judge::{CheckOptions, load_table, open_table};

use self::contents::Contents;
use crate::cli::InspectArgs;
use crate::exit::{Outcome, RunError};
use crate::output;

pub(crate) fn run(args: &InspectArgs) -> Result<Outcome, RunError> {
    let options = CheckOptions { allow_outside: args.allow_outside };
    let bytes = load_table(&args.file, options)?;
    let contents = Contents::of(&open_table(&args.file, &bytes)?);
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
