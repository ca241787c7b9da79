//! Drafts -> rows -> bytes: numbers and places are given here, in the order in which a table has them.

use policy_model::catalogue::{AttributeKind as Kind, Known};
use policy_model::{Measure as ModelMeasure, Model, Period as ModelPeriod, Rule as ModelRule};
use policy_syntax::Effect as ModelEffect;
use rustc_hash::FxHashMap;
use table_format::{
    Attribute, AttributeKind, Budget, BudgetRoles, Child, Digest, Edge, Effect, Group, Lane, LaneMode, Limit, Measure,
    Node, Operation, Parts, Period, Role, Rule, Span, State, Terms, TextRef, Walk,
};

use crate::automaton::{States, number};
use crate::compile::{self, Planned, Roles};
use crate::diagram::NodeDraft;
use crate::error::TableError;
use crate::groups::Groups;
use crate::lanes::LaneDraft;
use crate::lower::Attributes;

/// Everything that becomes rows.
pub(crate) struct Frozen<'a> {
    pub(crate) model: &'a Model,
    pub(crate) rules: &'a [&'a ModelRule],
    pub(crate) attributes: &'a Attributes,
    pub(crate) roles: &'a Roles,
    pub(crate) lanes: &'a [LaneDraft],
    pub(crate) bits: &'a FxHashMap<(u32, u32), u8>,
    pub(crate) states: States,
    pub(crate) groups: Groups,
    pub(crate) operations: Vec<Planned<'a>>,
    pub(crate) limits: &'a [Vec<(u32, u64)>],
}

