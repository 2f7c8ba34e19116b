//! Notices when there may be a chapter to write, at the price of a comparison for each write.
//!
//! A memory knows the sequence at which it is time to look ([`Memory::chapters_at`]) and up to
//! when it has chapters. While a job is on its way, looking is not needed.
//!
//! [`Memory::chapters_at`]: crate::memory::Memory::chapters_at

use jiff::{SignedDuration, Timestamp};

use super::job_note::JobNote;
use crate::Result;
use crate::job::{Job, JobKind, Subject};
use crate::memory::{Entry, Memory};
use crate::memory_edit::MemoryEdit;
use crate::ports::{Cursor, JobSelection, Removal, Row};

/// A job waits this long for more entries.
pub(super) const DELAY: SignedDuration = SignedDuration::from_secs(2);
/// And no longer than this while entries pour in without a pause.
pub(super) const LONGEST_WAIT: SignedDuration = SignedDuration::from_secs(30);
/// A job is on its way.
pub(super) const ON_ITS_WAY: u64 = i64::MAX.cast_unsigned();
/// Notes that something was said at `earliest` or later. What was said before the last chapter ends,
/// as replies are that take long while others talk, changes the chapters from there on.
pub(crate) fn note_said(edit: &mut MemoryEdit<'_>, earliest: Timestamp) -> Result<()> {
    let memory = &mut edit.memory;
    let is_late = memory.chaptered_until.is_some_and(|until| earliest <= until);
    if is_late {
        note_from(memory, earliest);
    }
    let is_due = is_late || memory.last_sequence >= memory.chapters_at;
    // A job that is on its way finds it there.
    if is_due && memory.chapters_at != ON_ITS_WAY { put_job(edit) } else { Ok(()) }
}

/// Notes that entries that were stored before changed their standing, none said before `since`. A
/// job that is under way has read them as they were; another takes its place.
pub(crate) fn note_change(edit: &mut MemoryEdit<'_>, since: Timestamp) -> Result<()> {
    let is_chaptered = edit.memory.chaptered_until.is_some_and(|until| since <= until);
    if is_chaptered || edit.memory.chapters_at == ON_ITS_WAY {
        plan_from(edit, since)?;
    }
    edit.note_moved()
}

/// Has every chapter looked at that ends at `since` or later.
pub(crate) fn plan_from(edit: &mut MemoryEdit<'_>, since: Timestamp) -> Result<()> {
    note_from(&mut edit.memory, since);
    put_job(edit)
}

fn note_from(memory: &mut Memory, since: Timestamp) {
    memory.chapters_from = Some(memory.chapters_from.map_or(since, |from| from.min(since)));
}

/// Removes what covers entries that are forgotten: their chapters, and every version of the
/// summary that may contain them.
pub(crate) fn forget_said(edit: &mut MemoryEdit<'_>, doomed: &[Entry]) -> Result<()> {
    let Some(earliest) = doomed.iter().map(|entry| entry.conversation_time).min() else {
        return Ok(());
    };
    // A job that was interrupted has kept chapters that the memory does not know of yet.
    let from = Cursor { time: earliest, sequence: 0 };
    edit.remove_chapters(from)?;
    edit.tx.remove(Removal::Summaries(edit.place(), from))?;
    match edit.memory.chaptered_until {
        Some(until) if earliest <= until => plan_from(edit, Timestamp::MIN),
        _ => Ok(()),
    }
}

/// Makes the next check due now.
pub(crate) fn look_now(edit: &mut MemoryEdit<'_>) -> Result<()> {
    let job = put_job_at(edit, edit.now)?;
    edit.tx.put(Row::Job(&hurried(job)))?;
    edit.tx.put(Row::Memory(edit.vault.id, &edit.memory))
}

/// Makes a job that does not wait for more entries.
pub(crate) fn hurried(job: Job) -> Job {
    if job.kind != JobKind::Chapters {
        return job;
    }
    JobNote { is_hurried: true, ..JobNote::of(&job) }.on(job)
}

fn put_job(edit: &mut MemoryEdit<'_>) -> Result<()> {
    put_job_at(edit, edit.now + DELAY).map(drop)
}

fn put_job_at(edit: &mut MemoryEdit<'_>, due: Timestamp) -> Result<Job> {
    let subject = Subject::Memory(edit.memory.id);
    let replaced = edit.tx.jobs(JobSelection::Of(edit.place(), JobKind::Chapters))?.pop();
    let stand_ins = replaced.and_then(|replaced| JobNote::of(&replaced).stand_ins);
    let job = Job::new(edit.mint(), edit.place(), JobKind::Chapters, subject, due);
    let job = JobNote { stand_ins, ..JobNote::default() }.on(job);
    edit.memory.chapters_at = ON_ITS_WAY;
    edit.tx.put(Row::Job(&job))?;
    Ok(job)
}
