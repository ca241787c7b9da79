//! Addresses and URLs: which of them lead out into the public network, and to whom.

mod address;
mod url;

pub use address::is_private_ip;
pub use url::{HOST_BYTES_MAX, Host, SCHEME_BYTES_MAX, Url, UrlError, fold};
