//! The built-in operations and what a rule can ask of each. Documents, schemas and checks all read
//! this one table; nothing else in the project lists operations.

use policy_syntax::SetKind;

/// What an attribute's values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AttributeKind {
    /// A workspace-relative path, matched segment by segment.
    Path,
    /// A git reference, matched segment by segment.
    Ref,
    /// A host name in lower case.
    Host,
    /// A plain command name.
    Command,
    /// A model's name.
    Model,
    /// Any other string.
    Word,
    /// Said or not said.
    Flag,
    /// A plain number.
    Count,
    /// Bytes.
    Size,
    /// Milliseconds.
    Duration,
    /// A decimal with two places, held as hundredths.
    Hundredths,
}

impl AttributeKind {
    /// The kind of set a string attribute can be looked up in.
    #[must_use]
    pub fn set_kind(self) -> Option<SetKind> {
        match self {
            Self::Path => Some(SetKind::Paths),
            Self::Ref => Some(SetKind::Refs),
            Self::Host => Some(SetKind::Hosts),
            Self::Command => Some(SetKind::Commands),
            Self::Model => Some(SetKind::Models),
            Self::Word => Some(SetKind::Names),
            Self::Flag | Self::Count | Self::Size | Self::Duration | Self::Hundredths => None,
        }
    }

    /// Whether values are numbers.
    #[must_use]
    pub fn is_number(self) -> bool {
        matches!(self, Self::Count | Self::Size | Self::Duration | Self::Hundredths)
    }

    /// As messages name it.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Path => "a path",
            Self::Ref => "a git reference",
            Self::Host => "a host",
            Self::Command => "a command",
            Self::Model => "a model",
            Self::Word => "a string",
            Self::Flag => "a flag",
            Self::Count => "a number",
            Self::Size => "a size",
            Self::Duration => "a time",
            Self::Hundredths => "a decimal",
        }
    }
}

/// When the value of an attribute is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Known {
    /// The request says it, so that a condition can ask for it.
    InRequest,
    /// Only the act shows it, so that it can be limited but not asked for.
    Later,
}

/// What an operation does to the world.
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

/// An attribute of a family of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltinAttribute {
    /// As rules write it.
    pub name: &'static str,
    /// What its values are.
    pub kind: AttributeKind,
    /// When they are known.
    pub known: Known,
}

/// Operations that share their attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    /// The tool, the part before the dot.
    pub tool: &'static str,
    /// The part after the dot and what it does.
    pub operations: &'static [(&'static str, Access)],
    /// What a request is split into before it is judged.
    pub judged_for_each: &'static str,
    /// What a rule can ask.
    pub attributes: &'static [BuiltinAttribute],
}

/// Every built-in operation, in the order of the language reference.
pub const FAMILIES: &[Family] = &[
    Family {
        tool: "file",
        operations: &[
            ("read", Access::Observe),
            ("write", Access::Change),
            ("edit", Access::Change),
            ("patch", Access::Change),
        ],
        judged_for_each: "path",
        attributes: &[
            is("path", AttributeKind::Path),
            is("name", AttributeKind::Word),
            is("extension", AttributeKind::Word),
            is("bytes", AttributeKind::Size),
            is("offset", AttributeKind::Size),
            is("append", AttributeKind::Flag),
            is("create-only", AttributeKind::Flag),
            is("create-dirs", AttributeKind::Flag),
        ],
    },
    Family {
        tool: "fs",
        operations: &[("list", Access::Observe), ("grep", Access::Observe)],
        judged_for_each: "base path",
        attributes: &[
            is("path", AttributeKind::Path),
            is("max-results", AttributeKind::Count),
            is("hidden", AttributeKind::Flag),
        ],
    },
    Family {
        tool: "fs",
        operations: &[("move", Access::Change), ("copy", Access::Change), ("delete", Access::Change)],
        judged_for_each: "path (source and destination)",
        attributes: &[
            is("path", AttributeKind::Path),
            is("overwrite", AttributeKind::Flag),
            is("recursive", AttributeKind::Flag),
            is("force", AttributeKind::Flag),
        ],
    },
    Family {
        tool: "shell",
        operations: &[("exec", Access::Execute)],
        judged_for_each: "simple command",
        attributes: &[
            is("command", AttributeKind::Command),
            is("subcommand", AttributeKind::Word),
            is("line", AttributeKind::Word),
            is("timeout", AttributeKind::Duration),
            later("output", AttributeKind::Size),
            is("network", AttributeKind::Flag),
            is(COMPLEX, AttributeKind::Flag),
        ],
    },
    Family {
        tool: "shell",
        operations: &[("inline", Access::Execute)],
        judged_for_each: "interpreter",
        attributes: INTERPRETER,
    },
    Family {
        tool: "pytest",
        operations: &[("run", Access::Execute)],
        judged_for_each: "path",
        attributes: INTERPRETER,
    },
    Family {
        tool: "proc",
        operations: &[("list", Access::Observe)],
        judged_for_each: "request",
        attributes: &[is("filter", AttributeKind::Word), is("max-results", AttributeKind::Count)],
    },
    Family {
        tool: "http",
        operations: &[("request", Access::Send)],
        judged_for_each: "hop",
        attributes: &[
            is("host", AttributeKind::Host),
            is("scheme", AttributeKind::Word),
            is("method", AttributeKind::Word),
            is("url-path", AttributeKind::Word),
            is("port", AttributeKind::Count),
            later("body", AttributeKind::Size),
            is("redirects", AttributeKind::Count),
            is("timeout", AttributeKind::Duration),
        ],
    },
    Family {
        tool: "git",
        operations: &[
            ("clone", Access::Change),
            ("fetch", Access::Change),
            ("pull", Access::Change),
            ("diff", Access::Observe),
            ("commit", Access::Change),
            ("push", Access::Send),
            ("status", Access::Observe),
            ("log", Access::Observe),
            ("branch", Access::Change),
            ("checkout", Access::Change),
            ("merge", Access::Change),
            ("rebase", Access::Change),
            ("add", Access::Change),
            ("reset", Access::Change),
            ("stash", Access::Change),
            ("tag", Access::Change),
            ("remote", Access::Change),
            ("show", Access::Observe),
        ],
        judged_for_each: "path, ref or remote named",
        attributes: &[
            is("path", AttributeKind::Path),
            is("ref", AttributeKind::Ref),
            is("remote", AttributeKind::Word),
            is("url", AttributeKind::Word),
            is("force", AttributeKind::Flag),
            is("all", AttributeKind::Flag),
        ],
    },
    Family {
        tool: "ast",
        operations: &[
            ("generate", Access::Observe),
            ("query", Access::Observe),
            ("edit", Access::Change),
            ("validate", Access::Observe),
            ("external", Access::Execute),
        ],
        judged_for_each: "path",
        attributes: &[
            is("path", AttributeKind::Path),
            is("language", AttributeKind::Word),
            is("provider", AttributeKind::Word),
            is("max-files", AttributeKind::Count),
        ],
    },
    Family {
        tool: "inference",
        operations: &[("call", Access::Send)],
        judged_for_each: "request",
        attributes: &[
            is("provider", AttributeKind::Word),
            is("model", AttributeKind::Model),
            is("tokens", AttributeKind::Count),
            is("temperature", AttributeKind::Hundredths),
        ],
    },
    Family {
        tool: "artifact",
        operations: &[("publish", Access::Send)],
        judged_for_each: "request",
        attributes: &[
            is("artifact", AttributeKind::Word),
            is("category", AttributeKind::Word),
            is("bytes", AttributeKind::Size),
        ],
    },
    Family {
        tool: "validate",
        operations: &[("run", Access::Execute)],
        judged_for_each: "request",
        attributes: VALIDATION,
    },
    Family {
        tool: "metrics",
        operations: &[("emit", Access::Observe)],
        judged_for_each: "request",
        attributes: VALIDATION,
    },
];

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
pub const SHELL_EXEC: &str = "shell.exec";

