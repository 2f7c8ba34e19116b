-- What the index of a memory follows: entries in the order they arrived, and a count of changes to
-- entries that are already stored.

ALTER TABLE memory ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX entry_by_sequence ON entry (memory_id, sequence);
