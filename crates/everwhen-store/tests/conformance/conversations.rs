//! Conversations as rows: what comes back, what a query means, merges, branches and endings.

use everwhen_engine::Result;
use everwhen_engine::memory::{
    Branch, Conversation, Ended, EndedBy, Entry, Retrospection, Summary, SummaryBy,
};
use everwhen_engine::ports::EntryQuery;
use everwhen_engine::ports::{
    ArchiveFilter, ConversationOrder, ConversationQuery, EntryChange, Order, Row, Tx, Which,
};
use jiff::Timestamp;

use crate::bed::{Bed, Open, plain};
use crate::rows::{at, conversation, entry, home, id, name};

fn put(bed: &Bed, conversations: Vec<Conversation>) {
    bed.write(move |tx| {
        conversations.iter().try_for_each(|one| tx.put(Row::Conversation(id(1), one)))
    });
}

/// A conversation in which everything has a value.
fn furnished() -> Conversation {
    Conversation {
        name: Some(name("their own")),
        last_at: at(5),
        entries: 3,
        ended: Some(Ended { at: at(7), by: EndedBy::Caller { reason: Some("tired".into()) } }),
        summary: Some(Summary {
            title: "A title of five words".into(),
            text: "One. Two.".into(),
            by: SummaryBy::Extractive,
        }),
        archived_at: Some(at(8)),
        restored_at: Some(at(9)),
        distilled_at: Some(at(8)),
        retrospection: Some(Retrospection { text: "Next time sooner.".into(), at: at(10) }),
        ..conversation(1)
    }
}

pub(crate) fn a_conversation_comes_back_as_it_was_put(open: Open) {
    let bed = open();
    let silent =
        Conversation { ended: Some(Ended { at: at(40), by: EndedBy::Idle }), ..conversation(2) };
    let wordless = Conversation {
        ended: Some(Ended { at: at(40), by: EndedBy::Caller { reason: None } }),
        ..conversation(3)
    };
    put(&bed, vec![furnished(), silent.clone(), wordless.clone()]);
    assert_eq!(bed.look(|rows| rows.conversation(home(), id(1))), Some(furnished()));
    assert_eq!(bed.look(|rows| rows.conversation(home(), id(2))), Some(silent));
    assert_eq!(bed.look(|rows| rows.conversation(home(), id(3))), Some(wordless));
    assert_eq!(bed.look(|rows| rows.conversation(home(), id(4))), None);
    let named = |text| bed.look(move |rows| rows.conversation_named(home(), &name(text)));
    assert_eq!(named("their own"), Some(furnished()));
    assert_eq!(named("Their own"), None);
}

pub(crate) fn a_conversation_is_replaced_whole(open: Open) {
    let bed = open();
    put(&bed, vec![furnished()]);
    let bare = Conversation { name: furnished().name, ..conversation(1) };
    put(&bed, vec![bare.clone()]);
    let all = ConversationQuery { archive: ArchiveFilter::Both, ..ConversationQuery::default() };
    assert_eq!(bed.look(move |rows| rows.conversations(home(), &all)), [bare]);
}

/// Twelve conversations in which every attribute varies on its own.
fn fill(tx: &mut dyn Tx) -> Result<()> {
    for number in 0..12i64 {
        let when = |every: i64, minute: i64| (number % every == 0).then(|| at(minute));
        let one = Conversation {
            started_at: at(number / 2 * 10),
            last_at: at(number / 2 * 10 + 5),
            ended: when(2, 100 - number).map(|at| Ended { at, by: EndedBy::Idle }),
            archived_at: when(3, 50),
            restored_at: when(4, number),
            ..conversation(u128::try_from(number).unwrap())
        };
        tx.put(Row::Conversation(id(1), &one))?;
    }
    Ok(())
}

fn queries() -> Vec<ConversationQuery> {
    let mut all = vec![ConversationQuery::default()];
    let mut vary = |change: &dyn Fn(&ConversationQuery) -> Vec<ConversationQuery>| {
        let varied: Vec<ConversationQuery> = all.iter().flat_map(change).collect();
        all.extend(varied);
    };
    vary(&|query| {
        [Some(true), Some(false)].map(|ended| ConversationQuery { ended, ..query.clone() }).into()
    });
    vary(&|query| {
        [ArchiveFilter::Archived, ArchiveFilter::Both]
            .map(|archive| ConversationQuery { archive, ..query.clone() })
            .into()
    });
    vary(&|query| vec![ConversationQuery { after: Some(at(15)), ..query.clone() }]);
    vary(&|query| vec![ConversationQuery { before: Some(at(40)), ..query.clone() }]);
    vary(&|query| vec![ConversationQuery { by: ConversationOrder::Ended, ..query.clone() }]);
    vary(&|query| vec![ConversationQuery { order: Order::Newest, ..query.clone() }]);
    vary(&|query| {
        let places = [(at(20), id(4)), (at(8), id(8)), (at(95), id(6))];
        places.map(|from| ConversationQuery { from: Some(from), ..query.clone() }).into()
    });
    vary(&|query| vec![ConversationQuery { limit: Some(2), ..query.clone() }]);
    all
}

pub(crate) fn every_query_answers_as_the_oracle_does(open: Open) {
    let answers = |bed: Bed| {
        bed.write(fill);
        bed.look(|rows| {
            let answers = queries().into_iter().map(|query| rows.conversations(home(), &query));
            answers.collect::<Result<Vec<_>>>()
        })
    };
    let (found, expected) = (answers(open()), answers(plain()));
    for ((query, found), expected) in queries().iter().zip(found).zip(expected) {
        assert_eq!(found, expected, "{query:?}");
    }
}

