//! Signals of groups and documents, each in an index made for it.

use super::*;
use crate::document::Document;
use crate::signal::Signal;
use crate::testing::{DAY, MAY, Role, document, index_of};

fn query(index: &Index, text: &str, vector: Option<Vec<f32>>) -> SearchQuery {
    let terms = index.query_terms(text);
    SearchQuery { terms, vector, asked_at: MAY + 31 * DAY, ..SearchQuery::default() }
}

/// The values of a signal for each hit, by number.
fn values(found: &RankedList, signal: Signal) -> Vec<f32> {
    let mut hits: Vec<&Hit> = found.hits.iter().collect();
    hits.sort_by_key(|one| one.number);
    let reasons = hits.iter().flat_map(|one| &one.reasons);
    reasons.filter(|reason| reason.signal == signal).map(|reason| reason.value).collect()
}

#[test]
fn words_in_one_document_count_more_than_words_apart() {
    let index = index_of(&[
        (1, Role::User, "blue"),
        (1, Role::User, "lamp"),
        (2, Role::User, "blue lamp"),
        (3, Role::User, "hello"),
    ]);
    let found = index.search(&query(&index, "blue lamp", None));
    let documents = values(&found.groups, Signal::Documents);
    assert!(documents[1] > documents[0] && documents[0] > documents[2], "{documents:?}");
    assert_eq!(found.groups.hits[0].number, 1);
}

#[test]
fn a_question_with_you_asks_for_a_reply_and_one_with_my_for_what_the_user_said() {
    let index = index_of(&[
        (1, Role::User, "the blue lamp"),
        (1, Role::Assistant, "the blue lamp"),
        (2, Role::User, "hello"),
    ]);
    let first = |text: &str| {
        let speakers = index.asked_speakers(text);
        let asked = SearchQuery { speakers, ..query(&index, text, None) };
        index.search(&asked).documents.hits[0].number
    };
    assert_eq!(first("Which lamp did you mean?"), 1);
    assert_eq!(first("What colour is my lamp?"), 0);
}

#[test]
fn who_speaks_about_themselves_precedes_who_only_answers() {
    let index = index_of(&[
        (1, Role::User, "Your blue lamp, how lovely"),
        (1, Role::User, "I bought my blue lamp, lovely"),
        (2, Role::User, "Ich habe meine Lampe gekauft und sie ist blau"),
        (3, Role::Assistant, "I find my blue lamp lovely"),
        (4, Role::User, "hello"),
    ]);
    let found = index.search(&query(&index, "blue lamp", None));
    assert_eq!(found.documents.hits[0].number, 1);
    let values = values(&found.documents, Signal::FirstPerson);
    let (high, low) = (values[1], values[0]);
    assert!(high > low, "{values:?}");
    assert_eq!(
        values[2..],
        [high, low, low],
        "the third says ich and meine, the fourth is a reply"
    );
}

#[test]
fn who_ends_by_asking_tells_less_of_themselves() {
    let index = index_of(&[
        (1, Role::User, "I love my blue lamp. Do you?"),
        (1, Role::User, "I love my blue lamp."),
        (2, Role::User, "Is my blue lamp lovely ?  "),
        (3, Role::User, "blue lamp? hello"),
    ]);
    let values =
        values(&index.search(&query(&index, "blue lamp", None)).documents, Signal::FirstPerson);
    assert!(values[1] > values[0] && values[0] > values[2], "{values:?}");
    assert_eq!(values[2], values[3], "one pronoun less is none");
}

#[test]
fn the_theme_of_the_leading_group_finds_its_siblings() {
    let texts: Vec<String> = (1..=9).map(|one| format!("word{one}")).collect();
    let documents: Vec<_> =
        (1..).zip(&texts).map(|(one, text)| (one, Role::User, text.as_str())).collect();
    let mut index = index_of(&documents);
    // The first group is found by its word and points at the third direction. So does the second one,
    // which the query itself does not point at.
    let leader = vec![0.6, 0.0, 0.8, 0.0];
    let rows = [leader, vec![0.0, 0.0, 1.0, 0.0]];
    let others = std::iter::repeat_n(vec![0.0, 1.0, 0.0, 0.0], 7);
    let rows = (0..).zip(rows.into_iter().chain(others));
    rows.for_each(|(number, row)| index.add_vectors("test", number, &[row]));
    let found = index.search(&query(&index, "word1", Some(vec![1.0, 0.0, 0.0, 0.0])));
    let siblings = values(&found.groups, Signal::Sibling);
    assert!(siblings[2..].iter().all(|other| siblings[1] > *other), "{siblings:?}");
    let order: Vec<u32> = found.groups.hits.iter().map(|one| one.number).collect();
    assert_eq!(order[..2], [0, 1]);
}

