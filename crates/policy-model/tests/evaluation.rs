//! What the reference evaluator says, claim by claim of the language's semantics.

mod support;

use policy_model::{Decision, Model, evaluate};
use policy_syntax::Effect;
use support::{model, request};

fn verdict(model: &Model, roles: &[&str], operation: &str, facts: &[&str]) -> (Effect, String, String) {
    let Decision { verdict, rule, code, .. } = evaluate(model, &request(model, roles, operation, facts));
    (verdict, rule, code)
}

fn says(effect: Effect, rule: &str, code: &str) -> (Effect, String, String) {
    (effect, rule.to_owned(), code.to_owned())
}

const EFFECTS: &str = r#"
policy effects language 1
role coder
rule may: allow coder to file.read where path in "**"
rule may-too: allow coder to file.read where path in "**"
rule asks: ask coder to file.read where path in "ask/**", "deny/**"
rule denies: deny coder to file.read where path in "deny/**" code NO
rule denies-too: deny anyone to file.read where path in "deny/**", "plain/**"
"#;

#[test]
fn deny_beats_ask_beats_allow_and_the_first_rule_of_the_strongest_is_named() {
    let model = model(EFFECTS);
    let read = |path: &str| verdict(&model, &["coder"], "file.read", &[&format!("path={path}")]);
    assert_eq!(read("a"), says(Effect::Allow, "may", "ALLOWED"));
    assert_eq!(read("ask/a"), says(Effect::Ask, "asks", "APPROVAL_REQUIRED"));
    assert_eq!(read("deny/a"), says(Effect::Deny, "denies", "NO"));
    assert_eq!(read("plain/a"), says(Effect::Deny, "denies-too", "FILE_READ_DENIED"));
}

/// Each effect has two rules that match alike, and limits that only the first, only the second, or none keeps.
#[test]
fn source_order_decides_however_the_model_keeps_its_rules() {
    let text = format!(
        "{EFFECTS}
        rule small: allow coder to file.edit limit bytes <= 1 KiB
        rule wide: allow coder to file.edit limit bytes <= 2 KiB
        rule asks-small: ask coder to file.write limit bytes <= 1 KiB
        rule asks-wide: ask coder to file.write limit bytes <= 2 KiB"
    );
    let model = model(&text);
    let mut requests = Vec::new();
    for path in ["a", "ask/a", "deny/a", "plain/a"] {
        requests.push(request(&model, &["coder"], "file.read", &[&format!("path={path}")]));
    }
    for operation in ["file.edit", "file.write"] {
        for bytes in [1024, 1025, 2048, 2049] {
            requests.push(request(&model, &["coder"], operation, &["path=a", &format!("bytes={bytes}")]));
        }
    }
    let decisions = |model: &Model| requests.iter().map(|request| evaluate(model, request)).collect::<Vec<_>>();
    let expected = decisions(&model);
    let mut shuffled = model;
    shuffled.rules.reverse();
    for turn in 0..shuffled.rules.len() {
        assert_eq!(decisions(&shuffled), expected, "reversed, turned by {turn}");
        shuffled.rules.rotate_left(1);
    }
}

/// TRUST-DEFAULT-DENY, CTR-0026, CTR-0027
#[test]
fn trust_default_deny_silence_forbids_with_the_operations_own_code() {
    let model = model(EFFECTS);
    assert_eq!(verdict(&model, &[], "file.read", &["path=a"]), says(Effect::Deny, "default-deny", "FILE_READ_DENIED"));
    assert_eq!(verdict(&model, &["coder"], "shell.exec", &[]), says(Effect::Deny, "default-deny", "SHELL_EXEC_DENIED"));
}

#[test]
fn who_holds_a_role_holds_what_it_includes_and_never_the_reverse() {
    let model = model(
        r#"policy p language 1
        role reader
        role coder includes reader
        role releaser includes coder
        rule read: allow reader to file.read
        rule write: allow coder to file.write"#,
    );
    let may = |role: &str, operation: &str| verdict(&model, &[role], operation, &["path=a"]).0 == Effect::Allow;
    assert!(may("releaser", "file.read") && may("releaser", "file.write"));
    assert!(may("coder", "file.read") && may("coder", "file.write"));
    assert!(may("reader", "file.read") && !may("reader", "file.write"));
}

