//! Pages, as the verbs of a vault hand them out.

use everwhen_engine::memory::{NewContext, Role};
use everwhen_engine::ports::{ConversationOrder, ConversationQuery, EntryQuery, Order};
use everwhen_engine::{ErrorKind, MemoryChange};
use everwhen_testkit::block_on;

use crate::bed::Open;
use crate::rows::{at, name};
use crate::talk::{Talk, memory, said};

pub(crate) fn pages_of_entries_hang_together(open: Open) {
    let talk = Talk::new(open);
    let batch = (0..23).map(|n| said(Role::User, &n.to_string()).said_at(at(-(n * 7 % 5))));
    talk.remember(batch.collect());
    for order in [Order::Oldest, Order::Newest] {
        let whole = talk.texts(EntryQuery { order, ..EntryQuery::default() });
        let (mut paged, mut from, mut sizes) = (Vec::new(), None, Vec::new());
        for _ in 0..50 {
            let query = EntryQuery { order, from, limit: Some(5), ..EntryQuery::default() };
            let page = block_on(talk.vault.entries(memory(), None, query)).unwrap();
            sizes.push(page.data.len());
            paged.extend(page.data.iter().map(|entry| entry.content.as_str().to_owned()));
            from = page.next;
            if from.is_none() {
                break;
            }
        }
        assert_eq!((paged, sizes), (whole, vec![5, 5, 5, 5, 3]));
    }
}

pub(crate) fn a_full_last_page_says_that_it_is_the_last(open: Open) {
    let talk = Talk::new(open);
    talk.remember((0..4).map(|n| said(Role::User, &n.to_string())).collect());
    let query = EntryQuery { limit: Some(4), ..EntryQuery::default() };
    let page = block_on(talk.vault.entries(memory(), None, query)).unwrap();
    assert_eq!((page.data.len(), page.next), (4, None));
}

pub(crate) fn pages_of_conversations_hang_together(open: Open) {
    let talk = Talk::new(open);
    for number in 1..=7 {
        talk.say_at(-100 * number, Role::User, "word");
    }
    for by in [ConversationOrder::Started, ConversationOrder::Ended] {
        let (mut paged, mut from) = (Vec::new(), None);
        for _ in 0..50 {
            let query = ConversationQuery { by, from, limit: Some(3), ..Default::default() };
            let page = block_on(talk.vault.conversations(memory(), query)).unwrap();
            paged.extend(page.data.iter().map(|one| one.started_at));
            from = page.next;
            if from.is_none() {
                break;
            }
        }
        let expected: Vec<_> = (1..=7).rev().map(|number| at(-100 * number)).collect();
        assert_eq!(paged, expected);
    }
}

pub(crate) fn memories_and_contexts_come_in_pages(open: Open) {
    let talk = Talk::new(open);
    for called in ["c", "a", "b"] {
        block_on(talk.vault.create_memory(name(called), MemoryChange::default(), None)).unwrap();
    }
    let page = block_on(talk.vault.memories(None, Some(2))).unwrap();
    assert_eq!(page.next, Some(name("b")));
    let rest = block_on(talk.vault.memories(page.next, Some(2))).unwrap();
    assert_eq!((rest.data[0].name.as_str(), rest.data.len(), rest.next), ("c", 1, None));
    for version in 1..=3 {
        let context = NewContext::new(format!("version {version}"), None).unwrap();
        block_on(talk.vault.put_context(memory(), context, None)).unwrap();
    }
    let page = block_on(talk.vault.contexts(memory(), None, Some(2))).unwrap();
    assert_eq!(page.data.iter().map(|one| one.version).collect::<Vec<_>>(), [3, 2]);
    let rest = block_on(talk.vault.contexts(memory(), page.next, Some(2))).unwrap();
    assert_eq!((rest.data[0].version, rest.next), (1, None));
}

pub(crate) fn impossible_pages_are_refused(open: Open) {
    let talk = Talk::new(open);
    talk.say(Role::User, "word");
    let list = |query| block_on(talk.vault.entries(memory(), None, query)).unwrap_err().kind();
    let none = EntryQuery { limit: Some(0), ..EntryQuery::default() };
    let many = EntryQuery { limit: Some(1001), ..EntryQuery::default() };
    let empty = EntryQuery { after: Some(at(1)), before: Some(at(1)), ..EntryQuery::default() };
    assert_eq!([list(none), list(many), list(empty)], [ErrorKind::Invalid; 3]);
}
