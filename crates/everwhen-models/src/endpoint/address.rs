//! Addresses as people write them, and as they may be shown.

use everwhen_engine::{Error, Result};
use reqwest::Url;

/// An address with a host that can be asked over HTTP.
pub(crate) fn read_url(text: &str) -> Result<Url> {
    let wrong = || {
        let url = shown_url(text);
        Error::invalid(format!("\"{url}\" is not an address; write http://… or https://…"))
    };
    let url = Url::parse(text.trim()).map_err(|_| wrong())?;
    let usable = matches!(url.scheme(), "http" | "https") && url.host_str().is_some();
    if usable { Ok(url) } else { Err(wrong()) }
}

/// The address without anything in it that might be a key.
pub(crate) fn shown_url(text: &str) -> String {
    let Ok(mut url) = Url::parse(text.trim()) else {
        let rest = text.rsplit('@').next().and_then(|rest| rest.split('?').next());
        return rest.unwrap_or_default().to_owned();
    };
    url.set_query(None);
    // Addresses that cannot carry a user carry no secret either.
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    url.to_string().trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_are_none_are_refused_without_their_secrets() {
        for url in ["", "h:8080", "ftp://h", "localhost", "http://"] {
            assert!(read_url(url).is_err(), "{url}");
        }
        assert_eq!(shown_url("https://me:word@h/v1?key=abc"), "https://h/v1");
        assert_eq!(shown_url("//me:word@h?key=abc"), "h");
        let error = read_url("//me:word@h?key=abc").unwrap_err();
        assert!(!error.message().contains("word") && !error.message().contains("abc"), "{error}");
    }
}
