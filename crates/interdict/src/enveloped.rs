//! A response of the protocol -> a response of the tool runtime.

use std::time::Duration;

use enforce_exec::results::Ran;
use enforce_exec::{FaultCode, RefusalClass};
use tool_json::{ErrorCode, Json, Object, ResponseEnvelope, ResponseError};
use tool_proto::tool_request::Tool;
use tool_proto::{FileRead, ToolDenied, ToolError, ToolResponse, tool_response};

use crate::content::Content;

/// The response, in an envelope. `result` is what a success holds or names, `elapsed` the time since it was asked for.
pub(crate) fn response(
    tool: String,
    call: Option<&Tool>,
    (response, class): (ToolResponse, Option<RefusalClass>),
    result: Vec<u8>,
    elapsed: Duration,
) -> ResponseEnvelope {
    let request_id = response.request_id;
    let (data, told_ms, error) = match response.result {
        Some(tool_response::Result::Success(success)) => {
            let (data, error) = given(call, result);
            (data, Some(success.duration_ms), error)
        }
        Some(tool_response::Result::Denied(denied)) => (Json::Null, None, Some(of_denial(denied, class))),
        Some(tool_response::Result::Error(error)) => (Json::Null, None, Some(of_error(&error))),
        None => (Json::Null, None, Some(internal("the response says nothing"))),
    };
    let duration_ms = told_ms.unwrap_or_else(|| millis(elapsed));
    ResponseEnvelope { ok: error.is_none(), tool, request_id, duration_ms, data, errors: error.into_iter().collect() }
}

/// The answer to a request that no message could be made of.
pub(crate) fn unread(tool: String, request_id: String, message: String, elapsed: Duration) -> ResponseEnvelope {
    let errors = vec![ResponseError::new(ErrorCode::ValidationFail, message)];
    ResponseEnvelope { ok: false, tool, request_id, duration_ms: millis(elapsed), data: Json::Null, errors }
}

/// What the tool gave, and what that says of its success.
fn given(call: Option<&Tool>, result: Vec<u8>) -> (Json, Option<ResponseError>) {
    if let Some(Tool::FileRead(read)) = call {
        return content(read, result);
    }
    let error = match serde_json::from_slice::<Ran>(&result) {
        Ok(ran) if ran.timed_out => {
            Some(ResponseError::new(ErrorCode::Timeout, "the command took too long and was killed"))
        }
        Ok(_) | Err(_) => None,
    };
    match Json::new(&result) {
        Ok(data) => (data, error),
        Err(error) => (Json::Null, Some(internal(&error.to_string()))),
    }
}

/// What a file holds, as the runtime's `file_read` gives it: text.
fn content(read: &FileRead, bytes: Vec<u8>) -> (Json, Option<ResponseError>) {
    match Content::new(read, bytes) {
        Ok(Content { text, sha256, .. }) => {
            let mut object = Object::default();
            let is_whole =
                object.insert("content", text).is_ok() && object.insert("sha256", sha256.to_string()).is_ok();
            (Json::Object(object), (!is_whole).then(|| internal("a name is there twice")))
        }
        Err(message) => (Json::Null, Some(ResponseError::new(ErrorCode::FileIo, message))),
    }
}

fn of_denial(denied: ToolDenied, class: Option<RefusalClass>) -> ResponseError {
    let code = match class {
        Some(RefusalClass::Invalid) => ErrorCode::ValidationFail,
        Some(RefusalClass::Unable) => ErrorCode::Internal,
        Some(RefusalClass::Denied) | None => ErrorCode::Policy,
    };
    ResponseError::denied(code, denied)
}

fn of_error(error: &ToolError) -> ResponseError {
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

fn millis(elapsed: Duration) -> u64 {
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}

fn internal(message: &str) -> ResponseError {
    ResponseError::new(ErrorCode::Internal, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_proto::ToolSuccess;

    #[test]
    fn an_answer_tells_how_long_it_took_whatever_came_of_it() {
        let denied = ToolDenied { rule_id: "r".into(), rationale_code: "C".into(), message: "m".into() };
        let success = ToolSuccess { inline_result: b"{}".to_vec(), duration_ms: 7, ..ToolSuccess::default() };
        let took = |result| {
            let told = ToolResponse { request_id: "r".into(), result };
            response("fs_list".into(), None, (told, None), b"{}".to_vec(), Duration::from_millis(1_234)).duration_ms
        };
        assert_eq!(took(Some(tool_response::Result::Denied(denied))), 1_234);
        assert_eq!(took(Some(tool_response::Result::Error(ToolError::default()))), 1_234);
        assert_eq!(took(None), 1_234);
        assert_eq!(took(Some(tool_response::Result::Success(success))), 7, "the executor knows better");
        assert_eq!(unread(String::new(), String::new(), String::new(), Duration::from_secs(2)).duration_ms, 2_000);
    }
}
