//! Addresses and URLs: what is private is what the registries say, and what is read of a URL is what stands in it.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use enforce_core::net::{Host, Url, UrlError, is_private_ip};

use crate::cases::{Bytes, Case, Premise, Source, is_same, part};

/// An IPv4 address: any upper half, and one of `LOWER` lower halves.
#[derive(Debug, Clone, Copy)]
pub struct Four<const LOWER: usize> {
    /// The upper two bytes.
    pub upper: u16,
    /// The lower two bytes.
    pub lower: u16,
}

impl<const LOWER: usize> Case for Four<LOWER> {
    fn draw<S: Source>(source: &mut S) -> Self {
        Self { upper: half(source, HALVES), lower: half(source, LOWER) }
    }
}

/// An IPv6 address: any first group, one of `SECOND` second groups, one of `FILLS` ways to go on, and one of `LAST` ends
/// that mean something in IPv4.
#[derive(Debug, Clone, Copy)]
pub struct Six<const SECOND: usize, const FILLS: usize, const LAST: usize> {
    /// The first group.
    pub first: u16,
    /// The second group.
    pub second: u16,
    /// The four groups after it.
    pub middle: u64,
    /// The last two groups.
    pub last: u32,
}

impl<const SECOND: usize, const FILLS: usize, const LAST: usize> Case for Six<SECOND, FILLS, LAST> {
    fn draw<S: Source>(source: &mut S) -> Self {
        Self {
            first: half(source, HALVES),
            second: half(source, SECOND),
            middle: source.number(MIDDLES.get(..FILLS).unwrap_or(MIDDLES)),
            last: source.one_of(LASTS.get(..LAST).unwrap_or(LASTS)),
        }
    }
}

/// A URL: a start that is fine, and up to `N` bytes after it, in `TEXT` bytes.
#[derive(Debug, Clone, Copy)]
pub struct Link<const N: usize, const STARTS: usize, const TEXT: usize> {
    /// What it starts with.
    pub start: &'static str,
    /// What follows.
    pub rest: Bytes<N>,
}

impl<const N: usize, const STARTS: usize, const TEXT: usize> Case for Link<N, STARTS, TEXT> {
    fn draw<S: Source>(source: &mut S) -> Self {
        Self {
            start: source.one_of(LINK_STARTS.get(..STARTS).unwrap_or(LINK_STARTS)),
            rest: Bytes::draw(source, ALPHABET),
        }
    }
}

/// A percent sign in the path of a URL, and any two bytes after it.
#[derive(Debug, Clone, Copy)]
pub struct Escape {
    /// The byte after the percent sign.
    pub high: u8,
    /// The byte after that.
    pub low: u8,
}

impl Case for Escape {
    fn draw<S: Source>(source: &mut S) -> Self {
        let mut byte = || u8::try_from(source.below(BYTES)).unwrap_or_default();
        Self { high: byte(), low: byte() }
    }
}

/// A percent sign is followed by two hexadecimal digits that stand for what could not be written without it.
pub fn escapes_stand_for_what_needs_them(case: &Escape) -> Premise {
    let mut text = *ESCAPED;
    if let Some([high, low]) = text.last_chunk_mut() {
        (*high, *low) = (case.high, case.low);
    }
    let stands_for = hexadecimal(case.high).zip(hexadecimal(case.low)).map(|(high, low)| high * 16 + low);
    let is_needed =
        stands_for.is_some_and(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'-' | b'.' | b'_' | b'~'));
    // A query may start at either place, and what is no byte of a URL is refused before.
    let is_path = case.high != b'?' && case.low != b'?';
    assert!(!is_path || Url::new(&text).is_ok() == is_needed, "an escape is accepted exactly when it is needed");
    Premise::of(is_path)
}

fn hexadecimal(digit: u8) -> Option<u8> {
    match digit.to_ascii_lowercase() {
        decimal @ b'0'..=b'9' => Some(decimal.saturating_sub(b'0')),
        letter @ b'a'..=b'f' => Some(letter.saturating_sub(b'a').saturating_add(10)),
        _ => None,
    }
}

