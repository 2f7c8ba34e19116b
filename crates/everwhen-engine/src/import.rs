//! Importing: a conversation as another system kept it, with that system's own end, title and
//! summary.
//!
//! Walk: check → find what is here already → remember the rest → put branches aside → end → summary.
//! Importing again what has grown meanwhile stores only what is new.

mod known;

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use crate::conversations::finish::{self, Timer};
use crate::job::JobKind;
use crate::memory::vaults::check_description;
use crate::memory::{
    Address, ConversationId, Ended, EndedBy, EntryId, MemoryId, Name, NewEntry, Said, Summary,
    SummaryBy, check_summary,
};
use crate::memory_edit::MemoryEdit;
use crate::ports::{EntryChange, EntryQuery, Which};
use crate::receipt::{Done, Idempotency, Receipt};
use crate::time::to_microsecond;
use crate::tombstones::imported::ForgottenImports;
use crate::vault::{Absent, Vault};
use crate::{ConflictReason, Error, NewCorrection, Result, chapters, limits, remember, summary};

use self::known::{ImportedBranchRows, Known, source_ids};

/// Why an entry is corrected by an import.
const CHANGED: &str = "changed in its source";
/// What takes a rehearsal back.
const REHEARSAL: &str = "this was only a rehearsal";

/// A conversation as another system kept it.
#[derive(Debug, Clone)]
pub struct ImportedConversation {
    /// Its name there, and here from now on.
    pub name: Name,
    /// What was said in it. Each needs its conversation_time; the conversation is this one.
    pub entries: Vec<NewEntry>,
    /// What forks had put aside there.
    pub branches: Vec<ImportedBranch>,
    /// When it was ended there explicitly; nothing if it was not. No end lies before the last entry.
    pub ended_at: Option<Timestamp>,
    /// Its title there; kept once the conversation has ended.
    pub title: Option<String>,
    /// Its summary there; kept once the conversation has ended.
    pub summary: Option<String>,
    /// A summary of its entries; see [`Self::complete_summary`].
    pub extract: Option<String>,
}

/// How several conversations are imported.
#[derive(Debug, Clone, Copy, Default)]
pub struct ImportMode {
    /// Whether only to say what would be stored.
    pub is_rehearsal: bool,
    /// Whether what was forgotten stays forgotten, and counts as known: for a program that reads the same file
    /// again by itself.
    pub skips_forgotten: bool,
}

/// What became of several conversations.
pub struct ImportedBatch {
    /// The vault they went to, by its id.
    pub vault: Vault,
    /// The memory there; of a rehearsal, one that may not exist.
    pub memory: MemoryId,
    /// What became of each.
    pub outcomes: Vec<Result<ImportOutcome>>,
}

/// What became of an imported conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportOutcome {
    /// The conversation; nothing if all of its entries are part of others.
    pub conversation: Option<ConversationId>,
    /// New entries.
    pub stored: u64,
    /// Entries that were here already.
    pub known: u64,
    /// Entries whose text has changed in their source.
    pub corrected: u64,
    /// New branches.
    pub branches: u64,
}

impl ImportOutcome {
    fn receipt(self) -> Receipt {
        let Self { conversation, stored: entries, branches, .. } = self;
        let conversation = conversation.unwrap_or_else(|| uuid::Uuid::nil().into());
        Receipt::Imported { conversation, entries, branches }
    }
}

/// Entries that a fork had put aside in another system.
#[derive(Debug, Clone)]
pub struct ImportedBranch {
    /// When the fork happened.
    pub archived_at: Timestamp,
    /// What it put aside.
    pub entries: Vec<NewEntry>,
}

impl Vault {
    /// Imports a conversation, in one durable write. Makes the memory if it does not exist. Entries
    /// of that conversation that are here already, the same role, time and text, stay as they are.
    pub async fn import_conversation(
        &self,
        memory: Address<MemoryId>,
        imported: ImportedConversation,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        let key = idempotency.as_ref().map(|idempotency| idempotency.key.clone());
        self.edit_memory(memory, Absent::Make, idempotency, move |edit| {
            let imported = imported.clone().checked(edit.clock)?;
            conversation(edit, imported, None, key.as_ref()).map(|outcome| outcome.receipt())
        })
        .await
    }

