//! Sums of rows of bytes, each times a number: how a table of vectors embeds a text.

/// The number of sums that are kept in registers while the rows are read.
const COLUMNS: usize = 64;

/// Adds up rows of signed bytes, each times its number, in order: every sum is rounded as one loop over the
/// rows would round it. Rows have `width` bytes.
pub fn sum_rows(rows: &[(&[u8], f32)], width: usize) -> Vec<f32> {
    assert!(rows.iter().all(|(row, _)| row.len() == width), "rows are of one length");
    let mut sums = vec![0.0; width];
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
    let (parts, rest) = sums.as_chunks_mut::<COLUMNS>();
    let behind = parts.len() * COLUMNS;
    for (part, sums) in parts.iter_mut().enumerate() {
        let start = part * COLUMNS;
        let mut columns = [0.0f32; COLUMNS];
        for (row, number) in rows {
            add(&mut columns, &row[start..start + COLUMNS], *number);
        }
        *sums = columns;
    }
    rows.iter().for_each(|(row, number)| add(rest, &row[behind..], *number));
}

#[inline(always)]
fn add(sums: &mut [f32], row: &[u8], number: f32) {
    for (sum, value) in sums.iter_mut().zip(row) {
        *sum += number * f32::from(value.cast_signed());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_gives_the_sums_of_one_loop_over_the_rows() {
        let table: Vec<u8> = (0..40 * 300u32).map(|one| (one % 251 * 37 % 256) as u8).collect();
        for width in [0, 1, 63, 64, 256, 300] {
            let rows: Vec<(&[u8], f32)> = (0..40)
                .map(|one| (&table[one * 300..][..width], 0.001 + one as f32 * 0.37))
                .collect();
            let mut expected = vec![0.0f32; width];
            for (row, number) in &rows {
                for (sum, value) in expected.iter_mut().zip(*row) {
                    *sum += number * f32::from(value.cast_signed());
                }
            }
            let mut plain = vec![0.0; width];
            portable(&rows, &mut plain);
            assert_eq!(plain, expected);
            assert_eq!(sum_rows(&rows, width), expected);
            #[cfg(target_arch = "x86_64")]
            if is_x86_feature_detected!("avx2") {
                let mut found = vec![0.0; width];
                #[expect(unsafe_code, reason = "calls a function that needs a CPU feature")]
                // SAFETY: the CPU feature was just detected.
                unsafe {
                    with_avx2(&rows, &mut found);
                }
                assert_eq!(found, expected);
            }
        }
        assert_eq!(sum_rows(&[], 3), [0.0; 3]);
    }
}
