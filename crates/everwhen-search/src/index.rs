//! The index: a data structure in memory, fed with documents in the order of their sequence numbers.
//!
//! Terms point at documents; scores of groups are added up during a search, from the group each
//! document belongs to at that moment. So a document that is removed or moves to another group changes
//! a few numbers and no postings, and a search as of an earlier time uses the same structure.

mod document_list;
mod embedders;
mod end_order;
mod group_counts;
mod grouped;
mod history;
mod lexicon;
mod postings;
mod sample;
mod score_buffer;
mod segment;
mod text_table;
mod token_terms;

use std::collections::HashMap;
use std::ops::Range;

pub(crate) use end_order::LONG;
pub(crate) use group_counts::{GroupCount, GroupCounts, Totals};
pub(crate) use grouped::GroupedDocuments;
pub(crate) use history::PastView;
pub(crate) use lexicon::{Form, Term};
pub use postings::SEGMENT_DOCUMENTS;
pub(crate) use postings::{Occurrences, PostingLists, Postings};
pub(crate) use sample::{GroupSample, SAMPLE_GROUPS};
pub(crate) use score_buffer::{BufferPool, ScoreBuffer};
pub use segment::{DecodedSegment, InvalidSegment, Segment};

use self::document_list::DocumentList;
use self::embedders::{PendingVectors, VectorCoverage};
use self::end_order::EndOrder;
use self::history::History;
use self::lexicon::Lexicon;
use self::sample::CachedSample;
use crate::document::{
    Document, DocumentInfo, DocumentState, FIRST_PERSON_MOST, GroupId, Micros, NO_DOCUMENT,
    Placement,
};
use crate::text::{Language, ends_by_asking};
use crate::vectors::PassageVectors;

/// A search index. Documents and groups are numbered from zero, in the order they were first added.
#[derive(Debug, Clone, Default)]
pub struct Index {
    /// The caller's version of the document states, as passed to [`Index::update_states`].
    pub generation: u64,
    /// The highest sequence number up to which all documents are in the index. The caller may raise it
    /// if no documents exist in between.
    pub sequence: u64,
    lexicon: Lexicon,
    words: PostingLists,
    /// What scoring reads for every occurrence of a term.
    pub(crate) placements: Vec<Placement>,
    /// The rest of what is known of each document.
    pub(crate) documents: DocumentList,
    /// The identifier of each group.
    pub(crate) groups: Vec<GroupId>,
    group_numbers: HashMap<GroupId, u32>,
    /// The first document of each group, in the order they were added.
    first_documents: Vec<u32>,
    /// The last document of each group.
    last_documents: Vec<u32>,
    /// The document before each one in the same group.
    previous: Vec<u32>,
    /// The first of the consecutive documents that end with the last one, for each group.
    last_runs: Vec<u32>,
    /// Names of speakers in lower case, by number.
    pub(crate) speakers: Vec<String>,
    /// The vectors that are searched.
    pub(crate) vectors: PassageVectors,
    active: VectorCoverage,
    pending: Option<PendingVectors>,
    /// Counts over the current documents.
    pub(crate) counts: GroupCounts,
    end_order: EndOrder,
    history: History,
    cached_sample: CachedSample,
    /// Buffers that searches write scores of documents to.
    pub(crate) document_buffers: BufferPool,
    /// Buffers for the scores of groups, of which there are fewer.
    pub(crate) group_buffers: BufferPool,
    segments: segment::SegmentRanges,
}

impl Index {
    /// Returns the number of documents, including those that are not current.
    pub fn len(&self) -> usize {
        self.placements.len()
    }

    /// Returns whether no document was added.
    pub fn is_empty(&self) -> bool {
        self.placements.is_empty()
    }

    /// Adds a document and returns its number. Documents are added in the order of their sequence
    /// numbers. Vectors of its passages follow by [`Index::add_vectors`].
    pub fn add(&mut self, document: &Document<'_>) -> u32 {
        let number = self.len() as u32;
        self.reopen_last_segment();
        let group = self.group_number(document.group);
        let (length, first_person) = self.add_words(group, document.text);
        // An entry that ends by asking waits for what the other has to tell.
        let asks = u32::from(ends_by_asking(document.text));
        let told = first_person.min(FIRST_PERSON_MOST).saturating_sub(asks);
        self.add_tags(group, document.tags);
        self.words.end_document();
        let placement = Placement::new(group, length, document.source, document.is_reply)
            .with_first_person(told);
        let info = DocumentInfo {
            id: document.id,
            sequence: document.sequence,
            time: document.time,
            created: document.created,
            removed: document.removed.unwrap_or(Micros::MAX),
            lasts: document.lasts,
            speaker: self.speaker_number(document.speaker),
            source: document.source,
        };
        self.push(placement, &info);
        self.close_full_segment();
        number
    }

