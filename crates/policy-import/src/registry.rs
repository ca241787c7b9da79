//! A registry of version 1: allowed hosts and command lines, pushing, and validators.
//!
//! A registry restricts the network, commands and pushing. Every other tool of its runtime is allowed inside the workspace,
//! so the policy allows it too, in separate rules that are easy to narrow.

use policy_syntax::{Effect, Span, did_you_mean, quote};

use crate::command::{Lines, facts_of, line_matching};
use crate::draft::{Draft, DraftRule, DraftSet, DraftTest, Piece};
use crate::findings::Findings;
use crate::tree::{Node, Value};
use crate::{codes, report_parse_error, yaml};

pub(crate) const HEAD: &str = "\
# Imported from a registry. The rules allow what it allows, and what it leaves open inside the workspace. Everything
# else is denied. The commands of a shell line are judged one by one.
";

pub(crate) fn read(text: &str, findings: &mut Findings) -> Option<Draft> {
    let read = yaml::read(text).map_err(|error| report_parse_error(&error, "YAML", findings)).ok()?;
    for at in read.literal_backslashes {
        let written = text.get(at.range()).unwrap_or_default();
        let message = format!("{} is not an escape in YAML; it is read literally", quote(written));
        findings.add(codes::AMBIGUOUS, at, message, "write regexes in single quotes, where a backslash is literal");
    }
    let mut registry = Registry { at: read.node.at, ..Registry::default() };
    registry.read(&read.node, findings);
    Some(registry.draft())
}

/// The contents of a registry.
#[derive(Debug, Default)]
struct Registry {
    at: Span,
    domains: Vec<Piece>,
    lines: Lines,
    example_line: Option<(Span, String)>,
    push: Option<(Span, bool)>,
    clean_commit: Option<Span>,
    language: Option<Piece>,
    format_on_save: Option<Span>,
    validate_on_edit: Option<Span>,
    /// By level: blocking, warning, suggestion.
    validators: [Vec<Piece>; 3],
    /// The blocking validators with their places.
    blocking: Vec<(&'static Validator, Span)>,
}

impl Registry {
    fn read(&mut self, node: &Node, findings: &mut Findings) {
        let keys = ["version", "network", "shell_allow", "git", "ast", "validators"];
        let entries = findings.map(node, "a registry", &keys);
        if matches!(node.value, Value::Map(_)) && !entries.iter().any(|entry| entry.key == "version") {
            findings.add(
                codes::WRONG_VALUE,
                Span::new(0, 0),
                "the registry has no version",
                "write `version: 1` first",
            );
        }
        for entry in entries {
            let value = &entry.value;
            match entry.key.as_str() {
                "version" if value.value != Value::Whole(1) => {
                    let message = "unsupported registry version";
                    findings.add(codes::WRONG_VALUE, value.at, message, "only `version: 1` can be imported");
                }
                "network" => self.network(value, findings),
                "shell_allow" => self.shell(value, findings),
                "git" => self.git(value, findings),
                "ast" => self.ast(value, findings),
                "validators" => self.validators(value, findings),
                _ => {}
            }
        }
    }

    fn network(&mut self, node: &Node, findings: &mut Findings) {
        for entry in findings.map(node, "`network`", &["allowed_domains"]) {
            if entry.key == "allowed_domains" {
                for (at, domain) in findings.texts(&entry.value, "`allowed_domains`") {
                    self.domains.extend(findings.literal(at, domain).map(|literal| Piece::new(at, literal)));
                }
            }
        }
    }

    fn shell(&mut self, node: &Node, findings: &mut Findings) {
        for (at, regex) in findings.texts(node, "`shell_allow`") {
            self.lines.regex(at, regex, findings);
            if self.example_line.is_none() {
                self.example_line = line_matching(regex).map(|line| (at, line));
            }
        }
    }

    fn git(&mut self, node: &Node, findings: &mut Findings) {
        for entry in findings.map(node, "`git`", &["allow_push", "require_clean_tree_for_commit"]) {
            let at = entry.key_at.to(entry.value.at);
            let flag = |findings: &mut Findings| findings.flag(&entry.value, &format!("`{}`", entry.key));
            match entry.key.as_str() {
                "allow_push" => self.push = flag(findings).map(|flag| (at, flag)),
                "require_clean_tree_for_commit" => self.clean_commit = flag(findings).filter(|flag| *flag).map(|_| at),
                _ => {}
            }
        }
    }

