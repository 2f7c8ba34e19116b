//! Folding new chapters into the rolling summary. Every version is kept.
//!
//! Where the user allows it, rules fold while the model is away. A version by rules whose last chapter is a
//! model's stands in for the model's, which is made once it is back; so it is if the model writes other
//! chapters in place of those in it.

use jiff::Timestamp;

use super::{Chapter, ChapterKind, Folding, RollingSummary};
use crate::engine::Engine;
use crate::job::Job;
use crate::job_run::Asker;
use crate::memory::VaultInfo;
use crate::memory::WrittenBy;
use crate::memory_edit::MemoryEdit;
use crate::ports::{
    ChapterSelection, Cursor, MemoryRef, Prompt, Reply, Row, Snapshot, SummaryMaterial,
};
use crate::text::shorten;
use crate::time::Zone;
use crate::{ConflictReason, Error, Result};

/// Tokens an answer may have.
const REPLY_TOKENS: u32 = 800;
/// Longest summary, in characters.
const TEXT_CHARS: usize = 8_000;
/// Lines of a summary that no model wrote.
const LINES: usize = 40;

/// What a job finds.
struct FoldInput {
    vault: VaultInfo,
    /// The version to go on from.
    base: Option<RollingSummary>,
    /// The same, if rules go on.
    base_for_rules: Option<RollingSummary>,
    /// The number of the newest version.
    newest: u64,
}

impl FoldInput {
    /// The version that holds these chapters, too.
    fn next(
        &self,
        base: Option<&RollingSummary>,
        batch: &[Chapter],
        (text, by): (String, WrittenBy),
        job: &Job,
    ) -> RollingSummary {
        RollingSummary {
            memory: job.memory,
            version: self.newest + 1,
            chapters: base.map_or(0, |base| base.chapters) + batch.len() as u64,
            through: batch[batch.len() - 1].last,
            text,
            by,
            creation_time: Timestamp::UNIX_EPOCH,
        }
    }
}

/// Runs a fold job: batch by batch, each a version of its own. A change of a chapter puts the
/// job again, so what this one continues from stays valid as long as it has the lease.
pub(crate) async fn run(engine: &Engine, job: &Job) -> Result<()> {
    let (folding, place) = (folding(engine, job)?, job.clone());
    let has_model = engine.llm().is_some();
    let read = engine.store.look(move |snapshot| look(snapshot, &place, has_model)).await?;
    let Some(mut read) = read else { return engine.drop_job(job).await };
    loop {
        let fresh = fresh(engine, job, read.base.as_ref(), folding).await?;
        let Some(batch) = batch(&fresh, folding) else { return engine.drop_job(job).await };
        let words = match written(engine, job, &read, batch).await? {
            Some(text) => (text, WrittenBy::Llm),
            None => {
                let asker = engine.asker(&read.vault, job);
                let is_by_model = |base: &RollingSummary| base.by == WrittenBy::Llm;
                if asker.is_none() && read.base.as_ref().is_some_and(is_by_model) {
                    // Rules would shorten what a model wrote, here or in another system.
                    return engine.drop_job(job).await;
                }
                match words(asker, read.base.as_ref(), batch, &read.vault.zone).await {
                    Err(failure) if engine.falls_back(&failure) => {
                        return stand_in(engine, job, read, folding, failure).await;
                    }
                    words => words?,
                }
            }
        };
        let folded = read.next(read.base.as_ref(), batch, words, job);
        read.newest = folded.version;
        read.base = Some(folded.clone());
        read.base_for_rules = Some(folded.clone());
        engine.go_on(job, move |edit, _| keep(edit, folded.clone())).await?;
    }
}

/// Folds by rules until the model is back, for which the job waits.
async fn stand_in(
    engine: &Engine,
    job: &Job,
    mut read: FoldInput,
    folding: Folding,
    failure: Error,
) -> Result<()> {
    loop {
        let base = read.base_for_rules.as_ref();
        let fresh = fresh(engine, job, base, folding).await?;
        let Some(batch) = batch(&fresh, folding) else { break };
        let text = extracted(base, batch, &read.vault.zone);
        let folded = read.next(base, batch, (text, WrittenBy::Extractive), job);
        read.newest = folded.version;
        read.base_for_rules = Some(folded.clone());
        engine.go_on(job, move |edit, _| keep(edit, folded.clone())).await?;
    }
    engine
        .commit(job, move |edit, job| {
            edit.tx.put(Row::Job(&job.clone().failed(&failure, edit.clock)))
        })
        .await
}

