//! Findings as data: a stable code, a place, labels and help. How they look is for others to say.

use crate::source::Location;

/// How bad a finding is, in rising order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; never fails a run.
    Note,
    /// Probably not what the author meant.
    Warning,
    /// The policy cannot be used.
    Error,
}

impl Severity {
    /// As findings spell it.
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
    /// How bad every finding of this kind is.
    pub severity: Severity,
    /// A few words for lists.
    pub title: &'static str,
    /// What it means and what to do.
    pub explanation: &'static str,
    /// A policy that has it.
    pub wrong: &'static str,
    /// The same intention, done right.
    pub right: &'static str,
}

/// A place with a few words beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub at: Location,
    /// What is to be seen there; may be empty.
    pub text: String,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind.
    pub code: &'static Code,
    /// What is wrong, in one line without a full stop.
    pub message: String,
    /// The place to change.
    pub primary: Label,
    /// Further places that explain it.
    pub secondary: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A finding at a place.
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

    /// With words beside the place itself.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// With another place.
    #[must_use]
    pub fn also(mut self, at: Location, text: impl Into<String>) -> Self {
        self.secondary.push(Label { at, text: text.into() });
        self
    }

    /// With what to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

/// User text for a message: in backticks, on one line, at most 60 characters.
///
/// Control and bidirectional characters are shown as escapes, so that a finding can neither forge
/// a second line nor turn its own text around.
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

/// Whether the character changes the direction of the text around it.
#[must_use]
pub(crate) fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// How much of a user's text a message repeats.
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
