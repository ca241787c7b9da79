//! A response of the protocol -> a response of the tool runtime, or the result of an invocation by tool and action.

use std::time::{Duration, SystemTime};

use enforce_exec::files::FileKind;
use enforce_exec::results::{Listed, Ran, Written};
use enforce_exec::{FaultCode, RefusalClass, UNREADABLE};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tool_json::{
    Effects, Ended, ErrorCode, Failure, FailureKind, FileEffect, Output, Policy, ResponseEnvelope, ResponseError,
    Timestamp, ToolInvokeResult, parse,
};
use tool_proto::tool_request::Tool;
use tool_proto::{FileRead, ToolDenied, ToolError, ToolResponse, tool_response};

/// Returns the response in an envelope. `result` holds the bytes that a success has or names, `elapsed` is the time since
/// the request was read.
pub(crate) fn envelope_response(
    tool: String,
    call: Option<&Tool>,
    response: ToolResponse,
    class: Option<RefusalClass>,
    result: Vec<u8>,
    elapsed: Duration,
) -> ResponseEnvelope {
    let request_id = response.request_id;
    let mut duration_ms = millis(elapsed);
    let (data, error) = match response.result {
        Some(tool_response::Result::Success(success)) => {
            duration_ms = success.duration_ms;
            envelope_data(call, result)
        }
        Some(tool_response::Result::Denied(denied)) => (Value::Null, Some(envelope_denial(denied, class))),
        Some(tool_response::Result::Error(error)) => (Value::Null, Some(envelope_error(&error))),
        None => (Value::Null, Some(ResponseError::new(ErrorCode::Internal, "the response is empty"))),
    };
    ResponseEnvelope { ok: error.is_none(), tool, request_id, duration_ms, data, errors: error.into_iter().collect() }
}

/// The response to an envelope that no message could be made of.
pub(crate) fn invalid_request(
    tool: String,
    request_id: String,
    message: String,
    elapsed: Duration,
) -> ResponseEnvelope {
    let errors = vec![ResponseError::new(ErrorCode::ValidationFail, message)];
    ResponseEnvelope { ok: false, tool, request_id, duration_ms: millis(elapsed), data: Value::Null, errors }
}

/// The result of the tool, and the error that it contains.
fn envelope_data(call: Option<&Tool>, result: Vec<u8>) -> (Value, Option<ResponseError>) {
    if let Some(Tool::FileRead(read)) = call {
        return match Content::new(read, result) {
            Ok(Content { text, sha256, .. }) => (json!({ "content": text, "sha256": sha256 }), None),
            Err(message) => (Value::Null, Some(ResponseError::new(ErrorCode::FileIo, message))),
        };
    }
    let is_late = serde_json::from_slice::<Ran>(&result).is_ok_and(|ran| ran.timed_out);
    let late = is_late.then(|| ResponseError::new(ErrorCode::Timeout, "the command timed out and was killed"));
    match parse(&result) {
        Ok(data) => (data, late),
        Err(error) => (Value::Null, Some(ResponseError::new(ErrorCode::Internal, error.to_string()))),
    }
}

fn envelope_denial(denied: ToolDenied, class: Option<RefusalClass>) -> ResponseError {
    let code = match class {
        Some(RefusalClass::Invalid) => ErrorCode::ValidationFail,
        Some(RefusalClass::Unable) => ErrorCode::Internal,
        Some(RefusalClass::Denied) | None => ErrorCode::Policy,
    };
    ResponseError::denied(code, denied)
}

fn envelope_error(error: &ToolError) -> ResponseError {
    let code = match FaultCode::named(&error.error_code) {
        Some(
            FaultCode::NotFound
            | FaultCode::Exists
            | FaultCode::NotAFile
            | FaultCode::TooLarge
            | FaultCode::NoMatch
            | FaultCode::ManyMatches
            | FaultCode::PatchRejected
            | FaultCode::FileIo
            | FaultCode::PartlyDone
            | FaultCode::NoSpace,
        ) => ErrorCode::FileIo,
        Some(FaultCode::CommandNotFound | FaultCode::Command) => ErrorCode::Shell,
        Some(FaultCode::Timeout) => ErrorCode::Timeout,
        Some(FaultCode::RateLimited) => ErrorCode::Policy,
        Some(FaultCode::BadPattern | FaultCode::KeyReused) => ErrorCode::ValidationFail,
        Some(
            FaultCode::Cancelled
            | FaultCode::Busy
            | FaultCode::ShuttingDown
            | FaultCode::Interrupted
            | FaultCode::LedgerUnavailable
            | FaultCode::StoreUnavailable
            | FaultCode::Unsupported
            | FaultCode::Internal,
        )
        | None => ErrorCode::Internal,
    };
    ResponseError::new(code, error.message.as_str()).with_retry_of(error)
}

