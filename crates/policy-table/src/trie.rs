//! Literals at one end of a string -> an automaton that grows by what they do not share.
//!
//! However many literals there are, a walk ends at the first byte that none of them has.

use std::borrow::Cow;

use table_format::{After, Class, Direction};

use crate::automaton::{Draft, Next, States};
use crate::collections::{SetId, Sets};
use crate::needle::{Beyond, Literal};

/// Adds the states that find these literals, each with its needle, and returns the start.
pub(crate) fn build(literals: &[(&Literal, u32)], direction: Direction, states: &mut States, sets: &mut Sets) -> Next {
    let tree = Tree::new(literals, direction);
    let found = tree.top_down(sets);
    tree.bottom_up(&found, direction, states)
}

/// A node and, from its parent, the bytes between them.
#[derive(Debug, Default)]
struct Node {
    /// Bytes before it.
    depth: usize,
    /// The index of a key that passes through it.
    key: usize,
    children: Vec<usize>,
    ending: Ending,
}

/// Needles whose literal ends at a node, by what may lie beyond.
#[derive(Debug, Default)]
struct Ending {
    nothing: Vec<u32>,
    slash: Vec<u32>,
    anything: Vec<u32>,
    more: Vec<u32>,
}

impl Ending {
    fn add(&mut self, beyond: Beyond, needle: u32) {
        match beyond {
            Beyond::Nothing => self.nothing.push(needle),
            Beyond::Slash => self.slash.push(needle),
            Beyond::Anything => self.anything.push(needle),
            Beyond::More => self.more.push(needle),
        }
    }
}

/// The sets found at a node.
#[derive(Debug, Clone, Copy, Default)]
struct Found {
    /// If the string ends here.
    end: SetId,
    /// If a slash follows.
    slash: SetId,
    /// If another byte follows.
    other: SetId,
}

struct Tree<'a> {
    /// Literals in the order of the walk: reversed if it starts at the end.
    keys: Vec<Cow<'a, [u8]>>,
    nodes: Vec<Node>,
}

