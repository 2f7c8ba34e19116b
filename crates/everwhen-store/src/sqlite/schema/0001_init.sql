-- Times are microseconds since 1970 in UTC. Ids are UUIDv7 as 16 bytes. Every table names its vault.

CREATE TABLE vault (
    id              BLOB PRIMARY KEY,
    name            TEXT NOT NULL UNIQUE,
    description     TEXT,
    zone            TEXT NOT NULL,
    settings        TEXT NOT NULL,              -- JSON
    creation_time   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE memory (
    vault_id        BLOB NOT NULL,
    id              BLOB NOT NULL,
    name            TEXT NOT NULL,
    description     TEXT,
    creation_time   INTEGER NOT NULL,
    last_sequence   INTEGER NOT NULL,
    last_creation   INTEGER NOT NULL,
    last_ending     INTEGER,
    waiting_entry   BLOB,
    waiting_since   INTEGER,
    PRIMARY KEY (vault_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX memory_by_name ON memory (vault_id, name);

CREATE TABLE entry (
    row               INTEGER PRIMARY KEY,
    vault_id          BLOB NOT NULL,
    memory_id         BLOB NOT NULL,
    id                BLOB NOT NULL,
    sequence          INTEGER NOT NULL,
    conversation_id   BLOB NOT NULL,
    role              INTEGER NOT NULL,         -- 0 user, 1 assistant, 2 system, 3 tool
    conversation_time INTEGER NOT NULL,
    creation_time     INTEGER NOT NULL,
    placed_by_time    INTEGER NOT NULL,
    is_question       INTEGER NOT NULL,
    speaker           TEXT,
    content           TEXT NOT NULL,
    summary           TEXT,
    tags              TEXT,                     -- JSON list, absent if empty
    tools_used        TEXT,                     -- JSON list, absent if empty
    metadata          TEXT,                     -- JSON object
    corrects          BLOB,
    correction_reason TEXT,
    corrected_by      BLOB,
    corrected_at      INTEGER,
    branch_id         BLOB,
    branched_at       INTEGER,
    receipt_key       TEXT
) STRICT;
CREATE UNIQUE INDEX entry_by_id ON entry (id);
CREATE INDEX entry_by_time ON entry (memory_id, conversation_time, sequence);
CREATE INDEX entry_by_conversation ON entry (conversation_id, conversation_time, sequence);

CREATE TABLE conversation (
    id            BLOB PRIMARY KEY,
    vault_id      BLOB NOT NULL,
    memory_id     BLOB NOT NULL,
    name          TEXT,
    started_at    INTEGER NOT NULL,
    last_at       INTEGER NOT NULL,
    entries       INTEGER NOT NULL,
    ended_at      INTEGER,
    ended_by      INTEGER,                      -- 0 idle, 1 caller
    end_reason    TEXT,
    title         TEXT,
    summary       TEXT,
    summary_by    TEXT,
    archived_at   INTEGER,
    restored_at   INTEGER,
    shelved_at    INTEGER                       -- ended or restored; absent while open or archived
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX conversation_by_name ON conversation (memory_id, name) WHERE name IS NOT NULL;
CREATE INDEX conversation_by_start ON conversation (memory_id, started_at, id);
CREATE INDEX conversation_open ON conversation (memory_id, started_at, id) WHERE ended_at IS NULL;
CREATE INDEX conversation_shelved ON conversation (memory_id, shelved_at, id)
    WHERE shelved_at IS NOT NULL;

-- A conversation that was merged into another still answers to its old id.
CREATE TABLE conversation_alias (
    id            BLOB PRIMARY KEY,
    vault_id      BLOB NOT NULL,
    memory_id     BLOB NOT NULL,
    target_id     BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX conversation_alias_target ON conversation_alias (target_id);

CREATE TABLE ending (
    vault_id      BLOB NOT NULL,
    memory_id     BLOB NOT NULL,
    at            INTEGER NOT NULL,
    PRIMARY KEY (memory_id, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE context (
    vault_id          BLOB NOT NULL,
    memory_id         BLOB NOT NULL,
    version           INTEGER NOT NULL,
    id                BLOB NOT NULL,
    content           TEXT NOT NULL,
    conversation_time INTEGER NOT NULL,
    creation_time     INTEGER NOT NULL,
    PRIMARY KEY (memory_id, version)
) STRICT;

CREATE TABLE receipt (
    vault_id      BLOB NOT NULL,                -- empty for receipts of vaults themselves
    key           TEXT NOT NULL,
    digest        BLOB NOT NULL,
    receipt       TEXT,                         -- JSON; absent once forgotten
    PRIMARY KEY (vault_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE job (
    id              BLOB PRIMARY KEY,
    vault_id        BLOB NOT NULL,
    memory_id       BLOB NOT NULL,
    conversation_id BLOB NOT NULL,
    kind            TEXT NOT NULL,
    due_at          INTEGER NOT NULL,
    tries           INTEGER NOT NULL,
    state           INTEGER NOT NULL,           -- 0 waiting, 1 leased, 2 set aside
    leased_until    INTEGER,
    last_error      TEXT
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX job_of_conversation ON job (conversation_id, kind);
CREATE INDEX job_by_due ON job (due_at, id) WHERE state < 2;

CREATE TABLE access_key (
    id            BLOB PRIMARY KEY,
    vault_id      BLOB NOT NULL,
    label         TEXT,
    trusted       INTEGER NOT NULL,
    hash          BLOB NOT NULL,
    creation_time INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
