//! What secrets are known by: how keys of services begin, and what fields are called that hold one.

use std::sync::LazyLock;

/// A key that says by its beginning what it is.
pub(super) struct Known {
    pub(super) start: &'static str,
    /// How many characters follow at least.
    pub(super) more: usize,
    pub(super) alphabet: Alphabet,
}

/// What the rest of a key is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// Capital letters and digits.
    Capitals,
    /// Letters, digits, `_` and `-`.
    Word,
    /// Those, and `.`
    Dotted,
    /// Those, and `+`, `/`, `=`.
    Base64,
}

/// How sure a name is to hold a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// Whatever its value is.
    Secret,
    /// The rest of the line, with its blanks.
    Header,
    /// A value that looks random.
    Maybe,
    /// Not at all.
    Plain,
}

impl Alphabet {
    pub(super) fn has(self, byte: u8) -> bool {
        match self {
            Self::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => Self::Word.has(byte) || byte == b'.',
            Self::Base64 => Self::Dotted.has(byte) || matches!(byte, b'+' | b'/' | b'='),
        }
    }
}

impl Name {
    /// By the name's letters and digits: `api-key`, `API_KEY` and `apiKey` are one.
    pub(super) fn of(name: &[u8]) -> Self {
        let mut plain = [0; NAME_BYTES_MAX];
        let mut length = 0;
        // Of a long name the end says what it is.
        let start = name.len().saturating_sub(NAME_BYTES_MAX);
        for byte in name.iter().skip(start).filter(|byte| byte.is_ascii_alphanumeric()) {
            if let Some(place) = plain.get_mut(length) {
                *place = byte.to_ascii_lowercase();
                length += 1;
            }
        }
        let plain = plain.get(..length).unwrap_or_default();
        let is_or_ends = |words: &[&str]| words.iter().any(|word| plain.ends_with(word.as_bytes()));
        if HEADERS.iter().any(|word| plain == word.as_bytes()) {
            Self::Header
        } else if is_or_ends(SECRETS) || ends_with_word(name, b"pass") || ends_with_word(name, b"pwd") {
            Self::Secret
        } else if is_or_ends(MAYBE) {
            Self::Maybe
        } else {
            Self::Plain
        }
    }
}

/// Whether a key of a known form begins with this byte.
pub(super) fn can_start_a_key(byte: u8) -> bool {
    FIRST_BYTES.get(usize::from(byte)).is_some_and(|is_first| *is_first)
}

/// Whether the last word of a name is this one: of `db_pass`, not of `bypass`.
fn ends_with_word(name: &[u8], word: &[u8]) -> bool {
    let last = name.rsplit(|byte| !byte.is_ascii_alphanumeric()).next().unwrap_or_default();
    last.eq_ignore_ascii_case(word)
}

const fn known(start: &'static str, more: usize, alphabet: Alphabet) -> Known {
    Known { start, more, alphabet }
}

/// As the services that give them document them.
pub(super) const KNOWN: &[Known] = &[
    known("AKIA", 16, Alphabet::Capitals),
    known("ASIA", 16, Alphabet::Capitals),
    known("AROA", 16, Alphabet::Capitals),
    known("AIDA", 16, Alphabet::Capitals),
    known("ABIA", 16, Alphabet::Capitals),
    known("ACCA", 16, Alphabet::Capitals),
    known("AIza", 35, Alphabet::Word),
    known("AGE-SECRET-KEY-1", 40, Alphabet::Capitals),
    known("SG.", 40, Alphabet::Dotted),
    known("dop_v1_", 60, Alphabet::Word),
    known("eyJ", 30, Alphabet::Dotted),
    known("ghp_", 30, Alphabet::Word),
    known("gho_", 30, Alphabet::Word),
    known("ghu_", 30, Alphabet::Word),
    known("ghs_", 30, Alphabet::Word),
    known("ghr_", 30, Alphabet::Word),
    known("github_pat_", 22, Alphabet::Word),
    known("glpat-", 20, Alphabet::Dotted),
    known("hf_", 30, Alphabet::Word),
    known("npm_", 30, Alphabet::Word),
    known("pypi-", 40, Alphabet::Word),
    known("rk_live_", 16, Alphabet::Word),
    known("rk_test_", 16, Alphabet::Word),
    known("sk-", 20, Alphabet::Word),
    known("sk_live_", 16, Alphabet::Word),
    known("sk_test_", 16, Alphabet::Word),
    known("shpat_", 30, Alphabet::Word),
    known("whsec_", 24, Alphabet::Base64),
    known("xoxa-", 10, Alphabet::Word),
    known("xoxb-", 10, Alphabet::Word),
    known("xoxe-", 10, Alphabet::Word),
    known("xoxp-", 10, Alphabet::Word),
    known("xoxr-", 10, Alphabet::Word),
    known("xoxs-", 10, Alphabet::Word),
    known("xapp-", 10, Alphabet::Word),
];

/// By the table above.
static FIRST_BYTES: LazyLock<[bool; 256]> = LazyLock::new(|| {
    let is_first = |byte: usize| KNOWN.iter().any(|known| known.start.bytes().next().map(usize::from) == Some(byte));
    std::array::from_fn(is_first)
});

const HEADERS: &[&str] = &["authorization", "proxyauthorization", "cookie", "setcookie", "xapikey", "xauthtoken"];

const SECRETS: &[&str] = &[
    "accesskey",
    "accesstoken",
    "accountkey",
    "apikey",
    "apitoken",
    "authtoken",
    "bearertoken",
    "connectionstring",
    "credential",
    "credentials",
    "encryptionkey",
    "masterkey",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "refreshtoken",
    "secret",
    "secretkey",
    "sessiontoken",
    "signingkey",
];

const MAYBE: &[&str] = &["auth", "key", "nonce", "secrets", "session", "sessionid", "sig", "signature", "token"];

const NAME_BYTES_MAX: usize = 64;
