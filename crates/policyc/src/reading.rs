//! Strings of a request -> what is judged: paths inside the root, hosts, URLs, git references and command lines, as
//! the core reads them, or what the core answers when it cannot.

use enforce_core::judge::{ArgumentError, Refusal};
use enforce_core::net::{self, Host, UrlError};
use enforce_core::path::{Contained, PathError};
use enforce_core::shell::{Command, Invalid, Line, ShellError, Word};

/// A denial that no rule is asked about, because the core does not read the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The core's, for programs.
    pub(crate) code: String,
    /// The text, as it is written.
    pub(crate) target: String,
    /// Why, for people.
    pub(crate) because: String,
}

impl Refused {
    /// The code is asked of the core, so that there is one place that knows it.
    fn new(refusal: &Refusal<'_>, target: &str, because: impl Into<String>) -> Self {
        Self { code: refusal.code().to_owned(), target: target.to_owned(), because: because.into() }
    }
}

/// The workspace root, for lexical containment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Root {
    path: String,
}

/// A root that is no absolute path, or has a `..` or a NUL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RootError;

impl Root {
    pub(crate) fn new(path: &str) -> Result<Self, RootError> {
        enforce_core::path::Root::new(path.as_bytes()).map_err(|_| RootError)?;
        Ok(Self { path: path.to_owned() })
    }

    /// The path from the root, with one `/` between its components; the root itself is the empty path.
    pub(crate) fn relative(&self, path: &str) -> Result<String, Refused> {
        let refuse = |error| {
            let refusal = Refusal::SenderPath { path: path.as_bytes(), error };
            Refused::new(&refusal, path, path_reason(error))
        };
        let outside = || refuse(PathError::Outside);
        let root = enforce_core::path::Root::new(self.path.as_bytes()).map_err(|_| outside())?;
        let contained = Contained::new(root, b"", path.as_bytes()).map_err(refuse)?;
        let mut buffer = vec![0; path.len()];
        contained.write(&mut buffer).map(owned).map_err(|_| outside())
    }
}

fn path_reason(error: PathError) -> &'static str {
    match error {
        PathError::Empty => "it is empty",
        PathError::TooLong { .. } => "it is too long",
        PathError::Nul { .. } => "it has a NUL",
        PathError::Parent { .. } => "it has a component `..`",
        PathError::Outside => "it is not inside the root",
    }
}

/// The last component of a path, and what follows its last dot unless it starts with that.
pub(crate) fn name_and_extension(path: &str) -> (&str, Option<&str>) {
    let name = path.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, extension)| extension);
    (name, extension)
}

/// A URL taken apart, scheme and host in lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Url {
    pub(crate) scheme: String,
    pub(crate) host: String,
    /// As written, or what the scheme implies.
    pub(crate) port: Option<u64>,
    /// Without the query; `/` when there is none.
    pub(crate) path: String,
}

/// Reads `scheme://host[:port][/path][?query]`, and nothing else.
pub(crate) fn url(text: &str) -> Result<Url, Refused> {
    let url = net::Url::new(text.as_bytes()).map_err(|error| unread(text, error))?;
    Ok(Url {
        scheme: owned(url.scheme).to_ascii_lowercase(),
        host: owned(url.host.text()).to_ascii_lowercase(),
        port: url.port.map(u64::from),
        path: owned(url.path),
    })
}

/// Reads the path of a URL, which is all of it.
pub(crate) fn url_path(path: &str) -> Result<String, Refused> {
    let error = match net::Url::new(format!("https://a{path}").as_bytes()) {
        Ok(url) if url.path == path.as_bytes() => return Ok(path.to_owned()),
        Ok(_) => UrlError::Path,
        Err(error) => error,
    };
    Err(unread(path, error))
}

/// Reads a host: a name in lower case, or an IPv4 address in its one plain form.
pub(crate) fn host(text: &str) -> Result<String, Refused> {
    let host = Host::new(text.as_bytes()).map_err(|error| unread(text, error))?;
    Ok(owned(host.text()).to_ascii_lowercase())
}

/// A URL or host that not everybody reads alike.
fn unread(text: &str, error: UrlError) -> Refused {
    let because = match error {
        UrlError::Byte { byte, .. } if byte.is_ascii() => {
            format!("it has a {:?}, which is written in percent signs", char::from(byte))
        }
        UrlError::Byte { at, .. } => {
            format!("it has something other than ASCII at byte {at}, which is written in percent signs")
        }
        UrlError::NoScheme => "it does not start with a scheme: `https://host/path`".to_owned(),
        UrlError::Scheme => "its scheme is none".to_owned(),
        UrlError::UserInfo => "it has a user before its host".to_owned(),
        UrlError::Host => "its host is no name of letters, digits, `-` and `_` between dots".to_owned(),
        UrlError::Address => "its host is a number that is no plain IPv4 address".to_owned(),
        UrlError::Port => "its port is no number from 1 to 65535".to_owned(),
        UrlError::Path => "its path has a `.`, a `..`, or a percent sign that is alone or not needed".to_owned(),
    };
    Refused::new(&Refusal::SenderUrl { url: text.as_bytes(), error }, text, because)
}

/// Reads a git reference, which is the value of this attribute.
pub(crate) fn reference(name: &str, text: &str) -> Result<String, Refused> {
    if text.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
        let refusal = Refusal::SenderArgument { name, error: ArgumentError::Reference };
        return Err(Refused::new(&refusal, text, "it has an empty, `.` or `..` segment"));
    }
    Ok(text.to_owned())
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
}

/// Reads a line to its end. One that no shell would run is refused.
pub(crate) fn commands(line: &str) -> Result<Commands, Refused> {
    match Line::new(line.as_bytes()) {
        Ok(line) => {
            let commands = line.commands().map(simple_command).collect::<Option<_>>();
            Ok(commands.map_or(Commands::Complex, Commands::Simple))
        }
        Err(ShellError::Complex { .. }) => Ok(Commands::Complex),
        Err(ShellError::Invalid { reason, at }) => {
            let because = format!("no shell would run it: {}", line_reason(reason));
            Err(Refused::new(&Refusal::SenderLine { reason, at }, line, because))
        }
    }
}

fn line_reason(reason: Invalid) -> &'static str {
    match reason {
        Invalid::Empty => "there is no command in it",
        Invalid::TooLong => "it is too long",
        Invalid::Nul => "it has a NUL",
        Invalid::OpenQuote => "a quote is never closed",
        Invalid::LoneBackslash => "nothing follows its last backslash",
        Invalid::OperatorFirst => "an operator has no command before it",
        Invalid::OperatorLast => "an operator has no command after it",
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
