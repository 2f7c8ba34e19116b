//! A body with a few places changed, and every other byte as it came.

use std::ops::Range;

/// A text and what is to be changed in it.
pub struct Draft<'a> {
    text: &'a str,
    edits: Vec<(Range<usize>, String)>,
}

impl<'a> Draft<'a> {
    /// A text without edits.
    pub fn new(text: &'a str) -> Self {
        Self { text, edits: Vec::new() }
    }

    /// Where a part of the text lies in it; nothing if it is no slice of this text but, for
    /// instance, a copy.
    pub fn place(&self, part: &str) -> Option<Range<usize>> {
        let start = (part.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize)?;
        let place = start..start.checked_add(part.len())?;
        self.text.get(place.clone()).is_some().then_some(place)
    }

    /// Puts something else into a place. Of two places that overlap the later one loses what the
    /// earlier one has replaced already.
    pub fn replace(&mut self, place: Range<usize>, with: impl Into<String>) {
        self.edits.push((place, with.into()));
    }

    /// Puts something in between. What is put at the same place first comes first.
    pub fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.replace(at..at, text);
    }

    /// What has been changed so far.
    pub fn mark(&self) -> usize {
        self.edits.len()
    }

    /// Takes back what was changed since then.
    pub fn back_to(&mut self, mark: usize) {
        self.edits.truncate(mark);
    }

    /// The new text, if anything changed.
    pub fn finish(mut self) -> Option<String> {
        if self.edits.is_empty() {
            return None;
        }
        // An insertion goes before a replacement that begins at the same byte.
        self.edits.sort_by_key(|(place, _)| (place.start, place.end));
        let added: usize = self.edits.iter().map(|(_, text)| text.len()).sum();
        let mut done = String::with_capacity(self.text.len() + added);
        let mut from = 0;
        for (place, text) in &self.edits {
            done.push_str(&self.text[from..place.start.max(from)]);
            done.push_str(text);
            from = place.end.max(from);
        }
        done.push_str(&self.text[from..]);
        Some(done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_places_named_change() {
        let text = "one two three";
        let mut draft = Draft::new(text);
        draft.insert(draft.place(&text[8..]).unwrap().start, "b ");
        draft.replace(draft.place(&text[..3]).unwrap(), "1");
        draft.insert(13, "!");
        assert_eq!(draft.finish().unwrap(), "1 two b three!");
        assert_eq!(Draft::new(text).finish(), None);
        let mut draft = Draft::new(text);
        let mark = draft.mark();
        draft.insert(0, "x");
        draft.back_to(mark);
        assert_eq!(draft.finish(), None);
    }

    #[test]
    fn an_insertion_goes_before_a_replacement_at_the_same_byte() {
        let text = "\"[tag]hello\"";
        let mut draft = Draft::new(text);
        draft.replace(1..6, "");
        draft.insert(1, "(stamp) ");
        assert_eq!(draft.finish().unwrap(), "\"(stamp) hello\"");
    }

    #[test]
    fn edits_that_overlap_do_not_panic() {
        let mut draft = Draft::new("abcdef");
        draft.replace(1..4, "x");
        draft.replace(2..5, "y");
        draft.replace(2..3, "z");
        draft.insert(6, "!");
        assert_eq!(draft.finish().unwrap(), "axzyf!");
    }

    #[test]
    fn a_copy_of_a_part_has_no_place() {
        let text = "one two three".to_owned();
        let (draft, copy) = (Draft::new(&text[4..7]), text.clone());
        assert_eq!(draft.place(&text[4..7]), Some(0..3));
        assert_eq!(draft.place(&copy[4..7]), None);
        assert_eq!(draft.place(&text[..3]), None, "before the text");
        assert_eq!(draft.place(&text[6..9]), None, "beyond its end");
    }
}
