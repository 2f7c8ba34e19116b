//! Random clients: they repeat themselves, cut, edit, regenerate, fork, retry and lose replies. Every
//! message keeps the time it first got, no time runs backwards, and nothing is stored twice.

use everwhen_engine::ledger::{Begun, Commit, ExchangeReply, History, Message};
use everwhen_engine::memory::Role;
use everwhen_engine::ports::EntryQuery;
use everwhen_testkit::{block_on, engine_over};
use jiff::{SignedDuration, Timestamp};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::bed::{Open, for_all};
use crate::talk::{Talk, memory};

/// What a client does.
#[derive(Debug, Clone)]
enum Deed {
    /// Says one of a few things and gets one of a few replies.
    Say { words: usize, reply: usize, cut: Option<usize> },
    /// The same, but the reply is lost here and only the client has it.
    Lose { words: usize },
    /// Asks for another reply to its last message.
    Regenerate { reply: usize },
    /// Sends its last request again.
    Retry,
    /// Changes one of its messages, or one of the replies, in its own history.
    Edit(Index),
    /// Goes back to an earlier message of its own and says something else there.
    Fork(Index),
    /// Sends an older state of its history once more.
    Repeat(Index),
    /// The server starts again.
    Restart,
}

fn any_deed() -> impl Strategy<Value = Deed> {
    let say = (0..3usize, 0..2usize, prop::option::of(1..6usize));
    prop_oneof![
        6 => say.prop_map(|(words, reply, cut)| Deed::Say { words, reply, cut }),
        1 => (0..3usize).prop_map(|words| Deed::Lose { words }),
        2 => (0..4usize).prop_map(|reply| Deed::Regenerate { reply }),
        1 => Just(Deed::Retry),
        1 => any::<Index>().prop_map(Deed::Edit),
        1 => any::<Index>().prop_map(Deed::Fork),
        1 => any::<Index>().prop_map(Deed::Repeat),
        1 => Just(Deed::Restart),
    ]
}

/// One message as the client has it, and the time it first got.
#[derive(Debug, Clone, PartialEq)]
struct Had {
    role: Role,
    text: String,
    time: Option<Timestamp>,
}

/// A client with its history, and a number for texts that never come twice.
struct Client {
    talk: Talk,
    history: Vec<Had>,
    fresh: usize,
}

impl Client {
    fn new(open: Open) -> Self {
        Self { talk: Talk::new(open), history: Vec::new(), fresh: 0 }
    }

    fn do_it(&mut self, deed: &Deed) {
        self.talk.clock.advance(SignedDuration::from_secs(7));
        match deed {
            Deed::Say { words, reply, cut } => {
                self.push(Role::User, ["ok", "why?", "go on"][*words].into());
                self.exchange(*cut, Some(["good", "because"][*reply].into()));
            }
            Deed::Lose { words } => {
                self.push(Role::User, ["ok", "why?", "go on"][*words].into());
                self.exchange(None, None);
                let text = self.fresh_text();
                self.push(Role::Assistant, text);
            }
            Deed::Regenerate { reply } => {
                let dropped = self.drop_reply();
                self.exchange(None, Some(["good", "because", "hm", "well"][*reply].into()));
                self.keep_time_of(dropped);
            }
            Deed::Retry => {
                let dropped = self.drop_reply();
                self.begin(0, self.history.len());
                self.exchange(None, Some("good".into()));
                self.keep_time_of(dropped);
            }
            Deed::Edit(which) if self.history.len() > 2 => {
                let at = which.index(self.history.len() - 2);
                self.history[at].text = self.fresh_text();
                self.push(Role::User, "go on".into());
                self.exchange(None, Some("good".into()));
            }
            Deed::Fork(which) if self.history.len() > 3 => {
                let at = 2 * (1 + which.index(self.history.len() / 2 - 1));
                if self.is_alone(0, at) {
                    self.history.truncate(at);
                    let text = self.fresh_text();
                    self.push(Role::User, text);
                    self.exchange(None, Some("because".into()));
                }
            }
            Deed::Repeat(which) if !self.history.is_empty() => {
                let to = 2 * which.index(self.history.len().div_ceil(2)) + 1;
                if self.is_alone(0, to) {
                    self.begin(0, to);
                }
            }
            Deed::Restart => {
                let (engine, clock) = engine_over(std::sync::Arc::clone(&self.talk.bed.store));
                clock.set(self.talk.engine.now());
                self.talk.vault = block_on(engine.vault(self.talk.vault.id().into())).unwrap();
                (self.talk.engine, self.talk.clock) = (engine, clock);
            }
            Deed::Edit(_) | Deed::Fork(_) | Deed::Repeat(_) => {}
        }
    }

    fn fresh_text(&mut self) -> String {
        self.fresh += 1;
        format!("text {}", self.fresh)
    }

    fn push(&mut self, role: Role, text: String) {
        self.history.push(Had { role, text, time: None });
    }

    /// Goes back to before the last reply, which is answered.
    fn drop_reply(&mut self) -> Option<Had> {
        if self.history.is_empty() {
            self.push(Role::User, "ok".into());
        }
        self.history.pop_if(|last| last.role == Role::Assistant)
    }

