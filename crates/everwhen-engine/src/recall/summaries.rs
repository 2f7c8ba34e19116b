//! Summaries of conversations that answer a question: dated, and each with the conversation it rests on.
//!
//! They are looked for among the conversations that were found, so they cost no visit to the store.

use super::derived::Asking;
use super::{ConversationFound, Kind, PeriodUse, Recollection, SummaryFound};
use crate::time::{Period, Precision};

/// The summaries that answer, best first. As of an earlier time there is none: nobody knows what a
/// summary said then.
pub(super) fn find(asking: &Asking<'_>, told: &Recollection) -> Vec<SummaryFound> {
    if asking.query.as_of.is_some() || !asking.query.wants(Kind::Summary) {
        return Vec::new();
    }
    let found = told.conversations.iter().filter_map(|found| summary(asking, found));
    let mut found: Vec<SummaryFound> = found.collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    found
}

fn summary(asking: &Asking<'_>, found: &ConversationFound) -> Option<SummaryFound> {
    let conversation = &found.conversation;
    let summary = conversation.summary.as_ref()?;
    let until = conversation.last_at + jiff::SignedDuration::from_micros(1);
    let span = Period::new(Some(conversation.started_at), Some(until), Precision::Minute).ok()?;
    let meets = |period: Period| span.intersection(&period).is_some();
    let in_period = asking.period().is_some_and(meets);
    let left_out =
        asking.query.period == PeriodUse::Filter && asking.period().is_some() && !in_period;
    if left_out || !asking.query.bounds().is_none_or(meets) {
        return None;
    }
    let shared = asking.shared([&*summary.title, &*summary.text].into_iter());
    let (score, reasons) = asking.weigh(shared, 0.0, in_period)?;
    let conversation = conversation.clone();
    Some(SummaryFound { memory: found.memory.clone(), conversation, score, reasons })
}
