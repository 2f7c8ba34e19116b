//! Our own embedding table: one vector per word piece, a text is the sum of its pieces.
//!
//! The rows were distilled from all-MiniLM-L6-v2 so that cosines of sums resemble cosines of the
//! teacher, and trained as what they are stored as, four bits a number. How often a piece should
//! count is in the length of its row, so nothing is weighted here. Embedding a text is a walk over a
//! table: microseconds, no arithmetic worth a thread.

use std::future::ready;
use std::hint::black_box;
use std::sync::LazyLock;

use everwhen_engine::memory::EmbedderThresholds;
use everwhen_engine::ports::{Embedder, Wait};
use everwhen_engine::recall::sum_rows;

use crate::vector::normalize;
use crate::word_pieces::WordPieces;

/// Numbers in a vector.
const DIMENSIONS: usize = 256;
/// Bytes of a row: two numbers each.
const ROW: usize = DIMENSIONS / 2;
/// Pieces of a text that count; what comes later is cut.
const MAX_PIECES: usize = 256;
/// Bytes that come from memory together.
const LINE: usize = 64;
/// Row-major, one row per piece of the vocabulary, packed as `sum_rows` reads them.
static ROWS: &[u8] = include_bytes!("../data/static256-e2.i4");
/// What one unit in a row is worth, little-endian `f32`, one per row.
static SCALES: &[u8] = include_bytes!("../data/static256-e2.scale.f32");

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
        let ids = self.piece_ids(text);
        fetch_rows(&ids);
        let rows: Vec<(&[u8], f32)> = ids.iter().map(|id| scaled_row(*id as usize)).collect();
        let mut sum = sum_rows(&rows, ROW);
        normalize(&mut sum);
        sum
    }
}

impl Embedder for StaticTable {
    fn name(&self) -> &str {
        "static256-e2"
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    /// As `everwhen models calibrate` measures them.
    fn thresholds(&self) -> EmbedderThresholds {
        EmbedderThresholds { same: 0.86, related: 0.62, borne_out: 0.13 }
    }

    fn embed<'a>(&'a self, texts: &'a [&'a str]) -> Wait<'a, Vec<Vec<f32>>> {
        Box::pin(ready(Ok(texts.iter().map(|text| self.vector(text)).collect())))
    }

    fn embed_question<'a>(&'a self, question: &'a str) -> Wait<'a, Vec<f32>> {
        Box::pin(ready(Ok(self.vector(question))))
    }

    fn at_hand(&self, texts: &[&str]) -> Vec<Option<Vec<f32>>> {
        texts.iter().map(|text| Some(self.vector(text))).collect()
    }
}

/// Has the rows come from memory side by side; one after the other, each would be waited for.
fn fetch_rows(ids: &[u32]) {
    for id in ids {
        let id = *id as usize;
        for byte in row(id).iter().step_by(LINE).chain(&SCALES[id * 4..=id * 4]) {
            black_box(*byte);
        }
    }
}

fn row(id: usize) -> &'static [u8] {
    &ROWS[id * ROW..(id + 1) * ROW]
}

/// Returns a row, and what one unit in it is worth.
fn scaled_row(id: usize) -> (&'static [u8], f32) {
    let scale = SCALES[id * 4..id * 4 + 4].try_into().map_or(0.0, f32::from_le_bytes);
    (row(id), scale)
}
