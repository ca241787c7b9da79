//! What breaks a rule, invariant by invariant, as the requirements say it.

use enforce_core::validate::{Violation, validate};
use enforce_core::wire::{
    ArtifactPublish, FileEdit, FileRead, FileWrite, GitOperation, InferenceCall, Request, ShellExec,
};

use crate::cases::{Premise, is_same};

/// A rule for a field, and how often a request breaks it: a field once, a list as often as it has entries that do.
#[derive(Debug, Clone, Copy)]
pub struct Invariant {
    /// The requirement.
    pub id: &'static str,
    /// The field, as reports name it.
    pub field: &'static str,
    /// The rule, as reports name it.
    pub rule: &'static str,
    /// How often it is broken.
    pub broken: usize,
    reported: usize,
}

impl Invariant {
    fn is_about(&self, violation: &Violation) -> bool {
        is_same_name(self.field, violation.field) && is_same_name(self.rule, violation.rule.name())
    }
}

/// What is reported of a request is what is broken: each as often, and nothing else.
pub(super) fn is_as_specified<const OWN: usize>(
    request: &Request<'_>,
    mut names: [Invariant; NAMES],
    mut own: [Invariant; OWN],
) -> Premise {
    let mut is_known = true;
    validate(request, &mut |violation| {
        let is_counted = count(&mut names, &violation) | count(&mut own, &violation);
        is_known &= is_counted;
    });
    assert!(is_known, "nothing is reported that is no rule of the field");
    Premise::of(are_as_reported(&names) | are_as_reported(&own))
}

fn count(invariants: &mut [Invariant], violation: &Violation) -> bool {
    let mut is_counted = false;
    for invariant in invariants {
        if invariant.is_about(violation) {
            invariant.reported = invariant.reported.saturating_add(1);
            is_counted = true;
        }
    }
    is_counted
}

/// Whether any is broken.
fn are_as_reported(invariants: &[Invariant]) -> bool {
    let mut is_any = false;
    for invariant in invariants {
        assert!(invariant.reported >= invariant.broken, "what is broken is reported");
        assert!(invariant.reported <= invariant.broken, "what is not broken is not reported");
        is_any |= invariant.broken > 0;
    }
    is_any
}

const NAMES: usize = 6;

pub(super) fn names(request_id: &str, session_token: &str, dedupe_key: &str, has_tool: bool) -> [Invariant; NAMES] {
    [
        rule("INV-0001", "request_id", "required", request_id.is_empty()),
        rule("INV-0001", "request_id", "max_length", characters(request_id) > 256),
        rule("INV-0002", "session_token", "required", session_token.is_empty()),
        rule("INV-0002", "session_token", "max_length", characters(session_token) > 256),
        rule("INV-0003", "dedupe_key", "max_length", characters(dedupe_key) > 256),
        rule("INV-0004", "tool", "required", !has_tool),
    ]
}

pub(super) fn file_read(said: &FileRead<'_>) -> [Invariant; 5] {
    [
        rule("INV-0005", "file_read.path", "required", said.path.is_empty()),
        rule("INV-0005", "file_read.path", "max_length", characters(said.path) > 4_096),
        rule("INV-0006", "file_read.path", "no_nul", has(said.path, 0)),
        rule("INV-0007", "file_read.path", "no_traversal", has_traversal(said.path)),
        rule("INV-0008", "file_read.limit", "max_value", said.limit > 1_073_741_824),
    ]
}

pub(super) fn file_write(said: &FileWrite<'_>) -> [Invariant; 6] {
    [
        rule("INV-0009", "file_write.path", "required", said.path.is_empty()),
        rule("INV-0009", "file_write.path", "max_length", characters(said.path) > 4_096),
        rule("INV-0010", "file_write.path", "no_nul", has(said.path, 0)),
        rule("INV-0010", "file_write.path", "no_traversal", has_traversal(said.path)),
        rule("INV-0011", "file_write.content", "max_size", said.content.len() > 104_857_600),
        rule("INV-0012", "file_write.append", "mutually_exclusive", said.append && said.create_only),
    ]
}

