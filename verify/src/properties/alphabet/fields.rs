//! Texts of messages: the reader looks at them for UTF-8, and whoever checks them for a few characters.

use core::mem::{Discriminant, discriminant};

use enforce_core::validate::{Rule, validate};
use enforce_core::wire::{
    ArtifactPublish, FileEdit, FileRead, FileWrite, GitOperation, Malformed, Request, ShellExec, Texts, Tool,
};

use super::{Swapped, Text};
use crate::cases::{Bytes, Case, Premise, Source, max, rounds};
use crate::properties::validate::{ENTRY_BYTES, PATH_BYTES};
use crate::properties::wire::{Encoder, TEXT_BYTES, loops};

/// A text of `LEAST` to `N` bytes in one of the first `FIELDS` fields of a request, and any byte for a place in it.
#[derive(Debug, Clone, Copy)]
pub struct InText<const LEAST: usize, const N: usize, const FIELDS: usize> {
    /// Which field.
    pub field: usize,
    /// The text, and the byte.
    pub swapped: Swapped<N>,
}

impl<const LEAST: usize, const N: usize, const FIELDS: usize> Case for InText<LEAST, N, FIELDS> {
    const ABOUT: &'static str =
        "a text of LEAST to N bytes in one of F fields of a request, and any byte in any place of it";
    // Over the text with one more byte; over its places; over the bytes of the request, as they are written.
    const LOOPS: usize = max(max(N + 1, rounds(N + 1)), loops(N + 1 + TAGS_AND_LENGTHS));

    fn draw<S: Source>(source: &mut S) -> Self {
        let field = if FIELDS == 1 { 0 } else { source.below(FIELDS) };
        let text: Bytes<N> = Bytes::draw_at_least(source, LEAST, TEXT_BYTES);
        let place = source.settled(text.as_slice().len().saturating_add(1));
        Self { field, swapped: Swapped::draw_byte(source, text, place) }
    }
}

/// A path of `LEAST` to `N` bytes in one of the first `FIELDS` tools, and any character of one byte or two in it.
#[derive(Debug, Clone, Copy)]
pub struct InCheckedPath<const LEAST: usize, const N: usize, const FIELDS: usize> {
    /// Which tool.
    pub field: usize,
    /// The path, and the number of the character.
    pub swapped: Swapped<N>,
    /// Whether the character has two bytes, as it has from 128 on.
    pub is_long: bool,
}

/// The same for an entry of a list.
#[derive(Debug, Clone, Copy)]
pub struct InEntry<const LEAST: usize, const N: usize, const FIELDS: usize> {
    /// Which tool.
    pub field: usize,
    /// The entry, and the number of the character.
    pub swapped: Swapped<N>,
    /// Whether the character has two bytes, as it has from 128 on.
    pub is_long: bool,
}

macro_rules! checked {
    ($($case:ident of $alphabet:expr, $about:literal;)+) => {
        $(impl<const LEAST: usize, const N: usize, const FIELDS: usize> Case for $case<LEAST, N, FIELDS> {
            const ABOUT: &'static str = $about;
            // Over the text with one more character, which may have two bytes; over its places, twice; over the fields, and the rules.
            const LOOPS: usize = max(max(N + 2, rounds(2 * (N + 1))), FIELDS_MAX);

            fn draw<S: Source>(source: &mut S) -> Self {
                let field = if FIELDS == 1 { 0 } else { source.below(FIELDS) };
                let (swapped, is_long) = Swapped::draw_character(source, LEAST, $alphabet);
                Self { field, swapped, is_long }
            }
        })+
    };
}

checked! {
    InCheckedPath of PATH_BYTES,
        "a path of LEAST to N bytes in one of F tools, and any of the first 256 characters in any place of it";
    InEntry of ENTRY_BYTES,
        "an entry of LEAST to N bytes in a list of one of F tools, and any of the first 256 characters in any place of it";
}

