//! Drafts -> rows -> bytes: numbers and places are given here, in the order in which a table has them.

use policy_model::{Measure as ModelMeasure, Model, Period as ModelPeriod, Rule as ModelRule};
use policy_syntax::Effect as ModelEffect;
use rustc_hash::FxHashMap;
use table_format::{
    Ask, Attribute, AttributeKind, Budget, BudgetRoles, Child, Digest, Direction, Edge, Effect, Group, Lane, LaneMode,
    Limit, Measure, Node, Operation, Parts, Period, Role, Rule, Span, Terms, TextRef, WALK_WORDS, When, walk_words,
};

use crate::automaton::{Packed, number};
use crate::compile::{Frozen, Planned, Roles, blake3};
use crate::diagram::NodeDraft;
use crate::error::TableError;
use crate::groups::Groups;
use crate::lanes::LaneDraft;
use crate::lower::Attributes;

pub(crate) struct TableDraft<'a> {
    pub(crate) model: &'a Model,
    pub(crate) rules: &'a [&'a ModelRule],
    pub(crate) attributes: &'a Attributes,
    pub(crate) roles: &'a Roles,
    pub(crate) lanes: &'a [LaneDraft],
    pub(crate) bits: &'a FxHashMap<(u32, u32), u8>,
    pub(crate) states: Packed,
    pub(crate) groups: Groups,
    pub(crate) operations: Vec<Planned<'a>>,
    pub(crate) limits: &'a [Vec<(u32, u64)>],
}

