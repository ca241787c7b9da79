//! A request that was made by name -> its first violation, with the names that the caller used.

use tool_proto::{Escaped, ToolRequest, ValidationError, Validator as _, first_of};

/// Returns the first violation of a request, naming the argument that the caller used.
#[must_use]
pub fn violation_of(request: &ToolRequest, tool: &str) -> Option<String> {
    let errors = request.validate().err()?;
    let ValidationError { field, message, .. } = errors.first()?;
    let rest = message.strip_prefix(&format!("`{field}`")).unwrap_or(message);
    let said = match field.split_once('.') {
        Some((_, name)) => format!("the argument `{}` of `{}`{rest}", argument_of(field, tool, name), Escaped(tool)),
        None => message.clone(),
    };
    Some(first_of(said, errors.len()))
}

/// Returns the argument that a field is called in JSON.
fn argument_of<'f>(field: &str, tool: &str, name: &'f str) -> &'f str {
    match field {
        "file_read.limit" => "max_bytes",
        "file_write_extended.mode" => "mode_octal",
        "shell_exec.command" | "shell_exec_extended.command" => "cmd",
        "fs_list.glob" if tool == LIST_DIR => "path",
        "ast_query.node_type" => "where.type",
        "ast_query.name_like" => "where.name_like",
        "ast_query.file_glob" => "where.file_glob",
        "metrics_emit.interval_ms" => "interval",
        _ => name,
    }
}

const LIST_DIR: &str = "filesystem.list_dir";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::fields::Problem;
    use crate::json::{Object, parse_object};
    use crate::{CallError, call_of, tool_of};

    fn object(text: &str) -> Object {
        parse_object(text.as_bytes()).unwrap()
    }

    fn wrong(tool: &str, args: &str) -> Option<String> {
        let message = ToolRequest {
            request_id: "r".into(),
            session_token: "s".into(),
            dedupe_key: String::new(),
            tool: Some(tool_of(tool, object(args)).unwrap()),
        };
        violation_of(&message, tool)
    }

    #[test]
    fn ctr_0031_what_is_wrong_is_told_of_the_argument_that_was_said_with_its_bound() {
        for (tool, args, expected) in [
            (
                "file_read",
                r#"{"path":"a","max_bytes":2000000000}"#,
                "the argument `max_bytes` of `file_read` is too large: 2000000000, 1073741824 at most",
            ),
            (
                "file_write",
                r#"{"path":"a","content":"","mode_octal":"4755"}"#,
                "the argument `mode_octal` of `file_write` is too large: 4755, 0777 at most",
            ),
            (
                "shell_exec",
                r#"{"cmd":"ls","timeout_ms":3600001}"#,
                "the argument `timeout_ms` of `shell_exec` is too large: 3600001, 3600000 at most",
            ),
            ("shell_exec", r#"{"cmd":""}"#, "the argument `cmd` of `shell_exec` is missing"),
            (
                "file_write",
                r#"{"path":"a","content":"","append":true,"create_only":true}"#,
                "the argument `append` of `file_write` cannot be set together with another field: `create_only`",
            ),
            (
                "fs_move",
                r#"{"src":"../a","dst":"b/.."}"#,
                "the argument `src` of `fs_move` has a component `..` at byte 0, the first of 2 violations",
            ),
        ] {
            assert_eq!(wrong(tool, args).as_deref(), Some(expected));
        }
        assert_eq!(wrong("file_read", r#"{"path":"a"}"#), None);
    }

    /// A field that JSON calls by another name would be one that no tool of JSON takes.
    #[test]
    fn ctr_0031_every_argument_that_is_named_is_one_that_its_tool_takes() {
        let mut rng = fastrand::Rng::with_seed(3);
        let mut seen = BTreeSet::new();
        for _ in 0..20_000 {
            let message = tool_proto::testing::request(&mut rng);
            let Some(Ok((tool, _))) = message.tool.clone().map(call_of) else { continue };
            for ValidationError { field, .. } in message.validate().err().unwrap_or_default() {
                // What git is asked for has many names for one field, and a declared tool names its own.
                let is_named = field.contains('.') && !field.starts_with("git_op.") && !field.starts_with("tool_call.");
                if is_named && seen.insert(field.clone()) {
                    let (_, name) = field.split_once('.').unwrap();
                    let names: Vec<&str> = argument_of(&field, &tool, name).split('.').collect();
                    let args =
                        names.iter().rev().fold("null".to_owned(), |below, name| format!("{{\"{name}\":{below}}}"));
                    let error = tool_of(&tool, object(&args)).unwrap_err();
                    let CallError::Argument { error, .. } = error else { panic!("{field}: {error}") };
                    assert_ne!(error.problem, Problem::Unknown, "{field}: {error}");
                }
            }
        }
        assert!(seen.len() > 30, "{seen:?}");
    }
}
