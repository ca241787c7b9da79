//! The rule packs and examples that ship: what is promised of every file, and requests that nobody
//! should get through.

// Tells clippy that helpers here may unwrap as tests do.
#![cfg(test)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use policy_model::catalogue::DEFAULT_DENY;
use policy_model::{
    CheckOptions, Checked, Decision, Memory, Model, OperationId, PACKS, Request, RoleId, Subjects, check, check_in,
    evaluate,
};
use policy_syntax::{Effect, Severity};

// ─────────────────────────────────────────────────────────────── what is promised of every file

#[test]
fn the_folders_hold_the_files_expected() {
    let names = |folder| shipped(folder).into_iter().map(|file| file.name).collect::<Vec<_>>();
    assert_eq!(names("std"), STD);
    assert_eq!(names("examples"), EXAMPLES);
}

#[test]
fn every_pack_has_a_file_and_every_file_is_a_pack() {
    let files: Vec<_> = shipped("std").into_iter().map(|file| (format!("std.{}", file.name), file.text)).collect();
    let packs: Vec<_> = PACKS.iter().map(|pack| (pack.name.to_owned(), pack.text.to_owned())).collect();
    assert_eq!(packs, files);
}

#[test]
fn every_policy_is_without_errors_and_warnings() {
    for file in all() {
        let found: Vec<String> = serious(&file.checked);
        assert_eq!(found, Vec::<String>::new(), "{}", file.name);
        assert!(file.checked.model.is_some(), "{} has no model", file.name);
    }
}

#[test]
fn every_policy_is_in_its_own_layout() {
    for file in all() {
        let laid_out = policy_syntax::format(file.checked.root, &file.text).unwrap_or_else(|found| panic!("{found:?}"));
        assert_eq!(laid_out, file.text, "{}", file.name);
    }
}

#[test]
fn every_policy_says_first_what_it_does_not_protect_against() {
    for file in all() {
        let header: Vec<&str> = file.text.lines().take_while(|line| line.starts_with('#')).collect();
        assert!(header.contains(&"# What this does NOT protect against:"), "{}", file.name);
    }
}

#[test]
fn every_test_agrees_with_the_evaluator() {
    let mut tests = 0;
    for file in all() {
        let model = file.model();
        for test in &model.tests {
            let decision = evaluate(model, &test.request);
            let by = test.by.as_ref().unwrap_or_else(|| panic!("{}: {} names no rule", file.name, test.name));
            assert_eq!((decision.verdict, &decision.rule), (test.expected, by), "{}: {}", file.name, test.name);
            tests += 1;
        }
    }
    assert!(tests >= TESTS_MIN, "only {tests} tests");
}

#[test]
fn every_rule_has_a_test_that_it_decides() {
    for file in all() {
        let model = file.model();
        let tested: BTreeSet<&str> = model.tests.iter().filter_map(|test| test.by.as_deref()).collect();
        let own = model.rules.iter().filter(|rule| rule.at.file == file.checked.root);
        let untested: Vec<&str> = own.map(|rule| rule.name.as_str()).filter(|name| !tested.contains(name)).collect();
        assert_eq!(untested, Vec::<&str>::new(), "{}", file.name);
    }
}

/// A file whose tests all expect denials would pass if its rules allowed nothing.
#[test]
fn every_example_has_tests_of_each_effect() {
    for file in shipped("examples") {
        let expected: BTreeSet<&str> = file.model().tests.iter().map(|test| test.expected.as_str()).collect();
        let wanted: BTreeSet<&str> = match file.name.as_str() {
            // Nothing it may do needs a question.
            "read-only-reviewer" => BTreeSet::from(["allow", "deny"]),
            _ => BTreeSet::from(["allow", "ask", "deny"]),
        };
        assert_eq!(expected, wanted, "{}", file.name);
    }
}

// ─────────────────────────────────────────────────────────────── what is promised of packs

#[test]
fn every_name_of_a_pack_starts_with_the_name_of_the_pack() {
    for file in shipped("std") {
        let prefix = format!("{}-", file.name);
        let own = file.model().rules.iter().filter(|rule| rule.at.file == file.checked.root);
        let foreign: Vec<&str> = own.map(|rule| rule.name.as_str()).filter(|name| !name.starts_with(&prefix)).collect();
        assert_eq!(foreign, Vec::<&str>::new(), "{}", file.name);
    }
}

