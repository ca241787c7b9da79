//! Fields by name -> the message of the protocol.
//!
//! A field has the name of the language where rules know it (`create-only`, `timeout`, `line`), and that of the protocol
//! otherwise, with dashes. What no field says cannot be asked for: the judge reads it from other fields.

use std::collections::BTreeMap;

use enforce_core::git::Verb;
use policy_syntax::{closest, quote};
use serde_json::Value;
use thiserror::Error;
use tool_proto::tool_request::Tool;
use tool_proto::{Argument, ToolCall, ToolRequest, argument};

/// The fields of one request, by name.
pub type Fields = BTreeMap<String, Value>;

/// Why fields are no request.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FieldError {
    /// A field of another type than it needs.
    #[error("{} must be {expected}", quote(field))]
    Type {
        /// Which.
        field: String,
        /// The type that it needs.
        expected: &'static str,
    },
    /// The operation has no such field.
    #[error("{} is not a field of {}{}", quote(field), quote(operation), hint.as_deref().map_or_else(String::new, |hint| format!("; {hint}")))]
    Unknown {
        /// The operation.
        operation: String,
        /// Which field.
        field: String,
        /// The field to use instead.
        hint: Option<String>,
    },
    /// Two fields that say the same.
    #[error("give {} or {}, not both", quote(one), quote(other))]
    Both {
        /// The longer form.
        one: &'static str,
        /// The shorter form.
        other: &'static str,
    },
}

/// Makes the message of an operation, built in or declared by a policy.
///
/// # Errors
/// When a field is not one of the operation's, or of another type.
pub fn request(operation: &str, fields: Fields) -> Result<ToolRequest, FieldError> {
    let mut reader = Reader { operation, fields, known: Vec::new() };
    let tool = reader.tool()?;
    reader.finish()?;
    Ok(ToolRequest {
        request_id: REQUEST_ID.to_owned(),
        session_token: SESSION_TOKEN.to_owned(),
        dedupe_key: String::new(),
        tool: Some(tool),
    })
}

struct Reader<'o> {
    operation: &'o str,
    /// Those that nobody has taken yet.
    fields: Fields,
    known: Vec<&'static str>,
}

