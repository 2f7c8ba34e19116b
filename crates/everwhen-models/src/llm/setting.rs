//! Where a language model is, which one is meant, what it costs, and how patient to be with it.

use std::sync::Arc;
use std::time::Duration;

use everwhen_engine::memory::Chance;
use everwhen_engine::ports::Spent;
use everwhen_engine::{Error, Result};
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderName};

use crate::endpoint::{Endpoint, Patience, Reached, Secret, read_url, shown_url};

/// The version of Anthropic's protocol that is spoken.
const ANTHROPIC_VERSION: &str = "2023-06-01";
const BILLION: f64 = 1e9;
const MILLION: f64 = 1e6;

/// Which protocol the provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LlmDialect {
    /// `POST /v1/chat/completions`, as OpenAI and most servers do.
    OpenAi,
    /// `POST /v1/messages`, as Anthropic does.
    Anthropic,
    /// `POST /api/chat`, as Ollama does.
    Ollama,
}

/// What tokens cost, in billionths of a currency each.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Price {
    input: f64,
    output: f64,
}

/// A language model of somebody's.
#[derive(Debug, Clone)]
pub struct LlmSetting {
    /// Its protocol.
    pub dialect: LlmDialect,
    /// Where it is; a path such as `/v1` may be part of it.
    pub url: String,
    /// The model.
    pub model: String,
    /// What to show the provider.
    pub key: Option<Secret>,
    /// How long and how often to try.
    pub patience: Patience,
    /// The provider is asked no more often than this.
    pub requests_per_minute: Option<u32>,
    /// What it costs.
    pub price: Price,
}

impl LlmDialect {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::OpenAi, Self::Anthropic, Self::Ollama];

    /// As written in configurations.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Ollama => "ollama",
        }
    }

    /// The dialect with this name.
    pub fn named(text: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.as_str() == text).ok_or_else(|| {
            Error::invalid(format!("unknown provider {text:?}; use openai, anthropic or ollama"))
        })
    }

    /// Where it is when nobody says.
    pub fn usual_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
            Self::Ollama => "http://127.0.0.1:11434",
        }
    }
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
    pub fn new(dialect: LlmDialect, model: impl Into<String>) -> Self {
        let timeout = Duration::from_secs(120);
        Self {
            dialect,
            url: dialect.usual_url().to_owned(),
            model: model.into(),
            key: None,
            patience: Patience { timeout, tries: 4, ..Patience::default() },
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

    /// The other end.
    pub(super) fn reach(&self, most_bytes: usize, chance: Arc<dyn Chance>) -> Result<Endpoint> {
        let (url, model) = (shown_url(&self.url), &self.model);
        let key = self.key.as_ref().map(|key| match self.dialect {
            LlmDialect::Anthropic => (key, HeaderName::from_static("x-api-key"), key.plain()),
            _ => (key, AUTHORIZATION, key.bearer()),
        });
        let reached = Reached {
            label: format!("the language model {model} at {url}"),
            url: self.endpoint()?,
            key,
            patience: &self.patience,
            most_bytes,
        };
        let endpoint = Endpoint::new(reached, chance)?;
        Ok(match self.dialect {
            LlmDialect::Anthropic => endpoint.with_header("anthropic-version", ANTHROPIC_VERSION),
            _ => endpoint,
        })
    }

    /// Where the provider lists its models.
    pub(super) fn list(&self) -> Result<Url> {
        let mut url = self.endpoint()?;
        let path = url.path().to_owned();
        let path = match self.dialect {
            LlmDialect::OpenAi => path.replace("/chat/completions", "/models"),
            LlmDialect::Anthropic => path.replace("/messages", "/models"),
            LlmDialect::Ollama => path.replace("/chat", "/tags"),
        };
        url.set_path(&path);
        Ok(url)
    }

    /// The address that is asked.
    fn endpoint(&self) -> Result<Url> {
        let mut url = read_url(&self.url)?;
        let path = url.path().trim_end_matches('/');
        let before = |ending: &str| path.strip_suffix(ending).unwrap_or(path).to_owned();
        let path = match self.dialect {
            LlmDialect::OpenAi => match before("/chat/completions").as_str() {
                "" => "/v1/chat/completions".to_owned(),
                before => format!("{before}/chat/completions"),
            },
            LlmDialect::Anthropic => {
                let before = before("/messages");
                format!("{}/v1/messages", before.trim_end_matches("/v1"))
            }
            LlmDialect::Ollama => {
                let before = before("/chat");
                format!("{}/api/chat", before.trim_end_matches("/api"))
            }
        };
        url.set_path(&path);
        Ok(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(dialect: LlmDialect, url: &str) -> String {
        let setting = LlmSetting { url: url.into(), ..LlmSetting::new(dialect, "m") };
        setting.endpoint().unwrap().to_string()
    }

    #[test]
    fn endpoints_are_found_from_what_people_write() {
        assert_eq!(at(LlmDialect::OpenAi, "http://h:80"), "http://h/v1/chat/completions");
        assert_eq!(at(LlmDialect::OpenAi, "http://h/v1/"), "http://h/v1/chat/completions");
        let whole = "http://h/x/chat/completions";
        assert_eq!(at(LlmDialect::OpenAi, whole), whole);
        for url in ["https://h", "https://h/v1", "https://h/v1/messages"] {
            assert_eq!(at(LlmDialect::Anthropic, url), "https://h/v1/messages");
        }
        for url in ["http://h", "http://h/api", "http://h/api/chat"] {
            assert_eq!(at(LlmDialect::Ollama, url), "http://h/api/chat");
        }
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
        let good = LlmSetting::new(LlmDialect::OpenAi, "m");
        assert!(good.check().is_ok());
        assert!(LlmSetting { model: " ".into(), ..good.clone() }.check().is_err());
        assert!(LlmSetting { requests_per_minute: Some(0), ..good.clone() }.check().is_err());
        assert!(LlmSetting { key: Some(Secret::new("")), ..good }.check().is_err());
    }
}
