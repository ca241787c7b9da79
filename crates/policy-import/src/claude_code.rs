//! The settings of Claude Code: lists of allowed, asked and denied tools and patterns.
//!
//! In both tools deny beats ask, and ask beats allow. What no entry names is asked for there and denied here.

mod pattern;

use std::collections::{BTreeMap, BTreeSet};

use policy_model::WordGlob;
use policy_model::catalogue::operations_of;
use policy_syntax::{Effect, Span, did_you_mean, quote};

use crate::command::{Lines, facts_of, separated};
use crate::draft::{Draft, DraftRule, DraftTest, DraftTool, Piece, is_name};
use crate::findings::Findings;
use crate::tree::{Entry, Node, Value};
use crate::{codes, json, report_parse_error};

pub(crate) const HEAD: &str = "\
# Imported from settings of Claude Code. What no entry names is asked for there and denied here. Files and commands
# outside the workspace are always denied.
";

pub(crate) fn read(text: &str, findings: &mut Findings) -> Option<Draft> {
    let node = json::read(text).map_err(|error| report_parse_error(&error, "JSON", findings)).ok()?;
    let Value::Map(entries) = &node.value else {
        findings.wrong_type(&node, "a file of settings", "a table of keys");
        return None;
    };
    let mut settings = Settings::default();
    for entry in entries {
        match entry.key.as_str() {
            "permissions" => settings.permissions(&entry.value, findings),
            "disabledMcpjsonServers" | "deniedMcpServers" => settings.denied_servers(entry, findings),
            key if DECIDING_KEYS.contains(&key) => {
                let message = format!("{} restricts Claude Code and cannot be imported", quote(key));
                findings.add(codes::NOT_ENFORCED, entry.key_at, message, "write a rule for it in the policy");
            }
            key => {
                let message = format!("{} is not a permission", quote(key));
                findings.add(codes::NOT_A_RULE, entry.key_at, message, "it is not imported");
            }
        }
    }
    if !entries.iter().any(|entry| entry.key == "permissions") {
        let help = "write `{\"permissions\": {\"allow\": []}}`";
        findings.add(codes::WRONG_VALUE, Span::new(0, 0), "the file has no `permissions`", help);
    }
    settings.apply_name_patterns(findings);
    Some(settings.draft(node.at))
}

/// The entries of one effect.
#[derive(Debug, Default)]
struct EffectEntries {
    commands: Lines,
    /// Set when every command is meant.
    all_commands: Option<Span>,
    first_command: Option<Span>,
    /// For the test.
    line: Option<(Span, String)>,
    /// By group of tools.
    paths: [Vec<Piece>; 4],
    hosts: Vec<Piece>,
    /// Set when every host is meant.
    all_hosts: Option<Span>,
    /// Operations of tools that are not built in.
    others: Vec<Piece>,
}

#[derive(Debug, Default)]
struct Settings {
    by_effect: BTreeMap<Effect, EffectEntries>,
    /// Declared tools with their operations; a tool without operations is one operation itself.
    tools: BTreeMap<String, (Span, BTreeMap<String, Span>)>,
    /// Entries for all tools whose names match a pattern.
    by_name: Vec<(Effect, Piece)>,
    accepts_edits: Option<Span>,
    /// Set when commands that start other commands are denied.
    denies_starters: Option<Span>,
}

impl Settings {
    fn permissions(&mut self, node: &Node, findings: &mut Findings) {
        let keys = ["allow", "ask", "deny", "defaultMode", "additionalDirectories", "disableBypassPermissionsMode"];
        let entries = findings.map(node, "`permissions`", &keys);
        let mode = entries.iter().find(|entry| entry.key == "defaultMode").and_then(|entry| self.mode(entry, findings));
        for entry in entries {
            let effect = match entry.key.as_str() {
                "allow" => Effect::Allow,
                // In that mode a question counts as a denial.
                "ask" if mode == Some("dontAsk") => Effect::Deny,
                "ask" => Effect::Ask,
                "deny" => Effect::Deny,
                "additionalDirectories" => {
                    for item in findings.list(&entry.value, "`additionalDirectories`") {
                        let message = "directories outside the workspace cannot be imported";
                        let help = "a session has one root: choose one that contains both";
                        findings.add(codes::LEFT_OUT, item.at, message, help);
                    }
                    continue;
                }
                _ => continue,
            };
            for (at, text) in findings.texts(&entry.value, &format!("`{}`", entry.key)) {
                self.entry(effect, at, text.trim(), findings);
            }
        }
    }

