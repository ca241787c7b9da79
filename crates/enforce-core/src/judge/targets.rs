//! A call -> its targets: one for each path, simple command, ref or hop, with everything that is said about it.

use super::outcome::Refusal;
use super::scratch::Scratch;
use super::session::Session;
use super::{Target, bit, put};
use crate::git::{self, GitArgument, GitError, Verb};
use crate::net::Url;
use crate::operation::slot;
use crate::path::{Contained, extension, tested};
use crate::shell::{Line, ShellError};
use crate::text::split_once;
use crate::wire::{Call, Field, Kind, Subject, Texts, Value};

/// A session, and room to write in.
pub(super) struct Targets<'a, 'b> {
    pub(super) session: &'b Session<'a>,
    pub(super) buffer: &'b mut [u8],
}

/// Who judges a target.
type Each<'a, 'e> = dyn FnMut(&Target<'a, '_>) -> Result<(), Refusal<'a>> + 'e;
/// Nothing, or the first refusal.
type Checked<'a> = Result<(), Refusal<'a>>;

impl<'a> Targets<'a, '_> {
    /// Shows each target, up to the first that is refused.
    #[inline(never)]
    pub(super) fn each(&mut self, call: &Call<'a>, each: &mut Each<'a, '_>) -> Checked<'a> {
        let (fields, said) = (&call.fields, Target::from_fields(call));
        match call.message.subject {
            Subject::Itself => {
                let is_path = |field: &Field, value: &Value<'_>| field.kind == Kind::Path && !value.bytes().is_empty();
                for (_, glob) in call.each().filter(|(field, value)| is_path(field, value)) {
                    self.contained(&base(glob.bytes()))?;
                }
                each(&said)
            }
            Subject::File { path } => self.file(&fields.value(path), &said, each),
            Subject::Paths(paths) => {
                paths.iter().try_for_each(|path| self.judge_path(&fields.value(*path), &said, each))
            }
            Subject::Glob(glob) => self.judge_path(&base(fields.value(glob).bytes()), &said, each),
            Subject::Globs => {
                fields.texts.iter().try_for_each(|glob| self.judge_path(&base(glob.as_bytes()), &said, each))
            }
            Subject::Line { command, cwd } => {
                check_environment(&fields.texts)?;
                self.contained(&fields.value(cwd))?;
                self.commands(fields.value(command).bytes(), &said, each)
            }
            Subject::Script { interpreter, cwd } => {
                check_environment(&fields.texts)?;
                let interpreter = fields.value(interpreter).bytes();
                self.judge_program(interpreter, &fields.value(cwd), interpreter, &said, each)
            }
            Subject::Tests => {
                fields.texts.iter().map(str::as_bytes).try_for_each(|tests| {
                    self.judge_program(b"pytest", &Value::Bytes(tested(tests)), tests, &said, each)
                })
            }
            Subject::Url(url) => self.judge_url(fields.value(url).bytes(), &said, each),
            Subject::Git { operation, cwd } => {
                self.git(fields.value(operation).bytes(), &fields.value(cwd), &fields.texts, each)
            }
            // Those are numbered by each policy in its own way.
            Subject::Declared { .. } => Ok(()),
        }
    }

    fn contained(&self, path: &Value<'a>) -> Result<Contained<'a>, Refusal<'a>> {
        if let Value::Path(simple) = path
            && self.session.working_directory.is_empty()
        {
            return Ok((*simple).into());
        }
        contained(self.session, self.session.working_directory, path.bytes())
    }

    fn file(&mut self, path: &Value<'a>, said: &Target<'a, '_>, each: &mut Each<'a, '_>) -> Checked<'a> {
        let contained = self.contained(path)?;
        let written = Scratch::new(self.buffer).path(&contained)?;
        let name = contained.name().unwrap_or_default();
        let mut target = Target { shown: path.bytes(), ..*said };
        put(&mut target.strings, PATH, Some(written));
        put(&mut target.strings, slot::file::NAME, Some(name));
        put(&mut target.strings, slot::file::EXTENSION, extension(name));
        each(&target)
    }

    /// A path, and what else is said about it.
    fn judge_path(&mut self, path: &Value<'a>, said: &Target<'a, '_>, each: &mut Each<'a, '_>) -> Checked<'a> {
        let contained = self.contained(path)?;
        let written = Scratch::new(self.buffer).path(&contained)?;
        let mut target = Target { shown: path.bytes(), ..*said };
        put(&mut target.strings, PATH, Some(written));
        each(&target)
    }

    /// A program that is given a script or a path.
    fn judge_program(
        &mut self,
        program: &'a [u8],
        path: &Value<'a>,
        shown: &'a [u8],
        said: &Target<'a, '_>,
        each: &mut Each<'a, '_>,
    ) -> Checked<'a> {
        let contained = self.contained(path)?;
        let written = Scratch::new(self.buffer).path(&contained)?;
        let mut target = Target { shown, ..*said };
        put(&mut target.strings, slot::interpreter::COMMAND, command_name(program));
        put(&mut target.strings, slot::interpreter::PATH, Some(written));
        each(&target)
    }

    /// Each simple command, or the line as a whole when it is not understood.
    #[inline(never)]
    fn commands(&mut self, line: &'a [u8], said: &Target<'a, '_>, each: &mut Each<'a, '_>) -> Checked<'a> {
        let read = match Line::new(line) {
            Ok(read) => read,
            Err(ShellError::Invalid { reason, at }) => return Err(Refusal::SenderLine { reason, at }),
            Err(ShellError::Complex { .. }) => {
                let flags = said.flags | bit(slot::shell::COMPLEX);
                let mut target = Target { shown: line, flags, ..*said };
                put(&mut target.strings, slot::shell::LINE, Some(line));
                return each(&target);
            }
        };
        for command in read.commands() {
            let mut scratch = Scratch::new(self.buffer);
            let mut written = [None; 2];
            for (place, word) in written.iter_mut().zip([command.words().next(), command.subcommand()]) {
                if let Some(word) = word {
                    *place = Some(scratch.word(&word)?);
                }
            }
            let [name, subcommand] = written;
            let mut target = Target { shown: command.text(), ..*said };
            put(&mut target.strings, slot::shell::COMMAND, name.and_then(command_name));
            put(&mut target.strings, slot::shell::SUBCOMMAND, subcommand);
            put(&mut target.strings, slot::shell::LINE, Some(scratch.command(&command)?));
            each(&target)?;
        }
        Ok(())
    }

    #[inline(never)]
    fn judge_url(&mut self, text: &'a [u8], said: &Target<'a, '_>, each: &mut Each<'a, '_>) -> Checked<'a> {
        let url = Url::new(text).map_err(|error| Refusal::SenderUrl { url: text, error })?;
        let mut scratch = Scratch::new(self.buffer);
        let (host, scheme) = (scratch.folded(url.host.text())?, scratch.folded(url.scheme)?);
        let mut target = Target { shown: text, ..*said };
        put(&mut target.strings, slot::http::HOST, Some(host));
        put(&mut target.strings, slot::http::SCHEME, Some(scheme));
        put(&mut target.strings, slot::http::URL_PATH, Some(url.path));
        put(&mut target.numbers, slot::http::PORT, url.port.map(u64::from));
        each(&target)
    }

    /// Each path with each ref, or each of them alone; all carry the remote, the URL and the flags of the whole.
    #[inline(never)]
    fn git(&mut self, operation: &'a [u8], cwd: &Value<'a>, args: &Texts<'a>, each: &mut Each<'a, '_>) -> Checked<'a> {
        let folder = self.contained(cwd)?;
        let Some(verb) = Verb::named(operation) else {
            return Err(Refusal::SenderGit(GitError::Word { item: 0 }));
        };
        // Paths start there, so it is written where it stays.
        let mut scratch = Scratch::new(self.buffer);
        let folder = scratch.path(&folder)?;
        let about = GitArguments::read(verb, args, folder)?;
        // A path in a commit is all that is asked for, unless something else is, or it is compared with all there is.
        let is_compared = verb == Verb::Diff && about.tree_paths == 1;
        let is_tree_path = about.tree_paths > 0 && about.flags & ALL == 0 && !is_compared;
        if about.paths == 0 && about.takes_everything() && !is_tree_path {
            about.alone(operation, None, each)?;
        }
        let (session, mut answer) = (self.session, Ok(()));
        let rest = scratch.rest();
        git::read(verb, args, &mut |said| {
            if answer.is_ok() {
                answer = about.judge(session, said, &mut *rest, each);
            }
        })
        .map_err(Refusal::SenderGit)?;
        answer
    }
}

/// What holds for every target of a git operation.
struct GitArguments<'a, 'f> {
    /// Where git runs, from the root on.
    folder: &'f [u8],
    remote: Option<&'a [u8]>,
    url: Option<&'a [u8]>,
    flags: u64,
    /// The first two, which paths are judged with.
    refs: [Option<GitArgument<'a>>; 2],
    refs_count: usize,
    /// Those that nothing but them is looked at of.
    paths: usize,
    /// Paths in commits, which hold nothing else to them.
    tree_paths: usize,
}

impl<'a, 'f> GitArguments<'a, 'f> {
    fn read(verb: Verb, args: &Texts<'a>, folder: &'f [u8]) -> Result<Self, Refusal<'a>> {
        let (refs, tree_paths) = ([None; 2], 0_usize);
        let mut about = Self { folder, remote: None, url: None, flags: 0, refs, refs_count: 0, paths: 0, tree_paths };
        git::read(verb, args, &mut |said| match said {
            GitArgument::Force => about.flags |= bit(slot::git::FORCE),
            GitArgument::All => about.flags |= ALL,
            GitArgument::Remote(remote) => about.remote = Some(remote.as_bytes()),
            GitArgument::Url(url) => about.url = Some(url.as_bytes()),
            GitArgument::Ref(_) | GitArgument::Branch(_) | GitArgument::Tag(_) => {
                if let Some(place) = about.refs.get_mut(about.refs_count) {
                    *place = Some(said);
                }
                about.refs_count = about.refs_count.saturating_add(1);
            }
            GitArgument::Path(_) => about.paths = about.paths.saturating_add(1),
            GitArgument::TreePath { .. } => about.tree_paths = about.tree_paths.saturating_add(1),
        })
        .map_err(Refusal::SenderGit)?;
        // Beside a path in a commit, paths start there.
        if about.paths > 0 && about.tree_paths > 0 {
            return Err(Refusal::SenderGit(GitError::Ref { item: 0 }));
        }
        if about.paths > 0 && about.refs_count > about.refs.len() {
            return Err(Refusal::SenderGit(GitError::ManyRefs));
        }
        Ok(about)
    }

    /// Whether it is about more than the refs that it names: it names none, or asks for all beside them.
    fn takes_everything(&self) -> bool {
        self.refs_count == 0 || self.flags & ALL != 0
    }

    fn target<'t>(&'t self, shown: &'a [u8], path: Option<&'t [u8]>, reference: Option<&'t [u8]>) -> Target<'a, 't> {
        let mut target = Target { shown, flags: self.flags, ..Target::NOTHING };
        put(&mut target.strings, slot::git::PATH, path);
        put(&mut target.strings, slot::git::REF, reference);
        put(&mut target.strings, slot::git::REMOTE, self.remote);
        put(&mut target.strings, slot::git::URL, self.url);
        target
    }

    /// What is about the whole repository, wherever git runs. Where that is has to be allowed too.
    fn alone(&self, shown: &'a [u8], reference: Option<&[u8]>, each: &mut Each<'a, '_>) -> Checked<'a> {
        each(&self.target(shown, None, reference))?;
        if self.folder.is_empty() { Ok(()) } else { each(&self.target(shown, Some(self.folder), reference)) }
    }

    fn judge(
        &self,
        session: &Session<'a>,
        said: GitArgument<'a>,
        buffer: &mut [u8],
        each: &mut Each<'a, '_>,
    ) -> Checked<'a> {
        let mut scratch = Scratch::new(buffer);
        let (path, start) = match said {
            GitArgument::Force | GitArgument::All | GitArgument::Remote(_) | GitArgument::Url(_) => return Ok(()),
            // With paths, it is judged with each of them.
            GitArgument::Ref(_) | GitArgument::Branch(_) | GitArgument::Tag(_) if self.paths > 0 => return Ok(()),
            GitArgument::Ref(name) | GitArgument::Branch(name) | GitArgument::Tag(name) => {
                let full = full_name(said, &mut scratch)?;
                return self.alone(name.as_bytes(), full, each);
            }
            GitArgument::Path(path) => (path, self.folder),
            // From which folder on is known only in the root.
            GitArgument::TreePath { .. } if !self.folder.is_empty() => {
                return Err(Refusal::SenderGit(GitError::Ref { item: 0 }));
            }
            GitArgument::TreePath { path, .. } => (path, &[][..]),
        };
        let inside = contained(session, start, path.as_bytes())?;
        let written = scratch.path(&inside)?;
        if let GitArgument::TreePath { revision, .. } = said {
            return each(&self.target(path.as_bytes(), Some(written), Some(revision.as_bytes())));
        }
        if self.takes_everything() {
            each(&self.target(path.as_bytes(), Some(written), None))?;
        }
        for reference in self.refs.into_iter().flatten() {
            let full = full_name(reference, &mut scratch)?;
            each(&self.target(path.as_bytes(), Some(written), full))?;
        }
        Ok(())
    }
}

/// A ref as rules see it.
fn full_name<'a: 's, 's, 'e>(
    said: GitArgument<'a>,
    scratch: &mut Scratch<'s>,
) -> Result<Option<&'s [u8]>, Refusal<'e>> {
    match said {
        GitArgument::Ref(name) => Ok(Some(name.as_bytes())),
        GitArgument::Branch(name) => scratch.joined(["refs/heads/", name, ""]).map(Some),
        GitArgument::Tag(name) => scratch.joined(["refs/tags/", name, ""]).map(Some),
        GitArgument::Force
        | GitArgument::All
        | GitArgument::Remote(_)
        | GitArgument::Url(_)
        | GitArgument::Path(_)
        | GitArgument::TreePath { .. } => Ok(None),
    }
}

/// A path in the root; the working directory when it is empty.
pub(super) fn contained<'c, 'a: 'c>(
    session: &Session<'_>,
    working_directory: &'c [u8],
    path: &'a [u8],
) -> Result<Contained<'c>, Refusal<'a>> {
    let from_there = if path.is_empty() { b"." } else { path };
    Contained::new(session.root, working_directory, from_there).map_err(|error| Refusal::SenderPath { path, error })
}

/// Refuses variables that change which program a name stands for, or make one load or run what was not judged: what was
/// judged would not be what runs. No list of them is complete, so the executor passes on only what it knows.
fn check_environment<'a>(env: &Texts<'a>) -> Checked<'a> {
    let is_refused = |entry: &&str| {
        let name = split_once(entry, b'=').map_or(*entry, |(name, _)| name);
        let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
        let is_harmless = || starts(HARMLESS_PREFIXES) || *entry == NO_FLAGS;
        DECIDING_VARIABLES.contains(&name) || starts(DECIDING_PREFIXES) && !is_harmless()
    };
    match env.iter().find(is_refused) {
        Some(entry) => Err(Refusal::SenderEnvironment { entry: entry.as_bytes() }),
        None => Ok(()),
    }
}

