//! Clauses -> nodes: one question after another until it is clear which rule decides. Equal nodes
//! are one node, whichever operation, role or group they were made for.

use std::collections::BTreeMap;
use std::rc::Rc;

use policy_syntax::Effect;
use rustc_hash::{FxHashMap, FxHashSet};
use table_format::Child;

use crate::automaton::number;
use crate::formula::{Formula, Question};
use crate::lanes::LaneDraft;

/// A rule under a condition. Several clauses may belong to the same rule.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Clause {
    pub(crate) formula: Formula,
    pub(crate) rule: u32,
}

impl Clause {
    fn given(&self, answer: &impl Fn(Question) -> Option<bool>) -> Self {
        Self { formula: self.formula.given(answer), rule: self.rule }
    }
}

/// The context of all diagrams of one operation.
pub(crate) struct Ground<'a> {
    pub(crate) lanes: &'a [LaneDraft],
    /// By lane, its slot in the operation.
    pub(crate) lane_slots: &'a BTreeMap<u32, u8>,
    /// The lane whose finds the group is asked for.
    pub(crate) driver: Option<u32>,
    /// By attribute, its slot among the operation's numbers or flags.
    pub(crate) slots: &'a BTreeMap<u32, u8>,
    /// The bit of each needle of a scanning lane.
    pub(crate) bits: &'a FxHashMap<(u32, u32), u8>,
    pub(crate) effects: &'a [Effect],
    /// By rule: attribute and upper limit.
    pub(crate) limits: &'a [Vec<(u32, u64)>],
}

/// A node before it is written; equal nodes are one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum NodeDraft {
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
    /// Children by class, sorted.
    Class {
        lane: u8,
        children: Vec<(u32, Child)>,
        otherwise: Child,
    },
    Number {
        slot: u8,
        bounds: Vec<u64>,
        children: Vec<Child>,
        open: Child,
    },
}

/// All nodes, each once, children before parents.
#[derive(Debug, Default)]
pub(crate) struct Diagram {
    pub(crate) nodes: Vec<Rc<NodeDraft>>,
    known: FxHashMap<Rc<NodeDraft>, u32>,
}

/// The diagram would take too much work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Overflow;

/// A question of one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Ask {
    Class(u32),
    Bit(u32, u32),
    Flag(u32),
    Number(u32),
}

impl Diagram {
    /// Builds the diagram of clauses about the same requests and returns its root. Fails after `work_max` steps.
    pub(crate) fn root(
        &mut self,
        ground: &Ground<'_>,
        clauses: Vec<Clause>,
        work_max: usize,
    ) -> Result<Child, Overflow> {
        let before = self.nodes.len();
        let order = order(ground, &clauses);
        let mut work = Work { diagram: self, ground, order: &order, memo: FxHashMap::default(), left: work_max };
        let root = work.build(0, clauses);
        if root.is_err() {
            self.nodes.truncate(before);
            self.known.retain(|_, node| (*node as usize) < before);
        }
        root
    }

    /// Returns true if no rule can decide from these roots while this lane has found nothing.
    pub(crate) fn is_silent_without(&self, slot: u8, roots: &[Child]) -> bool {
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut open: Vec<Child> = roots.to_vec();
        while let Some(child) = open.pop() {
            let node = match child {
                Child::Nothing => continue,
                Child::Node(node) if !seen.insert(node) => continue,
                Child::Node(node) => self.nodes.get(node as usize).map(Rc::as_ref),
                Child::Rule(_) | Child::Within(_) | Child::Exceeded(_) => return false,
            };
            match node {
                Some(NodeDraft::Class { lane, children, otherwise }) if *lane == slot => {
                    let nothing = children.first().filter(|(class, _)| *class == 0);
                    open.push(nothing.map_or(*otherwise, |(_, child)| *child));
                }
                Some(NodeDraft::Class { children, otherwise, .. }) => {
                    open.extend(children.iter().map(|(_, child)| *child).chain([*otherwise]));
                }
                Some(NodeDraft::Flag { unset, set, .. } | NodeDraft::Bit { unset, set, .. }) => {
                    open.extend([*unset, *set]);
                }
                Some(NodeDraft::Number { children, open: absent, .. }) => {
                    open.extend(children.iter().copied().chain([*absent]));
                }
                None => return false,
            }
        }
        true
    }

    fn node(&mut self, node: NodeDraft) -> Child {
        if let Some(known) = self.known.get(&node) {
            return Child::Node(*known);
        }
        let next = number(self.nodes.len());
        let node = Rc::new(node);
        self.nodes.push(Rc::clone(&node));
        self.known.insert(node, next);
        Child::Node(next)
    }
}

