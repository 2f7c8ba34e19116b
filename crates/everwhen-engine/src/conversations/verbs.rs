//! What a caller does with conversations: end one, put entries on a branch, bring one back, and get
//! the last ones as text for a model.

use super::{act, prompt};
use crate::Result;
use crate::memory::{Address, ConversationName, EntryId, MemoryId};
use crate::memory_edit::MemoryEdit;
use crate::receipt::{Done, Idempotency};
use crate::vault::{Absent, Vault};

/// How a conversation is ended.
#[derive(Debug, Clone, Default)]
pub struct EndOfConversation {
    /// Which one; the active one if absent.
    pub conversation: Option<ConversationName>,
    /// Why, if that is to be known.
    pub reason: Option<String>,
    /// Whether it is ended inside an exchange that is stored afterwards, as by an agent whose program
    /// stores the user's words together with the reply.
    pub in_exchange: bool,
}

impl Vault {
    /// Ends a conversation: the one named, else the active one.
    pub async fn end_conversation(
        &self,
        memory: Address<MemoryId>,
        conversation: Option<ConversationName>,
        reason: Option<String>,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        let end = EndOfConversation { conversation, reason, in_exchange: false };
        self.end(memory, end, idempotency).await
    }

    /// Ends a conversation, possibly inside an exchange that is stored afterwards.
    pub async fn end(
        &self,
        memory: Address<MemoryId>,
        end: EndOfConversation,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        let end = move |edit: &mut MemoryEdit<'_>| {
            let EndOfConversation { conversation, reason, in_exchange } = &end;
            act::end(edit, conversation.as_ref(), reason.clone(), *in_exchange)
        };
        let done = self.edit_memory(memory.clone(), Absent::Refuse, idempotency, end).await?;
        self.note_end(memory, &done).await;
        Ok(done)
    }

    /// Puts the entries of a conversation after a given one on a branch.
    pub async fn fork(
        &self,
        memory: Address<MemoryId>,
        conversation: ConversationName,
        after: EntryId,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        self.edit_memory(memory, Absent::Refuse, idempotency, move |edit| {
            act::fork(edit, &conversation, after)
        })
        .await
    }

    /// Brings an archived conversation back.
    pub async fn restore(
        &self,
        memory: Address<MemoryId>,
        conversation: ConversationName,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        self.edit_memory(memory, Absent::Refuse, idempotency, move |edit| {
            act::restore(edit, &conversation)
        })
        .await
    }

    /// The current and the last conversations as text for a model.
    pub async fn prompt(&self, memory: Address<MemoryId>) -> Result<String> {
        let now = self.engine().now();
        self.read(memory, move |view, memory| {
            prompt::render(view.snapshot, &view.vault, memory, now)
        })
        .await
    }
}
