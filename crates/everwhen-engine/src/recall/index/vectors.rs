//! Vectors of passages, one byte per number, in the order their entries arrived.

use super::dot::dot;

/// Passages and the entries they come from.
#[derive(Debug, Default)]
pub(crate) struct Vectors {
    dimensions: usize,
    values: Vec<i8>,
    /// What one unit in a row is worth.
    scales: Vec<f32>,
    /// The entry of each row.
    entries: Vec<u32>,
}

/// A vector rounded to bytes.
pub(crate) struct Rounded {
    values: Vec<i8>,
    scale: f32,
}

impl Rounded {
    pub(crate) fn of(vector: &[f32]) -> Self {
        let largest = vector.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        Self { values: vector.iter().map(|value| (value / scale).round() as i8).collect(), scale }
    }
}

impl Vectors {
    /// Keeps the vector of a passage of `entry`.
    pub(crate) fn add(&mut self, entry: u32, vector: &[f32]) {
        let rounded = Rounded::of(vector);
        self.dimensions = vector.len();
        self.values.extend_from_slice(&rounded.values);
        self.scales.push(rounded.scale);
        self.entries.push(entry);
    }

    /// How many.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The entry a passage comes from.
    pub(crate) fn entry(&self, passage: usize) -> u32 {
        self.entries[passage]
    }

    fn row(&self, passage: usize) -> &[i8] {
        &self.values[passage * self.dimensions..(passage + 1) * self.dimensions]
    }

    /// Cosine of a passage and a rounded vector.
    pub(crate) fn near(&self, passage: usize, to: &Rounded) -> f32 {
        dot(self.row(passage), &to.values) as f32 * self.scales[passage] * to.scale
    }

    /// Cosine of a passage and a vector that was not rounded.
    pub(crate) fn exactly(&self, passage: usize, to: &[f32]) -> f32 {
        let row = self.row(passage).iter();
        row.zip(to).map(|(a, b)| f32::from(*a) * b).sum::<f32>() * self.scales[passage]
    }

    /// Cosine of two passages.
    pub(crate) fn between(&self, one: usize, other: usize) -> f32 {
        dot(self.row(one), self.row(other)) as f32 * self.scales[one] * self.scales[other]
    }

    /// Bytes held.
    pub(crate) fn size(&self) -> usize {
        self.values.capacity() + (self.scales.capacity() + self.entries.capacity()) * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_keeps_cosines_to_about_one_percent() {
        let wave = |step: f32| -> Vec<f32> {
            let raw: Vec<f32> = (0..256).map(|i| (i as f32 * step).sin()).collect();
            let length = raw.iter().map(|v| v * v).sum::<f32>().sqrt();
            raw.iter().map(|v| v / length).collect()
        };
        let (a, b) = (wave(0.37), wave(0.38));
        let exact: f32 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        let mut vectors = Vectors::default();
        vectors.add(7, &a);
        assert_eq!((vectors.len(), vectors.entry(0)), (1, 7));
        assert!((vectors.near(0, &Rounded::of(&b)) - exact).abs() < 0.01);
        assert!((vectors.exactly(0, &b) - exact).abs() < 0.005);
        assert!((vectors.between(0, 0) - 1.0).abs() < 0.01);
    }
}
