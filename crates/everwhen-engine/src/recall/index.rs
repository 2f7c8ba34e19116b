//! The index of one memory: a pure data structure, fed with entries in sequence order.
//!
//! Terms point at entries; everything about conversations and rounds (a user's entry with its
//! replies) is added up when a question is asked, from where each entry stands at that moment. So
//! an entry that is corrected, moved or forgotten changes a few numbers here and no postings, and a
//! question `as_of` an earlier time is answered from the same structure.

mod census;
mod dot;
mod lexicon;
mod postings;
mod vectors;

use std::collections::HashMap;

use jiff::Timestamp;

pub(crate) use census::Census;
pub(crate) use lexicon::Term;
pub(crate) use postings::Postings;
pub(crate) use vectors::{Rounded, Vectors};

use self::lexicon::Lexicon;
use crate::memory::{ConversationId, Entry, EntryId, Name};
use crate::ports::Standing;

/// The index of one memory.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// The memory's generation that standings were read at.
    pub(crate) generation: u64,
    /// The sequence of the newest entry in here.
    pub(crate) sequence: u64,
    lexicon: Lexicon,
    postings: Vec<Postings>,
    /// What scoring looks at for every occurrence.
    pub(crate) homes: Vec<Home>,
    /// The rest of what is known of each entry.
    pub(crate) facts: Vec<EntryFacts>,
    /// The conversation of each number.
    pub(crate) conversations: Vec<ConversationId>,
    conversation_numbers: HashMap<ConversationId, u32>,
    /// The conversation of each round.
    pub(crate) rounds: Vec<u32>,
    /// The round each conversation is in.
    open_rounds: Vec<u32>,
    /// Names of speakers, in lower case, by number.
    pub(crate) speakers: Vec<String>,
    pub(crate) vectors: Vectors,
    /// Counts over the entries in force.
    pub(crate) census: Census,
}

/// Where an entry belongs, small because it is read for every occurrence of a term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Home {
    pub(crate) conversation: u32,
    pub(crate) round: u32,
    /// Terms in it, stop words not counted.
    pub(crate) length: u32,
    /// Whether it answers another entry.
    pub(crate) reply: bool,
    /// Whether it is in force now.
    pub(crate) current: bool,
}

/// What else is known of an entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryFacts {
    pub(crate) id: EntryId,
    pub(crate) sequence: u64,
    /// When it was said.
    pub(crate) time: Timestamp,
    /// When it was stored.
    pub(crate) created: Timestamp,
    /// Since when it is no longer in force.
    pub(crate) gone: Option<Timestamp>,
    /// Words in which the speaker speaks of himself.
    pub(crate) persons: u16,
    /// The number of the speaker, from 1; 0 if not named.
    pub(crate) speaker: u16,
}

/// No round has begun.
const NO_ROUND: u32 = u32::MAX;

impl Index {
    /// Takes in an entry; entries come in sequence order. Vectors of its passages follow by
    /// [`Index::add_vector`].
    pub(crate) fn add(&mut self, entry: &Entry) -> u32 {
        let number = self.homes.len() as u32;
        let (length, persons) = self.read(number, entry.content.as_str());
        let conversation = self.conversation_number(entry.conversation);
        let reply = entry.role.is_reply();
        let gone = gone_since(entry);
        let round = self.round_for(conversation, reply);
        let home = Home { conversation, round, length, reply, current: gone.is_none() };
        let facts = EntryFacts {
            id: entry.id,
            sequence: entry.sequence,
            time: entry.conversation_time,
            created: entry.creation_time,
            gone,
            persons,
            speaker: self.speaker_number(entry.speaker.as_ref()),
        };
        self.homes.push(home);
        self.facts.push(facts);
        self.sequence = entry.sequence;
        if home.current {
            self.census.count(&home, &facts);
        }
        number
    }

    /// Keeps the vector of a passage of the entry with this number.
    pub(crate) fn add_vector(&mut self, number: u32, vector: &[f32]) {
        self.vectors.add(number, vector);
    }

    /// Puts every entry up to a sequence where it stands now. One that is not among the standings
    /// was forgotten.
    pub(crate) fn restand(&mut self, generation: u64, up_to: u64, standings: &[Standing]) {
        let by_sequence: HashMap<u64, &Standing> =
            standings.iter().map(|standing| (standing.sequence, standing)).collect();
        self.rounds.clear();
        self.open_rounds.fill(NO_ROUND);
        self.census = Census::default();
        for number in 0..self.homes.len() {
            let sequence = self.facts[number].sequence;
            if sequence <= up_to {
                self.restand_one(number, by_sequence.get(&sequence).copied());
            }
            self.recount_one(number);
        }
        self.generation = generation;
    }

    fn restand_one(&mut self, number: usize, standing: Option<&Standing>) {
        let Some(standing) = standing else {
            self.facts[number].created = Timestamp::MAX;
            self.homes[number].current = false;
            return;
        };
        self.homes[number].conversation = self.conversation_number(standing.conversation);
        self.homes[number].current = standing.gone_since.is_none();
        self.facts[number].gone = standing.gone_since;
    }

    fn recount_one(&mut self, number: usize) {
        let mut home = self.homes[number];
        home.round = self.round_for(home.conversation, home.reply);
        self.homes[number] = home;
        if home.current {
            self.census.count(&home, &self.facts[number]);
        }
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
            + self.postings.iter().map(Postings::size).sum::<usize>()
            + self.homes.capacity() * (size_of::<Home>() + size_of::<EntryFacts>())
            + self.conversations.capacity() * 64
            + self.rounds.capacity() * 8
            + self.vectors.size()
    }

    /// Notes where the terms of a text occur; answers how many there are and how many words in
    /// the first person.
    fn read(&mut self, number: u32, text: &str) -> (u32, u16) {
        let (mut terms, mut persons) = (Vec::new(), 0u16);
        self.lexicon.read(text, |token, term| {
            terms.extend(term);
            persons = persons.saturating_add(u16::from(is_first_person(token)));
        });
        self.postings.resize_with(self.lexicon.len(), Postings::new);
        let length = terms.len() as u32;
        terms.sort_unstable();
        for same in terms.chunk_by(|a, b| a == b) {
            self.postings[same[0] as usize].add(number, same.len() as u32);
        }
        (length, persons)
    }

    fn conversation_number(&mut self, id: ConversationId) -> u32 {
        let next = self.conversations.len() as u32;
        let number = *self.conversation_numbers.entry(id).or_insert(next);
        if number == next {
            self.conversations.push(id);
            self.open_rounds.push(NO_ROUND);
        }
        number
    }

    /// A reply belongs to the round it answers, anything else begins one.
    fn round_for(&mut self, conversation: u32, reply: bool) -> u32 {
        let open = self.open_rounds[conversation as usize];
        if reply && open != NO_ROUND {
            return open;
        }
        let round = self.rounds.len() as u32;
        self.rounds.push(conversation);
        self.open_rounds[conversation as usize] = round;
        round
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

fn is_first_person(token: &str) -> bool {
    matches!(token, "i" | "me" | "my" | "mine" | "myself" | "we" | "us" | "our" | "ours")
}

#[cfg(test)]
pub(crate) mod tests;
