//! Tool rules, settings of Claude Code and rules of Codex: what they allow, ask for and deny.

#![cfg(test)]

mod support;

use policy_import::{Format, Imported};
use support::{codes, findings, imported, verdict};

fn tools(text: &str) -> Imported {
    imported(Format::ToolRules, text.as_bytes())
}

fn claude(text: &str) -> Imported {
    imported(Format::ClaudeCode, text.as_bytes())
}

fn codex(text: &str) -> Imported {
    imported(Format::Codex, text.as_bytes())
}

fn rule(tool: &str, operations: &str) -> String {
    format!("[[tool_rules]]\ntool_name = \"{tool}\"\nrule_type = {{ AllowedOperations = [{operations}] }}\n")
}

fn lines<const N: usize>(policy: &Imported, lines: [&str; N]) -> [&'static str; N] {
    lines.map(|line| verdict(policy, &format!("agent shell.exec line \"{line}\"")))
}

fn paths<const N: usize>(policy: &Imported, operation: &str, paths: [&str; N]) -> [&'static str; N] {
    paths.map(|path| verdict(policy, &format!("agent {operation} path \"{path}\"")))
}

#[test]
fn gate_import_a_tool_has_the_operations_that_are_left() {
    let policy = imported(Format::ToolRules, include_bytes!("data/tools.toml"));
    let answers =
        ["file.read", "file.write append", "file.write", "file.patch", "block_edit.replace", "block_edit.patch"]
            .map(|request| verdict(&policy, &format!("agent {request}")));
    assert_eq!(answers, ["allow", "allow", "deny", "deny", "allow", "allow"]);
    let text = policy.policy.unwrap();
    assert!(!text.contains("set_field") && !text.contains("op append"), "{text}");
}

#[test]
fn gate_import_what_weighs_more_stands_first() {
    let low_first = format!("{}priority = 1\n{}priority = 2\n", rule("low", "\"a\""), rule("high", "\"a\""));
    let text = tools(&low_first).policy.unwrap();
    assert!(text.find("rule tool-high") < text.find("rule tool-low"), "{text}");
}

#[test]
fn gate_wildcard_an_import_of_operations_for_every_tool_is_an_error() {
    assert_eq!(codes(&tools(&rule("*", "\"read\""))), ["E1004"]);
}

#[test]
fn gate_typed_an_import_of_an_operation_that_a_built_in_tool_does_not_have_is_an_error() {
    let imported = tools(&rule("file", "\"raed\""));
    assert_eq!(findings(&imported), ["E1003 3:36 the tool `file` has no operation `raed` (did you mean `read`?)"]);
}

#[test]
fn gate_import_nothing_of_a_rule_is_passed_over() {
    for (text, code) in [
        ("", "E1003"),
        ("tool_rules = 1\n", "E1003"),
        ("[[tool_rules]]\ntool_name = \"a\"\n", "E1003"),
        ("[[tool_rules]]\nrule_type = { AllowedOperations = [] }\n", "E1003"),
        ("[[tool_rules]]\ntool_name = \"a\"\nrule_type = \"ContinueLoop\"\n", "E1004"),
        ("[[tool_rules]]\ntool_name = \"a\"\nrule_type = { MaxCalls = 3 }\n", "E1004"),
        ("[[tool_rules]]\ntool_name = \"a b\"\nrule_type = { AllowedOperations = [\"x\"] }\n", "E1004"),
        ("[[tool_rules]]\ntool_name = \"a\"\nrule_type = { AllowedOperations = [\"x y\"] }\n", "E1004"),
        (
            "[[tool_rules]]\ntool_name = \"a\"\nrule_type = { AllowedOperations = [\"x\"] }\nconditions = [\"at night\"]\n",
            "E1004",
        ),
        (
            "[[tool_rules]]\ntool_name = \"a\"\nrule_type = { AllowedOperations = [\"x\"] }\npriority = \"high\"\n",
            "E1003",
        ),
        ("[[tool_rules]]\ntool_name = \"a\"\nrule_type = { AllowedOperations = [\"x\"] }\nprio = 1\n", "E1002"),
        ("[[tool_rules]\n", "E1001"),
        ("[[tool_rule]]\ntool_name = \"a\"\n", "E1002"),
        ("tool_rules = []\n[[agent.tool_rules]]\ntool_name = \"a\"\n", "E1002"),
        (
            "[[tool_rules]]\ntool_name = \"file\"\nrule_type = { AllowedOperations = [\"read\"] }\n[[tool_rules]]\ntool_name = \"file\"\nrule_type = { AllowedOperations = [\"reed\", \"read\"] }\n",
            "E1003",
        ),
    ] {
        let imported = tools(text);
        assert!(codes(&imported).contains(&code), "{text}: {:?}", findings(&imported));
        assert_eq!(imported.policy, None, "{text}");
    }
}

