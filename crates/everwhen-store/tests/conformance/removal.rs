//! Removing: what goes, what is counted, and that nothing of it is left.

use everwhen_engine::Result;
use everwhen_engine::facts::Fact;
use everwhen_engine::job::Job;
use everwhen_engine::memory::{ContextDocument, Conversation, Entry};
use everwhen_engine::ports::{
    ArchiveFilter, ContextSelection, ConversationQuery, EntryQuery, Erasure, FactSelection,
    JobSelection, MemoryRef, Removal, Removed, Row, Snapshot, Speakers, Tx, Which,
};
use everwhen_engine::receipt::{KeptReceipt, Receipt};
use jiff::Timestamp;

use crate::bed::{Bed, Open};
use crate::rows::{
    at, context, conversation, entry, fact, home, id, job, key, memory, name, place, vault,
};

/// Two vaults with two memories each, all furnished alike.
pub(crate) fn furnish(bed: &Bed) {
    bed.write(|tx| {
        for number in [1, 2] {
            tx.put(Row::Vault(&vault(number, &format!("vault {number}"))))?;
            tx.put(Row::Key(&key(number, number)))?;
        }
        let places = [(place(1, 1), 10), (place(1, 2), 20), (place(2, 3), 30), (place(2, 4), 40)];
        places.into_iter().try_for_each(|(place, first)| furnish_memory(tx, place, first))
    });
}

/// Three entries, two conversations, one merged into another, two contexts, one job, one fact,
/// one ending and one receipt. Ids count from `first`.
fn furnish_memory(tx: &mut dyn Tx, at_home: MemoryRef, first: u64) -> Result<()> {
    let (vault, memory_id) = (at_home.vault, at_home.memory);
    let number = u128::from_be_bytes(memory_id.bytes());
    let wide = u128::from(first);
    tx.put(Row::Memory(vault, &memory(number, &format!("memory {number}"))))?;
    let receipt = name(&format!("receipt {number}"));
    for row in [first, first + 1, first + 2] {
        let said = Entry { memory: memory_id, conversation: id(wide), ..entry(row) };
        tx.put(Row::Entry(vault, &said, Some(&receipt)))?;
    }
    tx.put(Row::Receipt(Some(vault), &receipt, [1; 32], &Receipt::Memory(memory_id)))?;
    for row in [wide, wide + 1, wide + 2] {
        let one = Conversation { memory: memory_id, ..conversation(row) };
        tx.put(Row::Conversation(vault, &one))?;
    }
    tx.merge_conversation(at_home, id(wide + 2), id(wide))?;
    for version in [1, 2] {
        tx.put(Row::Context(vault, &ContextDocument { memory: memory_id, ..context(version) }))?;
    }
    tx.put(Row::Job(&Job { vault, memory: memory_id, ..job(wide) }))?;
    tx.put(Row::Fact(vault, &Fact { memory: memory_id, ..fact(first) }))?;
    tx.put(Row::Ending(at_home, at(0)))
}

/// How many rows of each kind a memory has.
fn rows_of(rows: &dyn Snapshot, memory: MemoryRef) -> Result<Vec<usize>> {
    let all = EntryQuery { which: Which::All, ..EntryQuery::default() };
    let both = ConversationQuery { archive: ArchiveFilter::Both, ..ConversationQuery::default() };
    let jobs = rows.jobs(JobSelection::Due(Some(memory.vault), 99))?;
    Ok(vec![
        usize::from(rows.memory(memory)?.is_some()),
        rows.entries(memory, &all)?.len(),
        rows.conversations(memory, &both)?.len(),
        rows.contexts(memory, ContextSelection::All, 99)?.len(),
        jobs.iter().filter(|job| job.memory == memory.memory).count(),
        rows.endings(memory, Timestamp::MIN, Timestamp::MAX)?.len(),
        usize::from(rows.before(memory, Timestamp::MAX, Speakers::All)?.is_some()),
        usize::from(rows.contexts(memory, ContextSelection::All, 1)?.pop().is_some()),
        rows.facts(memory, FactSelection::All)?.len(),
    ])
}

const FURNISHED: [usize; 9] = [1, 3, 2, 2, 1, 1, 1, 1, 1];

