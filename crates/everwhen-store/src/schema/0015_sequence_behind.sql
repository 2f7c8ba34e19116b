-- Several servers before one database could write back a memory as it was before another added to it. Then every new
-- entry got the number of an old one, and was refused.

-- postgres only
UPDATE memory SET last_sequence = newest.sequence,
    last_creation = greatest(memory.last_creation, newest.creation_time), generation = memory.generation + 1
FROM (SELECT vault_id, memory_id, max(sequence) AS sequence, max(creation_time) AS creation_time
    FROM entry GROUP BY vault_id, memory_id) AS newest
WHERE newest.vault_id = memory.vault_id AND newest.memory_id = memory.id AND newest.sequence > memory.last_sequence;