    /// Imports several conversations in one durable write, or only says what that would do. Answers
    /// for each what became of it; one that is refused leaves the others as they are.
    pub async fn import_conversations(
        &self,
        memory: Address<MemoryId>,
        imported: Vec<ImportedConversation>,
        mode: ImportMode,
    ) -> Result<Vec<Result<ImportOutcome>>> {
        self.import_batch(memory, imported, mode).await.map(|batch| batch.outcomes)
    }

    /// Imports conversations, and also returns the memory they went to: later batches go there or, if it was
    /// forgotten meanwhile, nowhere.
    pub async fn import_batch(
        &self,
        memory: Address<MemoryId>,
        imported: Vec<ImportedConversation>,
        mode: ImportMode,
    ) -> Result<ImportedBatch> {
        let engine = self.engine().clone();
        let result = Arc::new(Mutex::new(None));
        let slot = Arc::clone(&result);
        let outcome = self
            .edit_memory_for(memory, Absent::Make, move |edit| {
                let name = edit.memory.name.clone();
                let forgotten = match mode.skips_forgotten {
                    true => ForgottenImports::of(edit.tx.snapshot(), edit.vault.id, &name)?,
                    false => None,
                };
                let mut outcomes = Vec::with_capacity(imported.len());
                for one in &imported {
                    outcomes.push(each(edit, one.clone(), forgotten.as_ref())?);
                }
                let vault = Vault::existing(engine.clone(), &edit.vault);
                let batch = ImportedBatch { vault, memory: edit.memory.id, outcomes };
                *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(batch);
                if mode.is_rehearsal { Err(Error::conflict(REHEARSAL)) } else { Ok(()) }
            })
            .await;
        match outcome {
            Err(error) if !mode.is_rehearsal || error.message() != REHEARSAL => Err(error),
            _ => {
                let batch = result.lock().unwrap_or_else(PoisonError::into_inner).take();
                batch.ok_or_else(|| Error::damaged("the store answered without running the work"))
            }
        }
    }

    /// What [`Vault::import_conversation`] would do or refuse. It is the import itself, taken back at
    /// its end, so that it promises nothing else; nothing is stored.
    pub async fn rehearse_import(
        &self,
        memory: Address<MemoryId>,
        imported: ImportedConversation,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        let result = Arc::new(Mutex::new(None));
        let slot = Arc::clone(&result);
        let outcome = self
            .edit_memory(memory, Absent::Make, idempotency, move |edit| {
                let imported = imported.clone().checked(edit.clock)?;
                let receipt = conversation(edit, imported, None, None)?.receipt();
                *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(receipt);
                Err(Error::conflict(REHEARSAL))
            })
            .await;
        let receipt = result.lock().unwrap_or_else(PoisonError::into_inner).take();
        receipt.map_or(outcome, |receipt| Ok(Done { receipt, replayed: false }))
    }
}

/// Imports one of several conversations; a refusal of what it says is its own.
fn each(
    edit: &mut MemoryEdit<'_>,
    imported: ImportedConversation,
    forgotten: Option<&ForgottenImports<'_>>,
) -> Result<Result<ImportOutcome>> {
    match imported.checked(edit.clock) {
        Ok(imported) => conversation(edit, imported, forgotten, None).map(Ok),
        Err(refusal) => Ok(Err(refusal)),
    }
}

/// Imports a checked conversation into the memory that is edited.
fn conversation(
    edit: &mut MemoryEdit<'_>,
    imported: ImportedConversation,
    forgotten: Option<&ForgottenImports<'_>>,
    receipt: Option<&Name>,
) -> Result<ImportOutcome> {
    let ImportedConversation { name, entries, branches, ended_at, title, summary, extract } =
        imported;
    let extract = extract.map(|text| (entries.len() as u64, text));
    let ids = entries.iter().chain(branches.iter().flat_map(|branch| &branch.entries));
    let mut known = Known::find(edit, &name, &source_ids(ids), forgotten)?;
    let address = Address::Name(name);
    let snapshot = edit.tx.snapshot();
    known.main_line(snapshot, entries)?;
    let branch_rows = branches.into_iter().map(|branch| known.branch(snapshot, branch));
    let branch_rows: Vec<ImportedBranchRows> = branch_rows.collect::<Result<_>>()?;
    let Known { fresh, edits, conversation, known, .. } = known;
    let is_only_longer = edits.is_empty() && branch_rows.is_empty();
    let mut outcome = ImportOutcome { known, ..ImportOutcome::default() };
    if fresh.is_empty() && conversation.is_none() {
        return Ok(outcome);
    }
    let stored = match fresh.is_empty() {
        true => Vec::new(),
        false => remember::store(edit, fresh, receipt)?.entries,
    };
    let ids: Vec<EntryId> = stored.iter().map(|entry| entry.id).collect();
    outcome.stored = ids.len() as u64;
    outcome.corrected = correct(edit, edits)?;
    outcome.branches = put_aside(edit, branch_rows, &ids)?;
    let conversation = end(edit, &address, ended_at, is_only_longer)?;
    keep_summary(edit, conversation, (title, summary), extract)?;
    finish::save_memory(edit)?;
    outcome.conversation = Some(conversation);
    Ok(outcome)
}

