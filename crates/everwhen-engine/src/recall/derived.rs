//! Facts and chapters that answer a question, beside the entries they rest on. They are kept at hand
//! until they change.
//!
//! A fact that was replaced is no answer, unless the question names a stretch of time in which it
//! held, or asks as of an earlier time. So it never stands before its successor by accident.

mod follow;
mod worded;

use std::cell::OnceCell;
use std::collections::BTreeSet;

use self::worded::Worded;
use super::signal::{Reason, Signal};
use super::text::lowered;
use super::{About, ChapterFound, FactFound, Query};
use crate::chapters::Chapter;
use crate::conversations::summary::is_stop_word;
use crate::facts::{Fact, FactVector, FactView, Ruler, views_at};
use crate::time::{Period, Precision, Zone};
use unicode_segmentation::UnicodeSegmentation;

/// Words shared, closeness in meaning and standing in the stretch asked about count so much.
const SHARES: [f32; 3] = [1.0, 1.0, 0.5];
/// What is less close than this and shares no word is no answer.
const LEAST_CLOSE: f32 = 0.4;

/// A question as facts, chapters and summaries see it.
pub(super) struct Asking<'q> {
    pub(super) query: &'q Query,
    about: Option<&'q About>,
    limit: usize,
    /// Found when something is there that may share them.
    words: OnceCell<BTreeSet<String>>,
}

impl<'q> Asking<'q> {
    pub(super) fn new(query: &'q Query, about: Option<&'q About>, limit: usize) -> Self {
        Self { query, about, limit, words: OnceCell::new() }
    }

    /// The stretch it asks about.
    pub(super) fn period(&self) -> Option<Period> {
        self.about.and_then(|about| about.period)
    }

    /// Its words that say what it is about, without those for times.
    fn words(&self) -> &BTreeSet<String> {
        self.words.get_or_init(|| {
            let spoken = self.about.map_or(&[][..], |about| &about.words);
            let without = |text: String, words: &String| text.replace(words, " ");
            content_words(&spoken.iter().fold(self.query.text.clone(), without))
        })
    }

    /// How many of its words occur in a text.
    pub(super) fn shared<'t>(&self, text: impl Iterator<Item = &'t str>) -> usize {
        let mut shared: Vec<&String> = Vec::new();
        for word in text.flat_map(str::unicode_words) {
            if let Some(word) = self.words().get(&*lowered(word))
                && !shared.contains(&word)
            {
                shared.push(word);
            }
        }
        shared.len()
    }

    /// What speaks for something: words shared, closeness in meaning, standing in the stretch asked
    /// about. Nothing if it is no answer.
    fn values(&self, shared: usize, close: f32, in_period: bool) -> Option<[f32; 3]> {
        let all = self.words().len();
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

    /// Whether nothing in here can answer anything.
    pub(super) fn is_empty(&self) -> bool {
        self.facts.is_empty() && self.chapters.all().is_empty()
    }

    /// The facts that answer, best first; `vector` is that of the question.
    pub(super) fn facts(
        &self,
        asking: &Asking<'_>,
        vector: Option<&FactVector>,
        ruler: &Ruler,
        zone: &Zone,
    ) -> Vec<FactFound> {
        if asking.query.as_of.is_none() {
            return facts(&self.views, asking, vector);
        }
        let shown = views_at(self.facts.clone(), asking.query.as_of, ruler, zone);
        facts(&Worded::new(shown, words_of_fact), asking, vector)
    }

    /// The chapters that answer, best first.
    pub(super) fn chapters(&self, asking: &Asking<'_>) -> Vec<ChapterFound> {
        let found = best(&self.chapters, asking, |one, shared| chapter(one, shared, asking));
        found
            .map(|(chapter, values)| ChapterFound {
                chapter: chapter.clone(),
                score: score(values),
                reasons: reasons(values),
            })
            .collect()
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
    asking: &Asking<'_>,
    values: impl Fn(&T, usize) -> Option<[f32; 3]>,
) -> impl Iterator<Item = (&'t T, [f32; 3])> {
    let mut found: Vec<(f32, usize, [f32; 3])> = Vec::new();
    for (number, shared) in told.shared(asking.words()).into_iter().enumerate() {
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

fn facts(
    views: &Worded<FactView>,
    asking: &Asking<'_>,
    vector: Option<&FactVector>,
) -> Vec<FactFound> {
    let close = |view: &FactView| vector?.cosine(view.fact.vector.as_ref()?);
    let found = best(views, asking, |view, shared| fact(view, shared, asking, close));
    found
        .map(|(view, values)| FactFound {
            fact: view.clone(),
            score: score(values),
            reasons: reasons(values),
        })
        .collect()
}

fn fact(
    view: &FactView,
    shared: usize,
    asking: &Asking<'_>,
    close: impl Fn(&FactView) -> Option<f32>,
) -> Option<[f32; 3]> {
    let bounds = asking.query.bounds();
    let stands = match asking.period().or(bounds) {
        Some(period) => view.holds.intersection(&period).is_some(),
        None => view.is_current(),
    };
    let is_said = bounds.is_none_or(|bounds| bounds.contains(view.fact.mentioned_at));
    if !stands || !is_said || view.fact.withdrawn_at.is_some() {
        return None;
    }
    let meets = |period: &Period| {
        period.contains(view.fact.mentioned_at)
            || view.fact.event.is_some_and(|event| event.intersection(period).is_some())
    };
    let in_period = asking.period().as_ref().is_some_and(meets);
    asking.values(shared, close(view).unwrap_or(0.0), in_period)
}

fn chapter(chapter: &Chapter, shared: usize, asking: &Asking<'_>) -> Option<[f32; 3]> {
    // Most share nothing; the rest is not looked at then.
    let values = asking.values(shared, 0.0, false)?;
    let stored = asking.query.as_of.is_none_or(|as_of| chapter.creation_time <= as_of);
    let meets = |period: Period| span(chapter).is_some_and(|it| it.intersection(&period).is_some());
    let inside = asking.query.bounds().is_none_or(meets);
    let [words, close, _] = values;
    let in_period = f32::from(u8::from(asking.period().is_some_and(meets)));
    (stored && inside).then_some([words, close, in_period])
}

/// From the first to the last entry that a chapter tells of.
fn span(chapter: &Chapter) -> Option<Period> {
    let until = chapter.last.time + jiff::SignedDuration::from_micros(1);
    Period::new(Some(chapter.first.time), Some(until), Precision::Minute).ok()
}

fn content_words(text: &str) -> BTreeSet<String> {
    text.unicode_words().map(str::to_lowercase).filter(|word| !is_stop_word(word)).collect()
}
