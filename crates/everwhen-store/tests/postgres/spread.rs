//! What a cluster that spreads tables by vault would refuse, found without one: every statement that
//! any test sends is read.
//!
//! A statement runs on one node if it says, for every table it touches, which vault it means by a
//! value of its own (`vault_id = $1`). The few that ask all nodes only read, hold nothing, and are
//! listed here with their reasons.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};

use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

/// Tables that lie on every node, or on one alone.
const NOT_SPREAD: [&str; 3] = ["vault_name", "access_key", "everwhen_schema"];
/// Statements that ask all nodes, and why they may: while a node is down they fail for every vault, so
/// that none of them may be needed to answer a request about one vault.
const EVERYWHERE: [(&str, &str); 11] = [
    ("FROM job WHERE id = $1", "the operator names a job without its vault"),
    ("FROM job WHERE queue = $2", "work is looked for anywhere, or by vault while a node is away"),
    ("FROM job ORDER BY", "the operator's list of all jobs"),
    ("FROM job WHERE queue < $2", "jobs are counted, or by vault while a node is away"),
    ("FROM job WHERE state = 2", "what was set aside, or by vault while a node is away"),
    (
        "FROM job WHERE (leased_until > $1",
        "what a wrong clock put off, or by vault while a node is away",
    ),
    ("FROM job WHERE kind = $1 AND state = 0", "why jobs failed, or by vault while a node is away"),
    ("FROM llm_usage WHERE day >= $1", "what all vaults may spend together is added up"),
    ("FROM vault WHERE EXISTS (SELECT 1 FROM memory", "doctor looks for clocks that were wrong"),
    ("FROM vault_name n JOIN vault v", "names lie everywhere, so each node lists its own"),
    ("SELECT name, vault_id FROM vault", "names are filled in after a move"),
];
/// What differs from node to node, or is not there at all.
const NEVER: [&str; 6] =
    ["now()", "random()", "nextval(", "gen_random_uuid", "SAVEPOINT", "LISTEN"];

static REFUSED: Mutex<Vec<String>> = Mutex::new(Vec::new());
static SEEN: AtomicUsize = AtomicUsize::new(0);

/// Begins to read what the store sends.
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| tracing_subscriber::registry().with(Reader).init());
}

/// What has been sent so far and would be refused, each with the reason.
pub(crate) fn refused() -> Vec<String> {
    assert!(SEEN.load(Ordering::SeqCst) > 0, "no statement was seen");
    REFUSED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

struct Reader;

impl<S: tracing::Subscriber> Layer<S> for Reader {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        event.record(&mut Statement);
    }
}

struct Statement;

impl Visit for Statement {
    fn record_str(&mut self, field: &Field, sql: &str) {
        if field.name() != "sql" {
            return;
        }
        SEEN.fetch_add(1, Ordering::SeqCst);
        if let Some(reason) = judge(sql) {
            let refusal = format!("{reason}: {sql}");
            REFUSED.lock().unwrap_or_else(PoisonError::into_inner).push(refusal);
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

/// Why a cluster would refuse a statement, or run it on nodes it has no business on.
pub(crate) fn judge(sql: &str) -> Option<&'static str> {
    let words: Vec<&str> = sql.split_whitespace().collect();
    let text = words.join(" ");
    if NEVER.iter().any(|never| text.contains(never)) {
        return Some("differs from node to node");
    }
    let tables = spread_tables(&words);
    let pinned = text.matches("vault_id = $").count();
    if text.starts_with("INSERT") && tables > 0 {
        return judge_insert(&text, tables, pinned);
    }
    let set = text.split_once(" WHERE ").filter(|_| text.starts_with("UPDATE"));
    if set.is_some_and(|(set, _)| set.contains("vault_id =")) {
        return Some("moves a row to another vault");
    }
    let is_reading = text.starts_with("SELECT") && !text.contains("FOR UPDATE");
    let may = is_reading && EVERYWHERE.iter().any(|(known, _)| text.contains(known));
    (pinned < tables && !may).then_some("does not say for every table which vault it means")
}

fn judge_insert(text: &str, tables: usize, pinned: usize) -> Option<&'static str> {
    let (columns, rest) = text.split_once(')').unwrap_or((text, ""));
    if EVERYWHERE.iter().any(|(known, _)| text.contains(known)) {
        return None;
    }
    if !columns.contains("vault_id") {
        return Some("adds a row of no vault");
    }
    if tables > pinned + 1 {
        return Some("adds rows from tables without saying which vault it means");
    }
    let target = rest.split_once("ON CONFLICT (").map(|(_, target)| target);
    let target = target.and_then(|target| target.split_once(')')).map(|(columns, _)| columns);
    target.filter(|target| !target.contains("vault_id")).map(|_| "conflicts across vaults")
}

/// How many times tables that are spread are named: all but a few, so that a new one is not
/// overlooked.
fn spread_tables(words: &[&str]) -> usize {
    let begins = |word: &str| ["FROM", "JOIN", "INTO", "UPDATE"].contains(&word);
    words.windows(2).filter(|pair| begins(pair[0]) && is_spread(pair[1])).count()
}

fn is_spread(word: &str) -> bool {
    let name = word.trim_end_matches([')', ',', ';']);
    let is_other = ["SET", "SKIP", "OF", "LATERAL"].contains(&name) || NOT_SPREAD.contains(&name);
    // A subquery or a function, a catalogue of the database, or a cursor of a move.
    let is_no_table = name.contains('(') || name.starts_with("pg_") || name.starts_with("all_of_");
    !is_other && !is_no_table
}
