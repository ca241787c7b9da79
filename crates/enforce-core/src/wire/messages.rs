//! The messages of `tool.proto`, borrowed from the bytes of a request. What a field means is said there; what it has to
//! be, and what it says to rules, is said here.

use super::error::{Malformed, WireError};
use super::fields::{FIELDS_MAX, Fields, Value};
use super::message::{Bound, Fact, Field, Kind, List, Message, Subject};
use super::repeated::{Entry, Repeated, Texts};
use crate::limits::{
    MAX_ARG_LEN, MAX_COMMAND_LEN, MAX_EDIT_SIZE, MAX_FILE_MODE, MAX_READ_LIMIT, MAX_TIMEOUT_MS, MAX_TOKENS,
    MAX_WRITE_SIZE,
};
use crate::operation::{Attributes, Operation, slot};

macro_rules! messages {
    ($(
        $number:literal $tool:ident($message:ident) $name:literal
        asks for [$($operation:ident)?] about $subject:expr => {
            $($place:literal $field:ident: $kind:ident, $bound:ident $(($most:expr))? $(=> $fact:ident($slot:expr))?;)+
        }
    )+) => {
        $(
            #[doc = concat!("`", stringify!($message), "` of `tool.proto`.")]
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
            pub struct $message<'a> {
                $(#[doc = concat!("Field ", $place, ".")] pub $field: type_of!($kind),)+
            }

            impl<'a> $message<'a> {
                const MESSAGE: &'static Message = &Message {
                    number: $number,
                    operation: option!($(Operation::$operation)?),
                    subject: $subject,
                    fields: &[$(Field {
                        name: concat!($name, ".", stringify!($field)),
                        kind: Kind::$kind,
                        bound: Bound::$bound $(($most))?,
                        fact: fact!($($fact($slot))?),
                    }),+],
                    list: list!($($kind)+),
                };

                fn of(fields: &Fields<'a>) -> Self {
                    Self { $($field: value_of!($kind fields $place)),+ }
                }

                fn fields(&self) -> Fields<'a> {
                    let mut fields = Fields::NONE;
                    $(set!($kind fields $place self.$field);)+
                    fields
                }
            }

            // A field's place is its number, and one list is the most there is room for.
            const _: () = assert!(are_counted(&[$($place),+]));
            const _: () = assert!(have_slots($message::MESSAGE));
            const _: () = assert!(matches!(
                (lists_of($message::MESSAGE.fields), $message::MESSAGE.list),
                (0, None) | (1, Some(_))
            ));
        )+

        /// What is asked for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Tool<'a> {
            $(#[doc = concat!("Field ", $number, ".")] $tool($message<'a>),)+
        }

        impl<'a> Tool<'a> {
            pub(super) fn of(message: &Message, fields: &Fields<'a>) -> Option<Self> {
                Some(match message.number {
                    $($number => Self::$tool($message::of(fields)),)+
                    _ => return None,
                })
            }

            pub(super) fn fields(&self) -> (&'static Message, Fields<'a>) {
                match self {
                    $(Self::$tool(message) => ($message::MESSAGE, message.fields()),)+
                }
            }
        }

        /// In the order of their numbers.
        const MESSAGES: &[&Message] = &[$($message::MESSAGE),+];
    };
}

