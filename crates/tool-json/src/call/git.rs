//! The git tools: named arguments <-> the words that the judge reads.
//!
//! Each of the runtime's tools has one way to write its arguments as words. What they cannot say is said with `args`, as
//! for the operations that the runtime has no arguments for; what they can say is refused there, so that every list of
//! words is the list of exactly one object.

use enforce_core::git::Verb;
use serde::de::DeserializeOwned;
use tool_proto::GitOperation;
use tool_proto::tool_request::Tool;

use super::arguments::{arguments, bad};
use super::error::{BadValue, CallError, CallWrong};
use crate::json::{Json, Object, read};

/// The operation of a name: `git_push`.
pub(super) fn verb(name: &str) -> Option<Verb> {
    Verb::ALL.into_iter().find(|verb| name == name_of(*verb))
}

pub(super) fn operate(verb: Verb, mut args: Object) -> Result<Tool, CallWrong> {
    let cwd = match args.take("cwd") {
        None => String::new(),
        Some(Json::Text(cwd)) => cwd,
        Some(other) => {
            return Err(CallWrong::Type { argument: "cwd".to_owned(), expected: "text", found: other.kind() });
        }
    };
    let forms = forms(verb);
    let words = match forms {
        Some(forms) if args.find("args").is_none() => (forms.read)(args)?,
        _ => {
            let Words { args: words } = read(args)?;
            if forms.is_some_and(|forms| (forms.write)(&words).is_some()) {
                return Err(bad("args", BadValue::Nameable));
            }
            words
        }
    };
    Ok(Tool::GitOp(GitOperation { operation: verb.wire_name().to_owned(), args: words, cwd }))
}

pub(super) fn operated(operation: GitOperation) -> Result<(String, Object), CallError> {
    let GitOperation { operation, args: words, cwd } = operation;
    let Some(verb) = Verb::named(operation.as_bytes()) else {
        return Err(CallError { tool: operation, wrong: CallWrong::Operation });
    };
    let named = match forms(verb) {
        Some(forms) => {
            (forms.write)(&words).unwrap_or_else(|| Object::of_distinct(vec![("args".into(), words.into())]))
        }
        None => Words { args: words }.object(),
    };
    let mut entries = named.into_entries();
    if !cwd.is_empty() {
        entries.push(("cwd".to_owned(), cwd.into()));
    }
    Ok((name_of(verb), Object::of_distinct(entries)))
}

arguments! {
    Words {; args: Vec<String> }
    Status {; porcelain: bool }
    Diff {; rev: String, paths: Vec<String> }
    Add { paths: Vec<String> }
    Commit { message: String; signoff: bool, allow_empty: bool }
    Checkout { target: String; create: bool, track: bool }
    Merge { branch: String; no_ff: bool }
    Rebase { onto: String; autosquash: bool }
    Push { remote: String, refspec: String; force: bool }
    Pull {; remote: String, rebase: bool }
}

/// Named arguments of one operation.
trait Form: DeserializeOwned {
    /// As words, in their one order.
    fn write(&self, words: &mut Writer) -> Result<(), CallWrong>;

