//! Four-bit rows: how a vector becomes one, and its numbers again.
//!
//! A row has a number from -7 to 7 for each value of its vector, and a scale. Byte `b` of a row has two of
//! them, each plus 8: number `b` in its low half, and number `b` plus half the row in its high half.

use super::dot::BLOCK;
use super::{largest, length, round};

/// The largest number in a row.
const MOST: i32 = 7;
/// The unit of a row as a share of the root mean square of its vector, if it is not the one that reaches the
/// largest value: the unit with the least error if values are normally distributed. Larger ones are cut off.
const USUAL_UNIT: f32 = 0.36;

/// A vector as a row.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PackedVector {
    pub(super) bytes: Vec<u8>,
    /// What a number of the row is multiplied with. It makes the product with the vector itself exact.
    pub(super) scale: f32,
}

impl PackedVector {
    /// Packs a vector, padded with zeros to whole blocks, in that of two units that keeps its direction better.
    pub(super) fn new(vector: &[f32]) -> Self {
        let width = vector.len().next_multiple_of(BLOCK);
        let whole = length(vector);
        let units =
            [largest(vector) / MOST as f32, USUAL_UNIT * whole / (vector.len() as f32).sqrt()];
        let in_units = units.map(|unit| Rounded::new(vector, unit, width));
        let [reaching, usual] = &in_units;
        let best = if usual.direction() > reaching.direction() { usual } else { reaching };
        let scale = if best.along > 0.0 { whole * whole / best.along } else { 0.0 };
        Self { bytes: pack(&best.numbers), scale }
    }
}

/// A vector in whole units.
struct Rounded {
    numbers: Vec<i8>,
    /// The product of the numbers and the vector.
    along: f32,
    /// The length of the numbers.
    length: f32,
}

impl Rounded {
    fn new(vector: &[f32], unit: f32, width: usize) -> Self {
        let per_value = if unit > 0.0 { 1.0 / unit } else { 0.0 };
        let mut numbers = vec![0; width];
        let (mut along, mut squares) = (0.0, 0);
        for (number, value) in numbers.iter_mut().zip(vector) {
            let rounded = round(value * per_value).clamp(-MOST, MOST);
            along += value * rounded as f32;
            squares += rounded * rounded;
            *number = rounded as i8;
        }
        Self { numbers, along, length: (squares as f32).sqrt() }
    }

    /// Returns how near the direction of the numbers is to that of the vector.
    fn direction(&self) -> f32 {
        if self.length > 0.0 { self.along / self.length } else { 0.0 }
    }
}

/// Packs numbers.
pub(super) fn pack(numbers: &[i8]) -> Vec<u8> {
    let (low, high) = numbers.split_at(numbers.len() / 2);
    let half = |number: &i8| (number + 8).cast_unsigned();
    low.iter().zip(high).map(|(low, high)| half(low) | half(high) << 4).collect()
}

/// Unpacks a row; there is room for all its numbers.
pub(super) fn unpack(row: &[u8], numbers: &mut [i8]) {
    let (low, high) = numbers.split_at_mut(row.len());
    for ((low, high), byte) in low.iter_mut().zip(high).zip(row) {
        *low = (byte & 15).cast_signed() - 8;
        *high = (byte >> 4).cast_signed() - 8;
    }
}

/// Returns the numbers of a row.
pub(super) fn unpacked(row: &[u8]) -> Vec<i8> {
    let mut numbers = vec![0; 2 * row.len()];
    unpack(row, &mut numbers);
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_packed_and_unpacked() {
        let numbers: Vec<i8> = (0..256).map(|one| (one * 37 % 15 - 7) as i8).collect();
        let row = pack(&numbers);
        assert_eq!((row.len(), unpacked(&row)), (128, numbers));
    }

    #[test]
    fn a_row_has_the_direction_of_its_vector() {
        let wave: Vec<f32> = (0..256).map(|one| (one as f32 * 1.7).sin()).collect();
        let outlier: Vec<f32> =
            wave.iter().enumerate().map(|(at, value)| if at == 9 { 6.0 } else { *value }).collect();
        let single: Vec<f32> = (0..256).map(|one| if one == 5 { -2.0 } else { 0.0 }).collect();
        for (vector, least) in [(wave, 0.993), (outlier, 0.95), (single, 0.999)] {
            let PackedVector { bytes, scale } = PackedVector::new(&vector);
            let numbers = unpacked(&bytes);
            let along: f32 = numbers.iter().zip(&vector).map(|(a, b)| f32::from(*a) * b).sum();
            let own: Vec<f32> = numbers.iter().map(|one| f32::from(*one)).collect();
            assert!(along / length(&own) / length(&vector) > least, "{numbers:?}");
            let itself = along * scale / length(&vector) / length(&vector);
            assert!((itself - 1.0).abs() < 1e-5, "{itself}");
        }
    }

    #[test]
    fn what_is_no_direction_is_zeros() {
        for vector in [vec![0.0; 3], vec![], vec![f32::NAN; 3]] {
            let PackedVector { bytes, scale } = PackedVector::new(&vector);
            assert!(unpacked(&bytes).iter().all(|number| *number == 0), "{bytes:?}");
            assert_eq!(scale, 0.0);
        }
    }
}
