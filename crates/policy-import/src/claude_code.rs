//! The settings of Claude Code: lists of what is allowed, asked for and denied, by tool and pattern.
//!
//! There as here, to deny comes before to ask, and to ask before to allow. What no entry names is asked for there, and
//! denied here.

mod pattern;

use std::collections::{BTreeMap, BTreeSet};

use policy_model::WordGlob;
use policy_model::catalogue::FAMILIES;
use policy_syntax::{Effect, Span, did_you_mean, quote};

use crate::command::{Lines, facts_of, separated};
use crate::draft::{Draft, Piece, Rule, Test, Tool, is_name};
use crate::findings::Findings;
use crate::tree::{Entry, Node, Value};
use crate::{codes, json, not_that_format};

pub(crate) const HEAD: &str = "\
# Imported from settings of Claude Code. What no entry names is asked for there, and denied here. Files and commands
# outside the workspace are never reached.
";

pub(crate) fn read(text: &str, found: &mut Findings) -> Option<Draft> {
    let node = json::read(text).map_err(|error| not_that_format(&error, "JSON", found)).ok()?;
    let Value::Map(entries) = &node.value else {
        found.wrong(&node, "a file of settings", "a table of keys");
        return None;
    };
    let mut settings = Settings::default();
    for entry in entries {
        match entry.key.as_str() {
            "permissions" => settings.permissions(&entry.value, found),
            "disabledMcpjsonServers" | "deniedMcpServers" => settings.denied_servers(entry, found),
            key if DECIDING_KEYS.contains(&key) => {
                let message = format!("{} decides what is done there, and is not imported", quote(key));
                found.add(codes::NOT_HELD, entry.key_at, message, "say in the policy what it should mean here");
            }
            key => {
                let message = format!("{} says nothing of what an agent may do", quote(key));
                found.add(codes::NO_RULE, entry.key_at, message, "nothing of it is imported");
            }
        }
    }
    if !entries.iter().any(|entry| entry.key == "permissions") {
        let help = "settings of Claude Code have them: `{\"permissions\": {\"allow\": []}}`";
        found.add(codes::WRONG_VALUE, Span::new(0, 0), "there are no `permissions` in the file", help);
    }
    settings.settle(found);
    Some(settings.draft(node.at))
}

/// What the entries of one effect say.
#[derive(Debug, Default)]
struct Entries {
    commands: Lines,
    /// Whether every command is meant.
    all_commands: Option<Span>,
    first_command: Option<Span>,
    /// A line to test with.
    line: Option<(Span, String)>,
    /// Paths, for each group of operations.
    paths: [Vec<Piece>; 4],
    hosts: Vec<Piece>,
    /// Whether every host is meant.
    all_hosts: Option<Span>,
    /// Operations of tools that are not built in.
    others: Vec<Piece>,
}

#[derive(Debug, Default)]
struct Settings {
    by_effect: BTreeMap<Effect, Entries>,
    /// Declared tools with their operations; none for one that is gated as a whole.
    tools: BTreeMap<String, (Span, BTreeMap<String, Span>)>,
    /// Entries for every tool of such a name.
    by_name: Vec<(Effect, Piece)>,
    accepts_edits: Option<Span>,
    /// Whether commands that start others are denied.
    denies_starters: Option<Span>,
}

impl Settings {
    fn permissions(&mut self, node: &Node, found: &mut Findings) {
        let keys = ["allow", "ask", "deny", "defaultMode", "additionalDirectories", "disableBypassPermissionsMode"];
        let entries = found.map(node, "`permissions`", &keys);
        let mode = entries.iter().find(|entry| entry.key == "defaultMode").and_then(|entry| self.mode(entry, found));
        for entry in entries {
            let effect = match entry.key.as_str() {
                "allow" => Effect::Allow,
                // Nobody is asked in that mode.
                "ask" if mode == Some("dontAsk") => Effect::Deny,
                "ask" => Effect::Ask,
                "deny" => Effect::Deny,
                "additionalDirectories" => {
                    for item in found.list(&entry.value, "`additionalDirectories`") {
                        let message = "a folder beside the workspace is not reached here";
                        let help = "a session has one root: choose one that holds both";
                        found.add(codes::LEFT_OUT, item.at, message, help);
                    }
                    continue;
                }
                _ => continue,
            };
            for (at, text) in found.texts(&entry.value, &format!("`{}`", entry.key)) {
                self.entry(effect, at, text.trim(), found);
            }
        }
    }

