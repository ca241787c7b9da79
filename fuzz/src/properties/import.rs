//! Files of other tools: whatever is in one, importing it ends with a policy or with findings, and a policy answers as the
//! file says.

use std::collections::BTreeSet;
use std::path::Path;

use enforce_core::shell::Line;
use policy_import::{Format, Imported, Names, import};
use policy_model::{CheckOptions, Memory, Model, check_in};
use policy_syntax::{FileId, Severity, Source, Sources};
use verify::cases::Premise;

/// A file of any bytes becomes a policy that is right and laid out, or errors at places that are in it.
pub fn any_file_is_a_policy_or_findings(bytes: &[u8]) -> Premise {
    let Some((first, file)) = bytes.split_first().filter(|(first, _)| **first < CHOICES) else {
        return Premise::Missed;
    };
    let imported = imported(format_of(*first), file);
    let text_of = |id: FileId| imported.sources.get(id).map_or("", Source::text);
    for finding in &imported.diagnostics {
        let at = finding.primary.at;
        assert!(text_of(at.file).get(at.span.range()).is_some(), "{finding:?}");
    }
    let has_errors = imported.diagnostics.iter().any(|finding| finding.code.severity == Severity::Error);
    assert_eq!(imported.policy.is_none(), has_errors, "a policy, or errors: {:?}", imported.diagnostics);
    let Some(policy) = imported.policy else {
        return Premise::Missed;
    };
    model_of(&policy);
    let id = Sources::default().add(Source::new("", ""));
    assert_eq!(policy_syntax::format(id, &policy).as_deref(), Ok(policy.as_str()), "it is laid out");
    Premise::Met
}

/// What rules of each format say of a few requests is what the policy made of them answers.
pub fn a_policy_answers_as_the_file_says(bytes: &[u8]) -> Premise {
    let Some((first, rest)) = bytes.split_first().filter(|(first, _)| **first >= CHOICES) else {
        return Premise::Missed;
    };
    let mut choices = Choices(rest);
    let is_any = match format_of(*first) {
        Format::Registry => registry(&mut choices),
        Format::ToolRules => tool_rules(&mut choices),
        Format::ClaudeCode => claude_code(&mut choices),
        Format::Codex => codex(&mut choices),
    };
    Premise::of(is_any)
}

/// Bytes as choices; where they end, the first of everything.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn below(&mut self, count: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first).checked_rem(count).unwrap_or_default()
    }

    fn is(&mut self) -> bool {
        self.below(2) == 1
    }

    #[expect(clippy::expect_used, reason = "the lists below are not empty")]
    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        *list.get(self.below(list.len())).expect("below its length")
    }

    fn some<T: Copy>(&mut self, list: &[T]) -> Vec<T> {
        list.iter().copied().filter(|_| self.is()).collect()
    }
}

