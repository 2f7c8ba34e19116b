-- An outbox as the first version wrote it, with two rows that share their parts.
PRAGMA application_id = 1165381474;
CREATE TABLE waiting (
    id INTEGER PRIMARY KEY, lane TEXT NOT NULL, vault TEXT NOT NULL, memory TEXT, state INTEGER NOT NULL,
    accepted_at INTEGER NOT NULL, head BLOB NOT NULL, reason TEXT
) STRICT;
CREATE TABLE part (hash BLOB PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
CREATE TABLE part_of (
    row INTEGER NOT NULL, place INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (row, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX part_used ON part_of (hash);
INSERT INTO waiting VALUES (7, 'lane', 'v', NULL, 1, 1000000, x'68656164', NULL);
INSERT INTO waiting VALUES (9, 'lane', 'v', 'm', 1, 2000000, x'68656164', NULL);
INSERT INTO part VALUES (x'01', x'68656c6c6f'), (x'02', x'6869');
INSERT INTO part_of VALUES (7, 0, x'01'), (7, 1, x'02'), (9, 0, x'01'), (9, 1, x'02'), (9, 2, x'01');
PRAGMA user_version = 1;