/// The numbers of the conversations a query finds.
fn numbers(bed: &Bed, query: ConversationQuery) -> Vec<u128> {
    let rows = bed.look(move |rows| rows.conversations(home(), &query));
    rows.iter().map(|one| u128::from_be_bytes(one.id.bytes())).collect()
}

pub(crate) fn a_list_tells_ended_archived_and_restored_apart(open: Open) {
    let bed = open();
    bed.write(fill);
    let default = ConversationQuery::default;
    assert_eq!(numbers(&bed, default()), [1, 2, 4, 5, 7, 8, 10, 11]);
    assert_eq!(numbers(&bed, ConversationQuery { ended: Some(true), ..default() }), [2, 4, 8, 10]);
    assert_eq!(
        numbers(&bed, ConversationQuery { archive: ArchiveFilter::Archived, ..default() }),
        [0, 3, 6, 9]
    );
    for (keep, left) in [(0, 4), (3, 1), (4, 0), (9, 0)] {
        assert_eq!(bed.look(move |rows| rows.surplus(home(), keep)).len(), left);
    }
    let by_end = ConversationQuery { by: ConversationOrder::Ended, ..default() };
    assert_eq!(numbers(&bed, by_end.clone()), [4, 8, 10, 2]);
    let newest = ConversationQuery { order: Order::Newest, ..by_end };
    assert_eq!(numbers(&bed, newest), [2, 10, 8, 4]);
    let bounds = ConversationQuery { after: Some(at(15)), before: Some(at(40)), ..default() };
    assert_eq!(numbers(&bed, bounds), [2, 4, 5, 7]);
}

pub(crate) fn pages_reach_every_conversation_once(open: Open) {
    let bed = open();
    bed.write(fill);
    for by in [ConversationOrder::Started, ConversationOrder::Ended] {
        for order in [Order::Oldest, Order::Newest] {
            let query =
                ConversationQuery { by, order, archive: ArchiveFilter::Both, ..Default::default() };
            let whole = numbers(&bed, query.clone());
            let mut paged = Vec::new();
            let mut page = ConversationQuery { limit: Some(1), ..query };
            for _ in 0..50 {
                let next = page.clone();
                let rows = bed.look(move |rows| rows.conversations(home(), &next));
                let Some(one) = rows.first() else { break };
                paged.push(u128::from_be_bytes(one.id.bytes()));
                page.from = Some((by.time_of(one), one.id));
            }
            assert_eq!(paged, whole);
        }
    }
}

pub(crate) fn a_merged_conversation_answers_as_the_other(open: Open) {
    let bed = open();
    put(&bed, (1..=4).map(conversation).collect());
    bed.write(|tx| {
        for number in 1..=4 {
            let said = Entry { conversation: id(u128::from(number)), ..entry(number) };
            tx.put(Row::Entry(id(1), &said, None))?;
        }
        tx.merge_conversation(home(), id(4), id(3))?;
        tx.merge_conversation(home(), id(2), id(1))?;
        tx.merge_conversation(home(), id(3), id(1))
    });
    for old in 1..=4 {
        let now = bed.look(move |rows| rows.conversation(home(), id(old))).unwrap();
        assert_eq!(now.id, id(1), "conversation {old}");
    }
    assert_eq!(numbers(&bed, ConversationQuery::default()), [1]);
    let query = EntryQuery::of_conversation(id(1), Which::All);
    assert_eq!(bed.look(move |rows| rows.entries(home(), &query)).len(), 4);
}

pub(crate) fn a_merge_may_come_before_its_target_is_put(open: Open) {
    let bed = open();
    put(&bed, vec![conversation(1)]);
    bed.write(|tx| {
        tx.put(Row::Entry(id(1), &entry(1), None))?;
        tx.merge_conversation(home(), id(1), id(2))?;
        assert_eq!(tx.conversation(home(), id(1))?, None);
        assert_eq!(tx.entries(home(), &EntryQuery::default())?[0].conversation, id(2));
        tx.put(Row::Conversation(id(1), &conversation(2)))
    });
    assert_eq!(bed.look(|rows| rows.conversation(home(), id(1))), Some(conversation(2)));
}

pub(crate) fn branches_are_counted_oldest_first(open: Open) {
    let bed = open();
    bed.write(|tx| {
        (1..=5).try_for_each(|number| tx.put(Row::Entry(id(1), &entry(number), None)))?;
        tx.change_entries(home(), &[id(4), id(5)], EntryChange::Branch(id(8), at(20)))?;
        tx.change_entries(home(), &[id(3)], EntryChange::Branch(id(9), at(10)))
    });
    let expected = [
        Branch { id: id(9), archived_at: at(10), entries: 1 },
        Branch { id: id(8), archived_at: at(20), entries: 2 },
    ];
    assert_eq!(bed.look(|rows| rows.branches(home(), id(1))), expected);
    assert_eq!(bed.look(|rows| rows.branches(home(), id(2))), []);
}

pub(crate) fn endings_are_found_in_a_half_open_stretch(open: Open) {
    let bed = open();
    bed.write(|tx| {
        [30, 10, 20, 10].into_iter().try_for_each(|minute| tx.put(Row::Ending(home(), at(minute))))
    });
    let between = |since: Timestamp, until: Timestamp| {
        let found = bed.look(move |rows| rows.endings(home(), since, until));
        found.iter().map(|ending| ending.duration_since(at(0)).as_mins()).collect::<Vec<_>>()
    };
    assert_eq!(between(Timestamp::MIN, Timestamp::MAX), [10, 20, 30]);
    assert_eq!(between(at(10), at(30)), [10, 20]);
    assert_eq!(between(at(11), at(31)), [20, 30]);
    assert_eq!(between(at(20), at(20)), [0; 0]);
}
