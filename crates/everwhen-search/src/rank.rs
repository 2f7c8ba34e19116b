//! Ranking: an index and a query in, numbers of groups and documents out.
//!
//! The steps: determine the scope → score with the lanes → choose the candidates: all groups, or in a
//! large index a shortlist → fuse the signals of documents → fuse the signals of groups, with their best
//! documents among them → add the score of its group to each document → return the best of both.

mod candidates;
mod documents;
mod groups;
mod promote;
mod shortlist;
mod siblings;
mod times;

use self::candidates::{CandidateSet, SampleRef};
use self::shortlist::Shortlister;
use self::times::TimeScores;
use crate::document::Micros;
use crate::fuse::{Distribution, FusedScores};
use crate::index::Index;
use crate::lanes::meaning::{self, MeaningScores};
use crate::lanes::words::{self, PostingBudget, WordScores};
use crate::query_text::{AskedSpeakers, QueryTerms};
use crate::scope::{Scope, SearchFilter};
use crate::signal::Reason;
use crate::time_range::TimeRange;
use crate::weights::Weights;

/// The number of results if the caller does not say.
const DEFAULT_LIMIT: usize = 10;

/// What to search for. Terms, speakers and group numbers belong to one index.
#[derive(Debug, Clone)]
pub struct SearchQuery {
    /// The words; see [`Index::query_terms`].
    pub terms: QueryTerms,
    /// The vector, made by the embedder of the index; see [`Index::active_embedder`].
    pub vector: Option<Vec<f32>>,
    /// Who said what the query asks for; see [`Index::asked_speakers`].
    pub speakers: AskedSpeakers,
    /// When the query is asked.
    pub asked_at: Micros,
    /// The period that the query asks about.
    pub period: Option<TimeRange>,
    /// Of the leading documents, those inside this range precede the others.
    pub inside_first: Option<TimeRange>,
    /// The groups that the query asks for by their order, in rising order of their numbers.
    pub chosen_groups: Option<Vec<u32>>,
    /// Which of the matching documents the query asks for.
    pub order: Option<OrderedMatches>,
    /// What restricts the search.
    pub filter: SearchFilter,
    /// The number of groups and of documents to return.
    pub limit: usize,
    /// How many of the documents lead; see `inside_first`.
    pub leading: usize,
}

impl Default for SearchQuery {
    fn default() -> Self {
        Self {
            terms: QueryTerms::default(),
            vector: None,
            speakers: AskedSpeakers::default(),
            asked_at: 0,
            period: None,
            inside_first: None,
            chosen_groups: None,
            order: None,
            filter: SearchFilter::default(),
            limit: DEFAULT_LIMIT,
            leading: DEFAULT_LIMIT,
        }
    }
}

/// Which of the matching documents are asked for, by their order in time: "the first time", "the last
/// two times".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderedMatches {
    /// Whether to count from the latest document.
    pub from_latest: bool,
    /// The first document asked for, counted from 1.
    pub first: u32,
    /// The last document asked for, counted in the same way.
    pub last: u32,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Ranking {
    /// Groups.
    pub groups: RankedList,
    /// Documents.
    pub documents: RankedList,
}

/// The best groups or documents.
#[derive(Debug, Default)]
pub struct RankedList {
    /// What was found, best first.
    pub hits: Vec<Hit>,
    /// How the signals are distributed over all candidates, for [`merge_scores`](crate::merge_scores).
    pub(crate) distributions: Vec<Distribution>,
}

/// A group or a document that was found.
#[derive(Debug, Clone)]
pub struct Hit {
    /// Its number in the index.
    pub number: u32,
    /// How well it matches. Comparable only inside one ranking.
    pub score: f32,
    /// Why it was found.
    pub reasons: Vec<Reason>,
}

impl Index {
    /// Ranks groups and documents.
    pub fn search(&self, query: &SearchQuery) -> Ranking {
        let scope = Scope::new(self, &query.filter);
        let coverage = if scope.ranks_all() { Coverage::All } else { Coverage::Shortlist };
        self.rank(&scope, query, coverage)
    }