impl Frozen<'_> {
    pub(crate) fn write(self, sources: Digest) -> Result<compile::Frozen, TableError> {
        let mut texts = Texts::default();
        let mut words = Vec::new();
        let name = texts.place(&self.model.name);
        let roles: Vec<Role> = self.roles.names.iter().map(|name| Role { name: texts.place(name) }).collect();
        let attributes = self.attribute_rows(&mut texts);
        let operations = self.operation_rows(&mut texts, &mut words);
        let (rules, terms, limits) = self.rule_rows(&mut texts, &mut words);
        let budgets = self.budget_rows(&mut texts, &mut words);
        let lanes = self.lane_rows(&mut words);
        let groups = self.group_rows(&mut words);
        let states = state_rows(self.states.rows, &self.states.words, &mut words);
        let nodes: Vec<Node> = self.groups.diagram.nodes.iter().map(|node| node_row(node, &mut words)).collect();
        let parts = Parts {
            sources,
            name,
            roles: &roles,
            attributes: &attributes,
            operations: &operations,
            rules: &rules,
            terms: &terms,
            limits: &limits,
            budgets: &budgets,
            lanes: &lanes,
            groups: &groups,
            states: &states,
            nodes: &nodes,
            words: &words,
            texts: &texts.bytes,
            runs: &self.states.runs,
        };
        let len = table_format::encoded_len(&parts).map_err(TableError::Unwritable)?;
        let mut bytes = vec![0; len];
        let digest = table_format::write(&parts, &mut bytes, compile::blake3).map_err(TableError::Unwritable)?;
        Ok(compile::Frozen { bytes, digest, sources })
    }

    fn attribute_rows(&self, texts: &mut Texts) -> Vec<Attribute> {
        let row = |(name, kind, known): &(std::sync::Arc<str>, Kind, Known)| Attribute {
            name: texts.place(name),
            kind: kind_of(*kind),
            known_later: *known == Known::Later,
        };
        self.attributes.list.iter().map(row).collect()
    }

    fn operation_rows(&self, texts: &mut Texts, words: &mut Vec<u32>) -> Vec<Operation> {
        let row = |planned: &Planned<'_>| {
            let first = number(words.len());
            words.extend(planned.strings.iter().chain(&planned.numbers).chain(&planned.flags));
            let walks = number(words.len());
            words.extend(planned.lanes.iter().flat_map(|(lane, string)| self.walk(*lane, *string)));
            let group_list = number(words.len());
            words.extend(planned.groups.iter().chain(&planned.budgets));
            Operation {
                name: texts.place(&planned.operation.name),
                denial_code: texts.place(&planned.operation.denial_code),
                first,
                walks,
                group_list,
                strings: small(planned.strings.len()),
                numbers: small(planned.numbers.len()),
                flags: small(planned.flags.len()),
                complex: planned.complex,
                lanes: small(planned.lanes.len()),
                groups: small(planned.groups.len()),
                asked_once: small(planned.asked_once),
                budgets: small(planned.budgets.len()),
            }
        };
        self.operations.iter().map(row).collect()
    }

    fn walk(&self, lane: u32, string: u32) -> [u32; Walk::WORDS] {
        let string = u16::try_from(string).unwrap_or(u16::MAX);
        let row = |draft: &LaneDraft| {
            let (start, mode, direction) = (draft.start, draft.mode, draft.direction);
            Walk { lane, start, string, mode, direction }.words()
        };
        self.lanes.get(lane as usize).map_or([u32::MAX; Walk::WORDS], row)
    }

    fn rule_rows(&self, texts: &mut Texts, words: &mut Vec<u32>) -> (Vec<Rule>, Vec<Terms>, Vec<Limit>) {
        let (mut terms, mut limits) = (Vec::new(), Vec::new());
        let mut known = FxHashMap::default();
        let mut rows = Vec::with_capacity(self.rules.len());
        for (rule, its_limits) in self.rules.iter().zip(self.limits) {
            let key = (rule.effect, &rule.code, &rule.because, its_limits, &rule.requirements);
            let number_of_terms = *known.entry(key).or_insert_with(|| {
                let limits_first = number(limits.len());
                limits.extend(its_limits.iter().map(|(attribute, most)| Limit { attribute: *attribute, most: *most }));
                let requirements_first = number(words.len());
                words.extend(rule.requirements.iter().map(|requirement| texts.place(requirement).0));
                terms.push(Terms {
                    effect: effect_of(rule.effect),
                    code: rule.code.as_deref().map(|code| texts.place(code)),
                    because: rule.because.as_deref().map(|because| texts.place(because)),
                    limits: Span { first: limits_first, count: number(its_limits.len()) },
                    requirements: Span { first: requirements_first, count: number(rule.requirements.len()) },
                });
                number(terms.len() - 1)
            });
            rows.push(Rule { name: texts.place(&rule.name), terms: number_of_terms });
        }
        (rows, terms, limits)
    }

    fn budget_rows(&self, texts: &mut Texts, words: &mut Vec<u32>) -> Vec<Budget> {
        let row = |budget: &policy_model::Budget| {
            let roles = match self.roles.subjects(self.model, &budget.subjects) {
                None => BudgetRoles::Anyone,
                Some(roles) => {
                    let span = Span { first: number(words.len()), count: number(roles.len()) };
                    words.extend(roles);
                    BudgetRoles::Roles(span)
                }
            };
            Budget {
                name: texts.place(&budget.name),
                measure: match &budget.measure {
                    ModelMeasure::Calls => Measure::Calls,
                    ModelMeasure::Sum(attribute) => Measure::Sum(self.attributes.number(attribute)),
                },
                most: budget.most,
                period: match budget.period {
                    ModelPeriod::Session => Period::Session,
                    ModelPeriod::Minute => Period::Minute,
                    ModelPeriod::Hour => Period::Hour,
                    ModelPeriod::Day => Period::Day,
                },
                roles,
            }
        };
        self.model.budgets.iter().map(row).collect()
    }

    fn lane_rows(&self, words: &mut Vec<u32>) -> Vec<Lane> {
        let row = |(place, lane): (u32, &LaneDraft)| {
            let first = number(words.len());
            if lane.mode == LaneMode::Scan {
                for members in lane.classes.iter() {
                    let bits = members.iter().filter_map(|needle| self.bits.get(&(place, *needle)));
                    let mask = bits.fold(0_u64, |mask, bit| mask | 1 << bit);
                    words.extend(halves(mask));
                }
            }
            Lane {
                attribute: lane.attribute,
                start: lane.start,
                mode: lane.mode,
                direction: lane.direction,
                classes: number(lane.classes.len()),
                first,
            }
        };
        (0..).zip(self.lanes).map(row).collect()
    }

    fn group_rows(&self, words: &mut Vec<u32>) -> Vec<Group> {
        let row = |group: &crate::groups::GroupDraft| {
            let first = number(words.len());
            words.extend(group.roots.iter().map(|root| Edge::from(*root).0));
            Group { driver: group.driver, first }
        };
        self.groups.list.iter().map(row).collect()
    }
}

