//! [`ChatMemory`] over a vault: the memory that one workflow run reads and updates.
//!
//! Nodes that update summaries run the memory's jobs at once and wait for them; jobs that another
//! worker has claimed are waited for. Locks are leases in the store, renewed while the run goes on.

mod locks;

use std::sync::Arc;
use std::time::Duration;

use everwhen::chapters::{Chapter, ChapterQuery, Folding, condensed_view};
use everwhen::job::{Job, JobKind, JobState};
use everwhen::memory::{Address, ForgetMark, MemoryId};
use everwhen::ports::{ChapterWriter, ContextVersion, PromptMessage, Wait};
use everwhen::recall::{PeriodUse, Query};
use everwhen::{Engine, Error, ErrorKind, Result, Vault, limits};

use self::locks::Locks;
use crate::chat::Chat;
use crate::node::{SearchMode, Stamps};
use crate::port::{ChatMemory, SearchHit, SearchQuery};
use crate::search;

/// Interval between checks whether another worker has finished a job.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// A keyword search fetches this many times the wanted number of items before it filters them.
const WIDER: usize = 5;

/// The memory that a workflow runs in.
#[derive(Clone)]
pub struct MemoryPlace {
    /// The engine that opened the vault.
    pub engine: Engine,
    /// The vault that holds the memory.
    pub vault: Vault,
    /// The memory, by id or name.
    pub memory: Address<MemoryId>,
}

impl MemoryPlace {
    /// Resolves the vault to its id; `None` if it was forgotten, or the store does not answer.
    pub(crate) async fn settled(&self) -> Option<Self> {
        let vault = self.vault.settled().await.ok()?;
        Some(Self { vault, ..self.clone() })
    }
}

/// The memory of a chat, for one run.
pub(crate) struct VaultMemory<'c> {
    place: MemoryPlace,
    chat: &'c Chat,
    locks: Locks,
    /// What had been forgotten when the run began to read.
    read_at: ForgetMark,
}

impl<'c> VaultMemory<'c> {
    /// Opens the memory for the run with this name, which began to read when this had been forgotten.
    pub(crate) fn new(place: MemoryPlace, chat: &'c Chat, run: &str, read_at: ForgetMark) -> Self {
        let locks = Locks::new(place.clone(), run);
        Self { place, chat, locks, read_at }
    }

    /// Keeps the locks when this value is dropped, for the run to continue elsewhere.
    pub(crate) fn hand_over(&self) {
        self.locks.forget();
    }

    /// Runs the waiting jobs of these kinds, or waits until other workers have.
    async fn settle(&self, kinds: &[JobKind], engine: &Engine) -> Result<()> {
        loop {
            let mut jobs = self.place.vault.waiting_jobs(self.place.memory.clone()).await?;
            jobs.retain(|job| kinds.contains(&job.kind));
            let now = self.place.engine.now();
            let due = jobs.iter().find(|job| job.state == JobState::Waiting && job.due_at <= now);
            match due {
                Some(job) => run(engine, job).await?,
                None if jobs.iter().any(|job| is_leased(job, now)) => {
                    tokio::time::sleep(LOOK_AGAIN).await;
                }
                None => return failure(&jobs),
            }
        }
    }

    async fn all_chapters(&self) -> Result<Vec<Chapter>> {
        let mut chapters = Vec::new();
        let mut from = None;
        loop {
            let query =
                ChapterQuery { from, limit: Some(limits::PAGE_ROWS), ..ChapterQuery::default() };
            let page = self.place.vault.chapters(self.place.memory.clone(), query).await?;
            chapters.extend(page.data);
            from = page.next;
            if from.is_none() {
                return Ok(chapters);
            }
        }
    }

    /// The chapters as a reader is shown them: condensed ones in place of what they condense.
    async fn story(&self) -> Result<Vec<Chapter>> {
        Ok(condensed_view(self.all_chapters().await?))
    }

