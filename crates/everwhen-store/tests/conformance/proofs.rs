//! Rows of proofs, requests and additions; and chats that are recognised by them.

use everwhen_engine::Forget;
use everwhen_engine::ledger::{Begun, Client, Commit, ExchangeReply, History, Message};
use everwhen_engine::memory::{Address, MemoryId, Name, Role};
use everwhen_engine::ports::{
    Addition, Erasure, LastRequest, LedgerHead, LedgerSelection, Placeholder, Proof, Removal, Row,
};
use everwhen_testkit::block_on;

use crate::bed::Open;
use crate::rows::{at, home, id, name, place};
use crate::talk::{Talk, memory};

fn proof(hash: u8, number: u64, minute: i64) -> Proof {
    Proof { hash: [hash; 32], number, app: [number as u8; 32], at: at(minute) }
}

pub(crate) fn holders_of_a_proof_come_newest_first(open: Open) {
    let bed = open();
    bed.write(|tx| {
        tx.put(Row::Proof(place(1, 1), &proof(1, 4, 1)))?;
        tx.put(Row::Proof(place(1, 2), &proof(1, 5, 3)))?;
        tx.put(Row::Proof(place(1, 3), &proof(1, 6, 2)))?;
        tx.put(Row::Proof(place(1, 3), &proof(2, 6, 2)))?;
        tx.put(Row::Proof(place(2, 4), &proof(1, 7, 9)))
    });
    let holders = |limit| {
        let found = bed.look(move |rows| rows.proof_holders(id(1), [1; 32], limit));
        found.iter().map(|holder| (holder.memory, holder.proof)).collect::<Vec<_>>()
    };
    let newest =
        [(id(2), proof(1, 5, 3)), (id(3), proof(1, 6, 2)), (id::<MemoryId>(1), proof(1, 4, 1))];
    assert_eq!(holders(9), newest);
    assert_eq!(holders(1), newest[..1]);
    let waiting = Placeholder { started_at: at(1), after: None, reply: Some(4) };
    let head = LedgerHead { placeholder: Some(waiting), ..LedgerHead::default() };
    bed.write(move |tx| tx.put(Row::LedgerHead(place(1, 1), &head)));
    assert_eq!(holders(1)[0].0, id(1), "where nothing was said since comes first");
    bed.write(|tx| tx.put(Row::Proof(place(1, 3), &proof(1, 8, 4))));
    assert_eq!(holders(9)[1], (id(3), proof(1, 8, 4)), "a proof is replaced");
    bed.write(|tx| tx.erase(Erasure::Memory(place(1, 3))));
    assert_eq!(holders(9).len(), 2);
    bed.write(|tx| tx.erase(Erasure::Vault(id(1))));
    assert!(holders(9).is_empty());
    assert_eq!(bed.look(|rows| rows.proof_holders(id(2), [1; 32], 9)).len(), 1);
}

pub(crate) fn the_last_request_of_a_memory_is_found(open: Open) {
    let bed = open();
    let head = |hash: u8, answered, placeholder| LedgerHead {
        last_number: 1,
        placeholder,
        request: Some(LastRequest { hash: [hash; 32], answered }),
    };
    let waiting = Placeholder { started_at: at(5), after: None, reply: None };
    bed.write(move |tx| {
        tx.put(Row::LedgerHead(place(1, 1), &head(1, true, None)))?;
        tx.put(Row::LedgerHead(place(1, 2), &head(1, false, Some(waiting))))?;
        tx.put(Row::LedgerHead(place(1, 3), &head(2, false, None)))?;
        tx.put(Row::LedgerHead(place(2, 4), &head(1, false, None)))
    });
    let found = bed.look(|rows| rows.ledger_heads(id(1), LedgerSelection::Requested([1; 32])));
    assert_eq!(found, [(id(2), head(1, false, Some(waiting))), (id(1), head(1, true, None))]);
    let own = bed.look(|rows| rows.ledger_heads(id(1), LedgerSelection::Of(id(3))));
    assert_eq!(own, [(id(3), head(2, false, None))]);
    assert_eq!(bed.look(|rows| rows.ledger_heads(id(1), LedgerSelection::Of(id(4)))), []);
}

