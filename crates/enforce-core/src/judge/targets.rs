//! A tool -> its targets: one for each path, simple command, ref or hop, with everything that is said about it.

use super::Target;
use super::outcome::Refusal;
use super::scratch::Scratch;
use super::session::Session;
use crate::git::{self, GitError, Said, Verb};
use crate::net::Url;
use crate::path::Contained;
use crate::shell::{Line, ShellError};
use crate::text::split_once;
use crate::wire::{
    FileEdit, FilePatch, FileWrite, FileWriteExtended, FsCopy, FsGrep, FsMove, GitOperation, HttpRequest, ShellExec,
    ShellExecExtended, Texts, Tool,
};

/// A session, and room to write in.
pub(super) struct Targets<'a, 'b> {
    pub(super) session: &'b Session<'a>,
    pub(super) buffer: &'b mut [u8],
}

/// Who judges a target.
type Each<'a, 'e> = dyn FnMut(&Target<'a, '_>) -> Result<(), Refusal<'a>> + 'e;
/// Nothing, or the first refusal.
type Answer<'a> = Result<(), Refusal<'a>>;

impl<'a> Targets<'a, '_> {
    /// Shows each target, up to the first that is refused.
    #[inline(never)]
    pub(super) fn each(&mut self, tool: &Tool<'a>, each: &mut Each<'a, '_>) -> Answer<'a> {
        match tool {
            Tool::FileRead(read) => self.file(read.path, unless_zero(read.limit), Some(read.offset), 0, each),
            Tool::FileWrite(FileWrite { path, content, create_only, append }) => {
                self.file(path, size(content.len()), None, flags([*append, *create_only, false]), each)
            }
            Tool::FileWriteExtended(FileWriteExtended { path, content, create_only, append, create_dirs, .. }) => {
                self.file(path, size(content.len()), None, flags([*append, *create_only, *create_dirs]), each)
            }
            Tool::FileEdit(FileEdit { path, new_content: text, .. })
            | Tool::FilePatch(FilePatch { path, unified_diff: text }) => {
                self.file(path, size(text.len()), None, 0, each)
            }
            Tool::FsList(list) => {
                let most = unless_zero(list.max_results);
                self.at(base(list.glob), None, most, flags([list.include_hidden]), each)
            }
            Tool::FsGrep(FsGrep { glob, max_results: most, .. }) => {
                self.at(base(glob), None, unless_zero(*most), 0, each)
            }
            Tool::FsMove(FsMove { src, dst, overwrite }) | Tool::FsCopy(FsCopy { src, dst, overwrite, .. }) => {
                self.at(src, None, None, flags([*overwrite]), each)?;
                self.at(dst, None, None, flags([*overwrite]), each)
            }
            Tool::FsDelete(delete) => {
                self.at(delete.path, None, None, flags([false, delete.recursive, delete.force]), each)
            }
            Tool::ShellExec(ShellExec { command, cwd, timeout_ms, network_access, env })
            | Tool::ShellExecExtended(ShellExecExtended { command, cwd, timeout_ms, network_access, env, .. }) => {
                check_environment(env)?;
                self.commands(command, cwd, unless_zero(*timeout_ms), *network_access, each)
            }
            Tool::ShellInline(inline) => {
                check_environment(&inline.env)?;
                let (timeout, network) = (unless_zero(inline.timeout_ms), inline.network_access);
                self.run(inline.interpreter, inline.interpreter, inline.cwd, timeout, network, each)
            }
            Tool::PytestRun(run) => {
                let (timeout, network) = (unless_zero(run.timeout_ms), run.network_access);
                run.paths.iter().try_for_each(|path| {
                    // After two colons stands what of a file is run.
                    let file = path.as_bytes().windows(2).position(|pair| pair == b"::");
                    let file = file.and_then(|end| path.get(..end)).unwrap_or(path);
                    self.run("pytest", path, file, timeout, network, each)
                })
            }
            Tool::ProcList(list) => each(&request(text(list.filter), None, unless_zero(list.limit), None)),
            Tool::HttpRequest(http) => self.hop(http, each),
            Tool::GitOp(git) => self.git(git, each),
            Tool::AstGenerate(generate) => {
                let (language, most) = (text(generate.language), unless_zero(generate.max_files));
                generate.paths.iter().try_for_each(|path| self.at(base(path), language, most, 0, each))
            }
            Tool::AstQuery(query) => self.at(base(query.file_glob), None, None, 0, each),
            Tool::AstEdit(_) | Tool::AstValidate(_) => each(&request(None, None, None, None)),
            Tool::AstExternal(external) => {
                let strings = [None, None, text(external.provider), None];
                each(&Target { strings, ..request(None, None, None, None) })
            }
            Tool::Inference(call) => {
                let (tokens, temperature) = (unless_zero(call.max_tokens), u64::from(call.temperature_scaled));
                each(&request(text(call.provider), text(call.model), tokens, Some(temperature)))
            }
            Tool::ArtifactPublish(publish) => {
                each(&request(text(publish.artifact_id), text(publish.category), None, None))
            }
            Tool::ValidateRun(run) => each(&request(text(run.rule_id), None, None, None)),
            Tool::MetricsEmit(emit) => each(&request(None, None, unless_zero(emit.interval_ms), None)),
            // Those are numbered by each policy in its own way.
            Tool::ToolCall(_) => Ok(()),
        }
    }

    fn contained(&self, path: &'a str) -> Result<Contained<'a>, Refusal<'a>> {
        contained(self.session, self.session.working_directory, path)
    }

    fn file(
        &mut self,
        path: &'a str,
        bytes: Option<u64>,
        offset: Option<u64>,
        flags: u64,
        each: &mut Each<'a, '_>,
    ) -> Answer<'a> {
        let contained = self.contained(path)?;
        let written = Scratch::new(self.buffer).path(&contained)?;
        each(&Target {
            shown: path.as_bytes(),
            strings: [Some(written), Some(contained.name().unwrap_or_default()), contained.extension(), None],
            numbers: [bytes, offset, None, None],
            flags,
        })
    }

    /// A path, and what else is said about it.
    fn at(
        &mut self,
        path: &'a str,
        about: Option<&'a [u8]>,
        number: Option<u64>,
        flags: u64,
        each: &mut Each<'a, '_>,
    ) -> Answer<'a> {
        let contained = self.contained(path)?;
        let written = Scratch::new(self.buffer).path(&contained)?;
        each(&Target { shown: path.as_bytes(), flags, ..request(Some(written), about, number, None) })
    }

    /// A program that is given a script or a path.
    fn run(
        &mut self,
        program: &'a str,
        shown: &'a str,
        path: &'a str,
        timeout: Option<u64>,
        network: bool,
        each: &mut Each<'a, '_>,
    ) -> Answer<'a> {
        let contained = self.contained(path)?;
        let written = Scratch::new(self.buffer).path(&contained)?;
        let name = Some(program.as_bytes()).filter(|name| !name.contains(&b'/'));
        let flags = u64::from(network);
        each(&Target { shown: shown.as_bytes(), flags, ..request(name, Some(written), timeout, None) })
    }

    /// Each simple command, or the line as a whole when it is not understood.
    #[inline(never)]
    fn commands(
        &mut self,
        line: &'a str,
        cwd: &'a str,
        timeout: Option<u64>,
        network: bool,
        each: &mut Each<'a, '_>,
    ) -> Answer<'a> {
        self.contained(cwd)?;
        let read = match Line::new(line.as_bytes()) {
            Ok(read) => read,
            Err(ShellError::Invalid { reason, at }) => return Err(Refusal::SenderLine { reason, at }),
            Err(ShellError::Complex { .. }) => {
                return each(&Target {
                    shown: line.as_bytes(),
                    strings: [None, None, Some(line.as_bytes()), None],
                    numbers: [timeout, None, None, None],
                    flags: flags([network, true]),
                });
            }
        };
        for command in read.commands() {
            let mut scratch = Scratch::new(self.buffer);
            let name = match command.words().next() {
                Some(word) => Some(scratch.word(&word)?).filter(|name| !name.contains(&b'/')),
                None => None,
            };
            let subcommand = match command.subcommand() {
                Some(word) => Some(scratch.word(&word)?),
                None => None,
            };
            each(&Target {
                shown: command.text(),
                strings: [name, subcommand, Some(scratch.command(&command)?), None],
                numbers: [timeout, None, None, None],
                flags: u64::from(network),
            })?;
        }
        Ok(())
    }

    #[inline(never)]
    fn hop(&mut self, http: &HttpRequest<'a>, each: &mut Each<'a, '_>) -> Answer<'a> {
        let text = http.url.as_bytes();
        let url = Url::new(text).map_err(|error| Refusal::SenderUrl { url: text, error })?;
        let mut scratch = Scratch::new(self.buffer);
        each(&Target {
            shown: text,
            strings: [
                Some(scratch.folded(url.host.text())?),
                Some(scratch.folded(url.scheme)?),
                Some(http.method.as_bytes()),
                Some(url.path),
            ],
            numbers: [url.port.map(u64::from), None, unless_zero(http.max_redirects), unless_zero(http.timeout_ms)],
            flags: 0,
        })
    }

    /// Each path with each ref, or each of them alone; all carry the remote, the URL and the flags of the whole.
    #[inline(never)]
    fn git(&mut self, git: &GitOperation<'a>, each: &mut Each<'a, '_>) -> Answer<'a> {
        let folder = self.contained(git.cwd)?;
        let Some(verb) = Verb::named(git.operation) else {
            return Err(Refusal::SenderGit(GitError::Word { item: 0 }));
        };
        // Paths start there, so it is written where it stays.
        let mut scratch = Scratch::new(self.buffer);
        let folder = scratch.path(&folder)?;
        let about = About::read(verb, &git.args, folder)?;
        if about.refs_count == 0 && about.paths == 0 {
            return each(&about.target(git.operation.as_bytes(), about.here(), None));
        }
        let (session, mut answer) = (self.session, Ok(()));
        let rest = scratch.rest();
        git::read(verb, &git.args, &mut |said| {
            if answer.is_ok() {
                answer = about.judge(session, said, &mut *rest, each);
            }
        })
        .map_err(Refusal::SenderGit)?;
        answer
    }
}

/// What holds for every target of a git operation.
struct About<'a, 'f> {
    /// Where git runs, from the root on.
    folder: &'f [u8],
    remote: Option<&'a [u8]>,
    url: Option<&'a [u8]>,
    flags: u64,
    /// The first two, which paths are judged with.
    refs: [Option<Said<'a>>; 2],
    refs_count: usize,
    paths: usize,
}

impl<'a, 'f> About<'a, 'f> {
    fn read(verb: Verb, args: &Texts<'a>, folder: &'f [u8]) -> Result<Self, Refusal<'a>> {
        let mut about = Self { folder, remote: None, url: None, flags: 0, refs: [None; 2], refs_count: 0, paths: 0 };
        let mut plain_paths = 0_usize;
        git::read(verb, args, &mut |said| match said {
            Said::Force => about.flags |= 1,
            Said::All => about.flags |= 2,
            Said::Remote(remote) => about.remote = Some(remote.as_bytes()),
            Said::Url(url) => about.url = Some(url.as_bytes()),
            Said::Ref(_) | Said::Branch(_) | Said::Tag(_) => {
                if let Some(place) = about.refs.get_mut(about.refs_count) {
                    *place = Some(said);
                }
                about.refs_count = about.refs_count.saturating_add(1);
            }
            Said::Path(_) => {
                plain_paths = plain_paths.saturating_add(1);
                about.paths = about.paths.saturating_add(1);
            }
            Said::TreePath { .. } => about.paths = about.paths.saturating_add(1),
        })
        .map_err(Refusal::SenderGit)?;
        if plain_paths > 0 && about.refs_count > about.refs.len() {
            return Err(Refusal::SenderGit(GitError::ManyRefs));
        }
        Ok(about)
    }

    /// The folder that git runs in, unless it is the root.
    fn here(&self) -> Option<&'f [u8]> {
        (!self.folder.is_empty()).then_some(self.folder)
    }

    fn target<'t>(&'t self, shown: &'a [u8], path: Option<&'t [u8]>, reference: Option<&'t [u8]>) -> Target<'a, 't> {
        Target { shown, strings: [path, reference, self.remote, self.url], numbers: [None; 4], flags: self.flags }
    }

    fn judge(&self, session: &Session<'a>, said: Said<'a>, buffer: &mut [u8], each: &mut Each<'a, '_>) -> Answer<'a> {
        let mut scratch = Scratch::new(buffer);
        let (path, start) = match said {
            Said::Force | Said::All | Said::Remote(_) | Said::Url(_) => return Ok(()),
            // With paths, it is judged with each of them.
            Said::Ref(_) | Said::Branch(_) | Said::Tag(_) if self.paths > 0 => return Ok(()),
            Said::Ref(name) | Said::Branch(name) | Said::Tag(name) => {
                let full = full_name(said, &mut scratch)?;
                return each(&self.target(name.as_bytes(), self.here(), full));
            }
            Said::Path(path) => (path, self.folder),
            // From which folder on is known only in the root.
            Said::TreePath { .. } if !self.folder.is_empty() => {
                return Err(Refusal::SenderGit(GitError::Ref { item: 0 }));
            }
            Said::TreePath { path, .. } => (path, &[][..]),
        };
        let inside = Contained::new(session.root, start, or_here(path).as_bytes())
            .map_err(|error| Refusal::SenderPath { path: path.as_bytes(), error })?;
        let written = scratch.path(&inside)?;
        if let Said::TreePath { revision, .. } = said {
            return each(&self.target(path.as_bytes(), Some(written), Some(revision.as_bytes())));
        }
        if self.refs_count == 0 {
            return each(&self.target(path.as_bytes(), Some(written), None));
        }
        for reference in self.refs.into_iter().flatten() {
            let full = full_name(reference, &mut scratch)?;
            each(&self.target(path.as_bytes(), Some(written), full))?;
        }
        Ok(())
    }
}

