//! Vectors of passages, quantized to four bits a value, in the order their documents were added.

mod clusters;
mod dot;
mod moments;
mod packed;
mod rows;
mod sketch;
mod sum;

use std::array;
use std::ops::Range;

pub use dot::{nearest_row, prefetch};
pub use sum::sum_rows;

pub(crate) use self::clusters::Centroids;
use self::clusters::Clusters;
use self::dot::{BLOCK, Factor, dots};
pub(crate) use self::moments::Moments;
use self::packed::{PackedVector, unpack, unpacked};
use self::rows::Rows;

/// Up to this many passages, a search compares all of them.
const EXACT_LIMIT: usize = 4_096;

/// Passages and the documents they belong to.
#[derive(Debug, Clone, Default)]
pub(crate) struct PassageVectors {
    /// The values, [packed]; a row has the dimensions of a vector, padded with zeros to whole blocks.
    rows: Rows,
    /// What the numbers of each row are multiplied with.
    scales: Vec<f32>,
    /// Rows by direction, once there are many.
    clusters: Option<Clusters>,
    /// The document of each row.
    documents: Vec<u32>,
    /// The first row of each document up to the newest one with rows, then the number of rows.
    starts: Vec<u32>,
}

/// Consecutive rows, quantized already.
#[derive(Debug)]
pub(crate) struct PassageRows {
    /// The number of values in a row.
    pub(crate) width: usize,
    pub(crate) scales: Vec<f32>,
    /// The values, two to a byte.
    pub(crate) values: Vec<u8>,
    /// The cluster of each row, if there are clusters.
    pub(crate) clusters: Option<RowClusters>,
}

/// The clusters that rows were in, and what is known of each row there.
#[derive(Debug)]
pub(crate) struct RowClusters {
    pub(crate) centroids: Centroids,
    /// The cluster of each row.
    pub(crate) numbers: Vec<u8>,
    /// The sketch of each row, one after the other.
    pub(crate) sketches: Vec<u64>,
}

/// A vector quantized to bytes, to compare rows with.
#[derive(Debug, Clone)]
pub(crate) struct QuantizedVector {
    values: Vec<i8>,
    scale: f32,
    /// The sum of the values.
    sum: i32,
}

impl QuantizedVector {
    pub(crate) fn new(vector: &[f32]) -> Self {
        let largest = largest(vector);
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        let mut values: Vec<i8> = vector.iter().map(|value| round(value / scale) as i8).collect();
        values.resize(vector.len().next_multiple_of(BLOCK), 0);
        let sum = Factor::new(&values).sum();
        Self { values, scale, sum }
    }

    fn factor(&self) -> Factor<'_> {
        Factor::with_sum(&self.values, self.sum)
    }

    /// Returns the bytes.
    fn values(&self) -> &[i8] {
        &self.values
    }
}

/// Rounds as [`f32::round`] does. That is a function call on older CPUs; this compiles to a few vector
/// instructions.
fn round(value: f32) -> i32 {
    let whole = value as i32;
    let rest = value - whole as f32;
    whole + i32::from(rest >= 0.5) - i32::from(rest <= -0.5)
}

/// Returns the largest absolute value. Eight running maxima let the compiler vectorize it.
fn largest(vector: &[f32]) -> f32 {
    let larger = |most: f32, value: &f32| if value.abs() > most { value.abs() } else { most };
    let (eights, rest) = vector.as_chunks::<8>();
    let mut most = [0.0; 8];
    for eight in eights {
        most.iter_mut().zip(eight).for_each(|(most, value)| *most = larger(*most, value));
    }
    most.iter().chain(rest).fold(0.0, larger)
}

/// Returns the Euclidean length of a vector. Eight running sums let the compiler vectorize it.
fn length(vector: &[f32]) -> f32 {
    let (eights, rest) = vector.as_chunks::<8>();
    let mut squares = [0.0; 8];
    for eight in eights {
        squares.iter_mut().zip(eight).for_each(|(sum, value)| *sum += value * value);
    }
    let rest: f32 = rest.iter().map(|value| value * value).sum();
    (squares.iter().sum::<f32>() + rest).sqrt()
}

impl PassageVectors {
    /// Adds the vector of a passage of a document. Documents come in rising order.
    pub(crate) fn add(&mut self, document: u32, vector: &[f32]) {
        let PackedVector { bytes, scale } = PackedVector::new(vector);
        self.push_row(document, &bytes, scale);
        self.add_to_cluster();
    }

    /// Adds a vector that is quantized already, and leaves clusters as they are: nothing looks for the nearest
    /// passages of a sample.
    pub(crate) fn push_row(&mut self, document: u32, values: &[u8], scale: f32) {
        self.starts.resize(document as usize + 1, self.len() as u32);
        self.rows.push(values);
        self.scales.push(scale);
        self.documents.push(document);
        self.starts.push(self.len() as u32);
    }

