//! Compact collections: many short lists in one vector, and sets of needles by number.

use std::rc::Rc;

use rustc_hash::FxHashMap;

/// Lists stored one after another, so that many cost as few allocations as one.
#[derive(Debug)]
pub(crate) struct Lists<T> {
    items: Vec<T>,
    ends: Vec<usize>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { items: Vec::new(), ends: Vec::new() }
    }
}

impl<T> Lists<T> {
    pub(crate) fn push(&mut self, list: impl IntoIterator<Item = T>) {
        self.items.extend(list);
        self.ends.push(self.items.len());
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the list of a number, or an empty list.
    pub(crate) fn get(&self, list: u32) -> &[T] {
        let list = list as usize;
        let end = |list: usize| self.ends.get(list).copied();
        let start = list.checked_sub(1).map_or(Some(0), end);
        let range = start.zip(end(list)).map(|(start, end)| start..end);
        range.and_then(|range| self.items.get(range)).unwrap_or_default()
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_their_numbers() {
        let mut lists = Lists::default();
        lists.push([1, 2]);
        lists.push([]);
        lists.push([3]);
        assert_eq!(lists.len(), 3);
        assert_eq!([lists.get(0), lists.get(1), lists.get(2), lists.get(3)], [&[1, 2][..], &[], &[3], &[]]);
    }
}
