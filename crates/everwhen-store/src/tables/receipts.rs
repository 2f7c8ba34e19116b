//! The table `receipt`.

use everwhen_engine::Result;
use everwhen_engine::memory::{Name, VaultId};
use everwhen_engine::receipt::{KeptReceipt, Receipt};

use super::{Database, Sql, Value, table};

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

/// What is stored under an idempotency key.
pub(crate) fn by_key(
    db: &dyn Database,
    vault: Option<VaultId>,
    key: &Name,
) -> Result<Option<KeptReceipt>> {
    static SQL: Sql = Sql::new(|_| RECEIPT.select("WHERE vault_id = ?1 AND key = ?2"));
    db.first(&SQL, &[owner(vault), key.into()], |row| {
        Ok(KeptReceipt { digest: row.get(RECEIPT.digest)?, receipt: row.get(RECEIPT.receipt)? })
    })
}

/// The idempotency keys of a vault.
pub(crate) fn keys(db: &dyn Database, vault: VaultId) -> Result<Vec<Name>> {
    static SQL: Sql = Sql::new(|_| RECEIPT.select("WHERE vault_id = ?1 ORDER BY key"));
    db.all(&SQL, &[vault.into()], |row| row.get(RECEIPT.key))
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
