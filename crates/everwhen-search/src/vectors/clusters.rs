//! Clusters of passages by direction (an inverted file index). A search visits the nearest clusters.
//!
//! Each passage belongs to the nearest of some centroids. Those are found by k-means over a sample of
//! the passages, and found again when there are many more. Inside a cluster, sketches select the
//! passages that are worth comparing. A passage in a cluster that is not visited is missed; it can
//! still be found by its words.

use std::ops::Range;

use super::dot::{BLOCK, Factor, dots};
use super::packed::{PackedVector, unpack, unpacked};
use super::rows::Rows;
use super::{QuantizedVector, length, sketch};

/// The number of centroids.
const CENTROIDS: usize = 256;
/// The number of passages that k-means runs on.
const SAMPLE: usize = 32 * CENTROIDS;
/// The number of iterations of k-means.
const ROUNDS: usize = 4;
/// Centroids are found again when the number of passages has grown by this factor.
const GROWTH: usize = 16;
/// The least number of passages that a search visits.
const LEAST_VISITED: usize = 512;
/// A search visits at least one in this many passages.
const LEAST_SHARE: usize = 48;
/// The least number of passages by which a cluster grows.
const LEAST_GROWTH: usize = 16;
/// The number of centroids that are sorted at a time.
const SORT_STEP: usize = 16;

/// The directions that clusters have.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Centroids {
    /// The number of values in a row.
    pub(crate) width: usize,
    /// Packed rows.
    pub(crate) values: Vec<u8>,
    pub(crate) scales: Vec<f32>,
    /// The number of passages when the centroids were found.
    pub(crate) found_among: usize,
}

/// Passages by their nearest centroid.
#[derive(Debug, Clone, Default)]
pub(super) struct Clusters {
    centroids: Centroids,
    clusters: Vec<Cluster>,
    len: usize,
}

#[derive(Debug, Default, Clone)]
struct Cluster {
    passages: Vec<u32>,
    sketches: Vec<u64>,
}

impl Clusters {
    /// Finds centroids and assigns each row to its cluster.
    pub(super) fn new(rows: &Rows) -> Self {
        let mut all = Self::with(Centroids::find(rows));
        all.add_rows(rows, 0..rows.len());
        all
    }

    /// Makes empty clusters around known centroids.
    pub(super) fn with(centroids: Centroids) -> Self {
        Self { centroids, clusters: vec![Cluster::default(); CENTROIDS], len: 0 }
    }

    /// Returns the centroids.
    pub(super) fn centroids(&self) -> &Centroids {
        &self.centroids
    }

    /// Returns whether enough passages were added that the centroids should be computed again.
    pub(super) fn are_outgrown(&self) -> bool {
        self.len >= GROWTH * self.centroids.found_among
    }

    /// Assigns consecutive passages to their clusters.
    pub(super) fn add_rows(&mut self, rows: &Rows, passages: Range<usize>) {
        let mut row = vec![0; self.centroids.width];
        for passage in passages {
            unpack(rows.row(passage), &mut row);
            self.add_to(self.centroids.nearest(&row), passage as u32, sketch::sketch(&row));
        }
    }

    /// Adds a passage with its sketch to a cluster.
    pub(super) fn add_to(
        &mut self,
        cluster: usize,
        passage: u32,
        sketch: impl Iterator<Item = u64>,
    ) {
        let words = self.centroids.width / 64;
        let cluster = &mut self.clusters[cluster];
        if cluster.passages.len() == cluster.passages.capacity() {
            // By an eighth: together, these lists are among the largest of an index.
            let more = (cluster.passages.len() / 8).max(LEAST_GROWTH);
            cluster.passages.reserve_exact(more);
            cluster.sketches.reserve_exact(more * words);
        }
        cluster.passages.push(passage);
        cluster.sketches.extend(sketch);
        self.len += 1;
    }

    /// Makes room for passages in these clusters.
    pub(super) fn reserve(&mut self, clusters: &[u8]) {
        let words = self.centroids.width / 64;
        let mut counts = [0; CENTROIDS];
        clusters.iter().for_each(|cluster| counts[usize::from(*cluster)] += 1);
        for (cluster, count) in self.clusters.iter_mut().zip(counts) {
            cluster.passages.reserve(count);
            cluster.sketches.reserve(count * words);
        }
    }

