//! Rules of an operation -> groups: rules with the same strings and the same roles are
//! decided together, by one diagram.
//!
//! The strongest answer of all groups decides, so rules can be grouped to keep diagrams small; a group whose
//! diagram grows too large is split in two.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use policy_syntax::Effect;
use rustc_hash::FxHashMap;
use table_format::{Child, LaneMode, When};

use crate::automaton::number;
use crate::collections::Lists;
use crate::diagram::{Clause, Diagram, Ground};
use crate::formula::{Formula, Question};
use crate::lanes::LaneDraft;

/// The roles of a rule's subjects; `None` for everyone.
pub(crate) type Spoken = Option<Rc<BTreeSet<u32>>>;

/// Rules by their place in source order.
#[derive(Debug, Default)]
pub(crate) struct RuleDrafts {
    pub(crate) subjects: Vec<Spoken>,
    /// By rule; one alternative has to hold.
    pub(crate) alternatives: Lists<Formula>,
}

/// A group: when it is asked, and where its diagram starts for each role.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct GroupDraft {
    pub(crate) when: When,
    /// The root without a role, then one for each role.
    pub(crate) roots: Vec<Child>,
}

/// All groups, each once, and the diagram below them.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// Groups already built for operations with the same key.
    of_operations: FxHashMap<OperationKey, Vec<u32>>,
    pub(crate) list: Vec<GroupDraft>,
    numbers: FxHashMap<GroupDraft, u32>,
    pub(crate) diagram: Diagram,
}

/// Everything that the groups of an operation depend on: its rules, which determine its lanes, its numbers and
/// flags, and its guards.
type OperationKey = (Vec<u32>, BTreeMap<u32, u8>, Vec<u32>);

/// The context of all operations.
pub(crate) struct Common<'a> {
    pub(crate) rules: &'a RuleDrafts,
    pub(crate) lanes: &'a [LaneDraft],
    pub(crate) bits: &'a FxHashMap<(u32, u32), u8>,
    pub(crate) effects: &'a [Effect],
    pub(crate) limits: &'a [Vec<(u32, u64)>],
    /// By rule, the guarded flags that its condition asks for.
    pub(crate) asked_for: &'a [BTreeSet<u32>],
    pub(crate) roles: u32,
}

/// The context of one operation.
pub(crate) struct OperationDraft<'a> {
    pub(crate) rules: &'a [u32],
    /// Flags that a rule to allow or ask refuses unless its condition asks for them.
    pub(crate) guards: &'a [u32],
    pub(crate) lane_slots: &'a BTreeMap<u32, u8>,
    pub(crate) slots: &'a BTreeMap<u32, u8>,
}

/// Rules whose diagram is too large even alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TooLarge {
    pub(crate) rules: Vec<u32>,
}

/// Clauses with equal keys belong together.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct GroupKey {
    driver: Option<u32>,
    lanes: BTreeSet<u32>,
    subjects: Spoken,
}

impl Groups {
    /// Returns the groups of an operation, building them on first use.
    pub(crate) fn of(&mut self, common: &Common<'_>, operation: &OperationDraft<'_>) -> Result<Vec<u32>, TooLarge> {
        let key = (operation.rules.to_vec(), operation.slots.clone(), operation.guards.to_vec());
        if let Some(known) = self.of_operations.get(&key) {
            return Ok(known.clone());
        }
        let groups = self.make(common, operation)?;
        self.of_operations.insert(key, groups.clone());
        Ok(groups)
    }

