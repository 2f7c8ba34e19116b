//! The other end of a connection: an address, a key, a retry policy, and errors that name it.
//!
//! Embedders and language models speak different protocols over the same wire; what is alike in
//! them is here. Neither keys nor texts ever appear in an error.

mod address;
mod retry;
mod secret;
mod tries;

use std::sync::Arc;

use everwhen_engine::memory::Chance;
use everwhen_engine::{Error, ErrorKind, Result};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, Url};

pub(crate) use address::{read_url, shown_url};
pub use retry::RetryPolicy;
pub(crate) use retry::{Failure, retry_after};
pub use secret::Secret;
pub use tries::{Try, observe_tries};

use crate::tls;

/// A server that answers POSTs of JSON.
pub(crate) struct Endpoint {
    /// What it is, for errors: "the embedding endpoint http://… (model m)".
    label: String,
    url: Url,
    /// Where answers are asked for in pieces.
    stream_url: Url,
    client: Client,
    headers: HeaderMap,
    key: Option<Secret>,
    chance: Arc<dyn Chance>,
    most_bytes: usize,
}

/// How an endpoint is reached.
pub(crate) struct Reached<'a> {
    pub(crate) label: String,
    pub(crate) url: Url,
    pub(crate) stream_url: Url,
    pub(crate) key: Option<(&'a Secret, HeaderName, HeaderValue)>,
    pub(crate) retry: &'a RetryPolicy,
    pub(crate) most_bytes: usize,
}

impl Endpoint {
    pub(crate) fn new(reached: Reached<'_>, chance: Arc<dyn Chance>) -> Result<Self> {
        let client = tls::client_builder(reached.url.as_str())
            .connect_timeout(reached.retry.timeout)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| {
                Error::unavailable(format!("no HTTP client: {}", tls::cause(error)))
            })?;
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let key = reached.key.map(|(secret, name, value)| {
            headers.insert(name, value);
            secret.clone()
        });
        let Reached { label, url, stream_url, most_bytes, .. } = reached;
        Ok(Self { label, url, stream_url, client, headers, key, chance, most_bytes })
    }

    /// Adds a header to every request.
    pub(crate) fn with_header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.insert(name, HeaderValue::from_static(value));
        self
    }

    /// The whole answer to a body; what may pass is retried.
    pub(crate) async fn post(&self, body: &str, retry: &RetryPolicy) -> Result<Vec<u8>, Failure> {
        retry.keep_trying(&*self.chance, || self.once(body, retry)).await
    }

    async fn once(&self, body: &str, retry: &RetryPolicy) -> Result<Vec<u8>, Failure> {
        let request = self.client.post(self.url.clone()).timeout(retry.timeout);
        let request = request.headers(self.headers.clone()).body(body.to_owned());
        let response = request.send().await.map_err(Failure::from_connection)?;
        let (status, wait) = (response.status(), retry_after(response.headers()));
        let content = self.content(response).await?;
        if status.is_success() {
            Ok(content)
        } else {
            Err(Failure::refused(status, wait, &content))
        }
    }

    /// An answer that has begun; what may pass before it begins is retried.
    pub(crate) async fn open(&self, body: &str, retry: &RetryPolicy) -> Result<Response, Failure> {
        retry.keep_trying(&*self.chance, || self.begin(body, retry)).await
    }

    async fn begin(&self, body: &str, retry: &RetryPolicy) -> Result<Response, Failure> {
        let request = self.client.post(self.stream_url.clone()).headers(self.headers.clone());
        let response = in_time(retry, request.body(body.to_owned()).send()).await?;
        if response.status().is_success() {
            return Ok(response);
        }
        let (status, wait) = (response.status(), retry_after(response.headers()));
        Err(Failure::refused(status, wait, &self.content(response).await?))
    }

    /// The next part of an answer that has begun; nothing at its end.
    pub(crate) async fn next(
        &self,
        response: &mut Response,
        retry: &RetryPolicy,
    ) -> Result<Option<Vec<u8>>, Failure> {
        Ok(in_time(retry, response.chunk()).await?.map(|part| part.to_vec()))
    }

    /// What is to be read at another address of the same server.
    pub(crate) async fn get(&self, url: Url, retry: &RetryPolicy) -> Result<Vec<u8>, Failure> {
        let request = self.client.get(url).headers(self.headers.clone());
        let response = in_time(retry, request.send()).await?;
        let (status, wait) = (response.status(), retry_after(response.headers()));
        let content = self.content(response).await?;
        match status.is_success() {
            true => Ok(content),
            false => Err(Failure::refused(status, wait, &content)),
        }
    }

    /// The whole answer, if it is not absurdly long.
    pub(crate) async fn content(&self, mut response: Response) -> Result<Vec<u8>, Failure> {
        let mut content = Vec::new();
        while let Some(part) = response.chunk().await.map_err(Failure::from_connection)? {
            if content.len() + part.len() > self.most_bytes {
                return Err(Failure::Endless { most_bytes: self.most_bytes });
            }
            content.extend_from_slice(&part);
        }
        Ok(content)
    }

    /// A failure as an error: too much was asked, or it is not there.
    pub(crate) fn failed(&self, failure: &Failure, retry: &RetryPolicy) -> Error {
        let kind = match failure {
            // The same question would be answered at the same length.
            Failure::Endless { .. } => ErrorKind::Invalid,
            _ if failure.is_busy() => ErrorKind::Busy,
            _ => ErrorKind::Unavailable,
        };
        self.error(kind, &failure.sentence(retry, self.key.as_ref()))
    }

    /// An error that says which endpoint and model it is about.
    pub(crate) fn error(&self, kind: ErrorKind, what: &str) -> Error {
        Error::new(kind, format!("{} {what}", self.label))
    }
}

/// Waits no longer than one try may take.
async fn in_time<T>(
    retry: &RetryPolicy,
    wait: impl Future<Output = reqwest::Result<T>>,
) -> Result<T, Failure> {
    let late = |_| Failure::Connection { timed_out: true, cause: "no answer".into() };
    let waited = tokio::time::timeout(retry.timeout, wait).await.map_err(late)?;
    waited.map_err(Failure::from_connection)
}
