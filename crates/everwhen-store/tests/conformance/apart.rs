//! A store of which a part is away: work goes on in the vaults that can be reached, and everything goes on when the part
//! is back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use everwhen_engine::facts::{FactQuery, Fading};
use everwhen_engine::job::{JobCount, JobKind, JobState, JobWait, Queue, Subject};
use everwhen_engine::memory::{Address, HALF_LIFE, JobId, MemoryId, Role};
use everwhen_engine::ports::{
    ConversationQuery, Embedder, JobSelection, MemoryRef, Row, Spent, Store, Wait,
};
use everwhen_engine::recall::Query;
use everwhen_engine::time::ManualClock;
use everwhen_engine::{Engine, NewVault, RetriedJobs, Vault, limits};
use everwhen_testkit::{ScriptedLlm, SplitStore, block_on, engine_over};
use jiff::SignedDuration;

use crate::bed::{Bed, Open};
use crate::rows::{at, id, job, name};
use crate::talk::{memory, said};

/// Some vaults over a store that can lose them one by one.
struct Nodes {
    store: Arc<SplitStore>,
    engine: Engine,
    clock: Arc<ManualClock>,
    vaults: Vec<Vault>,
    _bed: Bed,
}

impl Nodes {
    fn new(open: Open, vaults: usize) -> Self {
        let bed = open();
        let store = Arc::new(SplitStore::new(Arc::clone(&bed.store)));
        let (engine, clock) = engine_over(Arc::clone(&store) as Arc<dyn Store>);
        clock.set(at(0));
        let vault = |number: usize| {
            let name = name(&format!("vault {number:03}"));
            let new =
                NewVault { name: name.clone(), description: None, zone: None, settings: None };
            block_on(engine.create_vault(new, None)).unwrap();
            block_on(engine.vault(Address::Name(name))).unwrap()
        };
        let vaults = (0..vaults).map(vault).collect();
        Self { store, engine, clock, vaults, _bed: bed }
    }

    /// Says something in every vault, whose conversation is silent long enough to be ended.
    fn talk(&self) {
        for vault in &self.vaults {
            let said = said(Role::User, "I saw a heron").said_at(at(-300));
            block_on(vault.remember(memory(), vec![said], None)).unwrap();
        }
    }

    fn wait(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
    }

    fn settle(&self) -> u64 {
        block_on(self.engine.settle()).unwrap()
    }

    /// In which vaults the conversation has a summary.
    fn summarized(&self) -> Vec<bool> {
        let is_summarized = |vault: &Vault| {
            let found = block_on(vault.conversations(memory(), ConversationQuery::default()));
            found.is_ok_and(|page| page.data[0].summary.is_some())
        };
        self.vaults.iter().map(is_summarized).collect()
    }
}

/// One vault is away: the others' jobs are done, its own wait, and are done when it is back.
pub(crate) fn jobs_of_vaults_in_reach_are_done_while_others_are_away(open: Open) {
    let nodes = Nodes::new(open, 3);
    nodes.talk();
    nodes.wait(60);
    nodes.store.lose(nodes.vaults[1].id());
    assert!(nodes.settle() > 0);
    assert_eq!(nodes.summarized(), [true, false, true]);
    let unreached = nodes.engine.unreached().unwrap();
    assert_eq!(unreached.vaults, 1);
    assert!(unreached.reason.contains("a node of the test is away"), "{unreached}");
    nodes.store.find();
    nodes.wait(limits::WHOLE_BACKOFF.as_secs());
    assert!(nodes.settle() > 0);
    assert_eq!(nodes.summarized(), [true, true, true]);
    assert_eq!(nodes.engine.unreached(), None);
}

