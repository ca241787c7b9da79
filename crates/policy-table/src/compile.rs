//! Model -> bytes: the flow from rules to lanes, groups and rows, in one place.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use policy_model::catalogue::{AttributeKind, COMPLEX};
use policy_model::{Model, Operation, OperationId, Rule, Subjects};
use policy_syntax::{Effect, Location, Sources};
use rustc_hash::FxHashMap;
use table_format::{Digest, LANES_PER_OPERATION_MAX, LaneMode};

use crate::automaton::{States, number};
use crate::error::TableError;
use crate::formula::{Formula, Question};
use crate::groups::{self, Common, Groups, OperationDraft, RuleDrafts, Spoken};
use crate::lanes::{BITS_MAX, LaneDraft, Lanes};
use crate::lower::{Atoms, Attributes};
use crate::rows::TableDraft;

/// A policy frozen into the bytes of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frozen {
    pub bytes: Vec<u8>,
    /// The BLAKE3 digest of `bytes`; tables are pinned by it.
    pub digest: Digest,
    /// The BLAKE3 digest of the policy's source files.
    pub sources: Digest,
}

/// Freezes a policy. The same sources give the same bytes on every machine.
///
/// # Errors
/// Patterns or rules that make the table too large.
pub fn freeze(model: &Model, sources: &Sources) -> Result<Frozen, TableError> {
    // The number of a rule in the table is its place in the source.
    let mut rules: Vec<&Rule> = model.rules.iter().collect();
    rules.sort_by_key(|rule| rule.place);
    let attributes = Attributes::of(model);
    // Lanes are built over the atoms of all rules together, so that rules share automata.
    let mut atoms = Atoms::default();
    let needs: Vec<_> =
        rules.iter().map(|rule| rule.condition.as_ref().map(|condition| atoms.need(&attributes, condition))).collect();
    needs.iter().flatten().for_each(|need| atoms.note_uses(need));
    let mut states = States::default();
    let lanes = Lanes::build(&atoms, &mut states)?;
    let roles = Roles::of(model);
    // Many rules have equal subjects; sharing their sets makes comparing them cheap.
    let mut speakers: BTreeMap<&Subjects, Spoken> = BTreeMap::new();
    let mut drafts = RuleDrafts::default();
    for (rule, need) in rules.iter().zip(&needs) {
        let formula = need.as_ref().map_or(Formula::True, |need| need.formula(&lanes.formulas));
        let speaks_of = || roles.subjects(&rule.subjects).map(Rc::new);
        let subjects = speakers.entry(&rule.subjects).or_insert_with(speaks_of);
        drafts.subjects.push(subjects.clone());
        drafts.alternatives.push(formula.alternatives(ALTERNATIVES_MAX));
    }
    let bits = bits(&drafts, &lanes.list).map_err(|rule| too_large(&rules, &[rule]))?;
    let effects: Vec<Effect> = rules.iter().map(|rule| rule.effect).collect();
    let limits: Vec<Vec<(u32, u64)>> = rules
        .iter()
        .map(|rule| rule.limits.iter().map(|limit| (attributes.number(&limit.attribute), limit.most)).collect())
        .collect();
    let asked_for = |rule: &&Rule| rule.asks_for.iter().filter_map(|flag| attributes.flag(flag)).collect();
    let asked_for: Vec<BTreeSet<u32>> = rules.iter().map(asked_for).collect();
    let common = Common {
        rules: &drafts,
        lanes: &lanes.list,
        bits: &bits,
        effects: &effects,
        limits: &limits,
        asked_for: &asked_for,
        roles: number(roles.names.len()),
    };
    let mut groups = Groups::default();
    let mut planned = Vec::new();
    let by_operation = by_operation(model, &rules);
    // Tables find operations by name.
    let mut operations: Vec<_> = model.operations.iter().zip((0..).map(OperationId)).collect();
    operations.sort_by(|(one, _), (other, _)| one.name.cmp(&other.name));
    for (operation, id) in operations {
        let its_rules = by_operation.get(id.0).map_or(&[][..], Vec::as_slice);
        planned.push(plan(model, (operation, id), (&rules, its_rules), &attributes, &common, &mut groups)?);
    }
    let sources = digest_of_sources(sources);
    let draft = TableDraft {
        model,
        rules: &rules,
        attributes: &attributes,
        roles: &roles,
        lanes: &lanes.list,
        bits: &bits,
        states: states.pack(),
        groups,
        operations: planned,
        limits: &limits,
    };
    draft.write(sources)
}

