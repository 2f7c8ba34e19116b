//! What happened, by when it happened: facts whose words name a time.
//!
//! What happened did so whatever became of it: that a user moved to Lisbon stays true when the user
//! lives in Porto. A fact that was replaced stays an event, therefore, unless what replaced it says that it
//! was otherwise: a denial, another time for the same thing, or a plan that was changed before it came.

use std::collections::HashMap;

use unicode_segmentation::UnicodeSegmentation;

use super::FactView;
use crate::Result;
use crate::memory::{Address, FactId, MemoryId, Relation};
use crate::time::Zone;
use crate::time::phrase::{Prefer, read};
use crate::vault::Vault;

/// Words that say that something is over, not that it never was.
const OVER: [&[&str]; 6] =
    [&["no", "longer"], &["used", "to"], &["anymore"], &["any", "more"], &["stopped"], &["quit"]];

impl Vault {
    /// What happened, by when it happened, oldest first: facts whose words name a time. What was
    /// denied, given another time or removed is not among it.
    pub async fn events(&self, memory: Address<MemoryId>) -> Result<Vec<FactView>> {
        let zone = self.info().await?.zone;
        let all = self.fact_views(memory, None).await?;
        Ok(happened(&all, &zone))
    }
}

fn happened(all: &[FactView], zone: &Zone) -> Vec<FactView> {
    let by_id: HashMap<FactId, &FactView> = all.iter().map(|view| (view.fact.id, view)).collect();
    let next = |view: &FactView| view.superseded_by.and_then(|id| by_id.get(&id).copied());
    let stands = |view: &&FactView| {
        let outlives = || next(view).is_some_and(|next| outlives(view, next, zone));
        view.fact.withdrawn_at.is_none() && (view.is_current() || outlives())
    };
    let since = |view: &FactView| view.fact.event.and_then(|event| event.since());
    let dated = all.iter().filter(|view| since(view).is_some());
    let mut shown: Vec<FactView> = dated.filter(stands).cloned().collect();
    shown.sort_by_key(|view| (since(view), view.fact.id));
    shown
}

/// Whether an event happened all the same when something took the place of what it led to.
fn outlives(view: &FactView, next: &FactView, zone: &Zone) -> bool {
    let (Some(event), Some(matter)) = (view.fact.event, &view.fact.matter) else { return false };
    let was_over = event.until().is_some_and(|until| until <= next.fact.mentioned_at);
    let corrected = next.fact.event.is_some_and(|other| other.intersection(&event).is_some());
    let denied = next.fact.link.is_some_and(|link| link.relation == Relation::Retracts)
        && !says_it_is_over(&next.fact.statement);
    was_over && !corrected && !denied && !is_time(&matter.value, view, zone)
}

fn says_it_is_over(statement: &str) -> bool {
    let lower = statement.to_lowercase();
    let words: Vec<&str> = lower.unicode_words().collect();
    OVER.iter().any(|over| words.windows(over.len()).any(|some| some == *over))
}

/// Whether a value is a time itself, such as that of an interview: another one is another time for
/// the same thing.
fn is_time(value: &str, view: &FactView, zone: &Zone) -> bool {
    ["", "on ", "on the "].into_iter().any(|lead| {
        let reading =
            read(&format!("{lead}{value}"), view.fact.mentioned_at, zone, Prefer::Nearest);
        reading.phrases.first().is_some_and(|first| first.range.start <= lead.len())
    })
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};
    use uuid::Uuid;

    use super::super::draft::event;
    use super::super::extract::stated_matter;
    use super::super::{Evidence, Fact, Matter, views};
    use super::*;
    use crate::fact_views::reconcile::link_all;
    use crate::similarity::Ruler;

    fn events(said: &[(i64, &str)]) -> Vec<String> {
        let start: Timestamp = "2024-03-05T12:00:00Z".parse().unwrap();
        let fact = |(number, (day, statement)): (usize, &(i64, &str))| {
            let id = Uuid::from_u128(number as u128 + 1);
            let at = start + SignedDuration::from_hours(24 * day);
            let evidence = Evidence { entry: id.into(), range: 0..1 };
            let matter = stated_matter(statement).map(|(key, value)| Matter { key, value });
            let stated = Fact::stated(id.into(), Uuid::nil().into(), *statement, evidence, at);
            Fact { matter, event: event(statement, at, &Zone::utc()), ..stated }
        };
        let mut facts: Vec<Fact> = said.iter().enumerate().map(fact).collect();
        link_all(&mut facts, &Ruler::default());
        let shown = happened(&views(facts, &Zone::utc()), &Zone::utc());
        shown.into_iter().map(|view| view.fact.statement).collect()
    }

    #[test]
    fn what_happened_stays_when_what_it_led_to_is_replaced() {
        for (first, then) in [
            ("I moved to Lisbon on 1 March 2024.", "I live in Porto now."),
            ("I moved to Lisbon on 1 March 2024.", "I live in Lisbon."),
            ("I moved to Lisbon, on 1 March 2024.", "I no longer live in Lisbon."),
            ("I moved to Lisbon, on 1 March 2024.", "I used to live in Lisbon."),
            ("I moved to Berlin two weeks ago.", "I live in Hamburg."),
            ("My A1C was 7.4% on 1 March.", "My A1C is 7.0%"),
        ] {
            assert_eq!(events(&[(0, first), (300, then)]), [first], "{then}");
        }
        let moves = ["I moved to Lisbon on 1 March 2024.", "I moved to Porto on 3 May 2024."];
        assert_eq!(events(&[(0, moves[0]), (70, moves[1])]), moves);
    }

    #[test]
    fn what_was_otherwise_does_not() {
        for (first, then) in [
            ("My interview is on the 14th.", "They moved the interview to the 20th."),
            ("I moved to Lisbon, on 1 March 2024.", "I moved to Porto, on 1 March 2024."),
            ("I moved to Lisbon, on 1 March 2024.", "I never moved to Lisbon."),
            ("I moved to Lisbon, on 1 March 2024.", "I never quite moved to Lisbon."),
            (
                "I moved to Lisbon, on 1 March 2024.",
                "Because of mosquitoes I never moved to Lisbon.",
            ),
        ] {
            assert!(!events(&[(0, first), (2, then)]).contains(&first.to_owned()), "{then}");
        }
    }
}
