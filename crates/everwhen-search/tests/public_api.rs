//! The library as a caller uses it: documents in, rankings with reasons out.

use everwhen_search::{
    Document, DocumentId, DocumentState, GroupId, Hit, Index, Lane, Micros, OrderedMatches, Scope,
    SearchFilter, SearchQuery, SharedRarity, Signal, Source, TimeRange, merge_scores, passages,
};

const DAY: Micros = 86_400_000_000;
const START: Micros = 1_683_000_000_000_000;

fn group(number: u8) -> GroupId {
    GroupId([number; 16])
}

/// A document of day `sequence`, in a group of its own for every two documents.
fn document(sequence: u64, text: &str) -> Document<'_> {
    Document {
        id: DocumentId(u128::from(sequence).to_be_bytes()),
        group: group((sequence / 2) as u8),
        sequence,
        time: START + sequence as Micros * DAY,
        lasts: 0,
        created: START + sequence as Micros * DAY,
        removed: None,
        source: Source::new(0),
        is_reply: false,
        speaker: None,
        text,
        tags: &[],
    }
}

/// Eight documents in five groups, each about something else but two.
fn index() -> Index {
    let texts = [
        "We planted tomatoes in the garden",
        "The dentist found a cavity",
        "A new bicycle for the commute",
        "The dentist appointment is on Tuesday",
        "Bread with walnuts",
        "The garden needs water",
        "A concert in the park",
        "Nothing much happened",
    ];
    let mut index = Index::default();
    for (sequence, text) in (1..).zip(texts) {
        index.add(&document(sequence, text));
    }
    index
}

fn query(index: &Index, text: &str) -> SearchQuery {
    SearchQuery {
        terms: index.query_terms(text),
        speakers: index.asked_speakers(text),
        asked_at: START + 30 * DAY,
        ..SearchQuery::default()
    }
}

fn share(hit: &Hit, signal: Signal) -> f32 {
    hit.reasons.iter().find(|reason| reason.signal == signal).map_or(0.0, |reason| reason.share)
}

#[test]
fn words_find_documents_and_groups_and_reasons_add_up_to_the_score() {
    let index = index();
    let ranking = index.search(&query(&index, "when is the dentist appointment?"));
    let best = &ranking.documents.hits[0];
    assert_eq!(index.document(best.number).sequence, 4);
    assert_eq!(index.group(ranking.groups.hits[0].number), group(2));
    for hit in ranking.documents.hits.iter().chain(&ranking.groups.hits) {
        let sum: f32 = hit.reasons.iter().map(|reason| reason.share).sum();
        assert!((sum - hit.score).abs() < 1e-4, "{hit:?}");
    }
    assert!(share(best, Signal::Words) > 0.0 && share(best, Signal::Group) > 0.0);
    assert_eq!(Signal::Words.lane(), Some(Lane::Words));
}

#[test]
fn meaning_finds_what_shares_no_word() {
    let mut index = index();
    for number in 0..index.len() as u32 {
        let vector = if number == 4 { vec![0.0, 1.0] } else { vec![1.0, 0.1 * number as f32] };
        index.add_vectors("model", number, &[vector]);
    }
    assert_eq!(index.active_embedder(), "model");
    assert_eq!(index.first_without_vectors("model"), None);
    let asked = SearchQuery { vector: Some(vec![0.0, 1.0]), ..query(&index, "loaf") };
    let best = &index.search(&asked).documents.hits[0];
    assert_eq!(index.document(best.number).sequence, 5);
    assert!(share(best, Signal::Meaning) > share(best, Signal::Words));
}

