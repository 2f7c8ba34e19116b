//! The table `receipt`.

use everwhen_engine::Result;
use everwhen_engine::memory::{Name, VaultId};
use everwhen_engine::ports::ReceiptSelection;
use everwhen_engine::receipt::{KeptReceipt, Receipt};

use super::{Database, Row, Sql, Value, limit, table};

table! {
    static RECEIPT: ReceiptColumns = "receipt", key(vault_id, key);
    fn values(vault: Option<VaultId>, key: &'v Name, digest: &'v [u8; 32], receipt: &'v Receipt) {
        vault_id: owner(vault),
        key: key,
        digest: digest,
        receipt: receipt,
    }
}

/// The vault a key belongs to; nothing for receipts of vaults themselves.
fn owner(vault: Option<VaultId>) -> Value<'static> {
    vault.map_or(Value::NoVault, Into::into)
}

fn read(row: &dyn Row) -> Result<(Name, KeptReceipt)> {
    let kept = KeptReceipt { digest: row.get(RECEIPT.digest)?, receipt: row.get(RECEIPT.receipt)? };
    Ok((row.get(RECEIPT.key)?, kept))
}

/// Idempotency keys, each with the result that is stored under it.
pub(crate) fn list(
    db: &dyn Database,
    vault: Option<VaultId>,
    which: ReceiptSelection<'_>,
) -> Result<Vec<(Name, KeptReceipt)>> {
    static ONE: Sql = Sql::new(|_| RECEIPT.select("WHERE vault_id = ?1 AND key = ?2"));
    static NAMED: Sql =
        Sql::new(|_| RECEIPT.select("WHERE vault_id = ?1 AND key > ?2 ORDER BY key LIMIT ?3"));
    match which {
        ReceiptSelection::Key(key) => db.all(&ONE, &[owner(vault), key.into()], read),
        ReceiptSelection::Named(after, most) => {
            let after = after.map_or("", Name::as_str);
            db.all(&NAMED, &[owner(vault), after.into(), limit(Some(most))], read)
        }
    }
}

/// Stores the result of an idempotency key.
pub(crate) fn keep(
    db: &dyn Database,
    vault: Option<VaultId>,
    key: &Name,
    digest: [u8; 32],
    receipt: &Receipt,
) -> Result<()> {
    static SQL: Sql = Sql::new(|_| RECEIPT.insert());
    db.write(&SQL, &values(vault, key, &digest, receipt))
}
