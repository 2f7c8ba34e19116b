//! Notices when there may be a chapter to write, at the price of a comparison for each write.
//!
//! A memory knows the sequence at which somebody should look ([`Memory::chapters_at`]) and up to
//! when it has chapters. While a job is on its way, nobody needs to look.
//!
//! [`Memory::chapters_at`]: crate::memory::Memory::chapters_at

use jiff::{SignedDuration, Timestamp};

use crate::Result;
use crate::desk::Desk;
use crate::job::{Job, JobKind, Subject};
use crate::memory::Entry;
use crate::ports::Cursor;

/// A job waits this long for more entries.
pub(super) const DELAY: SignedDuration = SignedDuration::from_secs(2);
/// And no longer than this while entries pour in without a pause.
pub(super) const LONGEST_WAIT: SignedDuration = SignedDuration::from_secs(30);
/// The sequence at which a new memory is looked at first.
pub(crate) const FIRST_LOOK: u64 = 8;
/// A job is on its way.
const ON_ITS_WAY: u64 = i64::MAX.cast_unsigned();
/// What the payload of a job says that has to look at every chapter.
pub(super) const ALL: &str = "all";
/// What it ends with if somebody waits for it.
const NOW: &str = "now";

/// Notes that something was said at `earliest` or later.
pub(crate) fn note_said(desk: &mut Desk<'_>, earliest: Timestamp) -> Result<()> {
    if desk.memory.chaptered_until.is_some_and(|until| earliest <= until) {
        return put_job(desk, true);
    }
    if desk.memory.last_sequence < desk.memory.chapters_at {
        return Ok(());
    }
    put_job(desk, false)
}

/// Notes that entries that were stored before changed their standing.
pub(crate) fn note_change(desk: &mut Desk<'_>) -> Result<()> {
    if desk.memory.chaptered_until.is_none() { Ok(()) } else { put_job(desk, true) }
}

/// Removes what tells of entries that are forgotten: their chapters, and every version of the
/// summary that may contain them.
pub(crate) fn forget_said(desk: &mut Desk<'_>, doomed: &[Entry]) -> Result<()> {
    let Some(until) = desk.memory.chaptered_until else { return Ok(()) };
    let told = doomed.iter().filter(|entry| entry.conversation_time <= until);
    let Some(earliest) = told.map(|entry| entry.conversation_time).min() else { return Ok(()) };
    let from = Cursor { time: earliest, sequence: 0 };
    desk.remove_chapters(from)?;
    desk.tx.remove_summaries(desk.place(), from)?;
    put_job(desk, true)
}

/// Has somebody look now.
pub(crate) fn look_now(desk: &mut Desk<'_>) -> Result<()> {
    let job = put_job_at(desk, false, desk.now)?;
    desk.tx.put_job(&hurried(job))?;
    desk.tx.put_memory(desk.vault.id, &desk.memory)
}

/// The same job, which does not wait for more entries.
pub(crate) fn hurried(job: Job) -> Job {
    if job.kind != JobKind::Chapters || is_hurried(&job) {
        return job;
    }
    let payload = format!("{}{NOW}", job.payload.as_deref().unwrap_or_default());
    Job { payload: Some(payload), ..job }
}

pub(super) fn is_hurried(job: &Job) -> bool {
    job.payload.as_deref().is_some_and(|payload| payload.ends_with(NOW))
}

pub(super) fn put_job(desk: &mut Desk<'_>, all: bool) -> Result<()> {
    put_job_at(desk, all, desk.now + DELAY).map(drop)
}

fn put_job_at(desk: &mut Desk<'_>, all: bool, due: Timestamp) -> Result<Job> {
    let subject = Subject::Memory(desk.memory.id);
    let mut job = Job::new(desk.mint(), desk.place(), JobKind::Chapters, subject, due);
    job.payload = all.then(|| ALL.to_owned());
    desk.memory.chapters_at = ON_ITS_WAY;
    desk.tx.put_job(&job)?;
    Ok(job)
}
