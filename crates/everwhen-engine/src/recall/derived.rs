//! Facts and chapters that answer a question, beside the entries they rest on. They are kept at hand
//! until they change.
//!
//! A fact that was replaced is no answer, unless the question names a stretch of time in which it
//! held, or asks as of an earlier time. So it never stands before its successor by accident.

mod follow;
mod worded;

use std::collections::BTreeSet;

use self::worded::Worded;
use super::signal::{Reason, Signal};
use super::{ChapterFound, FactFound, Query, Recollection};
use crate::chapters::Chapter;
use crate::conversations::summary::is_stop_word;
use crate::facts::{Fact, FactVector, FactView, Ruler, views_at};
use crate::when::{Period, Precision, Zone};
use unicode_segmentation::UnicodeSegmentation;

/// Words shared, closeness in meaning and standing in the stretch asked about count so much.
const SHARES: [f32; 3] = [1.0, 1.0, 0.5];
/// What is less close than this and shares no word is no answer.
const LEAST_CLOSE: f32 = 0.4;

/// A question as facts and chapters see it.
pub(super) struct Asking {
    words: BTreeSet<String>,
    vector: Option<FactVector>,
    pub(super) period: Option<Period>,
    pub(super) query: Query,
    limit: usize,
}

impl Asking {
    pub(super) fn new(
        query: &Query,
        told: &Recollection,
        vector: Option<FactVector>,
        limit: usize,
    ) -> Self {
        let about = told.about.as_ref();
        let period = about.and_then(|about| about.period);
        let spoken: Vec<String> = about.map(|about| about.words.clone()).unwrap_or_default();
        let mut text = query.text.clone();
        for words in spoken {
            text = text.replace(&words, " ");
        }
        Self { words: content_words(&text), vector, period, query: query.clone(), limit }
    }

    /// How many of its words are among these.
    pub(super) fn shared(&self, told: &BTreeSet<String>) -> usize {
        self.words.intersection(told).count()
    }

    /// What speaks for something: words shared, closeness in meaning, standing in the stretch asked
    /// about. Nothing if it is no answer.
    fn values(&self, shared: usize, close: f32, in_period: bool) -> Option<[f32; 3]> {
        let all = self.words.len();
        let words = if all == 0 { 0.0 } else { shared as f32 / all as f32 };
        let is_answer = words > 0.0 || close >= LEAST_CLOSE;
        is_answer.then(|| [words, close.max(0.0), f32::from(u8::from(in_period))])
    }

    /// The same as a score, with the reasons.
    pub(super) fn weigh(
        &self,
        shared: usize,
        close: f32,
        in_period: bool,
    ) -> Option<(f32, Vec<Reason>)> {
        let values = self.values(shared, close, in_period)?;
        Some((score(values), reasons(values)))
    }
}

fn score(values: [f32; 3]) -> f32 {
    values.iter().zip(SHARES).map(|(value, weight)| value * weight).sum()
}

fn reasons(values: [f32; 3]) -> Vec<Reason> {
    let signals = [Signal::Words, Signal::Meaning, Signal::Period];
    (signals.into_iter().zip(values).zip(SHARES))
        .map(|((signal, value), weight)| Reason { signal, value, share: value * weight })
        .filter(|reason| reason.share > 0.0)
        .collect()
}

/// The facts and chapters of a memory, with their words.
#[derive(Debug, Default)]
pub(crate) struct Distilled {
    /// The memory's count of changes when they were read, and the zone their dates are told in.
    version: u64,
    zone: Option<Zone>,
    facts: Vec<Fact>,
    views: Worded<FactView>,
    chapters: Worded<Chapter>,
    chapters_mark: u64,
}

impl Distilled {
    /// Bytes held, roughly.
    pub(crate) fn size(&self) -> usize {
        self.views.size() + self.chapters.size()
    }

    /// The facts and chapters that answer, best first.
    pub(super) fn answers(
        &self,
        asking: &Asking,
        ruler: &Ruler,
        zone: &Zone,
    ) -> (Vec<FactFound>, Vec<ChapterFound>) {
        let facts = match asking.query.as_of {
            None => facts(&self.views, asking),
            Some(_) => {
                let shown = views_at(self.facts.clone(), asking.query.as_of, ruler, zone);
                facts(&Worded::new(shown, words_of_fact), asking)
            }
        };
        (facts, chapters(&self.chapters, asking))
    }
}

