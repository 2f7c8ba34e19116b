//! Every configuration key: its name, its environment variable, its description and an example value.

mod conversations;
mod facts;
mod reach;
mod server;
mod upkeep;

pub(super) use conversations::{
    CLOSED, COOLING, IDLE_TIMEOUT, LIFECYCLE, RETAINED, RETENTION, RETROSPECTION, STATE_TIMEOUT,
};
pub(super) use facts::{AUTO_PIN, BORNE_OUT, FORGETTING, HALF_LIFE, RELATED, SAME};
pub(super) use reach::{REACH, TOOL_ENTRIES};
pub(super) use server::{
    ALLOWED_HOSTS, ALLOWED_ORIGINS, BODY_TIMEOUT, HEADER_TIMEOUT,
    IDLE_TIMEOUT as CONNECTION_IDLE_TIMEOUT, MAX_BODY_MB, MAX_BUFFERED_MB, MAX_CONNECTIONS,
    MAX_JSON_DEPTH, MAX_REQUESTS, MAX_UPLOAD_MB, MCP_HOSTS, MCP_ORIGINS,
};
pub(super) use upkeep::{
    BACKUP_DIR, BACKUP_EVERY, BACKUP_KEEP, WATCH_EVERY, WATCH_MEMORY, WATCH_SOURCES,
};

/// One configuration key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Its name in the file, such as `store.synchronous`.
    pub name: &'static str,
    /// The environment variable that sets it.
    pub variable: &'static str,
    /// Its description.
    pub about: &'static str,
    /// What a valid value looks like, as the end of "write …".
    pub right: &'static str,
}

impl Key {
    /// The error for an invalid value.
    pub(super) fn wrong(self, text: &str) -> String {
        format!("`{}` is {text:?}; write {}", self.name, self.right)
    }
}

const fn key(
    name: &'static str,
    variable: &'static str,
    about: &'static str,
    right: &'static str,
) -> Key {
    Key { name, variable, about, right }
}

/// The data directory.
pub(super) const DATA: Key = key(
    "data",
    "EVERWHEN_DATA",
    "data directory",
    "the path of a directory, such as \"/var/lib/everwhen\"",
);
/// Where the server listens.
pub(super) const LISTEN: Key = key(
    "listen",
    "EVERWHEN_LISTEN",
    "address the server listens on",
    "an address with a port, such as \"127.0.0.1:3939\"",
);
/// The zone of new vaults.
pub(super) const ZONE: Key = key(
    "zone",
    "EVERWHEN_ZONE",
    "time zone of new vaults",
    "an IANA name, such as \"Europe/Berlin\" or \"UTC\"",
);
/// The default vault.
pub(super) const VAULT: Key =
    key("vault", "EVERWHEN_VAULT", "default vault", "a name or an id, such as \"default\"");
/// The default memory.
pub(super) const MEMORY: Key =
    key("memory", "EVERWHEN_MEMORY", "default memory", "a name or an id, such as \"default\"");
/// The log level.
pub(super) const LOG: Key = key(
    "log",
    "EVERWHEN_LOG",
    "log level",
    "\"off\", \"error\", \"warn\", \"info\", \"debug\" or \"trace\"",
);
/// The log format.
pub(super) const LOG_FORMAT: Key =
    key("log_format", "EVERWHEN_LOG_FORMAT", "how logs are written", "\"text\" or \"json\"");
/// Where everything is kept.
pub(super) const STORE_URL: Key = key(
    "store.url",
    "EVERWHEN_STORE_URL",
    "location of the store: \"sqlite\" in the data directory, or a PostgreSQL database",
    "\"sqlite\" or a URL such as \"postgres://everwhen@db.example:5432/everwhen\"",
);
/// How many connections a server takes.
pub(super) const CONNECTIONS: Key = key(
    "store.connections",
    "EVERWHEN_STORE_CONNECTIONS",
    "number of PostgreSQL connections for writing; half as many are for reading",
    "a whole number from 1 on, such as 8",
);
/// How long the database may take.
pub(super) const STATEMENT_TIMEOUT: Key = key(
    "store.statement_timeout_seconds",
    "EVERWHEN_STORE_STATEMENT_TIMEOUT_SECONDS",
    "maximum duration of a PostgreSQL statement",
    "a whole number of seconds, such as 30",
);
/// When a write counts as kept.
pub(super) const SYNCHRONOUS: Key = key(
    "store.synchronous",
    "EVERWHEN_STORE_SYNCHRONOUS",
    "full: acknowledged writes survive a power loss; normal: they survive a crash",
    "\"full\" or \"normal\"",
);
/// How large the store may grow.
pub(super) const MAX_SIZE_MB: Key = key(
    "store.max_size_mb",
    "EVERWHEN_STORE_MAX_SIZE_MB",
    "maximum size of the store in megabytes",
    "a whole number of megabytes, such as 2048",
);

