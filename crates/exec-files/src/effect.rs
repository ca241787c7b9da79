//! What an operation changed, for the record. It knows nothing of how.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// Relative to the root; where links led, the canonical one.
    pub path: Vec<u8>,
    pub change: Change,
    /// Bytes of the file as it is now; 0 for folders, links and what is gone.
    pub size_bytes: u64,
    /// SHA-256 of the file as it is now. Only where content was written: a move leaves it as it was.
    pub sha256: Option<[u8; 32]>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Created,
    Replaced,
    Appended,
    MovedFrom(Vec<u8>),
    Removed,
}
