//! Folding new chapters into the rolling summary. Every version is kept.

use super::{Chapter, Folding, RollingSummary};
use crate::conversations::summary::shorten;
use crate::desk::Desk;
use crate::engine::Engine;
use crate::facts::WrittenBy;
use crate::job::Job;
use crate::memory::VaultInfo;
use crate::ports::{Cursor, Prompt, Reply, Snapshot};
use crate::when::Zone;
use crate::work::Asker;
use crate::{Error, Result};

/// Tokens an answer may have.
const REPLY_TOKENS: u32 = 800;
/// Longest summary, in characters.
const TEXT_CHARS: usize = 8_000;
/// Lines of a summary that no model wrote.
const LINES: usize = 40;

/// What a job finds: the version to go on from, and what comes next.
struct Read {
    vault: VaultInfo,
    base: Option<RollingSummary>,
    newest: u64,
    fresh: Vec<Chapter>,
}

/// Runs a fold job: batch by batch, each a version of its own.
pub(crate) async fn run(engine: &Engine, job: &Job) -> Result<()> {
    let folding = folding(engine, job)?;
    loop {
        let place = job.clone();
        let read = engine.store.look(move |snapshot| look(snapshot, &place)).await?;
        let Some(read) = read else { return engine.drop_job(job).await };
        let Some(batch) = batch(&read.fresh, folding) else { return engine.drop_job(job).await };
        let (text, by) =
            words(engine.asker(&read.vault, job), read.base.as_ref(), batch, &read.vault.zone)
                .await?;
        let folded = Folded {
            version: read.newest + 1,
            chapters: read.base.map_or(0, |base| base.chapters) + batch.len() as u64,
            through: batch[batch.len() - 1].last,
            text,
            by,
        };
        engine.go_on(job, move |desk, _| keep(desk, &folded)).await?;
    }
}

/// The oldest chapters to fold, if there are enough: more than one batch is folded batch by batch,
/// a rest only if it is large enough by itself.
fn batch(fresh: &[Chapter], folding: Folding) -> Option<&[Chapter]> {
    if fresh.len() > folding.most {
        return Some(&fresh[..folding.most.max(1)]);
    }
    (fresh.len() >= folding.min.max(1)).then_some(fresh)
}

/// The numbers that a job carries, else the usual ones.
fn folding(engine: &Engine, job: &Job) -> Result<Folding> {
    let rules = engine.chapter_rules();
    let usual = Folding { min: rules.min_per_summary, most: rules.most_per_summary };
    Ok(Folding::read(job.payload.as_deref())?.unwrap_or(usual))
}

fn look(snapshot: &dyn Snapshot, job: &Job) -> Result<Option<Read>> {
    let place = job.place();
    let Some(vault) = snapshot.vault(job.vault)? else { return Ok(None) };
    let chapters = snapshot.chapters(place, None, None)?;
    let versions = snapshot.summaries(place, None, None)?;
    let newest = versions.first().map_or(0, |newest| newest.version);
    let base = versions.into_iter().find(|version| is_sound(version, &chapters));
    let folded = base.as_ref().map_or(0, |base| base.chapters as usize);
    let fresh = chapters.into_iter().skip(folded).collect();
    Ok(Some(Read { vault, base, newest, fresh }))
}

/// Whether a version still tells what the chapters tell: none of those in it was written later.
fn is_sound(version: &RollingSummary, chapters: &[Chapter]) -> bool {
    let through = |cursor: Cursor| (cursor.time, cursor.sequence);
    let told: Vec<&Chapter> =
        chapters.iter().filter(|one| through(one.last) <= through(version.through)).collect();
    told.len() as u64 == version.chapters
        && told.iter().all(|one| one.creation_time <= version.creation_time)
}

async fn words(
    asker: Option<Asker>,
    base: Option<&RollingSummary>,
    batch: &[Chapter],
    zone: &Zone,
) -> Result<(String, WrittenBy)> {
    let so_far = base.map_or("", |base| base.text.as_str());
    let Some(asker) = asker else {
        return Ok((extracted(so_far, batch, zone), WrittenBy::Extractive));
    };
    let shown: Vec<String> =
        batch.iter().map(|chapter| dated(chapter, &chapter.text, zone)).collect();
    let so_far = if so_far.is_empty() { "(nothing yet)" } else { so_far };
    let asked = format!("Summary so far:\n{so_far}\n\nNext chapters:\n{}", shown.join("\n\n"));
    let prompt = Prompt::new(include_str!("prompts/fold.md"), asked).with_max_tokens(REPLY_TOKENS);
    Ok((asker.ask("summary", &prompt, told).await?, WrittenBy::Llm))
}

/// The summary in a model's answer.
fn told(reply: &Reply) -> Result<String> {
    if reply.text.trim().is_empty() {
        return Err(Error::unavailable("the model's answer holds no summary"));
    }
    Ok(shorten(&reply.text, TEXT_CHARS))
}

fn dated(chapter: &Chapter, text: &str, zone: &Zone) -> String {
    let (first, last) = (zone.day(chapter.first.time), zone.day(chapter.last.time));
    let days = if first == last { first.to_string() } else { format!("{first} to {last}") };
    format!("{days}: {text}")
}

/// A line for each chapter; the oldest leave when there are too many, and are counted.
fn extracted(so_far: &str, batch: &[Chapter], zone: &Zone) -> String {
    const LEFT: &str = " earlier chapters are left out.";
    let mut lines: Vec<String> = so_far.lines().map(str::to_owned).collect();
    let first = lines.first().and_then(|line| line.strip_suffix(LEFT)?.parse::<usize>().ok());
    let mut left = first.unwrap_or_default();
    if left > 0 {
        lines.remove(0);
    }
    lines.extend(batch.iter().map(|chapter| dated(chapter, &chapter.title, zone)));
    let surplus = lines.len().saturating_sub(LINES);
    left += surplus;
    lines.drain(..surplus);
    if left > 0 {
        lines.insert(0, format!("{left}{LEFT}"));
    }
    lines.join("\n")
}

/// A version about to be kept.
struct Folded {
    version: u64,
    text: String,
    through: Cursor,
    chapters: u64,
    by: WrittenBy,
}

fn keep(desk: &mut Desk<'_>, folded: &Folded) -> Result<()> {
    let newest = desk.tx.summaries(desk.place(), None, Some(1))?;
    if newest.first().map_or(0, |newest| newest.version) + 1 != folded.version {
        return Err(Error::conflict("the summary has changed meanwhile"));
    }
    let summary = RollingSummary {
        memory: desk.memory.id,
        version: folded.version,
        text: folded.text.clone(),
        through: folded.through,
        chapters: folded.chapters,
        by: folded.by,
        creation_time: desk.now,
    };
    desk.tx.add_summary(desk.vault.id, &summary)
}
