//! The files of a request: whose they are, and how a command is carried out on them.

use std::time::Duration;

use everwhen::memory::{Address, MemoryId, Person};
use everwhen::{FileAnswer, ProxyChange, Result, Vault};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::time::{Instant, timeout};

use super::postponed::VaultEpoch;
use super::round::ToolCallBlock;
use crate::proxy::memory::{ProxyMemory, too_slow};
use crate::proxy::person;
use crate::proxy::prepare::ProxyRequest;
use crate::proxy::recording::Recording;
use crate::wire::memory_tool::{FILES_MEMORY, FileCommandInput};

/// How long a command may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The files of the person who sends a request.
pub(crate) struct ToolFiles {
    engine: ProxyMemory,
    vault: Vault,
    memory: Address<MemoryId>,
    /// The vault and the memory, as text.
    place: String,
}

impl ToolFiles {
    /// The files for a request: in the memory it names, else in one of the person's own. Nothing if
    /// several people use the key and the request does not say who speaks.
    pub(super) fn of(request: &ProxyRequest<'_>, recording: &Recording) -> Option<Self> {
        let vault = recording.vault.clone()?;
        let named = recording.named.as_ref().filter(|named| !person::is_chat(named));
        let settings = request.settings(None, &ProxyChange::default());
        let (memory, name) = match named {
            Some(named) => (named.memory.clone(), named.name.clone()),
            None if settings.shared && !request.names_user() => return None,
            None => {
                let name = own_memory(&request.person());
                (Address::read("memory", &name).ok()?, name)
            }
        };
        let place = format!("{:?} {name}", request.vault().ok()?);
        Some(Self { engine: ProxyMemory::of(request.state), vault, memory, place })
    }

    /// Where the files are, to tell them from those of others.
    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// The vault, and how often something in it was forgotten, by any server; nothing if the store does not say.
    pub(super) async fn epoch(&self) -> Option<VaultEpoch> {
        let epoch = async {
            let vault = self.vault.info().await.ok()?.id;
            Some((vault, self.engine.forget_epoch(&vault.to_string()).await?))
        };
        timeout(PATIENCE, epoch).await.ok().flatten()
    }

    /// The result of a command for the model.
    pub(super) async fn result(&self, call: &ToolCallBlock) -> Value {
        let answer = self.answer(call.input.clone()).await;
        let answer = answer.unwrap_or_else(|error| FileAnswer::refused(&error));
        json!({
            "type": "tool_result",
            "tool_use_id": call.id,
            "content": answer.text,
            "is_error": answer.is_error,
        })
    }

    async fn answer(&self, input: Value) -> Result<FileAnswer> {
        let input: FileCommandInput = serde_json::from_value(input)
            .map_err(|error| everwhen::Error::invalid(format!("invalid command: {error}")))?;
        let (as_of, command) = (input.as_of()?, input.command()?);
        let (vault, memory) = (self.vault.clone(), self.memory.clone());
        let mut run = self
            .engine
            .write(async move { vault.run_file_command(memory, command, as_of, None).await });
        run.by(Instant::now() + PATIENCE).await.unwrap_or_else(|| Err(too_slow()))
    }
}

/// The memory with the files of a person whose chats name none.
fn own_memory(person: &Person) -> String {
    if *person == Person::Unnamed {
        return FILES_MEMORY.to_owned();
    }
    let hash = Sha256::digest(person.to_string());
    let digits: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{FILES_MEMORY}-{digits}")
}
