-- When parts of memories that were forgotten had been said. By it is recognised what waited in an outbox meanwhile.
-- The owner of such a row is the id of the memory, followed by zeros.

ALTER TABLE tombstone ADD COLUMN said_from {time};

ALTER TABLE tombstone ADD COLUMN said_before {time};