    fn ast(&mut self, node: &Node, findings: &mut Findings) {
        for entry in findings.map(node, "`ast`", &["language", "format_on_save", "validate_on_edit"]) {
            let at = entry.key_at.to(entry.value.at);
            let flag =
                |findings: &mut Findings| findings.flag(&entry.value, &format!("`{}`", entry.key)).filter(|flag| *flag);
            match entry.key.as_str() {
                "language" => {
                    let text = findings.text(&entry.value, "`language`");
                    let literal = text.and_then(|text| findings.literal(entry.value.at, text));
                    self.language = literal.map(|literal| Piece::new(entry.value.at, literal));
                }
                "format_on_save" => self.format_on_save = flag(findings).map(|_| at),
                "validate_on_edit" => self.validate_on_edit = flag(findings).map(|_| at),
                _ => {}
            }
        }
    }

    fn validators(&mut self, node: &Node, findings: &mut Findings) {
        for item in findings.list(node, "`validators`") {
            let entries = findings.map(item, "a validator", &["rule", "enforcement"]);
            let mut value_of = |key: &str| {
                let entry = entries.iter().find(|entry| entry.key == key);
                if entry.is_none() && matches!(item.value, Value::Map(_)) {
                    let message = format!("the validator has no `{key}`");
                    findings.add(codes::WRONG_VALUE, item.at, message, "a validator is a `rule` and its `enforcement`");
                }
                let entry = entry?;
                findings.text(&entry.value, &format!("`{key}`")).map(|text| (entry.value.at, text))
            };
            let (Some((rule_at, rule)), Some((level_at, level))) = (value_of("rule"), value_of("enforcement")) else {
                continue;
            };
            self.validator((rule_at, rule), (level_at, level), findings);
        }
    }

    fn validator(&mut self, (rule_at, rule): (Span, &str), (level_at, level): (Span, &str), findings: &mut Findings) {
        let check = VALIDATORS_KNOWN.iter().find(|check| check.rule == rule);
        let place = LEVELS.iter().position(|known| *known == level);
        if check.is_none() {
            let help = did_you_mean(rule, "validators", VALIDATORS_KNOWN.iter().map(|check| check.rule));
            findings.add(codes::WRONG_VALUE, rule_at, format!("unknown validator {}", quote(rule)), help);
        }
        if place.is_none() {
            let help = did_you_mean(level, "levels", LEVELS);
            findings.add(codes::WRONG_VALUE, level_at, format!("unknown enforcement {}", quote(level)), help);
        }
        let (Some(check), Some(place), Some(literal)) = (check, place, findings.literal(rule_at, rule)) else {
            return;
        };
        let is_known = self.validators.iter().flatten().any(|known| known.text == literal);
        if is_known {
            let help = "remove one of them";
            findings.add(codes::WRONG_VALUE, rule_at, format!("duplicate validator {}", quote(rule)), help);
        }
        if place == BLOCKING {
            self.blocking.push((check, rule_at));
        } else if check.requirement.is_none() {
            let message = format!("{} is enforced here, but is only a {level} there", quote(rule));
            findings.add(codes::STRICTER, level_at, message, "what a policy does not allow is always denied");
        }
        if let Some(level) = self.validators.get_mut(place) {
            level.push(Piece::new(rule_at, literal));
        }
    }

