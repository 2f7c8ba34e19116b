//! Vectors by embedder: those that answer questions, and those of another embedder on their way.
//!
//! Vectors of different embedders never mix. The ones that serve may lag behind the entries; an
//! entry without them is found by its words. Another embedder's gather aside, in the order of the
//! entries, and take over once no entry is missing.

use super::{Index, Vectors};

/// How far the vectors of one embedder have come.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    /// Whose they are; nobody's if empty.
    embedder: String,
    /// So many entries have theirs.
    entries: u32,
}

/// Vectors that do not serve yet.
#[derive(Debug, Default)]
pub(crate) struct Coming {
    coverage: Coverage,
    vectors: Vectors,
}

impl Coverage {
    fn of(embedder: &str) -> Self {
        Self { embedder: embedder.to_owned(), entries: 0 }
    }

    fn add(&mut self, vectors: &mut Vectors, entry: u32, passages: &[Vec<f32>]) {
        if entry == self.entries {
            passages.iter().for_each(|vector| vectors.add(entry, vector));
            self.entries += 1;
        }
    }
}

impl Index {
    /// The embedder whose vectors answer questions; empty if none does.
    pub(crate) fn served_by(&self) -> &str {
        &self.served.embedder
    }

    /// The first entry that waits for its vectors of this embedder.
    pub(crate) fn waiting(&self, embedder: &str) -> Option<u32> {
        let coming = self.coming.iter().map(|coming| &coming.coverage);
        let mut known = std::iter::once(&self.served).chain(coming);
        let done = known.find(|one| one.embedder == embedder).map_or(0, |one| one.entries);
        ((done as usize) < self.homes.len()).then_some(done)
    }

    /// The number of the first entry after a sequence.
    pub(crate) fn number_after(&self, sequence: u64) -> u32 {
        self.facts.partition_point(|facts| facts.sequence <= sequence) as u32
    }

    /// Takes in the vectors of an entry's passages. They count only in the order of the entries.
    pub(crate) fn embed(&mut self, embedder: &str, entry: u32, passages: &[Vec<f32>]) {
        if self.served.embedder.is_empty() {
            self.served = Coverage::of(embedder);
            self.unkeep();
        }
        if self.served_by() == embedder {
            self.served.add(&mut self.vectors, entry, passages);
            return self.note_vectors(entry);
        }
        let other = |coming: &Coming| coming.coverage.embedder != embedder;
        if self.coming.as_ref().is_none_or(other) {
            self.coming = Some(Coming { coverage: Coverage::of(embedder), ..Coming::default() });
        }
        if let Some(Coming { coverage, vectors }) = &mut self.coming {
            coverage.add(vectors, entry, passages);
        }
    }

    /// Lets vectors that are complete take over.
    pub(crate) fn take_over(&mut self) {
        let all = self.homes.len() as u32;
        let is_complete = |coming: &mut Coming| coming.coverage.entries == all && all > 0;
        if let Some(Coming { coverage, vectors }) = self.coming.take_if(is_complete) {
            (self.served, self.vectors) = (coverage, vectors);
            self.drawn.forget();
            self.unkeep();
        }
    }

    /// So many entries have the vectors that answer questions, or none will.
    pub(crate) fn served_up_to(&self) -> usize {
        if self.served.embedder.is_empty() {
            self.homes.len()
        } else {
            self.served.entries as usize
        }
    }

    /// Takes in vectors that a segment kept, if they follow on those that are there.
    pub(crate) fn embed_kept(&mut self, embedder: &str, entry: u32, rows: &[(&[i8], f32)]) {
        if self.served.embedder.is_empty() && entry == 0 {
            self.served = Coverage::of(embedder);
        }
        if self.served.embedder == embedder && self.served.entries == entry {
            rows.iter().for_each(|(values, scale)| self.vectors.add_row(entry, values, *scale));
            self.served.entries += 1;
            self.note_vectors(entry);
        }
    }

    fn note_vectors(&mut self, entry: u32) {
        if let Some(home) = self.homes.get(entry as usize) {
            self.drawn.note(home.conversation, self.conversations.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::memory::Role;
    use crate::recall::index::tests::index_of;

    #[test]
    fn another_embedder_takes_over_once_it_is_complete() {
        let mut index = index_of(&[(1, Role::User, "a"), (1, Role::User, "b")]);
        for entry in 0..2 {
            index.embed("old", entry, &[vec![1.0, 0.0]]);
        }
        assert_eq!(
            (index.served_by(), index.waiting("old"), index.vectors.len()),
            ("old", None, 2)
        );
        assert_eq!(index.waiting("new"), Some(0));
        index.embed("new", 1, &[vec![1.0]]);
        assert_eq!(index.waiting("new"), Some(0), "out of order");
        index.embed("new", 0, &[vec![1.0], vec![1.0]]);
        index.take_over();
        assert_eq!((index.served_by(), index.waiting("new")), ("old", Some(1)));
        index.embed("new", 1, &[]);
        index.take_over();
        assert_eq!(
            (index.served_by(), index.waiting("new"), index.vectors.len()),
            ("new", None, 2)
        );
    }

    #[test]
    fn vectors_that_serve_may_lag_behind() {
        let mut index = index_of(&[(1, Role::User, "a"), (1, Role::User, "b")]);
        index.embed("one", 0, &[vec![1.0]]);
        assert_eq!((index.served_by(), index.waiting("one")), ("one", Some(1)));
    }
}
