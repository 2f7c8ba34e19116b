//! Vectors that were computed before, kept on disk: the same text and the same model give the
//! same vector, so a transformer need not see a text twice.
//!
//! Each model has a directory of its own, with [files](vector_files) of records. Texts are known by their
//! hash alone; what was said is not in here, and what is forgotten is overwritten. What another process
//! has forgotten is found by a sweep. Questions are kept in memory only: what becomes of them is not known. A
//! cache that cannot be written is slower, never wrong: the vectors are handed out all the same.

mod records;
mod vector_files;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use everwhen_engine::memory::EmbedderThresholds;
use everwhen_engine::ports::{Embedder, Wait};
use everwhen_engine::{Error, Result};

use records::Key;
use vector_files::VectorFiles;

/// Texts finish_embedding before their vectors are kept: what a killed run loses at most.
const PORTION: usize = 64;

/// Most questions whose vectors are in memory; then all are dropped.
const QUESTIONS: usize = 1_000;

/// An embedder that remembers on disk.
pub struct Cached {
    inner: Arc<dyn Embedder>,
    files: Mutex<VectorFiles>,
    questions: Mutex<Questions>,
}

/// The vectors of the last questions.
#[derive(Default)]
struct Questions {
    vectors: HashMap<Key, Vec<f32>>,
    /// How often something was forgotten: what was with the model then is not kept.
    forgets: u64,
}

impl Questions {
    fn keep(&mut self, key: Key, vector: &[f32], forgets: u64) {
        if self.forgets != forgets {
            return;
        }
        if self.vectors.len() >= QUESTIONS {
            self.vectors.clear();
        }
        self.vectors.insert(key, vector.to_vec());
    }

    fn forget(&mut self) {
        self.vectors.clear();
        self.forgets += 1;
    }
}

impl Cached {
    /// Wraps an embedder and keeps its vectors under a directory that may hold those of others.
    pub fn new(inner: Arc<dyn Embedder>, directory: &Path) -> Result<Self> {
        let files = VectorFiles::open(directory, inner.name(), inner.dimensions())?;
        Ok(Self { inner, files: Mutex::new(files), questions: Mutex::default() })
    }

    /// Vectors kept.
    pub fn len(&self) -> usize {
        self.files().len()
    }

    /// Whether nothing is kept yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    async fn texts(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let keys: Vec<Key> = texts.iter().map(|text| key(text)).collect();
        let mut known = self.known(&keys);
        let mut missing: Vec<(Key, &str)> = Vec::new();
        for (key, text) in keys.iter().zip(texts).filter(|(key, _)| !known.contains_key(*key)) {
            if !missing.iter().any(|(other, _)| other == key) {
                missing.push((*key, text));
            }
        }
        for portion in missing.chunks(PORTION) {
            let texts: Vec<&str> = portion.iter().map(|(_, text)| *text).collect();
            let pending = PendingEmbedding::new(self);
            let vectors = self.inner.embed(&texts).await?;
            let fresh: Vec<_> = portion.iter().map(|(key, _)| *key).zip(vectors).collect();
            pending.finish_embedding(&fresh);
            known.extend(fresh);
        }
        let vector = |key| known.get(key).cloned();
        let vectors: Option<Vec<_>> = keys.iter().map(vector).collect();
        vectors.ok_or_else(|| Error::damaged("the embedder gave too few vectors"))
    }

    async fn question(&self, question: &str) -> Result<Vec<f32>> {
        let key = key(question);
        let forgets = {
            let questions = self.questions();
            if let Some(vector) = questions.vectors.get(&key) {
                return Ok(vector.clone());
            }
            questions.forgets
        };
        let vector = self.inner.embed_question(question).await?;
        self.questions().keep(key, &vector, forgets);
        Ok(vector)
    }

    fn known(&self, keys: &[Key]) -> HashMap<Key, Vec<f32>> {
        let mut files = self.files();
        keys.iter().filter_map(|key| Some((*key, files.find(key)?))).collect()
    }

    fn questions(&self) -> MutexGuard<'_, Questions> {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A panic elsewhere leaves at worst a record that its checksum gives away.
    fn files(&self) -> MutexGuard<'_, VectorFiles> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Texts that a model embeds at this moment. What is forgotten before it answers is not kept; nothing is
/// if it never does.
struct PendingEmbedding<'c> {
    cached: &'c Cached,
    is_done: bool,
}

impl<'c> PendingEmbedding<'c> {
    fn new(cached: &'c Cached) -> Self {
        cached.files().begin_embedding();
        Self { cached, is_done: false }
    }

    fn finish_embedding(mut self, vectors: &[(Key, Vec<f32>)]) {
        self.is_done = true;
        self.cached.files().finish_embedding(vectors);
    }
}

impl Drop for PendingEmbedding<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            self.cached.files().finish_embedding(&[]);
        }
    }
}

impl Embedder for Cached {
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
        Box::pin(self.texts(texts))
    }

    fn embed_question<'a>(&'a self, question: &'a str) -> Wait<'a, Vec<f32>> {
        Box::pin(self.question(question))
    }

    fn at_hand(&self, texts: &[&str]) -> Vec<Option<Vec<f32>>> {
        let mut files = self.files();
        texts.iter().map(|text| files.find(&key(text))).collect()
    }

    fn keeps(&self) -> bool {
        true
    }

    fn forget(&self, texts: &[&str]) {
        self.questions().forget();
        self.files().forget(&texts.iter().map(|text| key(text)).collect::<Vec<Key>>());
    }

    fn begin_sweep(&self) {
        self.files().begin_sweep();
    }

    fn note_needed(&self, texts: &[&str]) {
        self.files().note_needed(texts.iter().map(|text| key(text)));
    }

    fn end_sweep(&self) -> usize {
        self.questions().forget();
        self.files().end_sweep()
    }
}

impl std::fmt::Debug for Cached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Cached({}, {} vectors)", self.name(), self.len())
    }
}

/// The letter says that it was a text: earlier versions kept questions under another one.
fn key(text: &str) -> Key {
    *blake3::Hasher::new().update(b"t").update(text.as_bytes()).finalize().as_bytes()
}

#[cfg(test)]
mod tests;
