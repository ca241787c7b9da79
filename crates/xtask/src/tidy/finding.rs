//! What tidy can find, as data; printed as `path:line: message`.

use std::fmt;

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) path: String,
    /// Counted from one; a finding about a whole file is at its first line.
    pub(super) line: usize,
    pub(super) fault: Fault,
}

/// What is wrong, rules over one file first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fault {
    /// A Rust file that does not start by saying what it is.
    NoHeader,
    /// A Rust file nobody reads to its end.
    TooManyLines { lines: usize },
    /// Unfinished work, or a test that tests nothing.
    Unfinished(&'static str),
    /// A test whose name says that it is a test instead of what it claims.
    TestPrefix { name: String },
    /// Words about work that is not there.
    Promise(&'static str),
    /// White space at the end of a line.
    TrailingBlank,
    /// A tab where each viewer shows something else.
    Tab,
    /// Text whose last line does not end.
    NoFinalNewline,
    /// A place that only one machine has.
    AbsolutePath(&'static str),
    /// A file that must be in the tree and is not.
    Missing,
    /// A file that may not be in the tree.
    PinnedToolchain,
    /// A file too large to review.
    TooLarge { bytes: usize },
    /// A crate that makes its own rules.
    NotInherited(&'static str),
    /// A file without a line that it must hold.
    NotMentioned(String),
}

impl Finding {
    pub(super) fn new(path: &str, line: usize, fault: Fault) -> Self {
        Self { path: path.to_owned(), line, fault }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.fault)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHeader => write!(f, "a Rust file starts with `//!` and what comes in and goes out"),
            Self::TooManyLines { lines } => write!(f, "{lines} lines are more than one story; split the file"),
            Self::Unfinished(pattern) => write!(f, "`{pattern}` is left over from unfinished work"),
            Self::TestPrefix { name } => write!(f, "the test `{name}` should be named by its claim"),
            Self::Promise(words) => write!(f, "`{words}` promises what is not there; say what is"),
            Self::TrailingBlank => write!(f, "white space at the end of the line"),
            Self::Tab => write!(f, "a tab; use blanks"),
            Self::NoFinalNewline => write!(f, "the last line does not end with a line break"),
            Self::AbsolutePath(start) => write!(f, "a path below `{start}` exists on one machine only"),
            Self::Missing => write!(f, "this file must be in the tree"),
            Self::PinnedToolchain => write!(f, "the toolchain is not pinned; `rust-version` says what is needed"),
            Self::TooLarge { bytes } => write!(f, "{bytes} bytes are too many to review"),
            Self::NotInherited(line) => write!(f, "the crate does not inherit `{line}`"),
            Self::NotMentioned(text) => write!(f, "`{text}` is not mentioned here"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_are_printed_so_that_editors_can_follow_them() {
        let finding = Finding::new("src/lib.rs", 7, Fault::Tab);
        assert_eq!(finding.to_string(), "src/lib.rs:7: a tab; use blanks");
    }
}
