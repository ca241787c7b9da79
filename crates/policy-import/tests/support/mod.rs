//! Imports for tests, and what their policies answer.
#![allow(dead_code, reason = "not every test file uses all of it")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "this is how a test fails")]

use std::path::Path;

use policy_import::{Format, Imported, Names, import};
use policy_model::{CheckOptions, Decision, Memory, check_in, evaluate, read_request};
use policy_syntax::Source;

/// What comes of a file, for the role `agent`.
pub(crate) fn imported(format: Format, bytes: &[u8]) -> Imported {
    import(format, "file", bytes.to_vec(), Names { policy: "imported", role: "agent" }).unwrap()
}

/// The findings, each on a line, and the policy.
pub(crate) fn shown(imported: &Imported) -> String {
    let mut text = findings(imported).join("\n");
    text.push_str("\n---\n");
    text.push_str(imported.policy.as_deref().unwrap_or("(no policy)\n"));
    text
}

/// Code, place, what it points at and message of each finding.
pub(crate) fn findings(imported: &Imported) -> Vec<String> {
    let source: &Source = imported.sources.get(imported.file).unwrap();
    let line = |finding: &policy_syntax::Diagnostic| {
        let span = finding.primary.at.span;
        let at = source.position(span.start);
        let help = finding.help.as_deref().unwrap_or_default();
        format!("{} {}:{} {} ({help})", finding.code.id, at.line, at.column, finding.message)
    };
    imported.diagnostics.iter().map(line).collect()
}

/// The codes of the findings.
pub(crate) fn codes(imported: &Imported) -> Vec<&'static str> {
    imported.diagnostics.iter().map(|finding| finding.code.id).collect()
}

/// The policy's answer to a request in the words of a test.
pub(crate) fn answer(imported: &Imported, words: &str) -> Decision {
    let policy = imported.policy.as_deref().unwrap_or_else(|| panic!("{:#?}", findings(imported)));
    let files = Memory::default().with("imported.policy", policy);
    let path = Path::new("imported.policy");
    let checked = check_in(&files, path, CheckOptions::default());
    let model = checked.model.unwrap_or_else(|| panic!("{policy}\n{:#?}", checked.diagnostics));
    let request = read_request(&files, path, CheckOptions::default(), words);
    let request = request.unwrap_or_else(|error| panic!("{words}: {:?}", error.diagnostics));
    evaluate(&model, &request)
}

/// The verdict alone, as policies spell it.
pub(crate) fn verdict(imported: &Imported, words: &str) -> &'static str {
    answer(imported, words).verdict.as_str()
}
