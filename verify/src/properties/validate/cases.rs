//! Requests whose fields are at the limits, several broken at once, and the property for each message.
//!
//! With `ROOM` for no more than what is short, a case is one for a model checker: texts and lists then have one length,
//! numbers and bytes are any.

use enforce_core::wire::{
    ArtifactPublish, FileEdit, FileRead, FileWrite, GitOperation, InferenceCall, Request, ShellExec, Texts, Tool,
};

use super::invariants::{self, GIT_OPERATIONS, is_as_specified};
use super::texts::{CRAB, LETTER, List, PLAIN_ENTRY, Path, Run, zeros};
use crate::cases::{Bytes, Case, Premise, Source};

/// The names of a request, with a tool or without, as long as `LENGTHS` says.
#[derive(Debug, Clone, Copy)]
pub struct Names<const LENGTHS: usize> {
    /// Of the request.
    pub request_id: Run,
    /// Of the session.
    pub session_token: Run,
    /// For doing it once.
    pub dedupe_key: Run,
    /// Whether there is a tool.
    pub has_tool: bool,
}

/// Names have 0, 1, the most and one more characters, each of them.
pub const AT_LIMITS: usize = 0;
/// Names are any number of letters up to that.
pub const LETTERS: usize = 1;
/// One name after the other is at the limits, and the others are a letter. For a model checker, which has to know how long
/// a text is to go through it.
pub const ONE_BY_ONE: usize = 2;

impl<const LENGTHS: usize> Case for Names<LENGTHS> {
    fn draw<S: Source>(source: &mut S) -> Self {
        let mut names = [Run { character: LETTER, count: 1 }; 3];
        if LENGTHS == ONE_BY_ONE {
            let (which, count) = (source.settled(names.len()), source.settled(LETTERS_AT_LIMITS.len()));
            if let (Some(name), Some(count)) = (names.get_mut(which), LETTERS_AT_LIMITS.get(count)) {
                name.count = *count;
            }
        } else {
            for name in &mut names {
                *name = match LENGTHS {
                    LETTERS => Run { character: LETTER, count: source.below(NAME_CHARACTERS_MAX.saturating_add(2)) },
                    _ => Run::draw(source, NAMES_AT_LIMITS),
                };
            }
        }
        let [request_id, session_token, dedupe_key] = names;
        Self { request_id, session_token, dedupe_key, has_tool: source.flag() }
    }
}

/// INV-0001 to INV-0004.
pub fn names_break_rules_as_specified<const LENGTHS: usize>(case: &Names<LENGTHS>) -> Premise {
    let [request_id, session_token, dedupe_key] =
        [case.request_id, case.session_token, case.dedupe_key].map(Run::as_str);
    let ask = |tool: Option<Tool<'_>>| {
        let specified = invariants::names(request_id, session_token, dedupe_key, tool.is_some());
        is_as_specified(&Request::new(request_id, session_token, dedupe_key, tool), specified, [])
    };
    // Each by itself: of a tool that may be there a model checker does not even know how many fields it has.
    if case.has_tool { ask(Some(Tool::FileRead(FileRead { path: "a", offset: 0, limit: 0 }))) } else { ask(None) }
}

/// A file to read.
#[derive(Debug, Clone, Copy)]
pub struct Reads<const N: usize, const ROOM: usize> {
    /// All three names of the request.
    pub name: Run,
    /// Field 1.
    pub path: Path<N, ROOM>,
    /// Field 2.
    pub offset: u64,
    /// Field 3.
    pub limit: u64,
}

impl<const N: usize, const ROOM: usize> Case for Reads<N, ROOM> {
    fn draw<S: Source>(source: &mut S) -> Self {
        let path = Path::draw(source);
        Self { name: name(source, ROOM == N), path, offset: u64::MAX, limit: source.number(LIMITS) }
    }
}

/// INV-0005 to INV-0008.
pub fn file_read_breaks_rules_as_specified<const N: usize, const ROOM: usize>(case: &Reads<N, ROOM>) -> Premise {
    let mut buffer = [0; ROOM];
    let Some(path) = case.path.text(&mut buffer) else {
        return Premise::Missed;
    };
    let said = FileRead { path, offset: case.offset, limit: case.limit };
    is_as(case.name, Tool::FileRead(said), invariants::file_read(&said))
}

