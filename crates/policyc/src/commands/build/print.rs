//! What `policyc build` did -> text for people, or one JSON object.

use std::path::{Path, PathBuf};

use policy_model::Checked;
use policy_syntax::Severity;
use policy_table::hex;
use serde::Serialize;

use super::artifacts::Artifacts;
use super::compare::State;
use crate::cli::{BuildFormat, Color};
use crate::exit::RunError;
use crate::output;
use crate::render::{self, counted, visible};
use crate::report::Report;

/// A policy that was built, and how its files stand.
pub(super) struct Summary<'a> {
    pub(super) policy: &'a Path,
    pub(super) checked: &'a Checked,
    pub(super) artifacts: &'a Artifacts,
    pub(super) files: &'a [(PathBuf, Vec<u8>)],
    pub(super) states: Vec<State>,
}

/// Prints why a policy was not built: its errors. Programs get its other findings too.
pub(super) fn findings(checked: &Checked, format: BuildFormat, color: Color) -> Result<(), RunError> {
    let mut report = Report::of(std::slice::from_ref(checked));
    match format {
        BuildFormat::Human => {
            report.findings.retain(|finding| finding.severity() == Severity::Error);
            output::print_styled(&render::human_report(&report), color)
        }
        BuildFormat::Json => output::print_json(&Object { findings: render::json_object(&report), build: None }),
    }
}

impl Summary<'_> {
    pub(super) fn print(&self, format: BuildFormat, color: Color) -> Result<(), RunError> {
        match format {
            BuildFormat::Human => output::print_styled(&self.text(), color),
            BuildFormat::Json => {
                let report = Report::of(std::slice::from_ref(self.checked));
                output::print_json(&Object { findings: render::json_object(&report), build: Some(self.build()) })
            }
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for ((path, bytes), state) in self.files.iter().zip(&self.states) {
            let path = path.display().to_string();
            let path = visible(&path);
            match state {
                State::Written => text.push_str(&format!("wrote {path}, {}\n", counted(bytes.len(), "byte"))),
                State::Same => {}
                State::Differs(how) => text.push_str(&format!("{path}: differs, {how}\n")),
                State::Missing => text.push_str(&format!("{path}: is missing\n")),
            }
        }
        let warnings = self.checked.diagnostics.iter().filter(|found| found.code.severity == Severity::Warning).count();
        let policy = self.policy.display().to_string();
        if warnings > 0 {
            text.push_str(&format!("{}: `policyc check {}`\n", counted(warnings, "warning"), visible(&policy)));
        }
        let files = counted(self.files.len(), "file");
        let unlike = self.states.iter().filter(|state| !state.is_fine()).count();
        if unlike > 0 {
            let verb = if unlike == 1 { "is" } else { "are" };
            text.push_str(&format!("{unlike} of {files} {verb} not what {} says: build it again\n", visible(&policy)));
        } else if self.states.contains(&State::Same) {
            text.push_str(&format!("{files} are what {} says\n", visible(&policy)));
        }
        text.push_str(&format!("blake3 {}\n", hex(&self.artifacts.frozen.digest)));
        text
    }

    fn build(&self) -> Build<'_> {
        let file = |((path, bytes), state): (&(PathBuf, Vec<u8>), &State)| BuiltFile {
            path: path.display().to_string(),
            bytes: bytes.len(),
            state: state.as_str(),
            difference: match state {
                State::Differs(how) => Some(how.clone()),
                State::Written | State::Same | State::Missing => None,
            },
        };
        Build {
            policy: &self.artifacts.manifest.policy,
            blake3: hex(&self.artifacts.frozen.digest),
            sources: hex(&self.artifacts.frozen.sources),
            files: self.files.iter().zip(&self.states).map(file).collect(),
        }
    }
}

/// What `check --format json` prints, and what was built.
#[derive(Serialize)]
struct Object<'a> {
    #[serde(flatten)]
    findings: render::ReportObject<'a>,
    build: Option<Build<'a>>,
}

#[derive(Serialize)]
struct Build<'a> {
    policy: &'a str,
    blake3: String,
    sources: String,
    files: Vec<BuiltFile>,
}

#[derive(Serialize)]
struct BuiltFile {
    path: String,
    bytes: usize,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<String>,
}
