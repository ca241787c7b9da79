//! A tool's name and its arguments in JSON <-> the message of the protocol, without loss.
//!
//! An argument that no message holds is refused, so that nothing that was asked for is dropped on the way to the judge. The
//! way back omits arguments that have their default.

mod arguments;
mod git;

use serde_json::value::Serializer;
use serde_json::{Value, to_value};
use tool_proto::argument::Value as ArgumentValue;
use tool_proto::tool_request::Tool;
use tool_proto::{Argument, Escaped, FileWriteExtended, ToolCall, ToolRequest};

use crate::envelope::RequestEnvelope;
use crate::fields::{FieldError, Fields, Problem, from_object};
use crate::json::{Object, kind};

/// Why a call in JSON is not a message, or a message not a call in JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// A name that no tool can have.
    #[error("`{}` is not a valid tool name", Escaped(.tool))]
    Name { tool: String },
    /// An argument is missing, unknown or has a wrong value.
    #[error("`{}`: {}", Escaped(.tool), Argued(.error))]
    Argument { tool: String, error: FieldError },
    /// The message has something that a call in JSON has no place for.
    #[error("`{}` cannot be written as JSON: {why}", Escaped(.tool))]
    Unwritable { tool: String, why: String },
}

impl CallError {
    pub(crate) fn argument(tool: &str, error: FieldError) -> Self {
        Self::Argument { tool: tool.to_owned(), error }
    }

    /// The same error of a tool that the caller knows by another name.
    pub(crate) fn called(self, tool: String) -> Self {
        match self {
            Self::Name { .. } => Self::Name { tool },
            Self::Argument { error, .. } => Self::Argument { tool, error },
            Self::Unwritable { why, .. } => Self::Unwritable { tool, why },
        }
    }

    fn unwritable(tool: &str, why: impl Into<String>) -> Self {
        Self::Unwritable { tool: tool.to_owned(), why: why.into() }
    }
}

/// Shows the error of an argument.
struct Argued<'e>(&'e FieldError);

impl std::fmt::Display for Argued<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.write("argument", f)
    }
}

/// Returns the message of a request. It has no field for the client's `timestamp`.
///
/// # Errors
/// Fails when an argument is not one that the tool accepts.
pub fn message_of(request: RequestEnvelope) -> Result<ToolRequest, CallError> {
    let RequestEnvelope { tool, args, request_id, session_id, timestamp: _ } = request;
    let tool = Some(tool_of(&tool, args)?);
    Ok(ToolRequest { request_id, session_token: session_id, dedupe_key: String::new(), tool })
}

/// Returns the request of a message.
///
/// # Errors
/// Fails for a message without a tool, and for what JSON has no place for: a dedupe key, bytes that are not UTF-8, two
/// entries with one name.
pub fn envelope_of(message: ToolRequest, timestamp: u64) -> Result<RequestEnvelope, CallError> {
    let ToolRequest { request_id, session_token, dedupe_key, tool } = message;
    let tool = tool.ok_or_else(|| CallError::unwritable("", "there is no tool"))?;
    if !dedupe_key.is_empty() {
        return Err(CallError::unwritable("", "there is a dedupe key"));
    }
    let (tool, args) = call_of(tool)?;
    Ok(RequestEnvelope { tool, args, request_id, session_id: session_token, timestamp })
}

/// The tools whose arguments are the fields of one message.
macro_rules! tools {
    ($($name:literal => $variant:ident),+ $(,)?) => {
        /// Returns the message of a call. A name that is not built in is that of a declared tool, such as `jira.search`.
        ///
        /// # Errors
        /// Fails when an argument is not one that the tool accepts.
        pub fn tool_of(name: &str, args: Object) -> Result<Tool, CallError> {
            let tool = match name {
                $($name => arguments::$variant::deserialize(Fields::of(args)).map(Tool::$variant),)+
                "file_write" => file_write(args),
                "shell_exec" => shell_exec(args),
                "curl" => arguments::HttpRequest::deserialize(Fields::of(without_null(args, "body")))
                    .map(Tool::HttpRequest),
                "ast_query" => from_object::<arguments::AstQuery>(args).map(|query| Tool::AstQuery(query.into())),
                _ => match git::verb(name) {
                    Some(verb) => git::words(verb, args).map(Tool::GitOp),
                    None => return declared(name, args),
                },
            };
            tool.map_err(|error| CallError::argument(name, error))
        }

        /// Returns the name and the arguments of a message.
        ///
        /// # Errors
        /// Fails when the message has something that JSON has no place for.
        pub fn call_of(tool: Tool) -> Result<(String, Object), CallError> {
            let (name, args) = match tool {
                $(Tool::$variant(message) => ($name, arguments::$variant::serialize(&message, Serializer)),)+
                Tool::FileWrite(write) => ("file_write", write_args(&extended(write))),
                Tool::FileWriteExtended(write) => ("file_write", write_args(&write)),
                Tool::ShellExec(exec) => ("shell_exec", arguments::ShellExec::serialize(&exec, Serializer)),
                Tool::ShellExecExtended(exec) => {
                    ("shell_exec", arguments::ShellExecExtended::serialize(&exec, Serializer))
                }
                Tool::HttpRequest(request) => ("curl", arguments::HttpRequest::serialize(&request, Serializer)),
                Tool::AstQuery(query) => ("ast_query", to_value(arguments::AstQuery::from(query))),
                Tool::GitOp(operation) => return git::named(operation),
                Tool::ToolCall(call) => return declared_args(call),
            };
            match args {
                Ok(Value::Object(args)) => Ok((name.to_owned(), args)),
                Ok(other) => Err(CallError::unwritable(name, kind(&other))),
                Err(error) => Err(CallError::unwritable(name, error.to_string())),
            }
        }
    };
}