/// How many writes may share one commit.
pub(super) const COMMIT_GROUP: Key = key(
    "store.commit_group",
    "EVERWHEN_STORE_COMMIT_GROUP",
    "maximum number of writes in one commit; 1 commits each alone",
    "a whole number from 1 on, such as 512",
);

const SWITCH: &str = "\"on\" or \"off\"";
/// What an address of an upstream looks like.
pub(super) const RIGHT_URL: &str = "an address, such as \"http://localhost:8080/v1\"";
/// What may be said of an upstream.
pub(super) const UPSTREAM_FIELDS: &[&str] = &[
    "name",
    "kind",
    "base_url",
    "key",
    "key_variable",
    "pass_client_key",
    "pass_headers",
    "timeout_s",
];
/// What may be said of an endpoint.
pub(super) const ENDPOINT_FIELDS: &[&str] =
    &["name", "upstream", "model", "backupEndpointName", "input_price", "output_price"];

/// The upstream that is used unless another is named.
pub(super) const UPSTREAM: Key = key(
    "upstream",
    "EVERWHEN_UPSTREAM",
    "model provider behind the proxy; several: [[upstream]]",
    RIGHT_URL,
);
/// How messages are stamped.
pub(super) const STAMPS: Key = key(
    "proxy.stamps",
    "EVERWHEN_PROXY_STAMPS",
    "format of the stamps that the proxy adds to messages",
    "\"absolute\", \"relative\", \"gap\" or \"off\"",
);
/// Whether the time is added.
pub(super) const NOW: Key = key(
    "proxy.now",
    "EVERWHEN_PROXY_NOW",
    "whether the proxy adds the current time and the length of the pause",
    SWITCH,
);
/// Whether conversations are added.
pub(super) const CONTEXT: Key = key(
    "proxy.context",
    "EVERWHEN_PROXY_CONTEXT",
    "whether the proxy adds the latest conversations",
    SWITCH,
);
/// Whether memories are added.
pub(super) const BRIEFING: Key = key(
    "proxy.briefing",
    "EVERWHEN_PROXY_BRIEFING",
    "whether the proxy adds memories that are relevant to the message",
    SWITCH,
);
/// How long a briefing may be.
pub(super) const BUDGET_TOKENS: Key = key(
    "proxy.budget_tokens",
    "EVERWHEN_PROXY_BUDGET_TOKENS",
    "maximum length of a briefing in tokens",
    "a whole number, such as 1000",
);
/// How long memory may hold up a request.
pub(super) const DEADLINE_MS: Key = key(
    "proxy.deadline_ms",
    "EVERWHEN_PROXY_DEADLINE_MS",
    "maximum time in milliseconds that memory delays a request",
    "a whole number of milliseconds, such as 250",
);
/// Whether several characters speak.
pub(super) const GROUP_CHAT: Key = key(
    "proxy.group_chat",
    "EVERWHEN_PROXY_GROUP_CHAT",
    "several characters speak: a reply gets its time at once, with the speaker's name",
    SWITCH,
);
/// The memory of chats that name none.
pub(super) const UNNAMED: Key = key(
    "proxy.unnamed",
    "EVERWHEN_PROXY_UNNAMED",
    "memory of a chat that names none: a new one, or the default one",
    "\"new\" or \"default\"",
);
/// Whether `prompt_cache_key` names a chat.
pub(super) const PROMPT_CACHE_KEY: Key = key(
    "proxy.prompt_cache_key",
    "EVERWHEN_PROXY_PROMPT_CACHE_KEY",
    "whether the field prompt_cache_key names a chat",
    SWITCH,
);
/// Whether what tools answer is remembered.
pub(super) const TOOL_OUTPUT: Key = key(
    "proxy.tool_output",
    "EVERWHEN_PROXY_TOOL_OUTPUT",
    "whether results of tools are stored, and not only the names of called tools",
    SWITCH,
);
/// Whether the proxy carries out the commands of Anthropic's memory tool.
pub(super) const MEMORY_TOOL: Key = key(
    "proxy.memory_tool",
    "EVERWHEN_PROXY_MEMORY_TOOL",
    "whether the proxy answers Anthropic's memory tool itself, with files that it keeps",
    SWITCH,
);
/// How large the outbox may be.
pub(super) const OUTBOX_BYTES: Key = key(
    "proxy.outbox_bytes",
    "EVERWHEN_PROXY_OUTBOX_BYTES",
    "maximum size of the outbox in bytes; when it is full, new exchanges are not remembered",
    "a whole number of bytes, such as 268435456",
);
/// How old what is in the outbox may be.
pub(super) const OUTBOX_DAYS: Key = key(
    "proxy.outbox_days",
    "EVERWHEN_PROXY_OUTBOX_DAYS",
    "days after which an exchange that could not be stored is dropped",
    "a whole number of days, such as 14",
);
/// What Open WebUI signs users with.
pub(super) const OPENWEBUI_SECRET: Key = key(
    "proxy.openwebui_secret",
    "EVERWHEN_PROXY_OPENWEBUI_SECRET",
    "Open WebUI's FORWARD_USER_INFO_HEADER_JWT_SECRET; users it signs are trusted",
    "the secret as configured in Open WebUI",
);

