//! The second clock: no later write but a forget changes what any list, the timeline, facts, the
//! profile, chapters or recall answer as of an earlier moment.
//!
//! Random histories are watched: at some of their moments everything is asked as of now, and at the end
//! it is asked again as of those moments. Titles, facts and chapters are made by rules in some of them and by a model
//! in others.

use std::sync::Arc;

use everwhen_engine::chapters::{ChapterQuery, ChapterRules};
use everwhen_engine::facts::{FactCorrection, FactQuery};
use everwhen_engine::ledger::{Commit, ExchangeReply, History, Message};
use everwhen_engine::memory::{
    Address, Conversation, ConversationId, EntryId, FactId, NewContext, NewEntry, Role, Said,
    SettingsChange,
};
use everwhen_engine::ports::{ArchiveFilter, ContextVersion, ConversationQuery, EntryQuery, Which};
use everwhen_engine::recall::Query;
use everwhen_engine::{
    DensityQuery, Forget, ImportedBranch, ImportedConversation, NewCorrection, Vault,
};
use everwhen_testkit::{block_on, engine_over};
use jiff::{SignedDuration, Timestamp};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::select;

mod others;

use crate::bed::{Open, for_all};
use crate::density;
use crate::rows::name;
use crate::talk::{Talk, memory};

/// How many histories are tried in the usual run of the tests.
const HISTORIES: u32 = 60;
/// The variable that says how many are tried in a longer one.
const HISTORIES_VARIABLE: &str = "EVERWHEN_TEST_HISTORIES";

/// What people say in these histories: values that change, denials, repetitions and the rest.
const SAID: [&str; 12] = [
    "I live in Rome",
    "I live in Oslo",
    "I moved to Bern",
    "My A1C was 7.4%",
    "My A1C is 6.8%",
    "I take metformin",
    "I no longer take metformin",
    "I have been a vegetarian since 2022",
    "I am no longer a vegetarian",
    "We talked about the garden",
    "The garden needs water. Anna asked for it.",
    "ok",
];

/// One thing done in the memory. Numbers pick from what is there.
#[derive(Debug, Clone)]
enum Step {
    Say(Vec<Spoken>),
    Correct(usize, usize),
    Tag(usize, bool),
    End(Option<usize>),
    Fork(usize),
    Restore(usize),
    /// A chat client sends one of a few histories, some of which leave what others said.
    Exchange(usize),
    Import {
        line: Vec<Spoken>,
        branch: Vec<Spoken>,
        archived: i64,
        ended: Option<i64>,
    },
    Pin(usize, bool),
    RemoveFact(usize),
    CorrectFact(usize, usize),
    Context(usize),
    Summarize(usize),
    Regenerate,
    /// Chapters of another system come: as many as this of the same few.
    Chapters(usize),
    /// An agent changes its graph or its files.
    Agent(usize),
    /// Runs all jobs that are due.
    Work,
    Wait(i64),
    /// Everything is asked as of now.
    Watch,
}

/// An entry to remember.
#[derive(Debug, Clone)]
struct Spoken {
    /// Tens of minutes before now.
    before: Option<i64>,
    role: Role,
    text: usize,
    conversation: Option<&'static str>,
    tagged: bool,
    speaker: bool,
}

fn any_spoken() -> impl Strategy<Value = Spoken> {
    let before = option::of(0..30i64);
    let role = select(vec![Role::User, Role::User, Role::User, Role::Assistant]);
    let conversation = prop_oneof![6 => Just(None), 1 => Just(Some("a")), 1 => Just(Some("b"))];
    (before, role, 0..SAID.len(), conversation, any::<bool>(), select(vec![false, false, true]))
        .prop_map(|(before, role, text, conversation, tagged, speaker)| Spoken {
            before,
            role,
            text,
            conversation,
            tagged,
            speaker,
        })
}