/// A ref as rules see it.
fn full_name<'a: 's, 's, 'e>(said: Said<'a>, scratch: &mut Scratch<'s>) -> Result<Option<&'s [u8]>, Refusal<'e>> {
    match said {
        Said::Ref(name) => Ok(Some(name.as_bytes())),
        Said::Branch(name) => scratch.joined(["refs/heads/", name, ""]).map(Some),
        Said::Tag(name) => scratch.joined(["refs/tags/", name, ""]).map(Some),
        Said::Force | Said::All | Said::Remote(_) | Said::Url(_) | Said::Path(_) | Said::TreePath { .. } => Ok(None),
    }
}

/// A path in the root; the working directory when it is empty.
pub(super) fn contained<'a>(
    session: &Session<'a>,
    working_directory: &'a [u8],
    path: &'a str,
) -> Result<Contained<'a>, Refusal<'a>> {
    Contained::new(session.root, working_directory, or_here(path).as_bytes())
        .map_err(|error| Refusal::SenderPath { path: path.as_bytes(), error })
}

/// Refuses variables that change which program a name stands for, or what every program loads: what was judged would
/// not be what runs. Other variables change what single programs do, and are for the executor to know.
fn check_environment<'a>(env: &Texts<'a>) -> Answer<'a> {
    let is_refused = |entry: &&str| {
        let name = split_once(entry, b'=').map_or(*entry, |(name, _)| name);
        DECIDING_VARIABLES.contains(&name) || DECIDING_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    };
    match env.iter().find(is_refused) {
        Some(entry) => Err(Refusal::SenderEnvironment { entry: entry.as_bytes() }),
        None => Ok(()),
    }
}

