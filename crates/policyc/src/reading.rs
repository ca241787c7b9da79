//! Strings of a request -> what is judged: paths inside the root, hosts, URLs and command lines.
//!
//! Everything here is lexical and conservative: what has two readings is refused, never guessed.

use std::fmt;
use std::net::Ipv4Addr;

/// The workspace root, for lexical containment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Root {
    components: Vec<String>,
}

/// A root that is no absolute path, or has a `..` or a NUL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RootError;

/// A path that is not inside the root, or that only a file system could say this of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PathEscape;

impl Root {
    pub(crate) fn new(path: &str) -> Result<Self, RootError> {
        if !path.starts_with('/') {
            return Err(RootError);
        }
        let components = components(path).map_err(|_| RootError)?;
        Ok(Self { components: components.into_iter().map(str::to_owned).collect() })
    }

    /// The path from the root, with one `/` between its components; the root itself is the empty path.
    ///
    /// A `..` is refused wherever it stands: what it leads to is for links to say.
    pub(crate) fn relative(&self, path: &str) -> Result<String, PathEscape> {
        let components = components(path)?;
        if !path.starts_with('/') {
            return Ok(components.join("/"));
        }
        match components.split_at_checked(self.components.len()) {
            Some((root, inside)) if root == self.components => Ok(inside.join("/")),
            Some(_) | None => Err(PathEscape),
        }
    }
}

/// What stands between slashes, without `.` and nothing.
fn components(path: &str) -> Result<Vec<&str>, PathEscape> {
    if path.contains('\0') {
        return Err(PathEscape);
    }
    let named = path.split('/').filter(|component| !matches!(*component, "" | "."));
    named.map(|component| if component == ".." { Err(PathEscape) } else { Ok(component) }).collect()
}

/// The last component of a path, and what follows its last dot unless it starts with that.
pub(crate) fn name_and_extension(path: &str) -> (&str, Option<&str>) {
    let name = path.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, extension)| extension);
    (name, extension)
}

/// A URL taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Url {
    pub(crate) scheme: String,
    pub(crate) host: String,
    /// As written, or what the scheme implies.
    pub(crate) port: Option<u64>,
    /// Without the query; `/` when there is none.
    pub(crate) path: String,
}

/// Why text is no URL, or no host, that everybody reads alike. In the order of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UrlError {
    /// A space, a control character, a backslash, a `#` or something that is not ASCII.
    Character(char),
    /// No `scheme://`.
    NoScheme,
    /// A scheme with other characters than letters, digits, `+`, `-` and `.`.
    Scheme,
    /// Something before an `@`.
    UserInfo,
    /// A label that is empty, too long, or has other characters than letters, digits, `-` and `_`.
    Host,
    /// A host of numbers that is not four plain decimals.
    Address,
    /// A port that is not 1 to 65535 in plain digits.
    Port,
    /// A `.` or `..` between slashes, also in percent signs, or a percent sign without its digits.
    Path,
}

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Character(c) => write!(f, "it has a {c:?}, which is written in percent signs"),
            Self::NoScheme => f.write_str("it does not start with a scheme: `https://host/path`"),
            Self::Scheme => f.write_str("its scheme is none"),
            Self::UserInfo => f.write_str("it has a user before its host"),
            Self::Host => f.write_str("its host is no name of letters, digits, `-` and `_` between dots"),
            Self::Address => f.write_str("its host is a number that is no plain IPv4 address"),
            Self::Port => f.write_str("its port is no number from 1 to 65535"),
            Self::Path => f.write_str("its path has a `.`, a `..` or a lone percent sign"),
        }
    }
}