#[test]
fn entries_of_claude_code_are_deny_before_ask_before_allow() {
    let policy = claude(
        r#"{"permissions": {
            "allow": ["Bash(git *)", "Bash(npm run test:*)", "Bash(make)", "Bash(* --version)", "Bash(ls*)"],
            "ask": ["Bash(git push:*)"],
            "deny": ["Bash(git push --force *)"]}}"#,
    );
    let asked = ["git", "git log", "gitk", "git push", "git push --force", "git push --force x"];
    assert_eq!(lines(&policy, asked), ["allow", "allow", "deny", "ask", "deny", "deny"]);
    let more =
        ["npm run test", "npm run test a", "npm run tests", "make", "make all", "gcc --version", "lsof", "env ls"];
    assert_eq!(lines(&policy, more), ["allow", "allow", "deny", "allow", "deny", "allow", "allow", "deny"]);
}

#[test]
fn paths_of_claude_code_are_those_of_gitignore() {
    let policy = claude(
        r#"{"permissions": {
            "allow": ["Edit(/src/**)", "Edit(*.md)", "Edit(docs/a.txt)", "Edit(./top)"],
            "deny": ["Read(.env)", "Read(secrets/)", "Edit(/src/generated/**)"]}}"#,
    );
    let written = [
        "src/a.rs",
        "a/src/b.rs",
        "README.md",
        "a/b.md",
        "docs/a.txt",
        "x/docs/a.txt",
        "top",
        "a/top",
        "src/generated/a",
    ];
    let expected = ["allow", "deny", "allow", "allow", "allow", "deny", "allow", "deny", "deny"];
    assert_eq!(paths(&policy, "file.write", written), expected);
    let read = ["a.rs", ".env", "a/.env", "secrets/a", "a/secrets/b", "secret"];
    assert_eq!(paths(&policy, "file.read", read), ["allow", "deny", "deny", "deny", "deny", "allow"]);
    assert_eq!(paths(&policy, "fs.copy", [".env"]), ["deny"]);
}

#[test]
fn an_entry_that_narrows_another_is_never_left_out() {
    let policy = claude(
        r#"{"permissions": {
            "allow": ["mcp__github__get", "mcp__github__list", "WebSearch", "Grep"],
            "deny": ["mcp__github", "WebSearch(secrets)", "WebFetch(domain:evil.example)", "Grep(private/**)"],
            "ask": ["WebFetch"]}}"#,
    );
    assert_eq!(codes(&policy), ["W1001"]);
    let asked = [
        "github.get",
        "github.list",
        "WebSearch",
        "http.request host \"a.evil.example\"",
        "http.request host \"b.example\" method \"GET\" scheme \"https\"",
        "fs.grep path \"private/a\"",
        "file.read path \"private/a\"",
    ];
    let answers = asked.map(|request| verdict(&policy, &format!("agent {request}")));
    assert_eq!(answers, ["deny", "deny", "deny", "deny", "ask", "deny", "allow"]);
}

#[test]
fn what_claude_code_denies_by_a_path_of_the_machine_is_denied_in_every_workspace() {
    let policy = claude(
        r#"{"permissions": {"deny": ["Read(//**/.env)", "Read(~/.ssh/**)", "Read(//data/me/work/private/**)"],
            "ask": ["Edit(~/notes/**)"], "allow": ["Edit"]}}"#,
    );
    let read =
        [".env", "a/.env", ".ssh/key", "a/.ssh/key", "data/me/work/private/a", "work/private/a", "private/a", "a"];
    let expected = ["deny", "deny", "deny", "deny", "deny", "deny", "deny", "allow"];
    assert_eq!(paths(&policy, "file.read", read), expected);
    assert_eq!(paths(&policy, "file.write", ["notes/a", "a/notes/b", "b", ".env"]), ["ask", "ask", "allow", "deny"]);
    let all = claude(r#"{"permissions": {"deny": ["Read(~/**)"]}}"#);
    assert_eq!(paths(&all, "file.read", ["a"]), ["deny"]);
}

