//! A tool, an action and arguments -> the message that asks for it.

use std::fmt;

use serde::{Deserialize, Serialize};
use tool_proto::tool_request::Tool;
use tool_proto::{Escaped, ToolRequest, folder_glob};

use super::{Failure, FailureKind, typed};
use crate::call::{CallError, tool_of};
use crate::envelope::EnvelopeError;
use crate::json::{Json, Object};

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolInvoke {
    /// Which tool: `filesystem`.
    pub tool: String,
    /// Which of its actions: `read_file`.
    pub action: String,
    /// What is said to it.
    pub args: Object,
}

/// Why an invocation is no message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InvokeError {
    /// There is no such action (INVOKE-UNKNOWN).
    Unknown {
        /// The tool.
        tool: String,
        /// The action.
        action: String,
    },
    /// The arguments are not what the action takes.
    Call(CallError),
}

impl ToolInvoke {
    /// Reads an invocation to its end.
    ///
    /// # Errors
    /// When the text is anything but one invocation.
    pub fn new(text: &[u8]) -> Result<Self, EnvelopeError> {
        typed(text)
    }

    /// As a message.
    ///
    /// # Errors
    /// When there is no such action, or its arguments are not what it takes.
    pub fn message(self, request_id: String, session_token: String) -> Result<ToolRequest, InvokeError> {
        let tool = Some(self.call()?);
        Ok(ToolRequest { request_id, session_token, dedupe_key: String::new(), tool })
    }

    fn call(self) -> Result<Tool, InvokeError> {
        let Self { tool, action, mut args } = self;
        let is_asked = |(known, of, _): &&(&str, &str, &str)| (*known, *of) == (tool.as_str(), action.as_str());
        let Some((_, _, known)) = ACTIONS.iter().find(is_asked).copied() else {
            return Err(InvokeError::Unknown { tool, action });
        };
        let name = format!("{tool}.{action}");
        if known == "fs_list" {
            args = everything_in(&name, args)?;
        }
        tool_of(known, args).map_err(|error| InvokeError::Call(CallError { tool: name, ..error }))
    }
}

/// The arguments of a list of everything in a folder.
fn everything_in(name: &str, mut args: Object) -> Result<Object, InvokeError> {
    use crate::call::CallWrong;
    let refuse = |wrong| Err(InvokeError::Call(CallError { tool: name.to_owned(), wrong }));
    let argument = "path".to_owned();
    let path = match args.take("path") {
        Some(Json::Text(path)) => path,
        Some(other) => return refuse(CallWrong::Type { argument, expected: "text", found: other.kind() }),
        None => return refuse(CallWrong::Missing { argument }),
    };
    // Everything is listed, so there is nothing to say of what is hidden.
    if args.find(HIDDEN).is_some() {
        return refuse(CallWrong::Unknown { argument: HIDDEN.to_owned() });
    }
    // The caller's own glob would be a second one.
    match args.insert("glob", folder_glob(&path)) {
        Ok(()) => Ok(args),
        Err((argument, _)) => refuse(CallWrong::Unknown { argument }),
    }
}

impl InvokeError {
    /// As the result tells it.
    #[must_use]
    pub fn failure(&self) -> Failure {
        let kind = match self {
            Self::Unknown { .. } => FailureKind::PolicyDenied,
            Self::Call(_) => FailureKind::InvalidArguments,
        };
        Failure::new(kind, self.to_string())
    }
}

impl fmt::Display for InvokeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { tool, action } => {
                write!(f, "there is no action `{}` of a tool `{}`; there are ", Escaped(action), Escaped(tool))?;
                let named = ACTIONS.map(|(tool, action, _)| format!("{tool} {action}"));
                write!(f, "{}", named.join(", "))
            }
            Self::Call(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for InvokeError {}

const HIDDEN: &str = "include_hidden";
/// Tools and their actions, and the request that each is.
const ACTIONS: [(&str, &str, &str); 4] = [
    ("filesystem", "read_file", "file_read"),
    ("filesystem", "write_file", "file_write"),
    ("filesystem", "list_dir", "fs_list"),
    ("pytest", "run", "pytest_run"),
];