#[test]
fn what_stands_next_to_the_words_is_found_and_the_named_speaker_leads() {
    let mut index = Index::default();
    let talk = [
        ("Ben", "How did the pottery class go"),
        ("Anna", "We made bowls and it rained all day"),
        ("Ben", "ok"),
        ("Ben", "bye"),
    ];
    for (sequence, (speaker, text)) in (1..).zip(talk) {
        index.add(&Document { speaker: Some(speaker), ..document(sequence, 1, Role::User, text) });
    }
    let mut asked = query(&index, "pottery", None);
    let nearby = values(&index.search(&asked).documents, Signal::WordsNearby);
    assert!(nearby[1] > nearby[2] && nearby[2] == nearby[3], "{nearby:?}");
    asked.speakers = index.asked_speakers("What did Anna do in pottery class?");
    assert_eq!(index.search(&asked).documents.hits[0].number, 1);
}

#[test]
fn hundreds_of_matches_can_be_asked_for_by_their_order() {
    let documents: Vec<_> = (0..300).map(|_| (1, Role::User, "a cat")).collect();
    let index = index_of(&documents);
    let order = Some(OrderedMatches { from_latest: true, first: 1, last: 300 });
    let asked = SearchQuery { order, limit: 300, ..query(&index, "cat", None) };
    let found = index.search(&asked).documents.hits;
    assert_eq!((found.len(), found[0].number), (300, 299));
    assert!(found.iter().all(|hit| hit.score.is_finite()));
}

/// The number of groups in [`many_groups`]: more than are ranked in full if there were more documents.
const MANY: u32 = 1_500;

/// Groups of three documents, with made-up words and vectors, and more passages than clusters begin at.
fn many_groups() -> Index {
    let mut index = Index::default();
    for number in 0..3 * MANY {
        let text = words(number, 12);
        let role = if number % 3 == 1 { Role::Assistant } else { Role::User };
        index.add(&document(u64::from(number) + 1, u128::from(number / 3 + 1), role, &text));
        index.add_vectors("test", number, &[direction(number)]);
    }
    index
}

/// A number that looks random.
fn mix(seed: u32) -> u32 {
    let spread = (u64::from(seed) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((spread ^ spread >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as u32
}

/// Some of 600 words, few of them often.
fn words(seed: u32, count: u32) -> String {
    let word = |place: u32| {
        let share = mix(seed * 64 + place) % 1_000;
        format!("word{} ", share * share / 1_667)
    };
    (0..count).map(word).collect()
}

/// A vector near one of 40 others.
fn direction(seed: u32) -> Vec<f32> {
    let value = |seed: u32| mix(seed) as f32 / (1 << 23) as f32 - 1.0;
    let topic = (mix(seed) % 40) * 16;
    let values = (0..16).map(|one| value(topic + one) + 0.7 * value(1_000_000 + seed * 16 + one));
    let values: Vec<f32> = values.collect();
    let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
    values.into_iter().map(|value| value / length).collect()
}

fn asked(index: &Index, number: u32) -> SearchQuery {
    query(index, &words(9_000 + number, 4), Some(direction(500_000 + number)))
}

#[test]
fn of_many_groups_the_best_are_the_same_however_many_are_asked_for() {
    let index = many_groups();
    assert!(!index.vectors.are_few());
    for number in 0..20 {
        let asked = asked(&index, number);
        let ten = index.search(&asked);
        let all = index.search(&SearchQuery { limit: 5_000, ..asked });
        assert_eq!((all.groups.hits.len(), all.documents.hits.len()), (1_500, 4_500));
        for (ten, all) in [(&ten.groups, &all.groups), (&ten.documents, &all.documents)] {
            let list = |hits: &[Hit]| -> Vec<(u32, f32)> {
                hits[..10].iter().map(|hit| (hit.number, hit.score)).collect()
            };
            assert_eq!(list(&ten.hits), list(&all.hits));
            assert_eq!(ten.distributions[0].count, all.hits.len() as f64);
        }
    }
}

#[test]
fn a_shortlist_loses_little_of_what_a_full_ranking_finds() {
    let index = many_groups();
    let (mut first, mut among_ten) = (0, 0);
    for number in 0..100 {
        let asked = asked(&index, number);
        let scope = Scope::new(&index, &asked.filter);
        let list = |coverage| -> Vec<u32> {
            let found = index.rank(&scope, &asked, coverage).groups.hits;
            found.iter().map(|hit| hit.number).collect()
        };
        let (exact, short) = (list(Coverage::All), list(Coverage::Shortlist));
        first += usize::from(exact[0] == short[0]);
        among_ten += exact.iter().filter(|one| short.contains(one)).count();
    }
    assert!(first >= 90 && among_ten >= 850, "{first} of 100, {among_ten} of 1,000");
}
