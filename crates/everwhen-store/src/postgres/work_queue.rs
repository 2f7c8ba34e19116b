//! A queue of work for the threads of a pool.
//!
//! Work on one vault, which would wait for its own locks in the database anyway, is handed to one
//! thread together. Of the idle threads, the one that worked last is woken: its caches and those of
//! the server's side of its connection are still warm.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Thread;

use everwhen_engine::memory::{Address, VaultId};

/// Work with the same key is never run by two threads at a time: the vault that it writes to.
pub(super) type QueueKey = Address<VaultId>;

/// A queue that any number of threads take work from.
pub(super) struct WorkQueue<W> {
    state: Mutex<State<W>>,
}

struct State<W> {
    waiting: VecDeque<(Option<QueueKey>, W)>,
    busy: HashSet<QueueKey>,
    idle: Vec<Thread>,
    is_closed: bool,
}

/// Work for one thread, all with one key. No other thread gets work with that key before
/// [`WorkQueue::finish`].
pub(super) struct WorkBatch<W> {
    pub(super) key: Option<QueueKey>,
    pub(super) works: Vec<W>,
}

impl<W> WorkQueue<W> {
    pub(super) fn new() -> Self {
        let state = State {
            waiting: VecDeque::new(),
            busy: HashSet::new(),
            idle: Vec::new(),
            is_closed: false,
        };
        Self { state: Mutex::new(state) }
    }

    /// Adds work. Work without a key waits for no other.
    pub(super) fn push(&self, key: Option<QueueKey>, work: W) {
        let mut state = self.lock();
        state.waiting.push_back((key, work));
        state.wake_one();
    }

    /// Accepts no more work; threads end when everything is done.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.idle.drain(..).for_each(|thread| thread.unpark());
    }

    /// Waits for work: the oldest whose key no thread works on, and up to `limit` with the same key.
    /// `None` when the queue is closed and empty.
    pub(super) fn take(&self, limit: usize) -> Option<WorkBatch<W>> {
        loop {
            let mut state = self.lock();
            if let Some(taken) = state.take(limit) {
                return Some(taken);
            }
            if state.is_closed && state.waiting.is_empty() {
                return None;
            }
            let me = std::thread::current();
            state.idle.retain(|thread| thread.id() != me.id());
            state.idle.push(me);
            drop(state);
            std::thread::park();
        }
    }

    /// Lets other threads take work with this key.
    pub(super) fn finish(&self, key: Option<QueueKey>) {
        let Some(key) = key else { return };
        let mut state = self.lock();
        state.busy.remove(&key);
        // The thread that finished takes more; if the queue is closed, others must see that it is empty.
        if state.is_closed {
            state.idle.drain(..).for_each(|thread| thread.unpark());
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W> State<W> {
    fn take(&mut self, limit: usize) -> Option<WorkBatch<W>> {
        let is_free =
            |key: &Option<QueueKey>| key.as_ref().is_none_or(|it| !self.busy.contains(it));
        let first = self.waiting.iter().position(|(key, _)| is_free(key))?;
        let (key, work) = self.waiting.remove(first)?;
        let mut works = vec![work];
        if let Some(key) = &key {
            self.busy.insert(key.clone());
            self.gather(key, first, limit, &mut works);
        }
        Some(WorkBatch { key, works })
    }

    /// Adds waiting work with the same key, in order.
    fn gather(&mut self, key: &QueueKey, from: usize, limit: usize, works: &mut Vec<W>) {
        let mut place = from;
        while works.len() < limit && place < self.waiting.len() {
            if self.waiting[place].0.as_ref() != Some(key) {
                place += 1;
                continue;
            }
            works.extend(self.waiting.remove(place).map(|(_, work)| work));
        }
    }

    fn wake_one(&mut self) {
        if let Some(thread) = self.idle.pop() {
            thread.unpark();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Option<QueueKey> {
        Some(QueueKey::read("vault", name).unwrap())
    }

    #[test]
    fn work_with_one_key_is_taken_together_and_by_one_thread_at_a_time() {
        let queue = WorkQueue::new();
        for (name, work) in [("a", 1), ("b", 2), ("a", 3), ("a", 4)] {
            queue.push(key(name), work);
        }
        queue.push(None, 5);
        let first = queue.take(2).unwrap();
        assert_eq!(first.works, [1, 3], "no more than the limit");
        assert_eq!(queue.take(2).unwrap().works, [2], "a is busy");
        assert_eq!(queue.take(2).unwrap().works, [5], "work without a key never waits");
        queue.finish(first.key);
        assert_eq!(queue.take(2).unwrap().works, [4]);
    }

    #[test]
    fn a_closed_queue_is_emptied_first() {
        let queue = WorkQueue::new();
        queue.push(None, 1);
        queue.close();
        assert_eq!(queue.take(8).unwrap().works, [1]);
        assert!(queue.take(8).is_none());
    }
}