/// Which embedder takes part.
pub(super) const EMBEDDER: Key = key(
    "embedder.kind",
    "EVERWHEN_EMBEDDER",
    "embedder for search by meaning",
    "\"static\", \"transformer\", \"openai\", \"ollama\" or \"none\"",
);
/// Where a transformer is.
pub(super) const EMBEDDER_PATH: Key = key(
    "embedder.path",
    "EVERWHEN_EMBEDDER_PATH",
    "directory of the transformer, if it was not installed with `everwhen models pull`",
    "the path of a directory that holds model.onnx and tokenizer.json",
);
/// Which model it is.
pub(super) const EMBEDDER_MODEL: Key = key(
    "embedder.model",
    "EVERWHEN_EMBEDDER_MODEL",
    "name of the model: an installed transformer, or one that the endpoint serves",
    "a name, such as \"minilm\" or \"nomic-embed-text\"",
);
/// Where an endpoint is.
pub(super) const EMBEDDER_URL: Key = key(
    "embedder.base_url",
    "EVERWHEN_EMBEDDER_BASE_URL",
    "URL of the embedding endpoint",
    "an address, such as \"http://127.0.0.1:11434\"",
);
/// What is shown to the endpoint.
pub(super) const EMBEDDER_KEY: Key = key(
    "embedder.key",
    "EVERWHEN_EMBEDDER_KEY",
    "API key for the endpoint",
    "the key as the provider gave it",
);
/// How long its vectors are.
pub(super) const EMBEDDER_DIMENSIONS: Key = key(
    "embedder.dimensions",
    "EVERWHEN_EMBEDDER_DIMENSIONS",
    "dimensions to request from the endpoint",
    "a whole number, such as 512",
);
/// What stands before a question.
pub(super) const EMBEDDER_QUERY_PREFIX: Key = key(
    "embedder.query_prefix",
    "EVERWHEN_EMBEDDER_QUERY_PREFIX",
    "prefix of questions that the endpoint embeds",
    "text, such as \"search_query: \"",
);
/// What stands before a text.
pub(super) const EMBEDDER_PASSAGE_PREFIX: Key = key(
    "embedder.passage_prefix",
    "EVERWHEN_EMBEDDER_PASSAGE_PREFIX",
    "prefix of texts that the endpoint embeds",
    "text, such as \"search_document: \"",
);
/// How many threads a transformer takes.
pub(super) const EMBEDDER_THREADS: Key = key(
    "embedder.threads",
    "EVERWHEN_EMBEDDER_THREADS",
    "number of threads of the transformer",
    "a whole number from 1 on, such as 2",
);

