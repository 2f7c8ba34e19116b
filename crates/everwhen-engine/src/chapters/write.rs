//! Writing chapters: the job behind the chat.
//!
//! Walk: read what has no chapter yet, from further back if something there has changed → plan →
//! write the missing ones, one by one → keep each in a transaction that looks again whether its
//! entries are still those → say when to look next. What was kept before a crash is found again.
//!
//! Where the user allows it, rules write chapters while the model is away. The job waits for the model then,
//! with a note from when on chapters stand in, and the model's take their place.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;
use unicode_segmentation::UnicodeSegmentation;

use super::job_note::JobNote;
use super::plan::{Planned, plan};
use super::watch::{DELAY, LONGEST_WAIT, ON_ITS_WAY, hurried, look_now};
use super::{Chapter, ChapterKind, ChapterRules, condense, imported, state_document};
use crate::engine::Engine;
use crate::job::{Job, JobKind, JobState, Subject};
use crate::job_run::Asker;
use crate::json::Json;
use crate::memory::{ChapterId, Entry, VaultInfo, WrittenBy, chapter_digest};
use crate::memory_edit::MemoryEdit;
use crate::ports::{
    ChapterMaterial, ChapterSelection, ChapterWriter, Cursor, EntryQuery, MemoryRef, Prompt, Reply,
    Row, Snapshot,
};
use crate::text::{is_stop_word, shorten};
use crate::time::Zone;
use crate::transcript::transcript;
use crate::{ConflictReason, Error, Result, summary};

/// Most names or phrases of a chapter.
const WORDS: usize = 10;
/// Longest text of a chapter, in characters.
const TEXT_CHARS: usize = 4_000;
/// Longest title, in characters.
const TITLE_CHARS: usize = 120;

/// Where a job finds its memory.
enum PlanState {
    /// There is no such memory any more.
    Gone,
    /// Entries pour in; a plan made now would have to be made again.
    Busy,
    /// This is to be done.
    Ready(Box<ChapterPlan>),
}

/// What there is to do.
struct ChapterPlan {
    vault: VaultInfo,
    /// Chapters without a text, or with one that stands in for a model's.
    missing: Vec<MissingChapter>,
    /// Chapters that are no longer in the plan.
    stale: Vec<Chapter>,
    /// The sequence up to which entries were read.
    sequence: u64,
    /// Chapters that ended then or later were to be looked at.
    from: Option<Timestamp>,
    /// Where the last planned chapter ends, if there are more entries than were read.
    rest: Option<Cursor>,
}

/// A chapter to be written.
#[derive(Clone)]
struct MissingChapter {
    planned: Planned,
    /// The chapter that stands in for it.
    stands_in: Option<ChapterId>,
}

/// What a job has written.
#[derive(Default)]
struct WrittenChapters {
    /// The texts of new chapters, but of those that stand in.
    new_chapters: Vec<String>,
    /// Whether any chapter is new.
    is_new: bool,
    /// Why rules stand in for the model.
    failure: Option<Error>,
    /// When the first chapter ends that stands in.
    stand_in: Option<Timestamp>,
}

/// A chapter's words.
#[derive(Debug, Clone)]
struct ChapterDraftWords {
    title: String,
    text: String,
    entities: Vec<String>,
    key_phrases: Vec<String>,
    by: WrittenBy,
}

/// Runs a chapters job.
pub(crate) async fn run(engine: &Engine, job: &Job) -> Result<()> {
    let read = match read_plan(engine, job).await? {
        PlanState::Gone => return engine.drop_job(job).await,
        PlanState::Busy => return engine.commit(job, wait_on).await,
        PlanState::Ready(read) => *read,
    };
    let stale = read.stale.clone();
    engine.go_on(job, move |edit, _| remove(edit, &stale)).await?;
    let mut done = write_missing(engine, job, &read).await?;
    if let Some(writer) = engine.chapter_writer() {
        let new_chapters = std::mem::take(&mut done.new_chapters);
        state_document::merge(engine, writer.as_ref(), job, new_chapters).await?;
        condense::run(engine, writer.as_ref(), job).await?;
    }
    let rules = engine.chapter_rules().clone();
    engine.commit(job, move |edit, job| finish(edit, job, &read, &done, &rules)).await
}

