//! Counts over a set of entries: how long conversations are, and when they were.

use super::{EntryFacts, Home, Micros};

/// What ranking has to know of all entries it may see. Lists are by number of conversation.
#[derive(Debug, Clone, Default)]
pub(crate) struct Census {
    /// Terms said first hand, and in replies.
    lengths: Vec<[u32; 2]>,
    /// Entries.
    pub(crate) entries: Vec<u32>,
    /// When it began and ended; only where there are entries.
    times: Vec<(Micros, Micros)>,
    pub(crate) totals: Totals,
}

/// The same over all conversations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    /// Conversations with at least one entry.
    pub(crate) conversations: u32,
    pub(crate) entries: u32,
    /// Terms, first hand and in replies.
    pub(crate) lengths: [u64; 2],
}

/// The same of one conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) lengths: [u32; 2],
    pub(crate) entries: u32,
    times: (Micros, Micros),
}

impl Census {
    /// Counts an entry in.
    pub(crate) fn count(&mut self, home: &Home, facts: &EntryFacts) {
        let conversation = home.conversation as usize;
        self.make_room(conversation + 1);
        let mut part = self.part(home.conversation);
        self.totals.conversations += u32::from(part.entries == 0);
        self.totals.count(home);
        part.count(home, facts);
        let Part { lengths, entries, times } = part;
        self.lengths[conversation] = lengths;
        self.entries[conversation] = entries;
        self.times[conversation] = times;
    }

    fn make_room(&mut self, conversations: usize) {
        if self.entries.len() < conversations {
            self.lengths.resize(conversations, [0; 2]);
            self.entries.resize(conversations, 0);
            self.times.resize(conversations, (0, 0));
        }
    }

    fn part(&self, conversation: u32) -> Part {
        let number = conversation as usize;
        Part {
            lengths: self.lengths[number],
            entries: self.entries[number],
            times: self.times[number],
        }
    }

    /// Terms in a conversation, said first hand and in replies.
    #[inline]
    pub(crate) fn lengths(&self, conversation: u32) -> [u32; 2] {
        self.lengths.get(conversation as usize).copied().unwrap_or_default()
    }

    /// When a conversation began and ended, if it has entries.
    pub(crate) fn times(&self, conversation: u32) -> Option<(Micros, Micros)> {
        self.has(conversation).then(|| self.times[conversation as usize])
    }

    /// Whether a conversation has entries.
    pub(crate) fn has(&self, conversation: u32) -> bool {
        self.entries.get(conversation as usize).is_some_and(|entries| *entries > 0)
    }

    /// Bytes held.
    pub(crate) fn size(&self) -> usize {
        self.entries.capacity() * (8 + 4 + 16)
    }
}

impl Part {
    /// Counts an entry in.
    pub(crate) fn count(&mut self, home: &Home, facts: &EntryFacts) {
        let (first, last) = self.times().unwrap_or((facts.time, facts.time));
        self.times = (first.min(facts.time), last.max(facts.time));
        self.lengths[usize::from(home.is_reply())] += home.length();
        self.entries += 1;
    }

    /// When it began and ended, if it has entries.
    pub(crate) fn times(&self) -> Option<(Micros, Micros)> {
        (self.entries > 0).then_some(self.times)
    }
}

impl Totals {
    /// Counts an entry in; conversations are up to the caller.
    pub(crate) fn count(&mut self, home: &Home) {
        self.entries += 1;
        self.lengths[usize::from(home.is_reply())] += u64::from(home.length());
    }

    /// Counts an entry out.
    pub(crate) fn discount(&mut self, home: &Home) {
        self.entries -= 1;
        self.lengths[usize::from(home.is_reply())] -= u64::from(home.length());
    }

    /// Mean length of a conversation, first hand or in replies.
    pub(crate) fn mean_length(&self, reply: bool) -> f32 {
        mean(self.lengths[usize::from(reply)], self.conversations)
    }

    /// Mean length of an entry.
    pub(crate) fn mean_entry(&self) -> f32 {
        mean(self.lengths.iter().sum(), self.entries)
    }
}

fn mean(sum: u64, count: u32) -> f32 {
    (sum as f32 / count.max(1) as f32).max(1.0)
}
