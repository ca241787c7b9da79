//! Host patterns: a whole name, `*.` before one for its subdomains, or `*` for every host.

use std::fmt;
use std::net::IpAddr;

use super::PatternError;

/// A pattern such as `docs.rs` or `*.docs.rs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostPattern {
    /// `*`
    Any,
    Exact(String),
    /// Hosts below this one at any depth, but not the host itself. Stored with its dot, as `.docs.rs`.
    Below(String),
}

impl HostPattern {
    /// Parses a pattern; upper case is folded.
    ///
    /// # Errors
    /// A star anywhere but as the whole first label, or a character that no host name has.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        let folded = text.to_ascii_lowercase();
        if folded == "*" {
            return Ok(Self::Any);
        }
        if is_address(&folded) {
            return Ok(Self::Exact(folded));
        }
        let (name, below) = match folded.strip_prefix("*.") {
            Some(name) => (name, true),
            None => (folded.as_str(), false),
        };
        if name.contains('*') {
            return Err(PatternError::StarInHost);
        }
        if let Some(foreign) = name.chars().find(|c| !(c.is_ascii_alphanumeric() || "-._".contains(*c))) {
            return Err(PatternError::NotAHost(foreign));
        }
        if name.split('.').any(str::is_empty) {
            return Err(PatternError::NotAHost('.'));
        }
        Ok(if below { Self::Below(format!(".{name}")) } else { Self::Exact(folded) })
    }

    /// Matches a host given in lower case.
    #[must_use]
    pub fn matches(&self, host: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Exact(name) => host == name,
            Self::Below(suffix) => host.strip_suffix(suffix.as_str()).is_some_and(|label| !label.is_empty()),
        }
    }

    #[must_use]
    pub fn is_address(&self) -> bool {
        match self {
            Self::Exact(name) => is_address(name),
            Self::Any | Self::Below(_) => false,
        }
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("*"),
            Self::Exact(name) => f.write_str(name),
            Self::Below(suffix) => write!(f, "*{suffix}"),
        }
    }
}

/// Also recognizes numbers that a client may take for an address: `2130706433`, `0x7f.1`, `127.1`.
fn is_address(name: &str) -> bool {
    let bare = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
    let number = |label: &str| {
        let digits = label.strip_prefix("0x").unwrap_or(label);
        !label.is_empty()
            && digits.chars().all(|c| c.is_ascii_hexdigit())
            && label.starts_with(|c: char| c.is_ascii_digit())
    };
    bare.parse::<IpAddr>().is_ok()
        || name.split('.').all(number)
            && name
                .rsplit('.')
                .next()
                .is_some_and(|last| last.starts_with("0x") || last.chars().all(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_label_covers_subdomains_only() {
        let below = HostPattern::new("*.Docs.rs").unwrap();
        for (host, expected) in [
            ("a.docs.rs", true),
            ("a.b.docs.rs", true),
            ("docs.rs", false),
            (".docs.rs", false),
            ("evildocs.rs", false),
        ] {
            assert_eq!(below.matches(host), expected, "{host}");
        }
        assert!(HostPattern::new("*").unwrap().matches("x"));
        assert!(HostPattern::new("docs.rs").unwrap().matches("docs.rs"));
        assert!(!HostPattern::new("docs.rs").unwrap().matches("docs.rs."));
    }

    #[test]
    fn what_no_host_looks_like_is_refused() {
        for (text, error) in [
            ("a.*.com", PatternError::StarInHost),
            ("*docs.rs", PatternError::StarInHost),
            ("https://docs.rs", PatternError::NotAHost(':')),
            ("docs.rs/std", PatternError::NotAHost('/')),
            ("docs.rs:443", PatternError::NotAHost(':')),
            ("a..b", PatternError::NotAHost('.')),
            ("docs.rs.", PatternError::NotAHost('.')),
            ("bücher.de", PatternError::NotAHost('ü')),
        ] {
            assert_eq!(HostPattern::new(text), Err(error), "{text}");
        }
    }

    #[test]
    fn addresses_are_seen_in_every_notation() {
        for text in ["10.0.0.1", "[::1]", "::1", "2130706433", "0x7f.1", "127.1", "0x7f000001"] {
            assert!(HostPattern::new(text).unwrap().is_address(), "{text}");
        }
        for text in ["docs.rs", "1.example.com", "a1", "3com.com", "*.10.in-addr.arpa"] {
            assert!(!HostPattern::new(text).unwrap().is_address(), "{text}");
        }
    }
}
