//! Dot products of rows of bytes with one or a few vectors: the inner loop of the meaning lane.
//!
//! The instruction set is detected at run time. AVX-512 with VNNI multiplies 64 values per step, AVX2
//! 32; elsewhere portable code gives the same results. Rows are read sequentially, so the speed is
//! bound by memory and not by arithmetic.

/// The length of a row is a multiple of this.
pub(crate) const BLOCK: usize = 64;

/// The vector that rows are multiplied with, and the sum of its values. The VNNI path needs the sum,
/// and computing it takes as long as a product.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Factor<'r> {
    row: &'r [i8],
    sum: i32,
}

impl<'r> Factor<'r> {
    /// Computes the sum.
    pub(crate) fn new(row: &'r [i8]) -> Self {
        Self { row, sum: row.iter().map(|value| i32::from(*value)).sum() }
    }

    /// Takes a sum that is known.
    pub(crate) fn with_sum(row: &'r [i8], sum: i32) -> Self {
        Self { row, sum }
    }

    /// Returns the sum of the values.
    pub(crate) fn sum(self) -> i32 {
        self.sum
    }
}

/// Calls `each` with the number of every row and its dot products with `to`, in order. Values are
/// between -127 and 127.
#[inline]
pub(crate) fn dots<const N: usize>(
    rows: &[i8],
    to: [Factor<'_>; N],
    each: impl FnMut(usize, [i32; N]),
) {
    let width = to[0].row.len();
    assert!(width.is_multiple_of(BLOCK) && width > 0, "rows are whole blocks");
    assert!(to.iter().all(|one| one.row.len() == width), "rows are of one length");
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512vnni") && is_x86_feature_detected!("avx512bw") {
            #[expect(unsafe_code, reason = "calls a function that needs a CPU feature")]
            // SAFETY: the CPU features were just detected, and the lengths were asserted above.
            return unsafe { x86::vnni(rows, to, each) };
        }
        if is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "calls a function that needs a CPU feature")]
            // SAFETY: the CPU feature was just detected, and the lengths were asserted above.
            return unsafe { x86::avx2(rows, to.map(|one| one.row), each) };
        }
    }
    portable(rows, to.map(|one| one.row), each);
}

/// Prefetches values into the CPU cache. Otherwise reading rows that are far from each other waits for
/// memory once per row, which takes longer than multiplying them.
#[inline]
pub fn prefetch<T>(values: &[T]) {
    #[cfg(target_arch = "x86_64")]
    values.iter().step_by((BLOCK / size_of::<T>()).max(1)).for_each(x86::prefetch);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = values;
}

/// Returns the row with the largest dot product, and that product: the inner loop of vector search, for
/// benchmarks. Rows have as many values as `to`, a multiple of 64; values are between -127 and 127.
pub fn nearest_row(rows: &[i8], to: &[i8]) -> Option<(usize, i32)> {
    let mut nearest = None;
    dots(rows, [Factor::new(to)], |number, [dot]| {
        if nearest.is_none_or(|(_, best)| dot > best) {
            nearest = Some((number, dot));
        }
    });
    nearest
}