fn words_of_fact(view: &FactView) -> BTreeSet<String> {
    content_words(&view.fact.statement)
}

fn words_of_chapter(chapter: &Chapter) -> BTreeSet<String> {
    let Chapter { title, text, entities, key_phrases, .. } = chapter;
    content_words(&format!("{title} {text} {} {}", entities.join(" "), key_phrases.join(" ")))
}

/// The best that are an answer by their values, those that stand first before equals.
fn best<'t, T>(
    told: &'t Worded<T>,
    asking: &Asking,
    values: impl Fn(&T, usize) -> Option<[f32; 3]>,
) -> impl Iterator<Item = (&'t T, [f32; 3])> {
    let mut found: Vec<(f32, usize, [f32; 3])> = Vec::new();
    for (number, shared) in told.shared(&asking.words).into_iter().enumerate() {
        if let Some(values) = values(&told.all()[number], shared as usize) {
            found.push((score(values), number, values));
        }
    }
    let order = |a: &(f32, usize, _), b: &(f32, usize, _)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if found.len() > asking.limit {
        found.select_nth_unstable_by(asking.limit, order);
        found.truncate(asking.limit);
    }
    found.sort_by(order);
    found.into_iter().map(|(_, number, values)| (&told.all()[number], values))
}

fn facts(views: &Worded<FactView>, asking: &Asking) -> Vec<FactFound> {
    let found = best(views, asking, |view, shared| fact(view, shared, asking));
    found
        .map(|(view, values)| FactFound {
            fact: view.clone(),
            score: score(values),
            reasons: reasons(values),
        })
        .collect()
}

fn fact(view: &FactView, shared: usize, asking: &Asking) -> Option<[f32; 3]> {
    let bounds = asking.query.bounds();
    let stands = match asking.period.or(bounds) {
        Some(period) => view.holds.intersection(&period).is_some(),
        None => view.is_current(),
    };
    let is_said = bounds.is_none_or(|bounds| bounds.contains(view.fact.mentioned_at));
    if !stands || !is_said || view.fact.withdrawn_at.is_some() {
        return None;
    }
    let close = asking.vector.as_ref().zip(view.fact.vector.as_ref());
    let close = close.and_then(|(asked, fact)| asked.cosine(fact)).unwrap_or(0.0);
    let meets = |period: &Period| {
        period.contains(view.fact.mentioned_at)
            || view.fact.event.is_some_and(|event| event.intersection(period).is_some())
    };
    asking.values(shared, close, asking.period.as_ref().is_some_and(meets))
}

fn chapters(told: &Worded<Chapter>, asking: &Asking) -> Vec<ChapterFound> {
    let found = best(told, asking, |one, shared| chapter(one, shared, asking));
    found
        .map(|(chapter, values)| ChapterFound {
            chapter: chapter.clone(),
            score: score(values),
            reasons: reasons(values),
        })
        .collect()
}

fn chapter(chapter: &Chapter, shared: usize, asking: &Asking) -> Option<[f32; 3]> {
    // Most share nothing; the rest is not looked at then.
    let values = asking.values(shared, 0.0, false)?;
    let stored = asking.query.as_of.is_none_or(|as_of| chapter.creation_time <= as_of);
    let meets = |period: Period| span(chapter).is_some_and(|it| it.intersection(&period).is_some());
    let inside = asking.query.bounds().is_none_or(meets);
    let [words, close, _] = values;
    let in_period = f32::from(u8::from(asking.period.is_some_and(meets)));
    (stored && inside).then_some([words, close, in_period])
}

/// From the first to the last entry that a chapter tells of.
fn span(chapter: &Chapter) -> Option<Period> {
    let until = chapter.last.time + jiff::SignedDuration::from_micros(1);
    Period::new(Some(chapter.first.time), Some(until), Precision::Minute).ok()
}

pub(super) fn content_words(text: &str) -> BTreeSet<String> {
    text.unicode_words().map(str::to_lowercase).filter(|word| !is_stop_word(word)).collect()
}
