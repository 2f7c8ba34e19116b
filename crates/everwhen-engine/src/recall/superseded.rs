//! A fact that was replaced is never ranked above the one that replaced it, unless the question is about
//! the past.

use std::collections::HashMap;

use super::FactFound;
use crate::memory::FactId;

/// Ranks every fact that was replaced below its successor, and removes one whose successor is no answer.
/// Nothing changes if the question is about the past.
pub(super) fn demote(facts: &mut Vec<FactFound>, is_about_the_past: bool) {
    if is_about_the_past {
        return;
    }
    // Newest first, so that the score of a successor is final before that of its predecessor.
    facts.sort_by_key(|found| std::cmp::Reverse(found.fact.fact.mentioned_at));
    let mut scores: HashMap<FactId, f32> = HashMap::new();
    facts.retain_mut(|found| {
        let successor = found.fact.superseded_by;
        let Some(most) = successor.map_or(Some(f32::INFINITY), |id| scores.get(&id).copied())
        else {
            return false;
        };
        found.score = found.score.min(below(most));
        scores.insert(found.fact.fact.id, found.score);
        true
    });
}

/// Returns a score just below another.
fn below(score: f32) -> f32 {
    score - score.abs() * 1e-3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{fact_for_tests, views};
    use crate::time::Zone;

    fn found(number: u128, score: f32, superseded_by: Option<u128>) -> FactFound {
        let id = |number: u128| FactId::from(uuid::Uuid::from_u128(number));
        let mut fact = fact_for_tests("My A1C is 7%");
        fact.id = id(number);
        fact.mentioned_at += jiff::SignedDuration::from_hours(24 * number as i64);
        let mut view = views(vec![fact], &Zone::utc()).remove(0);
        view.superseded_by = superseded_by.map(id);
        FactFound { fact: view, score, reasons: Vec::new() }
    }

    fn order(mut facts: Vec<FactFound>, past: bool) -> Vec<u128> {
        demote(&mut facts, past);
        facts.sort_by(|a, b| b.score.total_cmp(&a.score));
        facts.iter().map(|one| u128::from_be_bytes(one.fact.fact.id.bytes())).collect()
    }

    #[test]
    fn successive_values_are_ranked_newest_first() {
        let values = || vec![found(1, 3.0, Some(2)), found(2, 2.0, Some(3)), found(3, 1.0, None)];
        assert_eq!(order(values(), false), [3, 2, 1]);
        assert_eq!(order(values(), true), [1, 2, 3], "the question is about the past");
    }

    #[test]
    fn without_its_successor_a_replaced_fact_is_no_answer() {
        assert_eq!(order(vec![found(1, 3.0, Some(2)), found(3, 1.0, None)], false), [3]);
    }
}
