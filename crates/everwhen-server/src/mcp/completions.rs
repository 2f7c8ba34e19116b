//! Completions: names of memories and ids of conversations, as they are typed.

use everwhen::{ErrorKind, Result, limits};
use rmcp::model::{CompleteRequestParams, CompletionInfo};

use super::{call::ToolCall, prompts, resources};

/// Completes the argument that is being typed.
pub(crate) async fn complete(
    call: &ToolCall,
    asked: &CompleteRequestParams,
) -> Result<CompletionInfo> {
    let uri = asked.r#ref.as_resource_uri().unwrap_or_default();
    let begun = asked.argument.value.to_lowercase();
    let all = match (asked.argument.name.as_str(), uri.contains("conversations/")) {
        ("id", true) => conversations(call).await,
        ("id", false) | (prompts::MEMORY, _) => memories(call).await,
        _ => Ok(Vec::new()),
    };
    let all = match all {
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        all => all?,
    };
    let mut values: Vec<String> =
        all.into_iter().filter(|value| value.to_lowercase().starts_with(&begun)).collect();
    let total = values.len();
    values.truncate(CompletionInfo::MAX_VALUES);
    let (more, total) = (total > values.len(), u32::try_from(total).ok());
    Ok(CompletionInfo::with_pagination(values, total, more).unwrap_or_default())
}

async fn memories(call: &ToolCall) -> Result<Vec<String>> {
    let page = call.vault(None).await?.memories(None, Some(limits::PAGE_ROWS)).await?;
    Ok(page.data.into_iter().map(|memory| memory.name.to_string()).collect())
}

async fn conversations(call: &ToolCall) -> Result<Vec<String>> {
    let vault = call.vault(None).await?;
    let recent = resources::recent(&vault, call.memory(None)?, limits::PAGE_ROWS).await?;
    Ok(recent.iter().map(everwhen::memory::Conversation::wire_name).collect())
}
