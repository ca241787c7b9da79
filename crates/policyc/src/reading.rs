//! Strings of a request -> what is judged: paths inside the root, hosts, URLs and command lines, as the core
//! reads them.

use std::fmt;

use enforce_core::net::{self, Host};
use enforce_core::path::Contained;
use enforce_core::shell::{Command, Line, ShellError, Word};

/// The workspace root, for lexical containment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Root {
    path: String,
}

/// A root that is no absolute path, or has a `..` or a NUL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RootError;

/// A path that is not inside the root, or that only a file system could say this of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PathEscape;

impl Root {
    pub(crate) fn new(path: &str) -> Result<Self, RootError> {
        enforce_core::path::Root::new(path.as_bytes()).map_err(|_| RootError)?;
        Ok(Self { path: path.to_owned() })
    }

    /// The path from the root, with one `/` between its components; the root itself is the empty path.
    pub(crate) fn relative(&self, path: &str) -> Result<String, PathEscape> {
        let root = enforce_core::path::Root::new(self.path.as_bytes()).map_err(|_| PathEscape)?;
        let contained = Contained::new(root, b"", path.as_bytes()).map_err(|_| PathEscape)?;
        let mut buffer = vec![0; path.len()];
        contained.write(&mut buffer).map(owned).map_err(|_| PathEscape)
    }
}

/// The last component of a path, and what follows its last dot unless it starts with that.
pub(crate) fn name_and_extension(path: &str) -> (&str, Option<&str>) {
    let name = path.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, extension)| extension);
    (name, extension)
}

/// A URL taken apart, scheme and host in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Url {
    pub(crate) scheme: String,
    pub(crate) host: String,
    /// As written, or what the scheme implies.
    pub(crate) port: Option<u64>,
    /// Without the query; `/` when there is none.
    pub(crate) path: String,
}

/// Why text is no URL, or no host, that everybody reads alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UrlError(pub(crate) net::UrlError);

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use net::UrlError::{Address, Byte, Host, NoScheme, Path, Port, Scheme, UserInfo};
        match self.0 {
            Byte { byte, .. } if byte.is_ascii() => {
                write!(f, "it has a {:?}, which is written in percent signs", char::from(byte))
            }
            Byte { at, .. } => {
                write!(f, "it has something other than ASCII at byte {at}, which is written in percent signs")
            }
            NoScheme => f.write_str("it does not start with a scheme: `https://host/path`"),
            Scheme => f.write_str("its scheme is none"),
            UserInfo => f.write_str("it has a user before its host"),
            Host => f.write_str("its host is no name of letters, digits, `-` and `_` between dots"),
            Address => f.write_str("its host is a number that is no plain IPv4 address"),
            Port => f.write_str("its port is no number from 1 to 65535"),
            Path => f.write_str("its path has a `.`, a `..` or a lone percent sign"),
        }
    }
}

/// Reads `scheme://host[:port][/path][?query]`, and nothing else.
pub(crate) fn url(text: &str) -> Result<Url, UrlError> {
    let url = net::Url::new(text.as_bytes()).map_err(UrlError)?;
    Ok(Url {
        scheme: owned(url.scheme).to_ascii_lowercase(),
        host: owned(url.host.text()).to_ascii_lowercase(),
        port: url.port.map(u64::from),
        path: owned(url.path),
    })
}

/// Reads a host: a name in lower case, or an IPv4 address in its one plain form.
pub(crate) fn host(text: &str) -> Result<String, UrlError> {
    let host = Host::new(text.as_bytes()).map_err(UrlError)?;
    Ok(owned(host.text()).to_ascii_lowercase())
}

/// One simple command of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SimpleCommand {
    /// The first word; one with a `/` is no name.
    pub(crate) command: Option<String>,
    /// The first word after it that is no option.
    pub(crate) subcommand: Option<String>,
    /// The words, with one blank between them, quoted where they have to be.
    pub(crate) line: String,
}

/// What a line comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Commands {
    /// Its simple commands.
    Simple(Vec<SimpleCommand>),
    /// A shell would do more than run commands.
    Complex,
    /// No shell would run it.
    Invalid,
}

/// Reads a line to its end.
pub(crate) fn commands(line: &str) -> Commands {
    match Line::new(line.as_bytes()) {
        Ok(line) => {
            line.commands().map(simple_command).collect::<Option<_>>().map_or(Commands::Complex, Commands::Simple)
        }
        Err(ShellError::Complex { .. }) => Commands::Complex,
        Err(ShellError::Invalid { .. }) => Commands::Invalid,
    }
}

fn simple_command(command: Command<'_>) -> Option<SimpleCommand> {
    let said = |word: Word<'_>| String::from_utf8_lossy(&word.bytes().collect::<Vec<u8>>()).into_owned();
    let mut buffer = vec![0; command.written_max()];
    Some(SimpleCommand {
        command: command.words().next().map(said).filter(|name| !name.contains('/')),
        subcommand: command.subcommand().map(said),
        line: owned(command.write(&mut buffer)?),
    })
}

/// What the core takes from text is text.
fn owned(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests;