/// Who serves the language model.
pub(super) const LLM_PROVIDER: Key = key(
    "llm.provider",
    "EVERWHEN_LLM_PROVIDER",
    "provider of the language model (optional)",
    "\"openai\" (or any compatible server), \"anthropic\", \"gemini\" or \"ollama\"",
);
/// Where it is.
pub(super) const LLM_BASE_URL: Key = key(
    "llm.base_url",
    "EVERWHEN_LLM_BASE_URL",
    "URL of the provider, if not its default",
    "an address, such as \"http://127.0.0.1:8080/v1\"",
);
/// Which one it is.
pub(super) const LLM_MODEL: Key = key(
    "llm.model",
    "EVERWHEN_LLM_MODEL",
    "name of the language model",
    "a name that the provider knows, such as \"gpt-4o-mini\"",
);
/// What to show the provider.
pub(super) const LLM_KEY: Key = key(
    "llm.key",
    "EVERWHEN_LLM_KEY",
    "API key for the provider",
    "the key that the provider gave you",
);
/// How long an answer may take.
pub(super) const LLM_TIMEOUT: Key = key(
    "llm.timeout_seconds",
    "EVERWHEN_LLM_TIMEOUT_SECONDS",
    "timeout of a call to the model",
    "a whole number of seconds, such as 120",
);
/// How often it is asked.
pub(super) const LLM_TRIES: Key = key(
    "llm.tries",
    "EVERWHEN_LLM_TRIES",
    "maximum number of attempts per call",
    "a whole number from 1 on, such as 4",
);
/// How fast it is asked.
pub(super) const LLM_PACE: Key = key(
    "llm.requests_per_minute",
    "EVERWHEN_LLM_REQUESTS_PER_MINUTE",
    "rate limit of calls to the model",
    "a whole number from 1 on, such as 60",
);
/// What reading costs.
pub(super) const LLM_INPUT_PRICE: Key = key(
    "llm.input_price",
    "EVERWHEN_LLM_INPUT_PRICE",
    "price of a million input tokens",
    "an amount, such as 0.15",
);
/// What writing costs.
pub(super) const LLM_OUTPUT_PRICE: Key = key(
    "llm.output_price",
    "EVERWHEN_LLM_OUTPUT_PRICE",
    "price of a million output tokens",
    "an amount, such as 0.6",
);
/// What may be spent.
pub(super) const LLM_CAP: Key = key(
    "llm.spending_cap",
    "EVERWHEN_LLM_SPENDING_CAP",
    "maximum spending per calendar month (UTC); then the model is not called",
    "an amount, such as 5.0",
);
/// What happens while the model cannot be asked.
pub(super) const LLM_FALLBACK: Key = key(
    "llm.fallback",
    "EVERWHEN_LLM_FALLBACK",
    "what happens while the model is away or the spending cap is reached: facts wait (\"wait\"), or are found by rules until it is back (\"rules\")",
    "\"wait\" or \"rules\"",
);
/// Where the rules for chapters stand.
pub(super) const CHAPTER_SETTINGS: Key = key(
    "chapters.settings",
    "EVERWHEN_CHAPTERS_SETTINGS",
    "settings file for chapters, such as _DiscussionId-MemoryFile-Workflow-Settings.json",
    "the path of a JSON file; comments are allowed in it",
);
/// Where workflows are.
pub(super) const WORKFLOW_DIR: Key = key(
    "workflow.dir",
    "EVERWHEN_WORKFLOW_DIR",
    "directory of workflow files; each is a model everwhen/<name>",
    "the path of a directory with .json files",
);
/// Where their files are.
pub(super) const WORKFLOW_FILES: Key = key(
    "workflow.files",
    "EVERWHEN_WORKFLOW_FILES",
    "directory of files that workflows read (shared/) and write (vaults/ID/); files below workflow.dir unless set",
    "the path of a directory",
);

