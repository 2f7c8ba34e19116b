//! The vectors of a segment, and whose they are.

use std::ops::Range;

use super::bytes::{In, Out};
use crate::recall::index::Index;

/// Writes the vectors of a range of entries that all have theirs.
pub(super) fn write(index: &Index, out: &mut Out, range: Range<usize>) {
    let vectors = &index.vectors;
    out.text(index.served_by());
    if index.served_by().is_empty() {
        return;
    }
    let counts = range.clone().map(|entry| vectors.of(entry as u32).len());
    counts.for_each(|count| out.number(count as u64));
    let passages = vectors.of(range.start as u32).start..vectors.of(range.end as u32).start;
    out.number(vectors.width() as u64);
    vectors.scales(passages.clone()).iter().for_each(|scale| out.raw(&scale.to_le_bytes()));
    let values = vectors.rows(passages).iter().map(|value| value.cast_unsigned());
    out.raw(&values.collect::<Vec<u8>>());
}

/// Takes in the vectors of the entries in a range.
pub(super) fn read(index: &mut Index, read: &mut In<'_>, range: Range<usize>) -> Option<()> {
    let embedder = read.text()?.to_owned();
    if embedder.is_empty() {
        return Some(());
    }
    let counts: Vec<usize> =
        range.clone().map(|_| read.small().map(|one| one as usize)).collect::<Option<_>>()?;
    let width = read.small()? as usize;
    let rows = counts.iter().try_fold(0usize, |sum, count| sum.checked_add(*count))?;
    (rows == 0 || index.vectors.fits(width)).then_some(())?;
    let scales = read.raw(rows.checked_mul(4)?)?.as_chunks::<4>().0;
    let values = read.raw(rows.checked_mul(width)?)?.iter().map(|value| value.cast_signed());
    let values: Vec<i8> = values.collect();
    let mut kept = values
        .chunks_exact(width.max(1))
        .zip(scales.iter().map(|bytes| f32::from_le_bytes(*bytes)));
    for (entry, count) in range.zip(counts) {
        let rows: Vec<(&[i8], f32)> = kept.by_ref().take(count).collect();
        index.embed_kept(&embedder, entry as u32, &rows);
    }
    Some(())
}
