-- A correction has the place of what it corrects among the entries said at the same time. Absent: its sequence.

ALTER TABLE entry ADD COLUMN place {number};

UPDATE entry SET place = (SELECT old.sequence FROM entry AS old
    WHERE old.vault_id = entry.vault_id AND old.id = entry.corrects) WHERE corrects IS NOT NULL;

-- A correction of a correction.
UPDATE entry SET place = (SELECT coalesce(old.place, old.sequence) FROM entry AS old
    WHERE old.vault_id = entry.vault_id AND old.id = entry.corrects) WHERE corrects IS NOT NULL;

-- When the tags of an entry were last changed. An index that was saved before reads them again.
ALTER TABLE entry ADD COLUMN retagged_at {time};

CREATE INDEX entry_retagged ON entry (vault_id, memory_id) WHERE retagged_at IS NOT NULL;

-- When a conversation was ended inside an exchange that is still to be stored.
ALTER TABLE memory ADD COLUMN unfinished_end {time};

-- The highest version number that a context document has had, so that none is given twice.
ALTER TABLE memory ADD COLUMN last_context {number} NOT NULL DEFAULT 0;

-- What a language model wrote when it looked back at an ended conversation.
ALTER TABLE conversation ADD COLUMN retrospection {text};

ALTER TABLE conversation ADD COLUMN retrospected_at {time};