/// Corrects entries whose text has changed in their source.
fn correct(edit: &mut MemoryEdit<'_>, edits: Vec<(EntryId, Said)>) -> Result<u64> {
    let count = edits.len() as u64;
    for (entry, content) in edits {
        let correction =
            NewCorrection { content, reason: CHANGED.to_owned(), tags: None, metadata: None };
        remember::correction(edit, entry, correction, None)?;
    }
    Ok(count)
}

impl ImportedConversation {
    fn all_entries(&self) -> impl Iterator<Item = (String, &NewEntry)> {
        let main = self.entries.iter().enumerate();
        let main = main.map(|(index, entry)| (format!("entries[{index}]"), entry));
        let branches = self.branches.iter().enumerate().flat_map(|(branch, aside)| {
            let entries = aside.entries.iter().enumerate();
            entries
                .map(move |(index, entry)| (format!("branches[{branch}].entries[{index}]"), entry))
        });
        main.chain(branches)
    }

    /// Makes a summary of its entries if its source gave it a title and no summary. Storing it does the
    /// same otherwise, but all writes of a store wait for each other, and this needs no store. It is used if
    /// these are all entries of the conversation, so that an older file does not bring an older summary.
    pub fn complete_summary(&mut self) {
        if self.title.is_some() && self.summary.is_none() {
            let said = self.entries.iter().map(|entry| (entry.role, entry.content.as_str()));
            self.extract = Some(summary::extract_text(said));
        }
    }

    /// The conversation as it can be stored, or why it cannot.
    fn checked(mut self, now: Timestamp) -> Result<Self> {
        self.prepare();
        self.check(now)?;
        Ok(self)
    }

    /// Puts every entry into this conversation, at a time that can be kept.
    fn prepare(&mut self) {
        self.ended_at = self.ended_at.map(to_microsecond);
        let branches = self.branches.iter_mut().map(|branch| {
            branch.archived_at = to_microsecond(branch.archived_at);
            &mut branch.entries
        });
        for entry in std::iter::once(&mut self.entries).chain(branches).flatten() {
            entry.conversation = Some(Address::Name(self.name.clone()));
            entry.conversation_time = entry.conversation_time.map(to_microsecond);
        }
    }

    /// Whether its name, title and summary can be taken.
    pub fn check_texts(&self) -> Result<()> {
        if self.name.as_str().parse::<ConversationId>().is_ok() {
            return Err(Error::invalid(format!(
                "conversation_id {:?} looks like an id given here; use the name it has in its source",
                self.name
            )));
        }
        check_text("title", self.title.as_deref())?;
        check_description("title", self.title.as_deref())?;
        check_text("summary", self.summary.as_deref())?;
        check_summary(self.summary.as_deref())
    }

    fn check(&self, now: Timestamp) -> Result<()> {
        self.check_texts()?;
        check_count(self.all_entries().count())?;
        for (place, entry) in self.all_entries() {
            check_entry(entry, now).map_err(|error| error.at(place))?;
        }
        check_past("ended_at", self.ended_at, now)?;
        for (index, branch) in self.branches.iter().enumerate() {
            let place = format!("branches[{index}].archived_at");
            check_past(&place, Some(branch.archived_at), now)?;
        }
        Ok(())
    }
}

