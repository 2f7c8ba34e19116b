-- What gives each message of a resent history its time. No text: a mark is SHA-256 of role and content.

CREATE TABLE ledger (
    vault_id      uuid NOT NULL,
    memory_id     uuid NOT NULL,
    number        bigint NOT NULL,              -- order of arrival
    place         bigint,                       -- order along the line; absent once put aside
    mark          bytea NOT NULL,
    occurrence    bigint NOT NULL,
    role          smallint NOT NULL,
    time          bigint NOT NULL,
    since         bigint,
    after         bigint,
    entry_id      uuid,
    PRIMARY KEY (vault_id, memory_id, number)
);
CREATE INDEX ledger_by_place ON ledger (vault_id, memory_id, place) WHERE place IS NOT NULL;
CREATE UNIQUE INDEX ledger_by_mark ON ledger (vault_id, mark, memory_id, occurrence);
CREATE INDEX ledger_by_entry ON ledger (vault_id, entry_id) WHERE entry_id IS NOT NULL;

CREATE TABLE ledger_head (
    vault_id      uuid NOT NULL,
    memory_id     uuid NOT NULL,
    last_number   bigint NOT NULL,
    started_at    bigint,                       -- the reply that is waited for
    after         bigint,
    reply         bigint,
    PRIMARY KEY (vault_id, memory_id)
);

-- Times another system had for texts that have not been seen here yet.
CREATE TABLE promised_time (
    vault_id      uuid NOT NULL,
    memory_id     uuid NOT NULL,
    text_hash     bytea NOT NULL,
    time          bigint NOT NULL,
    PRIMARY KEY (vault_id, memory_id, text_hash)
);
