-- Chapters and the versions of the rolling summary; and, for each memory, when to look for more.

ALTER TABLE memory ADD COLUMN chaptered_until bigint;
ALTER TABLE memory ADD COLUMN chapters_at bigint NOT NULL DEFAULT 0;

CREATE TABLE chapter (
    vault_id        uuid NOT NULL,
    memory_id       uuid NOT NULL,
    id              uuid NOT NULL,
    first_at        bigint NOT NULL,
    first_sequence  bigint NOT NULL,
    last_at         bigint NOT NULL,
    last_sequence   bigint NOT NULL,
    entries         bigint NOT NULL,
    digest          bytea NOT NULL,
    title           text NOT NULL,
    text            text NOT NULL,
    entities        text NOT NULL,              -- JSON list
    key_phrases     text NOT NULL,              -- JSON list
    written_by      text NOT NULL,
    creation_time   bigint NOT NULL,
    PRIMARY KEY (vault_id, memory_id, id)
);
CREATE INDEX chapter_by_end ON chapter (vault_id, memory_id, last_at, last_sequence);

CREATE TABLE rolling_summary (
    vault_id         uuid NOT NULL,
    memory_id        uuid NOT NULL,
    version          bigint NOT NULL,
    text             text NOT NULL,
    through_at       bigint NOT NULL,
    through_sequence bigint NOT NULL,
    chapters         bigint NOT NULL,
    written_by       text NOT NULL,
    creation_time    bigint NOT NULL,
    PRIMARY KEY (vault_id, memory_id, version)
);