macro_rules! type_of {
    (Path) => { &'a str };
    (Text) => { &'a str };
    (Bytes) => { &'a [u8] };
    (U64) => { u64 };
    (U32) => { u32 };
    (Bool) => { bool };
    (Texts) => { Texts<'a> };
    (Arguments) => { Repeated<'a, Argument<'a>> };
}

macro_rules! value_of {
    (Path $fields:ident $place:literal) => {
        $fields.text($place)
    };
    (Text $fields:ident $place:literal) => {
        $fields.text($place)
    };
    (Bytes $fields:ident $place:literal) => {
        $fields.value($place).bytes()
    };
    (U64 $fields:ident $place:literal) => {
        $fields.value($place).number()
    };
    (U32 $fields:ident $place:literal) => {
        u32::try_from($fields.value($place).number()).unwrap_or(u32::MAX)
    };
    (Bool $fields:ident $place:literal) => {
        $fields.value($place).number() != 0
    };
    (Texts $fields:ident $place:literal) => {
        $fields.texts
    };
    (Arguments $fields:ident $place:literal) => {
        $fields.arguments
    };
}

macro_rules! set {
    (Path $fields:ident $place:literal $value:expr) => {
        $fields.set($place, Value::from($value))
    };
    (Text $fields:ident $place:literal $value:expr) => {
        $fields.set($place, Value::Text($value.into()))
    };
    (Bytes $fields:ident $place:literal $value:expr) => {
        $fields.set($place, Value::Bytes($value))
    };
    (Texts $fields:ident $place:literal $value:expr) => {
        $fields.texts = $value
    };
    (Arguments $fields:ident $place:literal $value:expr) => {
        $fields.arguments = $value
    };
    ($number:ident $fields:ident $place:literal $value:expr) => {
        $fields.set($place, Value::Number(u64::from($value)))
    };
}

macro_rules! option {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}

macro_rules! list {
    (Texts $($others:ident)*) => {
        Some(List::Texts)
    };
    (Arguments $($others:ident)*) => {
        Some(List::Messages(is_argument))
    };
    ($kind:ident $($others:ident)*) => {
        list!($($others)*)
    };
    () => {
        None
    };
}

macro_rules! fact {
    () => {
        Fact::Unsaid
    };
    ($fact:ident($slot:expr)) => {
        Fact::$fact($slot)
    };
}

messages! {
    10 FileRead(FileRead) "file_read" asks for [FileRead] about Subject::File { path: 1 } => {
        1 path: Path, Path;
        2 offset: U64, Free => Number(slot::file::OFFSET);
        3 limit: U64, Most(MAX_READ_LIMIT) => Open(slot::file::BYTES);
    }
    11 FileWrite(FileWrite) "file_write" asks for [FileWrite] about Subject::File { path: 1 } => {
        1 path: Path, Path;
        2 content: Bytes, Size(MAX_WRITE_SIZE) => Length(slot::file::BYTES);
        3 create_only: Bool, Free => Flag(slot::file::CREATE_ONLY);
        4 append: Bool, NotWith(3) => Flag(slot::file::APPEND);
    }
    12 FileEdit(FileEdit) "file_edit" asks for [FileEdit] about Subject::File { path: 1 } => {
        1 path: Path, Path;
        2 old_content: Text, Text(MAX_EDIT_SIZE);
        3 new_content: Text, Size(MAX_EDIT_SIZE) => Length(slot::file::BYTES);
    }
    13 ShellExec(ShellExec) "shell_exec" asks for [ShellExec] about Subject::Line { command: 1, cwd: 2 } => {
        1 command: Text, Text(MAX_COMMAND_LEN);
        2 cwd: Path, OptionalPath;
        3 timeout_ms: U64, Most(MAX_TIMEOUT_MS) => Open(slot::shell::TIMEOUT);
        4 network_access: Bool, Free => Flag(slot::shell::NETWORK);
        5 env: Texts, Environment;
    }
    14 GitOp(GitOperation) "git_op" asks for [] about Subject::Git { operation: 1, cwd: 3 } => {
        1 operation: Text, GitVerb;
        2 args: Texts, Items;
        3 cwd: Path, OptionalPath;
    }
    15 Inference(InferenceCall) "inference" asks for [InferenceCall] about Subject::Itself => {
        1 provider: Text, Id => Text(slot::inference::PROVIDER);
        2 model: Text, Id => Text(slot::inference::MODEL);
        3 prompt_hash: Bytes, Hash;
        4 max_tokens: U64, Most(MAX_TOKENS) => Open(slot::inference::TOKENS);
        5 temperature_scaled: U32, Free => Number(slot::inference::TEMPERATURE);
        6 system_prompt_hash: Bytes, OptionalHash;
    }
    16 ArtifactPublish(ArtifactPublish) "artifact_publish" asks for [ArtifactPublish] about Subject::Itself => {
        1 artifact_id: Text, Id => Text(slot::artifact::ARTIFACT);
        2 content_hash: Bytes, Hash;
        3 category: Text, Id => Text(slot::artifact::CATEGORY);
        4 metadata: Texts, Pairs;
    }
    17 FilePatch(FilePatch) "file_patch" asks for [FilePatch] about Subject::File { path: 1 } => {
        1 path: Path, Path;
        2 unified_diff: Text, Text(MAX_EDIT_SIZE) => Length(slot::file::BYTES);
    }
    18 FsList(FsList) "fs_list" asks for [FsList] about Subject::Glob(1) => {
        1 glob: Path, Path;
        2 max_results: U64, Free => Open(slot::fs_search::MAX_RESULTS);
        3 include_hidden: Bool, Free => Flag(slot::fs_search::HIDDEN);
    }
    19 FsGrep(FsGrep) "fs_grep" asks for [FsGrep] about Subject::Glob(2) => {
        1 pattern: Text, Text(MAX_ARG_LEN);
        2 glob: Path, OptionalPath;
        3 case_sensitive: Bool, Free;
        4 max_results: U64, Free => Open(slot::fs_search::MAX_RESULTS);
    }
    20 FsMove(FsMove) "fs_move" asks for [FsMove] about Subject::Paths(&[1, 2]) => {
        1 src: Path, Path;
        2 dst: Path, Path;
        3 overwrite: Bool, Free => Flag(slot::fs_change::OVERWRITE);
    }
    21 FsCopy(FsCopy) "fs_copy" asks for [FsCopy] about Subject::Paths(&[1, 2]) => {
        1 src: Path, Path;
        2 dst: Path, Path;
        3 overwrite: Bool, Free => Flag(slot::fs_change::OVERWRITE);
        4 preserve_mode: Bool, Free;
    }
    22 FsDelete(FsDelete) "fs_delete" asks for [FsDelete] about Subject::Paths(&[1]) => {
        1 path: Path, Path;
        2 recursive: Bool, Free => Flag(slot::fs_change::RECURSIVE);
        3 force: Bool, Free => Flag(slot::fs_change::FORCE);
    }
    23 ShellInline(ShellInline) "shell_inline" asks for [ShellInline] about Subject::Script { interpreter: 1, cwd: 3 } => {
        1 interpreter: Text, Id;
        2 script: Text, Text(MAX_COMMAND_LEN);
        3 cwd: Path, OptionalPath;
        4 timeout_ms: U64, Most(MAX_TIMEOUT_MS) => Open(slot::interpreter::TIMEOUT);
        5 network_access: Bool, Free => Flag(slot::interpreter::NETWORK);
        6 env: Texts, Environment;
    }
    24 PytestRun(PytestRun) "pytest_run" asks for [PytestRun] about Subject::Tests => {
        1 paths: Texts, TestPaths;
        2 timeout_ms: U64, Most(MAX_TIMEOUT_MS) => Open(slot::interpreter::TIMEOUT);
        3 network_access: Bool, Free => Flag(slot::interpreter::NETWORK);
    }
    25 ProcList(ProcList) "proc_list" asks for [ProcList] about Subject::Itself => {
        1 filter: Text, Size(MAX_ARG_LEN) => Text(slot::processes::FILTER);
        2 limit: U64, Free => Open(slot::processes::MAX_RESULTS);
    }
    26 HttpRequest(HttpRequest) "http_request" asks for [HttpRequest] about Subject::Url(2) => {
        1 method: Text, HttpMethod => Text(slot::http::METHOD);
        2 url: Text, Text(MAX_ARG_LEN);
        3 headers: Texts, Headers;
        4 body: Bytes, Size(MAX_EDIT_SIZE);
        5 timeout_ms: U64, Most(MAX_TIMEOUT_MS) => Open(slot::http::TIMEOUT);
        6 max_bytes: U64, Free;
        7 max_redirects: U64, Free => Open(slot::http::REDIRECTS);
    }
    27 AstGenerate(AstGenerate) "ast_generate" asks for [AstGenerate] about Subject::Globs => {
        1 paths: Texts, Paths;
        2 language: Text, OptionalId => Text(slot::ast::LANGUAGE);
        3 incremental: Bool, Free;
        4 max_files: U64, Free => Open(slot::ast::MAX_FILES);
    }
    28 AstQuery(AstQuery) "ast_query" asks for [AstQuery] about Subject::Glob(3) => {
        1 node_type: Text, OptionalId;
        2 name_like: Text, OptionalId;
        3 file_glob: Path, OptionalPath;
        4 limit: U64, Free;
    }
    29 AstEdit(AstEdit) "ast_edit" asks for [AstEdit] about Subject::Itself => {
        1 operation: Text, Id;
        2 target_node_id: Text, Id;
        3 new_name: Text, Id;
        4 format_on_save: Bool, Free;
        5 validate_build: Bool, Free;
    }
    30 AstValidate(AstValidate) "ast_validate" asks for [AstValidate] about Subject::Itself => {
        1 rules: Text, Text(MAX_COMMAND_LEN);
    }
    31 AstExternal(AstExternal) "ast_external" asks for [AstExternal] about Subject::Itself => {
        1 provider: Text, Id => Text(slot::ast::PROVIDER);
        2 request: Text, Text(MAX_COMMAND_LEN);
    }
    32 ValidateRun(ValidateRun) "validate_run" asks for [ValidateRun] about Subject::Itself => {
        1 rule_id: Text, Id => Text(slot::validation::RULE);
        2 enforcement: Text, OptionalId;
        3 glob: Path, OptionalPath;
    }
    33 MetricsEmit(MetricsEmit) "metrics_emit" asks for [MetricsEmit] about Subject::Itself => {
        1 interval_ms: U64, Most(MAX_TIMEOUT_MS) => Open(slot::validation::INTERVAL);
        2 session_id: Text, OptionalId;
    }
    34 ToolCall(ToolCall) "tool_call" asks for [] about Subject::Declared { tool: 1, operation: 2 } => {
        1 tool: Text, Id;
        2 operation: Text, OptionalId;
        3 arguments: Arguments, Arguments;
    }
    35 FileWriteExtended(FileWriteExtended) "file_write_extended" asks for [FileWrite] about Subject::File { path: 1 } => {
        1 path: Path, Path;
        2 content: Bytes, Size(MAX_WRITE_SIZE) => Length(slot::file::BYTES);
        3 create_only: Bool, Free => Flag(slot::file::CREATE_ONLY);
        4 append: Bool, NotWith(3) => Flag(slot::file::APPEND);
        5 create_dirs: Bool, Free => Flag(slot::file::CREATE_DIRS);
        6 mode: U32, Most(MAX_FILE_MODE);
        7 attribution: Text, Size(MAX_COMMAND_LEN);
    }
    36 ShellExecExtended(ShellExecExtended) "shell_exec_extended" asks for [ShellExec] about Subject::Line { command: 1, cwd: 2 } => {
        1 command: Text, Text(MAX_COMMAND_LEN);
        2 cwd: Path, OptionalPath;
        3 timeout_ms: U64, Most(MAX_TIMEOUT_MS) => Open(slot::shell::TIMEOUT);
        4 network_access: Bool, Free => Flag(slot::shell::NETWORK);
        5 env: Texts, Environment;
        6 stdin: Bytes, Size(MAX_EDIT_SIZE);
    }
}

impl Message {
    /// The message of a number; nothing for a number that is no tool.
    pub(super) fn numbered(number: u32) -> Option<&'static Self> {
        let place = usize::try_from(number.checked_sub(FIRST)?).ok()?;
        MESSAGES.get(place).copied()
    }
}

/// An argument of a declared tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Argument<'a> {
    /// Which.
    pub name: &'a str,
    /// What it is; nothing when the request does not say.
    pub value: Option<ArgumentValue<'a>>,
}

/// What an argument can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgumentValue<'a> {
    /// Field 2.
    Text(&'a str),
    /// Field 3.
    Number(u64),
    /// Field 4.
    Flag(bool),
}

impl<'a> Argument<'a> {
    const FIELDS: &'static [Field] =
        &[part("name", Kind::Text), part("text", Kind::Text), part("number", Kind::U64), part("flag", Kind::Bool)];

    /// Reads an argument with one value at most.
    fn read_at(bytes: &'a [u8], base: usize) -> Result<Self, WireError> {
        let mut fields = Fields::NONE;
        fields.read(bytes, base, Self::FIELDS, None)?;
        let value = match [2, 3, 4].map(|place| fields.value(place)) {
            [Value::Absent, Value::Absent, Value::Absent] => None,
            [Value::Text(text), Value::Absent, Value::Absent] => Some(ArgumentValue::Text(text.as_str())),
            [Value::Absent, Value::Number(number), Value::Absent] => Some(ArgumentValue::Number(number)),
            [Value::Absent, Value::Absent, Value::Number(flag)] => Some(ArgumentValue::Flag(flag != 0)),
            _ => return Err(WireError { reason: Malformed::SecondValue, at: base }),
        };
        Ok(Self { name: fields.text(1), value })
    }
}

/// Whether bytes at a place are an argument.
fn is_argument(bytes: &[u8], base: usize) -> Result<(), WireError> {
    Argument::read_at(bytes, base).map(|_| ())
}

impl<'a> Entry<'a> for Argument<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        Self::read_at(bytes, 0).ok()
    }
}