    fn mode<'a>(&mut self, entry: &'a Entry, found: &mut Findings) -> Option<&'a str> {
        let mode = found.text(&entry.value, "`defaultMode`")?;
        let at = entry.value.at;
        match mode {
            "acceptEdits" => self.accepts_edits = Some(at),
            "default" | "dontAsk" => {}
            "plan" => {
                let message = "nothing is changed or run in this mode there, and rules hold in every mode here";
                found.add(codes::NOT_HELD, at, message, "give a session a role that may only read");
            }
            "bypassPermissions" | "auto" => {
                let message = format!("the mode {} allows what no entry names", quote(mode));
                let help = "a policy names what it allows: choose another mode, and write the rules that you need";
                found.add(codes::NOT_SAYABLE, at, message, help);
            }
            _ => {
                let modes = ["default", "acceptEdits", "plan", "dontAsk", "auto", "bypassPermissions"];
                let help = did_you_mean(mode, "modes", modes);
                found.add(codes::WRONG_VALUE, at, format!("there is no mode {}", quote(mode)), help);
            }
        }
        Some(mode)
    }

    fn denied_servers(&mut self, entry: &Entry, found: &mut Findings) {
        for item in found.list(&entry.value, &format!("`{}`", entry.key)) {
            let name = match &item.value {
                Value::Map(entries) => entries.iter().find(|entry| entry.key == "serverName").map(|entry| &entry.value),
                _ => Some(item),
            };
            match name.map(|name| &name.value) {
                Some(Value::Text(name)) => {
                    self.by_name.push((Effect::Deny, Piece::new(item.at, format!("mcp__{name}__*"))));
                }
                _ => {
                    let message = "which server is meant is not said by its name";
                    found.add(codes::NOT_HELD, item.at, message, "say in the policy what it should mean here");
                }
            }
        }
    }

    fn entry(&mut self, effect: Effect, at: Span, text: &str, found: &mut Findings) {
        let (tool, pattern) = match text.split_once('(') {
            Some((tool, rest)) => match rest.strip_suffix(')') {
                Some(pattern) => (tool, Some(pattern)),
                None => {
                    let message = format!("{} has no closing parenthesis", quote(text));
                    found.add(codes::WRONG_VALUE, at, message, "an entry is written `Tool` or `Tool(pattern)`");
                    return;
                }
            },
            None => (text, None),
        };
        let pattern = pattern.filter(|pattern| !matches!(*pattern, "" | "*" | "**"));
        let is_server = tool.starts_with("mcp__") && !tool.trim_start_matches("mcp__").contains("__");
        if tool.contains('*') || is_server {
            let all = if is_server { format!("{tool}__*") } else { tool.to_owned() };
            self.by_name.push((effect, Piece::new(at, all)));
            return;
        }
        match BuiltIn::of(tool) {
            Some(tool) => self.by_effect.entry(effect).or_default().add(effect, at, tool, pattern, found),
            None => self.declared(effect, at, tool, pattern, found),
        }
    }

    /// A tool that is not built in: `mcp__SERVER__TOOL`, or one of Claude Code's own.
    fn declared(&mut self, effect: Effect, at: Span, tool: &str, pattern: Option<&str>, found: &mut Findings) {
        match pattern {
            Some(_) if effect == Effect::Allow => {
                let message = format!("a pattern of {} is not known here", quote(tool));
                found.add(codes::LEFT_OUT, at, message, UNKNOWN);
                return;
            }
            // To leave out what narrows another entry would widen that.
            Some(_) => {
                let message = format!("a pattern of {} is not known here, so this holds for all of it", quote(tool));
                found.add(codes::STRICTER, at, message, "name what you want in a rule of your own");
            }
            None => {}
        }
        let (name, operation) = match tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
            Some((server, operation)) => (server, Some(operation)),
            None => (tool, None),
        };
        let is_builtin = FAMILIES.iter().any(|family| family.tool == name);
        if !is_name(name) || operation.is_some_and(|operation| !is_name(operation)) || is_builtin {
            let why = if is_builtin { "is taken" } else { "cannot be a name" };
            let message = format!("the name of the tool {} {why} here", quote(tool));
            found.add(codes::LEFT_OUT, at, message, UNKNOWN);
            return;
        }
        let known = self.tools.entry(name.to_owned()).or_insert_with(|| (at, BTreeMap::new()));
        if let Some(operation) = operation {
            known.1.entry(operation.to_owned()).or_insert(at);
        }
        let said = operation.map_or_else(|| name.to_owned(), |operation| format!("{name}.{operation}"));
        self.by_effect.entry(effect).or_default().others.push(Piece::new(at, said));
    }

    /// Entries for names with stars are about the tools that are built in, and about those that some entry names: nobody
    /// here knows others.
    fn settle(&mut self, found: &mut Findings) {
        for (effect, Piece { at, text }) in std::mem::take(&mut self.by_name) {
            let names = WordGlob::new(&text);
            let mut said: Vec<String> = Vec::new();
            for (name, (_, operations)) in &self.tools {
                let operation =
                    |operation: &String| (format!("mcp__{name}__{operation}"), format!("{name}.{operation}"));
                let alone = operations.is_empty().then(|| (name.clone(), name.clone()));
                let named = operations.keys().map(operation).chain(alone);
                said.extend(named.filter(|(there, _)| names.matches(there)).map(|(_, here)| here));
            }
            let entries = self.by_effect.entry(effect).or_default();
            entries.others.extend(said.into_iter().map(|operation| Piece::new(at, operation)));
            if effect == Effect::Allow {
                let message =
                    format!("tools that {} stands for and the file does not name are not known here", quote(&text));
                found.add(codes::LEFT_OUT, at, message, UNKNOWN);
                continue;
            }
            for tool in BuiltIn::all().filter(|(name, _)| names.matches(name)).map(|(_, tool)| tool) {
                entries.add(effect, at, tool, None, found);
            }
        }
        self.settle_commands(found);
    }

    /// What commands are held to there beside their own entries.
    fn settle_commands(&mut self, found: &mut Findings) {
        let runs = |effect| self.by_effect.get(&effect).and_then(Entries::first_command);
        let restricted = runs(Effect::Deny).or(runs(Effect::Ask));
        let is_any_run = runs(Effect::Allow).is_some() || runs(Effect::Ask).is_some();
        let denied = self.by_effect.get(&Effect::Deny);
        let denied_path = denied.and_then(|entries| entries.paths.iter().flatten().map(|path| path.at).min());
        if let Some(at) = denied_path.filter(|_| is_any_run) {
            let message = "commands that may run reach what is denied here to tools for files";
            let help = "there, `cat`, `sed` and their like are held to it; deny such commands, or keep the file out of the root";
            found.add(codes::NOT_HELD, at, message, help);
        }
        if let Some(at) = restricted.filter(|_| is_any_run) {
            let message = "commands that start others are denied, since the others are not judged here";
            let help =
                "there, `timeout`, `nohup`, `xargs` and their like are looked through; see the rule `deny-starters`";
            found.add(codes::STRICTER, at, message, help);
            self.denies_starters = Some(at);
        }
    }

    fn draft(self, at: Span) -> Draft {
        let mut draft = Draft::default();
        for (name, (at, operations)) in self.tools {
            let operations = operations.into_iter().map(|(name, at)| Piece::new(at, name)).collect();
            draft.tool(Tool { name: Piece::new(at, name), operations });
        }
        let everywhere = |at| vec![Piece::new(at, "path in \"**\"")];
        let mut reads = Rule::new("read-without-asking", Effect::Allow, at, pieces(at, READS));
        reads.comment = "Claude Code reads the workspace without asking.";
        reads.condition = everywhere(at);
        draft.test(Test::of(&reads.name, Effect::Allow, at, format!("file.read path {UNNAMED}")));
        draft.rule(reads);
        if let Some(at) = self.accepts_edits {
            let mut edits = Rule::new("accept-edits", Effect::Allow, at, pieces(at, EDITS));
            edits.condition = everywhere(at);
            draft.test(Test::of(&edits.name, Effect::Allow, at, format!("file.write path {UNNAMED}")));
            draft.rule(edits);
        }
        if let Some(at) = self.denies_starters {
            let mut starters = Rule::new("deny-starters", Effect::Deny, at, pieces(at, &["shell.exec"]));
            let names: Vec<String> = STARTERS.iter().map(|name| format!("\"{name}\"")).collect();
            starters.condition = vec![Piece::new(at, format!("command in {}", names.join(", ")))];
            draft.test(Test::of(&starters.name, Effect::Deny, at, "shell.exec command \"nohup\" line \"nohup a\""));
            draft.rule(starters);
        }
        for (effect, entries) in self.by_effect {
            entries.draft(effect, at, &mut draft);
        }
        draft
    }
}

