//! Condition -> Cedar expression. Each comparison first tests that its fact is present, so that no expression can fail and
//! each can be negated.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use cedar_policy::pst::{BinaryOp, Expr, PatternElem, Var};
use policy_model::{
    Attribute, Condition, HostPattern, Limit, NUMBER_MAX, Pattern, PatternSet, Regex, SegmentGlob, WordGlob,
};
use policy_syntax::Operator;

use crate::compile::CedarError;
use crate::glob::GlobForm;
use crate::tree::{all, any, attribute, binary, constant, has, like, long, not, set, text, variable};
use crate::vocabulary::{
    ATOMS, DEPTH, FLAGS, Form, NUMBERS, STRINGS, TEXT, WRAPPED, from_back, from_front, glob_atom, regex_atom,
};

/// Translates a condition.
pub(crate) fn condition(condition: &Condition) -> Result<Expr, CedarError> {
    Ok(match condition {
        Condition::All(parts) => all(self::parts(parts)?),
        Condition::Any(parts) => any(self::parts(parts)?),
        Condition::Not(part) => not(self::condition(part)?),
        Condition::Flag { attribute, at: _ } => flag(&attribute.name),
        Condition::In { attribute, sets, at: _ } => one_of(attribute, sets),
        Condition::Equals { attribute, text: value, at: _ } => {
            present(STRINGS, &attribute.name, |string| equals(plain(attribute, string), value))
        }
        Condition::Matches { attribute, regex, at: _ } => matches(attribute, regex),
        Condition::Number { attribute, operator, value, at: _ } => number(attribute, *operator, *value)?,
    })
}

/// True when the request states a number above the limit.
pub(crate) fn exceeds(limit: &Limit) -> Result<Expr, CedarError> {
    let most = bound(&limit.attribute, limit.most)?;
    Ok(present(NUMBERS, &limit.attribute.name, |number| binary(BinaryOp::Greater, number, long(most))))
}

/// True when the request has the flag.
pub(crate) fn flag(name: &str) -> Expr {
    attribute(attribute(variable(Var::Context), FLAGS), name)
}

fn parts(parts: &[Condition]) -> Result<Vec<Expr>, CedarError> {
    parts.iter().map(condition).collect()
}

/// `context.part has name && asked(context.part.name)`
fn present(part: &str, name: &str, asked: impl FnOnce(Expr) -> Expr) -> Expr {
    let record = || attribute(variable(Var::Context), part);
    all([has(record(), name), asked(attribute(record(), name))])
}

/// An absent number counts as greater than every other: `<=` needs a number, `>` does not.
fn number(attribute: &Attribute, operator: Operator, value: u64) -> Result<Expr, CedarError> {
    let value = bound(attribute, value)?;
    let stated = |op: BinaryOp| present(NUMBERS, &attribute.name, |number| binary(op, number, long(value)));
    Ok(match operator {
        Operator::Equal => stated(BinaryOp::Eq),
        Operator::NotEqual => not(stated(BinaryOp::Eq)),
        Operator::AtMost => stated(BinaryOp::LessEq),
        Operator::Above => not(stated(BinaryOp::LessEq)),
        Operator::Below => stated(BinaryOp::Less),
        Operator::AtLeast => not(stated(BinaryOp::Less)),
    })
}

/// A request's number is shown as the smaller of it and Cedar's largest. For that to be exact, a policy's
/// number must be smaller still: then what was cut compares as what it was cut to.
fn bound(attribute: &Attribute, value: u64) -> Result<i64, CedarError> {
    let too_large = || CedarError::NumberTooLarge { attribute: attribute.name.to_string(), value };
    if value > NUMBER_MAX {
        return Err(too_large());
    }
    i64::try_from(value).map_err(|_| too_large())
}

/// A question Cedar cannot ask; a string that is not there is answered by the atom itself.
fn atom(name: &str) -> Expr {
    attribute(attribute(variable(Var::Context), ATOMS), name)
}

fn matches(attribute: &Attribute, regex: &Regex) -> Expr {
    atom(&regex_atom(&attribute.name, regex))
}

/// Texts are asked for together where they are asked of the same thing, and first: a set is looked up in
/// one step.
fn one_of(of: &Attribute, sets: &[Arc<PatternSet>]) -> Expr {
    let mut texts: BTreeMap<StringPart, BTreeSet<String>> = BTreeMap::new();
    let mut others: Vec<Expr> = Vec::new();
    let mut seen = BTreeSet::new();
    let string = || attribute(attribute(variable(Var::Context), STRINGS), &of.name);
    for located in sets.iter().flat_map(|set| set.patterns()) {
        if !seen.insert(located.pattern.to_string()) {
            continue;
        }
        match question(of, &located.pattern, string) {
            PatternTest::Text(asked, text) => {
                texts.entry(asked).or_default().insert(text);
            }
            PatternTest::Other(expression) => others.push(expression),
        }
    }
    let texts = texts.iter().map(|(asked, texts)| match asked {
        StringPart::Whole => among(plain(of, string()), texts),
        StringPart::FirstSegment => among(attribute(string(), &from_front(0)), texts),
        StringPart::LastSegment => among(attribute(string(), &from_back(0)), texts),
    });
    present(STRINGS, &of.name, |_| any(texts.chain(others)))
}

