//! A scope beside one that looks at every entry, on random indexes.

use std::ops::Range;

use proptest::prelude::*;

use super::*;
use crate::memory::{Corrected, Entry};
use crate::ports::Standing;
use crate::recall::index::Census;
use crate::recall::index::tests::said;
use crate::recall::rank::{Question, rank};
use crate::time::Precision;

const HOUR: i64 = 3_600;

fn at(hours: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + hours * HOUR).unwrap()
}

/// An entry to be: its conversation, when it was said, by whom, and whether it was corrected.
type Drawn = (u8, i64, usize, Option<u8>);

fn entry(sequence: u64, (conversation, hour, role, corrected): &Drawn) -> Entry {
    let mut entry = said(sequence, u128::from(*conversation), Role::ALL[*role], "a cat and a dog");
    entry.conversation_time = at(*hour);
    entry.creation_time = at(sequence as i64 / 3);
    entry.corrected = corrected
        .map(|later| Corrected { by: entry.id, at: at(sequence as i64 / 3 + i64::from(later)) });
    entry
}

/// An index of some entries; then some of them stand elsewhere or are forgotten; then others come.
fn index_of(first: &[Drawn], moved: &[Option<(u8, Option<u8>)>], then: &[Drawn]) -> Index {
    let mut index = Index::default();
    let mut sequences = 1..;
    for (one, sequence) in first.iter().zip(sequences.by_ref()) {
        index.add(&entry(sequence, one));
    }
    if !moved.is_empty() {
        let standing = |(one, sequence): (&Option<(u8, Option<u8>)>, u64)| {
            let (conversation, gone) = (*one)?;
            let conversation = uuid::Uuid::from_u128(u128::from(conversation)).into();
            let gone_since = gone.map(|later| at(sequence as i64 / 3 + i64::from(later)));
            Some(Standing { sequence, conversation, gone_since })
        };
        let standings: Vec<_> = moved.iter().zip(1..).filter_map(standing).collect();
        index.restand(1, standings.last().map_or(0, |last| last.sequence), &standings);
    }
    index.in_order();
    for (one, sequence) in then.iter().zip(sequences) {
        index.add(&entry(sequence, one));
    }
    index
}

/// What the scope should say, found by looking at every entry.
struct Plain<'i> {
    index: &'i Index,
    seen: Vec<bool>,
    admitted: Vec<bool>,
}

impl<'i> Plain<'i> {
    fn of(index: &'i Index, narrow: &Narrow) -> Self {
        let seen = |entry: usize| match narrow.as_of.map(Timestamp::as_microsecond) {
            None => index.homes[entry].is_current(),
            Some(time) => index.facts[entry].created <= time && index.facts[entry].gone > time,
        };
        let seen: Vec<bool> = (0..index.homes.len()).map(seen).collect();
        let admits = |entry: usize| seen[entry] && plainly_admits(index, narrow, entry);
        let admitted = (0..index.homes.len()).map(admits).collect();
        Self { index, seen, admitted }
    }

    fn answers(&self) -> impl Iterator<Item = usize> {
        (0..self.admitted.len()).filter(|entry| self.admitted[*entry])
    }

    fn conversations(&self) -> Vec<u32> {
        self.index.conversations_of(self.answers().map(|entry| entry as u32))
    }

    fn times(&self) -> impl Iterator<Item = Micros> {
        self.answers().map(|entry| self.index.facts[entry].time)
    }

    /// Conversations in the order they began.
    fn begun(&self) -> Vec<u32> {
        let home = |entry: &usize| self.index.homes[*entry].conversation;
        let began = |one: u32| {
            let own = self.answers().filter(|entry| home(entry) == one);
            own.map(|entry| self.index.facts[entry].time).min()
        };
        let mut all = self.conversations();
        all.sort_by_key(|one| (began(*one), *one));
        all
    }

    fn census(&self) -> Census {
        let mut census = Census::default();
        for entry in (0..self.seen.len()).filter(|entry| self.seen[*entry]) {
            census.count(&self.index.homes[entry], &self.index.facts[entry]);
        }
        census
    }
}

fn plainly_admits(index: &Index, narrow: &Narrow, entry: usize) -> bool {
    let (facts, conversation) = (&index.facts[entry], index.homes[entry].conversation);
    let time = Timestamp::from_microsecond(facts.time).unwrap();
    (narrow.roles.is_empty() || narrow.roles.contains(&facts.role))
        && [narrow.period, narrow.about].iter().flatten().all(|period| period.contains(time))
        && narrow.conversations.as_ref().is_none_or(|among| among.contains(&conversation))
        && narrow.without != Some(conversation)
        && narrow.only.as_ref().is_none_or(|only| only.contains(&(entry as u32)))
}

