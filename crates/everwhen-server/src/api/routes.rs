//! The table of contents of the REST API. Paths and methods are declared at the handlers, where the
//! OpenAPI document takes them from; this table groups them by path.

use axum::Router;
use axum::routing::{get, post};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{
    chapters, context, conversations, entries, export, facts, files, health, imports, keys,
    memories, period, recall, retrospection, timeline, times, upkeep, usage, vaults,
};
use crate::ServerState;

/// All routes with their documentation.
#[rustfmt::skip]
pub(super) fn table() -> OpenApiRouter<ServerState> {
    OpenApiRouter::default()
        // GET /healthz, /readyz, /metrics, /openapi.json
        .routes(routes!(health::live))
        .routes(routes!(health::ready))
        .routes(routes!(health::metrics))
        .routes(routes!(health::openapi_document))

        // /v1/vaults, /v1/vaults/{vault}
        .routes(routes!(vaults::list_vaults, vaults::create_vault))
        .routes(routes!(vaults::get_vault, vaults::change_vault, vaults::forget_vault))
        // POST /v1/vaults/{vault}/forget
        .routes(routes!(vaults::forget_period))
        // GET /v1/vaults/{vault}/usage
        .routes(routes!(usage::get_usage))
        // GET /v1/vaults/{vault}/period
        .routes(routes!(period::read_period))

        // …/memories, …/memories/{memory}
        .routes(routes!(memories::list_memories, memories::create_memory))
        .routes(routes!(memories::get_memory, memories::change_memory, memories::forget_memory))

        .merge(said())
        .merge(derived())
        .merge(transferred())

        // POST …/memories/{memory}/recall, /v1/vaults/{vault}/recall
        .routes(routes!(recall::recall))
        .routes(routes!(recall::recall_all))

        .merge(operator())
}

/// Entries, the context document and conversations.
#[rustfmt::skip]
fn said() -> OpenApiRouter<ServerState> {
    OpenApiRouter::default()
        // …/memories/{memory}/entries, …/entries/batch, …/entries/{id}, …/entries/{id}/correction
        .routes(routes!(entries::list_entries, entries::remember_entry))
        .routes(routes!(entries::remember_batch))
        .routes(routes!(entries::get_entry, entries::change_entry, entries::forget_entry))
        .routes(routes!(entries::correct_entry))
        // …/memories/{memory}/tags
        .routes(routes!(entries::list_tags))

        // …/memories/{memory}/context, …/context/rebuild, …/context/versions and each of them
        .routes(routes!(context::get_context, context::put_context))
        .routes(routes!(context::rebuild_context))
        .routes(routes!(context::list_context_versions))
        .routes(routes!(context::forget_context_version))

        // POST …/memories/{memory}/files
        .routes(routes!(files::run_file_command))

        // …/memories/{memory}/times
        .routes(routes!(times::get_times, times::put_times))

        // …/memories/{memory}/conversations, …/conversations/{id} and what can be done to them
        .routes(routes!(conversations::list_conversations))
        .routes(routes!(conversations::get_prompt))
        .routes(routes!(conversations::end_conversation))
        .routes(routes!(conversations::summarize_conversation))
        .routes(routes!(conversations::import_conversation))
        .routes(routes!(conversations::import_conversations))
        .routes(routes!(conversations::get_conversation, conversations::forget_conversation))
        .routes(routes!(conversations::fork_conversation))
        .routes(routes!(conversations::restore_conversation))
        .routes(routes!(conversations::record_activities))

        // …/memories/{memory}/retrospection
        .routes(routes!(retrospection::get_retrospection, retrospection::retrospect))
}

/// What only the operator may do, and jobs of a memory.
#[rustfmt::skip]
fn operator() -> OpenApiRouter<ServerState> {
    OpenApiRouter::default()
        // /v1/keys, /v1/keys/{id}, /v1/doctor, /v1/settle, /v1/jobs/{id}/retry,
        // /v1/jobs/retry; and POST …/memories/{memory}/jobs/retry
        .routes(routes!(keys::list_keys, keys::add_key))
        .routes(routes!(keys::remove_key))
        .routes(routes!(upkeep::examine))
        .routes(routes!(upkeep::retry_jobs))
        .routes(routes!(upkeep::retry_jobs_of_memory))
        .routes(routes!(upkeep::retry_job))
        .routes(routes!(upkeep::settle))
}

/// Data derived from entries.
#[rustfmt::skip]
fn derived() -> OpenApiRouter<ServerState> {
    OpenApiRouter::default()
        // GET …/memories/{memory}/timeline, …/density
        .routes(routes!(timeline::get_timeline))
        .routes(routes!(timeline::get_events))
        .routes(routes!(timeline::get_density))

        // …/memories/{memory}/facts, …/facts/text, …/facts/{id} and its history, …/profile
        .routes(routes!(facts::list_facts))
        .routes(routes!(facts::get_facts_text))
        .routes(routes!(facts::get_fact, facts::correct_fact, facts::remove_fact))
        .routes(routes!(facts::get_fact_history))
        .routes(routes!(facts::pin_fact))
        .routes(routes!(facts::get_profile))

        // …/memories/{memory}/chapters, …/summary, …/summary/versions, …/regenerate
        .routes(routes!(chapters::list_chapters))
        .routes(routes!(chapters::import_chapters))
        .routes(routes!(chapters::get_summary))
        .routes(routes!(chapters::list_summary_versions))
        .routes(routes!(chapters::distill))
        .routes(routes!(chapters::regenerate))
}

/// Whole files: exports and imports.
#[rustfmt::skip]
fn transferred() -> OpenApiRouter<ServerState> {
    OpenApiRouter::default()
        // /v1/vaults/{vault}/export, …/imports, …/imports/{id}
        .routes(routes!(export::export_vault))
        .routes(routes!(imports::list_imports, imports::import_file))
        .routes(routes!(imports::get_import, imports::cancel_import))
}

/// What an agent's hook reads and stores while its user waits: a few routes of [`table`], without their
/// documentation, which takes longer to put together than they take to answer.
pub(super) fn brief() -> Router<ServerState> {
    let in_memory = |rest: &str| format!("/v1/vaults/{{vault}}/memories/{{memory}}{rest}");
    let entries = get(entries::list_entries).post(entries::remember_entry);
    Router::new()
        .route("/v1/vaults/{vault}", get(vaults::get_vault))
        .route(&in_memory("/entries"), entries)
        .route(&in_memory("/context"), get(context::get_context))
        .route(&in_memory("/conversations"), get(conversations::list_conversations))
        .route(&in_memory("/recall"), post(recall::recall))
}
