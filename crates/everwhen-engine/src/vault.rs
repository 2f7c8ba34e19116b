//! A vault: one owner's memories, and everything that can be done with them.
//!
//! A [`Vault`] value is the only way to data. Its holder can reach what is in it and
//! nothing else. Each verb is one transaction.

mod as_of;
mod find;
mod open;
mod page;

use std::sync::Arc;

use jiff::Timestamp;

use crate::engine::{Engine, World};
use crate::memory::vaults::check_description;
use crate::memory::{
    Address, Branch, ContextDocument, Conversation, ConversationId, ConversationName, Entry,
    EntryId, Lifecycle, Memory, MemoryId, Name, Settings, SettingsChange, VaultId, VaultInfo,
};
use crate::memory_edit::{MemoryEdit, find_conversation};
use crate::ports::{
    ContextSelection, ContextVersion, ConversationQuery, Cursor, EntryQuery, MemoryRef,
    MemorySelection, Row, Snapshot, Tx, Which,
};
use crate::receipt::{Done, Idempotency, Receipt};
use crate::time::Zone;
use crate::tombstones::imported;
use crate::{ConflictReason, Error, ErrorKind, Result, idempotency};

pub(crate) use open::{Absent, load_both, load_memory};
use open::{load, load_or_make_vault, load_vault, new_memory, open_edit};
pub use page::Page;
pub(crate) use page::{bounded, check_bounds, list_entries, page, page_limit};

/// How a caller points at a memory.
type MemoryName = Address<MemoryId>;

/// What to change about a vault; absent parts stay.
#[derive(Debug, Clone, Default)]
pub struct VaultChange {
    /// A new name.
    pub name: Option<Name>,
    /// A new description.
    pub description: Option<String>,
    /// A new zone; times stay, days move.
    pub zone: Option<Zone>,
    /// New rules; they hold for what comes, not for what is.
    pub settings: Option<SettingsChange>,
}

/// What to change about a memory, or to say about a new one; absent parts stay.
#[derive(Debug, Clone, Default)]
pub struct MemoryChange {
    /// A new name.
    pub name: Option<Name>,
    /// A new description.
    pub description: Option<String>,
    /// A preset for its conversations, or, inside, none: the vault's rules. It holds for what comes.
    pub lifecycle: Option<Option<Lifecycle>>,
}

/// A conversation with what hangs on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationView {
    /// The conversation.
    pub conversation: Conversation,
    /// Its branches.
    pub branches: Vec<Branch>,
    /// Its current entries, in order.
    pub entries: Vec<Entry>,
}

/// One owner's memories.
#[derive(Clone)]
pub struct Vault {
    pub(crate) engine: Engine,
    id: VaultId,
    /// If it is known by name only: what its first write creates if it does not exist by then.
    draft: Option<Arc<VaultInfo>>,
}

impl Vault {
    pub(crate) fn existing(engine: Engine, info: &VaultInfo) -> Self {
        Self { engine, id: info.id, draft: None }
    }

    pub(crate) fn draft(engine: Engine, info: VaultInfo) -> Self {
        Self { engine, id: info.id, draft: Some(Arc::new(info)) }
    }

