//! Which exchanges of one chat are on their way into memory, in their order.
//!
//! A lane is one memory, or one chat whose memory is not known yet. An exchange may begin in memory
//! once all before it in its lane have begun there and all finished ones are stored; nothing waits for
//! another lane, or for a reply that is still coming. Nothing here is held while anything is awaited.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use everwhen::{Error, Result};
use tokio::sync::Notify;

use super::store::Live;

/// A lane with more rows in the file than this has a backlog: a new exchange does not wait for it.
/// Exchanges that are just being stored do not count; many chats may share one memory.
const BACKLOG: usize = 4;

/// Where an exchange stands.
pub(super) enum Step {
    /// Its messages are not in memory; its reply is still to come.
    Open,
    /// Its messages are in memory; its reply is still to come.
    Begun,
    /// It is over and has to be stored; with what is known of it in this process.
    Over(Option<Box<Live>>),
    /// It was forgotten; nothing of it is to be stored.
    Forgotten,
}

/// What is to be stored.
pub(super) enum Work {
    /// An exchange of which this process knows more than the file.
    Live(i64, Box<Live>),
    /// Rows of the file.
    Rows(Vec<i64>),
}

/// What names a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LaneName {
    /// The vault, by id or name.
    pub(crate) vault: String,
    /// The memory, by id or name, if it is known.
    pub(crate) memory: Option<String>,
    /// Else something that all requests of one chat have in common.
    pub(crate) chat: u64,
}

impl LaneName {
    /// As it is written down.
    pub(crate) fn text(&self) -> String {
        match &self.memory {
            Some(memory) => format!("{}/memory/{memory}", self.vault),
            None => format!("{}/chat/{:016x}", self.vault, self.chat),
        }
    }
}

#[derive(Default)]
struct Lane {
    vault: String,
    memory: Option<String>,
    steps: BTreeMap<i64, Step>,
    /// Whether a task is storing what is over.
    is_worked: bool,
    /// Whether the last attempt to store failed, or takes long.
    is_failing: bool,
}

impl Lane {
    fn has_over(&self) -> bool {
        self.steps.values().any(|step| matches!(step, Step::Over(_)))
    }

    /// Whether waiting for what is to be stored here would take long, or for ever.
    fn is_behind(&self) -> bool {
        let rows = self.steps.values().filter(|step| matches!(step, Step::Over(None)));
        self.is_failing || rows.take(BACKLOG + 1).count() > BACKLOG
    }
}

/// All lanes.
#[derive(Default)]
pub(crate) struct Lanes {
    lanes: Mutex<HashMap<String, Lane>>,
    changed: Notify,
}

/// Whether an exchange may begin.
enum Turn {
    Now,
    Later,
    Failing,
}

impl Lanes {
    fn all(&self) -> MutexGuard<'_, HashMap<String, Lane>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts an exchange behind all others of its lane.
    pub(super) fn add(&self, name: &LaneName, id: i64, step: Step) {
        self.add_to(name.text(), name, id, step);
    }

    /// Puts an exchange behind all others of a lane that is stored as text.
    pub(super) fn add_to(&self, text: String, name: &LaneName, id: i64, step: Step) {
        let mut all = self.all();
        let lane = all.entry(text).or_default();
        lane.vault.clone_from(&name.vault);
        lane.memory.clone_from(&name.memory);
        lane.steps.insert(id, step);
    }

