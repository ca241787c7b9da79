//! Named sets: their members read once, sets inside sets flattened.

use std::sync::Arc;

use policy_syntax::{Diagnostic, FileId, Item, Location, Name, Set, SetKind, StatementKind, quote};

use super::names::Names;
use super::{Place, Resolver, SetUse};
use crate::codes;
use crate::graph;
use crate::model::{LocatedPattern, PatternSet};

#[derive(Debug)]
pub(super) struct Sets<'a> {
    names: Names<'a>,
    list: Vec<DeclaredSet<'a>>,
}

#[derive(Debug)]
struct DeclaredSet<'a> {
    set: &'a Set,
    at: Location,
    /// Its own patterns and those of the sets in it.
    members: Arc<PatternSet>,
    is_used: bool,
}

impl Default for Sets<'_> {
    fn default() -> Self {
        Self { names: Names::new("set"), list: Vec::new() }
    }
}

impl Sets<'_> {
    pub(super) fn usage(&self, root: FileId) -> Vec<SetUse> {
        let own = self.list.iter().filter(|declared| declared.at.file == root);
        own.map(|declared| SetUse {
            name: declared.set.name.text.clone(),
            at: declared.at,
            is_used: declared.is_used,
            is_empty: declared.members.patterns().next().is_none(),
        })
        .collect()
    }
}

impl<'a> Resolver<'a, '_> {
    pub(super) fn declare_sets(&mut self) {
        let mut places = Vec::new();
        for place in self.places() {
            if let StatementKind::Set(set) = &place.statement.kind
                && self.sets.names.declare(place.file(), &set.name, self.found).is_some()
            {
                let at = place.at(set.name.span);
                let members = Arc::new(PatternSet { name: Some(set.name.text.clone()), lists: Vec::new() });
                self.sets.list.push(DeclaredSet { set, at, members, is_used: false });
                places.push((place, set));
            }
        }
        let mut own_members = Vec::with_capacity(places.len());
        let mut edges = Vec::with_capacity(places.len());
        for (place, set) in places {
            let mut patterns = Vec::new();
            let mut targets = Vec::new();
            self.warn_repeated(place, &set.items);
            for item in &set.items {
                match item {
                    Item::Text(text) => patterns.extend(self.pattern(place, set.kind, text)),
                    Item::Set(name) => targets.extend(self.set_index(place, set.kind, name)),
                    Item::Quantity(quantity) => self.found.error(
                        codes::WRONG_TYPE,
                        place.at(quantity.span),
                        "a set has strings, not numbers",
                        "write it in double quotes",
                    ),
                }
            }
            own_members.push(Arc::<[LocatedPattern]>::from(patterns));
            edges.push(targets);
        }
        self.flatten_sets(&own_members, &edges);
    }

    fn flatten_sets(&mut self, own_members: &[Arc<[LocatedPattern]>], edges: &[Vec<usize>]) {
        let order = graph::order(edges);
        for (from, to) in order.closing {
            let (Some(from), Some(to)) = (self.sets.list.get(from), self.sets.list.get(to)) else {
                continue;
            };
            let (at, first, name) = (from.at, to.at, quote(&to.set.name.text));
            self.found.push(|| {
                Diagnostic::new(codes::SET_CYCLE, at, format!("the set {name} contains itself"))
                    .also(first, "the cycle starts here")
                    .help("remove one of them from the other")
            });
        }
        let mut reach: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
        let mut sets_reached = 0_usize;
        for node in order.nodes {
            let mut reached = vec![node];
            for target in edges.get(node).into_iter().flatten() {
                reached.extend(reach.get(*target).into_iter().flatten());
            }
            reached.sort_unstable();
            reached.dedup();
            // Lists are shared, but nested sets can still refer to them quadratically often.
            sets_reached += reached.len();
            if sets_reached > SETS_REACHED_MAX {
                let at = self.sets.list.get(node).map(|declared| declared.at);
                if let Some(at) = at {
                    let message = format!("nested sets expand to more than {SETS_REACHED_MAX} sets");
                    self.found.error(codes::TOO_MANY_NAMES, at, message, "use fewer sets inside sets");
                }
                return;
            }
            if let Some(declared) = self.sets.list.get_mut(node) {
                let lists = reached.iter().filter_map(|index| own_members.get(*index)).cloned().collect();
                declared.members = Arc::new(PatternSet { name: Some(declared.set.name.text.clone()), lists });
            }
            if let Some(place) = reach.get_mut(node) {
                *place = reached;
            }
        }
    }

    /// Returns the patterns of a named set of the given kind, and marks it as used.
    pub(super) fn set_members(&mut self, place: Place<'a>, kind: SetKind, name: &Name) -> Option<Arc<PatternSet>> {
        let index = self.set_index(place, kind, name)?;
        self.sets.list.get(index).map(|declared| declared.members.clone())
    }

    fn set_index(&mut self, place: Place<'a>, kind: SetKind, name: &Name) -> Option<usize> {
        let at = place.at(name.span);
        let Some(index) = self.sets.names.find(&name.text) else {
            if !self.is_broken(name) {
                let sets = &self.sets.names;
                self.found.push(|| sets.unknown(codes::UNKNOWN_SET, &name.text, at));
            }
            return None;
        };
        let declared = self.sets.list.get_mut(index)?;
        declared.is_used = true;
        let (actual, declared_at) = (declared.set.kind, declared.at);
        if actual != kind {
            self.found.push(|| {
                let (wanted, actual) = (kind.keyword(), actual.keyword());
                Diagnostic::new(
                    codes::WRONG_SET,
                    at,
                    format!("{} is a set of {actual}, not of {wanted}", quote(&name.text)),
                )
                .also(declared_at, "declared here")
                .help(format!("declare it with `{wanted}`, or use another set"))
            });
            return None;
        }
        Some(index)
    }
}

/// All sets and the sets in them, counted wherever they occur.
const SETS_REACHED_MAX: usize = 1_000_000;
