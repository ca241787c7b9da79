//! Small constructors for Cedar expressions. They fold constants and double negations, so that printed policies stay short.

use std::sync::Arc;

use cedar_policy::pst::{BinaryOp, EntityUID, Expr, Literal, NonEmpty, PatternElem, SmolStr, UnaryOp, Var};

pub(crate) fn constant(value: bool) -> Expr {
    Expr::Literal(Literal::Bool(value))
}

pub(crate) fn text(value: &str) -> Expr {
    Expr::Literal(Literal::String(value.into()))
}

pub(crate) fn long(value: i64) -> Expr {
    Expr::Literal(Literal::Long(value))
}

pub(crate) fn entity(value: EntityUID) -> Expr {
    Expr::Literal(Literal::EntityUID(value))
}

pub(crate) fn variable(variable: Var) -> Expr {
    Expr::Var(variable)
}

/// `of.name`, or `of["name"]` where the name is no identifier.
pub(crate) fn attribute(of: Expr, name: &str) -> Expr {
    Expr::GetAttr { expr: Arc::new(of), attr: SmolStr::from(name) }
}

/// `of has name`
pub(crate) fn has(of: Expr, name: &str) -> Expr {
    Expr::HasAttr { expr: Arc::new(of), attrs: NonEmpty::new(SmolStr::from(name)) }
}

/// `value like pattern`
pub(crate) fn like(value: Expr, pattern: Vec<PatternElem>) -> Expr {
    Expr::Like { expr: Arc::new(value), pattern }
}

/// `[members…]`
pub(crate) fn set(members: impl IntoIterator<Item = Expr>) -> Expr {
    Expr::Set(members.into_iter().map(Arc::new).collect())
}

pub(crate) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::BinaryOp { op, left: Arc::new(left), right: Arc::new(right) }
}

/// `!part`
pub(crate) fn not(part: Expr) -> Expr {
    match part {
        Expr::Literal(Literal::Bool(value)) => constant(!value),
        Expr::UnaryOp { op: UnaryOp::Not, expr } => Arc::unwrap_or_clone(expr),
        _ => Expr::UnaryOp { op: UnaryOp::Not, expr: Arc::new(part) },
    }
}

/// `part && part && …`, true when there is none.
pub(crate) fn all(parts: impl IntoIterator<Item = Expr>) -> Expr {
    join(BinaryOp::And, true, parts)
}

/// `part || part || …`, false when there is none.
pub(crate) fn any(parts: impl IntoIterator<Item = Expr>) -> Expr {
    join(BinaryOp::Or, false, parts)
}

pub(crate) fn is_constant(part: &Expr, value: bool) -> bool {
    *part == constant(value)
}

/// Joins parts by an operator whose neutral value is `neutral`. A part `!neutral` decides the whole, because no part can fail.
fn join(op: BinaryOp, neutral: bool, parts: impl IntoIterator<Item = Expr>) -> Expr {
    let mut level: Vec<Expr> = parts.into_iter().filter(|part| !is_constant(part, neutral)).collect();
    if level.iter().any(|part| is_constant(part, !neutral)) {
        return constant(!neutral);
    }
    while level.len() > CHAIN_MAX {
        let mut parts = level.into_iter();
        level = Vec::new();
        while let Some(joined) = chain(op, parts.by_ref().take(CHAIN_MAX)) {
            level.push(joined);
        }
    }
    chain(op, level.into_iter()).unwrap_or_else(|| constant(neutral))
}

fn chain(op: BinaryOp, parts: impl Iterator<Item = Expr>) -> Option<Expr> {
    parts.reduce(|left, right| binary(op, left, right))
}

/// Longer rows are split into groups. Cedar walks trees by recursion, and a row of thousands would be as deep as it is long.
const CHAIN_MAX: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    fn flag(name: &str) -> Expr {
        attribute(variable(Var::Context), name)
    }

    fn depth(part: &Expr) -> usize {
        match part {
            Expr::BinaryOp { left, right, .. } => 1 + depth(left).max(depth(right)),
            _ => 1,
        }
    }

    #[test]
    fn constants_and_double_negations_are_folded() {
        assert_eq!(all([]), constant(true));
        assert_eq!(any([]), constant(false));
        assert_eq!(all([constant(true), flag("a")]), flag("a"));
        assert_eq!(any([constant(false), flag("a")]), flag("a"));
        assert_eq!(all([flag("a"), constant(false)]), constant(false));
        assert_eq!(any([flag("a"), constant(true)]), constant(true));
        assert_eq!(not(constant(true)), constant(false));
        assert_eq!(all([flag("a"), flag("b")]).to_string(), "context.a && context.b");
        assert_eq!(not(flag("a")).to_string(), "!context.a");
        assert_eq!(not(not(flag("a"))), flag("a"));
    }

    #[test]
    fn a_long_row_is_a_shallow_tree_with_every_part_in_its_order() {
        for length in [1, 31, 32, 33, 64, 65, 1_024, 1_025, 5_000] {
            let joined = any((0..length).map(|index| flag(&format!("f{index}"))));
            assert!(depth(&joined) <= 5 * CHAIN_MAX, "{length}: {}", depth(&joined));
            let printed = joined.to_string();
            let places: Vec<_> = printed.match_indices('f').map(|(place, _)| place).collect();
            assert_eq!(places.len(), length);
            let names: Vec<String> = (0..length).map(|index| format!("context.f{index}")).collect();
            let found: Vec<&str> = printed.split(['(', ')', ' ', '|']).filter(|word| !word.is_empty()).collect();
            assert_eq!(found, names);
        }
    }
}
