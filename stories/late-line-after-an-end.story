# An end was noted, and a farewell followed. Then a line arrives late that the user said between the
# two: the farewell answered that line, so both belong to the next conversation.
2024-05-06 10:00  user: That was all.
! end
2024-05-06 10:05  assistant: The capital is Lima.
expect: c1
2024-05-06 10:04  user: What is the capital of Peru?
expect: c2
? conversations
expect: c1 2024-05-06 10:00 to 2024-05-06 10:00, 1 entry, ended 2024-05-06 10:00 by the caller
expect: c2 2024-05-06 10:04 to 2024-05-06 10:05, 2 entries
