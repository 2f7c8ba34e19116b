//! Rows about models, and asking one on behalf of a vault: what it takes is counted, what is known
//! costs nothing, spending ends, forgetting forgets the answers.

use std::sync::Arc;

use everwhen_engine::activity::{Activity, ActivityKind};
use everwhen_engine::json::Json;
use everwhen_engine::memory::{Address, NewEntry, Role, Said, VaultId};
use everwhen_engine::ports::{Erasure, Finish, Llm, Prompt, Removal, Reply, Row, Spent, Wait};
use everwhen_engine::usage::Usage;
use everwhen_engine::{Engine, Error, ErrorKind, Forget, Result};
use everwhen_testkit::{ScriptedLlm, block_on, engine_over};
use jiff::SignedDuration;
use jiff::civil::{Date, date};

use crate::bed::{Bed, Open};
use crate::rows::{at, conversation, home, id, name, place, vault};

const DAY: Date = date(2025, 3, 1);

fn usage(day: Date, purpose: &str, calls: u64) -> Usage {
    let spent = Spent { input_tokens: 10 * calls, output_tokens: calls, cost_nanos: 100 * calls };
    let (model, purpose) = ("openai:m".to_owned(), purpose.to_owned());
    Usage { day, model, purpose, calls, cached: 1, spent }
}

fn reply(text: &str) -> Reply {
    let members = vec![
        ("b".to_owned(), Json::List(vec![Json::Number(1.5), Json::Null, Json::Bool(true)])),
        ("a".to_owned(), Json::Text(text.to_owned())),
    ];
    let spent = Spent { input_tokens: 3, output_tokens: 2, cost_nanos: 1 };
    let model = "m-1".to_owned();
    let json = Some(Json::Object(members));
    Reply {
        text: text.to_owned(),
        json,
        model,
        finish: Finish::Length,
        spent,
        cached: false,
        unusable: None,
    }
}

pub(crate) fn usage_adds_up_by_day_model_and_purpose(open: Open) {
    let bed = open();
    bed.write(|tx| {
        tx.put(Row::Usage(id(1), &usage(DAY, "title", 1)))?;
        tx.put(Row::Usage(id(1), &usage(DAY, "facts", 2)))?;
        tx.put(Row::Usage(id(1), &usage(DAY, "title", 3)))?;
        tx.put(Row::Usage(id(1), &usage(date(2025, 2, 28), "title", 5)))?;
        tx.put(Row::Usage(id(2), &usage(DAY, "title", 7)))
    });
    let found = bed.look(|rows| rows.usage(id(1), DAY));
    let titles = Usage { cached: 2, ..usage(DAY, "title", 4) };
    assert_eq!(found, [usage(DAY, "facts", 2), titles]);
    assert_eq!(bed.look(|rows| rows.usage(id(1), Date::MIN)).len(), 3);
    assert_eq!(bed.look(|rows| rows.cost_since(DAY)), 600 + 700);
    assert_eq!(bed.look(|rows| rows.cost_since(date(2025, 3, 2))), 0);
}

pub(crate) fn a_reply_comes_back_as_it_was_kept_until_it_is_dropped(open: Open) {
    let bed = open();
    bed.write(|tx| {
        tx.put(Row::Reply(id(1), &[1; 32], &reply("old"), at(1), 0))?;
        tx.put(Row::Reply(id(1), &[1; 32], &reply("new"), at(2), 0))?;
        tx.put(Row::Reply(id(1), &[2; 32], &reply("early"), at(1), 0))?;
        tx.put(Row::Reply(id(2), &[1; 32], &reply("other"), at(1), 0))
    });
    let kept =
        |vault: u128, asked: u8| bed.look(move |rows| rows.kept_reply(id(vault), &[asked; 32]));
    let members = |mut reply: Reply| {
        if let Some(Json::Object(members)) = &mut reply.json {
            members.sort_by(|a, b| a.0.cmp(&b.0));
        }
        reply
    };
    assert_eq!(kept(1, 1).map(members), Some(members(reply("new"))));
    bed.write(|tx| tx.remove(Removal::Replies(id(1), Some(at(2)))).map(drop));
    assert_eq!((kept(1, 1).is_some(), kept(1, 2), kept(2, 1).is_some()), (true, None, true));
    bed.write(|tx| tx.remove(Removal::Replies(id(1), None)).map(drop));
    assert_eq!((kept(1, 1), kept(2, 1).is_some()), (None, true));
}

