//! YAML text -> a tree: one document, without anchors, aliases and tags, which no registry needs and which let a short text
//! stand for an endless one.

use policy_syntax::Span;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError};

use crate::tree::{DEPTH_MAX, Entry, NoTree, Node, Value, map_of};

/// A tree, and the places where a backslash in double quotes was taken for itself.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) node: Node,
    pub(crate) literal_backslashes: Vec<Span>,
}

/// Reads a text.
///
/// In double quotes YAML knows some escapes and refuses all others, and yet people write regexes there, as in
/// `"^cargo(\s|$)"`. Such a backslash is taken for itself, and its place is told.
pub(crate) fn read(text: &str) -> Result<Read, NoTree> {
    let mut mended = Mended { text: text.to_owned(), added: Vec::new() };
    let mut literal_backslashes = Vec::new();
    for _ in 0..MENDED_MAX {
        let error = match build(&Places::new(&mended)) {
            Ok(node) => return Ok(Read { node, literal_backslashes }),
            Err(Stop::NoTree(error)) => return Err(error),
            Err(Stop::Scan(error)) => error,
        };
        let before = literal_backslashes.len();
        if error.info().ends_with(UNKNOWN_ESCAPE) {
            mended.mend(error.marker().index(), &mut literal_backslashes);
        }
        if literal_backslashes.len() == before {
            let at = mended.original(byte_of(&mended.text, error.marker().index()));
            return Err(NoTree::new(Span::new(at, at), error.info().to_owned()));
        }
    }
    let at = literal_backslashes.last().copied().unwrap_or_default();
    Err(NoTree {
        help: Some("write regexes in single quotes"),
        ..NoTree::new(at, "too many texts have escapes that YAML does not know")
    })
}

/// Why there is no tree.
enum Stop {
    Scan(ScanError),
    NoTree(NoTree),
}

impl From<ScanError> for Stop {
    fn from(error: ScanError) -> Self {
        Self::Scan(error)
    }
}

impl From<NoTree> for Stop {
    fn from(error: NoTree) -> Self {
        Self::NoTree(error)
    }
}

fn byte_of(text: &str, chars: usize) -> usize {
    text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at)
}

/// A text with backslashes added to it.
struct Mended {
    text: String,
    /// Where, in this text, in rising order.
    added: Vec<usize>,
}

impl Mended {
    /// Doubles each backslash that is no escape, in the text in double quotes that starts there.
    fn mend(&mut self, start_in_chars: usize, places: &mut Vec<Span>) {
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
                        places.push(Span::new(original, end));
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

    /// Where an offset was before anything was added.
    fn original(&self, at: usize) -> usize {
        at.saturating_sub(self.added.partition_point(|added| *added < at))
    }
}

/// Characters -> bytes of the original text.
struct Places<'a> {
    mended: &'a Mended,
    offsets: Vec<usize>,
}

impl<'a> Places<'a> {
    fn new(mended: &'a Mended) -> Self {
        let offsets = mended.text.char_indices().map(|(at, _)| at).chain([mended.text.len()]).collect();
        Self { mended, offsets }
    }

    fn of(&self, span: saphyr_parser::Span) -> Span {
        let offset = |marker: saphyr_parser::Marker| {
            let at = self.offsets.get(marker.index()).copied().unwrap_or(self.mended.text.len());
            self.mended.original(at)
        };
        Span::new(offset(span.start), offset(span.end))
    }
}

/// A list or map that is not at its end.
enum Open {
    List(Span, Vec<Node>),
    Map(Span, Vec<Entry>, Option<(String, Span)>),
}

fn build(places: &Places<'_>) -> Result<Node, Stop> {
    let mut open: Vec<Open> = Vec::new();
    let mut root: Option<Node> = None;
    for event in Parser::new_from_str(&places.mended.text) {
        let (event, span) = event?;
        let at = places.of(span);
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
                return Err(NoTree::new(at, "a second document starts here").into());
            }
            Event::Scalar(text, style, ..) => Some(Node { at, value: scalar(&text, style) }),
            Event::SequenceStart(..) => {
                open.push(Open::List(at, Vec::new()));
                None
            }
            Event::MappingStart(..) => {
                open.push(Open::Map(at, Vec::new(), None));
                None
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(start, items)) => Some(Node { at: start.to(at), value: Value::List(items) }),
                Some(Open::Map(start, entries, _)) => Some(Node { at: start.to(at), value: map_of(entries)? }),
                None => None,
            },
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) | Event::DocumentEnd => {
                None
            }
        };
        if open.len() > DEPTH_MAX {
            let why = format!("more than {DEPTH_MAX} lists and tables are inside each other");
            return Err(NoTree::new(at, why).into());
        }
        let Some(node) = done else { continue };
        match open.last_mut() {
            None => root = Some(node),
            Some(Open::List(_, items)) => items.push(node),
            Some(Open::Map(_, entries, key)) => match key.take() {
                Some((key, key_at)) => entries.push(Entry { key, key_at, value: node }),
                None => *key = Some((key_of(&node, &written)?, node.at)),
            },
        }
    }
    Ok(root.ok_or_else(|| NoTree::new(Span::default(), "there is nothing in it"))?)
}

/// A key is a text, with or without quotes; `true:` is one that nobody knows.
fn key_of(node: &Node, written: &str) -> Result<String, NoTree> {
    match &node.value {
        Value::List(_) | Value::Map(_) => Err(NoTree::new(node.at, "a key is a text")),
        _ => Ok(written.to_owned()),
    }
}

/// What a word without quotes stands for, by YAML's core schema.
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

fn special(at: Span) -> NoTree {
    NoTree {
        help: Some("write the value out where it is meant"),
        ..NoTree::new(at, "anchors, aliases and tags are not read")
    }
}

/// What the parser says of an escape that it does not know.
const UNKNOWN_ESCAPE: &str = "found unknown escape character";

/// What may follow a backslash in double quotes.
const ESCAPES: &str = "0abt\tnvfre \"/\\N_LPxuU\n\r";

/// How many texts with such escapes are read: each is a parse of its own.
const MENDED_MAX: usize = 128;

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
    fn a_backslash_that_is_no_escape_is_itself_and_its_place_is_told() {
        let source = "- \"ü^cargo(\\s|\\t|$)\"\n- \"\\.rs$\"\n- '\\s'\n";
        let read = read(source).unwrap();
        let Value::List(items) = &read.node.value else { panic!("{read:?}") };
        let texts: Vec<&Value> = items.iter().map(|item| &item.value).collect();
        assert_eq!(texts, [&text("ü^cargo(\\s|\t|$)"), &text("\\.rs$"), &text("\\s")]);
        let told: Vec<&str> = read.literal_backslashes.iter().map(|at| source.get(at.range()).unwrap()).collect();
        assert_eq!(told, ["\\s", "\\."]);
        let places: Vec<&str> = items.iter().map(|item| source.get(item.at.range()).unwrap()).collect();
        assert_eq!(places, ["\"ü^cargo(\\s|\\t|$)\"", "\"\\.rs$\"", "'\\s'"]);
    }

    #[test]
    fn so_many_texts_are_mended_and_no_more() {
        let lines = |count: usize| "- \"\\s\"\n".repeat(count);
        assert!(read(&lines(MENDED_MAX - 1)).is_ok());
        assert!(read(&lines(MENDED_MAX)).is_err());
    }

    #[test]
    fn words_without_quotes_are_what_the_core_schema_says() {
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
    fn what_makes_a_text_stand_for_more_than_it_says_is_refused() {
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