#[test]
fn a_limit_is_the_last_number_that_passes_and_its_denial_names_the_rule() {
    let model = model(
        r#"policy p language 1
        role r
        rule small: allow r to file.read limit bytes <= 1 KiB, offset <= 10 B
        rule asked: ask r to file.write limit bytes <= 1 KiB
        rule wide: allow r to file.write limit bytes <= 2 KiB"#,
    );
    let read = |facts: &[&str]| verdict(&model, &["r"], "file.read", facts);
    assert_eq!(read(&["path=a", "bytes=1024"]), says(Effect::Allow, "small", "ALLOWED"));
    assert_eq!(read(&["path=a", "bytes=1025"]), says(Effect::Deny, "small", "LIMIT_EXCEEDED"));
    assert_eq!(read(&["path=a", "offset=11"]), says(Effect::Deny, "small", "LIMIT_EXCEEDED"));
    let write = |bytes: u64| verdict(&model, &["r"], "file.write", &["path=a", &format!("bytes={bytes}")]);
    assert_eq!(write(1024), says(Effect::Ask, "asked", "APPROVAL_REQUIRED"));
    assert_eq!(write(1025), says(Effect::Deny, "asked", "LIMIT_EXCEEDED"), "more must not need less approval");
}

#[test]
fn of_two_allowances_the_wider_one_decides_what_exceeds_the_other() {
    let model = model(
        r#"policy p language 1
        role r
        rule first: allow r to file.edit limit bytes <= 1 KiB
        rule second: allow r to file.edit limit bytes <= 2 KiB"#,
    );
    let edit = |bytes: u64| verdict(&model, &["r"], "file.edit", &["path=a", &format!("bytes={bytes}")]);
    assert_eq!(edit(1024), says(Effect::Allow, "first", "ALLOWED"));
    assert_eq!(edit(2048), says(Effect::Allow, "second", "ALLOWED"));
    assert_eq!(edit(2049), says(Effect::Deny, "first", "LIMIT_EXCEEDED"));
}

#[test]
fn an_open_number_exceeds_no_limit_and_the_limit_travels() {
    let model = model(
        r#"policy p language 1
        role r
        rule run: allow r to shell.exec, file.read
        limit timeout <= 1 min, output <= 5 MiB, bytes <= 1 KiB"#,
    );
    let decision = evaluate(&model, &request(&model, &["r"], "shell.exec", &["command=ls"]));
    let limits: Vec<_> = decision.obligations.limits.iter().map(|l| (&*l.attribute.name, l.most)).collect();
    assert_eq!(limits, [("timeout", 60_000), ("output", 5 << 20)], "bytes is no number of shell.exec");
    let decision = evaluate(&model, &request(&model, &["r"], "shell.exec", &["command=ls", "timeout=5"]));
    assert_eq!(decision.obligations.limits.len(), 1, "a number that is known and within needs no one to hold it");
}

#[test]
fn an_open_number_is_above_every_number_of_a_condition() {
    let model = model(
        r#"policy p language 1
        role r
        rule small: allow r to file.read where bytes <= 1 KiB
        rule no-large: deny r to file.write where bytes > 1 KiB
        rule write: allow r to file.write"#,
    );
    let of = |operation: &str, facts: &[&str]| verdict(&model, &["r"], operation, facts).0;
    assert_eq!(of("file.read", &["path=a", "bytes=1024"]), Effect::Allow);
    assert_eq!(of("file.read", &["path=a"]), Effect::Deny);
    assert_eq!(of("file.write", &["path=a", "bytes=1024"]), Effect::Allow);
    assert_eq!(of("file.write", &["path=a"]), Effect::Deny);
}

#[test]
fn a_string_that_is_not_there_is_in_no_list_equal_to_nothing_and_matches_no_regex() {
    let model = model(
        r#"policy p language 1
        role r
        rule in-list: allow r to git.add where ref in "**"
        rule equal: allow r to git.tag where ref == ""
        rule regex: allow r to git.show where ref matches "^.*$"
        rule not-in: allow r to git.log where not ref in "**"
        rule unequal: allow r to git.diff where ref != "x""#,
    );
    for (operation, expected) in [
        ("git.add", Effect::Deny),
        ("git.tag", Effect::Deny),
        ("git.show", Effect::Deny),
        ("git.log", Effect::Allow),
        ("git.diff", Effect::Allow),
    ] {
        assert_eq!(verdict(&model, &["r"], operation, &[]).0, expected, "{operation}");
    }
}

