//! What became of a request -> its response, and what is on record of it.

use enforce_core::judge::{Denial, Refusal};
use enforce_core::shell::Line;
use enforce_core::wire::Request;
use enforce_core::{DEFAULT_DENY, Operation};
use exec_record::{Digest, Enough, LINE_BYTES_MAX, SECRETS_MAX, Spent, StateError, StoreError};
use prost::Message as _;
use tool_proto::{Escaped, ToolDenied, ToolError, ToolRequest, ToolResponse, ToolSuccess, tool_response};

use crate::again::{Denied, REQUIREMENT_UNMET};
use crate::charges::Unmeasured;
use crate::fault::{Fault, FaultCode};
use crate::obligations::{Obligations, Terms};
use crate::sandbox::AllowError;
use crate::session::{Held, SessionError};

/// What became of a request, without its name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Success(ToolSuccess),
    Denied(ToolDenied),
    Fault(Fault),
    /// A budget does not have enough left, and will have again.
    Later {
        budget: String,
        fault: Fault,
    },
}

impl Answer {
    /// A refusal of the judge. Of commands it says in the words of the tools' contract, and no others, whether they are not
    /// listed, or nothing is (SEC-ALLOW-EMPTY, SEC-ALLOW-MISS).
    pub(crate) fn refused(refusal: &Refusal<'_>, terms: &Terms, held: Option<&Held>) -> Self {
        let denied = ToolDenied::from(refusal);
        let listed = match (refusal, held) {
            (Refusal::PolicyDenies(denial), Some(held)) if is_about_commands(denial) => {
                unlisted(denial, held.listing(denial.table().digest().into(), terms.is_listed))
            }
            _ => None,
        };
        let message = listed.map_or(denied.message, |error| error.to_string());
        Self::Denied(ToolDenied { message, ..denied })
    }

    /// Nobody knows what became of an act.
    pub(crate) fn interrupted() -> Self {
        let sentence = "the program ended during the same request before: it is not known whether it happened";
        Self::Fault(Fault::new(FaultCode::Interrupted, sentence))
    }

    /// For programs, on the record.
    pub(crate) fn code(&self) -> &str {
        match self {
            Self::Success(_) => "DONE",
            Self::Denied(denied) => &denied.rationale_code,
            Self::Fault(fault) | Self::Later { fault, .. } => fault.code.as_str(),
        }
    }

    /// Whether the same request may succeed later (CTR-0029).
    pub(crate) fn is_retryable(&self) -> bool {
        match self {
            Self::Fault(fault) | Self::Later { fault, .. } => fault.retry_after_ms.is_some(),
            Self::Success(_) | Self::Denied(_) => false,
        }
    }

    /// The rule that decided.
    pub(crate) fn rule(&self) -> &str {
        match self {
            Self::Denied(denied) => &denied.rule_id,
            Self::Later { budget, .. } => budget,
            Self::Success(_) | Self::Fault(_) => DEFAULT_DENY,
        }
    }
}

fn is_about_commands(denial: &Denial<'_>) -> bool {
    denial.operation_name() == Operation::ShellExec.name()
}

/// A response without the name of its request, as bytes: the record has their digest, and repetitions get the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Nameless(Vec<u8>);

impl Nameless {
    /// The answer that was kept.
    pub(crate) fn kept(bytes: Vec<u8>) -> Result<Self, prost::DecodeError> {
        ToolResponse::decode(bytes.as_slice()).map(|_| Self(bytes))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The response to the request of this name (CTR-0023). A message is its fields one after the other, and the name is
    /// the first: nothing has to be written twice.
    pub(crate) fn named(&self, request_id: &str) -> Vec<u8> {
        let name = ToolResponse { request_id: request_id.to_owned(), result: None };
        let mut response = Vec::with_capacity(name.encoded_len().saturating_add(self.0.len()));
        // Room is made above, and a vector takes more where there is none.
        name.encode_raw(&mut response);
        response.extend_from_slice(&self.0);
        response
    }
}

impl From<Answer> for Nameless {
    fn from(answer: Answer) -> Self {
        let result = match answer {
            Answer::Success(success) => tool_response::Result::Success(success),
            Answer::Denied(denied) => tool_response::Result::Denied(denied),
            Answer::Fault(fault) | Answer::Later { fault, .. } => tool_response::Result::Error(ToolError::from(&fault)),
        };
        Self(ToolResponse { request_id: String::new(), result: Some(result) }.encode_to_vec())
    }
}

/// What a policy lists of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listing {
    /// None: no rule lets any run.
    Nothing,
    /// Others than this one.
    Others,
    /// This one too, under conditions that the request does not meet: the policy's own reason stands alone.
    Conditions,
}

/// A command that no rule speaks of.
fn unlisted(denial: &Denial<'_>, listing: Listing) -> Option<AllowError> {
    if denial.rule().is_some() {
        return None;
    }
    match listing {
        Listing::Nothing => return Some(AllowError::NotConfigured),
        Listing::Conditions => return None,
        Listing::Others => {}
    }
    let line = Line::new(denial.target).ok()?;
    let word = line.commands().next()?.words().next()?;
    let name: Vec<u8> = word.bytes().collect();
    Some(AllowError::NotAllowed(String::from_utf8_lossy(&name).into_owned()))
}

/// A further path of a permitted act that is denied, or one that cannot be reached at all.
pub(crate) fn told(denied: &Denied, operation: Operation) -> ToolDenied {
    let because = denied.because.as_ref().map_or_else(String::new, |because| format!(": {because}"));
    let message = match denied.path.as_slice() {
        b"" => format!("{} is not allowed there{because}", operation.name()),
        path => {
            let path = String::from_utf8_lossy(path);
            format!("{} reaches `{}`, which is not allowed{because}", operation.name(), Escaped(&path))
        }
    };
    ToolDenied { rule_id: denied.rule.clone(), rationale_code: denied.code.clone(), message }
}

