//! Headers that come back from an upstream, and text in headers. What goes to an upstream is decided
//! in [`super::egress`].

use axum::http::header::{
    CONNECTION, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, SET_COOKIE, STRICT_TRANSPORT_SECURITY, TE,
    TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};

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
/// Headers by which an upstream would set up a browser for its own host, which ours is not.
const OF_THE_HOST: [HeaderName; 4] = [
    SET_COOKIE,
    STRICT_TRANSPORT_SECURITY,
    HeaderName::from_static("alt-svc"),
    HeaderName::from_static("clear-site-data"),
];
/// What the names of headers begin with that only we may send: our own, and which web pages may read
/// an answer.
const OURS: [&str; 2] = ["x-everwhen-", "access-control-"];

/// What of an upstream's headers a client gets.
pub(crate) fn for_client(upstream: &HeaderMap) -> HeaderMap {
    let named = upstream.get_all(CONNECTION).iter().filter_map(|value| value.to_str().ok());
    let named: Vec<String> =
        named.flat_map(|value| value.split(',')).map(|name| name.trim().to_lowercase()).collect();
    let stays = |name: &HeaderName| {
        OF_THE_CONNECTION.contains(name)
            || OF_THE_HOST.contains(name)
            || OURS.iter().any(|prefix| name.as_str().starts_with(prefix))
            || named.iter().any(|one| one == name.as_str())
    };
    let mut headers = HeaderMap::with_capacity(upstream.len());
    for (name, value) in upstream.iter().filter(|(name, _)| !stays(name)) {
        headers.append(name.clone(), value.clone());
    }
    headers
}

/// Text as the value of a header: one line of plain characters.
pub(crate) fn value(text: &str) -> HeaderValue {
    const ODD: &percent_encoding::AsciiSet = &percent_encoding::CONTROLS.add(b'%');
    let plain = percent_encoding::utf8_percent_encode(text, ODD).to_string();
    HeaderValue::try_from(plain).expect("percent-encoded text is plain")
}

/// The text of a header, percent-encoding resolved; nothing if the header is absent or empty.
pub(crate) fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    given(headers, name).filter(|text| !text.is_empty())
}

/// The text of a header, percent-encoding resolved; an empty text if the header is present and empty. What keeps people or memories apart reads its
/// header so: a header that names nothing must not be read as one that was not sent.
pub(crate) fn given(headers: &HeaderMap, name: &str) -> Option<String> {
    let sent = headers.get(name)?.as_bytes().trim_ascii();
    let bytes: Vec<u8> = percent_encoding::percent_decode(sent).collect();
    // HTTP libraries send characters beyond ASCII either in UTF-8 or, if they are in it, in Latin-1 (RFC 9110,
    // 5.5), in which each byte is the character of that number. Words in Latin-1 are hardly ever valid UTF-8.
    Some(
        String::from_utf8(bytes)
            .unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upstream_does_not_speak_for_our_host() {
        let pairs = [
            ("connection", "x-hop"),
            ("x-hop", "1"),
            ("set-cookie", "a=1"),
            ("access-control-allow-origin", "*"),
            ("strict-transport-security", "max-age=1"),
            ("x-everwhen-memory", "m"),
            ("x-request-id", "r1"),
            ("retry-after", "7"),
        ];
        let pair = |(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value));
        let upstream: HeaderMap = pairs.into_iter().map(pair).collect();
        let mut sent: Vec<String> =
            for_client(&upstream).keys().map(|name| name.as_str().to_owned()).collect();
        sent.sort_unstable();
        assert_eq!(sent, ["retry-after", "x-request-id"]);
    }

    #[test]
    fn any_text_fits_a_header_and_comes_back() {
        for text in ["plain", "日記 100%", "two\nlines"] {
            let headers: HeaderMap =
                [(HeaderName::from_static("x"), value(text))].into_iter().collect();
            assert_eq!(super::text(&headers, "x").as_deref(), Some(text));
        }
    }

    #[test]
    fn a_name_is_the_same_in_every_encoding() {
        for sent in ["Jürgen".as_bytes(), b"J\xfcrgen", b" J\xfcrgen ", b"J%C3%BCrgen", b"J%FCrgen"]
        {
            let value = HeaderValue::from_bytes(sent).unwrap();
            let headers = [(HeaderName::from_static("x"), value)].into_iter().collect();
            assert_eq!(text(&headers, "x").as_deref(), Some("Jürgen"), "{sent:?}");
        }
    }

    #[test]
    fn an_empty_header_is_not_an_absent_one() {
        let empty = [(HeaderName::from_static("x"), HeaderValue::from_static(" "))];
        let headers: HeaderMap = empty.into_iter().collect();
        assert_eq!((given(&headers, "x").as_deref(), given(&headers, "y")), (Some(""), None));
        assert_eq!(text(&headers, "x"), None);
    }
}
