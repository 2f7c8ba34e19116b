//! Distilling one conversation: the job that turns what was said into facts.

use super::draft::Draft;
use super::keep::keep;
use super::{FactVector, extract, model};
use crate::Result;
use crate::engine::Engine;
use crate::index::embedded_passages;
use crate::job::Job;
use crate::job_run::{self, ConversationMaterial};
use crate::memory::is_statement;
use crate::memory::{Entry, EntryId};
use crate::ports::{Embedder, EntryQuery, Row, Which};
use crate::similarity::thresholds;

/// Runs a distill job. Facts, the conversation's state and the end of the job are one transaction,
/// so that a crash anywhere neither loses a fact nor makes it twice.
pub(crate) async fn run(engine: &Engine, job: &Job) -> Result<()> {
    let Some(read) = engine.material(job).await? else { return engine.drop_job(job).await };
    let (found, stands_in_for) = match drafts(engine, &read, job).await {
        Err(failure) if engine.falls_back(&failure) => {
            ((by_rules(engine, &read), 0), Some(failure))
        }
        found => (found?, None),
    };
    let (drafts, dropped) = found;
    let drafts = embed(engine.embedders.present().as_deref(), drafts).await?;
    engine
        .commit(job, move |edit, job| {
            let Some(mut conversation) = job_run::ended_subject(edit, job)? else { return Ok(()) };
            if let Some(failure) = &stands_in_for {
                edit.tx.put(Row::Job(&job.clone().failed(failure, edit.clock)))?;
                // What the rules say was kept the first time.
                if job.waits > 0 && conversation.distilled_at.is_some() {
                    return Ok(());
                }
            }
            let query = EntryQuery::of_conversation(conversation.id, Which::All);
            let entries = edit.tx.entries(edit.place(), &query)?;
            let spoken = entries.iter().filter(|entry| !is_statement(entry));
            let entries: Vec<EntryId> = spoken.map(|entry| entry.id).collect();
            keep(edit, &entries, &drafts)?;
            conversation.distilled_at = Some(edit.now);
            conversation.facts_dropped = dropped;
            edit.put_context_job()?;
            edit.tx.put(Row::Conversation(edit.vault.id, &conversation))
        })
        .await
}

/// What a conversation says, and how many facts a model proposed that it does not say.
async fn drafts(
    engine: &Engine,
    read: &ConversationMaterial,
    job: &Job,
) -> Result<(Vec<Draft>, u64)> {
    let (zone, spoken) = (&read.vault.zone, spoken(read));
    let (drafts, dropped) = match engine.asker(&read.vault, job) {
        Some(asker) if !spoken.is_empty() => {
            let mut proposed = model::drafts(&asker, &spoken, zone).await?;
            let unshared = std::mem::take(&mut proposed.unshared);
            let count = unshared.len();
            let close = close(engine, unshared, &spoken).await?;
            let dropped = proposed.dropped + (count - close.len()) as u64;
            proposed.believed.extend(close);
            (proposed.believed, dropped)
        }
        _ => return Ok((by_rules(engine, read), 0)),
    };
    Ok((chosen(engine, drafts), dropped))
}

/// What a conversation says by the rules, without a model.
fn by_rules(engine: &Engine, read: &ConversationMaterial) -> Vec<Draft> {
    chosen(engine, extract::drafts(&spoken(read), &read.vault.zone))
}

/// What was said. The statements of a graph are facts from the moment they are stored.
fn spoken(read: &ConversationMaterial) -> Vec<Entry> {
    read.entries.iter().filter(|entry| !is_statement(entry)).cloned().collect()
}

/// Each draft once, pinned if the rules say so.
fn chosen(engine: &Engine, mut drafts: Vec<Draft>) -> Vec<Draft> {
    let mut seen = Vec::new();
    drafts.retain(|draft| {
        let key = (draft.statement.clone(), draft.evidence.clone());
        let new = !seen.contains(&key);
        seen.push(key);
        new
    });
    for draft in &mut drafts {
        draft.pinned = engine.fact_rules().pins(&draft.statement);
    }
    drafts
}

/// Those whose statement is close in meaning to the words they rest on. Without an embedder nothing
/// can tell, so that none is.
async fn close(engine: &Engine, drafts: Vec<Draft>, entries: &[Entry]) -> Result<Vec<Draft>> {
    let present = engine.embedders.present().filter(|_| !drafts.is_empty());
    let Some(embedder) = present else { return Ok(Vec::new()) };
    let quoted = |draft: &Draft| {
        let entry = entries.iter().find(|entry| entry.id == draft.evidence.entry)?;
        entry.content.as_str().get(draft.evidence.range.clone())
    };
    let said: Vec<&str> = drafts.iter().map(|draft| quoted(draft).unwrap_or_default()).collect();
    let stated: Vec<&str> = drafts.iter().map(|draft| draft.statement.as_str()).collect();
    let (quotes, statements) = (embedder.embed(&said).await?, embedder.embed(&stated).await?);
    let least = thresholds(&*embedder, engine.fact_rules()).borne_out;
    let cosine = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>() };
    let is_close: Vec<bool> =
        quotes.iter().zip(&statements).map(|(a, b)| cosine(a, b) >= least).collect();
    // Neither a part of an entry nor a statement that becomes no fact is forgotten with anything, so their
    // vectors are not kept.
    let is_whole = |text: &&str| entries.iter().any(|one| embedded_passages(one).contains(text));
    let mut passing: Vec<&str> = said.into_iter().filter(|text| !is_whole(text)).collect();
    passing
        .extend(stated.iter().zip(&is_close).filter(|(_, close)| !**close).map(|(text, _)| text));
    embedder.forget(&passing);
    Ok(drafts
        .into_iter()
        .zip(is_close)
        .filter(|(_, close)| *close)
        .map(|(draft, _)| draft)
        .collect())
}

/// Gives each draft the meaning of its statement.
async fn embed(
    embedder: Option<&dyn Embedder>,
    drafts: Vec<Draft>,
) -> Result<Vec<(Draft, Option<FactVector>)>> {
    let Some(embedder) = embedder else {
        return Ok(drafts.into_iter().map(|draft| (draft, None)).collect());
    };
    let texts: Vec<&str> = drafts.iter().map(|draft| draft.statement.as_str()).collect();
    let vectors = embedder.embed(&texts).await?;
    let vectors = vectors.iter().map(|vector| Some(FactVector::new(embedder.name(), vector)));
    let vectors: Vec<_> = vectors.collect();
    Ok(drafts.into_iter().zip(vectors).collect())
}
