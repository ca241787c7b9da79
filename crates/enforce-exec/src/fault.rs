//! What keeps a permitted act from being done -> the error of a response, by a code that programs tell apart.

use std::fmt;

use tool_proto::ToolError;

macro_rules! fault_codes {
    ($($(#[$doc:meta])* $code:ident = $text:literal $(, retry after $retry_ms:literal ms)?;)+) => {
        /// What programs tell errors of the executor apart by.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum FaultCode {
            $($(#[$doc])* $code,)+
        }

        impl FaultCode {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$code),+];

            /// As responses say it.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$code => $text,)+
                }
            }

            /// How long to wait before the same request may succeed, where nobody knows better; nothing when waiting does
            /// not help (CTR-0029, CTR-0030).
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
    /// There is no such file.
    NotFound = "NOT_FOUND";
    /// The file is there already.
    Exists = "EXISTS";
    /// It is a folder, a device or something else that the operation is not about.
    NotAFile = "NOT_A_FILE";
    /// It has more bytes than may be read or written.
    TooLarge = "TOO_LARGE";
    /// What an edit looks for is not there.
    NoMatch = "NO_MATCH";
    /// What an edit looks for is there more than once.
    ManyMatches = "MANY_MATCHES";
    /// A diff does not fit the files.
    PatchRejected = "PATCH_REJECTED";
    /// A pattern is none.
    BadPattern = "BAD_PATTERN";
    /// The file system failed.
    FileIo = "FILE_IO";
    /// It was done in part, and could not be finished or undone.
    PartlyDone = "PARTLY_DONE";
    /// There is no room left.
    NoSpace = "NO_SPACE";
    /// The program is not on this machine.
    CommandNotFound = "COMMAND_NOT_FOUND";
    /// A command could not be started or watched.
    Command = "COMMAND_FAILED";
    /// It took longer than it may.
    Timeout = "TIMEOUT";
    /// Somebody stopped it.
    Cancelled = "CANCELLED";
    /// Too much is under way.
    Busy = "BUSY", retry after 250 ms;
    /// A budget for a time is used up, until some of it lies behind.
    RateLimited = "RATE_LIMITED", retry after 1_000 ms;
    /// The executor is about to end.
    ShuttingDown = "SHUTTING_DOWN", retry after 1_000 ms;
    /// Another request has had the same key.
    KeyReused = "DEDUPE_KEY_REUSED";
    /// The program ended while it was under way: whether it happened is not known.
    Interrupted = "INTERRUPTED";
    /// What cannot be put on record is not done.
    LedgerUnavailable = "LEDGER_UNAVAILABLE";
    /// A result that could not be kept.
    StoreUnavailable = "STORE_UNAVAILABLE";
    /// This executor does not have the tool.
    Unsupported = "UNSUPPORTED";
    /// A defect of the executor.
    Internal = "INTERNAL";
}

/// What keeps an act from being done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// For programs.
    pub code: FaultCode,
    /// For people: one line, lower case.
    pub message: String,
    /// How long to wait before the same request may succeed; nothing when waiting does not help.
    pub retry_after_ms: Option<u64>,
}

impl Fault {
    /// With a sentence.
    #[must_use]
    pub fn new(code: FaultCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retry_after_ms: code.retry_after_ms() }
    }

    /// The same, which may succeed after this time.
    #[must_use]
    pub fn after(self, retry_after_ms: u64) -> Self {
        // Zero would say that nobody knows when.
        Self { retry_after_ms: Some(retry_after_ms.max(1)), ..self }
    }
}

impl FaultCode {
    /// The code of that name.
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

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)
    }
}

impl std::error::Error for Fault {}

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
