//! Results of commands that were called along with tools of the client.
//!
//! The model has to get all results of a turn together, but the client knows only of its own calls.
//! So the calls and results of the memory tool are kept and put back into every later request that
//! has the turn in its history. They are kept in memory only: without them the history is still
//! valid, and the model views its files again.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use everwhen::memory::VaultId;
use everwhen_protocols::Draft;
use everwhen_protocols::json::{self, Object};
use serde_json::Value;

use super::round::Round;

/// Most bytes of calls and results that are kept.
const MAX_BYTES: usize = 32 * 1024 * 1024;

/// A vault, and its epoch of forgetting at some moment.
pub(super) type VaultEpoch = (VaultId, u64);

/// The turns with results that wait for those of the client.
#[derive(Default)]
pub(crate) struct Postponed(Mutex<VecDeque<PostponedTurn>>);

#[derive(Clone)]
struct PostponedTurn {
    epoch: VaultEpoch,
    /// Where the files are: ids of calls alone may be guessed.
    place: String,
    /// The first call of the client's in the turn.
    call: String,
    /// The calls of the memory tool, each with a comma after it.
    calls: String,
    /// Their results, each with a comma after it.
    results: String,
}

impl PostponedTurn {
    fn bytes(&self) -> usize {
        self.calls.len() + self.results.len()
    }
}

impl Postponed {
    /// Keeps the commands of a round and their results, which began in this epoch, if that is known.
    pub(super) fn keep(
        &self,
        (place, epoch): (&str, Option<VaultEpoch>),
        round: &Round,
        results: Vec<Value>,
    ) {
        let Some((call, epoch)) = round.other_calls().next().zip(epoch) else { return };
        let listed = |items: Vec<&Value>| items.iter().map(|item| format!("{item},")).collect();
        let commands = round.blocks().into_iter().filter(|block| round.is_command(block));
        let turn = PostponedTurn {
            epoch,
            place: place.to_owned(),
            call: call.to_owned(),
            calls: listed(commands.collect()),
            results: listed(results.iter().collect()),
        };
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        turns.push_back(turn);
        let mut bytes: usize = turns.iter().map(PostponedTurn::bytes).sum();
        while bytes > MAX_BYTES {
            bytes -= turns.pop_front().map_or(bytes, |turn| turn.bytes());
        }
    }

    /// Drops everything: some of it may be what was forgotten.
    pub(crate) fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The vaults whose results are kept.
    pub(crate) fn vaults(&self) -> BTreeSet<VaultId> {
        let turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        turns.iter().map(|turn| turn.epoch.0).collect()
    }

    /// Drops the results of a vault that began in another epoch: something was forgotten since.
    pub(crate) fn check_epoch(&self, vault: VaultId, epoch: u64) {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        turns.retain(|turn| turn.epoch.0 != vault || turn.epoch.1 == epoch);
    }

    /// The request with the commands and results of all turns in its history; nothing if it has none. Those of
    /// another epoch than the present one are dropped.
    pub(super) fn restore(
        &self,
        (place, epoch): (&str, Option<VaultEpoch>),
        body: &str,
    ) -> Option<String> {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if epoch.is_some() {
            turns.retain(|turn| turn.place != place || Some(turn.epoch) == epoch);
        }
        let is_meant = |turn: &&PostponedTurn| turn.place == place && Some(turn.epoch) == epoch;
        let turns: Vec<PostponedTurn> = turns.iter().filter(is_meant).cloned().collect();
        if turns.is_empty() {
            return None;
        }
        let messages = Object::read(body)?.items("messages");
        let mut draft = Draft::new(body);
        for pair in messages.windows(2) {
            restore_turn(&mut draft, &turns, pair[0], pair[1]);
        }
        draft.finish()
    }
}

/// Puts the commands before the client's first call, and the results before its results.
fn restore_turn(
    draft: &mut Draft<'_>,
    turns: &[PostponedTurn],
    reply: &str,
    answer: &str,
) -> Option<()> {
    let content = Object::read(reply)?.items("content");
    let found = content.into_iter().find_map(|block| {
        let id = Object::read(block)?.text("id")?;
        Some((block, turns.iter().find(|turn| turn.call == id)?))
    });
    let (block, turn) = found?;
    let results = Object::read(answer)?.get("content")?;
    let first = json::items(results).into_iter().next()?;
    let (calls_at, results_at) = (draft.place(block)?.start, draft.place(first)?.start);
    draft.insert(calls_at, turn.calls.clone());
    draft.insert(results_at, turn.results.clone());
    Some(())
}
