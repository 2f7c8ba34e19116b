-- What asking a language model took, what it answered, and when models and tools were at work.

CREATE TABLE llm_usage (
    vault_id        uuid NOT NULL,
    day             text COLLATE "C" NOT NULL,  -- YYYY-MM-DD, UTC
    model           text COLLATE "C" NOT NULL,
    purpose         text COLLATE "C" NOT NULL,
    calls           bigint NOT NULL,
    cached          bigint NOT NULL,
    input_tokens    bigint NOT NULL,
    output_tokens   bigint NOT NULL,
    cost_nanos      bigint NOT NULL,
    PRIMARY KEY (vault_id, day, model, purpose)
);
CREATE INDEX llm_usage_by_day ON llm_usage (day);

CREATE TABLE llm_reply (
    vault_id        uuid NOT NULL,
    asked           bytea NOT NULL,             -- hash of the model and what it was asked
    reply           text NOT NULL,              -- JSON
    creation_time   bigint NOT NULL,
    PRIMARY KEY (vault_id, asked)
);
CREATE INDEX llm_reply_by_age ON llm_reply (vault_id, creation_time);

CREATE TABLE activity (
    vault_id        uuid NOT NULL,
    memory_id       uuid NOT NULL,
    conversation_id uuid NOT NULL,
    kind            text COLLATE "C" NOT NULL,  -- model, tool
    name            text COLLATE "C",
    began_at        bigint NOT NULL,
    lasted          bigint NOT NULL             -- microseconds
);
CREATE INDEX activity_of_conversation ON activity (vault_id, memory_id, conversation_id, began_at);