#[test]
fn conditions_bind_not_before_and_before_or() {
    let model = model(
        r#"policy p language 1
        role r
        rule x: allow r to git.push where not force and all or ref == "x"
        rule y: allow r to git.tag where not (force and (all or ref == "x"))"#,
    );
    let x = |facts: &[&str]| verdict(&model, &["r"], "git.push", facts).0 == Effect::Allow;
    assert!(x(&["all"]) && !x(&["all", "force"]) && !x(&[]));
    assert!(x(&["force", "ref=x"]) && x(&["ref=x"]));
    let y = |facts: &[&str]| verdict(&model, &["r"], "git.tag", facts).0 == Effect::Allow;
    assert!(y(&[]) && y(&["force"]) && y(&["all", "ref=x"]) && !y(&["force", "all"]) && !y(&["force", "ref=x"]));
}

#[test]
fn each_comparison_of_numbers_is_exact_at_its_boundary() {
    for (operator, below, equal, above) in [
        ("==", false, true, false),
        ("!=", true, false, true),
        ("<=", true, true, false),
        (">=", false, true, true),
        ("<", true, false, false),
        (">", false, false, true),
    ] {
        let text = format!("policy p language 1\nrole r\nrule x: allow r to http.request where port {operator} 443");
        let model = model(&text);
        let holds = |port: u64| verdict(&model, &["r"], "http.request", &[&format!("port={port}")]).0 == Effect::Allow;
        assert_eq!((holds(442), holds(443), holds(444)), (below, equal, above), "{operator}");
    }
    let model = model("policy p language 1\nrole r\nrule x: allow r to http.request where port in 80, 443");
    let holds = |port: u64| verdict(&model, &["r"], "http.request", &[&format!("port={port}")]).0 == Effect::Allow;
    assert!(holds(80) && holds(443) && !holds(81));
}

#[test]
fn obligations_are_those_of_the_rule_that_decides_and_every_budget_that_is_charged() {
    let model = model(
        r#"policy p language 1
        role coder
        role other
        rule push: ask coder to git.push require clean-tree, secrets.scan
        rule call: allow coder to inference.call
        budget tokens: coder inference.call tokens <= 2_000_000 per session
        budget calls: anyone inference.call, git.push calls <= 10 per hour
        budget others: other inference.call tokens <= 1 per day"#,
    );
    let push = evaluate(&model, &request(&model, &["coder"], "git.push", &["ref=x"])).obligations;
    assert_eq!(push.requirements, ["clean-tree", "secrets.scan"]);
    assert_eq!(push.budgets, ["calls"]);
    let call = evaluate(&model, &request(&model, &["coder"], "inference.call", &[])).obligations;
    assert_eq!((call.requirements.len(), call.budgets), (0, vec!["tokens".to_owned(), "calls".to_owned()]));
    let denied = evaluate(&model, &request(&model, &["other"], "git.push", &[])).obligations;
    assert_eq!(denied, policy_model::Obligations::default());
}

/// GATE-OPS, GATE-GENERIC, GATE-DEFAULT, CTR-0016
#[test]
fn gate_ops_declared_tools_are_gated_by_operation_or_as_a_whole() {
    let model = model(
        r#"policy p language 1
        role r
        tool jira {
          op search(project: string, max: int)
          op create(project: string)
        }
        tool web-search(query: string)
        tool bare
        rule search: allow r to jira.search where project in "CORE-*" limit max <= 50
        rule web: allow r to web-search where not query in "*password*"
        rule all-bare: allow r to bare
        rule see: allow r to git.diff
        rule no-push: deny anyone to git.push"#,
    );
    let of = |operation: &str, facts: &[&str]| verdict(&model, &["r"], operation, facts);
    assert_eq!(of("jira.search", &["project=CORE-1"]).0, Effect::Allow);
    assert_eq!(of("jira.search", &["project=CORE-1", "max=51"]).2, "LIMIT_EXCEEDED");
    assert_eq!(of("jira.create", &["project=CORE-1"]), says(Effect::Deny, "default-deny", "JIRA_CREATE_DENIED"));
    assert_eq!(of("web-search", &["query=my password"]), says(Effect::Deny, "default-deny", "WEB_SEARCH_DENIED"));
    assert_eq!(of("web-search", &["query=rust"]).0, Effect::Allow);
    assert_eq!(of("bare", &[]).0, Effect::Allow);
    assert_eq!((of("git.diff", &[]).0, of("git.push", &[]).0), (Effect::Allow, Effect::Deny));
}

#[test]
fn hosts_are_compared_in_lower_case_whatever_the_policy_writes() {
    let model = model(
        r#"policy p language 1
        role r
        rule x: allow r to http.request where host in "Docs.RS" or host == "Crates.IO""#,
    );
    for (host, expected) in
        [("docs.rs", Effect::Allow), ("crates.io", Effect::Allow), ("docs.rs.evil.io", Effect::Deny)]
    {
        assert_eq!(verdict(&model, &["r"], "http.request", &[&format!("host={host}")]).0, expected, "{host}");
    }
}

