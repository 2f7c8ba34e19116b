-- Both times of an entry, and since when it is gone, are in the index by time: how many entries there are
-- in a stretch of time, now or as of another time, is counted without reading what was said.

DROP INDEX entry_by_time;

CREATE INDEX entry_by_time ON entry
    (vault_id, memory_id, conversation_time, sequence, creation_time, corrected_at, branched_at);
