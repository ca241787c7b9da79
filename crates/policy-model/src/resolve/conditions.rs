//! Conditions: each comparison checked against the type of its attribute.

use std::collections::BTreeSet;
use std::sync::Arc;

use policy_syntax::{
    Condition as Written, ConditionKind, Diagnostic, Item, Location, Name, Operator, Text, Value, quote,
};

use super::attributes::comparison_help;
use super::{Place, Resolver};
use crate::catalogue::{AttributeKind, noun, set_kind};
use crate::codes;
use crate::model::{Attribute, Condition, OperationId, PatternSet};
use crate::pattern::{COMPILED_BYTES_MAX, Regex, RegexError};

impl<'a> Resolver<'a, '_> {
    /// Resolves a condition; `None` if something in it is wrong. All of it is checked anyway.
    pub(super) fn condition(
        &mut self,
        place: Place<'a>,
        operations: &BTreeSet<OperationId>,
        written: &Written,
    ) -> Option<Condition> {
        let at = place.at(written.span);
        match &written.kind {
            ConditionKind::All(parts) => self.parts(place, operations, parts).map(Condition::All),
            ConditionKind::Any(parts) => self.parts(place, operations, parts).map(Condition::Any),
            ConditionKind::Not(part) => {
                self.condition(place, operations, part).map(|part| Condition::Not(Box::new(part)))
            }
            ConditionKind::Group(part) => self.condition(place, operations, part),
            ConditionKind::Flag(name) => {
                let attribute = self.known_attribute(place, operations, name)?;
                if attribute.kind != AttributeKind::Flag {
                    self.wrong_type(place.at(name.span), name, &attribute, "needs a comparison");
                    return None;
                }
                Some(Condition::Flag { attribute, at })
            }
            ConditionKind::In(name, items) => {
                let attribute = self.known_attribute(place, operations, name)?;
                if items.is_empty() {
                    let message = "the list after `in` is empty";
                    self.found.error(codes::EMPTY_LIST, at, message, "name a set, or list strings in double quotes");
                    return None;
                }
                self.membership(place, at, name, attribute, items)
            }
            ConditionKind::Matches(name, pattern) => {
                let attribute = self.known_attribute(place, operations, name)?;
                if set_kind(attribute.kind).is_none() {
                    self.wrong_type(place.at(name.span), name, &attribute, "cannot be matched by a regex");
                    return None;
                }
                let regex = self.regex(place, pattern)?;
                Some(Condition::Matches { attribute, regex, at })
            }
            ConditionKind::Compare(name, operator, value) => {
                let attribute = self.known_attribute(place, operations, name)?;
                self.comparison(place, at, name, attribute, *operator, value)
            }
        }
    }

    fn parts(
        &mut self,
        place: Place<'a>,
        operations: &BTreeSet<OperationId>,
        parts: &[Written],
    ) -> Option<Vec<Condition>> {
        let parts: Vec<_> = parts.iter().map(|part| self.condition(place, operations, part)).collect();
        parts.into_iter().collect()
    }

    fn membership(
        &mut self,
        place: Place<'a>,
        at: Location,
        name: &Name,
        attribute: Attribute,
        items: &[Item],
    ) -> Option<Condition> {
        let Some(kind) = set_kind(attribute.kind) else {
            if attribute.kind == AttributeKind::Flag {
                self.wrong_type(place.at(name.span), name, &attribute, "cannot be in a list");
                return None;
            }
            return self.number_list(place, at, name, &attribute, items);
        };
        self.warn_repeated(place, items);
        let mut inline = Vec::new();
        let mut sets = Vec::new();
        let mut complete = true;
        for item in items {
            match item {
                Item::Text(text) => match self.pattern(place, kind, text) {
                    Some(pattern) => {
                        self.warn_shape(place, &attribute, text);
                        inline.push(pattern);
                    }
                    None => complete = false,
                },
                Item::Set(set) => match self.set_members(place, kind, set) {
                    Some(members) => sets.push(members),
                    None => complete = false,
                },
                Item::Quantity(quantity) => {
                    let at = place.at(quantity.span);
                    let message = format!("{} is {}, but this is a number", quote(&name.text), noun(attribute.kind));
                    self.found.error(codes::WRONG_TYPE, at, message, "write it in double quotes");
                    complete = false;
                }
            }
        }
        if !inline.is_empty() {
            sets.push(Arc::new(PatternSet { name: None, lists: vec![Arc::from(inline)] }));
        }
        complete.then_some(Condition::In { attribute, sets, at })
    }

    fn number_list(
        &mut self,
        place: Place<'a>,
        at: Location,
        name: &Name,
        attribute: &Attribute,
        items: &[Item],
    ) -> Option<Condition> {
        let mut alternatives = Vec::new();
        let mut complete = true;
        for item in items {
            let value = match item {
                Item::Quantity(quantity) => self.quantity(place, attribute, quantity),
                Item::Text(_) | Item::Set(_) => {
                    let at = place.at(item.span());
                    self.wrong_type(at, name, attribute, "needs a list of numbers");
                    None
                }
            };
            match value {
                Some(value) => {
                    let (attribute, operator) = (attribute.clone(), Operator::Equal);
                    alternatives.push(Condition::Number { attribute, operator, value, at });
                }
                None => complete = false,
            }
        }
        complete.then_some(Condition::Any(alternatives))
    }

    fn comparison(
        &mut self,
        place: Place<'a>,
        at: Location,
        name: &Name,
        attribute: Attribute,
        operator: Operator,
        value: &Value,
    ) -> Option<Condition> {
        match value {
            Value::Quantity(quantity) => {
                self.number(place, name, &attribute)?;
                let value = self.quantity(place, &attribute, quantity)?;
                Some(Condition::Number { attribute, operator, value, at })
            }
            Value::Text(text) => {
                if set_kind(attribute.kind).is_none() {
                    self.wrong_type(place.at(name.span), name, &attribute, "cannot be compared with a string");
                    return None;
                }
                match operator {
                    Operator::Equal | Operator::NotEqual => self.warn_literal(place, &attribute, text),
                    Operator::AtMost | Operator::AtLeast | Operator::Below | Operator::Above => {
                        let at = place.at(text.span);
                        let message = format!("strings cannot be compared with `{}`", operator.as_str());
                        self.found.error(codes::WRONG_TYPE, at, message, comparison_help(attribute.kind, &name.text));
                        return None;
                    }
                }
                let text = folded(&attribute, &text.value);
                let equals = Condition::Equals { attribute, text, at };
                match operator {
                    Operator::NotEqual => Some(Condition::Not(Box::new(equals))),
                    _ => Some(equals),
                }
            }
        }
    }

    fn regex(&mut self, place: Place<'a>, pattern: &Text) -> Option<Regex> {
        let at = place.at(pattern.span);
        if self.regex_bytes > ALL_COMPILED_BYTES_MAX {
            let message = format!("the compiled regexes of the policy are larger than {ALL_COMPILED_BYTES_MAX} bytes");
            self.found.error(codes::REGEX_TOO_LARGE, at, message, "use fewer or smaller ones");
            return None;
        }
        match Regex::new(&pattern.value) {
            Ok(regex) => {
                self.warn_unanchored(at, &regex);
                self.regex_bytes = self.regex_bytes.saturating_add(regex.compiled_bytes());
                Some(regex)
            }
            Err(error) => {
                if error == RegexError::TooLarge {
                    // Finding that out cost as much as the largest that fits.
                    self.regex_bytes = self.regex_bytes.saturating_add(COMPILED_BYTES_MAX);
                }
                self.found.push(|| describe_regex(&error, at));
                None
            }
        }
    }

    fn warn_unanchored(&mut self, at: Location, regex: &Regex) {
        let (where_, help) = match (regex.is_anchored_at_start(), regex.is_anchored_at_end()) {
            (true, true) => return,
            (false, false) => ("", "write `^…$`, and `(?s:.*)` where anything may occur"),
            (false, true) => (" at the start", "start it with `^`, or with `^(?s:.*)` if anything may come before"),
            (true, false) => (" at the end", "end it with `$`, or with `(?s:.*)$` if anything may follow"),
        };
        self.found.warning(codes::UNANCHORED_REGEX, at, format!("the regex is not anchored{where_}"), help);
    }

    fn warn_literal(&mut self, place: Place<'a>, attribute: &Attribute, text: &Text) {
        let at = place.at(text.span);
        if text.value.contains('*') {
            let help = format!("write `{} in {}` for a pattern", attribute.name, quote(&text.value).replace('`', "\""));
            self.found.warning(codes::LITERAL_STAR, at, "the star is compared literally", help);
            return;
        }
        if let Some(kind) = set_kind(attribute.kind) {
            self.warn_literal_form(place, kind, text);
        }
        self.warn_shape(place, attribute, text);
    }

    /// Warns about values of a form that the attribute never has.
    fn warn_shape(&mut self, place: Place<'a>, attribute: &Attribute, text: &Text) {
        if !attribute.is_builtin {
            return;
        }
        let value = &text.value;
        let reason = match &*attribute.name {
            "extension" if value.contains('.') => "an extension has no dot: `rs`",
            "name" if value.contains('/') => "a name is the last segment of a path and has no `/`",
            "method" if value.bytes().any(|byte| byte.is_ascii_lowercase()) => "methods are in upper case: `GET`",
            "scheme" if value.contains([':', '/']) || value.bytes().any(|byte| byte.is_ascii_uppercase()) => {
                "a scheme is a bare word in lower case: `https`"
            }
            "url-path" if !value.starts_with(['/', '*']) => "a URL's path starts with `/`",
            _ => return,
        };
        let at = place.at(text.span);
        self.warn_never_matches(at, value, reason);
    }

    pub(super) fn wrong_type(&mut self, at: Location, name: &Name, attribute: &Attribute, what: &str) {
        let message = format!("{} is {} and {what}", quote(&name.text), noun(attribute.kind));
        self.found.error(codes::WRONG_TYPE, at, message, comparison_help(attribute.kind, &name.text));
    }
}

/// Compiled size of all regexes of a policy.
const ALL_COMPILED_BYTES_MAX: usize = 16 << 20;

/// Folds host names to lower case, as they are judged.
pub(super) fn folded(attribute: &Attribute, value: &str) -> String {
    match attribute.kind {
        AttributeKind::Host => value.to_ascii_lowercase(),
        _ => value.to_owned(),
    }
}

fn describe_regex(error: &RegexError, at: Location) -> Diagnostic {
    let (code, help) = match error {
        RegexError::Invalid { .. } => {
            (codes::BAD_REGEX, "the syntax is that of the `regex` crate: no look-around, no back-references")
        }
        RegexError::UnicodeWordBoundary => {
            (codes::BAD_REGEX, "write `\\b` outside `(?u:…)` for an ASCII word boundary")
        }
        RegexError::TooLarge => (codes::REGEX_TOO_LARGE, "lower its repeat counts, or split it"),
    };
    Diagnostic::new(code, at, error.to_string()).help(help)
}
