//! What is promised of rule packs: they narrow, and they stay out of the way.

use std::collections::BTreeSet;
use std::path::Path;

use policy_model::catalogue::DEFAULT_DENY;
use policy_model::{CheckOptions, Memory, PACKS, Request, RoleId, Subjects, check_in, evaluate};
use policy_syntax::Effect;

use crate::shipped::{decide, one, operation_of, serious, shipped};

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
            let decision = decide(pack.model(), &[], &format!("{operation} | path {path}"));
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
            let decision = decide(pack.model(), &[], &format!("{operation} | path {path}"));
            assert_eq!(decision.rule, DEFAULT_DENY, "{operation} {path}");
        }
    }
}

/// Spellings of hosts that a test in a policy cannot have, since the judge would not let them through.
#[test]
fn network_safe_denies_addresses_and_dotted_names_in_every_spelling() {
    let pack = one("std", "network-safe");
    let rule = |host: &str| decide(pack.model(), &[], &format!("http.request | scheme https | host {host}")).rule;
    let names = ["docs.rs", "3com.com", "x0x7f.example", "0x.example.com", "a.b-1.c2"];
    assert_eq!(names.map(&rule), [DEFAULT_DENY; 5]);
    let dotted = ["127.0.0.1.", "localhost.", "metadata.google.internal."];
    assert_eq!(dotted.map(&rule), ["network-safe-addresses"; 3]);
    let six = ["::1", "[::1]", "[fe80::1%25eth0]", "::ffff:10.0.0.1"];
    assert_eq!(six.map(&rule), ["network-safe-addresses"; 4]);
    let four = ["0x7f000001", "017700000001", "2130706433", "127.1", "1.0x7f", "3232235777"];
    assert_eq!(four.map(&rule), ["network-safe-addresses"; 6]);
}
