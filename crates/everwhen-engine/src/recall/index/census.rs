//! Counts over a set of entries: how long conversations and rounds are, and when they were.

use jiff::Timestamp;

use super::{EntryFacts, Home};

/// What ranking has to know of all entries it may see.
#[derive(Debug, Clone, Default)]
pub(crate) struct Census {
    /// Per conversation.
    pub(crate) conversations: Vec<ConversationCount>,
    /// Terms per round.
    pub(crate) rounds: Vec<u32>,
    /// Conversations with at least one entry.
    pub(crate) conversation_total: u32,
    /// Rounds with at least one entry.
    pub(crate) round_total: u32,
    /// Entries.
    pub(crate) entry_total: u32,
    /// Terms said first hand, and in replies.
    pub(crate) lengths: [u64; 2],
}

/// What is known of one conversation.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ConversationCount {
    /// Entries.
    pub(crate) entries: u32,
    /// Terms said first hand, and in replies.
    pub(crate) lengths: [u32; 2],
    /// Words in the first person, replies not counted.
    pub(crate) persons: u32,
    /// When it began and ended.
    pub(crate) times: Option<(Timestamp, Timestamp)>,
}

impl Census {
    /// Counts an entry in.
    pub(crate) fn count(&mut self, home: &Home, facts: &EntryFacts) {
        let (conversation, round) = (home.conversation as usize, home.round as usize);
        if self.conversations.len() <= conversation {
            self.conversations.resize(conversation + 1, ConversationCount::default());
        }
        if self.rounds.len() <= round {
            self.rounds.resize(round + 1, 0);
        }
        let known = &mut self.conversations[conversation];
        self.conversation_total += u32::from(known.entries == 0);
        self.round_total = self.round_total.max(home.round + 1);
        self.entry_total += 1;
        self.rounds[round] += home.length;
        self.lengths[usize::from(home.reply)] += u64::from(home.length);
        known.entries += 1;
        known.lengths[usize::from(home.reply)] += home.length;
        known.persons += if home.reply { 0 } else { u32::from(facts.persons) };
        let (first, last) = known.times.unwrap_or((facts.time, facts.time));
        known.times = Some((first.min(facts.time), last.max(facts.time)));
    }

    /// Mean length of a conversation, first hand or in replies.
    pub(crate) fn mean_length(&self, reply: bool) -> f32 {
        mean(self.lengths[usize::from(reply)], self.conversation_total)
    }

    /// Mean length of a round.
    pub(crate) fn mean_round(&self) -> f32 {
        mean(self.lengths.iter().sum(), self.round_total)
    }

    /// Mean length of an entry.
    pub(crate) fn mean_entry(&self) -> f32 {
        mean(self.lengths.iter().sum(), self.entry_total)
    }
}

fn mean(sum: u64, count: u32) -> f32 {
    (sum as f32 / count.max(1) as f32).max(1.0)
}