/// A host: one of the first `STARTS` starts, of which some are most of an address, and up to `N` bytes after it, in `TEXT`
/// bytes.
#[derive(Debug, Clone, Copy)]
pub struct Named<const N: usize, const STARTS: usize, const TEXT: usize> {
    /// What it starts with.
    pub start: &'static str,
    /// What follows.
    pub rest: Bytes<N>,
}

impl<const N: usize, const STARTS: usize, const TEXT: usize> Case for Named<N, STARTS, TEXT> {
    fn draw<S: Source>(source: &mut S) -> Self {
        Self {
            start: source.one_of(HOST_STARTS.get(..STARTS).unwrap_or(HOST_STARTS)),
            rest: Bytes::draw_settled(source, ALPHABET),
        }
    }
}

/// An IPv4 address is private exactly when it lies in a range of the list.
pub fn ipv4_is_private_as_listed<const LOWER: usize>(case: &Four<LOWER>) -> Premise {
    let address = u32::from(case.upper) << 16 | u32::from(case.lower);
    let found = is_private_ip(IpAddr::V4(Ipv4Addr::from_bits(address)));
    assert!(found == is_listed_v4(address), "an IPv4 address is private exactly when it is listed");
    Premise::Met
}

/// An IPv6 address is what the IPv4 address in it is, or else private unless it is handed out and not listed.
pub fn ipv6_is_private_as_listed<const SECOND: usize, const FILLS: usize, const LAST: usize>(
    case: &Six<SECOND, FILLS, LAST>,
) -> Premise {
    let high = u128::from(case.first) << 112 | u128::from(case.second) << 96;
    let address = high | u128::from(case.middle) << 32 | u128::from(case.last);
    let found = is_private_ip(IpAddr::V6(Ipv6Addr::from_bits(address)));
    let carries_v4 = MAPPED.contains(&address) || NAT64.contains(&address);
    let expected = if carries_v4 { is_listed_v4(case.last) } else { is_listed_v6(address) };
    assert!(found == expected, "an IPv6 address is private exactly when it is listed");
    Premise::Met
}

/// What was read of a URL stands in it, in this order, with nothing between that was not read.
pub fn a_url_is_what_was_read_of_it<const N: usize, const STARTS: usize, const TEXT: usize>(
    case: &Link<N, STARTS, TEXT>,
) -> Premise {
    let mut buffer = [0; TEXT];
    let text = joined(case.start, case.rest.as_slice(), &mut buffer);
    let url = match Url::new(text) {
        Ok(url) => url,
        Err(error) => {
            let is_there = |at: usize, byte: u8| text.get(at) == Some(&byte);
            assert!(
                !matches!(error, UrlError::Byte { at, byte } if !is_there(at, byte)),
                "a byte that is refused is at its place"
            );
            return Premise::Missed;
        }
    };
    for byte in text {
        assert!(byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'#'), "every byte of a URL is fine");
    }
    let mut rest = Rest { text };
    assert!(rest.takes(url.scheme) && rest.takes(b"://"), "a URL starts with its scheme");
    assert!(rest.takes(url.host.text()), "the host follows the scheme");
    if rest.takes(b":") {
        let port = rest.number();
        assert!(port.is_some() && port == url.port.map(u32::from), "the port follows the host");
    }
    let is_root = matches!(rest.text, [] | [b'?', ..]);
    assert!(rest.takes(url.path) || is_root && is_same(url.path, b"/"), "the path follows, or there is none");
    assert!(matches!(rest.text, [] | [b'?', ..]), "a query may follow, and nothing else");
    for byte in url.host.text() {
        let is_plain = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        assert!(is_plain, "a host has letters, digits, `-`, `_` and dots alone");
    }
    Premise::Met
}