    /// Its id; of one to write, which may not exist yet, the id it would get.
    pub fn id(&self) -> VaultId {
        self.id
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// How the store finds it: a draft by its name, because another process may have created it meanwhile.
    pub(crate) fn address(&self) -> Address<VaultId> {
        self.draft.as_ref().map_or(Address::Id(self.id), |draft| Address::Name(draft.name.clone()))
    }

    /// What is known of it.
    pub async fn info(&self) -> Result<VaultInfo> {
        let (id, draft) = (self.id, self.draft.clone());
        self.engine.store.look(move |snapshot| load(snapshot, id, draft.as_deref())).await
    }

    /// The vault by its id. One that was named and does not exist yet has another id until its first write, so it is
    /// made.
    pub async fn settled(&self) -> Result<Self> {
        let info = match self.info().await {
            Err(error) if self.is_draft() && error.kind() == ErrorKind::NotFound => {
                self.write_rows(|_, _| Ok(())).await?;
                self.info().await?
            }
            found => found?,
        };
        Ok(Self::existing(self.engine.clone(), &info))
    }

    /// Changes what is known of it.
    pub async fn change(
        &self,
        change: VaultChange,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        let (id, draft) = (self.id, self.draft.clone());
        self.engine
            .store
            .transact(move |tx| {
                let id = load(tx.snapshot(), id, draft.as_deref())?.id;
                idempotency::once(tx, Some(id), idempotency.as_ref(), |tx| {
                    change_vault(tx, id, &change)
                })
            })
            .await
    }

    /// Makes a memory; one of that name must not exist.
    pub async fn create_memory(
        &self,
        name: Name,
        about: MemoryChange,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        check_description("description", about.description.as_deref())?;
        self.write(idempotency, move |tx, vault, world| {
            if tx.memory_named(vault.id, &name)?.is_some() {
                return Err(Error::conflict(format!("a memory named {name:?} exists already"))
                    .because(ConflictReason::AlreadyExists));
            }
            let mut memory = new_memory(world, name.clone())?;
            memory.description.clone_from(&about.description);
            memory.lifecycle = about.lifecycle.flatten();
            tx.put(Row::Memory(vault.id, &memory))?;
            Ok(Receipt::Memory(memory.id))
        })
        .await
    }

    /// Changes what is known of a memory.
    pub async fn change_memory(
        &self,
        memory: MemoryName,
        change: MemoryChange,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        check_description("description", change.description.as_deref())?;
        self.write(idempotency, move |tx, vault, _| {
            let mut memory = load_memory(tx.snapshot(), vault.id, &memory)?;
            if let Some(name) = &change.name {
                let new = name.for_new("memory", MemoryId::PREFIX)?;
                let same = tx.memory_named(vault.id, name)?;
                if same.is_some_and(|same| same.id != memory.id) {
                    return Err(Error::conflict(format!("a memory named {name:?} exists already"))
                        .because(ConflictReason::AlreadyExists));
                }
                if new != memory.name {
                    let place = MemoryRef { vault: vault.id, memory: memory.id };
                    imported::keep_renamed(tx, place, &new)?;
                }
                memory.name = new;
            }
            memory.description = change.description.clone().or(memory.description);
            memory.lifecycle = change.lifecycle.unwrap_or(memory.lifecycle);
            tx.put(Row::Memory(vault.id, &memory))?;
            Ok(Receipt::Memory(memory.id))
        })
        .await
    }

    /// A memory.
    pub async fn memory(&self, memory: MemoryName) -> Result<Memory> {
        self.read(memory, |_, memory| Ok(memory.clone())).await
    }

    /// Memories by name, behind `after`.
    pub async fn memories(
        &self,
        after: Option<Name>,
        limit: Option<usize>,
    ) -> Result<Page<Memory, Name>> {
        let (id, draft, limit) = (self.id, self.draft.clone(), page_limit(limit)?);
        let rows = self
            .engine
            .store
            .look(move |snapshot| {
                let vault = load(snapshot, id, draft.as_deref())?;
                snapshot.memories(vault.id, MemorySelection::Named(after.as_ref(), limit + 1))
            })
            .await?;
        Ok(page(rows, limit, |memory| memory.name.clone()))
    }

    /// An entry, whatever became of it.
    pub async fn entry(&self, memory: MemoryName, id: EntryId) -> Result<Entry> {
        let found = self.read(memory, move |view, _| view.snapshot.entry(view.place, id)).await?;
        found.ok_or_else(|| Error::not_found(format!("entry not found: {id}")))
    }

    /// Entries by conversation_time. `conversation` narrows the list to one.
    pub async fn entries(
        &self,
        memory: MemoryName,
        conversation: Option<ConversationName>,
        query: EntryQuery,
    ) -> Result<Page<Entry, Cursor>> {
        check_bounds(query.created_after, query.created_before)?;
        let limit = bounded(query.after, query.before, query.limit)?;
        self.read(memory, move |view, _| {
            let mut query = query.clone();
            query.conversation = match (&conversation, query.which) {
                // It may have become part of another since.
                (Some(Address::Id(id)), Which::AsOf(_)) => Some(*id),
                (Some(address), _) => {
                    Some(find_conversation(view.snapshot, view.place, address)?.id)
                }
                (None, _) => query.conversation,
            };
            list_entries(view, query, limit)
        })
        .await
    }

    /// A version of the context document.
    pub async fn context(
        &self,
        memory: MemoryName,
        version: ContextVersion,
    ) -> Result<ContextDocument> {
        let found = self
            .read(memory, move |view, _| {
                view.snapshot.contexts(view.place, version.into(), 1).map(|mut found| found.pop())
            })
            .await?;
        found.ok_or_else(|| no_context(version))
    }

    /// Versions of the context document, newest first, below `before`.
    pub async fn contexts(
        &self,
        memory: MemoryName,
        before: Option<u64>,
        limit: Option<usize>,
    ) -> Result<Page<ContextDocument, u64>> {
        let limit = page_limit(limit)?;
        let rows = self
            .read(memory, move |view, _| {
                view.snapshot.contexts(
                    view.place,
                    before.map_or(ContextSelection::All, ContextSelection::Below),
                    limit + 1,
                )
            })
            .await?;
        Ok(page(rows, limit, |context| context.version))
    }

    /// Conversations, listed ones unless the query says otherwise.
    pub async fn conversations(
        &self,
        memory: MemoryName,
        mut query: ConversationQuery,
    ) -> Result<Page<Conversation, (Timestamp, ConversationId)>> {
        let limit = bounded(query.after, query.before, query.limit)?;
        query.limit = Some(limit + 1);
        self.read(memory, move |view, _| {
            let rows = view.snapshot.conversations(view.place, &query)?;
            Ok(page(rows, limit, |one: &Conversation| (query.by.time_of(one), one.id)))
        })
        .await
    }

    /// The rules that hold in a memory, by which a conversation has its state.
    pub async fn rules(&self, memory: MemoryName) -> Result<Settings> {
        self.read(memory, |view, _| Ok(view.vault.settings)).await
    }

    /// One conversation, whole.
    pub async fn conversation(
        &self,
        memory: MemoryName,
        address: ConversationName,
    ) -> Result<ConversationView> {
        self.read(memory, move |view, _| {
            let conversation = find_conversation(view.snapshot, view.place, &address)?;
            let query = EntryQuery::of_conversation(conversation.id, Which::Current);
            Ok(ConversationView {
                branches: view.snapshot.branches(view.place, conversation.id)?,
                entries: view.snapshot.entries(view.place, &query)?,
                conversation,
            })
        })
        .await
    }

    /// Runs a write on the vault as a whole. Its receipt is kept outside the vault and outlives it.
    pub(crate) async fn write_whole<F>(
        &self,
        idempotency: Option<Idempotency>,
        work: F,
    ) -> Result<Done>
    where
        F: Fn(&mut dyn Tx, VaultId) -> Result<Receipt> + Send + 'static,
    {
        let find = self.finder();
        self.engine
            .store
            .transact(move |tx| {
                idempotency::once(tx, None, idempotency.as_ref(), |tx| {
                    let vault = find(tx.snapshot())?;
                    work(tx, vault.id)
                })
            })
            .await
    }

    /// Finds the vault in a snapshot.
    pub(crate) fn finder(
        &self,
    ) -> impl Fn(&dyn Snapshot) -> Result<VaultInfo> + Send + Sync + 'static {
        let (id, draft) = (self.id, self.draft.clone());
        move |snapshot| load(snapshot, id, draft.as_deref())
    }