/// Writes and keeps what is missing, one by one.
async fn write_missing(engine: &Engine, job: &Job, read: &ChapterPlan) -> Result<WrittenChapters> {
    let mut done = WrittenChapters::default();
    let writer = engine.chapter_writer().filter(|writer| writer.writes_chapters());
    let mut so_far = match writer.filter(|_| !read.missing.is_empty()) {
        Some(_) => ChaptersSoFar::read(engine, job.place()).await?,
        None => ChaptersSoFar::default(),
    };
    for missing in read.missing.iter().cloned() {
        let words = match done.failure {
            None => words(engine, job, &missing.planned, &so_far, &read.vault).await,
            // The model has just been away.
            Some(_) => Ok(extracted(&missing.planned.entries, &read.vault.zone)),
        };
        let words = match words {
            Err(failure) if writer.is_none() && engine.falls_back(&failure) => {
                done.failure = Some(failure);
                extracted(&missing.planned.entries, &read.vault.zone)
            }
            words => words?,
        };
        so_far.add(missing.planned.last(), &words.text);
        if done.failure.is_some() {
            done.stand_in = done.stand_in.or(missing.planned.last().map(|last| last.time));
        } else {
            done.new_chapters.push(words.text.clone());
        }
        // A chapter by rules is there already.
        if missing.stands_in.is_none() || words.by != WrittenBy::Extractive {
            done.is_new = true;
            engine.go_on(job, move |edit, _| keep(edit, &missing, &words)).await?;
        }
    }
    Ok(done)
}

async fn read_plan(engine: &Engine, job: &Job) -> Result<PlanState> {
    let (job, rules, now) = (job.clone(), engine.chapter_rules().clone(), engine.now());
    engine.store.look(move |snapshot| look(snapshot, &job, &rules, now)).await
}

fn look(
    snapshot: &dyn Snapshot,
    job: &Job,
    rules: &ChapterRules,
    now: Timestamp,
) -> Result<PlanState> {
    let place = job.place();
    let (Some(vault), Some(memory)) = (snapshot.vault(job.vault)?, snapshot.memory(place)?) else {
        return Ok(PlanState::Gone);
    };
    let pours = now < memory.last_creation + DELAY && now < job.id.minted_at() + LONGEST_WAIT;
    let note = JobNote::of(job);
    if pours && !note.is_hurried {
        return Ok(PlanState::Busy);
    }
    // Up to there the plan is what it was: more entries never change earlier chapters.
    let sound = snapshot.chapters(place, ChapterSelection::Last(memory.chapters_from))?.pop();
    let foreign = snapshot.chapters(place, ChapterSelection::Foreign)?;
    let ends = [sound.map(|chapter| chapter.last), imported::foreign_end(&foreign)];
    let from = ends.into_iter().flatten().max_by_key(|end| (end.time, end.sequence));
    let (planned, rest) = plan_some(snapshot, place, from, &foreign, rules)?;
    let mut known = snapshot.chapters(place, ChapterSelection::Story(from, None))?;
    let is_read = |one: &Chapter| rest.is_none_or(|rest| order(one.last) <= order(rest));
    known.retain(|one| one.kind == ChapterKind::Written && is_read(one));
    let wanted: HashSet<[u8; 32]> = planned.iter().map(|one| one.digest).collect();
    Ok(PlanState::Ready(Box::new(ChapterPlan {
        vault,
        missing: missing(planned, &known, note.stand_ins),
        stale: known.into_iter().filter(|one| !wanted.contains(&one.digest)).collect(),
        sequence: memory.last_sequence,
        from: memory.chapters_from,
        rest,
    })))
}

