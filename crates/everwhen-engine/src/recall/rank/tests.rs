//! Signals that speak for conversations and entries, each in a memory made for it.

use super::*;
use crate::memory::{Name, Role};
use crate::recall::index::tests::{index_of, said};
use crate::recall::signal::Signal;

fn question(index: &Index, words: &[&str], vector: Option<Vec<f32>>) -> Question {
    let terms = words.iter().filter_map(|word| index.term(word)).map(|term| (term, 1.0));
    Question {
        terms: terms.collect(),
        vector,
        speakers: Vec::new(),
        asked_at: "2023-06-01T00:00:00Z".parse().unwrap(),
        period: None,
        first: None,
        chosen: None,
        order: None,
        narrow: Narrow::default(),
        limit: 10,
        leading: 10,
    }
}

/// How strong a signal is for each of what was found, by number.
fn strengths(found: &Best, signal: Signal) -> Vec<f32> {
    let mut ranked: Vec<&Ranked> = found.ranked.iter().collect();
    ranked.sort_by_key(|one| one.number);
    let reasons = ranked.iter().flat_map(|one| &one.reasons);
    reasons.filter(|reason| reason.signal == signal).map(|reason| reason.value).collect()
}

#[test]
fn words_in_one_entry_say_more_than_words_apart_or_in_a_reply() {
    let index = index_of(&[
        (1, Role::User, "blue"),
        (1, Role::User, "lamp"),
        (2, Role::User, "blue lamp"),
        (3, Role::User, "hello"),
        (3, Role::Assistant, "blue lamp"),
    ]);
    let found = rank(&index, &question(&index, &["blue", "lamp"], None));
    let together = strengths(&found.conversations, Signal::WordsTogether);
    assert!(together[1] > together[0] && together[0] > together[2], "{together:?}");
    assert_eq!(found.conversations.ranked[0].number, 1);
}

#[test]
fn how_a_conversation_opens_counts_beside_its_nearest_passage() {
    let mut index = index_of(&[
        (1, Role::User, "a"),
        (1, Role::User, "b"),
        (2, Role::Assistant, "hello"),
        (2, Role::User, "c"),
        (2, Role::User, "d"),
    ]);
    let (near, far) = (vec![vec![1.0, 0.0]], vec![vec![0.0, 1.0]]);
    let of_entries = [&far[..], &near, &[], &near, &far];
    (0..).zip(of_entries).for_each(|(entry, rows)| index.embed("test", entry, rows));
    let found = rank(&index, &question(&index, &[], Some(near[0].clone())));
    let (meaning, opening) = (
        strengths(&found.conversations, Signal::Meaning),
        strengths(&found.conversations, Signal::Opening),
    );
    assert_eq!(meaning[0], meaning[1]);
    assert!(opening[1] > opening[0], "{opening:?}");
    assert_eq!(found.conversations.ranked[0].number, 1);
}

#[test]
fn what_the_leading_conversation_is_about_finds_its_siblings() {
    let said: Vec<(u128, Role, String)> =
        (1..=9).map(|one| (one, Role::User, format!("word{one}"))).collect();
    let said: Vec<_> = said.iter().map(|(one, role, text)| (*one, *role, text.as_str())).collect();
    let mut index = index_of(&said);
    // The first one is found by its word and is about the third direction; so is the second, which
    // the question itself does not point at.
    let leader = vec![0.6, 0.0, 0.8, 0.0];
    let rows = [leader, vec![0.0, 0.0, 1.0, 0.0]];
    let others = std::iter::repeat_n(vec![0.0, 1.0, 0.0, 0.0], 7);
    (0..)
        .zip(rows.into_iter().chain(others))
        .for_each(|(one, row)| index.embed("test", one, &[row]));
    let found = rank(&index, &question(&index, &["word1"], Some(vec![1.0, 0.0, 0.0, 0.0])));
    let siblings = strengths(&found.conversations, Signal::Sibling);
    assert!(siblings[2..].iter().all(|other| siblings[1] > *other), "{siblings:?}");
    let order: Vec<u32> = found.conversations.ranked.iter().map(|one| one.number).collect();
    assert_eq!(order[..2], [0, 1]);
}

#[test]
fn where_somebody_is_named_an_answer_follows_what_was_asked() {
    let mut index = Index::default();
    let talk = [
        ("Ben", "How did the pottery class go"),
        ("Anna", "We made bowls and it rained all day"),
        ("Ben", "ok"),
    ];
    for (sequence, (speaker, text)) in (1..).zip(talk) {
        let speaker = Some(Name::new("speaker", speaker).unwrap());
        index.add(&crate::memory::Entry { speaker, ..said(sequence, 1, Role::User, text) });
    }
    let mut asked = question(&index, &["pottery"], None);
    let silent = rank(&index, &asked).entries;
    assert!(strengths(&silent, Signal::WordsBefore).is_empty());
    asked.speakers = crate::recall::plan::speakers(&index, "What did Anna do in pottery class?");
    let found = rank(&index, &asked).entries;
    let (before, length) =
        (strengths(&found, Signal::WordsBefore), strengths(&found, Signal::Length));
    assert!(before[1] > before[0] && before[1] > before[2], "{before:?}");
    assert!(length[1] > length[2], "{length:?}");
    assert_eq!(found.ranked[0].number, 1);
}
