//! Attributes: which the operations of a statement share, and quantities that fit them.

use std::collections::BTreeSet;

use policy_syntax::{Diagnostic, Name, Quantity, closest, quote};

use super::{Place, Resolver};
use crate::catalogue::{AttributeKind, Known};
use crate::codes;
use crate::model::{Attribute, Operation, OperationId};
use crate::units::{NUMBER_MAX, QuantityError, value};

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
            self.found.push(|| {
                let (one, two) = (first.kind.noun(), other.kind.noun());
                let message = format!("{} is {one} in one operation and {two} in another", quote(&name.text));
                Diagnostic::new(codes::MIXED_TYPES, at, message).help("split the rule")
            });
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
        if attribute.known == Known::Later {
            let at = place.at(name.span);
            self.found.push(|| {
                let message = format!("{} is known only after the act", quote(&name.text));
                Diagnostic::new(codes::KNOWN_LATER, at, message)
                    .help(format!("bound it with `limit {} <= …`: the executor holds it", name.text))
            });
            return None;
        }
        Some(attribute)
    }

    /// Checks that an attribute is a number.
    pub(super) fn number(&mut self, place: Place<'a>, name: &Name, attribute: &Attribute) -> Option<()> {
        if attribute.kind.is_number() {
            return Some(());
        }
        let kind = attribute.kind;
        self.found.push(|| {
            let message = format!("{} is {}, not a number", quote(&name.text), kind.noun());
            Diagnostic::new(codes::WRONG_TYPE, place.at(name.span), message).help(comparison_help(kind, &name.text))
        });
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
        AttributeKind::Flag => format!("a flag stands alone: `{name}` or `not {name}`"),
        AttributeKind::Count | AttributeKind::Size | AttributeKind::Duration | AttributeKind::Hundredths => {
            format!("numbers are compared: `{name} <= …`")
        }
        AttributeKind::Path
        | AttributeKind::Ref
        | AttributeKind::Host
        | AttributeKind::Command
        | AttributeKind::Model
        | AttributeKind::Word => format!("strings are looked up: `{name} in …` or `{name} == \"…\"`"),
    }
}

fn attribute_help(name: &str, shared: &[&str]) -> String {
    match closest(name, shared.iter().copied()) {
        Some(found) => format!("did you mean `{found}`?"),
        None if shared.is_empty() => "the operations of this statement have no attribute in common".to_owned(),
        None => format!("the operations here have {}", shared.join(", ")),
    }
}

fn describe(
    error: QuantityError,
    attribute: &Attribute,
    quantity: &Quantity,
    at: policy_syntax::Location,
) -> Diagnostic {
    let noun = attribute.kind.noun();
    let name = quote(&attribute.name);
    let unit = quantity.unit.as_ref().map(|unit| unit.text.as_str());
    let one_of = |units: &[&str]| format!("the units of {noun} are {}", units.join(", "));
    match error {
        QuantityError::UnknownUnit(units) => {
            let unit = unit.unwrap_or_default();
            let finding = Diagnostic::new(codes::UNKNOWN_UNIT, at, format!("there is no unit {}", quote(unit)));
            match (meant(unit), units.is_empty()) {
                (Some(meant), false) if units.contains(&meant) => finding.help(format!("did you mean `{meant}`?")),
                (_, false) => finding.help(one_of(units)),
                (_, true) => finding.help(format!("{name} is {noun} and has no unit")),
            }
        }
        QuantityError::WrongUnit(units) => {
            let message = match unit {
                None => format!("{name} is {noun} and needs a unit"),
                Some(unit) => format!("{name} is {noun} and has no unit {}", quote(unit)),
            };
            let finding = Diagnostic::new(codes::WRONG_UNIT, at, message);
            if units.is_empty() { finding.help("remove the unit") } else { finding.help(one_of(units)) }
        }
        QuantityError::NotWhole => {
            let message = format!("{name} is {noun} and has no such fraction");
            Diagnostic::new(codes::BAD_NUMBER, at, message).help("use a whole number of a smaller unit")
        }
        QuantityError::TooLarge => {
            let message = format!("the number is larger than {NUMBER_MAX}");
            Diagnostic::new(codes::BAD_NUMBER, at, message).help("use a smaller one; without a `limit` there is none")
        }
    }
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
