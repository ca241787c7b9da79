//! A refusal of the core -> the envelope or the result that tells it.

use enforce_core::judge::{Refusal, Refused};
use tool_proto::ToolDenied;

use crate::envelope::{ErrorCode, ErrorMessage, ResponseEnvelope, ResponseError};
use crate::invoke::{Failure, FailureKind, Policy};
use crate::json::Json;

impl From<&Refused<'_>> for ErrorMessage {
    fn from(refused: &Refused<'_>) -> Self {
        Self {
            code: ErrorCode::of(&refused.refusal),
            message: ToolDenied::from(&refused.refusal).message,
            request_id: refused.request_id.as_str().to_owned(),
        }
    }
}

impl ResponseEnvelope {
    /// The answer to a request that was refused.
    #[must_use]
    pub fn refused(refused: &Refused<'_>, tool: &str, duration_ms: u64) -> Self {
        let request_id = refused.request_id.as_str().to_owned();
        let errors = vec![ResponseError::denied(ErrorCode::of(&refused.refusal), (&refused.refusal).into())];
        Self { ok: false, tool: tool.to_owned(), request_id, duration_ms, data: Json::Null, errors }
    }
}

impl ErrorCode {
    /// What a refusal is to the tool runtime.
    #[must_use]
    pub fn of(refusal: &Refusal<'_>) -> Self {
        match refusal {
            Refusal::SenderMalformed(_)
            | Refusal::SenderInvalid { .. }
            | Refusal::SenderUrl { .. }
            | Refusal::SenderLine { .. }
            | Refusal::SenderEnvironment { .. }
            | Refusal::SenderGit(_)
            | Refusal::SenderArgument { .. } => Self::ValidationFail,
            Refusal::SenderUnknownSession
            | Refusal::SenderOutsideLease(_)
            | Refusal::SenderPath { .. }
            | Refusal::PolicyUnknownOperation(_)
            | Refusal::PolicyDenies(_)
            | Refusal::PolicyAsks(_) => Self::Policy,
            Refusal::HostWithoutPolicy
            | Refusal::HostBufferTooSmall { .. }
            | Refusal::HostObligationsTooSmall { .. } => Self::Internal,
        }
    }
}

impl From<&Refusal<'_>> for Policy {
    fn from(refusal: &Refusal<'_>) -> Self {
        Self { allowed: false, rule: Some(refusal.rule_id().to_owned()), code: Some(refusal.code().to_owned()) }
    }
}

impl From<&Refusal<'_>> for Failure {
    fn from(refusal: &Refusal<'_>) -> Self {
        let kind = match ErrorCode::of(refusal) {
            ErrorCode::ValidationFail => FailureKind::InvalidArguments,
            ErrorCode::Internal => FailureKind::GovernanceUnavailable,
            // No refusal has a code of the tools' own.
            _ => FailureKind::PolicyDenied,
        };
        Self::new(kind, ToolDenied::from(refusal).message)
    }
}

#[cfg(test)]
mod tests {
    use enforce_core::path::PathError;
    use enforce_core::wire::{Malformed, WireError};

    use super::*;
    use crate::envelope::Envelope;

    fn outside(path: &[u8]) -> Refusal<'_> {
        Refusal::SenderPath { path, error: PathError::Outside }
    }

    #[test]
    fn a_refusal_is_told_with_its_code_and_its_sentence() {
        for (refusal, code, rationale_code) in [
            (
                Refusal::SenderMalformed(WireError { reason: Malformed::Truncated, at: 7 }),
                ErrorCode::ValidationFail,
                "VALIDATION_FAILED",
            ),
            (outside(b"../a"), ErrorCode::Policy, "PATH_ESCAPE"),
            (Refusal::HostBufferTooSmall { needed: 9 }, ErrorCode::Internal, "JUDGE_UNABLE"),
        ] {
            let ToolDenied { message, .. } = ToolDenied::from(&refusal);
            let policy = Policy::from(&refusal);
            assert_eq!((policy.allowed, policy.code.as_deref()), (false, Some(rationale_code)));
            assert_eq!(Failure::from(&refusal).message, message);
            let refused = Refused { request_id: "r".into(), refusal };
            assert_eq!(ErrorMessage::from(&refused), ErrorMessage { code, message, request_id: "r".into() });
        }
    }

    #[test]
    fn sdk_errors_of_a_refused_request_are_an_answer_that_is_read_again() {
        let refused = Refused { request_id: "r".into(), refusal: outside(b"../a\n") };
        let response = ResponseEnvelope::refused(&refused, "file_read", 3);
        let text = Envelope::ToolResponse(response.clone()).to_string();
        let expected = "{\"type\":\"ToolResponse\",\"ok\":false,\"tool\":\"file_read\",\"request_id\":\"r\",\"duration_ms\":3,\
                        \"data\":null,\"errors\":[{\"code\":\"E_POLICY\",\
                        \"message\":\"the path `../a\\\\n` is not inside the root\",\
                        \"rule_id\":\"default-deny\",\"rationale_code\":\"PATH_ESCAPE\"}]}";
        assert_eq!(text, expected);
        assert_eq!(Envelope::new(text.as_bytes()), Ok(Envelope::ToolResponse(response)));
    }
}