impl Entries {
    fn add(&mut self, effect: Effect, at: Span, tool: BuiltIn, pattern: Option<&str>, found: &mut Findings) {
        match tool {
            BuiltIn::Bash => self.command(effect, at, pattern, found),
            BuiltIn::WebFetch => self.host(effect, at, pattern, found),
            BuiltIn::Files(group) => {
                let paths = pattern::paths(effect, at, pattern, found);
                self.paths.iter_mut().skip(group).take(1).for_each(|known| known.extend(paths.iter().cloned()));
            }
        }
    }

    fn command(&mut self, effect: Effect, at: Span, pattern: Option<&str>, found: &mut Findings) {
        self.first_command.get_or_insert(at);
        let Some(pattern) = pattern else {
            self.all_commands = Some(at);
            return;
        };
        match pattern::add(&mut self.commands, effect, at, pattern, found) {
            Some(line) => {
                self.line.get_or_insert((at, line));
            }
            None => {
                let message = format!("{} is no simple command, so no command is one of it", quote(pattern));
                let code = if effect == Effect::Allow { codes::LEFT_OUT } else { codes::NOT_HELD };
                found.add(code, at, message, "commands of a line are judged one by one: write an entry for each");
            }
        }
    }

    fn first_command(&self) -> Option<Span> {
        self.first_command
    }

