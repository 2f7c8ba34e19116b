//! Deferred terms. Terms that occur in many documents say little, and reading their postings takes the
//! longest. So the rarer terms of a query select the candidates, and these are only looked up there.

use std::ops::Range;

use super::{LengthNorms, WordScores, rarity, saturated};
use crate::index::{Index, Term};
use crate::scope::{FULL_RANKING_GROUPS, Scope};

/// A term with more postings is deferred if a rarer one has been scored, however few documents match.
const MANY_POSTINGS: u32 = 16_384;

/// Terms with their weights.
type Terms = Vec<(Term, f32)>;

/// How many postings are read before the remaining terms are deferred.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PostingBudget {
    /// All of them: every group is ranked.
    Unlimited,
    /// Many of them: words alone select the candidates.
    Large,
    /// Few of them: meaning selects candidates, too.
    Small,
}

impl PostingBudget {
    /// Returns the number of postings to read, those of the rarest terms, if all documents may match.
    fn postings(self) -> u32 {
        match self {
            Self::Unlimited => u32::MAX,
            Self::Large => 32_768,
            Self::Small => 4_096,
        }
    }
}

/// Splits terms into those to score first and those to defer. If a filter leaves few groups of a large
/// index, all are deferred.
pub(super) fn split(
    index: &Index,
    scope: &Scope<'_>,
    terms: &[(Term, f32)],
    budget: PostingBudget,
) -> (Terms, Terms) {
    let occurs_in = |term: Term| scope.occurrences(index.postings(term)).0;
    let mut terms = terms.to_vec();
    let is_large = scope.counts.totals.groups as usize > FULL_RANKING_GROUPS;
    if is_large && scope.few_groups().is_some() {
        return (Terms::new(), terms);
    }
    terms.sort_by_key(|(term, _)| occurs_in(*term));
    let most = budget.postings().saturating_mul(scope.selectivity() as u32);
    let mut seen = 0;
    terms.into_iter().partition(|(term, _)| {
        let len = occurs_in(*term);
        let may_defer = seen > 0 && most < u32::MAX;
        let is_now = !may_defer || (len <= MANY_POSTINGS && seen + len <= most);
        seen += if is_now { len } else { 0 };
        is_now
    })
}

impl WordScores<'_> {
    /// Adds the scores of the deferred terms to some groups; `ranges` are the positions of their
    /// documents.
    pub(crate) fn add_deferred(
        &mut self,
        index: &Index,
        scope: &Scope<'_>,
        groups: &[u32],
        (documents, ranges): (&[u32], impl Iterator<Item = Range<usize>> + Clone),
    ) {
        let norms = LengthNorms::new(&scope.counts);
        for (term, weight) in std::mem::take(&mut self.deferred) {
            let postings = index.postings(term);
            let (totals, (documents_with, groups_with)) =
                (scope.counts.totals, scope.occurrences(postings));
            let of_documents = weight * rarity(documents_with, totals.documents);
            let of_groups = weight * rarity(groups_with, totals.groups);
            let firsts = ranges.clone().map(|range| documents[range.start]);
            let look_up = postings.look_up();
            let places = look_up.places(firsts);
            for ((group, range), place) in groups.iter().zip(ranges.clone()).zip(places) {
                let mut frequency = 0.0;
                look_up.among(&documents[range], place, |document, count| {
                    let (own, share) = norms.frequency_and_share(index, document, count);
                    frequency += own;
                    self.documents.add(document, of_documents * share);
                });
                if frequency > 0.0 {
                    self.groups.add(*group, of_groups * saturated(frequency));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::words::{WordScorer, score};
    use crate::scope::SearchFilter;
    use crate::testing::{Role, index_of};

    #[test]
    fn with_few_groups_all_terms_are_deferred_and_score_the_same() {
        let text = |one: u32| if one.is_multiple_of(7) { "rare cat" } else { "a cat sat" };
        let documents: Vec<_> = (0..1_800)
            .map(|one| (u128::from(one / 3 + 1), Role::ALL[one as usize % 3], text(one)))
            .collect();
        let index = index_of(&documents);
        let filter = SearchFilter {
            groups: Some(vec![5, 14, 599]),
            sources: vec![Role::User.source(), Role::Assistant.source()],
            ..SearchFilter::default()
        };
        let scope = Scope::new(&index, &filter);
        let terms = ["cat", "rare"].map(|word| (index.term(word).unwrap(), 0.7));
        let mut exact = WordScorer::new(&index, &scope);
        terms.iter().for_each(|(term, weight)| exact.add(*term, *weight));
        let documents = [15, 16, 42, 43, 1_797, 1_798];
        let mut found = score(&index, &scope, &terms, PostingBudget::Unlimited);
        assert_eq!((found.deferred.len(), scope.few_groups()), (2, Some(&[5, 14, 599][..])));
        let ranges = [0..2, 2..4, 4..6].into_iter();
        found.add_deferred(&index, &scope, &[5, 14, 599], (&documents, ranges));
        for one in documents {
            let (exact, found) = (exact.documents.get(one), found.documents.get(one));
            assert!(found > 0.0 && (exact - found).abs() < 1e-5, "{one}: {exact} {found}");
        }
        for one in [5, 14, 599] {
            let (exact, found) = (exact.groups.get(one), found.groups.get(one));
            assert!(found > 0.0 && (exact - found).abs() < 1e-5, "{one}: {exact} {found}");
        }
    }

    #[test]
    fn deferred_terms_score_what_they_would_have_scored() {
        let text = |one: u32| match one {
            ..4_000 => "always often",
            4_000..5_200 => "always",
            _ => "never always always",
        };
        let role = |one: u32| if one.is_multiple_of(2) { Role::User } else { Role::Assistant };
        let documents: Vec<_> =
            (0..5_210).map(|one| (u128::from(one / 5 + 1), role(one), text(one))).collect();
        let index = index_of(&documents);
        let scope = Scope::new(&index, &SearchFilter::default());
        let terms = ["always", "often", "never"].map(|word| (index.term(word).unwrap(), 0.7));
        let exact = score(&index, &scope, &terms, PostingBudget::Unlimited);
        let mut found = score(&index, &scope, &terms, PostingBudget::Small);
        assert_eq!(found.deferred, [terms[0]]);
        let (groups, documents) = ([1_041, 0, 840], [5_205, 5_206, 5_209, 0, 1, 4_200, 4_204]);
        assert_eq!(found.groups.get(840), 0.0);
        let ranges = [0..3, 3..5, 5..7].into_iter();
        found.add_deferred(&index, &scope, &groups, (&documents, ranges));
        for one in documents {
            let (exact, found) = (exact.documents.get(one), found.documents.get(one));
            assert!((exact - found).abs() < 1e-5, "{one}: {exact} {found}");
        }
        let whole: Vec<u32> = (4_200..4_205).collect();
        let mut found = score(&index, &scope, &terms, PostingBudget::Small);
        found.add_deferred(&index, &scope, &[840], (&whole, std::iter::once(0..5)));
        let (exact, found) = (exact.groups.get(840), found.groups.get(840));
        assert!(found > 0.0 && (exact - found).abs() < 1e-5, "{exact} {found}");
    }
}