/// A field of an argument, which is checked with the argument.
const fn part(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, bound: Bound::Free, fact: Fact::Unsaid }
}

/// Whether numbers are one, two, three and so on, and no more than there is room for.
const fn are_counted(numbers: &[u32]) -> bool {
    let mut rest = numbers;
    let mut expected = 1;
    while let [first, after @ ..] = rest {
        if *first != expected {
            return false;
        }
        expected = expected.wrapping_add(1);
        rest = after;
    }
    numbers.len() <= FIELDS_MAX
}

/// True when the operation has an attribute in each slot that the fields fill.
#[expect(clippy::as_conversions, reason = "`From` is not const")]
const fn have_slots(message: &Message) -> bool {
    let Some(operation) = message.operation else { return true };
    let Attributes { strings, numbers, flags } = operation.attributes();
    let mut rest = message.fields;
    while let [first, after @ ..] = rest {
        let is_there = match first.fact {
            Fact::Unsaid => true,
            Fact::Text(slot) => (slot as usize) < strings.len(),
            Fact::Number(slot) | Fact::Open(slot) | Fact::Length(slot) => (slot as usize) < numbers.len(),
            Fact::Flag(bit) => (bit as usize) < flags.len(),
        };
        if !is_there {
            return false;
        }
        rest = after;
    }
    true
}

