//! The model providers behind the proxy: `[[upstream]]` in the file, or one address.

use std::fmt;
use std::time::Duration;

use everwhen_models::Secret;

use super::layer::Layers;
use super::row::Row;
use super::{Chosen, Environment, key, quoted};
use crate::{Error, Result};

/// Which language an upstream speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UpstreamKind {
    /// `/v1/chat/completions` and what belongs to it.
    OpenAi,
    /// `/api/chat` and what belongs to it.
    Ollama,
    /// `/v1/messages` and what belongs to it.
    Anthropic,
}

impl UpstreamKind {
    const ALL: [Self; 3] = [Self::OpenAi, Self::Ollama, Self::Anthropic];

    /// As written in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
            Self::Anthropic => "anthropic",
        }
    }

    fn named(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// What an address alone says: Ollama by its port, Anthropic by its name, else OpenAI's kind.
    fn guess(url: &str) -> Self {
        let (host, path) = host_and_path(url);
        if host.ends_with(":11434") && path.is_empty() {
            Self::Ollama
        } else if host == "api.anthropic.com" {
            Self::Anthropic
        } else {
            Self::OpenAi
        }
    }

    /// The address that paths are hung on, whichever of the usual ways it was written.
    fn root(self, url: &str) -> String {
        let url = url.trim_end_matches('/');
        match self {
            Self::OpenAi if host_and_path(url).1.is_empty() => format!("{url}/v1"),
            Self::OpenAi => url.to_owned(),
            Self::Ollama => url.strip_suffix("/api").unwrap_or(url).to_owned(),
            Self::Anthropic => url.strip_suffix("/v1").unwrap_or(url).to_owned(),
        }
    }
}

fn host_and_path(url: &str) -> (&str, &str) {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest).trim_end_matches('/');
    rest.split_once('/').unwrap_or((rest, ""))
}

/// A model provider.
#[derive(Clone, PartialEq, Eq)]
pub struct Upstream {
    /// What it is called; a model named `name/model` means this one's.
    pub name: String,
    /// Which language it speaks.
    pub kind: UpstreamKind,
    /// The address that paths are hung on: with `/v1` for OpenAI's kind, without for the others.
    pub root: String,
    /// What to show it, instead of what the client shows.
    pub key: Option<Secret>,
    /// An upstream that sends nothing for this long has failed.
    pub timeout: Duration,
}

/// How long clients wait as well, unless told otherwise: a reply that does not stream is silence
/// until it is complete.
const TIMEOUT: Duration = Duration::from_secs(600);
/// The longest wait that is of use, in seconds: a day.
const MOST_TIMEOUT_S: f64 = 86_400.0;
const RIGHT_TIMEOUT: &str = "a number of seconds from 0.001 to 86400";

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} at {})", self.name, self.kind.as_str(), self.root)
    }
}

impl Upstream {
    /// An upstream by its address alone; `ollama+http://…` says its kind, too.
    pub fn at(address: &str) -> Result<Self> {
        let named = UpstreamKind::ALL.into_iter().find_map(|kind| {
            let url = address.strip_prefix(kind.as_str())?.strip_prefix('+')?;
            Some((kind, url))
        });
        let (kind, url) = named.unwrap_or_else(|| (UpstreamKind::guess(address), address));
        if !is_address(url) {
            return Err(Error::invalid("is no address"));
        }
        let (name, root) = (kind.as_str().to_owned(), kind.root(url));
        Ok(Self { name, kind, root, key: None, timeout: TIMEOUT })
    }

