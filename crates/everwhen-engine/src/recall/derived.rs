//! Facts and chapters that answer a question, beside the entries they rest on. They are kept at hand
//! until they change.
//!
//! A fact that was replaced is no answer, unless the question names a stretch of time in which it
//! held, or asks as of an earlier time. So it never stands before its successor by accident.

use std::collections::BTreeSet;

use super::signal::{Reason, Signal};
use super::{ChapterFound, FactFound, Query, Recollection};
use crate::Result;
use crate::chapters::Chapter;
use crate::conversations::summary::is_stop_word;
use crate::facts::{Fact, FactVector, FactView, Ruler, views_at};
use crate::memory::Memory;
use crate::ports::{MemoryRef, Snapshot};
use crate::when::{Period, Zone};
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

    /// What something with these words says to the question: words, meaning, and the reasons.
    pub(super) fn weigh(
        &self,
        told: &BTreeSet<String>,
        close: f32,
        in_period: bool,
    ) -> Option<(f32, Vec<Reason>)> {
        let shared = self.words.intersection(told).count() as f32;
        let words = if self.words.is_empty() { 0.0 } else { shared / self.words.len() as f32 };
        if words == 0.0 && close < LEAST_CLOSE {
            return None;
        }
        let values = [words, close.max(0.0), f32::from(u8::from(in_period))];
        let signals = [Signal::Words, Signal::Meaning, Signal::Period];
        let reasons: Vec<Reason> = (signals.into_iter().zip(values).zip(SHARES))
            .map(|((signal, value), weight)| Reason { signal, value, share: value * weight })
            .filter(|reason| reason.share > 0.0)
            .collect();
        Some((reasons.iter().map(|reason| reason.share).sum(), reasons))
    }
}

/// The facts and chapters of a memory, with their words.
#[derive(Debug, Default)]
pub(crate) struct Distilled {
    /// The memory's count of changes when they were read, and the zone their dates are told in.
    version: u64,
    zone: Option<Zone>,
    facts: Vec<Fact>,
    views: Vec<Worded<FactView>>,
    chapters: Vec<Worded<Chapter>>,
}

/// Something and its words.
#[derive(Debug)]
struct Worded<T> {
    told: T,
    words: BTreeSet<String>,
}

/// Roughly what a fact or a chapter takes besides its words.
const OVERHEAD: usize = 1_500;

impl Distilled {
    /// Reads those of a memory.
    pub(super) fn read(snapshot: &dyn Snapshot, place: MemoryRef, zone: &Zone) -> Result<Self> {
        let version = snapshot.memory(place)?.map_or(0, |memory| memory.distilled);
        let facts = snapshot.facts(place)?;
        let chapters = snapshot.chapters(place, None, None)?;
        Ok(Self {
            version,
            zone: Some(zone.clone()),
            views: worded_views(views_at(facts.clone(), None, &Ruler::default(), zone)),
            chapters: chapters.into_iter().map(worded_chapter).collect(),
            facts,
        })
    }

    /// Whether a memory has others by now.
    pub(super) fn is_outdated(&self, memory: &Memory, zone: &Zone) -> bool {
        let is_told = self.zone.as_ref() == Some(zone) || memory.distilled == 0;
        self.version < memory.distilled || !is_told
    }

    /// Bytes held, roughly.
    pub(crate) fn size(&self) -> usize {
        let size = |words: &BTreeSet<String>| OVERHEAD + words.len() * 64;
        self.views.iter().map(|one| size(&one.words)).sum::<usize>()
            + self.chapters.iter().map(|one| size(&one.words)).sum::<usize>()
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
                facts(&worded_views(shown), asking)
            }
        };
        let chapters = self.chapters.iter().filter_map(|one| chapter(one, asking)).collect();
        let mut best = (best(facts, |one| one.score), best(chapters, |one| one.score));
        best.0.truncate(asking.limit);
        best.1.truncate(asking.limit);
        best
    }
}

fn worded_views(views: Vec<FactView>) -> Vec<Worded<FactView>> {
    let worded = |told: FactView| Worded { words: content_words(&told.fact.statement), told };
    views.into_iter().map(worded).collect()
}

fn worded_chapter(told: Chapter) -> Worded<Chapter> {
    let words = [told.title.as_str(), &told.text].join(" ");
    let words = format!("{words} {} {}", told.entities.join(" "), told.key_phrases.join(" "));
    Worded { words: content_words(&words), told }
}

fn best<T>(mut found: Vec<T>, score: impl Fn(&T) -> f32) -> Vec<T> {
    found.sort_by(|a, b| score(b).total_cmp(&score(a)));
    found
}

fn facts(views: &[Worded<FactView>], asking: &Asking) -> Vec<FactFound> {
    views.iter().filter_map(|one| fact(one, asking)).collect()
}

fn fact(Worded { told: view, words }: &Worded<FactView>, asking: &Asking) -> Option<FactFound> {
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
    let in_period = asking.period.as_ref().is_some_and(meets);
    let (score, reasons) = asking.weigh(words, close, in_period)?;
    Some(FactFound { fact: view.clone(), score, reasons })
}

fn chapter(one: &Worded<Chapter>, asking: &Asking) -> Option<ChapterFound> {
    let Worded { told: chapter, words } = one;
    let span = Period::new(
        Some(chapter.first.time),
        Some(chapter.last.time + jiff::SignedDuration::from_micros(1)),
        crate::when::Precision::Minute,
    )
    .ok()?;
    let stored = asking.query.as_of.is_none_or(|as_of| chapter.creation_time <= as_of);
    let inside = asking.query.bounds().is_none_or(|bounds| span.intersection(&bounds).is_some());
    if !stored || !inside {
        return None;
    }
    let in_period = asking.period.is_some_and(|period| span.intersection(&period).is_some());
    let (score, reasons) = asking.weigh(words, 0.0, in_period)?;
    Some(ChapterFound { chapter: chapter.clone(), score, reasons })
}

pub(super) fn content_words(text: &str) -> BTreeSet<String> {
    text.unicode_words().map(str::to_lowercase).filter(|word| !is_stop_word(word)).collect()
}
