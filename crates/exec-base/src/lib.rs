//! directory -> private or removed; operation -> stopped; wait status -> exit; process id -> its entry
//!
//! The parts that the executor's crates share. The crate knows no request, no policy, no command and no database.
#![cfg(target_os = "linux")]

mod exit;
mod pattern;
mod private;
mod process_stat;
mod removal;
mod stop;

pub use exit::Exit;
pub use pattern::pattern_error;
pub use private::{DirectoryError, LockedDirectory, private_directory};
pub use process_stat::ProcessStat;
pub use removal::{FileIdentity, deadline, open_directory, remove_tree, remove_tree_at};
pub use stop::{Stop, Stopped};
