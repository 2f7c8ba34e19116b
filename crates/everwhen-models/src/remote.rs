//! An embedder at the other end of a connection: OpenAI-compatible `/v1/embeddings` or Ollama
//! `/api/embed`.
//!
//! Walk: leave out texts that say nothing → batches → ask, and retry what may pass → check
//! that every text got a vector of the right size → length 1. Neither keys nor texts ever appear
//! in an error.

mod setting;

use std::sync::Arc;

use everwhen_engine::memory::Chance;
use everwhen_engine::ports::{Embedder, Wait};
use everwhen_engine::{Error, ErrorKind, Result};
use reqwest::header::AUTHORIZATION;

pub use setting::RemoteSetting;

use crate::endpoint::{Endpoint, Reached, RetryPolicy, shown_url};
use crate::vector::normalize;

/// Bytes of text in one request, whatever the number of texts: far below what providers allow.
const BATCH_BYTES: usize = 200_000;
/// Longest answer that is read. A batch of long vectors takes a tenth of it.
const MOST_BYTES: usize = 64 << 20;

/// An embedding endpoint.
pub struct Remote {
    name: String,
    dimensions: usize,
    line: Line,
}

/// The other end, and how it is spoken to.
struct Line {
    setting: RemoteSetting,
    endpoint: Endpoint,
}

impl Remote {
    /// An embedder for these settings. Asks the endpoint how many dimensions its vectors have,
    /// unless the settings say it.
    pub async fn open(setting: RemoteSetting, chance: Arc<dyn Chance>) -> Result<Self> {
        let line = Line::new(setting, chance)?;
        let dimensions = match line.setting.dimensions {
            Some(dimensions) => dimensions,
            None => line.probe().await?,
        };
        let name = line.setting.name(dimensions);
        Ok(Self { name, dimensions, line })
    }

    async fn texts(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let setting = &self.line.setting;
        let mut vectors = vec![vec![0.0; self.dimensions]; texts.len()];
        for places in batches(texts, setting.batch) {
            let prefix = &setting.passage_prefix;
            let batch: Vec<String> =
                places.iter().map(|place| format!("{prefix}{}", texts[*place])).collect();
            let answered = self.ask(&batch, &setting.retry).await?;
            for (place, vector) in places.into_iter().zip(answered) {
                vectors[place] = vector;
            }
        }
        Ok(vectors)
    }

    async fn question(&self, question: &str) -> Result<Vec<f32>> {
        if question.trim().is_empty() {
            return Ok(vec![0.0; self.dimensions]);
        }
        let setting = &self.line.setting;
        let batch = [format!("{}{question}", setting.query_prefix)];
        let mut vectors = self.ask(&batch, &setting.retry.for_a_question()).await?;
        Ok(vectors.swap_remove(0))
    }

    async fn ask(&self, texts: &[String], retry: &RetryPolicy) -> Result<Vec<Vec<f32>>> {
        let mut vectors = self.line.ask(texts, retry).await?;
        for vector in &mut vectors {
            if vector.len() != self.dimensions {
                return Err(self.line.error(&format!(
                    "gave a vector of {} dimensions where {} were expected; set the dimensions \
                     of the model it serves",
                    vector.len(),
                    self.dimensions
                )));
            }
            normalize(vector);
        }
        Ok(vectors)
    }
}

impl Line {
    fn new(setting: RemoteSetting, chance: Arc<dyn Chance>) -> Result<Self> {
        setting.check()?;
        let (url, model) = (shown_url(&setting.url), &setting.model);
        let reached = Reached {
            label: format!("the embedding endpoint {url} (model {model})"),
            url: setting.endpoint()?,
            stream_url: setting.endpoint()?,
            key: setting.key.as_ref().map(|key| (key, AUTHORIZATION, key.bearer())),
            retry: &setting.retry,
            most_bytes: MOST_BYTES,
        };
        let endpoint = Endpoint::new(reached, chance)?;
        Ok(Self { setting, endpoint })
    }

    /// The dimensions of its vectors.
    async fn probe(&self) -> Result<usize> {
        let vectors = self.ask(&["a".to_owned()], &self.setting.retry).await?;
        match vectors[0].len() {
            0 => Err(self.error("gave an empty vector")),
            dimensions => Ok(dimensions),
        }
    }

    /// One vector per text, of whatever size.
    async fn ask(&self, texts: &[String], retry: &RetryPolicy) -> Result<Vec<Vec<f32>>> {
        let (setting, embeddings) = (&self.setting, self.setting.embeddings()?);
        let body = embeddings.request(&setting.model, texts, setting.dimensions);
        let answered = self.endpoint.post(&body, retry).await;
        let content = answered.map_err(|failure| self.endpoint.failed(&failure, retry))?;
        let vectors = embeddings.vectors(&content);
        let vectors = vectors.and_then(|vectors| checked(vectors, texts.len()));
        vectors.map_err(|wrong| self.error(&wrong))
    }

    fn error(&self, what: &str) -> Error {
        self.endpoint.error(ErrorKind::Unavailable, what)
    }
}

impl Embedder for Remote {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    fn embed<'a>(&'a self, texts: &'a [&'a str]) -> Wait<'a, Vec<Vec<f32>>> {
        Box::pin(self.texts(texts))
    }

    fn embed_question<'a>(&'a self, question: &'a str) -> Wait<'a, Vec<f32>> {
        Box::pin(self.question(question))
    }
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Remote({}, {} dimensions)", self.name, self.dimensions)
    }
}

/// One finite vector per text; else what is wrong, as the rest of a sentence.
fn checked(vectors: Vec<Vec<f32>>, count: usize) -> Result<Vec<Vec<f32>>, String> {
    if vectors.len() != count {
        return Err(format!("gave {} vectors for {count} texts", vectors.len()));
    }
    if vectors.iter().flatten().any(|value| !value.is_finite()) {
        return Err("gave a vector with a number beyond all bounds".into());
    }
    Ok(vectors)
}

/// The places of texts that say something, in batches that one request may hold.
fn batches(texts: &[&str], most: usize) -> Vec<Vec<usize>> {
    let (mut batches, mut bytes) = (Vec::<Vec<usize>>::new(), 0);
    for (place, text) in texts.iter().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        bytes += text.len();
        match batches.last_mut() {
            Some(batch) if batch.len() < most && bytes <= BATCH_BYTES => batch.push(place),
            _ => {
                batches.push(vec![place]);
                bytes = text.len();
            }
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_counted_and_finite() {
        assert!(checked(vec![], 2).unwrap_err().contains("0 vectors for 2 texts"));
        assert!(checked(vec![vec![f32::INFINITY]], 1).is_err());
        assert_eq!(checked(vec![vec![1.0]], 1).unwrap(), [[1.0]]);
    }

    #[test]
    fn batches_are_bounded_by_number_and_by_bytes() {
        assert_eq!(batches(&["a", " ", "b", "c", "", "d"], 2), [vec![0, 2], vec![3, 5]]);
        let long = "x".repeat(BATCH_BYTES - 1);
        assert_eq!(batches(&["a", &long, "b", "c"], 9), [vec![0, 1], vec![2, 3]]);
        assert_eq!(batches(&[&long, &long], 9).len(), 2);
        assert!(batches(&[], 9).is_empty());
    }
}
