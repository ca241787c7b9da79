//! An allowed request -> its obligations and the right to act, and judging of what comes up while acting.

use table_format::{Budget, Limit, OperationId, RuleId, Slot, Table};

use super::outcome::Refusal;
use super::session::{Layer, Session};
use super::targets::{command_name, contained};
use super::{Ruling, Target, put};
use crate::decision::{budgets, open_limits, requirements};
use crate::net::Url;
use crate::operation::{Asked, NUMBERS_MAX, Operation, STRINGS_MAX, slot};
use crate::path::extension;
use crate::text::numbered;
use crate::wire::{Argument, ArgumentValue, Call, Repeated, Request, Subject};

/// A permit together with its obligations. Nothing can act on it before both are taken.
#[derive(Debug)]
#[must_use = "an act is bound to the obligations of its permit"]
pub struct Offer<'a, 'b> {
    permit: Permit<'a>,
    pairs: &'b [Option<Obligation>],
}

/// The right to act on one request, once. Only [`Offer::accept`] gives one.
#[derive(Debug)]
pub struct Permit<'a> {
    request: Request<'a>,
    session: Session<'a>,
}

/// A rule that permits an act, and so binds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Obligation {
    /// Which of the session's policies has the rule.
    pub layer: usize,
    /// The rule.
    pub rule: RuleId,
    operation: OperationId,
}

/// The limits, requirements and budgets that bind an act.
#[derive(Debug, Clone, Copy)]
#[must_use = "an act is bound to the obligations of its permit"]
pub struct Obligations<'a, 'b> {
    layers: &'a [Layer<'a>],
    numbers: Numbers<'a>,
    pairs: &'b [Option<Obligation>],
}

/// The numbers that a request gives.
#[derive(Debug, Clone, Copy)]
enum Numbers<'a> {
    /// By the slots of a built-in operation.
    Slots([Option<u64>; NUMBERS_MAX]),
    /// By the names that a policy declares.
    Arguments(Repeated<'a, Argument<'a>>),
}

/// The attributes of an operation beside the paths that it is judged for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestAttributes<'a> {
    operation: Operation,
    strings: [Option<&'a [u8]>; STRINGS_MAX],
    numbers: [Option<u64>; NUMBERS_MAX],
    flags: u64,
}

impl<'a, 'b> Offer<'a, 'b> {
    pub(super) fn new(request: Request<'a>, session: Session<'a>, pairs: &'b [Option<Obligation>]) -> Self {
        Self { permit: Permit { request, session }, pairs }
    }

    /// Takes the permit, and what it is bound to.
    pub fn accept(self) -> (Obligations<'a, 'b>, Permit<'a>) {
        let Self { permit, pairs } = self;
        let call = permit.request.call();
        let numbers = match permit.attributes() {
            Some(attributes) => Numbers::Slots(attributes.numbers),
            None => Numbers::Arguments(call.map_or(Repeated::EMPTY, |call| call.fields.arguments)),
        };
        (Obligations { layers: permit.session.layers, numbers, pairs }, permit)
    }
}

