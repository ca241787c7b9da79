//! URLs, by the crate `url`: whatever our reader accepts, the other one accepts and reads alike.

use std::borrow::ToOwned as _;
use std::net::Ipv4Addr;
use std::string::String;

use enforce_core::net::{Host, Url};

use crate::cases::Premise;

/// What the second reader makes of a URL that ours accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Second {
    /// The same.
    Alike,
    /// A label in the ASCII form of international names that stands for none. Ours has no tables to know that; who
    /// does connects to nobody.
    RefusesName,
}

/// What is accepted is read alike.
pub fn what_is_accepted_is_read_alike(text: &[u8]) -> Premise {
    Premise::of(compare(text) == Some(Second::Alike))
}

/// Reads with both and panics when they differ. Nothing for a URL that our reader refuses.
#[must_use]
pub fn compare(text: &[u8]) -> Option<Second> {
    let ours = Url::new(text).ok()?;
    let shown = String::from_utf8_lossy(text);
    let theirs = match url::Url::parse(&shown) {
        Ok(theirs) => theirs,
        Err(error) => {
            assert!(has_international_label(ours.host), "{shown:?} is refused by the second reader: {error}");
            return Some(Second::RefusesName);
        }
    };
    let owned = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
    let ours = Seen {
        scheme: owned(ours.scheme).to_ascii_lowercase(),
        host: Some(owned(ours.host.text()).to_ascii_lowercase()),
        address: ours.host.address(),
        port: ours.port,
        path: owned(ours.path),
    };
    // Where the second reader does not know the scheme, it leaves addresses, case and an empty path as they are.
    let host = theirs.host_str().map(str::to_ascii_lowercase);
    let theirs = Seen {
        scheme: theirs.scheme().to_owned(),
        address: match theirs.host() {
            Some(url::Host::Ipv4(address)) => Some(address),
            Some(url::Host::Domain(name)) => name.parse().ok(),
            Some(url::Host::Ipv6(_)) | None => None,
        },
        host,
        port: theirs.port_or_known_default(),
        path: if theirs.path().is_empty() { "/".to_owned() } else { theirs.path().to_owned() },
    };
    assert_eq!(ours, theirs, "{shown:?}");
    Some(Second::Alike)
}

/// Everything that rules are about.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    scheme: String,
    host: Option<String>,
    address: Option<Ipv4Addr>,
    port: Option<u16>,
    path: String,
}

fn has_international_label(host: Host<'_>) -> bool {
    let mut labels = host.text().split(|byte| *byte == b'.');
    labels.any(|label| label.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b"xn--")))
}
