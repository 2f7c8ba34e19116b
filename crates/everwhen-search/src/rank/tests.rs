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
