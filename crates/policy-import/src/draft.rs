//! Statements -> the text of a policy, which knows where in the imported file each part of it comes from.

use std::collections::{BTreeMap, BTreeSet};

use policy_syntax::{Effect, Span, is_unseen};

/// A policy in the making.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    sets: Vec<Set>,
    tools: Vec<Tool>,
    rules: Vec<Rule>,
    tests: Vec<Test>,
    /// Each with the last number that was put behind it.
    rule_names: BTreeMap<String, usize>,
    test_names: BTreeMap<String, usize>,
}

/// A piece of text and what it was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) at: Span,
    pub(crate) text: String,
}

/// `hosts NAME = "…", "…"`.
#[derive(Debug)]
pub(crate) struct Set {
    pub(crate) keyword: &'static str,
    pub(crate) name: &'static str,
    pub(crate) members: Vec<Piece>,
}

/// A tool that is not built in, with its operations; as a whole when there are none.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: Piece,
    pub(crate) operations: Vec<Piece>,
}

/// One rule about the imported role, or about anyone where it denies.
#[derive(Debug)]
pub(crate) struct Rule {
    /// What the reader should know of it; never text of the imported file.
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

/// One request and its answer.
#[derive(Debug)]
pub(crate) struct Test {
    pub(crate) name: String,
    pub(crate) at: Span,
    pub(crate) request: String,
    pub(crate) effect: Effect,
    pub(crate) by: String,
}

/// A text, and what each part of it was made of.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) text: String,
    origins: Vec<(Span, Span)>,
    /// Where each test stands.
    tests: Vec<Span>,
}

impl Piece {
    pub(crate) fn new(at: Span, text: impl Into<String>) -> Self {
        Self { at, text: text.into() }
    }
}

impl Draft {
    /// A name that no other rule has: what is left of the words when only letters and digits count.
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
        free(&name, &mut self.rule_names)
    }

    pub(crate) fn set(&mut self, set: Set) {
        self.sets.push(set);
    }

    pub(crate) fn tool(&mut self, tool: Tool) {
        self.tools.push(tool);
    }

    pub(crate) fn rule(&mut self, rule: Rule) {
        self.rules.push(rule);
    }

    pub(crate) fn test(&mut self, mut test: Test) {
        test.name = free(&test.name, &mut self.test_names);
        self.tests.push(test);
    }

    /// Leaves out tests by their numbers.
    pub(crate) fn drop_tests(&mut self, numbers: &BTreeSet<usize>) {
        let mut number = 0_usize..;
        self.tests.retain(|_| number.next().is_none_or(|number| !numbers.contains(&number)));
    }

    /// The whole policy, not laid out.
    pub(crate) fn write(&self, head: &str, policy: &str, role: &str) -> Written {
        let mut out = Written { text: String::new(), origins: Vec::new(), tests: Vec::new() };
        out.say(&format!("{head}\npolicy {policy} language 1\n\nrole {role}\n\n"));
        for Set { keyword, name, members } in &self.sets {
            out.say(&format!("{keyword} {name} =\n"));
            out.list(members, ",\n");
            out.say("\n\n");
        }
        for Tool { name, operations } in &self.tools {
            out.say("tool ");
            out.piece(name);
            if !operations.is_empty() {
                out.say(" {\n");
                for operation in operations {
                    out.say("op ");
                    out.piece(operation);
                    out.say("\n");
                }
                out.say("}");
            }
            out.say("\n\n");
        }
        self.rules.iter().for_each(|rule| rule.write(role, &mut out));
        self.tests.iter().for_each(|test| test.write(role, &mut out));
        out
    }
}

impl Rule {
    /// A rule without conditions.
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

    fn write(&self, role: &str, out: &mut Written) {
        for line in self.comment.lines() {
            out.say(&format!("# {line}\n"));
        }
        let start = out.text.len();
        let who = if self.effect == Effect::Deny { "anyone" } else { role };
        out.say(&format!("rule {}:\n{} {who} to\n", self.name, self.effect.as_str()));
        out.list(&self.operations, ",\n");
        if !self.condition.is_empty() {
            out.say("\nwhere ");
            out.list(&self.condition, "");
        }
        if let Some(limit) = self.limit {
            out.say(&format!("\nlimit {limit}"));
        }
        if !self.requirements.is_empty() {
            out.say("\nrequire ");
            out.list(&self.requirements, ",\n");
        }
        if let Some(because) = &self.because {
            out.say("\nbecause ");
            out.piece(because);
        }
        out.origin(start, self.at);
        out.say("\n\n");
    }
}

impl Test {
    /// A test of a rule, called like it.
    pub(crate) fn of(rule: &str, effect: Effect, at: Span, request: impl Into<String>) -> Self {
        Self { name: rule.to_owned(), at, request: request.into(), effect, by: rule.to_owned() }
    }

    fn write(&self, role: &str, out: &mut Written) {
        let start = out.text.len();
        let Self { name, request, by, .. } = self;
        let effect = self.effect.as_str();
        out.say(&format!("test {name}:\n{role} {request}\n=> {effect} by {by}\n"));
        out.origin(start, self.at);
        out.tests.push(Span::new(start, out.text.len()));
    }
}

impl Written {
    /// The number of the test that stands there.
    pub(crate) fn test_at(&self, span: Span) -> Option<usize> {
        self.tests.iter().position(|test| test.contains(span.start))
    }

    /// What a part of the text was made of: the narrowest that is known.
    pub(crate) fn origin_of(&self, span: Span) -> Option<Span> {
        let holds = |(written, _): &&(Span, Span)| written.contains(span.start);
        let length = |(written, _): &&(Span, Span)| written.range().len();
        self.origins.iter().filter(holds).min_by_key(length).map(|(_, at)| *at)
    }

    fn say(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn piece(&mut self, piece: &Piece) {
        let start = self.text.len();
        self.say(&piece.text);
        self.origin(start, piece.at);
    }

    fn list(&mut self, pieces: &[Piece], between: &str) {
        for (piece, is_first) in pieces.iter().zip(std::iter::once(true).chain(std::iter::repeat(false))) {
            if !is_first {
                self.say(between);
            }
            self.piece(piece);
        }
    }

    /// What stands between other pieces was made of nothing.
    fn origin(&mut self, start: usize, at: Span) {
        if at != Span::default() {
            self.origins.push((Span::new(start, self.text.len()), at));
        }
    }
}

/// The name, or the name with the next number that nobody has.
fn free(name: &str, taken: &mut BTreeMap<String, usize>) -> String {
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

/// A string of the language; none for a text that no string can hold.
pub(crate) fn literal(text: &str) -> Option<String> {
    (!text.chars().any(is_unseen)).then(|| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

/// A regex as a string of the language, where escapes that the language does not have go to the regex as they are.
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

/// Whether a word can be the name of a tool or an operation.
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
