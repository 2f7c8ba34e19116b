//! Counts over what a question may see: those of now, or of an earlier time.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::recall::index::{Index, Micros, Part, Then, Totals};

/// Counts over what may be seen.
pub(crate) struct Counts<'i> {
    index: &'i Index,
    /// The earlier time, if what was there then is not what is there now.
    pub(super) then: Option<Then>,
    /// Conversations that are not now as they were then, as they were.
    counted: RefCell<HashMap<u32, Part>>,
    pub(crate) totals: Totals,
}

impl<'i> Counts<'i> {
    pub(super) fn of(index: &'i Index, as_of: Option<Micros>) -> Self {
        let then = as_of.and_then(|time| index.then(time));
        let totals = then.as_ref().map_or(index.census.totals, Then::totals);
        Self { index, then, counted: RefCell::default(), totals }
    }

    /// Terms in a conversation, said first hand and in replies.
    #[inline]
    pub(crate) fn lengths(&self, conversation: u32) -> [u32; 2] {
        let counted = self.then.as_ref().and_then(|then| self.counted(then, conversation));
        counted.map_or_else(|| self.index.census.lengths(conversation), |part| part.lengths)
    }

    /// When a conversation began and ended, if it has entries.
    pub(crate) fn times(&self, conversation: u32) -> Option<(Micros, Micros)> {
        match self.then.as_ref().and_then(|then| self.counted(then, conversation)) {
            None => self.index.census.times(conversation),
            Some(part) => part.times(),
        }
    }

    /// A conversation as it was, unless it was as it is now.
    fn counted(&self, then: &Then, conversation: u32) -> Option<Part> {
        if then.is_like_now(self.index, conversation) {
            return None;
        }
        let count = || then.part(self.index, conversation);
        Some(*self.counted.borrow_mut().entry(conversation).or_insert_with(count))
    }
}