    /// From words, which are then compared with what it would write.
    fn read(words: &mut Reader<'_>) -> Option<Self>;

    fn into_object(self) -> Object;
}

macro_rules! forms {
    ($($form:ident { write: |$args:ident, $out:ident| $write:expr, read: |$words:ident| $read:expr })+) => {
        /// Both ways of one operation's named arguments; nothing for those without.
        fn forms(verb: Verb) -> Option<Forms> {
            match verb {
                $(Verb::$form => Some(Forms { read: words_of::<$form>, write: object_of::<$form> }),)+
                Verb::Clone | Verb::Fetch | Verb::Log | Verb::Branch | Verb::Reset | Verb::Stash | Verb::Tag
                | Verb::Remote | Verb::Show => None,
            }
        }

        $(impl Form for $form {
            fn write(&self, $out: &mut Writer) -> Result<(), CallWrong> {
                let $args = self;
                $write
            }

            fn read($words: &mut Reader<'_>) -> Option<Self> {
                $read
            }

            fn into_object(self) -> Object {
                self.object()
            }
        })+
    };
}

forms! {
    Status {
        write: |args, out| {
            out.flag(args.porcelain, "--porcelain");
            Ok(())
        },
        read: |words| Some(Self { porcelain: words.flag("--porcelain") })
    }
    Diff {
        write: |args, out| {
            if !args.rev.is_empty() {
                out.name("rev", &args.rev)?;
            }
            if !args.paths.is_empty() {
                out.paths(&args.paths);
            }
            Ok(())
        },
        read: |words| Some(Self { rev: words.name().unwrap_or_default(), paths: words.paths() })
    }
    Add {
        write: |args, out| {
            out.paths(&args.paths);
            Ok(())
        },
        read: |words| Some(Self { paths: words.paths() })
    }
    Commit {
        write: |args, out| {
            out.words.push(format!("{MESSAGE}{}", args.message));
            out.flag(args.signoff, "--signoff");
            out.flag(args.allow_empty, "--allow-empty");
            Ok(())
        },
        read: |words| Some(Self {
            message: words.after(MESSAGE)?,
            signoff: words.flag("--signoff"),
            allow_empty: words.flag("--allow-empty"),
        })
    }
    Checkout {
        write: |args, out| {
            out.flag(args.track, "--track");
            out.flag(args.create, "-b");
            out.name("target", &args.target)
        },
        read: |words| {
            let (track, create) = (words.flag("--track"), words.flag("-b"));
            Some(Self { target: words.name()?, create, track })
        }
    }
    Merge {
        write: |args, out| {
            out.flag(args.no_ff, "--no-ff");
            out.name("branch", &args.branch)
        },
        read: |words| {
            let no_ff = words.flag("--no-ff");
            Some(Self { branch: words.name()?, no_ff })
        }
    }
    Rebase {
        write: |args, out| {
            out.flag(args.autosquash, "--autosquash");
            out.name("onto", &args.onto)
        },
        read: |words| {
            let autosquash = words.flag("--autosquash");
            Some(Self { onto: words.name()?, autosquash })
        }
    }
    Push {
        write: |args, out| {
            out.flag(args.force, "--force");
            out.name("remote", &args.remote)?;
            out.name("refspec", &args.refspec)
        },
        read: |words| {
            let force = words.flag("--force");
            Some(Self { remote: words.name()?, refspec: words.name()?, force })
        }
    }
    Pull {
        write: |args, out| {
            out.flag(args.rebase, "--rebase");
            if args.remote.is_empty() { Ok(()) } else { out.name("remote", &args.remote) }
        },
        read: |words| {
            let rebase = words.flag("--rebase");
            Some(Self { remote: words.name().unwrap_or_default(), rebase })
        }
    }
}

#[derive(Clone, Copy)]
struct Forms {
    read: fn(Object) -> Result<Vec<String>, CallWrong>,
    write: fn(&[String]) -> Option<Object>,
}

fn words_of<F: Form>(args: Object) -> Result<Vec<String>, CallWrong> {
    let mut writer = Writer { words: Vec::new() };
    read::<F>(args)?.write(&mut writer)?;
    Ok(writer.words)
}

/// The named arguments that would be written as exactly these words.
fn object_of<F: Form>(words: &[String]) -> Option<Object> {
    let form = F::read(&mut Reader { words })?;
    let mut writer = Writer { words: Vec::new() };
    form.write(&mut writer).ok()?;
    (writer.words == words).then(|| form.into_object())
}

struct Writer {
    words: Vec<String>,
}

impl Writer {
    fn flag(&mut self, is_set: bool, option: &str) {
        if is_set {
            self.words.push(option.to_owned());
        }
    }

    /// A ref or a remote, which git must not read as anything else.
    fn name(&mut self, argument: &'static str, name: &str) -> Result<(), CallWrong> {
        if name.starts_with('-') {
            return Err(bad(argument, BadValue::Option { found: name.to_owned() }));
        }
        self.words.push(name.to_owned());
        Ok(())
    }

    fn paths(&mut self, paths: &[String]) {
        self.words.push(DASHES.to_owned());
        self.words.extend_from_slice(paths);
    }
}

struct Reader<'w> {
    words: &'w [String],
}

impl Reader<'_> {
    fn next_if<T>(&mut self, take: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let (first, rest) = self.words.split_first()?;
        let taken = take(first)?;
        self.words = rest;
        Some(taken)
    }

    fn flag(&mut self, option: &str) -> bool {
        self.next_if(|word| (word == option).then_some(())).is_some()
    }

    fn after(&mut self, option: &str) -> Option<String> {
        self.next_if(|word| word.strip_prefix(option).map(str::to_owned))
    }

    fn name(&mut self) -> Option<String> {
        self.next_if(|word| (!word.starts_with('-')).then(|| word.to_owned()))
    }

    fn paths(&mut self) -> Vec<String> {
        if self.flag(DASHES) { std::mem::take(&mut self.words).to_vec() } else { Vec::new() }
    }
}

fn name_of(verb: Verb) -> String {
    format!("git_{}", verb.wire_name().to_ascii_lowercase())
}

const MESSAGE: &str = "--message=";
const DASHES: &str = "--";
