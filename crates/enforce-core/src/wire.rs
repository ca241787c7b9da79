//! Bytes -> Request: what `tool.proto` encodes, in place, and nothing else.
//!
//! A lenient reader of protocol buffers takes the last of two tools, skips what it does not know and puts
//! pieces of a message together. Here each of these is an error, so that everybody who reads the bytes reads the
//! same request.

mod cursor;
mod error;
mod fields;
mod messages;
mod repeated;

pub use error::{Malformed, WireError};
pub use messages::{
    Argument, ArgumentValue, ArtifactPublish, AstEdit, AstExternal, AstGenerate, AstQuery, AstValidate, FileEdit,
    FilePatch, FileRead, FileWrite, FileWriteExtended, FsCopy, FsDelete, FsGrep, FsList, FsMove, GitOperation,
    HttpRequest, InferenceCall, MetricsEmit, ProcList, PytestRun, ShellExec, ShellExecExtended, ShellInline, ToolCall,
    ValidateRun,
};
pub use repeated::{Entry, Repeated, Texts};

use crate::limits::MAX_REQUEST_SIZE;
use cursor::{Cursor, Shape};
use fields::{Fields, Kind, text};
use messages::Message;

/// One call of one tool. It borrows from its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Request<'a> {
    /// Names the request.
    pub request_id: &'a str,
    /// Names the session.
    pub session_token: &'a str,
    /// A repeat under the same key is not run again.
    pub dedupe_key: &'a str,
    /// What is asked for; nothing when the request does not say.
    pub tool: Option<Tool<'a>>,
}

macro_rules! tools {
    ($($number:literal $tool:ident($message:ident)),+ $(,)?) => {
        /// What is asked for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Tool<'a> {
            $(#[doc = concat!("Field ", $number, ".")] $tool($message<'a>),)+
        }

        impl<'a> Tool<'a> {
            /// The fields of its message; nothing for a number that is no tool.
            fn kinds(number: u32) -> Option<&'static [Kind]> {
                Some(match number {
                    $($number => $message::KINDS,)+
                    _ => return None,
                })
            }

            #[inline(never)]
            fn of(number: u32, fields: &Fields<'a>) -> Option<Self> {
                Some(match number {
                    $($number => Self::$tool($message::of(fields)),)+
                    _ => return None,
                })
            }
        }
    };
}

tools! {
    10 FileRead(FileRead),
    11 FileWrite(FileWrite),
    12 FileEdit(FileEdit),
    13 ShellExec(ShellExec),
    14 GitOp(GitOperation),
    15 Inference(InferenceCall),
    16 ArtifactPublish(ArtifactPublish),
    17 FilePatch(FilePatch),
    18 FsList(FsList),
    19 FsGrep(FsGrep),
    20 FsMove(FsMove),
    21 FsCopy(FsCopy),
    22 FsDelete(FsDelete),
    23 ShellInline(ShellInline),
    24 PytestRun(PytestRun),
    25 ProcList(ProcList),
    26 HttpRequest(HttpRequest),
    27 AstGenerate(AstGenerate),
    28 AstQuery(AstQuery),
    29 AstEdit(AstEdit),
    30 AstValidate(AstValidate),
    31 AstExternal(AstExternal),
    32 ValidateRun(ValidateRun),
    33 MetricsEmit(MetricsEmit),
    34 ToolCall(ToolCall),
    35 FileWriteExtended(FileWriteExtended),
    36 ShellExecExtended(ShellExecExtended),
}

impl<'a> Request<'a> {
    /// Reads a request to its end.
    ///
    /// # Errors
    /// When the bytes are anything but one encoded request.
    #[inline(never)]
    pub fn read(bytes: &'a [u8]) -> Result<Self, WireError> {
        if bytes.len() > MAX_REQUEST_SIZE {
            return Err(WireError { reason: Malformed::TooLarge, at: MAX_REQUEST_SIZE });
        }
        let mut request = Self::default();
        let mut seen = [false; 3];
        let mut cursor = Cursor::new(bytes, 0);
        while let Some(tag) = cursor.tag()? {
            let number = tag.number;
            let refuse = |reason| Err(WireError { reason, at: tag.at });
            let (place, field) = match number {
                1 => (0, &mut request.request_id),
                2 => (1, &mut request.session_token),
                3 => (2, &mut request.dedupe_key),
                _ => {
                    let Some(kinds) = Tool::kinds(number) else {
                        return refuse(Malformed::UnknownField { number });
                    };
                    if tag.shape != Shape::Delimited {
                        return refuse(Malformed::WireType { number });
                    }
                    if request.tool.is_some() {
                        return refuse(Malformed::SecondTool);
                    }
                    let message = cursor.delimited()?;
                    let base = cursor.place().saturating_sub(message.len());
                    let fields = Fields::read(message, base, kinds, Argument::check)?;
                    request.tool = Tool::of(number, &fields);
                    continue;
                }
            };
            if tag.shape != Shape::Delimited {
                return refuse(Malformed::WireType { number });
            }
            match seen.get_mut(place) {
                Some(seen) if !*seen => *seen = true,
                _ => return refuse(Malformed::RepeatedField { number }),
            }
            *field = text(&mut cursor, number)?;
        }
        Ok(request)
    }
}

#[cfg(test)]
mod tests;