fn activity(minute: i64, kind: ActivityKind) -> Activity {
    let name = (kind == ActivityKind::Tool).then(|| name("search"));
    Activity { kind, name, began_at: at(minute), lasted: SignedDuration::from_millis(1500) }
}

pub(crate) fn activities_follow_their_conversation(open: Open) {
    let bed = open();
    bed.write(|tx| {
        tx.put(Row::Conversation(home().vault, &conversation(1)))?;
        tx.put(Row::Conversation(home().vault, &conversation(2)))?;
        tx.put(Row::Activity(home(), id(1), &activity(9, ActivityKind::Tool)))?;
        tx.put(Row::Activity(home(), id(2), &activity(3, ActivityKind::Model)))
    });
    let of = |number: u128| bed.look(move |rows| rows.activities(home(), id(number)));
    assert_eq!(of(1), [activity(9, ActivityKind::Tool)]);
    bed.write(|tx| tx.merge_conversation(home(), id(1), id(2)));
    assert_eq!(of(2), [activity(3, ActivityKind::Model), activity(9, ActivityKind::Tool)]);
    assert_eq!(bed.look(|rows| rows.activities(place(1, 9), id(2))), []);
    bed.write(|tx| tx.erase(Erasure::Conversation(home(), id(2))));
    assert_eq!(of(2), []);
}

pub(crate) fn a_vault_takes_its_models_rows_along(open: Open) {
    let bed = open();
    bed.write(|tx| {
        for number in [1, 2] {
            let vault_id: VaultId = id(number);
            tx.put(Row::Vault(&vault(number, &format!("vault {number}"))))?;
            tx.put(Row::Usage(vault_id, &usage(DAY, "title", 1)))?;
            tx.put(Row::Reply(vault_id, &[1; 32], &reply("x"), at(1), 0))?;
            tx.put(Row::Activity(place(number, 7), id(5), &activity(1, ActivityKind::Model)))?;
        }
        tx.erase(Erasure::Vault(id(1)))
    });
    assert_eq!(left(&bed, 1), (0, false, 0));
    assert_eq!(left(&bed, 2), (1, true, 1));
}

fn left(bed: &Bed, number: u128) -> (usize, bool, usize) {
    bed.look(move |rows| {
        Ok((
            rows.usage(id(number), DAY)?.len(),
            rows.kept_reply(id(number), &[1; 32])?.is_some(),
            rows.activities(place(number, 7), id(5))?.len(),
        ))
    })
}

/// A model at ten billionths an answer.
struct Paid(ScriptedLlm);

impl Llm for Paid {
    fn name(&self) -> &str {
        "paid"
    }

    fn ask<'a>(&'a self, prompt: &'a Prompt) -> Wait<'a, Reply> {
        Box::pin(async move {
            let reply = self.0.ask(prompt).await?;
            Ok(Reply { spent: Spent { cost_nanos: 10, ..reply.spent }, ..reply })
        })
    }
}

fn asking(bed: &Bed) -> (Engine, Arc<Paid>) {
    let llm = Arc::new(Paid(ScriptedLlm::new(|prompt| Ok(prompt.messages[1].content.clone()))));
    let (engine, _) = engine_over(bed.store.clone());
    (engine.with_llm(llm.clone()).with_spending_cap(Some(20)), llm)
}

fn ask(engine: &Engine, words: &str) -> Result<Reply> {
    let vault = block_on(engine.vault_to_write(Address::Name(name("ana"))))?;
    block_on(vault.ask("title", &Prompt::new("repeat", words)))
}

pub(crate) fn known_answers_cost_nothing_and_spending_ends(open: Open) {
    let bed = open();
    let (engine, llm) = asking(&bed);
    assert!(!ask(&engine, "one").unwrap().cached);
    let again = ask(&engine, "one").unwrap();
    assert_eq!((again.cached, again.text.as_str(), again.spent.cost_nanos), (true, "one", 10));
    ask(&engine, "two").unwrap();
    let error = ask(&engine, "three").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Busy);
    assert!(error.message().contains("llm.spending_cap"), "{error}");
    assert!(ask(&engine, "two").unwrap().cached);
    assert_eq!(llm.0.asked().len(), 2);
    let vault = block_on(engine.vault(Address::Name(name("ana")))).unwrap();
    let used = block_on(vault.usage(Date::MIN)).unwrap();
    assert_eq!(used.len(), 1);
    assert_eq!((used[0].calls, used[0].cached, used[0].spent.cost_nanos), (2, 2, 20));
    assert_eq!((used[0].model.as_str(), used[0].purpose.as_str()), ("paid", "title"));
}