/// To ask is to permit what a person says yes to, so a pack may neither allow nor ask `anyone`.
#[test]
fn a_pack_denies_anyone_and_permits_only_its_own_role() {
    for file in shipped("std") {
        let model = file.model();
        for rule in model.rules.iter().filter(|rule| rule.at.file == file.checked.root) {
            let for_anyone = rule.subjects == Subjects::Anyone;
            assert_eq!(for_anyone, rule.effect == Effect::Deny, "{}", rule.name);
            assert!(rule.effect != Effect::Deny || rule.code.is_some() && rule.because.is_some(), "{}", rule.name);
        }
        let expected_roles: &[&str] = match file.name.as_str() {
            "node-dev" => &["node-developer"],
            "python-dev" => &["python-developer"],
            "rust-dev" => &["rust-developer"],
            _ => &[],
        };
        let roles: Vec<&str> = model.roles.iter().map(|role| role.name.as_str()).collect();
        assert_eq!(roles, expected_roles, "{}", file.name);
    }
}

#[test]
fn all_packs_can_be_used_together() {
    let uses: String = PACKS.iter().map(|pack| format!("use {}\n", pack.name)).collect();
    let text = format!(
        "policy all language 1\n\n{uses}\nrole polyglot includes node-developer, python-developer, rust-developer\n"
    );
    let checked =
        check_in(&Memory::default().with("all.policy", text), Path::new("all.policy"), CheckOptions::default());
    assert_eq!(serious(&checked), Vec::<String>::new());
    let model = checked.model.unwrap();
    let names: BTreeSet<&str> = model.rules.iter().map(|rule| rule.name.as_str()).collect();
    for file in shipped("std") {
        for rule in file.model().rules.iter().filter(|rule| rule.at.file == file.checked.root) {
            assert!(names.contains(rule.name.as_str()), "{} is lost", rule.name);
        }
    }
}

/// Whatever an example allows, and whoever asks, what its packs deny stays denied.
#[test]
fn a_denial_of_a_pack_holds_in_every_example_that_uses_it() {
    let mut held = 0;
    for example in shipped("examples") {
        let model = example.model();
        let everybody: BTreeSet<RoleId> = (0..model.roles.len()).map(RoleId).collect();
        for pack in shipped("std") {
            for test in pack.model().tests.iter().filter(|test| test.expected == Effect::Deny) {
                let by = test.by.as_deref().unwrap_or_default();
                if by == DEFAULT_DENY || !model.rules.iter().any(|rule| rule.name == by) {
                    continue;
                }
                let operation = pack.model().operations[test.request.operation.0].name.as_str();
                let request = Request {
                    roles: everybody.clone(),
                    operation: operation_of(model, operation),
                    ..test.request.clone()
                };
                assert_eq!(evaluate(model, &request).verdict, Effect::Deny, "{}: {}", example.name, test.name);
                held += 1;
            }
        }
    }
    assert!(held > 300, "only {held} denials were tried");
}

/// Protection that stands in the way would be switched off.
#[test]
fn protected_paths_leave_ordinary_work_alone() {
    let pack = one("std", "protected-paths");
    for path in [
        "src/main.rs",
        "src/policy.rs",
        "src/table.rs",
        "policies/README.md",
        "docs/git/hooks.md",
        "web/src/git/config.ts",
        ".gitignore",
        ".gitattributes",
        ".github/workflows/ci.yml",
        ".github/CODEOWNERS",
        "Makefile",
        "package.json",
        ".eslintrc.json",
        ".pre-commit-config.yaml",
        "CLAUDE.md",
        "AGENTS.md",
        "vscode/extension.ts",
    ] {
        for operation in ["file.write", "file.edit", "file.patch", "fs.move", "fs.delete", "ast.edit"] {
            let decision = decide(pack.model(), &[], operation, &[text("path", path)]);
            assert_eq!(decision.rule, DEFAULT_DENY, "{operation} {path}");
        }
    }
}

