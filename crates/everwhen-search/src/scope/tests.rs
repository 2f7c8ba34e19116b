//! A scope compared with one that checks every document, on random indexes.

use std::ops::Range;

use proptest::prelude::*;

use super::*;
use crate::document::{Document, DocumentInfo, DocumentState};
use crate::index::GroupCounts;
use crate::rank::SearchQuery;
use crate::testing::{Role, document, group};

const HOUR: Micros = 3_600_000_000;

fn at(hours: i64) -> Micros {
    1_700_000_000_000_000 + hours * HOUR
}

/// A random document: its group, its hour, its role, and when it was removed.
type Drawn = (u8, i64, usize, Option<u8>);

fn drawn_document(sequence: u64, (group, hour, role, removed): &Drawn) -> Document<'static> {
    let created = at(sequence as i64 / 3);
    Document {
        time: at(*hour),
        // Of some only a period is known, of an hour or of more than a day.
        lasts: [0, 0, 60, 0, 2_000][sequence as usize % 5],
        created,
        removed: removed.map(|later| created + i64::from(later) * HOUR),
        ..document(sequence, u128::from(*group), Role::ALL[*role], "a cat and a dog")
    }
}

/// An index of some documents; then some of them move or are erased; then others are added.
fn index_of(first: &[Drawn], moved: &[Option<(u8, Option<u8>)>], then: &[Drawn]) -> Index {
    let mut index = Index::default();
    let mut sequences = 1..;
    for (one, sequence) in first.iter().zip(sequences.by_ref()) {
        index.add(&drawn_document(sequence, one));
    }
    if !moved.is_empty() {
        let state = |(one, sequence): (&Option<(u8, Option<u8>)>, u64)| {
            let (number, removed) = (*one)?;
            let removed = removed.map(|later| at(sequence as i64 / 3 + i64::from(later)));
            Some(DocumentState { sequence, group: group(u128::from(number)), removed })
        };
        let states: Vec<_> = moved.iter().zip(1..).filter_map(state).collect();
        index.update_states(1, states.last().map_or(0, |last| last.sequence), &states);
    }
    index.groups_by_end();
    for (one, sequence) in then.iter().zip(sequences) {
        index.add(&drawn_document(sequence, one));
    }
    index
}

/// What the scope should say, found by checking every document.
struct Naive<'i> {
    index: &'i Index,
    seen: Vec<bool>,
    admitted: Vec<bool>,
}

impl<'i> Naive<'i> {
    fn new(index: &'i Index, filter: &SearchFilter) -> Self {
        let seen = |one: usize| match filter.as_of {
            None => index.placements[one].is_current(),
            Some(time) => {
                let documents = &index.documents;
                documents.all_created()[one] <= time && documents.removed(one as u32) > time
            }
        };
        let seen: Vec<bool> = (0..index.len()).map(seen).collect();
        let admits = |one: usize| seen[one] && naively_admits(index, filter, one);
        let admitted = (0..index.len()).map(admits).collect();
        Self { index, seen, admitted }
    }

    fn matches(&self) -> impl Iterator<Item = usize> {
        (0..self.admitted.len()).filter(|one| self.admitted[*one])
    }

    fn groups(&self) -> Vec<u32> {
        self.index.groups_of(self.matches().map(|one| one as u32))
    }

    fn times(&self) -> impl Iterator<Item = Micros> {
        self.matches().map(|one| self.index.documents.time(one as u32))
    }

    /// Groups in the order they began.
    fn begun(&self) -> Vec<u32> {
        let group = |one: &usize| self.index.placements[*one].group;
        let began = |number: u32| {
            let own = self.matches().filter(|one| group(one) == number);
            own.map(|one| self.index.documents.time(one as u32)).min()
        };
        let mut all = self.groups();
        all.sort_by_key(|one| (began(*one), *one));
        all
    }

    fn counts(&self) -> GroupCounts {
        let mut counts = GroupCounts::default();
        for one in (0..self.seen.len()).filter(|one| self.seen[*one]) {
            counts.add(&self.index.placements[one], self.index.documents.times(one as u32));
        }
        counts
    }
}

fn naively_admits(index: &Index, filter: &SearchFilter, one: usize) -> bool {
    let (info, group) = (&index.documents.get(one as u32), index.placements[one].group);
    (filter.sources.is_empty() || filter.sources.contains(&info.source))
        && is_inside_both([filter.period, filter.about], info)
        && filter.groups.as_ref().is_none_or(|listed| listed.contains(&group))
        && !filter.without_groups.contains(&group)
        && filter.documents.as_ref().is_none_or(|listed| listed.contains(&(one as u32)))
}

