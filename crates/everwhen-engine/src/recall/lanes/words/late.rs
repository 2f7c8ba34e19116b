//! Words that occur all over. They say little, and finding everything they occur in takes the longest.
//! So the rarer words of a question choose who takes part, and these are only looked up there.

use std::ops::Range;

use super::{Lengths, WordScores, rarity, saturated};
use crate::recall::index::{Index, Term};
use crate::recall::scope::{Scope, WHOLE};

/// A term that occurs more often waits if a rarer one has been looked at, however few may be answers.
const MANY: u32 = 16_384;

/// Terms with what they count.
type Terms = Vec<(Term, f32)>;

/// Whether words that occur all over may wait.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Haste {
    /// None may: everybody takes part.
    None,
    /// Words alone choose who takes part, so many of them are looked at.
    Little,
    /// Meaning chooses too.
    Great,
}

impl Haste {
    /// So many occurrences are looked at, those of the rarest terms, if all may be an answer.
    fn most(self) -> u32 {
        match self {
            Self::None => u32::MAX,
            Self::Little => 32_768,
            Self::Great => 4_096,
        }
    }
}

/// The terms to look at first, and those that can wait. If a large memory was narrowed down to a few
/// who take part, all can.
pub(super) fn split(
    index: &Index,
    scope: &Scope<'_>,
    terms: &[(Term, f32)],
    haste: Haste,
) -> (Terms, Terms) {
    let occurs_in = |term: Term| scope.occurrences(index.postings(term)).0;
    let mut terms = terms.to_vec();
    let is_large = scope.census.totals.conversations as usize > WHOLE;
    if is_large && scope.few().is_some() {
        return (Terms::new(), terms);
    }
    terms.sort_by_key(|(term, _)| occurs_in(*term));
    let most = haste.most().saturating_mul(scope.one_in() as u32);
    let mut seen = 0;
    terms.into_iter().partition(|(term, _)| {
        let len = occurs_in(*term);
        let may_wait = seen > 0 && most < u32::MAX;
        let is_now = !may_wait || (len <= MANY && seen + len <= most);
        seen += if is_now { len } else { 0 };
        is_now
    })
}

impl WordScores<'_> {
    /// Adds what the terms that waited give to some conversations; `spans` are the places of their
    /// entries.
    pub(crate) fn complete(
        &mut self,
        index: &Index,
        scope: &Scope<'_>,
        conversations: &[u32],
        (entries, spans): (&[u32], impl Iterator<Item = Range<usize>> + Clone),
    ) {
        let lengths = Lengths::of(&scope.census);
        for (term, importance) in std::mem::take(&mut self.late) {
            let postings = index.postings(term);
            let (totals, (entries_with, conversations_with)) =
                (scope.census.totals, scope.occurrences(postings));
            let of_entries = importance * rarity(entries_with, totals.entries);
            let of_conversations = importance * rarity(conversations_with, totals.conversations);
            let marks = postings.marks_before(spans.clone().map(|span| entries[span.start]));
            for ((conversation, span), passed) in conversations.iter().zip(spans.clone()).zip(marks)
            {
                let mut said = 0.0;
                postings.among(&entries[span], passed, |entry, count| {
                    let (weighed, share) = lengths.weigh(index, entry, count);
                    said += weighed;
                    self.entries.add(entry, of_entries * share);
                });
                if said > 0.0 {
                    self.conversations.add(*conversation, of_conversations * saturated(said));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Role;
    use crate::recall::index::tests::index_of;
    use crate::recall::lanes::words::{Tally, score};
    use crate::recall::scope::Narrow;

    #[test]
    fn of_a_few_conversations_all_words_wait_and_give_the_same() {
        let text = |entry: u32| if entry.is_multiple_of(7) { "rare cat" } else { "a cat sat" };
        let said: Vec<_> = (0..1_800)
            .map(|entry| (u128::from(entry / 3 + 1), Role::ALL[entry as usize % 3], text(entry)))
            .collect();
        let index = index_of(&said);
        let narrow = Narrow {
            conversations: Some(vec![5, 14, 599]),
            roles: vec![Role::User, Role::Assistant],
            ..Narrow::default()
        };
        let scope = Scope::new(&index, &narrow);
        let terms = ["cat", "rare"].map(|word| (index.term(word).unwrap(), 0.7));
        let mut exact = Tally::new(&index, &scope);
        terms.iter().for_each(|(term, weight)| exact.add(*term, *weight));
        let entries = [15, 16, 42, 43, 1_797, 1_798];
        let mut found = score(&index, &scope, &terms, Haste::None);
        assert_eq!((found.late.len(), scope.few()), (2, Some(&[5, 14, 599][..])));
        found.complete(&index, &scope, &[5, 14, 599], (&entries, [0..2, 2..4, 4..6].into_iter()));
        for entry in entries {
            let (exact, found) = (exact.entries.get(entry), found.entries.get(entry));
            assert!(found > 0.0 && (exact - found).abs() < 1e-5, "{entry}: {exact} {found}");
        }
        for one in [5, 14, 599] {
            let (exact, found) = (exact.conversations.get(one), found.conversations.get(one));
            assert!(found > 0.0 && (exact - found).abs() < 1e-5, "{one}: {exact} {found}");
        }
    }

    #[test]
    fn words_that_wait_give_what_they_would_have_given() {
        let text = |entry: u32| match entry {
            ..4_000 => "always often",
            4_000..5_200 => "always",
            _ => "never always always",
        };
        let role = |entry: u32| if entry.is_multiple_of(2) { Role::User } else { Role::Assistant };
        let said: Vec<_> =
            (0..5_210).map(|entry| (u128::from(entry / 5 + 1), role(entry), text(entry))).collect();
        let index = index_of(&said);
        let scope = Scope::new(&index, &Narrow::default());
        let terms = ["always", "often", "never"].map(|word| (index.term(word).unwrap(), 0.7));
        let exact = score(&index, &scope, &terms, Haste::None);
        let mut spared = score(&index, &scope, &terms, Haste::Great);
        assert_eq!(spared.late, [terms[0]]);
        let (conversations, entries) = ([1_041, 0, 840], [5_205, 5_206, 5_209, 0, 1, 4_200, 4_204]);
        assert_eq!(spared.conversations.get(840), 0.0);
        spared.complete(&index, &scope, &conversations, (&entries, [0..3, 3..5, 5..7].into_iter()));
        for entry in entries {
            let (exact, spared) = (exact.entries.get(entry), spared.entries.get(entry));
            assert!((exact - spared).abs() < 1e-5, "{entry}: {exact} {spared}");
        }
        let whole: Vec<u32> = (4_200..4_205).collect();
        let mut spared = score(&index, &scope, &terms, Haste::Great);
        spared.complete(&index, &scope, &[840], (&whole, std::iter::once(0..5)));
        let (exact, spared) = (exact.conversations.get(840), spared.conversations.get(840));
        assert!(spared > 0.0 && (exact - spared).abs() < 1e-5, "{exact} {spared}");
    }
}
