//! Questions of the sets, with the values of all signals.

use everwhen::recall::{Reason, signal_name};

use super::{DOCUMENT_SIGNALS, GROUP_SIGNALS};
use crate::quality::locomo::LocomoAnswered;
use crate::quality::longmemeval::LongMemEvalAnswered;
use crate::score::Judged;

/// What the second and the third best entry count for their conversation, as in the search itself.
const NEXT_BEST: f32 = 0.3;

/// One question: the values of signals for conversations and entries, and which are gold.
pub(super) struct Case {
    /// Questions with the same key are in the same fold.
    pub(super) key: String,
    pub(super) fold: usize,
    /// One row per conversation; the value of its entries is computed from theirs.
    pub(super) groups: Vec<Vec<f32>>,
    pub(super) gold_groups: Vec<bool>,
    gold_group_total: usize,
    /// One row per entry; the value of its conversation is computed.
    pub(super) documents: Vec<Vec<f32>>,
    pub(super) gold_documents: Vec<bool>,
    gold_document_total: usize,
    /// The conversation of each entry.
    group_of: Vec<usize>,
}

/// Weights of all signals, in the order of their names.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct Weights {
    /// Of conversations; the last is that of their entries.
    pub conversations: Vec<f32>,
    /// Of entries; the last is that of their conversation.
    pub entries: Vec<f32>,
}

impl Case {
    pub(super) fn of_longmemeval(one: &LongMemEvalAnswered) -> Self {
        let groups: Vec<_> =
            one.ranked.iter().zip(&one.reasons).map(|(name, row)| (name.as_str(), row)).collect();
        let turns = one.turns.iter().map(|turn| {
            (turn.id.as_str(), turn.id.rsplit_once('#').map_or("", |(id, _)| id), &turn.reasons)
        });
        Self::new(one.question_id.clone(), &groups, &one.gold, turns, &one.gold_turns)
    }

    pub(super) fn of_locomo(one: &LocomoAnswered) -> Self {
        let sessions = one.sessions.iter().zip(&one.session_reasons);
        let groups: Vec<_> = sessions.map(|(name, row)| (name.as_str(), row)).collect();
        let turns = one.turns.iter().zip(&one.reasons).map(|(id, row)| {
            (id.as_str(), id.split_once(':').map_or(id.as_str(), |(session, _)| session), row)
        });
        Self::new(one.dialogue.clone(), &groups, &one.gold_sessions(), turns, &one.gold)
    }

    fn new<'a>(
        key: String,
        groups: &[(&str, &Vec<Reason>)],
        gold_groups: &[String],
        documents: impl Iterator<Item = (&'a str, &'a str, &'a Vec<Reason>)>,
        gold_documents: &[String],
    ) -> Self {
        let place = |name: &str| groups.iter().position(|(known, _)| *known == name);
        let is_gold = |name: &str, gold: &[String]| gold.iter().any(|gold| gold == name);
        let mut case = Self {
            key,
            fold: 0,
            groups: groups.iter().map(|(_, row)| values(row, &GROUP_SIGNALS)).collect(),
            gold_groups: groups.iter().map(|(name, _)| is_gold(name, gold_groups)).collect(),
            gold_group_total: gold_groups.len(),
            documents: Vec::new(),
            gold_documents: Vec::new(),
            gold_document_total: gold_documents.len(),
            group_of: Vec::new(),
        };
        for (id, group, row) in documents {
            let Some(group) = place(group) else { continue };
            case.documents.push(values(row, &DOCUMENT_SIGNALS));
            case.gold_documents.push(is_gold(id, gold_documents));
            case.group_of.push(group);
        }
        case
    }

    /// Rows of conversations, with what the best of their entries score by these weights.
    pub(super) fn group_rows(&self, entries: &[f32]) -> Vec<Vec<f32>> {
        let mut best = vec![[f32::NEG_INFINITY; 3]; self.groups.len()];
        for (row, group) in self.documents.iter().zip(&self.group_of) {
            let top = &mut best[*group];
            let score = score(row, entries);
            if score > top[2] {
                top[2] = score;
                top.sort_unstable_by(|a, b| b.total_cmp(a));
            }
        }
        let value = |top: &[f32; 3]| top[0] + NEXT_BEST * (top[1].max(0.0) + top[2].max(0.0));
        let mut values: Vec<f32> = best.iter().map(value).collect();
        let least = values.iter().copied().filter(|one| one.is_finite()).fold(0.0, f32::min);
        values.iter_mut().filter(|one| !one.is_finite()).for_each(|one| *one = least);
        normalize(&mut values);
        self.groups.iter().zip(values).map(|(row, value)| with(row, value)).collect()
    }

    /// Rows of entries, with what their conversations score.
    pub(super) fn document_rows(&self, weights: &Weights) -> Vec<Vec<f32>> {
        let own = &weights.entries[..DOCUMENT_SIGNALS.len()];
        let rows = self.group_rows(own);
        let mut scores: Vec<f32> =
            rows.iter().map(|row| score(row, &weights.conversations)).collect();
        normalize(&mut scores);
        let rows = self.documents.iter().zip(&self.group_of);
        rows.map(|(row, group)| with(row, scores[*group])).collect()
    }

    /// Ranks conversations and entries by these weights.
    pub(super) fn judge(&self, weights: &Weights) -> (Judged, Judged) {
        let groups = self.group_rows(&weights.entries[..DOCUMENT_SIGNALS.len()]);
        let groups = ranked(&groups, &weights.conversations, &self.gold_groups);
        let documents = self.document_rows(weights);
        let documents = ranked(&documents, &weights.entries, &self.gold_documents);
        (
            Judged { hits: groups, gold: self.gold_group_total },
            Judged { hits: documents, gold: self.gold_document_total },
        )
    }
}

fn ranked(rows: &[Vec<f32>], weights: &[f32], gold: &[bool]) -> Vec<bool> {
    let scores = rows.iter().map(|row| score(row, weights));
    let mut order: Vec<(f32, bool)> = scores.zip(gold.iter().copied()).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    order.into_iter().map(|(_, gold)| gold).collect()
}

fn score(row: &[f32], weights: &[f32]) -> f32 {
    row.iter().zip(weights).map(|(value, weight)| value * weight).sum()
}

fn with(row: &[f32], value: f32) -> Vec<f32> {
    row.iter().copied().chain(std::iter::once(value)).collect()
}

fn values(row: &[Reason], signals: &[&str]) -> Vec<f32> {
    let value = |name: &&str| {
        let reason = row.iter().find(|reason| signal_name(reason.signal) == *name);
        reason.map_or(0.0, |reason| reason.value)
    };
    signals.iter().map(value).collect()
}

/// Converts values into standard deviations above their mean.
fn normalize(values: &mut [f32]) {
    let count = values.len().max(1) as f32;
    let mean = values.iter().sum::<f32>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count;
    let factor = if variance > 0.0 { 1.0 / variance.sqrt() } else { 0.0 };
    values.iter_mut().for_each(|value| *value = (*value - mean) * factor);
}
