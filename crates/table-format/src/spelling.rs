//! Rows <-> bytes: each row has one spelling.

use crate::bytes::{Fields, Sink};
use crate::rows::{
    Attribute, AttributeKind, Budget, BudgetRoles, Edge, Effect, Group, Lane, LaneMode, Limit, Measure, Node,
    Operation, Period, Role, Rule, Span, Terms, TextRef, When,
};
use crate::states::{Cell, Direction, Jump, Run, State};

/// Something a table has many of, always of the same size.
pub(crate) trait Row: Sized + Copy {
    fn read_row(bytes: &[u8]) -> Option<Self>;
    fn write_row(&self, sink: &mut Sink<'_>);
}

impl Row for Role {
    fn read_row(bytes: &[u8]) -> Option<Self> {
        Some(Self { name: TextRef(Fields::of(bytes).u32()?) })
    }

    fn write_row(&self, sink: &mut Sink<'_>) {
        sink.u32(self.name.0);
    }
}

impl Row for Attribute {
    fn read_row(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields::of(bytes);
        let name = TextRef(fields.u32()?);
        let kind = AttributeKind::ALL.get(usize::from(fields.u8()?)).copied()?;
        let known_later = match fields.u8()? {
            0 => false,
            1 => true,
            _ => return None,
        };
        fields.zeros(2)?;
        Some(Self { name, kind, known_later })
    }

    fn write_row(&self, sink: &mut Sink<'_>) {
        let kind = AttributeKind::ALL.iter().position(|kind| *kind == self.kind).unwrap_or_default();
        sink.u32(self.name.0).u8(u8::try_from(kind).unwrap_or_default()).u8(u8::from(self.known_later)).u16(0);
    }
}

impl Row for Operation {
    #[inline(always)]
    fn read_row(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields::of(bytes);
        Some(Self {
            name: TextRef(fields.u32()?),
            denial_code: TextRef(fields.u32()?),
            first: fields.u32()?,
            walks: fields.u32()?,
            group_list: fields.u32()?,
            strings: fields.u16()?,
            numbers: fields.u16()?,
            flags: fields.u16()?,
            complex: fields.u8()?,
            always_asked: fields.u8()?,
            lanes: fields.u16()?,
            groups: fields.u16()?,
            asked_once: fields.u16()?,
            budgets: fields.u16()?,
        })
    }

    fn write_row(&self, sink: &mut Sink<'_>) {
        sink.u32(self.name.0).u32(self.denial_code.0).u32(self.first).u32(self.walks).u32(self.group_list);
        sink.u16(self.strings).u16(self.numbers);
        sink.u16(self.flags)
            .u8(self.complex)
            .u8(self.always_asked)
            .u16(self.lanes)
            .u16(self.groups)
            .u16(self.asked_once)
            .u16(self.budgets);
    }
}

impl Row for Rule {
    #[inline(always)]
    fn read_row(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields::of(bytes);
        Some(Self { name: TextRef(fields.u32()?), terms: fields.u32()? })
    }

    fn write_row(&self, sink: &mut Sink<'_>) {
        sink.u32(self.name.0).u32(self.terms);
    }
}

impl Row for Terms {
    #[inline(always)]
    fn read_row(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields::of(bytes);
        let effect = match fields.u32()? {
            0 => Effect::Deny,
            1 => Effect::Ask,
            2 => Effect::Allow,
            _ => return None,
        };
        Some(Self {
            effect,
            code: text_or_none(fields.u32()?),
            because: text_or_none(fields.u32()?),
            limits: Span { first: fields.u32()?, count: fields.u32()? },
            requirements: Span { first: fields.u32()?, count: fields.u32()? },
        })
    }

    fn write_row(&self, sink: &mut Sink<'_>) {
        let effect = match self.effect {
            Effect::Deny => 0,
            Effect::Ask => 1,
            Effect::Allow => 2,
        };
        sink.u32(effect).u32(self.code.map_or(NONE, |code| code.0)).u32(self.because.map_or(NONE, |text| text.0));
        sink.u32(self.limits.first).u32(self.limits.count);
        sink.u32(self.requirements.first).u32(self.requirements.count);
    }
}

impl Row for Limit {
    #[inline(always)]
    fn read_row(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields::of(bytes);
        Some(Self { attribute: fields.u32()?, most: fields.u64()? })
    }

    fn write_row(&self, sink: &mut Sink<'_>) {
        sink.u32(self.attribute).u64(self.most);
    }
}

impl Row for Budget {
    fn read_row(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields::of(bytes);
        let name = TextRef(fields.u32()?);
        let measure = match fields.u32()? {
            NONE => Measure::Calls,
            attribute => Measure::Sum(attribute),
        };
        let most = fields.u64()?;
        let period = match fields.u8()? {
            0 => Period::Session,
            1 => Period::Minute,
            2 => Period::Hour,
            3 => Period::Day,
            _ => return None,
        };
        let has_roles = fields.u8()?;
        fields.zeros(2)?;
        let span = Span { first: fields.u32()?, count: fields.u32()? };
        let roles = match has_roles {
            // A span beside it is spelled otherwise again, which `open` refuses.
            0 => BudgetRoles::Anyone,
            1 => BudgetRoles::Roles(span),
            _ => return None,
        };
        Some(Self { name, measure, most, period, roles })
    }

