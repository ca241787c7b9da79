//! Attributes: which the operations of a statement share, and quantities that fit them.

use std::collections::BTreeSet;

use policy_syntax::{Diagnostic, Location, Name, Quantity, closest, quote};

use super::{Place, Resolver};
use crate::catalogue::{AttributeKind, noun};
use crate::codes;
use crate::model::{Attribute, Operation, OperationId};
use crate::units::{NUMBER_MAX, QuantityError, Units, value};

impl<'a> Resolver<'a, '_> {
    /// Returns the attribute that all of the operations have; reports it if one has not.
    pub(super) fn attribute(
        &mut self,
        place: Place<'a>,
        operations: &BTreeSet<OperationId>,
        name: &Name,
    ) -> Option<Attribute> {
        let at = place.at(name.span);
        let all: Vec<&Operation> = operations.iter().filter_map(|id| self.catalogue.get(*id)).collect();
        if let Some(lacking) = all.iter().find(|operation| operation.attribute(&name.text).is_none()) {
            let shared = || {
                let first = all.first().map(|operation| operation.attributes.as_slice()).unwrap_or_default();
                let in_all =
                    |attribute: &&Attribute| all.iter().all(|other| other.attribute(&attribute.name).is_some());
                first.iter().filter(in_all).map(|attribute| &*attribute.name).collect::<Vec<&str>>()
            };
            self.found.push(|| {
                let message = format!("{} has no attribute {}", quote(&lacking.name), quote(&name.text));
                Diagnostic::new(codes::UNKNOWN_ATTRIBUTE, at, message).help(attribute_help(&name.text, &shared()))
            });
            return None;
        }
        let mut kinds = all.iter().filter_map(|operation| operation.attribute(&name.text));
        let first = kinds.next()?;
        if let Some(other) = kinds.find(|other| other.kind != first.kind) {
            let (one, two) = (noun(first.kind), noun(other.kind));
            let message = format!("{} is {one} in one operation and {two} in another", quote(&name.text));
            self.found.error(codes::MIXED_TYPES, at, message, "split the rule");
            return None;
        }
        Some(first.clone())
    }

    /// Returns an attribute that conditions and facts can use: one that the request contains.
    pub(super) fn known_attribute(
        &mut self,
        place: Place<'a>,
        operations: &BTreeSet<OperationId>,
        name: &Name,
    ) -> Option<Attribute> {
        let attribute = self.attribute(place, operations, name)?;
        if attribute.known_after_act {
            let at = place.at(name.span);
            let message = format!("{} is only known after the operation has run", quote(&name.text));
            let help = format!("use `limit {} <= …`, which the executor enforces", name.text);
            self.found.error(codes::KNOWN_LATER, at, message, help);
            return None;
        }
        Some(attribute)
    }

    /// Checks that an attribute is a number.
    pub(super) fn number(&mut self, place: Place<'a>, name: &Name, attribute: &Attribute) -> Option<()> {
        if attribute.kind.is_number() {
            return Some(());
        }
        self.wrong_type(place.at(name.span), name, attribute, "not a number");
        None
    }

    /// Converts a quantity to the attribute's unit.
    pub(super) fn quantity(&mut self, place: Place<'a>, attribute: &Attribute, quantity: &Quantity) -> Option<u64> {
        let at = place.at(quantity.span);
        match value(quantity, attribute.kind) {
            Ok(value) => Some(value),
            Err(error) => {
                self.found.push(|| describe(error, attribute, quantity, at));
                None
            }
        }
    }
}

/// Shows how an attribute of that kind is compared.
pub(super) fn comparison_help(kind: AttributeKind, name: &str) -> String {
    match kind {
        AttributeKind::Flag => format!("a flag has no value: write `{name}` or `not {name}`"),
        AttributeKind::Count | AttributeKind::Size | AttributeKind::Duration | AttributeKind::Hundredths => {
            format!("compare a number: `{name} <= …`")
        }
        AttributeKind::Path
        | AttributeKind::Ref
        | AttributeKind::Host
        | AttributeKind::Command
        | AttributeKind::Model
        | AttributeKind::Word => format!("compare a string: `{name} in …` or `{name} == \"…\"`"),
    }
}

fn attribute_help(name: &str, shared: &[&str]) -> String {
    match closest(name, shared.iter().copied()) {
        Some(found) => format!("did you mean `{found}`?"),
        None if shared.is_empty() => "the operations of this statement have no attribute in common".to_owned(),
        None => format!("available attributes: {}", shared.join(", ")),
    }
}

fn describe(error: QuantityError, attribute: &Attribute, quantity: &Quantity, at: Location) -> Diagnostic {
    let (name, noun) = (quote(&attribute.name), noun(attribute.kind));
    let unit = quantity.unit.as_ref().map(|unit| unit.text.as_str());
    let one_of = |units: Units| {
        let names: Vec<&str> = units.iter().map(|(name, _)| *name).collect();
        format!("units of {noun}: {}", names.join(", "))
    };
    let (code, message, help) = match error {
        QuantityError::UnknownUnit(units) => {
            let unit = unit.unwrap_or_default();
            let help = match meant(unit) {
                _ if units.is_empty() => format!("{name} is {noun} and has no unit"),
                Some(meant) if units.iter().any(|(name, _)| *name == meant) => format!("did you mean `{meant}`?"),
                _ => one_of(units),
            };
            (codes::UNKNOWN_UNIT, format!("unknown unit {}", quote(unit)), help)
        }
        QuantityError::WrongUnit(units) => {
            let message = match unit {
                None => format!("{name} is {noun} and needs a unit"),
                Some(unit) => format!("{name} is {noun} and cannot have the unit {}", quote(unit)),
            };
            let help = if units.is_empty() { "remove the unit".to_owned() } else { one_of(units) };
            (codes::WRONG_UNIT, message, help)
        }
        QuantityError::NotWhole if attribute.kind == AttributeKind::Hundredths => {
            (codes::BAD_NUMBER, format!("{name} has at most two decimal places"), "round it".to_owned())
        }
        QuantityError::NotWhole => {
            let help = "use a whole number of a smaller unit".to_owned();
            (codes::BAD_NUMBER, format!("{name} must be a whole number"), help)
        }
        QuantityError::TooLarge => {
            (codes::BAD_NUMBER, format!("the number is larger than {NUMBER_MAX}"), "use a smaller number".to_owned())
        }
    };
    Diagnostic::new(code, at, message).help(help)
}

/// Maps the units of other tools to those of the language.
fn meant(unit: &str) -> Option<&'static str> {
    Some(match unit.to_ascii_lowercase().as_str() {
        "k" | "kb" | "kib" => "KiB",
        "mb" | "mib" => "MiB",
        "g" | "gb" | "gib" => "GiB",
        "b" => "B",
        "ms" => "ms",
        "s" | "sec" | "secs" | "second" | "seconds" => "s",
        "m" | "min" | "mins" | "minute" | "minutes" => "min",
        "h" | "hr" | "hrs" | "hour" | "hours" => "h",
        _ => return None,
    })
}