tools! {
    "file_read" => FileRead,
    "file_edit" => FileEdit,
    "file_patch" => FilePatch,
    "fs_list" => FsList,
    "grep" => FsGrep,
    "fs_move" => FsMove,
    "fs_copy" => FsCopy,
    "fs_delete" => FsDelete,
    "shell_inline" => ShellInline,
    "pytest_run" => PytestRun,
    "proc_list" => ProcList,
    "ast_generate" => AstGenerate,
    "ast_edit" => AstEdit,
    "ast_validate" => AstValidate,
    "ast_external" => AstExternal,
    "validate" => ValidateRun,
    "emit_metrics" => MetricsEmit,
    "inference_call" => Inference,
    "artifact_publish" => ArtifactPublish,
}

/// Uses the shorter message when it has every field that is set.
fn file_write(args: Object) -> Result<Tool, FieldError> {
    let write = arguments::FileWriteExtended::deserialize(Fields::of(args))?;
    if write.create_dirs || write.mode != 0 || !write.attribution.is_empty() {
        return Ok(Tool::FileWriteExtended(write));
    }
    let FileWriteExtended { path, content, create_only, append, .. } = write;
    Ok(Tool::FileWrite(tool_proto::FileWrite { path, content, create_only, append }))
}

fn extended(write: tool_proto::FileWrite) -> FileWriteExtended {
    let tool_proto::FileWrite { path, content, create_only, append } = write;
    FileWriteExtended { path, content, create_only, append, ..Default::default() }
}

fn write_args(write: &FileWriteExtended) -> Result<Value, serde_json::Error> {
    arguments::FileWriteExtended::serialize(write, Serializer)
}

/// Uses the shorter message without input. Input that is empty is input.
fn shell_exec(args: Object) -> Result<Tool, FieldError> {
    let args = without_null(args, "stdin");
    if args.contains_key("stdin") {
        return arguments::ShellExecExtended::deserialize(Fields::of(args)).map(Tool::ShellExecExtended);
    }
    arguments::ShellExec::deserialize(Fields::of(args)).map(Tool::ShellExec)
}

/// Leaves out an argument that is `null`.
fn without_null(mut args: Object, name: &str) -> Object {
    args.retain(|known, value| known != name || !value.is_null());
    args
}

/// The call of a tool that a policy declares: `jira.search` is an operation of it, `jira` the tool as a whole.
fn declared(name: &str, args: Object) -> Result<Tool, CallError> {
    let (tool, operation) = name.split_once('.').unwrap_or((name, ""));
    if tool.is_empty() || name.ends_with('.') && operation.is_empty() {
        return Err(CallError::Name { tool: name.to_owned() });
    }
    let argument = |(argument, value): (String, Value)| {
        let found = kind(&value).to_owned();
        let value = match value {
            Value::String(text) => Some(ArgumentValue::Text(text)),
            Value::Bool(flag) => Some(ArgumentValue::Flag(flag)),
            Value::Number(number) => number.as_u64().map(ArgumentValue::Number),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        };
        let expected = "a string, a boolean or a whole number from 0 on".to_owned();
        match value {
            Some(_) => Ok(Argument { name: argument, value }),
            None => Err(FieldError::new(&argument, Problem::Type { expected, found })),
        }
    };
    let arguments = args.into_iter().map(argument).collect::<Result<_, _>>();
    let arguments = arguments.map_err(|error| CallError::argument(name, error))?;
    Ok(Tool::ToolCall(ToolCall { tool: tool.to_owned(), operation: operation.to_owned(), arguments }))
}

fn declared_args(call: ToolCall) -> Result<(String, Object), CallError> {
    let ToolCall { tool, operation, arguments } = call;
    let name = if operation.is_empty() { tool.clone() } else { format!("{tool}.{operation}") };
    // The way back has to lead to the same tool: it splits at the first dot and knows what is built in.
    let is_reached = !tool.contains('.') && matches!(tool_of(&name, Object::new()), Ok(Tool::ToolCall(_)));
    if !is_reached {
        return Err(CallError::unwritable(&name, "no declared tool has this name"));
    }
    let mut args = Object::new();
    for Argument { name: argument, value } in arguments {
        let value = match value {
            Some(ArgumentValue::Text(text)) => text.into(),
            Some(ArgumentValue::Number(number)) => number.into(),
            Some(ArgumentValue::Flag(flag)) => flag.into(),
            None => {
                return Err(CallError::unwritable(&name, format!("`{}` has no value", Escaped(&argument))));
            }
        };
        if args.contains_key(&argument) {
            return Err(CallError::unwritable(&name, format!("`{}` is there twice", Escaped(&argument))));
        }
        args.insert(argument, value);
    }
    Ok((name, args))
}

#[cfg(test)]
mod tests;