/// Hashes the concatenated parts. Tables and sources are named by this digest.
#[must_use]
pub fn blake3(parts: &[&[u8]]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(part);
    }
    Digest(*hasher.finalize().as_bytes())
}

/// The roles that a session can hold, by name.
pub(crate) struct Roles {
    pub(crate) names: Vec<String>,
    /// For each role, itself and those it includes, as the model numbers them.
    implied: Vec<BTreeSet<policy_model::RoleId>>,
}

impl Roles {
    fn of(model: &Model) -> Self {
        let mut held: Vec<_> = model.roles.iter().filter(|role| role.can_be_held).collect();
        held.sort_by(|one, other| one.name.cmp(&other.name));
        Self {
            names: held.iter().map(|role| role.name.clone()).collect(),
            implied: held.iter().map(|role| role.implies.clone()).collect(),
        }
    }

    /// Returns the roles that match the subjects, including roles that include one; `None` for everyone.
    pub(crate) fn subjects(&self, subjects: &Subjects) -> Option<BTreeSet<u32>> {
        match subjects {
            Subjects::Anyone => None,
            Subjects::Roles(wanted) => {
                let holds = |implied: &BTreeSet<_>| !implied.is_disjoint(wanted);
                let roles = (0..).zip(&self.implied).filter(|(_, implied)| holds(implied));
                Some(roles.map(|(role, _)| role).collect())
            }
        }
    }
}

/// An operation with everything that its row needs.
pub(crate) struct Planned<'a> {
    pub(crate) operation: &'a Operation,
    pub(crate) strings: Vec<u32>,
    pub(crate) numbers: Vec<u32>,
    pub(crate) flags: Vec<u32>,
    /// One more than the slot of the `complex` flag, or 0 without one.
    pub(crate) complex: u8,
    /// Each lane with the string it reads.
    pub(crate) lanes: Vec<(u32, u32)>,
    /// Those asked once, then those asked for each find.
    pub(crate) groups: Vec<u32>,
    pub(crate) asked_once: usize,
    pub(crate) budgets: Vec<u32>,
}

fn plan<'a>(
    model: &'a Model,
    (operation, id): (&'a Operation, OperationId),
    (rules, its_rules): (&[&Rule], &[u32]),
    attributes: &Attributes,
    common: &Common<'_>,
    groups: &mut Groups,
) -> Result<Planned<'a>, TableError> {
    let (mut strings, mut numbers, mut flags) = (Vec::new(), Vec::new(), Vec::new());
    for attribute in &operation.attributes {
        let list = match attribute.kind {
            kind if kind.is_number() => &mut numbers,
            AttributeKind::Flag => &mut flags,
            _ => &mut strings,
        };
        list.push(attributes.number(attribute));
    }
    let lanes = lanes_of(its_rules, common);
    if lanes.len() > LANES_PER_OPERATION_MAX {
        return Err(too_large(rules, its_rules));
    }
    // Counting without an end would overflow behind the last of 256.
    let counted = |list: &[u32]| list.iter().copied().zip(0..=u8::MAX).collect::<Vec<(u32, u8)>>();
    let lane_slots: BTreeMap<_, _> = counted(&lanes).into_iter().collect();
    let slots: BTreeMap<_, _> = counted(&numbers).into_iter().chain(counted(&flags)).collect();
    let guards: Vec<u32> = operation.guarded_flags.iter().filter_map(|flag| attributes.flag(flag)).collect();
    let complex = attributes.flag(COMPLEX).filter(|complex| guards.contains(complex));
    let draft = OperationDraft { rules: its_rules, guards: &guards, lane_slots: &lane_slots, slots: &slots };
    let mut its_groups = groups.of(common, &draft).map_err(|error| too_large(rules, &error.rules))?;
    let is_driven = |group: &u32| {
        let group = groups.list.get(*group as usize);
        group.is_some_and(|group| group.when.finds_of().is_some())
    };
    its_groups.sort_by_key(|group| (is_driven(group), *group));
    let asked_once = its_groups.partition_point(|group| !is_driven(group));
    let string_slot = |lane: u32| {
        let attribute = common.lanes.get(lane as usize).map(|lane| lane.attribute);
        strings.iter().position(|string| Some(*string) == attribute).map_or(u32::MAX, number)
    };
    let is_charged = |budget: &policy_model::Budget| budget.operations.contains(&id);
    let budgets = (0..).zip(&model.budgets).filter(|(_, budget)| is_charged(budget)).map(|(place, _)| place).collect();
    let flag_place = flags.iter().position(|flag| Some(*flag) == complex);
    Ok(Planned {
        operation,
        complex: flag_place.and_then(|place| u8::try_from(place + 1).ok()).unwrap_or_default(),
        lanes: lanes.iter().map(|lane| (*lane, string_slot(*lane))).collect(),
        groups: its_groups,
        asked_once,
        budgets,
        strings,
        numbers,
        flags,
    })
}