    fn make(&mut self, common: &Common<'_>, operation: &OperationDraft<'_>) -> Result<Vec<u32>, TooLarge> {
        let mut by_key: BTreeMap<GroupKey, Vec<Clause>> = BTreeMap::new();
        for rule in operation.rules {
            let Some(subjects) = common.rules.subjects.get(*rule as usize) else {
                continue;
            };
            let asked_for = common.asked_for.get(*rule as usize);
            let permits = common.effects.get(*rule as usize).is_some_and(|effect| *effect != Effect::Deny);
            // A guard becomes one more part of the condition: the flag must not be set.
            let is_kept = |guard: &&u32| permits && !asked_for.is_some_and(|asked| asked.contains(guard));
            let guards: Vec<_> = operation.guards.iter().filter(is_kept).map(|guard| Question::Flag(*guard)).collect();
            for alternative in common.rules.alternatives.get(*rule) {
                let guards = guards.iter().map(|guard| Formula::Is(*guard, false));
                let formula = Formula::all(std::iter::once(alternative.clone()).chain(guards));
                if formula == Formula::False {
                    continue;
                }
                let mut lanes = BTreeSet::new();
                add_lanes(&formula, &mut lanes);
                let key = GroupKey { driver: driver(common.lanes, &formula), lanes, subjects: subjects.clone() };
                by_key.entry(key).or_default().push(Clause { formula, rule: *rule });
            }
        }
        let mut numbers = Vec::new();
        for (key, mut clauses) in merged(by_key) {
            clauses.sort_by_key(|(_, clause)| {
                let effect = common.effects.get(clause.rule as usize).copied().unwrap_or(Effect::Deny);
                (effect, clause.rule)
            });
            self.cut(common, operation, key.0, &clauses, &mut numbers)?;
        }
        Ok(numbers)
    }

    /// Builds one group, or splits the clauses in two halves if its diagram is too large.
    fn cut(
        &mut self,
        common: &Common<'_>,
        operation: &OperationDraft<'_>,
        driver: Option<u32>,
        clauses: &[SpokenClause],
        numbers: &mut Vec<u32>,
    ) -> Result<(), TooLarge> {
        let ground = Ground {
            lanes: common.lanes,
            lane_slots: operation.lane_slots,
            driver,
            slots: operation.slots,
            bits: common.bits,
            effects: common.effects,
            limits: common.limits,
        };
        if let Some(group) = self.group(&ground, common.roles, clauses)
            && numbers.len() < GROUPS_MAX
        {
            numbers.extend(group);
            return Ok(());
        }
        if clauses.len() < 2 || numbers.len() >= GROUPS_MAX {
            let mut rules: Vec<u32> = clauses.iter().map(|(_, clause)| clause.rule).collect();
            rules.dedup();
            return Err(TooLarge { rules });
        }
        let (first, second) = clauses.split_at(clauses.len() / 2);
        self.cut(common, operation, driver, first, numbers)?;
        self.cut(common, operation, driver, second, numbers)
    }

    /// Builds a group; `Some(None)` if the clauses never hold, `None` if the diagram is too large.
    fn group(&mut self, ground: &Ground<'_>, roles: u32, clauses: &[SpokenClause]) -> Option<Option<u32>> {
        let work_max = WORK_BASE + WORK_PER_CLAUSE * clauses.len();
        // Roles that the same clauses speak of share a diagram.
        let mut known: FxHashMap<Vec<usize>, Child> = FxHashMap::default();
        let mut root = |groups: &mut Self, role: Option<u32>| {
            let speaks = |subjects: &Spoken| match (subjects, role) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(subjects), Some(role)) => subjects.contains(&role),
            };
            let chosen: Vec<usize> = (0..clauses.len())
                .filter(|place| clauses.get(*place).is_some_and(|(subjects, _)| speaks(subjects)))
                .collect();
            if let Some(root) = known.get(&chosen) {
                return Some(*root);
            }
            let of_role: Vec<Clause> =
                chosen.iter().filter_map(|place| clauses.get(*place)).map(|(_, clause)| clause.clone()).collect();
            let root = groups.diagram.root(ground, of_role, work_max).ok()?;
            known.insert(chosen, root);
            Some(root)
        };
        let none = root(self, None)?;
        let mut roots = vec![none];
        for role in 0..roles {
            roots.push(root(self, Some(role))?);
        }
        if roots.iter().all(|root| *root == Child::Nothing) {
            return Some(None);
        }
        let when = match ground.driver.and_then(|lane| ground.lane_slots.get(&lane)) {
            Some(slot) => When::each(*slot),
            None => self.needed(ground, &roots).map_or(When::ONCE, When::found),
        };
        let draft = GroupDraft { when, roots };
        if let Some(known) = self.numbers.get(&draft) {
            return Some(Some(*known));
        }
        let next = number(self.list.len());
        self.list.push(draft.clone());
        self.numbers.insert(draft, next);
        Some(Some(next))
    }

    /// Finds a classifying lane without whose finds the group decides nothing.
    fn needed(&self, ground: &Ground<'_>, roots: &[Child]) -> Option<u8> {
        let classifies =
            |lane: u32| ground.lanes.get(lane as usize).is_some_and(|lane| lane.mode == LaneMode::Classify);
        let mut slots = ground.lane_slots.iter().filter(|(lane, _)| classifies(**lane)).map(|(_, slot)| *slot);
        slots.find(|slot| self.diagram.is_silent_without(*slot, roots))
    }
}

