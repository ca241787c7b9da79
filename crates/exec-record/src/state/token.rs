//! What a session is known by: random, shown once, and kept only as a hash.

use std::fmt;
use std::sync::LazyLock;

use subtle::ConstantTimeEq as _;

use super::error::StateError;

/// 256 random bits that name a session, for whoever holds them.
pub struct Token([u8; TOKEN_BYTES]);

/// What is kept of a token.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TokenHash([u8; TOKEN_BYTES]);

impl Token {
    /// A new one.
    pub(super) fn random() -> Result<Self, StateError> {
        let mut token = [0; TOKEN_BYTES];
        getrandom::fill(&mut token).map_err(|_| StateError::NoRandomness)?;
        Ok(Self(token))
    }

    /// Its 64 hexadecimal digits, to be handed to the session and to nobody else.
    #[must_use]
    pub fn reveal(&self) -> String {
        crate::ledger::Digest::from(self.0).to_string()
    }

    pub(super) fn hash(&self) -> TokenHash {
        TokenHash::of(&self.reveal())
    }
}

impl TokenHash {
    /// Of whatever was sent as a token.
    pub(super) fn of(token: &str) -> Self {
        Self(KEYED.clone().update(token.as_bytes()).finalize().into())
    }

    pub(super) fn as_bytes(&self) -> &[u8; TOKEN_BYTES] {
        &self.0
    }

    /// Whether they are the same, in a time that does not tell how much of them is.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl From<[u8; TOKEN_BYTES]> for TokenHash {
    fn from(bytes: [u8; TOKEN_BYTES]) -> Self {
        Self(bytes)
    }
}

/// A token does not end up in a log.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

const TOKEN_BYTES: usize = 32;
const TOKEN_CONTEXT: &str = "interdict 2025 session token version 1";
/// Setting up the context costs more than hashing a token, so it is done once.
static KEYED: LazyLock<blake3::Hasher> = LazyLock::new(|| blake3::Hasher::new_derive_key(TOKEN_CONTEXT));