/// More vaults than are read at once, half of them away; the worker's two calls find all work in reach, and
/// leave what is away alone for longer each time.
pub(crate) fn each_vault_is_asked_by_itself_while_some_are_away(open: Open) {
    let nodes = Nodes::new(open, limits::VAULTS_READ + 5);
    let near = [3, limits::VAULTS_READ + 3];
    for (number, vault) in nodes.vaults.iter().enumerate() {
        if near.contains(&number) {
            let said = said(Role::User, "I saw a heron").said_at(at(-300));
            block_on(vault.remember(memory(), vec![said], None)).unwrap();
        } else if number % 10 == 0 {
            nodes.store.lose(vault.id());
        }
    }
    nodes.wait(60);
    let mut claimed = Vec::new();
    let mut looks = 0;
    loop {
        looks += 1;
        match block_on(nodes.engine.claim(Queue::Quick)).unwrap() {
            Some(job) => {
                claimed.push(job.vault);
                block_on(nodes.engine.end_workflow(&job)).unwrap();
            }
            None => {
                let next = block_on(nodes.engine.next_due_in(Queue::Quick)).unwrap();
                if next.is_none_or(|next| next > nodes.engine.now()) {
                    break;
                }
            }
        }
        assert!(looks < 100, "no end of looking");
    }
    assert_eq!(claimed, near.map(|number| nodes.vaults[number].id()));
    assert_eq!(nodes.engine.unreached().unwrap().vaults, 11);
    let now = nodes.engine.now();
    let next = block_on(nodes.engine.next_due_in(Queue::Quick)).unwrap().unwrap();
    assert_eq!(next, now + SignedDuration::from_secs(1), "the first pause is short");
}

/// A part that goes away after a job was claimed costs this job its try, and no other.
pub(crate) fn a_job_whose_vault_goes_away_waits_for_its_lease(open: Open) {
    let nodes = Nodes::new(open, 2);
    nodes.talk();
    nodes.wait(60);
    let first = block_on(nodes.engine.claim(Queue::Quick)).unwrap().unwrap();
    nodes.store.lose(first.vault);
    block_on(nodes.engine.run(first.clone())).unwrap();
    nodes.settle();
    let expected: Vec<bool> = nodes.vaults.iter().map(|vault| vault.id() != first.vault).collect();
    assert_eq!(nodes.summarized(), expected);
    nodes.store.find();
    nodes.wait(limits::JOB_LEASE.as_secs() + 60);
    nodes.settle();
    assert_eq!(nodes.summarized(), [true, true]);
}

/// How many vaults there are where one alone can be reached: whichever comes first, it is hardly this one.
const FEW: usize = 8;

impl Nodes {
    /// Loses all vaults but the last one.
    fn lose_most(&self) {
        self.vaults[..FEW - 1].iter().for_each(|vault| self.store.lose(vault.id()));
    }

    /// In how many vaults a number that is read there is above zero.
    fn count(&self, read: impl Fn(&Vault) -> u64) -> usize {
        self.vaults.iter().filter(|vault| read(vault) > 0).count()
    }

    /// How many entries the saved index of a vault's memory covers.
    fn saved(&self, vault: &Vault) -> u64 {
        let place = MemoryRef { vault: vault.id(), memory: self.memory_of(vault) };
        let parts = self._bed.look(move |rows| rows.segment(place, 0));
        parts.map_or(0, |parts| parts.concat().len() as u64)
    }

    fn memory_of(&self, vault: &Vault) -> MemoryId {
        let vault = vault.id();
        let found = self._bed.look(move |rows| rows.memory_named(vault, &name("m")));
        found.unwrap().id
    }
}

fn ask(vault: &Vault) {
    block_on(vault.recall(memory(), Query::new("heron"))).unwrap();
}

/// What background work saves of one vault after the other is saved where the store can be reached.
pub(crate) fn indexes_in_reach_are_saved_while_others_are_away(open: Open) {
    let nodes = Nodes::new(open, FEW);
    nodes.talk();
    nodes.vaults.iter().for_each(ask);
    nodes.lose_most();
    block_on(nodes.engine.keep_indexes(1)).unwrap_err();
    assert_eq!(nodes.count(|vault| nodes.saved(vault)), 1);
    nodes.store.find();
    block_on(nodes.engine.keep_indexes(1)).unwrap();
    assert_eq!(nodes.count(|vault| nodes.saved(vault)), FEW);
}

