//! Our own embedding table: one vector per word piece, a text is the sum of its pieces.
//!
//! The rows were distilled from all-MiniLM-L6-v2 so that cosines of sums resemble cosines of the
//! teacher. How often a piece should count is in the length of its row, so nothing is weighted
//! here. Embedding a text is a walk over a table: microseconds, no arithmetic worth a thread.

use std::future::ready;
use std::sync::LazyLock;

use everwhen_engine::ports::{Embedder, Wait};

use crate::vector::normalize;
use crate::word_pieces::WordPieces;

/// Numbers in a vector.
const DIMENSIONS: usize = 256;
/// Pieces of a text that count; what comes later is cut.
const MAX_PIECES: usize = 256;
/// Row-major, one row per piece of the vocabulary.
static ROWS: &[u8] = include_bytes!("../data/static256-e1.i8");
/// What one unit in a row is worth, little-endian `f32`, one per row.
static SCALES: &[u8] = include_bytes!("../data/static256-e1.scale.f32");

/// The vocabulary, made ready by the first text.
static PIECES: LazyLock<WordPieces> = LazyLock::new(WordPieces::bert_uncased);

/// The static table of 30,522 rows and 256 columns.
#[derive(Debug, Clone, Copy, Default)]
pub struct StaticTable;

impl StaticTable {
    /// The ids of the word pieces of a text, as bert-base-uncased splits it.
    pub fn piece_ids(&self, text: &str) -> Vec<u32> {
        PIECES.ids(text, MAX_PIECES)
    }

    /// The vector of a text, of length 1; all zeros for a text without pieces.
    pub fn vector(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0; DIMENSIONS];
        for id in self.piece_ids(text) {
            add_row(&mut sum, id as usize);
        }
        normalize(&mut sum);
        sum
    }
}

impl Embedder for StaticTable {
    fn name(&self) -> &str {
        "static256-e1"
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed<'a>(&'a self, texts: &'a [&'a str]) -> Wait<'a, Vec<Vec<f32>>> {
        Box::pin(ready(Ok(texts.iter().map(|text| self.vector(text)).collect())))
    }

    fn at_hand(&self, texts: &[&str]) -> Vec<Option<Vec<f32>>> {
        texts.iter().map(|text| Some(self.vector(text))).collect()
    }
}

fn add_row(sum: &mut [f32], id: usize) {
    let row = &ROWS[id * DIMENSIONS..(id + 1) * DIMENSIONS];
    let scale = SCALES[id * 4..id * 4 + 4].try_into().map_or(0.0, f32::from_le_bytes);
    for (sum, value) in sum.iter_mut().zip(row) {
        *sum += scale * f32::from(value.cast_signed());
    }
}
