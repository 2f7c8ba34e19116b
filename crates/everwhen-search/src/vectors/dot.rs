//! Dot products of four-bit rows with one or a few vectors: the inner loop of the meaning lane.
//!
//! The instruction set is detected at run time. AVX-512 with VNNI multiplies 128 values per step, AVX2
//! 64; elsewhere portable code gives the same results. Rows are read sequentially, so the speed is
//! bound by memory and not by arithmetic.

/// The number of values in a row is a multiple of this: two for each byte of a register.
pub(crate) const BLOCK: usize = 128;
/// What is added to the values of a row to store them, so that none is negative.
const OFFSET: i32 = 8;
/// The number of bytes that a CPU reads at a time.
const CACHE_LINE: usize = 64;

/// The vector that rows are multiplied with, and the sum of its values. Rows are stored with
/// an offset, whose product is subtracted, and computing the sum takes as long as a product.
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

/// Calls `each` with the number of every packed row and its dot products with `to`, in order. Values of rows are
/// between -7 and 7, those of `to` between -127 and 127.
#[inline]
pub(crate) fn dots<const N: usize>(
    rows: &[u8],
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
            return unsafe { x86::avx2(rows, to, each) };
        }
    }
    portable(rows, to, each);
}

/// Prefetches values into the CPU cache. Otherwise reading rows that are far from each other waits for
/// memory once per row, which takes longer than multiplying them.
#[inline]
pub fn prefetch<T>(values: &[T]) {
    #[cfg(target_arch = "x86_64")]
    values.iter().step_by((CACHE_LINE / size_of::<T>().max(1)).max(1)).for_each(x86::prefetch);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = values;
}

/// Returns the packed row with the largest dot product, and that product: the inner loop of vector search, for
/// benchmarks. A row has half as many bytes as `to` has values, a multiple of 128 between -127 and 127.
pub fn nearest_row(rows: &[u8], to: &[i8]) -> Option<(usize, i32)> {
    let mut nearest = None;
    dots(rows, [Factor::new(to)], |number, [dot]| {
        if nearest.is_none_or(|(_, best)| dot > best) {
            nearest = Some((number, dot));
        }
    });
    nearest
}

