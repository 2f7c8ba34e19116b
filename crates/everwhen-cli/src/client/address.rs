//! The URL of a server, as people type it, and paths that a URL can have.

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

/// Refuses a path with `.` or `..` as a part: URLs have no way to write these two as a name, so an entry `..`
/// would be the memory it is in.
pub(crate) fn check_path(path: &str) -> Result<()> {
    match path.split('/').find(|part| matches!(*part, "." | "..")) {
        Some(part) => Err(Failure::usage(format!(
            "{part:?} is no name or id; write neither \".\" nor \"..\""
        ))),
        None => Ok(()),
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

    #[test]
    fn no_name_leads_to_another_address() {
        for wrong in ["..", "."] {
            let path = format!("/v1/vaults/v/memories/m/entries/{wrong}");
            assert_eq!(check_path(&path).unwrap_err().code, 2, "{path}");
            assert_eq!(check_path(&format!("/v1/vaults/{wrong}/usage")).unwrap_err().code, 2);
        }
        check_path("/v1/vaults/v..1/memories/a.b").unwrap();
    }
}