/// Orders the questions. A question that every clause needs in the same way comes first, since it settles all of
/// them at once; then the strings that separate most clauses; flags and numbers last.
fn order(ground: &Ground<'_>, clauses: &[Clause]) -> Vec<Ask> {
    #[derive(Default)]
    struct Uses {
        clauses: usize,
        questions: FxHashSet<(Question, bool)>,
    }
    let mut uses: BTreeMap<Ask, Uses> = BTreeMap::new();
    let mut asked: Vec<Ask> = Vec::new();
    for clause in clauses {
        asked.clear();
        clause.formula.questions(&mut |question, answer| {
            let ask = ask_of(ground, question);
            asked.push(ask);
            uses.entry(ask).or_default().questions.insert((question, answer));
        });
        asked.sort_unstable();
        asked.dedup();
        for ask in &asked {
            uses.entry(*ask).or_default().clauses += 1;
        }
    }
    let mut order: Vec<(Ask, Uses)> = uses.into_iter().collect();
    order.sort_by_key(|(ask, uses)| {
        let is_shared = uses.questions.len() == 1 && uses.clauses == clauses.len();
        let kind = match ask {
            Ask::Class(_) => 0,
            Ask::Bit(..) => 1,
            Ask::Flag(_) => 2,
            Ask::Number(_) => 3,
        };
        (!is_shared, kind, std::cmp::Reverse(uses.questions.len()), *ask)
    });
    order.into_iter().map(|(ask, _)| ask).collect()
}

fn ask_of(ground: &Ground<'_>, question: Question) -> Ask {
    match question {
        Question::Found { lane, needle } => {
            if ground.bits.contains_key(&(lane, needle)) && ground.driver != Some(lane) {
                Ask::Bit(lane, needle)
            } else {
                Ask::Class(lane)
            }
        }
        Question::Flag(attribute) => Ask::Flag(attribute),
        Question::Number { attribute, .. } => Ask::Number(attribute),
    }
}

struct Work<'d, 'g> {
    diagram: &'d mut Diagram,
    ground: &'g Ground<'g>,
    order: &'g [Ask],
    memo: FxHashMap<(usize, Vec<Clause>), Child>,
    left: usize,
}

impl Work<'_, '_> {
    /// Builds the child for these clauses when everything before `place` in the order has been asked.
    fn build(&mut self, place: usize, mut clauses: Vec<Clause>) -> Result<Child, Overflow> {
        self.prune(&mut clauses);
        self.spend(clauses.len() + 1)?;
        if clauses.is_empty() {
            return Ok(Child::Nothing);
        }
        if clauses.iter().all(|clause| clause.formula == Formula::True) {
            let rules: Vec<u32> = clauses.iter().map(|clause| clause.rule).collect();
            return self.settled(&rules);
        }
        let Some(ask) = self.order.get(place).copied() else {
            return Err(Overflow);
        };
        let key = (place, clauses);
        if let Some(known) = self.memo.get(&key) {
            return Ok(*known);
        }
        let clauses = &key.1;
        let is_asked = clauses.iter().any(|clause| {
            let mut is_asked = false;
            clause.formula.questions(&mut |question, _| is_asked |= ask_of(self.ground, question) == ask);
            is_asked
        });
        let child = match ask {
            // A question that no clause depends on would only add a node.
            _ if !is_asked => self.build(place + 1, clauses.clone())?,
            Ask::Class(lane) => self.class(place, lane, clauses)?,
            Ask::Bit(lane, needle) => {
                let [unset, set] = self.both(place, clauses, Question::Found { lane, needle })?;
                let bit = self.ground.bits.get(&(lane, needle)).copied().ok_or(Overflow)?;
                let lane = self.lane_slot(lane)?;
                self.choice(unset, set, |unset, set| NodeDraft::Bit { lane, bit, unset, set })
            }
            Ask::Flag(attribute) => {
                let [unset, set] = self.both(place, clauses, Question::Flag(attribute))?;
                let slot = self.slot(attribute)?;
                self.choice(unset, set, |unset, set| NodeDraft::Flag { slot, unset, set })
            }
            Ask::Number(attribute) => self.number(place, attribute, clauses)?,
        };
        self.memo.insert(key, child);
        Ok(child)
    }