/// Returns the response as the result of an invocation. `bytes` are those that a success has or names.
pub(crate) fn invoke_response(
    tool: String,
    action: String,
    call: Option<&Tool>,
    response: ToolResponse,
    class: Option<RefusalClass>,
    bytes: Vec<u8>,
) -> ToolInvokeResult {
    let ended = match response.result {
        Some(tool_response::Result::Success(_)) => invoke_success(call, bytes).unwrap_or_else(failed),
        Some(tool_response::Result::Denied(denied)) => invoke_denial(denied, class, call),
        Some(tool_response::Result::Error(error)) => {
            Ended { policy: policy_of_error(&error), ..failed(failure_of(&error)) }
        }
        None => failed(unusable_result()),
    };
    ToolInvokeResult::new(Timestamp::at(SystemTime::now()), tool, action, ended)
}

/// The result of an invocation that no message could be made of.
pub(crate) fn invalid_invocation(tool: String, action: String, failure: Failure) -> ToolInvokeResult {
    let (rule, code) = UNREADABLE;
    let policy = Policy { allowed: false, rule: Some(rule.to_owned()), code: Some(code.to_owned()) };
    let ended = Ended { policy, error: Some(failure), ..Ended::default() };
    ToolInvokeResult::new(Timestamp::at(SystemTime::now()), tool, action, ended)
}

fn invoke_success(call: Option<&Tool>, bytes: Vec<u8>) -> Result<Ended, Failure> {
    let unusable = |_| unusable_result();
    match call {
        Some(Tool::FileRead(read)) => file_content(read, bytes),
        Some(Tool::FileWrite(tool_proto::FileWrite { path, .. }))
        | Some(Tool::FileWriteExtended(tool_proto::FileWriteExtended { path, .. })) => {
            let Written { bytes, sha256, .. } = serde_json::from_slice(&bytes).map_err(unusable)?;
            let effect = FileEffect::new(path.clone(), bytes, &sha256).ok_or_else(unusable_result)?;
            Ok(Ended { effects: Effects { files: vec![effect] }, ..Ended::default() })
        }
        Some(Tool::FsList(_)) => {
            let listed: Listed = serde_json::from_slice(&bytes).map_err(unusable)?;
            let is_cut = listed.truncated;
            Ok(Ended { output: Output::of_text(&entries(listed)).truncated_if(is_cut), ..Ended::default() })
        }
        Some(Tool::PytestRun(_)) => Ok(test_run(serde_json::from_slice(&bytes).map_err(unusable)?)),
        _ => Err(unusable_result()),
    }
}

/// The content of a file. Bytes that are not UTF-8 are not shown in another way (INVOKE-UTF8), and a part of a file has no
/// effect that describes the whole.
fn file_content(read: &FileRead, bytes: Vec<u8>) -> Result<Ended, Failure> {
    let size_bytes = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let Content { text, sha256, is_whole } =
        Content::new(read, bytes).map_err(|message| Failure::new(FailureKind::EncodingError, message))?;
    let effect = is_whole.then(|| FileEffect::new(read.path.clone(), size_bytes, &sha256)).flatten();
    let effects = Effects { files: effect.into_iter().collect() };
    Ok(Ended { output: Output::of_text(&text), effects, ..Ended::default() })
}