fn registry(choices: &mut Choices<'_>) -> bool {
    let domains = choices.some(&["docs.rs", "*.docs.rs", "crates.io"]);
    let regexes = choices.some(&REGEXES);
    let push = choices.of(&[None, Some(true), Some(false)]);
    let is_clean = choices.is();
    let language = choices.of(&[None, Some("rust")]);
    let is_double = choices.is();
    let validators: Vec<(&str, &str)> = choices
        .some(&["secrets.scan", "sec.git.clean_tree", "code.no.unwrap", "sec.network.allowlist"])
        .into_iter()
        .map(|rule| (rule, choices.of(&["blocking", "warning", "suggestion"])))
        .collect();
    // In double quotes a backslash that YAML does not know is one all the same.
    let quoted = |text: &&str| if is_double { format!("\"{text}\"") } else { format!("'{text}'") };
    let list = |texts: &[&str]| texts.iter().map(quoted).collect::<Vec<_>>().join(", ");
    let patterns: Vec<&str> = regexes.iter().map(|(regex, _)| *regex).collect();
    let mut text = format!(
        "version: 1\nnetwork:\n  allowed_domains: [{}]\nshell_allow: [{}]\ngit:\n  require_clean_tree_for_commit: {is_clean}\n",
        list(&domains),
        list(&patterns)
    );
    text.push_str(&push.map_or(String::new(), |push| format!("  allow_push: {push}\n")));
    text.push_str(&language.map_or(String::new(), |language| format!("ast:\n  language: {language}\n")));
    text.push_str("validators:");
    text.push_str(if validators.is_empty() { " []\n" } else { "\n" });
    for (rule, level) in &validators {
        text.push_str(&format!("  - rule: {rule}\n    enforcement: {level}\n"));
    }

    let mut questions = Questions::default();
    for host in ["docs.rs", "a.docs.rs", "crates.io", "evil.example", "docs.rs.evil.example"] {
        let matches = |domain: &&str| match domain.strip_prefix('*') {
            Some(below) => host.ends_with(below),
            None => host == *domain,
        };
        questions.ask(&format!("http.request host \"{host}\""), said(domains.iter().any(matches)));
    }
    for line in ["cargo", "cargo test", "cargotest", "npm test", "npm test x", "x rg y", "rm a"] {
        let is_said = regexes.iter().any(|(_, matches)| matches(line));
        questions.ask(&format!("shell.exec line \"{line}\""), said(is_said));
        questions.ask(&format!("shell.exec line \"{line}\" network"), "deny");
    }
    questions.ask("git.push", said(push == Some(true)));
    questions.ask("git.pull", "deny");
    questions.ask("ast.generate language \"rust\"", "allow");
    questions.ask("ast.generate language \"c\"", said(language.is_none()));
    questions.ask("file.write path \"src/a\"", "allow");
    questions.ask("file.write path \"a.policy\"", "deny");
    for rule in ["secrets.scan", "code.no.unwrap", "lint.must.pass"] {
        let is_named = validators.iter().any(|(known, _)| *known == rule);
        questions.ask(&format!("validate.run rule \"{rule}\""), said(is_named));
    }
    let model = questions.answered(Format::Registry, &text);
    let blocks = |rule: &str| validators.contains(&(rule, "blocking"));
    let mut required: BTreeSet<&str> = BTreeSet::new();
    required.extend((is_clean || blocks("sec.git.clean_tree")).then_some("clean-tree"));
    required.extend(["secrets.scan", "code.no.unwrap"].into_iter().filter(|rule| blocks(rule)));
    let commit = model.rules.iter().find(|rule| rule.name == "git-commit");
    let owed: BTreeSet<&str> = commit.into_iter().flat_map(|rule| &rule.requirements).map(String::as_str).collect();
    assert_eq!(owed, required, "{text}");
    true
}

fn tool_rules(choices: &mut Choices<'_>) -> bool {
    let tools = ["file", "block_edit", "jira"];
    let names = ["read", "append", "patch", "write"];
    let count = choices.below(4);
    let rules: Vec<(&str, Vec<&str>, usize)> =
        (0..count).map(|_| (choices.of(&tools), choices.some(&names), choices.below(3))).collect();
    let mut text = String::from("tool_rules = []\n");
    if !rules.is_empty() {
        text.clear();
    }
    for (tool, operations, priority) in &rules {
        text.push_str(&format!(
            "[[tool_rules]]\ntool_name = \"{tool}\"\nrule_type = {{ AllowedOperations = {operations:?} }}\npriority = {priority}\n"
        ));
    }
    let is_left = |tool: &str, operation: &str| {
        let mut of_tool = rules.iter().filter(|(name, ..)| *name == tool).peekable();
        of_tool.peek().is_some() && of_tool.all(|(_, operations, _)| operations.contains(&operation))
    };
    let mut questions = Questions::default();
    for operation in ["read", "patch"] {
        questions.ask(&format!("file.{operation}"), said(is_left("file", operation)));
    }
    questions.ask("file.write", said(is_left("file", "write")));
    questions.ask("file.write append", said(is_left("file", "append") || is_left("file", "write")));
    // What is not left of another tool is not even declared.
    for (tool, operation) in ["block_edit", "jira"].into_iter().flat_map(|tool| names.map(|name| (tool, name))) {
        if is_left(tool, operation) {
            questions.ask(&format!("{tool}.{operation}"), "allow");
        }
    }
    let model = questions.answered(Format::ToolRules, &text);
    for (tool, operation) in ["block_edit", "jira"].into_iter().flat_map(|tool| names.map(|name| (tool, name))) {
        let is_declared = model.operations.iter().any(|known| *known.name == *format!("{tool}.{operation}"));
        assert_eq!(is_declared, is_left(tool, operation), "{text}");
    }
    !rules.is_empty()
}

