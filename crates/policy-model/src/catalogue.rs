//! The meaning of the core's operations for rules: their access class, their nouns and their documentation. The core lists
//! the operations and their attributes; a match without `_` shows where a new one has to be described.

use enforce_core::{AttributeDef, Attributes, Operation};
pub use enforce_core::{AttributeKind, DEFAULT_DENY};
use policy_syntax::SetKind;

/// The effect of an operation on the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// Looks.
    Observe,
    /// Changes files or the repository.
    Change,
    /// Runs a program.
    Execute,
    /// Sends something out.
    Send,
}

/// Returns the access class of a built-in operation.
#[must_use]
pub fn access(operation: Operation) -> Access {
    match operation {
        Operation::FileRead
        | Operation::FsList
        | Operation::FsGrep
        | Operation::ProcList
        | Operation::GitDiff
        | Operation::GitStatus
        | Operation::GitLog
        | Operation::GitShow
        | Operation::AstGenerate
        | Operation::AstQuery
        | Operation::AstValidate
        | Operation::MetricsEmit => Access::Observe,
        Operation::FileWrite
        | Operation::FileEdit
        | Operation::FilePatch
        | Operation::FsMove
        | Operation::FsCopy
        | Operation::FsDelete
        | Operation::GitClone
        | Operation::GitFetch
        | Operation::GitPull
        | Operation::GitCommit
        | Operation::GitBranch
        | Operation::GitCheckout
        | Operation::GitMerge
        | Operation::GitRebase
        | Operation::GitAdd
        | Operation::GitReset
        | Operation::GitStash
        | Operation::GitTag
        | Operation::GitRemote
        | Operation::AstEdit => Access::Change,
        Operation::ShellExec
        | Operation::ShellInline
        | Operation::PytestRun
        | Operation::AstExternal
        | Operation::ValidateRun => Access::Execute,
        Operation::HttpRequest | Operation::GitPush | Operation::InferenceCall | Operation::ArtifactPublish => {
            Access::Send
        }
    }
}

/// Returns the parts of a request that are judged one by one.
#[must_use]
pub fn judged_for_each(operation: Operation) -> &'static str {
    match operation {
        Operation::FileRead
        | Operation::FileWrite
        | Operation::FileEdit
        | Operation::FilePatch
        | Operation::PytestRun
        | Operation::AstGenerate
        | Operation::AstQuery
        | Operation::AstEdit
        | Operation::AstValidate
        | Operation::AstExternal => "path",
        Operation::FsList | Operation::FsGrep => "base path",
        Operation::FsMove | Operation::FsCopy | Operation::FsDelete => "path (source and destination)",
        Operation::ShellExec => "simple command",
        Operation::ShellInline => "interpreter",
        Operation::HttpRequest => "hop",
        Operation::GitClone
        | Operation::GitFetch
        | Operation::GitPull
        | Operation::GitDiff
        | Operation::GitCommit
        | Operation::GitPush
        | Operation::GitStatus
        | Operation::GitLog
        | Operation::GitBranch
        | Operation::GitCheckout
        | Operation::GitMerge
        | Operation::GitRebase
        | Operation::GitAdd
        | Operation::GitReset
        | Operation::GitStash
        | Operation::GitTag
        | Operation::GitRemote
        | Operation::GitShow => "path, ref or remote named",
        Operation::ProcList
        | Operation::InferenceCall
        | Operation::ArtifactPublish
        | Operation::ValidateRun
        | Operation::MetricsEmit => "request",
    }
}

/// Returns the tool of a built-in operation: the part of its name before the dot.
#[must_use]
pub fn tool(operation: Operation) -> &'static str {
    operation.name().split_once('.').map_or(operation.name(), |(tool, _)| tool)
}

/// Returns the built-in operations of a tool; none when the tool is not built in.
pub fn operations_of(name: &str) -> impl Iterator<Item = Operation> {
    Operation::ALL.iter().copied().filter(move |operation| tool(*operation) == name)
}

/// Returns the attributes of a built-in operation in the order of its slots: strings, numbers, flags.
pub fn attributes(operation: Operation) -> impl Iterator<Item = &'static AttributeDef> {
    let Attributes { strings, numbers, flags } = operation.attributes();
    strings.iter().chain(*numbers).chain(*flags)
}

/// Returns the kind of set in which values of a kind are looked up; none for numbers and flags.
#[must_use]
pub fn set_kind(kind: AttributeKind) -> Option<SetKind> {
    match kind {
        AttributeKind::Path => Some(SetKind::Paths),
        AttributeKind::Ref => Some(SetKind::Refs),
        AttributeKind::Host => Some(SetKind::Hosts),
        AttributeKind::Command => Some(SetKind::Commands),
        AttributeKind::Model => Some(SetKind::Models),
        AttributeKind::Word => Some(SetKind::Names),
        AttributeKind::Flag
        | AttributeKind::Count
        | AttributeKind::Size
        | AttributeKind::Duration
        | AttributeKind::Hundredths => None,
    }
}

