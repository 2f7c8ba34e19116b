//! Retrospection: a language model looks back at an ended conversation and answers a question about
//! it, such as what went well and what to do differently. The answer is stored with the conversation
//! and goes with it; it is written again when the conversation changes.

use crate::engine::Engine;
use crate::job::{Job, JobKind};
use crate::memory::{Address, Conversation, Entry, MemoryId, Retrospection, Role};
use crate::ports::{ArchiveFilter, ConversationOrder, ConversationQuery, Order, Prompt, Reply};
use crate::receipt::{Done, Idempotency, Receipt};
use crate::text::shorten;
use crate::time::Zone;
use crate::transcript::{transcript, windows};
use crate::vault::{Absent, Vault};
use crate::{Error, Result, job_run, limits, usage};

/// The question if the configuration names no other.
pub const DEFAULT_QUESTION: &str = "What was achieved, what was left open, what the person \
    prefers or dislikes about how they were helped, and what to do differently next time.";
/// Tokens an answer may have.
const REPLY_TOKENS: u32 = 600;

/// Runs a retrospect job.
pub(crate) async fn run(engine: &Engine, job: &Job) -> Result<()> {
    let Some(read) = engine.material(job).await? else { return engine.drop_job(job).await };
    let Some(asker) = engine.asker(&read.vault, job) else { return engine.drop_job(job).await };
    let question = engine.retrospection().unwrap_or(DEFAULT_QUESTION);
    let asked = prompt(&read.entries, &read.vault.zone, question);
    let text = asker.ask("retrospection", &asked, answer).await?;
    engine
        .commit(job, move |edit, job| {
            let Some(mut conversation) = job_run::ended_subject(edit, job)? else { return Ok(()) };
            let (text, at) = (text.clone(), edit.now);
            conversation.retrospection = Some(Retrospection { text, at });
            edit.put_conversation(&conversation)
        })
        .await
}

/// The question and the conversation; of one that is too long, the beginning and the end.
fn prompt(entries: &[Entry], zone: &Zone, question: &str) -> Prompt {
    let spoken: Vec<&Entry> =
        entries.iter().filter(|one| matches!(one.role, Role::User | Role::Assistant)).collect();
    let windows = windows(&spoken);
    let shown: Vec<&Entry> = match windows.as_slice() {
        [first, .., last] => first.iter().chain(last.iter()).copied().collect(),
        _ => spoken.clone(),
    };
    let system = include_str!("prompts/retrospect.md").replace("{question}", question);
    Prompt::new(&system, transcript(&shown, zone)).with_max_tokens(REPLY_TOKENS)
}

/// The words of an answer that has some.
fn answer(reply: &Reply) -> Result<String> {
    let text = shorten(reply.text.trim(), limits::RETROSPECTION_CHARS);
    if text.is_empty() {
        return Err(Error::invalid("the model's answer is empty"));
    }
    Ok(text)
}

/// Retrospections as one text: a heading with title and local time of the end for each.
pub fn as_text(conversations: &[Conversation], zone: &Zone) -> String {
    let section = |one: &Conversation| {
        let retrospection = one.retrospection.as_ref()?;
        let title = one.summary.as_ref().map_or("Conversation", |summary| &summary.title);
        let ended = one.ended.as_ref().map_or(one.last_at, |ended| ended.at);
        Some(format!("## {title} — {}\n\n{}\n", zone.minute(ended), retrospection.text))
    };
    conversations.iter().filter_map(section).collect::<Vec<_>>().join("\n")
}

impl Vault {
    /// Has a language model look back at the ended conversations of a memory, those at which it has
    /// not yet or, with `again`, all. Returns how many those are; jobs do the work.
    pub async fn retrospect(
        &self,
        memory: Address<MemoryId>,
        again: bool,
        idempotency: Option<Idempotency>,
    ) -> Result<Done> {
        if self.engine().llm().is_none() {
            return Err(usage::no_llm());
        }
        self.edit_memory(memory, Absent::Refuse, idempotency, move |edit| {
            let mut ended = edit.ended_conversations()?;
            ended.retain(|one| one.entries > 0 && (again || one.retrospection.is_none()));
            for conversation in &ended {
                edit.put_job(JobKind::Retrospect, conversation.id, edit.now)?;
            }
            Ok(Receipt::Regenerating(ended.len() as u64))
        })
        .await
    }

    /// The ended conversations that were looked back at, the last ended first, at most `limit`.
    pub async fn retrospections(
        &self,
        memory: Address<MemoryId>,
        limit: usize,
    ) -> Result<Vec<Conversation>> {
        self.read(memory, move |view, _| {
            let query = ConversationQuery {
                ended: Some(true),
                archive: ArchiveFilter::Both,
                by: ConversationOrder::Ended,
                order: Order::Newest,
                ..ConversationQuery::default()
            };
            let mut rows = view.snapshot.conversations(view.place, &query)?;
            rows.retain(|one| one.retrospection.is_some());
            rows.truncate(limit);
            Ok(rows)
        })
        .await
    }
}
