//! `policyc import`: where the policy goes, where the findings go, and when nothing is written.

use std::fs;

use serde_json::Value;

use crate::support::{GOOD, folder_with, policyc};

#[test]
fn the_policy_is_printed_and_passes_check() {
    let place = folder_with(&[("registry.yaml", REGISTRY)]);
    let run = policyc(place.path(), ["import", "registry.yaml"]).run();
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    fs::write(place.path().join("agent.policy"), &run.stdout).unwrap();
    assert_eq!(policyc(place.path(), ["check", "agent.policy"]).run().code, Some(0));
    assert_eq!(policyc(place.path(), ["fmt", "--check", "agent.policy"]).run().code, Some(0));
    assert_eq!(policyc(place.path(), ["test", "agent.policy"]).run().code, Some(0));
    let requests = "{\"roles\":[\"agent\"],\"op\":\"shell.exec\",\"line\":\"ls -l && rm x\"}\n{\"roles\":[\"agent\"],\"op\":\"shell.exec\",\"line\":\"ls -l\"}\n";
    let run = policyc(place.path(), ["eval", "agent.policy", "--requests", "-"]).input(requests).run();
    let verdicts: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&verdicts[0]["verdict"], &verdicts[1]["verdict"]), (&"deny".into(), &"allow".into()));
}

#[test]
fn a_policy_is_called_and_is_about_whom_one_says() {
    let place = folder_with(&[("registry.yaml", REGISTRY)]);
    let run = policyc(place.path(), ["import", "--name", "mine", "--role", "coder", "registry.yaml"]).run();
    assert!(run.stdout.contains("policy mine language 1\n\nrole coder\n"), "{}", run.stdout);
    assert!(run.stdout.contains("  allow coder to shell.exec\n"), "{}", run.stdout);
    for name in ["Coder", "rule", "a b", "x\nrole y"] {
        let run = policyc(place.path(), ["import", "--role", name, "registry.yaml"]).run();
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{name}");
        assert!(run.stderr.contains("is no keyword"), "{}", run.stderr);
    }
}

#[test]
fn a_file_that_is_there_is_kept_unless_forced() {
    let place = folder_with(&[("registry.yaml", REGISTRY), ("mine.policy", GOOD)]);
    let run = policyc(place.path(), ["import", "registry.yaml", "-o", "mine.policy"]).run();
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert_eq!(
        run.stderr,
        "error: `mine.policy` exists already\nhelp: choose another path, or replace it with --force\n"
    );
    assert_eq!(fs::read_to_string(place.path().join("mine.policy")).unwrap(), GOOD);
    let run = policyc(place.path(), ["import", "registry.yaml", "-o", "mine.policy", "--force"]).run();
    assert!(run.code == Some(0) && run.stdout.starts_with("wrote mine.policy\n"), "{run:?}");
    let printed = policyc(place.path(), ["import", "registry.yaml"]).run().stdout;
    assert_eq!(fs::read_to_string(place.path().join("mine.policy")).unwrap(), printed);
}

#[test]
fn nothing_is_written_where_something_is_wrong() {
    let place = folder_with(&[("wrong.yaml", "version: 1\nnetwrok: {}\n"), ("strict.yaml", STRICTER)]);
    let run = policyc(place.path(), ["import", "wrong.yaml", "-o", "out.policy"]).run();
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
    assert!(run.stderr.starts_with("error[E1002]: a registry has no key `netwrok`\n"), "{}", run.stderr);
    let run = policyc(place.path(), ["import", "strict.yaml", "-o", "out.policy", "--fail-level", "warning"]).run();
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
    assert!(run.stderr.starts_with("warning[W1001]: "), "{}", run.stderr);
    assert!(!place.path().join("out.policy").exists());
    let run = policyc(place.path(), ["import", "strict.yaml", "-o", "out.policy"]).run();
    assert!(run.code == Some(0) && place.path().join("out.policy").exists(), "{run:?}");
}

#[test]
fn programs_get_one_object() {
    let place = folder_with(&[("strict.yaml", STRICTER), ("wrong.yaml", "version: 2\n")]);
    let object = |file: &str| {
        let run = policyc(place.path(), ["import", "--format", "json", file]).run();
        assert_eq!(run.stderr, "");
        (run.code, serde_json::from_str::<Value>(&run.stdout).unwrap())
    };
    let (code, made) = object("strict.yaml");
    assert_eq!((code, &made["import"]["from"]), (Some(0), &"registry".into()));
    assert!(made["import"]["policy"].as_str().unwrap().contains("policy imported language 1"));
    assert_eq!((&made["findings"][0]["code"], &made["findings"][0]["line"]), (&"W1001".into(), &4.into()));
    let (code, none) = object("wrong.yaml");
    assert_eq!((code, &none["import"], &none["summary"]["errors"]), (Some(1), &Value::Null, &1.into()));
}

#[test]
fn the_end_of_a_name_says_what_a_file_holds_and_so_does_an_option() {
    let rules = "prefix_rule(pattern = [\"ls\"])\n";
    let place = folder_with(&[("a.rules", rules), ("unknown", rules)]);
    let printed = policyc(place.path(), ["import", "a.rules"]).run().stdout;
    assert!(printed.contains("rule run-ls:"), "{printed}");
    let run = policyc(place.path(), ["import", "unknown"]).run();
    assert_eq!(run.code, Some(2));
    assert_eq!(
        run.stderr,
        "error: the name `unknown` does not say whose rules the file holds\n\
         help: say it with --from registry, tool-rules, claude-code or codex\n"
    );
    assert_eq!(policyc(place.path(), ["import", "--from", "codex", "unknown"]).run().stdout, printed);
    assert_eq!(policyc(place.path(), ["import", "--from", "codex", "-"]).input(rules).run().stdout, printed);
    let run = policyc(place.path(), ["import", "--from", "codex", "missing.rules"]).run();
    assert_eq!(run.code, Some(2));
}

const REGISTRY: &str = "version: 1\nshell_allow: ['^ls( (?s:.*))?$']\n";
const STRICTER: &str = "version: 1\nvalidators:\n  - rule: sec.shell.allowlist\n    enforcement: warning\n";
