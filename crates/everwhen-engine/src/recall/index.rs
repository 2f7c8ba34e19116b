//! The index of one memory: a pure data structure, fed with entries in sequence order.
//!
//! Terms point at entries; everything about conversations is added up when a question is asked,
//! from where each entry stands at that moment. So an entry that is corrected, moved or forgotten
//! changes a few numbers here and no postings, and a question `as_of` an earlier time is answered
//! from the same structure.

mod census;
mod dot;
mod entries;
mod gathering;
mod lexicon;
mod meanings;
mod order;
mod past;
mod postings;
mod regions;
mod rows;
mod sample;
mod segment;
mod sketch;
mod slate;
mod vectors;

use std::collections::HashMap;
use std::ops::Range;

use jiff::Timestamp;

pub(crate) use census::{Census, Part, Totals};
pub use dot::nearest_row;
pub(crate) use entries::{EntryFacts, Home, Micros, NO_ENTRY, roles};
pub(crate) use gathering::Gathering;
pub(crate) use lexicon::Term;
pub(crate) use order::LONG;
pub(crate) use past::Then;
pub(crate) use postings::{Occurrences, Postings};
pub(crate) use sample::{SAMPLED, Sample};
pub(crate) use segment::{ENTRIES as SEGMENT_ENTRIES, Segment};
pub(crate) use slate::{Slate, Slates};
pub(crate) use vectors::{Rounded, Vectors};

use self::lexicon::Lexicon;
use self::meanings::{Coming, Coverage};
use self::order::Order;
use self::past::Past;
use self::rows::Rows;
use self::sample::Drawn;
use crate::memory::{ConversationId, Entry, Memory, Name};
use crate::ports::Standing;

/// The index of one memory.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// The memory's generation that standings were read at.
    pub(crate) generation: u64,
    /// Entries up to this sequence are in here, as far as they exist.
    pub(crate) sequence: u64,
    lexicon: Lexicon,
    postings: Vec<Postings>,
    /// Bytes in postings.
    posted: usize,
    /// What scoring looks at for every occurrence.
    pub(crate) homes: Vec<Home>,
    /// The rest of what is known of each entry.
    pub(crate) facts: Vec<EntryFacts>,
    /// The conversation of each number.
    pub(crate) conversations: Vec<ConversationId>,
    conversation_numbers: HashMap<ConversationId, u32>,
    /// The first and the last entry of each conversation, in the order they arrived.
    heads: Vec<u32>,
    tails: Vec<u32>,
    /// The entry before each in the same conversation.
    before: Vec<u32>,
    /// The first of the entries that come right behind each other up to the last one, of each
    /// conversation.
    runs: Vec<u32>,
    /// Names of speakers, in lower case, by number.
    pub(crate) speakers: Vec<String>,
    /// Vectors that answer questions.
    pub(crate) vectors: Vectors,
    served: Coverage,
    coming: Option<Coming>,
    /// Counts over the entries in force.
    pub(crate) census: Census,
    order: Order,
    past: Past,
    drawn: Drawn,
    rows: Rows,
    /// Where questions write.
    pub(crate) slates: Slates,
    /// Entries that segments hold.
    kept: usize,
    /// What full segments hold.
    frozen: segment::Frozen,
}

impl Index {
    /// Takes in an entry; entries come in sequence order. Vectors of its passages follow by
    /// [`Index::embed`].
    pub(crate) fn add(&mut self, entry: &Entry) -> u32 {
        let number = self.homes.len() as u32;
        let conversation = self.conversation_number(entry.conversation);
        let length = self.read(number, conversation, entry.content.as_str());
        self.note_tags(number, conversation, &entry.tags);
        let gone = gone_since(entry);
        let home = Home::new(conversation, length, entry.role, gone.is_none());
        let facts = EntryFacts {
            id: entry.id,
            sequence: entry.sequence,
            time: entry.conversation_time.as_microsecond(),
            created: entry.creation_time.as_microsecond(),
            gone: gone.map_or(Micros::MAX, Timestamp::as_microsecond),
            speaker: self.speaker_number(entry.speaker.as_ref()),
            role: entry.role,
        };
        self.push(home, facts);
        number
    }

    /// Puts an entry behind all others.
    fn push(&mut self, home: Home, facts: EntryFacts) {
        self.homes.push(home);
        self.before.push(NO_ENTRY);
        self.facts.push(facts);
        let number = self.homes.len() as u32 - 1;
        self.link(number);
        self.past.note(number, &home, self.before[number as usize] == NO_ENTRY);
        self.sequence = facts.sequence;
        if home.is_current() {
            self.order.note(&self.census, home.conversation, facts.time);
            self.census.count(&home, &facts);
        }
        self.drawn.note(home.conversation, self.conversations.len());
    }

    /// Puts every entry up to a sequence where it stands now. One that is not among the standings
    /// was forgotten.
    pub(crate) fn restand(&mut self, generation: u64, up_to: u64, standings: &[Standing]) {
        let by_sequence: HashMap<u64, &Standing> =
            standings.iter().map(|standing| (standing.sequence, standing)).collect();
        for number in 0..self.homes.len() {
            let sequence = self.facts[number].sequence;
            if sequence <= up_to {
                self.restand_one(number, by_sequence.get(&sequence).copied());
            }
        }
        self.rows.settle();
        self.recount();
        self.generation = generation;
    }

    fn restand_one(&mut self, number: usize, standing: Option<&Standing>) {
        let Some(standing) = standing else {
            self.rows.let_go(number as u32);
            self.facts[number].gone = Micros::MIN;
            self.homes[number].set_current(false);
            return;
        };
        let conversation = self.conversation_number(standing.conversation);
        if standing.gone_since.is_some() || conversation != self.homes[number].conversation {
            self.rows.let_go(number as u32);
        }
        self.homes[number].conversation = conversation;
        self.homes[number].set_current(standing.gone_since.is_none());
        self.facts[number].gone =
            standing.gone_since.map_or(Micros::MAX, Timestamp::as_microsecond);
    }