/// States with their words after those of the rows before.
fn state_rows(rows: Vec<State>, own: &[u32], words: &mut Vec<u32>) -> Vec<State> {
    let base = number(words.len());
    words.extend_from_slice(own);
    let moved = |state: State| match state {
        State::Sparse { count, first, otherwise, end } => State::Sparse { count, first: first + base, otherwise, end },
        State::Range { low, count, first, otherwise, end } => {
            State::Range { low, count, first: first + base, otherwise, end }
        }
        State::Hop { low, count, first, stop, end } => State::Hop { low, count, first: first + base, stop, end },
        State::Run { .. } | State::Skip { .. } | State::Emit { .. } => state,
    };
    rows.into_iter().map(moved).collect()
}

fn node_row(node: &NodeDraft, words: &mut Vec<u32>) -> Node {
    let first = number(words.len());
    match node {
        NodeDraft::Flag { slot, unset, set } => Node::Flag { slot: *slot, unset: (*unset).into(), set: (*set).into() },
        NodeDraft::Bit { lane, bit, unset, set } => {
            Node::Bit { lane: *lane, bit: *bit, unset: (*unset).into(), set: (*set).into() }
        }
        NodeDraft::Class { lane, children, otherwise } => class_row(*lane, children, *otherwise, words),
        NodeDraft::Number { slot, bounds, children, open } => {
            words.extend(bounds.iter().flat_map(|bound| halves(*bound)));
            words.extend(children.iter().map(|child| Edge::from(*child).0));
            Node::Number { slot: *slot, first, bounds: small(bounds.len()), open: (*open).into() }
        }
    }
}

/// A list by class where classes lie close together, pairs where they do not.
fn class_row(lane: u8, children: &[(u32, Child)], otherwise: Child, words: &mut Vec<u32>) -> Node {
    let first = number(words.len());
    let low = children.first().map_or(0, |(class, _)| *class);
    let high = children.last().map_or(0, |(class, _)| *class);
    let width = (high - low) as usize + 1;
    if width > children.len() * RANGE_ROOM {
        words.extend(children.iter().flat_map(|(class, child)| [*class, Edge::from(*child).0]));
        let pairs = Span { first, count: number(children.len() * 2) };
        return Node::Sorted { lane, pairs, otherwise: otherwise.into() };
    }
    let start = words.len();
    words.resize(start + width, Edge::from(otherwise).0);
    for (class, child) in children {
        if let Some(word) = words.get_mut(start + (class - low) as usize) {
            *word = Edge::from(*child).0;
        }
    }
    Node::Range { lane, low, children: Span { first, count: number(width) }, otherwise: otherwise.into() }
}

/// Names and sentences, each once.
#[derive(Default)]
struct Texts {
    bytes: Vec<u8>,
    known: FxHashMap<String, TextRef>,
}

impl Texts {
    fn place(&mut self, text: &str) -> TextRef {
        if let Some(known) = self.known.get(text) {
            return *known;
        }
        let place = TextRef(number(self.bytes.len()));
        self.bytes.extend_from_slice(&small(text.len()).to_le_bytes());
        self.bytes.extend_from_slice(text.as_bytes());
        self.known.insert(text.to_owned(), place);
        place
    }
}

fn kind_of(kind: Kind) -> AttributeKind {
    match kind {
        Kind::Path => AttributeKind::Path,
        Kind::Ref => AttributeKind::Ref,
        Kind::Host => AttributeKind::Host,
        Kind::Command => AttributeKind::Command,
        Kind::Model => AttributeKind::Model,
        Kind::Word => AttributeKind::Word,
        Kind::Flag => AttributeKind::Flag,
        Kind::Count => AttributeKind::Count,
        Kind::Size => AttributeKind::Size,
        Kind::Duration => AttributeKind::Duration,
        Kind::Hundredths => AttributeKind::Hundredths,
    }
}

fn effect_of(effect: ModelEffect) -> Effect {
    match effect {
        ModelEffect::Deny => Effect::Deny,
        ModelEffect::Ask => Effect::Ask,
        ModelEffect::Allow => Effect::Allow,
    }
}

fn halves(number: u64) -> [u32; 2] {
    let half = |value: u64| u32::try_from(value & u64::from(u32::MAX)).unwrap_or_default();
    [half(number), half(number >> u32::BITS)]
}

/// A count as a small number of the table. What is too large is refused when the table is written.
fn small(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// How many classes a list may have for each that it is needed for.
const RANGE_ROOM: usize = 4;