/// Returns the lanes that the rules ask about. Classifying lanes come before scanning ones, because the finds of a
/// scan are judged at once.
fn lanes_of(rules: &[u32], common: &Common<'_>) -> Vec<u32> {
    let mut lanes = BTreeSet::new();
    for rule in rules {
        for alternative in common.rules.alternatives.get(*rule) {
            groups::add_lanes(alternative, &mut lanes);
        }
    }
    let mut lanes: Vec<u32> = lanes.into_iter().collect();
    lanes.sort_by_key(|lane| (is_scan(common.lanes, *lane), *lane));
    lanes
}

/// Assigns a bit to each needle of a scanning lane that has to be remembered. The error is the first rule for which
/// no bit is left.
fn bits(rules: &RuleDrafts, lanes: &[LaneDraft]) -> Result<FxHashMap<(u32, u32), u8>, u32> {
    let mut bits: FxHashMap<(u32, u32), u8> = FxHashMap::default();
    let mut used: FxHashMap<u32, u8> = FxHashMap::default();
    for rule in 0..number(rules.alternatives.len()) {
        for alternative in rules.alternatives.get(rule) {
            if groups::driver(lanes, alternative).is_some() {
                continue;
            }
            let mut needles = Vec::new();
            alternative.questions(&mut |question, _| match question {
                Question::Found { lane, needle } if is_scan(lanes, lane) => needles.push((lane, needle)),
                _ => {}
            });
            for needle in needles {
                if bits.contains_key(&needle) {
                    continue;
                }
                let next = used.entry(needle.0).or_default();
                if usize::from(*next) >= BITS_MAX {
                    return Err(rule);
                }
                bits.insert(needle, *next);
                *next += 1;
            }
        }
    }
    Ok(bits)
}

fn is_scan(lanes: &[LaneDraft], lane: u32) -> bool {
    lanes.get(lane as usize).is_some_and(|lane| lane.mode == LaneMode::Scan)
}

/// Lists the rules of each operation, in source order.
fn by_operation(model: &Model, rules: &[&Rule]) -> Vec<Vec<u32>> {
    let mut by_operation = vec![Vec::new(); model.operations.len()];
    for (place, rule) in (0..).zip(rules) {
        for OperationId(operation) in &rule.operations {
            if let Some(rules) = by_operation.get_mut(*operation) {
                rules.push(place);
            }
        }
    }
    by_operation
}

/// Hashes contents only: moving or renaming a file does not change the digest.
fn digest_of_sources(sources: &Sources) -> Digest {
    let mut hasher = blake3::Hasher::new();
    for (_, source) in sources.iter() {
        let len = u64::try_from(source.text().len()).unwrap_or(u64::MAX);
        hasher.update(&len.to_le_bytes());
        hasher.update(source.text().as_bytes());
    }
    Digest(*hasher.finalize().as_bytes())
}

fn too_large(rules: &[&Rule], places: &[u32]) -> TableError {
    let named = places.iter().filter_map(|place| rules.get(*place as usize));
    let named: Vec<(String, Location)> = named.map(|rule| (rule.name.clone(), rule.name_at)).collect();
    TableError::RulesTooLarge { rules: named }
}

/// Alternatives that a rule is split into, so that each asks about few strings.
const ALTERNATIVES_MAX: usize = 16;
