//! Counts over a set of entries: how long conversations are, and when they were.

use super::{EntryFacts, Home, Micros};

/// What ranking has to know of all entries it may see. Lists are by number of conversation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Census {
    /// Terms said first hand, and in replies.
    pub(crate) lengths: Vec<[u32; 2]>,
    /// Entries.
    pub(crate) entries: Vec<u32>,
    /// When it began and ended; only where there are entries.
    pub(crate) times: Vec<(Micros, Micros)>,
    /// Conversations with at least one entry.
    pub(crate) conversation_total: u32,
    /// Entries in all.
    pub(crate) entry_total: u32,
    /// Terms in all, first hand and in replies.
    length_totals: [u64; 2],
}

impl Census {
    /// Counts an entry in.
    pub(crate) fn count(&mut self, home: &Home, facts: &EntryFacts) {
        let conversation = home.conversation as usize;
        self.make_room(conversation + 1);
        let field = usize::from(home.is_reply());
        let times = &mut self.times[conversation];
        *times = match self.entries[conversation] {
            0 => (facts.time, facts.time),
            _ => (times.0.min(facts.time), times.1.max(facts.time)),
        };
        self.conversation_total += u32::from(self.entries[conversation] == 0);
        self.entry_total += 1;
        self.length_totals[field] += u64::from(home.length());
        self.lengths[conversation][field] += home.length();
        self.entries[conversation] += 1;
    }

    fn make_room(&mut self, conversations: usize) {
        if self.entries.len() < conversations {
            self.lengths.resize(conversations, [0; 2]);
            self.entries.resize(conversations, 0);
            self.times.resize(conversations, (0, 0));
        }
    }

    /// When a conversation began and ended, if it has entries.
    pub(crate) fn times(&self, conversation: u32) -> Option<(Micros, Micros)> {
        let entries = *self.entries.get(conversation as usize)?;
        (entries > 0).then(|| self.times[conversation as usize])
    }

    /// Whether a conversation has entries.
    pub(crate) fn has(&self, conversation: u32) -> bool {
        self.entries.get(conversation as usize).is_some_and(|entries| *entries > 0)
    }

    /// Mean length of a conversation, first hand or in replies.
    pub(crate) fn mean_length(&self, reply: bool) -> f32 {
        mean(self.length_totals[usize::from(reply)], self.conversation_total)
    }

    /// Mean length of an entry.
    pub(crate) fn mean_entry(&self) -> f32 {
        mean(self.length_totals.iter().sum(), self.entry_total)
    }

    /// Bytes held.
    pub(crate) fn size(&self) -> usize {
        self.entries.capacity() * (8 + 4 + 16)
    }
}

fn mean(sum: u64, count: u32) -> f32 {
    (sum as f32 / count.max(1) as f32).max(1.0)
}
