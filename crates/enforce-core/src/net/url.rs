//! A URL -> scheme, host, port and path, as every client reads them, or a refusal.
//!
//! Strict where clients differ: a user before the host, a backslash, a control character, a tab that some drop and
//! some do not, a host that is a number in other spellings than the plain one. What has two readings is refused,
//! so that no client connects to another host than the one that was judged.

use core::net::Ipv4Addr;

/// A URL taken apart. Scheme and host as they are written; [`fold`] gives them the case that rules are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Url<'a> {
    /// Before `://`.
    pub scheme: &'a [u8],
    /// Whom to connect to.
    pub host: Host<'a>,
    /// As written, or what the scheme implies.
    pub port: Option<u16>,
    /// Without the query; `/` when there is none.
    pub path: &'a [u8],
}

/// The name of a host, or its IPv4 address in its one plain form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Host<'a> {
    text: &'a [u8],
}

/// Why text is no URL, or no host, that everybody reads alike. In the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrlError {
    /// A space, a control character, a backslash, a `#` or something that is not ASCII.
    Byte {
        /// Which.
        byte: u8,
        /// Its place.
        at: usize,
    },
    /// No `scheme://`.
    NoScheme,
    /// A scheme that does not start with a letter, that has other characters than letters, digits, `+`, `-` and
    /// `.`, or more than [`SCHEME_BYTES_MAX`] of them. And `file`, which some read without the host.
    Scheme,
    /// Something before an `@`.
    UserInfo,
    /// A port that is not 1 to 65535 in plain digits.
    Port,
    /// A `.` or `..` between slashes, also in percent signs, a percent sign without its digits, or one of
    /// ``"<>^`{|}``, which some clients encode and some do not.
    Path,
    /// A label that is empty, too long, or has other characters than letters, digits, `-` and `_`.
    Host,
    /// A host of numbers that is not four plain decimals.
    Address,
}

impl<'a> Url<'a> {
    /// Reads `scheme://host[:port][/path][?query]`, and nothing else.
    ///
    /// # Errors
    /// When it is anything else.
    pub fn new(text: &'a [u8]) -> Result<Self, UrlError> {
        let is_odd = |byte: &u8| !byte.is_ascii_graphic() || matches!(byte, b'\\' | b'#');
        if let Some((at, byte)) = text.iter().enumerate().find(|(_, byte)| is_odd(byte)) {
            return Err(UrlError::Byte { byte: *byte, at });
        }
        let (scheme, rest) = split_once(text, b"://").ok_or(UrlError::NoScheme)?;
        let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let is_first = scheme.first().is_some_and(u8::is_ascii_alphabetic);
        if !is_first || !scheme.iter().all(is_scheme) || scheme.len() > SCHEME_BYTES_MAX {
            return Err(UrlError::Scheme);
        }
        if is_same_scheme(scheme, b"file") {
            return Err(UrlError::Scheme);
        }
        let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?' | b'@')).unwrap_or(rest.len());
        if rest.get(end) == Some(&b'@') {
            return Err(UrlError::UserInfo);
        }
        let (authority, rest) = rest.split_at_checked(end).unwrap_or_default();
        let (host, port) = match split_once(authority, b":") {
            Some((host, port)) => (host, Some(read_port(port).ok_or(UrlError::Port)?)),
            None => (authority, implied_port(scheme)),
        };
        let path = split_once(rest, b"?").map_or(rest, |(path, _)| path);
        let path = if path.is_empty() { b"/" } else { path };
        if !is_plain_path(path) {
            return Err(UrlError::Path);
        }
        Ok(Self { scheme, host: Host::new(host)?, port, path })
    }
}

impl<'a> Host<'a> {
    /// Reads a host.
    ///
    /// # Errors
    /// When it is neither a name nor an address in its plain form.
    pub fn new(text: &'a [u8]) -> Result<Self, UrlError> {
        if text.len() > HOST_BYTES_MAX || !text.split(|byte| *byte == b'.').all(is_label) {
            return Err(UrlError::Host);
        }
        let host = Self { text };
        match host.is_number() && host.address().is_none() {
            true => Err(UrlError::Address),
            false => Ok(host),
        }
    }