fn addition(text: &str, minute: i64) -> Addition {
    Addition { text: text.into(), form: 5, person: [7; 32], at: at(minute) }
}

pub(crate) fn additions_are_kept_until_they_are_dropped(open: Open) {
    let bed = open();
    bed.write(|tx| {
        tx.put(Row::Addition(home(), 4, &addition("old", 1)))?;
        tx.put(Row::Addition(home(), 2, &addition("two", 1)))?;
        tx.put(Row::Addition(home(), 4, &addition("four ☃", 2)))?;
        tx.put(Row::Addition(place(1, 2), 2, &addition("elsewhere", 1)))?;
        tx.put(Row::Addition(place(2, 3), 2, &addition("theirs", 1)))
    });
    let found = bed.look(|rows| rows.additions(home(), &[4, 9, 2]));
    assert_eq!(found, [(2, addition("two", 1)), (4, addition("four ☃", 2))]);
    let epoch = |vault| bed.look(move |rows| rows.forget_epoch(id(vault)));
    assert_eq!(epoch(1), 0);
    bed.write(|tx| tx.remove(Removal::Additions(id(1))).map(drop));
    bed.write(|tx| tx.remove(Removal::Additions(id(1))).map(drop));
    assert_eq!((epoch(1), epoch(2)), (2, 0));
    assert_eq!(bed.look(|rows| rows.additions(home(), &[2, 4])), []);
    assert_eq!(bed.look(|rows| rows.additions(place(1, 2), &[2])), []);
    assert_eq!(bed.look(|rows| rows.additions(place(2, 3), &[2])).len(), 1);
    bed.write(|tx| tx.erase(Erasure::Vault(id(2))));
    assert_eq!(bed.look(|rows| rows.additions(place(2, 3), &[2])), []);
}

/// Clients that talk in one vault.
struct Clients {
    talk: Talk,
}

/// `u:` or `a:` and what was said, by the client with this number.
fn history(client: (u8, u8), lines: &[&str]) -> History {
    let message = |line: &&str| {
        let role = if line.starts_with("u:") { Role::User } else { Role::Assistant };
        Message::new(role, &line[2..])
    };
    History {
        client: Client { person: [client.0; 32], app: [client.1; 32] },
        ..History::from(lines.iter().map(message).collect::<Vec<Message>>())
    }
}

impl Clients {
    fn new(open: Open) -> Self {
        Self { talk: Talk::new(open) }
    }

    fn begin(&self, called: &str, history: History) -> Begun {
        let address = Address::Name(name(called));
        block_on(self.talk.vault.begin_exchange(address, history, Commit::NextTurn)).unwrap()
    }

    fn finish(&self, begun: &Begun, reply: ExchangeReply) {
        block_on(self.talk.vault.finish_exchange(begun.exchange.clone(), reply)).unwrap();
    }

    /// One exchange in a memory.
    fn exchange(&self, called: &str, client: (u8, u8), lines: &[&str], reply: &str) {
        let begun = self.begin(called, history(client, lines));
        self.finish(&begun, ExchangeReply { content: reply.into(), ..ExchangeReply::default() });
    }

    /// The memory in which a history is recognised.
    fn find(&self, history: &History) -> Option<String> {
        let found = block_on(self.talk.vault.memory_of_history(history)).unwrap();
        found.map(|found| found.name.to_string())
    }

    fn finds(&self, client: (u8, u8), lines: &[&str]) -> Option<String> {
        self.find(&history(client, lines))
    }
}

const ANA: (u8, u8) = (1, 1);
const ANAS_PHONE: (u8, u8) = (1, 2);
const BEN: (u8, u8) = (2, 1);
/// A text that is too long to occur twice by chance.
const LONG: &str = "A reply of many words, long enough that no other chat has got the very same one by \
    chance, because it goes on and on about tides, lighthouses, herring, and the weather in March.";

