//! Where a value starts -> where it ends, in whatever quotes it is. It does not know whether it is a secret.

use std::ops::Range;

use super::find::{is_blank, is_word, run};
use super::marks::Name;

/// A value: in its quotes, or to the next blank; that of a header to the end of its line.
pub(super) fn value(bytes: &[u8], from: usize, kind: Name) -> Option<Range<usize>> {
    // `$'…'` is a quote too.
    let is_quoted_so = bytes.get(from) == Some(&b'$') && bytes.get(from + 1).copied().is_some_and(is_quote);
    let from = if is_quoted_so { from + 1 } else { from };
    let escaped = run(bytes, from, |byte| byte == b'\\');
    let range = match bytes.get(escaped).copied() {
        Some(quote) if is_quote(quote) => {
            let (inside, end) = (escaped + 1, closing(bytes, escaped + 1, quote, escaped - from));
            // What follows without a blank belongs to it still.
            let goes_on = bytes.get(end + 1).copied().is_some_and(is_word);
            inside..if goes_on { bare(bytes, end + 1, Name::Secret) } else { end }
        }
        _ => from..bare(bytes, from, kind),
    };
    (!range.is_empty()).then_some(range)
}

/// Where the quote is that ends a value, which so many backslashes stand before: inside of a text in quotes there is one
/// before each, and inside of that three.
fn closing(bytes: &[u8], inside: usize, quote: u8, backslashes: usize) -> usize {
    let (mut at, mut count) = (inside, 0_usize);
    while let Some(byte) = bytes.get(at).copied() {
        let is_closing = count < backslashes || count % (2 * (backslashes + 1)) == backslashes;
        match byte {
            b'\\' => count += 1,
            _ if byte == quote && starts_with_shell_quote(bytes, at) => {
                at += SHELL_QUOTE.len() - 1;
                count = 0;
            }
            _ if byte == quote && is_closing => return at,
            _ => count = 0,
        }
        at += 1;
    }
    bytes.len()
}

/// Where a value without quotes ends. A quote ends one that stands in a text in quotes, unless a word goes on behind it.
fn bare(bytes: &[u8], from: usize, kind: Name) -> usize {
    let mut at = from;
    while let Some(byte) = bytes.get(at).copied() {
        let next = bytes.get(at + 1).copied();
        let is_end = match byte {
            b'\n' | b'\r' => true,
            _ if is_quote(byte) => !starts_with_shell_quote(bytes, at) && !next.is_some_and(is_word),
            _ if kind == Name::Header => false,
            // A blank behind a backslash is part of a word.
            b'\\' if next.is_some_and(is_blank) => {
                at += 1;
                false
            }
            _ => byte.is_ascii_whitespace() || byte == b'&',
        };
        if is_end {
            return at;
        }
        at += if starts_with_shell_quote(bytes, at) { SHELL_QUOTE.len() } else { 1 };
    }
    bytes.len()
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

fn starts_with_shell_quote(bytes: &[u8], at: usize) -> bool {
    bytes.get(at) == Some(&b'\'') && bytes.get(at..).is_some_and(|rest| rest.starts_with(SHELL_QUOTE))
}

/// A quote in a text between such quotes, as shells have it.
const SHELL_QUOTE: &[u8] = b"'\\''";