fn portable<const N: usize>(rows: &[i8], to: [&[i8]; N], mut each: impl FnMut(usize, [i32; N])) {
    for (number, row) in rows.chunks_exact(to[0].len()).enumerate() {
        let dot = |to: &[i8]| row.iter().zip(to).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        each(number, to.map(dot));
    }
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "loads whole blocks from slices that consist of whole blocks")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{BLOCK, Factor};

    /// The width of the rows that are multiplied four at a time: that of the built-in table.
    const WIDE: usize = 4 * BLOCK;

    /// Prefetches the cache line of a value.
    pub(super) fn prefetch<T>(value: &T) {
        // SAFETY: every x86-64 CPU has the instruction, and it does not access memory architecturally.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) }
    }

    /// Loads a block of bytes.
    ///
    /// # Safety
    /// The CPU has AVX-512, and `at` is a multiple of [`BLOCK`] inside `row`.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    unsafe fn block(row: &[i8], at: usize) -> __m512i {
        debug_assert!(at + BLOCK <= row.len());
        // SAFETY: the caller guarantees that a whole block starts at `at`; the load may be unaligned.
        unsafe { _mm512_loadu_si512(row.as_ptr().add(at).cast()) }
    }

    /// Multiplies with VNNI, which takes unsigned bytes times signed bytes. So 128 is added to the values
    /// of each row, and what that adds to the product is subtracted at the end.
    ///
    /// # Safety
    /// The CPU has AVX-512 with BW and VNNI; `to` are whole blocks of one length.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) unsafe fn vnni<const N: usize>(
        rows: &[i8],
        to: [Factor<'_>; N],
        mut each: impl FnMut(usize, [i32; N]),
    ) {
        let width = to[0].row.len();
        let fours = match width {
            // SAFETY: the CPU features are those of this function, and the length is the width.
            WIDE => unsafe { vnni_fours(rows, &to, &mut each) },
            _ => 0,
        };
        let offset = _mm512_set1_epi8(i8::MIN);
        let others = rows[fours * width..].chunks_exact(width);
        for (number, row) in (fours..).zip(others) {
            let mut sums = [_mm512_setzero_si512(); N];
            for at in (0..width).step_by(BLOCK) {
                // SAFETY: `at` is the start of a block, and the row has `width` values.
                let unsigned = _mm512_xor_si512(unsafe { block(row, at) }, offset);
                for (sum, to) in sums.iter_mut().zip(&to) {
                    // SAFETY: `at` is the start of a block, and all of `to` have `width` values.
                    *sum = _mm512_dpbusd_epi32(*sum, unsigned, unsafe { block(to.row, at) });
                }
            }
            let mut found = horizontal_sums(sums);
            found.iter_mut().zip(&to).for_each(|(found, to)| *found -= 128 * to.sum);
            each(number, found);
        }
    }

    /// Multiplies four rows of [`WIDE`] values at a time, as many as there are, and returns how many rows that
    /// were. What they are multiplied with stays in registers, and four sums are reduced together.
    ///
    /// # Safety
    /// The CPU has AVX-512 with BW and VNNI; `to` have [`WIDE`] values.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    unsafe fn vnni_fours<const N: usize>(
        rows: &[i8],
        to: &[Factor<'_>; N],
        each: &mut impl FnMut(usize, [i32; N]),
    ) -> usize {
        let offset = _mm512_set1_epi8(i8::MIN);
        // SAFETY: all of `to` have `WIDE` values, so each of these is the start of a block.
        let load = |to: &Factor<'_>| unsafe { [0, 1, 2, 3].map(|at| block(to.row, at * BLOCK)) };
        let blocks: [[__m512i; WIDE / BLOCK]; N] = std::array::from_fn(|one| load(&to[one]));
        let mut done = 0;
        for four in rows.chunks_exact(4 * WIDE) {
            let mut sums = [[_mm512_setzero_si512(); 4]; N];
            for row in 0..4 {
                for at in 0..WIDE / BLOCK {
                    // SAFETY: this is the start of a block, and there are four rows of `WIDE` values.
                    let values = unsafe { block(four, row * WIDE + at * BLOCK) };
                    let unsigned = _mm512_xor_si512(values, offset);
                    for (sums, blocks) in sums.iter_mut().zip(&blocks) {
                        sums[row] = _mm512_dpbusd_epi32(sums[row], unsigned, blocks[at]);
                    }
                }
            }
            let found = sums.map(|sums| horizontal_sums(sums));
            let dot = |one: usize, row: usize| found[one][row] - 128 * to[one].sum;
            for row in 0..4 {
                each(done + row, std::array::from_fn(|one| dot(one, row)));
            }
            done += 4;
        }
        done
    }

    /// Sums the sixteen lanes of each register. Two to four registers are reduced together, which takes
    /// little longer than one alone.
    #[target_feature(enable = "avx512f")]
    fn horizontal_sums<const N: usize>(all: [__m512i; N]) -> [i32; N] {
        if N == 1 || N > 4 {
            return all.map(|one| _mm512_reduce_add_epi32(one));
        }
        let one = |position: usize| all.get(position).copied().unwrap_or(_mm512_setzero_si512());
        let pair =
            |a, b| _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        let (ab, cd) = (pair(one(0), one(1)), pair(one(2), one(3)));
        // Each quarter of the register now holds one partial sum per input.
        let each = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
        let half = _mm512_extracti64x4_epi64::<1>(each);
        let half = _mm256_add_epi32(_mm512_castsi512_si256(each), half);
        let quarter = _mm256_extracti128_si256::<1>(half);
        let sums = _mm_add_epi32(_mm256_castsi256_si128(half), quarter);
        let mut found = [0i32; 4];
        // SAFETY: `found` has room for four 32-bit values; the store may be unaligned.
        unsafe { _mm_storeu_si128(found.as_mut_ptr().cast(), sums) };
        std::array::from_fn(|position| found[position])
    }

    /// Loads half a block of bytes.
    ///
    /// # Safety
    /// The CPU has AVX2, and `at` is a multiple of half a [`BLOCK`] inside `row`.
    #[target_feature(enable = "avx2")]
    unsafe fn half(row: &[i8], at: usize) -> __m256i {
        debug_assert!(at + BLOCK / 2 <= row.len());
        // SAFETY: the caller guarantees that half a block starts at `at`; the load may be unaligned.
        unsafe { _mm256_loadu_si256(row.as_ptr().add(at).cast()) }
    }

    /// Multiplies with AVX2, whose instruction takes unsigned bytes times signed bytes. So the sign of
    /// one factor is moved to the other; the sum of two products of 127 by 127 fits into 16 bits.
    ///
    /// # Safety
    /// The CPU has AVX2; `to` are whole blocks of one length.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn avx2<const N: usize>(
        rows: &[i8],
        to: [&[i8]; N],
        mut each: impl FnMut(usize, [i32; N]),
    ) {
        let (width, ones) = (to[0].len(), _mm256_set1_epi16(1));
        for (number, row) in rows.chunks_exact(width).enumerate() {
            let mut sums = [_mm256_setzero_si256(); N];
            for at in (0..width).step_by(BLOCK / 2) {
                // SAFETY: `at` is the start of half a block, and the row has `width` values.
                let row = unsafe { half(row, at) };
                for (sum, to) in sums.iter_mut().zip(to) {
                    // SAFETY: `at` is the start of half a block, and all of `to` have `width` values.
                    let to = unsafe { half(to, at) };
                    let signed = _mm256_sign_epi8(row, to);
                    let pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(to), signed);
                    *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
                }
            }
            let mut found = [0; N];
            found.iter_mut().zip(sums).for_each(|(found, sum)| *found = horizontal_sum(sum));
            each(number, found);
        }
    }

    /// Sums the eight lanes of a register.
    #[target_feature(enable = "avx2")]
    fn horizontal_sum(sum: __m256i) -> i32 {
        let four = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
        let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
        _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Pair<'r> = [&'r [i8]; 2];

    fn by(
        path: impl Fn(&[i8], Pair<'_>, &mut dyn FnMut(usize, [i32; 2])),
        rows: &[i8],
        to: Pair<'_>,
    ) -> Vec<[i32; 2]> {
        let mut found = Vec::new();
        path(rows, to, &mut |number, dot| {
            assert_eq!(number, found.len());
            found.push(dot);
        });
        found
    }

    /// The results of every code path that this CPU can run; the portable one first.
    fn paths(rows: &[i8], to: Pair<'_>) -> Vec<Vec<[i32; 2]>> {
        let mut paths = vec![
            by(|rows, to, each| portable(rows, to, each), rows, to),
            by(|rows, to, each| dots(rows, to.map(Factor::new), each), rows, to),
        ];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "calls a function that needs a CPU feature")]
            // SAFETY: the CPU feature was just detected, and the tests pass whole blocks.
            paths.push(by(|rows, to, each| unsafe { x86::avx2(rows, to, each) }, rows, to));
        }
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512vnni") && is_x86_feature_detected!("avx512bw") {
            let vnni = |rows: &[i8], to: Pair<'_>, each: &mut dyn FnMut(usize, [i32; 2])| {
                #[expect(unsafe_code, reason = "calls a function that needs a CPU feature")]
                // SAFETY: the CPU features were just detected, and the tests pass whole blocks.
                unsafe {
                    x86::vnni(rows, to.map(Factor::new), each);
                }
            };
            paths.push(by(vnni, rows, to));
        }
        paths
    }

    proptest! {
        #[test]
        fn every_path_agrees_with_the_portable_one(
            pairs in proptest::collection::vec((-127i8..=127, -127i8..=127), 1..70)
        ) {
            let (rows, to): (Vec<i8>, Vec<i8>) = pairs.iter().cycle().take(256 * 3).copied().unzip();
            let paths = paths(&rows, [&to[..256], &rows[256..512]]);
            prop_assert_eq!(paths[0].len(), 3);
            prop_assert!(paths.iter().all(|path| *path == paths[0]));
        }
    }

    #[test]
    fn one_two_and_three_vectors_at_a_time_agree() {
        let row = |seed: i32| (0..128).map(move |position| ((seed * position) % 255 - 127) as i8);
        let all: Vec<Vec<i8>> = [7, 31, 59].map(|seed| row(seed).collect()).into();
        let rows: Vec<i8> = (1..6).flat_map(|seed| row(seed * 13)).collect();
        let to = [&all[0][..], &all[1], &all[2]];
        let mut found = Vec::new();
        dots(&rows, to.map(Factor::new), |_, three| found.push(three));
        for (number, three) in found.iter().enumerate() {
            let row = &rows[number * 128..][..128];
            let one = |to: &[i8]| nearest_row(row, to).map(|(_, dot)| dot);
            assert_eq!(to.map(one), three.map(Some), "{number}");
            portable(row, to, |_, plain| assert_eq!(plain, *three, "{number}"));
            dots(row, [to[0], to[2]].map(Factor::new), |_, two| {
                assert_eq!(two, [three[0], three[2]], "{number}");
            });
        }
        assert_eq!(found.len(), 5);
    }

    #[test]
    fn extremes_do_not_overflow() {
        let (low, high) = ([-127i8; 512], [127i8; 256]);
        let product = 256 * 127 * 127;
        for path in paths(&low, [&high, &low[..256]]) {
            assert_eq!(path, [[-product, product]; 2]);
        }
    }
}
