//! `everwhen bench tune`: fits the weights of recall on several sets together, by a fixed protocol.
//!
//! 1. All weights start equal, and one set of weights serves every data set.
//! 2. Every set has the same influence; see `fit.rs`.
//! 3. What counts is the score on what was left out: each set in turn is left out as a whole, and every
//!    question is scored once by weights fitted in other folds.
//! 4. `--ablate` leaves out one signal after another. A signal stays only if at least two left-out sets
//!    are worse without it.
//!
//! The values of signals come from the answers of the engine itself, so nothing is computed twice.

mod cases;
mod fit;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use serde::Serialize;

use self::cases::Case;
pub use self::cases::Weights;
use self::fit::Contests;
use crate::EmbedderChoice;
use crate::quality::locomo::{self, Locomo, LocomoSet};
use crate::quality::longmemeval::{self, LongMemEval};
use crate::score::Judged;

/// The signals of conversations, without that of their entries.
const GROUP_SIGNALS: [&str; 5] = ["words", "meaning", "sibling", "period", "recent"];
/// The signals of entries, without that of their conversation.
const DOCUMENT_SIGNALS: [&str; 7] =
    ["words", "words_nearby", "meaning", "meaning_nearby", "speaker", "first_person", "period"];
/// Parts of the cross-validation.
const FOLDS: usize = 5;
/// A signal helps a set if the mean of the scores is higher by this much, in percent.
const HELPS: f64 = 0.1;

/// What to fit on.
#[derive(Debug, Clone)]
pub struct Tune {
    /// LongMemEval, if it takes part.
    pub longmemeval: Option<PathBuf>,
    /// Sets in LoCoMo's form.
    pub dialogues: Vec<(LocomoSet, PathBuf)>,
    /// Which embedder takes part.
    pub embedder: EmbedderChoice,
    /// Whether to leave out one signal after another.
    pub ablate: bool,
}

/// What was found.
#[derive(Debug, Serialize)]
pub struct Tuned {
    /// Names of the weights of conversations.
    pub conversation_signals: Vec<String>,
    /// Names of the weights of entries.
    pub entry_signals: Vec<String>,
    /// Weights fitted on all sets, the one of words being 1.
    pub weights: Weights,
    /// Scores, several rows per set.
    pub rows: Vec<TuneRow>,
    /// Without each signal, on left-out sets: how much the mean score falls, set by set.
    pub ablations: Vec<(String, Vec<f64>)>,
}

/// Scores of one set, in percent.
#[derive(Debug, Serialize)]
pub struct TuneRow {
    /// The set.
    pub set: String,
    /// What its weights were fitted on.
    pub fitted_on: String,
    /// Questions.
    pub n: usize,
    /// any@1, any@5, any@10, all@5, all@10 of conversations.
    pub conversations: [f64; 5],
    /// Hit@5, recall@5 and recall@10 of entries.
    pub entries: [f64; 3],
}

/// A set with its questions.
struct Set {
    name: String,
    cases: Vec<Case>,
}

impl Set {
    /// Deals the questions out into folds; those about one dialogue are in one fold.
    fn new(name: &str, mut cases: Vec<Case>) -> Self {
        let mut keys: Vec<String> = cases.iter().map(|case| case.key.clone()).collect();
        keys.sort_unstable();
        keys.dedup();
        for case in &mut cases {
            case.fold = keys.binary_search(&case.key).unwrap_or(0) % FOLDS;
        }
        Self { name: name.into(), cases }
    }
}

/// The signal that is left out: whether it is one of conversations, and its place among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LeftOut(Option<(bool, usize)>);

/// Runs the benchmark; `step` is called after each question with the number done and the total.
pub async fn run(setup: &Tune, step: &(dyn Fn(usize, usize) + Sync)) -> Result<Tuned> {
    let sets = read(setup, step).await?;
    ensure!(sets.len() > 1, "name at least two data sets: one is left out while others are fitted");
    let all = fit(&sets.iter().map(|set| set.cases.iter().collect()).collect::<Vec<_>>());
    let mut rows = Vec::new();
    for set in &sets {
        rows.push(row(set, "equal weights", |_| Weights::equal()));
        let left_out = fit_without(&sets, set, LeftOut(None));
        rows.push(row(set, "the other sets", |_| left_out.clone()));
    }
    let folds: Vec<Weights> = (0..FOLDS).map(|fold| fit_fold(&sets, fold)).collect();
    for set in &sets {
        rows.push(row(set, "other folds", |case| folds[case.fold].clone()));
        rows.push(row(set, "all (not left out)", |_| all.clone()));
    }
    rows.sort_by(|a, b| a.set.cmp(&b.set));
    Ok(Tuned {
        conversation_signals: names(&GROUP_SIGNALS, "entries"),
        entry_signals: names(&DOCUMENT_SIGNALS, "conversation"),
        ablations: if setup.ablate { ablate(&sets) } else { Vec::new() },
        weights: all.with_words_of_one(),
        rows,
    })
}