fn or_here(path: &str) -> &str {
    if path.is_empty() { "." } else { path }
}

/// The folder that a glob starts in: what stands before the first component with something to match.
fn base(glob: &str) -> &str {
    let is_special = |byte: &u8| matches!(byte, b'*' | b'?' | b'[' | b'{' | b'\\');
    let Some(special) = glob.as_bytes().iter().position(is_special) else {
        return glob;
    };
    let before = glob.get(..special).unwrap_or_default();
    match before.as_bytes().iter().rposition(|byte| *byte == b'/') {
        Some(0) => "/",
        Some(slash) => before.get(..slash).unwrap_or_default(),
        None => "",
    }
}

/// A target with two strings and two numbers.
fn request<'a, 't>(
    first: Option<&'t [u8]>,
    second: Option<&'t [u8]>,
    number: Option<u64>,
    other: Option<u64>,
) -> Target<'a, 't> {
    Target { shown: &[], strings: [first, second, None, None], numbers: [number, other, None, None], flags: 0 }
}

/// Text that is there.
fn text(text: &str) -> Option<&[u8]> {
    (!text.is_empty()).then_some(text.as_bytes())
}

/// A number that the request leaves open when it is zero.
fn unless_zero(number: u64) -> Option<u64> {
    (number != 0).then_some(number)
}

fn size(bytes: usize) -> Option<u64> {
    Some(u64::try_from(bytes).unwrap_or(u64::MAX))
}

/// The first in the lowest bit.
fn flags<const N: usize>(said: [bool; N]) -> u64 {
    said.into_iter().rev().fold(0, |flags, said| flags << 1 | u64::from(said))
}

/// What shells look for commands with, and what they run before the first.
const DECIDING_VARIABLES: &[&str] = &["PATH", "BASH_ENV", "ENV", "IFS", "SHELLOPTS", "BASHOPTS", "PS4", "CDPATH"];
/// What dynamic linkers read, and how bash is given functions.
const DECIDING_PREFIXES: &[&str] = &["LD_", "DYLD_", "BASH_FUNC_"];
