//! The bytes of a frozen table -> a policy that sessions are judged by, for as long as the program runs.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

use enforce_core::{BindError, Policy};
use table_format::{Digest, OpenError, Pin, RoleId, Table};

/// A policy that is loaded.
///
/// Sessions, and whatever is judged in them, refer to it from many threads, so that it stays until the program ends. An
/// operator names a handful of tables when a program starts; [`TABLES_MAX`] bounds what mistakes could add to them.
#[derive(Debug, Clone, Copy)]
pub struct Loaded {
    policy: &'static Policy<'static>,
}

/// Why a table is not loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoadError {
    /// It is no table, not a whole one, or not the one that was expected.
    Table(OpenError),
    /// It judges an operation by other facts than this program has.
    Facts(BindError),
    /// There are [`TABLES_MAX`] already.
    TooMany,
}

impl Loaded {
    /// Opens a table and keeps it.
    ///
    /// # Errors
    /// When the table cannot be opened or judged by, or when there are too many.
    pub fn new(bytes: Vec<u8>, pin: Pin) -> Result<Self, LoadError> {
        // Checked before anything is kept for good.
        let table = Table::open(&bytes, pin, blake3_digest).map_err(LoadError::Table)?;
        Policy::new(&table).map_err(LoadError::Facts)?;
        if LOADED.fetch_add(1, Ordering::Relaxed) >= TABLES_MAX {
            LOADED.fetch_sub(1, Ordering::Relaxed);
            return Err(LoadError::TooMany);
        }
        let bytes: &'static [u8] = Vec::leak(bytes);
        let table: &'static Table<'static> =
            Box::leak(Box::new(Table::open(bytes, pin, blake3_digest).map_err(LoadError::Table)?));
        let policy = Box::leak(Box::new(Policy::new(table).map_err(LoadError::Facts)?));
        Ok(Self { policy })
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &'static Policy<'static> {
        self.policy
    }

    /// What names the table.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.policy.table().digest()
    }

    /// Whether the table has a role of this name.
    #[must_use]
    pub fn knows(&self, role: &str) -> bool {
        self.policy.table().find_role(role).is_some()
    }

    /// The roles of these names. What the table does not know, it grants nothing for.
    #[must_use]
    pub fn roles(&self, names: &[String]) -> Vec<RoleId> {
        names.iter().filter_map(|name| self.policy.table().find_role(name)).collect()
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(error) => write!(f, "{error}"),
            Self::Facts(error) => {
                write!(f, "the table judges `{}` by facts that this program does not have", error.operation.name())
            }
            Self::TooMany => write!(f, "there are {TABLES_MAX} tables already"),
        }
    }
}

impl std::error::Error for LoadError {}

/// What tables are named by.
fn blake3_digest(parts: &[&[u8]]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    Digest(*hasher.finalize().as_bytes())
}

static LOADED: AtomicUsize = AtomicUsize::new(0);

/// Tables that one program holds at the most.
pub const TABLES_MAX: usize = 1_024;
