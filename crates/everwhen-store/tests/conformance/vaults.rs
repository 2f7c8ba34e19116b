//! Vaults and memories as rows: put, found by id and by name, listed by name.

use everwhen_engine::memory::{Lifecycle, Memory, Person, Retention, Settings, VaultInfo};
use everwhen_engine::ports::{MemorySelection, Row, VaultSelection};
use everwhen_engine::time::Zone;

use crate::bed::Open;
use crate::rows::{at, home, id, memory, name, place, vault};

pub(crate) fn a_vault_is_found_by_id_and_by_name(open: Open) {
    let bed = open();
    let ana = furnished();
    let kept = ana.clone();
    bed.write(move |tx| {
        tx.put(Row::Vault(&kept))?;
        assert_eq!(tx.vault(kept.id)?, Some(kept.clone()), "a transaction sees what it wrote");
        Ok(())
    });
    assert_eq!(bed.look(|rows| rows.vault(id(1))), Some(ana.clone()));
    assert_eq!(bed.look(|rows| rows.vault_named(&name("Ana's Ümläut"))), Some(ana));
    assert_eq!(bed.look(|rows| rows.vault(id(2))), None);
    assert_eq!(bed.look(|rows| rows.vault_named(&name("ana's ümläut"))), None);
}

/// A vault in which everything has a value.
fn furnished() -> VaultInfo {
    VaultInfo {
        description: Some("what\nfor".into()),
        zone: Zone::named("Europe/Berlin").unwrap(),
        settings: Settings {
            idle_timeout_minutes: 7,
            conversations_retained: 3,
            state_timeout_minutes: 11,
            retention: Retention::Delete,
            lifecycle: Some(Lifecycle::LongTerm),
            cooling_minutes: Some(3),
            closed_minutes: Some(77),
        },
        ..vault(1, "Ana's Ümläut")
    }
}

pub(crate) fn a_vault_is_replaced_whole(open: Open) {
    let bed = open();
    bed.write(|tx| tx.put(Row::Vault(&furnished())));
    bed.write(|tx| tx.put(Row::Vault(&vault(1, "plain"))));
    assert_eq!(bed.look(|rows| rows.vaults(None, 9)), [vault(1, "plain")]);
    assert_eq!(bed.look(|rows| rows.vault_named(&furnished().name)), None);
}