/// Reads `scheme://host[:port][/path][?query]`, and nothing else.
pub(crate) fn url(text: &str) -> Result<Url, UrlError> {
    if let Some(odd) = text.chars().find(|c| !c.is_ascii_graphic() || matches!(c, '\\' | '#')) {
        return Err(UrlError::Character(odd));
    }
    let (scheme, rest) = text.split_once("://").ok_or(UrlError::NoScheme)?;
    let is_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    if !scheme.starts_with(|c: char| c.is_ascii_alphabetic()) || !scheme.chars().all(is_scheme) {
        return Err(UrlError::Scheme);
    }
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at_checked(end).unwrap_or_default();
    if authority.contains('@') {
        return Err(UrlError::UserInfo);
    }
    let scheme = scheme.to_ascii_lowercase();
    let (name, port) = match authority.split_once(':') {
        Some((name, port)) => (name, Some(read_port(port)?)),
        None => (authority, implied_port(&scheme)),
    };
    let path = rest.split('?').next().filter(|path| !path.is_empty()).unwrap_or("/");
    if !is_plain_path(path) {
        return Err(UrlError::Path);
    }
    Ok(Url { host: host(name)?, port, path: path.to_owned(), scheme })
}

/// Reads a host: a name in lower case, or an IPv4 address in its one plain form.
pub(crate) fn host(text: &str) -> Result<String, UrlError> {
    let is_label = |label: &str| {
        let is_known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        (1..=LABEL_BYTES_MAX).contains(&label.len())
            && label.chars().all(is_known)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    if text.len() > HOST_BYTES_MAX || !text.split('.').all(is_label) {
        return Err(UrlError::Host);
    }
    let folded = text.to_ascii_lowercase();
    let last = folded.rsplit('.').next().unwrap_or_default();
    let is_number = match last.strip_prefix("0x") {
        Some(digits) => digits.chars().all(|c| c.is_ascii_hexdigit()),
        None => last.chars().all(|c| c.is_ascii_digit()),
    };
    match is_number && folded.parse::<Ipv4Addr>().is_err() {
        true => Err(UrlError::Address),
        false => Ok(folded),
    }
}

fn read_port(text: &str) -> Result<u64, UrlError> {
    let is_plain = !text.is_empty() && !text.starts_with('0') && text.chars().all(|c| c.is_ascii_digit());
    text.parse::<u16>().ok().filter(|_| is_plain).map(u64::from).ok_or(UrlError::Port)
}

fn implied_port(scheme: &str) -> Option<u64> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

/// Whether every client sends the path as it is written.
fn is_plain_path(path: &str) -> bool {
    let is_dots = |segment: &str| matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..");
    let is_escape = |rest: &str| {
        let mut digits = rest.chars().take(2);
        digits.by_ref().all(|c| c.is_ascii_hexdigit()) && rest.len() >= 2
    };
    !path.split('/').any(is_dots) && path.split('%').skip(1).all(is_escape)
}

/// One simple command of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SimpleCommand {
    /// The first word; one with a `/` is no name.
    pub(crate) command: Option<String>,
    /// The first word after it that is no option.
    pub(crate) subcommand: Option<String>,
    /// The words, with one blank between them.
    pub(crate) line: String,
}

/// The simple commands of a line; none when the line is not understood in full.
///
/// Understood are plain words with single blanks between them, in commands with `&&`, `||`, `;` or `|`
/// between them. Quotes, expansions, redirections, assignments, words of the shell's own: none of these.
pub(crate) fn commands(line: &str) -> Option<Vec<SimpleCommand>> {
    let words: Vec<&str> = line.split(' ').collect();
    words.split(|word| matches!(*word, "&&" | "||" | ";" | "|")).map(simple_command).collect()
}

fn simple_command(words: &[&str]) -> Option<SimpleCommand> {
    let (first, arguments) = words.split_first()?;
    if !words.iter().all(|word| is_plain_word(word)) || is_assignment(first) || RESERVED.contains(first) {
        return None;
    }
    let subcommand = arguments.iter().find(|word| !word.starts_with('-'));
    Some(SimpleCommand {
        command: (!first.contains('/')).then(|| (*first).to_owned()),
        subcommand: subcommand.map(|word| (*word).to_owned()),
        line: words.join(" "),
    })
}

fn is_plain_word(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || "_@%+=:,./^-".contains(c))
}

/// `NAME=` or `NAME+=`, which a shell does not run.
fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name.strip_suffix('+').unwrap_or(name));
    name.is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// Words that change what the words after them are.
const RESERVED: &[&str] = &[
    "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in", "select", "then",
    "time", "until", "while",
];

const LABEL_BYTES_MAX: usize = 63;
const HOST_BYTES_MAX: usize = 253;

#[cfg(test)]
mod tests;