pub(super) fn file_edit(said: &FileEdit<'_>) -> [Invariant; 7] {
    [
        rule("INV-0013", "file_edit.path", "required", said.path.is_empty()),
        rule("INV-0013", "file_edit.path", "max_length", characters(said.path) > 4_096),
        rule("INV-0013", "file_edit.path", "no_nul", has(said.path, 0)),
        rule("INV-0013", "file_edit.path", "no_traversal", has_traversal(said.path)),
        rule("INV-0014", "file_edit.old_content", "required", said.old_content.is_empty()),
        rule("INV-0014", "file_edit.old_content", "max_size", said.old_content.len() > 10_485_760),
        rule("INV-0015", "file_edit.new_content", "max_size", said.new_content.len() > 10_485_760),
    ]
}

pub(super) fn shell_exec(said: &ShellExec<'_>, env: &[&str]) -> [Invariant; 10] {
    [
        rule("INV-0016", "shell_exec.command", "required", said.command.is_empty()),
        rule("INV-0016", "shell_exec.command", "max_size", said.command.len() > 1_048_576),
        rule("INV-0017", "shell_exec.cwd", "max_length", characters(said.cwd) > 4_096),
        rule("INV-0017", "shell_exec.cwd", "no_nul", has(said.cwd, 0)),
        rule("INV-0017", "shell_exec.cwd", "no_traversal", has_traversal(said.cwd)),
        rule("INV-0018", "shell_exec.timeout_ms", "max_value", said.timeout_ms > 3_600_000),
        rule("INV-0019", "shell_exec.env", "max_items", env.len() > 1_000),
        each("INV-0020", "shell_exec.env", "max_size", env, is_too_long),
        each("INV-0020", "shell_exec.env", "key_value", env, is_no_pair),
        each("INV-0020", "shell_exec.env", "key", env, has_no_key),
    ]
}

pub(super) fn git_operation(said: &GitOperation<'_>, args: &[&str]) -> [Invariant; 6] {
    [
        rule("INV-0021", "git_op.operation", "one_of", !is_git_operation(said.operation)),
        rule("INV-0022", "git_op.args", "max_items", args.len() > 1_000),
        each("INV-0023", "git_op.args", "max_size", args, is_too_long),
        rule("INV-0024", "git_op.cwd", "max_length", characters(said.cwd) > 4_096),
        // What is a path is held to the rules for paths, as the note to INV-0013 says of the other ones.
        rule("INV-0024", "git_op.cwd", "no_nul", has(said.cwd, 0)),
        rule("INV-0024", "git_op.cwd", "no_traversal", has_traversal(said.cwd)),
    ]
}

pub(super) fn inference(said: &InferenceCall<'_>) -> [Invariant; 7] {
    let system = said.system_prompt_hash.len();
    [
        rule("INV-0025", "inference.provider", "required", said.provider.is_empty()),
        rule("INV-0025", "inference.provider", "max_length", characters(said.provider) > 256),
        rule("INV-0026", "inference.model", "required", said.model.is_empty()),
        rule("INV-0026", "inference.model", "max_length", characters(said.model) > 256),
        rule("INV-0027", "inference.prompt_hash", "exact_size", said.prompt_hash.len() != 32),
        rule("INV-0028", "inference.max_tokens", "max_value", said.max_tokens > 1_000_000),
        rule("INV-0029", "inference.system_prompt_hash", "exact_size", system != 0 && system != 32),
    ]
}

pub(super) fn artifact_publish(said: &ArtifactPublish<'_>, metadata: &[&str]) -> [Invariant; 8] {
    [
        rule("INV-0030", "artifact_publish.artifact_id", "required", said.artifact_id.is_empty()),
        rule("INV-0030", "artifact_publish.artifact_id", "max_length", characters(said.artifact_id) > 256),
        rule("INV-0031", "artifact_publish.content_hash", "exact_size", said.content_hash.len() != 32),
        rule("INV-0032", "artifact_publish.category", "required", said.category.is_empty()),
        rule("INV-0032", "artifact_publish.category", "max_length", characters(said.category) > 256),
        rule("INV-0033", "artifact_publish.metadata", "max_items", metadata.len() > 1_000),
        each("INV-0034", "artifact_publish.metadata", "max_size", metadata, is_too_long),
        each("INV-0034", "artifact_publish.metadata", "key_value", metadata, is_no_pair),
    ]
}

fn rule(id: &'static str, field: &'static str, rule: &'static str, is_broken: bool) -> Invariant {
    Invariant { id, field, rule, broken: usize::from(is_broken), reported: 0 }
}

