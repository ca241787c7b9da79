//! The operations that requests can ask for, and the facts that each is judged by.

use table_format::AttributeKind;

use crate::git::Verb;
use crate::text::starts_with;
use crate::wire::{Request, Subject};

macro_rules! operations {
    ($($operation:ident = $name:literal: $attributes:ident,)+) => {
        /// A built-in operation. Declared tools are named by policies, not here.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Operation {
            $(#[doc = concat!("`", $name, "`")] $operation,)+
        }

        impl Operation {
            /// Every operation.
            pub const ALL: &'static [Self] = &[$(Self::$operation),+];

            /// As policies name it: `file.read`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$operation => $name,)+
                }
            }

            /// What it is judged by.
            #[must_use]
            pub fn attributes(self) -> &'static Attributes {
                match self {
                    $(Self::$operation => &$attributes,)+
                }
            }
        }
    };
}

operations! {
    FileRead = "file.read": FILE,
    FileWrite = "file.write": FILE,
    FileEdit = "file.edit": FILE,
    FilePatch = "file.patch": FILE,
    FsList = "fs.list": SEARCH,
    FsGrep = "fs.grep": SEARCH,
    FsMove = "fs.move": MOVE,
    FsCopy = "fs.copy": MOVE,
    FsDelete = "fs.delete": MOVE,
    ShellExec = "shell.exec": SHELL,
    ShellInline = "shell.inline": INTERPRETER,
    PytestRun = "pytest.run": INTERPRETER,
    ProcList = "proc.list": PROCESSES,
    HttpRequest = "http.request": HTTP,
    AstGenerate = "ast.generate": AST,
    AstQuery = "ast.query": AST,
    AstEdit = "ast.edit": AST,
    AstValidate = "ast.validate": AST,
    AstExternal = "ast.external": AST,
    InferenceCall = "inference.call": INFERENCE,
    ArtifactPublish = "artifact.publish": ARTIFACT,
    ValidateRun = "validate.run": VALIDATION,
    MetricsEmit = "metrics.emit": VALIDATION,
    GitClone = "git.clone": GIT,
    GitFetch = "git.fetch": GIT,
    GitPull = "git.pull": GIT,
    GitDiff = "git.diff": GIT,
    GitCommit = "git.commit": GIT,
    GitPush = "git.push": GIT,
    GitStatus = "git.status": GIT,
    GitLog = "git.log": GIT,
    GitBranch = "git.branch": GIT,
    GitCheckout = "git.checkout": GIT,
    GitMerge = "git.merge": GIT,
    GitRebase = "git.rebase": GIT,
    GitAdd = "git.add": GIT,
    GitReset = "git.reset": GIT,
    GitStash = "git.stash": GIT,
    GitTag = "git.tag": GIT,
    GitRemote = "git.remote": GIT,
    GitShow = "git.show": GIT,
}

/// The attributes of an operation, in the order in which a table numbers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attributes {
    /// Text.
    pub strings: &'static [Known],
    /// Numbers.
    pub numbers: &'static [Known],
    /// What is said or not said.
    pub flags: &'static [Known],
}

/// An attribute that requests are read into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// As policies name it.
    pub name: &'static str,
    /// What its values are.
    pub kind: AttributeKind,
    /// Whether only the act shows them.
    pub is_later: bool,
}

/// What a request asks for, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked<'a> {
    /// A built-in operation.
    BuiltIn(Operation),
    /// An operation of a declared tool; of the tool as a whole when it has no name.
    Declared {
        /// The tool.
        tool: &'a str,
        /// Its operation.
        operation: &'a str,
    },
}

impl Operation {
    /// Its place among all of them.
    #[expect(clippy::as_conversions, reason = "an enum without fields is its place")]
    pub(crate) fn place(self) -> usize {
        self as usize
    }

    pub(crate) fn git(verb: Verb) -> Self {
        match verb {
            Verb::Clone => Self::GitClone,
            Verb::Fetch => Self::GitFetch,
            Verb::Pull => Self::GitPull,
            Verb::Diff => Self::GitDiff,
            Verb::Commit => Self::GitCommit,
            Verb::Push => Self::GitPush,
            Verb::Status => Self::GitStatus,
            Verb::Log => Self::GitLog,
            Verb::Branch => Self::GitBranch,
            Verb::Checkout => Self::GitCheckout,
            Verb::Merge => Self::GitMerge,
            Verb::Rebase => Self::GitRebase,
            Verb::Add => Self::GitAdd,
            Verb::Reset => Self::GitReset,
            Verb::Stash => Self::GitStash,
            Verb::Tag => Self::GitTag,
            Verb::Remote => Self::GitRemote,
            Verb::Show => Self::GitShow,
        }
    }
}