    /// Waits until an exchange may begin. If what comes before it cannot be stored now, or is much, that
    /// is an error at once: waiting would not help.
    pub(crate) async fn turn(&self, lane: &str, id: i64) -> Result<()> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            match self.may_begin(lane, id) {
                Turn::Now => return Ok(()),
                Turn::Failing => {
                    return Err(Error::unavailable(
                        "what was said before in this chat still waits in the outbox",
                    ));
                }
                Turn::Later => changed.await,
            }
        }
    }

    fn may_begin(&self, name: &str, id: i64) -> Turn {
        let all = self.all();
        let Some(lane) = all.get(name) else { return Turn::Now };
        let waits = |step: &Step| matches!(step, Step::Open | Step::Over(_));
        if lane.steps.range(..id).any(|(_, step)| waits(step)) {
            return if lane.is_behind() { Turn::Failing } else { Turn::Later };
        }
        // A reply that is just being stored may be what an unnamed history is known by.
        let is_near = |other: &Lane| other.memory.is_none() && other.vault == lane.vault;
        let is_over = |(_, step): (&i64, &Step)| matches!(step, Step::Over(_));
        let busy = |other: &Lane| !other.is_behind() && other.steps.range(..id).any(is_over);
        match lane.memory.is_none() && all.values().any(|other| is_near(other) && busy(other)) {
            true => Turn::Later,
            false => Turn::Now,
        }
    }

    /// The messages of an exchange are in memory.
    pub(crate) fn has_begun(&self, lane: &str, id: i64) {
        self.change(lane, |lane| {
            if let Some(step @ Step::Open) = lane.steps.get_mut(&id) {
                *step = Step::Begun;
            }
        });
    }

    /// An exchange is over. Answers whether it is still wanted: not if it was forgotten meanwhile.
    pub(super) fn is_over(&self, lane: &str, id: i64, live: Option<Box<Live>>) -> bool {
        let mut is_wanted = false;
        self.change(lane, |lane| match lane.steps.get_mut(&id) {
            None | Some(Step::Forgotten) => drop(lane.steps.remove(&id)),
            Some(step) => {
                is_wanted = true;
                *step = Step::Over(live);
            }
        });
        is_wanted
    }

    /// Whether an exchange was forgotten.
    pub(super) fn is_forgotten(&self, lane: &str, id: i64) -> bool {
        let all = self.all();
        let step = all.get(lane).and_then(|lane| lane.steps.get(&id));
        matches!(step, Some(Step::Forgotten))
    }

    /// Exchanges need nothing more.
    pub(super) fn done(&self, lane: &str, ids: &[i64]) {
        self.change(lane, |lane| lane.steps.retain(|id, _| !ids.contains(id)));
    }

    /// The row of an exchange is in the file: hands back what this process holds of it, unless it has
    /// begun in memory or is just being stored.
    pub(super) fn is_written(&self, lane: &str, id: i64) -> Option<Box<Live>> {
        let mut all = self.all();
        match all.get_mut(lane)?.steps.get_mut(&id)? {
            Step::Over(live) if live.as_ref()?.is_only_in_the_file() => live.take(),
            _ => None,
        }
    }

    /// Takes the work on a lane; returns whether no other task has it.
    pub(super) fn take_work(&self, lane: &str) -> bool {
        let mut all = self.all();
        all.get_mut(lane).is_some_and(|lane| !std::mem::replace(&mut lane.is_worked, true))
    }

    /// What to store next: an exchange, or at most `most` rows that follow each other. Nothing if there
    /// is none, or if one before it has not begun and its reply is still to come; then no task works on
    /// the lane any more.
    pub(super) fn next(&self, name: &str, most: usize) -> Option<Work> {
        let mut all = self.all();
        let lane = all.get_mut(name)?;
        let mut rows = Vec::new();
        for (id, step) in &mut lane.steps {
            match step {
                Step::Over(None) if rows.len() < most => rows.push(*id),
                Step::Over(live) if rows.is_empty() => {
                    return live.take().map(|live| Work::Live(*id, live));
                }
                Step::Over(_) | Step::Open => break,
                Step::Begun | Step::Forgotten if rows.is_empty() => {}
                Step::Begun | Step::Forgotten => break,
            }
        }
        if !rows.is_empty() {
            return Some(Work::Rows(rows));
        }
        lane.is_worked = false;
        lane.is_failing = false;
        if lane.steps.is_empty() {
            all.remove(name);
        }
        None
    }

    /// Notes whether a lane can be stored.
    pub(super) fn fails(&self, lane: &str, is_failing: bool) {
        self.change(lane, |lane| lane.is_failing = is_failing);
    }

    /// How many lanes cannot be stored now.
    pub(super) fn failing(&self) -> usize {
        self.all().values().filter(|lane| lane.is_failing).count()
    }

    /// Forgets exchanges that have not begun: of a memory, or of the whole vault.
    pub(super) fn forget(&self, vaults: &[String], memories: Option<&[String]>) {
        let fits = |lane: &Lane| {
            let named = |all: &[String]| lane.memory.as_ref().is_none_or(|one| all.contains(one));
            vaults.contains(&lane.vault) && memories.is_none_or(named)
        };
        for lane in self.all().values_mut().filter(|lane| fits(lane)) {
            for step in lane.steps.values_mut().filter(|step| matches!(step, Step::Open)) {
                *step = Step::Forgotten;
            }
        }
        self.changed.notify_waiters();
    }

    /// Waits until what was over before this exchange in chats of the same vault that no client named is
    /// stored: a request may go on in one of them by an id alone.
    pub(super) async fn after_near(&self, name: &str, id: i64) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if !self.has_near_before(name, id) {
                return;
            }
            changed.await;
        }
    }

    fn has_near_before(&self, name: &str, id: i64) -> bool {
        let all = self.all();
        let Some(vault) = all.get(name).map(|lane| &lane.vault) else { return false };
        let is_over = |(_, step): (&i64, &Step)| matches!(step, Step::Over(_));
        all.values().any(|lane| {
            let is_near = lane.memory.is_none() && lane.vault == *vault;
            is_near && lane.steps.range(..id).any(is_over)
        })
    }

    /// Waits until everything that is over in these vaults, or anywhere, is stored; or, unless `failing_too`, fails.
    pub(super) async fn settled(&self, vaults: Option<&[String]>, failing_too: bool) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let fits = |lane: &Lane| vaults.is_none_or(|vaults| vaults.contains(&lane.vault));
            let waits = |lane: &Lane| failing_too || !lane.is_failing;
            let busy = |lane: &Lane| fits(lane) && waits(lane) && lane.has_over();
            if !self.all().values().any(busy) {
                return;
            }
            changed.await;
        }
    }

    fn change(&self, name: &str, change: impl FnOnce(&mut Lane)) {
        let mut all = self.all();
        if let Some(lane) = all.get_mut(name) {
            change(lane);
            if lane.steps.is_empty() && !lane.is_worked {
                all.remove(name);
            }
        }
        drop(all);
        self.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(memory: Option<&str>, chat: u64) -> LaneName {
        LaneName { vault: "v".into(), memory: memory.map(Into::into), chat }
    }

    fn may_begin(lanes: &Lanes, name: &LaneName, id: i64) -> bool {
        matches!(lanes.may_begin(&name.text(), id), Turn::Now)
    }

    #[test]
    fn an_exchange_waits_for_those_before_it_in_its_own_lane_only() {
        let (lanes, ana, ben) = (Lanes::default(), name(Some("ana"), 0), name(Some("ben"), 0));
        lanes.add(&ana, 1, Step::Open);
        lanes.add(&ana, 2, Step::Open);
        lanes.add(&ben, 3, Step::Open);
        assert!(may_begin(&lanes, &ana, 1) && may_begin(&lanes, &ben, 3));
        assert!(!may_begin(&lanes, &ana, 2), "the first has not begun");
        lanes.has_begun(&ana.text(), 1);
        assert!(may_begin(&lanes, &ana, 2), "no exchange waits for a reply that is still coming");
        assert!(lanes.is_over(&ana.text(), 1, None));
        assert!(!may_begin(&lanes, &ana, 2), "its reply is being stored");
        lanes.done(&ana.text(), &[1]);
        assert!(may_begin(&lanes, &ana, 2));
    }

    #[test]
    fn nobody_waits_for_a_backlog() {
        let (lanes, one, two) = (Lanes::default(), name(None, 1), name(None, 2));
        for id in 1..=5 {
            lanes.add(&one, id, Step::Over(None));
        }
        lanes.add(&one, 6, Step::Open);
        lanes.add(&two, 7, Step::Open);
        assert!(matches!(lanes.may_begin(&one.text(), 6), Turn::Failing));
        assert!(may_begin(&lanes, &two, 7));
        lanes.done(&one.text(), &[1]);
        assert!(matches!(lanes.may_begin(&one.text(), 6), Turn::Later));
        assert!(!may_begin(&lanes, &two, 7));
    }

    #[test]
    fn rows_that_follow_each_other_are_stored_together() {
        let (lanes, ana) = (Lanes::default(), name(Some("ana"), 0));
        for id in [1, 2, 3, 5] {
            lanes.add(&ana, id, Step::Over(None));
        }
        lanes.add(&ana, 4, Step::Begun);
        let next = |most| match lanes.next(&ana.text(), most) {
            Some(Work::Rows(rows)) => rows,
            Some(Work::Live(..)) | None => Vec::new(),
        };
        assert_eq!(next(2), [1, 2]);
        assert_eq!(next(9), [1, 2, 3], "the fourth began before the fifth");
        lanes.done(&ana.text(), &[1, 2, 3]);
        assert_eq!(next(9), [5]);
    }

    #[test]
    fn a_chat_nobody_named_waits_for_replies_it_may_be_known_by_unless_they_fail() {
        let (lanes, one, two) = (Lanes::default(), name(None, 1), name(None, 2));
        lanes.add(&one, 1, Step::Open);
        lanes.add(&two, 2, Step::Open);
        assert!(may_begin(&lanes, &two, 2));
        lanes.is_over(&one.text(), 1, None);
        assert!(!may_begin(&lanes, &two, 2));
        lanes.fails(&one.text(), true);
        assert!(may_begin(&lanes, &two, 2), "one chat that cannot be stored stops no other");
    }

    #[test]
    fn exchanges_are_stored_in_order_and_one_worker_has_a_lane() {
        let (lanes, ana) = (Lanes::default(), name(Some("ana"), 0));
        lanes.add(&ana, 1, Step::Open);
        lanes.add(&ana, 2, Step::Open);
        lanes.is_over(&ana.text(), 2, None);
        assert!(lanes.take_work(&ana.text()) && !lanes.take_work(&ana.text()));
        assert!(lanes.next(&ana.text(), 9).is_none(), "the first is not over");
        lanes.is_over(&ana.text(), 1, None);
        assert!(lanes.take_work(&ana.text()));
        assert!(matches!(lanes.next(&ana.text(), 1), Some(Work::Rows(rows)) if rows == [1]));
    }

    #[test]
    fn what_is_forgotten_while_its_reply_comes_is_not_stored() {
        let (lanes, ana) = (Lanes::default(), name(Some("ana"), 0));
        lanes.add(&ana, 1, Step::Open);
        lanes.forget(&["v".into()], Some(&["ana".into()]));
        assert!(lanes.is_forgotten(&ana.text(), 1));
        assert!(!lanes.is_over(&ana.text(), 1, None));
        assert!(lanes.all().is_empty());
    }
}
