//! Files that a model keeps for itself, stored as dated entries.
//!
//! The commands and their texts are those of Anthropic's memory tool, which models have learned. A file is an
//! entry whose tags name its path; an edit is a correction of it. So every version has its date, any earlier
//! state can be viewed, recall finds the contents of files, and forgetting an entry removes all versions of its
//! file. [`stored`] reads entries as files, [`command`] says what a command writes and answers.

mod command;
mod stored;

pub use command::FileCommand;

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use self::command::FileWrite;
use self::stored::StoredFiles;
use crate::memory::{Address, MemoryId, NewEntry, Role, Said};
use crate::memory_edit::MemoryEdit;
use crate::ports::{MemoryRef, Snapshot, Which};
use crate::receipt::{EntriesReceipt, Idempotency, Receipt};
use crate::remember::{self, NewCorrection};
use crate::vault::{Absent, Vault};
use crate::{Error, ErrorKind, Result};

/// What a command answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileAnswer {
    /// The text for the model.
    pub text: String,
    /// Whether the command was refused.
    pub is_error: bool,
    /// Whether the same command was carried out before with the same idempotency key.
    pub replayed: bool,
}

impl FileAnswer {
    /// An error for the model to read.
    pub fn refused(error: &Error) -> Self {
        Self { text: error.message().to_owned(), is_error: true, replayed: false }
    }
}

impl Vault {
    /// Carries out a command on the files of a memory, which is created if it does not exist. With `as_of`, files are
    /// viewed as they were then. A command that cannot be carried out is an answer for the model, not an error.
    pub async fn run_file_command(
        &self,
        memory: Address<MemoryId>,
        command: FileCommand,
        as_of: Option<Timestamp>,
        once: Option<Idempotency>,
    ) -> Result<FileAnswer> {
        let done = match &command {
            FileCommand::View { .. } => self.view_files(memory, command, as_of).await,
            _ if as_of.is_some() => {
                Err(Error::invalid("as_of is for view only; earlier versions cannot be changed"))
            }
            _ => self.change_files(memory, command, once).await,
        };
        match done {
            Ok((text, replayed)) => Ok(FileAnswer { text, is_error: false, replayed }),
            Err(error) if matches!(error.kind(), ErrorKind::Invalid | ErrorKind::TooLarge) => {
                Ok(FileAnswer::refused(&error))
            }
            Err(error) => Err(error),
        }
    }

    async fn view_files(
        &self,
        memory: Address<MemoryId>,
        command: FileCommand,
        as_of: Option<Timestamp>,
    ) -> Result<(String, bool)> {
        let which = as_of.map_or(Which::Current, Which::AsOf);
        let files = self.read(memory, move |view, _| load(view.snapshot, view.place, which)).await;
        let files = match files {
            // Nothing has been written yet.
            Err(error) if error.kind() == ErrorKind::NotFound => StoredFiles::default(),
            files => files?,
        };
        command.apply(&files).map(|(text, _)| (text, false))
    }

    async fn change_files(
        &self,
        memory: Address<MemoryId>,
        command: FileCommand,
        once: Option<Idempotency>,
    ) -> Result<(String, bool)> {
        let message = Arc::new(Mutex::new(None));
        let (slot, again) = (Arc::clone(&message), command.clone());
        let work = move |edit: &mut MemoryEdit<'_>| {
            let files = load(edit.tx.snapshot(), edit.place(), Which::Current)?;
            let (text, writes) = command.apply(&files)?;
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
            let mut entries = Vec::new();
            for write in writes {
                if let Receipt::Entries(stored) = store(edit, &files, write)? {
                    entries.extend(stored.entries);
                }
            }
            Ok(Receipt::Entries(EntriesReceipt { entries, pending: None }))
        };
        let done = self.edit_memory(memory.clone(), Absent::Make, once, work).await?;
        let message = message.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(message) = message.filter(|_| !done.replayed) {
            return Ok((message, false));
        }
        let before = self.text_before(memory, &done.receipt).await?;
        Ok((again.repeated(before.as_deref()), true))
    }

    /// The text of the version that an edit replaced.
    async fn text_before(
        &self,
        memory: Address<MemoryId>,
        receipt: &Receipt,
    ) -> Result<Option<String>> {
        let Receipt::Entries(EntriesReceipt { entries, .. }) = receipt else { return Ok(None) };
        let Some(id) = entries.first().map(|entry| entry.id) else { return Ok(None) };
        self.read(memory, move |view, _| {
            let edited = view.snapshot.entry(view.place, id)?.and_then(|entry| entry.corrects);
            let Some(edited) = edited else { return Ok(None) };
            let before = view.snapshot.entry(view.place, edited.entry)?;
            Ok(before.map(|entry| entry.content.as_str().to_owned()))
        })
        .await
    }
}

fn load(snapshot: &dyn Snapshot, place: MemoryRef, which: Which) -> Result<StoredFiles> {
    let query = stored::query(which)?;
    Ok(StoredFiles::fold(&snapshot.entries(place, &query)?))
}

fn store(edit: &mut MemoryEdit<'_>, files: &StoredFiles, write: FileWrite) -> Result<Receipt> {
    let (content, tags) = stored::written(&write)?;
    let content = Said::new(content)?;
    let stored_at = write.stored_at.as_deref().unwrap_or(&write.path);
    let Some(old) = files.entry(stored_at) else {
        let entry = NewEntry { tags, ..NewEntry::new(Role::Assistant, content) };
        return remember::entries(edit, vec![entry], None);
    };
    let reason = match (&write.text, stored_at == write.path) {
        (None, _) => "the file was deleted",
        (_, true) => "the file was edited",
        (_, false) => "the file was renamed",
    };
    let correction =
        NewCorrection { content, reason: reason.to_owned(), tags: Some(tags), metadata: None };
    remember::correction(edit, old, correction, None)
}
