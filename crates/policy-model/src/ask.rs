//! A request in the words of a test -> Request, in the names of a policy.

use std::path::Path;

use policy_syntax::codes::UNEXPECTED;
use policy_syntax::{Diagnostic, FileId, Location, Severity, Source, Sources, parse};

use crate::check::CheckOptions;
use crate::evaluate::Request;
use crate::expectations::Expectations;
use crate::files::Files;
use crate::findings::Findings;
use crate::link::{Linked, Origin, Unit, link};
use crate::resolve::resolve;

/// Why words are no request.
#[derive(Debug)]
pub struct NoRequest {
    /// The policy's files, and the words after them.
    pub sources: Sources,
    /// What is wrong with the words; only errors.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads what a test says before its arrow, `coder file.read path "src/main.rs"`, as the policy's own tests are read.
///
/// # Errors
/// What is wrong with it, or with the policy.
pub fn read_request(
    files: &dyn Files,
    path: &Path,
    options: CheckOptions,
    words: &str,
) -> Result<Request, Box<NoRequest>> {
    let mut linked = link(path, files, options);
    let (file, mut diagnostics) = add(&mut linked, words);
    if diagnostics.is_empty() {
        let mut found = Findings::new(Expectations::default());
        let resolved = resolve(&linked, &mut found);
        diagnostics = found.into_vec();
        diagnostics.retain(|finding| finding.code.severity == Severity::Error);
        let asked = resolved.model.tests.into_iter().find(|test| test.at.file == file);
        if let Some(test) = asked.filter(|_| diagnostics.is_empty()) {
            return Ok(test.request);
        }
    }
    Err(Box::new(NoRequest { sources: linked.sources, diagnostics }))
}

/// Adds the words as a file with one test. The errors are of the text alone.
fn add(linked: &mut Linked, words: &str) -> (FileId, Vec<Diagnostic>) {
    // The words stand on a line of their own, so that a finding shows them and little else.
    let text = format!("policy request language 1 test request:\n{words}\n=> deny\n");
    let file = linked.sources.add(Source::new("<request>", text));
    let text = linked.sources.get(file).map(Source::text).unwrap_or_default();
    let parsed = parse(file, text);
    let mut diagnostics = parsed.diagnostics;
    // The header and the one test; words must not bring a rule of their own.
    if let Some(more) = parsed.ast.statements.get(2) {
        let at = Location { file, span: more.span };
        diagnostics.push(Diagnostic::new(UNEXPECTED, at, "a request is not followed by a statement"));
    }
    let unit = linked.units.len();
    linked.order.extend((0..parsed.ast.statements.len()).map(|statement| (unit, statement)));
    linked.units.push(Unit { file, ast: parsed.ast, origin: Origin::Request });
    diagnostics.retain(|finding| finding.code.severity == Severity::Error);
    (file, diagnostics)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check_in;
    use crate::files::Memory;

    #[test]
    fn words_are_read_as_a_test_is() {
        let asked = read("r file.read path \"src/a.rs\" bytes 1 KiB append").unwrap();
        let policy = check_in(&files(), Path::new("p"), CheckOptions::default()).model.unwrap();
        assert_eq!(asked, policy.tests[0].request);
    }

    #[test]
    fn words_that_are_no_request_are_errors_in_them() {
        for (words, code) in [
            ("", "E0201"),
            ("r", "E0201"),
            ("q file.read", "E0401"),
            ("r file.raed", "E0402"),
            ("r file.read path \"../a\"", "E0512"),
            ("r file.read => allow", "E0201"),
            ("r file.read => deny test more: r file.read", "E0201"),
            ("r file.read => deny\nrule x: allow r to git.push\ntest more: r git.push", "E0201"),
        ] {
            let refused = read(words).unwrap_err();
            let of_words = |finding: &&Diagnostic| {
                refused.sources.get(finding.primary.at.file).is_some_and(|source| source.name() == "<request>")
            };
            assert_eq!(refused.diagnostics.iter().find(of_words).map(|finding| finding.code.id), Some(code), "{words}");
        }
    }

    fn read(words: &str) -> Result<Request, Box<NoRequest>> {
        read_request(&files(), Path::new("p"), CheckOptions::default(), words)
    }

    /// With a test of the name that the words are given.
    fn files() -> Memory {
        let test = "test request: r file.read path \"src/a.rs\" bytes 1 KiB append => deny";
        Memory::default().with("p", format!("policy p language 1\nrole r\n{test}\n"))
    }
}
