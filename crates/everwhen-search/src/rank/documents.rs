//! The signals of documents.

use std::borrow::Cow;

use super::{FusedScores, Ranker};
use crate::signal::Signal;

impl Ranker<'_> {
    /// Fuses the signals of the candidate documents, without those of their groups.
    pub(super) fn fuse_documents(&self) -> FusedScores<'_> {
        let mut fused = FusedScores::new(self.candidates.of_documents());
        for (signal, weight) in self.weights.documents.iter() {
            if let Some(values) = self.document_values(signal) {
                fused.add(signal, weight, values);
            }
        }
        fused
    }

    /// Adds the score of its group to each document.
    pub(super) fn add_group_scores(
        &self,
        documents: &mut FusedScores<'_>,
        groups: &FusedScores<'_>,
    ) {
        let weight = self.weights.documents.group;
        if weight == 0.0 {
            return;
        }
        let mut scores = Vec::with_capacity(self.candidates.documents.len());
        for (range, score) in self.candidates.ranges().zip(&groups.scores) {
            scores.resize(range.end, *score);
        }
        documents.add(Signal::Group, weight, Cow::Owned(scores));
    }

    /// Returns the values of a signal in the order of the documents; `None` if it does not apply or is
    /// added later.
    fn document_values(&self, signal: Signal) -> Option<Cow<'_, [f32]>> {
        let meaning = self.meaning.as_ref().map(|_| &self.document_meaning[..]);
        match signal {
            Signal::Words => Some(Cow::Borrowed(&self.document_words)),
            Signal::WordsNearby => Some(self.of_neighbours(&self.document_words)),
            Signal::Meaning => meaning.map(Cow::Borrowed),
            Signal::MeaningNearby => meaning.map(|values| self.of_neighbours(values)),
            Signal::Speaker => {
                let has_speakers = !self.query.speakers.is_empty();
                has_speakers
                    .then(|| self.each_document(|document| self.has_asked_speaker(document)))
            }
            Signal::FirstPerson => Some(self.each_document(|document| self.first_person(document))),
            Signal::Period => {
                let has_period = self.times.has_period();
                has_period.then(|| self.each_document(|document| self.times.document(document)))
            }
            Signal::Recent => {
                Some(self.each_document(|document| self.times.recent_document(document)))
            }
            // Added once the groups are scored, or to the leading documents only.
            Signal::Group | Signal::Inside | Signal::Order => None,
            Signal::Sibling | Signal::Documents | Signal::WordPairs => None,
        }
    }

    fn each_document(&self, value: impl Fn(u32) -> f32) -> Cow<'_, [f32]> {
        self.candidates.documents.iter().map(|document| value(*document)).collect()
    }

    /// Returns 1 if a document was said by the one that the query asks about.
    fn has_asked_speaker(&self, document: u32) -> f32 {
        let speaker = self.index.documents.speaker(document);
        let is_reply = self.index.placements[document as usize].is_reply();
        f32::from(u8::from(self.query.speakers.contain(speaker, is_reply)))
    }

    /// Returns how much the author of a document speaks about themselves: questions are about what a person did,
    /// has or likes, and an answer to the other says little of it. A reply is about its reader.
    fn first_person(&self, document: u32) -> f32 {
        let placement = self.index.placements[document as usize];
        if placement.is_reply() { 0.0 } else { placement.first_person() as f32 }
    }

    /// Returns whether the document at a position is a reply.
    pub(super) fn is_reply(&self, position: usize) -> bool {
        self.index.placements[self.candidates.documents[position] as usize].is_reply()
    }

    /// Returns the higher value of the previous and the next document in the same group: an answer
    /// follows its question, and what is meant is often said next to it.
    fn of_neighbours(&self, values: &[f32]) -> Cow<'_, [f32]> {
        let mut highest = vec![0.0; values.len()];
        // All documents first, whatever their groups: that is a loop without branches.
        for (highest, before) in highest.iter_mut().skip(1).zip(values) {
            *highest = before.max(*highest);
        }
        for (highest, next) in highest.iter_mut().zip(values.iter().skip(1)) {
            *highest = next.max(*highest);
        }
        for range in self.candidates.ranges() {
            let (first, last) = (range.start, range.end - 1);
            let inside = |one: usize| if range.contains(&one) { values[one] } else { 0.0 };
            highest[first] = inside(first + 1).max(0.0);
            if last > first {
                highest[last] = inside(last - 1).max(0.0);
            }
        }
        Cow::Owned(highest)
    }
}