/// What comes behind a version, as far as it is needed to know where the next batch ends.
async fn fresh(
    engine: &Engine,
    job: &Job,
    base: Option<&RollingSummary>,
    folding: Folding,
) -> Result<Vec<Chapter>> {
    let (place, behind) = (job.place(), base.map(|base| base.through));
    let enough = folding.most.max(folding.min).saturating_add(1);
    engine
        .store
        .look(move |snapshot| {
            snapshot.chapters(place, ChapterSelection::Story(behind, Some(enough)))
        })
        .await
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

fn look(snapshot: &dyn Snapshot, job: &Job, has_model: bool) -> Result<Option<FoldInput>> {
    let place = job.place();
    let Some(vault) = snapshot.vault(job.vault)? else { return Ok(None) };
    let newest = snapshot.summaries(place, None, Some(1))?.pop();
    let number = newest.as_ref().map_or(0, |newest| newest.version);
    let base = match newest {
        Some(newest) if is_sound(snapshot, place, &newest)? => Some(newest),
        _ => last_sound(snapshot, place, number)?,
    };
    let base_for_rules = base.clone();
    let base = if has_model { before_stand_ins(snapshot, place, base)? } else { base };
    Ok(Some(FoldInput { vault, base, base_for_rules, newest: number }))
}

/// The last sound version up to this one that does not stand in for a model's.
fn before_stand_ins(
    snapshot: &dyn Snapshot,
    place: MemoryRef,
    mut version: Option<RollingSummary>,
) -> Result<Option<RollingSummary>> {
    while let Some(one) = &version {
        if !stands_in(snapshot, place, one)? {
            break;
        }
        let earlier = snapshot.summaries(place, Some(one.version), Some(1))?.pop();
        version = match earlier {
            Some(earlier) if !is_sound(snapshot, place, &earlier)? => {
                last_sound(snapshot, place, earlier.version)?
            }
            earlier => earlier,
        };
    }
    Ok(version)
}

/// Whether rules made a version of what a model wrote.
fn stands_in(snapshot: &dyn Snapshot, place: MemoryRef, version: &RollingSummary) -> Result<bool> {
    if version.by != WrittenBy::Extractive {
        return Ok(false);
    }
    let before = Cursor { sequence: version.through.sequence.saturating_sub(1), ..version.through };
    let last = snapshot.chapters(place, ChapterSelection::Story(Some(before), Some(1)))?.pop();
    let last = last.filter(|last| last.last == version.through);
    Ok(last.is_some_and(|last| last.kind == ChapterKind::Written && last.by == WrittenBy::Llm))
}

/// The last version below one that is not sound. Versions grow on one another, so those above an
/// unsound one are not sound either, and halving finds it.
fn last_sound(
    snapshot: &dyn Snapshot,
    place: MemoryRef,
    mut unsound: u64,
) -> Result<Option<RollingSummary>> {
    let (mut low, mut found) = (0, None);
    while unsound > low + 1 {
        let middle = low + (unsound - low) / 2;
        let version = snapshot.summaries(place, Some(middle + 1), Some(1))?.pop();
        match version.filter(|version| version.version > low) {
            None => low = middle,
            Some(version) if is_sound(snapshot, place, &version)? => {
                (low, found) = (middle, Some(version));
            }
            Some(version) => unsound = version.version,
        }
    }
    Ok(found)
}

/// Whether a version still tells what the chapters tell: none of those in it was written later.
fn is_sound(snapshot: &dyn Snapshot, place: MemoryRef, version: &RollingSummary) -> Result<bool> {
    let (count, latest) = snapshot.chapters_through(place, version.through)?;
    Ok(count == version.chapters && latest.is_none_or(|latest| latest <= version.creation_time))
}

/// The next version in the words of a writer, if there is one that writes summaries.
async fn written(
    engine: &Engine,
    job: &Job,
    read: &FoldInput,
    batch: &[Chapter],
) -> Result<Option<String>> {
    let Some(writer) = engine.chapter_writer() else { return Ok(None) };
    let chapters = batch.iter().map(|chapter| chapter.dated(&chapter.text, &read.vault.zone));
    let material = SummaryMaterial {
        place: job.place(),
        summary: read.base.as_ref().map(|base| base.text.clone()).unwrap_or_default(),
        chapters: chapters.collect(),
    };
    let Some(text) = writer.fold(&material).await? else { return Ok(None) };
    if text.trim().is_empty() {
        return Err(Error::invalid("the model's answer holds no summary"));
    }
    Ok(Some(shorten(&text, TEXT_CHARS)))
}

async fn words(
    asker: Option<Asker>,
    base: Option<&RollingSummary>,
    batch: &[Chapter],
    zone: &Zone,
) -> Result<(String, WrittenBy)> {
    let Some(asker) = asker else {
        return Ok((extracted(base, batch, zone), WrittenBy::Extractive));
    };
    let shown: Vec<String> =
        batch.iter().map(|chapter| chapter.dated(&chapter.text, zone)).collect();
    let so_far = base.map(|base| base.text.as_str()).filter(|text| !text.is_empty());
    let so_far = so_far.unwrap_or("(nothing yet)");
    let asked = format!("Summary so far:\n{so_far}\n\nNext chapters:\n{}", shown.join("\n\n"));
    let prompt = Prompt::new(include_str!("prompts/fold.md"), asked).with_max_tokens(REPLY_TOKENS);
    Ok((asker.ask("summary", &prompt, read_summary).await?, WrittenBy::Llm))
}

/// The summary in a model's answer.
fn read_summary(reply: &Reply) -> Result<String> {
    if reply.text.trim().is_empty() {
        return Err(Error::invalid("the model's answer holds no summary"));
    }
    Ok(shorten(&reply.text, TEXT_CHARS))
}

/// What a model wrote, if it wrote any of it, and a line for each chapter behind that.
fn extracted(base: Option<&RollingSummary>, batch: &[Chapter], zone: &Zone) -> String {
    const BREAK: &str = "\n\n";
    let so_far = base.map_or("", |base| base.text.as_str());
    let (told, lines) = match base {
        Some(base) if base.by == WrittenBy::Llm => (so_far, ""),
        // Lines by rules have no empty one between them.
        _ => so_far.rsplit_once(BREAK).unwrap_or(("", so_far)),
    };
    let lines = with_lines(lines, batch, zone);
    if told.is_empty() { lines } else { [told, &lines].join(BREAK) }
}

/// A line for each chapter; the oldest leave when there are too many, and are counted.
fn with_lines(so_far: &str, batch: &[Chapter], zone: &Zone) -> String {
    const LEFT: &str = " earlier chapters are left out.";
    let mut lines: Vec<String> = so_far.lines().map(str::to_owned).collect();
    let first = lines.first().and_then(|line| line.strip_suffix(LEFT)?.parse::<usize>().ok());
    let mut left = first.unwrap_or_default();
    if left > 0 {
        lines.remove(0);
    }
    lines.extend(batch.iter().map(|chapter| chapter.dated(&chapter.title, zone)));
    let surplus = lines.len().saturating_sub(LINES);
    left += surplus;
    lines.drain(..surplus);
    if left > 0 {
        lines.insert(0, format!("{left}{LEFT}"));
    }
    lines.join("\n")
}

/// Keeps a text as the next version, which holds all chapters there are.
pub(super) fn write_by_hand(edit: &mut MemoryEdit<'_>, text: &str) -> Result<()> {
    let place = edit.place();
    let last = edit.tx.chapters(place, ChapterSelection::Story(None, None))?.pop();
    let last = last.ok_or_else(|| {
        Error::conflict("there are no chapters yet, so there is nothing that a summary could hold")
            .because(ConflictReason::NothingToDo)
    })?;
    let (chapters, _) = edit.tx.snapshot().chapters_through(place, last.last)?;
    let newest = edit.tx.summaries(place, None, Some(1))?;
    let version = newest.first().map_or(0, |newest| newest.version) + 1;
    let summary = RollingSummary {
        memory: edit.memory.id,
        version,
        chapters,
        through: last.last,
        text: shorten(text, TEXT_CHARS),
        by: WrittenBy::Llm,
        creation_time: edit.now,
    };
    edit.tx.put(Row::Summary(edit.vault.id, &summary))
}

fn keep(edit: &mut MemoryEdit<'_>, folded: RollingSummary) -> Result<()> {
    let newest = edit.tx.summaries(edit.place(), None, Some(1))?;
    if newest.first().map_or(0, |newest| newest.version) + 1 != folded.version {
        return Err(Error::conflict("the summary has changed meanwhile")
            .because(ConflictReason::ChangedMeanwhile));
    }
    let summary = RollingSummary { creation_time: edit.now, ..folded };
    edit.tx.put(Row::Summary(edit.vault.id, &summary))
}
