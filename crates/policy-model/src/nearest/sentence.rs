//! A failure -> one sentence for people: what was, and what would have been needed.

use policy_syntax::{Operator, quote};

use super::Failure;
use crate::catalogue::COMPLEX;
use crate::evaluate::Request;
use crate::model::{Attribute, Condition, Limit, LocatedPattern, Model, PatternSet};
use crate::units::written;

impl Failure<'_> {
    /// Describes the failure and what was needed, on one line without a full stop.
    #[must_use]
    pub fn sentence(&self, model: &Model, request: &Request) -> String {
        match self {
            Self::Roles(roles) => {
                let names = roles.iter().filter_map(|role| model.roles.get(role.0)).map(|role| quote(&role.name));
                match names.collect::<Vec<_>>().as_slice() {
                    [only] => format!("needs the role {only} or one that includes it"),
                    several => format!("needs one of the roles {}, or one that includes one", listed(several)),
                }
            }
            Self::Unasked(COMPLEX) => {
                "the line was not understood in full, and the rule does not ask for `complex`".to_owned()
            }
            Self::Unasked(flag) => {
                format!("the request asks for {flag}, and the rule does not ask for {}", quote(flag))
            }
            Self::Unmet(condition) => unmet(condition, request),
            Self::Met(condition) => met(condition, request),
            Self::Exceeded(limit) => exceeded(limit, request),
        }
    }
}

fn exceeded(limit: &Limit, request: &Request) -> String {
    format!("{}, the limit is {}", number(&limit.attribute, request), written(limit.most, limit.attribute.kind))
}

/// Explains why a comparison does not hold.
fn unmet(condition: &Condition, request: &Request) -> String {
    match condition {
        Condition::Flag { attribute, .. } => format!("{} is not set", quote(&attribute.name)),
        Condition::In { attribute, sets, .. } => {
            let patterns: Vec<String> = patterns(sets).map(shown).collect();
            match request.strings.get(&*attribute.name) {
                Some(value) => format!("{} is {}, which is not in {}", attribute.name, quote(value), listed(&patterns)),
                None => format!("{} is not given; it has to be in {}", attribute.name, listed(&patterns)),
            }
        }
        Condition::Equals { attribute, text, .. } => match request.strings.get(&*attribute.name) {
            Some(value) => format!("{} is {}, not {}", attribute.name, quote(value), quote(text)),
            None => format!("{} is not given; it has to be {}", attribute.name, quote(text)),
        },
        Condition::Matches { attribute, regex, .. } => {
            let regex = quote(regex.pattern());
            match request.strings.get(&*attribute.name) {
                Some(value) => format!("{} is {}, which does not match {regex}", attribute.name, quote(value)),
                None => format!("{} is not given; it has to match {regex}", attribute.name),
            }
        }
        Condition::Number { attribute, operator, value, .. } => {
            let wanted = written(*value, attribute.kind);
            format!("{}; it has to be {} {wanted}", number(attribute, request), in_words(*operator))
        }
        Condition::Any(parts) => numbers(parts, request, "which is not in"),
        Condition::All(_) | Condition::Not(_) => "the condition does not hold".to_owned(),
    }
}

/// Explains why a comparison holds.
fn met(condition: &Condition, request: &Request) -> String {
    let value = |attribute: &Attribute| {
        let value = request.strings.get(&*attribute.name).map(String::as_str).unwrap_or_default();
        format!("{} is {}", attribute.name, quote(value))
    };
    match condition {
        Condition::Flag { attribute, .. } => format!("{} is set", quote(&attribute.name)),
        Condition::In { attribute, sets, .. } => {
            let text = request.strings.get(&*attribute.name).map(String::as_str).unwrap_or_default();
            let matching = patterns(sets).filter(|located| located.pattern.matches(text)).map(shown);
            format!("{}, which is in {}", value(attribute), listed(&matching.collect::<Vec<_>>()))
        }
        Condition::Equals { attribute, .. } => value(attribute),
        Condition::Matches { attribute, regex, .. } => {
            format!("{}, which matches {}", value(attribute), quote(regex.pattern()))
        }
        Condition::Number { attribute, operator, value, .. } => {
            let unwanted = written(*value, attribute.kind);
            format!("{}; it must not be {} {unwanted}", number(attribute, request), in_words(*operator))
        }
        Condition::Any(parts) => numbers(parts, request, "which is in"),
        Condition::All(_) | Condition::Not(_) => "the condition holds".to_owned(),
    }
}

/// Explains a list of numbers.
fn numbers(parts: &[Condition], request: &Request, verb: &str) -> String {
    let mut values = Vec::new();
    let mut compared = None;
    for part in parts {
        if let Condition::Number { attribute, value, .. } = part {
            compared = Some(attribute);
            values.push(written(*value, attribute.kind));
        }
    }
    let values = listed(&values);
    match compared.filter(|attribute| request.numbers.contains_key(&*attribute.name)) {
        Some(attribute) => format!("{}, {verb} {values}", number(attribute, request)),
        None => {
            format!("{} is left open; it has to be one of {values}", compared.map_or("", |attribute| &attribute.name))
        }
    }
}

fn number(attribute: &Attribute, request: &Request) -> String {
    match request.numbers.get(&*attribute.name) {
        Some(value) => format!("{} is {}", attribute.name, written(*value, attribute.kind)),
        None => format!("{} is left open, which counts as more than any number", attribute.name),
    }
}

fn in_words(operator: Operator) -> &'static str {
    match operator {
        Operator::Equal => "exactly",
        Operator::NotEqual => "other than",
        Operator::AtMost => "at most",
        Operator::AtLeast => "at least",
        Operator::Below => "below",
        Operator::Above => "above",
    }
}

fn patterns(sets: &[std::sync::Arc<PatternSet>]) -> impl Iterator<Item = &LocatedPattern> {
    sets.iter().flat_map(|set| set.patterns())
}

fn shown(located: &LocatedPattern) -> String {
    quote(&located.pattern.to_string())
}

/// Lists the first few items and counts the rest.
fn listed(items: &[String]) -> String {
    let mut text = items.iter().take(LISTED_MAX).map(String::as_str).collect::<Vec<_>>().join(", ");
    if let Some(more) = items.len().checked_sub(LISTED_MAX).filter(|more| *more > 0) {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

/// More would hide the sentence.
const LISTED_MAX: usize = 5;
