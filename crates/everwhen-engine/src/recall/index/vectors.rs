//! Vectors of passages, one byte per number, in the order their entries arrived.

use std::array;
use std::ops::Range;

use super::dot::{BLOCK, Factor, dots, expect};
use super::regions::Regions;

/// Up to so many passages all are compared with a question.
const FEW: usize = 4_096;

/// Passages and the entries they come from.
#[derive(Debug, Default)]
pub(crate) struct Vectors {
    /// Numbers in a row: those of the embedder, and zeros up to a whole block.
    width: usize,
    values: Vec<i8>,
    /// What one unit in a row is worth.
    scales: Vec<f32>,
    /// Where rows point, once there are many.
    regions: Option<Regions>,
    /// The entry of each row.
    entries: Vec<u32>,
    /// The first row of each entry up to the newest one with rows, and the place behind all rows.
    starts: Vec<u32>,
}

/// A vector rounded to bytes.
#[derive(Debug, Clone)]
pub(crate) struct Rounded {
    values: Vec<i8>,
    scale: f32,
    /// The sum of the values.
    sum: i32,
}

impl Rounded {
    pub(crate) fn of(vector: &[f32]) -> Self {
        let largest = largest(vector);
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        let mut values: Vec<i8> = vector.iter().map(|value| nearest(value / scale) as i8).collect();
        values.resize(vector.len().next_multiple_of(BLOCK), 0);
        Self::new(values, scale)
    }

    /// A vector in two parts, which add up to it: rounded to bytes, and what rounding left out,
    /// rounded again.
    pub(crate) fn in_parts(vector: &[f32]) -> [Self; 2] {
        let coarse = Self::of(vector);
        let left_out = |(value, byte): (&f32, &i8)| value - f32::from(*byte) * coarse.scale;
        let fine: Vec<f32> = vector.iter().zip(&coarse.values).map(left_out).collect();
        [coarse, Self::of(&fine)]
    }

    fn new(values: Vec<i8>, scale: f32) -> Self {
        let sum = Factor::new(&values).sum();
        Self { values, scale, sum }
    }

    fn factor(&self) -> Factor<'_> {
        Factor::with_sum(&self.values, self.sum)
    }

    /// The bytes.
    pub(super) fn values(&self) -> &[i8] {
        &self.values
    }

    /// What one unit is worth.
    pub(super) fn scale(&self) -> f32 {
        self.scale
    }
}

/// The nearest whole number, as [`f32::round`] has it; that one is a call on older machines, this is
/// a few instructions for several values at once.
fn nearest(value: f32) -> i32 {
    let whole = value as i32;
    let rest = value - whole as f32;
    whole + i32::from(rest >= 0.5) - i32::from(rest <= -0.5)
}

/// The largest value, whatever its sign. Several at a time, as in [`length`].
fn largest(vector: &[f32]) -> f32 {
    let larger = |most: f32, value: &f32| if value.abs() > most { value.abs() } else { most };
    let (eights, rest) = vector.as_chunks::<8>();
    let mut most = [0.0; 8];
    for eight in eights {
        most.iter_mut().zip(eight).for_each(|(most, value)| *most = larger(*most, value));
    }
    most.iter().chain(rest).fold(0.0, larger)
}

/// How long a vector is.
fn length(vector: &[f32]) -> f32 {
    let (eights, rest) = vector.as_chunks::<8>();
    let mut squares = [0.0; 8];
    for eight in eights {
        squares.iter_mut().zip(eight).for_each(|(sum, value)| *sum += value * value);
    }
    let rest: f32 = rest.iter().map(|value| value * value).sum();
    (squares.iter().sum::<f32>() + rest).sqrt()
}

impl Vectors {
    /// Keeps the vector of a passage of `entry`; entries come in rising order.
    pub(crate) fn add(&mut self, entry: u32, vector: &[f32]) {
        let rounded = Rounded::of(vector);
        self.add_row(entry, &rounded.values, rounded.scale);
    }

    /// Keeps a vector as it was kept before.
    pub(crate) fn add_row(&mut self, entry: u32, values: &[i8], scale: f32) {
        self.width = values.len();
        self.starts.resize(entry as usize + 1, self.len() as u32);
        self.values.extend_from_slice(values);
        self.scales.push(scale);
        self.entries.push(entry);
        self.starts.push(self.len() as u32);
        self.find_region(values);
    }

    /// Puts the newest row into its region.
    fn find_region(&mut self, values: &[i8]) {
        let newest = self.len() as u32 - 1;
        if let Some(regions) = &mut self.regions {
            regions.add(newest, values);
        }
        let is_due = match &self.regions {
            Some(regions) => regions.are_outgrown(),
            None => self.len() > FEW,
        };
        if is_due {
            self.regions = Some(Regions::among(&self.values, self.width));
        }
    }

    /// Whether there are so few that comparing all of them takes no time.
    pub(crate) fn are_few(&self) -> bool {
        self.regions.is_none()
    }

    /// Whether rows of so many numbers can be added.
    pub(crate) fn fits(&self, width: usize) -> bool {
        width.is_multiple_of(BLOCK) && width > 0 && (self.width == 0 || self.width == width)
    }

