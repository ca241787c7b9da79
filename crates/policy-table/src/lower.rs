//! Model -> atoms, which are questions about one string each, and the condition of each rule.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use policy_model::catalogue::AttributeKind;
use policy_model::{Attribute, Condition, Model, PatternSet};
use policy_syntax::Location;
use rustc_hash::FxHashMap;

use crate::automaton::number;
use crate::formula::{Formula, Question};
use crate::needle::{Needle, ScanPattern};

/// Every attribute of every operation, numbered in one order.
#[derive(Debug)]
pub(crate) struct Attributes {
    /// Names, kinds, and whether they are known only after the act.
    pub(crate) list: Vec<(Arc<str>, AttributeKind, bool)>,
}

impl Attributes {
    pub(crate) fn of(model: &Model) -> Self {
        let all = model.operations.iter().flat_map(|operation| &operation.attributes);
        let mut list: Vec<_> = all.map(key).collect();
        list.sort_unstable();
        list.dedup();
        Self { list }
    }

    pub(crate) fn number(&self, attribute: &Attribute) -> u32 {
        let wanted = (&*attribute.name, attribute.kind, attribute.known_after_act);
        let place = self.list.binary_search_by(|(name, kind, after_act)| (&**name, *kind, *after_act).cmp(&wanted));
        number(place.unwrap_or(usize::MAX))
    }

    pub(crate) fn flag(&self, wanted: &str) -> Option<u32> {
        let is_it = |(name, kind, _): &(Arc<str>, _, _)| &**name == wanted && *kind == AttributeKind::Flag;
        self.list.iter().position(is_it).map(number)
    }
}

fn key(attribute: &Attribute) -> (Arc<str>, AttributeKind, bool) {
    (Arc::clone(&attribute.name), attribute.kind, attribute.known_after_act)
}

/// A question about one string: does one of the needles match it?
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Atom {
    pub(crate) attribute: u32,
    /// Sorted, without repeats.
    pub(crate) needles: Rc<[Needle]>,
}

/// All questions about strings, each once.
#[derive(Debug, Default)]
pub(crate) struct Atoms {
    /// Names, kinds, and whether they are known only after the act.
    pub(crate) list: Vec<Atom>,
    /// Set unless the atom is used only once in its rule and not under a `not`.
    pub(crate) needs_bit: Vec<bool>,
    numbers: FxHashMap<Atom, u32>,
    /// Named sets are shared by many rules, so their needles are computed once. The address is only a key.
    of_sets: FxHashMap<(u32, Vec<*const PatternSet>), u32>,
    /// For each pattern that needs an automaton, its first text and place.
    pub(crate) places: BTreeMap<(u32, ScanPattern), (String, Location)>,
}

/// A condition with its atoms numbered.
#[derive(Debug, Clone)]
pub(crate) enum Need {
    Atom(u32),
    Other(Formula),
    All(Vec<Need>),
    Any(Vec<Need>),
    Not(Box<Need>),
}

impl Atoms {
    pub(crate) fn need(&mut self, attributes: &Attributes, condition: &Condition) -> Need {
        match condition {
            Condition::All(parts) => Need::All(parts.iter().map(|part| self.need(attributes, part)).collect()),
            Condition::Any(parts) => Need::Any(parts.iter().map(|part| self.need(attributes, part)).collect()),
            Condition::Not(part) => Need::Not(Box::new(self.need(attributes, part))),
            Condition::Flag { attribute, .. } => {
                Need::Other(Formula::Is(Question::Flag(attributes.number(attribute)), true))
            }
            Condition::Number { attribute, operator, value, .. } => {
                Need::Other(Formula::number(attributes.number(attribute), *operator, *value))
            }
            Condition::In { attribute, sets, .. } => Need::Atom(self.sets(attributes.number(attribute), sets)),
            Condition::Equals { attribute, text, .. } => {
                Need::Atom(self.atom(attributes.number(attribute), vec![Needle::equal_to(text)]))
            }
            Condition::Matches { attribute, regex, at } => {
                let (attribute, needle) =
                    (attributes.number(attribute), Needle::Scan(ScanPattern::Regex(regex.pattern().to_owned())));
                self.note(attribute, &needle, regex.pattern(), *at);
                Need::Atom(self.atom(attribute, vec![needle]))
            }
        }
    }

    /// Marks atoms that need a bit: those under `not`, and those of rules that use several automata.
    pub(crate) fn note_uses(&mut self, need: &Need) {
        let mut uses = Vec::new();
        self.uses(need, true, &mut uses);
        let is_one = uses.len() == 1;
        for (atom, is_positive) in uses {
            if let Some(needs_bit) = self.needs_bit.get_mut(atom as usize) {
                *needs_bit |= !(is_one && is_positive);
            }
        }
    }

    fn uses(&self, need: &Need, is_positive: bool, uses: &mut Vec<(u32, bool)>) {
        match need {
            Need::Atom(atom) => {
                let needles = self.list.get(*atom as usize).map_or(&[][..], |atom| &*atom.needles);
                if needles.iter().any(|needle| matches!(needle, Needle::Scan(_))) {
                    uses.push((*atom, is_positive));
                }
            }
            Need::Other(_) => {}
            Need::All(parts) | Need::Any(parts) => parts.iter().for_each(|part| self.uses(part, is_positive, uses)),
            Need::Not(part) => self.uses(part, !is_positive, uses),
        }
    }

    fn sets(&mut self, attribute: u32, sets: &[Arc<PatternSet>]) -> u32 {
        let is_shared = sets.iter().any(|set| set.name.is_some());
        let key = is_shared.then(|| (attribute, sets.iter().map(Arc::as_ptr).collect()));
        if let Some(known) = key.as_ref().and_then(|key| self.of_sets.get(key)) {
            return *known;
        }
        let mut needles = Vec::new();
        for located in sets.iter().flat_map(|set| set.patterns()) {
            let needle = Needle::of(&located.pattern);
            if matches!(needle, Needle::Scan(_)) {
                self.note(attribute, &needle, &located.pattern.to_string(), located.at);
            }
            needles.push(needle);
        }
        let atom = self.atom(attribute, needles);
        self.of_sets.extend(key.map(|key| (key, atom)));
        atom
    }

    fn note(&mut self, attribute: u32, needle: &Needle, text: &str, at: Location) {
        if let Needle::Scan(pattern) = needle {
            self.places.entry((attribute, pattern.clone())).or_insert_with(|| (text.to_owned(), at));
        }
    }

    fn atom(&mut self, attribute: u32, mut needles: Vec<Needle>) -> u32 {
        needles.sort_unstable();
        needles.dedup();
        let atom = Atom { attribute, needles: needles.into() };
        if let Some(known) = self.numbers.get(&atom) {
            return *known;
        }
        let next = number(self.list.len());
        self.list.push(atom.clone());
        self.needs_bit.push(false);
        self.numbers.insert(atom, next);
        next
    }
}

impl Need {
    /// Replaces atoms by the formulas of their lanes.
    pub(crate) fn formula(&self, atoms: &[Formula]) -> Formula {
        match self {
            Self::Atom(atom) => atoms.get(*atom as usize).cloned().unwrap_or(Formula::False),
            Self::Other(formula) => formula.clone(),
            Self::All(parts) => Formula::all(parts.iter().map(|part| part.formula(atoms))),
            Self::Any(parts) => Formula::any(parts.iter().map(|part| part.formula(atoms))),
            Self::Not(part) => part.formula(atoms).negated(),
        }
    }
}
