//! A table as one would say it: each row with what belongs to it -> rows with their words, limits, texts and
//! runs in the places where a table has them. It knows the order of words and nothing of bytes.

use table_format::{
    Attribute, AttributeKind, Budget, BudgetRoles, Child, Class, Digest, Direction, Edge, Effect, Group, Lane,
    LaneMode, Limit, Measure, Node, Operation, Period, Role, Rule, Span, State, Target, Terms, TextRef, Walk,
};

use super::draft::Draft;

/// Everything a table says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sketch {
    pub(crate) sources: [u8; 32],
    pub(crate) name: &'static str,
    pub(crate) roles: Vec<&'static str>,
    pub(crate) attributes: Vec<AttributeSketch>,
    pub(crate) operations: Vec<OperationSketch>,
    /// Names, and which terms they come to.
    pub(crate) rules: Vec<(&'static str, u32)>,
    pub(crate) terms: Vec<TermsSketch>,
    pub(crate) budgets: Vec<BudgetSketch>,
    pub(crate) lanes: Vec<LaneSketch>,
    pub(crate) groups: Vec<GroupSketch>,
    pub(crate) states: Vec<StateSketch>,
    pub(crate) nodes: Vec<NodeSketch>,
}

#[derive(Debug, Clone)]
pub(crate) struct AttributeSketch {
    pub(crate) name: &'static str,
    pub(crate) kind: AttributeKind,
    pub(crate) known_later: bool,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct OperationSketch {
    pub(crate) name: &'static str,
    pub(crate) denial_code: &'static str,
    pub(crate) strings: Vec<u32>,
    pub(crate) numbers: Vec<u32>,
    pub(crate) flags: Vec<u32>,
    pub(crate) complex: u16,
    /// Which lane, and over which string.
    pub(crate) lanes: Vec<(u32, u16)>,
    pub(crate) asked_once: Vec<u32>,
    pub(crate) asked_for_finds: Vec<u32>,
    pub(crate) budgets: Vec<u32>,
}

#[derive(Debug, Clone)]
pub(crate) struct TermsSketch {
    pub(crate) effect: Effect,
    pub(crate) code: Option<&'static str>,
    pub(crate) because: Option<&'static str>,
    /// Attributes, and the most of each.
    pub(crate) limits: Vec<(u32, u64)>,
    pub(crate) requirements: Vec<&'static str>,
}

#[derive(Debug, Clone)]
pub(crate) struct BudgetSketch {
    pub(crate) name: &'static str,
    pub(crate) measure: Measure,
    pub(crate) most: u64,
    pub(crate) period: Period,
    /// Anyone's, without a list.
    pub(crate) roles: Option<Vec<u32>>,
}

#[derive(Debug, Clone)]
pub(crate) struct LaneSketch {
    pub(crate) attribute: u32,
    pub(crate) start: Target,
    pub(crate) direction: Direction,
    pub(crate) finds: Finds,
}

/// What becomes of the classes of a lane.
#[derive(Debug, Clone)]
pub(crate) enum Finds {
    /// One of so many classes.
    Class(u32),
    /// Bits for each class.
    Bits(Vec<u64>),
}

#[derive(Debug, Clone)]
pub(crate) struct GroupSketch {
    pub(crate) driver: Option<u8>,
    pub(crate) roots: Vec<Child>,
}

#[derive(Debug, Clone)]
pub(crate) enum StateSketch {
    Run {
        run: Vec<u8>,
        next: Target,
        miss: Class,
    },
    Sparse {
        edges: Vec<(u8, Target)>,
        otherwise: Target,
        end: Class,
    },
    Range {
        low: u8,
        targets: Vec<Target>,
        otherwise: Target,
        end: Class,
    },
    Skip {
        stop: u8,
        next: Target,
        end: Class,
    },
    /// A segment whose first byte has no target says nothing.
    Hop {
        low: u8,
        targets: Vec<Option<Target>>,
        stop: u8,
        end: Class,
    },
    Emit {
        class: Class,
        next: Target,
    },
}

#[derive(Debug, Clone)]
pub(crate) enum NodeSketch {
    Flag {
        slot: u8,
        unset: Child,
        set: Child,
    },
    Bit {
        lane: u8,
        bit: u8,
        unset: Child,
        set: Child,
    },
    Range {
        lane: u8,
        low: u32,
        children: Vec<Child>,
        otherwise: Child,
    },
    Sorted {
        lane: u8,
        pairs: Vec<(u32, Child)>,
        otherwise: Child,
    },
    /// One child more than bounds.
    Number {
        slot: u8,
        bounds: Vec<u64>,
        children: Vec<Child>,
        open: Child,
    },
}

impl TermsSketch {
    pub(crate) fn of(effect: Effect) -> Self {
        Self { effect, code: None, because: None, limits: Vec::new(), requirements: Vec::new() }
    }
}

impl Sketch {
    pub(crate) fn draft(&self) -> Draft {
        let mut lists = Lists::default();
        let name = lists.text(self.name);
        let roles = self.roles.iter().map(|name| Role { name: lists.text(name) }).collect();
        let attribute = |sketch: &AttributeSketch| Attribute {
            name: lists.text(sketch.name),
            kind: sketch.kind,
            known_later: sketch.known_later,
        };
        Draft {
            sources: Digest(self.sources),
            name,
            roles,
            attributes: self.attributes.iter().map(attribute).collect(),
            operations: self.operations.iter().map(|operation| lists.operation(operation, &self.lanes)).collect(),
            rules: self.rules.iter().map(|(name, terms)| Rule { name: lists.text(name), terms: *terms }).collect(),
            terms: self.terms.iter().map(|terms| lists.terms(terms)).collect(),
            budgets: self.budgets.iter().map(|budget| lists.budget(budget)).collect(),
            lanes: self.lanes.iter().map(|lane| lists.lane(lane)).collect(),
            groups: self.groups.iter().map(|group| lists.group(group)).collect(),
            states: self.states.iter().map(|state| lists.state(state)).collect(),
            nodes: self.nodes.iter().map(|node| lists.node(node)).collect(),
            limits: lists.limits,
            words: lists.words,
            texts: lists.texts,
            runs: lists.runs,
        }
    }
}

/// What rows refer to, as it grows.
#[derive(Default)]
struct Lists {
    limits: Vec<Limit>,
    words: Vec<u32>,
    texts: Vec<u8>,
    runs: Vec<u8>,
    known: Vec<(String, TextRef)>,
}

impl Lists {
    fn text(&mut self, text: &str) -> TextRef {
        if let Some((_, known)) = self.known.iter().find(|(known, _)| known == text) {
            return *known;
        }
        let place = TextRef(number(self.texts.len()));
        self.texts.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
        self.texts.extend(text.as_bytes());
        self.known.push((text.to_owned(), place));
        place
    }