fn count(bed: &Bed, memory: MemoryRef) -> Vec<usize> {
    bed.look(move |rows| rows_of(rows, memory))
}

pub(crate) fn a_conversation_goes_with_its_jobs_and_other_names(open: Open) {
    let bed = open();
    furnish(&bed);
    let removed = bed.write(|tx| {
        assert_eq!(tx.remove(Removal::Entries(home(), &[id(10), id(11), id(12)]))?, 3);
        tx.erase(Erasure::Conversation(home(), id(10)))
    });
    assert_eq!(removed, Removed { conversations: 1, jobs: 1, ..Removed::default() });
    for old in [10, 12] {
        assert_eq!(bed.look(move |rows| rows.conversation(home(), id(old))), None);
    }
    assert_eq!(bed.look(|rows| rows.entry(home(), id(10))), None);
    assert_eq!(count(&bed, home()), [1, 0, 1, 2, 0, 1, 0, 1, 1]);
    let again = bed.write(|tx| tx.erase(Erasure::Conversation(home(), id(10))));
    assert_eq!(again, Removed::default());
}

pub(crate) fn a_memory_goes_with_all_in_it(open: Open) {
    let bed = open();
    furnish(&bed);
    let removed = bed.write(|tx| tx.erase(Erasure::Memory(home())));
    let expected = Removed {
        memories: 1,
        conversations: 2,
        entries: 3,
        contexts: 2,
        jobs: 1,
        facts: 1,
        ..Default::default()
    };
    assert_eq!(removed, expected);
    assert_eq!(count(&bed, home()), [0; 9]);
    assert_eq!(count(&bed, place(1, 2)), FURNISHED);
    assert_eq!(bed.look(|rows| rows.conversation(home(), id(12))), None);
    assert_eq!(bed.look(|rows| rows.memory_named(id(1), &name("memory 1"))), None);
    let kept = bed.look(|rows| rows.receipt(Some(id(1)), &name("receipt 1")));
    assert_eq!(kept, Some(KeptReceipt { digest: [1; 32], receipt: None }));
    assert_eq!(bed.write(|tx| tx.erase(Erasure::Memory(home()))), Removed::default());
}

pub(crate) fn a_vault_goes_with_all_in_it(open: Open) {
    let bed = open();
    furnish(&bed);
    bed.write(|tx| tx.put(Row::Receipt(None, &name("k"), [2; 32], &Receipt::Vault(id(1)))));
    let removed = bed.write(|tx| tx.erase(Erasure::Vault(id(1))));
    let expected = Removed {
        vaults: 1,
        memories: 2,
        conversations: 4,
        entries: 6,
        contexts: 4,
        jobs: 2,
        keys: 1,
        facts: 2,
    };
    assert_eq!(removed, expected);
    assert_eq!(bed.look(|rows| rows.vaults(None, 9)), [vault(2, "vault 2")]);
    assert_eq!(bed.look(|rows| rows.keys()), [key(2, 2)]);
    assert_eq!((count(&bed, home()), count(&bed, place(1, 2))), (vec![0; 9], vec![0; 9]));
    assert_eq!(bed.look(|rows| rows.receipt(Some(id(1)), &name("receipt 1"))), None);
    assert!(bed.look(|rows| rows.receipt(None, &name("k"))).is_some());
    assert_eq!(
        (count(&bed, place(2, 3)), count(&bed, place(2, 4))),
        (FURNISHED.to_vec(), FURNISHED.to_vec())
    );
    assert_eq!(bed.write(|tx| tx.erase(Erasure::Vault(id(1)))), Removed::default());
}

pub(crate) fn a_failing_write_leaves_nothing(open: Open) {
    let bed = open();
    furnish(&bed);
    bed.refuse(|tx| {
        tx.erase(Erasure::Vault(id(2)))?;
        tx.erase(Erasure::Memory(home()))?;
        tx.put(Row::Vault(&vault(3, "third")))?;
        Err(everwhen_engine::Error::conflict("no"))
    });
    assert_eq!(bed.look(|rows| rows.vaults(None, 9)).len(), 2);
    for place in [home(), place(1, 2), place(2, 3), place(2, 4)] {
        assert_eq!(count(&bed, place), FURNISHED);
    }
}
