//! Ranking, pure: an index and a question in, numbers of conversations and entries out.
//!
//! Walk: which entries may be seen → the lanes score → conversations are fused → entries are
//! fused, with their conversation's score among their signals → the best of both.

use jiff::Timestamp;

use super::fuse::{best, stand_out};
use super::index::{Index, Term};
use super::lanes::meaning::{self, MeaningScores};
use super::lanes::when::{nearness, recency};
use super::lanes::words::{self, WordScores};
use super::scope::{Narrow, Scope};
use super::signal::{Reason, Signal};
use super::weights::{self, Weights};
use crate::when::Period;

/// A question, read.
#[derive(Debug)]
pub(crate) struct Question {
    /// Its distinct terms that occur in the memory.
    pub(crate) terms: Vec<Term>,
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
    let conversations = asked.conversations();
    let entries = asked.entries(&conversations);
    Ranking {
        conversations: conversations.best(question.limit),
        entries: entries.best(question.limit),
    }
}

/// A question with what the lanes found.
struct Asked<'q> {
    index: &'q Index,
    scope: Scope<'q>,
    question: &'q Question,
    words: WordScores,
    meaning: Option<MeaningScores>,
}

/// Candidates of one kind with their signals.
struct Fused {
    candidates: Vec<u32>,
    signals: Vec<(Signal, f32, Vec<f32>)>,
    scores: Vec<f32>,
}

impl Fused {
    /// Weighs the signals; `values` gives those that count.
    fn new(
        candidates: Vec<u32>,
        weights: Weights,
        values: impl Fn(Signal, &[u32]) -> Vec<f32>,
    ) -> Self {
        let mut scores = vec![0.0; candidates.len()];
        let mut signals = Vec::with_capacity(weights.len());
        for (signal, weight) in weights {
            let mut values = values(*signal, &candidates);
            if signal.is_relative() {
                stand_out(&mut values);
            }
            scores.iter_mut().zip(&values).for_each(|(score, value)| *score += weight * value);
            signals.push((*signal, *weight, values));
        }
        Self { candidates, signals, scores }
    }

    fn best(&self, limit: usize) -> Vec<Ranked> {
        let ranked = |place: usize| Ranked {
            number: self.candidates[place],
            score: self.scores[place],
            reasons: self.reasons(place),
        };
        best(&self.scores, limit).into_iter().map(ranked).collect()
    }

    fn reasons(&self, place: usize) -> Vec<Reason> {
        let reason = |(signal, weight, values): &(Signal, f32, Vec<f32>)| Reason {
            signal: *signal,
            value: values[place],
            share: weight * values[place],
        };
        self.signals.iter().map(reason).collect()
    }
}