/// The names in a directory, sorted, one a line, marked as `ls -F` does (INVOKE-LIST). A name that could be mistaken for
/// something else is written as JSON, in quotes, before its mark.
fn entries(listed: Listed) -> String {
    let files = listed.files.into_iter().map(|path| (path, FileKind::File));
    let folders = listed.folders.into_iter().map(|path| (path, FileKind::Folder));
    let others = listed.others.into_iter().map(|other| (other.path, other.kind));
    let mut entries: Vec<(String, FileKind)> = files.chain(folders).chain(others).collect();
    entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    let line = |(path, kind): (String, FileKind)| {
        let name = path.rsplit('/').next().unwrap_or_default();
        let is_plain = !name.starts_with('"') && !name.contains(char::is_control) && !name.ends_with(MARKS);
        let name = if is_plain { name.to_owned() } else { Value::from(name).to_string() };
        mark(kind).map_or_else(|| name.clone(), |mark| format!("{name}{mark}"))
    };
    entries.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

fn mark(kind: FileKind) -> Option<char> {
    let [folder, link, pipe, socket, device, unknown] = MARKS;
    match kind {
        FileKind::File => None,
        FileKind::Folder => Some(folder),
        FileKind::Link => Some(link),
        FileKind::Pipe => Some(pipe),
        FileKind::Socket => Some(socket),
        FileKind::Device => Some(device),
        FileKind::Unknown => Some(unknown),
    }
}

fn test_run(ran: Ran) -> Ended {
    let Ran { code, signal, stdout, stderr, truncated, timed_out, duration_ms, cmd } = ran;
    // The result has no field for a signal. It becomes a negative exit code, as in Python's `subprocess`.
    let exit_code = signal.map_or(i64::from(code), |signal| i64::from(signal).saturating_neg());
    let output = Output::of_run(&stdout, &stderr, exit_code, duration_ms, cmd).truncated_if(truncated);
    let message = format!("the tests were killed after {duration_ms} ms");
    Ended { output, error: timed_out.then(|| Failure::new(FailureKind::Timeout, message)), ..Ended::default() }
}

fn invoke_denial(denied: ToolDenied, class: Option<RefusalClass>, call: Option<&Tool>) -> Ended {
    let kind = match class {
        // A `..` breaks a rule of the protocol; the invocation was stopped at the gate all the same (INVOKE-CONTAIN).
        Some(RefusalClass::Invalid) if call.is_some_and(has_parent_component) => FailureKind::PolicyDenied,
        Some(RefusalClass::Invalid) => FailureKind::InvalidArguments,
        Some(RefusalClass::Unable) => FailureKind::GovernanceUnavailable,
        Some(RefusalClass::Denied) | None => FailureKind::PolicyDenied,
    };
    let policy = Policy { allowed: false, rule: Some(denied.rule_id), code: Some(denied.rationale_code) };
    Ended { policy, ..failed(Failure::new(kind, denied.message)) }
}

fn has_parent_component(call: &Tool) -> bool {
    let paths: Vec<&str> = match call {
        Tool::FileRead(read) => vec![&read.path],
        Tool::FileWrite(write) => vec![&write.path],
        Tool::FileWriteExtended(write) => vec![&write.path],
        Tool::FsList(list) => vec![&list.glob],
        Tool::PytestRun(run) => run.paths.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    };
    paths.into_iter().any(|path| path.split('/').any(|component| component == ".."))
}

/// The decision behind an error: a budget that is used up is a denial of the policy.
fn policy_of_error(error: &ToolError) -> Policy {
    let allowed = FaultCode::named(&error.error_code) != Some(FaultCode::RateLimited);
    Policy { allowed, rule: None, code: (!allowed).then(|| error.error_code.clone()) }
}

fn failure_of(error: &ToolError) -> Failure {
    let kind = match FaultCode::named(&error.error_code) {
        Some(FaultCode::NotFound) => FailureKind::NotFound,
        Some(FaultCode::Timeout) => FailureKind::Timeout,
        Some(FaultCode::LedgerUnavailable | FaultCode::StoreUnavailable | FaultCode::ShuttingDown) => {
            FailureKind::GovernanceUnavailable
        }
        Some(FaultCode::BadPattern | FaultCode::KeyReused) => FailureKind::InvalidArguments,
        Some(FaultCode::RateLimited) => FailureKind::PolicyDenied,
        Some(_) | None => FailureKind::IoError,
    };
    Failure::new(kind, error.message.as_str()).with_retry_of(error)
}

fn failed(error: Failure) -> Ended {
    Ended { error: Some(error), ..Ended::default() }
}

fn unusable_result() -> Failure {
    Failure::new(FailureKind::IoError, "the response does not contain the tool's result")
}

/// The bytes that a request read of a file, as text and its hash.
#[derive(Debug, PartialEq, Eq)]
struct Content {
    text: String,
    sha256: String,
    /// False when there may be more in the file.
    is_whole: bool,
}

impl Content {
    /// Fails with a message when the bytes are not text. Where the request's own limit cut a character, the text ends
    /// before it.
    fn new(read: &FileRead, mut bytes: Vec<u8>) -> Result<Self, String> {
        let is_cut = read.limit != 0 && u64::try_from(bytes.len()).is_ok_and(|length| length >= read.limit);
        let is_whole = read.offset == 0 && !is_cut;
        if let Err(error) = str::from_utf8(&bytes) {
            let (at, is_part) = (error.valid_up_to(), error.error_len().is_none());
            match (is_cut && is_part, at) {
                (true, 0) => {
                    let limit = read.limit;
                    return Err(format!(
                        "the {limit} bytes end inside a character; read at least {CHARACTER_BYTES_MAX}"
                    ));
                }
                (true, at) => bytes.truncate(at),
                (false, 0) if read.offset > 0 => {
                    let offset = read.offset;
                    return Err(format!("the file is not UTF-8, or byte {offset} is inside a character"));
                }
                (false, at) => {
                    let at = u64::try_from(at).unwrap_or(u64::MAX).saturating_add(read.offset);
                    return Err(format!("the file is not UTF-8 at byte {at}"));
                }
            }
        }
        let sha256 = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self { text, sha256, is_whole }),
            Err(error) => Err(error.to_string()),
        }
    }
}

