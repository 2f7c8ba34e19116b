//! Ranking, pure: an index and a question in, numbers of conversations and entries out.
//!
//! Walk: which entries may be seen → the lanes score → who takes part: everybody, or in a large
//! memory a shortlist → entries are fused by what speaks for them alone → conversations are fused,
//! their best entries among their signals → entries get what speaks for their conversation → the
//! best of both.

mod conversations;
mod crowd;
mod entries;
mod order;
mod shortlist;
mod siblings;
mod times;

use jiff::Timestamp;

use self::crowd::{Crowd, Sampled};
use self::shortlist::Lanes;
use self::times::Times;
use super::fuse::{Fused, Spread};
use super::index::{Index, Term};
use super::lanes::meaning::{self, MeaningScores};
use super::lanes::words::{self, Haste, WordScores};
use super::scope::{Narrow, Scope};
use super::signal::Reason;
use super::weights;
use crate::time::Period;
use crate::time::phrase::Ordinal;

/// A question, read.
#[derive(Debug)]
pub(crate) struct Question {
    /// Its distinct terms that occur in the memory, with what they count.
    pub(crate) terms: Vec<(Term, f32)>,
    /// Its vector, where there is an embedder.
    pub(crate) vector: Option<Vec<f32>>,
    /// Numbers of the speakers it names.
    pub(crate) speakers: Vec<u16>,
    /// When it is asked.
    pub(crate) asked_at: Timestamp,
    /// The stretch it asks about.
    pub(crate) period: Option<Period>,
    /// Of the leading entries, what was said in this stretch comes before the rest.
    pub(crate) first: Option<Period>,
    /// Conversations it asks for by their order, in rising order of their numbers.
    pub(crate) chosen: Option<Vec<u32>>,
    /// Which of what matches it asks for.
    pub(crate) order: Option<Ordinal>,
    /// What narrows it.
    pub(crate) narrow: Narrow,
    /// How many of each kind to answer.
    pub(crate) limit: usize,
    /// How many of them lead; what comes behind is there for those who look for everything.
    pub(crate) leading: usize,
}

/// What was found, by number in the index.
#[derive(Debug, Default)]
pub(crate) struct Ranking {
    pub(crate) conversations: Best,
    pub(crate) entries: Best,
}

/// The best of one kind, best first, and how their signals lie among all.
#[derive(Debug, Default)]
pub(crate) struct Best {
    pub(crate) ranked: Vec<Ranked>,
    pub(crate) spreads: Vec<Spread>,
}

/// One thing found.
#[derive(Debug, Clone)]
pub(crate) struct Ranked {
    pub(crate) number: u32,
    pub(crate) score: f32,
    pub(crate) reasons: Vec<Reason>,
}

/// A question with what the lanes found.
struct Asked<'q> {
    index: &'q Index,
    question: &'q Question,
    times: Times<'q>,
    words: WordScores<'q>,
    meaning: Option<MeaningScores<'q>>,
    /// Those that stand for the rest, if not everybody takes part.
    sample: Option<Sampled<'q>>,
    crowd: Crowd,
    weights: weights::Set,
    /// What the lanes give to each entry that takes part.
    said: Vec<f32>,
    meant: Vec<f32>,
}

impl<'q> Asked<'q> {
    fn new(index: &'q Index, scope: &'q Scope<'q>, question: &'q Question) -> Self {
        let sample = (!shortlist::takes_all(scope)).then(|| Sampled::of(index, scope));
        let haste = match (&sample, &question.vector) {
            (None, _) => Haste::None,
            (Some(_), None) => Haste::Little,
            (Some(_), Some(_)) => Haste::Great,
        };
        let mut words = words::score(index, scope, &question.terms, haste);
        let meaning = question.vector.as_ref().map(|vector| meaning::score(index, scope, vector));
        let times = Times::new(index, &scope.census, question);
        let weights = weights::of(meaning.is_some(), !question.speakers.is_empty());
        let bearing = meaning.as_ref().map(|meaning| &meaning.cosines.bearing);
        let sampled = sample.as_ref().zip(bearing).map(|(sample, to)| sample.cosines(to));
        let sampled = sampled.unwrap_or_default();
        let crowd = match &sample {
            None => Crowd::of(index, scope, scope.conversations().into_iter()),
            Some(sample) => {
                let (times, words, meaning) = (&times, &words, meaning.as_ref());
                let sampled = (&sample.gathered, &sampled[..]);
                let weights = weights.conversations;
                Lanes { index, scope, times, words, meaning, sampled, weights }
                    .crowd(question.limit)
            }
        };
        words.complete(index, scope, &crowd.conversations, (&crowd.entries, crowd.spans()));
        let said = crowd.entries.iter().map(|entry| words.entries.get(*entry)).collect();
        let meant = meaning.as_ref().map(|meaning| crowd.cosines(&meaning.cosines, &sampled));
        let meant = meant.unwrap_or_default();
        Self { index, question, times, words, meaning, sample, crowd, weights, said, meant }
    }
}

/// Ranks conversations and entries.
pub(crate) fn rank(index: &Index, question: &Question) -> Ranking {
    let scope = Scope::new(index, &question.narrow);
    let asked = Asked::new(index, &scope, question);
    let mut entries = asked.entries();
    let conversations = asked.conversations(&entries);
    asked.add_conversations(&mut entries, &conversations);
    asked.put_inside_first(&mut entries);
    asked.put_in_order(&mut entries);
    Ranking { conversations: best(&conversations, question), entries: best(&entries, question) }
}

fn best(fused: &Fused<'_>, question: &Question) -> Best {
    let places = fused.best(question.limit).into_iter();
    let ranked = places
        .map(|place| Ranked {
            number: fused.candidates.numbers[place],
            score: fused.scores[place],
            reasons: fused.reasons(place),
        })
        .collect();
    Best { ranked, spreads: fused.spreads() }
}

#[cfg(test)]
mod tests;
