//! A machine that lacks layers of the sandbox: nothing runs, unless whoever starts it has named each of them.
//!
//! The machine is a user namespace in which no more namespaces of three kinds can be made. That takes them away from root
//! and from an ordinary user alike. Where no user namespace can be made at all, these tests fail.

use serde_json::{Value, json};

use crate::support::{Place, Said, ask, doctor_behind};

const RULES: &str = "rule look:\n  allow coder to shell.exec\n  where command in \"echo\"\n";

/// In the order in which layers are named.
const MISSING: [&str; 3] = ["user-namespace", "network-namespace", "ipc-namespace"];

const STARTER: [&str; 6] = [
    "unshare",
    "--user",
    "--map-root-user",
    "sh",
    "-ec",
    "for kind in user net ipc; do echo 0 > /proc/sys/user/max_${kind}_namespaces; done; exec \"$0\" \"$@\"",
];

/// The arguments that accept these.
fn accepting<'a>(layers: &[&'a str]) -> Vec<&'a str> {
    layers.iter().flat_map(|layer| ["--accept-missing", layer]).collect()
}

fn run(place: &Place, accepted: &[&str]) -> Said {
    let echo = ask("shell_exec", &json!({ "cmd": "echo ran" }));
    let arguments = [vec!["--role", "coder"], accepting(accepted)].concat();
    place.run_behind(&STARTER, &arguments, &[echo])
}

/// Which layers the error names.
fn refused(said: &Said) -> Vec<&str> {
    assert_eq!((said.lines.len(), said.code), (0, Some(2)), "{}", said.errors);
    let error =
        said.errors.lines().find_map(|line| line.strip_prefix("error: the sandbox is incomplete on this machine; "));
    let parts = error.unwrap_or_else(|| panic!("{}", said.errors)).split("; ");
    parts.filter_map(|part| Some(part.split_once(": ")?.0)).collect()
}

#[test]
fn trust_proc_a_layer_that_is_missing_runs_nothing_and_each_is_named() {
    let place = Place::new(RULES, &[]);
    let said = run(&place, &[]);
    assert_eq!(refused(&said), MISSING);
    assert!(
        said.errors.contains("\nhelp: `interdict doctor` shows each layer; --accept-missing LAYER "),
        "{}",
        said.errors
    );
    assert!(!place.state().exists(), "nothing was begun");
}

#[test]
fn trust_proc_only_the_layers_that_are_named_are_accepted() {
    let place = Place::new(RULES, &[]);
    // Others that are there, and some of those that are not.
    assert_eq!(refused(&run(&place, &["landlock", "seccomp"])), MISSING);
    assert_eq!(refused(&run(&place, &MISSING[..1])), MISSING[1..]);
    assert_eq!(refused(&run(&place, &MISSING[1..])), MISSING[..1]);
    let said = run(&place, &MISSING);
    assert_eq!(said.code, Some(0), "{}", said.errors);
    assert_eq!(said.lines[0]["data"]["stdout"], "ran\n", "{}", said.lines[0]);
    let warned =
        said.errors.lines().filter_map(|line| line.strip_prefix("warning: ")?.split_once(" is not enforced: "));
    assert_eq!(warned.map(|(layer, _)| layer).collect::<Vec<_>>(), MISSING, "{}", said.errors);
}

#[test]
fn the_doctor_finds_what_is_missing_and_exits_with_1_unless_it_is_accepted() {
    for (accepted, code) in [(&MISSING[1..], 1), (&MISSING, 0)] {
        let said = doctor_behind(&STARTER, &accepting(accepted));
        assert_eq!(said.code, Some(code), "{accepted:?}: {}", said.errors);
        let layers = said.lines[0]["layers"].as_array().unwrap();
        let missing = layers.iter().filter(|layer| layer["status"] == "missing");
        let found: Vec<(&Value, bool)> = missing.map(|layer| (&layer["layer"], layer["is_accepted"] == true)).collect();
        let expected = MISSING.map(|layer| (json!(layer), accepted.contains(&layer)));
        assert_eq!(found, expected.iter().map(|(layer, is_accepted)| (layer, *is_accepted)).collect::<Vec<_>>());
    }
}
