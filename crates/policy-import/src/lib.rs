//! the rules of other tools -> a policy that says the same
//!
//! What a file says is in the policy, or a finding says at its place why it is not. Where its own program would allow
//! something that the language cannot say exactly, the policy allows less, and a finding says so. The text that comes out is
//! checked like every other policy, with the examples of the file as its tests.

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
mod witness;
mod yaml;

use std::collections::BTreeSet;
use std::path::Path;

use policy_judge::{JudgeError, judge_policy};
use policy_model::{CheckOptions, Checked, Memory};
use policy_syntax::limits::FILE_BYTES_MAX;
use policy_syntax::{
    Diagnostic, FileId, LANGUAGE_VERSION, Location, Severity, Source, Sources, Span, TextError, decode, format,
};

use crate::draft::{Draft, Written};
use crate::findings::Findings;
use crate::tree::NoTree;

/// Whose rules they are.
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
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Registry, Self::ToolRules, Self::ClaudeCode, Self::Codex];

    /// As the command line spells it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Registry => "registry",
            Self::ToolRules => "tool-rules",
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
        }
    }

    /// What a file of that name holds, by the end of the name.
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

/// What the policy is called and whom it is about. Both are names of the language.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    /// The policy.
    pub policy: &'a str,
    /// The one role.
    pub role: &'a str,
}

/// Whether a word can be the name of a policy or a role, in kebab-case.
#[must_use]
pub fn is_plain_name(word: &str) -> bool {
    let file = Sources::default().add(Source::new("", ""));
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let parsed = policy_syntax::parse(file, &format!("policy {word} language {LANGUAGE_VERSION}\n\nrole {word}\n"));
    word.chars().all(is_plain) && parsed.diagnostics.is_empty()
}

/// What came of an import.
#[derive(Debug)]
pub struct Imported {
    /// The imported file.
    pub sources: Sources,
    /// Its only id.
    pub file: FileId,
    /// What was found in it, by place.
    pub diagnostics: Vec<Diagnostic>,
    /// The policy, in its one layout; none when there is an error.
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
                    ("", format!("the file has {bytes} bytes of {FILE_BYTES_MAX} at most"))
                }
                TextError::NotUtf8 { readable } => (readable.as_str(), "the byte here is not UTF-8".to_owned()),
            };
            let file = sources.add(Source::new(file_name, readable));
            let mut found = Findings::new(file);
            not_that_format(&NoTree::new(Span::new(readable.len(), readable.len()), why), "UTF-8 text", &mut found);
            return Ok(Imported { sources, file, diagnostics: found.into_vec(), policy: None });
        }
    };
    let file = sources.add(Source::new(file_name, text.as_str()));
    let mut found = Findings::new(file);
    let draft = match format {
        Format::Registry => registry::read(&text, &mut found),
        Format::ToolRules => tool_rules::read(&text, &mut found),
        Format::ClaudeCode => claude_code::read(&text, &mut found),
        Format::Codex => codex::read(&text, &mut found),
    };
    let policy = match draft.filter(|_| !found.has_errors()) {
        Some(draft) => finished(format, draft, names, &mut found)?,
        None => None,
    };
    Ok(Imported { sources, file, diagnostics: found.into_vec(), policy })
}

/// Checks what was drafted, and lays it out when it has no error.
fn finished(
    from: Format,
    mut draft: Draft,
    names: Names<'_>,
    found: &mut Findings,
) -> Result<Option<String>, JudgeError> {
    let (mut written, mut checked) = checked(from, &draft, names)?;
    // A test is only a request that one rule is about; where another decides it, it says nothing wrong of either. What is
    // wrong with the words of one hides what others come to, so it is looked again.
    for _ in 0..TESTS_TRIED_MAX {
        let in_tests: BTreeSet<usize> =
            errors(&checked).filter_map(|finding| written.test_at(finding.primary.at.span)).collect();
        if in_tests.is_empty() {
            break;
        }
        draft.drop_tests(&in_tests);
        (written, checked) = self::checked(from, &draft, names)?;
    }
    for finding in errors(&checked) {
        report(finding, &written, checked.root, found);
    }
    if found.has_errors() {
        return Ok(None);
    }
    Ok(match format(checked.root, &written.text) {
        Ok(policy) => Some(policy),
        Err(findings) => {
            findings.iter().for_each(|finding| report(finding, &written, checked.root, found));
            None
        }
    })
}

fn checked(from: Format, draft: &Draft, names: Names<'_>) -> Result<(Written, Checked), JudgeError> {
    let written = draft.write(head(from), names.policy, names.role);
    let files = Memory::default().with(DRAFT, written.text.as_str());
    let judged = judge_policy(&files, Path::new(DRAFT), CheckOptions::default(), |_| true)?;
    Ok((written, judged.checked))
}

fn errors(checked: &Checked) -> impl Iterator<Item = &Diagnostic> {
    let is_error = |finding: &&Diagnostic| finding.code.severity == Severity::Error;
    checked.diagnostics.iter().filter(is_error)
}

/// Says at its place in the imported file what is wrong with what was made of it.
fn report(finding: &Diagnostic, written: &Written, draft: FileId, found: &mut Findings) {
    let Location { file, span } = finding.primary.at;
    let at = if file == draft { written.origin_of(span) } else { None };
    let help = finding.help.clone().unwrap_or_default();
    match at {
        Some(at) => found.add(finding.code, at, finding.message.clone(), help),
        // It is about the text as a whole, such as its length.
        None => {
            let message = format!("the policy that is made of this file cannot be used: {}", finding.message);
            found.add(finding.code, Span::default(), message, help);
        }
    }
}

fn not_that_format(error: &NoTree, format: &str, found: &mut Findings) {
    let help = error.help.map_or_else(|| format!("the file has to be {format}"), str::to_owned);
    found.add(codes::NOT_THAT_FORMAT, error.at, error.why.clone(), help);
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

/// How often tests that do not hold are taken out: a check shows a thousand of them at once.
const TESTS_TRIED_MAX: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_kebab_case_and_no_keywords() {
        let plain = ["agent", "a-1", "x"];
        let others = ["", "Agent", "a b", "rule", "anyone", "a--b", "1a", "a\nrole b", "a-", "ü"];
        assert!(plain.into_iter().all(is_plain_name));
        assert!(!others.into_iter().any(is_plain_name));
    }
}
