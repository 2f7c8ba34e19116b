//! Facts and chapters that answer a question, beside the entries they rest on.
//!
//! A fact that was replaced is no answer, unless the question names a time in which it held, or asks as
//! of an earlier time. So it is never ranked above its successor by accident.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use everwhen_search::lowercase;
use unicode_segmentation::UnicodeSegmentation;

use super::{About, ChapterFound, ContextFound, FactFound, Query, Reason, Signal, history};
use crate::chapters::Chapter;
use crate::facts::{FactVector, FactView};
use crate::index::{Distilled, PastMoment, WordIndex};
use crate::memory::Name;
use crate::similarity::Ruler;
use crate::text::content_words;
use crate::time::{Period, Precision, Zone};

/// The weights of shared words, of similarity in meaning, and of being in the period asked about.
const WEIGHTS: [f32; 3] = [1.0, 1.0, 0.5];
/// Without a shared word, an answer has at least this similarity.
const LEAST_SIMILARITY: f32 = 0.4;

/// A question to facts, chapters and summaries.
pub(super) struct DerivedQuery<'q> {
    pub(super) query: &'q Query,
    about: Option<&'q About>,
    limit: usize,
    /// Whether what was replaced is an answer, too.
    asks_history: bool,
    /// Computed when there is something to compare them with.
    words: OnceCell<BTreeSet<String>>,
}

impl<'q> DerivedQuery<'q> {
    pub(super) fn new(query: &'q Query, about: Option<&'q About>, limit: usize) -> Self {
        let asks_history = history::is_asked_for(&query.text);
        Self { query, about, limit, asks_history, words: OnceCell::new() }
    }

    /// Returns the period that it asks about.
    pub(super) fn period(&self) -> Option<Period> {
        self.about.and_then(|about| about.period)
    }

    /// Returns its words without stop words and time phrases.
    fn words(&self) -> &BTreeSet<String> {
        self.words.get_or_init(|| {
            let phrases = self.about.map_or(&[][..], |about| &about.words);
            let without = |text: String, words: &String| text.replace(words, " ");
            content_words(&phrases.iter().fold(self.query.text.clone(), without)).collect()
        })
    }

    /// Returns how many of its words occur in a text.
    pub(super) fn shared<'t>(&self, text: impl Iterator<Item = &'t str>) -> usize {
        let mut shared: Vec<&String> = Vec::new();
        for word in text.flat_map(str::unicode_words) {
            if let Some(word) = self.words().get(&*lowercase(word))
                && !shared.contains(&word)
            {
                shared.push(word);
            }
        }
        shared.len()
    }

    /// Returns the values of shared words, similarity and being in the period asked about; `None` if it is
    /// no answer.
    fn values(&self, shared: usize, similarity: f32, in_period: bool) -> Option<[f32; 3]> {
        let all = self.words().len();
        let words = if all == 0 { 0.0 } else { shared as f32 / all as f32 };
        let is_answer = words > 0.0 || similarity >= LEAST_SIMILARITY;
        is_answer.then(|| [words, similarity.max(0.0), f32::from(u8::from(in_period))])
    }

    /// Returns the score, with the reasons; `None` if it is no answer.
    pub(super) fn score(
        &self,
        shared: usize,
        similarity: f32,
        in_period: bool,
    ) -> Option<(f32, Vec<Reason>)> {
        let values = self.values(shared, similarity, in_period)?;
        Some((score(values), reasons(values)))
    }
}

fn score(values: [f32; 3]) -> f32 {
    values.iter().zip(WEIGHTS).map(|(value, weight)| value * weight).sum()
}

fn reasons(values: [f32; 3]) -> Vec<Reason> {
    let signals = [Signal::Words, Signal::Meaning, Signal::Period];
    (signals.into_iter().zip(values).zip(WEIGHTS))
        .map(|((signal, value), weight)| Reason { signal, value, share: value * weight })
        .filter(|reason| reason.share > 0.0)
        .collect()
}

impl Distilled {
    /// Returns the context document, if it answers: the current one, or that of the moment asked for.
    pub(super) fn context(
        &self,
        query: &DerivedQuery<'_>,
        memory: &Name,
        moment: Option<&PastMoment>,
    ) -> Option<ContextFound> {
        let context = moment.map_or(&self.context, |moment| &moment.past.context);
        let document = context.as_ref()?;
        let shared = query.shared(std::iter::once(document.content.as_str()));
        let (score, reasons) = query.score(shared, 0.0, false).filter(|_| shared > 0)?;
        let (memory, document) = (memory.clone(), document.clone());
        Some(ContextFound { memory, document, score, reasons })
    }

    /// Returns the facts that answer, best first; `vector` is that of the question.
    pub(super) fn facts(
        &self,
        query: &DerivedQuery<'_>,
        vector: Option<&FactVector>,
        moment: Option<&PastMoment>,
        ruler: &Ruler,
        zone: &Zone,
    ) -> Vec<FactFound> {
        match moment {
            Some(moment) => facts(&moment.facts(self, ruler, zone), query, vector),
            None => facts(&self.views, query, vector),
        }
    }

