//! The memory of a chat that carries no name: the one that its history proves, else a new one or
//! the usual.

use everwhen::ledger::History;
use everwhen::memory::{Address, Name};
use everwhen::{Result, Vault};
use jiff::Timestamp;

use super::memory_name::NamedMemory;
use crate::ServerState;

/// The memory of a history that proves none.
#[derive(Debug, Clone)]
pub(crate) enum UnprovenMemory {
    /// The one that is meant when none is named.
    Usual,
    /// A new one, whose name is made of this time and these random bytes.
    New(Timestamp, [u8; 16]),
    /// The one with this name, which was made for it before.
    NamedMemory(String),
}

/// Finds the memory of a history. The history says which client sends it ([`History::client`]);
/// what waits in the outbox is recognised by the same function and the same client. What is on its
/// way into memory for the same chat has been waited for by then.
pub(crate) async fn recognise(
    state: &ServerState,
    vault: &Vault,
    history: &History,
    otherwise: UnprovenMemory,
) -> Result<NamedMemory> {
    let request = (vault.id(), history.request_hash());
    if let Some(claim) = state.proxy.turns.claimed(&request) {
        return begun(claim, "retry");
    }
    if let Some(found) = vault.memory_of_history(history).await? {
        return Ok(NamedMemory {
            memory: found.memory.into(),
            name: found.name.to_string(),
            source: "history",
            resends_all: true,
            _claim: None,
        });
    }
    match otherwise {
        UnprovenMemory::Usual => Ok(NamedMemory::new(state.proxy.memory.clone(), "default")),
        UnprovenMemory::New(at, chance) => {
            begun(state.proxy.turns.claim(request, at, chance), "new")
        }
        UnprovenMemory::NamedMemory(name) => {
            let memory = Address::Name(Name::new("memory", &name)?);
            Ok(NamedMemory { memory, name, source: "new", resends_all: true, _claim: None })
        }
    }
}

/// A chat that is being begun.
fn begun(
    claim: std::sync::Arc<super::new_chats::Claim>,
    source: &'static str,
) -> Result<NamedMemory> {
    let memory = Address::Name(Name::new("memory", claim.name())?);
    let name = claim.name().to_owned();
    Ok(NamedMemory { memory, name, source, resends_all: true, _claim: Some(claim) })
}