/// Each byte of a text is to the reader of requests like one that texts are counted with: the request is read, or refused
/// for the same reason at the same place. What is UTF-8 is said of a text as a whole, and by the standard library.
pub fn every_byte_of_a_text_is_like_one_of_the_alphabet<const LEAST: usize, const N: usize, const FIELDS: usize>(
    case: &InText<LEAST, N, FIELDS>,
) -> Premise {
    let like = like_in_text(case.swapped.byte);
    let (one, other) = (case.swapped.with(case.swapped.byte, b""), case.swapped.with(like, b""));
    if one.as_str().is_some() != other.as_str().is_some() {
        return Premise::Missed;
    }
    assert!(answer(case.field, &one) == answer(case.field, &other), "a byte is like its kind in a text");
    Premise::of(like != case.swapped.byte)
}

/// Each character of a path is to who checks requests like one that paths are counted with: the same rules are broken.
pub fn every_character_of_a_path_is_checked_like_one<const LEAST: usize, const N: usize, const FIELDS: usize>(
    case: &InCheckedPath<LEAST, N, FIELDS>,
) -> Premise {
    let like = like_in_checked_path(case.swapped.byte);
    let (one, other) = (case.swapped.with_character(case.is_long), case.swapped.with(like, b""));
    let (Some(one), Some(other)) = (one.as_str(), other.as_str()) else {
        return Premise::Missed;
    };
    let broken = [one, other].map(|path| broken(path_of(case.field, path)));
    assert!(broken[0] == broken[1], "a character is like its kind in a path");
    Premise::of(like != case.swapped.byte)
}

/// The same of an entry.
pub fn every_character_of_an_entry_is_checked_like_one<const LEAST: usize, const N: usize, const FIELDS: usize>(
    case: &InEntry<LEAST, N, FIELDS>,
) -> Premise {
    let like = like_in_entry(case.swapped.byte);
    let (one, other) = (case.swapped.with_character(case.is_long), case.swapped.with(like, b""));
    let (Some(one), Some(other)) = (one.as_str(), other.as_str()) else {
        return Premise::Missed;
    };
    let broken = [one, other].map(|entry| broken(entry_of(case.field, &[entry])));
    assert!(broken[0] == broken[1], "a character is like its kind in an entry");
    Premise::of(like != case.swapped.byte)
}

impl<const N: usize> Swapped<N> {
    /// A text of so many bytes at least, and one of the first 256 characters for a place in it; whether that has two bytes.
    pub(super) fn draw_character<S: Source>(source: &mut S, least: usize, alphabet: &'static [u8]) -> (Self, bool) {
        let text: Bytes<N> = Bytes::draw_at_least(source, least, alphabet);
        let place = source.settled(text.as_slice().len().saturating_add(1));
        // A model checker has to know how long a text is, and does not see it in a number that it does not know.
        let is_long = source.settled(2) == 1;
        let first = if is_long { ASCII } else { 0 };
        let byte = u8::try_from(first.saturating_add(source.below(ASCII))).unwrap_or_default();
        (Self { text, place, byte }, is_long)
    }

    /// The text with the character at the place, in two bytes or in one.
    pub(super) fn with_character(&self, is_long: bool) -> Text {
        if !is_long {
            return self.with(self.byte, b"");
        }
        let mut text = Text { bytes: [0; super::TEXT_BYTES_MAX], len: 0 };
        for (place, other) in (0..usize::MAX).zip(self.text.as_slice()) {
            if place == self.place {
                text.push_two(self.byte);
            } else {
                text.push(*other);
            }
        }
        if self.place >= self.text.as_slice().len() {
            text.push_two(self.byte);
        }
        text
    }
}

impl Text {
    /// The character of this number, which has two bytes.
    fn push_two(&mut self, number: u8) {
        self.push(0xc0 | number >> 6);
        self.push(0x80 | number & 0x3f);
    }

    fn as_str(&self) -> Option<&str> {
        core::str::from_utf8(self.as_slice()).ok()
    }
}

/// A character of its own, the start of one, and what may follow that.
pub(super) fn like_in_text(byte: u8) -> u8 {
    match byte {
        0..=0x7f => b'a',
        0x80..=0xbf => 0xa9,
        0xc0..=0xff => 0xc3,
    }
}