/// An index that has grown is updated in vaults in reach.
pub(crate) fn grown_indexes_in_reach_are_updated_while_others_are_away(open: Open) {
    let nodes = Nodes::new(open, FEW);
    nodes.talk();
    nodes.vaults.iter().for_each(ask);
    block_on(nodes.engine.keep_indexes(1)).unwrap();
    let before: Vec<u64> = nodes.vaults.iter().map(|vault| nodes.saved(vault)).collect();
    for vault in &nodes.vaults {
        let many =
            (0..limits::BATCH_ENTRIES).map(|_| said(Role::User, "a heron").said_at(at(-200)));
        block_on(vault.remember(memory(), many.collect(), None)).unwrap();
    }
    nodes.lose_most();
    block_on(nodes.engine.index_grown()).unwrap_err();
    nodes.store.find();
    block_on(nodes.engine.keep_indexes(1)).unwrap();
    let grew = |number: usize| nodes.saved(&nodes.vaults[number]) > 2 * before[number];
    assert!(grew(FEW - 1));
    assert_eq!((0..FEW).filter(|number| grew(*number)).count(), 1);
}

/// What recall answered with is counted in vaults in reach, and later in the others.
pub(crate) fn answers_in_reach_are_counted_while_others_are_away(open: Open) {
    let mut nodes = Nodes::new(open, FEW);
    for vault in &nodes.vaults {
        let said = said(Role::User, "I like green tea").said_at(at(-300));
        block_on(vault.remember(memory(), vec![said], None)).unwrap();
    }
    nodes.wait(60);
    nodes.settle();
    nodes.engine = nodes.engine.clone().with_fading(Some(Fading { half_life: HALF_LIFE }));
    for vault in &nodes.vaults {
        let vault = block_on(nodes.engine.vault(Address::Id(vault.id()))).unwrap();
        let asked = block_on(vault.recall(memory(), Query::new("Which tea do I like?"))).unwrap();
        assert_eq!(asked.facts.len(), 1);
    }
    nodes.lose_most();
    block_on(nodes.engine.settle()).unwrap_err();
    nodes.store.find();
    let counted = |vault: &Vault| {
        let facts = block_on(vault.facts(memory(), FactQuery::default())).unwrap().data;
        facts.iter().map(|view| view.fact.retrievals).sum()
    };
    assert_eq!(nodes.count(counted), 1);
    block_on(nodes.engine.keep_retrievals()).unwrap();
    assert_eq!(nodes.count(counted), FEW);
}

/// An embedder that works in the background and counts texts.
#[derive(Default)]
struct SlowEmbedder(AtomicUsize);

impl Embedder for SlowEmbedder {
    fn name(&self) -> &str {
        "slow"
    }

    fn dimensions(&self) -> usize {
        2
    }

    fn embed<'a>(&'a self, texts: &'a [&'a str]) -> Wait<'a, Vec<Vec<f32>>> {
        self.0.fetch_add(texts.len(), Ordering::SeqCst);
        Box::pin(async { Ok(vec![vec![1.0, 0.0]; texts.len()]) })
    }

    fn at_hand(&self, texts: &[&str]) -> Vec<Option<Vec<f32>>> {
        vec![None; texts.len()]
    }
}

/// Entries that wait for their vectors get them in vaults in reach.
pub(crate) fn entries_in_reach_are_embedded_while_others_are_away(open: Open) {
    let nodes = Nodes::new(open, FEW);
    let embedder = Arc::new(SlowEmbedder::default());
    nodes.engine.choose_embedder(Arc::clone(&embedder) as Arc<dyn Embedder>);
    nodes.talk();
    nodes.vaults.iter().for_each(ask);
    let before = embedder.0.load(Ordering::SeqCst);
    let embedded = || embedder.0.load(Ordering::SeqCst) - before;
    nodes.lose_most();
    assert!(block_on(nodes.engine.embed_step()).unwrap());
    block_on(nodes.engine.embed_step()).unwrap_err();
    assert_eq!(embedded(), 1);
    nodes.store.find();
    while block_on(nodes.engine.embed_step()).unwrap() {}
    assert_eq!(embedded(), FEW);
}