#[test]
fn times_filter_boost_and_order() {
    let index = index();
    let range = |first: Micros, last: Micros| TimeRange {
        since: Some(START + first * DAY),
        until: Some(START + last * DAY),
    };
    let filter = SearchFilter { period: Some(range(5, 8)), ..SearchFilter::default() };
    assert!(Scope::new(&index, &filter).has_matches());
    let filtered = index.search(&SearchQuery { filter, ..query(&index, "garden") });
    let sequences = |hits: &[Hit]| -> Vec<u64> {
        hits.iter().map(|hit| index.document(hit.number).sequence).collect()
    };
    assert_eq!(sequences(&filtered.documents.hits)[0], 6);
    assert!(sequences(&filtered.documents.hits).iter().all(|one| (5..8).contains(one)));

    let boosted = SearchQuery { period: Some(range(1, 2)), ..query(&index, "garden") };
    let best = &index.search(&boosted).documents.hits[0];
    assert_eq!(index.document(best.number).sequence, 1);
    assert!(share(best, Signal::Period) > 0.0);

    let order = OrderedMatches { from_latest: true, first: 1, last: 1 };
    let last = index.search(&SearchQuery { order: Some(order), ..query(&index, "dentist") });
    assert_eq!(sequences(&last.documents.hits)[0], 4);
    let order = OrderedMatches { from_latest: false, first: 1, last: 1 };
    let first = index.search(&SearchQuery { order: Some(order), ..query(&index, "dentist") });
    assert_eq!(sequences(&first.documents.hits)[0], 2);
    assert!(share(&first.documents.hits[0], Signal::Order) > 0.0);
}

#[test]
fn a_removed_document_is_found_only_as_of_an_earlier_time() {
    let mut index = index();
    let keep = |sequence: u64| DocumentState {
        sequence,
        group: group((sequence / 2) as u8),
        removed: (sequence == 4).then_some(START + 20 * DAY),
    };
    // Document 5 is not among the states: it was erased.
    let states: Vec<DocumentState> = (1..=8).filter(|one| *one != 5).map(keep).collect();
    index.update_states(1, 8, &states);
    let found = |index: &Index, as_of: Option<Micros>, text: &str| -> Vec<u64> {
        let filter = SearchFilter { as_of, ..SearchFilter::default() };
        let ranking = index.search(&SearchQuery { filter, ..query(index, text) });
        let hits = ranking.documents.hits.iter();
        let hits = hits.filter(|hit| share(hit, Signal::Words) > 0.0);
        hits.map(|hit| index.document(hit.number).sequence).collect()
    };
    assert_eq!(found(&index, None, "appointment"), [0u64; 0]);
    assert_eq!(found(&index, Some(START + 10 * DAY), "appointment"), [4]);
    assert_eq!(found(&index, Some(START + 10 * DAY), "walnuts"), [0u64; 0]);
}

#[test]
fn speakers_and_tags_and_sources_narrow_a_search() {
    let mut index = Index::default();
    let talk = [("Ben", "How was the pottery class?"), ("Anna", "We made bowls"), ("Ben", "Nice")];
    for (sequence, (speaker, text)) in (1..).zip(talk) {
        let tags: &[&str] = if sequence == 3 { &["reply"] } else { &[] };
        let source = Source::new(sequence as u8 - 1);
        index.add(&Document { speaker: Some(speaker), tags, source, ..document(sequence, text) });
    }
    let text = "What did Anna do in pottery class?";
    assert_eq!(index.without_speakers(text), "What did do in pottery class?");
    let ranking = index.search(&query(&index, text));
    let named = ranking.documents.hits.iter().filter(|hit| share(hit, Signal::Speaker) > 0.0);
    assert_eq!(named.map(|hit| hit.number).collect::<Vec<_>>(), [1]);

    let documents = Some(index.tagged(&["reply"]).into());
    let filter = SearchFilter { documents, ..SearchFilter::default() };
    let ranking = index.search(&SearchQuery { filter, ..query(&index, "class") });
    assert_eq!(ranking.documents.hits.iter().map(|hit| hit.number).collect::<Vec<_>>(), [2]);

    let filter = SearchFilter { sources: vec![Source::new(1)], ..SearchFilter::default() };
    let ranking = index.search(&SearchQuery { filter, ..query(&index, "class") });
    assert_eq!(ranking.documents.hits.iter().map(|hit| hit.number).collect::<Vec<_>>(), [1]);
}

