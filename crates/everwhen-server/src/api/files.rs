//! Files that a model keeps for itself.

use everwhen::FileAnswer;

use super::extract::{JsonBody, MemoryInPath, OpenOrCreateVault};
use super::response::{ApiResult, JsonResponse};
use super::wire;
use crate::wire::memory_tool::FileCommandInput;

/// Run a command on files
///
/// The six commands of Anthropic's memory tool (`memory_20250818`), with their texts. Every version of a file stays,
/// with its date. A command that cannot be carried out is answered with `is_error`, for the model to read.
#[utoipa::path(
    post, path = "/v1/vaults/{vault}/memories/{memory}/files", tag = "context",
    request_body = FileCommandInput,
    responses((status = 200, description = "The answer for the model", body = wire::FileAnswer)),
)]
pub(super) async fn run_file_command(
    OpenOrCreateVault(vault): OpenOrCreateVault,
    MemoryInPath(memory): MemoryInPath,
    JsonBody { body, once }: JsonBody<FileCommandInput>,
) -> ApiResult<wire::FileAnswer> {
    let as_of = body.as_of()?;
    let answer = match body.command() {
        Ok(command) => vault.run_file_command(memory, command, as_of, once).await?,
        Err(error) => FileAnswer::refused(&error),
    };
    let replayed = answer.replayed;
    Ok(JsonResponse::ok(answer.into()).replayed(replayed))
}
