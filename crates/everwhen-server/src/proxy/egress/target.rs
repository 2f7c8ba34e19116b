//! Where a request goes below an upstream's base URL: segments, never a path that is glued together.
//!
//! Clients choose some of these segments. One that could leave the base path, or that an upstream
//! might read differently from us, is refused before anything is sent.

use axum::http::Uri;
use percent_encoding::percent_decode_str;
use reqwest::Url;

use super::super::refusal::Refusal;

/// Segments below an upstream's base URL, decoded, and a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    segments: Vec<String>,
    query: Option<String>,
}

impl Target {
    /// One of our own paths, with the query of a request.
    pub(crate) fn known(path: &str, uri: &Uri) -> Self {
        let segments = path.split('/').filter(|segment| !segment.is_empty()).map(str::to_owned);
        Self { segments: segments.collect(), query: uri.query().map(str::to_owned) }
    }

    /// One of our own paths with a query of our own, such as `/models?pageSize=9`.
    pub(crate) fn own(path_and_query: &str) -> Self {
        let (path, query) = match path_and_query.split_once('?') {
            Some((path, query)) => (path, Some(query.to_owned())),
            None => (path_and_query, None),
        };
        Self { query, ..Self::known(path, &Uri::from_static("/")) }
    }

    /// A path that a client sent, with the query of its request.
    pub(crate) fn read(path: &str, uri: &Uri) -> Result<Self, Refusal> {
        let rest = path.strip_prefix('/').unwrap_or(path);
        let segments = rest.split('/').map(segment).collect::<Result<_, _>>()?;
        Ok(Self { segments, query: uri.query().map(str::to_owned) })
    }

    /// The path as text, decoded.
    pub(crate) fn path(&self) -> String {
        self.segments.iter().fold(String::new(), |path, segment| path + "/" + segment)
    }

    /// The name of the model in `…/models/NAME`, if that is what it is.
    pub(crate) fn model(&self) -> Option<String> {
        let name = &self.segments[self.model_place()?..];
        (!name.is_empty()).then(|| name.join("/"))
    }

    /// Replaces the model in the path, if there is one.
    pub(crate) fn of_model(mut self, model: &str) -> Self {
        if let Some(place) = self.model_place().filter(|place| *place < self.segments.len()) {
            self.segments.truncate(place);
            self.segments.extend(model.split('/').map(str::to_owned));
        }
        self
    }

    fn model_place(&self) -> Option<usize> {
        let place = self.segments.iter().position(|segment| segment == "models")?;
        Some(place + 1)
    }

    /// The address below this base URL. Its path begins with that of the base, whatever the segments.
    pub(super) fn below(&self, base: &Url) -> Result<Url, Refusal> {
        let mut url = base.clone();
        match url.path_segments_mut() {
            Ok(mut path) => {
                path.pop_if_empty().extend(&self.segments);
            }
            Err(()) => return Err(Refusal::unreachable("the upstream's base_url has no path")),
        }
        if let Some(query) = &self.query {
            let rest = without_key(query);
            url.set_query(Some(rest.as_str()).filter(|rest| !rest.is_empty() || query.is_empty()));
        }
        Ok(url)
    }
}

/// A query without a key. The gate has moved one that is meant for a provider into a header; any
/// other is not passed on, because an address may be logged wherever it arrives.
fn without_key(query: &str) -> String {
    let is_key = |pair: &&str| pair.split('=').next() == Some("key");
    query.split('&').filter(|pair| !is_key(pair)).collect::<Vec<_>>().join("&")
}

/// One decoded segment of a path that a client sent.
fn segment(text: &str) -> Result<String, Refusal> {
    let refused = |reason: &str| {
        Err(Refusal::invalid(format!("the path is not sent on: {reason}; write a plain path")))
    };
    let Ok(decoded) = percent_decode_str(text).decode_utf8() else {
        return refused("a segment is not UTF-8 once %XX is decoded");
    };
    // Some servers cut off what follows a semicolon before they look for dots.
    match decoded.split(';').next().unwrap_or_default() {
        "" => refused("it has an empty segment (//)"),
        "." | ".." => refused("it has a dot segment (. or ..)"),
        _ if decoded.contains(['/', '\\']) => {
            refused("a segment has an encoded slash or backslash")
        }
        // Still encoded: it was encoded twice, and the upstream would decode it.
        _ if decoded.contains('%') => refused("a segment is encoded twice"),
        _ if decoded.chars().any(char::is_control) => refused("a segment has a control character"),
        _ => Ok(decoded.into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str) -> Result<Target, Refusal> {
        Target::read(path, &Uri::from_static("/x?a=1"))
    }

    #[test]
    fn a_path_that_could_leave_the_base_is_refused() {
        for path in [
            "/models/../files",
            "/models/%2e%2e/files",
            "/models/.%2E/files",
            "/models/./x",
            "/models//x",
            "/models/",
            "/models/..;/files",
            "/models/;/files",
            "/models/..%2ffiles",
            "/models/a%2Fb",
            "/models/a%5cb",
            "/models/a\\b",
            "/models/%252e%252e/files",
            "/models/%ff",
            "/models/a%00b",
            "/models/a%0d%0ab",
        ] {
            assert!(read(path).is_err(), "{path}");
        }
    }

    #[test]
    fn a_plain_path_stays_below_the_base() {
        for (base, path, url) in [
            (
                "http://host/openai/v1",
                "/models/org/m:1@x",
                "http://host/openai/v1/models/org/m:1@x?a=1",
            ),
            ("http://host/v1/", "/files/f%20x", "http://host/v1/files/f%20x?a=1"),
            ("http://host", "/api/tags", "http://host/api/tags?a=1"),
            ("http://host/v1", "/models/a?b", "http://host/v1/models/a%3Fb?a=1"),
            ("http://host/v1", "/models/...", "http://host/v1/models/...?a=1"),
        ] {
            let base = Url::parse(base).unwrap();
            assert_eq!(read(path).unwrap().below(&base).unwrap().as_str(), url);
        }
        let keyed = Target::known("/models", &Uri::from_static("/x?key=k&a=1&keys=2"));
        let base = Url::parse("http://host/v1").unwrap();
        assert_eq!(keyed.below(&base).unwrap().as_str(), "http://host/v1/models?a=1&keys=2");
        let plain = Target::known("/chat/completions", &Uri::from_static("/x"));
        let base = Url::parse("http://host/v1").unwrap();
        assert_eq!(plain.below(&base).unwrap().as_str(), "http://host/v1/chat/completions");
    }

    #[test]
    fn the_model_in_a_path_can_be_named_otherwise() {
        let target = read("/models/far/m-2").unwrap();
        assert_eq!(target.model().as_deref(), Some("far/m-2"));
        assert_eq!(target.of_model("m-2").path(), "/models/m-2");
        assert_eq!(read("/models").unwrap().model(), None);
        assert_eq!(read("/files/x").unwrap().of_model("m").path(), "/files/x");
    }
}
