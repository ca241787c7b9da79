//! Limits of a policy text. Each is checked before the limited thing is stored.

pub const FILE_BYTES_MAX: usize = 1 << 20;

pub const LINE_BYTES_MAX: usize = 16 << 10;

/// Depth of parentheses and `not`s.
pub const NESTING_MAX: usize = 64;

/// Findings of one file; the rest is counted, not kept.
pub const FINDINGS_MAX: usize = 1_000;