fn millis(elapsed: Duration) -> u64 {
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}

const MARKS: [char; 6] = ['/', '@', '|', '=', '%', '?'];
/// The longest character of UTF-8.
const CHARACTER_BYTES_MAX: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use tool_proto::ToolSuccess;

    #[test]
    fn an_envelope_has_a_duration_whatever_the_result_is() {
        let denied = ToolDenied { rule_id: "r".into(), rationale_code: "C".into(), message: "m".into() };
        let success = ToolSuccess { inline_result: b"{}".to_vec(), duration_ms: 7, ..ToolSuccess::default() };
        let duration_of = |result| {
            let response = ToolResponse { request_id: "r".into(), result };
            envelope_response("fs_list".into(), None, response, None, b"{}".to_vec(), Duration::from_millis(1_234))
                .duration_ms
        };
        assert_eq!(duration_of(Some(tool_response::Result::Denied(denied))), 1_234);
        assert_eq!(duration_of(Some(tool_response::Result::Error(ToolError::default()))), 1_234);
        assert_eq!(duration_of(None), 1_234);
        assert_eq!(duration_of(Some(tool_response::Result::Success(success))), 7, "the executor knows better");
        let invalid = invalid_request(String::new(), String::new(), String::new(), Duration::from_secs(2));
        assert_eq!(invalid.duration_ms, 2_000);
    }

    fn content(offset: u64, limit: u64, bytes: &[u8]) -> Result<(String, bool), String> {
        let read = FileRead { path: "a".to_owned(), offset, limit };
        let content = Content::new(&read, bytes.to_owned())?;
        let hash: String = Sha256::digest(content.text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(content.sha256, hash);
        Ok((content.text, content.is_whole))
    }

    #[test]
    fn tool_file_read_text_is_cut_by_the_request_alone_and_between_characters() {
        let euro = "\u{20ac}".as_bytes();
        let is = |text: &str, is_whole| Ok((text.to_owned(), is_whole));
        assert_eq!(content(0, 0, b"ab"), is("ab", true));
        assert_eq!(content(0, 3, b"ab"), is("ab", true));
        assert_eq!(content(0, 2, b"ab"), is("ab", false), "there may be more");
        assert_eq!(content(1, 0, b"b"), is("b", false));
        assert_eq!(content(0, 3, &[b"a", &euro[..2]].concat()), is("a", false));
        let fails = |message: &str| Err(message.to_owned());
        assert_eq!(content(0, 2, &euro[..2]), fails("the 2 bytes end inside a character; read at least 4"));
        assert_eq!(content(0, 0, &[b"a", &euro[..2]].concat()), fails("the file is not UTF-8 at byte 1"));
        assert_eq!(content(0, 9, &[b"a", &euro[..2]].concat()), fails("the file is not UTF-8 at byte 1"));
        assert_eq!(content(0, 3, b"a\xffb"), fails("the file is not UTF-8 at byte 1"), "it is not the cut");
        assert_eq!(content(5, 0, b"a\xff"), fails("the file is not UTF-8 at byte 6"));
        let inside = "the file is not UTF-8, or byte 1 is inside a character";
        assert_eq!(content(1, 0, &euro[1..]), fails(inside));
    }
}
