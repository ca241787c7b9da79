//! The arguments of a git operation -> what they name: refs, paths, remotes, URLs; or a refusal.
//!
//! Each operation has its own list of options, and what is not on it is refused: options that run programs or move
//! the repository (`-c`, `--upload-pack`, `--exec`, `--git-dir`, `--output`), abbreviations, and short options that are glued
//! together. Before a `--` stand refs, after it paths, whatever files there are.
//!
//! Whoever runs git for a permit has to hold it to the same reading: give it the `--`, take paths literally
//! (`GIT_LITERAL_PATHSPECS`), allow no transport but those of [`GitArgument::Url`] (`GIT_ALLOW_PROTOCOL`) and no remote that is not
//! configured, because git takes the name of a folder for a remote too, and runs the hooks it finds there; and let it guess
//! no branch (`checkout --no-guess`).

mod grammar;

use crate::net::{Host, Url};
use crate::text::{after_last, has, numbered, split_once, starts_with};
use crate::wire::Texts;
use grammar::{Changes, OptionSpec, Positionals, Stash, Takes, grammar};

/// What git is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are named after the commands")]
pub enum Verb {
    Clone,
    Fetch,
    Pull,
    Diff,
    Commit,
    Push,
    Status,
    Log,
    Branch,
    Checkout,
    Merge,
    Rebase,
    Add,
    Reset,
    Stash,
    Tag,
    Remote,
    Show,
}

/// What arguments say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitArgument<'a> {
    /// Something is overwritten or thrown away.
    Force,
    /// Everything there is.
    All,
    /// The name of a remote.
    Remote(&'a str),
    /// Where a repository is.
    Url(&'a str),
    /// A ref or a revision, as it is written.
    Ref(&'a str),
    /// A branch without the `refs/heads/` before it.
    Branch(&'a str),
    /// A tag without the `refs/tags/` before it.
    Tag(&'a str),
    /// A path, from the working directory on.
    Path(&'a str),
    /// A path in a commit, from the root of the repository on; all of it when empty.
    TreePath {
        /// The commit.
        revision: &'a str,
        /// The path.
        path: &'a str,
    },
}

/// Why arguments are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GitError {
    /// An argument that is empty or has a NUL.
    Argument {
        /// Which.
        item: usize,
    },
    /// An option that the operation does not have here.
    Option {
        /// Which.
        item: usize,
    },
    /// An option without its value.
    NoValue {
        /// Which.
        item: usize,
    },
    /// A word where none is known.
    Word {
        /// Which.
        item: usize,
    },
    /// What is no ref, or one that has two readings.
    Ref {
        /// Which.
        item: usize,
    },
    /// What is no remote and no URL, or a URL of a transport that runs programs or reads files.
    Remote {
        /// Which.
        item: usize,
    },
    /// A push, a clone or a new name for a branch that leaves open what it is about.
    NothingNamed,
    /// Paths in more than two commits.
    ManyRefs,
}

impl GitError {
    /// For people.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Argument { .. } => "an argument of git is empty, or has a NUL, or starts with a colon",
            Self::Option { .. } => "an option of git is not known for this operation",
            Self::NoValue { .. } => "an option of git lacks its value",
            Self::Word { .. } => "an argument of git is not known for this operation",
            Self::Ref { .. } => {
                "an argument of git is no ref with one reading: what is pushed is named in full, as refs/heads/main"
            }
            Self::Remote { .. } => "an argument of git is no remote, and no URL of a known transport",
            Self::NothingNamed => "the git operation does not say what it is about",
            Self::ManyRefs => "the git operation names paths in more than two commits",
        }
    }
}

impl Verb {
    /// All of them, in the order of the protocol (INV-0021).
    pub const ALL: [Self; 18] = [
        Self::Clone,
        Self::Fetch,
        Self::Pull,
        Self::Diff,
        Self::Commit,
        Self::Push,
        Self::Status,
        Self::Log,
        Self::Branch,
        Self::Checkout,
        Self::Merge,
        Self::Rebase,
        Self::Add,
        Self::Reset,
        Self::Stash,
        Self::Tag,
        Self::Remote,
        Self::Show,
    ];

    /// As the protocol names it: `PUSH`.
    #[must_use]
    pub fn wire_name(self) -> &'static str {
        match self {
            Self::Clone => "CLONE",
            Self::Fetch => "FETCH",
            Self::Pull => "PULL",
            Self::Diff => "DIFF",
            Self::Commit => "COMMIT",
            Self::Push => "PUSH",
            Self::Status => "STATUS",
            Self::Log => "LOG",
            Self::Branch => "BRANCH",
            Self::Checkout => "CHECKOUT",
            Self::Merge => "MERGE",
            Self::Rebase => "REBASE",
            Self::Add => "ADD",
            Self::Reset => "RESET",
            Self::Stash => "STASH",
            Self::Tag => "TAG",
            Self::Remote => "REMOTE",
            Self::Show => "SHOW",
        }
    }

    /// The one of that name in the protocol.
    #[must_use]
    pub fn named(name: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.wire_name().as_bytes() == name)
    }
}

