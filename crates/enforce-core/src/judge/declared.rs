//! A call of a declared tool -> its facts, as one policy declares them.

use table_format::{AttributeKind, Slot};

use super::outcome::{ArgumentError, Refusal};
use super::scratch::Scratch;
use super::session::{Layer, Session};
use super::targets::contained;
use crate::facts::Facts;
use crate::net::Host;
use crate::operation::Asked;
use crate::wire::{Argument, ArgumentValue, Call};

/// Shows the facts of a call to `each`.
///
/// An argument that the policy does not declare is refused: nobody would have judged it.
#[inline(never)]
pub(super) fn facts<'a>(
    asked: &Asked<'a>,
    call: &Call<'a>,
    session: &Session<'a>,
    layer: &Layer<'a>,
    buffer: &mut [u8],
    each: &mut dyn FnMut(&Facts<'_>) -> Result<(), Refusal<'a>>,
) -> Result<(), Refusal<'a>> {
    let Asked::Declared { tool, operation } = *asked else {
        return Err(Refusal::PolicyUnknownOperation(*asked));
    };
    let table = layer.policy.table();
    let mut scratch = Scratch::new(buffer);
    let name = match operation {
        "" => tool.as_bytes(),
        operation => scratch.joined([tool, ".", operation])?,
    };
    let id = core::str::from_utf8(name).ok().and_then(|name| table.find_operation(name));
    // What is built in is asked for by its own message, which says everything that it is judged by.
    // A tool with a dot in its name would be a second spelling of an operation.
    let is_plain = !tool.as_bytes().contains(&b'.');
    let Some(operation) = id.filter(|id| is_plain && !layer.policy.is_built_in(*id)) else {
        return Err(Refusal::PolicyUnknownOperation(*asked));
    };
    let mut strings = [None; SLOTS];
    let mut numbers = [None; SLOTS];
    let mut flags = 0_u64;
    let mut said = [[false; SLOTS]; 3];
    for Argument { name, value } in call.fields.arguments.iter() {
        let refuse = |error| Err(Refusal::SenderArgument { name, error });
        let named = |(_, attribute): &(Slot, table_format::Attribute)| table.text(attribute.name) == name;
        let Some((slot, attribute)) = table.slots(operation).find(named) else {
            return refuse(ArgumentError::Unknown);
        };
        if attribute.known_later {
            return refuse(ArgumentError::KnownLater);
        }
        let (kind, place) = match slot {
            Slot::String(place) => (0, place),
            Slot::Number(place) => (1, place),
            Slot::Flag(place) => (2, place),
        };
        match said.get_mut(kind).and_then(|said| said.get_mut(place)) {
            Some(said) if !*said => *said = true,
            _ => return refuse(ArgumentError::Repeated),
        }
        match (slot, value) {
            (Slot::String(_), Some(ArgumentValue::Text(text))) => {
                let value = string(attribute.kind, name, text, session, &mut scratch)?;
                if let Some(string) = strings.get_mut(place) {
                    *string = value;
                }
            }
            (Slot::Number(_), Some(ArgumentValue::Number(value))) => {
                if let Some(number) = numbers.get_mut(place) {
                    *number = Some(value);
                }
            }
            (Slot::Flag(_), Some(ArgumentValue::Flag(is_set))) => {
                let bit = u32::try_from(place).ok().and_then(|place| u64::from(is_set).checked_shl(place));
                flags |= bit.unwrap_or_default();
            }
            (Slot::String(_) | Slot::Number(_) | Slot::Flag(_), _) => return refuse(ArgumentError::Type),
        }
    }
    each(&Facts { operation, roles: layer.roles, strings: &strings, numbers: &numbers, flags })
}

/// Text as rules of its kind see it; nothing for a command that is no plain name.
fn string<'a: 's, 's>(
    kind: AttributeKind,
    name: &'a str,
    text: &'a str,
    session: &Session<'a>,
    scratch: &mut Scratch<'s>,
) -> Result<Option<&'s [u8]>, Refusal<'a>> {
    match kind {
        AttributeKind::Path => {
            let path = contained(session, session.working_directory, text.as_bytes())?;
            scratch.path(&path).map(Some)
        }
        AttributeKind::Host => {
            let url = text.as_bytes();
            let host = Host::new(url).map_err(|error| Refusal::SenderUrl { url, error })?;
            scratch.folded(host.text()).map(Some)
        }
        AttributeKind::Ref if text.as_bytes().split(|byte| *byte == b'/').any(is_no_name) => {
            Err(Refusal::SenderArgument { name, error: ArgumentError::Reference })
        }
        AttributeKind::Command if text.as_bytes().contains(&b'/') => Ok(None),
        AttributeKind::Ref | AttributeKind::Command | AttributeKind::Model | AttributeKind::Word => {
            Ok(Some(text.as_bytes()))
        }
        AttributeKind::Flag
        | AttributeKind::Count
        | AttributeKind::Size
        | AttributeKind::Duration
        | AttributeKind::Hundredths => Err(Refusal::SenderArgument { name, error: ArgumentError::Type }),
    }
}

fn is_no_name(segment: &[u8]) -> bool {
    matches!(segment, b"" | b"." | b"..")
}

/// As many strings, and as many numbers, as an operation has at most.
#[expect(clippy::as_conversions, reason = "a constant of 16 bits")]
const SLOTS: usize = table_format::SLOTS_MAX as usize;