/// A rule asks for a check that nobody here makes.
pub(crate) fn requirement_unmet(requirement: &str, obligations: &Obligations) -> Answer {
    Answer::Denied(ToolDenied {
        rule_id: obligations.rule.clone().unwrap_or_else(|| DEFAULT_DENY.to_owned()),
        rationale_code: REQUIREMENT_UNMET.to_owned(),
        message: format!("the rule requires `{requirement}`, which this executor cannot check"),
    })
}

/// A budget does not have enough left. What comes by itself is an error that says when (CTR-0029, CTR-0030), what does not
/// is a denial.
pub(crate) fn over_budget(spent: &Spent) -> Answer {
    let Spent { budget, most, used, asked, .. } = spent;
    let message = format!("of the budget `{budget}` {used} of {most} are used, and {asked} more are needed");
    match spent.enough {
        Enough::Never => Answer::Denied(ToolDenied {
            rule_id: budget.clone(),
            rationale_code: "BUDGET_EXCEEDED".to_owned(),
            message,
        }),
        Enough::WhenGivenBack => {
            let message = format!("{message}: some of it is held by acts that are under way");
            Answer::Later { budget: budget.clone(), fault: Fault::new(FaultCode::Busy, message) }
        }
        Enough::After { ms } => {
            let fault = Fault::new(FaultCode::RateLimited, format!("{message}: it has so much in {ms} ms")).after(ms);
            Answer::Later { budget: budget.clone(), fault }
        }
    }
}

/// What cannot be counted is not done.
pub(crate) fn unmeasured(unmeasured: &Unmeasured) -> Answer {
    let Unmeasured { budget, attribute, operation } = unmeasured;
    let operation = operation.name();
    Answer::Denied(ToolDenied {
        rule_id: budget.clone(),
        rationale_code: "BUDGET_UNMEASURED".to_owned(),
        message: format!("the budget `{budget}` counts `{attribute}`, which nobody knows of {operation}"),
    })
}

/// A session whose policies are not there is denied everything (TRUST-FAIL-CLOSED).
pub(crate) fn undecided(error: &SessionError) -> Answer {
    Answer::Denied(ToolDenied {
        rule_id: DEFAULT_DENY.to_owned(),
        rationale_code: "JUDGE_UNABLE".to_owned(),
        message: format!("nothing is allowed, because {error}"),
    })
}

/// What the record could not say is not done.
pub(crate) fn unrecordable() -> Answer {
    Answer::Denied(ToolDenied {
        rule_id: DEFAULT_DENY.to_owned(),
        rationale_code: "VALIDATION_FAILED".to_owned(),
        message: format!(
            "the record could not say what is run: it has more than {SECRETS_MAX} secrets, or more than {LINE_BYTES_MAX} \
             bytes without them"
        ),
    })
}

/// The act was done. The next start puts it on record as interrupted.
pub(crate) fn unreported(error: &StateError) -> Fault {
    Fault::new(FaultCode::LedgerUnavailable, format!("it ended, but what it came to is not on record: {error}"))
}

/// The act was done.
pub(crate) fn unkept(error: &StoreError) -> Fault {
    Fault::new(FaultCode::StoreUnavailable, format!("it was done, but what it gave cannot be kept: {error}"))
}

/// What cannot be put on record is not done.
pub(crate) fn unrecorded(error: &StateError) -> Fault {
    match error {
        StateError::Busy { retry_after_ms } => Fault::new(FaultCode::Busy, error.to_string()).after(*retry_after_ms),
        _ => Fault::new(FaultCode::LedgerUnavailable, error.to_string()),
    }
}

/// What names a request for whoever looks for repetitions: what it asks for, without the names that each attempt has anew.
/// Without a key there is nothing to look for, and the bytes are named as they are.
pub(crate) fn request_digest(request: &Request<'_>, bytes: &[u8], digest: Digest) -> Digest {
    if request.dedupe_key.as_str().is_empty() {
        return digest;
    }
    match ToolRequest::decode(bytes) {
        Ok(read) => {
            let nameless = ToolRequest { request_id: String::new(), session_token: String::new(), ..read };
            Digest::of(&nameless.encode_to_vec())
        }
        // What the core reads, prost reads; if not, no repetition is known as one.
        Err(_) => digest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ctr_0023_a_name_before_the_rest_is_the_whole_response() {
        let denied = ToolDenied { rule_id: "r".to_owned(), rationale_code: "C".to_owned(), message: "m".repeat(300) };
        for request_id in ["", "request-1", &"x".repeat(200)] {
            let whole = ToolResponse {
                request_id: request_id.to_owned(),
                result: Some(tool_response::Result::Denied(denied.clone())),
            };
            let nameless = Nameless::from(Answer::Denied(denied.clone()));
            assert_eq!(nameless.named(request_id), whole.encode_to_vec());
            assert_eq!(Nameless::kept(nameless.bytes().to_vec()), Ok(nameless));
        }
        assert!(Nameless::kept(vec![0xff]).is_err());
    }

    #[test]
    fn a_path_does_not_leave_its_quotes() {
        let denied = Denied::escape(b"a` is fine\n\x1b[2J");
        let message = told(&denied, Operation::FileRead).message;
        assert_eq!(message, "file.read reaches `a\\u{60} is fine\\n\\u{1b}[2J`, which is not allowed");
    }
}
