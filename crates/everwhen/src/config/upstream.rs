//! The model providers behind the proxy: `[[upstream]]` in the file, or one address.

use std::fmt;
use std::time::Duration;

use everwhen_models::Secret;
use everwhen_protocols::Protocol;

use super::layer::Layers;
use super::row::Row;
use super::{Chosen, Environment, key, quoted};
use crate::{Error, Result};

/// A model provider.
#[derive(Clone, PartialEq, Eq)]
pub struct Upstream {
    /// What it is called; a model named `name/model` means this one's.
    pub name: String,
    /// The protocol it speaks.
    pub kind: Protocol,
    /// The address that paths are appended to: with `/v1` for OpenAI's kind, without for the others.
    pub root: String,
    /// What to show it, instead of what the client shows.
    pub key: Option<Secret>,
    /// An upstream that sends nothing for this long has failed.
    pub timeout: Duration,
    /// Whether it gets the client's own key. Unless said, only if it is the one that answers when no
    /// other is named. One with a key of its own never does.
    pub pass_client_key: Option<bool>,
    /// Headers of the client that it gets besides those that every upstream gets, in lower case.
    pub pass_headers: Vec<String>,
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
        let named = Protocol::ALL.into_iter().find_map(|kind| {
            let url = address.strip_prefix(kind.as_str())?.strip_prefix('+')?;
            Some((kind, url))
        });
        let (kind, url) = named.unwrap_or_else(|| (Protocol::of_url(address), address));
        if !is_address(url) {
            return Err(Error::invalid("is no address"));
        }
        let (name, root) = (kind.as_str().to_owned(), kind.adapter().root(url));
        let (pass_client_key, pass_headers) = (None, Vec::new());
        Ok(Self { name, kind, root, key: None, timeout: TIMEOUT, pass_client_key, pass_headers })
    }

    /// What is set of it, as one would write it; its key is not shown.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        let key = self.key.as_ref().map(|_| ("key", quoted("(not shown)")));
        let passes = self.pass_client_key.map(|passes| ("pass_client_key", passes.to_string()));
        let headers: Vec<String> = self.pass_headers.iter().map(|name| quoted(name)).collect();
        let headers =
            (!headers.is_empty()).then(|| ("pass_headers", format!("[{}]", headers.join(", "))));
        let fields = [
            ("name", quoted(&self.name)),
            ("kind", quoted(self.kind.as_str())),
            ("base_url", quoted(&self.root)),
            ("timeout_s", self.timeout.as_secs_f64().to_string()),
        ];
        fields.into_iter().chain(key).chain(passes).chain(headers).collect()
    }

    fn read(row: &Row, environment: &Environment) -> Result<Self> {
        row.only(key::UPSTREAM_FIELDS)?;
        let url = row.text("base_url")?.ok_or_else(|| row.lacks("base_url", key::RIGHT_URL))?;
        let mut upstream = Self::at(url).map_err(|_| row.refuse("base_url", key::RIGHT_URL))?;
        if let Some(text) = row.text("kind")? {
            let kind = Protocol::named(text)
                .ok_or_else(|| row.refuse("kind", &Protocol::names_quoted()))?;
            (upstream.kind, upstream.root) = (kind, kind.adapter().root(url));
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
        upstream.pass_client_key = row.flag("pass_client_key")?;
        if upstream.key.is_some() && upstream.pass_client_key == Some(true) {
            let right =
                "false, or leave its key out: an upstream gets one key, its own or the client's";
            return Err(row.refuse("pass_client_key", right));
        }
        upstream.pass_headers = pass_headers(row)?;
        Ok(upstream)
    }
}

const RIGHT_HEADERS: &str = "names of headers such as [\"x-session-affinity\"], without keys \
     (pass_client_key is for those), x-everwhen-* and headers of the connection";