/// All keys, in the order they are shown.
pub const KEYS: [Key; 86] = [
    DATA,
    LISTEN,
    ZONE,
    VAULT,
    MEMORY,
    LOG,
    LOG_FORMAT,
    IDLE_TIMEOUT,
    RETAINED,
    STATE_TIMEOUT,
    RETENTION,
    LIFECYCLE,
    COOLING,
    CLOSED,
    RETROSPECTION,
    STORE_URL,
    CONNECTIONS,
    STATEMENT_TIMEOUT,
    SYNCHRONOUS,
    MAX_SIZE_MB,
    COMMIT_GROUP,
    ALLOWED_HOSTS,
    ALLOWED_ORIGINS,
    HEADER_TIMEOUT,
    BODY_TIMEOUT,
    CONNECTION_IDLE_TIMEOUT,
    MAX_CONNECTIONS,
    MAX_REQUESTS,
    MAX_BODY_MB,
    MAX_UPLOAD_MB,
    MAX_BUFFERED_MB,
    MAX_JSON_DEPTH,
    MCP_HOSTS,
    MCP_ORIGINS,
    UPSTREAM,
    STAMPS,
    NOW,
    CONTEXT,
    BRIEFING,
    BUDGET_TOKENS,
    DEADLINE_MS,
    REACH,
    TOOL_ENTRIES,
    GROUP_CHAT,
    UNNAMED,
    PROMPT_CACHE_KEY,
    TOOL_OUTPUT,
    MEMORY_TOOL,
    OUTBOX_BYTES,
    OUTBOX_DAYS,
    OPENWEBUI_SECRET,
    EMBEDDER,
    EMBEDDER_PATH,
    EMBEDDER_MODEL,
    EMBEDDER_URL,
    EMBEDDER_KEY,
    EMBEDDER_DIMENSIONS,
    EMBEDDER_QUERY_PREFIX,
    EMBEDDER_PASSAGE_PREFIX,
    EMBEDDER_THREADS,
    LLM_PROVIDER,
    LLM_BASE_URL,
    LLM_MODEL,
    LLM_KEY,
    LLM_TIMEOUT,
    LLM_TRIES,
    LLM_PACE,
    LLM_INPUT_PRICE,
    LLM_OUTPUT_PRICE,
    LLM_CAP,
    LLM_FALLBACK,
    CHAPTER_SETTINGS,
    FORGETTING,
    HALF_LIFE,
    AUTO_PIN,
    SAME,
    RELATED,
    BORNE_OUT,
    WORKFLOW_DIR,
    WORKFLOW_FILES,
    BACKUP_EVERY,
    BACKUP_KEEP,
    BACKUP_DIR,
    WATCH_SOURCES,
    WATCH_MEMORY,
    WATCH_EVERY,
];

/// Tables that hold keys.
const TABLES: [&str; 12] = [
    "backup",
    "chapters",
    "conversations",
    "embedder",
    "facts",
    "llm",
    "mcp",
    "proxy",
    "server",
    "store",
    "watch",
    "workflow",
];

/// Tables that may occur several times, in double brackets.
pub(super) const REPEATED: [&str; 3] = ["proxy.for", "upstream", "endpoint"];

/// Variables that set no key: the path of the file, the server that a command uses, and the program
/// that the packages for developers start.
pub(super) const OTHER_VARIABLES: [&str; 4] =
    ["EVERWHEN_CONFIG", "EVERWHEN_SERVER", "EVERWHEN_KEY", "EVERWHEN_BINARY"];

/// The key with this name.
pub(super) fn named(name: &str) -> Option<Key> {
    KEYS.into_iter().find(|key| key.name == name)
}

/// Whether keys live in a table of this name.
pub(super) fn is_table(name: &str) -> bool {
    TABLES.contains(&name)
}

/// The hint for an unknown key: the closest known key, or all of them.
pub(super) fn suggest_key(unknown: &str) -> String {
    let names = KEYS.map(|key| key.name);
    nearest(unknown, &[&names[..], &TABLES].concat()).map_or_else(
        || format!("known keys are {}", names.join(", ")),
        |name| format!("did you mean `{name}`?"),
    )
}

/// The hint for an unknown variable.
pub(super) fn suggest_variable(unknown: &str) -> String {
    let mut names: Vec<&str> = KEYS.iter().map(|key| key.variable).collect();
    names.extend(OTHER_VARIABLES);
    nearest(unknown, &names).map_or_else(
        || format!("known variables are {}", names.join(", ")),
        |name| format!("did you mean {name}?"),
    )
}

/// The known name closest to `unknown`, ignoring its table, if any is close. Of several, one in
/// the same table is preferred.
fn nearest<'a>(unknown: &str, known: &[&'a str]) -> Option<&'a str> {
    let likeness = |name: &str| likeness(&bare(unknown), &bare(name));
    let table = |name: &str| name.split_once('.').map(|(table, _)| table.to_owned());
    let same_table = |name: &str| table(name).is_some() && table(name) == table(unknown);
    let alike = |name: &str| likeness(name) + if same_table(name) { 0.1 } else { 0.0 };
    let best = known.iter().max_by(|a, b| alike(a).total_cmp(&alike(b)))?;
    (likeness(best) > 0.75).then_some(*best)
}

/// `timezone` means `zone`, though few letters stand in the same place.
fn likeness(unknown: &str, known: &str) -> f64 {
    let within = unknown.contains(known) || (unknown.len() > 4 && known.contains(unknown));
    strsim::jaro_winkler(unknown, known).max(if within { 0.9 } else { 0.0 })
}

fn bare(name: &str) -> String {
    let last = name.rsplit('.').next().unwrap_or(name);
    last.trim_start_matches("EVERWHEN_").to_lowercase()
}

#[cfg(test)]
mod tests;
