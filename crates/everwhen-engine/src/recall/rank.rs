//! Ranking, pure: an index and a question in, numbers of conversations and entries out.
//!
//! Walk: which entries may be seen → the lanes score → entries are fused by what speaks for them
//! alone → conversations are fused, their best entries among their signals → entries get what
//! speaks for their conversation → the best of both.

mod conversations;
mod entries;

use jiff::Timestamp;

use super::fuse::Fused;
use super::index::{Index, Term};
use super::lanes::meaning::{self, MeaningScores};
use super::lanes::words::{self, WordScores};
use super::scope::{Narrow, Scope};
use super::signal::Reason;
use crate::when::Period;

/// A question, read.
#[derive(Debug)]
pub(crate) struct Question {
    /// Its distinct terms that occur in the memory, with what they count.
    pub(crate) terms: Vec<(Term, f32)>,
    /// Its vector, where there is an embedder.
    pub(crate) vector: Option<Vec<f32>>,
    /// Numbers of the speakers it names.
    pub(crate) speakers: Vec<u16>,
    /// Whether it asks for what the assistant said.
    pub(crate) about_replies: bool,
    /// When it is asked.
    pub(crate) asked_at: Timestamp,
    /// The stretch it asks about.
    pub(crate) period: Option<Period>,
    /// Conversations it asks for by their order.
    pub(crate) chosen: Option<Vec<bool>>,
    /// What narrows it.
    pub(crate) narrow: Narrow,
    /// How many of each kind to answer.
    pub(crate) limit: usize,
}

/// What was found, by number in the index.
#[derive(Debug, Default)]
pub(crate) struct Ranking {
    pub(crate) conversations: Vec<Ranked>,
    pub(crate) entries: Vec<Ranked>,
}

/// One thing found.
#[derive(Debug)]
pub(crate) struct Ranked {
    pub(crate) number: u32,
    pub(crate) score: f32,
    pub(crate) reasons: Vec<Reason>,
}

/// A question with what the lanes found.
struct Asked<'q> {
    index: &'q Index,
    scope: Scope<'q>,
    question: &'q Question,
    words: WordScores,
    meaning: Option<MeaningScores>,
}

/// Ranks conversations and entries.
pub(crate) fn rank(index: &Index, question: &Question) -> Ranking {
    let scope = Scope::new(index, &question.narrow);
    let asked = Asked {
        words: words::score(index, &scope, &question.terms),
        meaning: question.vector.as_ref().map(|vector| meaning::score(index, &scope, vector)),
        index,
        scope,
        question,
    };
    let mut entries = asked.entries();
    let conversations = asked.conversations(&entries);
    asked.add_conversations(&mut entries, &conversations);
    Ranking { conversations: ranked(&conversations, question), entries: ranked(&entries, question) }
}

fn ranked(fused: &Fused<'_>, question: &Question) -> Vec<Ranked> {
    let places = fused.best(question.limit).into_iter();
    places
        .map(|place| Ranked {
            number: fused.candidates[place],
            score: fused.scores[place],
            reasons: fused.reasons(place),
        })
        .collect()
}