/// Shows what the arguments of an operation say, in their order.
///
/// # Errors
/// At the first argument that is not understood. What was shown before it counts for nothing.
pub fn read<'a>(verb: Verb, args: &Texts<'a>, see: &mut dyn FnMut(GitArgument<'a>)) -> Result<(), GitError> {
    let mut args = numbered(args.iter());
    let mut stash = Stash::Push;
    if verb == Verb::Stash
        && let Some((item, word)) = args.next()
    {
        stash = stash_word(word, see).ok_or(GitError::Word { item })?;
    }
    let grammar = grammar(verb, stash);
    let (positionals, changes) = (grammar.positionals, Changes::First);
    let mut reading = Reading { verb, positionals, changes, place: 0, is_covered: false, word: "", see };
    let mut is_after_dashes = false;
    while let Some((item, arg)) = args.next() {
        if arg.is_empty() || arg.as_bytes().contains(&0) {
            return Err(GitError::Argument { item });
        }
        if is_after_dashes && grammar.positionals.has_paths_last() {
            reading.path(item, arg)?;
        } else if is_after_dashes || !starts_with(arg, b'-') {
            reading.positional(item, arg)?;
        } else if arg == "--" {
            is_after_dashes = true;
        } else if !(grammar.counts && is_count(arg)) {
            let (name, glued) = match split_once(arg, b'=') {
                Some((name, value)) if name.starts_with("--") => (name, Some(value)),
                _ => (arg, None),
            };
            let Some(option) = grammar.option(name) else {
                return Err(GitError::Option { item });
            };
            let value = match (option.takes, glued) {
                (Takes::Nothing, None) => None,
                (Takes::Nothing, Some(_)) => return Err(GitError::Option { item }),
                (Takes::Text | Takes::Ref | Takes::Branch, Some(value)) => Some((item, value)),
                (Takes::Text | Takes::Ref | Takes::Branch, None) if option.is_glued => {
                    return Err(GitError::NoValue { item });
                }
                (Takes::Text | Takes::Ref | Takes::Branch, None) => {
                    Some(args.next().ok_or(GitError::NoValue { item })?)
                }
            };
            // What is done to names has to be known when they are read.
            if option.changes != Changes::First {
                let is_other = reading.changes != Changes::First && reading.changes != option.changes;
                if reading.place > 0 || is_other {
                    return Err(GitError::Option { item });
                }
                reading.changes = option.changes;
            }
            reading.option(option, value)?;
        }
    }
    reading.end()
}

fn stash_word<'a>(word: &str, see: &mut dyn FnMut(GitArgument<'a>)) -> Option<Stash> {
    let (stash, is_force) = match word {
        "push" => (Stash::Push, false),
        "list" => (Stash::Other, false),
        "show" => (Stash::Show, false),
        "apply" => (Stash::Take, false),
        "pop" | "drop" => (Stash::Take, true),
        "clear" => (Stash::Other, true),
        _ => return None,
    };
    if is_force {
        see(GitArgument::Force);
    }
    Some(stash)
}

struct Reading<'a, 's> {
    verb: Verb,
    positionals: Positionals,
    changes: Changes,
    /// How many positional arguments there were.
    place: usize,
    /// Whether a push says what is pushed, a clone where to, and a checkout which branch is made.
    is_covered: bool,
    /// The first positional argument.
    word: &'a str,
    see: &'s mut dyn FnMut(GitArgument<'a>),
}

