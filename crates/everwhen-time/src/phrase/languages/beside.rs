//! Whether a time that was read stands beside words that change what it means and were not read:
//! "5 March" in "1 to 5 March", "before Christmas" in "two days before Christmas". Such a time is
//! refused, since half of what was said is another time.

use std::ops::Range;

use super::pieces::{Piece, What};
use super::table::{Slot, Table};

/// Directions that a length of time before them changes.
const DIRECTIONS: [&str; 4] = ["before ", "after ", "since ", UNTIL];
const UNTIL: &str = "until ";

/// The pieces of a text, and which of them belong to a time that was read.
pub(super) struct Neighbors<'n, 't> {
    pub(super) table: &'n Table,
    pub(super) pieces: &'n [Piece<'t>],
    /// The times in English, and where they stand in the text.
    pub(super) read: &'n [(String, Range<usize>)],
}

impl Neighbors<'_, '_> {
    /// Whether the time that stands here, in English `english`, is part of more that was not read.
    pub(super) fn cut_off(&self, range: &Range<usize>, english: &str) -> bool {
        let first = self.pieces.partition_point(|piece| piece.start < range.start);
        let end = self.pieces.partition_point(|piece| piece.start < range.end);
        self.cut_before(first, english) || self.cut_after(first, end)
    }

    fn cut_before(&self, first: usize, english: &str) -> bool {
        let Some(before) = first.checked_sub(1) else { return false };
        if !self.is_unread(before) {
            // "Monday until Friday" is neither Monday nor until Friday.
            return english.starts_with(UNTIL);
        }
        let directed = DIRECTIONS.iter().any(|direction| english.starts_with(direction));
        self.binds(before)
            || self.binds_over(before)
            || directed && self.fills(before, Slot::Unit)
            || self.fills(first, Slot::Weekday) && self.is_count(before)
            || self.is_listed(first, before)
    }

    /// Whether this counts what follows: "two Mondays", "a Monday".
    fn is_count(&self, at: usize) -> bool {
        self.is_number(at) || self.fills(at, Slot::Number)
    }

    /// Whether a number in words is one, which is an article in most languages.
    fn is_article(&self, at: usize) -> bool {
        let one = |word| self.table.fillers(Slot::Number, word).any(|(_, number)| number == "1");
        self.word(at).is_some_and(one)
    }

    /// Whether a word binds over an article or another short word: "jusqu'à fin mars".
    fn binds_over(&self, at: usize) -> bool {
        let short = self.word(at).is_some_and(|word| word.chars().count() <= 3);
        let long = |at: usize| self.word(at).is_some_and(|word| word.chars().count() > 2);
        short
            && at.checked_sub(1).is_some_and(|at| long(at) && self.binds(at) && self.is_unread(at))
    }

    /// Whether the date that begins here goes on with a number before it, or with one that a dash or
    /// a function word joins: "1 and 5 March".
    fn is_listed(&self, first: usize, before: usize) -> bool {
        let joining = |word: &str| self.table.joins(word) || self.table.binds(word);
        let joint = self.is_dash(before)
            || self.word(before).is_some_and(joining) && !self.is_count(before);
        let joins = joint && !self.is_ending(before);
        let begins =
            self.is_date(first) || self.is_count(first) || joins && self.is_date(first + 1);
        let at = if joins { before.checked_sub(1) } else { Some(before) };
        let number =
            at.and_then(|at| if self.is_ending(at) { at.checked_sub(1) } else { Some(at) });
        let named = joins && at.is_some_and(|at| self.fills(at, Slot::Month));
        let one = |at: usize| joins && self.is_article(at);
        let numbered = number.is_some_and(|at| self.is_count(at) && !one(at) && self.is_unread(at));
        begins && (numbered || named && at.is_some_and(|at| self.is_unread(at)))
    }