fn any_step() -> impl Strategy<Value = Step> {
    let text = 0..SAID.len();
    let import =
        (vec(any_spoken(), 0..3), vec(any_spoken(), 0..2), -3..20i64, option::of(0..20i64));
    prop_oneof![
        12 => vec(any_spoken(), 1..4).prop_map(Step::Say),
        3 => (any::<usize>(), text.clone()).prop_map(|(pick, text)| Step::Correct(pick, text)),
        3 => (any::<usize>(), any::<bool>()).prop_map(|(pick, tagged)| Step::Tag(pick, tagged)),
        3 => option::of(any::<usize>()).prop_map(Step::End),
        3 => any::<usize>().prop_map(Step::Fork),
        2 => any::<usize>().prop_map(Step::Restore),
        5 => (0..HISTORIES_SENT.len()).prop_map(Step::Exchange),
        2 => import.prop_map(|(line, branch, archived, ended)| {
            Step::Import { line, branch, archived, ended }
        }),
        3 => (any::<usize>(), any::<bool>()).prop_map(|(pick, pinned)| Step::Pin(pick, pinned)),
        2 => any::<usize>().prop_map(Step::RemoveFact),
        2 => (any::<usize>(), text).prop_map(|(pick, text)| Step::CorrectFact(pick, text)),
        1 => (0..SAID.len()).prop_map(Step::Context),
        1 => any::<usize>().prop_map(Step::Summarize),
        1 => Just(Step::Regenerate),
        1 => (0..4usize).prop_map(Step::Chapters),
        3 => (0..others::DONE_BY_AGENTS).prop_map(Step::Agent),
        8 => Just(Step::Work),
        8 => select(vec![1, 10, 20, 30, 31, 100, 3_000]).prop_map(Step::Wait),
        6 => Just(Step::Watch),
    ]
}

/// What a chat client sends: the words of the user and the replies in turn. The second and the third go
/// on differently after the same beginning.
const HISTORIES_SENT: [&[&str]; 4] = [
    &["Hello there"],
    &["Hello there", "Good day", "I live in Bonn"],
    &["Hello there", "Good day", "I live in Turin"],
    &["Hello there", "Good day", "I live in Bonn", "Good day", "What about the garden?"],
];

/// Who makes titles, facts and chapters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Maker {
    Rules,
    /// A model that is away now and then, while rules stand in for it.
    Model,
}

/// A memory and what was answered at some of its moments.
struct Watched {
    talk: Talk,
    seen: Vec<(Timestamp, Answers)>,
}

