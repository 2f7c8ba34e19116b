//! Keys of `[server]`, and of `[mcp]` where they mean the same.

use super::{Key, key};

const HOSTS: &str = "names with commas between them, such as \"memory.example.org, *.example.net\", or \"*\" for all";
const ORIGINS: &str = "origins with commas between them, such as \"https://app.example.org, \
                       http://box:*\", or \"*\" for all";
const SECONDS: &str = "a whole number of seconds, such as 30";

/// Which hosts are answered.
pub(in crate::config) const ALLOWED_HOSTS: Key = key(
    "server.allowed_hosts",
    "EVERWHEN_SERVER_ALLOWED_HOSTS",
    "values of Host that are answered without a key, beside loopback names and the listen address",
    HOSTS,
);
/// Which web pages may send requests.
pub(in crate::config) const ALLOWED_ORIGINS: Key = key(
    "server.allowed_origins",
    "EVERWHEN_SERVER_ALLOWED_ORIGINS",
    "origins of web pages that may send requests, beside those of this machine",
    ORIGINS,
);
/// How long the head of a request may take.
pub(in crate::config) const HEADER_TIMEOUT: Key = key(
    "server.header_timeout_seconds",
    "EVERWHEN_SERVER_HEADER_TIMEOUT_SECONDS",
    "the headers of a request must arrive within this time",
    SECONDS,
);
/// How long the body of a request may pause.
pub(in crate::config) const BODY_TIMEOUT: Key = key(
    "server.body_timeout_seconds",
    "EVERWHEN_SERVER_BODY_TIMEOUT_SECONDS",
    "longest pause while a body arrives or a response is sent; a whole body may take ten times as long",
    SECONDS,
);
/// How long a connection may wait for its next request.
pub(in crate::config) const IDLE_TIMEOUT: Key = key(
    "server.idle_timeout_seconds",
    "EVERWHEN_SERVER_IDLE_TIMEOUT_SECONDS",
    "a connection without a request is closed after this time",
    SECONDS,
);
/// How many connections may be open.
pub(in crate::config) const MAX_CONNECTIONS: Key = key(
    "server.max_connections",
    "EVERWHEN_SERVER_MAX_CONNECTIONS",
    "open connections; at the limit the longest idle one is closed for a new one",
    "a whole number from 1 on, such as 4096",
);
/// How many requests may be answered at once.
pub(in crate::config) const MAX_REQUESTS: Key = key(
    "server.max_requests",
    "EVERWHEN_SERVER_MAX_REQUESTS",
    "requests answered at the same time; more get status 503",
    "a whole number from 1 on, such as 2048",
);
/// How large a body may be.
pub(in crate::config) const MAX_BODY_MB: Key = key(
    "server.max_body_mb",
    "EVERWHEN_SERVER_MAX_BODY_MB",
    "largest request body in megabytes",
    "a whole number of megabytes from 1 to 1024, such as 64",
);
/// How large an uploaded file may be.
pub(in crate::config) const MAX_UPLOAD_MB: Key = key(
    "server.max_upload_mb",
    "EVERWHEN_SERVER_MAX_UPLOAD_MB",
    "largest file to import in megabytes; it is stored on disk while it is read",
    "a whole number of megabytes, such as 4096",
);
/// How much of all bodies may be in memory.
pub(in crate::config) const MAX_BUFFERED_MB: Key = key(
    "server.max_buffered_mb",
    "EVERWHEN_SERVER_MAX_BUFFERED_MB",
    "request bodies held in memory at the same time, in megabytes; more get status 503",
    "a whole number of megabytes, such as 256",
);
/// How deep JSON may be nested.
pub(in crate::config) const MAX_JSON_DEPTH: Key = key(
    "server.max_json_depth",
    "EVERWHEN_SERVER_MAX_JSON_DEPTH",
    "deepest nesting of JSON in a request",
    "a whole number from 1 on, such as 128",
);

/// The older name of [`ALLOWED_HOSTS`].
pub(in crate::config) const MCP_HOSTS: Key = key(
    "mcp.allowed_hosts",
    "EVERWHEN_MCP_ALLOWED_HOSTS",
    "the same as server.allowed_hosts; both lists count",
    HOSTS,
);
/// The older name of [`ALLOWED_ORIGINS`].
pub(in crate::config) const MCP_ORIGINS: Key = key(
    "mcp.allowed_origins",
    "EVERWHEN_MCP_ALLOWED_ORIGINS",
    "the same as server.allowed_origins; both lists count",
    ORIGINS,
);
