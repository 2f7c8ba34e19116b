//! A fact as it is kept: one dated statement, the entry it rests on, and what it follows.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use jiff::{SignedDuration, Timestamp};

use super::{EntryId, FactId, MemoryId, MemoryRef, Name};
use crate::time::{Period, Zone};

/// One statement that was made at one time. Saying the same again makes another, linked to
/// the first; so nothing is merged, and nothing is lost when one of them goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Its id.
    pub id: FactId,
    /// The memory it belongs to.
    pub memory: MemoryId,
    /// What is so, in a sentence, without a date.
    pub statement: String,
    /// Whether it was said or it follows from what was said.
    pub source: Source,
    /// What it is about, in single words.
    pub tags: Vec<Name>,
    /// The one value it states, if it states one.
    pub matter: Option<Matter>,
    /// When it happened, if the words say so.
    pub event: Option<Period>,
    /// What it rests on.
    pub evidence: Evidence,
    /// The conversation_time of that entry.
    pub mentioned_at: Timestamp,
    /// When it was stored.
    pub creation_time: Timestamp,
    /// Who wrote it.
    pub by: WrittenBy,
    /// Since when it stands first in every list.
    pub pinned_at: Option<Timestamp>,
    /// Since when it no longer counts: what it rests on was corrected, or reads differently now.
    pub withdrawn_at: Option<Timestamp>,
    /// What it repeats or replaces.
    pub link: Option<Link>,
    /// Its meaning as numbers.
    pub vector: Option<FactVector>,
    /// How often recall answered with it.
    pub retrievals: u64,
    /// When it last did.
    pub retrieved_at: Option<Timestamp>,
}

/// Whether a fact was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The user said it in these words.
    Confirmed,
    /// It follows from what was said.
    Inferred,
}

impl Source {
    /// As written on every wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Inferred => "inferred",
        }
    }
}

/// Who wrote a fact, a chapter or a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenBy {
    /// Chosen from the words of the conversation, without a model.
    Extractive,
    /// A language model.
    Llm,
    /// The owner, who corrected or removed what stood there. Nothing overrides it.
    User,
}

impl WrittenBy {
    /// As written on every wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Extractive => "extractive",
            Self::Llm => "llm",
            Self::User => "user",
        }
    }

    /// The writer with this name.
    pub fn named(text: &str) -> Option<Self> {
        [Self::Extractive, Self::Llm, Self::User].into_iter().find(|one| one.as_str() == text)
    }
}

/// How facts are compared, and which are pinned by themselves.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FactRules {
    /// From which cosine on two facts say the same; the embedder's own value if absent.
    pub same: Option<f32>,
    /// From which cosine on two facts are about the same thing; the embedder's own if absent.
    pub related: Option<f32>,
    /// From which cosine on a statement may follow from words that it shares none with; the
    /// embedder's own if absent.
    pub borne_out: Option<f32>,
    /// What was measured for each embedder, by its name; it comes before what the embedder says.
    pub by_embedder: BTreeMap<String, EmbedderThresholds>,
    /// A new fact in which a word begins like one of these, in lower case, is pinned.
    pub auto_pin: Vec<String>,
}

/// What cosines of one embedder mean for two statements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EmbedderThresholds {
    /// From here on they say the same.
    pub same: f32,
    /// From here on they are about the same thing.
    pub related: f32,
    /// From here on a statement may follow from words that it shares none with.
    pub borne_out: f32,
}

impl FactRules {
    /// Whether a statement is pinned by itself.
    pub(crate) fn pins(&self, statement: &str) -> bool {
        let lower = format!(" {}", statement.to_lowercase());
        self.auto_pin.iter().any(|word| {
            lower
                .match_indices(word.as_str())
                .any(|(at, _)| !lower[..at].ends_with(char::is_alphanumeric))
        })
    }
}

/// How much a fact matters to the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// Pinned and confirmed.
    Critical,
    /// Confirmed.
    Important,
    /// Inferred.
    Info,
}

impl Priority {
    /// As written on every wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Critical => "critical",
            Self::Important => "important",
            Self::Info => "info",
        }
    }
}

