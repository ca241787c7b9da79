//! Statements -> the text of a policy, with the origin of each part in the imported file.

use std::collections::{BTreeMap, BTreeSet};

use policy_syntax::{Effect, Span, is_unseen};

/// The statements of a policy before it is written.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    sets: Vec<DraftSet>,
    tools: Vec<DraftTool>,
    rules: Vec<DraftRule>,
    tests: Vec<DraftTest>,
    /// Each with the last number appended to it.
    rule_names: BTreeMap<String, usize>,
    test_names: BTreeMap<String, usize>,
}

/// A piece of text and its origin in the imported file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) at: Span,
    pub(crate) text: String,
}

/// `hosts NAME = "…", "…"`.
#[derive(Debug)]
pub(crate) struct DraftSet {
    pub(crate) keyword: &'static str,
    pub(crate) name: &'static str,
    pub(crate) members: Vec<Piece>,
}

/// A tool that is not built in; without operations, the tool itself is the operation.
#[derive(Debug)]
pub(crate) struct DraftTool {
    pub(crate) name: Piece,
    pub(crate) operations: Vec<Piece>,
}

/// One rule about the imported role, or about anyone where it denies.
#[derive(Debug)]
pub(crate) struct DraftRule {
    /// For the reader; never text of the imported file.
    pub(crate) comment: &'static str,
    pub(crate) name: String,
    pub(crate) effect: Effect,
    pub(crate) at: Span,
    pub(crate) operations: Vec<Piece>,
    pub(crate) condition: Vec<Piece>,
    pub(crate) limit: Option<&'static str>,
    pub(crate) requirements: Vec<Piece>,
    pub(crate) because: Option<Piece>,
}

/// A request and its expected verdict.
#[derive(Debug)]
pub(crate) struct DraftTest {
    pub(crate) name: String,
    pub(crate) at: Span,
    pub(crate) request: String,
    pub(crate) effect: Effect,
    pub(crate) by: String,
}

/// The text of a draft, and the origins of its parts.
#[derive(Debug)]
pub(crate) struct DraftText {
    pub(crate) text: String,
    /// Spans of this text, each with its span in the imported file.
    origins: Vec<(Span, Span)>,
    tests: Vec<Span>,
}

impl Piece {
    pub(crate) fn new(at: Span, text: impl Into<String>) -> Self {
        Self { at, text: text.into() }
    }
}

impl Draft {
    /// Returns a name that no other rule has, from the letters and digits of `words`.
    pub(crate) fn name(&mut self, prefix: &str, words: &str) -> String {
        let mut name = prefix.to_owned();
        let parts = words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
        for part in parts {
            if name.len().saturating_add(part.len()) > NAME_BYTES_MAX {
                break;
            }
            name.push('-');
            name.push_str(&part.to_ascii_lowercase());
        }
        unique_name(&name, &mut self.rule_names)
    }

    pub(crate) fn set(&mut self, set: DraftSet) {
        self.sets.push(set);
    }

    pub(crate) fn tool(&mut self, tool: DraftTool) {
        self.tools.push(tool);
    }

    pub(crate) fn rule(&mut self, rule: DraftRule) {
        self.rules.push(rule);
    }

    pub(crate) fn test(&mut self, mut test: DraftTest) {
        test.name = unique_name(&test.name, &mut self.test_names);
        self.tests.push(test);
    }

    /// Drops tests by their numbers.
    pub(crate) fn drop_tests(&mut self, numbers: &BTreeSet<usize>) {
        let mut number = 0_usize..;
        self.tests.retain(|_| number.next().is_none_or(|number| !numbers.contains(&number)));
    }

    /// Writes the policy, not yet formatted.
    pub(crate) fn write(&self, head: &str, policy: &str, role: &str) -> DraftText {
        let mut out = DraftText { text: String::new(), origins: Vec::new(), tests: Vec::new() };
        out.push(&format!("{head}\npolicy {policy} language 1\n\nrole {role}\n\n"));
        for DraftSet { keyword, name, members } in &self.sets {
            out.push(&format!("{keyword} {name} =\n"));
            out.list(members, ",\n");
            out.push("\n\n");
        }
        for DraftTool { name, operations } in &self.tools {
            out.push("tool ");
            out.piece(name);
            if !operations.is_empty() {
                out.push(" {\n");
                for operation in operations {
                    out.push("op ");
                    out.piece(operation);
                    out.push("\n");
                }
                out.push("}");
            }
            out.push("\n\n");
        }
        self.rules.iter().for_each(|rule| rule.write(role, &mut out));
        self.tests.iter().for_each(|test| test.write(role, &mut out));
        out
    }
}

impl DraftRule {
    /// Makes a rule without conditions.
    pub(crate) fn new(name: impl Into<String>, effect: Effect, at: Span, operations: Vec<Piece>) -> Self {
        Self {
            comment: "",
            name: name.into(),
            effect,
            at,
            operations,
            condition: Vec::new(),
            limit: None,
            requirements: Vec::new(),
            because: None,
        }
    }

    fn write(&self, role: &str, out: &mut DraftText) {
        for line in self.comment.lines() {
            out.push(&format!("# {line}\n"));
        }
        let start = out.text.len();
        let who = if self.effect == Effect::Deny { "anyone" } else { role };
        out.push(&format!("rule {}:\n{} {who} to\n", self.name, self.effect.as_str()));
        out.list(&self.operations, ",\n");
        if !self.condition.is_empty() {
            out.push("\nwhere ");
            out.list(&self.condition, "");
        }
        if let Some(limit) = self.limit {
            out.push(&format!("\nlimit {limit}"));
        }
        if !self.requirements.is_empty() {
            out.push("\nrequire ");
            out.list(&self.requirements, ",\n");
        }
        if let Some(because) = &self.because {
            out.push("\nbecause ");
            out.piece(because);
        }
        out.origin(start, self.at);
        out.push("\n\n");
    }
}

