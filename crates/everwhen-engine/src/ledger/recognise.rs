//! Finds the memory of a chat that carries no name, by what was delivered to the same client.
//!
//! Walk: is it a retry? → which memories hold a proof that is in the request? → which of them fits
//! best? Where two fit equally well and differ in what they hold, none does.

use jiff::Timestamp;

use crate::Result;
use crate::limits::{PROOF_HOLDERS, PROOFS, RETRY};
use crate::memory::{MemoryId, Role, VaultId};
use crate::ports::{LedgerHead, LedgerSelection, MemoryRef, ProofHolder, Snapshot};
use crate::tombstones::lines::LineSalt;

use super::begin::{self, Item, is_distinctive};
use super::proof::{self, RequestProof, has_words};
use super::{History, Recognised};

/// The number of further proofs that are looked up once a memory is found.
const MORE: usize = 16;

/// The memory that a history belongs to, if that is certain.
pub(super) fn recognise(
    rows: &dyn Snapshot,
    vault: VaultId,
    history: &History,
    now: Timestamp,
) -> Result<Option<Recognised>> {
    let memory = match retried(rows, vault, history, now)? {
        Some(memory) => Some(memory),
        None => proven(rows, vault, history)?,
    };
    let Some(memory) = memory else { return Ok(None) };
    let found = rows.memory(MemoryRef { vault, memory })?;
    Ok(found.map(|found| Recognised { memory, name: found.name }))
}

/// The memory in which the same client has just sent the same request and not got a whole reply.
fn retried(
    rows: &dyn Snapshot,
    vault: VaultId,
    history: &History,
    now: Timestamp,
) -> Result<Option<MemoryId>> {
    let sent = history.sent_at.unwrap_or(now);
    let is_recent = |at: Timestamp| sent.duration_since(at) <= RETRY;
    let is_again = |head: &LedgerHead| {
        let is_answered = head.request.is_some_and(|last| last.answered);
        let is_old = head.placeholder.is_some_and(|waiting| !is_recent(waiting.started_at));
        (!is_answered || history.resent) && !is_old
    };
    let asked = rows.ledger_heads(vault, LedgerSelection::Requested(history.request_hash()))?;
    Ok(asked.into_iter().find(|(_, head)| is_again(head)).map(|(memory, _)| memory))
}

fn proven(rows: &dyn Snapshot, vault: VaultId, history: &History) -> Result<Option<MemoryId>> {
    let items = begin::items(history);
    let mut fits = Vec::new();
    for candidate in candidates(rows, vault, history, &items)? {
        fits.extend(candidate.fit(rows, vault, &items)?);
    }
    fits.sort_by_key(|fit| std::cmp::Reverse((fit.rank(), fit.since)));
    Ok(match fits.as_slice() {
        [] => None,
        [first, second, ..] if first.rank() == second.rank() && first.could_differ(second) => None,
        [first, ..] => Some(first.memory),
    })
}

/// A memory that holds proofs of a request.
struct Candidate {
    memory: MemoryId,
    /// Where the newest proof is in the request.
    newest: usize,
    /// When that was delivered.
    since: Timestamp,
    /// The line of the proof that was found last.
    number: u64,
    /// Proofs found, in the order in which they were delivered.
    in_order: usize,
    has_id: bool,
    has_long: bool,
    /// Whether it holds one that no other memory holds.
    has_own: bool,
    /// Whether one was delivered to the same program.
    same_app: bool,
}

impl Candidate {
    fn new(clue: &RequestProof, holder: &ProofHolder) -> Self {
        Self {
            memory: holder.memory,
            newest: clue.at,
            since: holder.proof.at,
            number: holder.proof.number,
            in_order: 1,
            has_id: false,
            has_long: false,
            has_own: false,
            same_app: false,
        }
    }

    /// Adds an older proof.
    fn add(
        &mut self,
        clue: &RequestProof,
        (holder, is_only): (&ProofHolder, bool),
        history: &History,
    ) {
        if holder.proof.number < self.number {
            self.in_order += 1;
            self.number = holder.proof.number;
        }
        self.has_id |= clue.is_id;
        self.has_long |= clue.is_long;
        self.has_own |= is_only;
        self.same_app |= holder.proof.app == history.client.app;
    }