    /// Reserves space for documents of segments that are about to be added, and for a few more: the first one
    /// that follows would otherwise move all of them.
    pub fn reserve(&mut self, documents: usize) {
        let documents = documents + documents / 64 + 64;
        self.placements.reserve_exact(documents);
        self.documents.reserve(documents);
        self.previous.reserve_exact(documents);
        self.vectors.reserve(documents);
    }

    /// Appends a document whose words are indexed separately.
    fn push(&mut self, placement: Placement, info: &DocumentInfo) {
        self.documents.push(info);
        self.place(placement);
        self.sequence = info.sequence;
    }

    /// Appends the placement of the next document, of which all else is in the list of documents already.
    fn place(&mut self, mut placement: Placement) {
        let number = self.len() as u32;
        placement.set_current(self.documents.removed(number) == Micros::MAX);
        self.placements.push(placement);
        self.previous.push(NO_DOCUMENT);
        self.history.runs_back |= self.documents.runs_back_at(number);
        self.link(number);
        self.history.add(number, &placement, self.previous[number as usize] == NO_DOCUMENT);
        if placement.is_current() {
            let times = self.documents.times(number);
            self.end_order.document_added(&self.counts, placement.group, times);
            self.counts.add(&placement, times);
        }
        self.cached_sample.group_changed(placement.group, self.groups.len());
    }

    /// Sets the state of every document up to the sequence number `up_to`. A document that is not among
    /// the states was erased, and no search finds it any more.
    pub fn update_states(&mut self, generation: u64, up_to: u64, states: &[DocumentState]) {
        let by_sequence: HashMap<u64, &DocumentState> =
            states.iter().map(|state| (state.sequence, state)).collect();
        for number in 0..self.len() {
            let sequence = self.documents.sequence(number as u32);
            if sequence <= up_to {
                self.update_state(number, by_sequence.get(&sequence).copied());
            }
        }
        self.recount();
        self.generation = generation;
    }

    fn update_state(&mut self, number: usize, state: Option<&DocumentState>) {
        let Some(state) = state else {
            self.documents.set_removed(number as u32, Micros::MIN);
            self.placements[number].set_current(false);
            return;
        };
        self.placements[number].group = self.group_number(state.group);
        self.placements[number].set_current(state.removed.is_none());
        self.documents.set_removed(number as u32, state.removed.unwrap_or(Micros::MAX));
    }

    /// Rebuilds everything that depends on the states of documents.
    fn recount(&mut self) {
        self.first_documents.fill(NO_DOCUMENT);
        self.last_documents.fill(NO_DOCUMENT);
        self.counts = GroupCounts::default();
        self.end_order.clear();
        self.history.clear();
        self.cached_sample.clear();
        for number in 0..self.len() {
            self.link(number as u32);
            let placement = self.placements[number];
            self.history.add(number as u32, &placement, self.previous[number] == NO_DOCUMENT);
            if placement.is_current() {
                self.counts.add(&placement, self.documents.times(number as u32));
            }
        }
    }

    /// Links a document to the last one of its group.
    fn link(&mut self, number: u32) {
        let group = self.placements[number as usize].group;
        let last = std::mem::replace(&mut self.last_documents[group as usize], number);
        self.previous[number as usize] = last;
        if last == NO_DOCUMENT {
            self.first_documents[group as usize] = number;
        }
        if last == NO_DOCUMENT || last + 1 != number {
            self.last_runs[group as usize] = number;
        }
    }

    /// Iterates over the documents of a group, the last one first, current or not.
    pub(crate) fn documents_backwards(&self, group: u32) -> impl Iterator<Item = u32> {
        self.runs_backwards(group).flat_map(Iterator::rev)
    }

    /// Iterates over the documents of a group in runs of consecutive numbers, the last run first.
    /// Mostly one run holds all of them.
    fn runs_backwards(&self, group: u32) -> impl Iterator<Item = Range<u32>> {
        let mut first = self.last_runs[group as usize];
        let mut next = self.last_documents[group as usize];
        std::iter::from_fn(move || {
            let last = (next != NO_DOCUMENT).then_some(next)?;
            let run = first.min(last)..last + 1;
            next = self.previous[run.start as usize];
            first = next;
            Some(run)
        })
    }

