//! What a policy text may at most be. Each bound is checked before the thing it bounds is stored.

/// Bytes of one file.
pub const FILE_BYTES_MAX: usize = 1 << 20;

/// Bytes of one line.
pub const LINE_BYTES_MAX: usize = 16 << 10;

/// Parentheses and `not`s inside each other.
pub const NESTING_MAX: usize = 64;

/// Findings of one file; the rest is counted, not kept.
pub const FINDINGS_MAX: usize = 1_000;
