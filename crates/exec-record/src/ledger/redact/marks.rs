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
    /// Whatever its value is, but for a number: a variable of the environment.
    Variable,
    /// A value that looks random.
    Maybe,
    /// A value that looks generated: `password_of_bob`, but also `password_file`.
    About,
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
        let kind = Self::by_end(name);
        if kind != Self::Plain {
            return kind;
        }
        // What it is may be followed by which of several it is, or by what is said about it.
        let (mut before, mut is_one_of_several) = (name, true);
        for _ in 0..SUFFIXES_MAX {
            let Some((rest, suffix)) = without_suffix(before) else { return Self::Plain };
            before = rest;
            is_one_of_several &= is_number(suffix);
            match (Self::by_end(rest), is_one_of_several) {
                (Self::Plain, _) => {}
                (kind @ (Self::Secret | Self::Variable | Self::Maybe), true) => return kind,
                (Self::Secret | Self::Variable | Self::Header, _) => return Self::About,
                (Self::Maybe | Self::About, _) => return Self::Plain,
            }
        }
        Self::Plain
    }

    fn by_end(name: &[u8]) -> Self {
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
        } else if is_or_ends(VARIABLES) && !name.iter().any(u8::is_ascii_lowercase) {
            Self::Variable
        } else if is_or_ends(MAYBE) || is_or_ends(VARIABLES) {
            Self::Maybe
        } else {
            Self::Plain
        }
    }
}

/// `PASSWORD2` is `PASSWORD` and `2`, `db_password_prod` is `db_password` and `prod`.
fn without_suffix(name: &[u8]) -> Option<(&[u8], &[u8])> {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (rest, suffix) = match digits {
        0 => {
            let place = name.iter().rposition(|byte| !byte.is_ascii_alphanumeric())?;
            (name.get(..place)?, name.get(place + 1..)?)
        }
        _ => name.split_at_checked(name.len() - digits)?,
    };
    (!rest.is_empty()).then_some((rest, suffix))
}

/// Whether a word says which of several it is.
fn is_number(word: &[u8]) -> bool {
    let is_known = || INSTANCES.iter().any(|instance| word.eq_ignore_ascii_case(instance.as_bytes()));
    word.len() <= 1 || word.iter().all(u8::is_ascii_digit) || is_known()
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
    known("hvb.", 20, Alphabet::Dotted),
    known("hvs.", 20, Alphabet::Dotted),
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

/// Addresses that are a secret from here on: whoever knows one can write there.
pub(super) const HOOKS: &[&str] = &[
    "hooks.slack.com/services/",
    "hooks.slack.com/workflows/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    "api.telegram.org/bot",
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
    "keypass",
    "masterkey",
    "passphrase",
    "passphrases",
    "passwd",
    "passwds",
    "password",
    "passwords",
    "privatekey",
    "refreshtoken",
    "secret",
    "secretkey",
    "secretkeybase",
    "sessiontoken",
    "signingkey",
    "storepass",
];

/// In capitals, variables that hold one.
const VARIABLES: &[&str] = &["bearer", "cookie", "jwt", "token"];

const MAYBE: &[&str] = &["auth", "key", "nonce", "secrets", "session", "sessionid", "sig", "signature"];

/// What stands behind the name of a secret and says which of several it is.
const INSTANCES: &[&str] = &[
    "admin",
    "backup",
    "current",
    "default",
    "dev",
    "development",
    "live",
    "local",
    "main",
    "new",
    "old",
    "primary",
    "prod",
    "production",
    "root",
    "secondary",
    "stage",
    "staging",
    "test",
    "testing",
];

const NAME_BYTES_MAX: usize = 64;
/// Words behind the name of a secret that are looked past.
const SUFFIXES_MAX: usize = 3;