impl<'a> Reading<'a, '_> {
    fn option(&mut self, option: OptionSpec, value: Option<(usize, &'a str)>) -> Result<(), GitError> {
        if option.is_force {
            (self.see)(GitArgument::Force);
        }
        if option.is_all {
            self.is_covered = true;
            (self.see)(GitArgument::All);
        }
        match (option.takes, value) {
            (Takes::Ref, Some((item, value))) => self.revision(item, value),
            (Takes::Branch, Some((item, value))) => {
                self.is_covered = true;
                self.changed(item, value, GitArgument::Branch)
            }
            (Takes::Nothing | Takes::Text, _) | (Takes::Ref | Takes::Branch, None) => Ok(()),
        }
    }

    #[inline(never)]
    fn positional(&mut self, item: usize, arg: &'a str) -> Result<(), GitError> {
        let place = self.place;
        self.place = place.saturating_add(1);
        match (self.positionals, place) {
            (Positionals::Nothing, _) => Err(GitError::Word { item }),
            (Positionals::BranchThenRefs | Positionals::TagThenRefs, _)
                if place == 0 || self.changes != Changes::First =>
            {
                let said =
                    if self.positionals == Positionals::TagThenRefs { GitArgument::Tag } else { GitArgument::Branch };
                self.changed(item, arg, said)
            }
            (Positionals::RefThenBranch, 1) => self.changed(item, arg, GitArgument::Branch),
            // Git makes a branch of what is tracked: of `origin/x`, `x`.
            (Positionals::RefsThenPaths, 0) if self.changes == Changes::Nothing && !self.is_covered => {
                let (_, branch) = split_once(arg, b'/').ok_or(GitError::Ref { item })?;
                self.changed(item, arg, GitArgument::Ref)?;
                self.changed(item, branch, GitArgument::Branch)
            }
            (Positionals::Refs | Positionals::RefsThenPaths, _)
            | (Positionals::BranchThenRefs | Positionals::TagThenRefs, 1)
            | (Positionals::RefThenBranch, 0) => self.revision(item, arg),
            (Positionals::Paths, _) => self.path(item, arg),
            (Positionals::UrlThenPath, 0) => {
                self.url(item, arg)?;
                self.word = arg;
                Ok(())
            }
            (Positionals::UrlThenPath, 1) => {
                self.is_covered = true;
                self.path(item, arg)
            }
            (Positionals::RemoteThenSpecs | Positionals::RemoteThenPushed, 0) => self.remote_or_url(item, arg),
            (Positionals::RemoteThenSpecs, _) => self.fetched(item, arg),
            (Positionals::RemoteThenPushed, _) => {
                self.is_covered = true;
                self.pushed(item, arg)
            }
            (Positionals::Remote, 0) if REMOTE_WORDS.contains(&arg) => {
                self.word = arg;
                if arg == "remove" {
                    (self.see)(GitArgument::Force);
                }
                Ok(())
            }
            (Positionals::Remote, 1) => self.remote(item, arg),
            (Positionals::Remote, 2) if matches!(self.word, "add" | "set-url") => self.url(item, arg),
            (
                Positionals::UrlThenPath
                | Positionals::Remote
                | Positionals::BranchThenRefs
                | Positionals::TagThenRefs
                | Positionals::RefThenBranch,
                _,
            ) => Err(GitError::Word { item }),
        }
    }

    /// A branch or a tag that is made, moved or removed. Only a plain name says which one.
    fn changed(&mut self, item: usize, name: &'a str, said: fn(&'a str) -> GitArgument<'a>) -> Result<(), GitError> {
        if !is_name(name) || is_partly_full(name) {
            return Err(GitError::Ref { item });
        }
        (self.see)(said(name));
        Ok(())
    }

    /// `main`, `HEAD~1`, both ends of `a..b`, or `HEAD:path`.
    fn revision(&mut self, item: usize, arg: &'a str) -> Result<(), GitError> {
        let (revision, path) = match split_once(arg, b':') {
            Some((revision, path)) => (revision, Some(path)),
            None => (arg, None),
        };
        let is_odd = |byte: u8| byte.is_ascii_control() || matches!(byte, b' ' | b'*' | b'?' | b'[' | b'\\');
        if revision.is_empty() || starts_with(revision, b'-') || revision.bytes().any(is_odd) {
            return Err(GitError::Ref { item });
        }
        if let Some(path) = path {
            // Between braces a colon is part of the revision, after `./` a path starts in the working directory, and two
            // dots can be a range of which either end has a colon.
            if arg.as_bytes().contains(&b'{') || path.starts_with("./") || has(arg, b"..") {
                return Err(GitError::Ref { item });
            }
            (self.see)(GitArgument::TreePath { revision, path });
            return Ok(());
        }
        match revision.as_bytes().windows(2).position(|pair| pair == b"..") {
            None if is_path_like(revision) => return Err(GitError::Ref { item }),
            None => (self.see)(GitArgument::Ref(revision)),
            Some(at) => {
                let to = revision.get(at..).unwrap_or_default();
                let to = to.strip_prefix("...").or_else(|| to.strip_prefix("..")).unwrap_or_default();
                for end in [revision.get(..at).unwrap_or_default(), to] {
                    if is_path_like(end) {
                        return Err(GitError::Ref { item });
                    }
                    (self.see)(GitArgument::Ref(if end.is_empty() { "HEAD" } else { end }));
                }
            }
        }
        Ok(())
    }

    fn path(&mut self, item: usize, arg: &'a str) -> Result<(), GitError> {
        // A colon starts what git calls magic.
        if arg.is_empty() || starts_with(arg, b':') {
            return Err(GitError::Argument { item });
        }
        // What stands there is overwritten, whatever was done to it.
        if self.verb == Verb::Checkout {
            (self.see)(GitArgument::Force);
        }
        (self.see)(GitArgument::Path(arg));
        Ok(())
    }

    /// What is pushed: `[+]from[:to]`. What changes is `to`, and only its full name says what that is: git takes a
    /// short one for a branch or for a tag, as it finds them.
    fn pushed(&mut self, item: usize, arg: &'a str) -> Result<(), GitError> {
        let (from, to) = self.spec(arg);
        let from_is_fine = from.is_empty() || from == "@" || is_name(from);
        if !from_is_fine || !to.unwrap_or(from).starts_with("refs/") || !is_name(to.unwrap_or(from)) {
            return Err(GitError::Ref { item });
        }
        if from.is_empty() {
            // Nothing is pushed there: it is removed.
            (self.see)(GitArgument::Force);
        }
        (self.see)(GitArgument::Ref(to.unwrap_or(from)));
        Ok(())
    }

    /// What is fetched: `[+]from[:to]`. Without `to`, no ref of ours changes but the one that is pulled into.
    fn fetched(&mut self, item: usize, arg: &'a str) -> Result<(), GitError> {
        let (from, to) = self.spec(arg);
        let to_is_fine = to.is_none_or(|to| to.starts_with("refs/") && is_name(to));
        // A lone `tag` says what the next word is.
        if !is_name(from) || from == "tag" || !to_is_fine {
            return Err(GitError::Ref { item });
        }
        for name in [Some(from), to].into_iter().flatten() {
            (self.see)(GitArgument::Ref(name));
        }
        Ok(())
    }

    fn spec(&mut self, arg: &'a str) -> (&'a str, Option<&'a str>) {
        let plain = arg.strip_prefix("+");
        if plain.is_some() {
            (self.see)(GitArgument::Force);
        }
        let spec = plain.unwrap_or(arg);
        match split_once(spec, b':') {
            Some((from, to)) => (from, Some(to)),
            None => (spec, None),
        }
    }

    fn remote_or_url(&mut self, item: usize, arg: &'a str) -> Result<(), GitError> {
        if arg.bytes().any(|byte| matches!(byte, b':' | b'/')) { self.url(item, arg) } else { self.remote(item, arg) }
    }

    fn remote(&mut self, item: usize, arg: &'a str) -> Result<(), GitError> {
        if !is_name(arg) || has(arg, b"/") {
            return Err(GitError::Remote { item });
        }
        (self.see)(GitArgument::Remote(arg));
        Ok(())
    }

    fn url(&mut self, item: usize, arg: &'a str) -> Result<(), GitError> {
        if !is_url(arg) {
            return Err(GitError::Remote { item });
        }
        (self.see)(GitArgument::Url(arg));
        Ok(())
    }

    fn end(mut self) -> Result<(), GitError> {
        match self.positionals {
            Positionals::RemoteThenPushed if !self.is_covered => Err(GitError::NothingNamed),
            // One name alone is the new one of whatever is checked out.
            Positionals::BranchThenRefs if self.changes == Changes::Both && self.place != 2 => {
                Err(GitError::NothingNamed)
            }
            Positionals::UrlThenPath if !self.is_covered => {
                let folder = cloned_into(self.word).ok_or(GitError::NothingNamed)?;
                self.path(0, folder)
            }
            Positionals::Nothing
            | Positionals::Refs
            | Positionals::RefsThenPaths
            | Positionals::Paths
            | Positionals::UrlThenPath
            | Positionals::RemoteThenSpecs
            | Positionals::RemoteThenPushed
            | Positionals::BranchThenRefs
            | Positionals::TagThenRefs
            | Positionals::RefThenBranch
            | Positionals::Remote => Ok(()),
        }
    }
}