impl Reader<'_> {
    fn tool(&mut self) -> Result<Tool, FieldError> {
        use tool_proto as proto;
        Ok(match self.operation {
            "file.read" => Tool::FileRead(proto::FileRead {
                path: self.text("path")?,
                offset: self.number("offset")?,
                limit: self.number("bytes")?,
            }),
            "file.write" => self.file_write()?,
            "file.edit" => Tool::FileEdit(proto::FileEdit {
                path: self.text("path")?,
                old_content: self.text("old-content")?,
                new_content: self.text("new-content")?,
            }),
            "file.patch" => {
                Tool::FilePatch(proto::FilePatch { path: self.text("path")?, unified_diff: self.text("unified-diff")? })
            }
            "fs.list" => Tool::FsList(proto::FsList {
                glob: self.either("glob", "path")?,
                max_results: self.number("max-results")?,
                include_hidden: self.flag("hidden")?,
            }),
            "fs.grep" => Tool::FsGrep(proto::FsGrep {
                pattern: self.text("pattern")?,
                glob: self.either("glob", "path")?,
                case_sensitive: self.flag("case-sensitive")?,
                max_results: self.number("max-results")?,
            }),
            "fs.move" => Tool::FsMove(proto::FsMove {
                src: self.text("src")?,
                dst: self.text("dst")?,
                overwrite: self.flag("overwrite")?,
            }),
            "fs.copy" => Tool::FsCopy(proto::FsCopy {
                src: self.text("src")?,
                dst: self.text("dst")?,
                overwrite: self.flag("overwrite")?,
                preserve_mode: self.flag("preserve-mode")?,
            }),
            "fs.delete" => Tool::FsDelete(proto::FsDelete {
                path: self.text("path")?,
                recursive: self.flag("recursive")?,
                force: self.flag("force")?,
            }),
            "shell.exec" => self.shell_exec()?,
            "shell.inline" => Tool::ShellInline(proto::ShellInline {
                interpreter: self.text("interpreter")?,
                script: self.text("script")?,
                cwd: self.text("cwd")?,
                timeout_ms: self.number("timeout")?,
                network_access: self.flag("network")?,
                env: self.pairs("env", "=")?,
            }),
            "pytest.run" => Tool::PytestRun(proto::PytestRun {
                paths: self.one_or_more("paths", "path")?,
                timeout_ms: self.number("timeout")?,
                network_access: self.flag("network")?,
            }),
            "proc.list" => {
                Tool::ProcList(proto::ProcList { filter: self.text("filter")?, limit: self.number("max-results")? })
            }
            "http.request" => Tool::HttpRequest(proto::HttpRequest {
                method: self.text("method")?,
                url: self.text("url")?,
                headers: self.pairs("headers", ": ")?,
                body: self.text("body")?.into_bytes(),
                timeout_ms: self.number("timeout")?,
                max_bytes: self.number("max-bytes")?,
                max_redirects: self.number("redirects")?,
            }),
            "ast.generate" => Tool::AstGenerate(proto::AstGenerate {
                paths: self.one_or_more("paths", "path")?,
                language: self.text("language")?,
                incremental: self.flag("incremental")?,
                max_files: self.number("max-files")?,
            }),
            "ast.query" => Tool::AstQuery(proto::AstQuery {
                node_type: self.text("node-type")?,
                name_like: self.text("name-like")?,
                file_glob: self.either("file-glob", "path")?,
                limit: self.number("limit")?,
            }),
            "ast.edit" => Tool::AstEdit(proto::AstEdit {
                operation: self.text("operation")?,
                target_node_id: self.text("target-node-id")?,
                new_name: self.text("new-name")?,
                format_on_save: self.flag("format-on-save")?,
                validate_build: self.flag("validate-build")?,
            }),
            "ast.validate" => Tool::AstValidate(proto::AstValidate { rules: self.json("rules") }),
            "ast.external" => Tool::AstExternal(proto::AstExternal {
                provider: self.text("provider")?,
                request: self.json("request"),
            }),
            "validate.run" => Tool::ValidateRun(proto::ValidateRun {
                rule_id: self.text("rule")?,
                enforcement: self.text("enforcement")?,
                glob: self.text("glob")?,
            }),
            "metrics.emit" => Tool::MetricsEmit(proto::MetricsEmit {
                interval_ms: self.number("interval")?,
                session_id: self.text("session-id")?,
            }),
            "inference.call" => Tool::Inference(proto::InferenceCall {
                provider: self.text("provider")?,
                model: self.text("model")?,
                prompt_hash: self.hash("prompt-hash")?.unwrap_or_else(|| NO_HASH.to_vec()),
                max_tokens: self.number("tokens")?,
                temperature_scaled: self.small("temperature")?,
                system_prompt_hash: self.hash("system-prompt-hash")?.unwrap_or_default(),
            }),
            "artifact.publish" => Tool::ArtifactPublish(proto::ArtifactPublish {
                artifact_id: self.text("artifact")?,
                content_hash: self.hash("content-hash")?.unwrap_or_else(|| NO_HASH.to_vec()),
                category: self.text("category")?,
                metadata: self.pairs("metadata", "=")?,
            }),
            name => match git_verb(name) {
                Some(verb) => Tool::GitOp(proto::GitOperation {
                    operation: verb.wire_name().to_owned(),
                    args: self.texts("args")?,
                    cwd: self.text("cwd")?,
                }),
                None => self.declared(name)?,
            },
        })
    }

    /// The shorter message when it says everything.
    fn file_write(&mut self) -> Result<Tool, FieldError> {
        let extended = tool_proto::FileWriteExtended {
            path: self.text("path")?,
            content: self.text("content")?.into_bytes(),
            create_only: self.flag("create-only")?,
            append: self.flag("append")?,
            create_dirs: self.flag("create-dirs")?,
            mode: self.small("mode")?,
            attribution: self.json("attribution"),
        };
        if extended.create_dirs || extended.mode != 0 || !extended.attribution.is_empty() {
            return Ok(Tool::FileWriteExtended(extended));
        }
        let tool_proto::FileWriteExtended { path, content, create_only, append, .. } = extended;
        Ok(Tool::FileWrite(tool_proto::FileWrite { path, content, create_only, append }))
    }

    /// The shorter message when nothing is put in.
    fn shell_exec(&mut self) -> Result<Tool, FieldError> {
        let has_input = self.fields.contains_key("stdin");
        let (command, cwd) = (self.text("line")?, self.text("cwd")?);
        let (timeout_ms, network_access) = (self.number("timeout")?, self.flag("network")?);
        let (env, stdin) = (self.pairs("env", "=")?, self.text("stdin")?.into_bytes());
        Ok(match has_input {
            false => Tool::ShellExec(tool_proto::ShellExec { command, cwd, timeout_ms, network_access, env }),
            true => Tool::ShellExecExtended(tool_proto::ShellExecExtended {
                command,
                cwd,
                timeout_ms,
                network_access,
                env,
                stdin,
            }),
        })
    }

    /// The parameters of a declared tool, whose types the judge checks.
    fn declared(&mut self, name: &str) -> Result<Tool, FieldError> {
        let (tool, operation) = name.split_once('.').unwrap_or((name, ""));
        let arguments = std::mem::take(&mut self.fields).into_iter().map(|(name, value)| {
            let value = match value {
                Value::String(text) => argument::Value::Text(text),
                Value::Bool(flag) => argument::Value::Flag(flag),
                Value::Number(number) if number.is_u64() => {
                    argument::Value::Number(number.as_u64().unwrap_or_default())
                }
                Value::Number(_) | Value::Null | Value::Array(_) | Value::Object(_) => {
                    let expected = "a string, true, false or a whole number that is not negative";
                    return Err(FieldError::Type { field: name, expected });
                }
            };
            Ok(Argument { name, value: Some(value) })
        });
        let arguments = arguments.collect::<Result<_, _>>()?;
        Ok(Tool::ToolCall(ToolCall { tool: tool.to_owned(), operation: operation.to_owned(), arguments }))
    }

    fn take(&mut self, name: &'static str) -> Option<Value> {
        self.known.push(name);
        self.fields.remove(name)
    }

    fn text(&mut self, name: &'static str) -> Result<String, FieldError> {
        match self.take(name) {
            None => Ok(String::new()),
            Some(Value::String(text)) => Ok(text),
            Some(_) => Err(wrong(name, "a string")),
        }
    }

    /// A field under its name in the protocol, or under the one that rules have for it.
    fn either(&mut self, name: &'static str, short: &'static str) -> Result<String, FieldError> {
        self.refuse_both(name, short)?;
        let (long, short) = (self.text(name)?, self.text(short)?);
        Ok(if long.is_empty() { short } else { long })
    }

    fn refuse_both(&self, one: &'static str, other: &'static str) -> Result<(), FieldError> {
        let both = self.fields.contains_key(one) && self.fields.contains_key(other);
        if both { Err(FieldError::Both { one, other }) } else { Ok(()) }
    }

    fn number(&mut self, name: &'static str) -> Result<u64, FieldError> {
        let expected = "a whole number that is not negative";
        self.take(name).map_or(Ok(0), |value| value.as_u64().ok_or_else(|| wrong(name, expected)))
    }

    /// A number of 32 bits; the judge refuses more than the largest of them can say.
    fn small(&mut self, name: &'static str) -> Result<u32, FieldError> {
        self.number(name).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
    }

    fn flag(&mut self, name: &'static str) -> Result<bool, FieldError> {
        self.take(name).map_or(Ok(false), |value| value.as_bool().ok_or_else(|| wrong(name, "true or false")))
    }

    fn texts(&mut self, name: &'static str) -> Result<Vec<String>, FieldError> {
        let text = |value| match value {
            Value::String(text) => Some(text),
            _ => None,
        };
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(list)) => {
                list.into_iter().map(text).collect::<Option<_>>().ok_or_else(|| wrong(name, "a list of strings"))
            }
            Some(_) => Err(wrong(name, "a list of strings")),
        }
    }

    /// A list, or one entry of it under the name that rules have for it.
    fn one_or_more(&mut self, name: &'static str, short: &'static str) -> Result<Vec<String>, FieldError> {
        self.refuse_both(name, short)?;
        let (list, one) = (self.texts(name)?, self.take(short));
        match one {
            None => Ok(list),
            Some(Value::String(one)) => Ok(vec![one]),
            Some(_) => Err(wrong(short, "a string")),
        }
    }

    /// An object of strings as entries: `KEY=VALUE`, `Name: value`.
    fn pairs(&mut self, name: &'static str, between: &str) -> Result<Vec<String>, FieldError> {
        let pair = |(key, value): (String, Value)| Some(format!("{key}{between}{}", value.as_str()?));
        match self.take(name) {
            None => Ok(Vec::new()),
            Some(Value::Object(map)) => {
                map.into_iter().map(pair).collect::<Option<_>>().ok_or_else(|| wrong(name, "an object of strings"))
            }
            Some(_) => Err(wrong(name, "an object of strings")),
        }
    }

    /// JSON as text, which is how the protocol carries it.
    fn json(&mut self, name: &'static str) -> String {
        self.take(name).map_or_else(String::new, |value| value.to_string())
    }

    fn hash(&mut self, name: &'static str) -> Result<Option<Vec<u8>>, FieldError> {
        if !self.fields.contains_key(name) {
            self.known.push(name);
            return Ok(None);
        }
        let text = self.text(name)?;
        let byte = |at: usize| u8::from_str_radix(text.get(at..at.saturating_add(2))?, 16).ok();
        let bytes: Option<Vec<u8>> = (0..text.len()).step_by(2).map(byte).collect();
        bytes.map(Some).ok_or_else(|| wrong(name, "hexadecimal digits"))
    }

    fn finish(self) -> Result<(), FieldError> {
        let Some((field, _)) = self.fields.into_iter().next() else {
            return Ok(());
        };
        let hint = field_for(self.operation, &field).map(str::to_owned);
        let meant =
            || closest(&field, self.known.iter().copied()).map(|meant| format!("did you mean {}?", quote(meant)));
        Err(FieldError::Unknown { hint: hint.or_else(meant), operation: self.operation.to_owned(), field })
    }
}

