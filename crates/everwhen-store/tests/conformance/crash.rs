//! A crash at every step of distilling: the n-th call of any port (store, language model, embedder)
//! fails, loses its answer, or is the last thing the process does, for every n.
//!
//! Whatever happened, no conversation is lost and none is distilled twice; facts, titles, chapters
//! and summaries are those of an undisturbed run; no answer of the model is paid for twice but the
//! one that was under way.

use std::collections::HashMap;
use std::sync::Arc;

use everwhen_engine::chapters::ChapterRules;
use everwhen_engine::facts::{FactQuery, FactView};
use everwhen_engine::memory::{
    Address, Conversation, ConversationId, FactId, NewEntry, Role, Settings,
};
use everwhen_engine::ports::{Embedder, JobSelection, Llm, Prompt};
use everwhen_engine::receipt::Idempotency;
use everwhen_engine::time::{ManualClock, Zone};
use everwhen_engine::{Engine, Result, Vault, VaultDefaults, limits};
use everwhen_testkit::{
    Fault, FaultMode, Faults, Faulty, FaultyStore, ScriptedLlm, WordEmbedder, block_on,
    manual_world,
};
use jiff::{SignedDuration, Timestamp};

use crate::bed::{Bed, Open};
use crate::rows::{at, name};
use crate::talk::{memory, said};

/// The chance of a second process is another than that of any first one.
const SECOND: u64 = 1_000_000;

/// The number of runs that share a store, which grows slower with each.
const PER_BED: u64 = 20;

/// What is known of conversations and facts, and since when.
type Known = (HashMap<ConversationId, Timestamp>, HashMap<FactId, Timestamp>);

/// One run of the script.
struct Trial<'b> {
    bed: &'b Bed,
    vault: String,
    faults: Arc<Faults>,
    engine: Engine,
    clock: Arc<ManualClock>,
    model: Option<Arc<ScriptedLlm>>,
    is_killed: bool,
    /// What chance begins with.
    seed: u64,
    /// How many calls the script took.
    calls: u64,
    /// What was there when the process was killed.
    before: Option<Known>,
}

/// What a run leaves behind, without ids and times of storing.
#[derive(Debug, PartialEq)]
struct Outcome {
    conversations: Vec<String>,
    facts: Vec<String>,
    chapters: Vec<String>,
    summary: (u64, String),
    jobs: usize,
}

/// A model that says something of its own about each thing it is shown.
fn model() -> ScriptedLlm {
    ScriptedLlm::new(|prompt: &Prompt| {
        let shown = &prompt.messages[1].content;
        let first = shown.split_once("User: ").and_then(|(_, rest)| rest.lines().next());
        let said = first.and_then(|line| line.split(". ").next()).unwrap_or_default();
        let said = said.trim_end_matches('.');
        let size = shown.len();
        Ok(match prompt.schema.as_ref().map(|schema| schema.name) {
            Some("facts") => format!(
                r#"{{"facts": [{{"line": 1, "quote": "{said}", "statement": "They said: {said}",
                    "matter": "", "value": "", "tags": ["general"]}}]}}"#
            ),
            Some(_) => format!(
                r#"{{"title": "What was said of {said}", "summary": "They said {size} letters.",
                    "entities": [], "key_phrases": ["{size}"]}}"#
            ),
            None => format!("All in {size} letters."),
        })
    })
}

/// Short chapters, so that a few entries make several, and several summaries.
fn rules() -> ChapterRules {
    let (min_per_summary, most_per_summary) = (1, 2);
    ChapterRules {
        max_messages: 3,
        lookback: 1,
        min_per_summary,
        most_per_summary,
        ..ChapterRules::default()
    }
}

/// A conversation of five; with `more` it is too long to be shown to a model at once.
fn conversation(start: i64, first: &str, more: &str) -> Vec<NewEntry> {
    let line = |number: i64| {
        let role = if number % 2 == 0 { Role::User } else { Role::Assistant };
        let text = if number == 0 { first.to_owned() } else { format!("I saw {number} birds") };
        said(role, &format!("{text}. {more}")).said_at(at(start + number))
    };
    (0..5).map(line).collect()
}