#[test]
fn secrets_leave_sources_and_templates_alone() {
    let pack = one("std", "secrets");
    for path in [
        "src/env.rs",
        "src/environment.ts",
        "src/vite-env.d.ts",
        "src/credentials.rs",
        "src/secrets.rs",
        "src/secrets/mod.rs",
        "src/private_key.rs",
        "src/kubeconfig.go",
        "locales/en/auth.json",
        "docs/keys.md",
        "config/settings.yml",
        ".env.example",
        ".env.sample",
        "web/.env.local.example",
        "infra/prod.tfvars.example",
        ".dockerignore",
        ".docker/nginx.conf",
        ".config/nextest.toml",
        ".cargo/config.toml",
    ] {
        for operation in ["file.read", "file.edit", "fs.list", "fs.move", "git.add", "ast.query"] {
            let decision = decide(pack.model(), &[], operation, &[text("path", path)]);
            assert_eq!(decision.rule, DEFAULT_DENY, "{operation} {path}");
        }
    }
}

/// Spellings of hosts that a test in a policy cannot have, since the judge would not let them through.
#[test]
fn network_safe_denies_addresses_and_dotted_names_in_every_spelling() {
    let pack = one("std", "network-safe");
    for host in
        ["127.0.0.1.", "localhost.", "metadata.google.internal.", "::1", "[::1]", "[fe80::1%25eth0]", "::ffff:10.0.0.1"]
    {
        let decision = decide(pack.model(), &[], "http.request", &[text("host", host), text("scheme", "https")]);
        assert_eq!(decision.rule, "network-safe-addresses", "{host}");
    }
    for host in ["0x7f000001", "017700000001", "2130706433", "127.1", "1.0x7f", "3232235777"] {
        let decision = decide(pack.model(), &[], "http.request", &[text("host", host), text("scheme", "https")]);
        assert_eq!(decision.rule, "network-safe-addresses", "{host}");
    }
    for host in ["docs.rs", "3com.com", "x0x7f.example", "0x.example.com", "a.b-1.c2"] {
        let decision = decide(pack.model(), &[], "http.request", &[text("host", host), text("scheme", "https")]);
        assert_eq!(decision.rule, DEFAULT_DENY, "{host}");
    }
}

// ─────────────────────────────────────────────────────────────── what is promised of examples

/// TRUST-DEFAULT-DENY, in every example and for every operation there is.
#[test]
fn trust_default_deny_without_a_role_nothing_is_permitted() {
    for file in shipped("examples") {
        let model = file.model();
        for operation in &model.operations {
            let decision = decide(model, &[], &operation.name, &[]);
            assert_eq!(decision.verdict, Effect::Deny, "{}: {}", file.name, operation.name);
        }
    }
}

/// TRUST-DEFAULT-DENY: an operation that no rule of an example names is denied to every role of it.
#[test]
fn trust_default_deny_operations_no_rule_names_are_denied_to_everybody() {
    for file in shipped("examples") {
        let model = file.model();
        let roles: Vec<&str> = model.roles.iter().map(|role| role.name.as_str()).collect();
        let mut silent = 0;
        for (index, operation) in model.operations.iter().enumerate() {
            let permits = |effect: Effect| effect != Effect::Deny;
            if model.rules.iter().any(|rule| permits(rule.effect) && rule.operations.contains(&OperationId(index))) {
                continue;
            }
            let decision = decide(model, &roles, &operation.name, &[]);
            assert_eq!(decision.verdict, Effect::Deny, "{}: {}", file.name, operation.name);
            silent += 1;
        }
        assert!(silent > 0, "{} permits something of every operation", file.name);
    }
}

/// CTR-0016: DIFF is allowed and PUSH denied in one session.
#[test]
fn ctr_0016_the_reviewer_may_diff_and_may_not_push() {
    let file = one("examples", "read-only-reviewer");
    let ask = |operation: &str| decide(file.model(), &["reviewer"], operation, &[text("ref", "refs/heads/feature/x")]);
    assert_eq!(ask("git.diff").verdict, Effect::Allow);
    assert_eq!((ask("git.push").verdict, ask("git.push").code.as_str()), (Effect::Deny, "GIT_PUSH_DENIED"));
}

