-- Who wrote a version of the context document: an agent, or we.

ALTER TABLE context ADD COLUMN written_by text NOT NULL DEFAULT 'agent';
