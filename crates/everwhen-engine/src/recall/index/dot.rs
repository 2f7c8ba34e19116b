//! The dot product of two rows of bytes: the one inner loop of the meaning lane.
//!
//! On x86-64 with AVX2, known only at run time, 32 products are summed per step; elsewhere plain
//! code gives the same number.

/// The sum of products.
pub(crate) fn dot(a: &[i8], b: &[i8]) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if a.len() == b.len() && a.len().is_multiple_of(32) && is_x86_feature_detected!("avx2") {
        #[expect(
            unsafe_code,
            reason = "the CPU has AVX2 and both rows have the same whole blocks"
        )]
        return unsafe { avx2(a, b) };
    }
    portable(a, b)
}

fn portable(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[expect(unsafe_code, reason = "unaligned loads inside the bounds that the caller has checked")]
unsafe fn avx2(a: &[i8], b: &[i8]) -> i32 {
    use std::arch::x86_64::{
        __m128i, _mm_loadu_si128, _mm256_add_epi32, _mm256_cvtepi8_epi16, _mm256_madd_epi16,
        _mm256_setzero_si256, _mm256_storeu_si256,
    };
    let load = |row: &[i8], at: usize| {
        // SAFETY: `at + 16` never exceeds the length of a row.
        let half = unsafe { _mm_loadu_si128(row.as_ptr().add(at).cast::<__m128i>()) };
        _mm256_cvtepi8_epi16(half)
    };
    let (mut even, mut odd) = (_mm256_setzero_si256(), _mm256_setzero_si256());
    for at in (0..a.len()).step_by(32) {
        even = _mm256_add_epi32(even, _mm256_madd_epi16(load(a, at), load(b, at)));
        odd = _mm256_add_epi32(odd, _mm256_madd_epi16(load(a, at + 16), load(b, at + 16)));
    }
    let mut lanes = [0i32; 8];
    // SAFETY: eight lanes of 32 bits fill the array exactly.
    unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), _mm256_add_epi32(even, odd)) };
    lanes.iter().sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_way_gives_the_same_number(
            pairs in proptest::collection::vec((-127i8..=127, -127i8..=127), 0..9)
        ) {
            let (a, b): (Vec<i8>, Vec<i8>) = pairs.iter().cycle().take(pairs.len() * 32).copied().unzip();
            prop_assert_eq!(dot(&a, &b), portable(&a, &b));
        }
    }

    #[test]
    fn extremes_do_not_overflow() {
        let row = [-127i8; 256];
        assert_eq!(dot(&row, &row), 256 * 127 * 127);
    }
}