fn names(signals: &[&str], last: &str) -> Vec<String> {
    signals.iter().chain([&last]).map(ToString::to_string).collect()
}

/// Asks all questions of all sets.
async fn read(setup: &Tune, step: &(dyn Fn(usize, usize) + Sync)) -> Result<Vec<Set>> {
    let mut sets = Vec::new();
    if let Some(data) = &setup.longmemeval {
        let setup = LongMemEval {
            data: data.clone(),
            ids: None,
            pooled: false,
            embedder: setup.embedder.clone(),
        };
        let answered = longmemeval::run(&setup, step).await?.questions;
        let answerable = answered.iter().filter(|one| !one.is_abstention());
        let cases = answerable.map(Case::of_longmemeval).collect();
        sets.push(Set::new("LongMemEval S", cases));
    }
    for (set, data) in &setup.dialogues {
        let setup = Locomo { set: *set, data: data.clone(), embedder: setup.embedder.clone() };
        let answered = locomo::run(&setup, step).await?.questions;
        let cases = answered.iter().map(Case::of_locomo).collect();
        sets.push(Set::new(set.as_str(), cases));
    }
    Ok(sets)
}

impl Weights {
    fn equal() -> Self {
        Self {
            conversations: vec![1.0; GROUP_SIGNALS.len() + 1],
            entries: vec![1.0; DOCUMENT_SIGNALS.len() + 1],
        }
    }

    fn with_words_of_one(&self) -> Self {
        let scaled = |weights: &[f32]| {
            let words = weights[0].max(f32::EPSILON);
            weights.iter().map(|weight| weight / words).collect()
        };
        Self { conversations: scaled(&self.conversations), entries: scaled(&self.entries) }
    }
}

/// Fits on the questions of several sets.
fn fit(sets: &[Vec<&Case>]) -> Weights {
    fit_with(sets, LeftOut(None))
}

/// Fits without one signal. Entries come first, then conversations with the best of their entries, then
/// entries with their conversation, and conversations once more.
fn fit_with(sets: &[Vec<&Case>], left_out: LeftOut) -> Weights {
    let mut weights = Weights::equal();
    let width = DOCUMENT_SIGNALS.len();
    let mut entries = Contests::new(width);
    for set in sets {
        let rows = set.iter().map(|case| {
            let rows = case.documents.iter().map(|row| left_out.blank(row, false)).collect();
            (rows, &case.gold_documents[..])
        });
        entries.add_set(rows);
    }
    weights.entries = entries.fit();
    weights.entries.push(0.0);
    left_out.clear(&mut weights);
    for _ in 0..2 {
        fit_conversations(sets, left_out, &mut weights);
        fit_entries(sets, left_out, &mut weights);
    }
    weights
}

fn fit_conversations(sets: &[Vec<&Case>], left_out: LeftOut, weights: &mut Weights) {
    let mut contests = Contests::new(GROUP_SIGNALS.len() + 1);
    for set in sets {
        contests.add_set(set.iter().map(|case| {
            let rows = case.group_rows(&weights.entries[..DOCUMENT_SIGNALS.len()]);
            let rows = rows.iter().map(|row| left_out.blank(row, true)).collect();
            (rows, &case.gold_groups[..])
        }));
    }
    weights.conversations = contests.fit();
    left_out.clear(weights);
}

fn fit_entries(sets: &[Vec<&Case>], left_out: LeftOut, weights: &mut Weights) {
    let mut contests = Contests::new(DOCUMENT_SIGNALS.len() + 1);
    for set in sets {
        contests.add_set(set.iter().map(|case| {
            let rows = case.document_rows(weights);
            let rows = rows.iter().map(|row| left_out.blank(row, false)).collect();
            (rows, &case.gold_documents[..])
        }));
    }
    weights.entries = contests.fit();
    left_out.clear(weights);
}

impl LeftOut {
    /// Returns a row in which the signal says nothing.
    fn blank(self, row: &[f32], of_conversations: bool) -> Vec<f32> {
        let mut row = row.to_vec();
        if let Some((conversations, place)) = self.0
            && conversations == of_conversations
        {
            row[place] = 0.0;
        }
        row
    }

