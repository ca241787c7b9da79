//! Words of a command -> the line that the judge compares; conditions over such lines; an example line for a regex.

use enforce_core::shell::Line;
use policy_model::Regex;
use policy_syntax::Span;
use regex_syntax::hir::{Class, Hir, HirKind};

use crate::draft::Piece;
use crate::findings::Findings;

/// Returns the judged line of these words; `None` when they are not a command.
pub(crate) fn line_of(words: &[impl AsRef<str>]) -> Option<String> {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{}'", word.as_ref().replace('\'', "'\\''"))).collect();
    simple_line(&quoted.join(" "))
}

/// Returns the judged form of a line; `None` when it is not exactly one simple command.
pub(crate) fn simple_line(written: &str) -> Option<String> {
    let line = Line::new(written.as_bytes()).ok()?;
    let mut commands = line.commands();
    let command = commands.next().filter(|_| commands.next().is_none())?;
    let mut buffer = vec![0; command.written_max()];
    let line = command.write(&mut buffer)?;
    Some(String::from_utf8_lossy(line).into_owned())
}

/// Returns one word as it is quoted in a judged line.
pub(crate) fn word_of(word: &str, is_first: bool) -> Option<String> {
    match is_first {
        true => line_of(&[word]),
        // Alone it might not be a valid first word of a command.
        false => line_of(&["a", word])?.strip_prefix("a ").map(str::to_owned),
    }
}

/// Returns the words of a line that is one simple command.
pub(crate) fn words_of(line: &str) -> Option<Vec<String>> {
    let read = Line::new(line.as_bytes()).ok()?;
    let command = read.commands().next()?;
    command.words().map(|word| String::from_utf8(word.bytes().collect()).ok()).collect()
}

/// Returns the facts of a request for this line, as a test states them.
pub(crate) fn facts_of(line: &str) -> Option<String> {
    let read = Line::new(line.as_bytes()).ok()?;
    let command = read.commands().next()?;
    let text = |word: enforce_core::shell::Word<'_>| String::from_utf8(word.bytes().collect()).ok();
    let mut facts = String::from("shell.exec");
    let name = text(command.words().next()?)?;
    if !name.contains('/') {
        facts.push_str(&format!(" command {}", crate::draft::literal(&name)?));
    }
    if let Some(subcommand) = command.subcommand().and_then(text).filter(|word| !word.is_empty()) {
        facts.push_str(&format!(" subcommand {}", crate::draft::literal(&subcommand)?));
    }
    facts.push_str(&format!(" line {}", crate::draft::literal(line)?));
    Some(facts)
}

/// A condition on the line: `line in "a", "a *" or line matches "…"`.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// In these a star is any text.
    patterns: Vec<Piece>,
    /// For lines with a literal star.
    regexes: Vec<Piece>,
}

impl Lines {
    pub(crate) fn is_empty(&self) -> bool {
        self.patterns.is_empty() && self.regexes.is_empty()
    }

    /// Adds a pattern in which a star is any text.
    pub(crate) fn pattern(&mut self, at: Span, pattern: &str, findings: &mut Findings) {
        if let Some(literal) = findings.literal(at, pattern) {
            self.patterns.push(Piece::new(at, literal));
        }
    }

    /// Adds all lines that start with these whole words.
    pub(crate) fn starting_with(&mut self, at: Span, line: &str, findings: &mut Findings) {
        if line.contains('*') {
            let regex = format!("^{}( (?s:.*))?$", regex_syntax::escape(line));
            self.regex(at, &regex, findings);
        } else {
            self.pattern(at, line, findings);
            self.pattern(at, &format!("{line} *"), findings);
        }
    }

    /// Adds all lines in which the regex finds a match.
    pub(crate) fn regex(&mut self, at: Span, regex: &str, findings: &mut Findings) {
        if let Some(literal) = findings.regex_literal(at, regex) {
            self.regexes.push(Piece::new(at, literal));
        }
    }