    /// Removes clauses that can no longer decide.
    fn prune(&self, clauses: &mut Vec<Clause>) {
        let mut settled: Option<Effect> = None;
        let mut holding: Option<u32> = None;
        let mut is_over = false;
        clauses.retain(|clause| {
            let effect = self.effect(clause.rule);
            // A rule that holds under its limits still leaves the word to others of its effect.
            is_over |= settled.is_some_and(|settled| settled != effect);
            if is_over || clause.formula == Formula::False || holding == Some(clause.rule) {
                return false;
            }
            if clause.formula == Formula::True {
                (settled, holding) = (Some(effect), Some(clause.rule));
                is_over = self.limits(clause.rule).next().is_none();
            }
            true
        });
    }

    fn class(&mut self, place: usize, lane: u32, clauses: &[Clause]) -> Result<Child, Overflow> {
        let draft = self.ground.lanes.get(lane as usize).ok_or(Overflow)?;
        // For each class the clauses that a needle which it has found bears on.
        let mut touched: Vec<(u32, usize)> = Vec::with_capacity(clauses.len());
        for (number, clause) in clauses.iter().enumerate() {
            clause.formula.questions(&mut |question, _| match question {
                Question::Found { lane: other, needle } if other == lane => {
                    touched.extend(draft.found_by.get(needle).iter().map(|class| (*class, number)));
                }
                _ => {}
            });
        }
        touched.sort_unstable();
        let given = |clause: &Clause, members: &[u32]| {
            clause.given(&|question| match question {
                Question::Found { lane: other, needle } if other == lane => {
                    Some(members.binary_search(&needle).is_ok())
                }
                _ => None,
            })
        };
        let (mut standing, mut nothing_found) = (Vec::new(), Vec::new());
        for (number, clause) in clauses.iter().enumerate() {
            let clause = given(clause, &[]);
            if clause.formula != Formula::False {
                standing.push(number);
                nothing_found.push(clause);
            }
        }
        // A class that finds nothing relevant has no child of its own, so only touched classes are looked at.
        let otherwise = self.build(place + 1, nothing_found)?;
        let mut children = Vec::new();
        let mut numbers: Vec<usize> = Vec::new();
        for touched in touched.chunk_by(|(one, _), (other, _)| one == other) {
            let Some((class, _)) = touched.first().copied() else {
                continue;
            };
            let members = draft.classes.members(class);
            numbers.clear();
            numbers.extend(touched.iter().map(|(_, number)| *number));
            numbers.extend_from_slice(&standing);
            numbers.sort_unstable();
            numbers.dedup();
            self.spend(numbers.len())?;
            let left = numbers.iter().filter_map(|number| clauses.get(*number)).map(|clause| given(clause, members));
            let child = self.build(place + 1, left.collect())?;
            if child != otherwise {
                children.push((class, child));
            }
        }
        if children.is_empty() {
            return Ok(otherwise);
        }
        self.spend(children.len())?;
        let lane = match self.ground.driver {
            Some(driver) if driver == lane => table_format::Node::DRIVER,
            _ => self.lane_slot(lane)?,
        };
        Ok(self.diagram.node(NodeDraft::Class { lane, children, otherwise }))
    }

    fn both(&mut self, place: usize, clauses: &[Clause], asked: Question) -> Result<[Child; 2], Overflow> {
        let mut under = |answer: bool| {
            let given = |clause: &Clause| clause.given(&|question| (question == asked).then_some(answer));
            self.build(place + 1, clauses.iter().map(given).collect())
        };
        Ok([under(false)?, under(true)?])
    }

    fn number(&mut self, place: usize, attribute: u32, clauses: &[Clause]) -> Result<Child, Overflow> {
        let mut bounds = Vec::new();
        for clause in clauses {
            clause.formula.questions(&mut |question, _| match question {
                Question::Number { attribute: other, operator, value } if other == attribute => {
                    bounds.extend(operator.bounds(value));
                }
                _ => {}
            });
        }
        let mut under = |number: u64| {
            let given = |clause: &Clause| {
                clause.given(&|question| match question {
                    Question::Number { attribute: other, operator, value } if other == attribute => {
                        Some(operator.holds(number, value))
                    }
                    _ => None,
                })
            };
            self.build(place + 1, clauses.iter().map(given).collect())
        };
        let open = under(policy_model::OPEN_NUMBER)?;
        let (bounds, children) = intervals(bounds, &mut under)?;
        self.interval_node(attribute, bounds, children, open)
    }

