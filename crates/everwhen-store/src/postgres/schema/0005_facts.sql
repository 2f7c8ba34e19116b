-- Facts: one dated statement each, the entry it rests on, and what it follows.

ALTER TABLE conversation ADD COLUMN distilled_at bigint;

CREATE TABLE fact (
    vault_id        uuid NOT NULL,
    memory_id       uuid NOT NULL,
    id              uuid NOT NULL,
    statement       text NOT NULL,
    source          bigint   NOT NULL,           -- 0 confirmed, 1 inferred
    tags            text,                       -- JSON list, absent if empty
    matter_key      text,
    matter_value    text,
    event_since     bigint,
    event_until     bigint,
    event_precision bigint  ,                    -- 0 minute, 1 day, 2 month, 3 year; absent without event
    entry_id        uuid NOT NULL,
    range_start     bigint NOT NULL,
    range_end       bigint NOT NULL,
    mentioned_at    bigint NOT NULL,
    creation_time   bigint NOT NULL,
    written_by      text NOT NULL,
    pinned_at       bigint,
    withdrawn_at    bigint,
    link_to         uuid,
    link_relation   text,
    vector_by       text,
    vector          bytea,
    retrievals      bigint NOT NULL,
    retrieved_at    bigint,
    PRIMARY KEY (vault_id, memory_id, id)
);
CREATE INDEX fact_by_mention ON fact (vault_id, memory_id, mentioned_at, id);
CREATE INDEX fact_by_entry ON fact (vault_id, memory_id, entry_id);