impl DraftTest {
    /// Makes a test of a rule, with the same name.
    pub(crate) fn of(rule: &str, effect: Effect, at: Span, request: impl Into<String>) -> Self {
        Self { name: rule.to_owned(), at, request: request.into(), effect, by: rule.to_owned() }
    }

    fn write(&self, role: &str, out: &mut DraftText) {
        let start = out.text.len();
        let Self { name, request, by, .. } = self;
        let effect = self.effect.as_str();
        out.push(&format!("test {name}:\n{role} {request}\n=> {effect} by {by}\n"));
        out.origin(start, self.at);
        out.tests.push(Span::new(start, out.text.len()));
    }
}

impl DraftText {
    /// Returns the number of the test at this span.
    pub(crate) fn test_at(&self, span: Span) -> Option<usize> {
        self.tests.iter().position(|test| test.contains(span.start))
    }

    /// Returns the narrowest known origin of a part of the text.
    pub(crate) fn origin_of(&self, span: Span) -> Option<Span> {
        let holds = |(written, _): &&(Span, Span)| written.contains(span.start);
        let length = |(written, _): &&(Span, Span)| written.range().len();
        self.origins.iter().filter(holds).min_by_key(length).map(|(_, at)| *at)
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn piece(&mut self, piece: &Piece) {
        let start = self.text.len();
        self.push(&piece.text);
        self.origin(start, piece.at);
    }

    fn list(&mut self, pieces: &[Piece], between: &str) {
        for (piece, is_first) in pieces.iter().zip(std::iter::once(true).chain(std::iter::repeat(false))) {
            if !is_first {
                self.push(between);
            }
            self.piece(piece);
        }
    }

    /// Separators have no origin: their span is the default one.
    fn origin(&mut self, start: usize, at: Span) {
        if at != Span::default() {
            self.origins.push((Span::new(start, self.text.len()), at));
        }
    }
}

/// Returns the name, with a number appended when it is taken.
fn unique_name(name: &str, taken: &mut BTreeMap<String, usize>) -> String {
    let mut numbered = name.to_owned();
    let mut number = taken.get(name).copied().unwrap_or(1);
    while taken.contains_key(&numbered) {
        number = number.saturating_add(1);
        numbered = format!("{name}-{number}");
    }
    taken.insert(name.to_owned(), number);
    taken.insert(numbered.clone(), 1);
    numbered
}

/// Returns a text as a string literal of the language; `None` when no string can hold it.
pub(crate) fn literal(text: &str) -> Option<String> {
    (!text.chars().any(is_unseen)).then(|| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// Returns a regex as a string literal. Escapes that the language does not have are passed to the regex unchanged.
pub(crate) fn regex_literal(regex: &str) -> Option<String> {
    if regex.chars().any(is_unseen) {
        return None;
    }
    let mut literal = String::from("\"");
    let mut characters = regex.chars().peekable();
    while let Some(c) = characters.next() {
        match (c, characters.peek()) {
            ('\\', Some('\\')) => {
                literal.push_str("\\\\\\\\");
                characters.next();
            }
            ('\\', Some('"') | None) => literal.push_str("\\\\"),
            ('"', _) => literal.push_str("\\\""),
            _ => literal.push(c),
        }
    }
    literal.push('"');
    Some(literal)
}

/// Returns true for a word that can name a tool or an operation.
pub(crate) fn is_name(word: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    word.starts_with(|c: char| c.is_ascii_alphabetic()) && word.split('-').all(is_part)
}

/// Longer names of rules are cut at a word.
const NAME_BYTES_MAX: usize = 48;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regex_is_read_as_it_was() {
        use policy_model::{CheckOptions, Condition, Memory, check_in};
        for regex in [r"^cargo(\s|$)", r#"^a\"b"$"#, r"^\\\\d$", r"^\.$", r#"^"\\"$"#, r"^[\\\]]$", r"^a\\s$"] {
            let literal = regex_literal(regex).unwrap();
            let text =
                format!("policy p language 1\nrole r\nrule x: allow r to shell.exec where line matches {literal}\n");
            let files = Memory::default().with("p.policy", text.as_str());
            let checked = check_in(&files, std::path::Path::new("p.policy"), CheckOptions::default());
            let model = checked.model.unwrap_or_else(|| panic!("{text}: {:?}", checked.diagnostics));
            let rule = model.rules.iter().find(|rule| rule.name == "x").unwrap();
            let Some(Condition::Matches { regex: read, .. }) = &rule.condition else { panic!("{rule:?}") };
            assert_eq!(read.pattern(), regex);
        }
        assert_eq!(regex_literal("a\nb"), None);
    }

    #[test]
    fn names_are_words_and_each_is_given_once() {
        let mut draft = Draft::default();
        assert_eq!(draft.name("run", "git push --force"), "run-git-push-force");
        assert_eq!(draft.name("run", "Git/push: Force"), "run-git-push-force-2");
        assert_eq!(draft.name("run", "ü…"), "run");
        assert!(draft.name("run", &"x".repeat(500)).len() <= NAME_BYTES_MAX);
        let known = [("a-b_c1", true), ("", false), ("1a", false), ("a--b", false), ("a-", false), ("a.b", false)];
        assert!(known.iter().all(|(word, expected)| is_name(word) == *expected));
    }
}
