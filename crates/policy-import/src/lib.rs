//! the rules of other tools -> a policy with the same meaning
//!
//! Every entry of the file is in the policy, or a finding at its place says why not. Where the language cannot express
//! exactly what the other tool allows, the policy allows less, and a finding says so. The resulting text is checked like
//! every other policy, with the examples of the file as its tests.

mod claude_code;
pub mod codes;
mod codex;
mod command;
mod draft;
mod findings;
mod json;
mod registry;
mod toml;
mod tool_rules;
mod tree;
mod yaml;

use std::collections::BTreeSet;
use std::path::Path;

use policy_judge::{JudgeError, judge_policy};
use policy_model::{CheckOptions, Checked, Memory};
use policy_syntax::limits::FILE_BYTES_MAX;
use policy_syntax::{
    Diagnostic, FileId, LANGUAGE_VERSION, Location, Severity, Source, Sources, Span, TextError, decode, format,
};

use crate::draft::{Draft, DraftText};
use crate::findings::Findings;
use crate::tree::ParseError;

/// The format of the imported rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A registry of version 1, in YAML.
    Registry,
    /// `tool_rules` in TOML.
    ToolRules,
    /// The settings of Claude Code, in JSON.
    ClaudeCode,
    /// The rules of Codex, in Starlark.
    Codex,
}

impl Format {
    pub const ALL: [Self; 4] = [Self::Registry, Self::ToolRules, Self::ClaudeCode, Self::Codex];

    /// Returns the name used on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Registry => "registry",
            Self::ToolRules => "tool-rules",
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
        }
    }

    /// Returns the format that the extension of a path stands for.
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "yaml" | "yml" => Some(Self::Registry),
            "toml" => Some(Self::ToolRules),
            "json" => Some(Self::ClaudeCode),
            "rules" | "codexpolicy" => Some(Self::Codex),
            _ => None,
        }
    }
}

/// The names in the imported policy, both in kebab-case.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    pub policy: &'a str,
    /// The only role; every rule that allows is about it.
    pub role: &'a str,
}

/// Returns true for a word that can name a policy or a role, in kebab-case.
#[must_use]
pub fn is_plain_name(word: &str) -> bool {
    let file = Sources::default().add(Source::new("", ""));
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let parsed = policy_syntax::parse(file, &format!("policy {word} language {LANGUAGE_VERSION}\n\nrole {word}\n"));
    word.chars().all(is_plain) && parsed.diagnostics.is_empty()
}

/// The result of an import.
#[derive(Debug)]
pub struct Imported {
    pub sources: Sources,
    /// The imported file, the only one in `sources`.
    pub file: FileId,
    /// The findings, sorted by place.
    pub diagnostics: Vec<Diagnostic>,
    /// The formatted policy; `None` when a finding is an error.
    pub policy: Option<String>,
}

/// Imports a file.
///
/// # Errors
/// Only for a defect: the table of the policy that was made cannot be used.
pub fn import(format: Format, file_name: &str, bytes: Vec<u8>, names: Names<'_>) -> Result<Imported, JudgeError> {
    let mut sources = Sources::default();
    let text = match decode(bytes) {
        Ok(text) => text,
        Err(error) => {
            let (readable, why) = match &error {
                TextError::TooLarge { bytes } => {
                    ("", format!("the file has {bytes} bytes; the limit is {FILE_BYTES_MAX}"))
                }
                TextError::NotUtf8 { readable } => (readable.as_str(), "this byte is not valid UTF-8".to_owned()),
            };
            let file = sources.add(Source::new(file_name, readable));
            let mut findings = Findings::new(file);
            report_parse_error(
                &ParseError::new(Span::new(readable.len(), readable.len()), why),
                "UTF-8 text",
                &mut findings,
            );
            return Ok(Imported { sources, file, diagnostics: findings.into_vec(), policy: None });
        }
    };
    let file = sources.add(Source::new(file_name, text.as_str()));
    let mut findings = Findings::new(file);
    let draft = match format {
        Format::Registry => registry::read(&text, &mut findings),
        Format::ToolRules => tool_rules::read(&text, &mut findings),
        Format::ClaudeCode => claude_code::read(&text, &mut findings),
        Format::Codex => codex::read(&text, &mut findings),
    };
    let policy = match draft.filter(|_| !findings.has_errors()) {
        Some(draft) => finished(format, draft, names, &mut findings)?,
        None => None,
    };
    Ok(Imported { sources, file, diagnostics: findings.into_vec(), policy })
}

