//! Entries as rows: what comes back, what a query means, and how pages hang together.

use everwhen_engine::ErrorKind;
use everwhen_engine::memory::{Corrected, Correction, Entry, Metadata, Role, Said};
use everwhen_engine::ports::{
    Buckets, Cursor, EntryChange, EntryQuery, EntryState, Order, Row, TimeAxis, Tx, Which,
};

use crate::bed::{Bed, Open, plain};
use crate::rows::{at, conversation, entry, home, id, name, place};

/// Adds entries to the vault with the number 1.
fn add(bed: &Bed, entries: Vec<Entry>) {
    bed.write(move |tx| {
        entries.iter().try_for_each(|entry| tx.put(Row::Entry(id(1), entry, None)))
    });
}

/// The sequences of the entries a query finds.
fn found(bed: &Bed, query: EntryQuery) -> Vec<u64> {
    let rows = bed.look(move |rows| rows.entries(home(), &query));
    rows.iter().map(|entry| entry.sequence).collect()
}

pub(crate) fn an_entry_comes_back_as_it_was_added(open: Open) {
    let bed = open();
    let rich = Entry {
        role: Role::Assistant,
        speaker: Some(name("Mira")),
        content: Said::new("said \"so\"\n\tand 🦀").unwrap(),
        summary: Some("short".into()),
        tags: vec![name("b"), name("a")],
        metadata: Some(Metadata::new(r#"{"b": 1, "a": [null]}"#).unwrap()),
        tools_used: vec![name("clock")],
        is_question: true,
        conversation_time: at(-525_600 * 80),
        placed_by_time: false,
        corrects: Some(Correction { entry: id(9), reason: "typo".into() }),
        place: 9,
        ..entry(1)
    };
    add(&bed, vec![rich.clone(), entry(2)]);
    assert_eq!(bed.look(|rows| rows.entry(home(), id(1))), Some(rich.clone()));
    let listed = bed.look(|rows| rows.entries(home(), &EntryQuery::default()));
    assert_eq!(listed, [rich, entry(2)]);
    assert_eq!(bed.look(|rows| rows.entry(home(), id(3))), None);
}

pub(crate) fn times_are_half_open(open: Open) {
    let bed = open();
    add(&bed, (1..=5).map(entry).collect());
    let between = |after: Option<i64>, before: Option<i64>| {
        let (after, before) = (after.map(at), before.map(at));
        found(&bed, EntryQuery { after, before, ..EntryQuery::default() })
    };
    assert_eq!(between(Some(2), None), [2, 3, 4, 5]);
    assert_eq!(between(None, Some(4)), [1, 2, 3]);
    assert_eq!(between(Some(2), Some(4)), [2, 3]);
    assert_eq!(between(Some(6), None), [0; 0]);
}

pub(crate) fn stored_times_are_half_open(open: Open) {
    let bed = open();
    add(&bed, (1..=5).map(|n| Entry { conversation_time: at(0), ..entry(n) }).collect());
    let between = |after: Option<i64>, before: Option<i64>| {
        let (created_after, created_before) = (after.map(at), before.map(at));
        found(&bed, EntryQuery { created_after, created_before, ..EntryQuery::default() })
    };
    assert_eq!(between(Some(2), None), [2, 3, 4, 5]);
    assert_eq!(between(None, Some(4)), [1, 2, 3]);
    assert_eq!(between(Some(2), Some(4)), [2, 3]);
}

pub(crate) fn which_tells_what_is_in_force(open: Open) {
    let bed = open();
    add(&bed, (1..=4).map(entry).collect());
    bed.write(|tx| {
        tx.change_entries(
            home(),
            &[id(1)],
            EntryChange::Corrected(Corrected { by: id(4), at: at(4) }),
        )?;
        tx.change_entries(home(), &[id(2)], EntryChange::Branch(id(7), at(6)))
    });
    let which = |which| found(&bed, EntryQuery { which, ..EntryQuery::default() });
    assert_eq!(which(Which::Current), [3, 4]);
    assert_eq!(which(Which::All), [1, 2, 3, 4]);
    assert_eq!(which(Which::Branch(id(7))), [2]);
    assert_eq!(which(Which::Branch(id(8))), [0; 0]);
    assert_eq!(which(Which::AsOf(at(0))), [0; 0]);
    assert_eq!(which(Which::AsOf(at(3))), [1, 2, 3]);
    assert_eq!(which(Which::AsOf(at(4))), [2, 3, 4]);
    assert_eq!(which(Which::AsOf(at(6))), [3, 4]);
    let first = bed.look(|rows| rows.entry(home(), id(1))).unwrap();
    assert_eq!(first.corrected, Some(Corrected { by: id(4), at: at(4) }));
    let second = bed.look(|rows| rows.entry(home(), id(2))).unwrap();
    assert_eq!(second.branch, Some((id(7), at(6))));
}

pub(crate) fn roles_tags_and_conversations_narrow_the_list(open: Open) {
    let bed = open();
    let tagged = |tags: &[&str]| tags.iter().map(|tag| name(tag)).collect();
    add(
        &bed,
        vec![
            Entry { tags: tagged(&["art", "a\"b"]), ..entry(1) },
            Entry { role: Role::Tool, tags: tagged(&["artful"]), ..entry(2) },
            Entry { conversation: id(2), ..entry(3) },
        ],
    );
    let role = |role| found(&bed, EntryQuery { role: Some(role), ..EntryQuery::default() });
    assert_eq!(
        (role(Role::User), role(Role::Tool), role(Role::System)),
        (vec![1, 3], vec![2], vec![])
    );
    let tag = |tag| found(&bed, EntryQuery { tag: Some(name(tag)), ..EntryQuery::default() });
    assert_eq!((tag("art"), tag("a\"b"), tag("Art")), (vec![1], vec![1], vec![]));
    let of = |number| found(&bed, EntryQuery::of_conversation(id(number), Which::Current));
    assert_eq!((of(1), of(2), of(3)), (vec![1, 2], vec![3], vec![]));
}

pub(crate) fn equal_times_stand_in_order_of_arrival(open: Open) {
    let bed = open();
    let said = |number, minute| Entry { conversation_time: at(minute), ..entry(number) };
    add(&bed, vec![said(3, 1), said(1, 2), said(2, 1), said(4, 0)]);
    let order = |order| found(&bed, EntryQuery { order, ..EntryQuery::default() });
    assert_eq!(order(Order::Oldest), [4, 2, 3, 1]);
    assert_eq!(order(Order::Newest), [1, 3, 2, 4]);
}

/// Twenty-four entries in which every attribute varies on its own.
fn fill(tx: &mut dyn Tx) -> everwhen_engine::Result<()> {
    for number in 0..24u64 {
        let some = |every: u64, text: &str| {
            if number % every == 0 { vec![name(text)] } else { Vec::new() }
        };
        let said = Entry {
            role: Role::ALL[usize::try_from(number % 4).unwrap()],
            tags: [some(2, "even"), some(3, "third")].concat(),
            conversation_time: at(i64::try_from(number * 7 % 10).unwrap()),
            conversation: id(u128::from(number % 3)),
            ..entry(number)
        };
        tx.put(Row::Entry(id(1), &said, None))?;
    }
    for number in [1, 6, 11] {
        let corrected = Corrected { by: id(number + 1), at: at(20) };
        tx.change_entries(home(), &[id(number)], EntryChange::Corrected(corrected))?;
    }
    tx.change_entries(home(), &[id(2), id(9), id(16)], EntryChange::Branch(id(77), at(21)))
}

/// Every combination of two or more values for every field.
fn queries() -> Vec<EntryQuery> {
    let mut all = vec![EntryQuery::default()];
    let mut vary = |change: &dyn Fn(&EntryQuery) -> Vec<EntryQuery>| {
        let varied: Vec<EntryQuery> = all.iter().flat_map(change).collect();
        all.extend(varied);
    };
    vary(&|query| vec![EntryQuery { after: Some(at(3)), ..query.clone() }]);
    vary(&|query| vec![EntryQuery { before: Some(at(7)), ..query.clone() }]);
    vary(&|query| vec![EntryQuery { created_after: Some(at(4)), ..query.clone() }]);
    vary(&|query| vec![EntryQuery { created_before: Some(at(19)), ..query.clone() }]);
    vary(&|query| {
        let which = [Which::All, Which::AsOf(at(20)), Which::AsOf(at(21)), Which::Branch(id(77))];
        which.into_iter().map(|which| EntryQuery { which, ..query.clone() }).collect()
    });
    vary(&|query| vec![EntryQuery { role: Some(Role::System), ..query.clone() }]);
    vary(&|query| vec![EntryQuery { tag: Some(name("even")), ..query.clone() }]);
    vary(&|query| vec![EntryQuery { conversation: Some(id(2)), ..query.clone() }]);
    vary(&|query| vec![EntryQuery { order: Order::Newest, ..query.clone() }]);
    vary(&|query| {
        let from = Some(Cursor { time: at(5), sequence: 12 });
        vec![EntryQuery { from, ..query.clone() }]
    });
    vary(&|query| vec![EntryQuery { limit: Some(3), ..query.clone() }]);
    all
}

pub(crate) fn every_query_answers_as_the_oracle_does(open: Open) {
    let answers = |bed: Bed| {
        bed.write(fill);
        bed.look(|rows| {
            queries().iter().map(|query| rows.entries(home(), query)).collect::<Result<Vec<_>, _>>()
        })
    };
    let (found, expected) = (answers(open()), answers(plain()));
    for ((query, found), expected) in queries().iter().zip(found).zip(&expected) {
        assert_eq!(&found, expected, "{query:?}");
    }
    let sizes = expected.iter().map(Vec::len);
    assert!(sizes.clone().any(|size| size > 20) && sizes.clone().any(|size| size == 0));
}

pub(crate) fn pages_stay_stable_while_entries_come_in(open: Open) {
    for order in [Order::Oldest, Order::Newest] {
        let bed = open();
        bed.write(fill);
        let before = bed
            .look(move |rows| rows.entries(home(), &EntryQuery { order, ..EntryQuery::default() }));
        let (mut seen, mut from, mut newcomer) = (Vec::new(), None, 100);
        for _ in 0..50 {
            let query = EntryQuery { order, from, limit: Some(4), ..EntryQuery::default() };
            let page = bed.look(move |rows| rows.entries(home(), &query));
            let Some(last) = page.last() else { break };
            from = Some(Cursor { time: last.conversation_time, sequence: last.sequence });
            seen.extend(page);
            newcomer += 1;
            add(&bed, vec![Entry { conversation_time: at(5), ..entry(newcomer) }]);
        }
        seen.retain(|entry| entry.sequence < 100);
        assert_eq!(seen, before);
    }
}

pub(crate) fn moved_entries_carry_the_name_of_their_new_home(open: Open) {
    let bed = open();
    add(&bed, vec![entry(1), entry(2)]);
    bed.write(|tx| {
        let named = everwhen_engine::memory::Conversation {
            name: Some(name("their own")),
            ..conversation(2)
        };
        tx.put(Row::Conversation(id(1), &conversation(1)))?;
        tx.put(Row::Conversation(id(1), &named))?;
        tx.change_entries(home(), &[id(2)], EntryChange::Conversation(id(2)))
    });
    let second = bed.look(|rows| rows.entry(home(), id(2))).unwrap();
    assert_eq!(second.conversation, id(2));
    assert_eq!(second.conversation_name, Some(name("their own")));
    let first = bed.look(|rows| rows.entries(home(), &EntryQuery::default())).remove(0);
    assert_eq!((first.conversation, &first.conversation_name), (id(1), &None));
    // Also when they are read together with other conversations than their own, or none.
    for talks in [vec![id(2), id(1)], vec![id(1), id(9)], Vec::new()] {
        let read = talks.clone();
        let (said, found) =
            bed.look(move |rows| rows.each_of(home(), &[id(2), id(9), id(1)], &read));
        assert_eq!(said, [Some(second.clone()), None, Some(first.clone())]);
        assert_eq!(found.len(), talks.len());
    }
    let (said, found) = bed.look(|rows| rows.each_of(home(), &[], &[id(9), id(2)]));
    assert!(said.is_empty() && found[0].is_none());
    assert_eq!(found[1].as_ref().map(|one| one.id), Some(id(2)));
}

pub(crate) fn marks_on_what_is_not_there_are_refused(open: Open) {
    let bed = open();
    add(&bed, vec![entry(1)]);
    let refusals = [
        bed.refuse(|tx| {
            tx.change_entries(
                home(),
                &[id(2)],
                EntryChange::Corrected(Corrected { by: id(1), at: at(1) }),
            )
        }),
        bed.refuse(|tx| {
            tx.change_entries(home(), &[id(1), id(2)], EntryChange::Branch(id(7), at(1)))
        }),
        bed.refuse(|tx| {
            tx.change_entries(home(), &[id(1), id(2)], EntryChange::Conversation(id(7)))
        }),
    ];
    assert!(refusals.iter().all(|error| error.kind() == ErrorKind::Damaged));
    assert_eq!(bed.look(|rows| rows.entry(home(), id(1))), Some(entry(1)));
}

pub(crate) fn arrivals_come_in_sequence_whatever_became_of_them(open: Open) {
    let bed = open();
    let late = Entry { conversation_time: at(-9), ..entry(3) };
    add(&bed, vec![entry(1), entry(2), late]);
    bed.write(|tx| {
        tx.change_entries(
            home(),
            &[id(2)],
            EntryChange::Corrected(Corrected { by: id(3), at: at(7) }),
        )?;
        tx.change_entries(home(), &[id(2)], EntryChange::Branch(id(8), at(6)))
    });
    let behind = |behind: u64, limit: usize| -> Vec<u64> {
        let rows = bed.look(move |rows| rows.entries(home(), &EntryQuery::arrived(behind, limit)));
        rows.iter().map(|entry| entry.sequence).collect()
    };
    assert_eq!((behind(0, 9), behind(1, 1), behind(3, 9)), (vec![1, 2, 3], vec![2], vec![]));
    let first = EntryState { sequence: 1, conversation: entry(1).conversation, gone_since: None };
    let second = EntryState { sequence: 2, gone_since: Some(at(6)), ..first };
    assert_eq!(bed.look(|rows| rows.entry_states(home(), 2)), [first, second]);
}

pub(crate) fn counts_tell_how_much_there_is_on_either_clock(open: Open) {
    let bed = open();
    let late = Entry { conversation_time: at(-9), ..entry(4) };
    add(&bed, vec![entry(1), entry(2), entry(3), late]);
    bed.write(|tx| {
        let corrected = Corrected { by: id(3), at: at(70) };
        tx.change_entries(home(), &[id(2)], EntryChange::Corrected(corrected))?;
        tx.change_entries(home(), &[id(1)], EntryChange::Branch(id(8), at(60)))
    });
    let said = |number: u64| entry(number).conversation_time;
    let span = |axis, which| bed.look(move |rows| rows.span(home(), axis, which));
    assert_eq!(span(TimeAxis::ConversationTime, Which::Current), Some((at(-9), said(3))));
    assert_eq!(span(TimeAxis::ConversationTime, Which::AsOf(at(65))), Some((at(-9), said(3))));
    let stored_ends = (entry(1).creation_time, entry(4).creation_time);
    assert_eq!(span(TimeAxis::CreationTime, Which::All), Some(stored_ends));
    assert_eq!(span(TimeAxis::CreationTime, Which::AsOf(at(-99_999))), None);
    let buckets = Buckets { since: at(-9), until: at(15), count: 2 };
    let counts =
        |axis, which, buckets| bed.look(move |rows| rows.counts(home(), axis, which, buckets));
    let by_said = |which, buckets| counts(TimeAxis::ConversationTime, which, buckets);
    assert_eq!(by_said(Which::All, buckets), [3, 1]);
    assert_eq!(by_said(Which::Current, buckets), [1, 1]);
    assert_eq!(by_said(Which::AsOf(at(65)), buckets), [2, 1], "before the correction");
    assert_eq!(by_said(Which::All, Buckets { until: said(3), ..buckets }), [1, 2]);
    let stored = Buckets { since: stored_ends.0, until: stored_ends.1, count: 3 };
    assert_eq!(counts(TimeAxis::CreationTime, Which::All, stored), [1, 1, 1]);
    let other = bed.look(|rows| rows.span(place(2, 1), TimeAxis::ConversationTime, Which::All));
    assert_eq!(other, None, "another vault has no say over this memory");
}
