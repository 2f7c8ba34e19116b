//! Finding the next job: in all vaults at once, or in one after the other while a part of the store is away.

use jiff::Timestamp;

use crate::engine::Engine;
use crate::job::{Job, Queue};
use crate::job_run;
use crate::memory::VaultId;
use crate::ports::{JobSelection, Snapshot, Tx};
use crate::reach::Unreached;
use crate::{Error, ErrorKind, Result, limits};

/// What a look for work found.
pub(super) enum Found {
    /// A job, which is the caller's until the lease runs out.
    Job(Job),
    /// No vault that could be reached has a job that is due.
    Nothing,
    /// Some vaults were asked and had none; the next look goes on behind them.
    NotYet,
}

impl Engine {
    /// What background work cannot reach now; nothing while it reaches all vaults.
    pub fn unreached(&self) -> Option<Unreached> {
        self.reach.unreached()
    }

    /// Whether an error is about a part of the store, so that other vaults may be reached.
    pub(super) fn is_partial(&self, error: &Error) -> bool {
        error.kind() == ErrorKind::Unavailable && self.store.is_spread()
    }

    /// Looks for a job that is due, and takes it.
    pub(super) async fn search(&self, queue: Queue) -> Result<Found> {
        let now = self.now();
        if !self.reach.asks_each(now) {
            match self.store.transact(move |tx| claim_next(tx, None, queue, now)).await {
                Ok((job, _)) => {
                    self.reach.mark_store_reachable();
                    return Ok(job.map_or(Found::Nothing, Found::Job));
                }
                Err(error) if self.is_partial(&error) => {
                    self.reach.mark_store_unreachable(&error, now)
                }
                Err(error) => return Err(error),
            }
        }
        self.search_each(queue, now).await
    }

    /// Asks some vaults, one after the other, until one has a job or cannot be reached. So no look waits for more
    /// than one that is away, and one at a store that is away as a whole fails with the names of the next vaults.
    async fn search_each(&self, queue: Queue, now: Timestamp) -> Result<Found> {
        let after = self.reach.position(queue);
        let names =
            move |rows: &dyn Snapshot| rows.vault_names(after.as_ref(), limits::VAULTS_READ);
        let names = self.store.look(names).await?;
        let is_last = names.len() < limits::VAULTS_READ;
        for (name, vault) in names {
            if let Some(until) = self.reach.pause(vault, now) {
                self.reach.record_vault(queue, &name, Some(until));
                continue;
            }
            match self.search_in(vault, queue, now).await {
                Ok((Some(job), _)) => {
                    // There may be more in this vault, which the next round finds.
                    self.reach.record_vault(queue, &name, Some(now));
                    return Ok(Found::Job(job));
                }
                Ok((None, due)) => self.reach.record_vault(queue, &name, due),
                Err(error) => {
                    self.reach.record_vault(queue, &name, self.reach.pause(vault, now));
                    return if self.is_partial(&error) { Ok(Found::NotYet) } else { Err(error) };
                }
            }
        }
        if !is_last {
            return Ok(Found::NotYet);
        }
        self.reach.end_round(queue);
        let may_be_more = self.reach.next_due(queue, now).is_some_and(|due| due <= now);
        Ok(if may_be_more { Found::NotYet } else { Found::Nothing })
    }

    /// Looks for a job in one vault; else says when its next one is due. Notes whether it could be reached.
    async fn search_in(
        &self,
        vault: VaultId,
        queue: Queue,
        now: Timestamp,
    ) -> Result<(Option<Job>, Option<Timestamp>)> {
        let claim = move |tx: &mut dyn Tx| claim_next(tx, Some(vault), queue, now);
        let found = self.store.transact(claim).await;
        match &found {
            Ok(_) => self.reach.mark_vault_reachable(vault),
            Err(error) if self.is_partial(error) => {
                self.reach.mark_vault_unreachable(vault, error, now)
            }
            Err(_) => {}
        }
        found
    }

    /// When the next job of a queue is due, if any waits.
    pub async fn next_due_in(&self, queue: Queue) -> Result<Option<Timestamp>> {
        let now = self.now();
        if self.reach.asks_each(now) {
            return Ok(self.reach.next_due(queue, now));
        }
        let next = move |rows: &dyn Snapshot| rows.jobs(JobSelection::Next(None, queue, now));
        match self.store.look(next).await {
            Ok(mut found) => Ok(found.pop().map(|job| job.due_at)),
            Err(error) if self.is_partial(&error) => {
                self.reach.mark_store_unreachable(&error, now);
                Ok(Some(now))
            }
            Err(error) => Err(error),
        }
    }
}

/// Takes the job that is due first, of one vault or of all; else says when the next one is due.
fn claim_next(
    tx: &mut dyn Tx,
    vault: Option<VaultId>,
    queue: Queue,
    now: Timestamp,
) -> Result<(Option<Job>, Option<Timestamp>)> {
    while let Some(job) = tx.jobs(JobSelection::Next(vault, queue, now))?.pop() {
        if job.due_at > now {
            return Ok((None, Some(job.due_at)));
        }
        if let Some(claimed) = job_run::claim(tx, job, now)? {
            return Ok((Some(claimed), None));
        }
    }
    Ok((None, None))
}
