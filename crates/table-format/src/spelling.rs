//! Rows <-> bytes: each row has one spelling.

use crate::bytes::{Fields, Sink};
use crate::rows::{
    Attribute, AttributeKind, Budget, BudgetRoles, Edge, Effect, Group, Lane, LaneMode, Limit, Measure, Node,
    Operation, Period, Role, Rule, Span, Terms, TextRef, When,
};
use crate::states::{Direction, Jump};

/// A row of fixed size.
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
        let kind = value_of(&AttributeKind::ALL, fields.u8()?)?;
        let known_later = value_of(&[false, true], fields.u8()?)?;
        fields.zeros(2)?;
        Some(Self { name, kind, known_later })
    }

    fn write_row(&self, sink: &mut Sink<'_>) {
        let kind = number_of(&AttributeKind::ALL, &self.kind);
        sink.u32(self.name.0).u8(kind).u8(u8::from(self.known_later)).u16(0);
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
        Some(Self {
            effect: value_of(&EFFECTS, fields.u32()?)?,
            code: text_or_none(fields.u32()?),
            because: text_or_none(fields.u32()?),
            limits: Span { first: fields.u32()?, count: fields.u32()? },
            requirements: Span { first: fields.u32()?, count: fields.u32()? },
        })
    }

    fn write_row(&self, sink: &mut Sink<'_>) {
        sink.u32(number_of(&EFFECTS, &self.effect).into())
            .u32(self.code.map_or(NONE, |code| code.0))
            .u32(self.because.map_or(NONE, |text| text.0));
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
        let period = value_of(&PERIODS, fields.u8()?)?;
        let has_roles = fields.u8()?;
        fields.zeros(2)?;
        let span = Span { first: fields.u32()?, count: fields.u32()? };
        let roles = match has_roles {
            // A span beside it would not be written back, so `open` refuses it.
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
        let period = number_of(&PERIODS, &self.period);
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
        let mode = value_of(&LANE_MODES, fields.u8()?)?;
        let direction = value_of(&DIRECTIONS, fields.u8()?)?;
        fields.zeros(2)?;
        Some(Self { attribute, start, mode, direction, classes: fields.u32()?, first: fields.u32()? })
    }

    fn write_row(&self, sink: &mut Sink<'_>) {
        let (mode, direction) = (number_of(&LANE_MODES, &self.mode), number_of(&DIRECTIONS, &self.direction));
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

/// Returns the value that a number stands for.
#[inline(always)]
fn value_of<T: Copy>(values: &[T], number: impl TryInto<usize>) -> Option<T> {
    values.get(number.try_into().ok()?).copied()
}

fn number_of<T: PartialEq>(values: &[T], value: &T) -> u8 {
    values.iter().position(|other| other == value).and_then(|number| u8::try_from(number).ok()).unwrap_or_default()
}

// Values in the order of their numbers.
const EFFECTS: [Effect; 3] = [Effect::Deny, Effect::Ask, Effect::Allow];
const PERIODS: [Period; 4] = [Period::Session, Period::Minute, Period::Hour, Period::Day];
const LANE_MODES: [LaneMode; 2] = [LaneMode::Classify, LaneMode::Scan];
const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Backward];
const FLAG: u8 = 0;
const BIT: u8 = 1;
const RANGE: u8 = 2;
const SORTED: u8 = 3;
const NUMBER: u8 = 4;
/// In place of a missing reference.
const NONE: u32 = u32::MAX;
