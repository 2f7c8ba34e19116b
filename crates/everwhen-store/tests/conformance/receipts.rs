//! Receipts as rows: kept under a key, one space of keys for each vault and one for vaults.

use everwhen_engine::memory::VaultId;
use everwhen_engine::ports::{ReceiptSelection, Removal, Removed, Row};
use everwhen_engine::receipt::{
    EntriesReceipt, EntryReceipt, KeptReceipt, PendingQuestion, Receipt,
};

use crate::bed::Open;
use crate::rows::{at, entry, home, id, name};

fn entries(numbers: &[u64]) -> Receipt {
    let one = |number: &u64| EntryReceipt {
        id: id(u128::from(*number)),
        sequence: *number,
        conversation_time: at(1),
        creation_time: at(2),
        conversation: "their \"own\"".into(),
    };
    let pending = Some(PendingQuestion { question: id(9), asked_at: at(3) });
    Receipt::Entries(EntriesReceipt { entries: numbers.iter().map(one).collect(), pending })
}

fn every_kind() -> Vec<Receipt> {
    let removed = Removed {
        vaults: 1,
        memories: 2,
        conversations: 3,
        entries: 4,
        contexts: 5,
        jobs: 6,
        keys: 7,
        facts: 8,
    };
    vec![
        Receipt::Vault(id(1)),
        Receipt::Memory(id(2)),
        entries(&[1, 2]),
        Receipt::Entries(EntriesReceipt { entries: Vec::new(), pending: None }),
        Receipt::Context { id: id(3), version: 4 },
        Receipt::Conversation(id(5)),
        Receipt::Imported { conversation: id(8), entries: 9, branches: 10 },
        Receipt::Forked { branch: id(6), entries: 7 },
        Receipt::Fact(id(7)),
        Receipt::Regenerating(8),
        Receipt::Forgotten(removed),
    ]
}

pub(crate) fn every_kind_comes_back_as_it_was_kept(open: Open) {
    let bed = open();
    for (number, receipt) in every_kind().into_iter().enumerate() {
        let key = name(&format!("key {number}"));
        let digest = [u8::try_from(number).unwrap(); 32];
        let kept = bed.write({
            let (key, receipt) = (key.clone(), receipt.clone());
            move |tx| {
                tx.put(Row::Receipt(Some(id(1)), &key, digest, &receipt))?;
                tx.receipt(Some(id(1)), &key)
            }
        });
        assert_eq!(kept, Some(KeptReceipt { digest, receipt: Some(receipt) }));
        assert_eq!(bed.look(move |rows| rows.receipt(Some(id(1)), &key)), kept);
    }
}

pub(crate) fn keys_of_vaults_and_of_the_store_are_apart(open: Open) {
    let bed = open();
    bed.write(|tx| {
        for (vault, digest) in [(None, 0), (Some(id(1)), 1), (Some(id(2)), 2)] {
            tx.put(Row::Receipt(vault, &name("k"), [digest; 32], &Receipt::Vault(id(1))))?;
        }
        Ok(())
    });
    let digest = |vault| {
        let kept = bed.look(move |rows| rows.receipt(vault, &name("k")));
        kept.map(|kept| kept.digest[0])
    };
    assert_eq!(
        (digest(None), digest(Some(id(1))), digest(Some(id(2)))),
        (Some(0), Some(1), Some(2))
    );
    assert_eq!(digest(Some(id(3))), None);
    bed.write(|tx| tx.put(Row::Receipt(Some(id(1)), &name("a"), [3; 32], &Receipt::Vault(id(1)))));
    let all = |vault: Option<VaultId>| {
        let found = bed.look(move |rows| rows.receipts(vault, ReceiptSelection::Named(None, 10)));
        found.into_iter().map(|(key, kept)| (key, kept.digest[0])).collect::<Vec<_>>()
    };
    assert_eq!(all(Some(id(1))), [(name("a"), 3), (name("k"), 1)]);
    assert_eq!((all(None), all(Some(id(3)))), (vec![(name("k"), 0)], Vec::new()));
    let page = |after: Option<&'static str>, most| {
        let after = after.map(name);
        let found = bed.look(move |rows| {
            rows.receipts(Some(id(1)), ReceiptSelection::Named(after.as_ref(), most))
        });
        found.into_iter().map(|(key, _)| key).collect::<Vec<_>>()
    };
    assert_eq!((page(None, 1), page(Some("a"), 5)), (vec![name("a")], vec![name("k")]));
}

pub(crate) fn what_is_forgotten_leaves_its_receipt_blank(open: Open) {
    let bed = open();
    bed.write(|tx| {
        for (key, numbers) in [("both", [1, 2]), ("other", [3, 4])] {
            for number in numbers {
                tx.put(Row::Entry(id(1), &entry(number), Some(&name(key))))?;
            }
            tx.put(Row::Receipt(Some(id(1)), &name(key), [7; 32], &entries(&numbers)))?;
            tx.put(Row::Receipt(Some(id(2)), &name(key), [7; 32], &entries(&numbers)))?;
        }
        Ok(())
    });
    assert_eq!(bed.write(|tx| tx.remove(Removal::Entries(home(), &[id(2), id(99)]))), 1);
    let kept =
        |vault, key| bed.look(move |rows| rows.receipt(Some(id(vault)), &name(key))).unwrap();
    assert_eq!(kept(1, "both"), KeptReceipt { digest: [7; 32], receipt: None });
    assert!(kept(1, "other").receipt.is_some() && kept(2, "both").receipt.is_some());
}