#[test]
fn segments_restore_an_index_and_damaged_ones_are_refused() {
    let mut index = index();
    assert_eq!(index.unsaved(), 8);
    let segment = index.next_segment().unwrap();
    index.mark_saved(&segment);
    assert_eq!((segment.after, segment.through), (0, 8));
    assert_eq!((index.unsaved(), segment.is_full()), (0, false));

    let mut restored = Index::default();
    restored.load_segment(&segment.parts).unwrap();
    let scores = |index: &Index| -> Vec<(u32, f32)> {
        let hits = index.search(&query(index, "garden dentist")).documents.hits;
        hits.iter().map(|hit| (hit.number, hit.score)).collect()
    };
    assert_eq!(scores(&restored), scores(&index));

    let mut damaged = segment.parts;
    damaged[0][40] ^= 1;
    let error = Index::default().load_segment(&damaged).unwrap_err();
    assert_eq!(error.to_string(), "the bytes are not a segment that continues this index");
}

#[test]
fn rankings_of_several_indexes_become_comparable() {
    let (first, mut second) = (index(), Index::default());
    for sequence in 1..=8 {
        second.add(&document(sequence, "The dentist, the dentist, always the dentist"));
    }
    let text = "garden dentist";
    let rarity = SharedRarity::new([&first, &second].into_iter(), text, None);
    let mut rankings = [&first, &second].map(|index| {
        let terms = index.shared_query_terms(text, &rarity);
        index.search(&SearchQuery { terms, ..query(index, text) })
    });
    merge_scores(&mut rankings.iter_mut().map(|one| &mut one.documents).collect::<Vec<_>>());
    let best = |number: usize| {
        rankings[number].documents.hits.iter().map(|hit| hit.score).fold(f32::MIN, f32::max)
    };
    // "garden" is rare over both indexes, "dentist" is not.
    assert!(best(0) > best(1), "{} {}", best(0), best(1));
}

#[test]
fn rankings_of_several_indexes_as_of_an_earlier_time_stay_the_same() {
    let (mut first, mut second) = (index(), Index::default());
    second.add(&document(1, "A dentist in the garden"));
    let (text, as_of) = ("garden dentist", Some(START + 8 * DAY));
    let found = |indexes: [&Index; 2]| {
        let rarity = SharedRarity::new(indexes.into_iter(), text, as_of);
        let mut rankings = indexes.map(|index| {
            let terms = index.shared_query_terms(text, &rarity);
            let filter = SearchFilter { as_of, ..SearchFilter::default() };
            index.search(&SearchQuery { terms, filter, ..query(index, text) })
        });
        merge_scores(&mut rankings.iter_mut().map(|one| &mut one.documents).collect::<Vec<_>>());
        let hits = rankings.iter().flat_map(|one| &one.documents.hits);
        hits.map(|hit| (hit.number, hit.score)).collect::<Vec<_>>()
    };
    let then = found([&first, &second]);
    for sequence in 9..40 {
        first.add(&document(sequence, "The dentist, the dentist, always the dentist"));
        second.add(&document(sequence, "Bread"));
    }
    assert_eq!(found([&first, &second]), then);
}

#[test]
fn every_signal_has_a_name_of_its_own() {
    let names: std::collections::BTreeSet<&str> =
        Signal::ALL.iter().map(|signal| signal.as_str()).collect();
    assert_eq!(names.len(), Signal::ALL.len());
}

#[test]
fn long_texts_are_split_into_overlapping_passages() {
    let text = "word ".repeat(200);
    let parts = passages(&text);
    assert_eq!(parts.iter().map(|part| part.len()).collect::<Vec<_>>(), [500, 500, 200]);
    assert_eq!(parts[0][400..], parts[1][..100]);
}