/// A file to write.
#[derive(Debug, Clone, Copy)]
pub struct Writes<const N: usize, const ROOM: usize> {
    /// All three names of the request.
    pub name: Run,
    /// Field 1.
    pub path: Path<N, ROOM>,
    /// How long field 2 is.
    pub content: usize,
    /// Field 3.
    pub create_only: bool,
    /// Field 4.
    pub append: bool,
}

impl<const N: usize, const ROOM: usize> Case for Writes<N, ROOM> {
    fn draw<S: Source>(source: &mut S) -> Self {
        let is_small = ROOM == N;
        Self {
            name: name(source, is_small),
            path: Path::draw(source),
            content: if is_small { 1 } else { source.one_of(&[0, 1, 104_857_600, 104_857_601]) },
            create_only: source.flag(),
            append: source.flag(),
        }
    }
}

/// INV-0009 to INV-0012.
pub fn file_write_breaks_rules_as_specified<const N: usize, const ROOM: usize>(case: &Writes<N, ROOM>) -> Premise {
    let mut buffer = [0; ROOM];
    let Some(path) = case.path.text(&mut buffer) else {
        return Premise::Missed;
    };
    let content = zeros(case.content);
    let said = FileWrite { path, content, create_only: case.create_only, append: case.append };
    is_as(case.name, Tool::FileWrite(said), invariants::file_write(&said))
}

/// A file to edit.
#[derive(Debug, Clone, Copy)]
pub struct Edits<const N: usize, const ROOM: usize> {
    /// All three names of the request.
    pub name: Run,
    /// Field 1.
    pub path: Path<N, ROOM>,
    /// Field 2.
    pub old_content: Run,
    /// Field 3.
    pub new_content: Run,
}

impl<const N: usize, const ROOM: usize> Case for Edits<N, ROOM> {
    fn draw<S: Source>(source: &mut S) -> Self {
        let is_small = ROOM == N;
        let sizes = if is_small { SHORT } else { EDITS };
        Self {
            name: name(source, is_small),
            path: Path::draw(source),
            old_content: Run::draw(source, sizes),
            new_content: Run::draw(source, sizes),
        }
    }
}

/// INV-0013 to INV-0015.
pub fn file_edit_breaks_rules_as_specified<const N: usize, const ROOM: usize>(case: &Edits<N, ROOM>) -> Premise {
    let mut buffer = [0; ROOM];
    let Some(path) = case.path.text(&mut buffer) else {
        return Premise::Missed;
    };
    let said = FileEdit { path, old_content: case.old_content.as_str(), new_content: case.new_content.as_str() };
    is_as(case.name, Tool::FileEdit(said), invariants::file_edit(&said))
}

/// A command to run.
#[derive(Debug, Clone, Copy)]
pub struct Runs<const N: usize, const ROOM: usize, const M: usize, const ENTRIES: usize, const LISTED: usize> {
    /// All three names of the request.
    pub name: Run,
    /// Field 1.
    pub command: Run,
    /// Field 2.
    pub cwd: Path<N, ROOM>,
    /// Field 3.
    pub timeout_ms: u64,
    /// Field 5.
    pub env: List<M, ENTRIES, LISTED>,
}

impl<const N: usize, const ROOM: usize, const M: usize, const ENTRIES: usize, const LISTED: usize> Case
    for Runs<N, ROOM, M, ENTRIES, LISTED>
{
    fn draw<S: Source>(source: &mut S) -> Self {
        let is_small = ROOM == N;
        let cwd = Path::draw(source);
        Self {
            name: name(source, is_small),
            command: Run::draw(source, if is_small { SHORT } else { COMMANDS }),
            cwd,
            timeout_ms: source.number(TIMEOUTS),
            env: List::draw_beside(source, &cwd),
        }
    }
}

/// INV-0016 to INV-0020.
pub fn shell_exec_breaks_rules_as_specified<
    const N: usize,
    const ROOM: usize,
    const M: usize,
    const ENTRIES: usize,
    const LISTED: usize,
