//! Sets of needles as numbers: equal sets have equal numbers, the empty one is zero.

use std::rc::Rc;

use rustc_hash::FxHashMap;

pub(crate) type SetId = u32;

/// All sets seen so far, each once.
#[derive(Debug)]
pub(crate) struct Sets {
    numbers: FxHashMap<Rc<[u32]>, SetId>,
    sets: Vec<Rc<[u32]>>,
}

impl Sets {
    pub(crate) const EMPTY: SetId = 0;

    pub(crate) fn new() -> Self {
        let empty: Rc<[u32]> = Rc::default();
        Self { numbers: [(Rc::clone(&empty), Self::EMPTY)].into_iter().collect(), sets: vec![empty] }
    }

    /// Returns the number of a set; its members may be unsorted and repeat.
    pub(crate) fn number(&mut self, mut members: Vec<u32>) -> SetId {
        members.sort_unstable();
        members.dedup();
        if let Some(number) = self.numbers.get(members.as_slice()) {
            return *number;
        }
        let number = u32::try_from(self.sets.len()).unwrap_or(u32::MAX);
        let members: Rc<[u32]> = members.into();
        self.sets.push(Rc::clone(&members));
        self.numbers.insert(members, number);
        number
    }

    pub(crate) fn with(&mut self, set: SetId, more: &[u32]) -> SetId {
        if more.is_empty() {
            return set;
        }
        let mut members = self.members(set).to_vec();
        members.extend_from_slice(more);
        self.number(members)
    }

    pub(crate) fn members(&self, set: SetId) -> &[u32] {
        self.sets.get(set as usize).map_or(&[], |set| set)
    }

    pub(crate) fn len(&self) -> usize {
        self.sets.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.sets.iter().map(|set| &**set)
    }
}