/// A host whose last label a client could take for a number is an address in its one plain form.
pub fn a_host_of_numbers_is_a_plain_address<const N: usize, const STARTS: usize, const TEXT: usize>(
    case: &Named<N, STARTS, TEXT>,
) -> Premise {
    let mut buffer = [0; TEXT];
    let text = joined(case.start, case.rest.as_slice(), &mut buffer);
    let Ok(host) = Host::new(text) else {
        return Premise::Missed;
    };
    let mut last = text;
    while let Some(dot) = last.iter().position(|byte| *byte == b'.') {
        last = part(last, dot.saturating_add(1), last.len());
    }
    let is_number = last.iter().all(u8::is_ascii_digit)
        || matches!(last, [b'0', b'x' | b'X', rest @ ..] if rest.iter().all(u8::is_ascii_hexdigit));
    if is_number {
        let Some(address) = host.address() else {
            assert!(host.address().is_some(), "a host of numbers is an address");
            return Premise::Missed;
        };
        let mut rest = Rest { text };
        for (place, octet) in address.octets().into_iter().enumerate() {
            assert!(place == 0 || rest.takes(b"."), "dots stand between the numbers");
            assert!(rest.number() == Some(u32::from(octet)), "each number is written in its plain form");
        }
        assert!(rest.text.is_empty(), "there are four numbers");
    }
    Premise::of(is_number)
}

/// A text and what follows it.
fn joined<'b, const TEXT: usize>(start: &str, rest: &[u8], buffer: &'b mut [u8; TEXT]) -> &'b [u8] {
    let mut len: usize = 0;
    for part in [start.as_bytes(), rest] {
        for byte in part {
            if let Some(place) = buffer.get_mut(len) {
                *place = *byte;
                len = len.saturating_add(1);
            }
        }
    }
    part(buffer, 0, len)
}

/// What is left of a text.
struct Rest<'a> {
    text: &'a [u8],
}

impl Rest<'_> {
    /// Whether it starts with this, which is then gone.
    fn takes(&mut self, start: &[u8]) -> bool {
        let Some((first, rest)) = self.text.split_at_checked(start.len()) else {
            return false;
        };
        let is_there = is_same(first, start);
        if is_there {
            self.text = rest;
        }
        is_there
    }

    /// A decimal number without a zero before it, which is then gone.
    fn number(&mut self) -> Option<u32> {
        let mut number: Option<u32> = None;
        while let [digit @ b'0'..=b'9', rest @ ..] = self.text {
            if number == Some(0) {
                return None;
            }
            let digit = u32::from(digit.saturating_sub(b'0'));
            number = Some(number.unwrap_or_default().checked_mul(10)?.checked_add(digit)?);
            self.text = rest;
        }
        number
    }
}

/// One of so many values of two bytes: all of them, or those around which something changes.
fn half<S: Source>(source: &mut S, count: usize) -> u16 {
    if count == HALVES {
        return u16::try_from(source.below(HALVES)).unwrap_or_default();
    }
    source.one_of(EDGES.get(..count).unwrap_or(EDGES))
}

fn is_listed_v4(address: u32) -> bool {
    let mut is_listed = false;
    for (first, last) in RANGES_V4 {
        let (first, last) = (u32::from_be_bytes(*first), u32::from_be_bytes(*last));
        is_listed |= first <= address && address <= last;
    }
    is_listed
}

fn is_listed_v6(address: u128) -> bool {
    let mut is_listed = false;
    for (first, last) in RANGES_V6 {
        is_listed |= *first <= address && address <= *last;
    }
    is_listed
}

