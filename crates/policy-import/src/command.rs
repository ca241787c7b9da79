//! Words of a command -> the one line that the judge compares, and conditions over such lines.

use enforce_core::shell::Line;
use policy_syntax::Span;

use crate::draft::Piece;
use crate::findings::Findings;

/// The line of these words as it is judged; none for words that no command has.
pub(crate) fn line_of(words: &[impl AsRef<str>]) -> Option<String> {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{}'", word.as_ref().replace('\'', "'\\''"))).collect();
    simple_line(&quoted.join(" "))
}

/// A written line as it is judged; none when it is more or less than one simple command.
pub(crate) fn simple_line(written: &str) -> Option<String> {
    let line = Line::new(written.as_bytes()).ok()?;
    let mut commands = line.commands();
    let command = commands.next().filter(|_| commands.next().is_none())?;
    let mut buffer = vec![0; command.written_max()];
    let line = command.write(&mut buffer)?;
    Some(String::from_utf8_lossy(line).into_owned())
}

/// One word as a line has it, in the first place or in another.
pub(crate) fn word_of(word: &str, is_first: bool) -> Option<String> {
    match is_first {
        true => line_of(&[word]),
        // Alone it could be a word that no command starts with.
        false => line_of(&["a", word])?.strip_prefix("a ").map(str::to_owned),
    }
}

/// The words of a line that is one simple command.
pub(crate) fn words_of(line: &str) -> Option<Vec<String>> {
    let read = Line::new(line.as_bytes()).ok()?;
    let command = read.commands().next()?;
    command.words().map(|word| String::from_utf8(word.bytes().collect()).ok()).collect()
}

/// What a request says of a line, in the words of a test.
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

/// `line in "a", "a *"`: exactly these lines, and each of those that end with a blank with anything behind it.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    /// Patterns, in which a star is any text.
    patterns: Vec<Piece>,
    /// Regexes, for what has a star in it that is one.
    regexes: Vec<Piece>,
}

impl Lines {
    pub(crate) fn is_empty(&self) -> bool {
        self.patterns.is_empty() && self.regexes.is_empty()
    }

    /// A pattern in which a star is any text.
    pub(crate) fn pattern(&mut self, at: Span, pattern: &str, found: &mut Findings) {
        if let Some(literal) = found.literal(at, pattern) {
            self.patterns.push(Piece::new(at, literal));
        }
    }

    /// All lines that start with these words, whole ones.
    pub(crate) fn starting_with(&mut self, at: Span, line: &str, found: &mut Findings) {
        if line.contains('*') {
            let regex = format!("^{}( (?s:.*))?$", regex_syntax::escape(line));
            self.regex(at, &regex, found);
        } else {
            self.pattern(at, line, found);
            self.pattern(at, &format!("{line} *"), found);
        }
    }

    /// All lines in which the regex finds a match.
    pub(crate) fn regex(&mut self, at: Span, regex: &str, found: &mut Findings) {
        if let Some(literal) = found.regex_literal(at, regex) {
            self.regexes.push(Piece::new(at, literal));
        }
    }

    /// As a condition, in parentheses where another may follow.
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

/// Pieces with something between them.
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
}