/// GATE-OPS: of one tool, a role has some operations and not others.
#[test]
fn gate_ops_the_assistant_may_comment_and_may_not_merge() {
    let file = one("examples", "mcp-gateway");
    let ask = |role: &str, operation: &str| {
        decide(file.model(), &[role], operation, &[text("repository", "acme/app")]).verdict
    };
    assert_eq!(ask("assistant", "github.add_comment"), Effect::Allow);
    assert_eq!(ask("assistant", "github.merge_pull_request"), Effect::Deny);
    assert_eq!(ask("maintainer", "github.merge_pull_request"), Effect::Ask);
    assert_eq!(ask("maintainer", "github.delete_repository"), Effect::Deny);
}

/// GATE-GENERIC: a tool of the team's own is held as a built-in one is.
#[test]
fn gate_generic_a_tool_of_ones_own_is_held_like_a_built_in_one() {
    let file = one("examples", "coding-agent");
    let ask = |operation: &str, facts: &[Fact]| decide(file.model(), &["coder"], operation, facts);
    let within = ask("jira.search", &[text("project", "CORE"), number("max", 50)]);
    let beyond = ask("jira.search", &[text("project", "CORE"), number("max", 51)]);
    assert_eq!((within.verdict, within.rule.as_str()), (Effect::Allow, "tickets"));
    assert_eq!(
        (beyond.verdict, beyond.rule.as_str(), beyond.code.as_str()),
        (Effect::Deny, "tickets", "LIMIT_EXCEEDED")
    );
    assert_eq!(ask("jira.delete", &[text("project", "CORE")]).code, "JIRA_DELETE_DENIED");
}

/// GATE-DEFAULT: a tool that declares no operations is allowed or denied as a whole.
#[test]
fn gate_default_a_tool_without_operations_is_held_as_a_whole() {
    let file = one("examples", "mcp-gateway");
    let search = decide(file.model(), &["assistant"], "web-search", &[text("query", "x"), number("max", 5)]);
    assert_eq!((search.verdict, search.rule.as_str()), (Effect::Allow, "search"));
    let browser = decide(file.model(), &["maintainer"], "browser", &[]);
    assert_eq!((browser.verdict, browser.code.as_str()), (Effect::Deny, "BROWSER_DENIED"));
}

// ─────────────────────────────────────────────────────────────── requests nobody gets through

