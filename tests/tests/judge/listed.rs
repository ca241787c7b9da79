//! Whether some rule has a pattern that a string matches, whatever else it asks for.

use enforce_core::{Facts, is_matched};

use crate::bench::Frozen;

const COMMAND: u16 = 0;
const SUBCOMMAND: u16 = 1;

#[test]
fn a_string_is_matched_by_a_pattern_for_it_whatever_else_the_rule_asks_for() {
    let rules = "rule git: allow anyone to shell.exec where command in \"git\", \"make*\" and subcommand in \"status\"
rule wc: allow anyone to shell.exec where command == \"wc\" and network
rule odd: allow anyone to shell.exec where command matches \"^a(bc)+$\" and not network";
    let frozen = Frozen::new(rules);
    let table = frozen.table();
    let operation = table.find_operation("shell.exec").unwrap();
    let is_listed = |place: u16, text: Option<&str>| {
        let mut strings = [None; 3];
        strings[usize::from(place)] = text.map(str::as_bytes);
        is_matched(&table, &Facts { operation, roles: &[], strings: &strings, numbers: &[], flags: 0 }, place)
    };
    for command in ["git", "make", "makefile", "wc", "abc", "abcbc"] {
        assert!(is_listed(COMMAND, Some(command)), "{command}");
        assert!(!is_listed(SUBCOMMAND, Some(command)), "{command}");
    }
    for command in ["rm", "gi", "gitt", "", "status", "wcc", "a", "abcb"] {
        assert!(!is_listed(COMMAND, Some(command)), "{command}");
    }
    assert!(is_listed(SUBCOMMAND, Some("status")));
    assert!(!is_listed(COMMAND, None));
    // No rule has a pattern for it, and no operation has so many strings.
    assert!(!is_listed(2, Some("git status")));
    let facts = Facts { operation, roles: &[], strings: &[], numbers: &[], flags: 0 };
    assert!(!is_matched(&table, &facts, 9));
}
