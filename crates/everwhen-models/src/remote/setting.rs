//! Where a remote embedder is, what it serves, and how patient to be with it.

use everwhen_engine::{Error, Result};
use everwhen_protocols::{Embeddings, Protocol};
use reqwest::Url;

use crate::endpoint::{RetryPolicy, Secret, read_url};

/// The default number of texts in one request.
const BATCH: usize = 64;

/// A remote embedder.
#[derive(Debug, Clone)]
pub struct RemoteSetting {
    /// Its protocol.
    pub protocol: Protocol,
    /// Where it is, such as `http://127.0.0.1:11434`; a path such as `/v1` may be part of it.
    pub url: String,
    /// The model to use.
    pub model: String,
    /// What to show it.
    pub key: Option<Secret>,
    /// Dimensions to ask for; without them, those it gives by itself.
    pub dimensions: Option<usize>,
    /// Stands before a question.
    pub query_prefix: String,
    /// Stands before a text.
    pub passage_prefix: String,
    /// Texts in one request, at most.
    pub batch: usize,
    /// How long and how often to try.
    pub retry: RetryPolicy,
}

impl RemoteSetting {
    /// A model at an address, everything else as usual.
    pub fn new(protocol: Protocol, url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            protocol,
            url: url.into(),
            model: model.into(),
            key: None,
            dimensions: None,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            batch: BATCH,
            retry: RetryPolicy::default(),
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        let wrong = |what: &str| Err(Error::invalid(format!("remote embedder: {what}")));
        if self.model.trim().is_empty() {
            return wrong("the model has no name; write one that the endpoint serves");
        }
        if self.batch == 0 || self.dimensions == Some(0) {
            return wrong("batch and dimensions are numbers from 1 on");
        }
        if self.key.as_ref().is_some_and(|key| !key.is_sendable()) {
            return wrong("the key is empty or has characters that no HTTP header can carry");
        }
        Ok(())
    }

    /// The address that is asked.
    pub(super) fn endpoint(&self) -> Result<Url> {
        let mut url = read_url(&self.url)?;
        let path = url.path().trim_end_matches('/');
        let path = self.embeddings()?.path(path);
        url.set_path(&path);
        Ok(url)
    }

    /// How the protocol embeds.
    pub(super) fn embeddings(&self) -> Result<&'static dyn Embeddings> {
        let name = self.protocol.as_str();
        self.protocol.adapter().embeddings().ok_or_else(|| {
            Error::invalid(format!("remote embedder: {name} serves no embeddings here"))
        })
    }

    /// The model as a name under which vectors may be kept.
    pub(super) fn name(&self, dimensions: usize) -> String {
        let name = format!("{}:{}:{dimensions}", self.protocol.as_str(), self.model);
        if self.query_prefix.is_empty() && self.passage_prefix.is_empty() {
            return name;
        }
        let prefixes = format!("{:?} {:?}", self.query_prefix, self.passage_prefix);
        format!("{name}-{}", &blake3::hash(prefixes.as_bytes()).to_hex()[..8])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(protocol: Protocol, url: &str) -> RemoteSetting {
        RemoteSetting::new(protocol, url, "m")
    }

    #[test]
    fn endpoints_are_found_from_what_people_write() {
        let openai = |url| at(Protocol::OpenAi, url).endpoint().unwrap().to_string();
        assert_eq!(openai("http://h:8080"), "http://h:8080/v1/embeddings");
        assert_eq!(openai("https://h/v1/"), "https://h/v1/embeddings");
        assert_eq!(openai("https://h/v1/embeddings"), "https://h/v1/embeddings");
        assert_eq!(openai("https://h/api/v3?x=1"), "https://h/api/v3/embeddings?x=1");
        let ollama = |url| at(Protocol::Ollama, url).endpoint().unwrap().to_string();
        assert_eq!(ollama("http://h:11434"), "http://h:11434/api/embed");
        assert_eq!(ollama("http://h:11434/api/"), "http://h:11434/api/embed");
        assert_eq!(ollama("http://h/x/api/embed"), "http://h/x/api/embed");
    }

    #[test]
    fn prefixes_and_dimensions_are_part_of_the_name() {
        let plain = at(Protocol::Ollama, "http://h");
        assert_eq!(plain.name(768), "ollama:m:768");
        let prefixed = RemoteSetting { query_prefix: "q: ".into(), ..plain };
        assert!(prefixed.name(768).starts_with("ollama:m:768-"));
    }

    #[test]
    fn settings_that_cannot_work_are_refused() {
        let good = at(Protocol::OpenAi, "http://h");
        assert!(good.check().is_ok());
        assert!(RemoteSetting { model: " ".into(), ..good.clone() }.check().is_err());
        assert!(RemoteSetting { batch: 0, ..good.clone() }.check().is_err());
        assert!(RemoteSetting { key: Some(Secret::new("")), ..good }.check().is_err());
    }
}