impl Asked<'_> {
    fn conversations(&self) -> Fused {
        let mut is_candidate = vec![false; self.index.conversations.len()];
        for entry in self.scope.admitted() {
            is_candidate[self.index.homes[entry as usize].conversation as usize] = true;
        }
        let candidates: Vec<u32> =
            (0..).zip(&is_candidate).filter(|(_, is)| **is).map(|(number, _)| number).collect();
        let weights = match self.meaning {
            Some(_) => weights::CONVERSATIONS,
            None => weights::CONVERSATIONS_BY_WORDS,
        };
        Fused::new(candidates, weights, |signal, of| self.of_conversations(signal, of))
    }

    fn of_conversations(&self, signal: Signal, candidates: &[u32]) -> Vec<f32> {
        match signal {
            Signal::Words => pick(&self.words.conversations, candidates),
            Signal::Round => pick(&self.words.best_rounds, candidates),
            Signal::Person => candidates.iter().map(|number| self.persons(*number)).collect(),
            Signal::Meaning => self.meaning.as_ref().map_or_else(
                || vec![0.0; candidates.len()],
                |meaning| pick(&meaning.conversations, candidates),
            ),
            Signal::Sibling => self.siblings(candidates),
            Signal::Period => candidates.iter().map(|number| self.in_period(*number)).collect(),
            Signal::Own => pick(&self.words.own, candidates),
            Signal::Cover => pick(&self.words.covers, candidates),
            Signal::MeaningTop => self.meaning_top(candidates),
            Signal::MeaningReply => self.meaning.as_ref().map_or_else(
                || vec![0.0; candidates.len()],
                |meaning| pick(&meaning.replies, candidates),
            ),
            Signal::Recent => {
                self.in_time(candidates, |(_, last)| recency(self.question.asked_at, last))
            }
            _ => vec![0.0; candidates.len()],
        }
    }

    fn meaning_top(&self, candidates: &[u32]) -> Vec<f32> {
        let Some(meaning) = &self.meaning else { return vec![0.0; candidates.len()] };
        candidates.iter().map(|c| meaning.tops[*c as usize].iter().sum::<f32>()).collect()
    }

    /// How near a conversation is to what the question says of time.
    fn in_period(&self, number: u32) -> f32 {
        let question = self.question;
        if question.chosen.as_ref().is_some_and(|chosen| chosen[number as usize]) {
            return 1.0;
        }
        let times = self.scope.census.conversations[number as usize].times;
        question.period.zip(times).map_or(0.0, |(period, times)| nearness(&period, times))
    }

    /// How much a conversation is about the people in it; nothing if replies are asked for.
    fn persons(&self, number: u32) -> f32 {
        let persons = self.scope.census.conversations[number as usize].persons;
        if self.question.about_replies { 0.0 } else { (1.0 + persons as f32).ln() }
    }

    /// How close a conversation comes to the two best passages of the one that stands out most.
    fn siblings(&self, candidates: &[u32]) -> Vec<f32> {
        let Some(meaning) = &self.meaning else { return vec![0.0; candidates.len()] };
        let mut lead: Vec<f32> = pick(&meaning.conversations, candidates);
        let mut words = pick(&self.words.conversations, candidates);
        stand_out(&mut lead);
        stand_out(&mut words);
        lead.iter_mut().zip(&words).for_each(|(lead, words)| *lead += words);
        let Some(first) = best(&lead, 1).first().map(|place| candidates[*place]) else {
            return Vec::new();
        };
        let home = |passage: u32| {
            self.index.homes[self.index.vectors.entry(passage as usize) as usize].conversation
        };
        let seeds: Vec<usize> = meaning
            .nearest
            .iter()
            .filter(|(passage, _)| home(*passage) == first)
            .filter(|(passage, _)| !self.index.homes[self.index.vectors.entry(*passage as usize) as usize].reply)
            .take(2)
            .map(|(passage, _)| *passage as usize)
            .collect();
        let mut closest = vec![0.0f32; self.index.conversations.len()];
        for passage in 0..self.index.vectors.len() {
            if self.scope.admits(self.index.vectors.entry(passage)) && !self.index.homes[self.index.vectors.entry(passage) as usize].reply {
                let conversation = home(passage as u32) as usize;
                for seed in &seeds {
                    closest[conversation] =
                        closest[conversation].max(self.index.vectors.between(passage, *seed));
                }
            }
        }
        closest[first as usize] = 0.0;
        closest[first as usize] = closest.iter().copied().fold(0.0, f32::max);
        pick(&closest, candidates)
    }

    fn in_time(
        &self,
        candidates: &[u32],
        value: impl Fn((Timestamp, Timestamp)) -> f32,
    ) -> Vec<f32> {
        let census = &self.scope.census.conversations;
        let times = |number: &u32| census[*number as usize].times.map_or(0.0, &value);
        candidates.iter().map(times).collect()
    }

    fn entries(&self, conversations: &Fused) -> Fused {
        let mut standing = vec![0.0f32; self.index.conversations.len()];
        for (number, score) in conversations.candidates.iter().zip(&conversations.scores) {
            standing[*number as usize] = *score;
        }
        let candidates: Vec<u32> = self.scope.admitted().collect();
        let weights = match self.meaning {
            Some(_) => weights::ENTRIES,
            None => weights::ENTRIES_BY_WORDS,
        };
        Fused::new(candidates, weights, |signal, of| match signal {
            Signal::Conversation => {
                let home = |entry: &u32| self.index.homes[*entry as usize].conversation as usize;
                of.iter().map(|entry| standing[home(entry)]).collect()
            }
            signal => self.of_entries(signal, of),
        })
    }

    fn of_entries(&self, signal: Signal, candidates: &[u32]) -> Vec<f32> {
        let nothing = || vec![0.0; candidates.len()];
        let facts = |entry: &u32| &self.index.facts[*entry as usize];
        let (question, meaning) = (self.question, self.meaning.as_ref());
        match signal {
            Signal::Words => pick(&self.words.entries, candidates),
            Signal::WordsNearby => self.nearby(candidates, &self.words.entries),
            Signal::Meaning => meaning.map_or_else(nothing, |m| pick(&m.entries, candidates)),
            Signal::MeaningNearby => {
                meaning.map_or_else(nothing, |m| self.nearby(candidates, &m.entries))
            }
            Signal::Speaker => {
                let named = |entry: &u32| question.speakers.contains(&facts(entry).speaker);
                candidates.iter().map(|entry| f32::from(u8::from(named(entry)))).collect()
            }
            Signal::Period => {
                let near = |entry: &u32| {
                    let time = facts(entry).time;
                    question.period.as_ref().map_or(0.0, |period| nearness(period, (time, time)))
                };
                candidates.iter().map(near).collect()
            }
            Signal::Recent => {
                let recent = |entry: &u32| recency(question.asked_at, facts(entry).time);
                candidates.iter().map(recent).collect()
            }
            _ => nothing(),
        }
    }

    /// The sum of a signal over the entries right before and after, in the same conversation.
    fn nearby(&self, candidates: &[u32], values: &[f32]) -> Vec<f32> {
        let mut last: Vec<Option<usize>> = vec![None; self.index.conversations.len()];
        let mut sums = vec![0.0; candidates.len()];
        for (place, entry) in candidates.iter().enumerate() {
            let home = self.index.homes[*entry as usize];
            if let Some(before) = last[home.conversation as usize].replace(place) {
                sums[place] += values[candidates[before] as usize];
                sums[before] += values[*entry as usize];
            }
        }
        sums
    }
}

fn pick(values: &[f32], numbers: &[u32]) -> Vec<f32> {
    numbers.iter().map(|number| values[*number as usize]).collect()
}
