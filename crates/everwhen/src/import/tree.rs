//! Messages that know their parent: the line that was current, and the branches beside it.
//!
//! Trees of other programs have several roots, parents that do not exist and circles. The walk is
//! iterative, visits everything once, and depends on ids and times alone, never on the order of the
//! file.

use std::collections::HashMap;

use jiff::Timestamp;

/// A node of a tree.
pub(crate) struct Node<'n> {
    pub(crate) id: &'n str,
    pub(crate) parent: Option<&'n str>,
    /// When it was said, if that is known.
    pub(crate) time: Option<Timestamp>,
}

/// The nodes of the current line, root first, and of each branch: what it has of its own.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Lines {
    pub(crate) main: Vec<usize>,
    pub(crate) branches: Vec<Side>,
}

/// A branch.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Side {
    /// Its nodes, the one next to the fork first.
    pub(crate) nodes: Vec<usize>,
    /// The node that is current instead of the first of them, if there is one.
    pub(crate) instead: Option<usize>,
}

/// Finds the lines of a tree. `current` is the last node of the current line; if it is unknown or
/// missing, the newest leaf is.
pub(crate) fn lines(nodes: &[Node<'_>], current: Option<&str>) -> Lines {
    if nodes.is_empty() {
        return Lines { main: Vec::new(), branches: Vec::new() };
    }
    let parents = parents(nodes);
    let mut has_child = vec![false; nodes.len()];
    parents.iter().flatten().for_each(|parent| has_child[*parent] = true);
    let named = current.and_then(|id| nodes.iter().position(|node| node.id == id));
    let mut leaves: Vec<usize> = (0..nodes.len()).filter(|node| !has_child[*node]).collect();
    let key = |node: &usize| (latest(nodes, &parents, *node), nodes[*node].id);
    leaves.sort_by(|one, other| key(other).cmp(&key(one)));
    let tip = named.or_else(|| leaves.first().copied()).unwrap_or(0);
    let mut taken = vec![false; nodes.len()];
    let main = up(&parents, tip, &mut taken);
    let mut branches = Vec::new();
    // Leaves first; then what only a circle or a named inner node keeps from being reached.
    let mut rest: Vec<usize> = (0..nodes.len()).filter(|node| has_child[*node]).collect();
    rest.sort_by(|one, other| key(other).cmp(&key(one)));
    for leaf in leaves.into_iter().chain(rest) {
        if !taken[leaf] {
            let own = up(&parents, leaf, &mut taken);
            let instead = sibling(&parents, &main, own[0]);
            branches.push(Side { nodes: own, instead });
        }
    }
    let first =
        |side: &Side| (side.nodes.first().and_then(|n| nodes[*n].time), nodes[side.nodes[0]].id);
    branches.sort_by(|one, other| first(one).cmp(&first(other)));
    Lines { main, branches }
}

fn parents(nodes: &[Node<'_>]) -> Vec<Option<usize>> {
    let places: HashMap<&str, usize> =
        nodes.iter().enumerate().map(|(place, node)| (node.id, place)).collect();
    let found = nodes.iter().enumerate().map(|(place, node)| {
        node.parent.and_then(|parent| places.get(parent).copied()).filter(|found| *found != place)
    });
    found.collect()
}

/// The time of a node or of the nearest above it that has one.
fn latest(nodes: &[Node<'_>], parents: &[Option<usize>], node: usize) -> Option<Timestamp> {
    let mut at = Some(node);
    for _ in 0..64 {
        let place = at?;
        if nodes[place].time.is_some() {
            return nodes[place].time;
        }
        at = parents[place];
    }
    None
}

/// The line from a node up to what is taken already, root first.
fn up(parents: &[Option<usize>], from: usize, taken: &mut [bool]) -> Vec<usize> {
    let mut line = Vec::new();
    let mut at = Some(from);
    while let Some(place) = at.filter(|place| !taken[*place]) {
        taken[place] = true;
        line.push(place);
        at = parents[place];
    }
    line.reverse();
    line
}

/// What the current line has after the parent of this node.
fn sibling(parents: &[Option<usize>], main: &[usize], node: usize) -> Option<usize> {
    main.iter().copied().find(|other| parents[*other] == parents[node])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node<'n>(id: &'n str, parent: Option<&'n str>, second: i64) -> Node<'n> {
        Node { id, parent, time: Timestamp::from_second(second).ok() }
    }

    #[test]
    fn the_current_line_and_its_branches() {
        let tree = [
            node("r", None, 0),
            node("u1", Some("r"), 1),
            node("a1", Some("u1"), 2),
            node("u2", Some("r"), 5),
            node("a2", Some("u2"), 4),
        ];
        let lines = lines(&tree, Some("a2"));
        assert_eq!(lines.main, [0, 3, 4]);
        assert_eq!(lines.branches, [Side { nodes: vec![1, 2], instead: Some(3) }]);
    }

    #[test]
    fn circles_orphans_and_several_roots_end() {
        let tree = [
            node("a", Some("b"), 1),
            node("b", Some("a"), 2),
            node("c", Some("gone"), 3),
            node("d", None, 4),
            node("e", Some("e"), 0),
        ];
        let lines = lines(&tree, Some("dangling"));
        assert_eq!(lines.main, [3]);
        let count: usize = lines.branches.iter().map(|side| side.nodes.len()).sum();
        assert_eq!(count, 4);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let names: Vec<String> = (0..100_000).map(|n| format!("n{n}")).collect();
        let tree: Vec<Node<'_>> = (0..names.len())
            .map(|n| node(&names[n], n.checked_sub(1).map(|p| names[p].as_str()), n as i64))
            .collect();
        assert_eq!(lines(&tree, None).main.len(), 100_000);
    }
}
