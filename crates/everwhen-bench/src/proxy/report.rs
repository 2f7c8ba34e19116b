//! What was measured, for people and as JSON.

use std::fmt;

use serde::Serialize;

use crate::store::load::Latencies;

/// Everything `everwhen bench proxy` measures.
#[derive(Debug, Serialize)]
pub struct ProxyReport {
    /// What the proxy adds, by size of memory, streams and briefing.
    pub added: Vec<Added>,
    /// Short and long histories.
    pub histories: Histories,
    /// Many slow streams.
    pub slow: Slow,
    /// Memory of a server that has just started.
    pub resident_after_start_mib: f64,
}

/// One combination.
#[derive(Debug, Serialize)]
pub struct Added {
    /// Entries in the memory that is spoken in.
    pub entries: usize,
    /// Streams at once.
    pub streams: usize,
    /// Whether a briefing was asked for.
    pub briefing: bool,
    /// The times.
    #[serde(flatten)]
    pub measured: Measured,
}

/// Times to the first byte of the reply.
#[derive(Debug, Serialize)]
pub struct Measured {
    /// How many, each way.
    pub requests: usize,
    /// Straight at the upstream, median.
    pub direct_p50_ms: f64,
    /// Straight at the upstream, all but one in a hundred.
    pub direct_p99_ms: f64,
    /// Through the proxy, median.
    pub proxied_p50_ms: f64,
    /// Through the proxy, all but one in a hundred.
    pub proxied_p99_ms: f64,
}

/// Turns with a short and with a long history.
#[derive(Debug, Serialize)]
pub struct Histories {
    /// Messages in the requests.
    pub messages: [usize; 2],
    /// The times, short then long.
    pub measured: Vec<Measured>,
}

/// Many slow streams at once.
#[derive(Debug, Serialize)]
pub struct Slow {
    /// How many were begun.
    pub streams: usize,
    /// How many came to their end.
    pub whole: usize,
    /// The most memory the server used meanwhile.
    pub resident_most_mib: f64,
}

impl Measured {
    pub(super) fn new(mut direct: Latencies, mut proxied: Latencies) -> Self {
        Self {
            requests: proxied.count(),
            direct_p50_ms: direct.percentile_ms(0.50),
            direct_p99_ms: direct.percentile_ms(0.99),
            proxied_p50_ms: proxied.percentile_ms(0.50),
            proxied_p99_ms: proxied.percentile_ms(0.99),
        }
    }

    /// What the proxy adds to the median.
    pub fn added_p50_ms(&self) -> f64 {
        self.proxied_p50_ms - self.direct_p50_ms
    }

    /// What it adds to the slowest in a hundred.
    pub fn added_p99_ms(&self) -> f64 {
        self.proxied_p99_ms - self.direct_p99_ms
    }
}

impl Histories {
    /// How much longer the long one takes through the proxy, and straight at the upstream.
    pub fn ratios(&self) -> (f64, f64) {
        match self.measured.as_slice() {
            [short, long] => (
                long.proxied_p50_ms / short.proxied_p50_ms,
                long.direct_p50_ms / short.direct_p50_ms,
            ),
            _ => (1.0, 1.0),
        }
    }
}

impl fmt::Display for ProxyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "added to the first byte      streams  briefing      p50 ms    p99 ms")?;
        for added in &self.added {
            let (p50, p99) = (added.measured.added_p50_ms(), added.measured.added_p99_ms());
            let briefing = if added.briefing { "yes" } else { "no" };
            writeln!(
                f,
                "  memory of {:>7} entries    {:>7}  {briefing:>8}   {p50:>9.3} {p99:>9.3}",
                added.entries, added.streams
            )?;
        }
        for (messages, measured) in self.histories.messages.iter().zip(&self.histories.measured) {
            let (p50, direct) = (measured.added_p50_ms(), measured.direct_p50_ms);
            writeln!(
                f,
                "history of {messages:>5} messages     p50 {p50:.3} ms added to {direct:.3} ms"
            )?;
        }
        let (proxied, direct) = self.histories.ratios();
        writeln!(
            f,
            "  long to short              through the proxy {proxied:.2}, direct {direct:.2}"
        )?;
        let Slow { streams, whole, resident_most_mib } = &self.slow;
        writeln!(
            f,
            "{streams} slow streams at once    {whole} whole, {resident_most_mib:.1} MiB at most"
        )?;
        write!(f, "memory after start           {:.1} MiB", self.resident_after_start_mib)
    }
}
