//! Sketches: the sign bits of a vector. The Hamming distance between two sketches estimates the angle
//! between the vectors, for an eighth of the bytes.

/// The number of bits in a word.
const WORD: usize = u64::BITS as usize;

/// Returns the number of words for a row of a width.
pub(super) fn words(width: usize) -> usize {
    width.div_ceil(WORD)
}

/// Returns the sign bits of a row, in words.
pub(super) fn sketch(row: &[i8]) -> impl Iterator<Item = u64> {
    row.chunks(WORD).map(|part| part.try_into().map_or_else(|_| portable_word(part), word))
}

/// Returns the sign bits of a whole word.
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "calls instructions that need a CPU feature")]
fn word(values: &[i8; WORD]) -> u64 {
    use std::arch::x86_64::{_mm_movemask_epi8, _mm_set_epi64x};
    let (eights, _) = values.as_chunks::<8>();
    let eight = |position: usize| i64::from_le_bytes(eights[position].map(i8::cast_unsigned));
    let sixteen = |first: usize| {
        // SAFETY: the instructions are of SSE2, which every x86-64 CPU has, and access no memory.
        unsafe { _mm_movemask_epi8(_mm_set_epi64x(eight(first + 1), eight(first))) }
    };
    [6, 4, 2, 0].into_iter().fold(0, |word, first| word << 16 | u64::from(sixteen(first) as u16))
}

/// Returns the sign bits of a whole word.
#[cfg(not(target_arch = "x86_64"))]
fn word(values: &[i8; WORD]) -> u64 {
    portable_word(values)
}

/// Returns the sign bits of up to a whole word.
fn portable_word(values: &[i8]) -> u64 {
    let eights = values.chunks(8).enumerate();
    eights.fold(0, |word, (position, eight)| word | signs(eight) << (8 * position))
}

/// Returns the sign bits of up to eight values.
fn signs(values: &[i8]) -> u64 {
    let Ok(eight) = <[i8; 8]>::try_from(values) else {
        let bit = |(position, value): (usize, &i8)| u64::from(*value < 0) << position;
        return values.iter().enumerate().map(bit).sum();
    };
    let signs = u64::from_le_bytes(eight.map(i8::cast_unsigned)) & 0x8080_8080_8080_8080;
    // The product moves the sign of each byte to a bit of its own in the highest byte.
    (signs >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Returns the largest distance such that at most `most` rows are nearer; sketches have `words` words.
pub(super) fn distance_limit(distances: &[u16], words: usize, most: usize) -> u16 {
    let mut counts = vec![0usize; words * WORD + 1];
    distances.iter().for_each(|distance| counts[usize::from(*distance)] += 1);
    let mut sum = 0;
    let fits = |count: &&usize| {
        sum += **count;
        sum <= most
    };
    counts.iter().take_while(fits).count() as u16
}

/// Computes the Hamming distance between each sketch and `to`.
pub(super) fn distances(sketches: &[u64], to: &[u64], found: &mut [u16]) {
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code, reason = "calls functions that need a CPU feature")]
    {
        if is_x86_feature_detected!("avx512vpopcntdq") && is_x86_feature_detected!("avx512vl") {
            // SAFETY: the CPU features were just detected.
            return unsafe { with_vpopcnt(sketches, to, found) };
        }
        if is_x86_feature_detected!("popcnt") {
            // SAFETY: the CPU feature was just detected.
            return unsafe { with_popcnt(sketches, to, found) };
        }
    }
    portable(sketches, to, found);
}

/// The portable code, compiled for AVX-512 with VPOPCNTDQ and VL.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512vpopcntdq")]
fn with_vpopcnt(sketches: &[u64], to: &[u64], found: &mut [u16]) {
    portable(sketches, to, found);
}

/// The portable code, compiled for POPCNT.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn with_popcnt(sketches: &[u64], to: &[u64], found: &mut [u16]) {
    portable(sketches, to, found);
}

/// Computes the distances with whatever instructions the caller is compiled for. The most common width
/// is a constant, which the compiler can unroll.
#[inline(always)]
fn portable(sketches: &[u64], to: &[u64], found: &mut [u16]) {
    match <&[u64; 4]>::try_from(to) {
        Ok(to) => portable_width(sketches, to, found),
        Err(_) => portable_width(sketches, to, found),
    }
}

#[inline(always)]
fn portable_width<W: AsRef<[u64]> + ?Sized>(sketches: &[u64], to: &W, found: &mut [u16]) {
    let to = to.as_ref();
    for (row, distance) in sketches.chunks_exact(to.len()).zip(found) {
        *distance = row.iter().zip(to).map(|(a, b)| (a ^ b).count_ones() as u16).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bit_is_the_sign_of_one_value() {
        let row: Vec<i8> = (0..71i32).map(|one| (one * one * 37 % 255 - 127) as i8).collect();
        let sketch: Vec<u64> = sketch(&row).collect();
        assert_eq!(sketch.len(), 2);
        for (position, value) in row.iter().enumerate() {
            assert_eq!(sketch[position / 64] >> (position % 64) & 1 == 1, *value < 0, "{position}");
        }
        assert_eq!(sketch[1] >> 7, 0);
        assert_eq!(sketch[0], portable_word(&row[..64]));
    }

    #[test]
    fn near_vectors_have_near_sketches() {
        let row = |flips: usize| -> Vec<i8> {
            (0..256).map(|position| if position < flips { -5 } else { 5 }).collect()
        };
        let rows: Vec<u64> = [0, 90, 7, 200, 31]
            .iter()
            .flat_map(|flips| sketch(&row(*flips)).collect::<Vec<_>>())
            .collect();
        let to: Vec<u64> = sketch(&row(5)).collect();
        assert_eq!(to[0], 0b11111);
        let mut found = [0; 5];
        distances(&rows, &to, &mut found);
        assert_eq!(found, [5, 85, 2, 195, 26]);
        let below = |most| {
            let limit = distance_limit(&found, 4, most);
            found.iter().filter(|distance| **distance < limit).count()
        };
        assert_eq!([0, 3, 99].map(below), [0, 3, 5]);
    }

    #[test]
    fn every_path_agrees_with_the_portable_one() {
        let word = |seed: u64| seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for width in [1, 3, 4, 7] {
            let sketches: Vec<u64> = (0..width * 41).map(|one| word(word(one))).collect();
            let to: Vec<u64> = (0..width).map(|one| word(one << 7)).collect();
            let mut expected = [0; 41];
            portable(&sketches, &to, &mut expected);
            let mut found = [0; 41];
            distances(&sketches, &to, &mut found);
            assert_eq!(found, expected);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("popcnt") {
                #[expect(unsafe_code, reason = "calls a function that needs a CPU feature")]
                // SAFETY: the CPU feature was just detected.
                unsafe {
                    with_popcnt(&sketches, &to, &mut found);
                }
                assert_eq!(found, expected);
            }
        }
    }
}
