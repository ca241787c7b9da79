//! A path -> everything there is to say about the policy there.

use std::path::Path;

use policy_syntax::{Diagnostic, FileId, Location, Source, Sources, Span, decode, parse};

use crate::codes;

/// How far a check may go.
#[derive(Debug, Clone, Copy, Default)]
pub struct CheckOptions {
    /// Whether imports may name files outside the policy's folder.
    pub allow_outside: bool,
}

/// A policy and all that was found in it.
#[derive(Debug)]
pub struct Checked {
    /// The files read, the policy itself first.
    pub sources: Sources,
    /// The policy's own file.
    pub root: FileId,
    /// What was found, in the order of files and places.
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks the policy in a file.
#[must_use]
pub fn check(path: &Path, _options: CheckOptions) -> Checked {
    let mut sources = Sources::default();
    let name = path.display().to_string();
    let (text, error) = match std::fs::read(path).map(decode) {
        Ok(Ok(text)) => (text, None),
        Ok(Err(error)) => (String::new(), Some(error)),
        Err(error) => {
            let root = sources.add(Source::new(name.clone(), ""));
            let at = Location { file: root, span: Span::default() };
            let diagnostics = vec![Diagnostic::new(codes::UNREADABLE, at, format!("cannot read the file: {error}"))];
            return Checked { sources, root, diagnostics };
        }
    };
    let root = sources.add(Source::new(name, text.clone()));
    let diagnostics = match error {
        Some(error) => vec![error.diagnostic(root)],
        None => parse(root, &text).diagnostics,
    };
    Checked { sources, root, diagnostics }
}