    /// Returns what is known of a document.
    pub fn document(&self, number: u32) -> DocumentInfo {
        self.documents.get(number)
    }

    /// Returns whether a document is current.
    pub fn is_current(&self, number: u32) -> bool {
        self.placements[number as usize].is_current()
    }

    /// Returns the group of a document.
    pub fn group_of(&self, number: u32) -> GroupId {
        self.group(self.placements[number as usize].group)
    }

    /// Returns the identifier of the group with this number.
    pub fn group(&self, number: u32) -> GroupId {
        self.groups[number as usize]
    }

    /// Returns the number of a group, if any document is in it.
    pub fn known_group(&self, id: GroupId) -> Option<u32> {
        self.group_numbers.get(&id).copied()
    }

    /// Returns the number of the first document after a sequence number.
    pub fn number_after(&self, sequence: u64) -> u32 {
        self.documents.number_after(sequence)
    }

    /// Prefetches what [`Index::document`] returns.
    pub fn prefetch_document(&self, number: u32) {
        self.documents.prefetch(number);
    }

    /// Returns the term of a token, if any document contains it.
    pub(crate) fn term(&self, token: &str) -> Option<Term> {
        self.lexicon.term(token)
    }

    /// Returns the terms of a token in some languages, if any document contains them.
    pub(crate) fn forms(&self, token: &str, languages: &[Language]) -> Vec<Form> {
        self.lexicon.terms(token, languages)
    }

    /// Returns the languages in which documents are written.
    pub(crate) fn languages(&self) -> Vec<Language> {
        self.lexicon.languages()
    }

    /// Returns where a term occurs.
    pub(crate) fn postings(&self, term: Term) -> Postings<'_> {
        self.words.of(term)
    }

    /// Returns the approximate number of bytes in use.
    pub fn size(&self) -> usize {
        self.lexicon.size()
            + self.words.size()
            + self.documents.size()
            + self.placements.capacity() * size_of::<Placement>()
            + self.previous.capacity() * 4
            + self.groups.capacity() * 72
            + self.counts.size()
            + self.history.size()
            + self.vectors.size()
            + self.pending.as_ref().map_or(0, PendingVectors::size)
    }

    /// Indexes the terms of a text. Returns how many there are, and how many pronouns of the first person.
    fn add_words(&mut self, group: u32, text: &str) -> (u32, u32) {
        let (mut terms, mut length) = (Vec::new(), 0);
        let first_person = self.lexicon.add_text(text, |form| match form {
            Form::Written(term) => {
                terms.push(term);
                length += 1;
            }
            Form::Plain(term) => terms.push(term),
        });
        self.words.reserve(self.lexicon.len());
        terms.sort_unstable();
        for same in terms.chunk_by(|a, b| a == b) {
            self.words.add(same[0], same.len() as u32, group);
        }
        (length, first_person)
    }

    /// Indexes tags, each as a term of its own.
    fn add_tags(&mut self, group: u32, tags: &[&str]) {
        let mut terms: Vec<Term> = tags.iter().map(|tag| self.lexicon.add_tag(tag)).collect();
        self.words.reserve(self.lexicon.len());
        terms.sort_unstable();
        terms.dedup();
        terms.into_iter().for_each(|term| self.words.add(term, 1, group));
    }

    /// Returns the documents with at least one of these tags, in rising order, current or not.
    pub fn tagged(&self, tags: &[&str]) -> Vec<u32> {
        let terms = tags.iter().filter_map(|tag| self.lexicon.tag(tag));
        let documents = terms.flat_map(|term| self.postings(term).iter());
        let mut documents: Vec<u32> = documents.map(|(document, _)| document).collect();
        documents.sort_unstable();
        documents.dedup();
        documents
    }

    fn group_number(&mut self, id: GroupId) -> u32 {
        let next = self.groups.len() as u32;
        let number = *self.group_numbers.entry(id).or_insert(next);
        if number == next {
            self.groups.push(id);
            self.first_documents.push(NO_DOCUMENT);
            self.last_documents.push(NO_DOCUMENT);
            self.last_runs.push(NO_DOCUMENT);
        }
        number
    }

    fn speaker_number(&mut self, speaker: Option<&str>) -> u16 {
        let Some(name) = speaker.map(str::to_lowercase) else { return 0 };
        let known = self.speakers.iter().position(|known| *known == name);
        let position = known.unwrap_or_else(|| {
            self.speakers.push(name);
            self.speakers.len() - 1
        });
        u16::try_from(position + 1).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests;
