//! Many short lists in one long one, by number.

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