impl<'a> Permit<'a> {
    /// The request that is permitted.
    #[must_use]
    pub fn request(&self) -> &Request<'a> {
        &self.request
    }

    /// The session that it is permitted in.
    #[must_use]
    pub fn session(&self) -> &Session<'a> {
        &self.session
    }

    /// The attributes of the operation, with which its further paths are judged. A declared tool has none, and neither
    /// has git, whose refs are unknown apart from its arguments.
    #[must_use]
    pub fn attributes(&self) -> Option<RequestAttributes<'a>> {
        let call = self.request.call()?;
        call.message.operation.map(|operation| RequestAttributes::of(call, operation))
    }

    /// Judges one more path, from the root on and in its shortest form, that comes up while acting: where a link leads,
    /// an entry of a directory, a file that a patch names. The attributes are those of the request, or of another
    /// operation that the act implies. The session's lease and approval hold for it as they do for the request.
    ///
    /// The act has to be bound to the obligations that are returned as well. An operation without a path is permitted
    /// for every path in the root.
    ///
    /// # Errors
    /// When the path must not be reached, or `obligations` has less than one place for each policy.
    #[inline(never)]
    pub fn judge_path<'p, 'b>(
        &'p self,
        attributes: &RequestAttributes<'p>,
        path: &'p [u8],
        obligations: &'b mut [Option<Obligation>],
    ) -> Result<Obligations<'p, 'b>, Refusal<'p>> {
        let (session, operation): (Session<'p>, _) = (self.session, attributes.operation);
        let asked = Asked::BuiltIn(operation);
        if !session.scope.covers(&asked) {
            return Err(Refusal::SenderOutsideLease(asked));
        }
        let name = contained(&session, b"", path)?.name().unwrap_or_default();
        // Rules see the shortest form, so another one would be judged as a path that it is not.
        if !path.is_empty() && path.split(|byte| *byte == b'/').any(|name| matches!(name, b"" | b".")) {
            return Err(Refusal::SenderPath { path, error: crate::path::PathError::Outside });
        }
        let mut target =
            Target { shown: path, strings: attributes.strings, numbers: attributes.numbers, flags: attributes.flags };
        let mut has_path = false;
        for (string, known) in target.strings.iter_mut().zip(operation.attributes().strings) {
            match known.name {
                "path" => (*string, has_path) = (Some(path), true),
                "name" => *string = Some(name),
                "extension" => *string = extension(name),
                _ => {}
            }
        }
        let mut ruling = Ruling::new(obligations);
        if has_path {
            for (place, layer) in numbered(session.layers.iter()) {
                let id = layer.policy.operation(operation).ok_or(Refusal::PolicyUnknownOperation(asked))?;
                ruling.add(place, layer, path, &target.facts(id, layer.roles), &mut |_| {})?;
            }
        }
        let pairs = if has_path { ruling.finish(&session, asked)? } else { &[] };
        Ok(Obligations { layers: session.layers, numbers: Numbers::Slots(target.numbers), pairs })
    }
}

impl<'a> Obligations<'a, '_> {
    /// The rules that permit the act, each once, in the order in which they were found.
    pub fn rules(&self) -> impl Iterator<Item = Obligation> {
        self.pairs.iter().copied().flatten()
    }

    /// The table of a layer.
    #[must_use]
    pub fn table(&self, layer: usize) -> Option<&'a Table<'a>> {
        self.layers.get(layer).map(|layer| layer.policy.table())
    }

    /// The limits that the executor has to hold, each with its layer: the request leaves the number open, or only the
    /// act shows it.
    pub fn limits(&self) -> impl Iterator<Item = (usize, Limit)> {
        self.with_tables().flat_map(move |(table, pair)| {
            let is_given = move |slot| self.number_in(table, pair.operation, slot).is_some();
            open_limits(table, pair.operation, pair.rule, is_given).map(move |limit| (pair.layer, limit))
        })
    }

    /// The checks to make before the act, each with its layer.
    pub fn requirements(&self) -> impl Iterator<Item = (usize, &'a str)> {
        self.with_tables().flat_map(|(table, pair)| requirements(table, pair.rule).map(move |name| (pair.layer, name)))
    }

    /// The budgets that the act is charged to, each with its layer.
    pub fn budgets(&self) -> impl Iterator<Item = (usize, Budget)> {
        // A layer charges for the operation, and not for each of its rules.
        let first = |(layer, of): (usize, &'a Layer<'a>)| {
            let pair = self.pairs.iter().flatten().find(|pair| pair.layer == layer)?;
            Some(budgets(of.policy.table(), pair.operation, of.roles).map(move |budget| (layer, budget)))
        };
        numbered(self.layers.iter()).filter_map(first).flatten()
    }

    /// The number that the request gives for an attribute of a layer's table.
    #[must_use]
    pub fn number(&self, layer: usize, attribute: u32) -> Option<u64> {
        let (table, pair) = self.with_tables().find(|(_, pair)| pair.layer == layer)?;
        let slot = crate::diagram::number_slot(table, &table.operation(pair.operation)?, attribute)?;
        self.number_in(table, pair.operation, slot)
    }

    fn with_tables(&self) -> impl Iterator<Item = (&'a Table<'a>, Obligation)> {
        self.pairs.iter().flatten().filter_map(|pair| Some((self.table(pair.layer)?, *pair)))
    }

    fn number_in(&self, table: &Table<'_>, operation: OperationId, slot: usize) -> Option<u64> {
        match &self.numbers {
            Numbers::Slots(numbers) => numbers.get(slot).copied().flatten(),
            Numbers::Arguments(arguments) => {
                let (_, attribute) = table.slots(operation).find(|(place, _)| *place == Slot::Number(slot))?;
                let name = table.text(attribute.name);
                arguments.iter().find(|argument| argument.name == name).and_then(|argument| match argument.value {
                    Some(ArgumentValue::Number(number)) => Some(number),
                    Some(ArgumentValue::Text(_) | ArgumentValue::Flag(_)) | None => None,
                })
            }
        }
    }
}