/// Headers that no list can send on: keys, ours, and those that belong to one connection.
const NEVER_PASSED: [&str; 15] = [
    "authorization",
    "x-api-key",
    "api-key",
    "x-goog-api-key",
    "host",
    "content-length",
    "accept-encoding",
    "expect",
    "connection",
    "keep-alive",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

fn pass_headers(row: &Row) -> Result<Vec<String>> {
    let names = row.texts("pass_headers", RIGHT_HEADERS)?.iter();
    let names = names.map(|name| name.trim().to_lowercase());
    let is_right = |name: &String| {
        let is_token =
            |byte: u8| byte.is_ascii_alphanumeric() || b"-_.!#$%&'*+^`|~".contains(&byte);
        !name.is_empty()
            && name.bytes().all(is_token)
            && !name.starts_with("x-everwhen-")
            && !NEVER_PASSED.contains(&name.as_str())
    };
    let checked = names.map(|name| match is_right(&name) {
        true => Ok(name),
        false => Err(row.refuse("pass_headers", RIGHT_HEADERS)),
    });
    checked.collect()
}

fn is_address(url: &str) -> bool {
    let scheme = url.split_once("://").map(|(scheme, _)| scheme);
    let host = url.split_once("://").and_then(|(_, rest)| rest.split('/').next());
    matches!(scheme, Some("http" | "https")) && host.is_some_and(|host| !host.is_empty())
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
    use super::super::{Config, Flags};
    use super::*;

    fn read(fields: &str) -> Result<Upstream> {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("config.toml");
        let text = format!("[[upstream]]\nbase_url = \"http://box:1/v1\"\n{fields}\n");
        std::fs::write(&file, text).unwrap();
        let data = Some(directory.path().display().to_string());
        let flags = Flags { config: Some(file), data, ..Flags::default() };
        let config = Config::load(&Environment::default(), &flags)?;
        Ok(config.upstreams[0].clone())
    }

    #[test]
    fn what_a_client_sends_on_is_checked() {
        let upstream =
            read("pass_client_key = true\npass_headers = [\"X-Vendor\", \"x-b\"]").unwrap();
        assert_eq!(upstream.pass_client_key, Some(true));
        assert_eq!(upstream.pass_headers, ["x-vendor", "x-b"]);
        assert_eq!(read("").unwrap().pass_client_key, None);
        for (wrong, expected) in [
            ("pass_client_key = \"yes\"", "true or false"),
            ("key = \"k\"\npass_client_key = true", "one key, its own or the client's"),
            ("pass_headers = \"x-vendor\"", "names of headers"),
            ("pass_headers = [1]", "names of headers"),
            ("pass_headers = [\"Authorization\"]", "pass_client_key is for those"),
            ("pass_headers = [\"x-everwhen-key\"]", "names of headers"),
            ("pass_headers = [\"a b\"]", "names of headers"),
        ] {
            let error = read(wrong).unwrap_err();
            assert!(error.message().contains(expected), "{wrong}: {error}");
        }
    }

    #[test]
    fn an_address_says_what_it_speaks() {
        for (address, kind, root) in [
            ("http://localhost:8080/v1", Protocol::OpenAi, "http://localhost:8080/v1"),
            ("http://localhost:8080", Protocol::OpenAi, "http://localhost:8080/v1"),
            ("https://host/api/v3/", Protocol::OpenAi, "https://host/api/v3"),
            ("http://localhost:11434/", Protocol::Ollama, "http://localhost:11434"),
            ("http://localhost:11434/v1", Protocol::OpenAi, "http://localhost:11434/v1"),
            ("ollama+http://box/api", Protocol::Ollama, "http://box"),
            ("https://api.anthropic.com", Protocol::Anthropic, "https://api.anthropic.com"),
            ("anthropic+http://box:1/v1", Protocol::Anthropic, "http://box:1"),
            (
                "https://generativelanguage.googleapis.com/v1beta",
                Protocol::Gemini,
                "https://generativelanguage.googleapis.com/v1beta",
            ),
            (
                "https://generativelanguage.googleapis.com/v1beta/openai/",
                Protocol::OpenAi,
                "https://generativelanguage.googleapis.com/v1beta/openai",
            ),
            ("gemini+http://box:1", Protocol::Gemini, "http://box:1/v1beta"),
        ] {
            let upstream = Upstream::at(address).unwrap();
            assert_eq!((upstream.kind, upstream.root.as_str()), (kind, root), "{address}");
        }
        for wrong in ["", "localhost:8080", "ftp://host", "http://", "nobody+http://host"] {
            assert!(Upstream::at(wrong).is_err(), "{wrong:?}");
        }
    }
}
