//! The JSON of a problem document (RFC 9457).

use serde::Serialize;

/// One problem document.
#[derive(Serialize)]
pub(super) struct ProblemDocument<'a> {
    pub(super) r#type: String,
    pub(super) title: &'a str,
    pub(super) status: u16,
    pub(super) detail: String,
    pub(super) kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'a str>,
}