impl<'a> Tree<'a> {
    fn new(literals: &[(&'a Literal, u32)], direction: Direction) -> Self {
        let key = |literal: &'a Literal| match direction {
            Direction::Forward => Cow::Borrowed(literal.bytes.as_slice()),
            Direction::Backward => Cow::Owned(literal.bytes.iter().rev().copied().collect()),
        };
        let mut keys: Vec<(Cow<'a, [u8]>, Beyond, u32)> =
            literals.iter().map(|(literal, needle)| (key(literal), literal.beyond, *needle)).collect();
        keys.sort_unstable();
        let mut tree = Self { keys: Vec::with_capacity(keys.len()), nodes: vec![Node::default()] };
        let mut path = vec![ROOT];
        let mut keys = keys.into_iter().peekable();
        while let Some((key, beyond, needle)) = keys.next() {
            let mut ending = Ending::default();
            ending.add(beyond, needle);
            while let Some((_, beyond, needle)) = keys.next_if(|(other, ..)| *other == key) {
                ending.add(beyond, needle);
            }
            tree.insert(key, ending, &mut path);
        }
        tree
    }

    /// Adds a key greater than all before it. `path` leads from the root to the last one.
    fn insert(&mut self, key: Cow<'a, [u8]>, ending: Ending, path: &mut Vec<usize>) {
        let shared = self.keys.last().map_or(0, |last| last.iter().zip(key.iter()).take_while(|(a, b)| a == b).count());
        let number = self.keys.len();
        let depth = key.len();
        self.keys.push(key);
        let mut below = None;
        while let Some(top) = path.last().copied().filter(|top| self.depth(*top) > shared) {
            path.pop();
            below = Some(top);
        }
        let top = path.last().copied().unwrap_or(ROOT);
        if self.depth(top) < shared
            && let Some(below) = below
        {
            let middle = self.add(Node { depth: shared, key: number, children: vec![below], ..Node::default() });
            if let Some(last) = self.nodes.get_mut(top).and_then(|node| node.children.last_mut()) {
                *last = middle;
            }
            path.push(middle);
        }
        let top = path.last().copied().unwrap_or(ROOT);
        if depth == self.depth(top) {
            if let Some(node) = self.nodes.get_mut(top) {
                node.ending = ending;
            }
            return;
        }
        let leaf = self.add(Node { depth, key: number, ending, ..Node::default() });
        if let Some(node) = self.nodes.get_mut(top) {
            node.children.push(leaf);
        }
        path.push(leaf);
    }

    fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn depth(&self, node: usize) -> usize {
        self.nodes.get(node).map_or(0, |node| node.depth)
    }

    /// Returns the bytes from a node to its child, in the order of the walk.
    fn edge(&self, node: &Node, child: &Node) -> &[u8] {
        self.keys.get(child.key).and_then(|key| key.get(node.depth..child.depth)).unwrap_or_default()
    }

    /// Computes what has been found at each node, parents before children.
    fn top_down(&self, sets: &mut Sets) -> Vec<(usize, Found)> {
        let mut found = Vec::with_capacity(self.nodes.len());
        let mut open = vec![(ROOT, Sets::EMPTY)];
        while let Some((number, before)) = open.pop() {
            let Some(node) = self.nodes.get(number) else {
                continue;
            };
            let ending = &node.ending;
            let here = sets.with(before, &ending.anything);
            let at_end = sets.with(here, &ending.nothing);
            let other = sets.with(here, &ending.more);
            let at = Found { end: sets.with(at_end, &ending.slash), slash: sets.with(other, &ending.slash), other };
            found.push((number, at));
            for child in node.children.iter().rev() {
                let is_slash =
                    self.nodes.get(*child).is_some_and(|child| self.edge(node, child).first() == Some(&b'/'));
                open.push((*child, if is_slash { at.slash } else { at.other }));
            }
        }
        found
    }

    fn bottom_up(&self, found: &[(usize, Found)], direction: Direction, states: &mut States) -> Next {
        let mut targets = vec![Reached::Next(Next::Done(Class(0))); self.nodes.len()];
        for (number, at) in found.iter().rev() {
            let target = match self.nodes.get(*number) {
                Some(node) => self.reached(node, *at, &targets, direction, states),
                None => continue,
            };
            if let Some(place) = targets.get_mut(*number) {
                *place = target;
            }
        }
        targets.first().map_or(Next::Done(Class(0)), |root| root.state(states))
    }

    fn reached(
        &self,
        node: &Node,
        at: Found,
        targets: &[Reached],
        direction: Direction,
        states: &mut States,
    ) -> Reached {
        let children = node.children.iter().filter_map(|child| Some((self.nodes.get(*child)?, *targets.get(*child)?)));
        let is_plain = at.end == at.other && at.slash == at.other;
        if let ([only], true) = (node.children.as_slice(), is_plain)
            && let (Some(child), Some(target)) = (self.nodes.get(*only), targets.get(*only))
        {
            return Reached::Next(target.after(self.edge(node, child), at.other, direction, states));
        }
        if node.children.is_empty() {
            if is_plain {
                return Reached::Next(Next::Done(Class(at.other)));
            }
            if at.slash == at.end || at.slash == at.other {
                return Reached::Leaf(at);
            }
        }
        let mut edges: Vec<(u8, Next)> = Vec::with_capacity(node.children.len() + 1);
        for (child, target) in children {
            let Some((first, rest)) = self.edge(node, child).split_first() else {
                continue;
            };
            let miss = if *first == b'/' { at.slash } else { at.other };
            edges.push((*first, target.after(rest, miss, direction, states)));
        }
        if at.slash != at.other && edges.iter().all(|(byte, _)| *byte != b'/') {
            edges.push((b'/', Next::Done(Class(at.slash))));
            edges.sort_unstable_by_key(|(byte, _)| *byte);
        }
        Reached::Next(states.push(Draft::Choice { edges, otherwise: Next::Done(Class(at.other)), end: Class(at.end) }))
    }
}

/// The result of a walk at a node.
#[derive(Debug, Clone, Copy)]
enum Reached {
    Next(Next),
    /// The end of a literal that no other continues. The find depends on whether nothing follows, or on whether
    /// nothing or a slash does.
    Leaf(Found),
}

impl Reached {
    /// Returns where a walk goes that reads these bytes first, and finds `miss` if the string has others.
    fn after(self, bytes: &[u8], miss: SetId, direction: Direction, states: &mut States) -> Next {
        match self {
            Self::Leaf(at) if at.other == miss && !bytes.is_empty() => {
                let after = if at.slash == at.end { After::SlashOrNothing } else { After::Nothing };
                states.run(bytes, after, Next::Done(Class(at.end)), Class(miss), direction)
            }
            Self::Next(_) | Self::Leaf(_) => {
                let next = self.state(states);
                states.run(bytes, After::Anything, next, Class(miss), direction)
            }
        }
    }

    /// Converts to a state of its own.
    fn state(self, states: &mut States) -> Next {
        match self {
            Self::Next(next) => next,
            Self::Leaf(at) => {
                let is_slash = at.slash != at.other;
                let edges = is_slash.then_some((b'/', Next::Done(Class(at.slash)))).into_iter().collect();
                states.push(Draft::Choice { edges, otherwise: Next::Done(Class(at.other)), end: Class(at.end) })
            }
        }
    }
}

const ROOT: usize = 0;
