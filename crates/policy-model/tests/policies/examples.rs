//! What is promised of examples, and requests that nobody gets through them.

use policy_model::OperationId;
use policy_model::catalogue::DEFAULT_DENY;
use policy_syntax::Effect;

use crate::shipped::{decide, denied, one, shipped};

/// TRUST-DEFAULT-DENY, in every example and for every operation there is.
#[test]
fn trust_default_deny_without_a_role_nothing_is_permitted() {
    for file in shipped("examples") {
        let model = file.model();
        for operation in &model.operations {
            let decision = decide(model, &[], &operation.name);
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
            let decision = decide(model, &roles, &operation.name);
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
    let diff = decide(file.model(), &["reviewer"], "git.diff | ref refs/heads/feature/x");
    let push = decide(file.model(), &["reviewer"], "git.push | ref refs/heads/feature/x");
    assert_eq!((diff.verdict, diff.code.as_str()), (Effect::Allow, "ALLOWED"));
    assert_eq!((push.verdict, push.code.as_str()), (Effect::Deny, "GIT_PUSH_DENIED"));
}

/// GATE-OPS: of one tool, a role has some operations and not others.
#[test]
fn gate_ops_the_assistant_may_comment_and_may_not_merge() {
    let file = one("examples", "mcp-gateway");
    let ask = |role: &str, operation: &str| {
        decide(file.model(), &[role], &format!("{operation} | repository acme/app")).verdict
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
    let ask = |request: &str| decide(file.model(), &["coder"], request);
    let within = ask("jira.search | project CORE | max 50");
    let beyond = ask("jira.search | project CORE | max 51");
    assert_eq!((within.verdict, within.rule.as_str()), (Effect::Allow, "tickets"));
    assert_eq!(
        (beyond.verdict, beyond.rule.as_str(), beyond.code.as_str()),
        (Effect::Deny, "tickets", "LIMIT_EXCEEDED")
    );
    assert_eq!(ask("jira.delete | project CORE").code, "JIRA_DELETE_DENIED");
}

/// GATE-DEFAULT: a tool that declares no operations is allowed or denied as a whole.
#[test]
fn gate_default_a_tool_without_operations_is_held_as_a_whole() {
    let file = one("examples", "mcp-gateway");
    let search = decide(file.model(), &["assistant"], "web-search | query x | max 5");
    assert_eq!((search.verdict, search.rule.as_str()), (Effect::Allow, "search"));
    let browser = decide(file.model(), &["maintainer"], "browser");
    assert_eq!((browser.verdict, browser.code.as_str()), (Effect::Deny, "BROWSER_DENIED"));
}

#[test]
fn the_coding_agent_stays_in_its_sources() {
    let file = one("examples", "coding-agent");
    let beside = [
        "file.read | path srcx/main.rs",
        "file.read | path SRC/main.rs",
        "file.read | path other/src/main.rs",
        "file.read | path ",
        "file.read",
        "fs.delete | path src | recursive",
        "git.add | path .github/workflows/ci.yml",
    ];
    denied(file, "releaser", DEFAULT_DENY, &beside);
    let secrets = [
        "file.read | path src/.ENV",
        "file.read | path src/.env/x",
        "file.read | path tests/id_rsa.bak",
        "fs.copy | path src/server.pem",
        "git.show | path .env | ref HEAD",
    ];
    denied(file, "releaser", "secrets-files", &secrets);
    denied(file, "releaser", "secrets-folders", &["file.read | path docs/.ssh/known_hosts"]);
    denied(file, "releaser", "secrets-hidden-search", &["fs.grep | path src | hidden"]);
    denied(file, "releaser", "protected-paths-policies", &["file.write | path docs/new.policy"]);
    let repository = ["file.write | path src/.git/hooks/pre-commit", "fs.move | path src/.git"];
    denied(file, "releaser", "protected-paths-repository", &repository);
    denied(file, "releaser", "protected-paths-settings", &["file.edit | path docs/.vscode/tasks.json"]);
    denied(
        file,
        "reader",
        DEFAULT_DENY,
        &["file.edit | path src/main.rs", "shell.exec | command ls | line ls", "git.commit"],
    );
}

#[test]
fn the_coding_agent_runs_no_command_that_only_looks_like_one_of_its_own() {
    let file = one("examples", "coding-agent");
    let lookalikes = [
        "shell.exec | command env | line env cargo build",
        "shell.exec | command sudo | line sudo cargo build",
        "shell.exec | command sh | line sh -c 'cargo build'",
        "shell.exec | line /usr/bin/cargo build",
        "shell.exec | command /usr/bin/ls | line /usr/bin/ls",
        "shell.exec | command ./ls | line ./ls",
        "shell.exec | command cargo-build | line cargo-build",
        "shell.exec | command cargo | line cargo",
        "shell.exec | command cargo | line cargo buildx",
        "shell.exec | command cargo | line cargo publish",
        "shell.exec | command cargo | line cargo --config build publish",
        "shell.exec | command cargo | line cargo +nightly build",
        "shell.exec | command cargo | line cargo run",
        "shell.exec | command cargo | line cargo test 'a\nb'",
        "shell.exec | command git | line git log",
        "shell.inline | command python3",
    ];
    denied(file, "releaser", DEFAULT_DENY, &lookalikes);
    denied(file, "releaser", "secrets-command-lines", &["shell.exec | command ls | line ls .env"]);
}

#[test]
fn the_coding_agent_talks_to_no_host_that_only_looks_like_one_of_its_own() {
    let file = one("examples", "coding-agent");
    let lookalikes = [
        "http.request | scheme https | method GET | host docs.rs.evil.com",
        "http.request | scheme https | method GET | host evildocs.rs",
        "http.request | scheme https | method GET | host rust-lang.org",
        "http.request | scheme https | method get | host docs.rs",
        "http.request | scheme https | method PUT | host docs.rs",
    ];
    denied(file, "releaser", DEFAULT_DENY, &lookalikes);
    let addresses = [
        "http.request | scheme https | method GET | host docs.rs.",
        "http.request | scheme https | method GET | host 169.254.169.254",
    ];
    denied(file, "releaser", "network-safe-addresses", &addresses);
    denied(file, "releaser", "network-safe-hosts", &["http.request | scheme https | method GET | host localhost"]);
    denied(
        file,
        "releaser",
        "network-safe-ports",
        &["http.request | scheme https | method GET | host docs.rs | port 22"],
    );
    denied(file, "releaser", "network-safe-encrypted", &["http.request | method GET | host docs.rs"]);
    denied(
        file,
        "releaser",
        DEFAULT_DENY,
        &["inference.call | model xclaude-1", "artifact.publish | artifact src.tar"],
    );
    denied(file, "releaser", "ask-a-model", &["inference.call | model claude-1 | tokens 200001"]);
}

#[test]
fn the_coding_agent_pushes_only_what_a_person_is_asked_for() {
    let file = one("examples", "coding-agent");
    let beside = [
        "git.push | remote origin | ref refs/heads/features/x",
        "git.push | remote origin | ref feature/x",
        "git.push | remote origin | ref refs/tags/nightly",
        "git.push | remote evil | ref refs/heads/feature/x",
    ];
    denied(file, "releaser", DEFAULT_DENY, &beside);
    denied(file, "coder", DEFAULT_DENY, &["git.push | remote origin | ref refs/tags/v1.0.0"]);
    denied(file, "releaser", "git-safety-shared-branches", &["git.push | remote origin | ref refs/heads/main"]);
    denied(file, "releaser", "git-safety-force-push", &["git.push | remote origin | ref refs/tags/v1.0.0 | force"]);
    let unnamed = ["git.push | remote origin", "git.push | remote origin | ref refs/heads/feature/x | all"];
    denied(file, "releaser", "git-safety-unnamed-push", &unnamed);
    let helper = ["git.push | remote ext::sh -c id | ref refs/heads/feature/x", "git.fetch | remote --upload-pack=id"];
    denied(file, "releaser", "git-safety-remote-names", &helper);
    denied(file, "releaser", "git-safety-transport", &["git.clone | url ext::sh -c id"]);
    denied(file, "releaser", "git-safety-remote-urls", &["git.remote | remote origin | url https://evil.example/x"]);
}

#[test]
fn the_reviewer_only_looks_and_comments() {
    let file = one("examples", "read-only-reviewer");
    let secrets = [
        "file.read | path src/.ENV.local",
        "file.read | path .git/config",
        "git.show | path deploy/id_ed25519 | ref HEAD",
        "git.log | path .env",
    ];
    denied(file, "reviewer", "secrets-files", &secrets);
    denied(file, "reviewer", "secrets-folders", &["ast.query | path .aws/credentials"]);
    denied(file, "reviewer", "protected-paths-state", &["file.read | path .interdict/ledger.db"]);
    denied(file, "reviewer", "people-decide", &["review.approve | pull-request 7", "review.merge | pull-request 7"]);
    let acts = [
        "file.write | path notes.md",
        "git.add | path src/main.rs",
        "git.fetch | remote origin",
        "ast.external | path src/main.rs",
        "pytest.run | path tests",
        "inference.call | model claude-1",
    ];
    denied(file, "reviewer", DEFAULT_DENY, &acts);
}

#[test]
fn the_release_bot_publishes_only_what_a_person_is_asked_for() {
    let file = one("examples", "release-bot");
    let beside = [
        "shell.exec | command cargo | line cargo publish | network",
        "shell.exec | command cargo | line cargo publish --locked --index https://evil.example | network",
        "shell.exec | command cargo | line cargo test --workspace --locked | network",
        "shell.exec | command cargo | line cargo login | network",
        "shell.exec | command env | line env cargo publish --locked | network",
        "git.push | ref refs/tags/v1.0.0",
        "git.push | ref refs/tags/v1/../../heads/main | remote origin",
        "git.push | ref refs/heads/feature/x | remote origin",
        "file.edit | path crates/core/src/Cargo.toml",
        "file.edit | path crates/core/build.rs",
        "file.write | path Cargo.toml",
        "artifact.publish | artifact x",
    ];
    denied(file, "publisher", DEFAULT_DENY, &beside);
    denied(file, "publisher", "git-safety-shared-branches", &["git.push | ref refs/heads/release/1.0 | remote origin"]);
    denied(file, "publisher", "git-safety-moved-tags", &["git.tag | ref refs/tags/v1.0.0 | force"]);
    denied(file, "publisher", "secrets-files", &["file.read | path crates/core/.env"]);
    denied(file, "publisher", "publish-files", &["artifact.publish | artifact x | category binary | bytes 1073741824"]);
    denied(file, "verifier", DEFAULT_DENY, &["shell.exec | command cargo | line cargo publish --locked | network"]);
}

#[test]
fn the_data_analyst_sees_no_people_and_writes_nothing_that_runs() {
    let file = one("examples", "data-analyst");
    let people = [
        "file.read | path data/personal",
        "fs.list | path data/personal/2024",
        "file.read | path data/customers-old/a.csv",
        "fs.move | path data/personal/a.csv",
        "warehouse.load | path data/personal/a.csv",
    ];
    denied(file, "analyst", "personal-data", &people);
    let beside = [
        "file.write | path reports/run.py | name run.py | extension py",
        "file.write | path reports/README | name README",
        "file.write | path scripts/a.csv | name a.csv | extension csv",
        "shell.exec | command python3 | line python3 scripts/../data/x.py",
        "shell.exec | command python3 | line python3 -m scripts/a.py",
        "shell.exec | command python3 | line python3 scripts/a.py 'x y'",
        "shell.exec | command python3 | line python3 scripts/a.pyc",
        "shell.inline | command python3",
        "warehouse.query | schema sales",
        "warehouse.query | schema hr | max-rows 1",
        "warehouse.query | max-rows 1",
        "http.request | scheme https | method GET | host data.gov.evil.example",
        "inference.call | provider Local | model llama",
        "artifact.publish | artifact all.csv",
    ];
    denied(file, "analyst", DEFAULT_DENY, &beside);
}

#[test]
fn the_gateway_lets_no_call_out_of_its_repositories_and_databases() {
    let file = one("examples", "mcp-gateway");
    let beside = [
        "github.get_file | path src/a.ts",
        "github.get_file | repository acme/app/../../evil/app | path a",
        "github.get_file | repository ACME/app | path a",
        "github.create_pull_request | repository acme/app | base release/1 | head assistant/x",
        "github.merge_pull_request | repository acme/other | number 7",
        "database.query | database production | max_rows 1",
        "database.query | database analytics",
        "database.execute | database analytics",
        "web-search | query x",
        "browser",
        "file.read | path README.md",
        "shell.exec | command ls | line ls",
    ];
    denied(file, "maintainer", DEFAULT_DENY, &beside);
    let secrets = [
        "github.get_file | repository acme/app | path ci/.env",
        "github.get_file | repository acme/app | path .ssh/id_rsa",
    ];
    denied(file, "maintainer", "secrets-in-repositories", &secrets);
}
