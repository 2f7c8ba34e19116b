//! A vault to import into, and files to import from.

use std::path::{Path, PathBuf};

use everwhen::export::{ForeignFormat, write_foreign};
use everwhen::import::{Options, Plan, Report, read_batches};
use everwhen::memory::{Address, Entry, Name, NewEntry};
use everwhen::ports::{ConversationQuery, EntryQuery, Which};
use everwhen::time::Zone;
use everwhen::{Config, Environment, Everwhen, Flags, ImportMode, ImportOutcome, Result};
use jiff::Timestamp;

/// The time of every import.
pub(crate) fn now() -> Timestamp {
    "2026-11-14T00:00:00Z".parse().unwrap()
}

/// The usual options, in a zone.
pub(crate) fn options(zone: &str) -> Options {
    Options::new(Zone::named(zone).unwrap(), now())
}

/// An open Everwhen in a directory of its own.
pub(crate) struct Stage {
    pub(crate) directory: tempfile::TempDir,
    everwhen: Everwhen,
    runtime: tokio::runtime::Runtime,
}

/// What an import did.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct ImportTotals {
    pub(crate) stored: u64,
    pub(crate) known: u64,
    pub(crate) corrected: u64,
    pub(crate) branches: u64,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let data = Some(directory.path().join("data").display().to_string());
        let flags = Flags { data, zone: Some("UTC".into()), ..Flags::default() };
        let config = Config::load(&Environment::default(), &flags).unwrap();
        let everwhen = Everwhen::open(&config).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { directory, everwhen, runtime }
    }

    /// Writes a file below `folder`.
    pub(crate) fn file(&self, folder: &str, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.directory.path().join(folder).join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Imports a file; panics if any conversation is refused.
    pub(crate) fn import(&self, path: &Path) -> (ImportTotals, Report) {
        self.import_with(path, &options("UTC"), false).unwrap()
    }

    pub(crate) fn import_with(
        &self,
        path: &Path,
        options: &Options,
        dry: bool,
    ) -> Result<(ImportTotals, Report)> {
        let plan = Plan::of_paths(&[path.to_owned()], options)?;
        let mut all = Vec::new();
        let report = read_batches(&plan, options, &mut |batch| {
            all.extend(batch.conversations);
            true
        });
        let vault = Address::Name(Name::new("vault", "v").unwrap());
        let memory = Address::Name(Name::new("memory", "m").unwrap());
        let mode = ImportMode { is_rehearsal: dry, ..ImportMode::default() };
        let mut totals = ImportTotals::default();
        self.runtime.block_on(async {
            let vault = self.everwhen.engine().vault_to_write(vault).await?;
            for one in all.chunks(7) {
                for outcome in
                    vault.import_conversations(memory.clone(), one.to_vec(), mode).await?
                {
                    let ImportOutcome { stored, known, corrected, branches, .. } = outcome?;
                    totals.stored += stored;
                    totals.known += known;
                    totals.corrected += corrected;
                    totals.branches += branches;
                }
            }
            Ok((totals, report))
        })
    }

    /// Stores what was said, without any source.
    pub(crate) fn remember(&self, entries: Vec<NewEntry>) {
        let vault = Address::Name(Name::new("vault", "v").unwrap());
        let memory = Address::Name(Name::new("memory", "m").unwrap());
        let done = self.runtime.block_on(async {
            let vault = self.everwhen.engine().vault_to_write(vault).await?;
            vault.remember(memory, entries, None).await
        });
        done.unwrap();
    }

    /// Imports a file under other ids, by the place of each message, as an earlier version gave them.
    pub(crate) fn import_under(&self, path: &Path, id: &dyn Fn(usize) -> String) -> u64 {
        let options = options("UTC");
        let mut all = Vec::new();
        Plan::of_paths(&[path.to_owned()], &options).unwrap().read(&options, &mut |_, one| {
            all.push(one);
            true
        });
        let entries = all.iter_mut().flat_map(|one| &mut one.entries);
        for (place, entry) in entries.enumerate() {
            let from = entry.provenance.as_mut().unwrap();
            from.source_id = Some(Name::new("id", id(place)).unwrap());
        }
        let vault = Address::Name(Name::new("vault", "v").unwrap());
        let memory = Address::Name(Name::new("memory", "m").unwrap());
        self.runtime.block_on(async {
            let vault = self.everwhen.engine().vault_to_write(vault).await.unwrap();
            let outcomes =
                vault.import_conversations(memory, all, ImportMode::default()).await.unwrap();
            outcomes.into_iter().map(|outcome| outcome.unwrap().stored).sum()
        })
    }

    /// Writes the memory in the format of another program.
    pub(crate) fn export(&self, format: ForeignFormat, path: &Path) {
        let vault = Address::Name(Name::new("vault", "v").unwrap());
        let memory = Address::Name(Name::new("memory", "m").unwrap());
        let file = std::fs::File::create(path).unwrap();
        let written = self.runtime.block_on(async {
            let vault = self.everwhen.engine().vault(vault).await?;
            write_foreign(&vault, memory, format, file).await
        });
        written.unwrap();
    }

    /// The conversations: name, title, and when each branch was archived.
    pub(crate) fn conversations(&self) -> Vec<(String, Option<String>, Vec<String>)> {
        let vault = Address::Name(Name::new("vault", "v").unwrap());
        let memory = Address::Name(Name::new("memory", "m").unwrap());
        self.runtime.block_on(async {
            let vault = self.everwhen.engine().vault(vault).await.unwrap();
            let page = vault.conversations(memory.clone(), ConversationQuery::default()).await;
            let mut all = Vec::new();
            for one in page.unwrap().data {
                let view = vault.conversation(memory.clone(), one.id.into()).await.unwrap();
                let name = one.name.map(|name| name.to_string()).unwrap_or_default();
                let title = view.conversation.summary.map(|summary| summary.title);
                let mut branches: Vec<String> =
                    view.branches.iter().map(|one| one.archived_at.to_string()).collect();
                branches.sort();
                all.push((name, title, branches));
            }
            all.sort();
            all
        })
    }

    /// The summaries of conversations: title and text.
    pub(crate) fn summaries(&self) -> Vec<(String, String)> {
        let vault = Address::Name(Name::new("vault", "v").unwrap());
        let memory = Address::Name(Name::new("memory", "m").unwrap());
        self.runtime.block_on(async {
            let vault = self.everwhen.engine().vault(vault).await.unwrap();
            let page = vault.conversations(memory, ConversationQuery::default()).await.unwrap();
            let summaries = page.data.into_iter().filter_map(|one| one.summary);
            summaries.map(|summary| (summary.title, summary.text)).collect()
        })
    }

    /// All entries, by time, role and text.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        let vault = Address::Name(Name::new("vault", "v").unwrap());
        let memory = Address::Name(Name::new("memory", "m").unwrap());
        let query = EntryQuery { which: Which::All, limit: Some(1_000), ..EntryQuery::default() };
        let page = self.runtime.block_on(async {
            self.everwhen.engine().vault(vault).await?.entries(memory, None, query).await
        });
        let mut entries = page.map(|page| page.data).unwrap_or_default();
        let key = |one: &Entry| {
            (one.conversation_time, one.role.as_str(), one.content.as_str().to_owned())
        };
        entries.sort_by_key(key);
        entries
    }

    /// Time, role and text of all entries.
    pub(crate) fn rows(&self) -> Vec<(String, String, String)> {
        let row = |one: &Entry| {
            (
                one.conversation_time.to_string(),
                one.role.as_str().to_owned(),
                one.content.as_str().to_owned(),
            )
        };
        self.entries().iter().map(row).collect()
    }
}
