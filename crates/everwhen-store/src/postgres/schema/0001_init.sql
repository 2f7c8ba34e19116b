-- Times are microseconds since 1970 in UTC. Ids are UUIDv7, made by the program. Every table but
-- one begins with the vault, by which a cluster spreads it; `vault_name` is small and lies everywhere.
-- Text sorts by its bytes, as it does on every other store. One statement at a time: some clusters
-- refuse more.

CREATE TABLE vault (
    vault_id        uuid PRIMARY KEY,
    name            text COLLATE "C" NOT NULL,
    description     text,
    zone            text NOT NULL,
    settings        text NOT NULL,              -- JSON
    creation_time   bigint NOT NULL
);

-- Names are unique over all vaults, which no table spread by vault can promise.
CREATE TABLE vault_name (
    name            text COLLATE "C" PRIMARY KEY,
    vault_id        uuid NOT NULL
);
CREATE INDEX vault_name_of ON vault_name (vault_id);

CREATE TABLE memory (
    vault_id        uuid NOT NULL,
    id              uuid NOT NULL,
    name            text COLLATE "C" NOT NULL,
    description     text,
    creation_time   bigint NOT NULL,
    last_sequence   bigint NOT NULL,
    last_creation   bigint NOT NULL,
    last_ending     bigint,
    waiting_entry   uuid,
    waiting_since   bigint,
    generation      bigint NOT NULL,
    PRIMARY KEY (vault_id, id)
);
CREATE UNIQUE INDEX memory_by_name ON memory (vault_id, name);

CREATE TABLE entry (
    vault_id          uuid NOT NULL,
    memory_id         uuid NOT NULL,
    id                uuid NOT NULL,
    conversation_id   uuid NOT NULL,
    sequence          bigint NOT NULL,
    conversation_time bigint NOT NULL,
    creation_time     bigint NOT NULL,
    role              smallint NOT NULL,        -- 0 user, 1 assistant, 2 system, 3 tool
    placed_by_time    boolean NOT NULL,
    is_question       boolean NOT NULL,
    speaker           text,
    content           text NOT NULL,
    summary           text,
    tags              text[],                   -- absent if empty
    tools_used        text[],                   -- absent if empty
    metadata          text,                     -- JSON object
    corrects          uuid,
    correction_reason text,
    corrected_by      uuid,
    corrected_at      bigint,
    branch_id         uuid,
    branched_at       bigint,
    receipt_key       text COLLATE "C",
    PRIMARY KEY (vault_id, id)
);
CREATE UNIQUE INDEX entry_by_sequence ON entry (vault_id, memory_id, sequence);
CREATE INDEX entry_by_time ON entry (vault_id, memory_id, conversation_time, sequence);
CREATE INDEX entry_by_conversation ON entry (vault_id, conversation_id, conversation_time, sequence);

CREATE TABLE conversation (
    vault_id      uuid NOT NULL,
    memory_id     uuid NOT NULL,
    id            uuid NOT NULL,
    name          text COLLATE "C",
    started_at    bigint NOT NULL,
    last_at       bigint NOT NULL,
    entries       bigint NOT NULL,
    ended_at      bigint,
    ended_by      smallint,                     -- 0 idle, 1 caller
    end_reason    text,
    title         text,
    summary       text,
    summary_by    text,
    archived_at   bigint,
    restored_at   bigint,
    shelved_at    bigint,                       -- ended or restored; absent while open or archived
    PRIMARY KEY (vault_id, id)
);
CREATE UNIQUE INDEX conversation_by_name ON conversation (vault_id, memory_id, name)
    WHERE name IS NOT NULL;
CREATE INDEX conversation_by_start ON conversation (vault_id, memory_id, started_at, id);
CREATE INDEX conversation_open ON conversation (vault_id, memory_id, started_at, id)
    WHERE ended_at IS NULL;
CREATE INDEX conversation_shelved ON conversation (vault_id, memory_id, shelved_at, id)
    WHERE shelved_at IS NOT NULL;

-- A conversation that was merged into another still answers to its old id.
CREATE TABLE conversation_alias (
    vault_id      uuid NOT NULL,
    memory_id     uuid NOT NULL,
    id            uuid NOT NULL,
    target_id     uuid NOT NULL,
    PRIMARY KEY (vault_id, id)
);
CREATE INDEX conversation_alias_target ON conversation_alias (vault_id, target_id);

CREATE TABLE ending (
    vault_id      uuid NOT NULL,
    memory_id     uuid NOT NULL,
    at            bigint NOT NULL,
    PRIMARY KEY (vault_id, memory_id, at)
);

CREATE TABLE context (
    vault_id          uuid NOT NULL,
    memory_id         uuid NOT NULL,
    version           bigint NOT NULL,
    id                uuid NOT NULL,
    content           text NOT NULL,
    conversation_time bigint NOT NULL,
    creation_time     bigint NOT NULL,
    PRIMARY KEY (vault_id, memory_id, version)
);

CREATE TABLE receipt (
    vault_id      uuid NOT NULL,                -- all zeros for receipts of vaults themselves
    key           text COLLATE "C" NOT NULL,
    digest        bytea NOT NULL,
    receipt       text,                         -- JSON; absent once forgotten
    PRIMARY KEY (vault_id, key)
);

-- Work that waits for a model stands in a queue of its own.
CREATE TABLE job (
    vault_id        uuid NOT NULL,
    id              uuid NOT NULL,
    memory_id       uuid NOT NULL,
    subject         smallint NOT NULL,          -- 0 conversation, 1 memory, 2 its payload
    subject_id      uuid NOT NULL,
    kind            text COLLATE "C" NOT NULL,
    queue           smallint NOT NULL,          -- 0 quick, 1 patient
    payload         text,
    due_at          bigint NOT NULL,
    tries           bigint NOT NULL,
    state           smallint NOT NULL,          -- 0 waiting, 1 leased, 2 set aside
    leased_until    bigint,
    last_error      text,
    PRIMARY KEY (vault_id, subject_id, kind)
);
CREATE INDEX job_by_id ON job (id);
CREATE INDEX job_by_due ON job (queue, due_at, id) WHERE state < 2;

CREATE TABLE access_key (
    vault_id      uuid NOT NULL,
    id            uuid NOT NULL,
    label         text,
    trusted       boolean NOT NULL,
    hash          bytea NOT NULL,
    creation_time bigint NOT NULL,
    PRIMARY KEY (vault_id, id)
);
CREATE INDEX access_key_by_id ON access_key (id);
