//! The table `[llm]`: which language model, where, how patiently, at what price.

use std::time::Duration;

use everwhen_models::{LlmSetting, Price, RetryPolicy, Secret};
use everwhen_protocols::Protocol;

use super::key::{self, Key};
use super::layer::{Found, Layers, Origin};
use super::{Chosen, choose, number, quoted};
use crate::{Error, Result};

/// Which language model, if any.
#[derive(Debug, Clone)]
pub struct LlmConfig {
    /// Who serves it.
    pub provider: Chosen<Option<Protocol>>,
    /// Where, if not where the provider usually is.
    pub base_url: Chosen<Option<String>>,
    /// The model.
    pub model: Chosen<Option<String>>,
    /// What to show the provider.
    pub key: Chosen<Option<Secret>>,
    /// How long one try may take.
    pub timeout_seconds: Chosen<u32>,
    /// Tries in all.
    pub tries: Chosen<u32>,
    /// The provider is asked no more often than this.
    pub requests_per_minute: Chosen<Option<u32>>,
    /// Price of a million tokens read.
    pub input_price: Chosen<f64>,
    /// Price of a million tokens written.
    pub output_price: Chosen<f64>,
    /// What may be spent in a calendar month, in the currency of the prices.
    pub spending_cap: Chosen<Option<f64>>,
    /// What happens while the model cannot be asked.
    pub fallback: Chosen<LlmFallback>,
}

/// What happens while the model cannot be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LlmFallback {
    /// Its work waits.
    #[default]
    Wait,
    /// Rules do its work until it is back; then it is done again.
    Rules,
}

impl LlmFallback {
    const ALL: [Self; 2] = [Self::Wait, Self::Rules];

    fn as_str(self) -> &'static str {
        match self {
            Self::Wait => "wait",
            Self::Rules => "rules",
        }
    }

    fn read(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|one| one.as_str() == text);
        found.ok_or_else(|| Error::invalid(format!("{text:?} is neither \"wait\" nor \"rules\"")))
    }
}

impl LlmConfig {
    pub(super) fn read(layers: &Layers) -> Result<Self> {
        let text = |key| choose(layers, key, |text| Ok(Some(text.to_owned())), || None);
        let config = Self {
            provider: choose(
                layers,
                key::LLM_PROVIDER,
                |text| LlmSetting::protocol_named(text).map(Some),
                || None,
            )?,
            base_url: text(key::LLM_BASE_URL)?,
            model: text(key::LLM_MODEL)?,
            key: secret(layers, key::LLM_KEY)?,
            timeout_seconds: number(layers, key::LLM_TIMEOUT, 120)?,
            tries: number(layers, key::LLM_TRIES, 4)?,
            requests_per_minute: optional_number(layers, key::LLM_PACE)?,
            input_price: amount(layers, key::LLM_INPUT_PRICE)?.or(0.0),
            output_price: amount(layers, key::LLM_OUTPUT_PRICE)?.or(0.0),
            spending_cap: amount(layers, key::LLM_CAP)?,
            fallback: choose(layers, key::LLM_FALLBACK, LlmFallback::read, LlmFallback::default)?,
        };
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<()> {
        match (&self.provider.value, &self.model.value) {
            (Some(_), None) => Err(Error::invalid(format!(
                "{}: `llm.provider` is set, but no model is; write llm.model as well",
                self.provider.from
            ))),
            (None, Some(_)) => Err(Error::invalid(format!(
                "{}: `llm.model` is set, but not who serves it; write llm.provider as well: {}",
                self.model.from,
                key::LLM_PROVIDER.right
            ))),
            _ => Ok(()),
        }
    }

    /// The model as its adapter wants it; nothing if none is configured.
    pub fn setting(&self) -> Option<LlmSetting> {
        let (protocol, model) = (self.provider.value?, self.model.value.clone()?);
        let usual = LlmSetting::new(protocol, model);
        Some(LlmSetting {
            url: self.base_url.value.clone().unwrap_or(usual.url),
            key: self.key.value.clone(),
            retry: RetryPolicy {
                timeout: Duration::from_secs(self.timeout_seconds.value.into()),
                tries: self.tries.value,
                ..usual.retry
            },
            requests_per_minute: self.requests_per_minute.value,
            price: Price::per_million(self.input_price.value, self.output_price.value),
            ..usual
        })
    }

    /// What may be spent in a month, in billionths.
    pub fn cap_nanos(&self) -> Option<u64> {
        self.spending_cap.value.map(|cap| (cap * 1e9) as u64)
    }

    /// Values as one would write them, in the order of the keys; the key itself is not shown.
    pub(super) fn rows(&self) -> [(String, &Origin); 11] {
        let text = |value: &Option<String>| value.as_deref().map_or("none".into(), quoted);
        let number = |value: Option<u32>| value.map_or("none".into(), |value| value.to_string());
        let provider = self.provider.value.map_or("none".into(), |value| quoted(value.as_str()));
        let key = self.key.value.as_ref().map_or("none".into(), |_| quoted("(not shown)"));
        let cap = self.spending_cap.value.map_or("none".into(), |cap| cap.to_string());
        [
            (provider, &self.provider.from),
            (text(&self.base_url.value), &self.base_url.from),
            (text(&self.model.value), &self.model.from),
            (key, &self.key.from),
            (self.timeout_seconds.value.to_string(), &self.timeout_seconds.from),
            (self.tries.value.to_string(), &self.tries.from),
            (number(self.requests_per_minute.value), &self.requests_per_minute.from),
            (self.input_price.value.to_string(), &self.input_price.from),
            (self.output_price.value.to_string(), &self.output_price.from),
            (cap, &self.spending_cap.from),
            (quoted(self.fallback.value.as_str()), &self.fallback.from),
        ]
    }
}

impl Chosen<Option<f64>> {
    fn or(self, value: f64) -> Chosen<f64> {
        Chosen { value: self.value.unwrap_or(value), from: self.from }
    }
}

/// A key; what is wrong with one is said without showing it.
pub(super) fn secret(layers: &Layers, key: Key) -> Result<Chosen<Option<Secret>>> {
    let Some(found) = layers.find(key) else { return Ok(unset()) };
    let value = Some(Secret::new(found.text(key)?));
    Ok(Chosen { value, from: found.from.clone() })
}

fn optional_number(layers: &Layers, key: Key) -> Result<Chosen<Option<u32>>> {
    if layers.find(key).is_none() {
        return Ok(unset());
    }
    let Chosen { value, from } = number(layers, key, 0)?;
    Ok(Chosen { value: Some(value), from })
}

/// An amount of money.
fn amount(layers: &Layers, key: Key) -> Result<Chosen<Option<f64>>> {
    let Some(found) = layers.find(key) else { return Ok(unset()) };
    let value = Found::amount(found, key)?;
    Ok(Chosen { value: Some(value), from: found.from.clone() })
}

fn unset<T>() -> Chosen<Option<T>> {
    Chosen { value: None, from: Origin::Default }
}