    /// Chooses between rules whose conditions all hold. They are sorted by strength, so only limits are left to
    /// compare.
    fn settled(&mut self, rules: &[u32]) -> Result<Child, Overflow> {
        let Some(first) = rules.first().copied() else {
            return Ok(Child::Nothing);
        };
        let effect = self.effect(first);
        let same: Vec<u32> = rules.iter().copied().take_while(|rule| self.effect(*rule) == effect).collect();
        if same.len() == 1 || self.limits(first).next().is_none() {
            return Ok(Child::Rule(first));
        }
        let limits: Vec<_> = same.iter().map(|rule| (*rule, self.limits(*rule).collect())).collect();
        self.within(first, &limits)
    }

    /// Finds the first rule whose limits are all kept; without one, `first` is reported as exceeded.
    fn within(&mut self, first: u32, rules: &[(u32, Vec<(u32, u64)>)]) -> Result<Child, Overflow> {
        self.spend(rules.len() + 1)?;
        let Some((rule, limits)) = rules.first() else {
            return Ok(Child::Exceeded(first));
        };
        let Some((attribute, _)) = limits.first().copied() else {
            return Ok(Child::Within(*rule));
        };
        let of_attribute = |(other, most): &(u32, u64)| (*other == attribute).then_some(*most);
        let bounds = rules.iter().flat_map(|(_, limits)| limits.iter().filter_map(of_attribute)).collect();
        let mut under = |number: Option<u64>| {
            let kept = rules.iter().filter(|(_, limits)| {
                !limits.iter().filter_map(of_attribute).any(|most| number.is_some_and(|number| number > most))
            });
            let left = kept.map(|(rule, limits)| {
                (*rule, limits.iter().copied().filter(|limit| of_attribute(limit).is_none()).collect())
            });
            self.within(first, &left.collect::<Vec<_>>())
        };
        let open = under(None)?;
        let (bounds, children) = intervals(bounds, &mut |number| under(Some(number)))?;
        self.interval_node(attribute, bounds, children, open)
    }

    fn interval_node(
        &mut self,
        attribute: u32,
        bounds: Vec<u64>,
        children: Vec<Child>,
        open: Child,
    ) -> Result<Child, Overflow> {
        self.spend(bounds.len())?;
        u16::try_from(bounds.len()).map_err(|_| Overflow)?;
        if children.iter().all(|child| *child == open) {
            return Ok(open);
        }
        let slot = self.slot(attribute)?;
        // All numbers alike, and only an open one otherwise: one bound is needed to say so.
        let (bounds, children) = match (bounds.is_empty(), children.first()) {
            (true, Some(only)) => (vec![0], vec![*only, *only]),
            _ => (bounds, children),
        };
        Ok(self.diagram.node(NodeDraft::Number { slot, bounds, children, open }))
    }

    fn choice(&mut self, unset: Child, set: Child, node: impl FnOnce(Child, Child) -> NodeDraft) -> Child {
        if unset == set { unset } else { self.diagram.node(node(unset, set)) }
    }

    fn spend(&mut self, work: usize) -> Result<(), Overflow> {
        self.left = self.left.checked_sub(work).ok_or(Overflow)?;
        Ok(())
    }

    fn effect(&self, rule: u32) -> Effect {
        self.ground.effects.get(rule as usize).copied().unwrap_or(Effect::Deny)
    }

    /// Returns the limits on numbers that the operation has.
    fn limits(&self, rule: u32) -> impl Iterator<Item = (u32, u64)> {
        let limits = self.ground.limits.get(rule as usize).into_iter().flatten();
        limits.copied().filter(|(attribute, _)| self.ground.slots.contains_key(attribute))
    }

    fn slot(&self, attribute: u32) -> Result<u8, Overflow> {
        self.ground.slots.get(&attribute).copied().ok_or(Overflow)
    }

    fn lane_slot(&self, lane: u32) -> Result<u8, Overflow> {
        self.ground.lane_slots.get(&lane).copied().ok_or(Overflow)
    }
}

/// Builds a child for each interval between bounds, and drops bounds that change nothing.
fn intervals(
    mut bounds: Vec<u64>,
    under: &mut impl FnMut(u64) -> Result<Child, Overflow>,
) -> Result<(Vec<u64>, Vec<Child>), Overflow> {
    bounds.sort_unstable();
    bounds.dedup();
    let (mut kept, mut children): (Vec<u64>, Vec<Child>) = (Vec::new(), Vec::new());
    for bound in &bounds {
        let child = under(*bound)?;
        if children.last() == Some(&child) {
            // The stretch before goes on: its end is now here.
            kept.pop();
        } else {
            children.push(child);
        }
        kept.push(*bound);
    }
    let above = under(bounds.last().map_or(0, |last| last.saturating_add(1)))?;
    if children.last() == Some(&above) {
        kept.pop();
    } else {
        children.push(above);
    }
    Ok((kept, children))
}
