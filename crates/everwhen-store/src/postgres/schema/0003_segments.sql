-- Parts of the index of a memory, kept so that a restart need not read every entry again. They hold
-- words of entries and go as soon as any entry of the memory is removed.

CREATE TABLE segment (
    vault_id      uuid NOT NULL,
    memory_id     uuid NOT NULL,
    number        bigint NOT NULL,
    bytes         bytea NOT NULL,
    PRIMARY KEY (vault_id, memory_id, number)
);
