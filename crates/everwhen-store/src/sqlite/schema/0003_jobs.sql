-- Jobs about a conversation, a memory or whatever their payload says, in queues of their own: work
-- that waits for a model never stands before work that does not.

ALTER TABLE job RENAME TO job_before;
DROP INDEX job_of_conversation;
DROP INDEX job_by_due;
CREATE TABLE job (
    id              BLOB PRIMARY KEY,
    vault_id        BLOB NOT NULL,
    memory_id       BLOB NOT NULL,
    subject         INTEGER NOT NULL,           -- 0 conversation, 1 memory, 2 its payload
    subject_id      BLOB NOT NULL,
    kind            TEXT NOT NULL,
    queue           INTEGER NOT NULL,           -- 0 quick, 1 patient
    payload         TEXT,
    due_at          INTEGER NOT NULL,
    tries           INTEGER NOT NULL,
    state           INTEGER NOT NULL,           -- 0 waiting, 1 leased, 2 set aside
    leased_until    INTEGER,
    last_error      TEXT
) STRICT, WITHOUT ROWID;
INSERT INTO job SELECT id, vault_id, memory_id, 0, conversation_id, kind, 0, NULL, due_at, tries,
    state, leased_until, last_error FROM job_before;
DROP TABLE job_before;
CREATE UNIQUE INDEX job_of_subject ON job (vault_id, subject_id, kind);
CREATE INDEX job_by_due ON job (queue, due_at, id) WHERE state < 2;