    fn mode<'a>(&mut self, entry: &'a Entry, findings: &mut Findings) -> Option<&'a str> {
        let mode = findings.text(&entry.value, "`defaultMode`")?;
        let at = entry.value.at;
        match mode {
            "acceptEdits" => self.accepts_edits = Some(at),
            "default" | "dontAsk" => {}
            "plan" => {
                let message = "mode `plan` changes and runs nothing; a policy has no modes";
                findings.add(codes::NOT_ENFORCED, at, message, "give the session a role that may only read");
            }
            "bypassPermissions" | "auto" => {
                let message = format!("mode {} allows what no entry names", quote(mode));
                let help = "a policy names what it allows: choose another mode and add the rules that you need";
                findings.add(codes::NOT_EXPRESSIBLE, at, message, help);
            }
            _ => {
                let modes = ["default", "acceptEdits", "plan", "dontAsk", "auto", "bypassPermissions"];
                let help = did_you_mean(mode, "modes", modes);
                findings.add(codes::WRONG_VALUE, at, format!("unknown mode {}", quote(mode)), help);
            }
        }
        Some(mode)
    }

    fn denied_servers(&mut self, entry: &Entry, findings: &mut Findings) {
        for item in findings.list(&entry.value, &format!("`{}`", entry.key)) {
            let name = match &item.value {
                Value::Map(entries) => entries.iter().find(|entry| entry.key == "serverName").map(|entry| &entry.value),
                _ => Some(item),
            };
            match name.map(|name| &name.value) {
                Some(Value::Text(name)) => {
                    self.by_name.push((Effect::Deny, Piece::new(item.at, format!("mcp__{name}__*"))));
                }
                _ => {
                    let message = "the server is not given by its name";
                    findings.add(codes::NOT_ENFORCED, item.at, message, "write a rule for it in the policy");
                }
            }
        }
    }

    fn entry(&mut self, effect: Effect, at: Span, text: &str, findings: &mut Findings) {
        let (tool, pattern) = match text.split_once('(') {
            Some((tool, rest)) => match rest.strip_suffix(')') {
                Some(pattern) => (tool, Some(pattern)),
                None => {
                    let message = format!("{} has no closing parenthesis", quote(text));
                    findings.add(codes::WRONG_VALUE, at, message, "write `Tool` or `Tool(pattern)`");
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
        match BuiltInTool::of(tool) {
            Some(tool) => self.by_effect.entry(effect).or_default().add(effect, at, tool, pattern, findings),
            None => self.declared(effect, at, tool, pattern, findings),
        }
    }

    /// Adds an entry for a tool that is not built in: `mcp__SERVER__TOOL`, or one of Claude Code's own.
    fn declared(&mut self, effect: Effect, at: Span, tool: &str, pattern: Option<&str>, findings: &mut Findings) {
        match pattern {
            Some(_) if effect == Effect::Allow => {
                let message = format!("patterns of {} cannot be imported", quote(tool));
                findings.add(codes::LEFT_OUT, at, message, UNKNOWN);
                return;
            }
            // Leaving out an entry that narrows another one would widen the other.
            Some(_) => {
                let message =
                    format!("patterns of {} cannot be imported, so the entry applies to the whole tool", quote(tool));
                findings.add(codes::STRICTER, at, message, "write a rule of your own");
            }
            None => {}
        }
        let (name, operation) = match tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
            Some((server, operation)) => (server, Some(operation)),
            None => (tool, None),
        };
        let is_builtin = operations_of(name).next().is_some();
        if !is_name(name) || operation.is_some_and(|operation| !is_name(operation)) || is_builtin {
            let why = if is_builtin { "is the name of a built-in tool" } else { "is not a valid name" };
            let message = format!("the tool {} cannot be declared: {} {why}", quote(tool), quote(name));
            findings.add(codes::LEFT_OUT, at, message, UNKNOWN);
            return;
        }
        let known = self.tools.entry(name.to_owned()).or_insert_with(|| (at, BTreeMap::new()));
        if let Some(operation) = operation {
            known.1.entry(operation.to_owned()).or_insert(at);
        }
        let operation_name = operation.map_or_else(|| name.to_owned(), |operation| format!("{name}.{operation}"));
        self.by_effect.entry(effect).or_default().others.push(Piece::new(at, operation_name));
    }

    /// Applies entries with name patterns to the built-in tools and to tools that other entries name; no others are known.
    fn apply_name_patterns(&mut self, findings: &mut Findings) {
        for (effect, Piece { at, text }) in std::mem::take(&mut self.by_name) {
            let names = WordGlob::new(&text);
            let mut matching: Vec<String> = Vec::new();
            for (name, (_, operations)) in &self.tools {
                let operation =
                    |operation: &String| (format!("mcp__{name}__{operation}"), format!("{name}.{operation}"));
                let alone = operations.is_empty().then(|| (name.clone(), name.clone()));
                let named = operations.keys().map(operation).chain(alone);
                matching.extend(named.filter(|(there, _)| names.matches(there)).map(|(_, here)| here));
            }
            let entries = self.by_effect.entry(effect).or_default();
            entries.others.extend(matching.into_iter().map(|operation| Piece::new(at, operation)));
            if effect == Effect::Allow {
                let message = format!("{} allows only the tools that other entries name", quote(&text));
                findings.add(codes::LEFT_OUT, at, message, UNKNOWN);
                continue;
            }
            for tool in BuiltInTool::all().filter(|(name, _)| names.matches(name)).map(|(_, tool)| tool) {
                entries.add(effect, at, tool, None, findings);
            }
        }
        self.restrict_commands(findings);
    }

    /// Reports the restrictions on commands that other entries imply in Claude Code.
    fn restrict_commands(&mut self, findings: &mut Findings) {
        let runs = |effect| self.by_effect.get(&effect).and_then(EffectEntries::first_command);
        let restricted = runs(Effect::Deny).or(runs(Effect::Ask));
        let is_any_run = runs(Effect::Allow).is_some() || runs(Effect::Ask).is_some();
        let denied = self.by_effect.get(&Effect::Deny);
        let denied_path = denied.and_then(|entries| entries.paths.iter().flatten().map(|path| path.at).min());
        if let Some(at) = denied_path.filter(|_| is_any_run) {
            let message = "commands can access files that are denied to the file tools";
            let help = "Claude Code also applies this to `cat`, `sed` and similar commands; deny them, or keep the file outside the root";
            findings.add(codes::NOT_ENFORCED, at, message, help);
        }
        if let Some(at) = restricted.filter(|_| is_any_run) {
            let message = "commands that start other commands are denied, because those are not judged";
            let help = "Claude Code judges what `timeout`, `nohup`, `xargs` and similar commands start; see the rule `deny-starters`";
            findings.add(codes::STRICTER, at, message, help);
            self.denies_starters = Some(at);
        }
    }

    fn draft(self, at: Span) -> Draft {
        let mut draft = Draft::default();
        for (name, (at, operations)) in self.tools {
            let operations = operations.into_iter().map(|(name, at)| Piece::new(at, name)).collect();
            draft.tool(DraftTool { name: Piece::new(at, name), operations });
        }
        let everywhere = |at| vec![Piece::new(at, "path in \"**\"")];
        let mut reads = DraftRule::new("read-without-asking", Effect::Allow, at, pieces(at, READS));
        reads.comment = "Claude Code reads the workspace without asking.";
        reads.condition = everywhere(at);
        draft.test(DraftTest::of(&reads.name, Effect::Allow, at, format!("file.read path {UNNAMED}")));
        draft.rule(reads);
        if let Some(at) = self.accepts_edits {
            let mut edits = DraftRule::new("accept-edits", Effect::Allow, at, pieces(at, EDITS));
            edits.condition = everywhere(at);
            draft.test(DraftTest::of(&edits.name, Effect::Allow, at, format!("file.write path {UNNAMED}")));
            draft.rule(edits);
        }
        if let Some(at) = self.denies_starters {
            let mut starters = DraftRule::new("deny-starters", Effect::Deny, at, pieces(at, &["shell.exec"]));
            let names: Vec<String> = STARTERS.iter().map(|name| format!("\"{name}\"")).collect();
            starters.condition = vec![Piece::new(at, format!("command in {}", names.join(", ")))];
            draft.test(DraftTest::of(
                &starters.name,
                Effect::Deny,
                at,
                "shell.exec command \"nohup\" line \"nohup a\"",
            ));
            draft.rule(starters);
        }
        for (effect, entries) in self.by_effect {
            entries.draft(effect, at, &mut draft);
        }
        draft
    }
}

impl EffectEntries {
    fn add(&mut self, effect: Effect, at: Span, tool: BuiltInTool, pattern: Option<&str>, findings: &mut Findings) {
        match tool {
            BuiltInTool::Bash => self.command(effect, at, pattern, findings),
            BuiltInTool::WebFetch => self.host(effect, at, pattern, findings),
            BuiltInTool::Files(group) => {
                let paths = pattern::paths(effect, at, pattern, findings);
                self.paths.iter_mut().skip(group).take(1).for_each(|known| known.extend(paths.iter().cloned()));
            }
        }
    }

    fn command(&mut self, effect: Effect, at: Span, pattern: Option<&str>, findings: &mut Findings) {
        self.first_command.get_or_insert(at);
        let Some(pattern) = pattern else {
            self.all_commands = Some(at);
            return;
        };
        match pattern::add(&mut self.commands, effect, at, pattern, findings) {
            Some(line) => {
                self.line.get_or_insert((at, line));
            }
            None => {
                let message = format!("{} is not a simple command, so it matches none", quote(pattern));
                let code = if effect == Effect::Allow { codes::LEFT_OUT } else { codes::NOT_ENFORCED };
                findings.add(code, at, message, "commands of a line are judged one by one: write an entry for each");
            }
        }
    }

    fn first_command(&self) -> Option<Span> {
        self.first_command
    }

    fn host(&mut self, effect: Effect, at: Span, pattern: Option<&str>, findings: &mut Findings) {
        let Some(pattern) = pattern else {
            self.all_hosts = Some(at);
            return;
        };
        let Some(domain) = pattern.strip_prefix("domain:") else {
            let message = format!("{} does not name a host", quote(pattern));
            findings.add(codes::WRONG_VALUE, at, message, "write `WebFetch(domain:example.com)`");
            return;
        };
        self.hosts.extend(findings.literal(at, domain).map(|literal| Piece::new(at, literal)));
        // Denying a domain also denies its subdomains.
        if effect == Effect::Deny && !domain.starts_with('*') {
            self.hosts.extend(findings.literal(at, &format!("*.{domain}")).map(|literal| Piece::new(at, literal)));
        }
    }

    fn draft(self, effect: Effect, at: Span, draft: &mut Draft) {
        let name = |what: &str| format!("{}-{what}", effect.as_str());
        if self.all_commands.is_some() || !self.commands.is_empty() {
            let at = self.all_commands.unwrap_or(at);
            let mut rule = DraftRule::new(name("commands"), effect, at, pieces(at, &["shell.exec"]));
            if self.all_commands.is_none() {
                rule.condition = self.commands.condition();
            }
            let facts = self.line.as_ref().and_then(|(at, line)| Some((*at, facts_of(line)?)));
            let (at, facts) = facts.unwrap_or((at, "shell.exec command \"a\" line \"a\"".to_owned()));
            add_with_test(rule, effect, at, facts, draft);
        }
        for (group, patterns) in TOOL_GROUPS.iter().zip(self.paths) {
            let Some(first) = patterns.first() else { continue };
            let at = first.at;
            let path = first.text.replace("**/", "").replace("/**", "/a").replace("**", "a").replace('*', "a");
            let request = format!("{} path {path}", group.operations.first().copied().unwrap_or_default());
            // A denial must not be bypassed with another operation.
            let more = if effect == Effect::Deny { group.also_denied } else { &[] };
            let operations: Vec<&str> = group.operations.iter().chain(more).copied().collect();
            let mut rule = DraftRule::new(name(group.name), effect, at, pieces(at, &operations));
            rule.condition = vec![Piece::new(Span::default(), "path in\n")];
            rule.condition.extend(separated(patterns, ",\n"));
            add_with_test(rule, effect, at, request, draft);
        }
        if self.all_hosts.is_some() || !self.hosts.is_empty() {
            let at = self.all_hosts.unwrap_or(at);
            let mut rule = DraftRule::new(name("fetching"), effect, at, pieces(at, &["http.request"]));
            let host = self.hosts.first().map_or("\"a.example\"".to_owned(), |host| host.text.replace('*', "a"));
            if self.all_hosts.is_none() {
                rule.condition = vec![Piece::new(Span::default(), "host in\n")];
                rule.condition.extend(separated(self.hosts, ",\n"));
            }
            // WebFetch only reads, and only over TLS.
            if effect != Effect::Deny {
                let and = if rule.condition.is_empty() { "" } else { "\nand " };
                rule.condition
                    .push(Piece::new(at, format!("{and}method in \"GET\", \"HEAD\" and scheme == \"https\"")));
            }
            add_with_test(rule, effect, at, format!("http.request host {host} method \"GET\" scheme \"https\""), draft);
        }
        let mut seen = BTreeSet::new();
        let mut others = self.others;
        others.retain(|operation| seen.insert(operation.text.clone()));
        if let Some(first) = others.first() {
            let (at, request) = (first.at, first.text.clone());
            add_with_test(DraftRule::new(name("others"), effect, at, others), effect, at, request, draft);
        }
    }
}

fn add_with_test(rule: DraftRule, effect: Effect, at: Span, request: String, draft: &mut Draft) {
    draft.test(DraftTest::of(&rule.name, effect, at, request));
    draft.rule(rule);
}

fn pieces(at: Span, texts: &[&str]) -> Vec<Piece> {
    texts.iter().map(|text| Piece::new(at, *text)).collect()
}

/// A tool of Claude Code with a built-in counterpart.
#[derive(Debug, Clone, Copy)]
enum BuiltInTool {
    Bash,
    WebFetch,
    /// An index into [`TOOL_GROUPS`].
    Files(usize),
}

impl BuiltInTool {
    fn all() -> impl Iterator<Item = (&'static str, Self)> {
        let group = |(number, group): (usize, &'static ToolGroup)| {
            group.tools.iter().map(move |tool| (*tool, Self::Files(number)))
        };
        let files = TOOL_GROUPS.iter().enumerate().flat_map(group);
        [("Bash", Self::Bash), ("WebFetch", Self::WebFetch)].into_iter().chain(files)
    }

    fn of(name: &str) -> Option<Self> {
        Self::all().find(|(known, _)| *known == name).map(|(_, tool)| tool)
    }
}

/// Tools of Claude Code that stand for the same operations on paths.
struct ToolGroup {
    name: &'static str,
    tools: &'static [&'static str],
    operations: &'static [&'static str],
    also_denied: &'static [&'static str],
}