    /// The same words again are the same reply.
    fn keep_time_of(&mut self, dropped: Option<Had>) {
        let last = self.history.last_mut().unwrap();
        if let Some(same) = dropped.filter(|dropped| dropped.text == last.text) {
            last.time = same.time;
        }
    }

    /// Sends the history, cut to this many known messages or as many more as are needed to know where
    /// they stand, and gets a reply, or not.
    fn exchange(&mut self, cut: Option<usize>, reply: Option<String>) {
        let known = self.history.len() - 1;
        let kept = cut.map_or(known, |cut| cut.min(known));
        let kept =
            (kept..=known).find(|kept| self.is_sent_once(known - kept, known)).unwrap_or(known);
        let begun = self.begin(known - kept, self.history.len());
        let Some(reply) = reply else { return };
        self.push(Role::Assistant, reply.clone());
        self.history.last_mut().unwrap().time = Some(begun.exchange.started_at);
        let reply = ExchangeReply { content: reply, ..ExchangeReply::default() };
        block_on(self.talk.vault.finish_exchange(begun.exchange, reply)).unwrap();
    }

    /// The same, and all of it has been sent before.
    fn is_sent_once(&self, from: usize, to: usize) -> bool {
        self.history[from..to].iter().all(|had| had.time.is_some()) && self.is_alone(from, to)
    }

    /// Whether a run of the history stands nowhere else in it.
    fn is_alone(&self, from: usize, to: usize) -> bool {
        let said = |had: &Had| (had.role, had.text.clone());
        let run: Vec<_> = self.history[from..to].iter().map(said).collect();
        let all: Vec<_> = self.history.iter().map(said).collect();
        !run.is_empty() && all.windows(run.len()).filter(|window| **window == run[..]).count() == 1
    }

    /// Sends a part of the history and checks every time.
    fn begin(&mut self, from: usize, to: usize) -> Begun {
        let message = |had: &Had| Message::new(had.role, had.text.as_str());
        let history: Vec<Message> = self.history[from..to].iter().map(message).collect();
        let history = History::from(history);
        let begun = block_on(self.talk.vault.begin_exchange(memory(), history, Commit::NextTurn));
        let begun = begun.unwrap();
        let times: Vec<Timestamp> =
            begun.messages.iter().map(|known| known.time.unwrap()).collect();
        for (had, time) in self.history[from..to].iter_mut().zip(&times) {
            assert_eq!(*had.time.get_or_insert(*time), *time, "{:?} in {:?}", had.text, times);
        }
        assert!(times.is_sorted(), "{times:?}");
        begun
    }

    /// The current entries are what the client has, in its order; a reply it never sent back may be
    /// missing.
    fn check(&self) {
        let stored = self.talk.texts(EntryQuery { limit: Some(1000), ..EntryQuery::default() });
        let sent: Vec<&str> = self
            .history
            .iter()
            .filter(|had| had.time.is_some())
            .map(|had| had.text.as_str())
            .collect();
        assert_eq!(stored, sent);
    }
}

pub(crate) fn a_random_client_keeps_its_times(open: Open) {
    for_all(150, vec(any_deed(), 1..16), |deeds| {
        let mut client = Client::new(open);
        for deed in &deeds {
            client.do_it(deed);
            if !matches!(deed, Deed::Repeat(_) | Deed::Restart) && !client.history.is_empty() {
                client.check();
            }
        }
    });
}

/// A history in which things repeat, always answered, and states of it in some order.
fn any_states() -> impl Strategy<Value = (Vec<String>, Vec<Index>)> {
    let words = vec(prop::sample::select(vec!["ok", "why?", "hm"]), 3..12);
    let owned = words.prop_map(|words| words.into_iter().map(str::to_owned).collect());
    (owned, vec(any::<Index>(), 1..6))
}

pub(crate) fn the_order_of_requests_makes_no_difference(open: Open) {
    for_all(150, any_states(), |(words, states)| {
        let mut client = Client::new(open);
        for (place, word) in words.iter().enumerate() {
            let role = if place % 2 == 0 { Role::User } else { Role::Assistant };
            client.push(role, word.clone());
        }
        // One message alone could be any of its kind.
        let asked = |state: &Index| (2 * state.index(words.len().div_ceil(2)) + 1).max(3);
        // A part that stands twice in the history could be either.
        let sent: Vec<usize> =
            states.iter().map(asked).filter(|to| client.is_alone(0, *to)).collect();
        for to in &sent {
            client.begin(0, *to);
        }
        let longest = sent.into_iter().max().unwrap_or(0);
        if longest == 0 {
            return;
        }
        client.history.truncate(longest);
        client.check();
    });
}

pub(crate) fn parts_of_a_history_come_together_in_any_order(open: Open) {
    let parts = vec((any::<Index>(), any::<Index>()), 1..6);
    for_all(150, (2..14usize, parts), |(length, parts)| {
        let mut client = Client::new(open);
        for place in 0..length {
            let role = if place % 2 == 0 { Role::User } else { Role::Assistant };
            client.push(role, format!("a text that nobody says twice: {place}"));
        }
        client.begin(0, length - (length + 1) % 2);
        for (from, to) in parts {
            let (from, to) = (from.index(length), 2 * to.index(length.div_ceil(2)) + 1);
            if from + 1 < to {
                client.begin(from, to);
            }
        }
        client.history.truncate(length - (length + 1) % 2);
        client.check();
    });
}
