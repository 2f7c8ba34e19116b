//! What was measured, for people and as JSON.

use std::fmt;

use serde::Serialize;

use crate::store::load::Latencies;

/// Everything `everwhen bench proxy` measures.
#[derive(Debug, Default, Serialize)]
pub struct ProxyReport {
    /// What the proxy adds, by size of memory, streams and briefing.
    pub added: Vec<Added>,
    /// Short and long histories.
    pub histories: Option<Histories>,
    /// What goes through at most.
    pub saturated: Option<Saturated>,
    /// Many slow streams.
    pub slow: Option<Slow>,
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

/// Exchanges when nobody pauses.
#[derive(Debug, Serialize)]
pub struct Saturated {
    /// Chats at once.
    pub streams: usize,
    /// Straight at the upstream.
    pub direct_per_second: f64,
    /// Through the proxy.
    pub proxied_per_second: f64,
}

/// Many slow streams at once.
#[derive(Debug, Serialize)]
pub struct Slow {
    /// How many were begun.
    pub streams: usize,
    /// How many came to their end.
    pub whole: usize,
    /// Memory of the server when it had just started.
    pub resident_after_start_mib: f64,
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

impl Added {
    /// What stands above its lines.
    pub(super) const TITLE: &str = "added to the first byte      streams  briefing  \
                                    p50 ms  p99 ms   direct p50  p99      n";
}

impl fmt::Display for Added {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { entries, streams, measured, .. } = self;
        let (p50, p99) = (measured.added_p50_ms(), measured.added_p99_ms());
        let Measured { requests, direct_p50_ms, direct_p99_ms, .. } = measured;
        let briefing = if self.briefing { "yes" } else { "no" };
        write!(
            f,
            "  memory of {entries:>7} entries    {streams:>7}  {briefing:>8}  {p50:>6.2}  {p99:>6.2}   \
             {direct_p50_ms:>10.2} {direct_p99_ms:>4.2} {requests:>6}",
        )
    }
}

impl fmt::Display for Histories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (messages, measured) in self.messages.iter().zip(&self.measured) {
            let (p50, direct) = (measured.added_p50_ms(), measured.direct_p50_ms);
            writeln!(
                f,
                "history of {messages:>5} messages     p50 {p50:.2} ms added to {direct:.2} ms"
            )?;
        }
        let (proxied, direct) = self.ratios();
        write!(f, "  long to short              through the proxy {proxied:.2}, direct {direct:.2}")
    }
}

impl fmt::Display for Saturated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { streams, direct_per_second, proxied_per_second } = self;
        write!(
            f,
            "{streams} chats without a pause     {proxied_per_second:.0} exchanges/s through the \
             proxy, {direct_per_second:.0} direct"
        )
    }
}

impl fmt::Display for Slow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { streams, whole, resident_after_start_mib, resident_most_mib } = self;
        write!(
            f,
            "{streams} slow streams at once    {whole} whole, {resident_most_mib:.1} MiB at most, \
             {resident_after_start_mib:.1} MiB after start"
        )
    }
}

impl fmt::Display for ProxyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = Vec::new();
        if !self.added.is_empty() {
            lines.push(Added::TITLE.to_owned());
            lines.extend(self.added.iter().map(ToString::to_string));
        }
        lines.extend(self.histories.as_ref().map(ToString::to_string));
        lines.extend(self.saturated.as_ref().map(ToString::to_string));
        lines.extend(self.slow.as_ref().map(ToString::to_string));
        f.write_str(&lines.join("\n"))
    }
}
