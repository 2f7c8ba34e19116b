//! Ports that fail when told to: before they did the work, after it, when the answer is lost, or for
//! ever, because the process is gone.
//!
//! All ports of an engine can share their [`Faults`]. Then the n-th call of any of them fails, and a
//! test that goes through every n has seen a crash at every step.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use everwhen_engine::Error;
use everwhen_engine::memory::EmbedderThresholds;
use everwhen_engine::ports::{Embedder, Llm, Prompt, Reading, Reply, Store, Wait, Writing};

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultMode {
    /// Nothing happened.
    BeforeWork,
    /// All of it happened, durably, but the caller gets an error.
    AnswerLost,
    /// Nothing happened, nor does anything after it: the process was killed.
    Killed,
}

/// Which call fails, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// The index of the call, from 1.
    pub call: u64,
    /// What becomes of it.
    pub mode: FaultMode,
}

/// Calls, counted together, of which one fails.
#[derive(Debug, Default)]
pub struct Faults {
    fault: Mutex<Option<Fault>>,
    calls: AtomicU64,
}

impl Faults {
    /// Calls with this fault; with none, they are only counted.
    pub fn new(fault: Option<Fault>) -> Arc<Self> {
        Arc::new(Self { fault: Mutex::new(fault), calls: AtomicU64::new(0) })
    }

    /// How many calls there were.
    pub fn calls(&self) -> u64 {
        self.calls.load(Ordering::SeqCst)
    }

    /// Puts another fault in place of the one there is. Calls are counted on.
    pub fn set(&self, fault: Option<Fault>) {
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
    }

    /// Counts a call and says how it fails, if it does.
    fn next(&self) -> Option<FaultMode> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        let fault = *self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        let hits = |fault: &Fault| match fault.mode {
            FaultMode::Killed => fault.call <= call,
            FaultMode::BeforeWork | FaultMode::AnswerLost => fault.call == call,
        };
        fault.filter(hits).map(|fault| fault.mode)
    }

    /// Lets a call through, or not.
    fn meet<'a, T: Send + 'a>(&self, call: impl FnOnce() -> Wait<'a, T>) -> Wait<'a, T> {
        match self.next() {
            None => call(),
            Some(FaultMode::BeforeWork | FaultMode::Killed) => Box::pin(async { Err(failure()) }),
            Some(FaultMode::AnswerLost) => {
                let answer = call();
                Box::pin(async { answer.await.and_then(|_| Err(failure())) })
            }
        }
    }
}

fn failure() -> Error {
    Error::unavailable("the port fails because the test told it to")
}

/// A port with faults.
pub struct Faulty<P: ?Sized> {
    inner: Arc<P>,
    faults: Arc<Faults>,
}

/// A store with faults. Calls of write and read are counted together.
pub type FaultyStore = Faulty<dyn Store>;

impl<P: ?Sized> Faulty<P> {
    /// The port `inner` with these faults.
    pub fn new(inner: Arc<P>, faults: Arc<Faults>) -> Self {
        Self { inner, faults }
    }
}

impl Store for Faulty<dyn Store> {
    fn write(&self, work: Writing) -> Wait<'_, ()> {
        self.faults.meet(|| self.inner.write(work))
    }

    fn read(&self, work: Reading) -> Wait<'_, ()> {
        self.faults.meet(|| self.inner.read(work))
    }

    fn check(&self) -> Wait<'_, Vec<String>> {
        self.inner.check()
    }
}

impl Llm for Faulty<dyn Llm> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn ask<'a>(&'a self, prompt: &'a Prompt) -> Wait<'a, Reply> {
        self.faults.meet(|| self.inner.ask(prompt))
    }
}

impl Embedder for Faulty<dyn Embedder> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn dimensions(&self) -> usize {
        self.inner.dimensions()
    }

    fn thresholds(&self) -> EmbedderThresholds {
        self.inner.thresholds()
    }

    fn embed<'a>(&'a self, texts: &'a [&'a str]) -> Wait<'a, Vec<Vec<f32>>> {
        self.faults.meet(|| self.inner.embed(texts))
    }

    fn embed_question<'a>(&'a self, question: &'a str) -> Wait<'a, Vec<f32>> {
        self.faults.meet(|| self.inner.embed_question(question))
    }

    fn at_hand(&self, texts: &[&str]) -> Vec<Option<Vec<f32>>> {
        self.inner.at_hand(texts)
    }

    fn keeps(&self) -> bool {
        self.inner.keeps()
    }

    fn forget(&self, texts: &[&str]) {
        self.inner.forget(texts);
    }
}

#[cfg(test)]
mod tests {
    use everwhen_engine::NewVault;
    use everwhen_engine::memory::Name;

    use super::*;
    use crate::{PlainStore, ScriptedLlm, block_on, engine_over};

    fn vaults_after(mode: FaultMode) -> (bool, usize, u64) {
        let faults = Faults::new(Some(Fault { call: 1, mode }));
        let plain: Arc<dyn Store> = Arc::new(PlainStore::new());
        let store = Arc::new(FaultyStore::new(plain.clone(), faults.clone()));
        let (engine, _) = engine_over(store);
        let name = Name::new("vault", "one").unwrap();
        let new = NewVault { name, description: None, zone: None, settings: None };
        let failed = block_on(engine.create_vault(new, None)).is_err();
        let (behind, _) = engine_over(plain);
        let is_dead = block_on(engine.vaults(None, 9)).is_err();
        assert_eq!(is_dead, mode == FaultMode::Killed);
        (failed, block_on(behind.vaults(None, 9)).unwrap().len(), faults.calls())
    }

    #[test]
    fn fails_before_the_work_or_after_it_or_for_good() {
        assert_eq!(vaults_after(FaultMode::BeforeWork), (true, 0, 2));
        assert_eq!(vaults_after(FaultMode::AnswerLost), (true, 1, 2));
        assert_eq!(vaults_after(FaultMode::Killed), (true, 0, 2));
    }

    #[test]
    fn ports_count_together() {
        let faults = Faults::new(Some(Fault { call: 2, mode: FaultMode::AnswerLost }));
        let model = Arc::new(ScriptedLlm::saying(["one", "two", "three"]));
        let first = Faulty::<dyn Llm>::new(model.clone(), faults.clone());
        let second = Faulty::<dyn Llm>::new(model.clone(), faults);
        let ask = |llm: &dyn Llm| block_on(llm.ask(&Prompt::new("a", "b"))).map(|one| one.text);
        assert_eq!(ask(&first).unwrap(), "one");
        assert!(ask(&second).is_err());
        assert_eq!((ask(&first).unwrap().as_str(), model.asked().len()), ("three", 3));
    }
}