    /// Whether the vault is known by its name only.
    pub(crate) fn is_draft(&self) -> bool {
        self.draft.is_some()
    }

    /// Runs a write in the vault, which a draft becomes by it.
    async fn write<F>(&self, idempotency: Option<Idempotency>, work: F) -> Result<Done>
    where
        F: Fn(&mut dyn Tx, VaultInfo, &World) -> Result<Receipt> + Send + 'static,
    {
        let (id, draft) = (self.id, self.draft.clone());
        let world = Arc::clone(&self.engine.world);
        self.engine
            .store
            .transact_in(self.address(), move |tx| {
                let vault = load_or_make_vault(tx, id, draft.as_deref())?;
                idempotency::once(tx, Some(vault.id), idempotency.as_ref(), |tx| {
                    work(tx, vault, &world)
                })
            })
            .await
    }

    /// Runs a write in one memory.
    pub(crate) async fn edit_memory<F>(
        &self,
        memory: MemoryName,
        absent: Absent,
        idempotency: Option<Idempotency>,
        work: F,
    ) -> Result<Done>
    where
        F: Fn(&mut MemoryEdit<'_>) -> Result<Receipt> + Send + 'static,
    {
        let tools = self.engine.edit_tools();
        self.write(idempotency, move |tx, vault, world| {
            let edit = open_edit(tx, vault, &memory, absent, world)?;
            work(&mut edit.with_tools(tools.clone()))
        })
        .await
    }

    /// Runs a write in one memory that returns more than a receipt, and needs no key to be done once.
    pub(crate) async fn edit_memory_for<T, F>(
        &self,
        memory: MemoryName,
        absent: Absent,
        work: F,
    ) -> Result<T>
    where
        T: Send + 'static,
        F: Fn(&mut MemoryEdit<'_>) -> Result<T> + Send + 'static,
    {
        let (id, draft) = (self.id, self.draft.clone());
        let (world, tools) = (Arc::clone(&self.engine.world), self.engine.edit_tools());
        let work = move |tx: &mut dyn Tx| {
            let vault = load_or_make_vault(tx, id, draft.as_deref())?;
            let edit = open_edit(tx, vault, &memory, absent, &world)?;
            work(&mut edit.with_tools(tools.clone()))
        };
        self.engine.store.transact_in(self.address(), work).await
    }

    /// Writes something that is about the vault itself.
    pub(crate) async fn write_rows<F>(&self, work: F) -> Result<()>
    where
        F: Fn(&mut dyn Tx, VaultId) -> Result<()> + Send + 'static,
    {
        let (id, draft) = (self.id, self.draft.clone());
        let write = move |tx: &mut dyn Tx| {
            let vault = load_or_make_vault(tx, id, draft.as_deref())?;
            work(tx, vault.id)
        };
        self.engine.store.transact_in(self.address(), write).await
    }

    /// Looks something up anywhere in the vault; nothing if it does not exist yet.
    pub(crate) async fn look<T, F>(&self, work: F) -> Result<Option<T>>
    where
        T: Send + 'static,
        F: Fn(&dyn Snapshot, VaultId) -> Result<Option<T>> + Send + 'static,
    {
        let (id, draft) = (self.id, self.draft.clone());
        let look = move |snapshot: &dyn Snapshot| match load(snapshot, id, draft.as_deref()) {
            Ok(vault) => work(snapshot, vault.id),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        };
        self.engine.store.look(look).await
    }

    /// Looks something up in one memory.
    pub(crate) async fn read<T, F>(&self, memory: MemoryName, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: Fn(&View<'_>, &Memory) -> Result<T> + Send + 'static,
    {
        let address = self.address();
        self.engine
            .store
            .look(move |snapshot| {
                let (vault, memory) = load_both(snapshot, &address, &memory)?;
                let place = MemoryRef { vault: vault.id, memory: memory.id };
                let settings = memory.rules(vault.settings);
                let vault = VaultInfo { settings, ..vault };
                work(&View { snapshot, vault, place }, &memory)
            })
            .await
    }
}

/// One memory, to look at; the vault's rules are those that hold in it.
pub(crate) struct View<'s> {
    pub(crate) snapshot: &'s dyn Snapshot,
    pub(crate) vault: VaultInfo,
    pub(crate) place: MemoryRef,
}

fn no_context(version: ContextVersion) -> Error {
    Error::not_found(match version {
        ContextVersion::Current => "context not found: nothing has been put yet".to_owned(),
        ContextVersion::AsOf(time) => format!("context not found: nothing had been put by {time}"),
        ContextVersion::Number(number) => format!("context not found: no version {number}"),
    })
}

fn change_vault(tx: &mut dyn Tx, id: VaultId, change: &VaultChange) -> Result<Receipt> {
    check_description("description", change.description.as_deref())?;
    let mut vault = load_vault(tx.snapshot(), id)?;
    if let Some(name) = &change.name {
        let new = name.for_new("vault", VaultId::PREFIX)?;
        if tx.vault_named(name)?.is_some_and(|same| same.id != id) {
            return Err(Error::conflict(format!("a vault named {name:?} exists already"))
                .because(ConflictReason::AlreadyExists));
        }
        vault.name = new;
    }
    vault.description = change.description.clone().or(vault.description);
    vault.zone = change.zone.clone().unwrap_or(vault.zone);
    vault.settings = change.settings.unwrap_or_default().on(vault.settings);
    vault.settings.check()?;
    tx.put(Row::Vault(&vault))?;
    Ok(Receipt::Vault(id))
}