>(
    case: &Runs<N, ROOM, M, ENTRIES, LISTED>,
) -> Premise {
    let (mut buffer, mut entries) = ([0; ROOM], [PLAIN_ENTRY; LISTED]);
    let (Some(cwd), (env, true)) = (case.cwd.text(&mut buffer), case.env.texts(&mut entries)) else {
        return Premise::Missed;
    };
    let command = case.command.as_str();
    let said = ShellExec { command, cwd, timeout_ms: case.timeout_ms, network_access: false, env: Texts::listed(env) };
    is_as(case.name, Tool::ShellExec(said), invariants::shell_exec(&said, env))
}

/// A git operation.
#[derive(Debug, Clone, Copy)]
pub struct Versions<const N: usize, const ROOM: usize, const ENTRIES: usize, const LISTED: usize> {
    /// All three names of the request.
    pub name: Run,
    /// Field 1, when it is none of the known ones.
    pub operation: Bytes<3>,
    /// Which of the known ones it is, counted from one on; zero for none.
    pub known: usize,
    /// Field 2.
    pub args: List<N, ENTRIES, LISTED>,
    /// Field 3.
    pub cwd: Path<N, ROOM>,
}

impl<const N: usize, const ROOM: usize, const ENTRIES: usize, const LISTED: usize> Case
    for Versions<N, ROOM, ENTRIES, LISTED>
{
    fn draw<S: Source>(source: &mut S) -> Self {
        let is_small = ROOM == N;
        let known = if is_small { 0 } else { source.below(GIT_OPERATIONS.len().saturating_add(1)) };
        let cwd = Path::draw(source);
        Self {
            name: name(source, is_small),
            operation: if known == 0 { Bytes::draw_at_least(source, 3, OPERATION) } else { Bytes::of(b"") },
            known,
            args: List::draw_beside(source, &cwd),
            cwd,
        }
    }
}

/// INV-0021 to INV-0024.
pub fn git_operation_breaks_rules_as_specified<
    const N: usize,
    const ROOM: usize,
    const ENTRIES: usize,
    const LISTED: usize,
>(
    case: &Versions<N, ROOM, ENTRIES, LISTED>,
) -> Premise {
    let (mut buffer, mut entries) = ([0; ROOM], [PLAIN_ENTRY; LISTED]);
    let (Some(cwd), (args, true)) = (case.cwd.text(&mut buffer), case.args.texts(&mut entries)) else {
        return Premise::Missed;
    };
    let known = case.known.checked_sub(1).and_then(|place| GIT_OPERATIONS.get(place).copied());
    let Some(operation) = known.or(core::str::from_utf8(case.operation.as_slice()).ok()) else {
        return Premise::Missed;
    };
    let said = GitOperation { operation, args: Texts::listed(args), cwd };
    is_as(case.name, Tool::GitOp(said), invariants::git_operation(&said, args))
}

/// An inference.
#[derive(Debug, Clone, Copy)]
pub struct Calls<const LARGE: bool> {
    /// All three names of the request.
    pub name: Run,
    /// Field 1.
    pub provider: Run,
    /// Field 2.
    pub model: Run,
    /// How long field 3 is.
    pub prompt_hash: usize,
    /// Field 4.
    pub max_tokens: u64,
    /// How long field 6 is.
    pub system_prompt_hash: usize,
}

impl<const LARGE: bool> Case for Calls<LARGE> {
    fn draw<S: Source>(source: &mut S) -> Self {
        let names = if LARGE { NAMES_AT_LIMITS } else { SHORT };
        Self {
            name: name(source, !LARGE),
            provider: Run::draw(source, names),
            model: Run::draw(source, names),
            prompt_hash: hash(source, !LARGE),
            max_tokens: source.number(TOKENS),
            system_prompt_hash: hash(source, !LARGE),
        }
    }
}

/// INV-0025 to INV-0029.
pub fn inference_breaks_rules_as_specified<const LARGE: bool>(case: &Calls<LARGE>) -> Premise {
    let said = InferenceCall {
        provider: case.provider.as_str(),
        model: case.model.as_str(),
        prompt_hash: zeros(case.prompt_hash),
        max_tokens: case.max_tokens,
        temperature_scaled: u32::MAX,
        system_prompt_hash: zeros(case.system_prompt_hash),
    };
    is_as(case.name, Tool::Inference(said), invariants::inference(&said))
}

