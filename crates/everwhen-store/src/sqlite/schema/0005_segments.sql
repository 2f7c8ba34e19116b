-- Parts of the index of a memory, kept so that a restart need not read every entry again. They hold
-- words of entries and go as soon as any entry of the memory is removed.

CREATE TABLE segment (
    vault_id BLOB NOT NULL,
    memory_id BLOB NOT NULL,
    number INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (vault_id, memory_id, number)
) STRICT;
