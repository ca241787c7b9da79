//! One JSON line -> the facts to judge: an object's fields as the operation's attributes, with what paths,
//! URLs and command lines say taken apart.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use policy_model::catalogue::{COMPLEX, SHELL_EXEC};
use policy_syntax::closest;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;
use table_format::AttributeKind;

use super::values::{LineError, Text, flag, is_id, number, one_or_more, string, strings};
use super::vocabulary::{Known, Vocabulary};
use crate::reading::{self, Commands, Refused, Root};
use policy_judge::Named;

/// The fields of a line, as written.
#[derive(Debug)]
pub(super) struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

/// What a request comes to: one fact for each target, or a denial that no rule is asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands) enum Asked {
    Facts(Vec<Fact>),
    Refused(Refused),
}

/// One target and everything that is said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::commands) struct Fact {
    pub(in crate::commands) named: Named,
    pub(in crate::commands) target: String,
}

impl<'a> Fields<'a> {
    pub(super) fn read(line: &'a [u8]) -> Result<Self, LineError> {
        serde_json::from_slice(line).map_err(|error| unread(&error))
    }

    /// What tells the request apart from others, as it is written.
    pub(super) fn id(&self) -> Result<Option<&'a RawValue>, LineError> {
        match self.get(ID) {
            Some(_) if self.0.iter().filter(|(name, _)| name == ID).count() > 1 => {
                Err(LineError::Repeated { field: ID.to_owned() })
            }
            Some(id) if !is_id(id) => {
                Err(LineError::WrongType { field: ID.to_owned(), expected: "a string or a number" })
            }
            id => Ok(id),
        }
    }

    /// Nothing, if no field is there twice: which of the two counts is for nobody to guess.
    fn each_once(&self) -> Result<(), LineError> {
        let mut seen = BTreeSet::new();
        match self.0.iter().find(|(name, _)| !seen.insert(name.as_ref())) {
            Some((field, _)) => Err(LineError::Repeated { field: field.clone().into_owned() }),
            None => Ok(()),
        }
    }

    fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.iter().find(|(field, _)| field == name).map(|(_, value)| *value)
    }
}

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut fields = Vec::new();
                while let Some((Text(name), value)) = map.next_entry()? {
                    fields.push((name, value));
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

fn unread(error: &serde_json::Error) -> LineError {
    if error.classify() == Category::Data {
        return LineError::NotAnObject;
    }
    let (place, said) = (format!(" at line {} column {}", error.line(), error.column()), error.to_string());
    let reason = said.strip_suffix(&place).unwrap_or(&said).to_owned();
    LineError::NotJson { reason, column: error.column() }
}

/// What the fields ask for.
pub(super) fn asked(fields: &Fields<'_>, vocabulary: &Vocabulary<'_>, root: &Root) -> Result<Asked, LineError> {
    fields.each_once()?;
    let operation = string(OPERATION, fields.get(OPERATION).ok_or(LineError::NoOperation)?)?.into_owned();
    let known = vocabulary.operation(&operation)?;
    // Left unsaid, it would match no pattern of a rule to deny either.
    if let Some(clash) = known.iter().find(|attribute| matches!(attribute.name, ID | OPERATION | ROLES)) {
        return Err(LineError::Unsayable { operation, attribute: clash.name.to_owned() });
    }
    let mut draft = Draft { named: Named { operation, ..Named::default() }, ..Draft::default() };
    for (name, value) in &fields.0 {
        match name.as_ref() {
            ID | OPERATION => {}
            ROLES => {
                for role in strings(ROLES, value)? {
                    vocabulary.role(&role)?;
                    draft.named.roles.insert(role.into_owned());
                }
            }
            name => draft.field(known, name, value, root)?,
        }
    }
    draft.finished()
}

/// A request that is being read.
#[derive(Debug, Default)]
struct Draft {
    named: Named,
    paths: Vec<String>,
    /// The first text that the core does not read.
    refused: Option<Refused>,
    /// Whether a command is named, also one that is no plain name.
    has_command: bool,
    url: Option<reading::Url>,
}

impl Draft {
    fn field(&mut self, known: &[Known<'_>], name: &str, value: &RawValue, root: &Root) -> Result<(), LineError> {
        let Some(attribute) = known.iter().find(|attribute| attribute.name == name) else {
            return self.other_field(known, name, value);
        };
        if attribute.later {
            return Err(LineError::KnownLater { field: name.to_owned() });
        }
        match attribute.kind {
            AttributeKind::Flag => {
                if flag(name, value)? {
                    self.named.flags.insert(name.to_owned());
                }
            }
            AttributeKind::Count | AttributeKind::Size | AttributeKind::Duration | AttributeKind::Hundredths => {
                self.named.numbers.insert(name.to_owned(), number(name, value)?);
            }
            AttributeKind::Path if name == PATH => {
                for path in one_or_more(name, value)? {
                    let path = self.or_refuse(root.relative(&path));
                    self.paths.push(path);
                }
            }
            AttributeKind::Path => {
                let path = self.or_refuse(root.relative(&string(name, value)?));
                self.named.strings.insert(name.to_owned(), path);
            }
            AttributeKind::Ref => {
                let reference = self.or_refuse(reading::reference(name, &string(name, value)?));
                self.named.strings.insert(name.to_owned(), reference);
            }
            AttributeKind::Host => {
                let host = self.or_refuse(reading::host(&string(name, value)?));
                self.named.strings.insert(name.to_owned(), host);
            }
            AttributeKind::Command => {
                let command = string(name, value)?;
                self.has_command |= name == COMMAND;
                // One with a slash is no name, so that no name matches it.
                if !command.contains('/') {
                    self.named.strings.insert(name.to_owned(), command.into_owned());
                }
            }
            AttributeKind::Word if name == URL_PATH && self.named.operation == HTTP_REQUEST => {
                let path = self.or_refuse(reading::url_path(&string(name, value)?));
                self.named.strings.insert(name.to_owned(), path);
            }
            AttributeKind::Model | AttributeKind::Word => {
                self.named.strings.insert(name.to_owned(), string(name, value)?.into_owned());
            }
        }
        Ok(())
    }

    fn other_field(&mut self, known: &[Known<'_>], name: &str, value: &RawValue) -> Result<(), LineError> {
        if self.named.operation == HTTP_REQUEST && name == URL {
            self.url = Some(self.or_refuse(reading::url(&string(name, value)?)));
            return Ok(());
        }
        Err(LineError::UnknownField {
            operation: self.named.operation.clone(),
            field: name.to_owned(),
            meant: closest(name, known.iter().map(|attribute| attribute.name)).map(str::to_owned),
        })
    }

    /// What was read. What is refused leaves its place empty: the rest of the line can still be no request, and that
    /// is said first.
    fn or_refuse<T: Default>(&mut self, read: Result<T, Refused>) -> T {
        read.unwrap_or_else(|refused| {
            self.refused.get_or_insert(refused);
            T::default()
        })
    }

    /// One fact for each target, once everything that is needed is there.
    fn finished(mut self) -> Result<Asked, LineError> {
        if let Some(url) = self.url.take() {
            self.merge(url)?;
        }
        let operation = self.named.operation.as_str();
        let needs = |what| Err(LineError::Needs { whose: operation.to_owned(), what });
        let has = |name: &str| self.named.strings.contains_key(name);
        let is_judged_by_path = operation.starts_with(FILE) || operation.starts_with(FS);
        if is_judged_by_path && self.paths.is_empty() {
            return needs("`path`");
        }
        if operation.starts_with(FILE)
            && let Some(other) = self.paths.iter().find_map(|path| self.unlike(path))
        {
            return Err(LineError::Both { field: PATH, other });
        }
        if operation == HTTP_REQUEST && !has(HOST) {
            return needs("`url` or `host`");
        }
        if operation == SHELL_EXEC && !self.has_command {
            if has(SUBCOMMAND) {
                return Err(LineError::Needs { whose: SUBCOMMAND.to_owned(), what: "`command`" });
            }
            if !has(LINE) {
                return needs("`line` or `command`");
            }
        }
        Ok(match self.refused.take() {
            Some(refused) => Asked::Refused(refused),
            None => self.facts(),
        })
    }

    /// A part of a path that is said to be another one.
    fn unlike(&self, path: &str) -> Option<&'static str> {
        let (name, extension) = reading::name_and_extension(path);
        let parts = [(NAME, Some(name)), (EXTENSION, extension)];
        let is_other = |part: &str, own| self.named.strings.get(part).is_some_and(|said| Some(said.as_str()) != own);
        parts.into_iter().find(|(part, own)| is_other(part, *own)).map(|(part, _)| part)
    }

    fn merge(&mut self, url: reading::Url) -> Result<(), LineError> {
        for (name, value) in [(SCHEME, url.scheme), (HOST, url.host), (URL_PATH, url.path)] {
            if self.named.strings.insert(name.to_owned(), value).is_some() {
                return Err(LineError::Both { field: URL, other: name });
            }
        }
        if self.named.numbers.contains_key(PORT) {
            return Err(LineError::Both { field: URL, other: PORT });
        }
        self.named.numbers.extend(url.port.map(|port| (PORT.to_owned(), port)));
        Ok(())
    }

    fn facts(mut self) -> Asked {
        if self.named.operation == SHELL_EXEC
            && !self.has_command
            && let Some(line) = self.named.strings.remove(LINE)
        {
            return of_line(&self.named, line);
        }
        if self.paths.is_empty() {
            let target = TARGETS.iter().find_map(|name| self.named.strings.get(*name));
            let target = target.unwrap_or(&self.named.operation).clone();
            return Asked::Facts(vec![Fact { target, named: self.named }]);
        }
        let is_file = self.named.operation.starts_with(FILE);
        let fact = |path: String| {
            let mut named = self.named.clone();
            if is_file {
                let (name, extension) = reading::name_and_extension(&path);
                named.strings.insert(NAME.to_owned(), name.to_owned());
                named.strings.extend(extension.map(|extension| (EXTENSION.to_owned(), extension.to_owned())));
            }
            named.strings.insert(PATH.to_owned(), path.clone());
            Fact { named, target: path }
        };
        Asked::Facts(self.paths.into_iter().map(fact).collect())
    }
}

/// A fact for each simple command, or one for a line that is not understood in full.
fn of_line(named: &Named, line: String) -> Asked {
    // Whoever says that the line is complex has reasons.
    let commands = match reading::commands(&line) {
        Err(refused) => return Asked::Refused(refused),
        Ok(Commands::Simple(commands)) if !named.flags.contains(COMPLEX) => commands,
        Ok(Commands::Simple(_) | Commands::Complex) => {
            let mut named = named.clone();
            named.flags.insert(COMPLEX.to_owned());
            named.strings.insert(LINE.to_owned(), line.clone());
            return Asked::Facts(vec![Fact { named, target: line }]);
        }
    };
    let fact = |command: reading::SimpleCommand| {
        let mut named = named.clone();
        let said = [(COMMAND, command.command), (SUBCOMMAND, command.subcommand), (LINE, Some(command.line.clone()))];
        named.strings.extend(said.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        Fact { named, target: command.line }
    };
    Asked::Facts(commands.into_iter().map(fact).collect())
}

const ID: &str = "id";
const OPERATION: &str = "op";
const ROLES: &str = "roles";

const PATH: &str = "path";
const NAME: &str = "name";
const EXTENSION: &str = "extension";
const COMMAND: &str = "command";
const SUBCOMMAND: &str = "subcommand";
const LINE: &str = "line";
const URL: &str = "url";
const SCHEME: &str = "scheme";
const HOST: &str = "host";
const PORT: &str = "port";
const URL_PATH: &str = "url-path";

const FILE: &str = "file.";
const FS: &str = "fs.";
const HTTP_REQUEST: &str = "http.request";

/// What names a target where it is no path, the most telling first.
const TARGETS: &[&str] = &[LINE, COMMAND, HOST];
