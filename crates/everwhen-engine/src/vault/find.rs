//! How a caller gets a vault from the engine.

use super::Vault;
use crate::engine::{Engine, NewVault};
use crate::memory::{Address, VaultId, VaultInfo};
use crate::ports::Snapshot;
use crate::{Error, Result};

impl Engine {
    /// The vault at this address.
    pub async fn vault(&self, address: Address<VaultId>) -> Result<Vault> {
        let shown = address.to_string();
        let found = self.store.peek(move |snapshot| find_vault(snapshot, &address)).await?;
        let info = found.ok_or_else(|| Error::not_found(format!("vault not found: {shown}")))?;
        Ok(Vault::existing(self.clone(), &info))
    }

    /// The vault at this address; one that is named but does not exist is made by its first write.
    /// A name is looked up by each verb, not here, so that a write costs one visit to the store.
    pub async fn vault_to_write(&self, address: Address<VaultId>) -> Result<Vault> {
        match address {
            Address::Id(_) => self.vault(address).await,
            Address::Name(name) => {
                let draft = NewVault { name, description: None, zone: None, settings: None };
                Ok(Vault::draft(self.clone(), self.draft(draft)?))
            }
        }
    }
}

/// Finds a vault by id or name.
pub(super) fn find_vault(
    snapshot: &dyn Snapshot,
    address: &Address<VaultId>,
) -> Result<Option<VaultInfo>> {
    match address {
        Address::Id(id) => snapshot.vault(*id),
        Address::Name(name) => snapshot.vault_named(name),
    }
}
