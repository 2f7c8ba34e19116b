//! The key of a provider's API. It is sent to that provider and shown nowhere else.

use std::fmt;

use reqwest::header::HeaderValue;

/// A key that does not appear in logs, errors or debug output.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// A secret; blanks around it are not part of it.
    pub fn new(text: &str) -> Self {
        Self(text.trim().to_owned())
    }

    /// Whether it can be sent in a header.
    pub fn is_sendable(&self) -> bool {
        !self.0.is_empty() && self.0.bytes().all(|byte| byte.is_ascii_graphic())
    }

    /// As a bearer token, marked so that no layer below prints it. Only what
    /// [`is_sendable`](Self::is_sendable) can be sent.
    pub fn bearer(&self) -> HeaderValue {
        sensitive(&format!("Bearer {}", self.0))
    }

    /// As a header of its own, such as `x-api-key`, marked in the same way.
    pub fn plain(&self) -> HeaderValue {
        sensitive(&self.0)
    }

    /// Its bytes, to check what was signed with it.
    pub fn bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// A text without the secret in it.
    pub(crate) fn hidden_in(&self, text: &str) -> String {
        text.replace(&self.0, "(key)")
    }
}

fn sensitive(text: &str) -> HeaderValue {
    let mut value =
        HeaderValue::try_from(text).expect("settings are checked for keys that cannot be sent");
    value.set_sensitive(true);
    value
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(key)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_shown_to_nobody() {
        let secret = Secret::new(" sk-123\n");
        assert_eq!(format!("{secret:?} {:?}", secret.bearer()), "(key) Sensitive");
        assert_eq!(secret.bearer().to_str().unwrap(), "Bearer sk-123");
        assert_eq!(secret.hidden_in("wrong key: sk-123!"), "wrong key: (key)!");
    }

    #[test]
    fn what_fits_no_header_is_known() {
        assert!(Secret::new("sk-1").is_sendable());
        assert!(!Secret::new("").is_sendable());
        assert!(!Secret::new("two\nlines").is_sendable());
    }
}
