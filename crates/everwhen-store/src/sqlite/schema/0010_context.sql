-- Who wrote a version of the context document: an agent, or we.

ALTER TABLE context ADD COLUMN written_by TEXT NOT NULL DEFAULT 'agent';
