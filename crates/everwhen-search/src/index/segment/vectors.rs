//! The vectors of a segment, the name of their embedder, and the clusters they belong to.

use std::ops::Range;

use super::bytes::{Reader, Writer, checksum};
use crate::index::Index;
use crate::vectors::{Centroids, PassageRows, PassageVectors, RowClusters};

/// The vectors of a segment that was read.
#[derive(Debug, Default)]
pub(super) struct Vectors {
    embedder: String,
    /// The number of passages of each document.
    counts: Vec<u32>,
    width: usize,
    scales: Vec<f32>,
    rows: Vec<u8>,
    clusters: Option<RowClusters>,
}

/// Writes the vectors of a range of documents, all of which have theirs, and returns their rows.
pub(super) fn write(index: &Index, writer: &mut Writer, range: Range<usize>) -> Vec<u8> {
    let vectors = &index.vectors;
    writer.text(index.active_embedder());
    if index.active_embedder().is_empty() {
        return Vec::new();
    }
    let counts = range.clone().map(|document| vectors.of(document as u32).len());
    counts.for_each(|count| writer.number(count as u64));
    let passages = vectors.of(range.start as u32).start..vectors.of(range.end as u32).start;
    writer.number(vectors.width() as u64);
    writer.floats(vectors.scales(passages.clone()));
    let mut rows = Writer::default();
    vectors.rows(passages.clone()).for_each(|run| rows.raw(run));
    let rows = rows.into_bytes();
    writer.raw(&checksum(&rows));
    let clusters = vectors.clusters_of(passages.clone());
    writer.number(u64::from(clusters.is_some()));
    if let Some((centroids, clusters)) = clusters {
        writer.number(centroids.found_among as u64);
        writer.number(centroids.scales.len() as u64);
        writer.floats(&centroids.scales);
        writer.raw(&centroids.values);
        writer.raw(&clusters);
        vectors.sketches(passages).for_each(|word| writer.raw(&word.to_le_bytes()));
    }
    rows
}

impl Vectors {
    /// Reads the vectors of some documents; their rows were read already.
    pub(super) fn read(reader: &mut Reader<'_>, documents: usize, rows: Vec<u8>) -> Option<Self> {
        let embedder = reader.text()?.to_owned();
        if embedder.is_empty() {
            return rows.is_empty().then(Self::default);
        }
        let counts = (0..documents).map(|_| reader.small()).collect::<Option<Vec<u32>>>()?;
        let count = counts.iter().try_fold(0usize, |sum, one| sum.checked_add(*one as usize))?;
        let width = reader.small()? as usize;
        let scales = reader.floats(count)?;
        let is_whole = rows.len() == count.checked_mul(width / 2)?;
        (reader.array()? == checksum(&rows) && is_whole).then_some(())?;
        let clusters = match reader.number()? {
            1 => Some(clusters(reader, count, width)?),
            _ => None,
        };
        Some(Self { embedder, counts, width, scales, rows, clusters })
    }

    /// Returns whether the vectors continue those of an index.
    pub(super) fn fit(&self, index: &Index) -> bool {
        let continue_it =
            index.active_embedder() == self.embedder && index.covered() == index.len();
        (index.is_empty() || continue_it)
            && (self.scales.is_empty() || index.vectors.fits(self.width))
    }

    /// Adds the vectors to an index whose documents from `first` on they belong to.
    pub(super) fn add(self, index: &mut Index, first: usize) {
        let Self { embedder, counts, width, scales, rows, clusters } = self;
        if !embedder.is_empty() {
            let rows = PassageRows { width, scales, values: rows, clusters };
            index.add_saved_vectors(&embedder, first as u32, &counts, rows);
        }
    }
}

/// Reads the clusters of some rows.
fn clusters(reader: &mut Reader<'_>, count: usize, width: usize) -> Option<RowClusters> {
    let found_among = reader.small()? as usize;
    let len = reader.count()?;
    let scales = reader.floats(len)?;
    let values = reader.raw(len.checked_mul(width / 2)?)?.to_vec();
    let centroids = Centroids { width, values, scales, found_among };
    let numbers = reader.raw(count)?.to_vec();
    centroids.are_valid(&numbers).then_some(())?;
    let sketches = reader.words(count.checked_mul(PassageVectors::sketch_words(width))?)?;
    Some(RowClusters { centroids, numbers, sketches })
}