/// What all vaults cost together cannot be added up while a part is away; what was known goes on to count.
pub(crate) fn models_are_asked_while_the_cost_of_all_cannot_be_added_up(open: Open) {
    let mut nodes = Nodes::new(open, 2);
    let model = ScriptedLlm::new(|prompt| {
        Ok(match prompt.schema.as_ref().map(|schema| schema.name) {
            Some("facts") => r#"{"facts": []}"#.to_owned(),
            Some(_) => r#"{"title": "One two three four five", "summary": "They talked."}"#.into(),
            None => "They talked.".to_owned(),
        })
    });
    let model = Arc::new(model.costing(10));
    nodes.engine =
        nodes.engine.clone().with_llm(Arc::clone(&model) as _).with_spending_cap(Some(30));
    let ids: Vec<_> = nodes.vaults.iter().map(Vault::id).collect();
    let spent = Spent { cost_nanos: 15, ..Spent::default() };
    block_on(nodes.vaults[0].note_spent("test", "m", spent)).unwrap();
    let vault = block_on(nodes.engine.vault(Address::Id(ids[1]))).unwrap();
    assert_eq!(block_on(vault.month_cost()).unwrap().total_nanos, 15);
    nodes.store.lose(ids[0]);
    let ask = |text: &str| {
        block_on(vault.ask("test", &everwhen_engine::ports::Prompt::new("Answer.", text)))
    };
    ask("one").unwrap();
    ask("two").unwrap();
    let refused = ask("three").unwrap_err();
    assert!(refused.message().contains("may be"), "{refused}");
    assert_eq!(model.asked().len(), 2);
    assert_eq!(block_on(vault.month_cost()).unwrap().total_nanos, 35);
}

/// The operator's figures and the retry of all reach every job, page by page, and every vault in reach.
pub(crate) fn all_jobs_are_counted_and_tried_again(open: Open) {
    let nodes = Nodes::new(open, 2);
    let more = limits::JOBS_READ as u128 + 7;
    let vaults: Vec<_> = nodes.vaults.iter().map(Vault::id).collect();
    let jobs: Vec<_> = (0..2 * more)
        .map(|number| {
            let vault = vaults[(number % 2) as usize];
            let kind = if number < 10 { JobKind::Close } else { JobKind::Distill };
            let subject = Subject::Payload(id(number + 1));
            let last_error = Some("no reply".to_owned());
            let state = JobState::SetAside;
            everwhen_engine::job::Job { vault, kind, subject, last_error, state, ..job(number + 1) }
        })
        .collect();
    nodes._bed.write(move |tx| jobs.iter().try_for_each(|job| tx.put(Row::Job(job))));
    let aside = |kind| block_on(nodes.engine.job_report()).unwrap().count(kind, JobWait::SetAside);
    assert_eq!((aside(JobKind::Close), aside(JobKind::Distill)), (10, 2 * more as u64 - 10));
    let report = block_on(nodes.engine.job_report()).unwrap();
    assert_eq!(report.set_aside.len(), limits::SET_ASIDE_LISTED);
    let retry = |kind| block_on(nodes.engine.retry_jobs(kind, None)).unwrap();
    assert_eq!(retry(Some(JobKind::Close)), RetriedJobs { retried: 10, unreached: 0 });
    nodes.store.lose(vaults[0]);
    assert_eq!(block_on(nodes.engine.count_jobs(at(0))).unwrap(), None);
    let half = more as u64 - 5;
    let report = block_on(nodes.engine.job_report()).unwrap();
    assert_eq!((report.count(JobKind::Distill, JobWait::SetAside), report.unreached), (half, 1));
    assert_eq!(retry(None), RetriedJobs { retried: half, unreached: 1 });
    nodes.store.find();
    assert_eq!(retry(None), RetriedJobs { retried: half, unreached: 0 });
    assert_eq!(retry(None), RetriedJobs::default());
    assert_eq!((aside(JobKind::Close), aside(JobKind::Distill)), (0, 0));
}

