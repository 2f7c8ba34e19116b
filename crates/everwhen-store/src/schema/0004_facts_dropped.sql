-- How many facts a model proposed that nothing said in a conversation bears out.

ALTER TABLE conversation ADD COLUMN facts_dropped {number} NOT NULL DEFAULT 0;
