//! What a registry says is what its policy answers, and nothing in one is passed over.

#![cfg(test)]

mod support;

use policy_import::{Format, Imported};
use support::{answer, codes, findings, imported, verdict};

fn registry(text: &str) -> Imported {
    imported(Format::Registry, text.as_bytes())
}

fn full() -> Imported {
    imported(Format::Registry, include_bytes!("data/registry.yaml"))
}

#[test]
fn sdk_registry_hosts_are_those_of_the_list() {
    let policy = full();
    let answers = ["doc.rust-lang.org", "a.docs.rs", "docs.rs", "evil.example", "doc.rust-lang.org.evil.example"]
        .map(|host| verdict(&policy, &format!("agent http.request host \"{host}\" redirects 3")));
    assert_eq!(answers, ["allow", "allow", "deny", "deny", "deny"]);
    assert_eq!(verdict(&policy, "agent http.request host \"a.docs.rs\" redirects 4"), "deny");
    let open = registry("version: 1\nnetwork: {allowed_domains: [docs.rs]}\n");
    assert_eq!(verdict(&open, "agent http.request host \"docs.rs\" redirects 4"), "allow");
}

#[test]
fn sdk_registry_commands_are_those_the_regexes_match() {
    let policy = full();
    let answers = ["cargo", "cargo test", "cargotest", "npm test", "npm run lint", "npm run lint x", "rm -rf a"]
        .map(|line| verdict(&policy, &format!("agent shell.exec line \"{line}\"")));
    assert_eq!(answers, ["allow", "allow", "deny", "allow", "allow", "deny", "deny"]);
    assert_eq!(verdict(&policy, "agent shell.exec line \"cargo test\" network"), "deny");
    assert_eq!(verdict(&policy, "agent shell.exec line \"cargo test\" complex"), "deny");
}

#[test]
fn sdk_registry_pushing_is_as_it_says() {
    let git = |push: &str| registry(&format!("version: 1\ngit: {{{push}}}\n"));
    let said = |push: &str| {
        let decision = answer(&git(push), "agent git.push ref \"refs/heads/x\"");
        (decision.verdict.as_str(), decision.rule)
    };
    assert_eq!(said("allow_push: true"), ("allow", "git-push".to_owned()));
    assert_eq!(said("allow_push: false"), ("deny", "git-push".to_owned()));
    assert_eq!(said(""), ("deny", "default-deny".to_owned()));
    assert_eq!(verdict(&git("allow_push: true"), "agent git.pull"), "deny");
}

#[test]
fn sdk_registry_what_blocks_is_required_before_what_it_blocks() {
    let policy = full();
    let required = |words: &str| answer(&policy, words).obligations.requirements;
    assert_eq!(required("agent git.commit"), ["clean-tree", "build.must.pass"]);
    // A clean tree is one that passes what blocks a commit.
    assert_eq!(required("agent git.push"), ["clean-tree", "build.must.pass"]);
    assert_eq!(required("agent git.merge"), ["clean-tree", "build.must.pass"]);
    assert_eq!(required("agent git.rebase"), ["clean-tree", "build.must.pass"]);
    assert_eq!(required("agent git.checkout"), ["clean-tree"]);
    assert_eq!(required("agent file.write path \"a\""), ["code.ast.parsed"]);
    assert_eq!(required("agent ast.edit path \"a\""), ["code.ast.parsed", "fmt.must.pass"]);
    assert_eq!(required("agent file.read path \"a\""), Vec::<String>::new());
    let bare = registry("version: 1\ngit: {require_clean_tree_for_commit: false}\nast: {format_on_save: false}\n");
    assert_eq!(answer(&bare, "agent git.commit").obligations.requirements, Vec::<String>::new());
    assert_eq!(answer(&bare, "agent ast.edit path \"a\"").obligations.requirements, Vec::<String>::new());
}

#[test]
fn sdk_registry_every_validator_keeps_its_level() {
    let text = full().policy.unwrap();
    let warning = text.lines().find(|line| line.starts_with("names validators-warning")).unwrap();
    assert_eq!(warning, "names validators-warning = \"sec.shell.allowlist\", \"code.no.unwrap\"");
    assert!(text.contains("names validators-suggestion = \"branch.naming.convention\"\n"));
    assert_eq!(verdict(&full(), "agent validate.run rule \"code.no.unwrap\""), "allow");
    assert_eq!(verdict(&full(), "agent validate.run rule \"secrets.scan\""), "deny");
}

#[test]
fn sdk_registry_the_language_is_the_one_that_is_parsed() {
    let policy = full();
    assert_eq!(verdict(&policy, "agent ast.generate path \"a\" language \"rust\""), "allow");
    assert_eq!(verdict(&policy, "agent ast.generate path \"a\" language \"python\""), "deny");
    assert_eq!(verdict(&registry("version: 1\n"), "agent ast.generate path \"a\" language \"python\""), "allow");
}

