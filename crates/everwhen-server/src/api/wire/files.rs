//! Answers to commands on files.

use everwhen as engine;
use serde::Serialize;
use utoipa::ToSchema;

/// The answer to a command on files.
#[derive(Serialize, ToSchema)]
pub(crate) struct FileAnswer {
    /// The text for the model.
    text: String,
    /// Whether the command was refused.
    is_error: bool,
}

impl From<engine::FileAnswer> for FileAnswer {
    fn from(answer: engine::FileAnswer) -> Self {
        Self { text: answer.text, is_error: answer.is_error }
    }
}
