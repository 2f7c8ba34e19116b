//! The URL of a server, as people type it.

use crate::failure::{Failure, Result};

/// The URL of a server, whose scheme may be left out.
pub(crate) fn server_url(typed: &str) -> Result<String> {
    let url = if typed.contains("://") { typed.to_owned() } else { format!("http://{typed}") };
    let is_right = reqwest::Url::parse(&url)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    match is_right {
        true => Ok(url.trim_end_matches('/').to_owned()),
        false => Err(Failure::usage(format!(
            "{typed:?} is not the URL of a server; write one such as http://127.0.0.1:3939"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_may_be_named_without_its_scheme() {
        assert_eq!(server_url("127.0.0.1:3939/").unwrap(), "http://127.0.0.1:3939");
        assert_eq!(server_url("https://example.org").unwrap(), "https://example.org");
        for wrong in ["", "http://", "ftp://example.org", "a b", "localhost:port"] {
            assert_eq!(server_url(wrong).unwrap_err().code, 2, "{wrong:?}");
        }
    }
}
