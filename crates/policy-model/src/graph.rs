//! Edges -> an order in which everything comes after what it includes, and the edges that forbid one.

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Order {
    /// Each node after the nodes it points at, cycles aside.
    pub(crate) nodes: Vec<usize>,
    /// Edges (from, to) that close a cycle.
    pub(crate) closing: Vec<(usize, usize)>,
}

/// Sorts the nodes of a graph, without recursion: a chain may be as long as a file allows.
pub(crate) fn order(edges: &[Vec<usize>]) -> Order {
    let mut state = vec![State::New; edges.len()];
    let mut found = Order { nodes: Vec::with_capacity(edges.len()), closing: Vec::new() };
    for start in 0..edges.len() {
        let mut way = vec![(start, 0)];
        while let Some((node, next)) = way.pop() {
            if next == 0 {
                if state.get(node) != Some(&State::New) {
                    continue;
                }
                set(&mut state, node, State::OnTheWay);
            }
            let target = edges.get(node).and_then(|targets| targets.get(next));
            let Some(target) = target else {
                set(&mut state, node, State::Done);
                found.nodes.push(node);
                continue;
            };
            way.push((node, next + 1));
            match state.get(*target) {
                Some(State::New) => way.push((*target, 0)),
                Some(State::OnTheWay) => found.closing.push((node, *target)),
                Some(State::Done) | None => {}
            }
        }
    }
    found
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    OnTheWay,
    Done,
}

fn set(state: &mut [State], node: usize, to: State) {
    if let Some(state) = state.get_mut(node) {
        *state = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_included_comes_first() {
        let found = order(&[vec![1, 2], vec![2], vec![], vec![0]]);
        assert_eq!(found, Order { nodes: vec![2, 1, 0, 3], closing: vec![] });
    }

    #[test]
    fn each_cycle_is_closed_by_one_edge() {
        assert_eq!(order(&[vec![1], vec![0]]).closing, [(1, 0)]);
        assert_eq!(order(&[vec![0]]).closing, [(0, 0)]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let edges: Vec<_> = (0..200_000).map(|n| if n == 0 { vec![] } else { vec![n - 1] }).collect();
        assert_eq!(order(&edges).nodes.len(), 200_000);
    }
}
