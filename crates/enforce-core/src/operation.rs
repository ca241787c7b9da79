//! The operations that requests can ask for, and the attributes that each is judged by: the one list of both. The messages
//! that ask for them are in `wire/messages.rs`.

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
            /// Every operation, in the order in which tables number them.
            pub const ALL: &'static [Self] = &[$(Self::$operation),+];

            /// Returns the name that policies use: `file.read`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$operation => $name,)+
                }
            }

            /// Returns the attributes by which the operation is judged.
            #[must_use]
            pub const fn attributes(self) -> &'static Attributes {
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
    FsList = "fs.list": FS_SEARCH,
    FsGrep = "fs.grep": FS_SEARCH,
    FsMove = "fs.move": FS_CHANGE,
    FsCopy = "fs.copy": FS_CHANGE,
    FsDelete = "fs.delete": FS_CHANGE,
    ShellExec = "shell.exec": SHELL,
    ShellInline = "shell.inline": INTERPRETER,
    PytestRun = "pytest.run": INTERPRETER,
    ProcList = "proc.list": PROCESSES,
    HttpRequest = "http.request": HTTP,
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
    AstGenerate = "ast.generate": AST,
    AstQuery = "ast.query": AST,
    AstEdit = "ast.edit": AST,
    AstValidate = "ast.validate": AST,
    AstExternal = "ast.external": AST,
    InferenceCall = "inference.call": INFERENCE,
    ArtifactPublish = "artifact.publish": ARTIFACT,
    ValidateRun = "validate.run": VALIDATION,
    MetricsEmit = "metrics.emit": VALIDATION,
}

macro_rules! attributes {
    ($($list:ident $module:ident {
        strings $strings:tt
        numbers $numbers:tt
        flags $flags:tt
    })+) => {
        $(const $list: Attributes =
            Attributes { strings: defined!(strings $strings), numbers: defined!(numbers $numbers), flags: defined!(flags $flags) };)+

        /// The slots of attributes: the place of a string or number among those of its operation, and the bit of a flag.
        pub mod slot {
            $(
                #[doc = concat!("The slots of `", stringify!($module), "`.")]
                pub mod $module {
                    numbered!(0; $strings);
                    numbered!(0; $numbers);
                    numbered!(0; $flags);
                }
            )+
        }
    };
}

macro_rules! defined {
    ($list:ident { $($slot:ident $name:literal $kind:ident $($note:ident)?),* $(,)? }) => {
        &[$(AttributeDef {
            name: $name,
            kind: AttributeKind::$kind,
            known_after_act: noted!(after_act $($note)?),
            is_guarded: noted!(guarded $($note)?),
        }),*]
    };
}

macro_rules! noted {
    (after_act after_act) => {
        true
    };
    (guarded guarded) => {
        true
    };
    ($asked:ident $($note:ident)?) => {
        false
    };
}

macro_rules! numbered {
    ($place:expr; {}) => {};
    ($place:expr; { $slot:ident $name:literal $kind:ident $($note:ident)? $(, $($rest:tt)*)? }) => {
        #[doc = concat!("`", $name, "`")]
        pub const $slot: u8 = $place;
        numbered!($place + 1; { $($($rest)*)? });
    };
}

attributes! {
    FILE file {
        strings { PATH "path" Path, NAME "name" Word, EXTENSION "extension" Word }
        numbers { BYTES "bytes" Size, OFFSET "offset" Size }
        flags { APPEND "append" Flag, CREATE_ONLY "create-only" Flag, CREATE_DIRS "create-dirs" Flag }
    }
    FS_SEARCH fs_search {
        strings { PATH "path" Path }
        numbers { MAX_RESULTS "max-results" Count }
        flags { HIDDEN "hidden" Flag }
    }
    FS_CHANGE fs_change {
        strings { PATH "path" Path }
        numbers {}
        flags { OVERWRITE "overwrite" Flag, RECURSIVE "recursive" Flag, FORCE "force" Flag }
    }
    SHELL shell {
        strings { COMMAND "command" Command, SUBCOMMAND "subcommand" Word, LINE "line" Word }
        numbers { TIMEOUT "timeout" Duration, OUTPUT "output" Size after_act }
        flags { NETWORK "network" Flag guarded, COMPLEX "complex" Flag guarded }
    }
    INTERPRETER interpreter {
        strings { COMMAND "command" Command, PATH "path" Path }
        numbers { TIMEOUT "timeout" Duration, OUTPUT "output" Size after_act }
        flags { NETWORK "network" Flag guarded }
    }
    PROCESSES processes {
        strings { FILTER "filter" Word }
        numbers { MAX_RESULTS "max-results" Count }
        flags {}
    }
    HTTP http {
        strings { HOST "host" Host, SCHEME "scheme" Word, METHOD "method" Word, URL_PATH "url-path" Word }
        numbers { PORT "port" Count, BODY "body" Size after_act, REDIRECTS "redirects" Count, TIMEOUT "timeout" Duration }
        flags {}
    }
    GIT git {
        strings { PATH "path" Path, REF "ref" Ref, REMOTE "remote" Word, URL "url" Word }
        numbers {}
        flags { FORCE "force" Flag, ALL "all" Flag }
    }
    AST ast {
        strings { PATH "path" Path, LANGUAGE "language" Word, PROVIDER "provider" Word }
        numbers { MAX_FILES "max-files" Count }
        flags {}
    }
    INFERENCE inference {
        strings { PROVIDER "provider" Word, MODEL "model" Model }
        numbers { TOKENS "tokens" Count, TEMPERATURE "temperature" Hundredths }
        flags {}
    }
    ARTIFACT artifact {
        strings { ARTIFACT "artifact" Word, CATEGORY "category" Word }
        numbers { BYTES "bytes" Size }
        flags {}
    }
    VALIDATION validation {
        strings { RULE "rule" Word }
        numbers { INTERVAL "interval" Duration }
        flags {}
    }
}

