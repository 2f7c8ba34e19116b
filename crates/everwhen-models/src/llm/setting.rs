//! Where a language model is, which one is meant, what it costs, and how patient to be with it.

use std::sync::Arc;
use std::time::Duration;

use everwhen_engine::memory::Chance;
use everwhen_engine::ports::Spent;
use everwhen_engine::{Error, Result};
use everwhen_protocols::{AuthHeader, Protocol};
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderName};

use crate::endpoint::{Endpoint, Reached, RetryPolicy, Secret, read_url, shown_url};

const BILLION: f64 = 1e9;
const MILLION: f64 = 1e6;

/// What tokens cost, in billionths of a currency each.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Price {
    input: f64,
    output: f64,
}

/// The settings of a language model at a provider.
#[derive(Debug, Clone)]
pub struct LlmSetting {
    /// Its protocol.
    pub protocol: Protocol,
    /// Where it is; a path such as `/v1` may be part of it.
    pub url: String,
    /// The model.
    pub model: String,
    /// What to show the provider.
    pub key: Option<Secret>,
    /// How long and how often to try.
    pub retry: RetryPolicy,
    /// The provider is asked no more often than this.
    pub requests_per_minute: Option<u32>,
    /// What it costs.
    pub price: Price,
}

impl Price {
    /// A price as providers print it: per million tokens read, and written.
    pub fn per_million(input: f64, output: f64) -> Self {
        Self { input: input * BILLION / MILLION, output: output * BILLION / MILLION }
    }

    /// What tokens cost, in billionths, rounded up.
    pub(super) fn of(self, tokens: Spent) -> u64 {
        let (read, written) = (tokens.input_tokens as f64, tokens.output_tokens as f64);
        (read * self.input + written * self.output).ceil() as u64
    }
}

impl LlmSetting {
    /// A model at a provider, everything else as usual.
    pub fn new(protocol: Protocol, model: impl Into<String>) -> Self {
        let timeout = Duration::from_secs(120);
        Self {
            protocol,
            url: protocol.adapter().default_url().to_owned(),
            model: model.into(),
            key: None,
            retry: RetryPolicy { timeout, tries: 4, ..RetryPolicy::default() },
            requests_per_minute: None,
            price: Price::default(),
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        let wrong = |what: &str| Err(Error::invalid(format!("language model: {what}")));
        if self.model.trim().is_empty() {
            return wrong("the model has no name; write one that the provider serves");
        }
        if self.requests_per_minute == Some(0) {
            return wrong("requests per minute are a number from 1 on");
        }
        if self.key.as_ref().is_some_and(|key| !key.is_sendable()) {
            return wrong("the key is empty or has characters that no HTTP header can carry");
        }
        Ok(())
    }

    /// The protocol of a provider with this name.
    pub fn protocol_named(text: &str) -> Result<Protocol> {
        Protocol::named(text).ok_or_else(|| {
            Error::invalid(format!("unknown provider {text:?}; use {}", Protocol::names_quoted()))
        })
    }

    /// The endpoint of the provider.
    pub(super) fn reach(&self, most_bytes: usize, chance: Arc<dyn Chance>) -> Result<Endpoint> {
        let (url, model) = (shown_url(&self.url), &self.model);
        let adapter = self.protocol.adapter();
        let key = self.key.as_ref().map(|key| match adapter.auth_header() {
            AuthHeader::Bearer => (key, AUTHORIZATION, key.bearer()),
            AuthHeader::Named(name) => (key, HeaderName::from_static(name), key.plain()),
        });
        let reached = Reached {
            label: format!("the language model {model} at {url}"),
            url: self.at(&adapter.chat_path(model, false))?,
            stream_url: self.at(&adapter.chat_path(model, true))?,
            key,
            retry: &self.retry,
            most_bytes,
        };
        let endpoint = Endpoint::new(reached, chance)?;
        let headers = adapter.fixed_headers().iter();
        Ok(headers.fold(endpoint, |endpoint, (name, value)| endpoint.with_header(name, value)))
    }

    /// Where the provider lists its models.
    pub(super) fn list(&self) -> Result<Url> {
        self.at(self.protocol.adapter().models_path())
    }

    /// The address of a path with its query below the provider's root.
    fn at(&self, path_and_query: &str) -> Result<Url> {
        let mut url = read_url(&self.url)?;
        let root = self.protocol.adapter().root(url.path());
        let (path, query) = match path_and_query.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (path_and_query, None),
        };
        url.set_path(&format!("{root}{path}"));
        if let Some(query) = query {
            let both = url.query().map(|own| format!("{own}&{query}"));
            url.set_query(Some(both.as_deref().unwrap_or(query)));
        }
        Ok(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(protocol: Protocol, url: &str) -> String {
        let setting = LlmSetting { url: url.into(), ..LlmSetting::new(protocol, "m") };
        setting.at(&protocol.adapter().chat_path("m", true)).unwrap().to_string()
    }

    #[test]
    fn endpoints_are_found_from_what_people_write() {
        assert_eq!(at(Protocol::OpenAi, "http://h:80"), "http://h/v1/chat/completions");
        assert_eq!(at(Protocol::OpenAi, "http://h/v1/"), "http://h/v1/chat/completions");
        let whole = "http://h/x/chat/completions";
        assert_eq!(at(Protocol::OpenAi, whole), whole);
        let with_query = "http://h/v1/chat/completions?api-version=1";
        assert_eq!(at(Protocol::OpenAi, "http://h/v1?api-version=1"), with_query);
        for url in ["https://h", "https://h/v1", "https://h/v1/messages"] {
            assert_eq!(at(Protocol::Anthropic, url), "https://h/v1/messages");
        }
        for url in ["http://h", "http://h/api", "http://h/api/chat"] {
            assert_eq!(at(Protocol::Ollama, url), "http://h/api/chat");
        }
        for url in ["https://h", "https://h/v1beta/", "https://h/v1beta/models"] {
            let stream = "https://h/v1beta/models/m:streamGenerateContent?alt=sse";
            assert_eq!(at(Protocol::Gemini, url), stream);
        }
    }

    #[test]
    fn a_provider_that_is_unknown_is_told_which_are_known() {
        assert_eq!(LlmSetting::protocol_named("gemini").unwrap(), Protocol::Gemini);
        let error = LlmSetting::protocol_named("gpt").unwrap_err();
        assert!(error.message().contains("\"anthropic\" or \"gemini\""), "{error}");
    }

    #[test]
    fn prices_are_per_million_and_rounded_up() {
        let spent =
            |input_tokens, output_tokens| Spent { input_tokens, output_tokens, cost_nanos: 0 };
        let price = Price::per_million(0.15, 0.6);
        assert_eq!(price.of(spent(1_000_000, 0)), 150_000_000);
        assert_eq!(price.of(spent(10, 3)), 1_500 + 1_800);
        assert_eq!(Price::per_million(0.0001, 0.0).of(spent(1, 0)), 1);
        assert_eq!(Price::default().of(spent(9, 9)), 0);
    }

    #[test]
    fn settings_that_cannot_work_are_refused() {
        let good = LlmSetting::new(Protocol::OpenAi, "m");
        assert!(good.check().is_ok());
        assert!(LlmSetting { model: " ".into(), ..good.clone() }.check().is_err());
        assert!(LlmSetting { requests_per_minute: Some(0), ..good.clone() }.check().is_err());
        assert!(LlmSetting { key: Some(Secret::new("")), ..good }.check().is_err());
    }
}
