//! Text -> Ast, with recovery: a mistake costs the clause it stands in, never the rest of the file.
//!
//! A file is cut where a line starts with a keyword that opens a statement. Each stretch is parsed
//! on its own, so one mistake cannot hide another, and a long file costs no more than its length.

use std::ops::Range;

use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};

use crate::ast::{Ast, SetKind, Statement, StatementKind};
use crate::build::{Builder, Grammar, Rule};
use crate::codes;
use crate::diagnostic::{Diagnostic, quote};
use crate::expected;
use crate::limits::{FINDINGS_MAX, NESTING_MAX};
use crate::source::{FileId, Location, Span};
use crate::text;
use crate::words::{Word, WordKind, split};

/// A policy as far as it could be read, and its findings.
#[derive(Debug)]
pub struct Parsed {
    pub ast: Ast,
    /// In the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses the text of `file`.
///
/// Every text has a result, and every byte of it is in the tree or in a finding.
#[must_use]
pub fn parse(file: FileId, text: &str) -> Parsed {
    parse_statements(file, text, Tests::Read)
}

/// Like [`parse`], but skips `test` statements: the tests of a rule pack only concern the pack, and were run when it
/// was made.
#[must_use]
pub fn parse_without_tests(file: FileId, text: &str) -> Parsed {
    parse_statements(file, text, Tests::PassOver)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tests {
    Read,
    PassOver,
}

fn parse_statements(file: FileId, text: &str, tests: Tests) -> Parsed {
    let mut found = text::inspect(file, text);
    if found.iter().any(|finding| finding.code == codes::LINE_TOO_LONG) {
        // Nothing of such a text is worth a second look, and its findings would be as long.
        return Parsed { ast: Ast::default(), diagnostics: bounded(file, found) };
    }
    let split = split(text);
    let mut reader = Reader {
        file,
        text,
        words: &split.words,
        tests,
        takes_clauses: false,
        ast: Ast { comments: split.comments, ..Ast::default() },
        found: &mut found,
    };
    reader.report_unreadable_words();
    reader.read_file();
    let ast = reader.ast;
    // A character that is refused wherever it stands is not a statement before the header.
    let is_refused = |word: &&Word| text.get(word.span.range()).is_some_and(|word| word.chars().all(text::is_refused));
    let first_word = split.words.iter().find(|word| !is_refused(word));
    report_headers(file, text, &ast, first_word, &mut found);
    found.sort_by_key(|diagnostic| diagnostic.primary.at);
    Parsed { ast, diagnostics: bounded(file, found) }
}

struct Reader<'a> {
    file: FileId,
    text: &'a str,
    words: &'a [Word],
    tests: Tests,
    /// True if clauses read after a mistake belong to the last statement.
    takes_clauses: bool,
    ast: Ast,
    found: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn report_unreadable_words(&mut self) {
        for word in self.words {
            let written = self.written(*word);
            let diagnostic = match word.kind {
                WordKind::Unclosed => {
                    Diagnostic::new(codes::UNCLOSED_STRING, self.at(word.span), "the string has no closing quote")
                        .help("end it with `\"` on the same line")
                }
                WordKind::Stray if written.chars().all(text::is_refused) => continue,
                WordKind::Stray => {
                    Diagnostic::new(codes::STRAY, self.at(word.span), format!("unexpected {}", quote(written)))
                        .help(expected::instead_of(written))
                }
                WordKind::String => {
                    match written.char_indices().find(|(_, c)| text::is_deceptive(*c) && !text::is_refused(*c)) {
                        Some((at, c)) => {
                            let start = word.span.range().start.saturating_add(at);
                            let place = self.at(Span::new(start, start.saturating_add(c.len_utf8())));
                            let message = format!("invisible or blank character U+{:04X} in a string", u32::from(c));
                            Diagnostic::new(codes::INVISIBLE_CHARACTER, place, message)
                                .help("remove it from the string")
                        }
                        None => continue,
                    }
                }
                WordKind::Number | WordKind::Word | WordKind::Sign => continue,
            };
            self.found.push(diagnostic);
            if self.found.len() > FINDINGS_MAX {
                return;
            }
        }
    }

    fn read_file(&mut self) {
        let mut first = 0;
        while first < self.words.len() && self.found.len() <= FINDINGS_MAX {
            let next = self.stretch_end(first);
            if self.tests == Tests::Read || self.word_at(first) != Some("test") {
                self.read_stretch(first..next);
            }
            first = next;
        }
    }

    /// Parses a stretch; after a mistake continues at the next clause or statement in it.
    fn read_stretch(&mut self, stretch: Range<usize>) {
        if let Some(deep) = self.too_deep(stretch.clone()) {
            self.found.push(deep);
            self.note_broken(stretch.start);
            return;
        }
        let mut rule = Rule::statements;
        let mut first = stretch.start;
        while first < stretch.end && self.found.len() <= FINDINGS_MAX {
            let Err(mut failure) = self.read_growing(rule, first..stretch.end) else {
                return;
            };
            match self.keyword_for_name(first, failure.word) {
                Some((keyword, finding)) => {
                    self.found.push(finding);
                    failure.word = keyword;
                }
                None => self.report(&failure),
            }
            // What stands before the mistake may be whole; its names keep later findings honest.
            let end = self.whole_until(first..failure.word);
            if end > first && self.read_words(rule, first..end).is_ok() {
                // Clauses still belong to the statement, unless the unreadable word starts another one.
                let is_clause =
                    |word| expected::meant_opening(word).is_some_and(|meant| expected::CLAUSE_WORDS.contains(&meant));
                let word = self.word_at(failure.word);
                self.takes_clauses = !self.starts_line(failure.word) || word.is_none_or(is_clause);
            } else if rule == Rule::statements {
                self.takes_clauses = false;
                self.note_broken(first);
            }
            self.note_broken(failure.word);
            rule = Rule::remainder;
            first = (failure.word.saturating_add(1)..stretch.end)
                .find(|index| self.resumes_at(*index))
                .unwrap_or(stretch.end);
        }
    }

    /// Returns the end of the readable part before a mistake: before the clause that contains it, or at the mistake
    /// if that starts a line or is in no clause.
    fn whole_until(&self, words: Range<usize>) -> usize {
        let opens_clause =
            |index: &usize| self.word_at(*index).is_some_and(|word| expected::CLAUSE_WORDS.contains(&word));
        let is_clause = opens_clause(&words.end) && !self.stands_for_name(words.end);
        if self.starts_line(words.end) || is_clause {
            return words.end;
        }
        words.clone().rev().find(opens_clause).unwrap_or(words.end)
    }

    /// Like [`Reader::read_words`], but parses as few words as the first mistake needs: reporting a mistake costs
    /// the parser the whole length it was given, and there may be a thousand mistakes.
    fn read_growing(&mut self, rule: Rule, words: Range<usize>) -> Result<(), Failure> {
        let mut window = FIRST_WINDOW_WORDS;
        while window < words.len() {
            let end = words.start.saturating_add(window);
            let span = self.span_of(words.start..end);
            let stretch = self.text.get(span.range()).unwrap_or_default();
            let failure = Grammar::parse(rule, stretch).err().map(|error| self.failure(error, span, words.start..end));
            if let Some(failure) = failure.filter(|failure| failure.word < end) {
                return Err(Failure { end: words.end, ..failure });
            }
            window = window.saturating_mul(2);
        }
        self.read_words(rule, words)
    }

    fn read_words(&mut self, rule: Rule, words: Range<usize>) -> Result<(), Failure> {
        let span = self.span_of(words.clone());
        let stretch = self.text.get(span.range()).unwrap_or_default();
        let pairs = Grammar::parse(rule, stretch).map_err(|error| self.failure(error, span, words.clone()))?;
        let mut builder = Builder { file: self.file, base: span.start as usize, words: self.words, found: self.found };
        for pair in pairs.flat_map(pest::iterators::Pair::into_inner) {
            match pair.as_rule() {
                Rule::EOI | Rule::rest_of_condition | Rule::operation | Rule::close_brace => {}
                // A clause after a mistake belongs to the rule above it, if that could be read.
                Rule::clause => {
                    if self.takes_clauses
                        && let (Some(clause), Some(Statement { kind: StatementKind::Rule(rule), span })) =
                            (builder.clause(pair), self.ast.statements.last_mut())
                    {
                        *span = span.to(clause.span);
                        rule.clauses.push(clause);
                    }
                }
                _ => match builder.statement(pair) {
                    Some(statement) => self.ast.statements.push(statement),
                    None => return Err(Failure::unreadable(words)),
                },
            }
        }
        Ok(())
    }

    fn failure(&self, error: pest::error::Error<Rule>, span: Span, words: Range<usize>) -> Failure {
        let offset = match error.location {
            InputLocation::Pos(at) | InputLocation::Span((at, _)) => span.range().start.saturating_add(at),
        };
        let word = self.words.partition_point(|word| word.span.range().end <= offset);
        let wanted = match error.variant {
            ErrorVariant::ParsingError { positives, .. } => positives,
            ErrorVariant::CustomError { .. } => Vec::new(),
        };
        Failure { word: word.clamp(words.start, words.end), end: words.end, wanted }
    }

    fn report(&mut self, failure: &Failure) {
        let word = (failure.word < failure.end).then(|| self.words.get(failure.word)).flatten();
        if word.is_some_and(|word| matches!(word.kind, WordKind::Unclosed | WordKind::Stray)) {
            return;
        }
        let previous = failure.word.checked_sub(1).and_then(|index| self.words.get(index));
        let after = failure.word.saturating_add(1);
        let next = self.words.get(after).filter(|_| !self.starts_line(after));
        let end = previous.map_or(0, |word| word.span.end);
        // Where a statement ends too early, the next word is another statement's.
        let read = if word.is_some() { after } else { failure.word };
        let opening = (0..read).rev().filter_map(|index| self.word_at(index)).find(|word| expected::is_opening(word));
        let place = expected::Unexpected {
            at: self.at(word.map_or(Span { start: end, end }, |word| word.span)),
            written: word.map_or("", |word| self.written(*word)),
            previous: previous.map_or("", |word| self.written(*word)),
            next: next.map_or("", |word| self.written(*word)),
            opening: opening.unwrap_or_default(),
            is_word: word.is_some_and(|word| word.kind == WordKind::Word),
            starts_line: self.starts_line(failure.word),
        };
        let finding = match word {
            Some(_) => expected::something_else(&place, &failure.wanted),
            None => expected::nothing_more(&place, &failure.wanted),
        };
        self.found.push(finding);
    }

    /// Finds a keyword in the place of a set's name, if only keywords follow it up to where parsing stopped. The
    /// clause that it would open was not meant, and neither is what that clause wants next.
    fn keyword_for_name(&self, first: usize, stopped: usize) -> Option<(usize, Diagnostic)> {
        let is_keyword = |index: usize| self.word_at(index).is_some_and(expected::is_keyword);
        let mut before = (first..=stopped).rev().take_while(|index| *index == stopped || is_keyword(*index));
        let keyword = before.find(|index| self.stands_for_name(*index))?;
        let at = self.at(self.words.get(keyword)?.span);
        Some((keyword, expected::keyword_in_list(at, self.word_at(keyword)?)))
    }

    /// Returns true for a keyword after `in` on the same line, where a list should start. A keyword on the next line
    /// opens a clause, and the list is empty.
    fn stands_for_name(&self, index: usize) -> bool {
        let is_after_in = index.checked_sub(1).and_then(|before| self.word_at(before)) == Some("in");
        is_after_in && !self.starts_line(index) && self.word_at(index).is_some_and(expected::is_keyword)
    }

    /// Remembers the name that an unreadable statement would have declared.
    fn note_broken(&mut self, first: usize) {
        let misspelt = self.starts_line(first) && !self.starts_line(first.saturating_add(1));
        if misspelt || self.word_at(first).is_some_and(expected::is_opening) {
            let name = self.word_at(first.saturating_add(1)).map(str::to_owned);
            self.ast.broken.extend(name);
        }
    }

    fn too_deep(&self, stretch: Range<usize>) -> Option<Diagnostic> {
        // For each open parenthesis the depth outside it; `not`s count until their operand ends.
        let mut outside: Vec<usize> = Vec::new();
        let mut depth = 0_usize;
        for word in self.words.get(stretch)? {
            match self.written(*word) {
                "(" => {
                    outside.push(depth);
                    depth = depth.saturating_add(1);
                }
                ")" => depth = outside.pop().unwrap_or(0),
                "not" => depth = depth.saturating_add(1),
                _ => depth = outside.last().map_or(0, |depth| depth.saturating_add(1)),
            }
            if depth > NESTING_MAX {
                let message = format!("the condition is nested more than {NESTING_MAX} levels deep");
                return Some(
                    Diagnostic::new(codes::TOO_DEEP, self.at(word.span), message)
                        .help("split it into several rules, or name parts of it as sets"),
                );
            }
        }
        None
    }

    fn resumes_at(&self, index: usize) -> bool {
        let goes_on = |word| expected::CLAUSE_WORDS.contains(&word) || matches!(word, "and" | "or" | "op");
        // A line that starts with a misspelt keyword, or that is not indented, is a mistake of its own.
        let start = self.words.get(index).map_or(0, |word| word.span.range().start);
        let is_indented = !self.text.get(..start).is_some_and(|before| before.is_empty() || before.ends_with('\n'));
        let is_new = |word| self.starts_line(index) && (expected::meant_opening(word).is_some() || !is_indented);
        self.word_at(index).is_some_and(|word| goes_on(word) || is_new(word)) || self.opens_statement(index, true)
    }

    /// Returns true if a statement starts here: an opening keyword that is not used as an attribute (`rule` is one
    /// too). In the facts of a test, an attribute is followed by its value.
    fn opens_statement(&self, index: usize, in_facts: bool) -> bool {
        if !self.word_at(index).is_some_and(expected::is_opening) {
            return false;
        }
        let Some(next) = self.words.get(index.saturating_add(1)) else {
            return true;
        };
        let written = self.written(*next);
        match next.kind {
            WordKind::String | WordKind::Unclosed | WordKind::Number => !in_facts,
            WordKind::Word => {
                let joins = matches!(written, "in" | "matches" | "and" | "or" | "by" | "per");
                !joins && !expected::CLAUSE_WORDS.contains(&written)
            }
            WordKind::Sign => matches!(written, ":" | "=" | "{" | "("),
            WordKind::Stray => true,
        }
    }

    /// Returns the end of the stretch that starts at a word: the next line that opens a statement.
    fn stretch_end(&self, first: usize) -> usize {
        let mut in_facts = self.word_at(first) == Some("test");
        let mut parentheses = 0_usize;
        for index in first.saturating_add(1)..self.words.len() {
            let opens = self.starts_line(index) && self.opens_statement(index, in_facts);
            // A parameter on a line of its own may be called like a keyword.
            let is_parameter = parentheses > 0
                && self.words.get(index.saturating_add(1)).is_some_and(|word| self.written(*word) == ":");
            if opens && !is_parameter {
                return index;
            }
            match self.words.get(index).map(|word| self.written(*word)) {
                Some("(") => parentheses = parentheses.saturating_add(1),
                Some(")") => parentheses = parentheses.saturating_sub(1),
                Some("=>") => in_facts = false,
                _ => {}
            }
        }
        self.words.len()
    }

    fn starts_line(&self, index: usize) -> bool {
        let (Some(previous), Some(word)) = (index.checked_sub(1), self.words.get(index)) else {
            return true;
        };
        let previous_end = self.words.get(previous).map_or(0, |word| word.span.end);
        let between = Span { start: previous_end, end: word.span.start };
        self.text.get(between.range()).is_some_and(|gap| gap.contains('\n'))
    }

    fn word_at(&self, index: usize) -> Option<&str> {
        let word = self.words.get(index)?;
        (word.kind == WordKind::Word).then(|| self.written(*word))
    }

    fn written(&self, word: Word) -> &str {
        self.text.get(word.span.range()).unwrap_or_default()
    }

    fn span_of(&self, words: Range<usize>) -> Span {
        match self.words.get(words) {
            Some([first, .., last]) => first.span.to(last.span),
            Some([only]) => only.span,
            Some([]) | None => Span::default(),
        }
    }

    fn at(&self, span: Span) -> Location {
        Location { file: self.file, span }
    }
}

/// Where parsing stopped, and what the grammar wanted there.
struct Failure {
    word: usize,
    end: usize,
    wanted: Vec<Rule>,
}

impl Failure {
    fn unreadable(words: Range<usize>) -> Self {
        Self { word: words.start, end: words.end, wanted: Vec::new() }
    }
}

fn report_headers(file: FileId, text: &str, ast: &Ast, first_word: Option<&Word>, found: &mut Vec<Diagnostic>) {
    let at = |span| Location { file, span };
    let header = |statement: &&Statement| matches!(statement.kind, StatementKind::Header(_));
    let mut headers = ast.statements.iter().filter(header);
    let Some(first) = headers.next() else {
        // A header that is there but unreadable has been reported as such.
        let start = first_word.map_or(Span::default(), |word| word.span);
        let is_reported = found.iter().any(|finding| finding.primary.at.span.start == start.start);
        if text.get(start.range()) != Some("policy") && !is_reported {
            found.push(
                Diagnostic::new(codes::MISSING_HEADER, at(start), "the policy has no header")
                    .help("start the file with `policy NAME language 1`"),
            );
        }
        return;
    };
    if let StatementKind::Header(header) = &first.kind
        && header.language.digits != LANGUAGE_VERSION
    {
        let message = format!("unknown language version {}", quote(&header.language.digits));
        found.push(
            Diagnostic::new(codes::UNKNOWN_LANGUAGE, at(header.language.span), message)
                .help(format!("this compiler supports `language {LANGUAGE_VERSION}`")),
        );
    }
    if first_word.is_some_and(|word| word.span.start < first.span.start) {
        found.push(
            Diagnostic::new(codes::MISPLACED_HEADER, at(first.span), "the header is not the first statement")
                .help("move it to the start of the file"),
        );
    }
    for second in headers {
        found.push(
            Diagnostic::new(codes::MISPLACED_HEADER, at(second.span), "the file has a second header")
                .also(at(first.span), "the first one is here")
                .help("remove it; each file is one policy"),
        );
    }
}

fn bounded(file: FileId, mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if found.len() > FINDINGS_MAX {
        let at = found.get(FINDINGS_MAX).map_or(Location { file, span: Span::default() }, |d| d.primary.at);
        found.truncate(FINDINGS_MAX);
        found.push(
            Diagnostic::new(
                codes::TOO_MANY_FINDINGS,
                at,
                format!("more than {FINDINGS_MAX} findings; the rest is not shown"),
            )
            .help("fix the first ones and check again"),
        );
    }
    found
}

/// Most statements are shorter and are parsed once.
const FIRST_WINDOW_WORDS: usize = 512;

/// The only version of the language that this crate reads.
pub const LANGUAGE_VERSION: &str = "1";

const _: () = assert!(SetKind::ALL.len() == 6, "a new kind of set needs an opening word in `expected`");
