//! Requests that a plain encoder writes.

use enforce_core::wire::{ArgumentValue, Malformed, Request, Tool};

use super::encoder::{Encoder, text};
use crate::cases::{Bytes, Case, Premise, Source, is_same};

/// A request with texts of `LEAST` to `N` bytes for one of the first `TOOLS` tools, written into `ROOM` bytes.
///
/// With one tool, only what is written to a file is open. It is bytes, which are read whatever they are: of text that may be
/// none, a model checker would follow every tool that could have it.
#[derive(Debug, Clone, Copy)]
pub struct Sent<const LEAST: usize, const N: usize, const ROOM: usize, const TOOLS: usize> {
    /// What is asked for.
    pub tool: SentTool,
    /// One text, or the bytes where a field is bytes.
    pub one: Bytes<N>,
    /// Another one.
    pub other: Bytes<N>,
    /// A number.
    pub number: u64,
    /// A flag.
    pub flag: bool,
}

/// What a request asks for. Between them, these have fields of every kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are named after the messages")]
pub enum SentTool {
    FileRead,
    FileWrite,
    ShellExec,
    InferenceCall,
    ToolCall,
    Nothing,
}

impl<const LEAST: usize, const N: usize, const ROOM: usize, const TOOLS: usize> Case for Sent<LEAST, N, ROOM, TOOLS> {
    fn draw<S: Source>(source: &mut S) -> Self {
        let is_alone = TOOLS == 1;
        Self {
            tool: if is_alone {
                SentTool::FileWrite
            } else {
                source.one_of(TOOLS_ALL.get(..TOOLS).unwrap_or(TOOLS_ALL))
            },
            one: Bytes::draw_at_least(source, LEAST, ALPHABET),
            other: if is_alone { Bytes::of(ONLY_TEXT) } else { Bytes::draw_at_least(source, LEAST, ALPHABET) },
            number: if is_alone { 0 } else { source.number(NUMBERS) },
            flag: if is_alone { true } else { source.flag() },
        }
    }
}

impl<const LEAST: usize, const N: usize, const ROOM: usize, const TOOLS: usize> Sent<LEAST, N, ROOM, TOOLS> {
    /// The three parts of the request, one after the other, and where each of them ends.
    pub(crate) fn encoded(&self) -> (Encoder<ROOM>, [usize; 3]) {
        let mut bytes = Encoder::<ROOM>::new();
        bytes.run(1, REQUEST_ID);
        let first = bytes.len();
        bytes.run(2, self.other.as_slice());
        let second = bytes.len();
        if let Some(number) = self.tool.number() {
            bytes.run(number, self.message().as_slice());
        }
        let ends = [first, second, bytes.len()];
        (bytes, ends)
    }

    /// The fields in their order.
    fn message(&self) -> Encoder<ROOM> {
        let (one, other) = (self.one.as_slice(), self.other.as_slice());
        let flag = u64::from(self.flag);
        let mut message = Encoder::<ROOM>::new();
        match self.tool {
            SentTool::FileRead => {
                message.run(1, one);
                message.number(2, self.number);
                message.number(3, flag);
            }
            SentTool::FileWrite => {
                message.run(1, other);
                message.run(2, one);
                message.number(3, flag);
            }
            SentTool::ShellExec => {
                message.run(1, one);
                message.run(2, other);
                message.number(3, self.number);
                message.number(4, flag);
                message.run(5, one);
                message.run(5, other);
            }
            SentTool::InferenceCall => {
                message.run(1, one);
                message.run(2, other);
                message.run(3, one);
                message.number(4, self.number);
                message.number(5, self.number & u64::from(u32::MAX));
                message.run(6, other);
            }
            SentTool::ToolCall => {
                message.run(1, one);
                message.run(2, other);
                for place in 0..4 {
                    let mut argument = Encoder::<ROOM>::new();
                    argument.run(1, one);
                    match place {
                        0 => argument.run(2, other),
                        1 => argument.number(3, self.number),
                        2 => argument.number(4, flag),
                        _ => {}
                    }
                    message.run(3, argument.as_slice());
                }
            }
            SentTool::Nothing => {}
        }
        message
    }