/// The strings that clauses ask about: the lane they are asked for, and all their lanes.
type Strings = (Option<u32>, BTreeSet<u32>);
/// A clause and its subjects.
type SpokenClause = (Spoken, Clause);

/// Merges clauses that ask about the same strings; subjects separate groups while there are few of them.
fn merged(by_key: BTreeMap<GroupKey, Vec<Clause>>) -> Vec<(Strings, Vec<SpokenClause>)> {
    let mut counts: BTreeMap<Strings, usize> = BTreeMap::new();
    for key in by_key.keys() {
        *counts.entry((key.driver, key.lanes.clone())).or_default() += 1;
    }
    let mut merged: BTreeMap<(Strings, Option<GroupKey>), Vec<SpokenClause>> = BTreeMap::new();
    for (key, clauses) in by_key {
        let strings = (key.driver, key.lanes.clone());
        let is_few = counts.get(&strings).is_some_and(|count| *count <= SUBJECTS_APART_MAX);
        let subjects = key.subjects.clone();
        let place = merged.entry((strings, is_few.then_some(key))).or_default();
        place.extend(clauses.into_iter().map(|clause| (subjects.clone(), clause)));
    }
    merged.into_iter().map(|((strings, _), clauses)| (strings, clauses)).collect()
}

/// Returns the scanning lane for whose finds the clause is evaluated: the only one it mentions, if that must have
/// found something.
pub(crate) fn driver(lanes: &[LaneDraft], formula: &Formula) -> Option<u32> {
    let is_scan = |lane: u32| lanes.get(lane as usize).is_some_and(|lane| lane.mode == LaneMode::Scan);
    let mut scans = Vec::new();
    formula.questions(&mut |question, _| match question {
        Question::Found { lane, .. } if is_scan(lane) => scans.push(question),
        _ => {}
    });
    let [Question::Found { lane, needle }] = scans.as_slice() else {
        return None;
    };
    let wanted = Formula::Is(Question::Found { lane: *lane, needle: *needle }, true);
    let is_needed = match formula {
        Formula::All(parts) => parts.contains(&wanted),
        other => *other == wanted,
    };
    is_needed.then_some(*lane)
}

pub(crate) fn add_lanes(formula: &Formula, lanes: &mut BTreeSet<u32>) {
    formula.questions(&mut |question, _| match question {
        Question::Found { lane, .. } => {
            lanes.insert(lane);
        }
        Question::Flag(_) | Question::Number { .. } => {}
    });
}

/// More subjects than these share their groups.
const SUBJECTS_APART_MAX: usize = 4;
/// Groups of one operation: the cost of a decision beyond its strings.
const GROUPS_MAX: usize = 256;
/// Limits of the work for one diagram.
const WORK_BASE: usize = 1_000_000;
const WORK_PER_CLAUSE: usize = 200;
