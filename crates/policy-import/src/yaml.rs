//! YAML text -> a tree: one document, without anchors, aliases and tags. No registry needs them, and with them a short text
//! can expand without bound.

use policy_syntax::Span;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError};
use thiserror::Error;

use crate::tree::{DEPTH_MAX, Entry, Node, ParseError, Value, map_of};

/// A tree, and the places where a backslash in double quotes was read literally.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) node: Node,
    pub(crate) literal_backslashes: Vec<Span>,
}

/// Parses a YAML document.
///
/// YAML rejects unknown escapes in double quotes, but people write regexes there, as in `"^cargo(\s|$)"`. Such a backslash is
/// read literally, and its place is returned.
pub(crate) fn read(text: &str) -> Result<Document, ParseError> {
    let mut repaired = RepairedText { text: text.to_owned(), added: Vec::new() };
    let mut literal_backslashes = Vec::new();
    for _ in 0..REPAIRS_MAX {
        let error = match build(&ByteOffsets::new(&repaired)) {
            Ok(node) => return Ok(Document { node, literal_backslashes }),
            Err(YamlError::Rejected(error)) => return Err(error),
            Err(YamlError::Scan(error)) => error,
        };
        let before = literal_backslashes.len();
        if error.info().ends_with(UNKNOWN_ESCAPE) {
            repaired.double_backslashes(error.marker().index(), &mut literal_backslashes);
        }
        if literal_backslashes.len() == before {
            let at = repaired.original(byte_of(&repaired.text, error.marker().index()));
            return Err(ParseError::new(Span::new(at, at), error.info().to_owned()));
        }
    }
    let at = literal_backslashes.last().copied().unwrap_or_default();
    Err(ParseError {
        help: Some("write regexes in single quotes"),
        ..ParseError::new(at, "too many texts have unknown escapes")
    })
}