impl TableDraft<'_> {
    pub(crate) fn write(self, sources: Digest) -> Result<Frozen, TableError> {
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
        repeat_groups(&operations, &groups, &mut words);
        let nodes: Vec<Node> = self.groups.diagram.nodes.iter().map(|node| self.node_row(node, &mut words)).collect();
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
            states: &self.states.states,
            runs: &self.states.runs,
            cells: &self.states.cells,
            nodes: &nodes,
            words: &words,
            texts: &texts.bytes,
        };
        let len = table_format::encoded_len(&parts).map_err(TableError::Unwritable)?;
        let mut bytes = vec![0; len];
        let digest = table_format::write(&parts, &mut bytes, blake3).map_err(TableError::Unwritable)?;
        Ok(Frozen { bytes, digest, sources })
    }

    fn attribute_rows(&self, texts: &mut Texts) -> Vec<Attribute> {
        let row = |(name, kind, known_later): &(std::sync::Arc<str>, AttributeKind, bool)| Attribute {
            name: texts.place(name),
            kind: *kind,
            known_later: *known_later,
        };
        self.attributes.list.iter().map(row).collect()
    }

    fn operation_rows(&self, texts: &mut Texts, words: &mut Vec<u32>) -> Vec<Operation> {
        let is_once = |group: &u32| self.groups.list.get(*group as usize).is_some_and(|group| group.when == When::ONCE);
        let row = |planned: &Planned<'_>| {
            let first = number(words.len());
            words.extend(planned.strings.iter().chain(&planned.numbers).chain(&planned.flags));
            let walks = number(words.len());
            words.extend(planned.lanes.iter().flat_map(|(lane, string)| self.walk(*lane, *string)));
            let group_list = number(words.len());
            words.extend(planned.groups.iter().flat_map(|group| [*group, 0, 0]));
            words.extend(&planned.budgets);
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
                always_asked: u8::from(planned.groups.iter().any(is_once)),
                lanes: small(planned.lanes.len()),
                groups: small(planned.groups.len()),
                asked_once: small(planned.asked_once),
                budgets: small(planned.budgets.len()),
            }
        };
        self.operations.iter().map(row).collect()
    }

    fn walk(&self, number: u32, string: u32) -> [u32; WALK_WORDS] {
        let string = u16::try_from(string).unwrap_or(u16::MAX);
        let row = |draft: &LaneDraft| {
            let sieve = match (draft.mode, draft.direction) {
                (LaneMode::Scan, Direction::Forward) => self.states.sieve(draft.start),
                (LaneMode::Scan | LaneMode::Classify, _) => None,
            };
            walk_words(number, &self.lane_row(draft, 0), string, sieve)
        };
        self.lanes.get(number as usize).map_or([u32::MAX; WALK_WORDS], row)
    }

    fn lane_row(&self, draft: &LaneDraft, first: u32) -> Lane {
        Lane {
            attribute: draft.attribute,
            start: self.states.jump(draft.start),
            mode: draft.mode,
            direction: draft.direction,
            classes: number(draft.classes.len()),
            first,
        }
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
            let roles = match self.roles.subjects(&budget.subjects) {
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
                    words.push(bits.fold(0, |mask, bit| mask | 1 << bit));
                }
            }
            self.lane_row(lane, first)
        };
        (0..).zip(self.lanes).map(row).collect()
    }

    fn group_rows(&self, words: &mut Vec<u32>) -> Vec<Group> {
        let row = |group: &crate::groups::GroupDraft| {
            let first = number(words.len());
            words.extend(group.roots.iter().map(|root| self.edge(*root).0));
            Group { when: group.when, first }
        };
        self.groups.list.iter().map(row).collect()
    }

    /// Returns the edge to a child. A rule without limits keeps them.
    fn edge(&self, child: Child) -> Edge {
        let rule = match child {
            Child::Node(_) | Child::Nothing => None,
            Child::Rule(rule) | Child::Within(rule) | Child::Exceeded(rule) => self.rules.get(rule as usize),
        };
        let child = match child {
            Child::Rule(number) if rule.is_some_and(|rule| rule.limits.is_empty()) => Child::Within(number),
            other => other,
        };
        Edge::new(child, rule.map_or(Effect::Deny, |rule| effect_of(rule.effect)))
    }

    fn node_row(&self, node: &NodeDraft, words: &mut Vec<u32>) -> Node {
        let first = number(words.len());
        match node {
            NodeDraft::Flag { slot, unset, set } => {
                Node::Flag { slot: *slot, unset: self.edge(*unset), set: self.edge(*set) }
            }
            NodeDraft::Bit { lane, bit, unset, set } => {
                Node::Bit { lane: *lane, bit: *bit, unset: self.edge(*unset), set: self.edge(*set) }
            }
            NodeDraft::Class { lane, children, otherwise } => self.class_row(*lane, children, *otherwise, words),
            NodeDraft::Number { slot, bounds, children, open } => {
                words.extend(bounds.iter().flat_map(|bound| halves(*bound)));
                words.extend(children.iter().map(|child| self.edge(*child).0));
                Node::Number { slot: *slot, first, bounds: small(bounds.len()), open: self.edge(*open) }
            }
        }
    }

    /// Writes a range of children if their classes are close together, otherwise pairs.
    fn class_row(&self, lane: u8, children: &[(u32, Child)], otherwise: Child, words: &mut Vec<u32>) -> Node {
        let first = number(words.len());
        let low = children.first().map_or(0, |(class, _)| *class);
        let high = children.last().map_or(0, |(class, _)| *class);
        let width = (high - low) as usize + 1;
        if width > children.len() * RANGE_ROOM {
            words.extend(children.iter().flat_map(|(class, child)| [*class, self.edge(*child).0]));
            let pairs = Span { first, count: number(children.len() * 2) };
            return Node::Sorted { lane, pairs, otherwise: self.edge(otherwise) };
        }
        let start = words.len();
        words.resize(start + width, self.edge(otherwise).0);
        for (class, child) in children {
            if let Some(word) = words.get_mut(start + (class - low) as usize) {
                *word = self.edge(*child).0;
            }
        }
        Node::Range { lane, low, children: Span { first, count: number(width) }, otherwise: self.edge(otherwise) }
    }
}

/// Copies the rows of groups to where operations ask them.
fn repeat_groups(operations: &[Operation], groups: &[Group], words: &mut [u32]) {
    for operation in operations {
        let asks = words.get_mut(operation.group_list as usize..).unwrap_or_default();
        for ask in asks.as_chunks_mut::<{ Ask::WORDS }>().0.iter_mut().take(usize::from(operation.groups)) {
            let [group, ..] = *ask;
            if let Some(row) = groups.get(group as usize) {
                *ask = Ask { group, row: *row }.words();
            }
        }
    }
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

/// Converts a count to a small number of the table. Numbers that are too large are refused when the table is
/// written.
fn small(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// Words that a range may have for each child it needs.
const RANGE_ROOM: usize = 4;
