//! What the memory tool answers.

use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
pub(crate) struct FileCommandOutput {
    pub(crate) text: String,
}