fn engine(
    bed: &Bed,
    faults: &Arc<Faults>,
    model: Option<&Arc<ScriptedLlm>>,
    seed: u64,
) -> (Engine, Arc<ManualClock>) {
    let store = FaultyStore::new(Arc::clone(&bed.store), Arc::clone(faults));
    let (world, clock) = manual_world(at(0), seed);
    let defaults = VaultDefaults { zone: Zone::utc(), settings: Settings::default() };
    let embedder = Faulty::<dyn Embedder>::new(Arc::new(WordEmbedder), Arc::clone(faults));
    let engine = Engine::new(Arc::new(store), world, defaults)
        .with_embedder(Arc::new(embedder))
        .with_chapter_rules(rules());
    let Some(model) = model else { return (engine, clock) };
    let model = Faulty::<dyn Llm>::new(Arc::clone(model) as Arc<dyn Llm>, Arc::clone(faults));
    (engine.with_llm(Arc::new(model)), clock)
}

impl<'b> Trial<'b> {
    fn new(bed: &'b Bed, number: u64, with_model: bool, fault: Option<Fault>) -> Self {
        let model = with_model.then(|| Arc::new(model()));
        let faults = Faults::new(fault);
        let (engine, clock) = engine(bed, &faults, model.as_ref(), number);
        let is_killed = fault.is_some_and(|fault| fault.mode == FaultMode::Killed);
        let vault = format!("vault {number}");
        let seed = number;
        Self { bed, vault, faults, engine, clock, model, is_killed, seed, calls: 0, before: None }
    }

    /// Does something; after a failure, once more.
    fn insist<T>(&mut self, what: impl Fn(&Engine) -> Result<T>) -> T {
        match what(&self.engine) {
            Err(error) if error.is_retryable() => {
                self.start_again();
                what(&self.engine).unwrap()
            }
            answer => answer.unwrap(),
        }
    }

    /// A process that was killed is followed by another, once the lease has run out.
    fn start_again(&mut self) {
        if !self.is_killed || self.before.is_some() {
            return;
        }
        self.faults.set(None);
        self.before = Some(self.known());
        let now = self.engine.now() + limits::JOB_LEASE;
        self.seed += SECOND;
        (self.engine, self.clock) = engine(self.bed, &self.faults, self.model.as_ref(), self.seed);
        self.clock.set(now);
    }

    fn say(&mut self, entries: &[NewEntry]) {
        let vault = name(&self.vault);
        let key = name(&format!("{vault} {}", entries[0].content.as_str().len()));
        self.insist(|engine| {
            let vault = block_on(engine.vault_to_write(Address::Name(vault.clone())))?;
            let once = Idempotency::new(key.clone(), &[]);
            block_on(vault.remember(memory(), entries.to_vec(), Some(once)))
        });
    }

    /// Works until nothing is left to do; what failed is tried again a little later.
    fn work(&mut self) {
        for _ in 0..4 {
            while self.insist(|engine| block_on(engine.step())) {}
            self.clock.advance(SignedDuration::from_mins(2));
        }
    }

    /// The script: two conversations, the second too long for one question, and what follows.
    fn play(mut self) -> (Outcome, Known, Self) {
        self.say(&conversation(-10, "My A1C was 7.4%", ""));
        self.clock.set(at(60));
        self.work();
        self.clock.set(at(100));
        self.say(&conversation(90, "My A1C is 7.0% now", &"It was a long day ".repeat(110)));
        self.clock.set(at(200));
        self.work();
        self.calls = self.faults.calls();
        self.faults.set(None);
        (self.outcome(), self.known(), self)
    }

    fn conversations(vault: &Vault) -> Vec<Conversation> {
        let page = block_on(vault.conversations(memory(), Default::default()));
        page.map_or(Vec::new(), |page| page.data)
    }

    fn facts(vault: &Vault) -> Vec<FactView> {
        let query = FactQuery { all: true, ..FactQuery::default() };
        block_on(vault.facts(memory(), query)).map_or(Vec::new(), |page| page.data)
    }

    /// What is known now, and since when. There may be nothing yet.
    fn known(&self) -> Known {
        let address = Address::Name(name(&self.vault));
        let Ok(vault) = block_on(self.engine.vault(address)) else { return Known::default() };
        let conversations = Self::conversations(&vault).into_iter();
        let distilled = conversations.filter_map(|one| Some((one.id, one.distilled_at?)));
        let facts = Self::facts(&vault).into_iter();
        (distilled.collect(), facts.map(|view| (view.fact.id, view.fact.creation_time)).collect())
    }

