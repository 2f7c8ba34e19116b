-- How often something in a memory was forgotten. What was made of an earlier state is not kept.

ALTER TABLE memory ADD COLUMN forgotten {number} NOT NULL DEFAULT 0;

-- How often in a row a job failed for a reason that passes, and how often its worker vanished.
ALTER TABLE job ADD COLUMN waits {number} NOT NULL DEFAULT 0;

ALTER TABLE job ADD COLUMN crashes {number} NOT NULL DEFAULT 0;
