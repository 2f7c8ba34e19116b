//! The sums of many values and of their squares: what a mean and a deviation are made of.

/// The sums of values and of their squares, less a base.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moments {
    pub(crate) sum: f64,
    pub(crate) squares: f64,
}

impl Moments {
    /// Sums up in one pass. The base is one of the values, so differences are not rounded to its precision: the
    /// order of candidates must not change a score.
    pub(crate) fn of(values: &[f32], base: f32) -> Self {
        let (eights, rest) = values.as_chunks::<8>();
        let base = f64::from(base);
        let rest = rest.iter().map(|value| f64::from(*value) - base);
        rest.fold(Self::of_eights(eights, base), |all, value| Self {
            sum: all.sum + value,
            squares: all.squares + value * value,
        })
    }

    fn of_eights(eights: &[[f32; 8]], base: f64) -> Self {
        #[cfg(target_arch = "x86_64")]
        #[expect(unsafe_code, reason = "calls a function that needs a CPU feature")]
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the CPU feature was just detected.
            return unsafe { x86::moments(eights, base) };
        }
        Self::portable(eights, base)
    }

    /// Has a running sum for each of eight lanes, which are added up at the end, as every path does.
    fn portable(eights: &[[f32; 8]], base: f64) -> Self {
        let (mut sums, mut squares) = ([0.0; 8], [0.0; 8]);
        for eight in eights {
            for lane in 0..8 {
                let value = f64::from(eight[lane]) - base;
                sums[lane] += value;
                squares[lane] += value * value;
            }
        }
        Self { sum: sums.iter().sum(), squares: squares.iter().sum() }
    }
}

#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "loads and stores whole arrays")]
mod x86 {
    use std::arch::x86_64::*;

    use super::Moments;

    /// Sums up four lanes at a time; the compiler does not find that by itself.
    #[target_feature(enable = "avx2")]
    pub(super) fn moments(eights: &[[f32; 8]], base: f64) -> Moments {
        let base = _mm256_set1_pd(base);
        let (mut sums, mut squares) = ([_mm256_setzero_pd(); 2], [_mm256_setzero_pd(); 2]);
        for eight in eights {
            for half in 0..2 {
                // SAFETY: there are four values in each half of the array; the load may be unaligned.
                let four = unsafe { _mm_loadu_ps(eight[4 * half..].as_ptr()) };
                let values = _mm256_sub_pd(_mm256_cvtps_pd(four), base);
                sums[half] = _mm256_add_pd(sums[half], values);
                squares[half] = _mm256_add_pd(squares[half], _mm256_mul_pd(values, values));
            }
        }
        let total = |halves: [__m256d; 2]| {
            let mut lanes = [0.0f64; 8];
            for (half, four) in halves.into_iter().enumerate() {
                // SAFETY: there is room for four values in each half of the array.
                unsafe { _mm256_storeu_pd(lanes[4 * half..].as_mut_ptr(), four) };
            }
            lanes.iter().sum()
        };
        Moments { sum: total(sums), squares: total(squares) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_the_same_whatever_the_cpu_has() {
        let values: Vec<f32> = (0..1_003u32)
            .map(|one| (one.wrapping_mul(2_654_435_761) >> 8) as f32 / 3e6 - 1.7)
            .collect();
        for count in [0, 1, 8, 125] {
            let (eights, base) = (&values.as_chunks::<8>().0[..count], f64::from(values[3]));
            let (all, portable) =
                (Moments::of_eights(eights, base), Moments::portable(eights, base));
            assert_eq!((all.sum, all.squares), (portable.sum, portable.squares), "{count}");
        }
    }
}