fn portable<const N: usize>(
    rows: &[u8],
    to: [Factor<'_>; N],
    mut each: impl FnMut(usize, [i32; N]),
) {
    let half = to[0].row.len() / 2;
    for (number, row) in rows.chunks_exact(half).enumerate() {
        let dot = |to: Factor<'_>| {
            let (low, high) = to.row.split_at(half);
            let pairs = row.iter().zip(low.iter().zip(high));
            let product = |(byte, (low, high)): (&u8, (&i8, &i8))| {
                i32::from(byte & 15) * i32::from(*low) + i32::from(byte >> 4) * i32::from(*high)
            };
            pairs.map(product).sum::<i32>() - OFFSET * to.sum
        };
        each(number, to.map(dot));
    }
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "loads whole blocks from slices that consist of whole blocks")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{BLOCK, Factor, OFFSET};

    /// The number of bytes in a register.
    const BYTES: usize = BLOCK / 2;
    /// The number of values in the rows that are multiplied four at a time: those of the built-in table.
    const WIDE: usize = 2 * BLOCK;

    /// Prefetches the cache line of a value.
    pub(super) fn prefetch<T>(value: &T) {
        // SAFETY: every x86-64 CPU has the instruction, and it does not access memory architecturally.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) }
    }

    /// Loads a register of bytes.
    ///
    /// # Safety
    /// The CPU has AVX-512, and there are [`BYTES`] bytes in `row` from `at` on.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    unsafe fn block(row: &[i8], at: usize) -> __m512i {
        debug_assert!(at + BYTES <= row.len());
        // SAFETY: the caller guarantees that there are enough bytes; the load may be unaligned.
        unsafe { _mm512_loadu_si512(row.as_ptr().add(at).cast()) }
    }

    /// Loads a register of packed values: those of the low halves of the bytes, and of the high ones.
    ///
    /// # Safety
    /// The CPU has AVX-512, and there are [`BYTES`] bytes in `row` from `at` on.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    unsafe fn halves(row: &[u8], at: usize) -> [__m512i; 2] {
        debug_assert!(at + BYTES <= row.len());
        // SAFETY: the caller guarantees that there are enough bytes; the load may be unaligned.
        let both = unsafe { _mm512_loadu_si512(row.as_ptr().add(at).cast()) };
        let low = _mm512_set1_epi8(15);
        [_mm512_and_si512(both, low), _mm512_and_si512(_mm512_srli_epi16::<4>(both), low)]
    }

    /// Multiplies with VNNI, which takes unsigned bytes times signed bytes: those of rows have an offset, and
    /// what that adds to the product is subtracted at the end.
    ///
    /// # Safety
    /// The CPU has AVX-512 with BW and VNNI; `to` are whole blocks of one length.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) unsafe fn vnni<const N: usize>(
        rows: &[u8],
        to: [Factor<'_>; N],
        mut each: impl FnMut(usize, [i32; N]),
    ) {
        let half = to[0].row.len() / 2;
        let fours = match 2 * half {
            // SAFETY: the CPU features are those of this function, and the length is the width.
            WIDE => unsafe { vnni_fours(rows, &to, &mut each) },
            _ => 0,
        };
        let others = rows[fours * half..].chunks_exact(half);
        for (number, row) in (fours..).zip(others) {
            let mut sums = [_mm512_setzero_si512(); N];
            for at in (0..half).step_by(BYTES) {
                // SAFETY: `at` is the start of a register, and the row has `half` bytes.
                let [low, high] = unsafe { halves(row, at) };
                for (sum, to) in sums.iter_mut().zip(&to) {
                    // SAFETY: `at` is the start of a register, and all of `to` have twice `half` values.
                    let (first, second) = unsafe { (block(to.row, at), block(to.row, half + at)) };
                    *sum = _mm512_dpbusd_epi32(*sum, low, first);
                    *sum = _mm512_dpbusd_epi32(*sum, high, second);
                }
            }
            let mut found = horizontal_sums(sums);
            found.iter_mut().zip(&to).for_each(|(found, to)| *found -= OFFSET * to.sum);
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
        rows: &[u8],
        to: &[Factor<'_>; N],
        each: &mut impl FnMut(usize, [i32; N]),
    ) -> usize {
        // SAFETY: all of `to` have `WIDE` values, so each of these is the start of a register.
        let load = |to: &Factor<'_>| unsafe { [0, 1, 2, 3].map(|at| block(to.row, at * BYTES)) };
        let blocks: [[__m512i; WIDE / BYTES]; N] = std::array::from_fn(|one| load(&to[one]));
        let mut done = 0;
        for four in rows.chunks_exact(4 * WIDE / 2) {
            let mut sums = [[_mm512_setzero_si512(); 4]; N];
            for row in 0..4 {
                for at in 0..2 {
                    // SAFETY: this is the start of a register, and there are four rows of half `WIDE` bytes.
                    let [low, high] = unsafe { halves(four, (2 * row + at) * BYTES) };
                    for (sums, blocks) in sums.iter_mut().zip(&blocks) {
                        sums[row] = _mm512_dpbusd_epi32(sums[row], low, blocks[at]);
                        sums[row] = _mm512_dpbusd_epi32(sums[row], high, blocks[2 + at]);
                    }
                }
            }
            let found = sums.map(|sums| horizontal_sums(sums));
            let dot = |one: usize, row: usize| found[one][row] - OFFSET * to[one].sum;
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

    /// Loads 32 bytes.
    ///
    /// # Safety
    /// The CPU has AVX2, and there are 32 bytes in `row` from `at` on.
    #[target_feature(enable = "avx2")]
    unsafe fn half_block(row: &[i8], at: usize) -> __m256i {
        debug_assert!(at + BYTES / 2 <= row.len());
        // SAFETY: the caller guarantees that there are enough bytes; the load may be unaligned.
        unsafe { _mm256_loadu_si256(row.as_ptr().add(at).cast()) }
    }

    /// Multiplies with AVX2, whose instruction takes unsigned bytes times signed bytes and adds two products:
    /// four of 15 by 127 fit into 16 bits.
    ///
    /// # Safety
    /// The CPU has AVX2; `to` are whole blocks of one length.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn avx2<const N: usize>(
        rows: &[u8],
        to: [Factor<'_>; N],
        mut each: impl FnMut(usize, [i32; N]),
    ) {
        let half = to[0].row.len() / 2;
        let (ones, low) = (_mm256_set1_epi16(1), _mm256_set1_epi8(15));
        for (number, row) in rows.chunks_exact(half).enumerate() {
            let mut sums = [_mm256_setzero_si256(); N];
            for at in (0..half).step_by(BYTES / 2) {
                // SAFETY: `at` is a multiple of 32 below `half`, of which the row has as many bytes; the load may
                // be unaligned.
                let both = unsafe { _mm256_loadu_si256(row.as_ptr().add(at).cast()) };
                let lows = _mm256_and_si256(both, low);
                let highs = _mm256_and_si256(_mm256_srli_epi16::<4>(both), low);
                for (sum, to) in sums.iter_mut().zip(&to) {
                    // SAFETY: `at` is a multiple of 32, and all of `to` have twice `half` values.
                    let (first, second) =
                        unsafe { (half_block(to.row, at), half_block(to.row, half + at)) };
                    let first = _mm256_maddubs_epi16(lows, first);
                    let pairs = _mm256_add_epi16(first, _mm256_maddubs_epi16(highs, second));
                    *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
                }
            }
            let dot = |one: usize| horizontal_sum(sums[one]) - OFFSET * to[one].sum;
            each(number, std::array::from_fn(dot));
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

    use super::super::packed::{pack, unpacked};
    use super::*;

    type Pair<'r> = [Factor<'r>; 2];

    fn by(
        path: impl Fn(&[u8], Pair<'_>, &mut dyn FnMut(usize, [i32; 2])),
        rows: &[u8],
        to: Pair<'_>,
    ) -> Vec<[i32; 2]> {
        let mut found = Vec::new();
        path(rows, to, &mut |number, dot| {
            assert_eq!(number, found.len());
            found.push(dot);
        });
        found
    }

    /// The products as one would write them down.
    fn expected(rows: &[u8], to: Pair<'_>) -> Vec<[i32; 2]> {
        let dot = |row: &[i8], to: Factor<'_>| {
            row.iter().zip(to.row).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
        };
        let rows = rows.chunks_exact(to[0].row.len() / 2).map(unpacked);
        rows.map(|row| to.map(|to| dot(&row, to))).collect()
    }

    /// The results of every code path that this CPU can run.
    fn paths(rows: &[u8], to: Pair<'_>) -> Vec<Vec<[i32; 2]>> {
        let mut paths = vec![
            by(|rows, to, each| portable(rows, to, each), rows, to),
            by(|rows, to, each| dots(rows, to, each), rows, to),
        ];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "calls a function that needs a CPU feature")]
            // SAFETY: the CPU feature was just detected, and the tests pass whole blocks.
            paths.push(by(|rows, to, each| unsafe { x86::avx2(rows, to, each) }, rows, to));
        }
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx512vnni") && is_x86_feature_detected!("avx512bw") {
            #[expect(unsafe_code, reason = "calls a function that needs a CPU feature")]
            // SAFETY: the CPU features were just detected, and the tests pass whole blocks.
            paths.push(by(|rows, to, each| unsafe { x86::vnni(rows, to, each) }, rows, to));
        }
        paths
    }

    proptest! {
        #[test]
        fn every_path_gives_the_product(
            pairs in proptest::collection::vec((-7i8..=7, -127i8..=127), 1..70),
            width in prop_oneof![Just(128), Just(256), Just(384)],
        ) {
            let numbers = pairs.iter().cycle().take(width * 7).copied();
            let (rows, to): (Vec<i8>, Vec<i8>) = numbers.unzip();
            let rows: Vec<u8> = rows.chunks_exact(width).flat_map(pack).collect();
            let to = [&to[..width], &to[width..2 * width]].map(Factor::new);
            let expected = expected(&rows, to);
            prop_assert_eq!(expected.len(), 7);
            prop_assert!(paths(&rows, to).iter().all(|path| *path == expected));
        }
    }

    #[test]
    fn one_two_and_three_vectors_at_a_time_agree() {
        let row = |seed: i32| (0..256).map(move |position| ((seed * position) % 255 - 127) as i8);
        let all: Vec<Vec<i8>> = [7, 31, 59].map(|seed| row(seed).collect()).into();
        let packed = |seed: i32| pack(&row(seed).map(|value| value / 18).collect::<Vec<i8>>());
        let rows: Vec<u8> = (1..6).flat_map(|seed| packed(seed * 13)).collect();
        let to = [&all[0][..], &all[1], &all[2]];
        let mut found = Vec::new();
        dots(&rows, to.map(Factor::new), |_, three| found.push(three));
        for (number, three) in found.iter().enumerate() {
            let row = &rows[number * 128..][..128];
            let one = |to: &[i8]| nearest_row(row, to).map(|(_, dot)| dot);
            assert_eq!(to.map(one), three.map(Some), "{number}");
            dots(row, [to[0], to[2]].map(Factor::new), |_, two| {
                assert_eq!(two, [three[0], three[2]], "{number}");
            });
        }
        assert_eq!(found.len(), 5);
    }

    #[test]
    fn values_of_any_size_are_prefetched() {
        prefetch(&[(); 3]);
        prefetch::<u8>(&[]);
        prefetch(&[[0u8; 100]; 2]);
    }

    #[test]
    fn extremes_do_not_overflow() {
        let (least, most) = ([-127i8; 256], [127i8; 256]);
        let rows = [pack(&[-7; 256]), pack(&[7; 256])].concat();
        let product = 256 * 7 * 127;
        for path in paths(&rows, [&most, &least].map(|to| Factor::new(to))) {
            assert_eq!(path, [[-product, product], [product, -product]]);
        }
    }
}