    fn clear(self, weights: &mut Weights) {
        match self.0 {
            Some((true, place)) => weights.conversations[place] = 0.0,
            Some((false, place)) => weights.entries[place] = 0.0,
            None => {}
        }
    }
}

/// Fits on all sets but one.
fn fit_without(sets: &[Set], without: &Set, left_out: LeftOut) -> Weights {
    let others = sets.iter().filter(|set| set.name != without.name);
    let others: Vec<Vec<&Case>> = others.map(|set| set.cases.iter().collect()).collect();
    fit_with(&others, left_out)
}

/// Fits on all folds but one.
fn fit_fold(sets: &[Set], fold: usize) -> Weights {
    let others = sets.iter().map(|set| set.cases.iter().filter(|case| case.fold != fold).collect());
    fit(&others.collect::<Vec<_>>())
}

fn row(set: &Set, fitted_on: &str, weights: impl Fn(&Case) -> Weights) -> TuneRow {
    let judged: Vec<(Judged, Judged)> =
        set.cases.iter().map(|case| case.judge(&weights(case))).collect();
    let mean = |value: &dyn Fn(&(Judged, Judged)) -> f64| {
        100.0 * judged.iter().map(value).sum::<f64>() / judged.len().max(1) as f64
    };
    TuneRow {
        set: set.name.clone(),
        fitted_on: fitted_on.into(),
        n: judged.len(),
        conversations: [
            mean(&|(groups, _)| groups.any(1)),
            mean(&|(groups, _)| groups.any(5)),
            mean(&|(groups, _)| groups.any(10)),
            mean(&|(groups, _)| groups.all(5)),
            mean(&|(groups, _)| groups.all(10)),
        ],
        entries: [
            mean(&|(_, entries)| entries.any(5)),
            mean(&|(_, entries)| entries.recall(5)),
            mean(&|(_, entries)| entries.recall(10)),
        ],
    }
}

impl TuneRow {
    fn mean(&self) -> f64 {
        let all = self.conversations.iter().chain(&self.entries);
        all.sum::<f64>() / (self.conversations.len() + self.entries.len()) as f64
    }
}

/// How much the mean score of each left-out set falls without each signal.
fn ablate(sets: &[Set]) -> Vec<(String, Vec<f64>)> {
    let score = |set: &Set, left_out: LeftOut| {
        let weights = fit_without(sets, set, left_out);
        row(set, "", |_| weights.clone()).mean()
    };
    let whole: Vec<f64> = sets.iter().map(|set| score(set, LeftOut(None))).collect();
    let of = |(conversations, place): (bool, usize), name: String| {
        let without = sets.iter().map(|set| score(set, LeftOut(Some((conversations, place)))));
        (name, whole.iter().zip(without).map(|(whole, without)| whole - without).collect())
    };
    let groups = names(&GROUP_SIGNALS, "entries").into_iter().enumerate();
    let groups = groups.map(|(place, name)| of((true, place), format!("conversations: {name}")));
    let entries = names(&DOCUMENT_SIGNALS, "conversation").into_iter().enumerate();
    let entries = entries.map(|(place, name)| of((false, place), format!("entries: {name}")));
    groups.chain(entries).collect()
}

impl std::fmt::Display for Tuned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "{:<14} {:<20}     n  any@1  any@5 any@10  all@5 all@10 | t.hit@5  t.R@5 t.R@10",
            "set", "weights fitted on"
        )?;
        for row in &self.rows {
            write!(f, "{:<14} {:<20} {:>5}", row.set, row.fitted_on, row.n)?;
            row.conversations.iter().try_for_each(|value| write!(f, " {value:>6.1}"))?;
            write!(f, " |")?;
            row.entries.iter().try_for_each(|value| write!(f, " {value:>6.1}"))?;
            writeln!(f)?;
        }
        let lists = [
            ("conversations", &self.conversation_signals, &self.weights.conversations),
            ("entries", &self.entry_signals, &self.weights.entries),
        ];
        for (title, names, weights) in lists {
            let parts: Vec<String> = names
                .iter()
                .zip(weights)
                .map(|(name, weight)| format!("{name} {weight:.2}"))
                .collect();
            writeln!(f, "{title}: {}", parts.join(", "))?;
        }
        for (name, falls) in &self.ablations {
            let helped = falls.iter().filter(|fall| **fall >= HELPS).count();
            let falls: Vec<String> = falls.iter().map(|fall| format!("{fall:+.2}")).collect();
            writeln!(f, "without {name:<28} {} (helps {helped})", falls.join(" "))?;
        }
        Ok(())
    }
}