#[test]
fn a_folder_that_claude_code_denies_or_asks_for_is_one_at_any_depth() {
    let policy = claude(
        r#"{"permissions": {"allow": ["Edit"], "deny": ["Read(secrets/**)", "Read(./more/**)", "Edit(/top/**)"],
            "ask": ["Edit(migrations/**)"]}}"#,
    );
    let read = ["secrets/a", "x/secrets/a", "more/a", "x/more/a", "top/a"];
    assert_eq!(paths(&policy, "file.read", read), ["deny", "deny", "deny", "deny", "allow"]);
    let written = ["x/migrations/a", "top/a", "x/top/a", "x/secrets/a"];
    assert_eq!(paths(&policy, "file.write", written), ["ask", "deny", "allow", "deny"]);
}

#[test]
fn names_with_stars_deny_and_ask_for_all_that_they_name() {
    for (denied, allowed, request) in [
        ("*", "Bash(ls)", "shell.exec line \"ls\""),
        ("*", "mcp__jira__search", "jira.search"),
        ("*", "WebSearch", "WebSearch"),
        ("mcp__*", "mcp__jira__search", "jira.search"),
        ("mcp__jir*", "mcp__jira__search", "jira.search"),
        ("mcp__*__search", "mcp__jira__search", "jira.search"),
        ("mcp__jira__sea*", "mcp__jira__search", "jira.search"),
        ("mcp__jira__*", "mcp__jira__search", "jira.search"),
        ("mcp__jira", "mcp__jira__search", "jira.search"),
        ("Ba*", "Bash", "shell.exec line \"ls\""),
        ("Edi*", "Edit", "file.write path \"a\""),
        ("Web*", "WebFetch", "http.request host \"a.example\" method \"GET\" scheme \"https\""),
    ] {
        for (list, expected) in [("deny", "deny"), ("ask", "ask")] {
            let text = format!(r#"{{"permissions": {{"allow": ["{allowed}"], "{list}": ["{denied}"]}}}}"#);
            assert_eq!(verdict(&claude(&text), &format!("agent {request}")), expected, "{text}");
        }
    }
    let servers = claude(
        r#"{"permissions": {"allow": ["mcp__jira__search", "mcp__x__y"]}, "disabledMcpjsonServers": ["jira"],
            "deniedMcpServers": [{"serverName": "x"}]}"#,
    );
    assert_eq!([verdict(&servers, "agent jira.search"), verdict(&servers, "agent x.y")], ["deny", "deny"]);
}

#[test]
fn quotes_neither_hide_a_command_from_a_denial_nor_let_more_through() {
    let denied = claude(
        r#"{"permissions": {"allow": ["Bash"], "deny": ["Bash(git commit -m \"wip*\")", "Bash(psql -c 'DROP*')",
            "Bash(git grep foo*)", "Bash(git log --format=*)", "Bash(rm -rf /*)", "Bash(cat .env*)"]}}"#,
    );
    let asked = [
        "git commit -m 'wip a'",
        "git commit -m wip",
        "git commit -m 'a wip'",
        "psql -c 'DROP TABLE x'",
        "git grep 'foo^'",
        "git grep foo",
        "git log '--format=a b'",
        "rm -rf '/a b'",
        "cat '.env x'",
        "cat .envrc",
        "cat env",
    ];
    let expected = ["deny", "deny", "allow", "deny", "deny", "deny", "deny", "deny", "deny", "deny", "allow"];
    assert_eq!(lines(&denied, asked), expected);

    let allowed = claude(
        r#"{"permissions": {"allow": ["Bash(find . -name \"*.ts\")", "Bash(git commit -m \"*\")", "Bash(node 'tools/*.js')",
            "Bash(echo it\\'s*)"]}}"#,
    );
    let asked = [
        "find . -name '*.ts'",
        "find . -name a.ts",
        "find . -name x -delete -o -name y.ts",
        "git commit -m 'a b'",
        "git commit -m a",
        "git commit -m a --no-verify",
        "git commit -m 'a' --amend 'b'",
        "node tools/a.js",
        "node tools/a -e b.js",
        "node 'tools/a b.js'",
    ];
    let expected = ["allow", "allow", "deny", "allow", "allow", "deny", "deny", "allow", "deny", "allow"];
    assert_eq!(lines(&allowed, asked), expected);
}

