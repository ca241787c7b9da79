//! `policyc inspect`: what it shows, the same for a policy and its table, and what it says of bytes that
//! are no table.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{BAD, Run, folder, folder_with, of_crate, policyc, without_digests};

#[test]
fn a_table_is_shown_for_people() {
    let (place, _) = built(SMALL);
    let run = policyc(place.path(), ["inspect", "p.table"]).run();
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!("inspect", without_digests(&run.stdout));
}

#[test]
fn a_table_is_shown_for_programs() {
    let (place, _) = built(SMALL);
    let run = policyc(place.path(), ["inspect", "--json", "p.table"]).run();
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 1));
    let object: Value = serde_json::from_str(&run.stdout).unwrap();
    insta::assert_snapshot!("inspect_json", without_digests(&serde_json::to_string_pretty(&object).unwrap()));
}

#[test]
fn a_policy_and_its_table_look_the_same() {
    let policy = of_crate("../../policies/examples/coding-agent.policy");
    let policy = policy.to_str().unwrap();
    let out = folder();
    assert_eq!(policyc(out.path(), ["build", "-o", ".", policy]).run().code, Some(0));
    for arguments in [&["inspect"][..], &["inspect", "--json"]] {
        let of = |file: &str| policyc(out.path(), arguments.iter().chain(&[file])).run();
        let table = of("coding-agent.table");
        assert_eq!((table.code, &table), (Some(0), &of(policy)));
    }
}

#[test]
fn everything_is_counted_from_the_table() {
    let path = of_crate("../../policies/examples/mcp-gateway.policy");
    let checked = policy_model::check(&path, policy_model::CheckOptions::default());
    let model = checked.model.unwrap();
    let frozen = policy_table::freeze(&model, &checked.sources).unwrap();
    let object = inspected(folder().path(), path.to_str().unwrap());
    let sections = object["sections"].as_array().unwrap();
    let section = |name: &str| sections.iter().find(|section| section["name"] == name).unwrap();
    let sum: u64 = sections.iter().map(|section| section["bytes"].as_u64().unwrap()).sum();
    assert_eq!((sum, object["bytes"].as_u64().unwrap()), (frozen.bytes.len() as u64, frozen.bytes.len() as u64));
    assert_eq!(object["blake3"], policy_table::hex(&frozen.digest));
    assert_eq!(object["sources"], policy_table::hex(&frozen.sources));
    let rules: u64 = ["deny", "ask", "allow"].iter().map(|effect| object["rules"][effect].as_u64().unwrap()).sum();
    assert_eq!((rules, &section("rules")["rows"]), (model.rules.len() as u64, &Value::from(rules)));
    assert_eq!(object["operations"].as_array().unwrap().len(), model.operations.len());
    assert_eq!(object["budgets"].as_array().unwrap().len(), model.budgets.len());
    let nodes: u64 = object["nodes"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(Value::from(nodes), section("nodes")["rows"]);
    let lanes = object["lanes"].as_array().unwrap();
    assert_eq!(Value::from(lanes.len()), section("lanes")["rows"]);
    let states: u64 = lanes.iter().map(|lane| lane["states"].as_u64().unwrap()).sum();
    assert!(states >= section("states")["rows"].as_u64().unwrap(), "every state is reached by a lane");
}

#[test]
fn an_attribute_with_many_automata_is_marked() {
    let (place, run) = built(&split_policy());
    assert_eq!(run.code, Some(0), "{run:?}");
    let object = inspected(place.path(), "p.table");
    let lanes = object["lanes"].as_array().unwrap();
    let is_split = |attribute: &str| {
        let mut lanes = lanes.iter().filter(|lane| lane["attribute"] == attribute).peekable();
        lanes.peek().is_some() && lanes.all(|lane| lane["split"] == true)
    };
    assert!(is_split("line"), "{object}");
    assert!(!is_split("path"), "{object}");
    let shown = policyc(place.path(), ["inspect", "p.table"]).run().stdout;
    assert!(shown.contains("\nsplit           line: "), "{shown}");
    assert!(shown.lines().any(|line| line.ends_with("  split")), "{shown}");
}

#[test]
fn what_is_no_table_is_named_and_exit_code_2() {
    let (place, _) = built(SMALL);
    for (name, said) in spoiled(place.path()) {
        for arguments in [&["inspect", &name][..], &["eval", &name, "--requests", "-"]] {
            let run = policyc(place.path(), arguments).run();
            assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?} {run:?}");
            assert!(run.stderr.starts_with(&format!("error: cannot use `{name}`: {said}")), "{name} {}", run.stderr);
            assert!(run.stderr.ends_with("help: build it again from its policy: `policyc build POLICY`\n"), "{run:?}");
        }
    }
}