fn each(
    id: &'static str,
    field: &'static str,
    rule: &'static str,
    entries: &[&str],
    is_broken: impl Fn(&str) -> bool,
) -> Invariant {
    let mut broken = 0_usize;
    for entry in entries {
        broken = broken.saturating_add(usize::from(is_broken(entry)));
    }
    Invariant { id, field, rule, broken, reported: 0 }
}

/// The first byte of a character says how many it has.
fn characters(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut place, mut count) = (0_usize, 0_usize);
    while let Some(first) = bytes.get(place) {
        let len = match first {
            0..0x80 => 1,
            0x80..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0..=0xff => 4,
        };
        place = place.saturating_add(len);
        count = count.saturating_add(1);
    }
    count
}

fn has(text: &str, wanted: u8) -> bool {
    let mut is_found = false;
    for byte in text.as_bytes() {
        is_found |= *byte == wanted;
    }
    is_found
}

/// Two dots, with nothing or a slash before them and behind them.
fn has_traversal(path: &str) -> bool {
    let bytes = path.as_bytes();
    let mut is_found = false;
    let mut is_start = true;
    for (place, byte) in bytes.iter().enumerate() {
        let [next, after] = [1, 2].map(|more| bytes.get(place.saturating_add(more)));
        is_found |= is_start && *byte == b'.' && next == Some(&b'.') && matches!(after, None | Some(b'/'));
        is_start = *byte == b'/';
    }
    is_found
}

fn is_too_long(entry: &str) -> bool {
    entry.len() > 32_768
}

/// Without exactly one `=`.
fn is_no_pair(entry: &str) -> bool {
    let mut signs = 0_usize;
    for byte in entry.as_bytes() {
        signs = signs.saturating_add(usize::from(*byte == b'='));
    }
    signs != 1
}

/// With an empty key, or a NUL. The requirement speaks of one in the key; one in the value ends it for the system, so that
/// the core refuses it as well.
fn has_no_key(entry: &str) -> bool {
    entry.as_bytes().first() == Some(&b'=') || has(entry, 0)
}

fn is_git_operation(name: &str) -> bool {
    let mut is_found = false;
    for known in GIT_OPERATIONS {
        is_found |= is_same(known.as_bytes(), name.as_bytes());
    }
    is_found
}

pub(super) const GIT_OPERATIONS: [&str; 18] = [
    "CLONE", "FETCH", "PULL", "DIFF", "COMMIT", "PUSH", "STATUS", "LOG", "BRANCH", "CHECKOUT", "MERGE", "REBASE",
    "ADD", "RESET", "STASH", "TAG", "REMOTE", "SHOW",
];

/// Eight bytes at a time, so that no loop is longer than that.
fn is_same_name(one: &str, other: &str) -> bool {
    if one.len() != other.len() {
        return false;
    }
    for (one, other) in one.as_bytes().chunks(NAME_BYTES_AT_A_TIME).zip(other.as_bytes().chunks(NAME_BYTES_AT_A_TIME)) {
        if !is_same(one, other) {
            return false;
        }
    }
    true
}

const NAME_BYTES_AT_A_TIME: usize = 8;

#[cfg(all(test, not(kani)))]
mod tests {
    use std::format;
    use std::string::String;
    use std::vec::Vec;

    use enforce_core::wire::Texts;

    use super::*;

    #[test]
    fn every_invariant_is_here() {
        let texts = Texts::EMPTY;
        let mut ids: Vec<&str> = Vec::new();
        let mut add = |invariants: &[Invariant]| ids.extend(invariants.iter().map(|invariant| invariant.id));
        add(&names("", "", "", false));
        add(&file_read(&FileRead::default()));
        add(&file_write(&FileWrite::default()));
        add(&file_edit(&FileEdit::default()));
        add(&shell_exec(&ShellExec { env: texts, ..ShellExec::default() }, &[]));
        add(&git_operation(&GitOperation { args: texts, ..GitOperation::default() }, &[]));
        add(&inference(&InferenceCall::default()));
        add(&artifact_publish(&ArtifactPublish { metadata: texts, ..ArtifactPublish::default() }, &[]));
        ids.dedup();
        let expected: Vec<String> = (1..=34).map(|number| format!("INV-{number:04}")).collect();
        assert_eq!(ids, expected);
    }
}
