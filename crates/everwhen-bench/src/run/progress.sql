-- How far a run is. Instants are RFC 3339 in UTC, lengths are milliseconds.

CREATE TABLE IF NOT EXISTS runs (
    run_id                  TEXT PRIMARY KEY,
    dataset                 TEXT NOT NULL,
    created_at              TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS questions (
    question_id             TEXT PRIMARY KEY,
    position                INTEGER NOT NULL,
    question_type           TEXT NOT NULL,
    status                  TEXT NOT NULL,      -- pending, completed, failed, cancelled
    total_sessions          INTEGER NOT NULL,
    mode                    INTEGER,            -- how far it was taken: 0 ingest, 1 retrieval, 2 qa
    line                    TEXT,               -- what hypotheses.jsonl says of it
    last_progress_at        TEXT
);

CREATE TABLE IF NOT EXISTS sessions (
    question_id             TEXT NOT NULL,
    session_id              TEXT NOT NULL,
    status                  TEXT NOT NULL,      -- DONE, FAIL, CANCEL
    conversation_start_at   TEXT,
    conversation_end_at     TEXT,
    conversation_elapsed_ms INTEGER,
    conversation_active_ms  INTEGER,
    conversation_idle_ms    INTEGER,
    conversation_turns      INTEGER,
    active_unknown          INTEGER,
    PRIMARY KEY (question_id, session_id)
);
