//! What `everwhen bench recall` found, as JSON and as a table.

use std::fmt;

use serde::Serialize;

use crate::report::Latency;

/// Everything that was measured.
#[derive(Debug, Serialize)]
pub struct RecallReport {
    /// The program's version.
    pub version: String,
    /// The machine.
    pub machine: Machine,
    /// One line per embedder and size.
    pub speeds: Vec<RecallSpeed>,
    /// Other systems with the same texts and questions.
    pub peers: Vec<Peer>,
}

/// How fast one core reads.
#[derive(Debug, Serialize)]
pub struct Machine {
    /// Memory, with as little work as possible.
    pub read_gb_per_second: f64,
    /// Vectors, compared with a question.
    pub scan_gb_per_second: f64,
    /// The second as a share of the first.
    pub scan_share: f64,
}

/// One size.
#[derive(Debug, Serialize)]
pub struct RecallSpeed {
    /// Entries in the memory.
    pub entries: usize,
    /// Which embedder took part.
    pub embedder: String,
    /// How long it took to take the entries in since the size before: durable, embedded, searchable.
    pub ingest_seconds: f64,
    /// The speed as a rate.
    pub ingest_per_second: f64,
    /// How long an answer took.
    pub latency_ms: Latency,
    /// The questions with filters.
    pub narrowed: Vec<Narrowed>,
    /// Memory of the whole process.
    pub resident_mib: Option<f64>,
    /// The first answer after a start.
    pub restart: Restart,
}

/// Questions that are narrowed in one way.
#[derive(Debug, Serialize)]
pub struct Narrowed {
    /// How.
    pub by: String,
    /// How long an answer took.
    pub latency_ms: Latency,
}

/// How long the first answer after a start takes.
#[derive(Debug, Serialize)]
pub struct Restart {
    /// When every entry has to be read again.
    pub without_segments_ms: f64,
    /// When the index was kept.
    pub with_segments_ms: f64,
}

/// Another system.
#[derive(Debug, Serialize)]
pub struct Peer {
    /// Who, and which version.
    pub name: String,
    /// Entries it was given.
    pub entries: usize,
    /// How long it took to take them in.
    pub ingest_seconds: f64,
    /// How long an answer took.
    pub latency_ms: Latency,
}

impl fmt::Display for RecallReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:>8}  {:<12} {:>8} {:>8} {:>8} {:>10} {:>8} {:>10} {:>10}",
            "entries",
            "by",
            "p50 ms",
            "p95 ms",
            "p99 ms",
            "ingest/s",
            "RSS MiB",
            "restart ms",
            "(rebuilt)"
        )?;
        self.speeds.iter().try_for_each(|speed| writeln!(f, "{speed}"))?;
        self.peers.iter().try_for_each(|peer| writeln!(f, "{peer}"))?;
        write!(f, "{}", self.machine)
    }
}

impl fmt::Display for RecallSpeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Latency { p50, p95, p99 } = self.latency_ms;
        let Restart { without_segments_ms, with_segments_ms } = self.restart;
        let resident = self.resident_mib.unwrap_or(f64::NAN);
        write!(
            f,
            "{:>8}  {:<12} {p50:>8.3} {p95:>8.3} {p99:>8.3} {:>10.0} {resident:>8.0} \
             {with_segments_ms:>10.0} {without_segments_ms:>10.0}",
            self.entries, self.embedder, self.ingest_per_second
        )?;
        self.narrowed.iter().try_for_each(|one| write!(f, "\n{one}"))
    }
}

impl fmt::Display for Narrowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Latency { p50, p95, p99 } = self.latency_ms;
        // As wide as size and embedder, so the numbers stand in the same columns.
        let by = format!(" {}", self.by);
        write!(f, "{by:<22} {p50:>8.3} {p95:>8.3} {p99:>8.3}")
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Latency { p50, p95, p99 } = self.latency_ms;
        let rate = self.entries as f64 / self.ingest_seconds;
        let Self { entries, name, .. } = self;
        write!(f, "{entries:>8}  {name:<12} {p50:>8.3} {p95:>8.3} {p99:>8.3} {rate:>10.0}")
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { read_gb_per_second, scan_gb_per_second, scan_share } = self;
        let share = 100.0 * scan_share;
        write!(
            f,
            "one core reads memory at {read_gb_per_second:.1} GB/s and scans vectors at \
             {scan_gb_per_second:.1} GB/s, {share:.0} %"
        )
    }
}