    fn host(&mut self, effect: Effect, at: Span, pattern: Option<&str>, found: &mut Findings) {
        let Some(pattern) = pattern else {
            self.all_hosts = Some(at);
            return;
        };
        let Some(domain) = pattern.strip_prefix("domain:") else {
            let message = format!("{} does not say which hosts are meant", quote(pattern));
            found.add(codes::WRONG_VALUE, at, message, "write `WebFetch(domain:example.com)`");
            return;
        };
        self.hosts.extend(found.literal(at, domain).map(|literal| Piece::new(at, literal)));
        // Who denies a name means the hosts below it as well.
        if effect == Effect::Deny && !domain.starts_with('*') {
            self.hosts.extend(found.literal(at, &format!("*.{domain}")).map(|literal| Piece::new(at, literal)));
        }
    }

    fn draft(self, effect: Effect, at: Span, draft: &mut Draft) {
        let name = |what: &str| format!("{}-{what}", effect.as_str());
        if self.all_commands.is_some() || !self.commands.is_empty() {
            let at = self.all_commands.unwrap_or(at);
            let mut rule = Rule::new(name("commands"), effect, at, pieces(at, &["shell.exec"]));
            if self.all_commands.is_none() {
                rule.condition = self.commands.condition();
            }
            let facts = self.line.as_ref().and_then(|(at, line)| Some((*at, facts_of(line)?)));
            let (at, facts) = facts.unwrap_or((at, "shell.exec command \"a\" line \"a\"".to_owned()));
            tested(rule, effect, at, facts, draft);
        }
        for (group, patterns) in GROUPS.iter().zip(self.paths) {
            let Some(first) = patterns.first() else { continue };
            let at = first.at;
            let path = first.text.replace("**/", "").replace("/**", "/a").replace("**", "a").replace('*', "a");
            let request = format!("{} path {path}", group.operations.first().copied().unwrap_or_default());
            // What is not to be read or changed is not to be read or changed in another way either.
            let more = if effect == Effect::Deny { group.also_denied } else { &[] };
            let operations: Vec<&str> = group.operations.iter().chain(more).copied().collect();
            let mut rule = Rule::new(name(group.name), effect, at, pieces(at, &operations));
            rule.condition = vec![Piece::new(Span::default(), "path in\n")];
            rule.condition.extend(separated(patterns, ",\n"));
            tested(rule, effect, at, request, draft);
        }
        if self.all_hosts.is_some() || !self.hosts.is_empty() {
            let at = self.all_hosts.unwrap_or(at);
            let mut rule = Rule::new(name("fetching"), effect, at, pieces(at, &["http.request"]));
            let host = self.hosts.first().map_or("\"a.example\"".to_owned(), |host| host.text.replace('*', "a"));
            if self.all_hosts.is_none() {
                rule.condition = vec![Piece::new(Span::default(), "host in\n")];
                rule.condition.extend(separated(self.hosts, ",\n"));
            }
            // It only fetches, and over TLS.
            if effect != Effect::Deny {
                let and = if rule.condition.is_empty() { "" } else { "\nand " };
                rule.condition
                    .push(Piece::new(at, format!("{and}method in \"GET\", \"HEAD\" and scheme == \"https\"")));
            }
            tested(rule, effect, at, format!("http.request host {host} method \"GET\" scheme \"https\""), draft);
        }
        let mut seen = BTreeSet::new();
        let mut others = self.others;
        others.retain(|operation| seen.insert(operation.text.clone()));
        if let Some(first) = others.first() {
            let (at, request) = (first.at, first.text.clone());
            tested(Rule::new(name("others"), effect, at, others), effect, at, request, draft);
        }
    }
}