/// The folder that git takes without one being named: the last part of the URL's path. It has more rules for what is
/// hardly a path.
fn cloned_into(url: &str) -> Option<&str> {
    let path = match Url::new(url.as_bytes()) {
        Ok(read) => url.get(url.len().checked_sub(read.path.len())?..).filter(|path| path.as_bytes() == read.path)?,
        Err(_) => split_once(url, b':')?.1,
    };
    let path = path.strip_suffix("/").unwrap_or(path);
    let last = after_last(path, |byte| byte == b'/');
    let folder = last.strip_suffix(".git").unwrap_or(last);
    let is_number = folder.bytes().all(|byte| byte.is_ascii_digit());
    // A colon ends a part as well, where git guesses, and there are more rules.
    let is_plain = folder.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    (is_plain && !is_number && !matches!(folder, "." | "..")).then_some(folder)
}

/// `-5`: how many commits.
fn is_count(arg: &str) -> bool {
    arg.len() > 1 && arg.bytes().skip(1).all(|byte| byte.is_ascii_digit())
}

/// Whether it can be the name of a ref or of a remote, and nothing that git computes.
fn is_name(name: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./+@#%=,".contains(&byte) || !byte.is_ascii();
    let is_segment = |segment: &[u8]| {
        segment.first().is_some_and(|byte| *byte != b'.') && !segment.ends_with(b".") && !segment.ends_with(b".lock")
    };
    name != "@"
        && !starts_with(name, b'-')
        && name.bytes().all(is_known)
        && !has(name, b"..")
        && !has(name, b"@{")
        && name.as_bytes().split(|byte| *byte == b'/').all(is_segment)
}