fn compare(index: &Index, narrow: &Narrow) {
    let (scope, plain) = (Scope::new(index, narrow), Plain::of(index, narrow));
    let entries = 0..index.homes.len() as u32;
    assert_eq!(entries.clone().map(|one| scope.sees(one)).collect::<Vec<_>>(), plain.seen);
    assert_eq!(entries.map(|one| scope.admits(one)).collect::<Vec<_>>(), plain.admitted);
    assert_eq!(scope.conversations(), plain.conversations());
    assert_eq!(scope.has_any(), plain.answers().next().is_some());
    let census = plain.census();
    assert_eq!(scope.census.totals, census.totals);
    for one in 0..index.conversations.len() as u32 {
        assert_eq!(scope.census.lengths(one), census.lengths(one));
        assert_eq!(scope.census.times(one), census.times(one));
        let may_answer = !plain.conversations().contains(&one) || scope.may_answer(one);
        assert!(may_answer, "{one} has answers");
    }
    compare_walks(&scope, &plain);
}

fn compare_walks(scope: &Scope<'_>, plain: &Plain<'_>) {
    let mut begun = plain.begun();
    for most in [1, 2, 5, 1_000] {
        assert_eq!(scope.begun_first(most), begun[..most.min(begun.len())]);
    }
    begun.reverse();
    for most in [1, 2, 5, 1_000] {
        assert_eq!(scope.begun_last(most), begun[..most.min(begun.len())]);
    }
    for hour in [-9, 0, 7, 40, 90, 300] {
        let instant = at(hour).as_microsecond();
        assert_eq!(scope.last_before(instant), plain.times().filter(|one| *one < instant).max());
        assert_eq!(scope.first_from(instant), plain.times().filter(|one| *one >= instant).min());
    }
}

fn drawn(conversations: u8, count: Range<usize>) -> impl Strategy<Value = Vec<Drawn>> {
    let corrected = proptest::option::weighted(0.2, 0u8..9);
    // Most conversations stay together, a few are spread over days.
    let one = (0..conversations, 0i64..6, 0usize..4, corrected, proptest::bool::weighted(0.1));
    let one = one.prop_map(|(conversation, hour, role, corrected, far)| {
        let hour = i64::from(conversation) * 5 % 90 + hour * if far { 17 } else { 1 };
        (conversation, hour, role, corrected)
    });
    proptest::collection::vec(one, count)
}

fn period() -> impl Strategy<Value = Option<Period>> {
    let ends = (proptest::option::of(-5i64..120), proptest::option::of(1i64..40));
    let period = ends.prop_map(|(since, hours)| {
        let until = hours.map(|hours| at(since.unwrap_or(0) + hours));
        Period::new(since.map(at), until, Precision::Minute).unwrap()
    });
    proptest::option::of(period)
}

fn narrow() -> impl Strategy<Value = Narrow> {
    let roles = proptest::sample::subsequence(Role::ALL.to_vec(), 0..3);
    let among = proptest::option::weighted(0.2, proptest::collection::btree_set(0u32..9, 0..4));
    let only = proptest::option::weighted(0.2, proptest::collection::btree_set(0u32..60, 0..9));
    let without = proptest::option::weighted(0.2, 0u32..9);
    let as_of = proptest::option::of((-1i64..25).prop_map(at));
    let all = (as_of, period(), period(), among, without, roles, only);
    all.prop_map(|(as_of, period, about, among, without, roles, only)| Narrow {
        as_of,
        period,
        about,
        conversations: among.map(|among| among.into_iter().collect()),
        without,
        roles,
        only: only.map(|only| only.into_iter().collect()),
    })
}

proptest! {
    #[test]
    fn nothing_is_seen_otherwise_than_by_looking_at_every_entry(
        first in drawn(12, 0..40),
        moved in proptest::collection::vec(
            proptest::option::weighted(0.8, (0u8..14, proptest::option::weighted(0.2, 0u8..9))), 0..30),
        then in drawn(14, 0..30),
        narrows in proptest::collection::vec(narrow(), 4),
    ) {
        let index = index_of(&first, &moved, &then);
        compare(&index, &Narrow::default());
        for mut narrow in narrows {
            let known = index.conversations.len() as u32;
            narrow.conversations.iter_mut().for_each(|among| among.retain(|one| *one < known));
            let is_there = |one: &u32| (*one as usize) < index.homes.len();
            narrow.only = narrow.only.map(|only| only.iter().copied().filter(is_there).collect());
            compare(&index, &narrow);
        }
    }
}