/// Checks a draft and formats it when it has no error.
fn finished(
    from: Format,
    mut draft: Draft,
    names: Names<'_>,
    findings: &mut Findings,
) -> Result<Option<String>, JudgeError> {
    let (mut written, mut checked) = checked(from, &draft, names)?;
    // A generated test asks about one rule. When another rule decides its request, neither rule is wrong and the test is
    // dropped. An invalid test hides the results of the others, so the check is repeated.
    for _ in 0..TEST_ROUNDS_MAX {
        let in_tests: BTreeSet<usize> =
            errors(&checked).filter_map(|finding| written.test_at(finding.primary.at.span)).collect();
        if in_tests.is_empty() {
            break;
        }
        draft.drop_tests(&in_tests);
        (written, checked) = self::checked(from, &draft, names)?;
    }
    for finding in errors(&checked) {
        report(finding, &written, checked.root, findings);
    }
    if findings.has_errors() {
        return Ok(None);
    }
    Ok(match format(checked.root, &written.text) {
        Ok(policy) => Some(policy),
        Err(errors) => {
            errors.iter().for_each(|error| report(error, &written, checked.root, findings));
            None
        }
    })
}

fn checked(from: Format, draft: &Draft, names: Names<'_>) -> Result<(DraftText, Checked), JudgeError> {
    let written = draft.write(head(from), names.policy, names.role);
    let files = Memory::default().with(DRAFT, written.text.as_str());
    let judged = judge_policy(&files, Path::new(DRAFT), CheckOptions::default(), |_| true)?;
    Ok((written, judged.checked))
}

fn errors(checked: &Checked) -> impl Iterator<Item = &Diagnostic> {
    let is_error = |finding: &&Diagnostic| finding.code.severity == Severity::Error;
    checked.diagnostics.iter().filter(is_error)
}

/// Reports a finding about the draft at its origin in the imported file.
fn report(finding: &Diagnostic, written: &DraftText, draft: FileId, findings: &mut Findings) {
    let Location { file, span } = finding.primary.at;
    let at = if file == draft { written.origin_of(span) } else { None };
    let help = finding.help.clone().unwrap_or_default();
    match at {
        Some(at) => findings.add(finding.code, at, finding.message.clone(), help),
        // The finding is about the whole text, such as its length.
        None => {
            let message = format!("the policy made from this file is invalid: {}", finding.message);
            findings.add(finding.code, Span::default(), message, help);
        }
    }
}

fn report_parse_error(error: &ParseError, format: &str, findings: &mut Findings) {
    let help = error.help.map_or_else(|| format!("the file must be {format}"), str::to_owned);
    findings.add(codes::INVALID_FORMAT, error.at, error.message.clone(), help);
}

fn head(format: Format) -> &'static str {
    match format {
        Format::Registry => registry::HEAD,
        Format::ToolRules => tool_rules::HEAD,
        Format::ClaudeCode => claude_code::HEAD,
        Format::Codex => codex::HEAD,
    }
}

const DRAFT: &str = "imported.policy";

/// Each check reports at most a thousand failing tests, so they are dropped in rounds.
const TEST_ROUNDS_MAX: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_kebab_case_and_not_keywords() {
        let plain = ["agent", "a-1", "x"];
        let others = ["", "Agent", "a b", "rule", "anyone", "a--b", "1a", "a\nrole b", "a-", "ü"];
        assert!(plain.into_iter().all(is_plain_name));
        assert!(!others.into_iter().any(is_plain_name));
    }
}
