-- Chapters and the versions of the rolling summary; and, for each memory, when to look for more.

ALTER TABLE memory ADD COLUMN chaptered_until INTEGER;
ALTER TABLE memory ADD COLUMN chapters_at INTEGER NOT NULL DEFAULT 0;

CREATE TABLE chapter (
    vault_id        BLOB NOT NULL,
    memory_id       BLOB NOT NULL,
    id              BLOB NOT NULL,
    first_at        INTEGER NOT NULL,
    first_sequence  INTEGER NOT NULL,
    last_at         INTEGER NOT NULL,
    last_sequence   INTEGER NOT NULL,
    entries         INTEGER NOT NULL,
    digest          BLOB NOT NULL,
    title           TEXT NOT NULL,
    text            TEXT NOT NULL,
    entities        TEXT NOT NULL,              -- JSON list
    key_phrases     TEXT NOT NULL,              -- JSON list
    written_by      TEXT NOT NULL,
    creation_time   INTEGER NOT NULL,
    PRIMARY KEY (vault_id, memory_id, id)
) STRICT;
CREATE INDEX chapter_by_end ON chapter (vault_id, memory_id, last_at, last_sequence, creation_time);

CREATE TABLE rolling_summary (
    vault_id         BLOB NOT NULL,
    memory_id        BLOB NOT NULL,
    version          INTEGER NOT NULL,
    text             TEXT NOT NULL,
    through_at       INTEGER NOT NULL,
    through_sequence INTEGER NOT NULL,
    chapters         INTEGER NOT NULL,
    written_by       TEXT NOT NULL,
    creation_time    INTEGER NOT NULL,
    PRIMARY KEY (vault_id, memory_id, version)
) STRICT;