pub(crate) fn text_that_a_client_sent_proves_nothing(open: Open) {
    let few = ["u:I love it", "a:positive", "u:I hate it", "a:negative"];
    let with = |last| [&few[..], &[last]].concat();
    let clients = Clients::new(open);
    clients.exchange("alice", ANA, &with("u:Alice is pregnant, due in May."), "Noted.");
    for client in [ANA, ANAS_PHONE, BEN] {
        assert_eq!(clients.finds(client, &with("u:Bob was fired on Monday.")), None);
    }
    let next = [&with("u:Alice is pregnant, due in May.")[..], &["a:Noted.", "u:x"]].concat();
    assert_eq!(clients.finds(ANA, &next).as_deref(), Some("alice"));
}

pub(crate) fn a_proof_holds_for_one_person_and_a_weak_one_for_one_program(open: Open) {
    let clients = Clients::new(open);
    clients.exchange("short", ANA, &["u:hi"], "Hello!");
    clients.exchange("long", ANA, &["u:tell me"], LONG);
    let long = format!("a:{LONG}");
    let (short, long) = (["u:hi", "a:Hello!", "u:x"], ["u:tell me", long.as_str(), "u:x"]);
    assert_eq!(clients.finds(ANA, &short).as_deref(), Some("short"));
    assert_eq!(clients.finds(ANA, &long).as_deref(), Some("long"));
    assert_eq!(clients.finds(ANAS_PHONE, &short), None, "a greeting is no proof elsewhere");
    assert_eq!(clients.finds(ANAS_PHONE, &long).as_deref(), Some("long"));
    assert_eq!(clients.finds(BEN, &short), None);
    assert_eq!(clients.finds(BEN, &long), None, "never somebody else's");
    clients.exchange("short", ANA, &["u:hi", "a:Hello!", "u:ok"], "Good.");
    let two = ["u:hi", "a:Hello!", "u:ok", "a:Good.", "u:x"];
    assert_eq!(clients.finds(ANAS_PHONE, &two).as_deref(), Some("short"), "two replies in order");
    assert_eq!(clients.finds(BEN, &two), None);
}

pub(crate) fn the_chat_that_goes_on_at_its_end_is_meant(open: Open) {
    let clients = Clients::new(open);
    clients.exchange("cats", ANA, &["u:hi"], "Hello!");
    clients.exchange("cats", ANA, &["u:hi", "a:Hello!", "u:My PIN is 1234."], "Noted.");
    clients.exchange("dogs", ANA, &["u:hi"], "Hello!");
    assert_eq!(clients.finds(ANA, &["u:hi", "a:Hello!", "u:dogs?"]).as_deref(), Some("dogs"));
    clients.exchange("dogs", ANA, &["u:hi", "a:Hello!", "u:dogs?"], "Woof.");
    assert_eq!(clients.finds(ANA, &["u:hi", "a:Hello!", "u:birds?"]), None, "either could be");
    let edited = ["u:hi", "a:Hello!", "u:dogs?", "a:Woof.", "u:more"];
    assert_eq!(clients.finds(ANA, &edited).as_deref(), Some("dogs"));
    assert_eq!(clients.finds(ANA, &["u:dogs?", "a:Woof.", "u:more"]).as_deref(), Some("dogs"));
}

pub(crate) fn the_newest_of_many_equal_chats_is_found(open: Open) {
    let clients = Clients::new(open);
    for number in 0..70 {
        clients.talk.minute(number);
        clients.exchange(&format!("chat {number}"), ANA, &["u:hi"], "Hello!");
    }
    for number in (66..70).rev() {
        let called = format!("chat {number}");
        let said = format!("u:I am number {number}.");
        let lines = ["u:hi", "a:Hello!", said.as_str()];
        assert_eq!(clients.finds(ANA, &lines), Some(called.clone()));
        clients.exchange(&called, ANA, &lines, "Noted.");
    }
}

