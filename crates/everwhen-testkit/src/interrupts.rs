//! Ports between whose calls something else happens, such as a forget while a job waits for its model.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use everwhen_engine::memory::EmbedderThresholds;
use everwhen_engine::ports::{Embedder, Llm, Prompt, Reading, Reply, Store, Wait, Writing};

/// What happens in between, once.
type Happening = Box<dyn FnOnce() + Send>;

/// Calls of several ports, counted together. Something happens at one of them: before a store does its
/// work, or after a model has its answer and before it is handed over.
pub struct Interrupt {
    call: u64,
    calls: AtomicU64,
    happening: Mutex<Option<Happening>>,
}

impl Interrupt {
    /// Something that happens at the call with this index, from 1.
    pub fn new(call: u64, happening: impl FnOnce() + Send + 'static) -> Arc<Self> {
        let happening: Option<Happening> = Some(Box::new(happening));
        Arc::new(Self { call, calls: AtomicU64::new(0), happening: Mutex::new(happening) })
    }

    /// Whether it has happened.
    pub fn has_happened(&self) -> bool {
        self.happening.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    fn pass(&self) {
        if self.calls.fetch_add(1, Ordering::SeqCst) + 1 == self.call {
            let happening = self.happening.lock().unwrap_or_else(PoisonError::into_inner).take();
            happening.into_iter().for_each(|happen| happen());
        }
    }
}

/// A port between whose calls something happens.
pub struct Interrupted<P: ?Sized> {
    inner: Arc<P>,
    interrupt: Arc<Interrupt>,
}

impl<P: ?Sized> Interrupted<P> {
    /// The port `inner`, whose calls are counted by `interrupt`.
    pub fn new(inner: Arc<P>, interrupt: &Arc<Interrupt>) -> Self {
        Self { inner, interrupt: Arc::clone(interrupt) }
    }

    fn then<'a, T: Send + 'a>(&'a self, answer: Wait<'a, T>) -> Wait<'a, T> {
        let interrupt = Arc::clone(&self.interrupt);
        Box::pin(async move {
            let answer = answer.await;
            interrupt.pass();
            answer
        })
    }
}

impl Store for Interrupted<dyn Store> {
    fn write(&self, work: Writing) -> Wait<'_, ()> {
        self.interrupt.pass();
        self.inner.write(work)
    }

    fn read(&self, work: Reading) -> Wait<'_, ()> {
        self.interrupt.pass();
        self.inner.read(work)
    }

    fn check(&self) -> Wait<'_, Vec<String>> {
        self.inner.check()
    }
}

impl Llm for Interrupted<dyn Llm> {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn ask<'a>(&'a self, prompt: &'a Prompt) -> Wait<'a, Reply> {
        self.then(self.inner.ask(prompt))
    }
}

impl Embedder for Interrupted<dyn Embedder> {
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
        self.then(self.inner.embed(texts))
    }

    fn embed_question<'a>(&'a self, question: &'a str) -> Wait<'a, Vec<f32>> {
        self.then(self.inner.embed_question(question))
    }

    fn at_hand(&self, texts: &[&str]) -> Vec<Option<Vec<f32>>> {
        self.inner.at_hand(texts)
    }
}