fn tested(rule: Rule, effect: Effect, at: Span, request: String, draft: &mut Draft) {
    draft.test(Test::of(&rule.name, effect, at, request));
    draft.rule(rule);
}

fn pieces(at: Span, texts: &[&str]) -> Vec<Piece> {
    texts.iter().map(|text| Piece::new(at, *text)).collect()
}

/// A tool of Claude Code that is one of ours.
#[derive(Debug, Clone, Copy)]
enum BuiltIn {
    Bash,
    WebFetch,
    /// One of the groups.
    Files(usize),
}

impl BuiltIn {
    fn all() -> impl Iterator<Item = (&'static str, Self)> {
        let group =
            |(number, group): (usize, &'static Group)| group.tools.iter().map(move |tool| (*tool, Self::Files(number)));
        let files = GROUPS.iter().enumerate().flat_map(group);
        [("Bash", Self::Bash), ("WebFetch", Self::WebFetch)].into_iter().chain(files)
    }

    fn of(name: &str) -> Option<Self> {
        Self::all().find(|(known, _)| *known == name).map(|(_, tool)| tool)
    }
}

/// Tools that say the same of paths.
struct Group {
    name: &'static str,
    tools: &'static [&'static str],
    operations: &'static [&'static str],
    also_denied: &'static [&'static str],
}

/// An entry for reading or editing is about every tool that reads or edits.
static GROUPS: [Group; 4] = [
    Group {
        name: "reading",
        tools: &["Read", "NotebookRead"],
        operations: READS,
        also_denied: &["fs.copy", "fs.move", "file.write", "file.edit", "file.patch"],
    },
    Group { name: "listing", tools: &["Glob", "LS"], operations: &["fs.list"], also_denied: &[] },
    Group { name: "searching", tools: &["Grep"], operations: &["fs.grep"], also_denied: &[] },
    Group {
        name: "editing",
        tools: &["Edit", "Write", "MultiEdit", "NotebookEdit"],
        operations: EDITS,
        also_denied: &["fs.move", "fs.copy", "fs.delete", "ast.edit"],
    },
];

const READS: &[&str] = &["file.read", "fs.list", "fs.grep"];
const EDITS: &[&str] = &["file.write", "file.edit", "file.patch"];
const UNKNOWN: &str = "what a policy does not allow is denied; declare the tool and write a rule where you want more";

/// Keys beside the permissions that decide about acts.
const DECIDING_KEYS: [&str; 9] = [
    "hooks",
    "sandbox",
    "enabledMcpjsonServers",
    "enableAllProjectMcpServers",
    "allowedMcpServers",
    "allowManagedPermissionRulesOnly",
    "allowManagedHooksOnly",
    "autoMode",
    "ignorePatterns",
];

/// Commands that Claude Code looks through, to the command they start.
const STARTERS: [&str; 9] = ["timeout", "time", "nice", "nohup", "stdbuf", "command", "builtin", "noglob", "xargs"];
const UNNAMED: &str = "\"an/unnamed/file\"";
