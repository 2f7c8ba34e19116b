//! What background tasks are doing, for readiness, metrics and the doctor.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A background task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WorkerTask {
    /// Runs jobs that are one transaction.
    Quick,
    /// Runs jobs that wait for models.
    Patient,
    /// Persists search indexes.
    Indexes,
    /// Updates search indexes of growing memories.
    Growth,
    /// Makes jobs due that a wrong clock put off.
    JobTimes,
    /// Runs what is left of workflows after their answers.
    Workflows,
    /// Stores what waits in the outbox of the proxy.
    Outbox,
    /// Removes what other servers have forgotten.
    Sweep,
    /// Embeds with an embedder that is slow.
    Embedding,
    /// Makes backups.
    Backups,
    /// Imports from folders that are followed.
    Folders,
}

impl WorkerTask {
    /// The tasks of every worker. A server runs the others beside them.
    pub const OF_WORKER: [Self; 5] =
        [Self::Quick, Self::Patient, Self::Indexes, Self::Growth, Self::JobTimes];

    /// As shown in metrics and by doctor.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Quick => "quick",
            Self::Patient => "patient",
            Self::Indexes => "indexes",
            Self::Growth => "growth",
            Self::JobTimes => "job_times",
            Self::Workflows => "workflows",
            Self::Outbox => "outbox",
            Self::Sweep => "sweep",
            Self::Embedding => "embedding",
            Self::Backups => "backups",
            Self::Folders => "folders",
        }
    }
}

/// What one task is doing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskStatus {
    /// Whether it runs. It does not before the start, while it waits to be restarted, and after the
    /// end.
    pub is_running: bool,
    /// How often it died and was restarted.
    pub restarts: u64,
    /// The failure that keeps it from working, if there is one.
    pub failure: Option<String>,
}

/// What the tasks of a worker are doing, and those of a server from their start on; copies share it.
#[derive(Debug, Clone)]
pub struct WorkerStatus(Arc<Mutex<BTreeMap<WorkerTask, TaskStatus>>>);

impl Default for WorkerStatus {
    fn default() -> Self {
        let tasks = WorkerTask::OF_WORKER.map(|task| (task, TaskStatus::default()));
        Self(Arc::new(Mutex::new(BTreeMap::from(tasks))))
    }
}

impl WorkerStatus {
    /// Every task with what it is doing.
    pub fn tasks(&self) -> Vec<(WorkerTask, TaskStatus)> {
        self.lock().iter().map(|(task, status)| (*task, status.clone())).collect()
    }

    /// What does not work, in sentences; nothing if all is well.
    pub fn problems(&self) -> Vec<String> {
        let sentence = |(task, status): (WorkerTask, TaskStatus)| {
            let name = task.as_str();
            match (status.failure, status.is_running) {
                (Some(failure), true) => {
                    Some(format!("background work ({name}) fails and is tried again: {failure}"))
                }
                (Some(failure), false) => {
                    Some(format!("background work ({name}) died and is restarted: {failure}"))
                }
                (None, false) => Some(format!("background work ({name}) does not run")),
                (None, true) => None,
            }
        };
        self.tasks().into_iter().filter_map(sentence).collect()
    }

    pub(crate) fn change(&self, task: WorkerTask, change: impl FnOnce(&mut TaskStatus)) {
        change(self.lock().entry(task).or_default());
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<WorkerTask, TaskStatus>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
