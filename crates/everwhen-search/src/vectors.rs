//! Vectors of passages, quantized to one byte per dimension, in the order their documents were added.

mod clusters;
mod dot;
mod sketch;

use std::array;
use std::ops::Range;

pub use dot::{nearest_row, prefetch};

pub(crate) use self::clusters::Centroids;
use self::clusters::Clusters;
use self::dot::{BLOCK, Factor, dots};

/// Up to this many passages, a search compares all of them.
const EXACT_LIMIT: usize = 4_096;

/// Passages and the documents they belong to.
#[derive(Debug, Clone, Default)]
pub(crate) struct PassageVectors {
    /// The number of values in a row: the dimensions, padded with zeros to whole blocks.
    width: usize,
    values: Vec<i8>,
    /// The value of one unit in each row.
    scales: Vec<f32>,
    /// Rows by direction, once there are many.
    clusters: Option<Clusters>,
    /// The document of each row.
    documents: Vec<u32>,
    /// The first row of each document up to the newest one with rows, then the number of rows.
    starts: Vec<u32>,
    /// The number of rows for which space is reserved once their width is known.
    expected_rows: usize,
}

/// Consecutive rows, quantized already.
#[derive(Debug)]
pub(crate) struct PassageRows<'b> {
    /// The number of values in a row.
    pub(crate) width: usize,
    pub(crate) scales: Vec<f32>,
    /// The values, as bytes.
    pub(crate) values: &'b [u8],
    /// The cluster of each row, if there are clusters.
    pub(crate) clusters: Option<(Centroids, Vec<u8>)>,
}

/// A vector quantized to bytes.
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

    /// Quantizes a vector into two parts that add up to it: the quantized vector, and its quantization
    /// error, quantized again.
    pub(crate) fn in_two_parts(vector: &[f32]) -> [Self; 2] {
        let coarse = Self::new(vector);
        let error = |(value, byte): (&f32, &i8)| value - f32::from(*byte) * coarse.scale;
        let fine: Vec<f32> = vector.iter().zip(&coarse.values).map(error).collect();
        [coarse, Self::new(&fine)]
    }

    fn factor(&self) -> Factor<'_> {
        Factor::with_sum(&self.values, self.sum)
    }

    /// Returns the bytes.
    fn values(&self) -> &[i8] {
        &self.values
    }

    /// Returns the value of one unit.
    fn scale(&self) -> f32 {
        self.scale
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
        let quantized = QuantizedVector::new(vector);
        self.add_row(document, &quantized.values, quantized.scale);
    }

    /// Adds a vector that is quantized already.
    pub(crate) fn add_row(&mut self, document: u32, values: &[i8], scale: f32) {
        self.width = values.len();
        self.starts.resize(document as usize + 1, self.len() as u32);
        self.values.extend_from_slice(values);
        self.scales.push(scale);
        self.documents.push(document);
        self.starts.push(self.len() as u32);
        self.add_to_cluster(values);
    }

    /// Reserves space for rows that are about to be [added](Self::add_rows): copying those before whenever
    /// the space is used up takes as long as adding them.
    pub(crate) fn reserve(&mut self, rows: usize) {
        self.expected_rows = rows;
        self.scales.reserve_exact(rows);
        self.documents.reserve_exact(rows);
        self.starts.reserve_exact(rows + 1);
    }

    /// Adds rows; `counts` says how many each document from `first` on has.
    pub(crate) fn add_rows(&mut self, first: u32, counts: &[u32], rows: PassageRows<'_>) {
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
        self.width = rows.width;
        if start == 0 {
            self.values.reserve_exact(self.expected_rows.max(rows.scales.len()) * self.width);
        }
        self.scales.extend_from_slice(&rows.scales);
        self.values.extend(rows.values.iter().map(|value| value.cast_signed()));
        let values = &self.values[start * self.width..];
        let clusters = rows.clusters.filter(|(centroids, _)| centroids.width == self.width);
        if let Some((centroids, _)) = &clusters
            && self.clusters.is_none()
        {
            let mut own = Clusters::with(centroids.clone());
            own.add_rows(0, &self.values[..start * self.width]);
            self.clusters = Some(own);
        }
        if let Some(own) = &mut self.clusters {
            match clusters.filter(|(centroids, _)| centroids == own.centroids()) {
                None => own.add_rows(start as u32, values),
                Some((_, clusters)) => {
                    let numbered = (start as u32..).zip(values.chunks_exact(self.width));
                    for ((passage, row), cluster) in numbered.zip(clusters) {
                        own.add_to(cluster.into(), passage, row);
                    }
                }
            }
        }
        self.find_clusters();
    }

    /// Assigns the newest row to a cluster, and finds clusters when it is time to.
    fn add_to_cluster(&mut self, values: &[i8]) {
        let newest = self.len() as u32 - 1;
        if let Some(clusters) = &mut self.clusters {
            clusters.add_rows(newest, values);
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
            self.clusters = Some(Clusters::new(&self.values, self.width));
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
        width.is_multiple_of(BLOCK) && width > 0 && (self.width == 0 || self.width == width)
    }

    /// Returns the number of values in a row.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Returns the value of one unit in each of some rows.
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

    /// Returns the values of some rows.
    pub(crate) fn rows(&self, passages: Range<usize>) -> &[i8] {
        &self.values[passages.start * self.width..passages.end * self.width]
    }

    /// Prefetches rows that will be compared soon.
    pub(crate) fn prefetch(&self, passages: Range<usize>) {
        prefetch(self.rows(passages));
    }

    /// Returns the mean direction of some passages, of length 1; zeros if there are none.
    pub(crate) fn mean_direction(&self, passages: &[usize]) -> QuantizedVector {
        let mut sum = vec![0.0f32; self.width];
        for passage in passages {
            let (row, scale) = (self.rows(*passage..passage + 1), self.scales[*passage]);
            sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += scale * f32::from(*value));
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
        if passages.is_empty() || to[0].values.len() != self.width {
            return;
        }
        let (first, scales) = (passages.start, &self.scales[passages.clone()]);
        let units = to.each_ref().map(|one| one.scale);
        dots(self.rows(passages), to.each_ref().map(QuantizedVector::factor), |position, dots| {
            let cosine = |one: usize| dots[one] as f32 * scales[position] * units[one];
            each(first + position, array::from_fn(cosine));
        });
    }

    /// Returns at most `limit` passages that are probably nearest to a vector. Empty as long as there
    /// are few passages.
    pub(crate) fn probably_nearest(&self, to: &QuantizedVector, limit: usize) -> Vec<u32> {
        let clusters = self.clusters.as_ref().filter(|_| to.values.len() == self.width);
        clusters.map_or_else(Vec::new, |clusters| clusters.nearest(to, limit))
    }

    /// Returns the number of bytes in use.
    pub(crate) fn size(&self) -> usize {
        self.values.capacity()
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
    fn quantized_cosines_are_exact_to_about_one_percent() {
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
        let [coarse, fine] = cosines(&vectors, 0, QuantizedVector::in_two_parts(&b));
        assert!((coarse - exact).abs() < 0.01 && (coarse + fine - exact).abs() < 0.003);
        let mean = |passages: &[usize]| vectors.mean_direction(passages);
        let [itself, other] = cosines(&vectors, 0, [mean(&[0]), QuantizedVector::new(&b)]);
        assert!((itself - 1.0).abs() < 0.01 && (other - exact).abs() < 0.01);
        let [both, none] = cosines(&vectors, 0, [mean(&[0, 1]), mean(&[])]);
        assert!(exact + 0.01 < both && both < 0.99 && none == 0.0, "{both} {none}");
    }
}