    /// Returns the condition, in parentheses when it has several parts.
    pub(crate) fn condition(self) -> Vec<Piece> {
        let Self { patterns, regexes } = self;
        let is_several = usize::from(!patterns.is_empty()).saturating_add(regexes.len()) > 1;
        let mut condition = Vec::new();
        let mut say = |text: &str| condition.push(Piece::new(Span::default(), text));
        if is_several {
            say("(");
        }
        if !patterns.is_empty() {
            say("line in\n");
        }
        let mut parts: Vec<Vec<Piece>> = Vec::new();
        if !patterns.is_empty() {
            parts.push(separated(patterns, ",\n"));
        }
        parts.extend(
            regexes.into_iter().map(|regex| vec![Piece::new(regex.at, format!("line matches {}", regex.text))]),
        );
        let mut is_first = true;
        for part in parts {
            if !is_first {
                condition.push(Piece::new(Span::default(), "\nor "));
            }
            is_first = false;
            condition.extend(part);
        }
        if is_several {
            condition.push(Piece::new(Span::default(), ")"));
        }
        condition
    }
}

/// Puts a separator between pieces.
pub(crate) fn separated(pieces: Vec<Piece>, between: &str) -> Vec<Piece> {
    let mut all = Vec::new();
    for piece in pieces {
        if !all.is_empty() {
            all.push(Piece::new(Span::default(), between));
        }
        all.push(piece);
    }
    all
}

/// Returns a short line of plain words that the regex matches, for a test; `None` when none is easily found.
pub(crate) fn line_matching(pattern: &str) -> Option<String> {
    let regex = Regex::new(pattern).ok()?;
    let mut line = Vec::new();
    append(&regex.hir().ok()?, &mut line, REGEX_DEPTH_MAX)?;
    let line = String::from_utf8(line).ok()?;
    let line = simple_line(line.trim_end())?;
    regex.is_match(&line).then_some(line)
}

/// Appends a text that this part matches. Assertions such as `\b` are ignored here, because the caller tries the result.
fn append(hir: &Hir, line: &mut Vec<u8>, depth: usize) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    if line.len() > LINE_BYTES_MAX {
        return None;
    }
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => line.extend_from_slice(&literal.0),
        HirKind::Class(class) => line.push(byte_of(class)?),
        HirKind::Repetition(repetition) => {
            for _ in 0..repetition.min.min(u32::try_from(LINE_BYTES_MAX).ok()?) {
                append(&repetition.sub, line, depth)?;
            }
        }
        HirKind::Capture(capture) => append(&capture.sub, line, depth)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| append(part, line, depth))?,
        HirKind::Alternation(ways) => append(ways.first()?, line, depth)?,
    }
    Some(())
}

/// Returns a character of the class, preferably a blank or a letter.
fn byte_of(class: &Class) -> Option<u8> {
    let holds = |byte: u8| match class {
        Class::Bytes(class) => class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&byte)),
        Class::Unicode(class) => {
            class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&char::from(byte)))
        }
    };
    b" a".iter().copied().chain(b'a'..=b'z').chain(b'0'..=b'9').chain(*b"-./_=:+,@%").find(|byte| holds(*byte))
}

const REGEX_DEPTH_MAX: usize = 64;
const LINE_BYTES_MAX: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_the_line_that_is_judged() {
        assert_eq!(
            line_of(&["git", "commit", "-m", "it's a b"]).as_deref(),
            simple_line("git commit -m \"it's a b\"").as_deref()
        );
        assert_eq!(simple_line("git   log").as_deref(), Some("git log"));
        assert_eq!(simple_line("a && b"), None);
        assert_eq!(simple_line("a $(b)"), None);
        assert_eq!(simple_line(""), None);
        assert_eq!(line_of(&["a\0b"]), None);
    }

    #[test]
    fn a_line_has_its_facts() {
        assert_eq!(
            facts_of("git log -n 'a b'").as_deref(),
            Some("shell.exec command \"git\" subcommand \"log\" line \"git log -n 'a b'\"")
        );
        assert_eq!(facts_of("/bin/ls -l").as_deref(), Some("shell.exec line \"/bin/ls -l\""));
    }

    #[test]
    fn a_line_that_a_regex_matches_is_found_where_it_is_easy() {
        assert_eq!(line_matching(r"^cargo(\s|$)").as_deref(), Some("cargo"));
        assert_eq!(line_matching(r"^npm (test|run [a-z]+)$").as_deref(), Some("npm test"));
        assert_eq!(line_matching(r"^make\b"), Some("make".to_owned()));
        assert_eq!(line_matching(r"a^b"), None);
        assert_eq!(line_matching(r"^a|rm -rf \$HOME$").as_deref(), Some("a"));
        assert_eq!(line_matching(r"^\$\(x\)$"), None);
        assert_eq!(line_matching("("), None);
        assert_eq!(line_matching("^(a{1000}){1000}$"), None);
    }
}
