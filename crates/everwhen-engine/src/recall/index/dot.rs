//! Dot products of rows of bytes with one or a few others: the inner loop of the meaning lane.
//!
//! Which instructions the machine has is known only at run time. AVX-512 with VNNI takes 64
//! products per step, AVX2 takes 32; elsewhere plain code gives the same numbers. Rows are read
//! one after the other, so that the machine's memory sets the pace and not its arithmetic.

/// Rows have a multiple of so many numbers.
pub(crate) const BLOCK: usize = 64;

/// The row that others are multiplied with, and the sum of its numbers, which one way needs: adding
/// them up takes as long as a product.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Factor<'r> {
    row: &'r [i8],
    sum: i32,
}

impl<'r> Factor<'r> {
    /// Adds up the numbers.
    pub(crate) fn new(row: &'r [i8]) -> Self {
        Self { row, sum: row.iter().map(|value| i32::from(*value)).sum() }
    }

    /// With a sum that is known.
    pub(crate) fn with_sum(row: &'r [i8], sum: i32) -> Self {
        Self { row, sum }
    }

    /// The sum.
    pub(crate) fn sum(self) -> i32 {
        self.sum
    }
}

/// Calls `each` with the number of every row and its dot products with `to`, in order. Numbers lie
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
            #[expect(unsafe_code, reason = "the CPU has these instructions")]
            return unsafe { x86::vnni(rows, to, each) };
        }
        if is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "the CPU has these instructions")]
            return unsafe { x86::avx2(rows, to.map(|one| one.row), each) };
        }
    }
    portable(rows, to.map(|one| one.row), each);
}

/// Says that values will be read soon. Rows that are far from each other are waited for one by one
/// otherwise, and that takes longer than multiplying them.
#[inline]
pub(crate) fn expect<T>(values: &[T]) {
    #[cfg(target_arch = "x86_64")]
    values.iter().step_by((BLOCK / size_of::<T>()).max(1)).for_each(x86::expect);
    #[cfg(not(target_arch = "x86_64"))]
    let _ = values;
}