/// Returns the noun for values of a kind in messages.
#[must_use]
pub fn noun(kind: AttributeKind) -> &'static str {
    match kind {
        AttributeKind::Path => "a path",
        AttributeKind::Ref => "a git reference",
        AttributeKind::Host => "a host",
        AttributeKind::Command => "a command",
        AttributeKind::Model => "a model",
        AttributeKind::Word => "a string",
        AttributeKind::Flag => "a flag",
        AttributeKind::Count => "a number",
        AttributeKind::Size => "a size",
        AttributeKind::Duration => "a time",
        AttributeKind::Hundredths => "a decimal",
    }
}

/// What `require` can name: checks the executor makes before it acts.
pub const REQUIREMENTS: &[(&str, &str)] = &[
    ("clean-tree", "the working tree has no unstaged changes"),
    ("no-links", "no symbolic link is on the way to a file"),
    ("secrets.scan", "the diff holds no secret"),
    ("build.must.pass", "the build succeeds"),
    ("lint.must.pass", "the linter passes"),
    ("fmt.must.pass", "the formatter's check passes"),
    ("code.ast.parsed", "the files written parse"),
    ("code.todo.blockers", "no TODO or FIXME on protected branches"),
    ("test.required.changed", "a change of code comes with a change of tests"),
    ("code.fn.docs.exported", "exported functions are documented"),
    ("code.no.panic.in.lib", "library code does not panic"),
    ("code.no.unwrap", "no unwrap outside tests"),
    ("code.mod.import.rules", "import boundaries hold"),
    ("commit.message.conventional", "the message is a Conventional Commit"),
    ("branch.naming.convention", "the branch name follows the pattern"),
];

/// The parameter types a `tool` statement can name.
pub const PARAMETER_TYPES: &[(&str, AttributeKind)] = &[
    ("string", AttributeKind::Word),
    ("path", AttributeKind::Path),
    ("host", AttributeKind::Host),
    ("command", AttributeKind::Command),
    ("ref", AttributeKind::Ref),
    ("model", AttributeKind::Model),
    ("int", AttributeKind::Count),
    ("size", AttributeKind::Size),
    ("time", AttributeKind::Duration),
    ("flag", AttributeKind::Flag),
];

/// Codes the judge itself gives, so that a rule cannot give them another meaning.
pub const RESERVED_CODES: &[&str] = &[
    "ALLOWED",
    "LIMIT_EXCEEDED",
    "PATH_ESCAPE",
    "SHELL_COMPLEX",
    "APPROVAL_REQUIRED",
    "LEASE_SCOPE",
    "SESSION_UNKNOWN",
    "VALIDATION_FAILED",
    "OPERATION_NOT_ALLOWED",
    "JUDGE_UNABLE",
];

/// The operation that runs a shell line.
pub const SHELL_EXEC: &str = Operation::ShellExec.name();

/// The flag of a shell line that cannot be understood in full. No rule permits one unless it says so.
pub const COMPLEX: &str = "complex";

/// The flag of a command that asks for the network. No rule permits one unless it says so.
pub const NETWORK: &str = "network";

/// The flags that a rule has to ask for to permit a request of a built-in operation that sets them.
pub const GUARDED_FLAGS: [&str; 2] = [COMPLEX, NETWORK];

/// Fields of requests that a test may give although no rule asks about them, by operation.
pub const REQUEST_FIELDS: &[(&str, &str, AttributeKind)] = &[
    ("http.request", "url", AttributeKind::Word),
    ("fs.move", "dst", AttributeKind::Path),
    ("fs.copy", "dst", AttributeKind::Path),
];

/// What a budget can count of every operation, beside its numbers.
pub const CALLS: &str = "calls";

/// The code of a denial of an operation that no rule explains, as in `FILE_READ_DENIED`.
#[must_use]
pub fn denial_code(operation: &str) -> String {
    let upper = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    operation.chars().map(upper).chain("_DENIED".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guarded_flags_are_those_with_a_name_here() {
        let all = Operation::ALL.iter().flat_map(|operation| attributes(*operation));
        let guarded = all.filter(|attribute| attribute.is_guarded).map(|attribute| attribute.name);
        assert_eq!(guarded.collect::<std::collections::BTreeSet<_>>(), GUARDED_FLAGS.into());
    }

    #[test]
    fn denial_codes_are_made_of_the_operation() {
        assert_eq!(denial_code("shell.exec"), "SHELL_EXEC_DENIED");
        assert_eq!(denial_code("my-tool.do_it"), "MY_TOOL_DO_IT_DENIED");
    }
}
