//! Text -> the same words and comments in the canonical layout.
//!
//! The formatter prints the words it was given, in their order, and decides nothing but the white
//! space between them; so what a policy says cannot change.

use crate::ast::Comment;
use crate::diagnostic::Diagnostic;
use crate::layout::{Break, Layout, Opening, lay_out};
use crate::parse::parse;
use crate::source::{FileId, Span};
use crate::words::{Word, split};

/// Returns a policy in the canonical layout.
///
/// # Errors
/// Returns the findings if the text cannot be read: what is not understood is not rearranged.
pub fn format(file: FileId, text: &str) -> Result<String, Vec<Diagnostic>> {
    let parsed = parse(file, text);
    if !parsed.diagnostics.is_empty() {
        return Err(parsed.diagnostics);
    }
    let words = split(text).words;
    let layout = lay_out(&parsed.ast, &words);
    let mut printer = Printer::new(text, &words, &parsed.ast.comments, &layout);
    printer.print();
    Ok(printer.out)
}

struct Printer<'a> {
    text: &'a str,
    words: &'a [Word],
    comments: &'a [Comment],
    layout: &'a Layout<'a>,
    /// For each word, the column where it would end if all words stood on one line.
    flat_ends: Vec<usize>,
    /// For each group, whether it breaks; decided at its first word.
    broken: Vec<bool>,
    groups_by_first: Vec<usize>,
    next_group: usize,
    next_comment: usize,
    out: String,
    column: usize,
    /// Indentation of the last break that the layout decided.
    indent: usize,
    /// Set after a comment, which nothing may follow on its line.
    line_is_closed: bool,
    last_opening: Option<Opening>,
    source_end: u32,
}

impl<'a> Printer<'a> {
    fn new(text: &'a str, words: &'a [Word], comments: &'a [Comment], layout: &'a Layout<'a>) -> Self {
        let mut flat_ends = Vec::with_capacity(words.len());
        let mut column = 0_usize;
        for index in 0..words.len() {
            column += usize::from(needs_blank(text, words, layout, index)) + width(text, words, index);
            flat_ends.push(column);
        }
        let mut groups_by_first: Vec<usize> = (0..layout.groups.len()).collect();
        groups_by_first.sort_by_key(|group| layout.groups.get(*group).map(|group| group.first));
        Self {
            text,
            words,
            comments,
            layout,
            flat_ends,
            broken: vec![false; layout.groups.len()],
            groups_by_first,
            next_group: 0,
            next_comment: 0,
            out: String::with_capacity(text.len()),
            column: 0,
            indent: 0,
            line_is_closed: false,
            last_opening: None,
            source_end: 0,
        }
    }

    fn print(&mut self) {
        for (index, word) in self.words.iter().enumerate() {
            let opening = self.layout.statements.get(index).copied().flatten();
            let owed = opening.is_some_and(|opening| self.needs_blank_line(opening));
            let blank_printed = self.comments_before(word.span.start, index, owed);
            // After the comments, which may have moved this word to a new line.
            self.decide_groups(index);
            let wanted = self.layout.breaks.get(index).copied().unwrap_or(Break::None);
            match wanted {
                Break::Always { indent } => {
                    let blank = opening.is_some() && (owed && !blank_printed || self.source_has_blank(word.span));
                    self.new_line(indent, blank);
                    self.indent = indent;
                }
                Break::WithGroup { group, indent } if self.broken.get(group) == Some(&true) => {
                    self.new_line(indent, false);
                    self.indent = indent;
                }
                Break::WithGroup { .. } | Break::None if self.line_is_closed => {
                    self.new_line(self.indent + 1, false);
                }
                Break::WithGroup { .. } | Break::None => {
                    if needs_blank(self.text, self.words, self.layout, index) {
                        self.push(" ");
                    }
                }
            }
            self.push(self.text.get(word.span.range()).unwrap_or_default());
            self.source_end = word.span.end;
            if opening.is_some() {
                self.last_opening = opening;
            }
        }
        self.comments_before(u32::MAX, self.words.len(), false);
        if !self.out.is_empty() {
            self.out.push('\n');
        }
    }

    /// Prints the comments before `offset`. Returns true if the blank line owed to the next statement was printed
    /// before one of them.
    fn comments_before(&mut self, offset: u32, next_word: usize, mut owed: bool) -> bool {
        let mut printed_owed = false;
        while let Some(comment) = self.comments.get(self.next_comment)
            && comment.span.start < offset
        {
            if comment.own_line {
                let belongs_above = self.belongs_above(comment, next_word);
                let indent = if belongs_above { 1 } else { self.comment_indent(next_word) };
                let blank = indent == 0 && (self.source_has_blank(comment.span) || owed);
                self.new_line(indent, blank);
                if !belongs_above {
                    printed_owed |= owed;
                    owed = false;
                }
            } else {
                self.push("  ");
            }
            self.push(&comment.text);
            self.line_is_closed = true;
            self.source_end = comment.span.end;
            self.next_comment += 1;
        }
        printed_owed
    }

