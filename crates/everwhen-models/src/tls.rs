//! One way to make an HTTP client, so that every one of them has the same TLS and complains alike.
//!
//! The cryptography is ring's, because it builds with nothing but a C compiler.

/// A client builder for an address, with TLS ready. Wherever this crate is linked, `reqwest`
/// clients must be made from it: one made without it finds no cryptography and panics.
///
/// Plain addresses do without the certificates of the system, so they work where there are none.
pub fn client_builder(url: &str) -> reqwest::ClientBuilder {
    // It fails if it has been installed before, which is what is wanted.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder().tls_backend_rustls();
    if is_secure(url) { builder } else { builder.tls_certs_only([]) }
}

fn is_secure(url: &str) -> bool {
    url.trim_start().get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:"))
}

/// What is behind a failed request, without the address: that may carry a key.
pub(crate) fn cause(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut cause: &dyn std::error::Error = &error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_can_be_made_and_made_again() {
        for _ in 0..2 {
            assert!(client_builder("http://127.0.0.1").build().is_ok());
        }
    }

    #[test]
    fn secure_addresses_are_told_from_plain_ones() {
        assert!(is_secure("https://h") && is_secure(" HTTPS://h"));
        assert!(!is_secure("http://https:") && !is_secure("h") && !is_secure("größe"));
    }
}
