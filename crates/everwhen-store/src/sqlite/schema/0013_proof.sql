-- What a chat without a name is recognised by: hashes of what was delivered, to whom. And what was
-- added to messages on their way to a model, to be added again.

-- Of lines that are there already it is not known who gave them; they count as before.
ALTER TABLE ledger ADD COLUMN delivered INTEGER NOT NULL DEFAULT 1;
ALTER TABLE ledger_head ADD COLUMN request BLOB;
ALTER TABLE ledger_head ADD COLUMN answered INTEGER NOT NULL DEFAULT 0;
CREATE INDEX ledger_head_by_request ON ledger_head (vault_id, request) WHERE request IS NOT NULL;

CREATE TABLE proof (
    vault_id      BLOB NOT NULL,
    hash          BLOB NOT NULL,
    memory_id     BLOB NOT NULL,
    number        INTEGER NOT NULL,             -- of the line it belongs to
    app           BLOB NOT NULL,                -- hash of the program it was delivered to
    at            INTEGER NOT NULL,
    PRIMARY KEY (vault_id, hash, memory_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX proof_by_memory ON proof (memory_id);

CREATE TABLE addition (
    vault_id      BLOB NOT NULL,
    memory_id     BLOB NOT NULL,
    number        INTEGER NOT NULL,             -- of the line it was added to
    text          TEXT NOT NULL,
    form          INTEGER NOT NULL,
    person        BLOB NOT NULL,                -- hash of whom it was made for
    at            INTEGER NOT NULL,
    PRIMARY KEY (memory_id, number)
) STRICT, WITHOUT ROWID;

-- How often all additions of a vault were dropped.
CREATE TABLE addition_epoch (
    vault_id      BLOB PRIMARY KEY,
    epoch         INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