const fn lists_of(fields: &[Field]) -> u32 {
    let mut rest = fields;
    let mut lists: u32 = 0;
    while let [first, after @ ..] = rest {
        if matches!(first.kind, Kind::Texts | Kind::Arguments) {
            lists = lists.wrapping_add(1);
        }
        rest = after;
    }
    lists
}

/// The number of the first message.
const FIRST: u32 = 10;

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    #[test]
    fn a_table_of_fields_that_leaves_out_a_number_or_has_too_many_does_not_build() {
        assert!(are_counted(&[]) && are_counted(&[1]) && are_counted(&[1, 2, 3, 4, 5, 6, 7]));
        for wrong in [&[0][..], &[2], &[1, 1], &[1, 3], &[2, 1], &[1, 2, 3, 4, 5, 6, 7, 8]] {
            assert!(!are_counted(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn every_operation_is_asked_for_by_a_message() {
        for operation in Operation::ALL {
            let asks = |message: &&Message| match message.subject {
                Subject::Git { .. } => operation.name().starts_with("git."),
                _ => message.operation == Some(*operation),
            };
            assert!(MESSAGES.iter().any(asks), "{}", operation.name());
        }
    }

    #[test]
    fn the_lists_of_a_message_are_counted() {
        for (kinds, lists) in [
            (&[][..], 0),
            (&[Kind::Text], 0),
            (&[Kind::Text, Kind::Texts, Kind::Bytes], 1),
            (&[Kind::Texts, Kind::Arguments, Kind::Texts], 3),
        ] {
            let fields: Vec<Field> = kinds.iter().map(|kind| part("x", *kind)).collect();
            assert_eq!(lists_of(&fields), lists, "{kinds:?}");
        }
    }
}
