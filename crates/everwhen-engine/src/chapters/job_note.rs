//! What a chapters job carries: whether a caller waits for it, and from when on chapters stand in for a
//! model's.

use jiff::Timestamp;

use crate::job::Job;

/// The payload of a job that a caller waits for.
const NOW: &str = "now";

/// What a chapters job carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct JobNote {
    /// A caller waits, so the job does not wait for more entries.
    pub(super) is_hurried: bool,
    /// Chapters by rules that end then or later stand in for those of a model that was away.
    pub(super) stand_ins: Option<Timestamp>,
}

impl JobNote {
    /// The note of a job.
    pub(super) fn of(job: &Job) -> Self {
        let words = job.payload.as_deref().unwrap_or_default().split(' ');
        words.fold(Self::default(), |note, word| match word {
            NOW => Self { is_hurried: true, ..note },
            word => Self { stand_ins: note.stand_ins.or(word.parse().ok()), ..note },
        })
    }

    /// The same job with this note.
    pub(super) fn on(self, job: Job) -> Job {
        let words =
            [self.is_hurried.then(|| NOW.to_owned()), self.stand_ins.map(|at| at.to_string())];
        let words: Vec<String> = words.into_iter().flatten().collect();
        Job { payload: (!words.is_empty()).then(|| words.join(" ")), ..job }
    }
}
