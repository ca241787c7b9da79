//! The messages of `tool.proto`, borrowed from the bytes of a request. What a field means is said there.

use super::error::{Malformed, WireError};
use super::fields::{FIELDS_MAX, Fields, Kind};
use super::repeated::{Entry, Repeated, Texts};

/// A message from the values of its fields.
pub(super) trait Message<'a>: Sized {
    /// The fields, numbered from one on.
    const KINDS: &'static [Kind];

    fn of(fields: &Fields<'a>) -> Self;
}

macro_rules! messages {
    ($($message:ident { $($number:literal $field:ident: $kind:ident),+ })+) => { $(
        #[doc = concat!("`", stringify!($message), "` of `tool.proto`.")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct $message<'a> {
            $(#[doc = concat!("Field ", $number, ".")] pub $field: type_of!($kind),)+
        }

        impl<'a> Message<'a> for $message<'a> {
            const KINDS: &'static [Kind] = &[$(Kind::$kind),+];

            fn of(fields: &Fields<'a>) -> Self {
                Self { $($field: value_of!($kind fields $number)),+ }
            }
        }

        // A field's place among the kinds is its number.
        const _: () = assert!(are_counted(&[$($number),+]));
    )+ };
}

macro_rules! type_of {
    (Text) => { &'a str };
    (Bytes) => { &'a [u8] };
    (U64) => { u64 };
    (U32) => { u32 };
    (Bool) => { bool };
    (Texts) => { Texts<'a> };
    (Arguments) => { Repeated<'a, Argument<'a>> };
}

macro_rules! value_of {
    (Text $fields:ident $number:literal) => {
        $fields.text::<$number>()
    };
    (Bytes $fields:ident $number:literal) => {
        $fields.bytes::<$number>()
    };
    (U64 $fields:ident $number:literal) => {
        $fields.number::<$number>()
    };
    (U32 $fields:ident $number:literal) => {
        u32::try_from($fields.number::<$number>()).unwrap_or(u32::MAX)
    };
    (Bool $fields:ident $number:literal) => {
        $fields.number::<$number>() != 0
    };
    (Texts $fields:ident $number:literal) => {
        $fields.repeated::<_, $number>()
    };
    (Arguments $fields:ident $number:literal) => {
        $fields.repeated::<_, $number>()
    };
}

messages! {
    FileRead { 1 path: Text, 2 offset: U64, 3 limit: U64 }
    FileWrite { 1 path: Text, 2 content: Bytes, 3 create_only: Bool, 4 append: Bool }
    FileEdit { 1 path: Text, 2 old_content: Text, 3 new_content: Text }
    ShellExec { 1 command: Text, 2 cwd: Text, 3 timeout_ms: U64, 4 network_access: Bool, 5 env: Texts }
    GitOperation { 1 operation: Text, 2 args: Texts, 3 cwd: Text }
    InferenceCall {
        1 provider: Text, 2 model: Text, 3 prompt_hash: Bytes, 4 max_tokens: U64, 5 temperature_scaled: U32,
        6 system_prompt_hash: Bytes
    }
    ArtifactPublish { 1 artifact_id: Text, 2 content_hash: Bytes, 3 category: Text, 4 metadata: Texts }
    FilePatch { 1 path: Text, 2 unified_diff: Text }
    FsList { 1 glob: Text, 2 max_results: U64, 3 include_hidden: Bool }
    FsGrep { 1 pattern: Text, 2 glob: Text, 3 case_sensitive: Bool, 4 max_results: U64 }
    FsMove { 1 src: Text, 2 dst: Text, 3 overwrite: Bool }
    FsCopy { 1 src: Text, 2 dst: Text, 3 overwrite: Bool, 4 preserve_mode: Bool }
    FsDelete { 1 path: Text, 2 recursive: Bool, 3 force: Bool }
    ShellInline {
        1 interpreter: Text, 2 script: Text, 3 cwd: Text, 4 timeout_ms: U64, 5 network_access: Bool, 6 env: Texts
    }
    PytestRun { 1 paths: Texts, 2 timeout_ms: U64, 3 network_access: Bool }
    ProcList { 1 filter: Text, 2 limit: U64 }
    HttpRequest {
        1 method: Text, 2 url: Text, 3 headers: Texts, 4 body: Bytes, 5 timeout_ms: U64, 6 max_bytes: U64,
        7 max_redirects: U64
    }
    AstGenerate { 1 paths: Texts, 2 language: Text, 3 incremental: Bool, 4 max_files: U64 }
    AstQuery { 1 node_type: Text, 2 name_like: Text, 3 file_glob: Text, 4 limit: U64 }
    AstEdit {
        1 operation: Text, 2 target_node_id: Text, 3 new_name: Text, 4 format_on_save: Bool, 5 validate_build: Bool
    }
    AstValidate { 1 rules: Text }
    AstExternal { 1 provider: Text, 2 request: Text }
    ValidateRun { 1 rule_id: Text, 2 enforcement: Text, 3 glob: Text }
    MetricsEmit { 1 interval_ms: U64, 2 session_id: Text }
    ToolCall { 1 tool: Text, 2 operation: Text, 3 arguments: Arguments }
    FileWriteExtended {
        1 path: Text, 2 content: Bytes, 3 create_only: Bool, 4 append: Bool, 5 create_dirs: Bool, 6 mode: U32,
        7 attribution: Text
    }
    ShellExecExtended {
        1 command: Text, 2 cwd: Text, 3 timeout_ms: U64, 4 network_access: Bool, 5 env: Texts, 6 stdin: Bytes
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

impl<'a> Message<'a> for Argument<'a> {
    const KINDS: &'static [Kind] = &[Kind::Text, Kind::Text, Kind::U64, Kind::Bool];

    fn of(fields: &Fields<'a>) -> Self {
        let value = if fields.has::<2>() {
            Some(ArgumentValue::Text(fields.text::<2>()))
        } else if fields.has::<3>() {
            Some(ArgumentValue::Number(fields.number::<3>()))
        } else if fields.has::<4>() {
            Some(ArgumentValue::Flag(fields.number::<4>() != 0))
        } else {
            None
        };
        Self { name: fields.text::<1>(), value }
    }
}

impl<'a> Argument<'a> {
    /// Whether bytes are an argument with one value at most.
    pub(super) fn check(bytes: &'a [u8], base: usize) -> Result<(), WireError> {
        let fields = Fields::read(bytes, base, Self::KINDS, |_, _| Ok(()))?;
        match (fields.has::<2>(), fields.has::<3>(), fields.has::<4>()) {
            (true, true, _) | (true, _, true) | (_, true, true) => {
                Err(WireError { reason: Malformed::SecondValue, at: base })
            }
            _ => Ok(()),
        }
    }
}

impl<'a> Entry<'a> for Argument<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        Fields::read(bytes, 0, Self::KINDS, |_, _| Ok(())).ok().map(|fields| Self::of(&fields))
    }
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
