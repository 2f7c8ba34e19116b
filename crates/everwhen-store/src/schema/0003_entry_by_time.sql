-- The index by time starts with the memory alone. Starting with the vault it has two equal columns in every
-- question, and SQLite, which has no statistics here, prefers it over the index by conversation: reading one
-- conversation then passes over the whole memory.

-- sqlite only
DROP INDEX entry_by_time;

-- sqlite only
CREATE INDEX entry_by_time ON entry
    (memory_id, conversation_time, sequence, creation_time, corrected_at, branched_at);
