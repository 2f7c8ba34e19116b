//! Regions: passages by where they point. A question looks only into the regions it points at.
//!
//! Each passage belongs to the nearest of some centres, which are found once among a sample of the
//! passages and again when there are many more. Inside a region, sketches tell which passages are
//! worth comparing. A passage whose region is far from the question is not seen; it can still be
//! found by its words.

use super::dot::{Factor, dots};
use super::sketch;
use super::vectors::Rounded;

/// So many centres.
const CENTRES: usize = 256;
/// So many passages decide where they are.
const SAMPLE: usize = 32 * CENTRES;
/// So often they are moved into the middle of those they are nearest to.
const ROUNDS: usize = 4;
/// Centres are found anew when there are so many times more passages.
const GROWTH: usize = 16;
/// At least so many passages are looked at, and at least this part of all.
const LEAST: usize = 512;
const PART: usize = 48;
/// So many centres are put in order at a time.
const IN_ORDER: usize = 16;

/// Where passages point.
#[derive(Debug, Default)]
pub(crate) struct Regions {
    /// Numbers in a row.
    width: usize,
    centres: Vec<i8>,
    scales: Vec<f32>,
    regions: Vec<Region>,
    /// Passages there were when the centres were found.
    found_among: usize,
    len: usize,
}

#[derive(Debug, Default, Clone)]
struct Region {
    passages: Vec<u32>,
    sketches: Vec<u64>,
}

impl Regions {
    /// Finds centres among rows, and puts each row into its region.
    pub(crate) fn among(rows: &[i8], width: usize) -> Self {
        let count = rows.len() / width;
        let mut regions = Self { width, found_among: count, ..Self::default() };
        regions.find_centres(rows, count);
        regions.regions = vec![Region::default(); CENTRES];
        for (passage, row) in (0u32..).zip(rows.chunks_exact(width)) {
            regions.add(passage, row);
        }
        regions
    }

    /// Whether there are so many more passages by now that centres should be found anew.
    pub(crate) fn are_outgrown(&self) -> bool {
        self.len >= GROWTH * self.found_among
    }

    /// Puts a passage into its region.
    pub(crate) fn add(&mut self, passage: u32, row: &[i8]) {
        let nearest = self.nearest_centre(row);
        let region = &mut self.regions[nearest];
        region.passages.push(passage);
        region.sketches.extend(sketch::sketch(row));
        self.len += 1;
    }

    /// The passages of the regions a vector points at whose sketches are nearest to it, at most so
    /// many of them.
    pub(crate) fn nearest(&self, to: &Rounded, most: usize) -> Vec<u32> {
        let sketch: Vec<u64> = sketch::sketch(to.values()).collect();
        let visited = self.visited(to.values());
        let count = visited.iter().map(|region| region.passages.len()).sum();
        let mut distances = vec![0; count];
        let mut rest = &mut distances[..];
        for region in &visited {
            let (own, behind) = rest.split_at_mut(region.passages.len());
            sketch::measure(&region.sketches, &sketch, own);
            rest = behind;
        }
        let limit = sketch::limit(&distances, sketch.len(), most);
        let (mut nearest, mut as_far) = (Vec::with_capacity(most), Vec::new());
        let mut rest = &distances[..];
        for region in &visited {
            let (own, behind) = rest.split_at(region.passages.len());
            for (passage, distance) in region.passages.iter().zip(own) {
                if *distance <= limit {
                    let list = if *distance < limit { &mut nearest } else { &mut as_far };
                    list.push(*passage);
                }
            }
            rest = behind;
        }
        // Of those that are just as far as the limit, as many as there is room for.
        as_far.truncate(most - nearest.len());
        nearest.extend(as_far);
        nearest
    }

    /// The regions a row points at, until there is enough in them.
    fn visited(&self, row: &[i8]) -> Vec<&Region> {
        let mut order = Vec::with_capacity(CENTRES);
        // Whole numbers have an order; a millionth is fine enough. The centre is in the last bits.
        let key = |near: f32, centre: usize| (-near * 1e6) as i64 * CENTRES as i64 + centre as i64;
        self.each_centre(row, |centre, near| order.push(key(near, centre)));
        let (mut seen, enough) = (0, LEAST.max(self.len / PART));
        let mut visited = Vec::new();
        // Few are needed, so they are put in order a few at a time.
        let mut rest = &mut order[..];
        while seen < enough && !rest.is_empty() {
            let (some, others) = first_of(rest, IN_ORDER);
            for key in some.iter() {
                if seen >= enough {
                    break;
                }
                let region = &self.regions[key.rem_euclid(CENTRES as i64) as usize];
                seen += region.passages.len();
                visited.push(region);
            }
            rest = others;
        }
        visited
    }

