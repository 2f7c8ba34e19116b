//! What was measured, for people and as JSON.

use std::fmt;

use serde::Serialize;

/// Everything `everwhen bench store` measures.
#[derive(Debug, Serialize)]
pub struct StoreReport {
    /// Batches of 100, compared with a plain SQLite loop.
    pub batches: Batches,
    /// Single durable adds over HTTP.
    pub singles: Singles,
    /// Lists by time range.
    pub lists: Lists,
}

/// Batches of 100, medians over rounds that alternate.
#[derive(Debug, Serialize)]
pub struct Batches {
    /// Through the library.
    pub entries_per_second: f64,
    /// These rows by a plain rusqlite loop.
    pub bare_entries_per_second: f64,
    /// Ours in relation to the bare loop.
    pub ratio: f64,
}

/// Single durable adds.
#[derive(Debug, Serialize)]
pub struct Singles {
    /// With group commit, all clients in one memory.
    pub loads: Vec<Load>,
    /// The most clients, each in a memory of its own.
    pub own_memories: Load,
    /// The most clients in one memory, on a server that commits every request alone.
    pub one_commit_per_request: Load,
    /// Each client in its own memory.
    pub one_commit_own_memories: Load,
    /// What SQLite alone commits, one row at a time.
    pub bare_commits_per_second: f64,
    /// Memory of a server that has just started.
    pub resident_after_start_mib: f64,
}

/// One number of clients.
#[derive(Debug, Serialize)]
pub struct Load {
    /// How many add at once.
    pub clients: usize,
    /// Acknowledged entries.
    pub entries_per_second: f64,
    /// Half of the requests are faster.
    pub p50_ms: f64,
    /// All but one in a hundred are faster.
    pub p99_ms: f64,
}

/// Lists by time range.
#[derive(Debug, Serialize)]
pub struct Lists {
    /// Small, then large.
    pub lists: Vec<List>,
    /// How fast the large memory was filled, in batches of 100 over HTTP.
    pub batched_per_second: f64,
    /// Memory of the server after that.
    pub resident_after_large_mib: f64,
}

/// One size.
#[derive(Debug, Serialize)]
pub struct List {
    /// Entries in the memory.
    pub entries: usize,
    /// Half of the lists are faster.
    pub p50_ms: f64,
    /// All but one in a hundred are faster.
    pub p99_ms: f64,
}

impl Batches {
    pub(super) fn new(per_round: usize, ours: &[f64], bare: &[f64]) -> Self {
        let rate = |seconds: &[f64]| per_round as f64 / median(seconds);
        let (entries_per_second, bare_entries_per_second) = (rate(ours), rate(bare));
        let ratio = entries_per_second / bare_entries_per_second;
        Self { entries_per_second, bare_entries_per_second, ratio }
    }
}

fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

impl StoreReport {
    /// How much group commit gains at the most clients: in one memory, and in a memory each.
    pub fn group_commit_gain(&self) -> [f64; 2] {
        let singles = &self.singles;
        let most = singles.loads.last().map_or(0.0, |load| load.entries_per_second);
        let own = singles.own_memories.entries_per_second;
        [
            most / singles.one_commit_per_request.entries_per_second,
            own / singles.one_commit_own_memories.entries_per_second,
        ]
    }

    /// How much slower the large list is.
    pub fn list_ratio(&self) -> f64 {
        match self.lists.lists.as_slice() {
            [small, .., large] => large.p50_ms / small.p50_ms,
            _ => 1.0,
        }
    }
}

impl fmt::Display for StoreReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { batches, singles, lists } = self;
        writeln!(f, "batches of 100, library       {:>9.0} entries/s", batches.entries_per_second)?;
        writeln!(
            f,
            "  the same rows, bare SQLite  {:>9.0} entries/s",
            batches.bare_entries_per_second
        )?;
        writeln!(f, "  ratio                       {:>9.2}", batches.ratio)?;
        writeln!(f, "batches of 100, HTTP          {:>9.0} entries/s", lists.batched_per_second)?;
        for load in &singles.loads {
            write_load(f, "single adds", load)?;
        }
        let [gain, own_gain] = self.group_commit_gain();
        write_load(f, "  each committed alone", &singles.one_commit_per_request)?;
        writeln!(f, "  gain of group commit        {gain:>9.2}")?;
        write_load(f, "  a memory each", &singles.own_memories)?;
        write_load(f, "  each committed alone", &singles.one_commit_own_memories)?;
        writeln!(f, "  gain of group commit        {own_gain:>9.2}")?;
        writeln!(
            f,
            "  SQLite alone, one row each  {:>9.0} commits/s",
            singles.bare_commits_per_second
        )?;
        for list in &lists.lists {
            let (size, p50, p99) = (list.entries, list.p50_ms, list.p99_ms);
            writeln!(f, "list by time, {size:>8} entries    p50 {p50:.3} ms  p99 {p99:.3} ms")?;
        }
        writeln!(f, "  ratio of the p50s           {:>9.2}", self.list_ratio())?;
        writeln!(f, "memory after start            {:>9.1} MiB", singles.resident_after_start_mib)?;
        write!(f, "memory after the large list   {:>9.1} MiB", lists.resident_after_large_mib)
    }
}

fn write_load(f: &mut fmt::Formatter<'_>, what: &str, load: &Load) -> fmt::Result {
    let Load { clients, entries_per_second, p50_ms, p99_ms } = load;
    writeln!(
        f,
        "{what:<22} {clients:>3} cl. {entries_per_second:>9.0} entries/s   p50 {p50_ms:.3} ms  \
         p99 {p99_ms:.3} ms"
    )
}
