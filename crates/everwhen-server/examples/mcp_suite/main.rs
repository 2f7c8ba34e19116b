//! A server for the official conformance suite: the router, keys and guards of the real one, and in
//! place of our tools those that the suite calls. It exists for tests only.
//!
//! `cargo run -p everwhen-server --example mcp_suite -- 127.0.0.1:3941`

#![expect(deprecated, reason = "the suite also asks for what newer revisions have dropped")]

mod asking;
mod reading;
mod tools;

use std::sync::{Arc, LazyLock};

use everwhen_server::{McpSessions, ServerState, mount_mcp, router_with_mcp, serve};
use everwhen_testkit::{PlainStore, engine_over};
use rmcp::model::*;
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use serde_json::value::from_value;
use tokio::net::TcpListener;
use tokio::sync::broadcast;

/// Tells open streams that a list has changed.
static CHANGES: LazyLock<broadcast::Sender<Change>> = LazyLock::new(|| broadcast::channel(16).0);

/// Which list has changed.
#[derive(Clone, Copy)]
enum Change {
    Tools,
    Prompts,
}

type Context = RequestContext<RoleServer>;
type Answer<T> = Result<T, ErrorData>;
type Page = Option<PaginatedRequestParams>;

/// What a handler says in JSON, as the library's type.
fn said<T: serde::de::DeserializeOwned>(value: Value) -> T {
    from_value(value).expect("the suite's own texts are well formed")
}

/// The suite's server.
struct Suite;

impl ServerHandler for Suite {
    fn get_info(&self) -> ServerConfig {
        let offers = ServerCapabilities::builder()
            .enable_logging()
            .enable_completions()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        ServerConfig::new(offers).with_server_info(Implementation::new("suite", "1"))
    }

    async fn set_level(&self, _: SetLevelRequestParams, _: Context) -> Answer<()> {
        Ok(())
    }

    async fn complete(&self, _: CompleteRequestParams, _: Context) -> Answer<CompleteResult> {
        let values = vec!["paris".to_owned(), "park".to_owned(), "party".to_owned()];
        Ok(CompleteResult::new(CompletionInfo::with_all_values(values).unwrap_or_default()))
    }

    async fn list_tools(&self, _: Page, _: Context) -> Answer<ListToolsResult> {
        Ok(ListToolsResult::with_all_items(tools::list()))
    }

    async fn call_tool(
        &self,
        asked: CallToolRequestParams,
        context: Context,
    ) -> Answer<CallToolResponse> {
        match asking::tool(&asked, &context)? {
            Some(answer) => Ok(answer),
            None => tools::call(&asked, &context).await.map(CallToolResponse::from),
        }
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::list().into_iter().find(|tool| tool.name == name)
    }

    async fn list_prompts(&self, _: Page, _: Context) -> Answer<ListPromptsResult> {
        Ok(ListPromptsResult::with_all_items(reading::prompts()))
    }

    async fn get_prompt(
        &self,
        asked: GetPromptRequestParams,
        _: Context,
    ) -> Answer<GetPromptResponse> {
        match asking::prompt(&asked) {
            Some(answer) => Ok(answer),
            None => reading::prompt(&asked).map(GetPromptResponse::from),
        }
    }

    async fn list_resources(&self, _: Page, _: Context) -> Answer<ListResourcesResult> {
        Ok(ListResourcesResult::with_all_items(reading::resources()))
    }

    async fn list_resource_templates(
        &self,
        _: Page,
        _: Context,
    ) -> Answer<ListResourceTemplatesResult> {
        Ok(ListResourceTemplatesResult::with_all_items(reading::templates()))
    }

    async fn read_resource(
        &self,
        asked: ReadResourceRequestParams,
        _: Context,
    ) -> Answer<ReadResourceResponse> {
        reading::resource(&asked.uri).map(ReadResourceResponse::from)
    }

    async fn subscribe(&self, _: SubscribeRequestParams, _: Context) -> Answer<()> {
        Ok(())
    }

    async fn unsubscribe(&self, _: UnsubscribeRequestParams, _: Context) -> Answer<()> {
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        asked: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(asked.clone())
    }

    async fn listen(&self, stream: SubscriptionContext) -> Answer<()> {
        let mut changes = CHANGES.subscribe();
        loop {
            tokio::select! {
                () = stream.cancelled() => return Ok(()),
                change = changes.recv() => match change {
                    // A stream that did not ask for this list is not told; that is no failure.
                    Ok(Change::Tools) => drop(stream.sink().notify_tool_list_changed().await),
                    Ok(Change::Prompts) => drop(stream.sink().notify_prompt_list_changed().await),
                    Err(_) => return Ok(()),
                },
            }
        }
    }
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:3941".into());
    let (engine, _) = engine_over(Arc::new(PlainStore::default()));
    let state = ServerState::new(engine, None).await.expect("an empty store has no keys to read");
    let mounted = mount_mcp(&state, McpSessions::Kept, || Suite);
    let listener = TcpListener::bind(address).await?;
    let limits = everwhen::ServerLimits::default();
    serve(router_with_mcp(state, mounted), listener, limits, std::future::pending()).await
}
