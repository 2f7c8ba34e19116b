//! Every place outside of the store that holds what was said, in one list. A forget goes through all of them, once
//! the store has forgotten; the tables of the store have a list of their own.
//!
//! A new place is a line here. It does not compile until it says what becomes of it.
//!
//! Two places have no line. The vectors that an embedder keeps on disk are erased by the engine in the transaction
//! that forgets (`Embedders::erase`), because they go with `retention = "delete"`, too, where no server
//! takes part. The folder of a benchmark's run holds the benchmark's questions and what models answered, and a run
//! stores them in memories of its own: nothing of a user is in it, and no forget removes it.

use everwhen::memory::{Address, MemoryId, Name, VaultId};
use everwhen::{Forget, Result, Vault};
use jiff::Timestamp;

use super::ServerState;

/// A place outside of the store that holds what was said, or what was made of it.
#[derive(Debug, Clone, Copy)]
pub(super) enum TextPlace {
    /// The file of exchanges that are not stored yet.
    Outbox,
    /// The last exchanges that a viewer of the proxy is shown.
    LiveView,
    /// Results of tool calls that wait for those of the client's own tools.
    PostponedResults,
    /// Files that nodes of workflows wrote.
    WorkflowFiles,
    /// Uploaded files while they are imported.
    Uploads,
}

impl TextPlace {
    /// All of them.
    pub(super) const ALL: [Self; 5] =
        [Self::Outbox, Self::LiveView, Self::PostponedResults, Self::WorkflowFiles, Self::Uploads];
}

/// What was forgotten in the store.
pub(super) struct ForgottenText {
    pub(super) vault: VaultId,
    /// The vault by id and name.
    pub(super) vaults: Vec<String>,
    /// The memory by id and name; none if it is the whole vault.
    pub(super) memories: Option<Vec<String>>,
    /// If only a part of the memory was forgotten: when the first of it was said.
    pub(super) part_since: Option<Timestamp>,
}

impl ServerState {
    /// Removes what was forgotten from every place.
    pub(super) async fn forget_everywhere(&self, what: &ForgottenText) -> Result<()> {
        for place in TextPlace::ALL {
            self.forget_in(place, what).await?;
        }
        Ok(())
    }

    async fn forget_in(&self, place: TextPlace, what: &ForgottenText) -> Result<()> {
        let (vaults, memories) = (&what.vaults, what.memories.as_deref());
        match place {
            TextPlace::Outbox => self.proxy.forget_waiting(vaults, memories, what.part_since).await,
            TextPlace::LiveView => {
                self.proxy.forget_traces(vaults, memories);
                Ok(())
            }
            TextPlace::PostponedResults => {
                self.proxy.forget_postponed();
                Ok(())
            }
            TextPlace::WorkflowFiles => match (self.proxy.workflows(), &self.workflow_files) {
                (Some(workflows), _) => workflows.forget(what.vault, memories),
                (None, Some(files)) => everwhen_workflow::forget_files(files, what.vault, memories),
                (None, None) => Ok(()),
            },
            TextPlace::Uploads => {
                // Imports into a whole memory were ended before it was forgotten. Those into a memory of which a
                // part was forgotten go on: what they bring was not there.
                if memories.is_none() {
                    self.cancel_imports(what);
                }
                Ok(())
            }
        }
    }

    /// Ends the imports into a vault; each removes its file when it has ended.
    fn cancel_imports(&self, what: &ForgottenText) {
        let names = what.vaults.iter().filter_map(|name| Name::new("vault", name.as_str()).ok());
        let addresses = names.map(Address::Name).chain([Address::Id(what.vault)]);
        for address in addresses {
            for run in self.imports.of_vault(&address, what.vault) {
                run.progress.cancel();
            }
        }
    }
}

/// A vault by its id and, where it can be looked up, by its name.
pub(super) async fn names(vault: &Vault) -> Vec<String> {
    let name = vault.info().await.ok().map(|info| info.name.to_string());
    std::iter::once(vault.id().to_string()).chain(name).collect()
}

/// When the first of what is about to be forgotten was said, if that is a part of a memory; for what cannot be found,
/// and for context documents, which are not said, the last time there is.
pub(super) async fn beginning_of_part(
    vault: &Vault,
    memory: &Address<MemoryId>,
    what: &Forget,
) -> Option<Timestamp> {
    let memory = memory.clone();
    let found = match what {
        Forget::Memory => return None,
        Forget::Entry(id) => vault.entry(memory, *id).await.ok().map(|one| one.conversation_time),
        Forget::Conversation(address) => {
            let found = vault.conversation(memory, address.clone()).await.ok();
            found.map(|view| view.conversation.started_at)
        }
        Forget::Period { after, .. } => Some(after.unwrap_or(Timestamp::MIN)),
        Forget::Context(_) => None,
    };
    Some(found.unwrap_or(Timestamp::MAX))
}
