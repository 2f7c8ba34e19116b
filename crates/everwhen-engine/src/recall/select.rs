//! A minimum score, and variety among what was found.

use std::collections::BTreeSet;

use super::{Query, Recollection};
use crate::text::content_words;

/// Leaves out what scores too low, and puts varied items first, where the query wants that.
pub(super) fn select(query: &Query, recollection: &mut Recollection) {
    if let Some(least) = query.min_score {
        at_least(&mut recollection.items, least, |one| one.score);
        at_least(&mut recollection.conversations, least, |one| one.score);
        at_least(&mut recollection.facts, least, |one| {
            // What is pinned is always told.
            if one.fact.fact.pinned_at.is_some() { f32::INFINITY } else { one.score }
        });
        at_least(&mut recollection.chapters, least, |one| one.score);
        at_least(&mut recollection.summaries, least, |one| one.score);
    }
    if let Some(diversity) = query.diversity {
        let limit = query.limit();
        let items = std::mem::take(&mut recollection.items);
        recollection.items =
            varied(items, diversity, limit, |one| (one.score, one.entry.content.as_str()));
        let facts = std::mem::take(&mut recollection.facts);
        recollection.facts =
            varied(facts, diversity, limit, |one| (one.score, one.fact.fact.statement.as_str()));
    }
}

/// Leaves out what scores less than this share of the best.
fn at_least<T>(found: &mut Vec<T>, least: f32, score: impl Fn(&T) -> f32) {
    let scores = found.iter().map(&score).filter(|score| score.is_finite());
    let Some(best) = scores.reduce(f32::max) else { return };
    found.retain(|one| score(one) >= best * least);
}

/// Chooses one by one what scores best after what it has in common with those chosen before is taken
/// off: maximal marginal relevance. Similarity is the share of common words.
fn varied<T>(
    mut found: Vec<T>,
    diversity: f32,
    limit: usize,
    read: impl Fn(&T) -> (f32, &str),
) -> Vec<T> {
    let best =
        found.iter().map(|one| read(one).0).reduce(f32::max).unwrap_or(1.0).max(f32::EPSILON);
    let words = |one: &T| content_words(read(one).1).collect::<BTreeSet<String>>();
    let mut chosen: Vec<(T, BTreeSet<String>)> = Vec::new();
    while chosen.len() < limit && !found.is_empty() {
        let value = |one: &T| {
            let own = words(one);
            let alike = chosen.iter().map(|(_, other)| common(&own, other)).fold(0.0, f32::max);
            read(one).0 / best * (1.0 - diversity) - alike * diversity
        };
        let values: Vec<f32> = found.iter().map(value).collect();
        let mut next = 0;
        for (place, value) in values.iter().enumerate() {
            if *value > values[next] {
                next = place;
            }
        }
        let one = found.remove(next);
        let own = words(&one);
        chosen.push((one, own));
    }
    chosen.into_iter().map(|(one, _)| one).collect()
}

fn common(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f32 {
    let all = a.union(b).count();
    if all == 0 { 0.0 } else { a.intersection(b).count() as f32 / all as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOUND: [(f32, &str); 3] =
        [(1.0, "red bicycle bought"), (0.9, "red bicycle bought"), (0.5, "piano lessons")];

    #[test]
    fn c45_with_diversity_what_says_the_same_stands_behind() {
        let order = |diversity: f32| -> Vec<f32> {
            let found = varied(FOUND.to_vec(), diversity, 2, |one| *one);
            found.into_iter().map(|(score, _)| score).collect()
        };
        assert_eq!(order(0.0), [1.0, 0.9]);
        assert_eq!(order(0.5), [1.0, 0.5]);
    }

    #[test]
    fn c45_a_minimum_score_is_a_share_of_the_best() {
        let mut found = FOUND.to_vec();
        at_least(&mut found, 0.8, |one| one.0);
        assert_eq!(found.len(), 2);
    }
}
