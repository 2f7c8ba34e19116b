//! An embedder at the other end of a connection: OpenAI-compatible `/v1/embeddings` or Ollama
//! `/api/embed`.
//!
//! Walk: leave out texts that say nothing → batches → ask, with patience for what passes → check
//! that every text got a vector of the right size → length 1. Neither keys nor texts ever appear
//! in an error.

mod patience;
mod secret;
mod setting;
mod wire;

use std::sync::Arc;

use everwhen_engine::memory::Chance;
use everwhen_engine::ports::{Embedder, Wait};
use everwhen_engine::{Error, Result};
use reqwest::Client;

pub use patience::Patience;
pub use secret::Secret;
pub use setting::{Dialect, RemoteSetting};

use crate::tls;
use crate::vector::normalize;
use patience::Failure;

/// Bytes of text in one request, whatever the number of texts: far below what providers allow.
const BATCH_BYTES: usize = 200_000;

/// An embedding endpoint.
pub struct Remote {
    name: String,
    dimensions: usize,
    endpoint: Endpoint,
}

/// The other end, and how it is spoken to.
struct Endpoint {
    setting: RemoteSetting,
    url: reqwest::Url,
    client: Client,
    chance: Arc<dyn Chance>,
}

impl Remote {
    /// An embedder for these settings. Asks the endpoint how many dimensions its vectors have,
    /// unless the settings say it.
    pub async fn open(setting: RemoteSetting, chance: Arc<dyn Chance>) -> Result<Self> {
        let endpoint = Endpoint::new(setting, chance)?;
        let dimensions = match endpoint.setting.dimensions {
            Some(dimensions) => dimensions,
            None => endpoint.probe().await?,
        };
        let name = endpoint.setting.name(dimensions);
        Ok(Self { name, dimensions, endpoint })
    }

    async fn texts(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let setting = &self.endpoint.setting;
        let mut vectors = vec![vec![0.0; self.dimensions]; texts.len()];
        for places in batches(texts, setting.batch) {
            let prefix = &setting.passage_prefix;
            let batch: Vec<String> =
                places.iter().map(|place| format!("{prefix}{}", texts[*place])).collect();
            let answered = self.ask(&batch, &setting.patience).await?;
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
        let setting = &self.endpoint.setting;
        let batch = [format!("{}{question}", setting.query_prefix)];
        let mut vectors = self.ask(&batch, &setting.patience.for_a_question()).await?;
        Ok(vectors.swap_remove(0))
    }

    async fn ask(&self, texts: &[String], patience: &Patience) -> Result<Vec<Vec<f32>>> {
        let mut vectors = self.endpoint.ask(texts, patience).await?;
        for vector in &mut vectors {
            if vector.len() != self.dimensions {
                return Err(self.endpoint.error(format!(
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

impl Endpoint {
    fn new(setting: RemoteSetting, chance: Arc<dyn Chance>) -> Result<Self> {
        setting.check()?;
        let url = setting.endpoint()?;
        let client = tls::client_builder(url.as_str())
            .connect_timeout(setting.patience.timeout)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| {
                Error::unavailable(format!("no HTTP client: {}", tls::cause(error)))
            })?;
        Ok(Self { setting, url, client, chance })
    }

    /// The dimensions of its vectors.
    async fn probe(&self) -> Result<usize> {
        let vectors = self.ask(&["a".to_owned()], &self.setting.patience).await?;
        match vectors[0].len() {
            0 => Err(self.error("gave an empty vector".into())),
            dimensions => Ok(dimensions),
        }
    }

    /// One vector per text, of whatever size.
    async fn ask(&self, texts: &[String], patience: &Patience) -> Result<Vec<Vec<f32>>> {
        let body = wire::request(&self.setting, texts);
        let answered = patience.keep_trying(&*self.chance, || self.once(&body, patience)).await;
        let content = answered.map_err(|failure| self.failed(failure, patience))?;
        wire::vectors(self.setting.dialect, &content, texts.len())
            .map_err(|wrong| self.error(wrong))
    }

    /// Asks once.
    async fn once(&self, body: &str, patience: &Patience) -> Result<Vec<u8>, Failure> {
        let mut request = self.client.post(self.url.clone()).timeout(patience.timeout);
        request = request.header("content-type", "application/json").body(body.to_owned());
        if let Some(key) = &self.setting.key {
            request = request.header("authorization", key.bearer());
        }
        let response = request.send().await.map_err(Failure::from_connection)?;
        let (status, wait) = (response.status(), patience::retry_after(response.headers()));
        let content = wire::content(response).await?;
        if status.is_success() {
            Ok(content)
        } else {
            Err(Failure::refused(status, wait, &content))
        }
    }

    fn failed(&self, failure: Failure, patience: &Patience) -> Error {
        let error = self.error(failure.sentence(patience, self.setting.key.as_ref()));
        if failure.is_busy() {
            Error::new(everwhen_engine::ErrorKind::Busy, error.message())
        } else {
            error
        }
    }

    /// An error that says which endpoint and model it is about.
    fn error(&self, what: String) -> Error {
        Error::unavailable(format!(
            "the embedding endpoint {} (model {}) {what}",
            self.setting.shown_url(),
            self.setting.model
        ))
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
    fn batches_are_bounded_by_number_and_by_bytes() {
        assert_eq!(batches(&["a", " ", "b", "c", "", "d"], 2), [vec![0, 2], vec![3, 5]]);
        let long = "x".repeat(BATCH_BYTES - 1);
        assert_eq!(batches(&["a", &long, "b", "c"], 9), [vec![0, 1], vec![2, 3]]);
        assert_eq!(batches(&[&long, &long], 9).len(), 2);
        assert!(batches(&[], 9).is_empty());
    }
}
