-- Of some imported entries only an hour, a day, a week, a month or a year is known (4 to 8). Few are; a list
-- of what was said since a time looks for those whose period had begun before.
CREATE INDEX entry_by_period ON entry (vault_id, memory_id, conversation_time)
    WHERE time_precision > 3 AND time_precision < 9;