#[test]
fn sdk_registry_files_are_open_and_the_rules_themselves_are_not() {
    let policy = registry("version: 1\n");
    assert_eq!(verdict(&policy, "agent file.write path \"src/main.rs\""), "allow");
    assert_eq!(verdict(&policy, "agent file.write path \"agent.policy\""), "deny");
    assert_eq!(verdict(&policy, "anyone file.read path \"src/main.rs\""), "deny");
    assert_eq!(verdict(&policy, "agent shell.exec line \"ls\""), "deny");
    assert_eq!(verdict(&policy, "agent http.request host \"docs.rs\""), "deny");
}

#[test]
fn sdk_registry_a_key_that_it_does_not_know_is_an_error() {
    for (text, place) in [
        ("version: 1\nshel_allow: []\n", "E1002 2:1 a registry has no key `shel_allow` (did you mean `shell_allow`?)"),
        (
            "version: 1\nnetwork: {allowed: []}\n",
            "E1002 2:11 `network` has no key `allowed` (known keys: `allowed_domains`)",
        ),
        (
            "version: 1\ngit: {allow_pull: true}\n",
            "E1002 2:7 `git` has no key `allow_pull` (did you mean `allow_push`?)",
        ),
        (
            "version: 1\nast: {lang: rust}\n",
            "E1002 2:7 `ast` has no key `lang` (known keys: `language`, `format_on_save`, `validate_on_edit`)",
        ),
        (
            "version: 1\nvalidators: [{rule: secrets.scan, enforcement: blocking, when: always}]\n",
            "E1002 2:58 a validator has no key `when` (known keys: `rule`, `enforcement`)",
        ),
    ] {
        let imported = registry(text);
        assert_eq!(findings(&imported), [place]);
        assert_eq!(imported.policy, None);
    }
}

#[test]
fn sdk_registry_a_value_that_it_cannot_have_is_an_error() {
    for text in [
        "network: {allowed_domains: []}\n",
        "version: 2\n",
        "version: \"1\"\n",
        "version: 1\nnetwork: []\n",
        "version: 1\nnetwork: {allowed_domains: docs.rs}\n",
        "version: 1\nnetwork: {allowed_domains: [1]}\n",
        "version: 1\nshell_allow: ^cargo\n",
        "version: 1\ngit: {allow_push: yes}\n",
        "version: 1\nvalidators: [secrets.scan]\n",
        "version: 1\nvalidators: [{rule: secrets.scan}]\n",
        "version: 1\nvalidators: [{rule: secrets.scam, enforcement: blocking}]\n",
        "version: 1\nvalidators: [{rule: secrets.scan, enforcement: never}]\n",
        "version: 1\nvalidators: [{rule: secrets.scan, enforcement: blocking}, {rule: secrets.scan, enforcement: warning}]\n",
        "- version: 1\n",
    ] {
        let imported = registry(text);
        assert!(codes(&imported).contains(&"E1003"), "{text}: {:?}", findings(&imported));
        assert_eq!(imported.policy, None);
    }
}

#[test]
fn what_the_language_refuses_is_told_at_its_place() {
    let hosts = registry("version: 1\nnetwork:\n  allowed_domains: [docs.rs, \"https://docs.rs/\"]\n");
    assert_eq!(codes(&hosts), ["E0604"]);
    assert!(findings(&hosts)[0].starts_with("E0604 3:30 "), "{:?}", findings(&hosts));
    let regexes = registry("version: 1\nshell_allow:\n  - '^ls$'\n  - '^(?=a)'\n");
    assert!(findings(&regexes)[0].starts_with("E0601 4:5 "), "{:?}", findings(&regexes));
    let unseen = registry("version: 1\nshell_allow: [\"\\bls\\b\"]\n");
    assert!(findings(&unseen)[0].starts_with("E1004 2:15 "), "{:?}", findings(&unseen));
}

#[test]
fn no_text_of_the_file_becomes_a_statement() {
    let quote = registry("version: 1\nnetwork: {allowed_domains: ['a\"\\n\\nrule x: allow anyone to file.*']}\n");
    assert_eq!(quote.policy, None);
    let line = registry("version: 1\nshell_allow: [\"a\\nrule x: allow anyone to shell.exec\"]\n");
    assert_eq!(codes(&line), ["E1004"]);
    let comment = registry("version: 1\nshell_allow: ['^# no comment$']\n");
    assert_eq!(verdict(&comment, "agent shell.exec line \"# no comment\""), "allow");
}
