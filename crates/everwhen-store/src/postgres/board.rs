//! What waits for a thread, and the threads that wait for it.
//!
//! Works of one turn, which would wait for each other in the database anyway, are handed to one
//! thread together. Of the threads that are free, the one that worked last is woken: it and the
//! server's side of its connection still have everything at hand.

use std::collections::{HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Thread;

use everwhen_engine::memory::{Address, VaultId};

/// Those who take turns: whoever writes in one vault.
pub(super) type Turn = Address<VaultId>;

/// A board on which works are put.
pub(super) struct Board<W> {
    state: Mutex<State<W>>,
}

struct State<W> {
    waiting: VecDeque<(Option<Turn>, W)>,
    busy: HashSet<Turn>,
    idle: Vec<Thread>,
    is_closed: bool,
}

/// Works for one thread, all of one turn. Its turn is over when [`Board::done`] says so.
pub(super) struct Taken<W> {
    pub(super) turn: Option<Turn>,
    pub(super) works: Vec<W>,
}

impl<W> Board<W> {
    pub(super) fn new() -> Self {
        let state = State {
            waiting: VecDeque::new(),
            busy: HashSet::new(),
            idle: Vec::new(),
            is_closed: false,
        };
        Self { state: Mutex::new(state) }
    }

    /// Puts a work up. Without a turn it waits for nobody.
    pub(super) fn put(&self, turn: Option<Turn>, work: W) {
        let mut state = self.lock();
        state.waiting.push_back((turn, work));
        state.wake_one();
    }

    /// Nothing more will be put up; threads go when everything is done.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.idle.drain(..).for_each(|thread| thread.unpark());
    }

    /// Waits for something to do: the work that waits longest of all whose turn it may be, and up to
    /// `most` of the same turn. Nothing when the board is closed and empty.
    pub(super) fn take(&self, most: usize) -> Option<Taken<W>> {
        loop {
            let mut state = self.lock();
            if let Some(taken) = state.take(most) {
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

    /// Somebody else may have the turn.
    pub(super) fn done(&self, turn: Option<Turn>) {
        let Some(turn) = turn else { return };
        let mut state = self.lock();
        state.busy.remove(&turn);
        // Whoever finished will look for more; if the board is closed, others must see that it emptied.
        if state.is_closed {
            state.idle.drain(..).for_each(|thread| thread.unpark());
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<W> State<W> {
    fn take(&mut self, most: usize) -> Option<Taken<W>> {
        let is_free = |turn: &Option<Turn>| turn.as_ref().is_none_or(|it| !self.busy.contains(it));
        let first = self.waiting.iter().position(|(turn, _)| is_free(turn))?;
        let (turn, work) = self.waiting.remove(first)?;
        let mut works = vec![work];
        if let Some(turn) = &turn {
            self.busy.insert(turn.clone());
            self.gather(turn, first, most, &mut works);
        }
        Some(Taken { turn, works })
    }

    /// Adds what else waits for the same turn, in order.
    fn gather(&mut self, turn: &Turn, from: usize, most: usize, works: &mut Vec<W>) {
        let mut place = from;
        while works.len() < most && place < self.waiting.len() {
            if self.waiting[place].0.as_ref() != Some(turn) {
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

    fn turn(name: &str) -> Option<Turn> {
        Some(Turn::read("vault", name).unwrap())
    }

    #[test]
    fn one_turn_is_taken_together_and_by_one_at_a_time() {
        let board = Board::new();
        for (name, work) in [("a", 1), ("b", 2), ("a", 3), ("a", 4)] {
            board.put(turn(name), work);
        }
        board.put(None, 5);
        let first = board.take(2).unwrap();
        assert_eq!(first.works, [1, 3], "no more than so many");
        assert_eq!(board.take(2).unwrap().works, [2], "a is busy");
        assert_eq!(board.take(2).unwrap().works, [5], "this waits for nobody");
        board.done(first.turn);
        assert_eq!(board.take(2).unwrap().works, [4]);
    }

    #[test]
    fn a_closed_board_is_emptied_first() {
        let board = Board::new();
        board.put(None, 1);
        board.close();
        assert_eq!(board.take(8).unwrap().works, [1]);
        assert!(board.take(8).is_none());
    }
}
