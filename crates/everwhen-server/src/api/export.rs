//! The export of a vault or a memory as lines of JSON, or of a memory in the format of another program.

use std::sync::Arc;

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use everwhen::export::{ExportWriter, write_foreign};
use everwhen::memory::Address;
use everwhen::{ConflictReason, Error};
use futures_util::stream;
use tokio::io::{AsyncReadExt, AsyncSeekExt};

use super::extract::{OpenVault, QueryParams};
use super::wire;
use crate::error::RequestError;

/// Bytes that are sent at a time.
const CHUNK: usize = 128 * 1024;
/// The media type of lines of JSON.
const LINES: &str = "application/x-ndjson";

/// Export a vault
///
/// Everything in the vault, or in one memory, as lines of JSON: entries with both times and their origin,
/// conversations, branches, corrections, facts, chapters, context documents. It is one consistent state.
/// `POST .../imports` creates the same vault from it. With a `format` of another program, the conversations of
/// one memory with their times and branches, as that program and `POST .../imports` read them.
#[utoipa::path(
    get, path = "/v1/vaults/{vault}/export", tag = "imports",
    params(wire::ExportQuery),
    responses((status = 200, description = "The file", content(
        (String = "application/x-ndjson"), (Vec<serde_json::Value> = "application/json"), (String = "application/zip"),
    ))),
)]
pub(super) async fn export_vault(
    OpenVault(vault): OpenVault,
    QueryParams(query): QueryParams<wire::ExportQuery>,
) -> Result<Response, RequestError> {
    let memory = query.memory.as_deref().map(|name| Address::read("memory", name)).transpose()?;
    // Written to a file first, so that a slow client does not hold a state of the store.
    let file = tempfile::tempfile().map_err(|error| unwritable(&error))?;
    let reading = file.try_clone().map_err(|error| unwritable(&error))?;
    let media_type = match (query.format.foreign(), memory) {
        (None, memory) => {
            vault.export(memory, Arc::new(ExportWriter::new(file))).await?;
            LINES
        }
        (Some(format), Some(memory)) => {
            write_foreign(&vault, memory, format, file).await?;
            format.media_type()
        }
        (Some(_), None) => {
            return Err(Error::conflict("this format has one memory; name it with `memory`")
                .because(ConflictReason::InconsistentValues)
                .into());
        }
    };
    let mut file = tokio::fs::File::from_std(reading);
    file.rewind().await.map_err(|error| unwritable(&error))?;
    let chunks = stream::try_unfold(file, |mut file| async move {
        let mut chunk = vec![0; CHUNK];
        let read = file.read(&mut chunk).await?;
        chunk.truncate(read);
        Ok::<_, std::io::Error>((read > 0).then_some((chunk, file)))
    });
    Ok(([(CONTENT_TYPE, media_type)], Body::from_stream(chunks)).into_response())
}

fn unwritable(error: &std::io::Error) -> RequestError {
    Error::unavailable(format!("the export cannot be written: {error}")).into()
}