#[derive(Debug, Error)]
enum YamlError {
    #[error(transparent)]
    Scan(#[from] ScanError),
    #[error(transparent)]
    Rejected(#[from] ParseError),
}

fn byte_of(text: &str, chars: usize) -> usize {
    text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
}

/// A text in which unknown escapes are doubled.
struct RepairedText {
    text: String,
    /// Offsets of the added backslashes in this text, in rising order.
    added: Vec<usize>,
}

impl RepairedText {
    /// Doubles each backslash that is not an escape in the double-quoted text that starts there.
    fn double_backslashes(&mut self, start_in_chars: usize, doubled: &mut Vec<Span>) {
        let start = byte_of(&self.text, start_in_chars);
        let mut fresh = Vec::new();
        let mut characters = self.text.char_indices().skip_while(|(at, _)| *at <= start).peekable();
        while let Some((at, c)) = characters.next() {
            match c {
                '"' => break,
                '\\' => match characters.next() {
                    Some((_, escaped)) if !ESCAPES.contains(escaped) => {
                        let original = self.original(at);
                        let end = original.saturating_add('\\'.len_utf8()).saturating_add(escaped.len_utf8());
                        doubled.push(Span::new(original, end));
                        fresh.push(at);
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        let shifted = |at: usize| at.saturating_add(fresh.partition_point(|new| *new <= at));
        self.added = self.added.iter().map(|at| shifted(*at)).collect();
        self.added.extend(fresh.iter().zip(0_usize..).map(|(at, before)| at.saturating_add(before)));
        self.added.sort_unstable();
        let mut text = String::with_capacity(self.text.len().saturating_add(fresh.len()));
        let mut from = 0;
        for at in fresh {
            text.push_str(self.text.get(from..at).unwrap_or_default());
            text.push('\\');
            from = at;
        }
        text.push_str(self.text.get(from..).unwrap_or_default());
        self.text = text;
    }

    /// Returns the offset in the text before anything was added.
    fn original(&self, at: usize) -> usize {
        at.saturating_sub(self.added.partition_point(|added| *added < at))
    }
}

/// A map from characters of the repaired text to bytes of the original one.
struct ByteOffsets<'a> {
    repaired: &'a RepairedText,
    offsets: Vec<usize>,
}

impl<'a> ByteOffsets<'a> {
    fn new(repaired: &'a RepairedText) -> Self {
        let offsets = repaired.text.char_indices().map(|(at, _)| at).chain([repaired.text.len()]).collect();
        Self { repaired, offsets }
    }

    fn of(&self, span: saphyr_parser::Span) -> Span {
        let offset = |marker: saphyr_parser::Marker| {
            let at = self.offsets.get(marker.index()).copied().unwrap_or(self.repaired.text.len());
            self.repaired.original(at)
        };
        Span::new(offset(span.start), offset(span.end))
    }
}

/// A list or map whose end has not been read.
enum OpenNode {
    List(Span, Vec<Node>),
    Map(Span, Vec<Entry>, Option<(String, Span)>),
}

fn build(offsets: &ByteOffsets<'_>) -> Result<Node, YamlError> {
    let mut open: Vec<OpenNode> = Vec::new();
    let mut root: Option<Node> = None;
    for event in Parser::new_from_str(&offsets.repaired.text) {
        let (event, span) = event?;
        let at = offsets.of(span);
        let written = if let Event::Scalar(text, ..) = &event { text.to_string() } else { String::new() };
        let done = match event {
            Event::Scalar(_, _, anchor, ref tag) if anchor != 0 || tag.is_some() => return Err(special(at).into()),
            Event::SequenceStart(anchor, ref tag) | Event::MappingStart(anchor, ref tag)
                if anchor != 0 || tag.is_some() =>
            {
                return Err(special(at).into());
            }
            Event::Alias(_) => return Err(special(at).into()),
            Event::DocumentStart(_) if root.is_some() => {
                return Err(ParseError::new(at, "only one YAML document is allowed").into());
            }
            Event::Scalar(text, style, ..) => Some(Node { at, value: scalar(&text, style) }),
            Event::SequenceStart(..) => {
                open.push(OpenNode::List(at, Vec::new()));
                None
            }
            Event::MappingStart(..) => {
                open.push(OpenNode::Map(at, Vec::new(), None));
                None
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(OpenNode::List(start, items)) => Some(Node { at: start.to(at), value: Value::List(items) }),
                Some(OpenNode::Map(start, entries, _)) => Some(Node { at: start.to(at), value: map_of(entries)? }),
                None => None,
            },
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => {
                None
            }
        };
        if open.len() > DEPTH_MAX {
            let why = format!("lists and tables are nested more than {DEPTH_MAX} deep");
            return Err(ParseError::new(at, why).into());
        }
        let Some(node) = done else { continue };
        match open.last_mut() {
            None => root = Some(node),
            Some(OpenNode::List(_, items)) => items.push(node),
            Some(OpenNode::Map(_, entries, key)) => match key.take() {
                Some((key, key_at)) => entries.push(Entry { key, key_at, value: node }),
                None => *key = Some((key_of(&node, &written)?, node.at)),
            },
        }
    }
    Ok(root.ok_or_else(|| ParseError::new(Span::default(), "the file is empty"))?)
}

/// A key is a text, with or without quotes; `true:` is an unknown key.
fn key_of(node: &Node, written: &str) -> Result<String, ParseError> {
    match &node.value {
        Value::List(_) | Value::Map(_) => Err(ParseError::new(node.at, "a key must be a text")),
        _ => Ok(written.to_owned()),
    }
}

/// Returns the value of a word without quotes, by YAML's core schema.
fn scalar(text: &str, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::Text(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Nothing,
        "true" | "True" | "TRUE" => Value::Flag(true),
        "false" | "False" | "FALSE" => Value::Flag(false),
        _ => match text.parse::<i64>() {
            Ok(number) => Value::Whole(number),
            Err(_) if text.parse::<f64>().is_ok() => Value::Other,
            Err(_) => Value::Text(text.to_owned()),
        },
    }
}

fn special(at: Span) -> ParseError {
    ParseError {
        help: Some("repeat the value instead"),
        ..ParseError::new(at, "anchors, aliases and tags are not supported")
    }
}

/// The parser's message for an unknown escape.
const UNKNOWN_ESCAPE: &str = "found unknown escape character";

/// The characters that may follow a backslash in double quotes.
const ESCAPES: &str = "0abt\tnvfre \"/\\N_LPxuU\n\r";

/// Each repair parses the document again.
const REPAIRS_MAX: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        read(text).unwrap().node.value
    }

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    #[test]
    fn an_unknown_escape_is_read_literally_and_its_place_returned() {
        let source = "- \"ü^cargo(\\s|\\t|$)\"\n- \"\\.rs$\"\n- '\\s'\n";
        let read = read(source).unwrap();
        let Value::List(items) = &read.node.value else { panic!("{read:?}") };
        let texts: Vec<&Value> = items.iter().map(|item| &item.value).collect();
        assert_eq!(texts, [&text("ü^cargo(\\s|\t|$)"), &text("\\.rs$"), &text("\\s")]);
        let backslashes: Vec<&str> =
            read.literal_backslashes.iter().map(|at| source.get(at.range()).unwrap()).collect();
        assert_eq!(backslashes, ["\\s", "\\."]);
        let offsets: Vec<&str> = items.iter().map(|item| source.get(item.at.range()).unwrap()).collect();
        assert_eq!(offsets, ["\"ü^cargo(\\s|\\t|$)\"", "\"\\.rs$\"", "'\\s'"]);
    }

    #[test]
    fn the_number_of_repairs_is_limited() {
        let lines = |count: usize| "- \"\\s\"\n".repeat(count);
        assert!(read(&lines(REPAIRS_MAX - 1)).is_ok());
        assert!(read(&lines(REPAIRS_MAX)).is_err());
    }

    #[test]
    fn words_without_quotes_follow_the_core_schema() {
        let values = value("[1, -2, 1.5, true, False, ~, yes, 0x1f, \"1\"]");
        let Value::List(items) = values else { panic!("{values:?}") };
        let values: Vec<Value> = items.into_iter().map(|item| item.value).collect();
        let expected = [
            Value::Whole(1),
            Value::Whole(-2),
            Value::Other,
            Value::Flag(true),
            Value::Flag(false),
            Value::Nothing,
            text("yes"),
            text("0x1f"),
            text("1"),
        ];
        assert_eq!(values, expected);
    }

    #[test]
    fn anchors_duplicates_and_deep_nesting_are_rejected() {
        for source in
            ["a: &x 1\nb: *x\n", "a: !!str 1\n", "---\na: 1\n---\nb: 2\n", "a: 1\na: 2\n", "? [a]\n: 1\n", "", "a: ["]
        {
            assert!(read(source).is_err(), "{source:?}");
        }
        let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        assert!(read(&deep(DEPTH_MAX)).is_ok());
        assert!(read(&deep(DEPTH_MAX + 1)).is_err());
    }
}
