-- What asking a language model took, what it answered, and when models and tools were at work.

CREATE TABLE llm_usage (
    vault_id        BLOB NOT NULL,
    day             TEXT NOT NULL,              -- YYYY-MM-DD, UTC
    model           TEXT NOT NULL,
    purpose         TEXT NOT NULL,
    calls           INTEGER NOT NULL,
    cached          INTEGER NOT NULL,
    input_tokens    INTEGER NOT NULL,
    output_tokens   INTEGER NOT NULL,
    cost_nanos      INTEGER NOT NULL,
    PRIMARY KEY (vault_id, day, model, purpose)
) STRICT, WITHOUT ROWID;
CREATE INDEX llm_usage_by_day ON llm_usage (day);

CREATE TABLE llm_reply (
    vault_id        BLOB NOT NULL,
    asked           BLOB NOT NULL,              -- hash of the model and what it was asked
    reply           TEXT NOT NULL,              -- JSON
    creation_time   INTEGER NOT NULL,
    PRIMARY KEY (vault_id, asked)
) STRICT, WITHOUT ROWID;
CREATE INDEX llm_reply_by_age ON llm_reply (vault_id, creation_time);

CREATE TABLE activity (
    vault_id        BLOB NOT NULL,
    memory_id       BLOB NOT NULL,
    conversation_id BLOB NOT NULL,
    kind            TEXT NOT NULL,              -- model, tool
    name            TEXT,
    began_at        INTEGER NOT NULL,
    lasted          INTEGER NOT NULL            -- microseconds
) STRICT;
CREATE INDEX activity_of_conversation ON activity (vault_id, memory_id, conversation_id, began_at);
