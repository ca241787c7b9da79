//! The result of a request -> its response, and the code and rule that the ledger has of it.

use enforce_core::judge::{Denial, Refusal, RefusalClass};
use enforce_core::shell::Line;
use enforce_core::wire::Request;
use enforce_core::{DEFAULT_DENY, Operation};
use exec_record::{Digest, LINE_BYTES_MAX, RetryHint, Spent, StateError, StoreError};
use prost::Message as _;
use tool_proto::{Escaped, ToolDenied, ToolError, ToolRequest, ToolResponse, ToolSuccess, tool_response};

use crate::charges::Unmeasurable;
use crate::fault::{Fault, FaultCode};
use crate::path_judge::{PathDenied, REQUIREMENT_UNMET};
use crate::sandbox::AllowError;
use crate::session::{LoadedSession, SessionError};

/// The response to one request.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    request_id: String,
    body: ResponseBody,
}

impl Response {
    /// The response as a message.
    #[must_use]
    pub fn into_message(self) -> ToolResponse {
        ToolResponse { request_id: self.request_id, ..self.body.message }
    }

    /// The message as bytes (CTR-0023). A message is its fields one after the other, and the id is the first, so nothing is
    /// encoded twice.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let id = ToolResponse { request_id: self.request_id.clone(), result: None };
        let mut bytes = Vec::with_capacity(id.encoded_len().saturating_add(self.body.bytes.len()));
        id.encode_raw(&mut bytes);
        bytes.extend_from_slice(&self.body.bytes);
        bytes
    }

    /// The kind of refusal, for a denial.
    #[must_use]
    pub fn refusal_class(&self) -> Option<RefusalClass> {
        self.body.class
    }
}

/// A response without the id of its request, so that repeats get the same bytes and the ledger their digest.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ResponseBody {
    message: ToolResponse,
    class: Option<RefusalClass>,
    bytes: Vec<u8>,
}

impl ResponseBody {
    /// The body that was stored for repeats.
    pub(crate) fn stored(bytes: Vec<u8>) -> Result<Self, prost::DecodeError> {
        let message = ToolResponse::decode(bytes.as_slice())?;
        // After an intent, only a path can be denied.
        let is_denial = matches!(message.result, Some(tool_response::Result::Denied(_)));
        Ok(Self { message, class: is_denial.then_some(RefusalClass::Denied), bytes })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn with_id(self, request_id: &str) -> Response {
        Response { request_id: request_id.to_owned(), body: self }
    }
}

/// The result of a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    Success(ToolSuccess),
    Denied(RefusalClass, ToolDenied),
    Fault(Fault),
    /// A budget does not have enough left now, and will have later.
    Later {
        budget: String,
        fault: Fault,
    },
}

impl Outcome {
    /// A refusal of the judge. The sentence for a denied command is the one of the tools' contract, which says whether no
    /// command is allowed, or not this one (SEC-ALLOW-EMPTY, SEC-ALLOW-MISS).
    pub(crate) fn refused(refusal: &Refusal<'_>, is_listed: bool, session: Option<&LoadedSession>) -> Self {
        let denied = ToolDenied::from(refusal);
        let unlisted = match (refusal, session) {
            (Refusal::PolicyDenies(denial), Some(session))
                if denial.operation_name() == Operation::ShellExec.name() && denial.rule().is_none() =>
            {
                unlisted(denial, session.allows_commands(denial.table().digest().into()), is_listed)
            }
            _ => None,
        };
        let message = unlisted.map_or(denied.message, |error| error.to_string());
        Self::Denied(refusal.class(), ToolDenied { message, ..denied })
    }

    /// It is not known whether the act happened.
    pub(crate) fn interrupted() -> Self {
        let message = "the program ended while it handled the same request: it is not known whether the act happened";
        Self::Fault(Fault::new(FaultCode::Interrupted, message))
    }

    /// The code for the ledger.
    pub(crate) fn code(&self) -> &str {
        match self {
            Self::Success(_) => "DONE",
            Self::Denied(_, denied) => &denied.rationale_code,
            Self::Fault(fault) | Self::Later { fault, .. } => fault.code.as_str(),
        }
    }