/// A model at ten billionths an answer, none of which is of use.
struct Useless(Paid);

impl Llm for Useless {
    fn name(&self) -> &str {
        "useless"
    }

    fn ask<'a>(&'a self, prompt: &'a Prompt) -> Wait<'a, Reply> {
        Box::pin(async move {
            let reply = self.0.ask(prompt).await?;
            Ok(Reply { unusable: Some(Error::invalid("it does not fit")), ..reply })
        })
    }
}

pub(crate) fn an_answer_of_no_use_is_paid_for_and_not_kept(open: Open) {
    let bed = open();
    let (engine, _) = engine_over(bed.store.clone());
    let paid = Paid(ScriptedLlm::new(|_| Ok("no JSON".to_owned())));
    let engine = engine.with_llm(Arc::new(Useless(paid))).with_spending_cap(Some(20));
    for _ in 0..2 {
        assert_eq!(ask(&engine, "one").unwrap_err().message(), "it does not fit");
    }
    assert_eq!(ask(&engine, "one").unwrap_err().kind(), ErrorKind::Busy, "the money is spent");
    let vault = block_on(engine.vault(Address::Name(name("ana")))).unwrap();
    let used = block_on(vault.usage(Date::MIN)).unwrap();
    assert_eq!((used[0].calls, used[0].cached, used[0].spent.cost_nanos), (2, 0, 20));
}

pub(crate) fn forgetting_anything_forgets_the_answers(open: Open) {
    let bed = open();
    let (engine, llm) = asking(&bed);
    let engine = engine.with_spending_cap(None);
    ask(&engine, "one").unwrap();
    let vault = block_on(engine.vault(Address::Name(name("ana")))).unwrap();
    let memory = || Address::Name(name("diary"));
    let said = NewEntry::new(Role::User, Said::new("something").unwrap());
    block_on(vault.remember(memory(), vec![said], None)).unwrap();
    assert!(ask(&engine, "one").unwrap().cached);
    block_on(vault.forget(memory(), Forget::Memory, None)).unwrap();
    assert!(!ask(&engine, "one").unwrap().cached);
    assert_eq!(llm.0.asked().len(), 2);
}

pub(crate) fn without_a_model_asking_says_what_to_do(open: Open) {
    let bed = open();
    let (engine, _) = engine_over(bed.store.clone());
    let error = ask(&engine, "one").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.message().contains("[llm]"), "{error}");
}

pub(crate) fn a_live_conversation_tells_how_much_of_it_was_working(open: Open) {
    let bed = open();
    let (engine, _) = engine_over(bed.store.clone());
    let vault = block_on(engine.vault_to_write(Address::Name(name("ana")))).unwrap();
    let memory = || Address::Name(name("chat"));
    let second = |second| at(-5) + SignedDuration::from_secs(second);
    let said = |role, time| NewEntry::new(role, Said::new("words").unwrap()).said_at(second(time));
    let entries = vec![said(Role::User, 0), said(Role::Tool, 5), said(Role::Assistant, 60)];
    block_on(vault.remember(memory(), entries, None)).unwrap();
    let vault = block_on(engine.vault(Address::Name(name("ana")))).unwrap();
    let page = block_on(vault.conversations(memory(), Default::default())).unwrap();
    let home = Address::Id(page.data[0].id);
    let measure = || block_on(vault.conversation_time(memory(), home.clone())).unwrap();
    assert!(measure().time.unwrap().active_unknown);
    let lasted = SignedDuration::from_secs(20);
    let model = Activity { lasted, began_at: second(10), ..activity(0, ActivityKind::Model) };
    let tool = Activity { lasted, began_at: second(20), ..activity(0, ActivityKind::Tool) };
    block_on(vault.record_activities(memory(), home.clone(), vec![model, tool], None)).unwrap();
    let (time, activities) = (measure().time.unwrap(), measure().activities);
    let seconds = [time.elapsed, time.active, time.idle].map(|length| length.as_secs());
    assert_eq!((seconds, time.turns, time.active_unknown), ([60, 30, 30], 2, false));
    assert_eq!(activities.len(), 2);
}