    /// As written.
    #[must_use]
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// The address, when it is one.
    #[must_use]
    pub fn address(&self) -> Option<Ipv4Addr> {
        let mut labels = self.text.split(|byte| *byte == b'.');
        let mut octet = || labels.next().and_then(decimal).and_then(|number| u8::try_from(number).ok());
        let octets = [octet()?, octet()?, octet()?, octet()?];
        labels.next().is_none().then_some(Ipv4Addr::from(octets))
    }

    /// Whether some client could take it for an address: its last label is a number.
    fn is_number(&self) -> bool {
        let last = self.text.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
        match last {
            [b'0', b'x' | b'X', digits @ ..] => digits.iter().all(u8::is_ascii_hexdigit),
            digits => digits.iter().all(u8::is_ascii_digit),
        }
    }
}

/// The text in lower case. `None` when the buffer is too small.
#[must_use]
pub fn fold<'b>(text: &[u8], buffer: &'b mut [u8]) -> Option<&'b [u8]> {
    let place = buffer.get_mut(..text.len())?;
    place.iter_mut().zip(text).for_each(|(to, from)| *to = from.to_ascii_lowercase());
    Some(place)
}

fn is_label(label: &[u8]) -> bool {
    let is_known = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=LABEL_BYTES_MAX).contains(&label.len())
        && label.iter().all(is_known)
        && label.first() != Some(&b'-')
        && label.last() != Some(&b'-')
}

fn read_port(text: &[u8]) -> Option<u16> {
    decimal(text).filter(|port| *port != 0)
}

/// A number in its one form.
fn decimal(digits: &[u8]) -> Option<u16> {
    if digits.is_empty() || digits.len() > 1 && digits.first() == Some(&b'0') {
        return None;
    }
    digits.iter().try_fold(0_u16, |number, digit| {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit <= 9)?;
        number.checked_mul(10)?.checked_add(u16::from(digit))
    })
}

/// A port that is left open would be compared as one that is larger than any.
fn implied_port(scheme: &[u8]) -> Option<u16> {
    let implied = IMPLIED_PORTS.iter().find(|(known, _)| is_same_scheme(scheme, known));
    implied.map(|(_, port)| *port)
}

/// Whether a scheme is this one, in whatever case.
fn is_same_scheme(scheme: &[u8], known: &[u8]) -> bool {
    scheme.iter().map(u8::to_ascii_lowercase).eq(known.iter().copied())
}

/// Whether every client sends the path as it is written.
fn is_plain_path(path: &[u8]) -> bool {
    // What needs no percent sign is written without one: two spellings of a path are two for a rule.
    let is_escape = |rest: &[u8]| match rest {
        [a, b, ..] => hex(*a).zip(hex(*b)).is_some_and(|(high, low)| {
            let byte = high << 4 | low;
            !byte.is_ascii_alphanumeric() && !matches!(byte, b'-' | b'.' | b'_' | b'~')
        }),
        _ => false,
    };
    let is_encoded = |byte: &u8| matches!(byte, b'"' | b'<' | b'>' | b'^' | b'`' | b'{' | b'|' | b'}');
    let is_dots = |segment: &[u8]| matches!(segment, b"." | b"..");
    !path.split(|byte| *byte == b'/').any(is_dots)
        && path.split(|byte| *byte == b'%').skip(1).all(is_escape)
        && !path.iter().any(is_encoded)
}

fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => digit.checked_sub(b'0'),
        b'a'..=b'f' => digit.checked_sub(b'a' - 10),
        b'A'..=b'F' => digit.checked_sub(b'A' - 10),
        _ => None,
    }
}

fn split_once<'a>(text: &'a [u8], mark: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = text.windows(mark.len()).position(|window| window == mark)?;
    Some((text.get(..at)?, text.get(at.checked_add(mark.len())?..)?))
}

/// The most bytes of a host, as names are resolved.
pub const HOST_BYTES_MAX: usize = 253;
/// The most bytes of a scheme.
pub const SCHEME_BYTES_MAX: usize = 32;
const LABEL_BYTES_MAX: usize = 63;
/// The schemes that the URL standard knows a port of.
const IMPLIED_PORTS: &[(&[u8], u16)] = &[(b"http", 80), (b"https", 443), (b"ws", 80), (b"wss", 443), (b"ftp", 21)];

#[cfg(test)]
mod tests;