/// A memory of 2,000 conversations, three entries each, an hour apart.
fn large() -> Index {
    let mut index = Index::default();
    for sequence in 1..=6_000u64 {
        let (conversation, role) = ((sequence - 1) / 3, Role::ALL[sequence as usize % 2]);
        let role = if sequence.is_multiple_of(1_000) { Role::System } else { role };
        let mut entry = said(sequence, u128::from(conversation), role, "a cat");
        entry.conversation_time = at(conversation as i64);
        entry.creation_time = at(10_000 + sequence as i64);
        index.add(&entry);
    }
    index
}

fn hours(since: i64, until: i64) -> Narrow {
    let period = Period::new(Some(at(since)), Some(at(until)), Precision::Minute).unwrap();
    Narrow { period: Some(period), ..Narrow::default() }
}

#[test]
fn a_large_memory_is_narrowed_down_without_looking_at_all_of_it() {
    let index = large();
    let rare = Narrow { roles: vec![Role::System], ..Narrow::default() };
    for narrow in [hours(500, 524), hours(100, 1_000), rare, Narrow::default()] {
        let (scope, plain) = (Scope::new(&index, &narrow), Plain::of(&index, &narrow));
        assert_eq!(scope.conversations(), plain.conversations());
        assert_eq!(scope.conversation_total(), plain.conversations().len());
    }
    assert_eq!(Scope::new(&index, &hours(500, 524)).few().unwrap().len(), 24);
}

#[test]
fn an_answer_as_of_an_earlier_time_stays_as_it_was() {
    let mut index = Index::default();
    let mut add = |sequences: Range<u64>, conversations: u64| {
        for sequence in sequences {
            let text = ["a cat sat", "the dog and the cat", "birds"][sequence as usize * 7 % 3];
            let conversation = u128::from(sequence * 31 % conversations);
            let mut entry = said(sequence, conversation, Role::ALL[sequence as usize % 2], text);
            entry.conversation_time = at((sequence * 13 % 400) as i64);
            entry.creation_time = at(sequence as i64);
            let number = index.add(&entry);
            let value = |place: u64| ((sequence * 37 + place * place * 11) % 97) as f32 - 48.0;
            index.embed("table", number, &[(0..64).map(value).collect()]);
        }
        let question = Question {
            terms: ["cat", "dog"].map(|word| (index.term(word).unwrap(), 1.0)).to_vec(),
            vector: Some((0..64u8).map(|place| f32::from(place % 7) - 3.0).collect()),
            speakers: Vec::new(),
            asked_at: at(500),
            period: None,
            first: None,
            chosen: None,
            order: None,
            narrow: Narrow { as_of: Some(at(200)), ..Narrow::default() },
            limit: 10,
            leading: 10,
        };
        let ranking = rank(&index, &question);
        let best = [ranking.conversations.ranked, ranking.entries.ranked];
        best.concat().into_iter().map(|one| (one.number, one.score)).collect::<Vec<_>>()
    };
    let then = add(1..200, 40);
    assert_eq!(then.len(), 20);
    assert_eq!(add(201..6_000, 900), then);
}

#[test]
fn where_many_are_left_a_few_from_all_over_stand_for_them() {
    let index = large();
    let half = Narrow { as_of: Some(at(13_000)), ..Narrow::default() };
    let user = Narrow { roles: vec![Role::User], ..hours(10, 1_990) };
    for (narrow, total) in [(half, 1_000..1_001), (user, 1_900..1_981)] {
        let (scope, plain) = (Scope::new(&index, &narrow), Plain::of(&index, &narrow));
        assert!(total.contains(&scope.conversation_total()), "{}", scope.conversation_total());
        let (sample, all) = (scope.sample(48), plain.conversations());
        assert_eq!(sample.len(), 48);
        assert!(sample.iter().all(|one| all.binary_search(one).is_ok()));
        let middle = all[all.len() / 2];
        assert_eq!(sample.iter().filter(|one| **one < middle).count(), 24);
        assert!(scope.few().is_none());
    }
}
