//! Keys in the query of an address, as Gemini's clients may send them (`?key=…`).
//!
//! Such a key is moved into the header that the protocol has for it before anything else looks at the
//! request: it is then checked, passed on or kept back like any other, and no address that is logged
//! or sent anywhere contains it.

use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, Uri};
use everwhen_protocols::{AuthHeader, Protocol};
use percent_encoding::percent_decode_str;

use super::refused::without_memory;

/// Moves a key from the query of a request into its header. A header that is there already wins.
pub(super) fn move_to_header(request: &mut Request) {
    let path = without_memory(request.uri().path());
    let has_header = |name: &str| request.headers().contains_key(name);
    let adapter = Protocol::of_request(path, has_header).adapter();
    let (Some(parameter), AuthHeader::Named(header)) =
        (adapter.key_parameter(), adapter.auth_header())
    else {
        return;
    };
    let Some((uri, key)) = taken(request.uri(), parameter) else { return };
    *request.uri_mut() = uri;
    if let Ok(mut value) = HeaderValue::try_from(key) {
        value.set_sensitive(true);
        request.headers_mut().entry(HeaderName::from_static(header)).or_insert(value);
    }
}

/// The address without a parameter, and the parameter's value; nothing if it is not there.
fn taken(uri: &Uri, parameter: &str) -> Option<(Uri, String)> {
    let is_key = |pair: &&str| pair.split('=').next() == Some(parameter);
    let query = uri.query()?;
    let found = query.split('&').find(is_key)?;
    let key = found.split_once('=').map_or("", |(_, value)| value);
    let key = percent_decode_str(key).decode_utf8_lossy().into_owned();
    let rest: Vec<&str> = query.split('&').filter(|pair| !is_key(pair)).collect();
    let path = uri.path();
    let rest = match rest.is_empty() {
        true => path.to_owned(),
        false => format!("{path}?{}", rest.join("&")),
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(rest.parse().ok()?);
    Some((Uri::from_parts(parts).ok()?, key))
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn moved(uri: &str, header: Option<&str>) -> (String, Option<String>) {
        let mut request = Request::builder().uri(uri);
        if let Some(value) = header {
            request = request.header("x-goog-api-key", value);
        }
        let mut request = request.body(Body::empty()).unwrap();
        move_to_header(&mut request);
        let header = request.headers().get("x-goog-api-key");
        (request.uri().to_string(), header.map(|value| value.to_str().unwrap().to_owned()))
    }

    #[test]
    fn a_key_in_the_query_becomes_a_header() {
        let path = "/v1beta/models/m:streamGenerateContent";
        let with = |query: &str| moved(&format!("{path}?{query}"), None);
        assert_eq!(with("key=a%2Bb&alt=sse"), (format!("{path}?alt=sse"), Some("a+b".into())));
        assert_eq!(with("alt=sse&key=k"), (format!("{path}?alt=sse"), Some("k".into())));
        assert_eq!(with("key=k&key=l"), (path.to_owned(), Some("k".into())));
        assert_eq!(with("alt=sse"), (format!("{path}?alt=sse"), None));
        let (uri, key) = moved(&format!("/m/diary{path}?key=k"), None);
        assert_eq!((uri, key), (format!("/m/diary{path}"), Some("k".into())));
        assert_eq!(moved(&format!("{path}?key=k"), Some("h")).1.as_deref(), Some("h"));
    }

    #[test]
    fn other_protocols_have_no_key_there() {
        assert_eq!(moved("/v1/models?key=k", None), ("/v1/models?key=k".to_owned(), None));
    }
}
