//! `policyc build`: what it writes, that it is the same everywhere, and what `--check` says of it.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{BAD, GOOD, Run, folder_with, policyc, without_digests};

#[test]
fn table_and_manifest_are_written_beside_the_policy_and_the_digest_is_the_last_line() {
    let place = folder_with(&[("agent.policy", AGENT)]);
    let run = policyc(place.path(), ["build", "agent.policy"]).run();
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    assert_eq!(names(place.path()), ["agent.manifest.json", "agent.policy", "agent.table"]);
    insta::assert_snapshot!("build", without_sizes(&run.stdout));
    let table = fs::read(place.path().join("agent.table")).unwrap();
    let opened = table_format::Table::open(&table, table_format::Pin::Unpinned, policy_table::blake3).unwrap();
    let last = run.stdout.lines().last().unwrap();
    assert_eq!(last, format!("blake3 {}", policy_table::hex(&opened.digest())));
}

#[test]
fn the_manifest_maps_numbers_to_lines_and_names_no_folder() {
    let place = folder_with(&[("agent.policy", AGENT)]);
    policyc(place.path(), ["build", "agent.policy"]).run();
    let text = fs::read_to_string(place.path().join("agent.manifest.json")).unwrap();
    insta::assert_snapshot!("manifest", without_digests(&text));
    assert!(!text.contains(place.path().to_str().unwrap()), "{text}");
}

#[test]
fn the_same_sources_give_the_same_bytes_from_every_folder() {
    let team = "policy team language 1\n\nrule of-the-team:\n  deny anyone to git.push\n  where force\n\n\
                test t: anyone git.push force => deny by of-the-team\n";
    let agent = AGENT.replace("role reader\n", "use \"./parts/team.policy\"\n\nrole reader\n");
    let files = [("p/agent.policy", agent.as_str()), ("p/parts/team.policy", team)];
    let (one, other) = (folder_with(&files), folder_with(&files));
    let policy = other.path().join("p/agent.policy").to_str().unwrap().to_owned();
    let built = [
        (one.path().join("p"), vec!["agent.policy"], one.path().join("p")),
        (one.path().to_owned(), vec!["-o", "from-above/", "./p/agent.policy"], one.path().join("from-above")),
        (one.path().join("p/parts"), vec!["-o", "..", "../agent.policy"], one.path().join("p")),
        (other.path().to_owned(), vec![policy.as_str()], other.path().join("p")),
    ]
    .map(|(folder, arguments, written)| {
        let run = policyc(&folder, BUILD_ALL.iter().chain(&arguments)).run();
        assert_eq!(run.code, Some(0), "{arguments:?} {run:?}");
        FILES.iter().map(|name| fs::read(written.join(name)).unwrap()).collect::<Vec<_>>()
    });
    assert!(built.iter().all(|files| *files == built[0]));
    let manifest: Value = serde_json::from_slice(&built[0][1]).unwrap();
    let sources: Vec<_> = manifest["sources"].as_array().unwrap().iter().map(|source| &source["name"]).collect();
    assert_eq!(sources, ["agent.policy", "parts/team.policy", "<std.protected-paths>"]);
}

#[cfg(unix)]
#[test]
fn a_link_to_a_policy_is_built_like_the_policy() {
    let importer = format!("{AGENT}use \"./team.policy\"\n");
    let place = folder_with(&[("real/agent.policy", &importer), ("real/team.policy", GOOD), ("links/x", "")]);
    std::os::unix::fs::symlink("../real/agent.policy", place.path().join("links/agent.policy")).unwrap();
    for policy in ["real/agent.policy", "links/agent.policy"] {
        assert_eq!(policyc(place.path(), BUILD_ALL.iter().chain(&[policy])).run().code, Some(0));
    }
    for name in FILES {
        let read = |folder: &str| fs::read(place.path().join(folder).join(name)).unwrap();
        assert_eq!(read("real"), read("links"), "{name}");
    }
}

#[test]
fn an_import_from_outside_is_named_from_the_policys_folder() {
    let importer = format!("{AGENT}use \"../team.policy\"\n");
    let place = folder_with(&[("p/agent.policy", &importer), ("team.policy", GOOD)]);
    assert_eq!(policyc(place.path(), ["build", "p/agent.policy"]).run().code, Some(1));
    assert_eq!(policyc(place.path(), ["build", "--allow-outside", "p/agent.policy"]).run().code, Some(0));
    let manifest: Value = json_of(&place.path().join("p/agent.manifest.json"));
    assert_eq!(manifest["sources"][1]["name"], "../team.policy");
}

#[test]
fn output_is_a_folder_or_what_names_start_with() {
    let place = folder_with(&[("agent.policy", AGENT), ("there/x", "")]);
    for (output, table) in [
        ("there", "there/agent.table"),
        ("new/deep/", "new/deep/agent.table"),
        ("there/prod", "there/prod.table"),
        ("there/v1.2", "there/v1.2.table"),
        ("there/named.table", "there/named.table"),
    ] {
        let run = policyc(place.path(), ["build", "-o", output, "agent.policy"]).run();
        assert_eq!(run.code, Some(0), "{output} {run:?}");
        assert!(place.path().join(table).is_file(), "{output}");
    }
    let run = policyc(place.path(), ["build", "-o", "missing/prod", "agent.policy"]).run();
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.starts_with("error: cannot write `missing/prod.table`: "), "{}", run.stderr);
}