#[test]
fn the_coding_agent_denies_what_an_attacker_would_try() {
    let line = |line: &'static str| text("line", line);
    let get = [text("scheme", "https"), text("method", "GET")];
    let host = |host: &'static str| [get.as_slice(), &[text("host", host)]].concat();
    let push = |more: &[Fact]| [&[text("remote", "origin")], more].concat();
    let file = one("examples", "coding-agent");
    denied(
        &file,
        &["releaser"],
        &[
            // Paths beside the ones allowed.
            ("file.read", vec![text("path", "srcx/main.rs")], DEFAULT_DENY),
            ("file.read", vec![text("path", "SRC/main.rs")], DEFAULT_DENY),
            ("file.read", vec![text("path", "other/src/main.rs")], DEFAULT_DENY),
            ("file.read", vec![text("path", "")], DEFAULT_DENY),
            ("file.read", vec![], DEFAULT_DENY),
            // Secrets where reading is allowed.
            ("file.read", vec![text("path", "src/.ENV")], "secrets-files"),
            ("file.read", vec![text("path", "src/.env/x")], "secrets-files"),
            ("file.read", vec![text("path", "tests/id_rsa.bak")], "secrets-files"),
            ("file.read", vec![text("path", "docs/.ssh/known_hosts")], "secrets-folders"),
            ("fs.grep", vec![text("path", "src"), flag("hidden")], "secrets-hidden-search"),
            ("fs.copy", vec![text("path", "src/server.pem")], "secrets-files"),
            ("git.show", vec![text("path", ".env")], "secrets-files"),
            // Its own rights.
            ("file.write", vec![text("path", "docs/new.policy")], "protected-paths-policies"),
            ("file.write", vec![text("path", "src/.git/hooks/pre-commit")], "protected-paths-repository"),
            ("fs.move", vec![text("path", "src/.git")], "protected-paths-repository"),
            ("file.edit", vec![text("path", "docs/.vscode/tasks.json")], "protected-paths-settings"),
            // Commands that are not the one they look like.
            ("shell.exec", vec![text("command", "env"), line("env cargo build")], DEFAULT_DENY),
            ("shell.exec", vec![text("command", "sudo"), line("sudo cargo build")], DEFAULT_DENY),
            ("shell.exec", vec![text("command", "sh"), line("sh -c 'cargo build'")], DEFAULT_DENY),
            ("shell.exec", vec![line("/usr/bin/cargo build")], DEFAULT_DENY),
            ("shell.exec", vec![text("command", "/usr/bin/ls"), line("/usr/bin/ls")], DEFAULT_DENY),
            ("shell.exec", vec![text("command", "./ls"), line("./ls")], DEFAULT_DENY),
            ("shell.exec", vec![text("command", "cargo-build"), line("cargo-build")], DEFAULT_DENY),
            ("shell.exec", vec![text("command", "cargo"), line("cargo buildx")], DEFAULT_DENY),
            ("shell.exec", vec![text("command", "cargo"), line("cargo")], DEFAULT_DENY),
            ("shell.exec", vec![text("command", "cargo"), line("cargo publish")], DEFAULT_DENY),
            ("shell.exec", vec![text("command", "cargo"), line("cargo --config build publish")], DEFAULT_DENY),
            ("shell.exec", vec![text("command", "cargo"), line("cargo +nightly build")], DEFAULT_DENY),
            ("shell.exec", vec![text("command", "cargo"), line("cargo run")], DEFAULT_DENY),
            ("shell.exec", vec![text("command", "cargo"), line("cargo test 'a\nb'")], DEFAULT_DENY),
            ("shell.exec", vec![text("command", "cargo"), line("cargo build"), flag("complex")], DEFAULT_DENY),
            ("shell.exec", vec![text("command", "cargo"), line("cargo build"), flag("network")], DEFAULT_DENY),
            ("shell.exec", vec![text("command", "ls"), line("ls .env")], "secrets-command-lines"),
            ("shell.exec", vec![text("command", "git"), line("git log")], DEFAULT_DENY),
            ("shell.inline", vec![text("command", "python3")], DEFAULT_DENY),
            // Hosts that look like the ones allowed.
            ("http.request", host("docs.rs.evil.com"), DEFAULT_DENY),
            ("http.request", host("evildocs.rs"), DEFAULT_DENY),
            ("http.request", host("docs.rs."), "network-safe-addresses"),
            ("http.request", host("169.254.169.254"), "network-safe-addresses"),
            ("http.request", host("localhost"), "network-safe-hosts"),
            ("http.request", [host("docs.rs"), vec![number("port", 22)]].concat(), "network-safe-ports"),
            (
                "http.request",
                vec![text("scheme", "https"), text("method", "get"), text("host", "docs.rs")],
                DEFAULT_DENY,
            ),
            ("http.request", vec![text("method", "GET"), text("host", "docs.rs")], "network-safe-encrypted"),
            // Pushes beside the ones a person is asked for.
            ("git.push", push(&[text("ref", "refs/heads/main")]), "git-safety-shared-branches"),
            ("git.push", push(&[text("ref", "refs/heads/features/x")]), DEFAULT_DENY),
            ("git.push", push(&[text("ref", "feature/x")]), DEFAULT_DENY),
            ("git.push", push(&[text("ref", "refs/tags/nightly")]), DEFAULT_DENY),
            ("git.push", push(&[]), "git-safety-unnamed-push"),
            ("git.push", push(&[text("ref", "refs/heads/feature/x"), flag("all")]), "git-safety-unnamed-push"),
            ("git.push", push(&[text("ref", "refs/tags/v1.0.0"), flag("force")]), "git-safety-force-push"),
            (
                "git.push",
                vec![text("ref", "refs/heads/feature/x"), text("remote", "ext::sh -c id")],
                "git-safety-remote-names",
            ),
            ("git.clone", vec![text("url", "ext::sh -c id")], "git-safety-transport"),
            (
                "git.remote",
                vec![text("remote", "origin"), text("url", "https://evil.example/x")],
                "git-safety-remote-urls",
            ),
            // The rest.
            ("inference.call", vec![text("model", "xclaude-1")], DEFAULT_DENY),
            ("inference.call", vec![text("model", "claude-1"), number("tokens", 200_001)], "ask-a-model"),
            ("artifact.publish", vec![text("artifact", "src.tar")], DEFAULT_DENY),
        ],
    );
    denied(&file, &["coder"], &[("git.push", push(&[text("ref", "refs/tags/v1.0.0")]), DEFAULT_DENY)]);
    denied(
        &file,
        &["reader"],
        &[
            ("file.edit", vec![text("path", "src/main.rs")], DEFAULT_DENY),
            ("shell.exec", vec![text("command", "ls"), line("ls")], DEFAULT_DENY),
            ("git.commit", vec![], DEFAULT_DENY),
        ],
    );
}