    async fn found(&self, wanted: &SearchQuery) -> Result<Vec<SearchHit>> {
        let by_words = wanted.mode == SearchMode::Keyword;
        let limit = if by_words { wanted.limit * WIDER } else { wanted.limit };
        let semantic = wanted.semantic.as_ref().filter(|_| !by_words);
        let query = Query {
            asked_at: Some(self.chat.now),
            limit: Some(limit.min(limits::PAGE_ROWS)),
            period: if by_words { PeriodUse::Ignore } else { PeriodUse::Boost },
            except: self.chat.asked.into_iter().collect(),
            ..Query::new(semantic.cloned().unwrap_or_else(|| wanted.keywords.join(" ")))
        };
        let recollection = self.place.vault.recall(self.place.memory.clone(), query).await?;
        let zone = &self.chat.zone;
        let mut found = match by_words {
            false => search::gathered(&recollection, zone, None),
            true => {
                let chapters = self.all_chapters().await?;
                let chapters = search::in_chapters(&chapters, &wanted.keywords, zone);
                let texts: Vec<String> = chapters.iter().map(|hit| hit.text.clone()).collect();
                let mut found = search::gathered(&recollection, zone, Some(chapters));
                found.retain(|found| {
                    texts.contains(&found.text) || search::says_any(&found.text, &wanted.keywords)
                });
                found
            }
        };
        found.truncate(wanted.limit);
        Ok(found)
    }

    async fn unfolded_chapters(&self) -> Result<Vec<String>> {
        let mut chapters = self.all_chapters().await?;
        chapters.retain(|chapter| chapter.kind.is_story());
        let summary = self.place.vault.rolling_summary(self.place.memory.clone()).await;
        let through = if_there(summary.map(|summary| Some(summary.through)))?;
        let is_new = |chapter: &&Chapter| {
            let end = (chapter.last.time, chapter.last.sequence);
            through.is_none_or(|through| end > (through.time, through.sequence))
        };
        let zone = &self.chat.zone;
        Ok(chapters.iter().filter(is_new).map(|one| one.dated(&one.text, zone)).collect())
    }
}

/// Runs a job and renews its lease meanwhile.
async fn run(engine: &Engine, job: &Job) -> Result<()> {
    let Some(job) = engine.claim_job(job).await? else { return Ok(()) };
    let renewal = Duration::try_from(limits::JOB_RENEWAL).expect("a lease lasts");
    let mut run = std::pin::pin!(engine.run(job.clone()));
    loop {
        tokio::select! {
            outcome = &mut run => return outcome,
            () = tokio::time::sleep(renewal) => engine.renew(&job).await?,
        }
    }
}

fn is_leased(job: &Job, now: jiff::Timestamp) -> bool {
    matches!(job.state, JobState::Leased { until } if until > now)
}

/// Returns the error of the last failed job, if any jobs are left for a later retry.
fn failure(left: &[Job]) -> Result<()> {
    match left.iter().find_map(|job| job.last_error.as_ref().map(|error| (job, error))) {
        Some((job, error)) => {
            Err(Error::unavailable(format!("{} failed: {error}", job.kind.as_str())))
        }
        None => Ok(()),
    }
}

/// Treats "not found" as an empty value.
fn if_there<T: Default>(read: Result<T>) -> Result<T> {
    match read {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::Conflict) => {
            Ok(T::default())
        }
        read => read,
    }
}