    /// Returns the cluster of each passage in a range.
    pub(super) fn of(&self, passages: Range<usize>) -> Vec<u8> {
        let mut found = vec![0; passages.len()];
        for (number, cluster) in self.clusters.iter().enumerate() {
            let start = cluster.passages.partition_point(|one| (*one as usize) < passages.start);
            let inside = cluster.passages[start..].iter().map(|one| *one as usize);
            for passage in inside.take_while(|one| *one < passages.end) {
                found[passage - passages.start] = number as u8;
            }
        }
        found
    }

    /// Returns the passages in the nearest clusters whose sketches are nearest to a vector, at most
    /// `limit` of them.
    pub(super) fn nearest(&self, to: &QuantizedVector, limit: usize) -> Vec<u32> {
        let sketch: Vec<u64> = sketch::sketch(to.values()).collect();
        let visited = self.visited(to.values());
        let count = visited.iter().map(|cluster| cluster.passages.len()).sum();
        let mut distances = vec![0; count];
        let mut rest = &mut distances[..];
        for cluster in &visited {
            let (own, behind) = rest.split_at_mut(cluster.passages.len());
            sketch::distances(&cluster.sketches, &sketch, own);
            rest = behind;
        }
        let farthest = sketch::distance_limit(&distances, sketch.len(), limit);
        let (mut nearest, mut as_far) = (Vec::with_capacity(limit), Vec::new());
        let mut rest = &distances[..];
        for cluster in &visited {
            let (own, behind) = rest.split_at(cluster.passages.len());
            for (passage, distance) in cluster.passages.iter().zip(own) {
                if *distance <= farthest {
                    let list = if *distance < farthest { &mut nearest } else { &mut as_far };
                    list.push(*passage);
                }
            }
            rest = behind;
        }
        // Of those exactly at the limit, as many as there is room for.
        as_far.truncate(limit - nearest.len());
        nearest.extend(as_far);
        nearest
    }

    /// Returns the clusters to visit, nearest first, until they hold enough passages.
    fn visited(&self, row: &[i8]) -> Vec<&Cluster> {
        let mut order = Vec::with_capacity(CENTROIDS);
        // Integers can be sorted; a millionth is fine enough. The centroid is in the lowest bits.
        let key =
            |near: f32, centroid: usize| (-near * 1e6) as i64 * CENTROIDS as i64 + centroid as i64;
        self.centroids.each(row, |centroid, near| order.push(key(near, centroid)));
        let (mut seen, enough) = (0, LEAST_VISITED.max(self.len / LEAST_SHARE));
        let mut visited = Vec::new();
        // Few are needed, so a few are sorted at a time.
        let mut rest = &mut order[..];
        while seen < enough && !rest.is_empty() {
            let (some, others) = first_sorted(rest, SORT_STEP);
            for key in some.iter() {
                if seen >= enough {
                    break;
                }
                let cluster = &self.clusters[key.rem_euclid(CENTROIDS as i64) as usize];
                seen += cluster.passages.len();
                visited.push(cluster);
            }
            rest = others;
        }
        visited
    }

    /// Returns the number of bytes in use.
    pub(super) fn size(&self) -> usize {
        let of = |one: &Cluster| one.passages.capacity() * 4 + one.sketches.capacity() * 8;
        self.centroids.values.capacity() + self.clusters.iter().map(of).sum::<usize>()
    }
}

