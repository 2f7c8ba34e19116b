//! Sums of rows of four-bit numbers, each row times a number: how a table of vectors embeds a text.

/// The number of sums of each half that are kept in registers while the rows are read.
const COLUMNS: usize = 32;

/// Adds up rows of numbers from -7 to 7, each row times its number, in order: every sum is rounded as one loop
/// over the rows would round it. Byte `b` of a row of `bytes` has two numbers, each plus 8: that of sum `b` in its
/// low half, and that of sum `b + bytes` in its high half.
pub fn sum_rows(rows: &[(&[u8], f32)], bytes: usize) -> Vec<f32> {
    assert!(rows.iter().all(|(row, _)| row.len() == bytes), "rows are of one length");
    let mut sums = vec![0.0; 2 * bytes];
    #[cfg(target_arch = "x86_64")]
    #[expect(unsafe_code, reason = "calls functions that need a CPU feature")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
            // SAFETY: the CPU features were just detected.
            unsafe { with_avx512(rows, &mut sums) };
            return sums;
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the CPU feature was just detected.
            unsafe { with_avx2(rows, &mut sums) };
            return sums;
        }
    }
    portable(rows, &mut sums);
    sums
}

/// The portable code, compiled for AVX-512.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
fn with_avx512(rows: &[(&[u8], f32)], sums: &mut [f32]) {
    portable(rows, sums);
}

/// The portable code, compiled for AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(rows: &[(&[u8], f32)], sums: &mut [f32]) {
    portable(rows, sums);
}

#[inline(always)]
fn portable(rows: &[(&[u8], f32)], sums: &mut [f32]) {
    let (low, high) = sums.split_at_mut(sums.len() / 2);
    let (low_parts, low_rest) = low.as_chunks_mut::<COLUMNS>();
    let (high_parts, high_rest) = high.as_chunks_mut::<COLUMNS>();
    let behind = low_parts.len() * COLUMNS;
    for (part, (low, high)) in low_parts.iter_mut().zip(high_parts).enumerate() {
        let start = part * COLUMNS;
        let (mut low_sums, mut high_sums) = ([0.0f32; COLUMNS], [0.0f32; COLUMNS]);
        for (row, number) in rows {
            add(&mut low_sums, &mut high_sums, &row[start..start + COLUMNS], *number);
        }
        (*low, *high) = (low_sums, high_sums);
    }
    rows.iter().for_each(|(row, number)| add(low_rest, high_rest, &row[behind..], *number));
}

#[inline(always)]
fn add(low: &mut [f32], high: &mut [f32], row: &[u8], number: f32) {
    for ((low, high), byte) in low.iter_mut().zip(high).zip(row) {
        *low += number * f32::from((byte & 15).cast_signed() - 8);
        *high += number * f32::from((byte >> 4).cast_signed() - 8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_gives_the_sums_of_one_loop_over_the_rows() {
        let table: Vec<u8> = (0..40 * 300u32).map(|one| (one % 251 * 37 % 256) as u8).collect();
        for bytes in [0, 1, 31, 32, 128, 300] {
            let rows: Vec<(&[u8], f32)> = (0..40)
                .map(|one| (&table[one * 300..][..bytes], 0.001 + one as f32 * 0.37))
                .collect();
            let mut expected = vec![0.0f32; 2 * bytes];
            for (row, number) in &rows {
                let halves =
                    row.iter().map(|byte| byte & 15).chain(row.iter().map(|byte| byte >> 4));
                for (sum, half) in expected.iter_mut().zip(halves) {
                    *sum += number * (f32::from(half) - 8.0);
                }
            }
            let mut plain = vec![0.0; 2 * bytes];
            portable(&rows, &mut plain);
            assert_eq!(plain, expected);
            assert_eq!(sum_rows(&rows, bytes), expected);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                let mut found = vec![0.0; 2 * bytes];
                #[expect(unsafe_code, reason = "calls a function that needs a CPU feature")]
                // SAFETY: the CPU feature was just detected.
                unsafe {
                    with_avx2(&rows, &mut found);
                }
                assert_eq!(found, expected);
            }
        }
        assert_eq!(sum_rows(&[], 3), [0.0; 6]);
    }
}
