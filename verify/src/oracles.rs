//! Second opinions from outside the core: what it reads, somebody else reads alike. They need a heap, so each is behind
//! a feature. Like the properties, they are functions that panic when they do not hold.

#[cfg(feature = "messages")]
pub mod messages;
#[cfg(all(feature = "shells", unix))]
pub mod shells;
#[cfg(feature = "urls")]
pub mod urls;
