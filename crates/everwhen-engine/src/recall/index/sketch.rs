//! Sketches: one bit per number of a vector, its sign. In how many bits two sketches differ says
//! roughly how far apart the vectors point, at a thirty-second of the bytes to read.

/// Bits in a word.
const WORD: usize = u64::BITS as usize;

/// The signs of a row, one bit each.
pub(crate) fn sketch(row: &[i8]) -> impl Iterator<Item = u64> {
    let bit = |word: u64, (place, value): (usize, &i8)| word | u64::from(*value < 0) << place;
    row.chunks(WORD).map(move |part| part.iter().enumerate().fold(0, bit))
}

/// The distance that at most `most` rows stay below, of sketches of so many words.
pub(crate) fn limit(distances: &[u16], words: usize, most: usize) -> u16 {
    let mut counts = vec![0usize; words * WORD + 1];
    distances.iter().for_each(|distance| counts[usize::from(*distance)] += 1);
    let mut sum = 0;
    let fits = |count: &&usize| {
        sum += **count;
        sum <= most
    };
    counts.iter().take_while(fits).count() as u16
}

/// In how many bits each sketch differs from `to`.
pub(crate) fn measure(sketches: &[u64], to: &[u64], distances: &mut [u16]) {
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code, reason = "the CPU has the instructions")]
    {
        if is_x86_feature_detected!("avx512vpopcntdq") && is_x86_feature_detected!("avx512vl") {
            return unsafe { measure_many(sketches, to, distances) };
        }
        if is_x86_feature_detected!("popcnt") {
            return unsafe { measure_one_by_one(sketches, to, distances) };
        }
    }
    measure_plainly(sketches, to, distances);
}

/// # Safety
/// The CPU has AVX-512 with VPOPCNTDQ and VL.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512vpopcntdq")]
#[expect(unsafe_code, reason = "only the instructions themselves have to be there")]
unsafe fn measure_many(sketches: &[u64], to: &[u64], distances: &mut [u16]) {
    measure_plainly(sketches, to, distances);
}

/// # Safety
/// The CPU has POPCNT.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
#[expect(unsafe_code, reason = "only the instruction itself has to be there")]
unsafe fn measure_one_by_one(sketches: &[u64], to: &[u64], distances: &mut [u16]) {
    measure_plainly(sketches, to, distances);
}

/// With whatever instructions the caller was made for. The usual width is known beforehand.
#[inline(always)]
fn measure_plainly(sketches: &[u64], to: &[u64], distances: &mut [u16]) {
    match <&[u64; 4]>::try_from(to) {
        Ok(to) => measure_by(sketches, to, distances),
        Err(_) => measure_by(sketches, to, distances),
    }
}

#[inline(always)]
fn measure_by<W: AsRef<[u64]> + ?Sized>(sketches: &[u64], to: &W, distances: &mut [u16]) {
    let to = to.as_ref();
    for (row, distance) in sketches.chunks_exact(to.len()).zip(distances) {
        *distance = row.iter().zip(to).map(|(a, b)| (a ^ b).count_ones() as u16).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sketch_keeps_signs_and_the_nearest_differ_least() {
        let row = |flips: usize| -> Vec<i8> {
            (0..256).map(|place| if place < flips { -5 } else { 5 }).collect()
        };
        let rows: Vec<u64> = [0, 90, 7, 200, 31]
            .iter()
            .flat_map(|flips| sketch(&row(*flips)).collect::<Vec<_>>())
            .collect();
        let to: Vec<u64> = sketch(&row(5)).collect();
        assert_eq!(to[0], 0b11111);
        let mut distances = [0; 5];
        measure(&rows, &to, &mut distances);
        assert_eq!(distances, [5, 85, 2, 195, 26]);
        let below = |most| {
            let limit = limit(&distances, 4, most);
            distances.iter().filter(|distance| **distance < limit).count()
        };
        assert_eq!([0, 3, 99].map(below), [0, 3, 5]);
    }
}
