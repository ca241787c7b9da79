//! The time of day.

use std::time::{SystemTime, UNIX_EPOCH};

use tool_json::Timestamp;

/// So many milliseconds after the beginning of 1970.
pub(crate) fn at(at_ms: u64) -> Timestamp {
    let millis = u16::try_from(at_ms % 1_000).unwrap_or_default();
    Timestamp::new(at_ms / 1_000, millis).unwrap_or(Timestamp::EPOCH)
}

/// Now; the beginning of 1970 on a clock that is before it.
pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let millis = u16::try_from(since.subsec_millis()).unwrap_or_default();
    Timestamp::new(since.as_secs(), millis).unwrap_or(Timestamp::EPOCH)
}
