//! The properties, each once. A property takes a case, panics when it does not hold, and says whether the case met its
//! premise.

pub mod alphabet;
pub mod decide;
pub mod judge;
pub mod net;
pub mod path;
pub mod shell;
pub mod table;
pub mod validate;
pub mod wire;
