//! What `cargo mutants` writes, lists, and both compared.

use super::*;

const OUTCOMES: &str = r#"{"outcomes":[
{"scenario":"Baseline","summary":"Success","log_path":"log/baseline.log"},
{"scenario":{"Mutant":{"name":"src/a.rs:1:12: replace > with >= in A::more","package":"a","file":"src/a.rs",
"function":{"function_name":"A::more","return_type":"-> bool","span":{"start":{"line":1,"column":1}}},
"span":{"start":{"line":1,"column":12},"end":{"line":1,"column":13}},"replacement":">=","genre":"BinaryOperator"}},
"summary":"MissedMutant"},
{"scenario":{"Mutant":{"name":"src/a.rs:2:5: replace less -> bool with true","package":"a","file":"src/a.rs",
"function":{"function_name":"less"},"span":{"start":{"line":2,"column":5}},"replacement":"true","genre":"FnValue"}},
"summary":"CaughtMutant"},
{"scenario":{"Mutant":{"name":"src/a.rs:3:5: replace - with +","package":"a","file":"src/a.rs","function":null,
"span":{"start":{"line":3,"column":5}},"replacement":"+","genre":"BinaryOperator"}},"summary":"Timeout"},
{"scenario":{"Mutant":{"name":"src/b.rs:3:5: replace - with /","package":"a","file":"src/b.rs","function":null,
"span":{"start":{"line":3,"column":5}},"replacement":"/","genre":"BinaryOperator"}},"summary":"Unviable"}],
"total_mutants":4}"#;

const SURVIVING: &str = r#"
[[equivalent]]
file = "src/a.rs"
function = "A::more"
mutation = "replace > with >="
at = "> b"
reason = "they are never equal"
"#;

fn survivor(line: usize, at: &str) -> Survivor {
    let name = format!("src/a.rs:{line}:12: replace > with >= in A::more");
    let mutant = Mutant { file: "src/a.rs".into(), line, column: 12, name, function: "A::more".into() };
    Survivor { mutant, at: at.to_owned() }
}

fn entries() -> Vec<Equivalent> {
    equivalent::read(SURVIVING).unwrap()
}

#[test]
fn outcomes_are_read_as_cargo_mutants_writes_them() {
    let fates = outcomes::read(OUTCOMES).unwrap();
    let told: Vec<(&str, &str, &str, Fate)> =
        fates.iter().map(|(mutant, fate)| (&*mutant.file, &*mutant.function, mutant.mutation(), *fate)).collect();
    let expected = [
        ("src/a.rs", "A::more", "replace > with >=", Fate::Missed),
        ("src/a.rs", "less", "replace less -> bool with true", Fate::Caught),
        ("src/a.rs", "", "replace - with +", Fate::Timeout),
        ("src/b.rs", "", "replace - with /", Fate::Unviable),
    ];
    assert_eq!(told, expected);
}

#[test]
fn what_one_round_has_noticed_stays_noticed() {
    let first = outcomes::read(OUTCOMES).unwrap();
    let mut fates = first.clone();
    add(&mut fates, outcomes::read(&OUTCOMES.replace("MissedMutant", "CaughtMutant")).unwrap());
    assert_eq!(fates.len(), 4);
    assert!(fates.values().all(|fate| *fate != Fate::Missed));
    let mut fates = first.clone();
    add(&mut fates, outcomes::read(&OUTCOMES.replace("Timeout", "MissedMutant")).unwrap());
    assert_eq!(fates, first);
}

#[test]
fn what_is_counted_is_told() {
    let fates = outcomes::read(OUTCOMES).unwrap();
    let errors = [MutantsError::Survives(survivor(1, "> b")), MutantsError::Stale(entries().remove(0))];
    let expected = "mutants: 4 changes tried: 1 noticed, 1 ran out of time, 1 do not build, 3 survive and are listed, \
                    1 survive and are not; 1 are listed and do not survive; findings: 2";
    assert_eq!(counted(&fates, 3, &errors), expected);
}

#[test]
fn a_survivor_is_found_in_the_list_wherever_its_line_has_moved() {
    assert_eq!(compare(vec![survivor(1, "> b {")], entries()), (1, vec![]));
    assert_eq!(compare(vec![survivor(70, "> b {")], entries()), (1, vec![]));
}