    /// Reserves space for what is known of rows that are about to be [added](Self::add_rows).
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.scales.reserve_exact(rows);
        self.documents.reserve_exact(rows);
        self.starts.reserve_exact(rows + 1);
    }

    /// Adds rows; `counts` says how many each document from `first` on has.
    pub(crate) fn add_rows(&mut self, first: u32, counts: &[u32], rows: PassageRows) {
        let start = self.len();
        for (document, count) in (first..).zip(counts) {
            if *count > 0 {
                self.starts.resize(document as usize + 1, self.len() as u32);
                self.documents.extend((0..*count).map(|_| document));
                self.starts.push(self.len() as u32);
            }
        }
        if self.len() == start {
            return;
        }
        let PassageRows { width, scales, values, clusters } = rows;
        self.rows.append(width / 2, values);
        self.scales.extend_from_slice(&scales);
        self.add_to_clusters(start, clusters.filter(|one| one.centroids.width == width));
        self.find_clusters();
    }

    /// Assigns the rows from a number on to clusters; `known` are those they were in, if there were any.
    fn add_to_clusters(&mut self, start: usize, known: Option<RowClusters>) {
        let added = start..self.len();
        if let Some(RowClusters { centroids, .. }) = &known
            && self.clusters.is_none()
        {
            let mut own = Clusters::with(centroids.clone());
            own.add_rows(&self.rows, 0..start);
            self.clusters = Some(own);
        }
        let Some(own) = &mut self.clusters else { return };
        match known.filter(|one| one.centroids == *own.centroids()) {
            None => own.add_rows(&self.rows, added),
            Some(RowClusters { centroids: Centroids { width, .. }, numbers, sketches }) => {
                own.reserve(&numbers);
                let sketches = sketches.chunks_exact(sketch::words(width));
                for ((passage, cluster), sketch) in added.zip(numbers).zip(sketches) {
                    own.add_to(cluster.into(), passage as u32, sketch.iter().copied());
                }
            }
        }
    }

    /// Assigns the newest row to a cluster, and finds clusters when it is time to.
    fn add_to_cluster(&mut self) {
        let len = self.len();
        if let Some(clusters) = &mut self.clusters {
            clusters.add_rows(&self.rows, len - 1..len);
        }
        self.find_clusters();
    }

    /// Finds clusters if it is time to.
    fn find_clusters(&mut self) {
        let is_due = match &self.clusters {
            Some(clusters) => clusters.are_outgrown(),
            None => self.len() > EXACT_LIMIT,
        };
        if is_due {
            self.clusters = Some(Clusters::new(&self.rows));
        }
    }

    /// Returns the centroids, and the cluster of each passage in a range, if there are clusters.
    pub(crate) fn clusters_of(&self, passages: Range<usize>) -> Option<(&Centroids, Vec<u8>)> {
        let clusters = self.clusters.as_ref()?;
        Some((clusters.centroids(), clusters.of(passages)))
    }

    /// Returns among how many passages the clusters were found; 0 if there are none.
    pub(crate) fn clustered_among(&self) -> usize {
        self.clusters.as_ref().map_or(0, |clusters| clusters.centroids().found_among)
    }

    /// Returns whether there are so few passages that a search compares all of them.
    pub(crate) fn are_few(&self) -> bool {
        self.clusters.is_none()
    }

    /// Returns whether rows with this many values can be added.
    pub(crate) fn fits(&self, width: usize) -> bool {
        width.is_multiple_of(BLOCK) && width > 0 && [0, width].contains(&self.width())
    }

    /// Returns the number of values in a row.
    pub(crate) fn width(&self) -> usize {
        2 * self.rows.row_bytes()
    }

    /// Returns what the numbers of each of some rows are multiplied with.
    pub(crate) fn scales(&self, passages: Range<usize>) -> &[f32] {
        &self.scales[passages]
    }

    /// Returns the number of passages.
    pub(crate) fn len(&self) -> usize {
        self.documents.len()
    }

    /// Returns the document of a passage.
    pub(crate) fn document(&self, passage: usize) -> u32 {
        self.documents[passage]
    }

    /// Returns the documents of some passages.
    pub(crate) fn documents(&self, passages: Range<usize>) -> &[u32] {
        &self.documents[passages]
    }

    /// Returns the passages of a document.
    pub(crate) fn of(&self, document: u32) -> Range<usize> {
        match self.starts.get(document as usize..document as usize + 2) {
            Some(&[start, end]) => start as usize..end as usize,
            _ => self.len()..self.len(),
        }
    }

    /// Returns the passages of consecutive documents.
    pub(crate) fn of_run(&self, first: u32, last: u32) -> Range<usize> {
        self.of(first).start..self.of(last).end
    }

    /// Returns some rows, in pieces.
    pub(crate) fn rows(&self, passages: Range<usize>) -> impl Iterator<Item = &[u8]> {
        self.rows.runs(passages)
    }

    /// Returns the sketches of some rows, one after the other.
    pub(crate) fn sketches(&self, passages: Range<usize>) -> impl Iterator<Item = u64> {
        passages
            .flat_map(|passage| sketch::sketch(&unpacked(self.row(passage))).collect::<Vec<u64>>())
    }

    /// Returns the number of words in a sketch of a row of a width.
    pub(crate) fn sketch_words(width: usize) -> usize {
        sketch::words(width)
    }

    /// Returns one row.
    pub(crate) fn row(&self, passage: usize) -> &[u8] {
        self.rows.row(passage)
    }

    /// Prefetches rows that will be compared soon.
    pub(crate) fn prefetch(&self, passages: Range<usize>) {
        self.rows(passages).for_each(prefetch);
    }

    /// Returns the mean direction of some passages, of length 1; zeros if there are none.
    pub(crate) fn mean_direction(&self, passages: &[usize]) -> QuantizedVector {
        let mut sum = vec![0.0f32; self.width()];
        let mut row = vec![0; self.width()];
        for passage in passages {
            unpack(self.row(*passage), &mut row);
            let scale = self.scales[*passage];
            sum.iter_mut().zip(&row).for_each(|(sum, value)| *sum += scale * f32::from(*value));
        }
        let length = length(&sum);
        if length > 0.0 {
            sum.iter_mut().for_each(|value| *value /= length);
        }
        QuantizedVector::new(&sum)
    }

    /// Calls `each` with the cosines between every passage in a range and some quantized vectors.
    pub(crate) fn cosines<const N: usize>(
        &self,
        passages: Range<usize>,
        to: &[QuantizedVector; N],
        mut each: impl FnMut(usize, [f32; N]),
    ) {
        if passages.is_empty() || to[0].values.len() != self.width() {
            return;
        }
        let units = to.each_ref().map(|one| one.scale);
        let mut first = passages.start;
        for rows in self.rows(passages) {
            let scales = &self.scales[first..];
            dots(rows, to.each_ref().map(QuantizedVector::factor), |position, dots| {
                let cosine = |one: usize| dots[one] as f32 * scales[position] * units[one];
                each(first + position, array::from_fn(cosine));
            });
            first += rows.len() / self.rows.row_bytes();
        }
    }

    /// Returns at most `limit` passages that are probably nearest to a vector. Empty as long as there
    /// are few passages.
    pub(crate) fn probably_nearest(&self, to: &QuantizedVector, limit: usize) -> Vec<u32> {
        let clusters = self.clusters.as_ref().filter(|_| to.values.len() == self.width());
        clusters.map_or_else(Vec::new, |clusters| clusters.nearest(to, limit))
    }

    /// Returns the number of bytes in use.
    pub(crate) fn size(&self) -> usize {
        self.rows.size()
            + self.clusters.as_ref().map_or(0, Clusters::size)
            + (self.scales.capacity() + self.documents.capacity() + self.starts.capacity()) * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosines(vectors: &PassageVectors, passage: usize, to: [QuantizedVector; 2]) -> [f32; 2] {
        let mut found = [f32::NAN; 2];
        vectors.cosines(passage..passage + 1, &to, |_, cosines| found = cosines);
        found
    }

    #[test]
    fn rounding_agrees_with_the_standard_library() {
        for step in -1_300_000..1_300_000 {
            let value = step as f32 / 10_000.0;
            assert_eq!(round(value), value.round() as i32, "{value}");
        }
        for value in [0.499_999_97f32, -0.499_999_97, 0.5, -0.5, 126.5, -127.0] {
            assert_eq!(round(value), value.round() as i32, "{value}");
        }
    }

    #[test]
    fn quantized_cosines_are_exact_to_a_few_percent() {
        let wave = |step: f32| -> Vec<f32> {
            let raw: Vec<f32> = (0..250).map(|i| (i as f32 * step).sin()).collect();
            let length = raw.iter().map(|v| v * v).sum::<f32>().sqrt();
            raw.iter().map(|v| v / length).collect()
        };
        let (a, b) = (wave(0.37), wave(0.38));
        let exact: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        let mut vectors = PassageVectors::default();
        vectors.add(7, &a);
        vectors.add(7, &b);
        assert_eq!((vectors.len(), vectors.document(0)), (2, 7));
        assert_eq!((vectors.of(7), vectors.of(3)), (0..2, 0..0));
        let to = [&a, &b].map(|vector| QuantizedVector::new(vector));
        let [itself, other] = cosines(&vectors, 0, to);
        assert!((itself - 1.0).abs() < 0.01 && (other - exact).abs() < 0.03, "{itself} {other}");
        let mean = |passages: &[usize]| vectors.mean_direction(passages);
        let [both, none] = cosines(&vectors, 0, [mean(&[0, 1]), mean(&[])]);
        assert!(exact + 0.01 < both && both < 0.99 && none == 0.0, "{both} {none}");
    }
}