/// Whether one instant that a document may be about is inside both ranges.
fn is_inside_both(ranges: [Option<TimeRange>; 2], info: &DocumentInfo) -> bool {
    let sinces = ranges.iter().flatten().filter_map(|range| range.since);
    let first = sinces.chain([info.time]).max().unwrap();
    first <= info.last() && ranges.iter().flatten().all(|range| range.contains(first))
}

fn compare(index: &Index, filter: &SearchFilter) {
    let (scope, naive) = (Scope::new(index, filter), Naive::new(index, filter));
    let documents = 0..index.len() as u32;
    assert_eq!(documents.clone().map(|one| scope.sees(one)).collect::<Vec<_>>(), naive.seen);
    assert_eq!(documents.map(|one| scope.admits(one)).collect::<Vec<_>>(), naive.admitted);
    assert_eq!(scope.groups(), naive.groups());
    assert_eq!(scope.has_matches(), naive.matches().next().is_some());
    let counts = naive.counts();
    assert_eq!(scope.counts.totals, counts.totals);
    for one in 0..index.groups.len() as u32 {
        assert_eq!(scope.counts.lengths(one), counts.lengths(one));
        assert_eq!(scope.counts.times(one), counts.times(one));
        let may_match = !naive.groups().contains(&one) || scope.may_match(one);
        assert!(may_match, "{one} has matches");
    }
    compare_walks(&scope, &naive);
}

fn compare_walks(scope: &Scope<'_>, naive: &Naive<'_>) {
    let mut begun = naive.begun();
    for limit in [1, 2, 5, 1_000] {
        assert_eq!(scope.first_groups(limit), begun[..limit.min(begun.len())]);
    }
    begun.reverse();
    for limit in [1, 2, 5, 1_000] {
        assert_eq!(scope.last_groups(limit), begun[..limit.min(begun.len())]);
    }
    for hour in [-9, 0, 7, 40, 90, 300] {
        let instant = at(hour);
        assert_eq!(scope.last_before(instant), naive.times().filter(|one| *one < instant).max());
        assert_eq!(scope.first_from(instant), naive.times().filter(|one| *one >= instant).min());
    }
}

fn drawn(groups: u8, count: Range<usize>) -> impl Strategy<Value = Vec<Drawn>> {
    let removed = proptest::option::weighted(0.2, 0u8..9);
    // Most groups are short, a few last for days.
    let one = (0..groups, 0i64..6, 0usize..4, removed, proptest::bool::weighted(0.1));
    let one = one.prop_map(|(group, hour, role, removed, far)| {
        let hour = i64::from(group) * 5 % 90 + hour * if far { 17 } else { 1 };
        (group, hour, role, removed)
    });
    proptest::collection::vec(one, count)
}

fn range() -> impl Strategy<Value = Option<TimeRange>> {
    let ends = (proptest::option::of(-5i64..120), proptest::option::of(1i64..40));
    let range = ends.prop_map(|(since, hours)| {
        let until = hours.map(|hours| at(since.unwrap_or(0) + hours));
        TimeRange { since: since.map(at), until }
    });
    proptest::option::of(range)
}

fn filter() -> impl Strategy<Value = SearchFilter> {
    let sources = proptest::sample::subsequence(Source::ALL.to_vec(), 0..3);
    let groups = proptest::option::weighted(0.2, proptest::collection::btree_set(0u32..9, 0..4));
    let listed = proptest::option::weighted(0.2, proptest::collection::btree_set(0u32..60, 0..9));
    let without = proptest::option::weighted(0.2, proptest::collection::vec(0u32..9, 1..3));
    let as_of = proptest::option::of((-1i64..25).prop_map(at));
    let all = (as_of, range(), range(), groups, without, sources, listed);
    all.prop_map(|(as_of, period, about, groups, without, sources, listed)| SearchFilter {
        as_of,
        period,
        about,
        groups: groups.map(|groups| groups.into_iter().collect()),
        without_groups: without.unwrap_or_default(),
        sources,
        documents: listed.map(|listed| listed.into_iter().collect()),
    })
}

proptest! {
    #[test]
    fn a_scope_agrees_with_a_check_of_every_document(
        first in drawn(12, 0..40),
        moved in proptest::collection::vec(
            proptest::option::weighted(0.8, (0u8..14, proptest::option::weighted(0.2, 0u8..9))), 0..30),
        then in drawn(14, 0..30),
        filters in proptest::collection::vec(filter(), 4),
    ) {
        let index = index_of(&first, &moved, &then);
        compare(&index, &SearchFilter::default());
        for mut filter in filters {
            let known = index.groups.len() as u32;
            filter.groups.iter_mut().for_each(|groups| groups.retain(|one| *one < known));
            let is_there = |one: &u32| (*one as usize) < index.len();
            filter.documents =
                filter.documents.map(|listed| listed.iter().copied().filter(is_there).collect());
            compare(&index, &filter);
        }
    }
}

