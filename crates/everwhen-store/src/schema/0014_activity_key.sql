-- Activities get a number in their memory, and with it a key: a cluster moves rows of a table, and
-- databases replicate them, by its key.

CREATE TABLE activity_numbered (
    vault_id        {id} NOT NULL,
    memory_id       {id} NOT NULL,
    number          {number} NOT NULL,
    conversation_id {id} NOT NULL,
    kind            {text} NOT NULL,
    name            {text},
    began_at        {time} NOT NULL,
    lasted          {number} NOT NULL,
    PRIMARY KEY (vault_id, memory_id, number)
);

INSERT INTO activity_numbered (vault_id, memory_id, number, conversation_id, kind, name, began_at, lasted)
    SELECT vault_id, memory_id, row_number() OVER (PARTITION BY vault_id, memory_id ORDER BY began_at),
        conversation_id, kind, name, began_at, lasted FROM activity;

DROP TABLE activity;

ALTER TABLE activity_numbered RENAME TO activity;

CREATE INDEX activity_of_conversation ON activity (vault_id, memory_id, conversation_id, began_at);