    /// Works out again what follows from where the entries stand.
    fn recount(&mut self) {
        self.heads.fill(NO_ENTRY);
        self.tails.fill(NO_ENTRY);
        self.census = Census::default();
        self.order.forget();
        self.past = Past::default();
        self.drawn.forget();
        for number in 0..self.homes.len() {
            self.link(number as u32);
            let home = self.homes[number];
            self.past.note(number as u32, &home, self.before[number] == NO_ENTRY);
            if home.is_current() {
                self.census.count(&home, &self.facts[number]);
            }
        }
    }

    /// Puts an entry behind the last one of its conversation.
    fn link(&mut self, number: u32) {
        let conversation = self.homes[number as usize].conversation;
        let tail = std::mem::replace(&mut self.tails[conversation as usize], number);
        self.before[number as usize] = tail;
        if tail == NO_ENTRY {
            self.heads[conversation as usize] = number;
        }
        if tail == NO_ENTRY || tail + 1 != number {
            self.runs[conversation as usize] = number;
        }
    }

    /// The entries of a conversation, the last one first, whatever became of them.
    pub(crate) fn backwards(&self, conversation: u32) -> impl Iterator<Item = u32> {
        self.stretches(conversation).flat_map(Iterator::rev)
    }

    /// The same in stretches: first the last ones, which mostly are all of them.
    fn stretches(&self, conversation: u32) -> impl Iterator<Item = Range<u32>> {
        let mut first = self.runs[conversation as usize];
        let mut next = self.tails[conversation as usize];
        std::iter::from_fn(move || {
            let last = (next != NO_ENTRY).then_some(next)?;
            let stretch = first.min(last)..last + 1;
            next = self.before[stretch.start as usize];
            first = next;
            Some(stretch)
        })
    }

    /// Whether everything is in here that a memory had when it was looked at.
    pub(crate) fn is_level_with(&self, memory: &Memory) -> bool {
        self.generation >= memory.generation && self.sequence >= memory.last_sequence
    }

    /// The postings of a token's term, if any entry contains it.
    pub(crate) fn term(&self, token: &str) -> Option<Term> {
        self.lexicon.term(token)
    }

    /// Where a term occurs.
    pub(crate) fn postings(&self, term: Term) -> &Postings {
        &self.postings[term as usize]
    }

    /// Bytes held, roughly.
    pub(crate) fn size(&self) -> usize {
        self.lexicon.size()
            + self.postings.capacity() * size_of::<Postings>()
            + self.posted
            + self.homes.capacity() * (size_of::<Home>() + size_of::<EntryFacts>() + 4)
            + self.conversations.capacity() * 72
            + self.census.size()
            + self.past.size()
            + self.vectors.size()
            + self.rows.size()
    }

    /// Notes where the terms of a text occur; answers how many there are.
    fn read(&mut self, number: u32, conversation: u32, text: &str) -> u32 {
        let mut terms = Vec::new();
        self.lexicon.read(text, |_, term| terms.extend(term));
        self.postings.resize_with(self.lexicon.len(), Postings::new);
        let length = terms.len() as u32;
        terms.sort_unstable();
        for same in terms.chunk_by(|a, b| a == b) {
            let postings = &mut self.postings[same[0] as usize];
            self.posted += postings.add(number, same.len() as u32, conversation);
        }
        length
    }

    /// Notes where tags occur, as if each were a word of its own.
    fn note_tags(&mut self, number: u32, conversation: u32, tags: &[Name]) {
        let mut terms: Vec<Term> =
            tags.iter().map(|tag| self.lexicon.read_tag(tag.as_str())).collect();
        self.postings.resize_with(self.lexicon.len(), Postings::new);
        terms.sort_unstable();
        terms.dedup();
        for term in terms {
            self.posted += self.postings[term as usize].add(number, 1, conversation);
        }
    }

    /// Entries with at least one of these tags, in order, whatever became of them.
    pub(crate) fn tagged(&self, tags: &[Name]) -> Vec<u32> {
        let terms = tags.iter().filter_map(|tag| self.lexicon.tag(tag.as_str()));
        let entries = terms.flat_map(|term| self.postings(term).iter());
        let mut entries: Vec<u32> = entries.map(|(entry, _)| entry).collect();
        entries.sort_unstable();
        entries.dedup();
        entries
    }

    fn conversation_number(&mut self, id: ConversationId) -> u32 {
        let next = self.conversations.len() as u32;
        let number = *self.conversation_numbers.entry(id).or_insert(next);
        if number == next {
            self.conversations.push(id);
            self.heads.push(NO_ENTRY);
            self.tails.push(NO_ENTRY);
            self.runs.push(NO_ENTRY);
        }
        number
    }

    fn speaker_number(&mut self, speaker: Option<&Name>) -> u16 {
        let Some(name) = speaker.map(|name| name.as_str().to_lowercase()) else { return 0 };
        let known = self.speakers.iter().position(|known| *known == name);
        let place = known.unwrap_or_else(|| {
            self.speakers.push(name);
            self.speakers.len() - 1
        });
        u16::try_from(place + 1).unwrap_or(0)
    }
}

/// Since when an entry is not in force: corrected, or put on a branch.
fn gone_since(entry: &Entry) -> Option<Timestamp> {
    let corrected = entry.corrected.map(|corrected| corrected.at);
    let branched = entry.branch.map(|(_, at)| at);
    corrected.into_iter().chain(branched).min()
}

#[cfg(test)]
pub(crate) mod tests;