    /// Returns the chapters that answer, best first; as of a moment with those that have been replaced since.
    pub(super) fn chapters(
        &self,
        query: &DerivedQuery<'_>,
        moment: Option<&PastMoment>,
    ) -> Vec<ChapterFound> {
        let mut found = chapters(&self.chapters, query);
        if let Some(moment) = moment {
            found.extend(chapters(&moment.chapters, query));
            let place = |one: &ChapterFound| {
                (one.chapter.last.time, one.chapter.last.sequence, one.chapter.id)
            };
            found.sort_by(|a, b| b.score.total_cmp(&a.score).then(place(a).cmp(&place(b))));
            found.truncate(query.limit);
        }
        found
    }
}

fn chapters(items: &WordIndex<Chapter>, query: &DerivedQuery<'_>) -> Vec<ChapterFound> {
    let found = best(items, query, |one, shared| chapter(one, shared, query));
    found
        .map(|(chapter, values)| ChapterFound {
            chapter: chapter.clone(),
            score: score(values),
            reasons: reasons(values),
        })
        .collect()
}

/// Returns the items that are answers, best first; of equal ones the first one first.
fn best<'t, T>(
    items: &'t WordIndex<T>,
    query: &DerivedQuery<'_>,
    values: impl Fn(&T, usize) -> Option<[f32; 3]>,
) -> impl Iterator<Item = (&'t T, [f32; 3])> {
    let mut found: Vec<(f32, usize, [f32; 3])> = Vec::new();
    for (number, shared) in items.shared(query.words()).into_iter().enumerate() {
        if let Some(values) = values(&items.all()[number], shared as usize) {
            found.push((score(values), number, values));
        }
    }
    let order = |a: &(f32, usize, _), b: &(f32, usize, _)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if found.len() > query.limit {
        found.select_nth_unstable_by(query.limit, order);
        found.truncate(query.limit);
    }
    found.sort_by(order);
    found.into_iter().map(|(_, number, values)| (&items.all()[number], values))
}

fn facts(
    views: &WordIndex<FactView>,
    query: &DerivedQuery<'_>,
    vector: Option<&FactVector>,
) -> Vec<FactFound> {
    let similarity = |view: &FactView| vector?.cosine(view.fact.vector.as_ref()?);
    let found = best(views, query, |view, shared| fact(view, shared, query, similarity));
    let mut found: Vec<FactFound> = found
        .map(|(view, values)| FactFound {
            fact: view.clone(),
            score: score(values),
            reasons: reasons(values),
        })
        .collect();
    // What its owner has pinned is an answer to every question.
    for view in views.all().iter().filter(|view| is_always_shown(view, query)) {
        if found.iter().all(|one| one.fact.fact.id != view.fact.id) {
            found.push(FactFound { fact: view.clone(), score: 0.0, reasons: Vec::new() });
        }
    }
    found
}

fn is_always_shown(view: &FactView, query: &DerivedQuery<'_>) -> bool {
    let is_said = |bounds: Period| bounds.contains(view.fact.mentioned_at);
    view.fact.pinned_at.is_some()
        && view.is_current()
        && view.fact.withdrawn_at.is_none()
        && query.query.bounds().is_none_or(is_said)
}

fn fact(
    view: &FactView,
    shared: usize,
    query: &DerivedQuery<'_>,
    similarity: impl Fn(&FactView) -> Option<f32>,
) -> Option<[f32; 3]> {
    let bounds = query.query.bounds();
    let stands = match query.period().or(bounds) {
        Some(period) => view.holds.intersection(&period).is_some(),
        None => view.is_current() || query.asks_history,
    };
    let is_said = bounds.is_none_or(|bounds| bounds.contains(view.fact.mentioned_at));
    if !stands || !is_said || view.fact.withdrawn_at.is_some() {
        return None;
    }
    let meets = |period: &Period| {
        period.contains(view.fact.mentioned_at)
            || view.fact.event.is_some_and(|event| event.intersection(period).is_some())
    };
    let in_period = query.period().as_ref().is_some_and(meets);
    query.values(shared, similarity(view).unwrap_or(0.0), in_period)
}

fn chapter(chapter: &Chapter, shared: usize, query: &DerivedQuery<'_>) -> Option<[f32; 3]> {
    // Most share nothing, so this is checked first.
    let values = query.values(shared, 0.0, false)?;
    let stored = query.query.as_of.is_none_or(|as_of| chapter.creation_time <= as_of);
    let meets = |period: Period| span(chapter).is_some_and(|it| it.intersection(&period).is_some());
    let inside = query.query.bounds().is_none_or(meets);
    let [words, similarity, _] = values;
    let in_period = f32::from(u8::from(query.period().is_some_and(meets)));
    (stored && inside).then_some([words, similarity, in_period])
}

/// Returns the period from the first to the last entry of a chapter.
fn span(chapter: &Chapter) -> Option<Period> {
    let until = chapter.last.time + jiff::SignedDuration::from_micros(1);
    Period::new(Some(chapter.first.time), Some(until), Precision::Minute).ok()
}