    fn own(&mut self, words: impl IntoIterator<Item = u32>) -> Span {
        let first = self.words.len();
        self.words.extend(words);
        Span { first: number(first), count: number(self.words.len() - first) }
    }

    fn operation(&mut self, sketch: &OperationSketch, lanes: &[LaneSketch]) -> Operation {
        let slots = sketch.strings.iter().chain(&sketch.numbers).chain(&sketch.flags).copied();
        let first = self.own(slots).first;
        let walks = self.own(sketch.lanes.iter().flat_map(|(lane, string)| walk(lanes, *lane, *string).words())).first;
        let group_list = self.own(sketch.asked_once.iter().chain(&sketch.asked_for_finds).copied()).first;
        self.own(sketch.budgets.iter().copied());
        Operation {
            name: self.text(sketch.name),
            denial_code: self.text(sketch.denial_code),
            first,
            walks,
            group_list,
            strings: small(sketch.strings.len()),
            numbers: small(sketch.numbers.len()),
            flags: small(sketch.flags.len()),
            complex: sketch.complex,
            lanes: small(sketch.lanes.len()),
            groups: small(sketch.asked_once.len() + sketch.asked_for_finds.len()),
            asked_once: small(sketch.asked_once.len()),
            budgets: small(sketch.budgets.len()),
        }
    }

    fn terms(&mut self, sketch: &TermsSketch) -> Terms {
        let limits = Span { first: number(self.limits.len()), count: number(sketch.limits.len()) };
        self.limits.extend(sketch.limits.iter().map(|(attribute, most)| Limit { attribute: *attribute, most: *most }));
        let requirements: Vec<u32> = sketch.requirements.iter().map(|name| self.text(name).0).collect();
        Terms {
            effect: sketch.effect,
            code: sketch.code.map(|code| self.text(code)),
            because: sketch.because.map(|because| self.text(because)),
            limits,
            requirements: self.own(requirements),
        }
    }

    fn budget(&mut self, sketch: &BudgetSketch) -> Budget {
        let roles = match &sketch.roles {
            None => BudgetRoles::Anyone,
            Some(roles) => BudgetRoles::Roles(self.own(roles.iter().copied())),
        };
        let (measure, most, period) = (sketch.measure, sketch.most, sketch.period);
        Budget { name: self.text(sketch.name), measure, most, period, roles }
    }