/// The planned chapters that are not written, and those in whose place others stand that end at
/// `stand_ins` or later.
fn missing(
    planned: Vec<Planned>,
    known: &[Chapter],
    stand_ins: Option<Timestamp>,
) -> Vec<MissingChapter> {
    let known: HashMap<[u8; 32], &Chapter> = known.iter().map(|one| (one.digest, one)).collect();
    let stands_in = |one: &Chapter| {
        let is_late = stand_ins.is_some_and(|since| since <= one.last.time);
        one.by == WrittenBy::Extractive && is_late
    };
    let missing = |planned: Planned| match known.get(&planned.digest) {
        None => Some(MissingChapter { planned, stands_in: None }),
        Some(one) => stands_in(one).then_some(MissingChapter { planned, stands_in: Some(one.id) }),
    };
    planned.into_iter().filter_map(missing).collect()
}

/// Entries are read for this many full chapters at a time: after an import there may be a million of them.
const CHAPTERS_AT_A_TIME: usize = 64;

/// Plans the next chapters behind a place, and says where the last of them ends if there is more to read.
fn plan_some(
    snapshot: &dyn Snapshot,
    place: MemoryRef,
    from: Option<Cursor>,
    foreign: &[Chapter],
    rules: &ChapterRules,
) -> Result<(Vec<Planned>, Option<Cursor>)> {
    let mut limit = CHAPTERS_AT_A_TIME * rules.max_messages + rules.lookback;
    loop {
        let query = EntryQuery { from, limit: Some(limit), ..EntryQuery::default() };
        let entries = snapshot.entries(place, &query)?;
        let is_all = entries.len() < limit;
        let planned = plan(imported::after_foreign(foreign, entries), rules);
        let rest = planned.last().and_then(Planned::last).filter(|_| !is_all);
        if is_all || rest.is_some() {
            return Ok((planned, rest));
        }
        // None of them is covered by chapters.
        limit *= 4;
    }
}

fn order(cursor: Cursor) -> (Timestamp, u64) {
    (cursor.time, cursor.sequence)
}

/// Looks again when entries may have stopped pouring in.
fn wait_on(edit: &mut MemoryEdit<'_>, job: &Job) -> Result<()> {
    let (due_at, state) = (edit.now + DELAY, JobState::Waiting);
    edit.tx.put(Row::Job(&Job { due_at, tries: 0, state, ..job.clone() }))
}

/// The chapters that tell a memory so far, by where they end: what a writer is shown of them.
#[derive(Default)]
struct ChaptersSoFar(Vec<(Cursor, String)>);

impl ChaptersSoFar {
    async fn read(engine: &Engine, place: MemoryRef) -> Result<Self> {
        let story = ChapterSelection::Story(None, None);
        let all = engine.store.look(move |snapshot| snapshot.chapters(place, story)).await?;
        Ok(Self(all.into_iter().map(|chapter| (chapter.last, chapter.text)).collect()))
    }

    fn add(&mut self, last: Option<Cursor>, text: &str) {
        let Some(last) = last else { return };
        let at = self.0.partition_point(|(other, _)| order(*other) <= order(last));
        self.0.insert(at, (last, text.to_owned()));
    }

    /// Returns the texts of those that end before a chapter begins.
    fn before(&self, first: Option<Cursor>) -> Vec<String> {
        let is_before = |last: &Cursor| first.is_none_or(|first| last.time <= first.time);
        let before = self.0.iter().filter(|(last, _)| is_before(last));
        before.map(|(_, text)| text.clone()).collect()
    }
}

/// The words of a chapter: by another writer if there is one, by a model, or by rules.
async fn words(
    engine: &Engine,
    job: &Job,
    planned: &Planned,
    so_far: &ChaptersSoFar,
    vault: &VaultInfo,
) -> Result<ChapterDraftWords> {
    match engine.chapter_writer().filter(|writer| writer.writes_chapters()) {
        Some(writer) => written(engine, writer, job.place(), planned, so_far, &vault.zone).await,
        None => asked(engine.asker(vault, job), planned, &vault.zone, engine.chapter_rules()).await,
    }
}