#[test]
fn what_cannot_be_read_or_judged_by_is_exit_code_2() {
    let place = folder_with(&[("bad.policy", BAD), ("text.md", "# a text\n"), ("folder/x", "")]);
    for (file, said) in [
        ("-", "error: cannot take a policy from the standard input\n"),
        ("missing.table", "error: cannot read `missing.table`: no such file\n"),
        ("missing.policy", "error: cannot read `missing.policy`: no such file\n"),
        ("folder", "error: cannot read `folder`: is a directory\n"),
    ] {
        for arguments in [&["inspect", file][..], &["eval", file, "--requests", "-"]] {
            let run = policyc(place.path(), arguments).run();
            assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
            assert!(run.stderr.starts_with(said), "{arguments:?} {}", run.stderr);
        }
    }
    for (file, code) in [("bad.policy", "E0201"), ("text.md", "E0208")] {
        for arguments in [&["inspect", file][..], &["eval", file, "--requests", "-"]] {
            let run = policyc(place.path(), arguments).run();
            assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
            assert!(run.stderr.starts_with(&format!("error[{code}]: ")), "{}", run.stderr);
            assert!(run.stderr.contains(&format!("\nerror: `{file}` has errors, ")), "{}", run.stderr);
        }
    }
}

/// Files that are no whole table, and what is wrong with each.
fn spoiled(place: &Path) -> Vec<(String, &'static str)> {
    let table = fs::read(place.join("p.table")).unwrap();
    let flipped = |at: usize| {
        let mut bytes = table.clone();
        bytes[at] ^= 0x10;
        bytes
    };
    let noise: Vec<u8> = (0..5_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()[3]).collect();
    let cases: Vec<(&str, Vec<u8>, &str)> = vec![
        ("empty.table", Vec::new(), "the table is truncated: 0 bytes"),
        ("head.table", table[..100].to_vec(), "the table is truncated: 100 bytes"),
        ("cut.table", table[..table.len() - 1].to_vec(), "expected a table of "),
        ("longer.table", [table.as_slice(), b"\0"].concat(), "expected a table of "),
        ("magic.table", flipped(0), "not a table"),
        ("version.table", flipped(8), "unsupported format version 17"),
        ("digest.table", flipped(20), "the table is corrupt: its digest does not match"),
        ("sources.table", flipped(50), "the table is corrupt: its digest does not match"),
        ("row.table", flipped(table.len() / 2), "the table is corrupt: its digest does not match"),
        ("last.table", flipped(table.len() - 1), "the table is corrupt: its digest does not match"),
        ("noise.table", noise, "not a table"),
        ("text.table", SMALL.as_bytes().to_vec(), "not a table"),
        // Also without the name of a table, as long as it starts like one.
        ("cut-short", table[..table.len() - 1].to_vec(), "expected a table of "),
        ("flipped.policy", flipped(table.len() / 2), "the table is corrupt: its digest does not match"),
    ];
    let write = |(name, bytes, said): (&str, Vec<u8>, &'static str)| {
        fs::write(place.join(name), bytes).unwrap();
        (name.to_owned(), said)
    };
    cases.into_iter().map(write).collect()
}

/// A folder with `p.policy` and what it becomes.
fn built(policy: &str) -> (tempfile::TempDir, Run) {
    let place = folder_with(&[("p.policy", policy)]);
    let run = policyc(place.path(), ["build", "p.policy"]).run();
    (place, run)
}

fn inspected(place: &Path, file: &str) -> Value {
    let run = policyc(place, ["inspect", "--json", file]).run();
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    serde_json::from_str(&run.stdout).unwrap()
}

/// Regexes that multiply each other's states, so that each needs an automaton of its own.
fn split_policy() -> String {
    let rule =
        |c| format!("rule r-{c}: deny anyone to shell.exec where line matches \"^[a-z0-9]*{c}[a-z0-9]{{8}}$\"\n");
    let rules: String = ('a'..='f').map(rule).collect();
    format!("policy p language 1\n{rules}rule f: deny anyone to file.read where path in \"**/a/**\"\n")
}

const SMALL: &str = "policy small language 1

without std.protected-paths

role reader
role coder includes reader

rule read-sources:
  allow reader to file.read, fs.list
  where path in \"src/**\", \"**/*.md\", \"**/docs/**\" and not path in \"**/.env\"
  limit bytes <= 1 MiB

rule hidden:
  ask coder to fs.list
  where hidden and max-results <= 100

rule never-force:
  deny anyone to git.push
  where force

budget searches: coder fs.list calls <= 100 per hour
budget tokens: anyone inference.call tokens <= 1_000 per session
";