impl<'a> RequestAttributes<'a> {
    /// The attributes of an operation of which nothing is known but the path.
    #[must_use]
    pub fn new(operation: Operation) -> Self {
        Self { operation, strings: [None; STRINGS_MAX], numbers: [None; NUMBERS_MAX], flags: 0 }
    }

    fn of(call: &Call<'a>, operation: Operation) -> Self {
        let Target { mut strings, mut numbers, flags, .. } = Target::from_fields(call);
        let text = |field| call.fields.value(field).bytes();
        match call.message.subject {
            Subject::Script { interpreter, .. } => {
                put(&mut strings, slot::interpreter::COMMAND, command_name(text(interpreter)));
            }
            Subject::Tests => put(&mut strings, slot::interpreter::COMMAND, Some(b"pytest")),
            Subject::Url(url) => {
                let port = Url::new(text(url)).ok().and_then(|url| url.port).map(u64::from);
                put(&mut numbers, slot::http::PORT, port);
            }
            Subject::Itself
            | Subject::File { .. }
            | Subject::Paths(_)
            | Subject::Glob(_)
            | Subject::Globs
            | Subject::Line { .. }
            | Subject::Git { .. }
            | Subject::Declared { .. } => {}
        }
        Self { operation, strings, numbers, flags }
    }

    /// The same with a flag of the operation set.
    #[must_use]
    pub fn with_flag(self, name: &str) -> Self {
        let place = self.operation.attributes().flags.iter().position(|known| known.name == name);
        let bit = place.and_then(|place| u32::try_from(place).ok()).and_then(|place| 1_u64.checked_shl(place));
        Self { flags: self.flags | bit.unwrap_or_default(), ..self }
    }

    /// The same with a number of the operation.
    #[must_use]
    pub fn with_number(mut self, name: &str, number: u64) -> Self {
        if let Some(place) = self.slot(name).and_then(|place| self.numbers.get_mut(place)) {
            *place = Some(number);
        }
        self
    }

    /// A number of the operation, by its name.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<u64> {
        self.numbers.get(self.slot(name)?).copied().flatten()
    }

    /// The operation.
    #[must_use]
    pub fn operation(&self) -> Operation {
        self.operation
    }

    fn slot(&self, name: &str) -> Option<usize> {
        self.operation.attributes().numbers.iter().position(|known| known.name == name)
    }
}

impl Obligation {
    pub(super) fn new(layer: usize, operation: OperationId, rule: RuleId) -> Self {
        Self { layer, rule, operation }
    }
}
