-- A count of changes to the facts and chapters of a memory, for those who keep them at hand.
-- Memories that are there may have some, so theirs have changed once.

ALTER TABLE memory ADD COLUMN distilled INTEGER NOT NULL DEFAULT 1;