impl Centroids {
    /// Finds centroids by k-means on a sample of the rows.
    fn find(rows: &Rows) -> Self {
        let (count, width) = (rows.len(), 2 * rows.row_bytes());
        let mut all = Self { width, found_among: count, ..Self::default() };
        let step = count.div_ceil(SAMPLE).max(1);
        let sample: Vec<Vec<i8>> =
            (0..count).step_by(step).map(|row| unpacked(rows.row(row))).collect();
        let first = sample.iter().step_by((sample.len() / CENTROIDS).max(1)).take(CENTROIDS);
        all.set(first.map(|row| row.iter().map(|value| f32::from(*value)).collect()));
        for _ in 0..ROUNDS {
            let mut sums = vec![vec![0f32; width]; all.scales.len()];
            for row in &sample {
                let sum = &mut sums[all.nearest(row)];
                sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += f32::from(*value));
            }
            all.set(sums.into_iter());
        }
        all
    }

    /// Sets centroids; only their direction counts, not their length.
    fn set(&mut self, centroids: impl Iterator<Item = Vec<f32>>) {
        self.values.clear();
        self.scales.clear();
        for centroid in centroids {
            let PackedVector { bytes, scale } = PackedVector::new(&centroid);
            let length = length(&centroid);
            self.scales.push(if length > 0.0 { scale / length } else { 0.0 });
            self.values.extend(bytes);
        }
    }

    fn nearest(&self, row: &[i8]) -> usize {
        let mut best = (f32::NEG_INFINITY, 0);
        self.each(row, |centroid, near| {
            if near > best.0 {
                best = (near, centroid);
            }
        });
        best.1
    }

    /// Calls `each` with every centroid and how near a row is to it.
    fn each(&self, row: &[i8], mut each: impl FnMut(usize, f32)) {
        dots(&self.values, [Factor::new(row)], |centroid, [dot]| {
            each(centroid, dot as f32 * self.scales[centroid]);
        });
    }

    /// Returns whether they can be used, and whether they have these clusters.
    pub(crate) fn are_valid(&self, clusters: &[u8]) -> bool {
        let count = self.scales.len();
        (1..=CENTROIDS).contains(&count)
            && self.width.is_multiple_of(BLOCK)
            && self.width > 0
            && self.values.len() == count * self.width / 2
            && self.found_among > 0
            && clusters.iter().all(|cluster| usize::from(*cluster) < count)
    }
}

/// Returns the `count` smallest keys, sorted, and the others.
fn first_sorted(keys: &mut [i64], count: usize) -> (&mut [i64], &mut [i64]) {
    let count = count.min(keys.len());
    if count < keys.len() {
        keys.select_nth_unstable(count);
    }
    let (first, others) = keys.split_at_mut(count);
    first.sort_unstable();
    (first, others)
}

#[cfg(test)]
mod tests {
    use super::super::packed::pack;
    use super::*;

    /// Rows of 128 values.
    fn rows_of(values: &[i8]) -> Rows {
        let mut rows = Rows::default();
        values.chunks_exact(128).for_each(|row| rows.push(&pack(row)));
        rows
    }

    /// Rows near one of a few hundred directions.
    fn rows(count: usize) -> Vec<i8> {
        let value = |row: usize, position: usize| {
            let spread = |seed: usize| seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mix = |seed: usize| (spread(spread(seed) >> 23 ^ seed) >> 40) % 200;
            let (topic, own) =
                (mix((row % 300) * 128 + position), mix(row * 128 + position + (7 << 30)));
            (((3 * topic + own) / 4) as i32 / 14 - 7) as i8
        };
        (0..count).flat_map(|row| (0..128).map(move |position| value(row, position))).collect()
    }

    #[test]
    fn of_equal_passages_as_many_as_fit_are_found() {
        let rows: Vec<i8> = [3, -3].iter().flat_map(|value| vec![*value; 128 * 2_500]).collect();
        let clusters = Clusters::new(&rows_of(&rows));
        let near = clusters.nearest(&QuantizedVector::new(&[-1.0; 128]), 100);
        assert_eq!(near.len(), 100);
        assert!(near.iter().all(|passage| *passage >= 2_500));
    }

    #[test]
    fn the_nearest_passage_is_in_a_visited_cluster() {
        let rows = rows(6_000);
        let clusters = Clusters::new(&rows_of(&rows));
        assert_eq!(clusters.len, 6_000);
        let mut found = 0;
        for asked in (0..6_000).step_by(300) {
            let row: Vec<f32> = rows[asked * 128..][..128].iter().map(|v| f32::from(*v)).collect();
            let near = clusters.nearest(&QuantizedVector::new(&row), 256);
            assert!(near.len() <= 256);
            found += usize::from(near.contains(&(asked as u32)));
        }
        assert_eq!(found, 20);
    }
}