    fn outcome(&self) -> Outcome {
        let address = Address::Name(name(&self.vault));
        let vault = block_on(self.engine.vault(address)).unwrap();
        let conversations = Self::conversations(&vault).into_iter().map(|one| {
            let distilled = one.distilled_at.is_some();
            format!("{} {:?} {:?} {distilled}", one.entries, one.ended, one.summary)
        });
        let facts = Self::facts(&vault).into_iter().map(|view| {
            let relation = view.fact.link.map(|link| link.relation);
            format!("{} {relation:?} {} {}", view.text, view.evidence.len(), view.is_current())
        });
        let chapters = block_on(vault.chapters(memory(), Default::default())).unwrap().data;
        let chapters = chapters.into_iter().map(|one| {
            format!("{} {} {} {} {:?}", one.first.time, one.last.time, one.title, one.text, one.by)
        });
        let summary = block_on(vault.rolling_summary(memory())).unwrap();
        let id = vault.id();
        Outcome {
            conversations: conversations.collect(),
            facts: facts.collect(),
            chapters: chapters.collect(),
            summary: (summary.version, summary.text),
            jobs: self.bed.look(move |rows| rows.jobs(JobSelection::Due(Some(id), 99))).len(),
        }
    }

    /// How often the model was asked. The context document does not count: it is written whenever
    /// what it tells has changed, and a fault decides how much has changed by then.
    fn asked(&self) -> usize {
        let counts =
            |prompt: &&Prompt| prompt.schema.as_ref().is_none_or(|schema| schema.name != "context");
        let Some(model) = &self.model else { return 0 };
        model.asked().iter().filter(counts).count()
    }
}

/// What was there when the process died is still there, and was not made again.
fn assert_not_again(before: Option<&Known>, after: &Known, shown: &str) {
    let Some((distilled, facts)) = before else { return };
    for (id, time) in distilled {
        assert_eq!(after.0.get(id), Some(time), "distilled again or lost, {shown}");
    }
    for (id, time) in facts {
        assert_eq!(after.1.get(id), Some(time), "a fact made again or lost, {shown}");
    }
}

fn crash_everywhere(open: Open, with_model: bool, modes: &[FaultMode]) {
    let mut bed = open();
    let (expected, _, undisturbed) = Trial::new(&bed, 0, with_model, None).play();
    let (calls, asked) = (undisturbed.calls, undisturbed.asked());
    assert_eq!((expected.conversations.len(), expected.chapters.len(), expected.jobs), (2, 3, 0));
    assert!(expected.facts.iter().any(|fact| fact.contains("Supersedes")), "{expected:?}");
    assert_eq!((expected.summary.0, asked), (2, if with_model { 10 } else { 0 }));
    let mut number = 0;
    for call in 1..=calls {
        for mode in modes {
            number += 1;
            if number % PER_BED == 0 {
                bed = open();
            }
            let fault = Fault { call, mode: *mode };
            let (found, known, trial) = Trial::new(&bed, number, with_model, Some(fault)).play();
            let shown = format!("{mode:?} at call {call} of {calls}");
            assert_eq!(found, expected, "{shown}");
            assert!(trial.asked() <= asked + 1, "{} questions, {shown}", trial.asked());
            assert_not_again(trial.before.as_ref(), &known, &shown);
        }
    }
}

const FAILURES: [FaultMode; 2] = [FaultMode::BeforeWork, FaultMode::AnswerLost];

pub(crate) fn a_process_killed_at_any_step_loses_nothing(open: Open) {
    crash_everywhere(open, false, &[FaultMode::Killed]);
}

pub(crate) fn a_process_killed_at_any_step_with_a_model_loses_and_pays_nothing(open: Open) {
    crash_everywhere(open, true, &[FaultMode::Killed]);
}

pub(crate) fn a_failure_at_any_step_changes_nothing(open: Open) {
    crash_everywhere(open, false, &FAILURES);
}

pub(crate) fn a_failure_at_any_step_with_a_model_changes_nothing(open: Open) {
    crash_everywhere(open, true, &FAILURES);
}