#[test]
fn the_reviewer_denies_what_an_attacker_would_try() {
    denied(
        &one("examples", "read-only-reviewer"),
        &["reviewer"],
        &[
            ("file.read", vec![text("path", "src/.ENV.local")], "secrets-files"),
            ("file.read", vec![text("path", ".git/config")], "secrets-files"),
            ("file.read", vec![text("path", ".interdict/ledger.db")], "protected-paths-state"),
            ("git.show", vec![text("path", "deploy/id_ed25519"), text("ref", "HEAD")], "secrets-files"),
            ("git.log", vec![text("path", ".env")], "secrets-files"),
            ("ast.query", vec![text("path", ".aws/credentials")], "secrets-folders"),
            ("review.approve", vec![number("pull-request", 7)], "people-decide"),
            ("git.add", vec![text("path", "src/main.rs")], DEFAULT_DENY),
            ("git.fetch", vec![text("remote", "origin")], DEFAULT_DENY),
            ("ast.external", vec![text("path", "src/main.rs")], DEFAULT_DENY),
            ("pytest.run", vec![text("path", "tests")], DEFAULT_DENY),
            ("inference.call", vec![text("model", "claude-1")], DEFAULT_DENY),
        ],
    );
}

#[test]
fn the_release_bot_denies_what_an_attacker_would_try() {
    let cargo = |line: &'static str| vec![text("command", "cargo"), text("line", line), flag("network")];
    let file = one("examples", "release-bot");
    denied(
        &file,
        &["publisher"],
        &[
            ("shell.exec", cargo("cargo publish"), DEFAULT_DENY),
            ("shell.exec", cargo("cargo publish --locked --index https://evil.example"), DEFAULT_DENY),
            ("shell.exec", cargo("cargo test --workspace --locked"), DEFAULT_DENY),
            ("shell.exec", cargo("cargo login"), DEFAULT_DENY),
            ("shell.exec", vec![text("command", "env"), text("line", "env cargo publish --locked")], DEFAULT_DENY),
            ("shell.exec", [cargo("cargo publish --locked"), vec![flag("complex")]].concat(), DEFAULT_DENY),
            ("git.push", vec![text("ref", "refs/tags/v1.0.0")], DEFAULT_DENY),
            ("git.push", vec![text("ref", "refs/tags/v1/../../heads/main"), text("remote", "origin")], DEFAULT_DENY),
            (
                "git.push",
                vec![text("ref", "refs/heads/release/1.0"), text("remote", "origin")],
                "git-safety-shared-branches",
            ),
            ("git.push", vec![text("ref", "refs/heads/feature/x"), text("remote", "origin")], DEFAULT_DENY),
            ("git.tag", vec![text("ref", "refs/tags/v1.0.0"), flag("force")], "git-safety-moved-tags"),
            ("file.edit", vec![text("path", "crates/core/src/Cargo.toml")], DEFAULT_DENY),
            ("file.edit", vec![text("path", "crates/core/build.rs")], DEFAULT_DENY),
            ("file.write", vec![text("path", "Cargo.toml")], DEFAULT_DENY),
            ("file.read", vec![text("path", "crates/core/.env")], "secrets-files"),
            ("artifact.publish", vec![text("artifact", "x")], DEFAULT_DENY),
            (
                "artifact.publish",
                vec![text("artifact", "x"), text("category", "binary"), number("bytes", 1 << 30)],
                "publish-files",
            ),
        ],
    );
    denied(&file, &["verifier"], &[("shell.exec", cargo("cargo publish --locked"), DEFAULT_DENY)]);
}

