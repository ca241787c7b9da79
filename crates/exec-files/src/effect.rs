//! What an operation changed, for the record. It knows nothing of how.

/// One changed path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// Relative to the root; where links led, the canonical one.
    pub path: Vec<u8>,
    /// What happened to it.
    pub change: Change,
    /// Bytes of the file as it is now; 0 for folders, links and what is gone.
    pub size_bytes: u64,
    /// SHA-256 of the file as it is now. Only where content was written: a move leaves it as it was.
    pub sha256: Option<[u8; 32]>,
}

/// What happened to a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It was not there.
    Created,
    /// It has new content.
    Replaced,
    /// It has more content.
    Appended,
    /// It came from another path.
    MovedFrom(Vec<u8>),
    /// It is gone.
    Removed,
}