/// Jobs are counted by kind and by why they wait.
pub(crate) fn jobs_are_counted_by_why_they_wait(open: Open) {
    let bed = open();
    let numbered = |number: u128, kind, state| {
        let subject = Subject::Payload(id(number));
        everwhen_engine::job::Job { kind, subject, state, due_at: at(number as i64), ..job(number) }
    };
    let failed = |number| everwhen_engine::job::Job {
        last_error: Some("away".into()),
        ..numbered(number, JobKind::Fold, JobState::Waiting)
    };
    let running = JobState::Leased { until: at(6) };
    let jobs = vec![
        numbered(1, JobKind::Close, JobState::Waiting),
        numbered(9, JobKind::Close, JobState::Waiting),
        numbered(2, JobKind::Close, running),
        numbered(3, JobKind::Close, JobState::Leased { until: at(5) }),
        failed(7),
        failed(4),
        everwhen_engine::job::Job { waits: 1, ..numbered(8, JobKind::Retell, JobState::Waiting) },
        numbered(10, JobKind::Fold, JobState::SetAside),
        everwhen_engine::job::Job { crashes: 2, ..failed(13) },
        everwhen_engine::job::Job {
            crashes: 1,
            ..numbered(12, JobKind::Retell, JobState::Waiting)
        },
        numbered(11, JobKind::Lock, running),
    ];
    bed.write(move |tx| jobs.iter().try_for_each(|job| tx.put(Row::Job(job))));
    let count =
        |kind, wait, (count, due, next)| JobCount { kind, wait, count, due, next: at(next) };
    let expected = [
        count(JobKind::Close, JobWait::Due, (2, 2, 1)),
        count(JobKind::Close, JobWait::Scheduled, (1, 0, 9)),
        count(JobKind::Close, JobWait::Running, (1, 1, 2)),
        count(JobKind::Fold, JobWait::Failed, (2, 1, 4)),
        count(JobKind::Fold, JobWait::Suspect, (1, 0, 13)),
        count(JobKind::Fold, JobWait::SetAside, (1, 0, 10)),
        count(JobKind::Retell, JobWait::Scheduled, (1, 0, 12)),
        count(JobKind::Retell, JobWait::Failed, (1, 0, 8)),
    ];
    assert_eq!(bed.look(|rows| rows.job_counts(None, at(5))), expected);
    let vault = job(1).vault;
    assert_eq!(bed.look(move |rows| rows.job_counts(Some(vault), at(5))), expected);
    assert_eq!(bed.look(|rows| rows.job_counts(Some(id(99)), at(5))), []);
    let ids = |query| {
        let jobs = bed.look(move |rows| rows.jobs(query));
        jobs.iter().map(|job| u128::from_be_bytes(job.id.bytes())).collect::<Vec<_>>()
    };
    let none: Option<JobId> = None;
    assert_eq!(ids(JobSelection::Failed(None, JobKind::Fold)), [4]);
    assert_eq!(ids(JobSelection::Failed(Some(vault), JobKind::Retell)), [8]);
    assert_eq!(ids(JobSelection::Failed(Some(id(99)), JobKind::Retell)), []);
    assert_eq!(ids(JobSelection::SetAside(None, none, 9)), [10]);
    assert_eq!(ids(JobSelection::SetAside(Some(vault), Some(id(10)), 9)), []);
    assert_eq!(ids(JobSelection::Next(Some(vault), Queue::Quick, at(5))), [1]);
    assert_eq!(ids(JobSelection::Next(Some(id(99)), Queue::Quick, at(5))), []);
    assert_eq!(ids(JobSelection::Id(Some(vault), id(4))), [4]);
    assert_eq!(ids(JobSelection::Id(Some(id(99)), id(4))), []);
}