impl<'a> Asked<'a> {
    /// What a request asks for; nothing for one that is not valid.
    #[must_use]
    pub fn of(request: &Request<'a>) -> Option<Self> {
        let call = request.call()?;
        let text = |number| call.fields.text(number);
        match (call.message.operation, call.message.subject) {
            (Some(operation), _) => Some(Self::BuiltIn(operation)),
            (None, Subject::Git { operation, .. }) => {
                Verb::named(call.fields.value(operation).bytes()).map(|verb| Self::BuiltIn(Operation::git(verb)))
            }
            (None, Subject::Declared { tool, operation }) => {
                Some(Self::Declared { tool: text(tool), operation: text(operation) })
            }
            (None, _) => None,
        }
    }

    /// Whether it is what a name says: `file.read`, or `file.*` for every operation of a tool.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        let (tool, operation) = match self {
            Self::BuiltIn(operation) if operation.name() == name => return true,
            Self::BuiltIn(operation) => (operation.name(), None),
            Self::Declared { tool, operation } => (*tool, Some(*operation)),
        };
        match (name.strip_suffix(".*"), operation) {
            (Some(named), None) => tool.strip_prefix(named).is_some_and(|rest| starts_with(rest, b'.')),
            (Some(named), Some(_)) => tool == named,
            (None, None) => false,
            (None, Some("")) => name == tool,
            (None, Some(operation)) => {
                name.strip_prefix(tool).and_then(|rest| rest.strip_prefix(".")).is_some_and(|rest| rest == operation)
            }
        }
    }
}

const FILE: Attributes = Attributes {
    strings: &[path(), word("name"), word("extension")],
    numbers: &[size("bytes"), size("offset")],
    flags: &[flag("append"), flag("create-only"), flag("create-dirs")],
};
const SEARCH: Attributes =
    Attributes { strings: &[path()], numbers: &[count("max-results")], flags: &[flag("hidden")] };
const MOVE: Attributes =
    Attributes { strings: &[path()], numbers: &[], flags: &[flag("overwrite"), flag("recursive"), flag("force")] };
const SHELL: Attributes = Attributes {
    strings: &[is("command", AttributeKind::Command), word("subcommand"), word("line")],
    numbers: &[time("timeout"), later("output")],
    flags: &[flag("network"), flag("complex")],
};
const INTERPRETER: Attributes = Attributes {
    strings: &[is("command", AttributeKind::Command), path()],
    numbers: &[time("timeout"), later("output")],
    flags: &[flag("network")],
};
const PROCESSES: Attributes = Attributes { strings: &[word("filter")], numbers: &[count("max-results")], flags: &[] };
const HTTP: Attributes = Attributes {
    strings: &[is("host", AttributeKind::Host), word("scheme"), word("method"), word("url-path")],
    numbers: &[count("port"), later("body"), count("redirects"), time("timeout")],
    flags: &[],
};
const GIT: Attributes = Attributes {
    strings: &[path(), is("ref", AttributeKind::Ref), word("remote"), word("url")],
    numbers: &[],
    flags: &[flag("force"), flag("all")],
};
const AST: Attributes =
    Attributes { strings: &[path(), word("language"), word("provider")], numbers: &[count("max-files")], flags: &[] };
const INFERENCE: Attributes = Attributes {
    strings: &[word("provider"), is("model", AttributeKind::Model)],
    numbers: &[count("tokens"), is("temperature", AttributeKind::Hundredths)],
    flags: &[],
};
const ARTIFACT: Attributes =
    Attributes { strings: &[word("artifact"), word("category")], numbers: &[size("bytes")], flags: &[] };
const VALIDATION: Attributes = Attributes { strings: &[word("rule")], numbers: &[time("interval")], flags: &[] };

const fn is(name: &'static str, kind: AttributeKind) -> Known {
    Known { name, kind, is_later: false }
}

const fn path() -> Known {
    is("path", AttributeKind::Path)
}

const fn word(name: &'static str) -> Known {
    is(name, AttributeKind::Word)
}

const fn flag(name: &'static str) -> Known {
    is(name, AttributeKind::Flag)
}

const fn count(name: &'static str) -> Known {
    is(name, AttributeKind::Count)
}

const fn size(name: &'static str) -> Known {
    is(name, AttributeKind::Size)
}

const fn time(name: &'static str) -> Known {
    is(name, AttributeKind::Duration)
}

const fn later(name: &'static str) -> Known {
    Known { name, kind: AttributeKind::Size, is_later: true }
}
