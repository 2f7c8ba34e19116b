//! Which headers travel on, in both directions.

use axum::http::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, EXPECT, HOST, PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// The client's own key, where it is not in `Authorization`.
pub(crate) const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// What everything that is meant for us alone begins with.
const OURS: &str = "x-everwhen-";

/// Headers that belong to one connection and end with it.
const OF_THE_CONNECTION: [HeaderName; 8] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// What of a client's headers an upstream gets. Replies are read here, so they must come
/// unpacked; and the length is that of the body that is really sent.
pub(crate) fn for_upstream(client: &HeaderMap, with_credentials: bool) -> HeaderMap {
    let stays = |name: &HeaderName| {
        OF_THE_CONNECTION.contains(name)
            || [HOST, CONTENT_LENGTH, ACCEPT_ENCODING, EXPECT].contains(name)
            || name.as_str().starts_with(OURS)
            || (!with_credentials && [AUTHORIZATION, API_KEY].contains(name))
    };
    travelling(client, stays)
}

/// What of an upstream's headers a client gets.
pub(crate) fn for_client(upstream: &HeaderMap) -> HeaderMap {
    travelling(upstream, |name| OF_THE_CONNECTION.contains(name) || name.as_str().starts_with(OURS))
}

/// Headers without those that stay, and without those that `Connection` names.
fn travelling(headers: &HeaderMap, stays: impl Fn(&HeaderName) -> bool) -> HeaderMap {
    let named = headers.get_all(CONNECTION).iter().filter_map(|value| value.to_str().ok());
    let named: Vec<String> =
        named.flat_map(|value| value.split(',')).map(|name| name.trim().to_lowercase()).collect();
    let travels = |name: &HeaderName| !stays(name) && !named.iter().any(|one| one == name.as_str());
    let pairs = headers.iter().filter(|(name, _)| travels(name));
    pairs.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Text as the value of a header: one line of plain characters.
pub(crate) fn value(text: &str) -> HeaderValue {
    const ODD: &percent_encoding::AsciiSet = &percent_encoding::CONTROLS.add(b'%');
    let plain = percent_encoding::utf8_percent_encode(text, ODD).to_string();
    HeaderValue::try_from(plain).expect("percent-encoded text is plain")
}

/// The text of a header, percent-encoding resolved.
pub(crate) fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    let value = headers.get(name)?.to_str().ok()?;
    let text = percent_encoding::percent_decode_str(value.trim()).decode_utf8().ok()?;
    Some(text.into_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn ours_and_those_of_the_connection_stay() {
        let client = headers(&[
            ("host", "us"),
            ("connection", "keep-alive, X-Hop"),
            ("x-hop", "1"),
            ("x-everwhen-memory", "m"),
            ("accept-encoding", "gzip"),
            ("authorization", "Bearer k"),
            ("anthropic-version", "2023-06-01"),
        ]);
        let sent = for_upstream(&client, false);
        assert_eq!(sent.keys().map(HeaderName::as_str).collect::<Vec<_>>(), ["anthropic-version"]);
        assert!(for_upstream(&client, true).contains_key("authorization"));
    }

    #[test]
    fn any_text_fits_a_header_and_comes_back() {
        for text in ["plain", "日記 100%", "two\nlines"] {
            let headers: HeaderMap =
                [(HeaderName::from_static("x"), value(text))].into_iter().collect();
            assert_eq!(super::text(&headers, "x").as_deref(), Some(text));
        }
    }
}