    fn rank(&self, scope: &Scope<'_>, query: &SearchQuery, coverage: Coverage) -> Ranking {
        let ranker = Ranker::new(self, scope, query, coverage);
        let mut documents = ranker.fuse_documents();
        let groups = ranker.fuse_groups(&documents);
        ranker.add_group_scores(&mut documents, &groups);
        ranker.promote_inside(&mut documents);
        ranker.promote_ordered(&mut documents);
        Ranking { groups: best(&groups, query), documents: best(&documents, query) }
    }
}

/// Which groups are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coverage {
    /// All that may match: the ranking is exact.
    All,
    /// The best of each lane, with a sample of the rest.
    Shortlist,
}

impl Coverage {
    /// Returns how many postings are read before the candidates are known.
    fn posting_budget(self, has_vector: bool) -> PostingBudget {
        match (self, has_vector) {
            (Self::All, _) => PostingBudget::Unlimited,
            (Self::Shortlist, false) => PostingBudget::Large,
            (Self::Shortlist, true) => PostingBudget::Small,
        }
    }

    /// Compares the vector of a query with the passages among which candidates are chosen; those of all
    /// candidates are compared later.
    fn compare<'i>(self, index: &'i Index, scope: &Scope<'i>, to: &[f32]) -> MeaningScores<'i> {
        match self {
            Self::All => MeaningScores::on_demand(index, to),
            Self::Shortlist => meaning::score(index, scope, to),
        }
    }
}

fn best(fused: &FusedScores<'_>, query: &SearchQuery) -> RankedList {
    let hit = |position: usize| Hit {
        number: fused.candidates.numbers[position],
        score: fused.scores[position],
        reasons: fused.reasons(position),
    };
    let hits = fused.best(query.limit).into_iter().map(hit).collect();
    RankedList { hits, distributions: fused.distributions() }
}

/// A query with what the lanes found.
struct Ranker<'q> {
    index: &'q Index,
    query: &'q SearchQuery,
    times: TimeScores<'q>,
    words: WordScores<'q>,
    meaning: Option<MeaningScores<'q>>,
    /// The groups that represent the rest, if not all groups are candidates.
    sample: Option<SampleRef<'q>>,
    candidates: CandidateSet,
    weights: Weights,
    /// The word score of each candidate document.
    document_words: Vec<f32>,
    /// The cosine of each candidate document; empty without a vector.
    document_meaning: Vec<f32>,
}

impl<'q> Ranker<'q> {
    fn new(
        index: &'q Index,
        scope: &'q Scope<'q>,
        query: &'q SearchQuery,
        coverage: Coverage,
    ) -> Self {
        let sample = (coverage == Coverage::Shortlist).then(|| SampleRef::new(index, scope));
        let budget = coverage.posting_budget(query.vector.is_some());
        let mut words = words::score(index, scope, &query.terms.0, budget);
        let meaning = query.vector.as_ref().map(|vector| coverage.compare(index, scope, vector));
        let times = TimeScores::new(index, scope, query);
        let weights = Weights::new(meaning.is_some());
        let vector = meaning.as_ref().map(|meaning| &meaning.cosines.query);
        let sampled = sample.as_ref().zip(vector).map(|(sample, to)| sample.cosines(to));
        let sampled = sampled.unwrap_or_default();
        let candidates = match &sample {
            None => CandidateSet::new(index, scope, scope.groups().into_iter()),
            Some(sample) => {
                let (times, words, meaning) = (&times, &words, meaning.as_ref());
                let sampled = (&sample.grouped, &sampled[..]);
                let weights = weights.groups;
                Shortlister { index, scope, times, words, meaning, sampled, weights }
                    .candidates(query.limit)
            }
        };
        let documents = (&candidates.documents[..], candidates.ranges());
        words.add_deferred(index, scope, &candidates.groups, documents);
        let document_words =
            candidates.documents.iter().map(|one| words.documents.get(*one)).collect();
        let document_meaning =
            meaning.as_ref().map(|meaning| candidates.cosines(&meaning.cosines, &sampled));
        let document_meaning = document_meaning.unwrap_or_default();
        Self {
            index,
            query,
            times,
            words,
            meaning,
            sample,
            candidates,
            weights,
            document_words,
            document_meaning,
        }
    }
}

#[cfg(test)]
mod tests;
