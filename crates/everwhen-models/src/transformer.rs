//! A transformer from a directory: all-MiniLM-L6-v2, bge, e5, gte and others of the BERT family.
//!
//! The directory holds `model.onnx` (or `onnx/model.onnx`) and `tokenizer.json` (or `vocab.txt`);
//! how the model wants to be used is in its [`ModelConfig`]. The walk of a text: word pieces → the
//! network → one vector from the vectors of its pieces → length 1. It runs on threads of its own,
//! so that nothing that waits is kept from waiting.

mod config;
mod network;
mod tokenizer;
mod workers;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use everwhen_engine::ports::{Embedder, Wait};
use everwhen_engine::{Error, Result};
use tokio::sync::oneshot;

pub use config::{ModelConfig, Pooling};

use crate::vector::normalize;
use network::Network;
use tokenizer::Tokenizer;
use workers::{Task, Workers};

/// Bytes of texts that go through the network together. Longer batches are not faster on a CPU;
/// very short texts one by one are slower.
const BATCH_BYTES: usize = 512;
/// More threads than this fight for memory rather than share the work.
const MAX_WORKERS: usize = 8;

/// A transformer and the threads it runs on.
pub struct Transformer {
    name: String,
    dimensions: usize,
    reader: Arc<Reader>,
    workers: Workers,
}

/// What turns prepared texts into vectors; every thread reads with the same one.
struct Reader {
    config: ModelConfig,
    tokenizer: Tokenizer,
    network: Network,
}

impl Transformer {
    /// Loads the model in a directory and tries it. `workers` is the number of threads; without
    /// it there are as many as the machine has cores.
    ///
    /// Reads files and computes: call it where blocking is allowed.
    pub fn open(directory: &Path, workers: Option<usize>) -> Result<Self> {
        let config = ModelConfig::of(directory)?;
        let model = read(&first_of(directory, &["model.onnx", "onnx/model.onnx"])?)?;
        let vocabulary = first_of(directory, &["tokenizer.json", "vocab.txt"])?;
        let words = read(&vocabulary)?;
        let name = config.name_with(&[&model, &words]);
        let tokenizer = Tokenizer::read(&vocabulary, &words)?;
        let network = Network::load(model).map_err(|error| error.at(directory.display()))?;
        Self::start(name, Reader { config, tokenizer, network }, workers)
            .map_err(|error| error.at(directory.display()))
    }

    fn start(name: String, reader: Reader, workers: Option<usize>) -> Result<Self> {
        let reader = Arc::new(reader);
        let dimensions = reader.vectors(&["a".to_owned()])?[0].len();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let count = workers.unwrap_or(cores).clamp(1, MAX_WORKERS);
        let shared = reader.clone();
        let workers = Workers::start(count, move |texts| shared.vectors(texts))?;
        Ok(Self { name, dimensions, reader, workers })
    }

    /// How the model is used.
    pub fn config(&self) -> &ModelConfig {
        &self.reader.config
    }

    async fn texts(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let mut vectors = vec![vec![0.0; self.dimensions]; texts.len()];
        let mut waiting = Vec::new();
        for places in batches(texts) {
            let prefix = self.config().passage_prefix.as_str();
            let batch = places.iter().map(|place| format!("{prefix}{}", texts[*place])).collect();
            let (task, result) = Task::new(batch);
            self.workers.queue(task);
            waiting.push((places, result));
        }
        for (places, result) in waiting {
            for (place, vector) in places.into_iter().zip(received(result).await?) {
                vectors[place] = vector;
            }
        }
        Ok(vectors)
    }

    async fn question(&self, question: &str) -> Result<Vec<f32>> {
        if question.trim().is_empty() {
            return Ok(vec![0.0; self.dimensions]);
        }
        let (task, result) = Task::new(vec![format!("{}{question}", self.config().query_prefix)]);
        self.workers.queue_first(task);
        Ok(received(result).await?.swap_remove(0))
    }
}

impl Embedder for Transformer {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed<'a>(&'a self, texts: &'a [&'a str]) -> Wait<'a, Vec<Vec<f32>>> {
        Box::pin(self.texts(texts))
    }

    /// Goes before all texts that wait.
    fn embed_question<'a>(&'a self, question: &'a str) -> Wait<'a, Vec<f32>> {
        Box::pin(self.question(question))
    }
}

impl std::fmt::Debug for Transformer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Transformer({}, {} dimensions)", self.name, self.dimensions)
    }
}

impl Reader {
    fn vectors(&self, texts: &[String]) -> Result<Vec<Vec<f32>>> {
        let limit = self.config.max_tokens;
        let tokens: Vec<Vec<u32>> =
            texts.iter().map(|text| self.tokenizer.tokens(text, limit)).collect();
        let mut vectors =
            self.network.vectors(&tokens, self.tokenizer.padding, self.config.pooling)?;
        vectors.iter_mut().for_each(|vector| normalize(vector));
        Ok(vectors)
    }
}

/// The places of texts that say something, in batches of texts of similar length.
fn batches(texts: &[&str]) -> Vec<Vec<usize>> {
    let mut places: Vec<usize> =
        (0..texts.len()).filter(|place| !texts[*place].trim().is_empty()).collect();
    places.sort_by_key(|place| texts[*place].len());
    let mut batches: Vec<Vec<usize>> = Vec::new();
    for place in places {
        let length = texts[place].len();
        match batches.last_mut() {
            Some(batch) if (batch.len() + 1) * length <= BATCH_BYTES => batch.push(place),
            _ => batches.push(vec![place]),
        }
    }
    batches
}

async fn received(result: oneshot::Receiver<Result<Vec<Vec<f32>>>>) -> Result<Vec<Vec<f32>>> {
    result.await.unwrap_or_else(|_| Err(Error::unavailable("the embedder was closed")))
}

/// The first of these files that exists.
fn first_of(directory: &Path, names: &[&str]) -> Result<PathBuf> {
    let paths = names.iter().map(|name| directory.join(name));
    paths.into_iter().find(|path| path.is_file()).ok_or_else(|| {
        let names = names.join(" or ");
        Error::not_found(format!(
            "{} holds no {names}; a model directory holds model.onnx and tokenizer.json, and \
             `everwhen models pull minilm` makes one",
            directory.display()
        ))
    })
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path)
        .map_err(|error| Error::unavailable(format!("{} cannot be read: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_similar_lengths_and_leave_out_blanks() {
        let long = "x".repeat(400);
        let texts = ["a b c", " \n", &long, "d", "", "e f"];
        assert_eq!(batches(&texts), [vec![3, 5, 0], vec![2]]);
        assert!(batches(&["", " "]).is_empty());
        let many = vec!["twelve bytes"; 100];
        assert!(batches(&many).iter().all(|batch| batch.len() * 12 <= BATCH_BYTES));
        assert_eq!(batches(&many).concat().len(), 100);
    }

    #[test]
    fn a_directory_without_a_model_is_named_with_the_way_out() {
        let directory = tempfile::tempdir().unwrap();
        let error = Transformer::open(directory.path(), None).unwrap_err();
        assert!(error.message().contains("holds no model.onnx"), "{error}");
        assert!(error.message().contains("models pull minilm"), "{error}");
    }

    #[test]
    fn a_file_that_is_no_model_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("model.onnx"), "not a model").unwrap();
        fs::write(directory.path().join("vocab.txt"), "[PAD]\n[UNK]\n[CLS]\n[SEP]\n").unwrap();
        let error = Transformer::open(directory.path(), None).unwrap_err();
        assert!(error.message().contains("ONNX"), "{error}");
    }
}