fn claude_code(choices: &mut Choices<'_>) -> bool {
    let [allow, ask, deny] = [(); 3].map(|()| choices.some(&COMMANDS));
    let [edited, unread] = [(); 2].map(|()| choices.some(&PATHS));
    let commands = |entries: &[Claimed]| entries.iter().map(|entry| format!("Bash({})", entry.0)).collect::<Vec<_>>();
    let paths = |tool: &str, entries: &[Claimed]| entries.iter().map(|entry| format!("{tool}({})", entry.0)).collect();
    let all = |lists: [Vec<String>; 2]| format!("{:?}", lists.concat());
    let text = format!(
        "{{\"permissions\": {{\"allow\": {}, \"ask\": {:?}, \"deny\": {}}}}}",
        all([commands(&allow), paths("Edit", &edited)]),
        commands(&ask),
        all([commands(&deny), paths("Read", &unread)]),
    );
    let mut questions = Questions::default();
    let stands = |entries: &[Claimed], text: &str| entries.iter().any(|(_, _, stands)| stands(text));
    let surely = |entries: &[Claimed], text: &str| entries.iter().any(|(_, surely, _)| surely(text));
    for line in LINES {
        let answer = strictest(stands(&deny, line), stands(&ask, line), surely(&allow, line));
        questions.ask(&format!("shell.exec line \"{line}\""), answer);
    }
    for path in [".env", "a/.env", "top/a", "x/top/a", "src/a.ts", "x/src/a.ts", "b", "x/key"] {
        questions.ask(&format!("file.read path \"{path}\""), said(!stands(&unread, path)));
        let answer = strictest(stands(&unread, path), false, surely(&edited, path));
        questions.ask(&format!("file.write path \"{path}\""), answer);
    }
    questions.answered(Format::ClaudeCode, &text);
    !(allow.is_empty() && ask.is_empty() && deny.is_empty() && edited.is_empty() && unread.is_empty())
}

fn codex(choices: &mut Choices<'_>) -> bool {
    let words = ["git", "push", "a b", "*", "it's"];
    let count = choices.below(4);
    let rule = |choices: &mut Choices<'_>| {
        let length = choices.below(3) + 1;
        let place = |choices: &mut Choices<'_>, at: usize| {
            let mut place = choices.some(&words);
            // A command starts with a plain word.
            if at == 0 {
                place.retain(|word| *word != "*");
            }
            if place.is_empty() { vec!["git"] } else { place }
        };
        let pattern: Vec<Vec<&str>> = (0..length).map(|at| place(choices, at)).collect();
        (pattern, choices.of(&["allow", "prompt", "forbidden"]))
    };
    let rules: Vec<_> = (0..count).map(|_| rule(choices)).collect();
    let text: String = rules
        .iter()
        .map(|(pattern, decision)| format!("prefix_rule(pattern = {pattern:?}, decision = \"{decision}\")\n"))
        .collect();
    let mut questions = Questions::default();
    for command in [
        vec!["git"],
        vec!["git", "push"],
        vec!["git", "a b", "*"],
        vec!["push", "*"],
        vec!["it's", "it's"],
        vec!["gitpush"],
    ] {
        let matches = |decision: &str| {
            rules.iter().any(|(pattern, decided)| {
                *decided == decision
                    && pattern.len() <= command.len()
                    && pattern.iter().zip(&command).all(|(place, word)| place.contains(word))
            })
        };
        let answer = strictest(matches("forbidden"), matches("prompt"), matches("allow"));
        let line = judged_line(&command).replace('\\', "\\\\");
        questions.ask(&format!("shell.exec line \"{line}\""), answer);
    }
    questions.answered(Format::Codex, &text);
    count > 0
}

/// The words as the judge compares them.
#[expect(clippy::expect_used, reason = "the words above are plain")]
fn judged_line(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
    let text = quoted.join(" ");
    let line = Line::new(text.as_bytes()).expect("is one command");
    let command = line.commands().next().expect("is one command");
    let mut buffer = vec![0; command.written_max()];
    String::from_utf8(command.write(&mut buffer).expect("fits").to_vec()).expect("is text")
}

fn said(is_allowed: bool) -> &'static str {
    if is_allowed { "allow" } else { "deny" }
}

fn strictest(is_denied: bool, is_asked: bool, is_allowed: bool) -> &'static str {
    match (is_denied, is_asked, is_allowed) {
        (true, ..) | (false, false, false) => "deny",
        (false, true, _) => "ask",
        (false, false, true) => "allow",
    }
}

