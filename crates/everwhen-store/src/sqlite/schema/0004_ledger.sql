-- What gives each message of a resent history its time. No text: a mark is SHA-256 of role and content.

CREATE TABLE ledger (
    vault_id      BLOB NOT NULL,
    memory_id     BLOB NOT NULL,
    number        INTEGER NOT NULL,             -- order of arrival
    place         INTEGER,                      -- order along the line; absent once put aside
    mark          BLOB NOT NULL,
    occurrence    INTEGER NOT NULL,
    role          INTEGER NOT NULL,
    time          INTEGER NOT NULL,
    since         INTEGER,
    after         INTEGER,
    entry_id      BLOB,
    PRIMARY KEY (memory_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX ledger_by_place ON ledger (memory_id, place) WHERE place IS NOT NULL;
CREATE UNIQUE INDEX ledger_by_mark ON ledger (vault_id, mark, memory_id, occurrence);
CREATE INDEX ledger_by_entry ON ledger (entry_id) WHERE entry_id IS NOT NULL;

CREATE TABLE ledger_head (
    vault_id      BLOB NOT NULL,
    memory_id     BLOB PRIMARY KEY,
    last_number   INTEGER NOT NULL,
    started_at    INTEGER,                      -- the reply that is waited for
    after         INTEGER,
    reply         INTEGER
) STRICT, WITHOUT ROWID;

-- Times another system had for texts that have not been seen here yet.
CREATE TABLE promised_time (
    vault_id      BLOB NOT NULL,
    memory_id     BLOB NOT NULL,
    text_hash     BLOB NOT NULL,
    time          INTEGER NOT NULL,
    PRIMARY KEY (memory_id, text_hash)
) STRICT, WITHOUT ROWID;
