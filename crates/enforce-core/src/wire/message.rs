//! What is known of a message before one is read: its fields, what each has to be, and what it says to rules.

use super::error::WireError;
use crate::operation::Operation;

/// A message that asks for a tool.
#[derive(Debug)]
pub(crate) struct Message {
    /// Its number in a request.
    pub(crate) number: u32,
    /// What it asks for; nothing when its fields say that.
    pub(crate) operation: Option<Operation>,
    /// What it is about.
    pub(crate) subject: Subject,
    /// Numbered from one on.
    pub(crate) fields: &'static [Field],
    /// What its list is of, if it has one.
    pub(super) list: Option<List>,
}

/// What the entries of a list are.
#[derive(Debug, Clone, Copy)]
pub(super) enum List {
    Texts,
    /// Messages, each of which is read by this at its place.
    Messages(fn(&[u8], usize) -> Result<(), WireError>),
}

/// One field of a message.
#[derive(Debug)]
pub(crate) struct Field {
    /// With the name of its message: `file_read.path`.
    pub(crate) name: &'static str,
    /// What its values are.
    pub(crate) kind: Kind,
    /// What they have to be.
    pub(crate) bound: Bound,
    /// What they say to rules.
    pub(crate) fact: Fact,
}

/// What the values of a field are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text that is a path.
    Path,
    Text,
    Bytes,
    U64,
    U32,
    Bool,
    /// A list of text.
    Texts,
    /// A list of messages that are read when they are asked for.
    Arguments,
}

/// What a field has to be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bound {
    /// Anything.
    Free,
    /// A path that is there.
    Path,
    /// A path, if it is there.
    OptionalPath,
    /// A name that is there.
    Id,
    /// A name, if it is there.
    OptionalId,
    /// There, and so many bytes at most.
    Text(usize),
    /// So many bytes at most.
    Size(usize),
    /// So much at most.
    Most(u64),
    /// A hash.
    Hash,
    /// A hash, if it is there.
    OptionalHash,
    /// Not set together with the field of this number.
    NotWith(u8),
    /// An operation of git.
    GitVerb,
    /// A method of HTTP.
    HttpMethod,
    /// Texts that are not too long.
    Items,
    /// The same, each `KEY=VALUE`.
    Pairs,
    /// The same, each with a key that can be a variable's name.
    Environment,
    /// The same, each `Name: value`.
    Headers,
    /// Paths, at least one.
    Paths,
    /// The same, none of them an option.
    TestPaths,
    /// Arguments with names and values.
    Arguments,
}

/// What the value of a field says to rules, at a place among the attributes of the operation.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fact {
    /// Nothing, or what only its subject can tell.
    Unsaid,
    /// Text, unless it is empty.
    Text(u8),
    /// A number.
    Number(u8),
    /// A number, which zero leaves open.
    Open(u8),
    /// How many bytes it has.
    Length(u8),
    /// Whether it is set: this bit.
    Flag(u8),
}

/// What a message is about: what has to be found in its fields, which are named by their numbers, to be judged.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Subject {
    /// What its fields say.
    Itself,
    /// A file, which has a name and an extension.
    File { path: u8 },
    /// Paths, one by one.
    Paths(&'static [u8]),
    /// The folder that a glob starts in.
    Glob(u8),
    /// Those of a list.
    Globs,
    /// The simple commands of a line.
    Line { command: u8, cwd: u8 },
    /// A program that is given a script.
    Script { interpreter: u8, cwd: u8 },
    /// The files of tests.
    Tests,
    /// A place on the network.
    Url(u8),
    /// What the arguments of git name.
    Git { operation: u8, cwd: u8 },
    /// What a policy declares.
    Declared { tool: u8, operation: u8 },
}
