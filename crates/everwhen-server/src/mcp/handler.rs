//! The MCP protocol: dispatches requests to tools, resources, prompts and completions.
//!
//! The handler has no state. The caller comes with the request, put there by [`super::call`].

use axum::http::request::Parts;
use everwhen::{Error, ErrorKind};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, DiscoverResult, ErrorCode, ErrorData, GetPromptRequestParams,
    GetPromptResponse, Implementation, InitializeRequestParams, InitializeResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde::de::DeserializeOwned;

use super::call::ToolCall;
use super::wire::Choice;
use super::{completions, prompts, resources, tools};

/// How long a client may cache a list that only changes with the version of the server.
const LISTS_LAST_MS: u64 = 3_600_000;

/// Implements the MCP server protocol.
pub(super) struct McpHandler;

type McpContext = RequestContext<RoleServer>;
type McpResult<T> = Result<T, ErrorData>;
type PageParams = Option<PaginatedRequestParams>;

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        let offers = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .build();
        let us = Implementation::new("everwhen", env!("CARGO_PKG_VERSION"))
            .with_title("Everwhen")
            .with_description("Memory that knows when");
        ServerConfig::new(offers).with_server_info(us)
    }

    async fn initialize(
        &self,
        asked: InitializeRequestParams,
        context: McpContext,
    ) -> McpResult<InitializeResult> {
        context.peer.set_peer_info(asked.clone());
        let profile = call(&context)?.choice.profile;
        Ok(self.negotiate_initialize(&asked)?.with_instructions(prompts::instructions(profile)))
    }

    async fn discover(&self, context: McpContext) -> McpResult<DiscoverResult> {
        let profile = call(&context)?.choice.profile;
        let info = self.get_info().with_instructions(prompts::instructions(profile));
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, info))
    }

    async fn list_tools(&self, _: PageParams, context: McpContext) -> McpResult<ListToolsResult> {
        let call = call(&context)?;
        let allowed = tools::shown(&call.choice).filter(|tool| call.require(tool.scope).is_ok());
        let shown = allowed.map(|tool| tool.shown.clone());
        Ok(ListToolsResult::with_all_items(shown.collect())
            .with_ttl_ms(LISTS_LAST_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn call_tool(
        &self,
        asked: CallToolRequestParams,
        context: McpContext,
    ) -> McpResult<CallToolResponse> {
        let call = call(&context)?;
        let tool = tools::named(&call.choice, &asked.name);
        let tool = tool.ok_or_else(|| no_tool(&call.choice, &asked.name))?;
        Ok(tool.call(call, asked.arguments.unwrap_or_default()).await.into())
    }

    async fn list_resources(
        &self,
        _: PageParams,
        context: McpContext,
    ) -> McpResult<ListResourcesResult> {
        let all = resources::list(&call(&context)?).await.map_err(refused)?;
        Ok(ListResourcesResult::with_all_items(all).with_cache_scope(CacheScope::Private))
    }

    async fn list_resource_templates(
        &self,
        _: PageParams,
        _: McpContext,
    ) -> McpResult<ListResourceTemplatesResult> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates())
            .with_ttl_ms(LISTS_LAST_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn read_resource(
        &self,
        asked: ReadResourceRequestParams,
        context: McpContext,
    ) -> McpResult<ReadResourceResponse> {
        let read = resources::read(&call(&context)?, &asked.uri).await;
        let text = read.map_err(|error| no_resource(error, &asked.uri))?;
        let result = ReadResourceResult::new(vec![text]).with_cache_scope(CacheScope::Private);
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        _: PageParams,
        context: McpContext,
    ) -> McpResult<ListPromptsResult> {
        let shown = prompts::list(call(&context)?.choice.profile);
        Ok(ListPromptsResult::with_all_items(shown)
            .with_ttl_ms(LISTS_LAST_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn get_prompt(
        &self,
        asked: GetPromptRequestParams,
        _: McpContext,
    ) -> McpResult<GetPromptResponse> {
        let prompt = prompts::get(&asked.name, asked.arguments.as_ref());
        Ok(prompt.map_err(refused)?.into())
    }

    async fn complete(
        &self,
        asked: CompleteRequestParams,
        context: McpContext,
    ) -> McpResult<CompleteResult> {
        let found = completions::complete(&call(&context)?, &asked).await;
        Ok(CompleteResult::new(found.map_err(refused)?))
    }

    async fn on_custom_request(
        &self,
        asked: CustomRequest,
        context: McpContext,
    ) -> McpResult<CustomResult> {
        let version = context.meta.protocol_version();
        let has_initialize = version.is_none_or(|version| version.has_initialize());
        Err(misread(&asked, has_initialize))
    }
}

/// Why a request is none of those that are known. The library takes one whose parameters do not fit for one
/// with a custom method. Versions of the protocol since 2026-07-28 do not have `initialize`.
fn misread(asked: &CustomRequest, has_initialize: bool) -> ErrorData {
    let why = match asked.method.as_str() {
        "initialize" if has_initialize => misfit::<InitializeRequestParams>(asked),
        "tools/call" => misfit::<CallToolRequestParams>(asked),
        "resources/read" => misfit::<ReadResourceRequestParams>(asked),
        "prompts/get" => misfit::<GetPromptRequestParams>(asked),
        "completion/complete" => misfit::<CompleteRequestParams>(asked),
        _ => None,
    };
    match why {
        Some(why) => ErrorData::invalid_params(format!("params of {}: {why}", asked.method), None),
        None => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, asked.method.clone(), None),
    }
}

fn misfit<T: DeserializeOwned>(asked: &CustomRequest) -> Option<String> {
    let params = asked.params.clone().unwrap_or_else(|| serde_json::json!({}));
    serde_json::from_value::<T>(params).err().map(|error| error.to_string())
}

/// The caller of a request.
fn call(context: &McpContext) -> McpResult<ToolCall> {
    let parts = context.extensions.get::<Parts>();
    let call = parts.and_then(|parts| parts.extensions.get::<ToolCall>());
    call.cloned()
        .ok_or_else(|| ErrorData::internal_error("the request was not authenticated", None))
}

fn no_tool(choice: &Choice, name: &str) -> ErrorData {
    let hint = match tools::is_hidden(choice, name) {
        true => "; it is shown with `everwhen mcp --tools full` or /mcp?tools=full",
        false => "",
    };
    ErrorData::invalid_params(format!("Unknown tool: {name}{hint}"), None)
}

fn no_resource(error: Error, uri: &str) -> ErrorData {
    match error.kind() {
        ErrorKind::NotFound => {
            let data = serde_json::json!({ "uri": uri });
            ErrorData::resource_not_found(error.message().to_owned(), Some(data))
        }
        _ => refused(error),
    }
}

/// Converts an engine error to a protocol error.
fn refused(error: Error) -> ErrorData {
    let message = error.message().to_owned();
    match error.kind() {
        ErrorKind::Damaged | ErrorKind::Unavailable | ErrorKind::Busy => {
            ErrorData::internal_error(message, None)
        }
        _ => ErrorData::invalid_params(message, None),
    }
}
