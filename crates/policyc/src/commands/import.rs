//! `policyc import`: a file with the rules of another tool -> a policy, and what of the file it does not say.

use std::path::Path;

use policy_import::{Format, Imported, Names, import};
use policy_judge::SourceError;
use policy_syntax::Source;
use serde::Serialize;

use crate::cli::{BuildFormat, Color, ImportArgs, ImportFormat};
use crate::exit::{Outcome, RunError};
use crate::render::{self, visible};
use crate::report::{Finding, Report};
use crate::{files, output};

pub(crate) fn run(args: &ImportArgs, color: Color) -> Result<Outcome, RunError> {
    let is_standard_input = args.file == Path::new("-");
    let from = match args.from {
        Some(from) => from.into(),
        None => Format::of_path(&args.file).ok_or_else(|| RunError::UnknownFormat(args.file.clone()))?,
    };
    let bytes = match is_standard_input {
        true => files::read_standard_input(),
        false => files::read(&args.file),
    };
    let bytes = bytes.map_err(|reason| RunError::Read(args.file.clone(), reason))?;
    let name = if is_standard_input { "<stdin>".to_owned() } else { args.file.display().to_string() };
    let imported =
        import(from, &name, bytes, Names { policy: &args.name, role: &args.role }).map_err(SourceError::from)?;
    let report = report(&imported);
    let fails = report.findings.iter().any(|finding| args.fail_level.is_reached_by(finding.severity()));
    let policy = imported.policy.as_deref().filter(|_| !fails);
    if let (Some(path), Some(policy)) = (&args.output, policy) {
        files::create(path, policy, args.force)?;
    }
    match args.format {
        BuildFormat::Human => print(args, &report, policy, color)?,
        BuildFormat::Json => print_object(args, from, &report, policy)?,
    }
    Ok(if policy.is_some() { Outcome::Fine } else { Outcome::Findings })
}

fn report(imported: &Imported) -> Report<'_> {
    let Imported { sources, file, diagnostics, .. } = imported;
    Report {
        policies: vec![sources.get(*file).map_or("", Source::name)],
        findings: diagnostics.iter().map(|diagnostic| Finding { diagnostic, sources }).collect(),
    }
}

/// The policy on the standard output, or where it was written, and the findings beside it.
fn print(args: &ImportArgs, report: &Report<'_>, policy: Option<&str>, color: Color) -> Result<(), RunError> {
    if !report.findings.is_empty() {
        output::complain_styled(&render::human_report(report), color);
    }
    let Some(policy) = policy else { return Ok(()) };
    match &args.output {
        None => output::print(policy.as_bytes()),
        Some(path) => output::print(next_steps(path).as_bytes()),
    }
}

fn next_steps(path: &Path) -> String {
    let path = path.display().to_string();
    let path = visible(&path);
    format!(
        "wrote {path}\n\n\
         next:\n  \
         1. policyc check {path}    its warnings say what is wider than it looks\n  \
         2. narrow what is wider than you want, and add tests of your own\n"
    )
}

fn print_object(args: &ImportArgs, from: Format, report: &Report<'_>, policy: Option<&str>) -> Result<(), RunError> {
    let written = args.output.as_ref().filter(|_| policy.is_some()).map(|path| path.display().to_string());
    let object = Object {
        findings: render::json_object(report),
        import: policy.map(|policy| Made { from: from.as_str(), policy, written }),
    };
    output::print_json(&object)
}

/// The object of `check --format json`, and the policy that was made.
#[derive(Serialize)]
struct Object<'a> {
    #[serde(flatten)]
    findings: render::ReportObject<'a>,
    import: Option<Made<'a>>,
}

#[derive(Serialize)]
struct Made<'a> {
    from: &'static str,
    policy: &'a str,
    written: Option<String>,
}

impl From<ImportFormat> for Format {
    fn from(format: ImportFormat) -> Self {
        match format {
            ImportFormat::Registry => Self::Registry,
            ImportFormat::ToolRules => Self::ToolRules,
            ImportFormat::ClaudeCode => Self::ClaudeCode,
            ImportFormat::Codex => Self::Codex,
        }
    }
}
