//! The vectors of a segment, and the name of their embedder.

use std::ops::Range;

use super::bytes::{Reader, Writer};
use crate::index::Index;

/// Writes the vectors of a range of documents, all of which have theirs.
pub(super) fn write(index: &Index, writer: &mut Writer, range: Range<usize>) {
    let vectors = &index.vectors;
    writer.text(index.active_embedder());
    if index.active_embedder().is_empty() {
        return;
    }
    let counts = range.clone().map(|document| vectors.of(document as u32).len());
    counts.for_each(|count| writer.number(count as u64));
    let passages = vectors.of(range.start as u32).start..vectors.of(range.end as u32).start;
    writer.number(vectors.width() as u64);
    vectors.scales(passages.clone()).iter().for_each(|scale| writer.raw(&scale.to_le_bytes()));
    let values = vectors.rows(passages).iter().map(|value| value.cast_unsigned());
    writer.raw(&values.collect::<Vec<u8>>());
}

/// Reads the vectors of a range of documents.
pub(super) fn read(index: &mut Index, reader: &mut Reader<'_>, range: Range<usize>) -> Option<()> {
    let embedder = reader.text()?.to_owned();
    if embedder.is_empty() {
        return Some(());
    }
    let counts: Vec<usize> =
        range.clone().map(|_| reader.small().map(|one| one as usize)).collect::<Option<_>>()?;
    let width = reader.small()? as usize;
    let rows = counts.iter().try_fold(0usize, |sum, count| sum.checked_add(*count))?;
    (rows == 0 || index.vectors.fits(width)).then_some(())?;
    let scales = reader.raw(rows.checked_mul(4)?)?.as_chunks::<4>().0;
    let values = reader.raw(rows.checked_mul(width)?)?.iter().map(|value| value.cast_signed());
    let values: Vec<i8> = values.collect();
    let mut saved = values
        .chunks_exact(width.max(1))
        .zip(scales.iter().map(|bytes| f32::from_le_bytes(*bytes)));
    for (document, count) in range.zip(counts) {
        let rows: Vec<(&[i8], f32)> = saved.by_ref().take(count).collect();
        index.add_saved_vectors(&embedder, document as u32, &rows);
    }
    Some(())
}
