//! What was measured, for people and as JSON.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use super::client::FirstByteTimes;

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
    /// Whether a briefing was requested.
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
    /// Straight at the upstream: half of all requests are faster.
    pub direct_p50_ms: f64,
    /// Straight at the upstream: 99 of 100 are faster.
    pub direct_p99_ms: f64,
    /// Through the proxy: half of all requests are faster.
    pub proxied_p50_ms: f64,
    /// Through the proxy: 99 of 100 are faster.
    pub proxied_p99_ms: f64,
    /// What lies between the two medians. It is a difference of percentiles.
    pub difference_of_p50_ms: f64,
    /// What lies between the two 99th percentiles. It is a difference of percentiles.
    pub difference_of_p99_ms: f64,
    /// Of what each request took longer than the one straight at the upstream just before it, the
    /// percentiles. Only for one chat alone, which asks in turns.
    pub paired: Option<Paired>,
    /// Requests through the proxy for which memory was not ready within the deadline.
    pub degraded: usize,
}

/// Percentiles of differences, one difference for each pair of requests.
#[derive(Debug, Serialize)]
pub struct Paired {
    /// In half of all pairs less was added.
    pub p50_ms: f64,
    /// In 99 of 100 pairs less was added.
    pub p99_ms: f64,
}

/// Turns with a short and with a long history.
#[derive(Debug, Serialize)]
pub struct Histories {
    /// Messages in the requests.
    pub messages: [usize; 2],
    /// The times, short then long.
    pub measured: Vec<Measured>,
}

/// Exchanges without pauses.
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
    pub(super) fn new(direct: &FirstByteTimes, proxied: &FirstByteTimes, is_paired: bool) -> Self {
        let (straight, through) = (sorted_ms(&direct.lengths), sorted_ms(&proxied.lengths));
        let [direct_p50_ms, direct_p99_ms] = [0.50, 0.99].map(|share| percentile(&straight, share));
        let [proxied_p50_ms, proxied_p99_ms] =
            [0.50, 0.99].map(|share| percentile(&through, share));
        Self {
            requests: proxied.lengths.len(),
            direct_p50_ms,
            direct_p99_ms,
            proxied_p50_ms,
            proxied_p99_ms,
            difference_of_p50_ms: proxied_p50_ms - direct_p50_ms,
            difference_of_p99_ms: proxied_p99_ms - direct_p99_ms,
            paired: is_paired.then(|| Paired::new(&direct.lengths, &proxied.lengths)),
            degraded: proxied.degraded,
        }
    }
}

impl Paired {
    fn new(direct: &[Duration], proxied: &[Duration]) -> Self {
        let pairs = direct.iter().zip(proxied);
        let mut added: Vec<f64> =
            pairs.map(|(direct, proxied)| milliseconds(*proxied) - milliseconds(*direct)).collect();
        added.sort_by(f64::total_cmp);
        Self { p50_ms: percentile(&added, 0.50), p99_ms: percentile(&added, 0.99) }
    }
}

fn milliseconds(length: Duration) -> f64 {
    length.as_secs_f64() * 1000.0
}

fn sorted_ms(lengths: &[Duration]) -> Vec<f64> {
    let mut all: Vec<f64> = lengths.iter().copied().map(milliseconds).collect();
    all.sort_by(f64::total_cmp);
    all
}

/// The nearest-rank percentile: the smallest value that this share of all values do not exceed.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
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
    pub(super) const TITLE: &str = "\
first byte, ms                                  through          direct      difference of   pairs        without
                         chats  briefing     p50     p99     p50     p99     p50s    p99s     p50    p99   memory      n";
}

impl fmt::Display for Added {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { entries, streams, measured, .. } = self;
        let briefing = if self.briefing { "yes" } else { "no" };
        let Measured { direct_p50_ms, direct_p99_ms, proxied_p50_ms, proxied_p99_ms, .. } =
            measured;
        let (p50s, p99s) = (measured.difference_of_p50_ms, measured.difference_of_p99_ms);
        let [pair_p50, pair_p99] = match &measured.paired {
            Some(paired) => [paired.p50_ms, paired.p99_ms].map(|ms| format!("{ms:.2}")),
            None => ["-", "-"].map(ToOwned::to_owned),
        };
        write!(
            f,
            "memory of {entries:>7} entries {streams:>4}  {briefing:>8}  {proxied_p50_ms:>6.2}  \
             {proxied_p99_ms:>6.2}  {direct_p50_ms:>6.2}  {direct_p99_ms:>6.2}   {p50s:>6.2}  \
             {p99s:>6.2}  {pair_p50:>6} {pair_p99:>6}   {:>6} {:>6}",
            measured.degraded, measured.requests,
        )
    }
}

impl fmt::Display for Histories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (messages, measured) in self.messages.iter().zip(&self.measured) {
            let Measured { proxied_p50_ms, direct_p50_ms, .. } = measured;
            writeln!(
                f,
                "history of {messages:>5} messages     p50 {proxied_p50_ms:.2} ms through, \
                 {direct_p50_ms:.2} ms direct"
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

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(lengths: impl IntoIterator<Item = u64>) -> FirstByteTimes {
        FirstByteTimes {
            lengths: lengths.into_iter().map(Duration::from_millis).collect(),
            degraded: 0,
        }
    }

    #[test]
    fn a_percentile_is_a_value_that_was_measured() {
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!((percentile(&hundred, 0.5), percentile(&hundred, 0.99)), (50.0, 99.0));
        assert_eq!((percentile(&[7.0], 0.99), percentile(&[], 0.99)), (7.0, 0.0));
    }

    #[test]
    fn a_difference_of_percentiles_is_not_a_percentile_of_differences() {
        // The slow requests are others on each side: the distributions are the same, the pairs are not.
        let direct = waits((0..100).map(|at| if at < 2 { 101 } else { 1 }));
        let proxied = waits((0..100).map(|at| if at >= 98 { 101 } else { 1 }));
        let measured = Measured::new(&direct, &proxied, true);
        assert!(measured.difference_of_p99_ms.abs() < 1e-9);
        assert!((measured.paired.unwrap().p99_ms - 100.0).abs() < 1e-9);
        assert!(Measured::new(&direct, &proxied, false).paired.is_none());
    }
}
