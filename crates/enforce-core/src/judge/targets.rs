//! A tool -> its targets: one for each path, simple command, ref or hop, with everything that is said about it.

use super::outcome::Refusal;
use super::scratch::Scratch;
use super::session::Session;
use super::{NUMBERS_MAX, STRINGS_MAX, Target};
use crate::git::{self, Said, Verb};
use crate::net::Url;
use crate::path::Contained;
use crate::shell::Line;
use crate::wire::{GitOperation, HttpRequest, Texts, Tool};

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
    pub(super) fn each(&mut self, tool: &Tool<'a>, each: &mut Each<'a, '_>) -> Answer<'a> {
        match tool {
            Tool::FileRead(read) => self.file(read.path, [unless_zero(read.limit), Some(read.offset)], 0, each),
            Tool::FileWrite(write) => {
                let flags = flags([write.append, write.create_only, false]);
                self.file(write.path, [size(write.content.len()), None], flags, each)
            }
            Tool::FileWriteExtended(write) => {
                let flags = flags([write.append, write.create_only, write.create_dirs]);
                self.file(write.path, [size(write.content.len()), None], flags, each)
            }
            Tool::FileEdit(edit) => self.file(edit.path, [size(edit.new_content.len()), None], 0, each),
            Tool::FilePatch(patch) => self.file(patch.path, [size(patch.unified_diff.len()), None], 0, each),
            Tool::FsList(list) => {
                let most = unless_zero(list.max_results);
                self.at(base(list.glob), [None; 3], most, flags([list.include_hidden]), each)
            }
            Tool::FsGrep(grep) => self.at(base(grep.glob), [None; 3], unless_zero(grep.max_results), 0, each),
            Tool::FsMove(both) => self.both(both.src, both.dst, flags([both.overwrite]), each),
            Tool::FsCopy(both) => self.both(both.src, both.dst, flags([both.overwrite]), each),
            Tool::FsDelete(delete) => {
                self.at(delete.path, [None; 3], None, flags([false, delete.recursive, delete.force]), each)
            }
            Tool::ShellExec(shell) => {
                self.contained(shell.cwd)?;
                self.commands(shell.command, unless_zero(shell.timeout_ms), shell.network_access, each)
            }
            Tool::ShellExecExtended(shell) => {
                self.contained(shell.cwd)?;
                self.commands(shell.command, unless_zero(shell.timeout_ms), shell.network_access, each)
            }
            Tool::ShellInline(inline) => {
                let cwd = self.contained(inline.cwd)?;
                let interpreter = Some(inline.interpreter.as_bytes()).filter(|name| !name.contains(&b'/'));
                let path = Scratch::new(self.buffer).path(&cwd)?;
                each(&Target {
                    shown: inline.interpreter.as_bytes(),
                    strings: [interpreter, Some(path), None, None],
                    numbers: first(unless_zero(inline.timeout_ms)),
                    flags: flags([inline.network_access]),
                })
            }
            Tool::PytestRun(run) => {
                for path in run.paths.iter() {
                    let contained = self.contained(path)?;
                    each(&Target {
                        shown: path.as_bytes(),
                        strings: [Some(b"pytest"), Some(Scratch::new(self.buffer).path(&contained)?), None, None],
                        numbers: first(unless_zero(run.timeout_ms)),
                        flags: flags([run.network_access]),
                    })?;
                }
                Ok(())
            }
            Tool::ProcList(list) => each(&request([text(list.filter), None, None], first(unless_zero(list.limit)))),
            Tool::HttpRequest(http) => self.hop(http, each),
            Tool::GitOp(git) => self.git(git, each),
            Tool::AstGenerate(generate) => {
                for path in generate.paths.iter() {
                    let about = [text(generate.language), None, None];
                    self.at(base(path), about, unless_zero(generate.max_files), 0, each)?;
                }
                Ok(())
            }
            Tool::AstQuery(query) => self.at(base(query.file_glob), [None; 3], None, 0, each),
            Tool::AstEdit(_) | Tool::AstValidate(_) => each(&request([None; 3], [None; NUMBERS_MAX])),
            Tool::AstExternal(external) => each(&request([None, None, text(external.provider)], [None; NUMBERS_MAX])),
            Tool::Inference(call) => {
                let numbers = [unless_zero(call.max_tokens), Some(u64::from(call.temperature_scaled)), None, None];
                each(&request([text(call.provider), text(call.model), None], numbers))
            }
            Tool::ArtifactPublish(publish) => {
                each(&request([text(publish.artifact_id), text(publish.category), None], [None; NUMBERS_MAX]))
            }
            Tool::ValidateRun(run) => each(&request([text(run.rule_id), None, None], [None; NUMBERS_MAX])),
            Tool::MetricsEmit(emit) => each(&request([None; 3], first(unless_zero(emit.interval_ms)))),
            // Those are numbered by each policy in its own way.
            Tool::ToolCall(_) => Ok(()),
        }
    }

    fn contained(&self, path: &'a str) -> Result<Contained<'a>, Refusal<'a>> {
        contained(self.session, self.session.working_directory, path)
    }

    fn file(&mut self, path: &'a str, numbers: [Option<u64>; 2], flags: u64, each: &mut Each<'a, '_>) -> Answer<'a> {
        let contained = self.contained(path)?;
        let [bytes, offset] = numbers;
        each(&Target {
            shown: path.as_bytes(),
            strings: [
                Some(Scratch::new(self.buffer).path(&contained)?),
                Some(contained.name().unwrap_or_default()),
                contained.extension(),
                None,
            ],
            numbers: [bytes, offset, None, None],
            flags,
        })
    }

    /// A path with what else is said about it.
    fn at(
        &mut self,
        path: &'a str,
        about: [Option<&'a [u8]>; STRINGS_MAX - 1],
        number: Option<u64>,
        flags: u64,
        each: &mut Each<'a, '_>,
    ) -> Answer<'a> {
        let contained = self.contained(path)?;
        let [second, third, fourth] = about;
        each(&Target {
            shown: path.as_bytes(),
            strings: [Some(Scratch::new(self.buffer).path(&contained)?), second, third, fourth],
            numbers: first(number),
            flags,
        })
    }

    fn both(&mut self, source: &'a str, destination: &'a str, flags: u64, each: &mut Each<'a, '_>) -> Answer<'a> {
        self.at(source, [None; 3], None, flags, each)?;
        self.at(destination, [None; 3], None, flags, each)
    }

    /// Each simple command, or the line as a whole when it is not understood.
    fn commands(&mut self, line: &'a str, timeout: Option<u64>, network: bool, each: &mut Each<'a, '_>) -> Answer<'a> {
        let Ok(read) = Line::new(line.as_bytes()) else {
            return each(&Target {
                shown: line.as_bytes(),
                strings: [None, None, Some(line.as_bytes()), None],
                numbers: first(timeout),
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
                numbers: first(timeout),
                flags: flags([network, false]),
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
    let Some(special) = glob.bytes().position(|byte| matches!(byte, b'*' | b'?' | b'[' | b'{' | b'\\')) else {
        return glob;
    };
    let before = glob.get(..special).unwrap_or_default();
    match before.rfind('/') {
        Some(0) => "/",
        Some(slash) => before.get(..slash).unwrap_or_default(),
        None => "",
    }
}

/// A request that is one target.
fn request<'a, 't>(strings: [Option<&'t [u8]>; 3], numbers: [Option<u64>; NUMBERS_MAX]) -> Target<'a, 't> {
    let [first, second, third] = strings;
    Target { shown: &[], strings: [first, second, third, None], numbers, flags: 0 }
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

fn first(number: Option<u64>) -> [Option<u64>; NUMBERS_MAX] {
    [number, None, None, None]
}

/// The first in the lowest bit.
fn flags<const N: usize>(said: [bool; N]) -> u64 {
    said.into_iter().rev().fold(0, |flags, said| flags << 1 | u64::from(said))
}