#[test]
fn a_survivor_that_differs_from_its_entry_in_anything_is_not_listed() {
    let unlisted = |survivor: Survivor| {
        let expected = vec![MutantsError::Survives(survivor.clone()), MutantsError::Stale(entries().remove(0))];
        assert_eq!(compare(vec![survivor], entries()), (0, expected));
    };
    unlisted(survivor(1, "> c {"));
    let changed = |change: fn(&mut Mutant)| {
        let mut survivor = survivor(1, "> b");
        change(&mut survivor.mutant);
        survivor
    };
    unlisted(changed(|mutant| mutant.file = "src/b.rs".into()));
    unlisted(changed(|mutant| mutant.function = "B::more".into()));
    unlisted(changed(|mutant| mutant.name = "src/a.rs:1:12: replace > with < in A::more".into()));
}

#[test]
fn an_entry_stands_for_one_survivor() {
    let (one, other) = (survivor(1, "> b"), survivor(2, "> b"));
    let expected = (1, vec![MutantsError::Survives(other.clone())]);
    assert_eq!(compare(vec![one.clone(), other.clone()], entries()), expected);
    assert_eq!(compare(vec![one, other], [entries(), entries()].concat()), (2, vec![]));
}

#[test]
fn an_entry_without_a_survivor_is_stale() {
    assert_eq!(compare(vec![], entries()), (0, vec![MutantsError::Stale(entries().remove(0))]));
}

#[test]
fn an_entry_has_a_reason() {
    let entries = equivalent::read(&SURVIVING.replace("they are never equal", " ")).unwrap();
    let unexplained = MutantsError::Unexplained { mutation: "replace > with >=".into() };
    assert_eq!(compare(vec![survivor(1, "> b")], entries), (1, vec![unexplained]));
}

#[test]
fn an_entry_of_a_file_that_was_not_tried_is_not_stale() {
    let entry = entries().remove(0);
    assert!(is_tried(&BTreeSet::from(["src/a.rs"]), &entry));
    assert!(!is_tried(&BTreeSet::from(["src/b.rs"]), &entry));
}

#[test]
fn a_list_that_is_none_is_refused_with_its_line() {
    for (text, line) in [("[[equivalent]]\nfile = 1\n", 2), (&*format!("{SURVIVING}more = 1\n"), 8), ("[other]\n", 1)] {
        let read = equivalent::read(text);
        assert!(matches!(read, Err(MutantsError::Unreadable { line: found, .. }) if found == line), "{text} {read:?}");
    }
}

#[test]
fn the_committed_list_can_be_read_and_every_entry_has_its_file_and_a_reason() {
    let tree = Tree::locate().unwrap();
    for entry in equivalent::read(&tree.read_text(LIST).unwrap()).unwrap() {
        let text = tree.read_text(&entry.file).unwrap();
        assert!(text.lines().any(|line| line.contains(&entry.at)), "{entry:?}");
        assert!(!entry.reason.trim().is_empty(), "{entry:?}");
    }
}

#[test]
fn a_place_is_counted_in_characters_from_one() {
    assert_eq!(rest_of_line("one\ntwö > three\n", 2, 5), "> three");
    assert_eq!(rest_of_line("one", 2, 1), "");
}

#[test]
fn findings_are_said_in_one_line() {
    let said = MutantsError::Survives(survivor(1, "> b")).to_string();
    assert_eq!(said, "no test notices src/a.rs:1:12: replace > with >= in A::more, at `> b`");
    let said = MutantsError::Stale(entries().remove(0)).to_string();
    assert!(said.ends_with("`replace > with >=` in `A::more` of src/a.rs, at `> b`, does not survive"), "{said}");
}

#[test]
fn every_round_names_crates_and_tests_and_the_last_leaves_nothing_out() {
    assert!(ROUNDS.iter().all(|round| !round.crates.is_empty() && !round.arguments.is_empty()));
    let last = ROUNDS.last().unwrap();
    assert_eq!((last.crates, last.without), (CRATES, &[][..]));
}