fn wrong(field: &str, expected: &'static str) -> FieldError {
    FieldError::Type { field: field.to_owned(), expected }
}

/// The verb of `git.push`.
pub(crate) fn git_verb(operation: &str) -> Option<Verb> {
    let name = operation.strip_prefix("git.")?;
    Verb::ALL.into_iter().find(|verb| verb.wire_name().eq_ignore_ascii_case(name))
}

/// Where a fact that rules know is written in a request.
fn field_for(operation: &str, fact: &str) -> Option<&'static str> {
    let tool = operation.split('.').next().unwrap_or_default();
    Some(match (tool, operation, fact) {
        ("shell", "shell.exec", "command" | "subcommand") => "write the whole line in `line`",
        ("shell", "shell.exec", "complex") => "the judge reads it from `line`",
        ("shell", "shell.inline", "command") => "name the interpreter in `interpreter`",
        ("shell", "shell.inline", "path") => "name the directory in `cwd`",
        ("pytest", _, "command") => "it is always `pytest`",
        ("shell" | "pytest", _, "output") | ("http", _, "output") => "it is known only after the act",
        ("http", _, "host" | "scheme" | "port" | "url-path") => "write the whole address in `url`",
        ("file", _, "name" | "extension") => "the judge reads it from `path`",
        ("file", "file.write", "bytes") => "it is the length of `content`",
        ("file", "file.edit", "bytes") => "it is the length of `new-content`",
        ("file", "file.patch", "bytes") => "it is the length of `unified-diff`",
        ("fs", "fs.move" | "fs.copy", "path") => "name both paths, in `src` and `dst`",
        ("git", _, "path" | "ref" | "remote" | "url" | "force" | "all") => "write what git is given in `args`",
        ("artifact", _, "bytes") => "it is the length of the stored content",
        _ => return None,
    })
}

/// Names that no session gives.
const REQUEST_ID: &str = "request";
const SESSION_TOKEN: &str = "session";
/// Stands for a content that no rule asks about.
const NO_HASH: [u8; enforce_core::limits::HASH_SIZE] = [0; enforce_core::limits::HASH_SIZE];
