//! Frozen policies: two that `policyc build` has made of the files beside this one, and a tiny one made by hand.

use enforce_core::Policy;
use table_format::{Digest, Pin, Table};

/// The number of the tiny policy, which knows one operation: `fs.list`. Without a role it is asked for, with the role `a`
/// it is allowed, and with the role `d` there is no rule.
pub(super) const TINY: usize = 2;

/// All policies, opened once.
#[cfg(not(kani))]
pub(super) fn with_policies<R>(then: impl for<'p> FnOnce([&'p Policy<'p>; 3]) -> R) -> R {
    use std::sync::OnceLock;

    static TABLES: OnceLock<[Table<'static>; 3]> = OnceLock::new();
    static POLICIES: OnceLock<[Policy<'static>; 3]> = OnceLock::new();
    let tables = TABLES.get_or_init(|| [NARROW_TABLE, WIDE_TABLE, TINY_TABLE].map(opened));
    let policies = POLICIES.get_or_init(|| {
        tables.each_ref().map(|table| Policy::new(table).unwrap_or_else(|_| unreachable!("the core knows its facts")))
    });
    then(policies.each_ref())
}

/// The tiny policy alone, which stands for all: the others are more than a model checker can afford.
#[cfg(kani)]
pub(super) fn with_policies<R>(then: impl for<'p> FnOnce([&'p Policy<'p>; 3]) -> R) -> R {
    let table = opened(TINY_TABLE);
    match Policy::new(&table) {
        Ok(tiny) => then([&tiny, &tiny, &tiny]),
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
const TINY_TABLE: &[u8] = include_bytes!("tiny.table");

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
}
