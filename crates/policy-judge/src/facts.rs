//! The facts of a test -> the fields of a request that has them.
//!
//! A test may give facts that no single field is: `command`, `host`, `ref`, `bytes`. The fields are written from them, and
//! what is missing is filled in from [`FILLED_IN`]. Nothing here decides what a field says: the request is judged, and the
//! facts that the core has read from it are compared with those given.

use std::collections::BTreeMap;

use enforce_core::git::Verb;
use enforce_core::limits::{MAX_EDIT_SIZE, MAX_WRITE_SIZE};
use enforce_core::net::Url;
use enforce_core::path::{Contained, Root};
use enforce_core::shell::{Line, ShellError};
use policy_model::Request;
use policy_syntax::quote;
use serde_json::{Value, json};

use crate::request::{Fields, git_verb};

/// The value of a field that a test leaves out, by operation and field.
pub const FILLED_IN: &[(&str, &str, &str)] = &[
    ("file.read", "path", "unnamed"),
    ("file.write", "path", "unnamed"),
    ("file.edit", "path", "unnamed"),
    ("file.patch", "path", "unnamed"),
    ("fs.list", "path", "unnamed"),
    ("fs.move", "path", "unnamed"),
    ("fs.copy", "path", "unnamed"),
    ("fs.delete", "path", "unnamed"),
    ("file.edit", "old-content", "x"),
    ("file.patch", "unified-diff", "x"),
    ("fs.grep", "pattern", "x"),
    ("fs.move", "dst", "the same as `path`"),
    ("fs.copy", "dst", "the same as `path`"),
    ("shell.inline", "interpreter", "python3"),
    ("shell.inline", "script", "pass"),
    ("pytest.run", "paths", "."),
    ("http.request", "method", "GET"),
    ("http.request", "scheme", "https"),
    ("http.request", "url-path", "/"),
    ("git.clone", "url", "https://git.invalid/unnamed.git"),
    ("git.fetch", "remote", "origin"),
    ("git.pull", "remote", "origin"),
    ("git.push", "remote", "origin"),
    ("ast.edit", "operation", "rename"),
    ("ast.edit", "target-node-id", "unnamed"),
    ("ast.edit", "new-name", "unnamed"),
    ("ast.validate", "rules", "[]"),
    ("ast.external", "provider", "unnamed"),
    ("ast.external", "request", "{}"),
    ("inference.call", "provider", "unnamed"),
    ("inference.call", "model", "unnamed"),
    ("artifact.publish", "artifact", "unnamed"),
    ("artifact.publish", "category", "unnamed"),
    ("validate.run", "rule", "unnamed"),
];

/// Facts that say different things of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The fact that is not what the other says.
    pub fact: String,
    /// The field that says otherwise.
    pub field: &'static str,
}

/// Finds facts that `line`, `url`, `path` or `name` contradicts.
pub(crate) fn contradiction(operation: &str, facts: &Request) -> Option<Contradiction> {
    let given = |name: &str| facts.strings.get(name).map(String::as_str);
    let of = |fact: &str, field| Some(Contradiction { fact: fact.to_owned(), field });
    if let Some(line) = given("line").filter(|_| operation == "shell.exec") {
        let words = |name: &str| given(name).map(str::as_bytes);
        return match Line::new(line.as_bytes()) {
            Ok(_) if facts.flags.contains("complex") => of("complex", "line"),
            Ok(read) => {
                let has = |command: &enforce_core::shell::Command<'_>, name: &str| {
                    let word = if name == "command" { command.words().next() } else { command.subcommand() };
                    words(name).is_none_or(|given| word.is_some_and(|word| word.bytes().eq(given.iter().copied())))
                };
                if read.commands().any(|command| has(&command, "command") && has(&command, "subcommand")) {
                    None
                } else if read.commands().any(|command| has(&command, "command")) {
                    of("subcommand", "line")
                } else {
                    of("command", "line")
                }
            }
            Err(ShellError::Complex { .. }) => ["command", "subcommand"]
                .into_iter()
                .find(|name| given(name).is_some())
                .and_then(|name| of(name, "line")),
            Err(ShellError::Invalid { .. }) => None,
        };
    }
    let named = ["path", "name"].into_iter().find_map(|field| Some((field, given(field)?)));
    if let Some((field, path)) = named.filter(|_| operation.starts_with("file.")) {
        let path = Contained::new(Root::new(b"/").ok()?, b"", path.as_bytes()).ok()?;
        let parts = [("name", path.name()), ("extension", path.extension())];
        let is_other =
            |(name, part): &(&str, Option<&[u8]>)| given(name).is_some_and(|given| Some(given.as_bytes()) != *part);
        return parts.iter().find(|part| part.0 != field && is_other(part)).and_then(|(name, _)| of(name, field));
    }
    if let Some(url) = given("url").filter(|_| operation == "http.request") {
        let url = Url::new(url.as_bytes()).ok()?;
        let parts = [("host", url.host.text()), ("scheme", url.scheme), ("url-path", url.path)];
        let is_other = |(name, part): &(&str, &[u8])| {
            given(name).is_some_and(|given| !given.as_bytes().eq_ignore_ascii_case(part))
        };
        let is_other_port = facts.numbers.get("port").is_some_and(|port| url.port.map(u64::from) != Some(*port));
        let part = parts.iter().find(|part| is_other(part)).map(|(name, _)| *name);
        return part.or(is_other_port.then_some("port")).and_then(|fact| of(fact, "url"));
    }
    None
}

