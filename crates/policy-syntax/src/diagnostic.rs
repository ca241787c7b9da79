//! Findings as data: a stable code, a place, labels and help. Rendering is separate.

use crate::source::Location;

/// The severity of a finding, in rising order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Never fails a run.
    Note,
    Warning,
    /// The policy cannot be used.
    Error,
}

impl Severity {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A kind of finding. Its id never changes its meaning.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// For example `E0201`; the letter follows the severity.
    pub id: &'static str,
    pub severity: Severity,
    pub title: &'static str,
    pub explanation: &'static str,
    /// A policy with the mistake.
    pub wrong: &'static str,
    /// The same policy, corrected.
    pub right: &'static str,
}

/// A place with a text beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    pub at: Location,
    /// May be empty.
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub code: &'static Code,
    /// One line without a full stop.
    pub message: String,
    /// The place to change.
    pub primary: Label,
    /// Places that explain the finding.
    pub secondary: Vec<Label>,
    pub help: Option<String>,
}

impl Diagnostic {
    #[must_use]
    pub fn new(code: &'static Code, at: Location, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            primary: Label { at, text: String::new() },
            secondary: Vec::new(),
            help: None,
        }
    }

    /// Adds a text beside the primary place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn also(mut self, at: Location, text: impl Into<String>) -> Self {
        self.secondary.push(Label { at, text: text.into() });
        self
    }

    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

/// Quotes user text for a message: in backticks, on one line, at most 60 characters.
///
/// Control and bidirectional characters are escaped, so that user text can neither add a line nor reorder one.
#[must_use]
pub fn quote(text: &str) -> String {
    let mut shown = String::from("`");
    for (count, c) in text.chars().enumerate() {
        if count == QUOTED_CHARS_MAX {
            shown.push('…');
            break;
        }
        if c.is_control() || is_bidi_control(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown.push('`');
    shown
}

/// Returns true for characters that change the direction of the text around them.
pub(crate) fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

const QUOTED_CHARS_MAX: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_text_stays_on_one_bounded_line() {
        assert_eq!(quote("a b"), "`a b`");
        assert_eq!(quote("a\nb\u{202E}"), "`a\\u{a}b\\u{202e}`");
        let long = quote(&"x".repeat(500));
        assert_eq!(long.chars().count(), QUOTED_CHARS_MAX + 3);
    }
}