    fn write_row(&self, sink: &mut Sink<'_>) {
        let measure = match self.measure {
            Measure::Calls => NONE,
            Measure::Sum(attribute) => attribute,
        };
        let period = match self.period {
            Period::Session => 0,
            Period::Minute => 1,
            Period::Hour => 2,
            Period::Day => 3,
        };
        let (has_roles, span) = match self.roles {
            BudgetRoles::Anyone => (0, Span::default()),
            BudgetRoles::Roles(span) => (1, span),
        };
        sink.u32(self.name.0).u32(measure).u64(self.most).u8(period).u8(has_roles).u16(0);
        sink.u32(span.first).u32(span.count);
    }
}

impl Row for Lane {
    #[inline(always)]
    fn read_row(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields::of(bytes);
        let (attribute, start) = (fields.u32()?, Jump(fields.u32()?));
        let mode = match fields.u8()? {
            0 => LaneMode::Classify,
            1 => LaneMode::Scan,
            _ => return None,
        };
        let direction = match fields.u8()? {
            0 => Direction::Forward,
            1 => Direction::Backward,
            _ => return None,
        };
        fields.zeros(2)?;
        Some(Self { attribute, start, mode, direction, classes: fields.u32()?, first: fields.u32()? })
    }

    fn write_row(&self, sink: &mut Sink<'_>) {
        let mode = match self.mode {
            LaneMode::Classify => 0,
            LaneMode::Scan => 1,
        };
        let direction = match self.direction {
            Direction::Forward => 0,
            Direction::Backward => 1,
        };
        sink.u32(self.attribute).u32(self.start.0).u8(mode).u8(direction).u16(0);
        sink.u32(self.classes).u32(self.first);
    }
}

impl Row for Group {
    #[inline(always)]
    fn read_row(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields::of(bytes);
        Some(Self { when: When(fields.u32()?), first: fields.u32()? })
    }

    fn write_row(&self, sink: &mut Sink<'_>) {
        sink.u32(self.when.0).u32(self.first);
    }
}

impl Row for State {
    #[inline(always)]
    fn read_row(bytes: &[u8]) -> Option<Self> {
        Self::read(bytes)
    }

    fn write_row(&self, sink: &mut Sink<'_>) {
        self.write(sink);
    }
}

impl Row for Run {
    #[inline(always)]
    fn read_row(bytes: &[u8]) -> Option<Self> {
        Self::read(bytes.first_chunk()?)
    }

    fn write_row(&self, sink: &mut Sink<'_>) {
        self.write(sink);
    }
}

impl Row for Cell {
    #[inline(always)]
    fn read_row(bytes: &[u8]) -> Option<Self> {
        Self::read(*bytes.first_chunk()?)
    }

    fn write_row(&self, sink: &mut Sink<'_>) {
        self.write(sink);
    }
}

impl Row for Node {
    #[inline(always)]
    fn read_row(bytes: &[u8]) -> Option<Self> {
        let mut fields = Fields::of(bytes);
        let (kind, slot, small) = (fields.u8()?, fields.u8()?, fields.u16()?);
        let (a, b, first, last) = (fields.u32()?, fields.u32()?, fields.u32()?, fields.u32()?);
        Some(match kind {
            FLAG => Self::Flag { slot, unset: Edge(first), set: Edge(last) },
            BIT => Self::Bit {
                lane: slot,
                bit: u8::try_from(small & u16::from(u8::MAX)).unwrap_or_default(),
                unset: Edge(first),
                set: Edge(last),
            },
            RANGE => Self::Range { lane: slot, low: a, children: Span { first, count: b }, otherwise: Edge(last) },
            SORTED => Self::Sorted { lane: slot, pairs: Span { first, count: b }, otherwise: Edge(last) },
            NUMBER => Self::Number { slot, first, bounds: small, open: Edge(last) },
            _ => return None,
        })
    }

    fn write_row(&self, sink: &mut Sink<'_>) {
        let (kind, slot, small, a, b, first, last) = match *self {
            Self::Flag { slot, unset, set } => (FLAG, slot, 0, 0, 0, unset.0, set),
            Self::Bit { lane, bit, unset, set } => (BIT, lane, u16::from(bit), 0, 0, unset.0, set),
            Self::Range { lane, low, children, otherwise } => {
                (RANGE, lane, 0, low, children.count, children.first, otherwise)
            }
            Self::Sorted { lane, pairs, otherwise } => (SORTED, lane, 0, 0, pairs.count, pairs.first, otherwise),
            Self::Number { slot, first, bounds, open } => (NUMBER, slot, bounds, 0, 0, first, open),
        };
        sink.u8(kind).u8(slot).u16(small).u32(a).u32(b).u32(first).u32(last.0);
    }
}

fn text_or_none(word: u32) -> Option<TextRef> {
    (word != NONE).then_some(TextRef(word))
}

const FLAG: u8 = 0;
const BIT: u8 = 1;
const RANGE: u8 = 2;
const SORTED: u8 = 3;
const NUMBER: u8 = 4;
/// Instead of a reference: there is none.
const NONE: u32 = u32::MAX;