#[test]
fn a_policy_with_errors_is_not_built() {
    let place = folder_with(&[("bad.policy", BAD)]);
    let run = policyc(place.path(), ["build", "bad.policy"]).run();
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    assert_eq!(run.stdout, policyc(place.path(), ["check", "bad.policy"]).run().stdout);
    assert_eq!(names(place.path()), ["bad.policy"]);
    let run = policyc(place.path(), ["build", "--format", "json", "bad.policy"]).run();
    let object: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((run.code, &object["build"], &object["summary"]["errors"]), (Some(1), &Value::Null, &json!(1)));
    assert_eq!(object["findings"][0]["code"], "E0201");
}

#[test]
fn what_cannot_run_is_exit_code_2_and_writes_nothing() {
    let place = folder_with(&[("agent.policy", AGENT), ("agent.table/x", ""), ("x.table", AGENT)]);
    for (arguments, said) in [
        (&["build", "-"][..], "error: cannot take a policy from the standard input\n"),
        (&["build", "agent.policy"], "error: cannot write `"),
        (&["build", "--check", "agent.policy"], "error: cannot read `agent.table`: it is not a regular file\n"),
        (&["build", "x.table"], "error: `x.table` is a file of the policy itself\n"),
    ] {
        let run = policyc(place.path(), arguments).run();
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(run.stderr.starts_with(said), "{arguments:?} {}", run.stderr);
    }
    let run = policyc(place.path(), ["build", "missing.policy"]).run();
    assert_eq!(run.code, Some(2));
    assert!(run.stdout.contains("error[E0101]: "), "{}", run.stdout);
    assert_eq!(names(place.path()), ["agent.policy", "agent.table", "x.table"]);
    assert_eq!(fs::read_to_string(place.path().join("x.table")).unwrap(), AGENT);
}

#[test]
fn check_compares_and_writes_nothing() {
    let place = folder_with(&[("agent.policy", AGENT)]);
    let check = || policyc(place.path(), ["build", "--check", "agent.policy"]).run();
    let run = check();
    assert_eq!(run.code, Some(1));
    insta::assert_snapshot!("check_missing", without_digests(&run.stdout));
    assert_eq!(names(place.path()), ["agent.policy"]);

    policyc(place.path(), ["build", "agent.policy"]).run();
    // Only `--cedar` compares the files that only `--cedar` writes.
    fs::write(place.path().join("agent.cedar"), "of an older policy").unwrap();
    let run = check();
    assert_eq!(run.code, Some(0));
    insta::assert_snapshot!("check_same", without_digests(&run.stdout));

    fs::write(place.path().join("agent.policy"), AGENT.replace("1 MiB", "2 MiB")).unwrap();
    fs::remove_file(place.path().join("agent.manifest.json")).unwrap();
    let run = check();
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    insta::assert_snapshot!("check_differs", without_digests(&run.stdout));
}

#[test]
fn each_file_that_differs_is_found() {
    let place = folder_with(&[("agent.policy", AGENT)]);
    policyc(place.path(), BUILD_ALL.iter().chain(&["agent.policy"])).run();
    let check = || policyc(place.path(), BUILD_ALL.iter().chain(&["--check", "agent.policy"])).run();
    for name in FILES {
        let path = place.path().join(name);
        let before = fs::read(&path).unwrap();
        let mut flipped = before.clone();
        let middle = flipped.len() / 2;
        flipped[middle] ^= 1;
        for changed in [flipped, before[..before.len() - 1].to_vec(), [before.as_slice(), b"\n"].concat(), Vec::new()] {
            fs::write(&path, changed).unwrap();
            let run = check();
            assert_eq!(run.code, Some(1), "{name}");
            assert!(run.stdout.starts_with(&format!("{name}: differs, ")), "{}", run.stdout);
            assert!(
                run.stdout.contains(&format!("\n1 of {} files is not what agent.policy says", FILES.len())),
                "{}",
                run.stdout
            );
        }
        fs::write(&path, before).unwrap();
    }
    assert_eq!(check().code, Some(0));
}