/// The row with the largest dot product, and that product: what the meaning lane does all day, for
/// those who measure it. Rows have as many numbers as `to`, a multiple of 64, from -127 to 127.
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
#[expect(unsafe_code, reason = "unaligned loads of whole blocks inside slices of whole blocks")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{BLOCK, Factor};

    /// Says that a value and its neighbours will be read soon.
    pub(super) fn expect<T>(value: &T) {
        // SAFETY: every CPU of this kind has the instruction, and it changes nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast()) }
    }

    /// A block of bytes.
    ///
    /// # Safety
    /// The CPU has AVX-512, and `at` is a multiple of [`BLOCK`] inside `row`.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    unsafe fn block(row: &[i8], at: usize) -> __m512i {
        debug_assert!(at + BLOCK <= row.len());
        // SAFETY: the caller stays inside the row.
        unsafe { _mm512_loadu_si512(row.as_ptr().add(at).cast()) }
    }

    /// The instruction multiplies bytes without a sign by bytes with one. So 128 is added to the
    /// numbers of each row, and what that adds to the sum is taken off again.
    ///
    /// # Safety
    /// The CPU has AVX-512 with VNNI; `to` are whole blocks of one length.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    pub(super) unsafe fn vnni<const N: usize>(
        rows: &[i8],
        to: [Factor<'_>; N],
        mut each: impl FnMut(usize, [i32; N]),
    ) {
        let width = to[0].row.len();
        let lift = _mm512_set1_epi8(i8::MIN);
        for (number, row) in rows.chunks_exact(width).enumerate() {
            let mut sums = [_mm512_setzero_si512(); N];
            for at in (0..width).step_by(BLOCK) {
                // SAFETY: `at` walks over whole blocks of slices of the same length.
                let lifted = _mm512_xor_si512(unsafe { block(row, at) }, lift);
                for (sum, to) in sums.iter_mut().zip(&to) {
                    // SAFETY: the same.
                    *sum = _mm512_dpbusd_epi32(*sum, lifted, unsafe { block(to.row, at) });
                }
            }
            let mut found = add_up_each(sums);
            found.iter_mut().zip(&to).for_each(|(found, to)| *found -= 128 * to.sum);
            each(number, found);
        }
    }

    /// The sums of sixteen numbers each. Up to four are added up together, which takes little longer
    /// than one alone.
    #[target_feature(enable = "avx512f")]
    fn add_up_each<const N: usize>(all: [__m512i; N]) -> [i32; N] {
        if N == 1 || N > 4 {
            return all.map(|one| _mm512_reduce_add_epi32(one));
        }
        let one = |place: usize| all.get(place).copied().unwrap_or(_mm512_setzero_si512());
        let pair =
            |a, b| _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        let (ab, cd) = (pair(one(0), one(1)), pair(one(2), one(3)));
        // Four sums side by side, four times.
        let each = _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
        let half = _mm512_extracti64x4_epi64::<1>(each);
        let half = _mm256_add_epi32(_mm512_castsi512_si256(each), half);
        let quarter = _mm256_extracti128_si256::<1>(half);
        let sums = _mm_add_epi32(_mm256_castsi256_si128(half), quarter);
        let mut found = [0i32; 4];
        // SAFETY: there is room for four.
        unsafe { _mm_storeu_si128(found.as_mut_ptr().cast(), sums) };
        std::array::from_fn(|place| found[place])
    }

    /// Half a block of bytes.
    ///
    /// # Safety
    /// The CPU has AVX2, and `at` is a multiple of half a [`BLOCK`] inside `row`.
    #[target_feature(enable = "avx2")]
    unsafe fn half(row: &[i8], at: usize) -> __m256i {
        debug_assert!(at + BLOCK / 2 <= row.len());
        // SAFETY: the caller stays inside the row.
        unsafe { _mm256_loadu_si256(row.as_ptr().add(at).cast()) }
    }

    /// The sign of one factor is moved to the other, because the instruction multiplies bytes
    /// without a sign by bytes with one; two products of 127 by 127 fit into 16 bits.
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
                // SAFETY: `at` walks over whole blocks of slices of the same length.
                let row = unsafe { half(row, at) };
                for (sum, to) in sums.iter_mut().zip(to) {
                    // SAFETY: the same.
                    let to = unsafe { half(to, at) };
                    let signed = _mm256_sign_epi8(row, to);
                    let pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(to), signed);
                    *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(pairs, ones));
                }
            }
            let mut found = [0; N];
            found.iter_mut().zip(sums).for_each(|(found, sum)| *found = add_up(sum));
            each(number, found);
        }
    }

    /// The sum of eight numbers.
    #[target_feature(enable = "avx2")]
    fn add_up(sum: __m256i) -> i32 {
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
        way: impl Fn(&[i8], Pair<'_>, &mut dyn FnMut(usize, [i32; 2])),
        rows: &[i8],
        to: Pair<'_>,
    ) -> Vec<[i32; 2]> {
        let mut found = Vec::new();
        way(rows, to, &mut |number, dot| {
            assert_eq!(number, found.len());
            found.push(dot);
        });
        found
    }

    /// Every way this machine can go.
    fn ways(rows: &[i8], to: Pair<'_>) -> Vec<Vec<[i32; 2]>> {
        let mut ways = vec![
            by(|rows, to, each| portable(rows, to, each), rows, to),
            by(|rows, to, each| dots(rows, to.map(Factor::new), each), rows, to),
        ];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            #[expect(unsafe_code, reason = "the CPU has these instructions")]
            ways.push(by(|rows, to, each| unsafe { x86::avx2(rows, to, each) }, rows, to));
        }
        ways
    }

    proptest! {
        #[test]
        fn every_way_gives_the_same_numbers(
            pairs in proptest::collection::vec((-127i8..=127, -127i8..=127), 1..70)
        ) {
            let (rows, to): (Vec<i8>, Vec<i8>) = pairs.iter().cycle().take(256 * 3).copied().unzip();
            let ways = ways(&rows, [&to[..256], &rows[256..512]]);
            prop_assert_eq!(ways[0].len(), 3);
            prop_assert!(ways.iter().all(|way| *way == ways[0]));
        }
    }

    #[test]
    fn one_two_and_three_at_a_time_give_the_same() {
        let row = |seed: i32| (0..128).map(move |place| ((seed * place) % 255 - 127) as i8);
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
        for way in ways(&low, [&high, &low[..256]]) {
            assert_eq!(way, [[-product, product]; 2]);
        }
    }
}
