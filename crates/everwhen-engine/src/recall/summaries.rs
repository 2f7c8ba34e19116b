//! Summaries of conversations that answer a question: dated, and each with its conversation.
//!
//! Only the conversations that were found are considered, so that the store is not read again.

use super::derived::DerivedQuery;
use super::{ConversationFound, Kind, PeriodUse, Recollection, SummaryFound};
use crate::time::{Period, Precision};

/// Returns the summaries that answer, best first.
pub(super) fn find(asked: &DerivedQuery<'_>, recollection: &Recollection) -> Vec<SummaryFound> {
    if !asked.query.wants(Kind::Summary) {
        return Vec::new();
    }
    let found = recollection.conversations.iter().filter_map(|found| summary(asked, found));
    let mut found: Vec<SummaryFound> = found.collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    found
}

fn summary(asked: &DerivedQuery<'_>, found: &ConversationFound) -> Option<SummaryFound> {
    let conversation = &found.conversation;
    let summary = conversation.summary.as_ref()?;
    let until = conversation.last_at + jiff::SignedDuration::from_micros(1);
    let period = Period::new(Some(conversation.started_at), Some(until), Precision::Minute).ok()?;
    let meets = |other: Period| period.intersection(&other).is_some();
    let in_period = asked.period().is_some_and(meets);
    let left_out =
        asked.query.period == PeriodUse::Filter && asked.period().is_some() && !in_period;
    if left_out || !asked.query.bounds().is_none_or(meets) {
        return None;
    }
    let shared = asked.shared([&*summary.title, &*summary.text].into_iter());
    let (score, reasons) = asked.score(shared, 0.0, in_period)?;
    let conversation = conversation.clone();
    Some(SummaryFound { memory: found.memory.clone(), conversation, score, reasons })
}
