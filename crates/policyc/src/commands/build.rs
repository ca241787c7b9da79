//! `policyc build`: a policy -> its table and manifest, and with `--cedar` the same as Cedar, written or compared.

mod artifacts;
mod compare;
mod print;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use policy_judge::{CheckOptions, SourceError, TABLE_EXTENSION, judge_policy};
use policy_model::{Checked, Disk};

use self::artifacts::{Artifacts, Stem};
use self::compare::{State, compare};
use self::print::Summary;
use super::check::is_unreadable;
use crate::atomic_write;
use crate::cli::{BuildArgs, Color};
use crate::exit::{Outcome, RunError};

pub(crate) fn run(args: &BuildArgs, color: Color) -> Result<Outcome, RunError> {
    if args.policy == Path::new("-") {
        return Err(SourceError::StandardInput.into());
    }
    let judged = judge_policy(&Disk, &args.policy, CheckOptions { allow_outside: args.allow_outside }, |_| true)
        .map_err(SourceError::from)?;
    let Some((model, frozen)) = judged.usable() else {
        let checked = &judged.checked;
        print::findings(checked, args.format, color)?;
        return Ok(if is_unreadable(checked) { Outcome::CouldNotRun } else { Outcome::Findings });
    };
    let checked = &judged.checked;
    let artifacts = Artifacts::new(args, checked, model, frozen.clone())?;
    let stem = stem(args);
    let files = artifacts.files(&stem);
    refuse_sources(checked, &files)?;
    let states = match args.check {
        true => files.iter().map(|(path, bytes)| compare(path, bytes)).collect::<Result<_, _>>()?,
        false => {
            write(args, &files)?;
            vec![State::Written; files.len()]
        }
    };
    let outcome = if states.iter().all(State::is_fine) { Outcome::Fine } else { Outcome::Findings };
    let summary = Summary { policy: &args.policy, checked, artifacts: &artifacts, files: &files, states };
    summary.print(args.format, color)?;
    Ok(outcome)
}

/// Returns the path that the files' names start with: beside the policy and with its name, unless `-o` names another.
fn stem(args: &BuildArgs) -> Stem {
    let name = args.policy.file_stem().unwrap_or(OsStr::new("policy"));
    Stem(match &args.output {
        None => args.policy.with_file_name(name),
        Some(folder) if folder.is_dir() || names_folder(folder) => folder.join(name),
        Some(table) if table.extension() == Some(OsStr::new(TABLE_EXTENSION)) => table.with_extension(""),
        Some(stem) => stem.clone(),
    })
}

fn names_folder(path: &Path) -> bool {
    path.as_os_str().to_string_lossy().ends_with(std::path::is_separator)
}

/// Fails when an output would replace a source, as with a policy called `agent.table`.
fn refuse_sources(checked: &Checked, files: &[(PathBuf, Vec<u8>)]) -> Result<(), RunError> {
    let canonical = |path: &Path| fs::canonicalize(path).ok();
    let sources: Vec<PathBuf> =
        checked.sources.iter().filter_map(|(_, source)| canonical(Path::new(source.name()))).collect();
    match files.iter().find(|(path, _)| canonical(path).is_some_and(|path| sources.contains(&path))) {
        Some((path, _)) => Err(RunError::OverwritesSource(path.clone())),
        None => Ok(()),
    }
}

fn write(args: &BuildArgs, files: &[(PathBuf, Vec<u8>)]) -> Result<(), RunError> {
    if let Some(folder) = args.output.as_deref().filter(|folder| names_folder(folder)) {
        fs::create_dir_all(folder).map_err(|error| RunError::Write(folder.to_owned(), error))?;
    }
    atomic_write::replace_all(files).map_err(|failed| RunError::Write(failed.path, failed.error))
}
