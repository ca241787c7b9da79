//! Why a permitted act failed -> the error of a response, with a code for programs.

use thiserror::Error;
use tool_proto::ToolError;

macro_rules! fault_codes {
    ($($(#[$doc:meta])* $code:ident = $text:literal $(, retry after $retry_ms:literal ms)?;)+) => {
        /// The code of an error of the executor, for programs.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum FaultCode {
            $($(#[$doc])* $code,)+
        }

        impl FaultCode {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$code),+];

            /// The code in a response.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$code => $text,)+
                }
            }

            /// The usual time after which the same request may succeed; `None` when waiting does not help (CTR-0029,
            /// CTR-0030).
            #[must_use]
            pub fn retry_after_ms(self) -> Option<u64> {
                match self {
                    $(Self::$code => [$($retry_ms)?].first().copied(),)+
                }
            }
        }
    };
}

fault_codes! {
    /// The file does not exist.
    NotFound = "NOT_FOUND";
    /// The file exists.
    Exists = "EXISTS";
    /// The path is a directory, a device or something else that the operation cannot handle.
    NotAFile = "NOT_A_FILE";
    /// The content has more bytes than may be read or written.
    TooLarge = "TOO_LARGE";
    /// The file does not contain the text to replace.
    NoMatch = "NO_MATCH";
    /// The file contains the text to replace more than once.
    ManyMatches = "MANY_MATCHES";
    /// A diff does not fit the files.
    PatchRejected = "PATCH_REJECTED";
    /// The pattern is invalid.
    BadPattern = "BAD_PATTERN";
    /// The file system failed.
    FileIo = "FILE_IO";
    /// The act was done in part, and could not be finished or undone.
    PartlyDone = "PARTLY_DONE";
    /// The disk is full.
    NoSpace = "NO_SPACE";
    /// The program is not on this machine.
    CommandNotFound = "COMMAND_NOT_FOUND";
    /// A command could not be started or watched.
    Command = "COMMAND_FAILED";
    /// The act took longer than it may.
    Timeout = "TIMEOUT";
    /// The request was cancelled.
    Cancelled = "CANCELLED";
    /// Too much is running.
    Busy = "BUSY", retry after 250 ms;
    /// A budget for a period is used up until later.
    RateLimited = "RATE_LIMITED", retry after 1_000 ms;
    /// The executor is shutting down.
    ShuttingDown = "SHUTTING_DOWN", retry after 1_000 ms;
    /// Another request has used the same key.
    KeyReused = "DEDUPE_KEY_REUSED";
    /// The program ended during the act: it is not known whether it happened.
    Interrupted = "INTERRUPTED";
    /// The ledger cannot record anything, so nothing is done.
    LedgerUnavailable = "LEDGER_UNAVAILABLE";
    /// The content store cannot be used.
    StoreUnavailable = "STORE_UNAVAILABLE";
    /// This executor does not support the tool.
    Unsupported = "UNSUPPORTED";
    /// A bug in the executor.
    Internal = "INTERNAL";
}

/// Why an act failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct Fault {
    /// The code for programs.
    pub code: FaultCode,
    /// One line for people.
    pub message: String,
    /// The time after which the same request may succeed; `None` when waiting does not help.
    pub retry_after_ms: Option<u64>,
}

impl Fault {
    /// A fault with the usual time to wait.
    #[must_use]
    pub fn new(code: FaultCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retry_after_ms: code.retry_after_ms() }
    }

    /// The same fault, which may pass after this time.
    #[must_use]
    pub fn after(self, retry_after_ms: u64) -> Self {
        // Zero would mean that the time is unknown.
        Self { retry_after_ms: Some(retry_after_ms.max(1)), ..self }
    }
}

impl FaultCode {
    /// The code of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == name)
    }
}

impl From<&Fault> for ToolError {
    fn from(fault: &Fault) -> Self {
        let retry_after_ms = fault.retry_after_ms;
        Self {
            error_code: fault.code.as_str().to_owned(),
            message: fault.message.clone(),
            retryable: retry_after_ms.is_some(),
            retry_after_ms: retry_after_ms.unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ctr_0029_only_what_passes_by_itself_is_retryable() {
        let retryable: Vec<_> =
            FaultCode::ALL.iter().filter(|code| ToolError::from(&Fault::new(**code, "")).retryable).collect();
        assert_eq!(retryable, [&FaultCode::Busy, &FaultCode::RateLimited, &FaultCode::ShuttingDown]);
    }

    #[test]
    fn ctr_0030_what_is_retryable_says_when() {
        for code in FaultCode::ALL {
            let error = ToolError::from(&Fault::new(*code, "x"));
            assert_eq!(error.retryable, error.retry_after_ms > 0, "{code:?}");
            let later = ToolError::from(&Fault::new(*code, "x").after(0));
            assert_eq!((later.retryable, later.retry_after_ms), (true, 1), "{code:?}");
        }
        let limited = ToolError::from(&Fault::new(FaultCode::RateLimited, "x").after(59_000));
        assert_eq!(limited.retry_after_ms, 59_000);
    }

    #[test]
    fn every_code_has_a_name_of_its_own() {
        for code in FaultCode::ALL {
            assert_eq!(FaultCode::named(code.as_str()), Some(*code));
        }
        assert_eq!(FaultCode::named("NOTHING"), None);
    }
}