/// An entry for one tool applies to its whole group.
static TOOL_GROUPS: [ToolGroup; 4] = [
    ToolGroup {
        name: "reading",
        tools: &["Read", "NotebookRead"],
        operations: READS,
        also_denied: &["fs.copy", "fs.move", "file.write", "file.edit", "file.patch"],
    },
    ToolGroup { name: "listing", tools: &["Glob", "LS"], operations: &["fs.list"], also_denied: &[] },
    ToolGroup { name: "searching", tools: &["Grep"], operations: &["fs.grep"], also_denied: &[] },
    ToolGroup {
        name: "editing",
        tools: &["Edit", "Write", "MultiEdit", "NotebookEdit"],
        operations: EDITS,
        also_denied: &["fs.move", "fs.copy", "fs.delete", "ast.edit"],
    },
];

const READS: &[&str] = &["file.read", "fs.list", "fs.grep"];
const EDITS: &[&str] = &["file.write", "file.edit", "file.patch"];
const UNKNOWN: &str = "what a policy does not allow is denied; to allow more, declare the tool and write a rule";

/// Keys beside `permissions` that restrict what an agent may do.
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

/// Commands for which Claude Code judges the command that they start.
const STARTERS: [&str; 9] = ["timeout", "time", "nice", "nohup", "stdbuf", "command", "builtin", "noglob", "xargs"];
const UNNAMED: &str = "\"an/unnamed/file\"";