    fn cut_after(&self, first: usize, end: usize) -> bool {
        let Some(next) = self.pieces.get(end) else { return false };
        if let Some((english, _)) = self.read.iter().find(|(_, range)| range.start == next.start) {
            return english.starts_with(UNTIL);
        }
        if self.is_number(end) {
            let dated = (first..end).any(|at| self.is_number(at));
            return dated && self.ends_in(first, end, Slot::Month)
                || self.ends_in(first, end, Slot::Weekday);
        }
        if !self.binds(end) && !self.is_dash(end) {
            return false;
        }
        let article = usize::from(self.word(end + 1).is_some_and(|word| word.len() <= 3));
        let other = |at: usize| self.is_time(at) && !(self.turns(end) && self.is_number(at));
        other(end + 1) || other(end + 1 + article)
    }

    /// Whether a word says before, after or since: a number after it is as likely an hour.
    fn turns(&self, at: usize) -> bool {
        self.word(at).is_some_and(|word| self.table.begins(word, &["before ", "after ", "since "]))
    }

    fn is_unread(&self, at: usize) -> bool {
        let place =
            |piece: &Piece<'_>| self.read.iter().any(|(_, range)| range.contains(&piece.start));
        self.pieces.get(at).is_some_and(|piece| !place(piece))
    }

    fn word(&self, at: usize) -> Option<&str> {
        match &self.pieces.get(at)?.what {
            What::Word(word) => Some(word),
            _ => None,
        }
    }

    fn binds(&self, at: usize) -> bool {
        self.word(at).is_some_and(|word| self.table.binds(word))
    }

    /// Whether words for this begin here.
    fn fills(&self, at: usize, slot: Slot) -> bool {
        self.filled(at, slot).next().is_some()
    }

    /// Whether words for this end at `end` and begin at `first` or later.
    fn ends_in(&self, first: usize, end: usize, slot: Slot) -> bool {
        (first..end).any(|at| self.filled(at, slot).any(|length| at + length == end))
    }

    /// How many pieces words for this take here.
    fn filled(&self, at: usize, slot: Slot) -> impl Iterator<Item = usize> {
        let fillers =
            self.word(at).into_iter().flat_map(move |word| self.table.fillers(slot, word));
        fillers.map(|(words, _)| words).filter_map(move |words| {
            let here = |n: usize| self.word(at + n) == words.get(n).map(AsRef::as_ref);
            (0..words.len()).all(here).then_some(words.len())
        })
    }

    fn is_number(&self, at: usize) -> bool {
        let what = self.pieces.get(at).map(|piece| &piece.what);
        matches!(what, Some(What::Number(_) | What::DayMonth(..) | What::Other))
    }

    /// Whether what stands here begins a date: its number, its month, or a word such as "to".
    fn is_date(&self, at: usize) -> bool {
        let date = matches!(self.pieces.get(at).map(|piece| &piece.what), Some(What::Date(..)));
        date || self.is_number(at) || self.fills(at, Slot::Month) || self.binds(at)
    }

    fn is_time(&self, at: usize) -> bool {
        let named = || [Slot::Month, Slot::Weekday].iter().any(|slot| self.fills(at, *slot));
        self.is_date(at) || named() || self.pieces.get(at).is_some() && !self.is_unread(at)
    }

    fn is_dash(&self, at: usize) -> bool {
        let what = self.pieces.get(at).map(|piece| &piece.what);
        matches!(what, Some(What::Mark('-' | '–' | '—' | '−' | '~' | '〜' | '～')))
    }

    /// Whether this is the dot or the letters behind the number of a day.
    fn is_ending(&self, at: usize) -> bool {
        let ends = |piece: &Piece<'_>| match &piece.what {
            What::Mark('.' | 'º' | 'ª' | '°') => piece.glued,
            What::Word(word) => piece.glued && word.chars().count() <= 2,
            _ => false,
        };
        at > 0 && self.is_number(at - 1) && self.pieces.get(at).is_some_and(ends)
    }
}