/// A matter with one value at a time: a home, a weight, a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matter {
    /// Which, such as `a1c`.
    pub key: String,
    /// Its value, such as `7.4%`.
    pub value: String,
}

/// A piece of an entry that a fact rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The entry.
    pub entry: EntryId,
    /// Which part of its content, in bytes.
    pub range: Range<usize>,
}

/// How a fact follows an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// The earlier one.
    pub to: FactId,
    /// What it does to it.
    pub relation: Relation,
}

/// What a fact does to an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Says the same again.
    Repeats,
    /// Takes its place: a newer value.
    Supersedes,
    /// Says that it is no longer so.
    Retracts,
}

impl Relation {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Repeats, Self::Supersedes, Self::Retracts];

    /// As written in stores and on every wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Repeats => "repeats",
            Self::Supersedes => "supersedes",
            Self::Retracts => "retracts",
        }
    }
}

/// The meaning of a statement, in small numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactVector {
    /// The embedder it comes from; vectors of different ones are never compared.
    pub by: String,
    /// Rounded to eight bits each.
    pub numbers: Vec<i8>,
}

impl FactVector {
    /// The vector an embedder gave.
    pub(crate) fn new(by: &str, vector: &[f32]) -> Self {
        let numbers = vector.iter().map(|value| (value * 127.0).round() as i8).collect();
        Self { by: by.to_owned(), numbers }
    }

    /// The cosine between two; nothing if they come from different embedders.
    pub(crate) fn cosine(&self, other: &Self) -> Option<f32> {
        if self.by != other.by || self.numbers.len() != other.numbers.len() {
            return None;
        }
        // No vector is long enough for this to overflow.
        let dot = |a: &[i8], b: &[i8]| -> i32 {
            a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
        };
        let length = (dot(&self.numbers, &self.numbers) as f32).sqrt()
            * (dot(&other.numbers, &other.numbers) as f32).sqrt();
        Some(if length == 0.0 { 0.0 } else { dot(&self.numbers, &other.numbers) as f32 / length })
    }
}

impl Fact {
    /// A fact that the user stated and nothing else is known of: no subject, event or link, stored
    /// when it was mentioned, never recalled.
    pub fn stated(
        id: FactId,
        memory: MemoryId,
        statement: impl Into<String>,
        evidence: Evidence,
        mentioned_at: Timestamp,
    ) -> Self {
        Self {
            id,
            memory,
            statement: statement.into(),
            source: Source::Confirmed,
            tags: Vec::new(),
            matter: None,
            event: None,
            evidence,
            mentioned_at,
            creation_time: mentioned_at,
            by: WrittenBy::Extractive,
            pinned_at: None,
            withdrawn_at: None,
            link: None,
            vector: None,
            retrievals: 0,
            retrieved_at: None,
        }
    }

    /// The statement with the day it was mentioned, in the vault's zone. The day always comes from
    /// the evidence, by rules or by a model.
    pub fn text(&self, zone: &Zone) -> String {
        format!("{} (mentioned {})", self.statement, zone.day(self.mentioned_at))
    }

    /// How much it matters to the reader.
    pub fn priority(&self) -> Priority {
        match (self.source, self.pinned_at) {
            (Source::Inferred, _) => Priority::Info,
            (Source::Confirmed, Some(_)) => Priority::Critical,
            (Source::Confirmed, None) => Priority::Important,
        }
    }

    /// Where it stands among the others: by when it was mentioned, whenever it arrived.
    pub(crate) fn order(&self) -> (Timestamp, &str, FactId) {
        (self.mentioned_at, &self.statement, self.id)
    }
}

/// Half of a fact's weight is gone after this long, unless the configuration says otherwise.
pub const HALF_LIFE: SignedDuration = SignedDuration::from_hours(180 * 24);

/// How facts fade.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fading {
    /// Half of the weight is gone after this long without being asked for or said.
    pub half_life: SignedDuration,
}

/// Facts that recall answered with, and are not counted in the store yet.
pub(crate) type Retrieved = HashMap<(MemoryRef, FactId), (u64, Timestamp)>;