pub(super) fn like_in_checked_path(character: u8) -> u8 {
    match character {
        b'.' | b'/' | 0 => character,
        _ => b'a',
    }
}

pub(super) fn like_in_entry(character: u8) -> u8 {
    match character {
        b'=' | 0 => character,
        _ => b'a',
    }
}

/// What is wrong with a request that has the text in a field, and where.
fn answer(field: usize, text: &Text) -> Option<(Malformed, usize)> {
    let (text, mut bytes) = (text.as_slice(), Encoder::<ROOM>::new());
    match FIELDS_ALL.get(field) {
        Some(Field::Request(number)) => bytes.run(*number, text),
        Some(Field::Tool(tool, number)) => {
            let mut message = Encoder::<ROOM>::new();
            message.run(*number, text);
            bytes.run(*tool, message.as_slice());
        }
        Some(Field::Argument(number)) => {
            let (mut message, mut argument) = (Encoder::<ROOM>::new(), Encoder::<ROOM>::new());
            argument.run(*number, text);
            message.run(3, argument.as_slice());
            bytes.run(34, message.as_slice());
        }
        None => unreachable!("there are as many fields as cases have"),
    }
    Request::read(bytes.as_slice()).err().map(|error| (error.reason, error.at))
}

fn path_of(field: usize, path: &str) -> Tool<'_> {
    match field {
        0 => Tool::FileRead(FileRead { path, ..FileRead::default() }),
        1 => Tool::FileWrite(FileWrite { path, ..FileWrite::default() }),
        2 => Tool::FileEdit(FileEdit { path, old_content: "a", new_content: "a" }),
        3 => Tool::ShellExec(ShellExec { command: "a", cwd: path, ..ShellExec::default() }),
        _ => Tool::GitOp(GitOperation { operation: "LOG", cwd: path, ..GitOperation::default() }),
    }
}

fn entry_of<'a>(field: usize, entry: &'a [&'a str]) -> Tool<'a> {
    let listed = Texts::listed(entry);
    match field {
        0 => Tool::ShellExec(ShellExec { command: "a", env: listed, ..ShellExec::default() }),
        1 => Tool::GitOp(GitOperation { operation: "LOG", args: listed, ..GitOperation::default() }),
        _ => Tool::ArtifactPublish(ArtifactPublish {
            artifact_id: "a",
            content_hash: &[0; 32],
            category: "a",
            metadata: listed,
        }),
    }
}

/// The kinds of the rules that a request for a tool breaks, in their order. Their places differ as characters do.
fn broken(tool: Tool<'_>) -> [Option<Discriminant<Rule>>; BROKEN_MAX] {
    let mut broken = [None; BROKEN_MAX];
    let mut count = 0_usize;
    validate(&Request::new("r", "t", "", Some(tool)), &mut |violation| {
        if let Some(place) = broken.get_mut(count) {
            *place = Some(discriminant(&violation.rule));
        }
        count = count.saturating_add(1);
    });
    assert!(count <= BROKEN_MAX, "there is room for every rule");
    broken
}

/// A field that is text, or bytes: of the request, of a tool, of an argument.
enum Field {
    Request(u32),
    Tool(u32, u32),
    Argument(u32),
}

/// Names of a request, the path of a file to read, bytes, lists, and the parts of an argument. No message is around the first.
const FIELDS_ALL: &[Field] = &[
    Field::Request(1),
    Field::Request(2),
    Field::Request(3),
    Field::Tool(10, 1),
    Field::Tool(11, 2),
    Field::Tool(13, 5),
    Field::Tool(15, 1),
    Field::Argument(1),
    Field::Argument(2),
];
/// Of a name of a request.
const TAGS_AND_LENGTHS: usize = 2;
/// The tool with most fields is the one that runs something.
const FIELDS_MAX: usize = 5;
/// More than a path or an entry breaks at once.
const BROKEN_MAX: usize = 4;
/// As many characters have one byte.
const ASCII: usize = 128;
/// No longer than cases are. What a model checker does not know the place of may be any byte of these.
const ROOM: usize = if cfg!(kani) { 4 } else { 48 };
