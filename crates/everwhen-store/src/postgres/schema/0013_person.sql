-- Whose chat a memory is: nothing for one that somebody named, an empty text for a chat of nobody in
-- particular. Chats of one person are found by who that is, the last active first.

ALTER TABLE memory ADD COLUMN chat_of text;
CREATE INDEX memory_chats ON memory (vault_id, chat_of, last_creation) WHERE chat_of IS NOT NULL;
