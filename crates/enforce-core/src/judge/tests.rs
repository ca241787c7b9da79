//! What a lease covers.

use super::session::Scope;
use crate::operation::{Asked, Operation};

#[test]
fn trust_lease_a_scope_covers_what_it_names() {
    let read = Asked::BuiltIn(Operation::FileRead);
    let search = Asked::Declared { tool: "jira", operation: "search" };
    let whole = Asked::Declared { tool: "dice", operation: "" };
    for (names, asked, expected) in [
        (&["file.read"][..], read, true),
        (&["file.*"], read, true),
        (&["git.push", "file.read"], read, true),
        (&[], read, false),
        (&["file"], read, false),
        (&["file.write", "fil.*", "*", "*.read", "file.rea", "file.readx"], read, false),
        (&["jira.search"], search, true),
        (&["jira.*"], search, true),
        (&["jira"], search, false),
        (&["dice"], whole, true),
        (&["dice.*"], whole, true),
        (&["dic", "dice.", "dice.x"], whole, false),
        (&["jira.", "jira.searc", "jira.searchx", "jir.search"], search, false),
    ] {
        assert_eq!(Scope::Only(names).covers(&asked), expected, "{names:?} {asked:?}");
        assert!(Scope::Everything.covers(&asked));
    }
}