#[test]
fn json_has_the_digests_and_the_state_of_each_file() {
    let place = folder_with(&[("agent.policy", AGENT)]);
    let build = |arguments: &[&str]| -> (Option<i32>, Value) {
        let run = policyc(place.path(), BUILD_ALL.iter().chain(&["--format", "json"]).chain(arguments)).run();
        (run.code, serde_json::from_str(&run.stdout).unwrap())
    };
    let (code, object) = build(&["agent.policy"]);
    let manifest = json_of(&place.path().join("agent.manifest.json"));
    assert_eq!(code, Some(0));
    assert_eq!(object["build"]["policy"], "agent");
    assert_eq!(object["build"]["blake3"], manifest["table_digest"]);
    assert_eq!(object["build"]["sources"], manifest["sources_digest"]);
    assert_eq!((&object["findings"], &object["summary"]["errors"]), (&json!([]), &json!(0)));
    let states = |object: &Value| -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let files = object["build"]["files"].as_array().unwrap();
        files.iter().map(|file| (text(&file["path"]), text(&file["state"]))).collect()
    };
    let written: Vec<_> = FILES.iter().map(|name| ((*name).to_owned(), "written".to_owned())).collect();
    assert_eq!(states(&object), written);
    fs::write(place.path().join("agent.manifest.json"), "").unwrap();
    fs::remove_file(place.path().join("agent.table")).unwrap();
    let (code, object) = build(&["--check", "agent.policy"]);
    let expected = ["missing", "differs", "same", "same"];
    assert_eq!(code, Some(1));
    assert_eq!(states(&object).into_iter().map(|(_, state)| state).collect::<Vec<_>>(), expected[..FILES.len()]);
    assert_eq!(object["build"]["files"][1]["difference"], "first in line 1");
}

#[test]
fn warnings_are_counted_and_do_not_stop_a_build() {
    let place = folder_with(&[("p.policy", "policy p language 1\n\nrole unused\n")]);
    let run = policyc(place.path(), ["build", "p.policy"]).run();
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.contains("\n1 warning: `policyc check p.policy`\n"), "{}", run.stdout);
}

#[cfg(feature = "cedar")]
#[test]
fn with_cedar_the_policys_rules_are_written_as_cedar_too() {
    let place = folder_with(&[("agent.policy", AGENT)]);
    let run = policyc(place.path(), ["build", "--cedar", "agent.policy"]).run();
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{run:?}");
    insta::assert_snapshot!("build_cedar", without_sizes(&run.stdout));
    let cedar = fs::read_to_string(place.path().join("agent.cedar")).unwrap();
    for rule in ["read-sources", "secret-files"] {
        assert!(cedar.contains(&format!("@id(\"{rule}\")")), "{rule}\n{cedar}");
    }
    let schema = fs::read_to_string(place.path().join("agent.cedarschema")).unwrap();
    assert!(schema.contains("action \"file.read\""), "{schema}");
}

#[cfg(not(feature = "cedar"))]
#[test]
fn a_program_without_cedar_says_how_to_get_it_and_writes_nothing() {
    let place = folder_with(&[("agent.policy", AGENT)]);
    let run = policyc(place.path(), ["build", "--cedar", "agent.policy"]).run();
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{run:?}");
    let expected = "error: cannot write the policy as Cedar: this program was built without it; \
                    `cargo install --locked --path crates/policyc` builds one that has it\n";
    assert_eq!(run.stderr, expected);
    assert_eq!(names(place.path()), ["agent.policy"]);
}

#[cfg(unix)]
#[test]
fn a_file_nobody_may_write_keeps_all_from_being_written() {
    use std::os::unix::fs::PermissionsExt;

    let place = folder_with(&[("agent.policy", AGENT), ("agent.manifest.json", "mine")]);
    let manifest = place.path().join("agent.manifest.json");
    fs::set_permissions(&manifest, PermissionsExt::from_mode(0o444)).unwrap();
    let run: Run = policyc(place.path(), ["build", "agent.policy"]).run();
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
    assert!(run.stderr.starts_with("error: cannot write `agent.manifest.json`: "), "{}", run.stderr);
    assert_eq!(names(place.path()), ["agent.manifest.json", "agent.policy"]);
    assert_eq!(fs::read_to_string(&manifest).unwrap(), "mine");
}

/// What was written without how much and with which digest, which a better table changes.
fn without_sizes(text: &str) -> String {
    let line = |line: &str| match line.strip_suffix(" bytes").and_then(|line| line.rsplit_once(' ')) {
        Some((start, _)) => format!("{start} … bytes\n"),
        None => format!("{line}\n"),
    };
    without_digests(&text.lines().map(line).collect::<String>())
}

fn json_of(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = entries.collect();
    names.sort_unstable();
    names
}

/// The command that writes all files this program can, and their names in that order.
const BUILD_ALL: &[&str] = if cfg!(feature = "cedar") { &["build", "--cedar"] } else { &["build"] };
const FILES: &[&str] = match cfg!(feature = "cedar") {
    true => &["agent.table", "agent.manifest.json", "agent.cedar", "agent.cedarschema"],
    false => &["agent.table", "agent.manifest.json"],
};

const AGENT: &str = "policy agent language 1

role reader
role coder includes reader

rule read-sources:
  allow reader to file.read, fs.list
  where path in \"src/**\"
  limit bytes <= 1 MiB

rule secret-files:
  deny anyone to file.read
  where path in \"**/.env\"
  code SECRET_PATH
  because \"Secrets never reach a model.\"

budget calls-a-minute: coder inference.call calls <= 10 per minute

test reads: reader file.read path \"src/a\" => allow by read-sources
test secret: coder file.read path \"src/.env\" => deny by secret-files
";
