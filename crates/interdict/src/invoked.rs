//! A response of the protocol -> the result of an invocation by tool and action.

use enforce_exec::files::FileKind;
use enforce_exec::results::{Listed, Ran, Written};
use enforce_exec::{FaultCode, RefusalClass, UNREADABLE};
use tool_json::{Effects, Failure, FailureKind, FileEffect, Json, Output, Policy, Run, Sha256, ToolInvokeResult};
use tool_proto::tool_request::Tool;
use tool_proto::{FileRead, ToolDenied, ToolError, ToolResponse, tool_response};

use crate::clock;
use crate::content::Content;

/// An invocation that no request could be made of.
pub(crate) fn unread(tool: String, action: String, failure: Failure) -> ToolInvokeResult {
    let (rule, code) = UNREADABLE;
    let policy = Policy { allowed: false, rule: Some(rule.to_owned()), code: Some(code.to_owned()) };
    let told = Told { policy, error: Some(failure), ..Told::default() };
    told.result(tool, action)
}

/// The response, as a result. `bytes` is what a success holds or names.
pub(crate) fn result(
    tool: String,
    action: String,
    call: Option<&Tool>,
    (response, class): (ToolResponse, Option<RefusalClass>),
    bytes: Vec<u8>,
) -> ToolInvokeResult {
    let told = match response.result {
        Some(tool_response::Result::Success(_)) => given(call, bytes),
        Some(tool_response::Result::Denied(denied)) => denial(denied, class, call),
        Some(tool_response::Result::Error(error)) => Told { policy: gate(&error), ..failed(failure(&error)) },
        None => failed(broken()),
    };
    told.result(tool, action)
}

/// What a result tells beside who was asked and when.
struct Told {
    policy: Policy,
    output: Output,
    effects: Effects,
    error: Option<Failure>,
}

impl Default for Told {
    fn default() -> Self {
        let policy = Policy { allowed: true, rule: None, code: None };
        Self { policy, output: Output::default(), effects: Effects::default(), error: None }
    }
}

impl Told {
    fn result(self, tool: String, action: String) -> ToolInvokeResult {
        let Self { policy, output, effects, error } = self;
        ToolInvokeResult { timestamp_utc: clock::now(), tool, action, policy, output, effects, error }
    }
}

fn given(call: Option<&Tool>, bytes: Vec<u8>) -> Told {
    match call {
        Some(Tool::FileRead(read)) => content(read, bytes),
        Some(Tool::FileWrite(write)) => written(write.path.clone(), &bytes),
        Some(Tool::FileWriteExtended(write)) => written(write.path.clone(), &bytes),
        Some(Tool::FsList(_)) => match serde_json::from_slice::<Listed>(&bytes) {
            Ok(listed) => {
                let is_cut = listed.truncated;
                let output = Output::of_text(&entries(listed));
                Told { output: if is_cut { output.cut() } else { output }, ..Told::default() }
            }
            Err(_) => failed(broken()),
        },
        Some(Tool::PytestRun(_)) => match serde_json::from_slice(&bytes) {
            Ok(ran) => run(ran),
            Err(_) => failed(broken()),
        },
        _ => failed(broken()),
    }
}

/// The names in a folder, sorted, one a line, each with a mark for what is no file (INVOKE-LIST). A name that could be
/// taken for something else on a line is written as JSON writes it, in quotes, and its mark behind them.
fn entries(listed: Listed) -> String {
    let files = listed.files.into_iter().map(|path| (path, FileKind::File));
    let folders = listed.folders.into_iter().map(|path| (path, FileKind::Folder));
    let others = listed.others.into_iter().map(|other| (other.path, other.kind));
    let mut entries: Vec<(String, FileKind)> = files.chain(folders).chain(others).collect();
    entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    let line = |(path, kind): (String, FileKind)| {
        let name = path.rsplit('/').next().unwrap_or_default();
        let is_plain = !name.starts_with('"') && !name.contains(char::is_control) && !name.ends_with(MARKS);
        let name = if is_plain { name.to_owned() } else { Json::Text(name.to_owned()).to_string() };
        match mark(kind) {
            Some(mark) => format!("{name}{mark}"),
            None => name,
        }
    };
    entries.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

/// As `ls -F` has it, as far as it has one.
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

/// What a file holds. What is no UTF-8 is not shown in another way (INVOKE-UTF8), and of a part nothing is said of the file.
fn content(read: &FileRead, bytes: Vec<u8>) -> Told {
    let size_bytes = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    match Content::new(read, bytes) {
        Ok(Content { text, sha256, is_whole }) => {
            let effect = is_whole.then(|| FileEffect { path: read.path.clone(), size_bytes, sha256 });
            let effects = Effects { files: effect.into_iter().collect() };
            Told { output: Output::of_text(&text), effects, ..Told::default() }
        }
        Err(message) => failed(Failure::new(FailureKind::EncodingError, message)),
    }
}

fn written(path: String, bytes: &[u8]) -> Told {
    let read = serde_json::from_slice::<Written>(bytes).ok();
    let effect = read.and_then(|Written { bytes: size_bytes, sha256, .. }| {
        Some(FileEffect { path, size_bytes, sha256: Sha256::read(&sha256)? })
    });
    match effect {
        Some(effect) => Told { effects: Effects { files: vec![effect] }, ..Told::default() },
        None => failed(broken()),
    }
}

fn run(ran: Ran) -> Told {
    let Ran { code, signal, stdout, stderr, truncated, timed_out, duration_ms, cmd } = ran;
    // There is no field for a signal: it is below zero, where no code is, as the language of these tests tells it.
    let exit_code = signal.map_or(i64::from(code), |signal| i64::from(signal).saturating_neg());
    let output = Output::of_run(&stdout, &stderr, Run { exit_code, duration_ms, cmd });
    let output = if truncated { output.cut() } else { output };
    let error =
        timed_out.then(|| Failure::new(FailureKind::Timeout, format!("the tests were killed after {duration_ms} ms")));
    Told { output, error, ..Told::default() }
}

fn denial(denied: ToolDenied, class: Option<RefusalClass>, call: Option<&Tool>) -> Told {
    let kind = match class {
        // The protocol calls a path that leads up invalid; here it is what the gate is for (INVOKE-CONTAIN).
        Some(RefusalClass::Invalid) if call.is_some_and(leads_up) => FailureKind::PolicyDenied,
        Some(RefusalClass::Invalid) => FailureKind::InvalidArguments,
        Some(RefusalClass::Unable) => FailureKind::GovernanceUnavailable,
        Some(RefusalClass::Denied) | None => FailureKind::PolicyDenied,
    };
    let policy = Policy { allowed: false, rule: Some(denied.rule_id), code: Some(denied.rationale_code) };
    Told { policy, error: Some(Failure::new(kind, denied.message)), ..Told::default() }
}

/// Whether a path of the call has a component `..`.
fn leads_up(call: &Tool) -> bool {
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

/// What the gate said of what failed: a budget that is used up until later is the policy's no.
fn gate(error: &ToolError) -> Policy {
    let allowed = FaultCode::named(&error.error_code) != Some(FaultCode::RateLimited);
    Policy { allowed, rule: None, code: (!allowed).then(|| error.error_code.clone()) }
}

fn failure(error: &ToolError) -> Failure {
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

fn failed(error: Failure) -> Told {
    Told { error: Some(error), ..Told::default() }
}

/// What no executor of this version answers.
fn broken() -> Failure {
    Failure::new(FailureKind::IoError, "the response does not hold what the tool gives")
}

const MARKS: [char; 6] = ['/', '@', '|', '=', '%', '?'];