pub(crate) fn vaults_are_listed_by_name(open: Open) {
    let bed = open();
    bed.write(|tx| {
        let names = ["b", "a", "Z", "é", "aa"].into_iter().zip(1..);
        names
            .into_iter()
            .try_for_each(|(called, number)| tx.put(Row::Vault(&vault(number, called))))
    });
    let listed = |after: Option<&'static str>, limit| {
        let after = after.map(name);
        let rows = bed.look(move |rows| rows.vaults(after.as_ref(), limit));
        rows.iter().map(|vault| vault.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(listed(None, 9), ["Z", "a", "aa", "b", "é"]);
    assert_eq!(listed(None, 2), ["Z", "a"]);
    assert_eq!(listed(Some("a"), 2), ["aa", "b"]);
    assert_eq!(listed(Some("ab"), 9), ["b", "é"]);
    assert_eq!(listed(Some("é"), 9), [""; 0]);
}

/// A memory in which everything has a value.
fn lived_in() -> Memory {
    Memory {
        description: Some("why".into()),
        last_sequence: 7,
        last_creation: at(9),
        generation: 3,
        last_ending: Some(at(8)),
        unfinished_end: Some(at(8)),
        last_context: 12,
        waiting: Some((id(5), at(6))),
        lifecycle: Some(Lifecycle::OnDemand),
        chat_of: Some(Person::claimed("Ana's Ümläut")),
        ..memory(1, "diary")
    }
}

pub(crate) fn a_memory_is_found_by_id_and_by_name(open: Open) {
    let bed = open();
    bed.write(|tx| tx.put(Row::Memory(id(1), &lived_in())));
    assert_eq!(bed.look(|rows| rows.memory(home())), Some(lived_in()));
    assert_eq!(bed.look(|rows| rows.memory_named(id(1), &name("diary"))), Some(lived_in()));
    assert_eq!(bed.look(|rows| rows.memory(place(1, 2))), None);
    assert_eq!(bed.look(|rows| rows.memory_named(id(1), &name("Diary"))), None);
}

pub(crate) fn a_memory_is_replaced_whole(open: Open) {
    let bed = open();
    bed.write(|tx| tx.put(Row::Memory(id(1), &lived_in())));
    bed.write(|tx| tx.put(Row::Memory(id(1), &memory(1, "plain"))));
    assert_eq!(
        bed.look(|rows| rows.memories(id(1), MemorySelection::Named(None, 9))),
        [memory(1, "plain")]
    );
}

pub(crate) fn memories_are_listed_by_name(open: Open) {
    let bed = open();
    bed.write(|tx| {
        let names = ["b", "a", "Z", "é", "aa"].into_iter().zip(1..);
        names
            .into_iter()
            .try_for_each(|(called, number)| tx.put(Row::Memory(id(1), &memory(number, called))))
    });
    let listed = |after: Option<&'static str>, limit| {
        let after = after.map(name);
        let rows = bed
            .look(move |rows| rows.memories(id(1), MemorySelection::Named(after.as_ref(), limit)));
        rows.iter().map(|memory| memory.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(listed(None, 9), ["Z", "a", "aa", "b", "é"]);
    assert_eq!(listed(Some("a"), 2), ["aa", "b"]);
    assert_eq!(listed(Some("é"), 9), [""; 0]);
}

pub(crate) fn what_was_written_after_a_time_is_found(open: Open) {
    let bed = open();
    bed.write(|tx| {
        for (number, vault_name) in [(1, "b"), (2, "a"), (3, "c")] {
            tx.put(Row::Vault(&vault(number, vault_name)))?;
        }
        for (number, (of, minute)) in (1..).zip([(1, 5), (1, 6), (2, 7), (3, 5), (1, 9)]) {
            let written =
                Memory { last_creation: at(minute), ..memory(number, &format!("m {number}")) };
            tx.put(Row::Memory(id(of), &written))?;
        }
        Ok(())
    });
    let vaults = |minute, most| {
        let which = VaultSelection::WrittenAfter(at(minute), most);
        let found = bed.look(move |rows| rows.find_vaults(which));
        found.iter().map(|vault| vault.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(vaults(5, 9), ["a", "b"]);
    assert_eq!((vaults(5, 1), vaults(9, 9)), (vec!["a".to_owned()], Vec::new()));
    let memories = |minute, most| {
        let which = MemorySelection::WrittenAfter(at(minute), most);
        let found = bed.look(move |rows| rows.memories(id(1), which));
        found.iter().map(|memory| memory.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(memories(5, 9), ["m 2", "m 5"]);
    assert_eq!((memories(6, 9), memories(4, 1)), (vec!["m 5".to_owned()], vec!["m 1".to_owned()]));
}

pub(crate) fn chats_of_a_person_are_listed_the_last_active_first(open: Open) {
    let bed = open();
    let chat = |number: u128, of: Option<Person>, minute| Memory {
        chat_of: of,
        last_creation: at(minute),
        ..memory(number, &format!("chat {number}"))
    };
    bed.write(move |tx| {
        let people = [
            (Some(Person::Unnamed), 5),
            (Some(Person::Unnamed), 9),
            (Some(Person::Unnamed), 5),
            (Some(Person::claimed("ana")), 7),
            (Some(Person::signed("ana")), 8),
            (Some(Person::claimed("Ana")), 6),
            (None, 10),
        ];
        for ((of, minute), number) in people.into_iter().zip(1..) {
            tx.put(Row::Memory(id(1), &chat(number, of, minute)))?;
        }
        tx.put(Row::Memory(id(2), &chat(20, Some(Person::Unnamed), 11)))
    });
    let listed = |person: Person, limit| {
        let rows =
            bed.look(move |rows| rows.memories(id(1), MemorySelection::ChatsOf(&person, limit)));
        rows.iter().map(|memory| memory.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(listed(Person::Unnamed, 9), ["chat 2", "chat 3", "chat 1"]);
    assert_eq!(listed(Person::Unnamed, 2), ["chat 2", "chat 3"]);
    assert_eq!(listed(Person::claimed("ana"), 9), ["chat 4"], "neither the signed nor another");
    assert_eq!(listed(Person::signed("ana"), 9), ["chat 5"]);
    assert_eq!(listed(Person::signed("bob"), 9), [""; 0]);
    bed.write(move |tx| tx.put(Row::Memory(id(1), &chat(1, Some(Person::Unnamed), 12))));
    assert_eq!(listed(Person::Unnamed, 1), ["chat 1"], "the last active has changed");
    bed.write(move |tx| tx.put(Row::Memory(id(1), &chat(1, None, 12))));
    assert_eq!(listed(Person::Unnamed, 1), ["chat 2"], "it is no chat any more");
}