/// Writes the fields of a request with these facts; `None` where no field says one of them.
pub(crate) fn fields(operation: &str, facts: &Request) -> Option<Fields> {
    let mut draft = Draft { operation, facts: facts.clone(), fields: BTreeMap::new() };
    draft.write()?;
    let Draft { facts, mut fields, .. } = draft;
    // The rest has fields of its own.
    fields.extend(facts.strings.into_iter().map(|(name, text)| (name, Value::String(text))));
    fields.extend(facts.numbers.into_iter().map(|(name, number)| (name, json!(number))));
    fields.extend(facts.flags.into_iter().map(|name| (name, Value::Bool(true))));
    Some(fields)
}

struct Draft<'o> {
    operation: &'o str,
    /// Those that are not written yet.
    facts: Request,
    fields: Fields,
}

impl Draft<'_> {
    fn write(&mut self) -> Option<()> {
        match self.operation {
            "file.read" | "file.write" | "file.edit" | "file.patch" => self.file()?,
            "fs.list" | "fs.grep" | "ast.query" => {
                if let Some(path) = self.text("path") {
                    self.set("path", in_root(path));
                }
            }
            "fs.move" | "fs.copy" => {
                let path = self.text("path").unwrap_or_else(|| filled_in(self.operation, "path"));
                let dst = self.text("dst").unwrap_or_else(|| path.clone());
                self.set("src", path);
                self.set("dst", dst);
            }
            "shell.exec" => self.line()?,
            "shell.inline" => {
                if let Some(command) = self.text("command") {
                    self.set("interpreter", command);
                }
                if let Some(path) = self.text("path") {
                    self.set("cwd", in_root(path));
                }
            }
            "pytest.run" => {
                if self.text("command").is_some_and(|command| command != "pytest") {
                    return None;
                }
                if let Some(path) = self.text("path") {
                    self.fields.insert("paths".to_owned(), json!([in_root(path)]));
                }
            }
            "http.request" => self.url()?,
            "ast.generate" => {
                let path = self.text("path").unwrap_or_default();
                self.fields.insert("paths".to_owned(), json!([in_root(path)]));
            }
            operation => {
                if let Some(verb) = git_verb(operation) {
                    let args = self.git(verb)?;
                    self.fields.insert("args".to_owned(), json!(args));
                }
            }
        }
        let filled = FILLED_IN.iter().filter(|(operation, ..)| *operation == self.operation);
        for (_, field, value) in filled.filter(|_| git_verb(self.operation).is_none()) {
            if self.fields.contains_key(*field) || self.facts.strings.contains_key(*field) {
                continue;
            }
            let value = match (self.operation, *field) {
                // They are written into `url`, and into `src` and `dst`.
                ("http.request", "scheme" | "url-path") | ("fs.move" | "fs.copy", "path" | "dst") => continue,
                (_, "paths") => json!([value]),
                (_, "rules") => json!([]),
                (_, "request") => json!({}),
                _ => json!(value),
            };
            self.fields.insert((*field).to_owned(), value);
        }
        Some(())
    }

    /// The name and the extension are the path's, and bytes are content of that length.
    fn file(&mut self) -> Option<()> {
        let (name, extension) = (self.text("name"), self.text("extension"));
        if !self.facts.strings.contains_key("path") {
            let unnamed = |extension| format!("{}.{extension}", filled_in(self.operation, "path"));
            if let Some(path) = name.or_else(|| extension.map(unnamed)) {
                self.set("path", path);
            }
        }
        let (field, most) = match self.operation {
            "file.write" => ("content", MAX_WRITE_SIZE),
            "file.edit" => ("new-content", MAX_EDIT_SIZE),
            "file.patch" => ("unified-diff", MAX_EDIT_SIZE),
            _ => return Some(()),
        };
        if let Some(bytes) = self.facts.numbers.remove("bytes") {
            let bytes = usize::try_from(bytes).ok().filter(|bytes| *bytes <= most)?;
            self.set(field, "x".repeat(bytes));
        }
        Some(())
    }

    fn line(&mut self) -> Option<()> {
        let (command, subcommand) = (self.text("command"), self.text("subcommand"));
        let is_complex = self.facts.flags.remove("complex");
        if self.facts.strings.contains_key("line") {
            return Some(());
        }
        if is_complex {
            return None;
        }
        let words = [Some(command?), subcommand];
        let quoted: Vec<String> = words.into_iter().flatten().map(|word| quoted(&word)).collect();
        self.set("line", quoted.join(" "));
        Some(())
    }

    fn url(&mut self) -> Option<()> {
        let (scheme, host) = (self.text("scheme"), self.text("host"));
        let (path, port) = (self.text("url-path"), self.facts.numbers.remove("port"));
        if self.facts.strings.contains_key("url") {
            return Some(());
        }
        let filled = |name| filled_in("http.request", name);
        let (scheme, path) = (scheme.unwrap_or_else(|| filled("scheme")), path.unwrap_or_else(|| filled("url-path")));
        let port = port.map_or_else(String::new, |port| format!(":{port}"));
        self.set("url", format!("{scheme}://{}{port}{path}", host?));
        Some(())
    }

    /// The arguments that say the facts, in the one order of the operation.
    fn git(&mut self, verb: Verb) -> Option<Vec<String>> {
        let [path, reference, remote, url] = ["path", "ref", "remote", "url"].map(|name| self.text(name));
        let (force, all) = (self.facts.flags.remove("force"), self.facts.flags.remove("all"));
        let force = match verb {
            _ if !force => None,
            Verb::Commit => Some("--amend"),
            Verb::Reset => Some("--hard"),
            Verb::Merge => Some("--abort"),
            Verb::Rebase => Some("--skip"),
            Verb::Push | Verb::Fetch | Verb::Pull | Verb::Branch | Verb::Checkout | Verb::Add | Verb::Tag => {
                Some("--force")
            }
            Verb::Clone | Verb::Diff | Verb::Status | Verb::Log | Verb::Stash | Verb::Remote | Verb::Show => {
                // `stash drop` and `remote remove` say it with their first word.
                matches!(verb, Verb::Stash | Verb::Remote).then_some("")
            }
        };
        let mut args: Vec<String> = Vec::new();
        let filled = |name| Some(filled_in(self.operation, name)).filter(|value| !value.is_empty());
        match verb {
            Verb::Stash => {
                let word = match (force, &reference) {
                    (Some(_), _) => "drop",
                    (None, Some(_)) => "apply",
                    (None, None) if path.is_some() || all => "push",
                    (None, None) => return Some(args),
                };
                args.push(word.to_owned());
            }
            Verb::Remote => {
                let word = match (force, &remote, &url) {
                    (Some(_), ..) => "remove",
                    (None, Some(_), Some(_)) => "add",
                    (None, Some(_), None) => "get-url",
                    (None, None, _) => return Some(args),
                };
                args.push(word.to_owned());
            }
            Verb::Clone
            | Verb::Fetch
            | Verb::Pull
            | Verb::Diff
            | Verb::Commit
            | Verb::Push
            | Verb::Status
            | Verb::Log
            | Verb::Branch
            | Verb::Checkout
            | Verb::Merge
            | Verb::Rebase
            | Verb::Add
            | Verb::Reset
            | Verb::Tag
            | Verb::Show => args.extend(force.map(str::to_owned)),
        }
        if all {
            args.push("--all".to_owned());
        }
        // Named before what is asked of it.
        let is_of_remote = matches!(verb, Verb::Fetch | Verb::Pull | Verb::Push);
        let needs_remote = is_of_remote && remote.is_none() && url.is_none() && reference.is_some();
        let remote = if needs_remote { filled("remote") } else { remote };
        let url = if verb == Verb::Clone && url.is_none() { filled("url") } else { url };
        args.extend(remote);
        args.extend(url);
        let short = |name: String| match verb {
            Verb::Branch => name.strip_prefix("refs/heads/").map(str::to_owned).unwrap_or(name),
            Verb::Tag => name.strip_prefix("refs/tags/").map(str::to_owned).unwrap_or(name),
            _ => name,
        };
        if verb == Verb::Clone && reference.is_some() {
            args.insert(0, "--branch".to_owned());
            args.splice(1..1, reference);
        } else {
            args.extend(reference.map(short));
        }
        if let Some(path) = path {
            args.extend((verb != Verb::Clone).then(|| "--".to_owned()));
            args.push(in_root(path));
        }
        Some(args)
    }

    fn text(&mut self, name: &str) -> Option<String> {
        self.facts.strings.remove(name)
    }

    fn set(&mut self, field: &str, text: String) {
        self.fields.insert(field.to_owned(), Value::String(text));
    }
}

/// The root is the empty path to rules, and a dot in a request.
fn in_root(path: String) -> String {
    if path.is_empty() { ".".to_owned() } else { path }
}

fn filled_in(operation: &str, field: &str) -> String {
    let row = FILLED_IN.iter().find(|(of, name, _)| *of == operation && *name == field);
    row.map_or_else(String::new, |(.., value)| (*value).to_owned())
}

/// A word of a command line that is read as it is.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./+@%=:,".contains(c);
    let is_plain = !word.is_empty() && word.chars().all(is_plain);
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

impl std::fmt::Display for Contradiction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} is not what {} says", quote(&self.fact), quote(self.field))
    }
}
