//! Headers that keep the page to itself: nothing from elsewhere is loaded, no text becomes a script,
//! and no other page can show this one.

use axum::http::header::{
    CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue};

const DOCUMENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// What is no document may do nothing at all. Every file has it, so it is short.
const FILE_POLICY: &str = "default-src 'none'; frame-ancestors 'none'; trusted-types 'none'";

/// The headers of every response below `/ui`.
pub(crate) fn all() -> [(HeaderName, HeaderValue); 4] {
    let text = HeaderValue::from_static;
    [
        (CONTENT_SECURITY_POLICY, text(FILE_POLICY)),
        (X_CONTENT_TYPE_OPTIONS, text("nosniff")),
        (REFERRER_POLICY, text("no-referrer")),
        (HeaderName::from_static("cross-origin-resource-policy"), text("same-origin")),
    ]
}

/// Headers that mean something for a document only, and its own policy. Scripts and styles go without
/// them.
pub(crate) fn of_document() -> [(HeaderName, HeaderValue); 4] {
    let text = HeaderValue::from_static;
    [
        (CONTENT_SECURITY_POLICY, text(DOCUMENT_POLICY)),
        (X_FRAME_OPTIONS, text("DENY")),
        (HeaderName::from_static("cross-origin-opener-policy"), text("same-origin")),
        (
            HeaderName::from_static("permissions-policy"),
            text("camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
        ),
    ]
}
