//! A table as one would say it: each row with what belongs to it -> rows with their words, limits, texts and
//! cells in the places where a table has them. It knows the order of words and nothing of bytes.

use table_format::{
    Attribute, AttributeKind, Budget, BudgetRoles, Child, Class, Digest, Direction, Edge, Effect, Group, Lane,
    LaneMode, Limit, Measure, Node, Operation, Period, Role, Rule, Sieve, Span, State, Target, Terms, TextRef, When,
    walk_words,
};

use super::automata::{Automata, StateSketch};
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
    pub(crate) complex: u8,
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
    Bits(Vec<u32>),
}

#[derive(Debug, Clone)]
pub(crate) struct GroupSketch {
    pub(crate) when: When,
    pub(crate) roots: Vec<Child>,
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
        let automata = Automata::new(&self.states, &self.lanes);
        let mut lists = Lists { effects: self.effects(), ..Lists::default() };
        let name = lists.text(self.name);
        let roles = self.roles.iter().map(|name| Role { name: lists.text(name) }).collect();
        let attribute = |sketch: &AttributeSketch| Attribute {
            name: lists.text(sketch.name),
            kind: sketch.kind,
            known_later: sketch.known_later,
        };
        let attributes = self.attributes.iter().map(attribute).collect();
        let operations = self.operations.iter().map(|operation| lists.operation(self, operation, &automata)).collect();
        let mut draft = Draft {
            sources: Digest(self.sources),
            name,
            roles,
            attributes,
            operations,
            rules: self.rules.iter().map(|(name, terms)| Rule { name: lists.text(name), terms: *terms }).collect(),
            terms: self.terms.iter().map(|terms| lists.terms(terms)).collect(),
            budgets: self.budgets.iter().map(|budget| lists.budget(budget)).collect(),
            lanes: self.lanes.iter().map(|lane| lists.lane(lane, &automata)).collect(),
            groups: self.groups.iter().map(|group| lists.group(group)).collect(),
            nodes: self.nodes.iter().map(|node| lists.node(node)).collect(),
            states: automata.states,
            runs: automata.runs,
            cells: automata.cells,
            limits: lists.limits,
            words: lists.words,
            texts: lists.texts,
        };
        draft.repeat_groups();
        draft
    }

    /// What each rule does.
    fn effects(&self) -> Vec<Effect> {
        let effect =
            |terms: u32| self.terms.get(usize::try_from(terms).unwrap()).map_or(Effect::Deny, |terms| terms.effect);
        self.rules.iter().map(|(_, terms)| effect(*terms)).collect()
    }
}

/// What rows refer to, as it grows.
#[derive(Default)]
struct Lists {
    limits: Vec<Limit>,
    words: Vec<u32>,
    texts: Vec<u8>,
    known: Vec<(String, TextRef)>,
    effects: Vec<Effect>,
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

    fn operation(&mut self, whole: &Sketch, sketch: &OperationSketch, automata: &Automata) -> Operation {
        let slots = sketch.strings.iter().chain(&sketch.numbers).chain(&sketch.flags).copied();
        let first = self.own(slots).first;
        let walks = sketch.lanes.iter().flat_map(|(lane, string)| walk(&whole.lanes, automata, *lane, *string));
        let walks = self.own(walks).first;
        // What the rows of the groups say is known when they are written.
        let groups = sketch.asked_once.iter().chain(&sketch.asked_for_finds);
        let group_list = self.own(groups.flat_map(|group| [*group, 0, 0])).first;
        let when = |group: &u32| whole.groups.get(usize::try_from(*group).unwrap()).map(|group| group.when);
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
            always_asked: u8::from(sketch.asked_once.iter().any(|group| when(group) == Some(When::ONCE))),
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

    fn lane(&mut self, sketch: &LaneSketch, automata: &Automata) -> Lane {
        let words = match &sketch.finds {
            Finds::Class(_) => Vec::new(),
            Finds::Bits(bits) => bits.clone(),
        };
        Lane { first: self.own(words).first, ..row_of(sketch, automata) }
    }

    fn group(&mut self, sketch: &GroupSketch) -> Group {
        Group { when: sketch.when, first: self.children(&sketch.roots).first }
    }

    /// An edge. A rule that is not there does nothing in particular.
    fn edge(&self, child: Child) -> Edge {
        let effect = match child {
            Child::Node(_) | Child::Nothing => None,
            Child::Rule(rule) | Child::Within(rule) | Child::Exceeded(rule) => {
                self.effects.get(usize::try_from(rule).unwrap())
            }
        };
        Edge::new(child, effect.copied().unwrap_or(Effect::Deny))
    }

    fn node(&mut self, sketch: &NodeSketch) -> Node {
        match sketch {
            NodeSketch::Flag { slot, unset, set } => {
                Node::Flag { slot: *slot, unset: self.edge(*unset), set: self.edge(*set) }
            }
            NodeSketch::Bit { lane, bit, unset, set } => {
                Node::Bit { lane: *lane, bit: *bit, unset: self.edge(*unset), set: self.edge(*set) }
            }
            NodeSketch::Range { lane, low, children, otherwise } => {
                let children = self.children(children);
                Node::Range { lane: *lane, low: *low, children, otherwise: self.edge(*otherwise) }
            }
            NodeSketch::Sorted { lane, pairs, otherwise } => {
                let pairs: Vec<u32> = pairs.iter().flat_map(|(class, child)| [*class, self.edge(*child).0]).collect();
                let pairs = self.own(pairs);
                Node::Sorted { lane: *lane, pairs, otherwise: self.edge(*otherwise) }
            }
            NodeSketch::Number { slot, bounds, children, open } => {
                let first = self.own(bounds.iter().copied().flat_map(halves)).first;
                self.children(children);
                Node::Number { slot: *slot, first, bounds: small(bounds.len()), open: self.edge(*open) }
            }
        }
    }

    fn children(&mut self, children: &[Child]) -> Span {
        let edges: Vec<u32> = children.iter().map(|child| self.edge(*child).0).collect();
        self.own(edges)
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

fn walk(lanes: &[LaneSketch], automata: &Automata, lane: u32, string: u16) -> [u32; 4] {
    let sketch = &lanes[usize::try_from(lane).unwrap()];
    walk_words(lane, &row_of(sketch, automata), string, sieve(sketch, automata))
}

/// A lane that scans from the first byte on and starts with a hop can be sieved, unless the end of the string
/// says something.
fn sieve(sketch: &LaneSketch, automata: &Automata) -> Option<Sieve> {
    let (LaneMode::Scan, Direction::Forward) = (sketch.finds.mode(), sketch.direction) else {
        return None;
    };
    let Target::State(state) = automata.jump(sketch.start).target() else {
        return None;
    };
    match automata.states.get(usize::try_from(state).unwrap()) {
        Some(State::Hop { stop, choice }) if automata.end(*choice) == Class(0) => {
            Some(Sieve { stop: *stop, choice: *choice })
        }
        _ => None,
    }
}

fn row_of(sketch: &LaneSketch, automata: &Automata) -> Lane {
    let classes = match &sketch.finds {
        Finds::Class(classes) => *classes,
        Finds::Bits(bits) => number(bits.len()),
    };
    let (attribute, start, direction) = (sketch.attribute, automata.jump(sketch.start), sketch.direction);
    Lane { attribute, start, mode: sketch.finds.mode(), direction, classes, first: 0 }
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
