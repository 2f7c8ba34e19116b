//! The memory of a chat that carries no name: the one that its history proves, else a new one or
//! the usual.

use everwhen::ledger::History;
use everwhen::memory::{Address, Name};
use everwhen::{Result, Vault};
use jiff::Timestamp;

use super::whose::Named;
use crate::Door;

/// The memory of a history that proves none.
#[derive(Debug, Clone)]
pub(crate) enum Otherwise {
    /// The one that is meant when none is named.
    Usual,
    /// A new one, whose name is made of this time and these random bytes.
    New(Timestamp, [u8; 16]),
    /// The one with this name, which was made for it before.
    Named(String),
}

/// Finds the memory of a history. The history says which client sends it ([`History::client`]);
/// what waits in the outbox is recognised by the same function and the same client. What is on its
/// way into memory for the same chat has been waited for by then.
pub(crate) async fn recognise(
    door: &Door,
    vault: &Vault,
    history: &History,
    otherwise: Otherwise,
) -> Result<Named> {
    let request = (vault.id(), history.request_hash());
    if let Some(claim) = door.proxy.turns.claimed(&request) {
        return begun(claim, "retry");
    }
    if let Some(found) = vault.memory_of_history(history).await? {
        return Ok(Named {
            memory: found.memory.into(),
            name: found.name.to_string(),
            source: "history",
            resends_all: true,
            _claim: None,
        });
    }
    match otherwise {
        Otherwise::Usual => Ok(Named::new(door.proxy.memory.clone(), "default")),
        Otherwise::New(at, chance) => begun(door.proxy.turns.claim(request, at, chance), "new"),
        Otherwise::Named(name) => {
            let memory = Address::Name(Name::new("memory", &name)?);
            Ok(Named { memory, name, source: "new", resends_all: true, _claim: None })
        }
    }
}

/// A chat that is being begun.
fn begun(claim: std::sync::Arc<super::turns::Claim>, source: &'static str) -> Result<Named> {
    let memory = Address::Name(Name::new("memory", claim.name())?);
    let name = claim.name().to_owned();
    Ok(Named { memory, name, source, resends_all: true, _claim: Some(claim) })
}