impl ChatMemory for VaultMemory<'_> {
    fn distill(&self) -> Wait<'_, ()> {
        Box::pin(async {
            if_there(self.place.vault.hurry(self.place.memory.clone()).await)?;
            let kinds = [JobKind::Chapters, JobKind::Distill];
            if_there(self.settle(&kinds, &self.place.engine).await)
        })
    }

    fn fold(&self, folding: Folding, writer: Option<Arc<dyn ChapterWriter>>) -> Wait<'_, ()> {
        Box::pin(async move {
            let memory = self.place.memory.clone();
            if_there(self.place.vault.hurry_summary(memory, folding).await)?;
            let engine = self.place.engine.clone();
            let engine = match writer {
                Some(writer) => engine.with_chapter_writer(writer),
                None => engine,
            };
            if_there(self.settle(&[JobKind::Fold], &engine).await)
        })
    }

    fn chapters(&self) -> Wait<'_, Vec<String>> {
        Box::pin(async {
            let chapters = if_there(self.story().await)?;
            Ok(chapters.iter().map(|one| one.dated(&one.text, &self.chat.zone)).collect())
        })
    }

    fn unfolded(&self) -> Wait<'_, Vec<String>> {
        Box::pin(async { if_there(self.unfolded_chapters().await) })
    }

    fn write_summary(&self, text: String) -> Wait<'_, ()> {
        Box::pin(async move {
            let memory = self.place.memory.clone();
            let written = self.place.vault.write_summary(memory, text, self.read_at.clone(), None);
            written.await.map(drop)
        })
    }

    fn state(&self) -> Wait<'_, Option<String>> {
        Box::pin(async {
            let (memory, newest) = (self.place.memory.clone(), ContextVersion::Current);
            let context = self.place.vault.context(memory, newest).await;
            if_there(context.map(|context| Some(context.content)))
        })
    }

    fn summary(&self) -> Wait<'_, Option<String>> {
        Box::pin(async {
            let summary = self.place.vault.rolling_summary(self.place.memory.clone()).await;
            if_there(summary.map(|summary| Some(summary.text)))
        })
    }

    fn search<'a>(&'a self, wanted: &'a SearchQuery) -> Wait<'a, Vec<SearchHit>> {
        Box::pin(async move { if_there(self.found(wanted).await) })
    }

    fn lock<'a>(&'a self, workflow: &'a str, lock: &'a str) -> Wait<'a, bool> {
        Box::pin(self.locks.take(workflow, lock))
    }

    fn unlock<'a>(&'a self, workflow: &'a str, lock: &'a str) -> Wait<'a, ()> {
        Box::pin(self.locks.unlock(workflow, lock))
    }

    fn stamp<'a>(
        &'a self,
        messages: &'a [PromptMessage],
        stamps: Stamps,
    ) -> Wait<'a, Vec<PromptMessage>> {
        Box::pin(async move { Ok(self.chat.stamped(messages, stamps)) })
    }
}

/// Stands in for a memory that cannot be reached: reads are empty, writes are ignored, and the chat
/// goes on.
pub(crate) struct UnavailableMemory;

impl ChatMemory for UnavailableMemory {
    fn distill(&self) -> Wait<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    fn fold(&self, _folding: Folding, _writer: Option<Arc<dyn ChapterWriter>>) -> Wait<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    fn unfolded(&self) -> Wait<'_, Vec<String>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn write_summary(&self, _text: String) -> Wait<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    fn state(&self) -> Wait<'_, Option<String>> {
        Box::pin(async { Ok(None) })
    }

    fn chapters(&self) -> Wait<'_, Vec<String>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn summary(&self) -> Wait<'_, Option<String>> {
        Box::pin(async { Ok(None) })
    }

    fn search<'a>(&'a self, _wanted: &'a SearchQuery) -> Wait<'a, Vec<SearchHit>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn lock<'a>(&'a self, _workflow: &'a str, _lock: &'a str) -> Wait<'a, bool> {
        Box::pin(async { Ok(true) })
    }

    fn unlock<'a>(&'a self, _workflow: &'a str, _lock: &'a str) -> Wait<'a, ()> {
        Box::pin(async { Ok(()) })
    }

    fn stamp<'a>(
        &'a self,
        messages: &'a [PromptMessage],
        _stamps: Stamps,
    ) -> Wait<'a, Vec<PromptMessage>> {
        Box::pin(async { Ok(messages.to_vec()) })
    }
}