/// What was asked, and the answer.
type Answers = Vec<(&'static str, String)>;

impl Watched {
    fn new(open: Open, maker: Maker) -> Self {
        let settings =
            SettingsChange { conversations_retained: Some(3), ..SettingsChange::default() };
        let mut talk = Talk::with(open, settings);
        let rules = ChapterRules { max_messages: 3, lookback: 1, ..ChapterRules::default() };
        talk.engine = talk.engine.with_chapter_rules(rules);
        if maker == Maker::Model {
            let question = Some("What did they say about themselves?".to_owned());
            let engine =
                talk.engine.with_llm(Arc::new(others::model())).with_retrospection(question);
            talk.engine = engine.with_fallback_to_rules(true);
        }
        talk.vault = block_on(talk.engine.vault(Address::Name(name("v")))).unwrap();
        talk.say(Role::User, "Hello");
        Self { talk, seen: Vec::new() }
    }

    /// Does one thing. What is refused changes nothing, which is as good.
    fn take(&mut self, step: &Step) {
        self.talk.clock.advance(SignedDuration::from_micros(1));
        let (vault, key) = (&self.talk.vault, None);
        match step {
            Step::Say(all) => {
                let entries = all.iter().map(|one| self.entry(one)).collect();
                drop(block_on(vault.remember(memory(), entries, key)));
            }
            Step::Correct(pick, text) => {
                let content = Said::new(SAID[*text]).unwrap();
                let correction =
                    NewCorrection { content, reason: "wrong".into(), tags: None, metadata: None };
                drop(block_on(vault.correct(memory(), self.picked(*pick), correction, key)));
            }
            Step::Tag(pick, tagged) => {
                let tags = if *tagged { vec![name("tag"), name("late")] } else { Vec::new() };
                drop(block_on(vault.set_tags(memory(), self.picked(*pick), tags, key)));
            }
            Step::Exchange(which) => self.exchange(HISTORIES_SENT[*which]),
            Step::Agent(what) => others::act(vault, *what),
            Step::Chapters(count) => {
                drop(block_on(vault.import_chapters(memory(), others::chapters(*count), false)));
            }
            Step::Work => {
                self.talk.clock.advance(SignedDuration::from_secs(3));
                drop(block_on(self.talk.engine.settle()));
            }
            Step::Wait(minutes) => self.talk.clock.advance(SignedDuration::from_mins(*minutes)),
            Step::Watch => self.watch(),
            other => self.rearrange(other),
        }
    }

    /// Does what changes conversations, or what was made of them.
    fn rearrange(&self, step: &Step) {
        let (vault, key) = (&self.talk.vault, None);
        drop(match step {
            Step::End(pick) => {
                let one = pick.map(|pick| self.conversation(pick).into());
                block_on(vault.end_conversation(memory(), one, Some("done".into()), key))
            }
            Step::Fork(pick) => {
                let entry = block_on(vault.entry(memory(), self.picked(*pick)));
                entry.and_then(|entry| {
                    block_on(vault.fork(memory(), entry.conversation.into(), entry.id, key))
                })
            }
            Step::Restore(pick) => {
                block_on(vault.restore(memory(), self.conversation(*pick).into(), key))
            }
            Step::Import { line, branch, archived, ended } => {
                let imported = self.imported(line, branch, *archived, *ended);
                block_on(vault.import_conversation(memory(), imported, key))
            }
            Step::Pin(pick, pinned) => {
                block_on(vault.pin_fact(memory(), self.fact(*pick), *pinned, key))
            }
            Step::RemoveFact(pick) => block_on(vault.remove_fact(memory(), self.fact(*pick), key)),
            Step::CorrectFact(pick, text) => {
                let correction =
                    FactCorrection { statement: SAID[*text].into(), ..FactCorrection::default() };
                block_on(vault.correct_fact(memory(), self.fact(*pick), correction, key))
            }
            Step::Context(text) => {
                let context = NewContext::new(SAID[*text], None).unwrap();
                block_on(vault.put_context(memory(), context, key))
            }
            Step::Summarize(pick) => block_on(vault.summarize_conversation(
                memory(),
                self.conversation(*pick).into(),
                key,
            )),
            Step::Regenerate => block_on(vault.regenerate(memory(), key)),
            other => unreachable!("{other:?} is taken elsewhere"),
        });
    }

    fn ago(&self, tens: i64) -> Timestamp {
        self.talk.engine.now() - SignedDuration::from_mins(tens * 10)
    }

    fn entry(&self, one: &Spoken) -> NewEntry {
        NewEntry {
            conversation_time: one.before.map(|tens| self.ago(tens)),
            conversation: one.conversation.map(|own| Address::Name(name(own))),
            tags: if one.tagged { vec![name("tag")] } else { Vec::new() },
            speaker: one.speaker.then(|| name("Anna")),
            ..NewEntry::new(one.role, Said::new(SAID[one.text]).unwrap())
        }
    }

    fn imported(
        &self,
        line: &[Spoken],
        branch: &[Spoken],
        archived: i64,
        ended: Option<i64>,
    ) -> ImportedConversation {
        let entries = |all: &[Spoken]| all.iter().map(|one| self.entry(one)).collect();
        ImportedConversation {
            name: name("a"),
            entries: entries(line),
            branches: vec![ImportedBranch {
                archived_at: self.ago(archived),
                entries: entries(branch),
            }],
            ended_at: ended.map(|tens| self.ago(tens)),
            title: ended.map(|_| "From elsewhere".into()),
            summary: None,
            extract: None,
        }
    }

    fn exchange(&self, texts: &[&str]) {
        let role = |at: usize| if at.is_multiple_of(2) { Role::User } else { Role::Assistant };
        let messages: Vec<Message> =
            texts.iter().enumerate().map(|(at, text)| Message::new(role(at), *text)).collect();
        let history = History::from(messages);
        let begun = block_on(self.talk.vault.begin_exchange(memory(), history, Commit::NextTurn));
        let reply = ExchangeReply { content: "Good day".into(), ..ExchangeReply::default() };
        if let Ok(begun) = begun {
            drop(block_on(self.talk.vault.finish_exchange(begun.exchange, reply)));
        }
    }

    /// Some entry that is there, whatever became of it.
    fn picked(&self, pick: usize) -> EntryId {
        let query = EntryQuery { which: Which::All, ..EntryQuery::default() };
        let all = block_on(self.talk.vault.entries(memory(), None, query));
        let ids: Vec<EntryId> =
            all.map(|page| page.data.iter().map(|one| one.id).collect()).unwrap_or_default();
        ids.get(pick % ids.len().max(1)).copied().unwrap_or_else(|| crate::rows::id(404))
    }

    fn conversation(&self, pick: usize) -> ConversationId {
        let query =
            ConversationQuery { archive: ArchiveFilter::Both, ..ConversationQuery::default() };
        let all = block_on(self.talk.vault.conversations(memory(), query));
        let ids: Vec<ConversationId> =
            all.map(|page| page.data.iter().map(|one| one.id).collect()).unwrap_or_default();
        ids.get(pick % ids.len().max(1)).copied().unwrap_or_else(|| crate::rows::id(404))
    }

    fn fact(&self, pick: usize) -> FactId {
        let query = FactQuery { all: true, ..FactQuery::default() };
        let all = block_on(self.talk.vault.facts(memory(), query));
        let ids: Vec<FactId> =
            all.map(|page| page.data.iter().map(|one| one.fact.id).collect()).unwrap_or_default();
        ids.get(pick % ids.len().max(1)).copied().unwrap_or_else(|| crate::rows::id(404))
    }

    /// Asks everything as of now.
    fn watch(&mut self) {
        let now = self.talk.engine.now();
        self.seen.push((now, answers(&self.talk.vault, now)));
        self.talk.clock.advance(SignedDuration::from_micros(1));
    }

    /// Asks everything again as of every moment at which it was asked; says what is answered otherwise.
    fn changed(&self) -> Vec<String> {
        // Nothing is cached there.
        let (engine, clock) = engine_over(Arc::clone(&self.talk.bed.store));
        clock.set(self.talk.engine.now());
        let vault = block_on(engine.vault(Address::Name(name("v")))).unwrap();
        let again = |(then, before): &(Timestamp, Answers)| {
            let after = answers(&vault, *then);
            let pairs = before.clone().into_iter().zip(after).filter(|(a, b)| a != b);
            let lines = pairs
                .map(|((what, was), (_, is))| format!("{what} as of {then}:\n{is}\nwas\n{was}"));
            lines.collect::<Vec<String>>()
        };
        self.seen.iter().flat_map(again).collect()
    }
}

/// Everything that can be asked as of a moment.
fn answers(vault: &Vault, then: Timestamp) -> Answers {
    let which = Which::AsOf(then);
    let entries = |query: EntryQuery| {
        format!("{:#?}", block_on(vault.entries(memory(), None, query)).map(|page| page.data))
    };
    let listed = EntryQuery { which, ..EntryQuery::default() };
    let tagged = EntryQuery { tag: Some(name("tag")), ..listed.clone() };
    let timeline = block_on(vault.timeline(memory(), listed.clone()));
    let facts = |all: bool| {
        let query = FactQuery { as_of: Some(then), all, ..FactQuery::default() };
        format!("{:#?}", block_on(vault.facts(memory(), query)).map(|page| page.data))
    };
    let chapters = ChapterQuery { as_of: Some(then), ..ChapterQuery::default() };
    let density = DensityQuery { which, buckets: Some(4), ..DensityQuery::default() };
    let recall = |text: &str, tags: &[&str]| {
        let query = Query {
            as_of: Some(then),
            asked_at: Some(then),
            tags: tags.iter().map(|tag| name(tag)).collect(),
            ..Query::new(text)
        };
        format!("{:#?}", block_on(vault.recall(memory(), query)))
    };
    let every = ConversationQuery { archive: ArchiveFilter::Both, ..ConversationQuery::default() };
    let conversations = block_on(vault.conversations_as_of(memory(), every, then));
    let conversations = conversations.map(|page| page.data);
    let single = |one: &Conversation| {
        format!("{:#?}", block_on(vault.conversation_as_of(memory(), one.id.into(), then)))
    };
    let singles: Vec<String> = conversations.iter().flatten().map(single).collect();
    vec![
        ("the conversations", format!("{conversations:#?}")),
        ("each conversation", singles.join("\n")),
        ("the list", entries(listed)),
        ("the list by tag", entries(tagged)),
        ("the timeline", format!("{:#?}", timeline.map(|page| page.data))),
        ("the density", format!("{:#?}", block_on(vault.density(memory(), density)))),
        ("what is believed", facts(false)),
        ("all facts", facts(true)),
        ("the profile", format!("{:#?}", block_on(vault.profile(memory(), Some(then))))),
        (
            "the chapters",
            format!("{:#?}", block_on(vault.chapters(memory(), chapters)).map(|page| page.data)),
        ),
        (
            "the context",
            format!("{:#?}", block_on(vault.context(memory(), ContextVersion::AsOf(then)))),
        ),
        ("the graph", format!("{:#?}", block_on(vault.graph(memory(), Some(then))))),
        ("the files", others::files(vault, then)),
        ("recall", recall("What about the garden?", &[])),
        ("recall of facts", recall("Where do I live, and what do I take?", &[])),
        ("recall of a name", recall("What did Anna say?", &[])),
        ("recall by tag", recall("the garden", &["tag"])),
    ]
}

/// How many histories to try.
#[expect(clippy::disallowed_methods, reason = "a longer run is asked for by the environment")]
fn histories() -> u32 {
    let asked = std::env::var(HISTORIES_VARIABLE).ok().and_then(|count| count.parse().ok());
    asked.unwrap_or(HISTORIES)
}

pub(crate) fn no_later_write_changes_an_answer(open: Open) {
    let maker = select(vec![Maker::Rules, Maker::Model]);
    for_all(histories(), (maker, vec(any_step(), 4..24)), |(maker, steps)| {
        let mut watched = Watched::new(open, maker);
        steps.iter().for_each(|step| watched.take(step));
        let changed = watched.changed();
        assert!(changed.is_empty(), "{}", changed.join("\n"));
    });
}

pub(crate) fn density_is_the_same_in_the_index_and_in_the_store(open: Open) {
    for_all(8, vec(any_step(), 4..24), |steps| {
        let mut watched = Watched::new(open, Maker::Rules);
        for step in &steps {
            watched.take(step);
            let Talk { bed, vault, engine, .. } = &watched.talk;
            density::compare(bed, vault, &memory(), engine.now());
        }
    });
}

/// Only a forget may change the past, and the comparison sees it: so it would see any other change.
pub(crate) fn a_changed_answer_is_noticed(open: Open) {
    let mut watched = Watched::new(open, Maker::Rules);
    watched.take(&Step::Say(vec![Spoken {
        before: None,
        role: Role::User,
        text: 9,
        conversation: None,
        tagged: true,
        speaker: false,
    }]));
    watched.take(&Step::Watch);
    assert_eq!(watched.changed(), [""; 0]);
    let said = watched.picked(1);
    block_on(watched.talk.vault.forget(memory(), Forget::Entry(said), None)).unwrap();
    let changed = watched.changed();
    for what in [
        "the conversations",
        "each conversation",
        "the list as",
        "the list by tag",
        "the timeline",
        "the density",
        "recall as",
    ] {
        assert!(changed.iter().any(|one| one.starts_with(what)), "{what} in {changed:#?}");
    }
}

/// The source says since when a branch was left, by another clock than that of this store.
pub(crate) fn an_import_of_branches_leaves_the_past_alone(open: Open) {
    let mut watched = Watched::new(open, Maker::Rules);
    let spoken = |text: usize| Spoken {
        before: Some(20),
        role: Role::User,
        text,
        conversation: None,
        tagged: false,
        speaker: false,
    };
    let (line, branch) = (vec![spoken(0), spoken(9)], Vec::new());
    watched.take(&Step::Import { line, branch, archived: 0, ended: None });
    watched.take(&Step::Wait(1));
    watched.take(&Step::Watch);
    watched.take(&Step::Wait(10));
    let mut again = spoken(9);
    again.before = Some(21);
    let (line, branch) = (vec![spoken(0)], vec![again]);
    watched.take(&Step::Import { line, branch, archived: 2, ended: None });
    assert_eq!(watched.changed(), [""; 0]);
}