/// The words of a chapter, by another writer.
async fn written(
    engine: &Engine,
    writer: &Arc<dyn ChapterWriter>,
    place: MemoryRef,
    planned: &Planned,
    so_far: &ChaptersSoFar,
    zone: &Zone,
) -> Result<ChapterDraftWords> {
    let newest = move |snapshot: &dyn Snapshot| snapshot.summaries(place, None, Some(1));
    let summaries = engine.store.look(newest).await?;
    let entries: Vec<&Entry> = planned.entries.iter().collect();
    let material = ChapterMaterial {
        place,
        transcript: transcript(&entries, zone),
        chapters: so_far.before(planned.first()),
        summary: summaries.into_iter().next().map(|summary| summary.text).unwrap_or_default(),
    };
    let draft = writer.write(&material).await?;
    let own = in_plain_words(&draft.text, &planned.entries, zone)?;
    let some = |list: Vec<String>, own| if list.is_empty() { own } else { list };
    Ok(ChapterDraftWords {
        title: if draft.title.is_empty() { own.title } else { chapter_title(&draft.title) },
        entities: some(draft.entities, own.entities),
        key_phrases: some(draft.key_phrases, own.key_phrases),
        text: own.text,
        by: own.by,
    })
}

/// The words of a chapter, by a model or by rules.
async fn asked(
    asker: Option<Asker>,
    planned: &Planned,
    zone: &Zone,
    rules: &ChapterRules,
) -> Result<ChapterDraftWords> {
    let Some(asker) = asker else { return Ok(extracted(&planned.entries, zone)) };
    let entries: Vec<&Entry> = planned.entries.iter().collect();
    let shown = transcript(&entries, zone);
    if rules.prompt.is_some() || rules.system_prompt.is_some() {
        let read = |reply: &Reply| in_plain_words(&reply.text, &planned.entries, zone);
        return asker.ask("chapter", &own_prompt(rules, &shown), read).await;
    }
    let prompt = Prompt::new(include_str!("prompts/chapter.md"), shown)
        .with_schema("chapter", include_str!("prompts/chapter.schema.json"))
        .with_max_tokens(rules.max_response_tokens);
    let read = |reply: &Reply| {
        read_draft(reply.json.as_ref().unwrap_or(&Json::Null), &planned.entries, zone)
    };
    asker.ask("chapter", &prompt, read).await
}

/// The owner's own prompts, with the entries in their place.
fn own_prompt(rules: &ChapterRules, shown: &str) -> Prompt {
    const PLACE: &str = "[TextChunk]";
    let fill = |text: &str| text.replace(PLACE, shown);
    let system = rules.system_prompt.as_deref().unwrap_or_default();
    let asked = rules.prompt.as_deref().unwrap_or(PLACE);
    let both = system.contains(PLACE) || asked.contains(PLACE);
    let user = if both { fill(asked) } else { format!("{asked}\n\n{shown}") };
    Prompt::new(fill(system), user).with_max_tokens(rules.max_response_tokens)
}

/// A title on one line, as it may be shown anywhere.
fn chapter_title(title: &str) -> String {
    summary::without_controls(&shorten(title, TITLE_CHARS))
}

fn read_draft(json: &Json, entries: &[Entry], zone: &Zone) -> Result<ChapterDraftWords> {
    let words = in_plain_words(json.text("summary").unwrap_or_default(), entries, zone)?;
    let title = json.text("title").unwrap_or_default().trim();
    let list = |name: &str| -> Vec<String> {
        let texts = json.list(name).iter().filter_map(Json::as_text).map(str::trim);
        let texts = texts.filter(|text| !text.is_empty()).take(WORDS);
        texts.map(|text| shorten(text, TITLE_CHARS)).collect()
    };
    Ok(ChapterDraftWords {
        title: if title.is_empty() { words.title } else { chapter_title(title) },
        entities: list("entities"),
        key_phrases: list("key_phrases"),
        ..words
    })
}