fn check_count(entries: usize) -> Result<()> {
    match entries {
        0 => {
            Err(Error::conflict("no entries and no branches; a conversation needs something said")
                .because(ConflictReason::InconsistentValues))
        }
        1..=limits::IMPORT_ENTRIES => Ok(()),
        many => Err(Error::too_large(format!(
            "{many} entries in one conversation; import at most {}",
            limits::IMPORT_ENTRIES
        ))),
    }
}

fn check_entry(entry: &NewEntry, now: Timestamp) -> Result<()> {
    if entry.conversation_time.is_none() {
        return Err(Error::invalid("conversation_time is missing; history says when"));
    }
    entry.check(now)
}

fn check_past(what: &str, time: Option<Timestamp>, now: Timestamp) -> Result<()> {
    match time {
        Some(time) if time > now + limits::FUTURE_SLACK => Err(Error::conflict(format!(
            "{what} {time} is more than a minute in the future (now is {now}); correct it"
        ))
        .because(ConflictReason::FutureTime)),
        _ => Ok(()),
    }
}

fn check_text(what: &str, text: Option<&str>) -> Result<()> {
    match text {
        Some(text) if text.trim().is_empty() => {
            Err(Error::invalid(format!("{what} is blank; leave it out if there is none")))
        }
        Some(text) if text.contains('\0') => {
            Err(Error::invalid(format!("{what} contains a NUL character; remove it")))
        }
        _ => Ok(()),
    }
}

/// Puts entries on branches, with what corrects them here; says how many branches that made.
fn put_aside(
    edit: &mut MemoryEdit<'_>,
    branch_rows: Vec<ImportedBranchRows>,
    stored: &[EntryId],
) -> Result<u64> {
    let mut made = 0;
    for ImportedBranchRows { at, known, fresh } in branch_rows {
        let mut ids = stored[fresh].to_vec();
        for entry in known {
            ids.extend(edit.versions(entry)?.iter().map(|version| version.id));
        }
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            continue;
        }
        let branch = edit.mint();
        edit.change_entries(&ids, EntryChange::Branch(branch, at.min(edit.now)))?;
        edit.memory.waiting = edit.memory.waiting.filter(|(question, _)| !ids.contains(question));
        chapters::note_change(edit, Timestamp::MIN)?;
        made += 1;
    }
    Ok(made)
}

/// Counts the conversation, ended where its source ended it. Storing entries has counted one that is
/// only longer than before.
fn end(
    edit: &mut MemoryEdit<'_>,
    address: &Address<ConversationId>,
    ended_at: Option<Timestamp>,
    is_only_longer: bool,
) -> Result<ConversationId> {
    let mut conversation = edit.conversation(address)?;
    let id = conversation.id;
    if let Some(at) = ended_at {
        let at = at.max(conversation.last_at);
        conversation.ended = Some(Ended { at, by: EndedBy::Caller { reason: None } });
    }
    match is_only_longer {
        true => finish::save(edit, conversation, Timer::Stopped)?,
        false => finish::recount(edit, conversation)?,
    }
    Ok(id)
}

/// Keeps the source's own words about an ended conversation instead of having new ones made. If the
/// entries change, the usual job makes them again.
fn keep_summary(
    edit: &mut MemoryEdit<'_>,
    id: ConversationId,
    (title, text): (Option<String>, Option<String>),
    extract: Option<(u64, String)>,
) -> Result<()> {
    let found = edit.tx.conversation(edit.place(), id)?.filter(|one| one.ended.is_some());
    let Some(mut conversation) = found else { return Ok(()) };
    // An extract of all entries there are.
    let extract = extract.filter(|(entries, _)| *entries == conversation.entries);
    let text = text.or(extract.filter(|_| title.is_some()).map(|(_, text)| text));
    let (title, text) = match (title, text) {
        (None, None) => return Ok(()),
        (Some(title), Some(text)) => (title, text),
        (title, text) => {
            let query = EntryQuery::of_conversation(id, Which::Current);
            let made = summary::extract(&edit.tx.entries(edit.place(), &query)?, &edit.vault.zone);
            (title.unwrap_or(made.title), text.unwrap_or(made.text))
        }
    };
    let title = summary::without_controls(&title);
    conversation.summary = Some(Summary { title, text, by: SummaryBy::Source });
    edit.put_conversation(&conversation)?;
    edit.drop_job(JobKind::Summarize, id)
}