    /// Returns the requirements of an operation, each once.
    fn requirements(&self, operation: &str, more: &[(&'static str, Option<Span>)]) -> Vec<Piece> {
        let more = more.iter().filter_map(|(name, at)| Some(Piece::new((*at)?, *name)));
        // A clean tree implies the validators that block a commit.
        let is_validated = self.blocking.iter().any(|(check, _)| {
            check.requirement == Some("clean-tree") && operation != "git.commit" && check.before.contains(&operation)
        });
        let is_before = |check: &Validator| check.before.contains(&operation) || is_validated && check.before == COMMIT;
        let blocking = self.blocking.iter().filter(|(check, _)| is_before(check));
        let blocking = blocking.filter_map(|(check, at)| Some(Piece::new(*at, check.requirement?)));
        let mut pieces: Vec<Piece> = Vec::new();
        for piece in more.chain(blocking) {
            if !pieces.iter().any(|known| known.text == piece.text) {
                pieces.push(piece);
            }
        }
        pieces
    }

    fn draft(self) -> Draft {
        let mut draft = Draft::default();
        let at = self.at;
        self.files(&mut draft);
        self.git_rules(&mut draft);
        self.ast_rules(&mut draft);
        let requests_of_hosts = self.blocking.iter().any(|(check, _)| check.rule == "sec.network.allowlist");
        if let Some(first) = self.domains.first() {
            let host = first.text.replace("\"*.", "\"a.").replace("\"*\"", "\"a.example\"");
            let mut rule = rule("network", "", at, &["http.request"]);
            rule.condition = vec![Piece::new(at, "host in allowed-domains")];
            rule.limit = Some(if requests_of_hosts { "redirects <= 3, body <= 5 MiB" } else { "body <= 5 MiB" });
            draft.rule(rule);
            draft.test(DraftTest::of("network", Effect::Allow, at, format!("http.request host {host}")));
            draft.set(DraftSet { keyword: "hosts", name: "allowed-domains", members: self.domains });
        }
        if !self.lines.is_empty() {
            let mut rule = rule(
                "shell",
                "The hosts that a command contacts are unknown, so no command may use the network.",
                at,
                &["shell.exec"],
            );
            rule.condition = self.lines.condition();
            rule.condition.push(Piece::new(at, "\nand not network"));
            rule.limit = Some("output <= 5 MiB");
            draft.rule(rule);
            if let Some((at, line)) = self.example_line
                && let Some(facts) = facts_of(&line)
            {
                draft.test(DraftTest::of("shell", Effect::Allow, at, facts));
            }
        }
        let mut sets: Vec<&str> = Vec::new();
        let mut first = None;
        for (name, members) in SETS.iter().zip(self.validators) {
            if let Some(member) = members.first() {
                first.get_or_insert_with(|| member.text.clone());
                sets.push(name);
                draft.set(DraftSet { keyword: "names", name, members });
            }
        }
        if let Some(first) = first {
            let mut rule = rule("validators", VALIDATORS, at, &["validate.run"]);
            rule.condition = vec![Piece::new(at, format!("rule in {}", sets.join(", ")))];
            draft.rule(rule);
            draft.test(DraftTest::of("validators", Effect::Allow, at, format!("validate.run rule {first}")));
        }
        draft
    }

    fn files(&self, draft: &mut Draft) {
        let at = self.at;
        for (name, comment, operations) in [
            ("files-read", "A registry allows every file of the workspace.", ["file.read", "fs.list", "fs.grep"]),
            ("files-write", "", ["file.write", "file.edit", "file.patch"]),
            ("files-move", "", ["fs.move", "fs.copy", "fs.delete"]),
        ] {
            let mut rule = rule(name, comment, at, &operations);
            rule.condition = vec![Piece::new(at, "path in \"**\"")];
            if name == "files-write" {
                rule.requirements = self.requirements("file.write", &[]);
            }
            let operation = operations.first().copied().unwrap_or_default();
            draft.rule(rule);
            draft.test(DraftTest::of(name, Effect::Allow, at, format!("{operation} path \"src/main.rs\"")));
        }
        for (name, operation) in [("processes", "proc.list"), ("metrics", "metrics.emit")] {
            draft.rule(rule(name, "", at, &[operation]));
            draft.test(DraftTest::of(name, Effect::Allow, at, operation));
        }
    }

    fn git_rules(&self, draft: &mut Draft) {
        let at = self.at;
        let clean = Some(at);
        let rules: [(&'static str, &'static str, &[&'static str], Vec<Piece>); 5] = [
            ("git-look", GIT, &["git.status", "git.diff", "git.add"], Vec::new()),
            ("git-commit", "", &["git.commit"], self.requirements("git.commit", &[("clean-tree", self.clean_commit)])),
            ("git-checkout", "", &["git.checkout"], self.requirements("git.checkout", &[("clean-tree", clean)])),
            ("git-merge", "", &["git.merge"], self.requirements("git.merge", &[])),
            ("git-rebase", "", &["git.rebase"], self.requirements("git.rebase", &[("clean-tree", clean)])),
        ];
        for (name, comment, operations, requirements) in rules {
            let operation = operations.first().copied().unwrap_or_default();
            draft.rule(DraftRule { requirements, ..rule(name, comment, at, operations) });
            draft.test(DraftTest::of(name, Effect::Allow, at, operation));
        }
        match self.push {
            Some((at, true)) => {
                let requirements = self.requirements("git.push", &[]);
                draft.rule(DraftRule { requirements, ..rule("git-push", "", at, &["git.push"]) });
                draft.test(DraftTest::of("git-push", Effect::Allow, at, "git.push"));
            }
            Some((at, false)) => {
                let because = Piece::new(at, "\"The registry forbids pushing.\"");
                draft.rule(DraftRule {
                    effect: Effect::Deny,
                    because: Some(because),
                    ..rule("git-push", "", at, &["git.push"])
                });
                draft.test(DraftTest::of("git-push", Effect::Deny, at, "git.push"));
            }
            None => {}
        }
    }

    fn ast_rules(&self, draft: &mut Draft) {
        let at = self.at;
        let mut parse = rule("ast-parse", "", at, &["ast.generate"]);
        let mut request = "ast.generate path \"src/main.rs\"".to_owned();
        if let Some(language) = &self.language {
            parse.condition = vec![Piece::new(at, "language == "), language.clone()];
            request.push_str(&format!(" language {}", language.text));
        }
        draft.rule(parse);
        draft.test(DraftTest::of("ast-parse", Effect::Allow, at, request));
        draft.rule(rule("ast-look", "", at, &["ast.query", "ast.validate", "ast.external"]));
        draft.test(DraftTest::of("ast-look", Effect::Allow, at, "ast.query path \"src/main.rs\""));
        let more = [("code.ast.parsed", self.validate_on_edit), ("fmt.must.pass", self.format_on_save)];
        let requirements = self.requirements("ast.edit", &more);
        draft.rule(DraftRule { requirements, ..rule("ast-edit", "", at, &["ast.edit"]) });
        draft.test(DraftTest::of("ast-edit", Effect::Allow, at, "ast.edit path \"src/main.rs\""));
    }
}

fn rule(name: &str, comment: &'static str, at: Span, operations: &[&str]) -> DraftRule {
    let operations = operations.iter().map(|operation| Piece::new(at, *operation)).collect();
    DraftRule { comment, ..DraftRule::new(name, Effect::Allow, at, operations) }
}

/// A validator that a registry can name.
#[derive(Debug)]
struct Validator {
    rule: &'static str,
    /// The requirement in the language; `None` for what every policy enforces.
    requirement: Option<&'static str>,
    before: &'static [&'static str],
}

const fn check(rule: &'static str, requirement: Option<&'static str>, before: &'static [&'static str]) -> Validator {
    Validator { rule, requirement, before }
}

/// The known validators, each with the operations that require it.
const VALIDATORS_KNOWN: [Validator; 17] = [
    check("sec.network.allowlist", None, &[]),
    check("sec.shell.allowlist", None, &[]),
    check("sec.paths.sandbox", None, &[]),
    check("sec.git.clean_tree", Some("clean-tree"), &["git.commit", "git.push", "git.rebase", "git.merge"]),
    check("code.ast.parsed", Some("code.ast.parsed"), &["file.write", "ast.edit"]),
    check("build.must.pass", Some("build.must.pass"), COMMIT),
    check("lint.must.pass", Some("lint.must.pass"), COMMIT),
    check("fmt.must.pass", Some("fmt.must.pass"), COMMIT),
    check("code.todo.blockers", Some("code.todo.blockers"), COMMIT),
    check("test.required.changed", Some("test.required.changed"), COMMIT),
    check("secrets.scan", Some("secrets.scan"), COMMIT),
    check("code.fn.docs.exported", Some("code.fn.docs.exported"), COMMIT),
    check("code.no.panic.in.lib", Some("code.no.panic.in.lib"), COMMIT),
    check("code.no.unwrap", Some("code.no.unwrap"), COMMIT),
    check("code.mod.import.rules", Some("code.mod.import.rules"), COMMIT),
    check("commit.message.conventional", Some("commit.message.conventional"), COMMIT),
    check("branch.naming.convention", Some("branch.naming.convention"), &["git.checkout"]),
];

const COMMIT: &[&str] = &["git.commit"];
const LEVELS: [&str; 3] = ["blocking", "warning", "suggestion"];
const BLOCKING: usize = 0;
const SETS: [&str; 3] = ["validators-blocking", "validators-warning", "validators-suggestion"];
const GIT: &str = "A registry allows these. It never allows `git.pull`.";
const VALIDATORS: &str = "\
Blocking validators are requirements of the rules that they block. The others block nothing, and may be run.";