#[test]
fn commands_that_start_others_do_not_go_around_a_denial() {
    let policy = claude(r#"{"permissions": {"allow": ["Bash"], "deny": ["Bash(git push:*)"]}}"#);
    let command =
        |name: &str| verdict(&policy, &format!("agent shell.exec command \"{name}\" line \"{name} git push\""));
    assert_eq!(
        ["timeout", "nohup", "nice", "xargs", "command", "echo"].map(command),
        ["deny", "deny", "deny", "deny", "deny", "allow"]
    );
    assert_eq!(codes(&policy), ["W1001"]);
    assert_eq!(codes(&claude(r#"{"permissions": {"allow": ["Bash"], "deny": ["Read(.env)"]}}"#)), ["W1004"]);
}

#[test]
fn fetching_is_no_more_than_fetching() {
    let policy = claude(r#"{"permissions": {"allow": ["WebFetch(domain:docs.rs)"]}}"#);
    let asked =
        ["method \"GET\" scheme \"https\"", "method \"POST\" scheme \"https\"", "method \"GET\" scheme \"http\""];
    let answers = asked.map(|rest| verdict(&policy, &format!("agent http.request host \"docs.rs\" {rest}")));
    assert_eq!(answers, ["allow", "deny", "deny"]);
}

#[test]
fn nobody_is_asked_where_claude_code_asks_nobody() {
    let policy =
        claude(r#"{"permissions": {"allow": ["Bash"], "ask": ["Bash(git push:*)"], "defaultMode": "dontAsk"}}"#);
    assert_eq!(lines(&policy, ["git push", "git log"]), ["deny", "allow"]);
}

#[test]
fn places_are_those_of_the_entry() {
    let text = "{\"permissions\": {\"allow\": [\n\"WebFetch(domain:a.com)\",\n\"WebFetch(domain:b.com:80)\",\n\"Edit(src/**.ts)\"\n]}}";
    let found = findings(&claude(text));
    let places: Vec<&str> = found.iter().filter_map(|finding| finding.split(' ').nth(1)).collect();
    assert_eq!(places, ["3:1", "4:1", "4:1"], "{found:?}");
}

#[test]
fn what_is_not_shown_is_counted_and_errors_and_warnings_are_kept() {
    let denied: Vec<String> = (0..1_100).map(|number| format!("\"Read(../x{number})\"")).collect();
    let text = format!(r#"{{"permissions": {{"deny": [{}], "allow": ["Agent(x)"]}}, "hooks": 1}}"#, denied.join(","));
    let imported = claude(&text);
    let codes = codes(&imported);
    let count = |code: &str| codes.iter().filter(|known| **known == code).count();
    assert_eq!((count("N1001"), count("W1002"), count("W1004")), (1_000, 1, 1));
    assert!(findings(&imported).iter().any(|finding| finding.contains("(100 more like it are not shown)")));
}

#[test]
fn what_claude_code_allows_and_a_policy_cannot_say_is_told() {
    for (entry, code) in [
        ("Read(~/.zshrc)", "W1002"),
        ("Edit(//etc/hosts)", "W1002"),
        ("Read(../other/**)", "W1002"),
        ("Bash(a && b)", "W1002"),
        ("mcp__server", "W1002"),
        ("mcp__server__*", "W1002"),
        ("Agent(Explore)", "W1002"),
        ("mcp__a.b__c", "W1002"),
        ("Read(a?.rs)", "E1004"),
        ("Edit([ab].rs)", "E1004"),
        ("WebFetch(example.com)", "E1003"),
        ("Bash(ls", "E1003"),
    ] {
        let imported = claude(&format!(r#"{{"permissions": {{"allow": ["{entry}"]}}}}"#));
        assert_eq!(codes(&imported), [code], "{entry}");
        assert_eq!(imported.policy.is_some(), code.starts_with('W'), "{entry}");
    }
    assert_eq!(codes(&claude(r#"{"permissions": {"defaultMode": "bypassPermissions"}}"#)), ["E1004"]);
    assert_eq!(codes(&claude(r#"{"permissions": {"alow": []}}"#)), ["E1002"]);
    assert_eq!(codes(&claude(r#"{"permissions": {"allow": "Bash"}}"#)), ["E1003"]);
    assert_eq!(codes(&claude(r#"{"permissions": {"defaultMode": "Default"}}"#)), ["E1003"]);
    assert_eq!(codes(&claude(r#"{"permissions": {"defaultMode": "plan"}}"#)), ["W1004"]);
    assert_eq!(codes(&claude(r#"{"permissions": {}, "hooks": {"PreToolUse": []}}"#)), ["W1004"]);
    assert_eq!(codes(&claude(r#"{"name": "a package"}"#)), ["E1003", "N1001"]);
    assert_eq!(codes(&claude("[]")), ["E1003"]);
}

#[test]
fn prefixes_of_codex_are_whole_words() {
    let policy = imported(Format::Codex, include_bytes!("data/default.rules"));
    let asked = [
        "ls",
        "ls -l",
        "lsof",
        "gh pr view 1",
        "gh pr list",
        "gh pr close",
        "gh pr viewer",
        "git reset --hard",
        "git reset --hard x",
        "git reset",
    ];
    let expected = ["allow", "allow", "deny", "ask", "ask", "deny", "deny", "deny", "deny", "deny"];
    assert_eq!(lines(&policy, asked), expected);
    let more = ["make all", "ninja test -k", "just 'it'\\\\''s *'", "just 'it'\\\\''s a'", "make", "make install"];
    assert_eq!(lines(&policy, more), ["allow", "allow", "allow", "deny", "deny", "deny"]);
}

#[test]
fn the_strictest_rule_of_codex_decides() {
    let policy = codex(
        "prefix_rule(pattern=['git'])\nprefix_rule(pattern=['git','push'], decision='prompt')\nprefix_rule(pattern=['git','push','-f'], decision='forbidden')",
    );
    assert_eq!(lines(&policy, ["git log", "git push", "git push -f", "git pushx"]), ["allow", "ask", "deny", "allow"]);
}

#[test]
fn shells_and_hosts_of_codex_are_not_taken_for_what_they_are_not() {
    let policy = codex(
        "prefix_rule(pattern=['bash','-lc'])\nprefix_rule(pattern=['rm'],decision='forbidden')\nprefix_rule(pattern=['ls'])\nnetwork_rule(host='x', decision='deny')",
    );
    assert_eq!(codes(&policy), ["W1002", "W1004"]);
    assert_eq!(lines(&policy, ["bash -lc 'rm -rf x'", "rm a", "ls"]), ["deny", "deny", "allow"]);
}

#[test]
fn many_rules_that_another_overrules_are_imported_all_the_same() {
    let mut text = "prefix_rule(pattern=['git'], decision='forbidden')\n".to_owned();
    text.extend((0..1_500).map(|number| format!("prefix_rule(pattern=['git','a{number}'])\n")));
    assert_eq!(verdict(&codex(&text), "agent shell.exec line \"git a7\""), "deny");
}

#[test]
fn an_example_of_codex_has_to_hold() {
    let wrong = codex("prefix_rule(pattern = [\"git\"], match = [\"ls\"])");
    assert_eq!(
        findings(&wrong),
        ["E1003 1:41 the example does not match its own rule (correct the example, or the pattern)"]
    );
    let matched = codex("prefix_rule(pattern = [\"git\"], not_match = [[\"git\", \"log\"]])");
    assert_eq!(codes(&matched), ["E1003"]);
}

#[test]
fn rules_of_codex_that_are_more_than_plain_calls_are_not_read() {
    for (text, code) in [
        ("x = 1", "E1001"),
        ("prefix_rule([\"git\"])", "E1001"),
        ("prefix_rule(pattern = [\"git\"] + [\"log\"])", "E1001"),
        ("[prefix_rule(pattern = [c]) for c in [\"a\"]]", "E1001"),
        ("prefix_rule(pattern = [[[\"git\"]]])", "E1001"),
        ("prefix_rule(pattern = [\"a\\qb\"])", "E1001"),
        ("prefix_rule(pattern = [\"a\"], pattern = [\"b\"])", "E1001"),
        ("prefix_rule(patern = [\"git\"])", "E1002"),
        ("prefixrule(pattern = [\"git\"])", "E1002"),
        ("prefix_rule(decision = \"allow\")", "E1003"),
        ("prefix_rule(pattern = [])", "E1003"),
        ("prefix_rule(pattern = [\"a\", []])", "E1003"),
        ("prefix_rule(pattern = [\"a\"], decision = \"maybe\")", "E1003"),
        ("prefix_rule(pattern = \"git\")", "E1003"),
        ("prefix_rule(pattern = [\"a\\nb\"])", "E1004"),
    ] {
        let imported = codex(text);
        assert!(codes(&imported).contains(&code), "{text}: {:?}", findings(&imported));
        assert_eq!(imported.policy, None, "{text}");
    }
}

#[test]
fn a_file_that_is_too_long_or_no_text_is_an_error() {
    assert_eq!(codes(&imported(Format::Codex, &vec![b'#'; (1 << 20) + 1])), ["E1001"]);
    assert_eq!(codes(&imported(Format::Registry, b"version: 1\n\xFF")), ["E1001"]);
}