/// The attributes of an operation, in the order of their slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attributes {
    /// Text.
    pub strings: &'static [AttributeDef],
    /// Numbers.
    pub numbers: &'static [AttributeDef],
    /// Flags; a slot is a bit.
    pub flags: &'static [AttributeDef],
}

/// An attribute that requests are read into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributeDef {
    /// Its name in policies.
    pub name: &'static str,
    /// The kind of its values.
    pub kind: AttributeKind,
    /// True when no request says it and only the act shows it.
    pub known_after_act: bool,
    /// True for a flag that a rule has to ask for to permit a request that sets it.
    pub is_guarded: bool,
}

pub(crate) const STRINGS_MAX: usize = most(Operation::ALL).0;
pub(crate) const NUMBERS_MAX: usize = most(Operation::ALL).1;

/// Returns the most strings and the most numbers that one of the operations has.
const fn most(operations: &[Operation]) -> (usize, usize) {
    let (mut strings, mut numbers) = (0, 0);
    let mut rest = operations;
    while let [first, after @ ..] = rest {
        let attributes = first.attributes();
        if attributes.strings.len() > strings {
            strings = attributes.strings.len();
        }
        if attributes.numbers.len() > numbers {
            numbers = attributes.numbers.len();
        }
        rest = after;
    }
    (strings, numbers)
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

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;

    fn all(operation: &Operation) -> impl Iterator<Item = &'static AttributeDef> + use<> {
        let Attributes { strings, numbers, flags } = operation.attributes();
        strings.iter().chain(*numbers).chain(*flags)
    }

    #[test]
    fn one_name_means_one_kind_in_every_operation() {
        for attribute in Operation::ALL.iter().flat_map(all) {
            let others = Operation::ALL.iter().flat_map(all).filter(|other| other.name == attribute.name);
            assert!(others.into_iter().all(|other| other == attribute), "{}", attribute.name);
        }
    }

    #[test]
    fn an_operation_has_each_name_once_in_the_list_of_its_kind() {
        for operation in Operation::ALL {
            let Attributes { strings, numbers, flags } = operation.attributes();
            let name = operation.name();
            assert!(strings.iter().all(|string| string.kind.is_string()), "{name}");
            assert!(numbers.iter().all(|number| number.kind.is_number()), "{name}");
            assert!(flags.iter().all(|flag| flag.kind == AttributeKind::Flag), "{name}");
            let mut names: Vec<&str> = all(operation).map(|attribute| attribute.name).collect();
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{name}");
        }
        let named = |name| Operation::ALL.iter().filter(|operation| operation.name() == name).count();
        assert!(Operation::ALL.iter().all(|operation| named(operation.name()) == 1));
        assert_eq!(Operation::ALL.iter().filter(|operation| operation.name().starts_with("git.")).count(), 18);
    }

    #[test]
    fn a_slot_is_the_place_of_its_attribute() {
        let place = |list: &[AttributeDef], slot: u8| list.get(usize::from(slot)).map(|attribute| attribute.name);
        assert_eq!(place(FILE.strings, slot::file::EXTENSION), Some("extension"));
        assert_eq!(place(SHELL.numbers, slot::shell::OUTPUT), Some("output"));
        assert_eq!(place(GIT.flags, slot::git::ALL), Some("all"));
        assert_eq!(place(HTTP.strings, slot::http::URL_PATH), Some("url-path"));
    }
}
