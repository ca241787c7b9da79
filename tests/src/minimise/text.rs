//! A string, a number, a list -> smaller ones, the smallest first.

use crate::policy::Quantity;

/// The list without a half, a quarter, … of its members, down to single ones.
pub(super) fn without_some<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    let mut lists = Vec::new();
    let mut size = items.len();
    while size > 0 {
        for start in (0..items.len()).step_by(size) {
            let end = start.saturating_add(size);
            let kept = items.iter().enumerate().filter(|(place, _)| *place < start || *place >= end);
            lists.push(kept.map(|(_, item)| item.clone()).collect());
        }
        size /= 2;
    }
    lists
}

/// The list with each member replaced by each of the members it can become.
pub(super) fn with_each<T: Clone>(items: &[T], smaller: impl Fn(&T) -> Vec<T>) -> Vec<Vec<T>> {
    let mut lists = Vec::new();
    for (place, item) in items.iter().enumerate() {
        for other in smaller(item) {
            let mut list = items.to_vec();
            if let Some(item) = list.get_mut(place) {
                *item = other;
            }
            lists.push(list);
        }
    }
    lists
}

/// Shorter strings, then equally long ones of plainer characters.
pub(super) fn shorter(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut texts: Vec<String> = without_some(&chars).into_iter().map(|chars| chars.into_iter().collect()).collect();
    let plainer = |c: &char| if PLAIN.contains(*c) { Vec::new() } else { vec!['a'] };
    texts.extend(with_each(&chars, plainer).into_iter().map(|chars| chars.into_iter().collect::<String>()));
    texts
}

/// Shorter regexes: a single character is seldom one that can go, so every stretch is tried, and every
/// pair of brackets.
pub(super) fn shorter_regex(regex: &str) -> Vec<String> {
    let chars: Vec<char> = regex.chars().collect();
    let mut regexes = Vec::new();
    for size in (1..=chars.len()).rev() {
        for start in 0..=chars.len().saturating_sub(size) {
            let kept = chars.iter().enumerate().filter(|(at, _)| *at < start || *at >= start.saturating_add(size));
            regexes.push(kept.map(|(_, c)| *c).collect());
        }
    }
    let at = |wanted: char| chars.iter().enumerate().filter(move |(_, c)| **c == wanted).map(|(at, _)| at);
    for (open, close) in [('(', ')'), ('[', ']')] {
        for (open, close) in at(open).flat_map(|open| at(close).map(move |close| (open, close))) {
            let kept = chars.iter().enumerate().filter(|(at, _)| *at != open && *at != close);
            regexes.push(kept.map(|(_, c)| *c).collect());
        }
    }
    regexes
}

/// Smaller numbers.
pub(super) fn less(number: u64) -> Vec<u64> {
    let mut numbers = vec![0, 1, 2, number / 2, number.saturating_sub(1)];
    numbers.retain(|other| *other < number);
    // One by one down from a million would take all the checks there are.
    if number > 64 {
        numbers.pop();
    }
    numbers
}

/// The same unit, fewer of it.
pub(super) fn fewer(quantity: &Quantity) -> Vec<Quantity> {
    let whole: u64 = quantity.digits.split('.').next().and_then(|digits| digits.parse().ok()).unwrap_or(0);
    let mut numbers = less(whole);
    if quantity.digits.contains('.') {
        numbers.push(whole);
    }
    let with = |digits: u64, unit: Option<String>| Quantity { digits: digits.to_string(), unit };
    let mut smaller: Vec<Quantity> = numbers.iter().map(|number| with(*number, quantity.unit.clone())).collect();
    let base = match quantity.unit.as_deref() {
        Some("KiB" | "MiB" | "GiB") => Some("B"),
        Some("s" | "min" | "h") => Some("ms"),
        _ => None,
    };
    smaller.extend(base.map(|unit| with(whole, Some(unit.to_owned()))));
    smaller
}

/// Characters that mean something to patterns, and the plainest letter.
pub(super) const PLAIN: &str = "a/*";
