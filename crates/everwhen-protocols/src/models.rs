//! Lists of models in the neutral form.

use jiff::Timestamp;

/// A model as a list names it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelInfo {
    /// The name by which a request asks for it.
    pub id: String,
    /// Who offers it.
    pub owner: Option<String>,
    /// When it was made.
    pub created: Option<Timestamp>,
    /// A hash that no other model has, for clients that take equal hashes for one model.
    pub digest: String,
}
