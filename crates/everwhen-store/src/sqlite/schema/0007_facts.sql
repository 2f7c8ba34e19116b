-- Facts: one dated statement each, the entry it rests on, and what it follows.

ALTER TABLE conversation ADD COLUMN distilled_at INTEGER;

CREATE TABLE fact (
    vault_id        BLOB NOT NULL,
    memory_id       BLOB NOT NULL,
    id              BLOB NOT NULL,
    statement       TEXT NOT NULL,
    source          INTEGER NOT NULL,           -- 0 confirmed, 1 inferred
    tags            TEXT,                       -- JSON list, absent if empty
    matter_key      TEXT,
    matter_value    TEXT,
    event_since     INTEGER,
    event_until     INTEGER,
    event_precision INTEGER,                    -- 0 minute, 1 day, 2 month, 3 year; absent without event
    entry_id        BLOB NOT NULL,
    range_start     INTEGER NOT NULL,
    range_end       INTEGER NOT NULL,
    mentioned_at    INTEGER NOT NULL,
    creation_time   INTEGER NOT NULL,
    written_by      TEXT NOT NULL,
    pinned_at       INTEGER,
    withdrawn_at    INTEGER,
    link_to         BLOB,
    link_relation   TEXT,
    vector_by       TEXT,
    vector          BLOB,
    retrievals      INTEGER NOT NULL,
    retrieved_at    INTEGER,
    PRIMARY KEY (vault_id, memory_id, id)
) STRICT;
CREATE INDEX fact_by_mention ON fact (vault_id, memory_id, mentioned_at, id);
CREATE INDEX fact_by_entry ON fact (vault_id, memory_id, entry_id);
