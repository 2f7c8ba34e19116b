//! The machine: how fast one core reads memory, and how fast the vector scan does.

use std::hint::black_box;
use std::time::Instant;

use everwhen::recall::nearest_row;

use super::report::Machine;

/// Numbers in a vector.
const WIDTH: usize = 256;
/// Number of alternating rounds; the best one counts.
const TURNS: usize = 7;

/// Reads the same bytes both ways, alternating.
pub(super) fn measure(bytes: usize) -> Machine {
    let rows = vec![0x3bu8; bytes];
    let question: Vec<i8> = (0..WIDTH).map(|place| (place % 127) as i8).collect();
    let (mut read, mut scan) = (0f64, 0f64);
    for _ in 0..TURNS {
        read = read.max(rate(bytes, || sum(black_box(&rows))));
        scan = scan.max(rate(bytes, || nearest_row(black_box(&rows), &question)));
    }
    Machine { read_gb_per_second: read, scan_gb_per_second: scan, scan_share: scan / read }
}

fn rate<T>(bytes: usize, work: impl FnOnce() -> T) -> f64 {
    let began = Instant::now();
    black_box(work());
    bytes as f64 / began.elapsed().as_secs_f64() / 1e9
}

/// Touches every byte with as little work as possible.
fn sum(bytes: &[u8]) -> u64 {
    let (blocks, _) = bytes.as_chunks::<64>();
    let mut sums = [0u64; 8];
    for block in blocks {
        for (sum, eight) in sums.iter_mut().zip(block.as_chunks::<8>().0) {
            *sum = sum.wrapping_add(u64::from_le_bytes(*eight));
        }
    }
    sums.iter().fold(0, |sum, one| sum.wrapping_add(*one))
}

/// This process's resident memory in MiB; nothing where it cannot be known.
pub(super) fn resident_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024.0)
}
