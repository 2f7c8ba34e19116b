-- What a chapter was written from. Those that another system wrote have their source, their id there, how well
-- their time is known, and what else the source says.

ALTER TABLE chapter ADD COLUMN kind {name} NOT NULL DEFAULT 'written';

ALTER TABLE chapter ADD COLUMN source {name};

ALTER TABLE chapter ADD COLUMN source_id {name};

ALTER TABLE chapter ADD COLUMN source_time {text};

ALTER TABLE chapter ADD COLUMN time_precision {number};

ALTER TABLE chapter ADD COLUMN time_from {number};

ALTER TABLE chapter ADD COLUMN zone_from {number};

ALTER TABLE chapter ADD COLUMN metadata {text};

-- Few memories have any of these.
CREATE INDEX chapter_foreign ON chapter (vault_id, memory_id, last_at) WHERE kind IN ('imported', 'searchable');

-- Counting chapters reads the index alone.
-- sqlite only
DROP INDEX chapter_by_end;

-- sqlite only
CREATE INDEX chapter_by_end ON chapter (vault_id, memory_id, last_at, last_sequence, creation_time, kind);
