//! docs/cedar.md: what it shows is what is compiled.

#![cfg(test)]

mod support;

use policy_cedar::compile;
use support::model;

const DOC: &str = include_str!("../../../docs/cedar.md");

#[test]
fn the_example_compiles_to_what_is_shown() {
    let compiled = compile(&model(&fence("policy"))).unwrap();
    assert_eq!(compiled.policies_text, fence("cedar"));
    assert_eq!(compiled.limits_text, fence("cedar,limits"));
}

#[test]
fn every_condition_is_shown_as_it_is_compiled() {
    let rows = rows("| of | condition | in Cedar |");
    assert!(rows.len() >= 24, "{rows:?}");
    for row in &rows {
        let [operation, condition, cedar] = row.as_slice() else { panic!("{row:?}") };
        let text = format!("policy row language 1\nwithout std.protected-paths\nrule r: allow anyone to {operation}");
        let compiled = compile(&model(&format!("{text} where {condition}\n"))).unwrap();
        let clause = format!("when {{ {cedar} }}");
        let found = without_layout(&compiled.policies_text);
        assert!(found.contains(&without_layout(&clause)), "{condition}:\n{found}\n{}", without_layout(&clause));
    }
}

#[test]
fn the_bound_on_segments_is_the_one_said() {
    let glob = |before: usize| format!("{}**", "a/".repeat(before));
    let is_atom = |glob: &str| {
        let text = "policy row language 1\nwithout std.protected-paths\nrule r: allow anyone to file.read";
        let compiled = compile(&model(&format!("{text} where path in \"{glob}\"\n"))).unwrap();
        compiled.policies_text.contains("context.atoms")
    };
    assert!(DOC.contains("more than 16 segments"));
    assert!(!is_atom(&glob(16)) && is_atom(&glob(17)));
    let fixed = |count: usize| format!("{}*", "a/".repeat(count - 1));
    assert!(!is_atom(&fixed(16)) && is_atom(&fixed(17)));
}

fn fence(tag: &str) -> String {
    let start = format!("```{tag}\n");
    let (_, rest) = DOC.split_once(&start).unwrap();
    rest.split_once("```\n").unwrap().0.to_owned()
}

/// The rows below a table's head, without the ticks of code.
fn rows(head: &str) -> Vec<Vec<String>> {
    let lines = DOC.lines().skip_while(|line| *line != head).skip(2);
    let cell = |cell: &str| cell.trim().trim_matches('`').to_owned();
    let row = |line: &str| line.trim_matches('|').split(" | ").map(cell).collect();
    lines.take_while(|line| line.starts_with('|')).map(row).collect()
}

/// Without white space, which depends on the length of lines; none of the strings here has one that counts.
fn without_layout(text: &str) -> String {
    text.split_whitespace().collect()
}