/// The flag of a shell line that cannot be understood in full. No rule permits one unless it says so.
pub const COMPLEX: &str = "complex";

/// The flag of a command that asks for the network. No rule permits one unless it says so.
pub const NETWORK: &str = "network";

/// The flags that a rule to allow or ask must ask for to permit a request of a built-in operation that has them.
#[must_use]
pub fn guarded_flags(operation: &str) -> &'static [&'static str] {
    match operation {
        SHELL_EXEC => &[COMPLEX, NETWORK],
        "shell.inline" | "pytest.run" => &[NETWORK],
        _ => &[],
    }
}

/// Fields of requests that a test may give although no rule asks about them, by operation.
pub const REQUEST_FIELDS: &[(&str, &str, AttributeKind)] = &[
    ("http.request", "url", AttributeKind::Word),
    ("fs.move", "dst", AttributeKind::Path),
    ("fs.copy", "dst", AttributeKind::Path),
];

/// The rule that decides when no other does.
pub const DEFAULT_DENY: &str = "default-deny";

/// What a budget can count of every operation, beside its numbers.
pub const CALLS: &str = "calls";

/// The code of a denial of an operation that no rule explains, as in `FILE_READ_DENIED`.
#[must_use]
pub fn denial_code(operation: &str) -> String {
    let upper = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    operation.chars().map(upper).chain("_DENIED".chars()).collect()
}

const INTERPRETER: &[BuiltinAttribute] = &[
    is("command", AttributeKind::Command),
    is("path", AttributeKind::Path),
    is("timeout", AttributeKind::Duration),
    later("output", AttributeKind::Size),
    is("network", AttributeKind::Flag),
];

const VALIDATION: &[BuiltinAttribute] = &[is("rule", AttributeKind::Word), is("interval", AttributeKind::Duration)];

const fn is(name: &'static str, kind: AttributeKind) -> BuiltinAttribute {
    BuiltinAttribute { name, kind, known: Known::InRequest }
}

const fn later(name: &'static str, kind: AttributeKind) -> BuiltinAttribute {
    BuiltinAttribute { name, kind, known: Known::Later }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_means_one_kind_in_every_family() {
        let all = || FAMILIES.iter().flat_map(|family| family.attributes);
        for attribute in all() {
            for other in all().filter(|other| other.name == attribute.name) {
                assert_eq!((attribute.kind, attribute.known), (other.kind, other.known), "{}", attribute.name);
            }
        }
    }

    #[test]
    fn operations_are_listed_once_and_git_has_eighteen() {
        let mut names: Vec<_> =
            FAMILIES.iter().flat_map(|family| family.operations.iter().map(|(name, _)| (family.tool, *name))).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert_eq!(names.iter().filter(|(tool, _)| *tool == "git").count(), 18);
    }

    #[test]
    fn denial_codes_are_made_of_the_operation() {
        assert_eq!(denial_code("shell.exec"), "SHELL_EXEC_DENIED");
        assert_eq!(denial_code("my-tool.do_it"), "MY_TOOL_DO_IT_DENIED");
    }
}
