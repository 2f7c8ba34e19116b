//! The pieces of a vocabulary by their letters, in an open table. Looking one up mostly touches one
//! place in memory: a question finds the table in none of the processor's caches.

use std::borrow::Cow;

/// Letters that stand in the table itself.
const NEAR: usize = 8;
/// Odd, and without a pattern in its bits.
const SPREAD: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f];

/// Pieces and their ids.
pub(super) struct Known {
    /// At most half of them taken; their number is a power of two.
    slots: Box<[Slot]>,
    /// Pieces of more letters than a slot holds.
    long: Vec<(Cow<'static, str>, u32)>,
    /// Bytes in the longest piece.
    most: usize,
}

/// A piece in the table; one without letters is none.
#[derive(Clone, Copy, Default)]
struct Slot {
    /// The first letters, in the order of the text, then zeros.
    letters: u64,
    /// Bytes in the piece.
    length: u32,
    /// Its id, or its place among the long ones.
    value: u32,
}

impl Known {
    /// A table of these pieces; of equal ones the last counts.
    pub(super) fn new(pieces: Vec<(Cow<'static, str>, u32)>) -> Self {
        let slots = vec![Slot::default(); (2 * pieces.len()).max(2).next_power_of_two()];
        let mut known = Self { slots: slots.into(), long: Vec::new(), most: 0 };
        for (piece, id) in pieces {
            known.add(piece, id);
        }
        known
    }

    fn add(&mut self, piece: Cow<'static, str>, id: u32) {
        self.most = self.most.max(piece.len());
        let (letters, length) = (first_letters(&piece), piece.len() as u32);
        let place = self.find(&piece, letters).unwrap_or_else(|free| free);
        let value = if piece.len() <= NEAR {
            id
        } else {
            self.long.push((piece, id));
            self.long.len() as u32 - 1
        };
        self.slots[place] = Slot { letters, length, value };
    }

    /// The id of a piece.
    pub(super) fn get(&self, piece: &str) -> Option<u32> {
        self.id(piece, first_letters(piece))
    }

    /// The longest piece at the beginning of a text, and how many bytes it takes.
    pub(super) fn longest(&self, text: &str) -> Option<(u32, usize)> {
        let letters = first_letters(text);
        let ends = (1..=text.len().min(self.most)).rev().filter(|end| text.is_char_boundary(*end));
        let mut pieces = ends.map(|end| (&text[..end], letters & mask(end)));
        pieces.find_map(|(piece, letters)| Some((self.id(piece, letters)?, piece.len())))
    }

    fn id(&self, piece: &str, letters: u64) -> Option<u32> {
        let value = self.slots[self.find(piece, letters).ok()?].value;
        Some(if piece.len() <= NEAR { value } else { self.long[value as usize].1 })
    }

    /// Where a piece stands, else where it would.
    fn find(&self, piece: &str, letters: u64) -> Result<usize, usize> {
        let last = self.slots.len() - 1;
        // The first bits of a product depend on all bits of its factors.
        let mut place = (spread(piece, letters) >> (64 - self.slots.len().ilog2())) as usize;
        loop {
            let slot = &self.slots[place];
            if slot.length == 0 {
                return Err(place);
            }
            if slot.letters == letters
                && slot.length as usize == piece.len()
                && (piece.len() <= NEAR || self.long[slot.value as usize].0 == piece)
            {
                return Ok(place);
            }
            place = (place + 1) & last;
        }
    }
}

/// The first letters of a text as a number.
fn first_letters(text: &str) -> u64 {
    let mut letters = [0; NEAR];
    for (letter, byte) in letters.iter_mut().zip(text.bytes()) {
        *letter = byte;
    }
    u64::from_le_bytes(letters)
}

/// What leaves this many letters of a number.
fn mask(length: usize) -> u64 {
    if length >= NEAR { u64::MAX } else { (1 << (8 * length)) - 1 }
}

/// Where to begin to look.
fn spread(piece: &str, letters: u64) -> u64 {
    let behind = piece.as_bytes().get(NEAR..).map_or(0, |rest| {
        rest.iter().fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)))
    });
    letters.wrapping_mul(SPREAD[0]) ^ behind.wrapping_mul(SPREAD[1])
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_longest_is_what_a_map_says(
            pieces in proptest::collection::vec("[abé]{1,12}", 0..60),
            text in "[abé]{0,30}",
        ) {
            let ids: HashMap<&str, u32> = pieces.iter().map(String::as_str).zip(0..).collect();
            let known = Known::new(pieces.iter().cloned().map(Cow::Owned).zip(0..).collect());
            for (piece, id) in &ids {
                prop_assert_eq!(known.get(piece), Some(*id));
            }
            let ends = (1..=text.len()).rev().filter(|end| text.is_char_boundary(*end));
            let longest = ends.map(|end| &text[..end]).find_map(|one| Some((*ids.get(one)?, one.len())));
            prop_assert_eq!(known.longest(&text), longest);
            prop_assert_eq!(known.get(&text), ids.get(&*text).copied());
        }
    }
}
