//! Which headers of a client an upstream gets: those on a list, and no others.
//!
//! Front ends send cookies, signed user tokens, e-mail addresses and forwarding chains to us; none of
//! that is the provider's. An `[[upstream]]` may name more headers in `pass_headers`.

use axum::http::header::{AUTHORIZATION, CONNECTION};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use everwhen::key::PREFIX;
use everwhen_protocols::AuthHeader;

/// Headers that providers and their SDKs need. `http-referer` and `x-title` are what an app sets on
/// purpose to be named at OpenRouter; a browser's `Referer` is not.
const ALLOWED: [&str; 11] = [
    "accept",
    "content-encoding",
    "content-type",
    "http-referer",
    "idempotency-key",
    "user-agent",
    "x-app",
    "x-client-request-id",
    "x-goog-api-client",
    "x-request-id",
    "x-title",
];
/// What the names of other such headers begin with.
const PREFIXES: [&str; 4] = ["anthropic-", "openai-", "x-openrouter-", "x-stainless-"];
/// The client's own credential, and what belongs to the account behind it.
const CREDENTIALS: [&str; 7] = [
    "authorization",
    "x-api-key",
    "api-key",
    "x-goog-api-key",
    "openai-organization",
    "openai-project",
    "chatgpt-account-id",
];

/// Headers among them that carry a key, the most specific first.
const KEYS: [&str; 4] = ["x-goog-api-key", "x-api-key", "api-key", "authorization"];

/// What an upstream gets of a client's headers besides credentials. `more` is its `pass_headers`.
pub(super) fn allowed(client: &HeaderMap, more: &[String]) -> HeaderMap {
    let per_connection = named_by_connection(client);
    chosen(client, |name, _| {
        let is_listed = ALLOWED.contains(&name)
            || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
            || more.iter().any(|one| one == name);
        is_listed && !CREDENTIALS.contains(&name) && !per_connection.iter().any(|one| one == name)
    })
}

/// The client's own credential. A key of ours never leaves, wherever it was put.
pub(super) fn credentials(client: &HeaderMap) -> HeaderMap {
    chosen(client, |name, value| CREDENTIALS.contains(&name) && !is_ours(name, value))
}

/// The client's own key in the header that another protocol has for it. What belongs to an account,
/// such as an organization, means nothing there.
pub(super) fn credential_as(
    client: &HeaderMap,
    header: AuthHeader,
) -> Option<(HeaderName, HeaderValue)> {
    let shown = credentials(client);
    let keys = KEYS.iter().filter_map(|name| Some((*name, shown.get(*name)?.to_str().ok()?)));
    let key = keys.map(|(name, text)| key_text(name, text).trim()).find(|key| !key.is_empty())?;
    let (name, text) = match header {
        AuthHeader::Bearer => (AUTHORIZATION, format!("Bearer {key}")),
        AuthHeader::Named(name) => (HeaderName::from_static(name), key.to_owned()),
    };
    let mut value = HeaderValue::try_from(text).ok()?;
    value.set_sensitive(true);
    Some((name, value))
}

/// The key in a header, without the scheme before it.
fn key_text<'t>(name: &str, text: &'t str) -> &'t str {
    match name == AUTHORIZATION.as_str() {
        true => text.split_once(' ').map_or(text, |(_, text)| text),
        false => text,
    }
}

fn is_ours(name: &str, value: &HeaderValue) -> bool {
    let text = String::from_utf8_lossy(value.as_bytes());
    key_text(name, &text).trim().starts_with(PREFIX)
}

fn chosen(client: &HeaderMap, is_sent: impl Fn(&str, &HeaderValue) -> bool) -> HeaderMap {
    let pairs = client.iter().filter(|(name, value)| is_sent(name.as_str(), value));
    pairs.map(|(name, value)| (name.clone(), value.clone())).fold(HeaderMap::new(), append)
}

/// `FromIterator` of a header map keeps only the last of several values.
fn append(mut headers: HeaderMap, (name, value): (HeaderName, HeaderValue)) -> HeaderMap {
    headers.append(name, value);
    headers
}

/// Headers that belong to this connection because `Connection` names them.
fn named_by_connection(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(CONNECTION).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(|name| name.trim().to_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(pair).fold(HeaderMap::new(), append)
    }

    fn names(headers: &HeaderMap) -> Vec<&str> {
        let mut names: Vec<&str> = headers.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn what_is_not_listed_stays_here() {
        let client = headers(&[
            ("host", "us"),
            ("connection", "keep-alive, X-Title"),
            ("x-title", "1"),
            ("cookie", "session=1"),
            ("referer", "http://localhost/"),
            ("origin", "http://localhost"),
            ("accept-encoding", "gzip"),
            ("x-everwhen-memory", "m"),
            ("x-forwarded-for", "10.0.0.1"),
            ("x-openwebui-user-jwt", "a.b.c"),
            ("x-openwebui-user-email", "ana@example.org"),
            ("x-librechat-user-id", "1"),
            ("x-claude-code-session-id", "1"),
            ("proxy-authorization", "Basic x"),
            ("authorization", "Bearer k"),
            ("openai-organization", "org-1"),
            ("openai-beta", "x"),
            ("anthropic-beta", "a"),
            ("anthropic-beta", "b"),
            ("x-stainless-lang", "python"),
            ("content-type", "application/json"),
            ("http-referer", "https://app.example"),
        ]);
        let sent = allowed(&client, &[]);
        let expected =
            ["anthropic-beta", "content-type", "http-referer", "openai-beta", "x-stainless-lang"];
        assert_eq!(names(&sent), expected);
        assert_eq!(sent.get_all("anthropic-beta").iter().count(), 2);
        let more = ["x-forwarded-for".to_owned(), "authorization".to_owned()];
        let sent = allowed(&client, &more);
        assert!(sent.contains_key("x-forwarded-for") && !sent.contains_key("authorization"));
        assert_eq!(names(&credentials(&client)), ["authorization", "openai-organization"]);
    }

    #[test]
    fn a_key_is_shown_as_the_other_protocol_wants_it() {
        let google = AuthHeader::Named("x-goog-api-key");
        let bearer = headers(&[("authorization", "Bearer k"), ("openai-project", "p")]);
        let (name, value) = credential_as(&bearer, google).unwrap();
        assert_eq!((name.as_str(), value.to_str().unwrap()), ("x-goog-api-key", "k"));
        assert!(value.is_sensitive());
        let plain = headers(&[("x-goog-api-key", "k")]);
        let (name, value) = credential_as(&plain, AuthHeader::Bearer).unwrap();
        assert_eq!((name.as_str(), value.to_str().unwrap()), ("authorization", "Bearer k"));
        assert!(credential_as(&headers(&[("x-api-key", "ew_1")]), google).is_none());
        assert!(credential_as(&HeaderMap::new(), google).is_none());
    }

    #[test]
    fn a_key_of_ours_is_no_credential_for_an_upstream() {
        for (name, value) in
            [("authorization", "Bearer ew_1"), ("x-api-key", "ew_1"), ("api-key", " ew_1")]
        {
            assert!(credentials(&headers(&[(name, value)])).is_empty(), "{name}: {value}");
        }
    }
}