/// Everything that IANA's registry of special addresses does not call globally reachable, multicast, what is reserved,
/// and what was withdrawn: from and to.
const RANGES_V4: &[([u8; 4], [u8; 4])] = &[
    ([0, 0, 0, 0], [0, 255, 255, 255]),
    ([10, 0, 0, 0], [10, 255, 255, 255]),
    ([100, 64, 0, 0], [100, 127, 255, 255]),
    ([127, 0, 0, 0], [127, 255, 255, 255]),
    ([169, 254, 0, 0], [169, 254, 255, 255]),
    ([172, 16, 0, 0], [172, 31, 255, 255]),
    ([192, 0, 0, 0], [192, 0, 0, 255]),
    ([192, 0, 2, 0], [192, 0, 2, 255]),
    ([192, 88, 99, 0], [192, 88, 99, 255]),
    ([192, 168, 0, 0], [192, 168, 255, 255]),
    ([198, 18, 0, 0], [198, 19, 255, 255]),
    ([198, 51, 100, 0], [198, 51, 100, 255]),
    ([203, 0, 113, 0], [203, 0, 113, 255]),
    ([224, 0, 0, 0], [255, 255, 255, 255]),
];

/// The same for IPv6: what is below and above 2000::/3, and parts of that.
const RANGES_V6: &[(u128, u128)] = &[
    (0, 0x1fff_ffff_ffff_ffff_ffff_ffff_ffff_ffff),
    (0x2001_0000_0000_0000_0000_0000_0000_0000, 0x2001_01ff_ffff_ffff_ffff_ffff_ffff_ffff),
    (0x2001_0db8_0000_0000_0000_0000_0000_0000, 0x2001_0db8_ffff_ffff_ffff_ffff_ffff_ffff),
    (0x2002_0000_0000_0000_0000_0000_0000_0000, 0x2002_ffff_ffff_ffff_ffff_ffff_ffff_ffff),
    (0x3fff_0000_0000_0000_0000_0000_0000_0000, 0x3fff_0fff_ffff_ffff_ffff_ffff_ffff_ffff),
    (0x4000_0000_0000_0000_0000_0000_0000_0000, u128::MAX),
];
/// ::ffff:0:0/96, which stands for IPv4.
const MAPPED: core::ops::RangeInclusive<u128> = 0xffff_0000_0000..=0xffff_ffff_ffff;
/// 64:ff9b::/96, which is translated to IPv4.
const NAT64: core::ops::RangeInclusive<u128> =
    0x0064_ff9b_0000_0000_0000_0000_0000_0000..=0x0064_ff9b_0000_0000_0000_0000_ffff_ffff;

/// As many as two bytes have.
const HALVES: usize = 65_536;
/// Halves at which some range starts or ends, and those beside them.
const EDGES: &[u16] = &[
    0x0000, 0x0001, 0xffff, 0x00ff, 0x0100, 0x01ff, 0x0200, 0x02ff, 0x0300, 0x0db7, 0x0db8, 0x0db9, 0x0fff, 0x1000,
    0x62ff, 0x6300, 0x63ff, 0x6400, 0x64ff, 0x6500, 0x70ff, 0x7100, 0x71ff, 0x7200, 0xff9a, 0xff9b, 0xff9c,
];
const MIDDLES: &[u64] = &[0, 0xffff, 1, 0xfffe, u64::MAX, 1 << 63];
/// Ends that mean something in IPv4.
const LASTS: &[u32] = &[0, 1, 0x0808_0808, 0x7f00_0001, 0x0a00_0001, 0xc0a8_0001, u32::MAX];

/// Starts that are read, so that what follows them is what is tried.
const LINK_STARTS: &[&str] = &["a://", "", "a://a", "ws://", "http://a/", "HTTPS://1.2.3.", "file://"];
/// Starts of an address that is plain, of any host, of an address that may have a number too many, of one that is not plain,
/// and of a name.
const HOST_STARTS: &[&str] = &["1.1.1.", "", "255.0.", "01.1.1.", "a."];
const ESCAPED: &[u8; 9] = b"a://a/%00";
/// As many as there are.
const BYTES: usize = 256;
/// What URLs are made of: every byte that the reader tells from others, and one of each kind that it does not.
pub const ALPHABET: &[u8] = b"a:/.?@0xg1-_%+^\x01";