/// The test that one pattern makes of a present string.
enum PatternTest {
    /// This part must equal this text.
    Text(StringPart, String),
    Other(Expr),
}

/// A part of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum StringPart {
    Whole,
    FirstSegment,
    LastSegment,
}

fn question(of: &Attribute, pattern: &Pattern, string: impl Fn() -> Expr) -> PatternTest {
    match pattern {
        Pattern::Segments(glob) => segments(of, glob, string),
        Pattern::Host(HostPattern::Any) => PatternTest::Other(constant(true)),
        Pattern::Host(HostPattern::Exact(name)) => PatternTest::Text(StringPart::Whole, name.clone()),
        Pattern::Host(HostPattern::Below(suffix)) => {
            let chars = suffix.chars().map(PatternElem::Char);
            let ends = like(string(), [PatternElem::Wildcard].into_iter().chain(chars).collect());
            // A label must precede the suffix.
            PatternTest::Other(all([ends, binary(BinaryOp::NotEq, string(), text(suffix))]))
        }
        Pattern::Word(glob) => match glob.literal() {
            Some(literal) => PatternTest::Text(StringPart::Whole, literal.to_owned()),
            None => PatternTest::Other(word(glob, string())),
        },
    }
}

fn segments(of: &Attribute, glob: &SegmentGlob, string: impl Fn() -> Expr) -> PatternTest {
    let depth = |op: BinaryOp, count: usize| {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        binary(op, attribute(string(), DEPTH), long(count))
    };
    let each = |words: &[&WordGlob], name: fn(usize) -> String| {
        let numbered = words.iter().enumerate();
        numbered.map(|(index, glob)| word(glob, attribute(string(), &name(index)))).collect::<Vec<_>>()
    };
    PatternTest::Other(match GlobForm::of(glob) {
        GlobForm::Literal(text) => return PatternTest::Text(StringPart::Whole, text),
        GlobForm::Never => constant(false),
        GlobForm::Every => constant(true),
        GlobForm::Fixed(words) => all([depth(BinaryOp::Eq, words.len())].into_iter().chain(each(&words, from_front))),
        GlobForm::Around { before, after } => {
            // Segments beyond the end of a path are empty, so a segment that is not empty proves the depth.
            match (before.as_slice(), after.as_slice()) {
                ([only], []) | ([], [only])
                    if let Some(text) = only.literal()
                        && !text.is_empty() =>
                {
                    let asked = if after.is_empty() { StringPart::FirstSegment } else { StringPart::LastSegment };
                    return PatternTest::Text(asked, text.to_owned());
                }
                _ => {}
            }
            let enough = match (before.last(), after.last()) {
                (Some(outermost), None) | (None, Some(outermost)) if !outermost.matches("") => constant(true),
                _ => depth(BinaryOp::GreaterEq, before.len().saturating_add(after.len())),
            };
            all([enough].into_iter().chain(each(&before, from_front)).chain(each(&after, from_back)))
        }
        GlobForm::Wrapped(pattern) => like(attribute(string(), WRAPPED), pattern),
        GlobForm::Atom => atom(&glob_atom(&of.name, glob)),
    })
}

/// Returns the whole text of a present string.
fn plain(of: &Attribute, string: Expr) -> Expr {
    match Form::of(of.kind) {
        Some(Form::Segments) => attribute(string, TEXT),
        Some(Form::Text) | None => string,
    }
}

fn equals(string: Expr, value: &str) -> Expr {
    binary(BinaryOp::Eq, string, text(value))
}

fn among(string: Expr, literals: &BTreeSet<String>) -> Expr {
    let mut texts = literals.iter().map(|literal| text(literal));
    match (texts.next(), texts.next()) {
        (None, _) => constant(false),
        (Some(only), None) => binary(BinaryOp::Eq, string, only),
        (Some(first), Some(second)) => {
            let members = [first, second].into_iter().chain(texts);
            binary(BinaryOp::Contains, set(members), string)
        }
    }
}

/// True when a string, or a segment, matches the glob.
fn word(glob: &WordGlob, string: Expr) -> Expr {
    if let Some(literal) = glob.literal() {
        return equals(string, literal);
    }
    if glob.parts().iter().all(String::is_empty) {
        return constant(true);
    }
    let mut pattern = Vec::new();
    for (index, part) in glob.parts().iter().enumerate() {
        if index != 0 {
            pattern.push(PatternElem::Wildcard);
        }
        pattern.extend(part.chars().map(PatternElem::Char));
    }
    like(string, pattern)
}

#[cfg(test)]
mod tests;