    /// Numbers in a row.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// What one unit in each row is worth.
    pub(crate) fn scales(&self, passages: Range<usize>) -> &[f32] {
        &self.scales[passages]
    }

    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The entry a passage comes from.
    pub(crate) fn entry(&self, passage: usize) -> u32 {
        self.entries[passage]
    }

    /// The passages of an entry.
    pub(crate) fn of(&self, entry: u32) -> Range<usize> {
        match self.starts.get(entry as usize..entry as usize + 2) {
            Some(&[start, end]) => start as usize..end as usize,
            _ => self.len()..self.len(),
        }
    }

    /// The passages of entries that come right behind each other.
    pub(crate) fn of_run(&self, first: u32, last: u32) -> Range<usize> {
        self.of(first).start..self.of(last).end
    }

    /// The numbers of rows.
    pub(crate) fn rows(&self, passages: Range<usize>) -> &[i8] {
        &self.values[passages.start * self.width..passages.end * self.width]
    }

    /// Says that rows will be compared soon.
    pub(crate) fn expect(&self, passages: Range<usize>) {
        expect(self.rows(passages));
    }

    /// What some passages mean together, of length 1; zeros for none.
    pub(crate) fn together(&self, passages: &[usize]) -> Rounded {
        let mut sum = vec![0.0f32; self.width];
        for passage in passages {
            let (row, scale) = (self.rows(*passage..passage + 1), self.scales[*passage]);
            sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += scale * f32::from(*value));
        }
        let length = length(&sum);
        if length > 0.0 {
            sum.iter_mut().for_each(|value| *value /= length);
        }
        Rounded::of(&sum)
    }

    /// Calls `each` with the cosines of every passage in a range and some rounded vectors.
    pub(crate) fn near<const N: usize>(
        &self,
        passages: Range<usize>,
        to: &[Rounded; N],
        mut each: impl FnMut(usize, [f32; N]),
    ) {
        if passages.is_empty() || to[0].values.len() != self.width {
            return;
        }
        let (first, scales) = (passages.start, &self.scales[passages.clone()]);
        let units = to.each_ref().map(|one| one.scale);
        dots(self.rows(passages), to.each_ref().map(Rounded::factor), |place, dots| {
            let cosine = |one: usize| dots[one] as f32 * scales[place] * units[one];
            each(first + place, array::from_fn(cosine));
        });
    }

    /// The passages that are most likely near, where there are many: at most so many of them.
    pub(crate) fn likely(&self, to: &Rounded, most: usize) -> Vec<u32> {
        let regions = self.regions.as_ref().filter(|_| to.values.len() == self.width);
        regions.map_or_else(Vec::new, |regions| regions.nearest(to, most))
    }

    /// Bytes held.
    pub(crate) fn size(&self) -> usize {
        self.values.capacity()
            + self.regions.as_ref().map_or(0, Regions::size)
            + (self.scales.capacity() + self.entries.capacity() + self.starts.capacity()) * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(vectors: &Vectors, passage: usize, to: [Rounded; 2]) -> [f32; 2] {
        let mut found = [f32::NAN; 2];
        vectors.near(passage..passage + 1, &to, |_, cosines| found = cosines);
        found
    }

    #[test]
    fn the_nearest_whole_number_is_what_rounding_gives() {
        for step in -1_300_000..1_300_000 {
            let value = step as f32 / 10_000.0;
            assert_eq!(nearest(value), value.round() as i32, "{value}");
        }
        for value in [0.499_999_97f32, -0.499_999_97, 0.5, -0.5, 126.5, -127.0] {
            assert_eq!(nearest(value), value.round() as i32, "{value}");
        }
    }

    #[test]
    fn rounding_keeps_cosines_to_about_one_percent() {
        let wave = |step: f32| -> Vec<f32> {
            let raw: Vec<f32> = (0..250).map(|i| (i as f32 * step).sin()).collect();
            let length = raw.iter().map(|v| v * v).sum::<f32>().sqrt();
            raw.iter().map(|v| v / length).collect()
        };
        let (a, b) = (wave(0.37), wave(0.38));
        let exact: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        let mut vectors = Vectors::default();
        vectors.add(7, &a);
        vectors.add(7, &b);
        assert_eq!(
            (vectors.len(), vectors.entry(0), vectors.of(7), vectors.of(3)),
            (2, 7, 0..2, 0..0)
        );
        let [coarse, fine] = near(&vectors, 0, Rounded::in_parts(&b));
        assert!((coarse - exact).abs() < 0.01 && (coarse + fine - exact).abs() < 0.003);
        let [itself, other] = near(&vectors, 0, [vectors.together(&[0]), Rounded::of(&b)]);
        assert!((itself - 1.0).abs() < 0.01 && (other - exact).abs() < 0.01);
        let [both, none] = near(&vectors, 0, [vectors.together(&[0, 1]), vectors.together(&[])]);
        assert!(exact + 0.01 < both && both < 0.99 && none == 0.0, "{both} {none}");
    }
}
