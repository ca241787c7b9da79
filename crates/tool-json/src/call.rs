//! A tool's name and its arguments in JSON <-> the message of the protocol, without loss.
//!
//! What JSON says and no message holds is refused, so nothing that was asked for is dropped on the way to the judge. The
//! way back gives the same arguments, but for those that say what leaving them out would say.

mod arguments;
mod ast;
mod declared;
mod error;
mod files;
mod git;
mod http;
mod publish;
mod shell;

pub use error::{BadValue, CallError, CallWrong};

use tool_proto::ToolRequest;
use tool_proto::tool_request::Tool;

use crate::envelope::RequestEnvelope;
use crate::json::Object;
use arguments::plain;

/// The request of an envelope as a message. The envelope's time is the client's own word, and no message carries it.
///
/// # Errors
/// When an argument is not what its tool takes.
pub fn message_of(request: RequestEnvelope) -> Result<ToolRequest, CallError> {
    let RequestEnvelope { tool, args, request_id, session_id, timestamp: _ } = request;
    let tool = Some(tool_of(&tool, args)?);
    Ok(ToolRequest { request_id, session_token: session_id, dedupe_key: String::new(), tool })
}

/// A message as the request of an envelope.
///
/// # Errors
/// When the message says what JSON has no place for: a key against repeats, bytes that are no text, two entries with one
/// name, or no tool at all.
pub fn envelope_of(message: ToolRequest, timestamp: u64) -> Result<RequestEnvelope, CallError> {
    let refuse = |wrong| Err(CallError { tool: String::new(), wrong });
    let ToolRequest { request_id, session_token, dedupe_key, tool } = message;
    let Some(tool) = tool else {
        return refuse(CallWrong::NoTool);
    };
    if !dedupe_key.is_empty() {
        return refuse(CallWrong::DedupeKey);
    }
    let (tool, args) = call_of(tool)?;
    Ok(RequestEnvelope { tool, args, request_id, session_id: session_token, timestamp })
}

/// A call by name as it stands in a message. A name that is not built in is a declared tool's: `jira.search`.
///
/// # Errors
/// When an argument is not what its tool takes.
pub fn tool_of(name: &str, args: Object) -> Result<Tool, CallError> {
    by_name(name, args).map_err(|wrong| CallError { tool: name.to_owned(), wrong })
}

/// The name and the arguments of a call.
///
/// # Errors
/// When the message says what JSON has no place for.
pub fn call_of(tool: Tool) -> Result<(String, Object), CallError> {
    let (name, args) = match tool {
        Tool::FileRead(read) => ("file_read", Ok(files::FileRead::from(read).object())),
        Tool::FileWrite(write) => ("file_write", files::written(files::extended(write))),
        Tool::FileWriteExtended(write) => ("file_write", files::written(write)),
        Tool::FileEdit(edit) => ("file_edit", Ok(files::FileEdit::from(edit).object())),
        Tool::FilePatch(patch) => ("file_patch", Ok(files::FilePatch::from(patch).object())),
        Tool::FsList(list) => ("fs_list", Ok(files::FsList::from(list).object())),
        Tool::FsGrep(grep) => ("grep", Ok(files::Grep::from(grep).object())),
        Tool::FsMove(both) => ("fs_move", Ok(files::FsMove::from(both).object())),
        Tool::FsCopy(both) => ("fs_copy", Ok(files::FsCopy::from(both).object())),
        Tool::FsDelete(delete) => ("fs_delete", Ok(files::FsDelete::from(delete).object())),
        Tool::ShellExec(exec) => ("shell_exec", shell::executed(exec)),
        Tool::ShellExecExtended(exec) => ("shell_exec", shell::executed_with_input(exec)),
        Tool::ShellInline(inline) => ("shell_inline", shell::interpreted(inline)),
        Tool::PytestRun(run) => ("pytest_run", Ok(shell::PytestRun::from(run).object())),
        Tool::ProcList(list) => ("proc_list", Ok(shell::ProcList::from(list).object())),
        Tool::HttpRequest(request) => ("curl", http::requested(request)),
        Tool::AstGenerate(generate) => ("ast_generate", Ok(ast::AstGenerate::from(generate).object())),
        Tool::AstQuery(query) => ("ast_query", Ok(ast::queried(query))),
        Tool::AstEdit(edit) => ("ast_edit", Ok(ast::AstEdit::from(edit).object())),
        Tool::AstValidate(validate) => ("ast_validate", ast::validated(&validate)),
        Tool::AstExternal(external) => ("ast_external", ast::forwarded(external)),
        Tool::ValidateRun(run) => ("validate", Ok(ast::Validate::from(run).object())),
        Tool::MetricsEmit(emit) => ("emit_metrics", Ok(ast::EmitMetrics::from(emit).object())),
        Tool::Inference(call) => ("inference_call", publish::inferred(call)),
        Tool::ArtifactPublish(publish) => ("artifact_publish", publish::published(publish)),
        Tool::GitOp(operation) => return git::operated(operation),
        Tool::ToolCall(call) => return declared::called(call),
    };
    match args {
        Ok(args) => Ok((name.to_owned(), args)),
        Err(wrong) => Err(CallError { tool: name.to_owned(), wrong }),
    }
}

fn by_name(name: &str, args: Object) -> Result<Tool, CallWrong> {
    Ok(match name {
        "file_read" => Tool::FileRead(plain::<files::FileRead, _>(args)?),
        "file_write" => files::write(args)?,
        "file_edit" => Tool::FileEdit(plain::<files::FileEdit, _>(args)?),
        "file_patch" => Tool::FilePatch(plain::<files::FilePatch, _>(args)?),
        "fs_list" => Tool::FsList(plain::<files::FsList, _>(args)?),
        "grep" => Tool::FsGrep(plain::<files::Grep, _>(args)?),
        "fs_move" => Tool::FsMove(plain::<files::FsMove, _>(args)?),
        "fs_copy" => Tool::FsCopy(plain::<files::FsCopy, _>(args)?),
        "fs_delete" => Tool::FsDelete(plain::<files::FsDelete, _>(args)?),
        "shell_exec" => shell::exec(args)?,
        "shell_inline" => shell::inline(args)?,
        "pytest_run" => Tool::PytestRun(plain::<shell::PytestRun, _>(args)?),
        "proc_list" => Tool::ProcList(plain::<shell::ProcList, _>(args)?),
        "curl" => http::request(args)?,
        "ast_generate" => Tool::AstGenerate(plain::<ast::AstGenerate, _>(args)?),
        "ast_query" => ast::query(args)?,
        "ast_edit" => Tool::AstEdit(plain::<ast::AstEdit, _>(args)?),
        "ast_validate" => ast::validate(args)?,
        "ast_external" => ast::external(args)?,
        "validate" => Tool::ValidateRun(plain::<ast::Validate, _>(args)?),
        "emit_metrics" => Tool::MetricsEmit(plain::<ast::EmitMetrics, _>(args)?),
        "inference_call" => publish::infer(args)?,
        "artifact_publish" => publish::publish(args)?,
        _ => match git::verb(name) {
            Some(verb) => git::operate(verb, args)?,
            None => declared::call(name, args)?,
        },
    })
}

#[cfg(test)]
mod tests;
