//! The only way to an upstream: which address, which headers, whose key.
//!
//! Addresses are built from checked segments ([`target`]), headers go by a list ([`headers`]), and a
//! client's own key goes only to the upstream it was meant for: never to one that has a key of its
//! own, and unless `pass_client_key` says otherwise only to the one that answers this protocol when
//! no other is named.

mod headers;
mod target;

use std::time::Duration;

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use everwhen::{Error, Result, Upstream};
use everwhen_protocols::{AuthHeader, Protocol};
use reqwest::Url;

use super::refusal::Refusal;
use super::relay::deepest;
use super::upstream::{Responder, ResponseFuture, UpstreamCall, UpstreamResponse};

pub(crate) use target::Target;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A model provider behind an address.
pub(crate) struct Provider {
    upstream: Upstream,
    base: Url,
    client: reqwest::Client,
}

impl Provider {
    /// A provider with connections of its own.
    pub(crate) fn new(upstream: Upstream) -> Result<Self> {
        let base = Url::parse(&upstream.root).map_err(|error| {
            let (name, root) = (&upstream.name, &upstream.root);
            Error::invalid(format!("the base_url {root:?} of upstream {name:?} is wrong: {error}"))
        })?;
        let builder = everwhen::models::client_builder(&upstream.root)
            .connect_timeout(CONNECT_TIMEOUT)
            .read_timeout(upstream.timeout)
            .redirect(reqwest::redirect::Policy::none());
        // A proxy of the system's is for other machines.
        let builder = if is_local(&base) { builder.no_proxy() } else { builder };
        let client = builder.build().map_err(|error| {
            Error::unavailable(format!("no client for the upstream {:?}: {error}", upstream.name))
        })?;
        Ok(Self { upstream, base, client })
    }

    fn headers(&self, call: &UpstreamCall) -> HeaderMap {
        let mut sent = headers::allowed(&call.headers, &self.upstream.pass_headers);
        let adapter = self.upstream.kind.adapter();
        let is_translated = call.protocol != self.upstream.kind;
        match (&self.upstream.key, adapter.auth_header()) {
            (Some(key), AuthHeader::Bearer) => drop(sent.insert(AUTHORIZATION, key.bearer())),
            (Some(key), AuthHeader::Named(name)) => {
                sent.insert(HeaderName::from_static(name), key.plain());
            }
            (None, _) if !call.with_credentials || !self.is_meant(call) => {}
            (None, header) if is_translated => {
                sent.extend(headers::credential_as(&call.headers, header));
            }
            (None, _) => sent.extend(headers::credentials(&call.headers)),
        }
        for (name, value) in adapter.fixed_headers().iter().filter(|_| is_translated) {
            let name = HeaderName::from_static(name);
            sent.entry(name).or_insert(HeaderValue::from_static(value));
        }
        sent
    }

    /// Whether what the client shows is meant for this upstream.
    fn is_meant(&self, call: &UpstreamCall) -> bool {
        self.upstream.pass_client_key.unwrap_or(call.is_usual)
    }
}

fn is_local(base: &Url) -> bool {
    let host = base.host_str().unwrap_or_default();
    host == "localhost" || host == "[::1]" || host.starts_with("127.")
}

impl Responder for Provider {
    fn name(&self) -> &str {
        &self.upstream.name
    }

    fn kind(&self) -> Protocol {
        self.upstream.kind
    }

    fn has_own_key(&self) -> bool {
        self.upstream.key.is_some()
    }

    fn ask(&self, call: UpstreamCall) -> ResponseFuture {
        let (headers, url) = (self.headers(&call), call.target.below(&self.base));
        let (client, name) = (self.client.clone(), self.upstream.name.clone());
        Box::pin(async move {
            let request = client.request(call.method, url?).headers(headers).body(call.body);
            let answered = request.send().await.map_err(|error| unreachable(&name, error))?;
            let (parts, body) = axum::http::Response::from(answered).into_parts();
            let body = axum::body::Body::new(body);
            Ok(UpstreamResponse { status: parts.status, headers: parts.headers, body })
        })
    }
}

fn unreachable(name: &str, error: reqwest::Error) -> Refusal {
    let error = error.without_url();
    if error.is_timeout() && !error.is_connect() {
        return Refusal::too_slow(format!("the upstream {name:?} does not answer in time"));
    }
    Refusal::unreachable(format!("the upstream {name:?} does not answer: {}", deepest(&error)))
}
