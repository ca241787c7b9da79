//! The git tools: named arguments <-> the words that the judge reads.
//!
//! Each of the runtime's tools has one way to write its arguments as words. Other words are given with `args`, as for the
//! operations that have no named arguments; words that the named arguments can write are refused there, so that every list
//! of words belongs to exactly one object.

use enforce_core::git::Verb;
use serde::de::DeserializeOwned;
use tool_proto::{Escaped, GitOperation};

use super::CallError;
use crate::fields::{FieldError, Problem, from_field};
use crate::json::Object;

/// Returns the operation of a tool such as `git_push`.
pub(super) fn verb(name: &str) -> Option<Verb> {
    Verb::ALL.into_iter().find(|verb| name == name_of(*verb))
}

/// Returns the message of a call.
pub(super) fn words(verb: Verb, mut args: Object) -> Result<GitOperation, FieldError> {
    let cwd = take(&mut args, CWD)?.unwrap_or_default();
    let is_named = !pieces(verb).is_empty();
    let words = if is_named && !args.contains_key(ARGS) {
        write(verb, args)?
    } else {
        let words: Vec<String> = take(&mut args, ARGS)?.unwrap_or_default();
        no_more(&args)?;
        if is_named && read(verb, &words).is_some() {
            return Err(FieldError::new(
                ARGS,
                Problem::Value("must not repeat what the named arguments can say".into()),
            ));
        }
        words
    };
    Ok(GitOperation { operation: verb.wire_name().to_owned(), args: words, cwd })
}

/// Returns the call of a message.
pub(super) fn named(operation: GitOperation) -> Result<(String, Object), CallError> {
    let GitOperation { operation, args: words, cwd } = operation;
    let Some(verb) = Verb::named(operation.as_bytes()) else {
        return Err(CallError::unwritable(&operation, "git has no such operation"));
    };
    let mut args = read(verb, &words).unwrap_or_else(|| Object::from_iter([(ARGS.to_owned(), words.into())]));
    if !cwd.is_empty() {
        args.insert(CWD.to_owned(), cwd.into());
    }
    Ok((name_of(verb), args))
}

/// Writes named arguments as words, in their one order.
fn write(verb: Verb, mut args: Object) -> Result<Vec<String>, FieldError> {
    let mut words = Vec::new();
    for piece in pieces(verb) {
        match *piece {
            Flag(name, option) => {
                if take(&mut args, name)?.unwrap_or(false) {
                    words.push(option.to_owned());
                }
            }
            Text(name, option) => words.push(format!("{option}{}", required::<String>(&mut args, name)?)),
            Name(name) => words.push(no_option(name, required(&mut args, name)?)?),
            OptionalName(name) => {
                if let Some(word) = take::<String>(&mut args, name)?.filter(|word| !word.is_empty()) {
                    words.push(no_option(name, word)?);
                }
            }
            Paths(name) => {
                words.push(DASHES.to_owned());
                words.extend(required::<Vec<String>>(&mut args, name)?);
            }
            OptionalPaths(name) => {
                let paths: Vec<String> = take(&mut args, name)?.unwrap_or_default();
                words.extend((!paths.is_empty()).then(|| DASHES.to_owned()));
                words.extend(paths);
            }
        }
    }
    no_more(&args)?;
    Ok(words)
}

/// Returns the named arguments that are written as exactly these words.
fn read(verb: Verb, words: &[String]) -> Option<Object> {
    let (mut args, mut rest) = (Object::new(), words);
    for piece in pieces(verb) {
        let first = rest.first().map(String::as_str);
        let name = first.filter(|word| !word.starts_with('-'));
        let (argument, value) = match *piece {
            Flag(argument, option) if first == Some(option) => (argument, true.into()),
            Text(argument, option) => (argument, first?.strip_prefix(option)?.into()),
            Name(argument) => (argument, name?.into()),
            OptionalName(argument) if name.is_some() => (argument, name.into()),
            Paths(argument) | OptionalPaths(argument) if first == Some(DASHES) => {
                args.insert(argument.to_owned(), rest.get(1..)?.into());
                break;
            }
            Flag(..) | OptionalName(_) | Paths(_) | OptionalPaths(_) => continue,
        };
        args.insert(argument.to_owned(), value);
        rest = rest.get(1..)?;
    }
    write(verb, args.clone()).is_ok_and(|written| written == words).then_some(args)
}

/// A named argument of git, and the words that it is written as.
enum Piece {
    /// The option when the argument is true.
    Flag(&'static str, &'static str),
    /// The option with the text behind it.
    Text(&'static str, &'static str),
    /// A ref or a remote.
    Name(&'static str),
    OptionalName(&'static str),
    /// `--` and the paths.
    Paths(&'static str),
    OptionalPaths(&'static str),
}

use Piece::{Flag, Name, OptionalName, OptionalPaths, Paths, Text};

/// The named arguments of an operation, in the order of their words; empty for those without.
fn pieces(verb: Verb) -> &'static [Piece] {
    match verb {
        Verb::Status => &[Flag("porcelain", "--porcelain")],
        Verb::Diff => &[OptionalName("rev"), OptionalPaths("paths")],
        Verb::Add => &[Paths("paths")],
        Verb::Commit => {
            &[Text("message", "--message="), Flag("signoff", "--signoff"), Flag("allow_empty", "--allow-empty")]
        }
        Verb::Checkout => &[Flag("track", "--track"), Flag("create", "-b"), Name("target")],
        Verb::Merge => &[Flag("no_ff", "--no-ff"), Name("branch")],
        Verb::Rebase => &[Flag("autosquash", "--autosquash"), Name("onto")],
        Verb::Push => &[Flag("force", "--force"), Name("remote"), Name("refspec")],
        Verb::Pull => &[Flag("rebase", "--rebase"), OptionalName("remote")],
        Verb::Clone
        | Verb::Fetch
        | Verb::Log
        | Verb::Branch
        | Verb::Reset
        | Verb::Stash
        | Verb::Tag
        | Verb::Remote
        | Verb::Show => &[],
    }
}

fn no_option(name: &str, word: String) -> Result<String, FieldError> {
    if word.starts_with('-') {
        let rule = format!("must not be `{}`, which git would read as an option", Escaped(&word));
        return Err(FieldError::new(name, Problem::Value(rule)));
    }
    Ok(word)
}

fn no_more(args: &Object) -> Result<(), FieldError> {
    match args.keys().next() {
        Some(unknown) => Err(FieldError::new(unknown, Problem::Unknown)),
        None => Ok(()),
    }
}

fn required<T: DeserializeOwned>(args: &mut Object, name: &str) -> Result<T, FieldError> {
    take(args, name)?.ok_or_else(|| FieldError::new(name, Problem::Missing))
}

fn take<T: DeserializeOwned>(args: &mut Object, name: &str) -> Result<Option<T>, FieldError> {
    args.shift_remove(name).map(|value| from_field(name, value)).transpose()
}

fn name_of(verb: Verb) -> String {
    format!("git_{}", verb.wire_name().to_ascii_lowercase())
}

const ARGS: &str = "args";
const CWD: &str = "cwd";
const DASHES: &str = "--";