/// What can be the name of a command: a path is none (SEC-ALLOW-EXACT).
pub(super) fn command_name(name: &[u8]) -> Option<&[u8]> {
    (!name.contains(&b'/')).then_some(name)
}

/// The folder that a glob starts in: what stands before the first component with something to match.
fn base(glob: &[u8]) -> Value<'_> {
    let is_special = |byte: &u8| matches!(byte, b'*' | b'?' | b'[' | b'{' | b'\\');
    let Some(special) = glob.iter().position(is_special) else {
        return Value::Bytes(glob);
    };
    let before = glob.get(..special).unwrap_or_default();
    let end = match before.iter().rposition(|byte| *byte == b'/') {
        Some(slash) => slash.max(1),
        None => 0,
    };
    Value::Bytes(before.get(..end).unwrap_or_default())
}

/// The slot of a path, which is the same in every operation that is judged by its path first.
const PATH: u8 = slot::file::PATH;
const _: () = assert!(slot::fs_search::PATH == PATH && slot::fs_change::PATH == PATH && slot::ast::PATH == PATH);
/// The bit of a git operation on everything there is.
const ALL: u64 = bit(slot::git::ALL);
/// What shells look for commands with and run before the first, where programs look for their settings, and what
/// interpreters and tools load or start.
const DECIDING_VARIABLES: &[&str] = &[
    "PATH",
    "HOME",
    "ZDOTDIR",
    "XDG_CONFIG_HOME",
    "ENV",
    "IFS",
    "SHELLOPTS",
    "PS4",
    "CDPATH",
    "PROMPT_COMMAND",
    "NODE_OPTIONS",
    "NODE_PATH",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "LUA_INIT",
    "MAKEFILES",
    "MAKEFLAGS",
    "GOFLAGS",
    "RIPGREP_CONFIG_PATH",
    "PAGER",
    "EDITOR",
    "VISUAL",
];
/// What of these people set every day, and what changes nothing but output.
const HARMLESS_PREFIXES: &[&str] = &["CARGO_TERM_", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED"];
/// Takes away what the sender's surroundings might have said, and says nothing itself.
const NO_FLAGS: &str = "RUSTFLAGS=";
/// What dynamic linkers read, how bash is given functions and files to run, and what git, interpreters and build tools
/// run and where they look.
const DECIDING_PREFIXES: &[&str] = &[
    "LD_",
    "DYLD_",
    "BASH",
    "GIT_",
    "PYTHON",
    "PERL",
    "RUBY",
    "CARGO_",
    "RUSTC",
    "RUSTDOC",
    "RUSTFLAGS",
    "npm_config_",
    "NPM_CONFIG_",
];