    /// What is set of it, as one would write it; its key is not shown.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        let key = self.key.as_ref().map(|_| ("key", quoted("(not shown)")));
        let fields = [
            ("name", quoted(&self.name)),
            ("kind", quoted(self.kind.as_str())),
            ("base_url", quoted(&self.root)),
            ("timeout_s", self.timeout.as_secs_f64().to_string()),
        ];
        fields.into_iter().chain(key).collect()
    }

    fn read(row: &Row, environment: &Environment) -> Result<Self> {
        row.only(key::UPSTREAM_FIELDS)?;
        let url = row.text("base_url")?.ok_or_else(|| row.lacks("base_url", key::RIGHT_URL))?;
        let mut upstream = Self::at(url).map_err(|_| row.refuse("base_url", key::RIGHT_URL))?;
        if let Some(text) = row.text("kind")? {
            let kind = UpstreamKind::named(text).ok_or_else(|| row.refuse("kind", RIGHT_KIND))?;
            (upstream.kind, upstream.root) = (kind, kind.root(url));
        }
        let name = row.text("name")?.unwrap_or(upstream.kind.as_str());
        if name.contains('/') || name == "everwhen" {
            return Err(row.refuse("name", "a name without a slash that is not \"everwhen\""));
        }
        upstream.name = name.to_owned();
        upstream.key = secret(row, environment)?;
        if let Some(seconds) = row.amount("timeout_s")? {
            if !(0.001..=MOST_TIMEOUT_S).contains(&seconds) {
                return Err(row.refuse("timeout_s", RIGHT_TIMEOUT));
            }
            upstream.timeout = Duration::from_secs_f64(seconds);
        }
        Ok(upstream)
    }
}

const RIGHT_KIND: &str = "\"openai\", \"ollama\" or \"anthropic\"";

fn is_address(url: &str) -> bool {
    let scheme = url.split_once("://").map(|(scheme, _)| scheme);
    matches!(scheme, Some("http" | "https")) && !host_and_path(url).0.is_empty()
}

/// The key as written, or from the variable that is named.
fn secret(row: &Row, environment: &Environment) -> Result<Option<Secret>> {
    let (key, variable) = (row.text("key")?, row.text("key_variable")?);
    let text = match (key, variable) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => return Err(row.refuse("key", "only one of key and key_variable")),
        (Some(text), None) => text,
        (None, Some(name)) => environment
            .get(name)
            .ok_or_else(|| row.refuse("key_variable", "the name of a variable that is set"))?,
    };
    let secret = Secret::new(text);
    if !secret.is_sendable() {
        return Err(row.refuse("key", "the key as its provider showed it, in one line"));
    }
    Ok(Some(secret))
}

/// All upstreams, the one that is used unless another is named first, each with where it is named.
pub(super) fn all(layers: &Layers, environment: &Environment) -> Result<Vec<Chosen<Upstream>>> {
    let mut all: Vec<Chosen<Upstream>> = Vec::new();
    if let Some(found) = layers.find(key::UPSTREAM) {
        let text = found.text(key::UPSTREAM)?;
        let one = Upstream::at(text);
        let one = one.map_err(|_| found.refuse(key::UPSTREAM, format_args!("is {text:?}")))?;
        all.push(Chosen { value: one, from: found.from.clone() });
    }
    for row in layers.rows("upstream") {
        let upstream = Upstream::read(row, environment)?;
        if all.iter().any(|one| one.value.name == upstream.name) {
            return Err(row.refuse("name", "a name no other upstream has"));
        }
        all.push(Chosen { value: upstream, from: row.place("").clone() });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_what_it_speaks() {
        for (address, kind, root) in [
            ("http://localhost:8080/v1", UpstreamKind::OpenAi, "http://localhost:8080/v1"),
            ("http://localhost:8080", UpstreamKind::OpenAi, "http://localhost:8080/v1"),
            ("https://host/api/v3/", UpstreamKind::OpenAi, "https://host/api/v3"),
            ("http://localhost:11434/", UpstreamKind::Ollama, "http://localhost:11434"),
            ("http://localhost:11434/v1", UpstreamKind::OpenAi, "http://localhost:11434/v1"),
            ("ollama+http://box/api", UpstreamKind::Ollama, "http://box"),
            ("https://api.anthropic.com", UpstreamKind::Anthropic, "https://api.anthropic.com"),
            ("anthropic+http://box:1/v1", UpstreamKind::Anthropic, "http://box:1"),
        ] {
            let upstream = Upstream::at(address).unwrap();
            assert_eq!((upstream.kind, upstream.root.as_str()), (kind, root), "{address}");
        }
        for wrong in ["", "localhost:8080", "ftp://host", "http://", "gemini+http://host"] {
            assert!(Upstream::at(wrong).is_err(), "{wrong:?}");
        }
    }
}
