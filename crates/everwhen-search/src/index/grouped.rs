//! A list of documents sorted by group, so that the documents of a group are adjacent.

use std::ops::Range;

use super::Index;

/// Some groups, and the documents of each in the order they were added.
#[derive(Debug, Clone, Default)]
pub(crate) struct GroupedDocuments {
    pub(crate) groups: Vec<u32>,
    pub(crate) documents: Vec<u32>,
    /// The position after the last document of each group.
    ends: Vec<usize>,
}

impl GroupedDocuments {
    /// Adds a group with those of its documents that `admits` accepts, if there are any.
    pub(crate) fn add(&mut self, index: &Index, group: u32, admits: impl Fn(u32) -> bool) {
        let first = self.documents.len();
        for run in index.runs_backwards(group) {
            self.documents.extend(run.rev().filter(|document| admits(*document)));
        }
        if self.documents.len() > first {
            self.documents[first..].reverse();
            self.groups.push(group);
            self.ends.push(self.documents.len());
        }
    }

    /// Adds a group with all of its documents, if there are any.
    pub(crate) fn add_all(&mut self, index: &Index, group: u32) {
        let mut runs = index.runs_backwards(group);
        match (runs.next(), runs.next()) {
            // Mostly one run holds all of them.
            (Some(run), None) => {
                self.documents.extend(run);
                self.groups.push(group);
                self.ends.push(self.documents.len());
            }
            _ => self.add(index, group, |_| true),
        }
    }

    /// Copies a group of another list; `range` are the positions of its documents there.
    pub(crate) fn copy_group(&mut self, other: &Self, position: usize, range: Range<usize>) {
        self.documents.extend_from_slice(&other.documents[range]);
        self.groups.push(other.groups[position]);
        self.ends.push(self.documents.len());
    }

    /// Iterates over the positions of the documents of each group.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = Range<usize>> + Clone {
        let mut start = 0;
        self.ends.iter().map(move |end| std::mem::replace(&mut start, *end)..*end)
    }

    /// Returns the positions of the documents of one group.
    pub(crate) fn range(&self, position: usize) -> Range<usize> {
        let start = position.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[position]
    }

    /// Returns the highest value among the documents of each group, at least zero.
    pub(crate) fn highest(&self, values: &[f32]) -> Vec<f32> {
        let highest = |range: Range<usize>| values[range].iter().copied().fold(0.0, f32::max);
        self.ranges().map(highest).collect()
    }
}