    fn nearest_centre(&self, row: &[i8]) -> usize {
        let mut best = (f32::NEG_INFINITY, 0);
        self.each_centre(row, |centre, near| {
            if near > best.0 {
                best = (near, centre);
            }
        });
        best.1
    }

    /// Calls `each` with every centre and how near a row is to it.
    fn each_centre(&self, row: &[i8], mut each: impl FnMut(usize, f32)) {
        let near = |centre: usize, dot: i32| dot as f32 * self.scales[centre];
        dots(&self.centres, [Factor::new(row)], |centre, [dot]| each(centre, near(centre, dot)));
    }

    fn find_centres(&mut self, rows: &[i8], count: usize) {
        let width = self.width;
        let sample: Vec<&[i8]> =
            rows.chunks_exact(width).step_by(count.div_ceil(SAMPLE).max(1)).collect();
        let first = sample.iter().step_by((sample.len() / CENTRES).max(1)).take(CENTRES);
        self.set_centres(first.map(|row| row.iter().map(|value| f32::from(*value)).collect()));
        for _ in 0..ROUNDS {
            let mut sums = vec![vec![0f32; width]; self.scales.len()];
            for row in &sample {
                let sum = &mut sums[self.nearest_centre(row)];
                sum.iter_mut().zip(*row).for_each(|(sum, value)| *sum += f32::from(*value));
            }
            self.set_centres(sums.into_iter());
        }
    }

    /// Takes centres of any length; only where they point counts.
    fn set_centres(&mut self, centres: impl Iterator<Item = Vec<f32>>) {
        self.centres.clear();
        self.scales.clear();
        for centre in centres {
            let length = centre.iter().map(|value| value * value).sum::<f32>().sqrt();
            let rounded = Rounded::of(&centre);
            self.scales.push(if length > 0.0 { rounded.scale() / length } else { 0.0 });
            self.centres.extend_from_slice(rounded.values());
        }
    }

    /// Bytes held.
    pub(crate) fn size(&self) -> usize {
        let of = |one: &Region| one.passages.capacity() * 4 + one.sketches.capacity() * 8;
        self.centres.capacity() + self.regions.iter().map(of).sum::<usize>()
    }
}

/// The first few in order, and the others.
fn first_of(keys: &mut [i64], count: usize) -> (&mut [i64], &mut [i64]) {
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
    use super::*;

    /// Rows that point into one of a few hundred directions, more or less.
    fn rows(count: usize) -> Vec<i8> {
        let value = |row: usize, place: usize| {
            let spread = |seed: usize| seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mix = |seed: usize| (spread(spread(seed) >> 23 ^ seed) >> 40) % 200;
            let (topic, own) = (mix((row % 300) * 64 + place), mix(row * 64 + place + (7 << 30)));
            (((3 * topic + own) / 4) as i32 - 100) as i8
        };
        (0..count).flat_map(|row| (0..64).map(move |place| value(row, place))).collect()
    }

    #[test]
    fn of_the_same_said_often_there_is_as_much_as_fits() {
        let rows: Vec<i8> = [3, -3].iter().flat_map(|value| vec![*value; 64 * 2_500]).collect();
        let regions = Regions::among(&rows, 64);
        let near = regions.nearest(&Rounded::of(&[-1.0; 64]), 100);
        assert_eq!(near.len(), 100);
        assert!(near.iter().all(|passage| *passage >= 2_500));
    }

    #[test]
    fn what_is_near_is_found_in_the_regions_a_question_points_at() {
        let rows = rows(6_000);
        let regions = Regions::among(&rows, 64);
        assert_eq!(regions.len, 6_000);
        let mut found = 0;
        for asked in (0..6_000).step_by(300) {
            let row: Vec<f32> = rows[asked * 64..][..64].iter().map(|v| f32::from(*v)).collect();
            let near = regions.nearest(&Rounded::of(&row), 256);
            assert!(near.len() <= 256);
            found += usize::from(near.contains(&(asked as u32)));
        }
        assert_eq!(found, 20);
    }
}
