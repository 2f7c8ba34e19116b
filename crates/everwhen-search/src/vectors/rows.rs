//! The rows of vectors, in parts: those of a segment stay in the memory that they were read into, and
//! rows that are added one by one fill a part before they begin the next. So nothing is copied when an
//! index is loaded or grows, and copies of an index share all parts but the last.

use std::ops::Range;
use std::sync::Arc;

/// The number of rows after which one that is added begins a new part.
const PART_ROWS: usize = 32_768;

/// Rows of bytes, all of one length.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    row_bytes: usize,
    /// Rows that do not change any more, each part with the number behind its last row.
    parts: Vec<(usize, Arc<Vec<u8>>)>,
    /// The rows behind them.
    tail: Vec<u8>,
}

impl Rows {
    /// Returns the number of bytes in a row; 0 if there was never a row.
    pub(crate) fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.tail_start() + self.tail.len() / self.row_bytes.max(1)
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: &[u8]) {
        self.row_bytes = row.len();
        self.tail.extend_from_slice(row);
        if self.tail.len() >= PART_ROWS * self.row_bytes {
            self.close_tail();
        }
    }

    /// Adds rows of a length, which has to be that of the others, as they were read.
    pub(crate) fn append(&mut self, row_bytes: usize, values: Vec<u8>) {
        self.row_bytes = row_bytes;
        self.close_tail();
        self.tail = values;
        self.close_tail();
    }

    fn close_tail(&mut self) {
        if !self.tail.is_empty() {
            let end = self.len();
            self.parts.push((end, Arc::new(std::mem::take(&mut self.tail))));
        }
    }

    fn tail_start(&self) -> usize {
        self.parts.last().map_or(0, |(end, _)| *end)
    }

    /// Returns one row.
    pub(crate) fn row(&self, number: usize) -> &[u8] {
        self.run(number..number + 1)
    }

    /// Returns consecutive rows, which are in as many pieces as the parts they are in.
    pub(crate) fn runs(&self, range: Range<usize>) -> impl Iterator<Item = &[u8]> {
        let mut rest = range;
        std::iter::from_fn(move || {
            let run = (!rest.is_empty()).then(|| self.run(rest.clone()))?;
            rest.start += run.len() / self.row_bytes;
            Some(run)
        })
    }

    /// Returns the first of some rows, those that are in one part.
    fn run(&self, range: Range<usize>) -> &[u8] {
        let part = self.parts.partition_point(|(end, _)| *end <= range.start);
        let start = part.checked_sub(1).map_or(0, |before| self.parts[before].0);
        let (end, values) = match self.parts.get(part) {
            Some((end, values)) => (range.end.min(*end), &values[..]),
            None => (range.end, &self.tail[..]),
        };
        &values[(range.start - start) * self.row_bytes..(end - start) * self.row_bytes]
    }

    /// Returns the number of bytes in use.
    pub(crate) fn size(&self) -> usize {
        self.parts.iter().map(|(_, values)| values.capacity()).sum::<usize>() + self.tail.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_in_every_part() {
        let mut rows = Rows::default();
        assert_eq!((rows.len(), rows.row_bytes(), rows.runs(0..0).count()), (0, 0, 0));
        rows.push(&[1, 10]);
        rows.append(2, vec![2, 20, 3, 30]);
        rows.append(2, Vec::new());
        let all: Vec<u8> = vec![1, 10, 2, 20, 3, 30, 4, 40, 5, 50];
        rows.push(&[4, 40]);
        rows.push(&[5, 50]);
        assert_eq!((rows.len(), rows.row_bytes()), (5, 2));
        for (start, end) in (0..=5).flat_map(|end| (0..=end).map(move |start| (start, end))) {
            let found: Vec<u8> = rows.runs(start..end).flatten().copied().collect();
            assert_eq!(found, all[2 * start..2 * end], "{start}..{end}");
        }
        assert_eq!([0, 2, 4].map(|one| rows.row(one)), [&all[..2], &all[4..6], &all[8..]]);
        let pieces: Vec<usize> = rows.runs(0..5).map(<[u8]>::len).collect();
        assert_eq!(pieces, [2, 4, 4]);
    }

    #[test]
    fn a_part_is_closed_when_it_is_full_and_copies_share_it() {
        let mut rows = Rows::default();
        (0..PART_ROWS + 3).for_each(|one| rows.push(&[(one % 100) as u8]));
        assert_eq!((rows.parts.len(), rows.tail.len(), rows.len()), (1, 3, PART_ROWS + 3));
        let copy = rows.clone();
        rows.push(&[7]);
        assert!(Arc::ptr_eq(&rows.parts[0].1, &copy.parts[0].1));
        assert_eq!((copy.len() + 1, rows.row(PART_ROWS + 3)), (rows.len(), &[7][..]));
    }
}
