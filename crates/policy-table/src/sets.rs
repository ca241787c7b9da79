//! Sets of needles as numbers: equal sets have equal numbers, the empty one is zero.

use rustc_hash::FxHashMap;

/// Which set.
pub(crate) type SetId = u32;

/// All sets seen so far, each once.
#[derive(Debug)]
pub(crate) struct Sets {
    numbers: FxHashMap<Vec<u32>, SetId>,
    sets: Vec<Vec<u32>>,
}

impl Sets {
    pub(crate) const EMPTY: SetId = 0;

    pub(crate) fn new() -> Self {
        Self { numbers: [(Vec::new(), Self::EMPTY)].into_iter().collect(), sets: vec![Vec::new()] }
    }

    /// The number of a set, whose members may come in any order and repeat.
    pub(crate) fn number(&mut self, mut members: Vec<u32>) -> SetId {
        members.sort_unstable();
        members.dedup();
        if let Some(number) = self.numbers.get(&members) {
            return *number;
        }
        let number = u32::try_from(self.sets.len()).unwrap_or(u32::MAX);
        self.sets.push(members.clone());
        self.numbers.insert(members, number);
        number
    }

    /// A set with more members.
    pub(crate) fn with(&mut self, set: SetId, more: &[u32]) -> SetId {
        if more.is_empty() {
            return set;
        }
        let mut members = self.members(set).to_vec();
        members.extend_from_slice(more);
        self.number(members)
    }

    pub(crate) fn members(&self, set: SetId) -> &[u32] {
        self.sets.get(set as usize).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn len(&self) -> usize {
        self.sets.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.sets.iter().map(Vec::as_slice)
    }
}