    /// Whether no other chat can have the same by chance.
    fn is_strong(&self) -> bool {
        self.has_id || self.has_long || self.in_order > 1
    }

    /// How well the memory fits, if it may be taken.
    fn fit(&self, rows: &dyn Snapshot, vault: VaultId, items: &[Item<'_>]) -> Result<Option<Fit>> {
        if !self.same_app && !self.is_strong() {
            return Ok(None);
        }
        let place = MemoryRef { vault, memory: self.memory };
        let alignment = begin::find(rows, place, LineSalt::of(rows, place)?, items)?;
        let known = |at: usize| alignment.found[at].is_some();
        if !self.is_strong() && !goes_on_from(self.newest, items, known) {
            return Ok(None);
        }
        let numbers = || alignment.found.iter().flatten().map(|line| line.number);
        let is_tail =
            alignment.newest.is_some_and(|newest| numbers().any(|number| number == newest));
        let last_known = items.last().is_some_and(is_distinctive) && known(items.len() - 1);
        Ok(Some(Fit {
            memory: self.memory,
            has_id: self.has_id,
            same_app: self.same_app,
            has_own: self.has_own,
            proofs: self.in_order,
            newest: self.newest,
            goes_on: is_tail || last_known,
            matched: numbers().count(),
            holds_more: alignment.holds_more,
            since: self.since,
        }))
    }
}

/// Whether a history goes on behind a weak proof as a chat would: with what the memory knows, or
/// with something new of the user's. Replies that were not given here are evidence against it.
fn goes_on_from(newest: usize, items: &[Item<'_>], known: impl Fn(usize) -> bool) -> bool {
    let mut behind = (newest + 1..items.len()).filter(|at| has_words(&items[*at]));
    let follows_known = behind.clone().next().is_some_and(&known);
    follows_known || !behind.any(|at| items[at].message.role == Role::Assistant && !known(at))
}

/// How well a memory fits.
struct Fit {
    memory: MemoryId,
    has_id: bool,
    same_app: bool,
    has_own: bool,
    proofs: usize,
    newest: usize,
    /// Whether the history goes on where the memory ends, or repeats its last words.
    goes_on: bool,
    matched: usize,
    /// Whether the memory holds what the history does not show.
    holds_more: bool,
    since: Timestamp,
}

impl Fit {
    /// The strongest sign first.
    fn rank(&self) -> ([bool; 3], [usize; 2], bool, usize) {
        let signs = [self.has_id, self.same_app, self.has_own];
        (signs, [self.proofs, self.newest], self.goes_on, self.matched)
    }

    /// Whether it would matter which of the two is taken.
    fn could_differ(&self, other: &Self) -> bool {
        self.holds_more || other.holds_more
    }
}

/// The memories that hold proofs of a request.
fn candidates(
    rows: &dyn Snapshot,
    vault: VaultId,
    history: &History,
    items: &[Item<'_>],
) -> Result<Vec<Candidate>> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut left = PROOFS;
    for clue in proof::clues(history, items) {
        if left == 0 || is_decided(&found) {
            break;
        }
        left -= 1;
        let holders = rows.proof_holders(vault, clue.hash, PROOF_HOLDERS)?;
        if clue.is_id && holders.len() != 1 {
            continue;
        }
        for holder in &holders {
            let at = found.iter().position(|one| one.memory == holder.memory);
            let at = at.unwrap_or_else(|| {
                found.push(Candidate::new(&clue, holder));
                found.len() - 1
            });
            found[at].add(&clue, (holder, holders.len() == 1), history);
        }
        if !holders.is_empty() {
            left = left.min(MORE);
        }
    }
    Ok(found)
}

/// Whether looking further would change nothing.
fn is_decided(found: &[Candidate]) -> bool {
    matches!(found, [only] if only.has_id || (only.same_app && only.is_strong()))
}
