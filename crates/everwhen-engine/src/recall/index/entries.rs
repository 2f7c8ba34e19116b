//! What an index knows of each entry besides its words.

use crate::memory::{EntryId, Role};

/// An instant in microseconds, as stores keep it.
pub(crate) type Micros = i64;

/// No entry.
pub(crate) const NO_ENTRY: u32 = u32::MAX;

/// Where an entry belongs, small because it is read for every occurrence of a term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Home {
    pub(crate) conversation: u32,
    /// Terms in it, above two bits: whether it is a reply, and whether it is in force.
    packed: u32,
}

const REPLY: u32 = 1;
const CURRENT: u32 = 2;
/// Bits below the length.
const SHIFT: u32 = 2;

impl Home {
    /// The home of an entry.
    pub(crate) fn new(conversation: u32, length: u32, reply: bool, current: bool) -> Self {
        let mut home = Self { conversation, packed: length << SHIFT };
        home.packed |= if reply { REPLY } else { 0 };
        home.set_current(current);
        home
    }

    /// Terms in it, stop words not counted.
    pub(crate) fn length(self) -> u32 {
        self.packed >> SHIFT
    }

    /// Whether it answers another entry.
    pub(crate) fn is_reply(self) -> bool {
        self.packed & REPLY != 0
    }

    /// Whether it is in force now.
    pub(crate) fn is_current(self) -> bool {
        self.packed & CURRENT != 0
    }

    /// Says whether it is in force now.
    pub(crate) fn set_current(&mut self, current: bool) {
        self.packed = self.packed & !CURRENT | if current { CURRENT } else { 0 };
    }
}

/// What else is known of an entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryFacts {
    pub(crate) id: EntryId,
    pub(crate) sequence: u64,
    /// When it was said.
    pub(crate) time: Micros,
    /// When it was stored; the end of time if it was forgotten.
    pub(crate) created: Micros,
    /// Since when it is no longer in force; the end of time if it is.
    pub(crate) gone: Micros,
    /// The number of the speaker, from 1; 0 if not named.
    pub(crate) speaker: u16,
    /// Who spoke.
    pub(crate) role: Role,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_keeps_its_parts_apart() {
        let mut home = Home::new(7, 123_456, true, true);
        assert_eq!((home.length(), home.is_reply(), home.is_current()), (123_456, true, true));
        home.set_current(false);
        assert_eq!((home.length(), home.is_reply(), home.is_current()), (123_456, true, false));
    }
}