/// A model's plain answer, with a title and words of our own.
fn in_plain_words(text: &str, entries: &[Entry], zone: &Zone) -> Result<ChapterDraftWords> {
    if text.unicode_words().next().is_none() {
        return Err(Error::invalid("the model's answer holds no summary"));
    }
    let by = WrittenBy::Llm;
    Ok(ChapterDraftWords { text: shorten(text, TEXT_CHARS), by, ..extracted(entries, zone) })
}

/// A chapter from the entries' own words.
fn extracted(entries: &[Entry], zone: &Zone) -> ChapterDraftWords {
    let summary = summary::extract(entries, zone);
    ChapterDraftWords {
        title: summary.title,
        text: summary.text,
        entities: names(entries),
        key_phrases: frequent(entries),
        by: WrittenBy::Extractive,
    }
}

/// Words with a capital that do not begin a sentence.
fn names(entries: &[Entry]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in entries.iter().flat_map(|entry| names_in(entry.content.as_str())) {
        if found.len() < WORDS && !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

/// The names in one text, in order, with repetitions.
pub(crate) fn names_in(text: &str) -> impl Iterator<Item = String> {
    let inner = text.unicode_sentences().flat_map(|sentence| sentence.unicode_words().skip(1));
    let named = inner.filter(|word| word.len() > 1 && word.starts_with(char::is_uppercase));
    named.filter(|word| !is_stop_word(&word.to_lowercase())).map(str::to_owned)
}

/// The words said most often, those said first before those said later.
fn frequent(entries: &[Entry]) -> Vec<String> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for entry in entries {
        for word in entry.content.as_str().unicode_words().map(str::to_lowercase) {
            if word.chars().count() < 4 || is_stop_word(&word) {
                continue;
            }
            match counts.iter_mut().find(|(known, _)| *known == word) {
                Some((_, count)) => *count += 1,
                None => counts.push((word, 1)),
            }
        }
    }
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.into_iter().take(WORDS).map(|(word, _)| word).collect()
}

fn remove(edit: &mut MemoryEdit<'_>, stale: &[Chapter]) -> Result<()> {
    condense::remove_over(edit, stale)?;
    stale.iter().try_for_each(|chapter| edit.remove_chapter(chapter.id))
}

/// Keeps a chapter, if its entries are still those it was written from. It replaces what stands in for it.
fn keep(
    edit: &mut MemoryEdit<'_>,
    missing: &MissingChapter,
    words: &ChapterDraftWords,
) -> Result<()> {
    let planned = &missing.planned;
    let (Some(first), Some(last)) = (planned.first(), planned.last()) else { return Ok(()) };
    if digest_now(edit.tx.snapshot(), edit.place(), first, last)? != planned.digest {
        return Err(Error::conflict("what the chapter covers has changed meanwhile")
            .because(ConflictReason::ChangedMeanwhile));
    }
    if let Some(stand_in) = missing.stands_in {
        let replaced = edit.tx.chapters(edit.place(), ChapterSelection::Id(stand_in))?;
        remove(edit, &replaced)?;
    }
    let words = words.clone();
    let chapter = Chapter {
        id: edit.mint(),
        memory: edit.memory.id,
        first,
        last,
        entries: planned.entries.len() as u64,
        digest: planned.digest,
        title: words.title,
        text: words.text,
        entities: words.entities,
        key_phrases: words.key_phrases,
        by: words.by,
        creation_time: edit.now,
        kind: ChapterKind::Written,
        provenance: None,
        metadata: None,
    };
    edit.put_chapter(&chapter)
}

/// The digest of what stands between two places now.
fn digest_now(
    snapshot: &dyn Snapshot,
    place: MemoryRef,
    first: Cursor,
    last: Cursor,
) -> Result<[u8; 32]> {
    let after = Some(first.time);
    let before = Some(last.time + jiff::SignedDuration::from_micros(1));
    let query = EntryQuery { after, before, ..EntryQuery::default() };
    let entries = snapshot.entries(place, &query)?;
    let between = |entry: &&Entry| {
        let stands = super::plan::place(entry);
        (first.time, first.sequence) <= (stands.time, stands.sequence)
            && (stands.time, stands.sequence) <= (last.time, last.sequence)
    };
    let spoken = entries.iter().filter(|entry| super::plan::is_spoken(entry)).filter(between);
    Ok(chapter_digest(spoken.map(|entry| entry.id)))
}

/// Says up to when there are chapters and when to look again, and has new ones folded.
fn finish(
    edit: &mut MemoryEdit<'_>,
    job: &Job,
    read: &ChapterPlan,
    done: &WrittenChapters,
    rules: &ChapterRules,
) -> Result<()> {
    let last = edit.tx.chapters(edit.place(), ChapterSelection::Last(None))?.pop();
    edit.memory.chaptered_until = last.as_ref().map(|chapter| chapter.last.time);
    edit.memory.chapters_at = read.sequence + rules.max_messages as u64;
    edit.memory.chapters_from = read.rest.map(behind);
    let is_changed = done.is_new || !read.stale.is_empty();
    if done.failure.is_none() || is_changed {
        have_folded(edit)?;
    }
    let stand_ins = stand_ins(JobNote::of(job).stand_ins, read, done);
    let job = JobNote { stand_ins, ..JobNote::default() }.on(job.clone());
    note_stand_ins(edit, &job, read, done)?;
    // What came meanwhile may have been said before the last chapter ends.
    let arrived = edit.tx.entries(edit.place(), &EntryQuery::arrived(read.sequence, usize::MAX))?;
    if let Some(earliest) = arrived.iter().map(|entry| entry.conversation_time).min() {
        super::note_said(edit, earliest)?;
    }
    match (read.rest, &done.failure) {
        (Some(_), Some(_)) => {
            edit.memory.chapters_at = ON_ITS_WAY;
            let job = Job { due_at: edit.now, ..hurried(job.given_back()) };
            edit.tx.put(Row::Job(&job))?;
        }
        (Some(_), None) => return look_now(edit),
        (None, None) if stand_ins.is_some() => {
            let from = edit.memory.chapters_from.into_iter().chain(stand_ins).min();
            edit.memory.chapters_from = from;
            return look_now(edit);
        }
        (None, _) => {}
    }
    edit.tx.put(Row::Memory(edit.vault.id, &edit.memory))
}

/// The time from which on chapters are to be looked at that end behind a place.
fn behind(place: Cursor) -> Timestamp {
    place.time + jiff::SignedDuration::from_micros(1)
}

/// Has new chapters folded, and the context document written again.
fn have_folded(edit: &mut MemoryEdit<'_>) -> Result<()> {
    let story = edit.tx.chapters(edit.place(), ChapterSelection::Story(None, Some(1)))?;
    if story.is_empty() {
        return Ok(());
    }
    let subject = Subject::Memory(edit.memory.id);
    let job = Job::new(edit.mint(), edit.place(), JobKind::Fold, subject, edit.now);
    edit.tx.put(Row::Job(&job))?;
    edit.put_context_job()
}

/// From when on chapters stand in for a model's, now that some were written.
fn stand_ins(
    known: Option<Timestamp>,
    read: &ChapterPlan,
    done: &WrittenChapters,
) -> Option<Timestamp> {
    let is_covered = |since: &Timestamp| read.from.is_some_and(|from| from <= *since);
    let (covered, earlier) = (known.filter(is_covered), known.filter(|since| !is_covered(since)));
    // What was not read is as it was.
    let unread = covered.and(read.rest.map(behind));
    [earlier, done.stand_in, unread].into_iter().flatten().min()
}

/// Keeps the job with its note. If rules stood in for the model up to the last entry, it waits for the model.
fn note_stand_ins(
    edit: &mut MemoryEdit<'_>,
    job: &Job,
    read: &ChapterPlan,
    done: &WrittenChapters,
) -> Result<()> {
    match &done.failure {
        Some(failure) if read.rest.is_none() => {
            edit.memory.chapters_from = JobNote::of(job).stand_ins;
            edit.tx.put(Row::Job(&job.clone().failed(failure, edit.clock)))
        }
        _ => edit.tx.put(Row::Job(job)),
    }
}