#[test]
fn the_data_analyst_denies_what_an_attacker_would_try() {
    let python = |line: &'static str| vec![text("command", "python3"), text("line", line)];
    let query = |more: &[Fact]| [&[text("statement", "select 1")], more].concat();
    denied(
        &one("examples", "data-analyst"),
        &["analyst"],
        &[
            ("file.read", vec![text("path", "data/personal")], "personal-data"),
            ("fs.list", vec![text("path", "data/personal/2024")], "personal-data"),
            ("file.read", vec![text("path", "data/customers-old/a.csv")], "personal-data"),
            ("fs.move", vec![text("path", "data/personal/a.csv")], "personal-data"),
            ("warehouse.load", vec![text("path", "data/personal/a.csv")], "personal-data"),
            (
                "file.write",
                vec![text("path", "reports/run.py"), text("name", "run.py"), text("extension", "py")],
                DEFAULT_DENY,
            ),
            ("file.write", vec![text("path", "reports/README"), text("name", "README")], DEFAULT_DENY),
            ("file.write", vec![text("path", "scripts/a.py"), text("extension", "py")], DEFAULT_DENY),
            ("shell.exec", python("python3 scripts/../data/x.py"), DEFAULT_DENY),
            ("shell.exec", python("python3 -m scripts/a.py"), DEFAULT_DENY),
            ("shell.exec", python("python3 scripts/a.py 'x y'"), DEFAULT_DENY),
            ("shell.exec", python("python3 scripts/a.pyc"), DEFAULT_DENY),
            ("shell.inline", vec![text("command", "python3")], DEFAULT_DENY),
            ("warehouse.query", query(&[text("schema", "sales")]), DEFAULT_DENY),
            ("warehouse.query", query(&[text("schema", "hr"), number("max-rows", 1)]), DEFAULT_DENY),
            ("warehouse.query", query(&[number("max-rows", 1)]), DEFAULT_DENY),
            (
                "http.request",
                vec![text("host", "data.gov.evil.example"), text("scheme", "https"), text("method", "GET")],
                DEFAULT_DENY,
            ),
            ("inference.call", vec![text("provider", "Local"), text("model", "llama")], DEFAULT_DENY),
            ("artifact.publish", vec![text("artifact", "all.csv")], DEFAULT_DENY),
        ],
    );
}

#[test]
fn the_gateway_denies_what_an_attacker_would_try() {
    let repository = |name: &'static str| text("repository", name);
    denied(
        &one("examples", "mcp-gateway"),
        &["maintainer"],
        &[
            ("github.get_file", vec![text("path", "src/a.ts")], DEFAULT_DENY),
            ("github.get_file", vec![repository("acme/app/../../evil/app"), text("path", "a")], DEFAULT_DENY),
            ("github.get_file", vec![repository("ACME/app"), text("path", "a")], DEFAULT_DENY),
            ("github.get_file", vec![repository("acme/app"), text("path", "ci/.env")], "secrets-in-repositories"),
            ("github.get_file", vec![repository("acme/app"), text("path", ".ssh/id_rsa")], "secrets-in-repositories"),
            (
                "github.create_pull_request",
                vec![repository("acme/app"), text("base", "release/1"), text("head", "assistant/x")],
                DEFAULT_DENY,
            ),
            ("github.merge_pull_request", vec![repository("acme/other"), number("number", 7)], DEFAULT_DENY),
            ("database.query", vec![text("database", "production"), number("max_rows", 1)], DEFAULT_DENY),
            ("database.query", vec![text("database", "analytics")], DEFAULT_DENY),
            ("database.execute", vec![text("database", "analytics")], DEFAULT_DENY),
            ("web-search", vec![text("query", "x")], DEFAULT_DENY),
            ("browser", vec![], DEFAULT_DENY),
            ("file.read", vec![text("path", "README.md")], DEFAULT_DENY),
            ("shell.exec", vec![text("command", "ls"), text("line", "ls")], DEFAULT_DENY),
        ],
    );
}

// ─────────────────────────────────────────────────────────────── reading files, making requests

/// A policy that ships.
struct Shipped {
    name: String,
    text: String,
    checked: Checked,
}