/// An index of 2,000 groups, three documents each, an hour apart.
fn large() -> Index {
    let mut index = Index::default();
    for sequence in 1..=6_000u64 {
        let (group, role) = ((sequence - 1) / 3, Role::ALL[sequence as usize % 2]);
        let role = if sequence.is_multiple_of(1_000) { Role::System } else { role };
        index.add(&Document {
            time: at(group as i64),
            created: at(10_000 + sequence as i64),
            ..document(sequence, u128::from(group), role, "a cat")
        });
    }
    index
}

fn hours(since: i64, until: i64) -> SearchFilter {
    let period = TimeRange { since: Some(at(since)), until: Some(at(until)) };
    SearchFilter { period: Some(period), ..SearchFilter::default() }
}

#[test]
fn few_matches_in_a_large_index_are_listed_exactly() {
    let index = large();
    let rare = SearchFilter { sources: vec![Role::System.source()], ..SearchFilter::default() };
    for filter in [hours(500, 524), hours(100, 1_000), rare, SearchFilter::default()] {
        let (scope, naive) = (Scope::new(&index, &filter), Naive::new(&index, &filter));
        assert_eq!(scope.groups(), naive.groups());
        assert_eq!(scope.group_total(), naive.groups().len());
    }
    assert_eq!(Scope::new(&index, &hours(500, 524)).few_groups().unwrap().len(), 24);
}

/// Adds documents about animals with a vector each, one stored every hour.
fn add_animals(index: &mut Index, sequences: Range<u64>, groups: u64) {
    for sequence in sequences {
        let text = ["a cat sat", "the dog and the cat", "birds"][sequence as usize * 7 % 3];
        let group = u128::from(sequence * 31 % groups);
        let number = index.add(&Document {
            time: at((sequence * 13 % 400) as i64),
            created: at(sequence as i64),
            ..document(sequence, group, Role::ALL[sequence as usize % 2], text)
        });
        let value = |one: u64| ((sequence * 37 + one * one * 11) % 97) as f32 - 48.0;
        index.add_vectors("table", number, &[(0..64).map(value).collect()]);
    }
}

/// What is found as of an hour, with and without a period.
fn found_as_of(index: &Index, hour: i64, filter: &SearchFilter) -> Vec<(u32, f32)> {
    let inside = TimeRange { since: Some(at(300)), until: Some(at(390)) };
    let found = [None, Some(inside)].map(|period| {
        let ranking = index.search(&SearchQuery {
            terms: index.query_terms("cat dog"),
            vector: Some((0..64u8).map(|one| f32::from(one % 7) - 3.0).collect()),
            asked_at: at(500),
            period,
            filter: SearchFilter { as_of: Some(at(hour)), ..filter.clone() },
            ..SearchQuery::default()
        });
        [ranking.groups.hits, ranking.documents.hits].concat()
    });
    found.concat().into_iter().map(|one| (one.number, one.score)).collect()
}

#[test]
fn a_search_as_of_an_earlier_time_stays_the_same() {
    let mut index = Index::default();
    add_animals(&mut index, 1..200, 40);
    let then = found_as_of(&index, 200, &SearchFilter::default());
    assert_eq!(then.len(), 40);
    add_animals(&mut index, 201..6_000, 900);
    assert_eq!(found_as_of(&index, 200, &SearchFilter::default()), then);
}

#[test]
fn a_search_of_many_documents_as_of_an_earlier_time_stays_the_same() {
    let mut index = Index::default();
    add_animals(&mut index, 1..21_000, 4_000);
    let of_user = SearchFilter { sources: vec![Role::User.source()], ..SearchFilter::default() };
    let filters = [SearchFilter::default(), of_user];
    let then = filters.each_ref().map(|filter| found_as_of(&index, 21_000, filter));
    add_animals(&mut index, 21_001..42_000, 9_000);
    assert_eq!(filters.each_ref().map(|filter| found_as_of(&index, 21_000, filter)), then);
}

#[test]
fn many_matches_are_represented_by_an_even_sample() {
    let index = large();
    let half = SearchFilter { as_of: Some(at(13_000)), ..SearchFilter::default() };
    let user = SearchFilter { sources: vec![Role::User.source()], ..hours(10, 1_990) };
    for (filter, total) in [(half, 1_000..1_001), (user, 1_900..1_981)] {
        let (scope, naive) = (Scope::new(&index, &filter), Naive::new(&index, &filter));
        assert!(total.contains(&scope.group_total()), "{}", scope.group_total());
        let (sample, all) = (scope.sample(48), naive.groups());
        assert_eq!(sample.len(), 48);
        assert!(sample.iter().all(|one| all.binary_search(one).is_ok()));
        let middle = all[all.len() / 2];
        assert_eq!(sample.iter().filter(|one| **one < middle).count(), 24);
        assert!(scope.few_groups().is_none());
    }
}
