-- Hashes of what was forgotten, by which it is recognised when it comes again. No text. The owner is the hash of the
-- name of a vault that is no more, else zeros.

CREATE TABLE tombstone (
    vault_id     {id} NOT NULL,
    owner        {bytes} NOT NULL,
    kind         {small} NOT NULL,
    hash         {bytes} NOT NULL,
    forgotten_at {time} NOT NULL,
    PRIMARY KEY (vault_id, owner, kind, hash)
);

-- The entries that were in a conversation.

CREATE INDEX entry_past_of_conversation ON entry_past (vault_id, memory_id, conversation_id);
