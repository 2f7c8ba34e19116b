-- Where an imported entry came from, and how well its time is known. All are absent for what was said here.

ALTER TABLE entry ADD COLUMN source {name};

ALTER TABLE entry ADD COLUMN source_id {name};

ALTER TABLE entry ADD COLUMN source_time {text};

ALTER TABLE entry ADD COLUMN time_precision {number};

ALTER TABLE entry ADD COLUMN time_from {number};

ALTER TABLE entry ADD COLUMN zone_from {number};

-- Importing looks messages up by their ids in the source.
CREATE INDEX entry_by_source ON entry (vault_id, memory_id, source_id) WHERE source_id IS NOT NULL;
