//! A moment <-> ISO 8601 in UTC: `2026-01-10T08:33:00.000Z`. It asks no clock.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A moment from 1970 to 9999, to the millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp {
    seconds: u64,
    millis: u16,
}

impl Timestamp {
    /// The beginning of 1970.
    pub const EPOCH: Self = Self { seconds: 0, millis: 0 };

    /// So long after the beginning of 1970; nothing for a whole second of milliseconds, or after 9999.
    #[must_use]
    pub fn new(seconds: u64, millis: u16) -> Option<Self> {
        (seconds < SECONDS_END && millis < MILLIS_PER_SECOND).then_some(Self { seconds, millis })
    }

    /// Reads a moment: the date, a `T`, the time, three digits of a second or none, and `Z` or `+00:00`.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let local = text.strip_suffix('Z').or_else(|| text.strip_suffix("+00:00"))?;
        let (whole, millis) = match local.split_once('.') {
            Some((whole, digits)) => (whole, u16::try_from(number(digits, 3)?).ok()?),
            None => (local, 0),
        };
        let (date, time) = whole.split_once('T')?;
        let mut date = date.split('-');
        let (year, month, day) = (number(date.next()?, 4)?, number(date.next()?, 2)?, number(date.next()?, 2)?);
        let mut time = time.split(':');
        let (hour, minute, second) = (number(time.next()?, 2)?, number(time.next()?, 2)?, number(time.next()?, 2)?);
        let is_over = date.next().is_none() && time.next().is_none();
        let is_day = year >= EPOCH_YEAR && (1..=days_in(year, month)?).contains(&day);
        if !is_over || !is_day || hour >= 24 || minute >= 60 || second >= 60 {
            return None;
        }
        let days = days_before(year) + (1..month).filter_map(|month| days_in(year, month)).sum::<u64>() + day - 1;
        Self::new(((days * 24 + hour) * 60 + minute) * 60 + second, millis)
    }

    /// In seconds since the beginning of 1970.
    #[must_use]
    pub fn seconds(self) -> u64 {
        self.seconds
    }

    /// After that second.
    #[must_use]
    pub fn millis(self) -> u16 {
        self.millis
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, second) = (self.seconds / SECONDS_PER_DAY, self.seconds % SECONDS_PER_DAY);
        // A year has at most 366 days, so that this is the year or one before it, by at most a few.
        let mut year = EPOCH_YEAR + days / 366;
        while days_before(year + 1) <= days {
            year += 1;
        }
        let mut day = days - days_before(year);
        let mut month = 1;
        while let Some(length) = days_in(year, month).filter(|length| *length <= day) {
            day -= length;
            month += 1;
        }
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", day + 1, self.millis)
    }
}

impl TryFrom<String> for Timestamp {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::read(&text).ok_or("no moment in UTC as ISO 8601 writes it")
    }
}

impl From<Timestamp> for String {
    fn from(timestamp: Timestamp) -> Self {
        timestamp.to_string()
    }
}

/// A number of exactly so many digits.
fn number(digits: &str, count: usize) -> Option<u64> {
    let is_number = digits.len() == count && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// From the beginning of 1970 to the beginning of a year after it.
fn days_before(year: u64) -> u64 {
    let leap_years = |year: u64| year / 4 - year / 100 + year / 400;
    (year - EPOCH_YEAR) * 365 + leap_years(year - 1) - leap_years(EPOCH_YEAR - 1)
}

fn days_in(year: u64, month: u64) -> Option<u64> {
    let is_leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    Some(match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => return None,
    })
}

const EPOCH_YEAR: u64 = 1970;
const SECONDS_PER_DAY: u64 = 86_400;
const MILLIS_PER_SECOND: u16 = 1_000;
/// The beginning of the year 10000.
const SECONDS_END: u64 = 253_402_300_800;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invoke_result_moments_are_written_as_iso_8601() {
        for (seconds, millis, expected) in [
            (0, 0, "1970-01-01T00:00:00.000Z"),
            (951_782_399, 999, "2000-02-28T23:59:59.999Z"),
            (951_782_400, 0, "2000-02-29T00:00:00.000Z"),
            (951_868_800, 1, "2000-03-01T00:00:00.001Z"),
            (1_730_822_400, 0, "2024-11-05T16:00:00.000Z"),
            (4_107_542_400, 0, "2100-03-01T00:00:00.000Z"),
            (SECONDS_END - 1, 0, "9999-12-31T23:59:59.000Z"),
        ] {
            let timestamp = Timestamp::new(seconds, millis).unwrap();
            assert_eq!(timestamp.to_string(), expected);
            assert_eq!(Timestamp::read(expected), Some(timestamp));
        }
        assert_eq!(Timestamp::new(0, 1_000), None);
        assert_eq!(Timestamp::new(SECONDS_END, 0), None);
    }

    #[test]
    fn invoke_result_moments_are_read_as_they_were_written_on_every_day() {
        let mut before = String::new();
        for day in 0..SECONDS_END / SECONDS_PER_DAY {
            let timestamp = Timestamp::new(day * SECONDS_PER_DAY + day % SECONDS_PER_DAY, 7).unwrap();
            let text = timestamp.to_string();
            assert_eq!(Timestamp::read(&text), Some(timestamp));
            assert!(before < text, "{before} {text}");
            before = text;
        }
    }

    #[test]
    fn invoke_result_moments_in_another_form_or_another_zone_are_refused() {
        let same = Timestamp::read("2026-01-10T08:33:00.000Z");
        assert!(same.is_some());
        for text in ["2026-01-10T08:33:00Z", "2026-01-10T08:33:00+00:00", "2026-01-10T08:33:00.000+00:00"] {
            assert_eq!(Timestamp::read(text), same, "{text}");
        }
        for text in [
            "",
            "2026-01-10",
            "2026-01-10T08:33:00",
            "2026-01-10T19:33:00+11:00",
            "2026-01-10T08:33:00-00:00",
            "2026-01-10 08:33:00Z",
            "2026-01-10t08:33:00z",
            "2026-1-10T08:33:00Z",
            "2026-01-10T08:33Z",
            "2026-01-10T08:33:00.Z",
            "2026-01-10T08:33:00.00Z",
            "2026-01-10T08:33:00.000000Z",
            "2026-01-10T08:33:00,000Z",
            "2026-00-10T08:33:00Z",
            "2026-13-10T08:33:00Z",
            "2026-01-00T08:33:00Z",
            "2026-02-29T08:33:00Z",
            "2100-02-29T08:33:00Z",
            "2026-04-31T08:33:00Z",
            "2026-01-10T24:00:00Z",
            "2026-01-10T08:60:00Z",
            "2026-01-10T08:33:60Z",
            "2026-01-10T08:33:00:00Z",
            "2026-01-10-01T08:33:00Z",
            "1969-12-31T23:59:59Z",
            "0000-01-01T00:00:00Z",
            "+026-01-10T08:33:00Z",
            "2026-01-10T08:33:00ZZ",
            "\u{0662}026-01-10T08:33:00Z",
        ] {
            assert_eq!(Timestamp::read(text), None, "{text}");
        }
    }
}
