//! Frozen policies: two that `policyc build` has made of the files beside this one, and two tiny ones made by hand.

use enforce_core::Policy;
use table_format::{Digest, Pin, Table};

/// The number of the tiny policy, which knows one operation: `fs.list`. Without a role it is asked for, with the role `a`
/// it is allowed, and with the role `d` there is no rule.
pub(super) const TINY: usize = 2;
/// The number of another, which knows the tool `t` and has no name of more than a letter. Who has which role comes to the
/// same as in the tiny one.
pub(super) const LETTERS: usize = 3;

/// All policies, opened once.
#[cfg(not(kani))]
pub(super) fn with_policies<R>(then: impl for<'p> FnOnce([&'p Policy<'p>; 4]) -> R) -> R {
    use std::sync::OnceLock;

    static TABLES: OnceLock<[Table<'static>; 4]> = OnceLock::new();
    static POLICIES: OnceLock<[Policy<'static>; 4]> = OnceLock::new();
    let tables = TABLES.get_or_init(|| [NARROW_TABLE, WIDE_TABLE, TINY_TABLE, LETTERS_TABLE].map(opened));
    let policies = POLICIES.get_or_init(|| {
        tables.each_ref().map(|table| Policy::new(table).unwrap_or_else(|_| unreachable!("the core knows its facts")))
    });
    then(policies.each_ref())
}

/// The policy of letters alone, which stands for all: the others are more than a model checker can afford. Of a longer
/// name it cannot even tell that it is text, because the standard library looks at it in steps that depend on where it
/// lies in memory.
#[cfg(kani)]
pub(super) fn with_policies<R>(then: impl for<'p> FnOnce([&'p Policy<'p>; 4]) -> R) -> R {
    let table = opened(LETTERS_TABLE);
    match Policy::new(&table) {
        Ok(letters) => then([&letters, &letters, &letters, &letters]),
        Err(_) => unreachable!("the core knows its facts"),
    }
}

/// Whose table it is, is not asked here.
fn opened(bytes: &'static [u8]) -> Table<'static> {
    let digest = bytes.get(16..).and_then(|rest| rest.first_chunk()).copied().unwrap_or_default();
    let table = Table::open(bytes, Pin::Unpinned, |_| Digest(digest));
    table.unwrap_or_else(|_| unreachable!("it is a table of this format"))
}

#[cfg(not(kani))]
const NARROW_TABLE: &[u8] = include_bytes!("narrow.table");
#[cfg(not(kani))]
const WIDE_TABLE: &[u8] = include_bytes!("wide.table");
#[cfg(not(kani))]
const TINY_TABLE: &[u8] = include_bytes!("tiny.table");
const LETTERS_TABLE: &[u8] = include_bytes!("letters.table");

#[cfg(all(test, not(kani)))]
mod tests {
    use table_format::{
        Ask, Attribute, AttributeKind, Child, Edge, Effect, Group, Operation, Parts, Role, Rule, Span, Terms, TextRef,
        When, write,
    };

    use super::*;

    #[test]
    fn the_tiny_table_is_these_rows() {
        let texts =
            b"\x01\0t\x01\0a\x01\0d\x06\0hidden\x0b\0max-results\x04\0path\x07\0fs.list\x01\0D\x04\0asks\x06\0allows";
        let attribute = |name, kind| Attribute { name: TextRef(name), kind, known_later: false };
        let terms = |effect| Terms {
            effect,
            code: None,
            because: None,
            limits: Span { first: 0, count: 0 },
            requirements: Span { first: 6, count: 0 },
        };
        let group = Group { when: When::ONCE, first: 6 };
        let [one, two, three] = Ask { group: 0, row: group }.words();
        let roots = [
            Edge::new(Child::Rule(0), Effect::Ask),
            Edge::new(Child::Rule(1), Effect::Allow),
            Edge::new(Child::Nothing, Effect::Deny),
        ];
        let [nobody, a, d] = roots.map(|edge| edge.0);
        let operation = Operation {
            name: TextRef(36),
            denial_code: TextRef(45),
            first: 0,
            walks: 3,
            group_list: 3,
            strings: 1,
            numbers: 1,
            flags: 1,
            complex: 0,
            always_asked: 1,
            lanes: 0,
            groups: 1,
            asked_once: 1,
            budgets: 0,
        };
        let parts = Parts {
            sources: Digest([0; 32]),
            name: TextRef(0),
            roles: &[Role { name: TextRef(3) }, Role { name: TextRef(6) }],
            attributes: &[
                attribute(9, AttributeKind::Flag),
                attribute(17, AttributeKind::Count),
                attribute(30, AttributeKind::Path),
            ],
            operations: &[operation],
            rules: &[Rule { name: TextRef(48), terms: 0 }, Rule { name: TextRef(54), terms: 1 }],
            terms: &[terms(Effect::Ask), terms(Effect::Allow)],
            limits: &[],
            budgets: &[],
            lanes: &[],
            groups: &[group],
            states: &[],
            runs: &[],
            cells: &[],
            nodes: &[],
            words: &[2, 1, 0, one, two, three, nobody, a, d],
            texts,
        };
        let mut bytes = [0; 390];
        assert_eq!(write(&parts, &mut bytes, |_| Digest([7; 32])), Ok(Digest([7; 32])));
        assert_eq!(bytes.as_slice(), TINY_TABLE);
    }

    #[test]
    fn the_table_of_letters_is_these_rows() {
        let terms = |effect| Terms {
            effect,
            code: None,
            because: None,
            limits: Span { first: 0, count: 0 },
            requirements: Span { first: 3, count: 0 },
        };
        let group = Group { when: When::ONCE, first: 3 };
        let [one, two, three] = Ask { group: 0, row: group }.words();
        let roots = [
            Edge::new(Child::Rule(0), Effect::Ask),
            Edge::new(Child::Rule(1), Effect::Allow),
            Edge::new(Child::Nothing, Effect::Deny),
        ];
        let [nobody, a, d] = roots.map(|edge| edge.0);
        let operation = Operation {
            name: TextRef(6),
            denial_code: TextRef(9),
            first: 0,
            walks: 0,
            group_list: 0,
            strings: 0,
            numbers: 0,
            flags: 0,
            complex: 0,
            always_asked: 1,
            lanes: 0,
            groups: 1,
            asked_once: 1,
            budgets: 0,
        };
        let parts = Parts {
            sources: Digest([0; 32]),
            name: TextRef(6),
            roles: &[Role { name: TextRef(0) }, Role { name: TextRef(3) }],
            attributes: &[],
            operations: &[operation],
            rules: &[Rule { name: TextRef(12), terms: 0 }, Rule { name: TextRef(15), terms: 1 }],
            terms: &[terms(Effect::Ask), terms(Effect::Allow)],
            limits: &[],
            budgets: &[],
            lanes: &[],
            groups: &[group],
            states: &[],
            runs: &[],
            cells: &[],
            nodes: &[],
            words: &[one, two, three, nobody, a, d],
            texts: b"\x01\0a\x01\0d\x01\0t\x01\0D\x01\0q\x01\0p",
        };
        let mut bytes = [0; 310];
        assert_eq!(write(&parts, &mut bytes, |_| Digest([7; 32])), Ok(Digest([7; 32])));
        assert_eq!(bytes.as_slice(), LETTERS_TABLE);
    }
}