    fn lane(&mut self, sketch: &LaneSketch) -> Lane {
        let (classes, words) = match &sketch.finds {
            Finds::Class(classes) => (*classes, Vec::new()),
            Finds::Bits(bits) => (number(bits.len()), bits.iter().copied().flat_map(halves).collect()),
        };
        let (attribute, start, direction) = (sketch.attribute, sketch.start, sketch.direction);
        Lane { attribute, start, mode: sketch.finds.mode(), direction, classes, first: self.own(words).first }
    }

    fn group(&mut self, sketch: &GroupSketch) -> Group {
        Group { driver: sketch.driver, first: self.children(&sketch.roots).first }
    }

    fn state(&mut self, sketch: &StateSketch) -> State {
        match sketch {
            StateSketch::Run { run, next, miss } => {
                let at = number(self.runs.len());
                self.runs.extend(run);
                State::Run { at, len: small(run.len()), next: *next, miss: *miss }
            }
            StateSketch::Sparse { edges, otherwise, end } => {
                let mut bytes = [edges.first().map_or(0, |(byte, _)| *byte); 8];
                for (place, (byte, _)) in bytes.iter_mut().zip(edges) {
                    *place = *byte;
                }
                let first = self.own(halves(u64::from_le_bytes(bytes))).first;
                self.own(edges.iter().map(|(_, target)| target.word()));
                let count = u8::try_from(edges.len()).unwrap();
                State::Sparse { count, first, otherwise: *otherwise, end: *end }
            }
            StateSketch::Range { low, targets, otherwise, end } => {
                let Span { first, count } = self.own(targets.iter().map(|target| target.word()));
                State::Range { low: *low, count: small(count), first, otherwise: *otherwise, end: *end }
            }
            StateSketch::Skip { stop, next, end } => State::Skip { stop: *stop, next: *next, end: *end },
            StateSketch::Hop { low, targets, stop, end } => {
                let words = targets.iter().map(|target| target.map_or(State::HOP_ON, Target::word));
                let Span { first, count } = self.own(words);
                State::Hop { low: *low, count: small(count), first, stop: *stop, end: *end }
            }
            StateSketch::Emit { class, next } => State::Emit { class: *class, next: *next },
        }
    }

    fn node(&mut self, sketch: &NodeSketch) -> Node {
        match sketch {
            NodeSketch::Flag { slot, unset, set } => {
                Node::Flag { slot: *slot, unset: (*unset).into(), set: (*set).into() }
            }
            NodeSketch::Bit { lane, bit, unset, set } => {
                Node::Bit { lane: *lane, bit: *bit, unset: (*unset).into(), set: (*set).into() }
            }
            NodeSketch::Range { lane, low, children, otherwise } => {
                let children = self.children(children);
                Node::Range { lane: *lane, low: *low, children, otherwise: (*otherwise).into() }
            }
            NodeSketch::Sorted { lane, pairs, otherwise } => {
                let pairs = self.own(pairs.iter().flat_map(|(class, child)| [*class, Edge::from(*child).0]));
                Node::Sorted { lane: *lane, pairs, otherwise: (*otherwise).into() }
            }
            NodeSketch::Number { slot, bounds, children, open } => {
                let first = self.own(bounds.iter().copied().flat_map(halves)).first;
                self.children(children);
                Node::Number { slot: *slot, first, bounds: small(bounds.len()), open: (*open).into() }
            }
        }
    }

    fn children(&mut self, children: &[Child]) -> Span {
        self.own(children.iter().map(|child| Edge::from(*child).0))
    }
}

impl Finds {
    fn mode(&self) -> LaneMode {
        match self {
            Self::Class(_) => LaneMode::Classify,
            Self::Bits(_) => LaneMode::Scan,
        }
    }
}

fn walk(lanes: &[LaneSketch], lane: u32, string: u16) -> Walk {
    let sketch = &lanes[usize::try_from(lane).unwrap()];
    Walk { lane, start: sketch.start, string, mode: sketch.finds.mode(), direction: sketch.direction }
}

fn halves(number: u64) -> [u32; 2] {
    let bytes = number.to_le_bytes();
    let (low, high) = bytes.split_at(4);
    [low, high].map(|half| u32::from_le_bytes(half.try_into().unwrap()))
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap()
}

fn small<T: TryInto<u16, Error: std::fmt::Debug>>(count: T) -> u16 {
    count.try_into().unwrap()
}
