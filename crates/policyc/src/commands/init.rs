//! `policyc init`: a path -> a first policy there, and what to do with it.

use std::path::Path;

use crate::cli::InitArgs;
use crate::exit::{Outcome, RunError};
use crate::render::visible;
use crate::{files, output};

pub(crate) fn run(args: &InitArgs) -> Result<Outcome, RunError> {
    files::create(&args.path, STARTER, args.force)?;
    output::print(next_steps(&args.path).as_bytes())?;
    Ok(Outcome::Fine)
}

fn next_steps(path: &Path) -> String {
    let path = path.display().to_string();
    let path = visible(&path);
    format!(
        "wrote {path}\n\n\
         next:\n  \
         1. change its roles, paths and commands to yours\n  \
         2. policyc check {path}\n  \
         3. policyc fmt --write {path}\n"
    )
}

/// The policy a project starts from.
const STARTER: &str = include_str!("../../../../policies/starter.policy");
