//! What workflows call endpoints: a model at an upstream, `[[endpoint]]` in the file. Every upstream
//! is an endpoint by its own name, too, and the first upstream is `default`.

use everwhen_models::{LlmSetting, Price, RetryPolicy};

use super::key;
use super::layer::Layers;
use super::row::Row;
use super::upstream::Upstream;
use crate::{Error, Result};

/// The name of the endpoint that is meant where any will do.
const DEFAULT: &str = "default";
/// A person may be waiting: two tries, then the backup is asked.
const TRIES: u32 = 2;
/// Silence for so long is no answer. Small machines read long prompts slowly.
const TIMEOUT: std::time::Duration = std::time::Duration::from_secs(300);

/// A model at an upstream, by the name that workflows know it by.
#[derive(Debug, Clone, PartialEq)]
pub struct EndpointConfig {
    /// Its name.
    pub name: String,
    /// Who answers.
    pub upstream: Upstream,
    /// The model there; the first it serves if absent.
    pub model: Option<String>,
    /// The endpoint that is asked when this one is down.
    pub backup: Option<String>,
    /// What tokens cost.
    pub price: Price,
}

impl EndpointConfig {
    /// A model of this endpoint as its adapter wants it.
    pub fn setting(&self, model: &str) -> LlmSetting {
        let usual = LlmSetting::new(self.upstream.kind, model);
        let retry = RetryPolicy { timeout: TIMEOUT, tries: TRIES, ..usual.retry };
        LlmSetting {
            url: self.upstream.root.clone(),
            key: self.upstream.key.clone(),
            price: self.price,
            retry,
            ..usual
        }
    }

    /// An endpoint for whatever an upstream serves.
    pub fn of(upstream: &Upstream, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            upstream: upstream.clone(),
            model: None,
            backup: None,
            price: Price::default(),
        }
    }

    fn read(row: &Row, upstreams: &[Upstream]) -> Result<Self> {
        row.only(key::ENDPOINT_FIELDS)?;
        let name = row.text("name")?.ok_or_else(|| row.lacks("name", RIGHT_NAME))?;
        let upstream = match row.text("upstream")? {
            Some(named) => upstreams.iter().find(|one| one.name == named),
            None => upstreams.first(),
        };
        let upstream = upstream.ok_or_else(|| row.refuse("upstream", RIGHT_UPSTREAM))?;
        let price = |field| Ok::<_, Error>(row.amount(field)?.unwrap_or(0.0));
        Ok(Self {
            model: row.text("model")?.map(str::to_owned),
            backup: row.text("backupEndpointName")?.map(str::to_owned),
            price: Price::per_million(price("input_price")?, price("output_price")?),
            ..Self::of(upstream, name)
        })
    }
}

const RIGHT_NAME: &str = "the name that workflows call it by, such as \"Creative-Endpoint\"";
const RIGHT_UPSTREAM: &str = "the name of an [[upstream]]";

/// All endpoints.
pub(super) fn all(layers: &Layers, upstreams: &[Upstream]) -> Result<Vec<EndpointConfig>> {
    let mut all: Vec<EndpointConfig> = Vec::new();
    for row in layers.rows("endpoint") {
        if upstreams.is_empty() && row.text("upstream")?.is_none() {
            // Its upstream is named on the command line of `serve`, and this is another command.
            continue;
        }
        let endpoint = EndpointConfig::read(row, upstreams)?;
        if all.iter().any(|one| one.name == endpoint.name) {
            return Err(row.refuse("name", "a name no other endpoint has"));
        }
        all.push(endpoint);
    }
    let is_free = |all: &[EndpointConfig], name: &str| all.iter().all(|one| one.name != name);
    for upstream in upstreams {
        if is_free(&all, &upstream.name) {
            all.push(EndpointConfig::of(upstream, &upstream.name));
        }
    }
    if let Some(first) = upstreams.first().filter(|_| is_free(&all, DEFAULT)) {
        all.push(EndpointConfig::of(first, DEFAULT));
    }
    for row in layers.rows("endpoint").filter(|_| !upstreams.is_empty()) {
        let backup = row.text("backupEndpointName")?;
        if backup.is_some_and(|backup| is_free(&all, backup)) {
            return Err(row.refuse("backupEndpointName", "the name of another endpoint"));
        }
    }
    Ok(all)
}
