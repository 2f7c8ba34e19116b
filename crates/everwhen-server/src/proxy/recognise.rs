//! Finds the memory of a chat that names none: by evidence in its history, else a new one or the
//! default.

use everwhen::ledger::History;
use everwhen::memory::{Address, Name};
use everwhen::{Result, Vault};
use jiff::Timestamp;

use super::memory_name::NamedMemory;
use crate::proxy::ProxyState;

/// The memory of a history without evidence.
#[derive(Debug, Clone)]
pub(crate) enum UnprovenMemory {
    /// The default memory.
    Usual,
    /// A new memory, named after this time and these random bytes.
    New(Timestamp, [u8; 16]),
    /// The memory with this name, which was created for it before.
    NamedMemory(String),
}

/// Finds the memory of a history. The history contains the client that sends it
/// ([`History::client`]); exchanges in the outbox are recognised by the same function and client.
/// Earlier exchanges of the chat have been stored by then.
pub(crate) async fn recognise(
    state: &ProxyState,
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

/// The memory of a chat whose first request is being answered.
fn begun(
    claim: std::sync::Arc<super::new_chats::Claim>,
    source: &'static str,
) -> Result<NamedMemory> {
    let memory = Address::Name(Name::new("memory", claim.name())?);
    let name = claim.name().to_owned();
    Ok(NamedMemory { memory, name, source, resends_all: true, _claim: Some(claim) })
}
