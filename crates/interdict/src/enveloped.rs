//! A response of the protocol -> a response of the tool runtime.

use enforce_exec::FaultCode;
use enforce_exec::results::Ran;
use sha2::{Digest as _, Sha256 as Hasher};
use tool_wire::envelope::{ErrorCode, ResponseError, ToolResponse};
use tool_wire::invoke::Sha256;
use tool_wire::proto::tool_request::Tool;
use tool_wire::proto::tool_response;
use tool_wire::{Json, Object, ToolDenied, ToolError};

/// The response, in an envelope. `result` is what a success holds or names.
pub(crate) fn response(
    tool: String,
    call: Option<&Tool>,
    response: tool_wire::ToolResponse,
    result: Vec<u8>,
) -> ToolResponse {
    let request_id = response.request_id;
    let (data, duration_ms, error) = match response.result {
        Some(tool_response::Result::Success(success)) => {
            let (data, error) = given(call, result);
            (data, success.duration_ms, error)
        }
        Some(tool_response::Result::Denied(denied)) => (Json::Null, 0, Some(of_denial(&denied))),
        Some(tool_response::Result::Error(error)) => (Json::Null, 0, Some(of_error(error))),
        None => (Json::Null, 0, Some(internal("the response says nothing"))),
    };
    ToolResponse { ok: error.is_none(), tool, request_id, duration_ms, data, errors: error.into_iter().collect() }
}

/// What the tool gave, and what that says of its success.
fn given(call: Option<&Tool>, result: Vec<u8>) -> (Json, Option<ResponseError>) {
    if let Some(Tool::FileRead(_)) = call {
        return content(result);
    }
    let error = match serde_json::from_slice::<Ran>(&result) {
        Ok(ran) if ran.timed_out => Some(ResponseError {
            code: ErrorCode::Timeout,
            message: "the command took too long and was killed".to_owned(),
        }),
        Ok(_) | Err(_) => None,
    };
    match Json::new(&result) {
        Ok(data) => (data, error),
        Err(error) => (Json::Null, Some(internal(&error.to_string()))),
    }
}

/// What a file holds, as the runtime's `file_read` gives it: text.
fn content(bytes: Vec<u8>) -> (Json, Option<ResponseError>) {
    let sha256 = Sha256::new(Hasher::digest(&bytes).into()).to_string();
    match String::from_utf8(bytes) {
        Ok(text) => {
            let mut object = Object::default();
            let is_whole = object.insert("content", text).is_ok() && object.insert("sha256", sha256).is_ok();
            (Json::Object(object), (!is_whole).then(|| internal("a name is there twice")))
        }
        Err(error) => {
            let message = format!("the file is no UTF-8, as byte {} shows", error.utf8_error().valid_up_to());
            (Json::Null, Some(ResponseError { code: ErrorCode::FileIo, message }))
        }
    }
}

fn of_denial(denied: &ToolDenied) -> ResponseError {
    let code = match denied.rationale_code.as_str() {
        "VALIDATION_FAILED" => ErrorCode::ValidationFail,
        "JUDGE_UNABLE" => ErrorCode::Internal,
        _ => ErrorCode::Policy,
    };
    ResponseError { code, message: sentence(denied) }
}

/// A denial with its rule and its code, which an envelope has no place of their own for.
pub(crate) fn sentence(denied: &ToolDenied) -> String {
    format!("{} [{} {}]", denied.message, denied.rationale_code, denied.rule_id)
}

fn of_error(error: ToolError) -> ResponseError {
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
            | FaultCode::NoSpace,
        ) => ErrorCode::FileIo,
        Some(FaultCode::CommandNotFound | FaultCode::Command) => ErrorCode::Shell,
        Some(FaultCode::Timeout) => ErrorCode::Timeout,
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
    ResponseError { code, message: error.message }
}

fn internal(message: &str) -> ResponseError {
    ResponseError { code: ErrorCode::Internal, message: message.to_owned() }
}
