//! The engine: ports wired together. It hands out vaults and keeps keys.

use std::sync::{Arc, Mutex};

use jiff::Timestamp;

use crate::index::{Embedders, IndexCache, IndexSource};
use crate::key::{self, Key, KeyHash, KeyUse, NewKey};
use crate::memory::vaults::check_description;
use crate::memory::{
    Address, Chance, ChapterRules, ConversationTime, FactRules, Fading, KeyId, Mint, Name,
    Retrieved, Settings, SettingsChange, VaultId, VaultInfo,
};
use crate::memory_edit::{ClockSteps, EditTools};
use crate::ports::{ChapterWriter, Embedder, Llm, Removal, Row, Store, Tx};
use crate::reach::Reachability;
use crate::receipt::{Done, Idempotency, Receipt};
use crate::similarity::Ruler;
use crate::time::{Clock, Zone, to_microsecond};
use crate::{ConflictReason, Error, Result, idempotency, limits, tombstones};

/// Where time and chance come from.
pub struct World {
    /// Tells the time.
    pub clock: Box<dyn Clock>,
    /// Rolls the dice.
    pub chance: Box<dyn Chance>,
}

impl World {
    /// Now, to the microsecond.
    pub fn now(&self) -> Timestamp {
        to_microsecond(self.clock.now())
    }
}

/// What a vault gets that is made without being described.
#[derive(Debug, Clone)]
pub struct VaultDefaults {
    /// Where its days begin and end.
    pub zone: Zone,
    /// Its rules.
    pub settings: Settings,
}

/// A vault to make.
#[derive(Debug, Clone)]
pub struct NewVault {
    /// Its name.
    pub name: Name,
    /// What it is for.
    pub description: Option<String>,
    /// Where its days begin and end, if not where the default says.
    pub zone: Option<Zone>,
    /// Its rules, where not the default ones.
    pub settings: Option<SettingsChange>,
}

/// How chapters are written.
#[derive(Clone, Default)]
struct ChapterWriting {
    rules: ChapterRules,
    writer: Option<Arc<dyn ChapterWriter>>,
}

/// All vaults of one store.
#[derive(Clone)]
pub struct Engine {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) world: Arc<World>,
    pub(crate) index_cache: Arc<IndexCache>,
    pub(crate) embedders: Embedders,
    llm: Option<Arc<dyn Llm>>,
    pub(crate) spending_cap: Option<u64>,
    falls_back: bool,
    pub(crate) finished: Arc<Mutex<Vec<ConversationTime>>>,
    chapters: Arc<ChapterWriting>,
    fading: Option<Fading>,
    fact_rules: Arc<FactRules>,
    retrospection: Option<Arc<str>>,
    pub(crate) retrieved: Arc<Mutex<Retrieved>>,
    clock_steps: Arc<ClockSteps>,
    pub(crate) reach: Arc<Reachability>,
    defaults: VaultDefaults,
}

impl Engine {
    /// The zone of vaults that are made without one.
    pub fn default_zone(&self) -> &Zone {
        &self.defaults.zone
    }

    /// An engine over a store.
    pub fn new(store: Arc<dyn Store>, world: World, defaults: VaultDefaults) -> Self {
        let index_cache = Arc::new(IndexCache::new(limits::INDEX_BYTES));
        Self {
            store,
            world: Arc::new(world),
            index_cache,
            embedders: Embedders::default(),
            llm: None,
            spending_cap: None,
            falls_back: false,
            finished: Arc::default(),
            chapters: Arc::default(),
            fading: None,
            fact_rules: Arc::default(),
            retrospection: None,
            retrieved: Arc::default(),
            clock_steps: Arc::default(),
            reach: Arc::default(),
            defaults,
        }
    }

    /// Sets the maximum number of bytes of all indexes together, instead of [`limits::INDEX_BYTES`].
    #[must_use]
    pub fn with_index_bytes(mut self, bytes: usize) -> Self {
        self.index_cache = Arc::new(IndexCache::new(bytes));
        self
    }

    /// How many bytes search indexes take now, and the most they ever took.
    pub fn index_bytes(&self) -> (usize, usize) {
        self.index_cache.bytes()
    }

