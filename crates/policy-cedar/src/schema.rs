//! Vocabulary -> Cedar schema, as a JSON tree.

use serde_json::{Map, Value, json};

use crate::vocabulary::{
    APPROVED, ATOMS, DEPTH, FLAGS, Facts, Form, NUMBERS, ROLE, SEGMENTS, SESSION, STRINGS, Segments, TEXT, TOOL,
    Vocabulary, WRAPPED, from_back, from_front,
};

/// Returns a schema in Cedar's JSON format.
pub(crate) fn schema(vocabulary: &Vocabulary) -> Value {
    let actions: Map<String, Value> =
        vocabulary.operations.iter().map(|facts| (facts.action.clone(), action(facts))).collect();
    json!({
        "": {
            "entityTypes": {
                ROLE: { "memberOfTypes": [ROLE] },
                SESSION: { "memberOfTypes": [ROLE] },
                TOOL: {},
            },
            "commonTypes": { SEGMENTS: segments(&vocabulary.segments) },
            "actions": actions,
        }
    })
}

fn action(facts: &Facts) -> Value {
    let strings = facts.strings.iter().map(|(name, form)| {
        let kind = match form {
            Form::Text => optional("String"),
            Form::Segments => optional(SEGMENTS),
        };
        (name.clone(), kind)
    });
    let numbers = facts.numbers.iter().map(|name| (name.clone(), optional("Long")));
    let flags = facts.flags.iter().map(|name| (name.clone(), required("Bool")));
    let atoms = facts.atoms.keys().map(|name| (name.clone(), required("Bool")));
    let parts: [(&str, Map<String, Value>); 4] = [
        (STRINGS, strings.collect()),
        (NUMBERS, numbers.collect()),
        (FLAGS, flags.collect()),
        (ATOMS, atoms.collect()),
    ];
    let parts = parts.into_iter().filter(|(_, part)| !part.is_empty());
    let context = [(APPROVED.to_owned(), required("Bool"))]
        .into_iter()
        .chain(parts.map(|(name, part)| (name.to_owned(), record(part))));
    json!({
        "appliesTo": {
            "principalTypes": [SESSION],
            "resourceTypes": [TOOL],
            "context": record(context),
        }
    })
}

fn segments(segments: &Segments) -> Value {
    let text = || required("String");
    let front = (0..segments.from_front).map(|index| (from_front(index), text()));
    let back = (0..segments.from_back).map(|index| (from_back(index), text()));
    let wrapped = segments.wrapped.then(|| (WRAPPED.to_owned(), text()));
    let always = [(TEXT.to_owned(), text()), (DEPTH.to_owned(), required("Long"))];
    record(always.into_iter().chain(front).chain(back).chain(wrapped))
}

fn record(attributes: impl IntoIterator<Item = (String, Value)>) -> Value {
    let attributes: Map<String, Value> = attributes.into_iter().collect();
    json!({ "type": "Record", "attributes": attributes })
}

/// An attribute that every request has. Types are named, as in the text of a schema.
fn required(name: &str) -> Value {
    json!({ "type": "EntityOrCommon", "name": name })
}

fn optional(name: &str) -> Value {
    json!({ "type": "EntityOrCommon", "name": name, "required": false })
}