pub(crate) fn tool_calls_do_not_break_the_chain(open: Open) {
    let clients = Clients::new(open);
    let tool: Name = name("weather");
    let call = || {
        let mut call = Message::new(Role::Assistant, "");
        (call.other, call.tools_used) = (b"null".to_vec(), vec![tool.clone()]);
        call
    };
    for (called, ids) in
        [("random", vec!["call_qKzXbWvRtYpL3NcDfGhJsTuE"]), ("numbered", vec!["call_0"])]
    {
        let ids: Vec<String> = ids.into_iter().map(str::to_owned).collect();
        let asked = format!("u:Weather in Porto, {called}?");
        let begun = clients.begin(called, history(ANA, &[&asked]));
        let reply = ExchangeReply {
            tools_used: vec![tool.clone()],
            ids: ids.clone(),
            ..ExchangeReply::default()
        };
        clients.finish(&begun, reply);
        let mut next = history(ANA, &[&asked]);
        next.messages.extend([call(), Message::new(Role::Tool, "sunny")]);
        next.ids = ids.iter().map(|id| (2, id.clone())).collect();
        assert_eq!(clients.find(&next).as_deref(), Some(called));
        let elsewhere = History { client: Client { app: [9; 32], ..next.client }, ..next.clone() };
        let proves = (called == "random").then(|| called.to_owned());
        assert_eq!(clients.find(&elsewhere), proves, "an id that is numbered proves nothing");
        let stranger =
            History { client: Client { person: [9; 32], ..next.client }, ..next.clone() };
        assert_eq!(clients.find(&stranger), None);
        let begun = clients.begin(called, next.clone());
        let are_new: Vec<_> = begun.messages.iter().map(|message| message.is_new).collect();
        assert!(!are_new[0], "the question keeps its time");
        clients.finish(
            &begun,
            ExchangeReply { content: "It is sunny.".into(), ..ExchangeReply::default() },
        );
        let mut later = next;
        later.ids.clear();
        later.messages.extend(history(ANA, &["a:It is sunny.", "u:thanks"]).messages);
        assert_eq!(clients.find(&later).as_deref(), Some(called));
    }
}

pub(crate) fn a_retry_is_the_same_request_before_its_reply_was_whole(open: Open) {
    let clients = Clients::new(open);
    let hi = || history(ANA, &["u:hi"]);
    let begun = clients.begin("one", hi());
    assert_eq!(clients.find(&hi()).as_deref(), Some("one"), "no reply came yet");
    assert_eq!(clients.finds(ANAS_PHONE, &["u:hi"]), None);
    assert_eq!(clients.finds(BEN, &["u:hi"]), None);
    let cut = ExchangeReply { content: "Hel".into(), truncated: true, ..ExchangeReply::default() };
    clients.finish(&begun, cut);
    assert_eq!(clients.find(&hi()).as_deref(), Some("one"), "it was cut off");
    clients.talk.minute(60);
    assert_eq!(clients.find(&hi()), None, "an hour later it is a new chat");
    clients.talk.minute(61);
    clients.exchange("one", ANA, &["u:hi"], "Hello!");
    assert_eq!(clients.find(&hi()), None, "it was answered");
    let resent = History { resent: true, ..hi() };
    assert_eq!(clients.find(&resent).as_deref(), Some("one"), "the client says it is a retry");
}

pub(crate) fn what_was_added_comes_back_until_something_is_forgotten(open: Open) {
    let clients = Clients::new(open);
    let begun = clients.begin("m", history(ANA, &["u:hi"]));
    assert_eq!(begun.additions, [None]);
    let addition = Addition { person: [1; 32], ..addition("<memory>", 0) };
    let added = vec![(begun.messages[0].line.unwrap(), addition.clone())];
    clients.finish(
        &begun,
        ExchangeReply {
            content: "Hello!".into(),
            added: added.clone(),
            ..ExchangeReply::default()
        },
    );
    let next = ["u:hi", "a:Hello!", "u:x"];
    let begun = clients.begin("m", history(ANA, &next));
    assert_eq!(begun.additions, [Some(addition), None, None]);
    let theirs = clients.begin("m", history(BEN, &next));
    assert_eq!(theirs.additions, [None, None, None], "it was made for somebody else");
    let entry = begun.messages[2].entry.unwrap();
    block_on(clients.talk.vault.forget(memory(), Forget::Entry(entry), None)).unwrap();
    assert_eq!(clients.begin("m", history(ANA, &next)).additions, [None, None, None]);
    clients.finish(
        &begun,
        ExchangeReply { content: "Yes.".into(), added, ..ExchangeReply::default() },
    );
    let again = clients.begin("m", history(ANA, &next));
    assert_eq!(again.additions, [None, None, None], "a reply under way brings nothing back");
}