/// Whether it can be a path and no ref: `.`, `./a`, `/a`.
fn is_path_like(revision: &str) -> bool {
    starts_with(revision, b'.') || starts_with(revision, b'/')
}

/// Whether a name starts like a full one. Where git takes a branch or a tag, it puts its own start before that too.
fn is_partly_full(name: &str) -> bool {
    ["refs/", "heads/", "tags/", "remotes/"].into_iter().any(|start| name.starts_with(start))
}

/// `https://host/path` and the like, or `user@host:path`. Other transports run programs or read what the judge did
/// not see.
fn is_url(text: &str) -> bool {
    if let Ok(url) = Url::new(text.as_bytes()) {
        // Nobody needs a query, and what a percent sign stands for is decoded on the way.
        let is_odd = |byte: u8| byte == b'?' || byte == b'%' && url.scheme == b"ssh";
        let is_plain = is_lower(url.host) && !text.bytes().any(is_odd);
        let before = url.scheme.len().saturating_add(MARK_BYTES).saturating_add(url.host.text().len());
        let has_port = text.as_bytes().get(before) == Some(&b':');
        let known = [(&b"https"[..], 443), (b"http", 80), (b"ssh", 22)];
        return is_plain
            && known.into_iter().any(|(scheme, port)| url.scheme == scheme && !(has_port && url.port == Some(port)));
    }
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./~".contains(&byte));
    let Some((user, rest)) = split_once(text, b'@') else {
        return false;
    };
    let Some((host, path)) = split_once(rest, b':') else {
        return false;
    };
    let is_word = |text: &str| !text.is_empty() && !starts_with(text, b'-') && is_plain(text);
    // What the other side would resolve is another path than the one that was judged.
    let is_dots = |segment: &[u8]| matches!(segment, b"." | b"..");
    is_word(user)
        && !has(user, b"/")
        && Host::new(host.as_bytes()).is_ok_and(is_lower)
        && is_word(path)
        && !path.as_bytes().split(|byte| *byte == b'/').any(is_dots)
}

/// One spelling for one host, as rules about URLs are written.
fn is_lower(host: Host<'_>) -> bool {
    !host.text().iter().any(u8::is_ascii_uppercase)
}

/// Between a scheme and a host.
const MARK_BYTES: usize = "://".len();
const REMOTE_WORDS: &[&str] = &["add", "remove", "set-url", "get-url", "show"];

#[cfg(test)]
mod tests;
