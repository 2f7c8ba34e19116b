//! One way to make an HTTP client, so that every one of them has the same TLS and complains alike.
//!
//! The cryptography is ring's, because it builds with nothing but a C compiler.

/// A client builder with TLS ready. Wherever this crate is linked, `reqwest` clients must be made
/// from it: one made without it finds no cryptography and panics.
pub fn client_builder() -> reqwest::ClientBuilder {
    // It fails if it has been installed before, which is what is wanted.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().tls_backend_rustls()
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
