//! Second opinions from outside the core: what it reads, somebody else reads alike. They need a heap, so each is behind
//! a feature. Like the properties, they are functions that panic when they do not hold.

#[cfg(feature = "messages")]
pub mod messages;
#[cfg(all(feature = "shells", unix))]
pub mod shells;
#[cfg(feature = "urls")]
pub mod urls;

/// Messages that prost encodes.
pub const MESSAGES: usize = 300_000;
/// Mutations of encoded messages.
pub const MUTATIONS: usize = 3_000_000;
/// Bytes that nobody encoded.
pub const NOISE: usize = 500_000;
/// Lines that are understood, each of which every shell is given.
pub const LINES: usize = 3_000;
/// URLs put together of pieces.
pub const URLS: usize = 500_000;
