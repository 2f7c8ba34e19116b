-- What a chat without a name is recognised by: hashes of what was delivered, to whom. And what was
-- added to messages on their way to a model, to be added again.

-- Of lines that are there already it is not known who gave them; they count as before.
ALTER TABLE ledger ADD COLUMN delivered boolean NOT NULL DEFAULT true;
ALTER TABLE ledger_head ADD COLUMN request bytea;
ALTER TABLE ledger_head ADD COLUMN answered boolean NOT NULL DEFAULT false;
CREATE INDEX ledger_head_by_request ON ledger_head (vault_id, request) WHERE request IS NOT NULL;

CREATE TABLE proof (
    vault_id      uuid NOT NULL,
    hash          bytea NOT NULL,
    memory_id     uuid NOT NULL,
    number        bigint NOT NULL,              -- of the line it belongs to
    app           bytea NOT NULL,               -- hash of the program it was delivered to
    at            bigint NOT NULL,
    PRIMARY KEY (vault_id, hash, memory_id)
);
CREATE INDEX proof_by_memory ON proof (vault_id, memory_id);

CREATE TABLE addition (
    vault_id      uuid NOT NULL,
    memory_id     uuid NOT NULL,
    number        bigint NOT NULL,              -- of the line it was added to
    text          text NOT NULL,
    form          bigint NOT NULL,
    person        bytea NOT NULL,               -- hash of whom it was made for
    at            bigint NOT NULL,
    PRIMARY KEY (vault_id, memory_id, number)
);

-- How often all additions of a vault were dropped.
CREATE TABLE addition_epoch (
    vault_id      uuid NOT NULL,
    epoch         bigint NOT NULL,
    PRIMARY KEY (vault_id)
);
