//! A tool -> its targets: one for each path, simple command, ref or hop, with everything that is said about it.

use super::Target;
use super::outcome::Refusal;
use super::scratch::Scratch;
use super::session::Session;
use crate::git::{self, Said, Verb};
use crate::net::Url;
use crate::path::Contained;
use crate::shell::Line;
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
            Tool::ShellExec(ShellExec { command, cwd, timeout_ms, network_access, .. })
            | Tool::ShellExecExtended(ShellExecExtended { command, cwd, timeout_ms, network_access, .. }) => {
                self.commands(command, cwd, unless_zero(*timeout_ms), *network_access, each)
            }
            Tool::ShellInline(inline) => {
                let (timeout, network) = (unless_zero(inline.timeout_ms), inline.network_access);
                self.run(inline.interpreter, inline.interpreter, inline.cwd, timeout, network, each)
            }
            Tool::PytestRun(run) => {
                let (timeout, network) = (unless_zero(run.timeout_ms), run.network_access);
                run.paths.iter().try_for_each(|path| self.run("pytest", path, path, timeout, network, each))
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
    fn commands(
        &mut self,
        line: &'a str,
        cwd: &'a str,
        timeout: Option<u64>,
        network: bool,
        each: &mut Each<'a, '_>,
    ) -> Answer<'a> {
        self.contained(cwd)?;
        let Ok(read) = Line::new(line.as_bytes()) else {
            return each(&Target {
                shown: line.as_bytes(),
                strings: [None, None, Some(line.as_bytes()), None],
                numbers: [timeout, None, None, None],
                flags: flags([network, true]),
            });
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

    /// Each ref and each path; each carries the remote, the URL and the flags of the whole.
    fn git(&mut self, git: &GitOperation<'a>, each: &mut Each<'a, '_>) -> Answer<'a> {
        let folder = self.contained(git.cwd)?;
        // Paths start there, so it is written where it stays.
        let mut scratch = Scratch::new(self.buffer);
        let folder = scratch.path(&folder)?;
        let Some(verb) = Verb::named(git.operation) else {
            return Ok(());
        };
        let about = About::read(verb, &git.args)?;
        if about.targets == 0 {
            return each(&about.target(git.operation.as_bytes(), None, None));
        }
        let (session, mut refused) = (self.session, Ok(()));
        let rest = scratch.rest();
        git::read(verb, &git.args, &mut |said| {
            if refused.is_ok() {
                refused = about.judge(session, folder, said, &mut *rest, each);
            }
        })
        .map_err(Refusal::SenderGit)?;
        refused
    }
}

/// What holds for every target of a git operation.
#[derive(Default)]
struct About<'a> {
    remote: Option<&'a [u8]>,
    url: Option<&'a [u8]>,
    flags: u64,
    targets: usize,
}

impl<'a> About<'a> {
    fn read(verb: Verb, args: &Texts<'a>) -> Result<Self, Refusal<'a>> {
        let mut about = Self::default();
        git::read(verb, args, &mut |said| match said {
            Said::Force => about.flags |= 1,
            Said::All => about.flags |= 2,
            Said::Remote(remote) => about.remote = Some(remote.as_bytes()),
            Said::Url(url) => about.url = Some(url.as_bytes()),
            Said::Ref(_) | Said::Branch(_) | Said::Path(_) | Said::TreePath(_) => {
                about.targets = about.targets.saturating_add(1);
            }
        })
        .map_err(Refusal::SenderGit)?;
        Ok(about)
    }

    fn target<'t>(&'t self, shown: &'a [u8], path: Option<&'t [u8]>, reference: Option<&'t [u8]>) -> Target<'a, 't> {
        Target { shown, strings: [path, reference, self.remote, self.url], numbers: [None; 4], flags: self.flags }
    }

    fn judge(
        &self,
        session: &Session<'a>,
        folder: &[u8],
        said: Said<'a>,
        buffer: &mut [u8],
        each: &mut Each<'a, '_>,
    ) -> Answer<'a> {
        let mut scratch = Scratch::new(buffer);
        match said {
            Said::Force | Said::All | Said::Remote(_) | Said::Url(_) => Ok(()),
            Said::Ref(name) => each(&self.target(name.as_bytes(), None, Some(name.as_bytes()))),
            Said::Branch(name) => {
                let full = scratch.joined(["refs/heads/", name, ""])?;
                each(&self.target(name.as_bytes(), None, Some(full)))
            }
            Said::Path(path) | Said::TreePath(path) => {
                let start = if matches!(said, Said::Path(_)) { folder } else { &[] };
                let inside = Contained::new(session.root, start, or_here(path).as_bytes())
                    .map_err(|error| Refusal::SenderPath { path: path.as_bytes(), error })?;
                let written = scratch.path(&inside)?;
                each(&self.target(path.as_bytes(), Some(written), None))
            }
        }
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