/// An artifact to publish.
#[derive(Debug, Clone, Copy)]
pub struct Publishes<const N: usize, const ENTRIES: usize, const LISTED: usize> {
    /// All three names of the request.
    pub name: Run,
    /// Field 1.
    pub artifact_id: Run,
    /// How long field 2 is.
    pub content_hash: usize,
    /// Field 3.
    pub category: Run,
    /// Field 4.
    pub metadata: List<N, ENTRIES, LISTED>,
}

impl<const N: usize, const ENTRIES: usize, const LISTED: usize> Case for Publishes<N, ENTRIES, LISTED> {
    fn draw<S: Source>(source: &mut S) -> Self {
        let is_small = LISTED == ENTRIES;
        let names = if is_small { SHORT } else { NAMES_AT_LIMITS };
        Self {
            name: name(source, is_small),
            artifact_id: Run::draw(source, names),
            content_hash: hash(source, is_small),
            category: Run::draw(source, names),
            metadata: List::draw(source),
        }
    }
}

/// INV-0030 to INV-0034.
pub fn artifact_publish_breaks_rules_as_specified<const N: usize, const ENTRIES: usize, const LISTED: usize>(
    case: &Publishes<N, ENTRIES, LISTED>,
) -> Premise {
    let mut entries = [PLAIN_ENTRY; LISTED];
    let (metadata, true) = case.metadata.texts(&mut entries) else {
        return Premise::Missed;
    };
    let said = ArtifactPublish {
        artifact_id: case.artifact_id.as_str(),
        content_hash: zeros(case.content_hash),
        category: case.category.as_str(),
        metadata: Texts::listed(metadata),
    };
    is_as(case.name, Tool::ArtifactPublish(said), invariants::artifact_publish(&said, metadata))
}

/// A whole request, all names of which are the same.
fn is_as<const OWN: usize>(name: Run, tool: Tool<'_>, own: [invariants::Invariant; OWN]) -> Premise {
    let name = name.as_str();
    is_as_specified(&Request::new(name, name, name, Some(tool)), invariants::names(name, name, name, true), own)
}

/// The names of a request about which there is nothing else to say.
fn name<S: Source>(source: &mut S, is_small: bool) -> Run {
    if is_small {
        Run { character: LETTER, count: 1 }
    } else {
        Run::draw(source, &[(LETTER, 1), (LETTER, 0), (CRAB, 257)])
    }
}

/// How long a hash is.
fn hash<S: Source>(source: &mut S, is_small: bool) -> usize {
    if is_small { source.below(34) } else { source.one_of(&[0, 1, 31, 32, 33]) }
}

const NAME_CHARACTERS_MAX: usize = 256;
const NAMES_AT_LIMITS: &[(char, usize)] =
    &[(LETTER, 0), (LETTER, 1), (CRAB, 1), (LETTER, 256), (CRAB, 256), (LETTER, 257), (CRAB, 257)];
const LETTERS_AT_LIMITS: &[usize] = &[0, 1, NAME_CHARACTERS_MAX, NAME_CHARACTERS_MAX + 1];
const SHORT: &[(char, usize)] = &[(LETTER, 0), (LETTER, 1)];
/// In bytes, of which a character has more than one.
const EDITS: &[(char, usize)] =
    &[(LETTER, 0), (LETTER, 1), (LETTER, 10_485_760), (CRAB, 2_621_440), (LETTER, 10_485_761), (CRAB, 2_621_441)];
const COMMANDS: &[(char, usize)] =
    &[(LETTER, 0), (LETTER, 1), (LETTER, 1_048_576), (CRAB, 262_144), (LETTER, 1_048_577), (CRAB, 262_145)];
const LIMITS: &[u64] = &[0, 1, 1_073_741_824, 1_073_741_825, u64::MAX];
const TIMEOUTS: &[u64] = &[3_600_000, 3_600_001, u64::MAX];
const TOKENS: &[u64] = &[0, 1_000_000, 1_000_001, u64::MAX];
/// Of a name of three letters, and of such that are none.
const OPERATION: &[u8] = b"LOG";