    /// True if the same request may succeed later (CTR-0029).
    pub(crate) fn is_retryable(&self) -> bool {
        match self {
            Self::Fault(fault) | Self::Later { fault, .. } => fault.retry_after_ms.is_some(),
            Self::Success(_) | Self::Denied(..) => false,
        }
    }

    /// The rule that decided, for the ledger.
    pub(crate) fn rule(&self) -> &str {
        match self {
            Self::Denied(_, denied) => &denied.rule_id,
            Self::Later { budget, .. } => budget,
            Self::Success(_) | Self::Fault(_) => DEFAULT_DENY,
        }
    }
}

impl From<Outcome> for ResponseBody {
    fn from(outcome: Outcome) -> Self {
        let (class, result) = match outcome {
            Outcome::Success(success) => (None, tool_response::Result::Success(success)),
            Outcome::Denied(class, denied) => (Some(class), tool_response::Result::Denied(denied)),
            Outcome::Fault(fault) | Outcome::Later { fault, .. } => {
                (None, tool_response::Result::Error(ToolError::from(&fault)))
            }
        };
        let message = ToolResponse { request_id: String::new(), result: Some(result) };
        let bytes = message.encode_to_vec();
        Self { message, class, bytes }
    }
}

/// The sentence about a command for which no rule decided.
fn unlisted(denial: &Denial<'_>, allows_commands: bool, is_listed: bool) -> Option<AllowError> {
    if !allows_commands {
        return Some(AllowError::NotConfigured);
    }
    // Rules are about this command under other conditions: the policy's own reason stands.
    if is_listed {
        return None;
    }
    let line = Line::new(denial.target).ok()?;
    let word = line.commands().next()?.words().next()?;
    let name: Vec<u8> = word.bytes().collect();
    Some(AllowError::NotAllowed(String::from_utf8_lossy(&name).into_owned()))
}

/// The denial of a path of a permitted act.
pub(crate) fn denial_response(denied: &PathDenied, operation: Operation) -> Outcome {
    let because = denied.because.as_ref().map_or_else(String::new, |because| format!(": {because}"));
    let message = match denied.path.as_slice() {
        b"" => format!("{} is not allowed there{because}", operation.name()),
        path => {
            let path = String::from_utf8_lossy(path);
            format!("{} reaches `{}`, which is not allowed{because}", operation.name(), Escaped(&path))
        }
    };
    let (rule_id, rationale_code) = (denied.rule.clone(), denied.code.clone());
    Outcome::Denied(RefusalClass::Denied, ToolDenied { rule_id, rationale_code, message })
}

/// A rule requires a check that this executor cannot make.
pub(crate) fn requirement_unmet(requirement: &str, rule: Option<&str>) -> Outcome {
    let message = format!("the rule requires `{requirement}`, which this executor cannot check");
    denied(RefusalClass::Denied, rule.unwrap_or(DEFAULT_DENY), REQUIREMENT_UNMET, message)
}

/// A budget does not have enough left. If it will have enough later, that is an error that says when (CTR-0029, CTR-0030);
/// otherwise it is a denial.
pub(crate) fn over_budget(spent: &Spent) -> Outcome {
    let Spent { budget, most, used, asked, .. } = spent;
    let message = format!("of the budget `{budget}` {used} of {most} are used, and {asked} more are needed");
    let later = |fault| Outcome::Later { budget: budget.clone(), fault };
    match spent.enough {
        RetryHint::Never => denied(RefusalClass::Denied, budget, "BUDGET_EXCEEDED", message),
        RetryHint::WhenGivenBack => {
            later(Fault::new(FaultCode::Busy, format!("{message}: some of it is held by acts that are running")))
        }
        RetryHint::After { ms } => {
            later(Fault::new(FaultCode::RateLimited, format!("{message}: it has enough in {ms} ms")).after(ms))
        }
    }
}