impl Shipped {
    fn model(&self) -> &Model {
        self.checked.model.as_ref().unwrap_or_else(|| panic!("{}: {:#?}", self.name, self.checked.diagnostics))
    }
}

fn policies() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../policies")
}

fn one(folder: &str, name: &str) -> Shipped {
    let path = policies().join(folder).join(format!("{name}.policy"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Shipped { name: name.to_owned(), text, checked: check(&path, CheckOptions::default()) }
}

/// Every policy of a folder, by name. An empty folder fails: nothing would be tested.
fn shipped(folder: &str) -> Vec<Shipped> {
    let entries = fs::read_dir(policies().join(folder)).unwrap();
    let paths: BTreeSet<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    assert!(!paths.is_empty(), "no policy in {folder}");
    let name = |path: &PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    assert!(paths.iter().all(|path| path.extension().is_some_and(|extension| extension == "policy")), "{paths:?}");
    paths.iter().map(|path| one(folder, &name(path))).collect()
}

fn all() -> Vec<Shipped> {
    shipped("std").into_iter().chain(shipped("examples")).collect()
}

/// Errors and warnings, as lines.
fn serious(checked: &Checked) -> Vec<String> {
    let found = checked.diagnostics.iter().filter(|finding| finding.code.severity != Severity::Note);
    found.map(|finding| format!("{} {}", finding.code.id, finding.message)).collect()
}

/// What is known of a request.
#[derive(Debug, Clone, Copy)]
enum Fact {
    Text(&'static str, &'static str),
    Number(&'static str, u64),
    Flag(&'static str),
}

fn text(name: &'static str, value: &'static str) -> Fact {
    Fact::Text(name, value)
}

fn number(name: &'static str, value: u64) -> Fact {
    Fact::Number(name, value)
}

fn flag(name: &'static str) -> Fact {
    Fact::Flag(name)
}

fn operation_of(model: &Model, name: &str) -> OperationId {
    let place = model.operations.iter().position(|operation| operation.name == name);
    OperationId(place.unwrap_or_else(|| panic!("no operation {name}")))
}

/// Judges a request. A fact that the operation cannot have fails: the request would say less than meant.
fn decide(model: &Model, roles: &[&str], operation: &str, facts: &[Fact]) -> Decision {
    let role = |name: &&str| RoleId(model.roles.iter().position(|role| role.name == **name).unwrap());
    let mut request = Request {
        roles: roles.iter().map(role).collect(),
        operation: operation_of(model, operation),
        strings: BTreeMap::new(),
        numbers: BTreeMap::new(),
        flags: BTreeSet::new(),
    };
    for fact in facts {
        let (Fact::Text(name, _) | Fact::Number(name, _) | Fact::Flag(name)) = *fact;
        let attribute = model.operations[request.operation.0].attribute(name);
        let kind = attribute.unwrap_or_else(|| panic!("{operation} has no {name}")).kind;
        let is_right = match *fact {
            Fact::Text(_, value) => {
                kind.set_kind().is_some() && request.strings.insert(name.into(), value.into()).is_none()
            }
            Fact::Number(_, value) => kind.is_number() && request.numbers.insert(name.into(), value).is_none(),
            Fact::Flag(_) => kind.set_kind().is_none() && !kind.is_number() && request.flags.insert(name.into()),
        };
        assert!(is_right, "{operation} cannot have {fact:?}");
    }
    evaluate(model, &request)
}

fn denied(file: &Shipped, roles: &[&str], requests: &[(&str, Vec<Fact>, &str)]) {
    for (operation, facts, rule) in requests {
        let decision = decide(file.model(), roles, operation, facts);
        assert_eq!((decision.verdict, decision.rule.as_str()), (Effect::Deny, *rule), "{operation} {facts:?}");
    }
}

const STD: &[&str] =
    &["git-safety", "network-safe", "node-dev", "protected-paths", "python-dev", "rust-dev", "secrets"];

const EXAMPLES: &[&str] = &["coding-agent", "data-analyst", "mcp-gateway", "read-only-reviewer", "release-bot"];

/// In all files together; fewer would mean that some were lost.
const TESTS_MIN: usize = 350;
