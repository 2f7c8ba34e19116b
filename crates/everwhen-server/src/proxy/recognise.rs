//! The memory of a chat that carries no name: the one that its history proves, else a new one or
//! the usual.

use everwhen::ledger::History;
use everwhen::memory::{Address, Chance, Name};

use everwhen::{Result, SystemChance, Unnamed, Vault};

use super::whose::Named;
use crate::Door;

/// Finds the memory of a history. The history says which client sends it ([`History::client`]);
/// what waits to be kept later is recognised by the same function and the same client.
pub(crate) async fn recognise(
    door: &Door,
    vault: &Vault,
    history: &History,
    unnamed: Unnamed,
) -> Result<Named> {
    // A reply that is just being kept may be what the history is known by.
    drop(door.proxy.busy.write().await);
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
    match unnamed {
        Unnamed::Default => Ok(Named::new(door.proxy.memory.clone(), "default")),
        Unnamed::New => {
            let mut chance = [0; 16];
            SystemChance.fill(&mut chance);
            begun(door.proxy.turns.claim(request, door.engine.now(), chance), "new")
        }
    }
}

/// A chat that is being begun.
fn begun(claim: std::sync::Arc<super::turns::Claim>, source: &'static str) -> Result<Named> {
    let memory = Address::Name(Name::new("memory", claim.name())?);
    let name = claim.name().to_owned();
    Ok(Named { memory, name, source, resends_all: true, _claim: Some(claim) })
}
