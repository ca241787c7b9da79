//! What is claimed of texts, messages and tables as bytes, each as a function that panics when it does not hold and says
//! whether the bytes met its premise.

#[cfg(feature = "agreement")]
pub mod agreement;
#[cfg(feature = "eval")]
pub mod eval;
#[cfg(feature = "import")]
pub mod import;
#[cfg(feature = "json")]
pub mod json;
#[cfg(feature = "policy")]
pub mod policy;
#[cfg(feature = "shell")]
pub mod shell;
#[cfg(feature = "table")]
pub mod table;
#[cfg(feature = "url")]
pub mod url;
#[cfg(feature = "wire")]
pub mod wire;

/// A frozen policy that allows everything, so that only the core itself stands in the way.
#[cfg(any(feature = "eval", feature = "wire"))]
const OPEN_TABLE: &[u8] = include_bytes!("../tests/data/open.table");