#[test]
fn every_policy_protects_its_own_files_unless_it_renounces() {
    let text = "policy p language 1\nrole r\nrule all: allow r to file.*, fs.*";
    let guarded = model(text);
    let bare = model(&text.replace("language 1", "language 1 without std.protected-paths"));
    for path in ["agent.policy", "deep/er/agent.table", ".git/hooks/pre-commit", ".git/config"] {
        let fact = format!("path={path}");
        assert_eq!(verdict(&guarded, &["r"], "file.write", &[&fact]).0, Effect::Deny, "{path}");
        assert_eq!(verdict(&bare, &["r"], "file.write", &[&fact]).0, Effect::Allow, "{path}");
        assert_eq!(verdict(&guarded, &["r"], "file.read", &[&fact]).0, Effect::Allow, "reading {path}");
    }
}

#[test]
fn a_complex_line_is_permitted_only_by_a_rule_that_says_so() {
    let model = model(
        r#"policy p language 1
        role r
        role bold
        rule list: allow r to shell.exec where command == "ls" or command == "cat"
        rule anything: allow bold to shell.exec where complex
        rule branch: allow r to shell.exec where command == "wc" or command == "du" and not complex
        rule nested: allow r to shell.exec where command == "df" and (not complex or not network)
        rule not-simple: deny anyone to shell.exec where command == "rm"
        tool own(complex: flag)
        rule own: allow r to own"#,
    );
    let exec = |role: &str, facts: &[&str]| verdict(&model, &[role], "shell.exec", facts);
    assert_eq!(exec("r", &["command=ls"]), says(Effect::Allow, "list", "ALLOWED"));
    assert_eq!(exec("r", &["command=ls", "complex"]), says(Effect::Deny, "default-deny", "SHELL_COMPLEX"));
    for command in ["command=wc", "command=du", "command=df"] {
        assert_eq!(exec("r", &[command]).0, Effect::Allow, "{command}");
        assert_eq!(exec("r", &[command, "complex"]).2, "SHELL_COMPLEX", "{command}");
    }
    assert_eq!(verdict(&model, &["r"], "own", &["complex"]).0, Effect::Allow, "another tool's flag is its own");
    assert_eq!(exec("bold", &["complex"]), says(Effect::Allow, "anything", "ALLOWED"));
    assert_eq!(exec("bold", &["command=rm", "complex"]), says(Effect::Deny, "not-simple", "SHELL_EXEC_DENIED"));
}

#[test]
fn trust_net_a_command_with_network_is_permitted_only_by_a_rule_that_says_so() {
    let model = model(
        r#"policy p language 1
        role r
        role bold
        rule list: allow r to shell.exec, shell.inline, pytest.run, file.read
        rule fetch: ask r to shell.exec where command == "curl" and network
        rule anything: allow bold to shell.exec, shell.inline, pytest.run where network or not network
        rule branch: allow bold to shell.exec where not network
        rule no-netcat: deny anyone to shell.exec where command == "nc"
        tool own(network: flag)
        rule own: allow r to own"#,
    );
    for operation in ["shell.exec", "shell.inline", "pytest.run"] {
        assert_eq!(verdict(&model, &["r"], operation, &[]), says(Effect::Allow, "list", "ALLOWED"));
        let (effect, rule, _) = verdict(&model, &["r"], operation, &["network"]);
        assert_eq!((effect, rule.as_str()), (Effect::Deny, "default-deny"), "{operation}");
        assert_eq!(verdict(&model, &["bold"], operation, &["network"]), says(Effect::Allow, "anything", "ALLOWED"));
    }
    let exec = |role: &str, facts: &[&str]| verdict(&model, &[role], "shell.exec", facts);
    assert_eq!(exec("r", &["command=curl", "network"]).1, "fetch");
    assert_eq!(exec("bold", &["command=nc", "network"]).1, "no-netcat");
    // To ask for one of them is not to ask for the other.
    assert_eq!(exec("bold", &["network", "complex"]).2, "SHELL_COMPLEX");
    assert_eq!(exec("r", &["command=curl", "network", "complex"]).2, "SHELL_COMPLEX");
    assert_eq!(verdict(&model, &["r"], "own", &["network"]).0, Effect::Allow, "another tool's flag is its own");
}