/// An act that a budget cannot count is refused.
pub(crate) fn budget_unmeasurable(unmeasurable: &Unmeasurable) -> Outcome {
    let Unmeasurable { budget, attribute, operation } = unmeasurable;
    let message = format!("the budget `{budget}` counts `{attribute}`, which is not known of {}", operation.name());
    denied(RefusalClass::Denied, budget, "BUDGET_UNMEASURED", message)
}

/// A session whose policies are not loaded is denied everything (TRUST-FAIL-CLOSED).
pub(crate) fn session_unusable(error: &SessionError) -> Outcome {
    denied(RefusalClass::Unable, DEFAULT_DENY, "JUDGE_UNABLE", format!("nothing is allowed, because {error}"))
}

/// An act that the ledger could not describe is refused.
pub(crate) fn unrecordable() -> Outcome {
    invalid(format!("the command cannot be recorded: it has more than {LINE_BYTES_MAX} bytes"))
}

/// A request that is not one to permit, for a reason that the core does not check.
pub(crate) fn invalid(message: String) -> Outcome {
    denied(RefusalClass::Invalid, DEFAULT_DENY, "VALIDATION_FAILED", message)
}

fn denied(class: RefusalClass, rule: &str, code: &str, message: String) -> Outcome {
    let (rule_id, rationale_code) = (rule.to_owned(), code.to_owned());
    Outcome::Denied(class, ToolDenied { rule_id, rationale_code, message })
}

/// The act happened. The next start records it as interrupted.
pub(crate) fn result_not_recorded(error: &StateError) -> Fault {
    Fault::new(FaultCode::LedgerUnavailable, format!("the operation ended, but its result was not recorded: {error}"))
}

/// The act happened.
pub(crate) fn store_failed(error: &StoreError) -> Fault {
    let message = format!("the operation succeeded, but its result could not be stored: {error}");
    Fault::new(FaultCode::StoreUnavailable, message)
}

/// Without a record nothing is done.
pub(crate) fn ledger_unavailable(error: &StateError) -> Fault {
    match error {
        StateError::Busy { retry_after_ms } => Fault::new(FaultCode::Busy, error.to_string()).after(*retry_after_ms),
        _ => Fault::new(FaultCode::LedgerUnavailable, error.to_string()),
    }
}

/// The digest by which repeats of a request are known: without the ids that each attempt has anew. A request without a key
/// has no repeats, and keeps the digest of its bytes.
pub(crate) fn request_digest(request: &Request<'_>, bytes: &[u8], digest: Digest) -> Digest {
    if request.dedupe_key.as_str().is_empty() {
        return digest;
    }
    match ToolRequest::decode(bytes) {
        Ok(read) => {
            let without_ids = ToolRequest { request_id: String::new(), session_token: String::new(), ..read };
            Digest::of(&without_ids.encode_to_vec())
        }
        // Whatever the core reads, prost reads too; if not, a repeat is not recognised.
        Err(_) => digest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ctr_0023_an_id_before_the_body_is_the_whole_response() {
        let denied = ToolDenied { rule_id: "r".to_owned(), rationale_code: "C".to_owned(), message: "m".repeat(300) };
        for request_id in ["", "request-1", &"x".repeat(200)] {
            let whole = ToolResponse {
                request_id: request_id.to_owned(),
                result: Some(tool_response::Result::Denied(denied.clone())),
            };
            let body = ResponseBody::from(Outcome::Denied(RefusalClass::Denied, denied.clone()));
            let response = body.clone().with_id(request_id);
            assert_eq!((response.encode(), response.into_message()), (whole.encode_to_vec(), whole));
            assert_eq!(ResponseBody::stored(body.bytes().to_vec()), Ok(body));
        }
        assert!(ResponseBody::stored(vec![0xff]).is_err());
    }

    #[test]
    fn a_path_does_not_leave_its_quotes() {
        let denied = PathDenied::escape(b"a` is fine\n\x1b[2J");
        let Outcome::Denied(_, ToolDenied { message, .. }) = denial_response(&denied, Operation::FileRead) else {
            panic!("a denial");
        };
        assert_eq!(message, "file.read reaches `a\\u{60} is fine\\n\\u{1b}[2J`, which is not allowed");
    }
}