    /// Sets the embedder used for finding entries by meaning as well as by words.
    #[must_use]
    pub fn with_embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.embedders = Embedders::only(embedder);
        self
    }

    /// Sets the embedder used until a slower one is chosen and has caught up.
    #[must_use]
    pub fn with_stand_in(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.embedders = Embedders::with_stand_in(embedder);
        self
    }

    /// Removes the embedder, so that entries are found by words alone.
    #[must_use]
    pub fn without_embedder(mut self) -> Self {
        self.embedders = Embedders::default();
        self
    }

    /// Sets the language model used for summaries, facts and chapters.
    #[must_use]
    pub fn with_llm(mut self, llm: Arc<dyn Llm>) -> Self {
        self.llm = Some(llm);
        self
    }

    /// Sets whether the engine falls back to rules. With `falls_back`, rules do the work of a language model that is unavailable; the model
    /// does it again once it answers.
    #[must_use]
    pub fn with_fallback_to_rules(mut self, falls_back: bool) -> Self {
        self.falls_back = falls_back;
        self
    }

    /// Whether rules do the work of the model after this failure.
    pub(crate) fn falls_back(&self, failure: &Error) -> bool {
        self.falls_back && failure.is_retryable()
    }

    /// The language model, if there is one.
    pub fn llm(&self) -> Option<&Arc<dyn Llm>> {
        self.llm.as_ref()
    }

    /// Chooses an embedder for this engine and its copies. The vectors there are keep serving until
    /// [`Engine::embed_step`] has embedded everything again.
    pub fn choose_embedder(&self, embedder: Arc<dyn Embedder>) {
        self.embedders.choose(embedder);
    }

    /// Embeds a few entries that wait for it, of memories that were asked; says whether there were
    /// any.
    pub async fn embed_step(&self) -> Result<bool> {
        self.index_cache.embed_some(self.index_source()).await
    }

    /// Returns what indexes are made from.
    pub(crate) fn index_source(&self) -> IndexSource<'_> {
        IndexSource { store: &self.store, embedders: &self.embedders }
    }

    /// Keeps the indexes of memories that were asked, where at least `least` entries have come since
    /// they were kept, so that the next start need not read every entry again.
    pub async fn keep_indexes(&self, least: usize) -> Result<()> {
        self.index_cache.save(self.index_source(), least).await
    }

    /// Sets how facts that no question asks for fade.
    #[must_use]
    pub fn with_fading(mut self, fading: Option<Fading>) -> Self {
        self.fading = fading;
        self
    }

    /// How facts fade; not at all if nothing is said.
    pub fn fading(&self) -> Option<Fading> {
        self.fading
    }

    /// How this engine measures closeness.
    pub(crate) fn ruler(&self) -> Ruler {
        Ruler::new(self.embedders.present().as_deref(), self.fact_rules())
    }

    /// What an edit of a memory needs of this engine.
    pub(crate) fn edit_tools(&self) -> EditTools {
        EditTools {
            ruler: self.ruler(),
            keepers: self.embedders.keepers(),
            clock_steps: Arc::clone(&self.clock_steps),
        }
    }

    /// The memories that were found to be written ahead of the clock since the engine was started.
    pub fn clock_steps(&self) -> &ClockSteps {
        &self.clock_steps
    }

    /// Sets the rules used for comparing and pinning facts.
    #[must_use]
    pub fn with_fact_rules(mut self, rules: FactRules) -> Self {
        self.fact_rules = Arc::new(rules);
        self
    }

    /// How facts are compared, and which are pinned by themselves.
    pub fn fact_rules(&self) -> &FactRules {
        &self.fact_rules
    }

    /// Sets the question with which the language model looks back at every conversation that ends.
    #[must_use]
    pub fn with_retrospection(mut self, question: Option<String>) -> Self {
        self.retrospection = question.map(Into::into);
        self
    }

    /// The question with which the language model looks back at conversations; none if it does so
    /// only on request.
    pub fn retrospection(&self) -> Option<&str> {
        self.retrospection.as_deref()
    }

    /// Sets the rules used for making chapters.
    #[must_use]
    pub fn with_chapter_rules(mut self, rules: ChapterRules) -> Self {
        Arc::make_mut(&mut self.chapters).rules = rules;
        self
    }

    /// Sets the writer used for chapters.
    #[must_use]
    pub fn with_chapter_writer(mut self, writer: Arc<dyn ChapterWriter>) -> Self {
        Arc::make_mut(&mut self.chapters).writer = Some(writer);
        self
    }

    /// Whether some of its jobs wait for models.
    pub fn waits_for_models(&self) -> bool {
        let chapters = &self.chapters;
        self.llm.is_some() || chapters.writer.is_some() || chapters.rules.workflow.is_some()
    }

    /// The other writer of chapters, if there is one.
    pub(crate) fn chapter_writer(&self) -> Option<&Arc<dyn ChapterWriter>> {
        self.chapters.writer.as_ref()
    }

    /// The rules for chapters.
    pub fn chapter_rules(&self) -> &ChapterRules {
        &self.chapters.rules
    }

    /// Now, as this engine sees it.
    pub fn now(&self) -> Timestamp {
        self.world.now()
    }

    /// Checks whether the store can be used. Fails with the reason if not; otherwise returns what is
    /// degraded, in sentences.
    pub async fn ready(&self) -> Result<Vec<String>> {
        self.store.ready().await
    }

    /// Whether the store lies on several nodes, so that some vaults can be out of reach while others are not.
    pub fn is_spread(&self) -> bool {
        self.store.is_spread()
    }

    /// What is wrong with the store, in sentences; nothing if all is well.
    pub async fn check(&self) -> Result<Vec<String>> {
        self.store.check().await
    }

    /// Makes a vault.
    pub async fn create_vault(
        &self,
        new: NewVault,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        let draft = self.draft(new)?;
        self.store
            .transact(move |tx| {
                idempotency::once(tx, None, idempotency.as_ref(), |tx| insert_vault(tx, &draft))
            })
            .await
    }

    /// What a write on vaults themselves did when it was done before. So forgetting a vault again,
    /// which can no longer be found, gets the answer it got the first time.
    pub async fn replayed(&self, idempotency: Idempotency) -> Result<Option<Done>> {
        self.store.look(move |snapshot| idempotency::kept(snapshot, None, &idempotency)).await
    }

    /// Vaults by name, behind `after`.
    pub async fn vaults(&self, after: Option<Name>, limit: usize) -> Result<Vec<VaultInfo>> {
        self.store.look(move |snapshot| snapshot.vaults(after.as_ref(), limit)).await
    }

    pub(crate) fn draft(&self, new: NewVault) -> Result<VaultInfo> {
        check_description("description", new.description.as_deref())?;
        let settings = new.settings.unwrap_or_default().on(self.defaults.settings);
        settings.check()?;
        let now = self.now();
        Ok(VaultInfo {
            id: Mint::new(now, &*self.world.chance).id(),
            name: new.name,
            description: new.description,
            zone: new.zone.unwrap_or_else(|| self.defaults.zone.clone()),
            settings,
            creation_time: now,
        })
    }

    /// Makes a key for a vault; the text is shown this once.
    pub async fn add_key(&self, new: NewKey) -> Result<(Key, String)> {
        new.check(self.now())?;
        let text = key::new_text(&*self.world.chance);
        let key = self.draft_key(new, &text);
        let kept = key.clone();
        self.store.transact(move |tx| tx.put(Row::Key(&kept))).await?;
        Ok((key, text))
    }

    /// All keys.
    pub async fn keys(&self) -> Result<Vec<Key>> {
        self.store.look(|snapshot| snapshot.keys()).await
    }

    /// Stores when keys were last used. A key that is gone is left out.
    pub async fn note_key_uses(&self, uses: Vec<KeyUse>) -> Result<()> {
        self.store
            .transact(move |tx| uses.iter().try_for_each(|one| tx.put(Row::KeyUse(*one))))
            .await
    }

    /// Removes a key.
    pub async fn remove_key(&self, id: KeyId) -> Result<()> {
        let removed = self
            .store
            .transact(move |tx| tx.remove(Removal::Key(id)).map(|removed| removed > 0))
            .await?;
        if removed { Ok(()) } else { Err(Error::not_found(format!("key not found: {id}"))) }
    }

    fn draft_key(&self, new: NewKey, text: &str) -> Key {
        let now = self.now();
        Key {
            id: Mint::new(now, &*self.world.chance).id(),
            vault: new.vault,
            label: new.label,
            trusted: new.trusted,
            scope: new.scope,
            expires_at: new.expires_at,
            last_used_at: None,
            hash: KeyHash::of(text),
            creation_time: now,
        }
    }

    /// Makes a key whose text was chosen elsewhere, such as a secret of a cluster, and says whether it
    /// is new. The same text for the same vault finds the key that is there, so any number of processes
    /// may do this at once.
    pub async fn adopt_key(&self, vault: VaultId, text: &str) -> Result<(Key, bool)> {
        key::check_text(text)?;
        let key = self.draft_key(NewKey::of(vault), text);
        self.store
            .transact_in(Address::Id(vault), move |tx| {
                // This locks the vault: a second transaction sees the key of the first.
                tx.vault(vault)?;
                match tx.keys()?.into_iter().find(|one| one.hash == key.hash) {
                    Some(known) if known.vault == vault => Ok((known, false)),
                    Some(_) => Err(Error::conflict("this text is the key of another vault")
                        .because(ConflictReason::AlreadyExists)),
                    None => tx.put(Row::Key(&key)).map(|()| (key.clone(), true)),
                }
            })
            .await
    }
}

fn insert_vault(tx: &mut dyn Tx, draft: &VaultInfo) -> Result<Receipt> {
    if tx.vault_named(&draft.name)?.is_some() {
        return Err(Error::conflict(format!("a vault named {:?} exists already", draft.name))
            .because(ConflictReason::AlreadyExists));
    }
    make_vault(tx, draft).map(|vault| Receipt::Vault(vault.id))
}

/// Stores a vault whose name is not used yet.
pub(crate) fn make_vault(tx: &mut dyn Tx, draft: &VaultInfo) -> Result<VaultInfo> {
    let name = draft.name.for_new("vault", VaultId::PREFIX)?;
    let vault = VaultInfo { name, ..draft.clone() };
    tx.put(Row::Vault(&vault))?;
    tombstones::adopt(tx, &vault)?;
    Ok(vault)
}
