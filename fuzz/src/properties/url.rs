//! URLs, against a second reader.

use verify::cases::Premise;
use verify::oracles::urls;

/// What the core accepts, the crate `url` accepts and reads alike.
pub fn what_is_accepted_is_read_alike(bytes: &[u8]) -> Premise {
    urls::what_is_accepted_is_read_alike(bytes)
}