    /// An indented comment directly below a rule or tool belongs to that statement.
    fn belongs_above(&self, comment: &Comment, next_word: usize) -> bool {
        let between_statements = self.layout.statements.get(next_word).is_none_or(Option::is_some);
        let start = comment.span.start as usize;
        let indented = self.text.get(..start).is_some_and(|before| before.ends_with([' ', '\t']));
        between_statements
            && indented
            && self.last_opening == Some(Opening::Block)
            && !self.source_has_blank(comment.span)
            && self.out.lines().next_back().is_some_and(|line| line.starts_with(' ') || line.starts_with('}'))
    }

    fn comment_indent(&self, next_word: usize) -> usize {
        let closes_block = self.words.get(next_word).is_some_and(|word| self.text.get(word.span.range()) == Some("}"));
        match self.layout.breaks.get(next_word) {
            _ if closes_block => 1,
            Some(Break::Always { indent } | Break::WithGroup { indent, .. }) => *indent,
            Some(Break::None) => self.indent + 1,
            None => 0,
        }
    }

    /// Decides which groups starting at this word break: those with a comment inside and those that are too wide.
    fn decide_groups(&mut self, index: usize) {
        while let Some(group_index) = self.groups_by_first.get(self.next_group)
            && let Some(group) = self.layout.groups.get(*group_index)
            && group.first == index
        {
            let starts_line = matches!(self.layout.breaks.get(index), Some(Break::Always { .. }));
            // Comments above a word that starts a line are not inside its group.
            let before = index.checked_sub(1).and_then(|previous| self.words.get(previous));
            let before = if starts_line { self.words.get(index) } else { before };
            let last = group.end.checked_sub(1).and_then(|last| self.words.get(last));
            let from = before.map_or(0, |word| word.span.end);
            let to = last.map_or(0, |word| word.span.start);
            let first_inside = self.comments.partition_point(|comment| comment.span.start < from);
            let commented = self.comments.get(first_inside).is_some_and(|comment| comment.span.start < to);
            let start = if starts_line { 0 } else { self.column };
            // The group and what follows it up to the next possible break stay on one line.
            let rest = self.layout.breaks.get(group.end..).unwrap_or_default();
            let end = group.end + rest.iter().take_while(|place| **place == Break::None).count();
            let up_to = |index: Option<usize>| index.and_then(|index| self.flat_ends.get(index)).copied().unwrap_or(0);
            let flat_width = up_to(end.checked_sub(1)).saturating_sub(up_to(index.checked_sub(1)));
            let too_wide = start + flat_width > LINE_CHARS_MAX;
            if let Some(broken) = self.broken.get_mut(*group_index) {
                *broken = commented || too_wide;
            }
            self.next_group += 1;
        }
    }

    fn needs_blank_line(&self, opening: Opening) -> bool {
        match (self.last_opening, opening) {
            (None, _) => false,
            (Some(Opening::Line(above)), Opening::Line(below)) => above != below,
            (Some(Opening::Block), _) | (Some(Opening::Line(_)), Opening::Block) => true,
        }
    }

    fn source_has_blank(&self, next: Span) -> bool {
        let gap = Span { start: self.source_end, end: next.start };
        let gap = self.text.get(gap.range()).unwrap_or_default();
        gap.bytes().filter(|byte| *byte == b'\n').count() > 1
    }

    fn new_line(&mut self, indent: usize, blank_line_before: bool) {
        if !self.out.is_empty() {
            self.out.push('\n');
            if blank_line_before {
                self.out.push('\n');
            }
        }
        self.column = 0;
        self.line_is_closed = false;
        self.push(&INDENT.repeat(indent));
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.chars().count();
    }
}

/// Returns true if a blank separates the word from the previous one on the same line.
fn needs_blank(text: &str, words: &[Word], layout: &Layout<'_>, index: usize) -> bool {
    let written = |index: usize| words.get(index).and_then(|word| text.get(word.span.range())).unwrap_or_default();
    let glued = layout.glued.get(index) == Some(&true);
    match index.checked_sub(1) {
        None => false,
        Some(previous) => !glued && !matches!(written(index), "," | ":" | ")") && written(previous) != "(",
    }
}

fn width(text: &str, words: &[Word], index: usize) -> usize {
    words.get(index).and_then(|word| text.get(word.span.range())).map_or(0, |word| word.chars().count())
}

const INDENT: &str = "  ";

/// Longer lines are broken where the layout allows it.
const LINE_CHARS_MAX: usize = 100;