/// Requests with the answers that the file gives, as tests behind the policy.
#[derive(Default)]
struct Questions(String);

impl Questions {
    fn ask(&mut self, request: &str, answer: &str) {
        let number = self.0.lines().count();
        self.0.push_str(&format!("test question-{number}: agent {request} => {answer}\n"));
    }

    #[expect(clippy::panic, reason = "this is how a test fails")]
    fn answered(&self, format: Format, file: &str) -> Model {
        let imported = imported(format, file.as_bytes());
        let Some(policy) = &imported.policy else { panic!("{file}\n{:?}", imported.diagnostics) };
        model_of(&format!("{policy}\n{}", self.0))
    }
}

#[expect(clippy::panic, reason = "this is how a test fails")]
fn model_of(policy: &str) -> Model {
    let files = Memory::default().with(FILE, policy);
    let checked = check_in(&files, Path::new(FILE), CheckOptions::default());
    let errors: Vec<_> = checked.diagnostics.iter().filter(|found| found.code.severity == Severity::Error).collect();
    checked.model.unwrap_or_else(|| panic!("{policy}\n{errors:#?}"))
}

#[expect(clippy::expect_used, reason = "a table that was just frozen can be used")]
fn imported(format: Format, bytes: &[u8]) -> Imported {
    import(format, "file", bytes.to_vec(), Names { policy: "imported", role: "agent" })
        .expect("a table that can be used")
}

#[expect(clippy::expect_used, reason = "there are four formats")]
fn format_of(byte: u8) -> Format {
    *Format::ALL.get(usize::from(byte % 4)).expect("below four")
}

type Entry = (&'static str, fn(&str) -> bool);

/// Regexes, and what they say in other words.
const REGEXES: [Entry; 3] = [
    (r"^cargo(\s|$)", |line| line == "cargo" || line.starts_with("cargo ")),
    ("^npm test$", |line| line == "npm test"),
    ("rg", |line| line.contains("rg")),
];

/// A pattern, what it surely stands for, and what it may stand for: the first is allowed, the second denied and asked for.
type Claimed = (&'static str, fn(&str) -> bool, fn(&str) -> bool);

const COMMANDS: [Claimed; 7] = [
    ("git *", |line| is_or_starts(line, "git"), |line| is_or_starts(line, "git")),
    ("git push:*", |line| is_or_starts(line, "git push"), |line| is_or_starts(line, "git push")),
    ("ls*", |line| line.starts_with("ls"), |line| line.starts_with("ls") || line.starts_with("'ls")),
    ("npm run test", |line| line == "npm run test", |line| line == "npm run test"),
    ("* --v", |line| line.ends_with(" --v"), |line| line.ends_with(" --v")),
    (
        "git grep foo*",
        |line| line.starts_with("git grep foo"),
        |line| line.starts_with("git grep foo") || line.starts_with("git grep 'foo"),
    ),
    (
        "echo 'a*'",
        |line| {
            line.strip_prefix("echo ")
                .is_some_and(|word| word.starts_with('a') && !word.contains(' ') || word == "'a b'")
        },
        |line| line.starts_with("echo a") || line.starts_with("echo 'a"),
    ),
];

const LINES: [&str; 18] = [
    "git",
    "git log",
    "git push",
    "git push x",
    "gitk",
    "ls",
    "lsof",
    "'ls x'",
    "npm run test",
    "npm run tests",
    "a --v",
    "rm",
    "git grep foo",
    "git grep 'foo bar'",
    "echo ab",
    "echo 'a b'",
    "echo a b",
    "echo b",
];

const PATHS: [Claimed; 4] = [
    (".env", |path| path.ends_with(".env"), |path| path.ends_with(".env")),
    ("/top/**", |path| path.starts_with("top/"), |path| path.starts_with("top/")),
    ("src/**", |path| path.starts_with("src/"), |path| path.starts_with("src/") || path.contains("/src/")),
    ("//**/key", |_| false, |path| path.ends_with("/key")),
];

fn is_or_starts(line: &str, words: &str) -> bool {
    line.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// From this first byte on the others are choices, and below it a file: each input is asked one of the two.
const CHOICES: u8 = 128;
const FILE: &str = "imported.policy";