    /// Whether a tool says what was written.
    fn is_said(&self, tool: Option<&Tool<'_>>) -> bool {
        let (one, other, number) = (self.one.as_slice(), self.other.as_slice(), self.number);
        match (self.tool, tool) {
            (SentTool::FileRead, Some(Tool::FileRead(said))) => {
                is_same(said.path.as_bytes(), one) && said.offset == number && said.limit == u64::from(self.flag)
            }
            (SentTool::FileWrite, Some(Tool::FileWrite(said))) => {
                let is_text = is_same(said.path.as_bytes(), other) && is_same(said.content, one);
                is_text && said.create_only == self.flag && !said.append
            }
            (SentTool::ShellExec, Some(Tool::ShellExec(said))) => {
                let mut env = said.env.iter();
                let mut is_next = |text| env.next().is_some_and(|next| is_same(next.as_bytes(), text));
                let is_list = said.env.len() == 2 && is_next(one) && is_next(other) && env.next().is_none();
                let is_text = is_same(said.command.as_bytes(), one) && is_same(said.cwd.as_bytes(), other);
                is_list && is_text && said.timeout_ms == number && said.network_access == self.flag
            }
            (SentTool::InferenceCall, Some(Tool::Inference(said))) => {
                let is_text = is_same(said.provider.as_bytes(), one) && is_same(said.model.as_bytes(), other);
                let is_hash = is_same(said.prompt_hash, one) && is_same(said.system_prompt_hash, other);
                let small = u64::from(said.temperature_scaled);
                is_text && is_hash && said.max_tokens == number && small == number & u64::from(u32::MAX)
            }
            (SentTool::ToolCall, Some(Tool::ToolCall(said))) => {
                let mut arguments = said.arguments.iter();
                let mut is_next = |value: fn(&Self, Option<ArgumentValue<'_>>) -> bool| {
                    arguments.next().is_some_and(|next| is_same(next.name.as_bytes(), one) && value(self, next.value))
                };
                let is_list = said.arguments.len() == 4
                    && is_next(
                        |case, value| matches!(value, Some(ArgumentValue::Text(text)) if is_same(text.as_bytes(), case.other.as_slice())),
                    )
                    && is_next(|case, value| value == Some(ArgumentValue::Number(case.number)))
                    && is_next(|case, value| value == Some(ArgumentValue::Flag(case.flag)))
                    && is_next(|_, value| value.is_none())
                    && arguments.next().is_none();
                is_list && is_same(said.tool.as_bytes(), one) && is_same(said.operation.as_bytes(), other)
            }
            (SentTool::Nothing, None) => true,
            _ => false,
        }
    }

    /// Whether a request says what was written in its first so many parts.
    pub(super) fn is_read(&self, request: &Request<'_>, parts: usize) -> bool {
        let is_written = |part, text: &[u8], written: &[u8]| is_same(text, if part < parts { written } else { &[] });
        let is_tool = if parts > 2 { self.is_said(request.tool().as_ref()) } else { request.tool().is_none() };
        is_written(0, request.request_id.as_bytes(), REQUEST_ID)
            && is_written(1, request.session_token.as_bytes(), self.other.as_slice())
            && request.dedupe_key.as_bytes().is_empty()
            && is_tool
    }

    /// Whether all is text that has to be.
    pub(super) fn is_text(&self) -> bool {
        let is_one = matches!(self.tool, SentTool::FileWrite | SentTool::Nothing) || text(&self.one).is_some();
        is_one && text(&self.other).is_some()
    }
}

/// It is read with equal fields, or has text that is none and is refused for that.
pub fn what_is_written_is_read<const LEAST: usize, const N: usize, const ROOM: usize, const TOOLS: usize>(
    case: &Sent<LEAST, N, ROOM, TOOLS>,
) -> Premise {
    let (bytes, ends) = case.encoded();
    match Request::read(bytes.as_slice()) {
        Ok(request) => assert!(case.is_read(&request, ends.len()), "it is read with equal fields"),
        Err(error) => {
            assert!(
                matches!(error.reason, Malformed::Utf8 { .. }) && !case.is_text(),
                "only what is no text is refused"
            );
        }
    }
    Premise::of(case.is_text())
}

impl SentTool {
    fn number(self) -> Option<u32> {
        match self {
            Self::FileRead => Some(10),
            Self::FileWrite => Some(11),
            Self::ShellExec => Some(13),
            Self::InferenceCall => Some(15),
            Self::ToolCall => Some(34),
            Self::Nothing => None,
        }
    }
}

const TOOLS_ALL: &[SentTool] = &[
    SentTool::FileWrite,
    SentTool::FileRead,
    SentTool::ShellExec,
    SentTool::InferenceCall,
    SentTool::ToolCall,
    SentTool::Nothing,
];
const REQUEST_ID: &[u8] = b"r";
/// What a request for the only tool has beside what is written.
const ONLY_TEXT: &[u8] = b"t";
/// A letter, what paths are looked at twice for, and a character of two bytes, of which each alone is none.
const ALPHABET: &[u8] = b"a./\0\xc3\xa9";
/// Where a number takes a byte more, and where it fits no smaller type.
const NUMBERS: &[u64] = &[0, 1, 127, 128, 16_383, 16_384, 0xffff_ffff, 0x1_0000_0000, u64::MAX >> 1, u64::MAX];
