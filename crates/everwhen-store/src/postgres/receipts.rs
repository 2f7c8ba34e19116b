//! The table `receipt`.

use everwhen_engine::Result;
use everwhen_engine::memory::{Name, VaultId};
use everwhen_engine::receipt::{KeptReceipt, Receipt};
use uuid::Uuid;

use super::connection::Connection;
use super::entries::uuid;
use super::statement::{first, get, send};
use crate::row::{damaged, read_receipt, write_receipt};

pub(super) fn by_key(
    connection: &Connection,
    vault: Option<VaultId>,
    key: &Name,
) -> Result<Option<KeptReceipt>> {
    let sql = "SELECT digest, receipt FROM receipt WHERE vault_id = $1 AND key = $2";
    first(connection, sql, &[&scope(vault), &key.as_str()], |row| {
        let digest: Vec<u8> = get(row, 0)?;
        let receipt: Option<String> = get(row, 1)?;
        Ok(KeptReceipt {
            digest: digest.try_into().map_err(|_| damaged("digest", "wrong length"))?,
            receipt: receipt.as_deref().map(read_receipt).transpose()?,
        })
    })
}

pub(super) fn keep(
    connection: &Connection,
    vault: Option<VaultId>,
    key: &Name,
    digest: [u8; 32],
    receipt: &Receipt,
) -> Result<()> {
    let sql = "INSERT INTO receipt (vault_id, key, digest, receipt) VALUES ($1, $2, $3, $4)";
    let (digest, receipt) = (digest.as_slice(), write_receipt(receipt));
    send(connection, sql, &[&scope(vault), &key.as_str(), &digest, &receipt])
}

/// The vault a key belongs to; zeros for receipts of vaults themselves.
fn scope(vault: Option<VaultId>) -> Uuid {
    vault.map_or_else(Uuid::nil, |vault| uuid(vault.bytes()))
}
